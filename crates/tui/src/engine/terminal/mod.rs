//! Taking over the terminal, and restoring it: on exit, panic, signal and suspension, and by a [`guard`] on `abort`.

mod background;
#[cfg(unix)]
pub mod guard;
mod output;

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, SetCursorStyle, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

pub use background::{AnswerFilter, Filtered, Known};
pub use output::Output;

use background::{QUERY, theme_by_environment};

use crate::engine::jobs::WORKER_THREAD;

/// True if the terminal is taken over; atomic, so that a panic hook can restore it.
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// Saves and restores the window title (XTWINOPS); ignored where it is not supported.
const SAVE_TITLE: Print<&str> = Print("\x1b[22;2t");
const RESTORE_TITLE: Print<&str> = Print("\x1b[23;2t");
/// Bytes of a frame that are written at once; the largest frames are written in parts.
const FRAME_CAPACITY: usize = 256 << 10;

/// The terminal while it is taken over; dropping it restores the terminal.
pub struct Screen {
    output: Output<BufWriter<Stdout>>,
    next: Buffer,
    mouse: bool,
}

impl Screen {
    /// Takes over the terminal; with `ask`, asks for its background colour. `plain` omits all colours.
    pub fn enter(mouse: bool, title: &str, ask: bool, plain: bool) -> io::Result<Self> {
        #[cfg(unix)]
        guard::start()?;
        // From here on, dropping it restores the terminal.
        let output = Output::new(BufWriter::with_capacity(FRAME_CAPACITY, stdout()), plain);
        let screen = Self { output, next: Buffer::default(), mouse };
        take_over(mouse, if ask { QUERY } else { "" })?;
        execute!(stdout(), SetTitle(title))?;
        Ok(screen)
    }

    pub fn size(&self) -> Size {
        crossterm::terminal::size().map_or(Size::ZERO, |(width, height)| Size { width, height })
    }

    pub fn draw(&mut self, draw: impl FnOnce(&mut Buffer) -> Option<Position>) -> io::Result<()> {
        let size = self.size();
        if size.width == 0 || size.height == 0 {
            return Ok(());
        }
        self.next.resize(Rect::from((Position::ORIGIN, size)));
        self.next.reset();
        let cursor = draw(&mut self.next);
        self.output.frame(&mut self.next, cursor)
    }

    pub(crate) fn set_mouse(&mut self, mouse: bool) -> io::Result<()> {
        self.mouse = mouse;
        if mouse { execute!(stdout(), EnableMouseCapture) } else { execute!(stdout(), DisableMouseCapture) }
    }

    /// Forgets the last frame: the next one is drawn completely.
    pub fn forget(&mut self) {
        self.output.forget();
    }

    /// Restores the terminal, and stops until the shell continues the program.
    #[cfg(unix)]
    pub fn suspend(&mut self) -> io::Result<()> {
        self.lend(|| signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP))?
    }

    /// Restores the terminal while `other` has it, and takes it over again in the modes that it had before.
    #[cfg(unix)]
    pub(crate) fn lend<T>(&mut self, other: impl FnOnce() -> T) -> io::Result<T> {
        restore();
        let answer = other();
        guard::is_taken_over();
        take_over(self.mouse, "")?;
        self.forget();
        Ok(answer)
    }

    /// Draws the next frame completely: there is no job control on this platform.
    #[cfg(not(unix))]
    pub fn suspend(&mut self) -> io::Result<()> {
        self.forget();
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
        #[cfg(unix)]
        guard::end();
    }
}

/// Takes over the terminal. `first` is written before the alternate screen, where some terminals do not answer.
fn take_over(mouse: bool, first: &str) -> io::Result<()> {
    enable_raw_mode()?;
    ACTIVE.store(true, Ordering::SeqCst);
    let mut out = first.as_bytes().to_vec();
    // The cursor stands on the selected row, where screen readers and braille lines find it.
    // No line wrap: text that the terminal draws wider must not reach the next row.
    queue!(out, EnterAlternateScreen, DisableLineWrap, EnableBracketedPaste, SetCursorStyle::SteadyBar, Hide)?;
    queue!(out, EnableFocusChange, SAVE_TITLE)?;
    if mouse {
        queue!(out, EnableMouseCapture)?;
    }
    let mut terminal = stdout().lock();
    terminal.write_all(&out)?;
    terminal.flush()
}

/// Restores the terminal if it is taken over; errors are ignored, as the terminal may be gone.
pub(crate) fn restore() {
    if !ACTIVE.swap(false, Ordering::SeqCst) {
        return;
    }
    write_restored(&mut stdout());
    let _ = disable_raw_mode();
    #[cfg(unix)]
    guard::is_restored();
}

/// Writes what undoes [`take_over`], but for the modes.
fn write_restored(out: &mut impl Write) {
    let _ = execute!(
        out,
        SetAttribute(Attribute::Reset),
        EndSynchronizedUpdate,
        EnableLineWrap,
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        SetCursorStyle::DefaultUserShape,
        RESTORE_TITLE,
        LeaveAlternateScreen,
        Show
    );
}

/// Installs a panic hook that restores the terminal first. Panics of workers are reported on the screen instead.
pub(crate) fn restore_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() == Some(WORKER_THREAD) {
            return;
        }
        restore();
        eprintln!("pdblens failed because of a bug. The file that caused it would help to fix it.");
        before(panic);
    }));
}

/// Theme of the options and the environment, as far as it is known before the first frame.
#[cfg(unix)]
pub(crate) fn known_theme(asked: Option<&str>, exists: &dyn Fn(&str) -> bool) -> Known {
    theme_by_environment(asked, exists, &variable)
}

/// Theme that the options and the environment name, or else dark, which is what the console and Windows Terminal begin with.
///
/// The Windows console is never asked. It puts its answer into the input as key records without a key code, and crossterm drops
/// those of control characters: of `ESC ] 1 1 ; … BEL` only the part in between would arrive, as if it had been typed.
#[cfg(not(unix))]
pub(crate) fn known_theme(asked: Option<&str>, exists: &dyn Fn(&str) -> bool) -> Known {
    match theme_by_environment(asked, exists, &variable) {
        Known::Ask => Known::Theme("dark".to_owned()),
        known @ Known::Theme(_) => known,
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns whether `NO_COLOR` is set (<https://no-color.org>).
pub(crate) fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

pub(crate) fn has_all_colours() -> bool {
    let has = |name: &str, words: &[&str]| {
        std::env::var(name).is_ok_and(|value| words.iter().any(|word| value.contains(word)))
    };
    has("COLORTERM", &["truecolor", "24bit"])
        || has("TERM", &["direct", "kitty", "alacritty", "ghostty", "foot", "wezterm"])
        || has("TERM_PROGRAM", &["iTerm", "WezTerm", "vscode", "ghostty"])
        || std::env::var_os("WT_SESSION").is_some()
}
