//! A program in a pseudo-terminal. Waits are conditions with a limit, never a time.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};

/// Time limit of every wait, on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// Interval of polling, for conditions without a notification.
pub(crate) const NOW_AND_THEN: Duration = Duration::from_millis(5);

/// Silence after which a program counts as idle; a heuristic.
const QUIET: Duration = Duration::from_millis(500);

/// The program under test.
pub(crate) const PDBLENS: &str = env!("CARGO_BIN_EXE_pdblens");

/// Variables of the environment that must not influence the tests.
const UNSET: &[&str] = &[
    "TMUX",
    "NO_COLOR",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "COLORFGBG",
    "PDBLENS_THEME",
    "PDBLENS_CONFIG",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "SSH_CONNECTION",
    "SSH_TTY",
    "TERM_PROGRAM",
    "_NT_SYMBOL_PATH",
];

/// The screen of the terminal, and a condition variable for its changes.
type Shown = Arc<(Mutex<vt100::Parser>, Condvar)>;

/// A program in a pseudo-terminal.
pub(crate) struct Session {
    /// The program.
    pub(crate) id: u32,
    /// Everything it wrote.
    raw: Arc<Mutex<Vec<u8>>>,
    child: Box<dyn Child + Send + Sync>,
    /// Kept open, so that the last output of a program that has ended can be read.
    _slave: Box<dyn SlavePty + Send>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    shown: Shown,
}

/// Options for starting a program in a terminal.
pub(crate) struct Start<'s> {
    pub(crate) arguments: &'s [&'s str],
    pub(crate) variables: &'s [(&'s str, &'s str)],
    pub(crate) size: (u16, u16),
    /// True if closing the terminal sends a signal.
    pub(crate) controlling: bool,
}

impl Default for Start<'_> {
    fn default() -> Self {
        Self { arguments: &[], variables: &[], size: (120, 40), controlling: true }
    }
}

/// Home folder of the tests. No list of opened files is kept in it: a file would open where another test left it.
pub(crate) fn home() -> PathBuf {
    static HOME: LazyLock<PathBuf> = LazyLock::new(|| {
        let home = std::env::temp_dir().join("pdblens-pty-home");
        let settings = home.join(".config/pdblens");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("config.toml"), "recent = false\n").unwrap();
        home
    });
    HOME.clone()
}

/// Removes variables from a command's environment that would influence the test.
pub(crate) fn plain_environment(mut unset: impl FnMut(&str)) {
    for name in UNSET {
        unset(name);
    }
}

fn size(width: u16, height: u16) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

impl Session {
    /// pdblens with these arguments and variables.
    pub(crate) fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::of(&Start { arguments, variables, ..Start::default() })
    }

    /// pdblens, started so.
    pub(crate) fn of(start: &Start<'_>) -> Self {
        let mut command = CommandBuilder::new(PDBLENS);
        command.args(start.arguments);
        Self::spawn(command, start)
    }

    /// A shell with job control.
    pub(crate) fn shell() -> Self {
        let mut command = CommandBuilder::new("bash");
        command.args(["--norc", "--noprofile", "-i"]);
        let mut session = Self::spawn(command, &Start { variables: &[("PS1", "shell$ ")], ..Start::default() });
        session.prompts();
        session
    }

    /// A shell without job control, with arguments.
    pub(crate) fn script(script: &str, arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", script, "sh"]);
        command.args(arguments);
        Self::spawn(command, &Start::default())
    }

    /// Everything that a command of a shell, with arguments, writes on a terminal.
    #[track_caller]
    pub(crate) fn output(script: &str, arguments: &[&str]) -> Vec<u8> {
        let session = Self::script(&format!("{script}; echo \"== $? ==\""), arguments);
        session.wait("the end", |screen| screen.contents().trim_end().ends_with(" =="));
        session.raw()
    }

    fn spawn(mut command: CommandBuilder, start: &Start<'_>) -> Self {
        let (width, height) = start.size;
        let pair = native_pty_system().openpty(size(width, height)).unwrap();
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("HOME", home());
        plain_environment(|name| command.env_remove(name));
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("RUST_BACKTRACE", "0");
        for (name, value) in start.variables {
            command.env(name, value);
        }
        command.set_controlling_tty(start.controlling);
        let child = pair.slave.spawn_command(command).unwrap();
        let parser = vt100::Parser::new(NonZeroU16::new(height).unwrap(), NonZeroU16::new(width).unwrap(), 0);
        let shown: Shown = Arc::new((Mutex::new(parser), Condvar::new()));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, to, all) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&shown), Arc::clone(&raw));
        std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                all.lock().unwrap().extend_from_slice(&bytes[..read]);
                to.0.lock().unwrap().process(&bytes[..read]);
                to.1.notify_all();
            }
        });
        let writer = pair.master.take_writer().unwrap();
        let id = child.process_id().unwrap();
        Self { id, raw, child, _slave: pair.slave, master: pair.master, writer, shown }
    }

    #[track_caller]
    fn wait(&self, what: &str, is: impl Fn(&vt100::Screen) -> bool) {
        let until = Instant::now() + LIMIT;
        let mut parser = self.shown.0.lock().unwrap();
        while !is(parser.screen()) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let seen = parser.screen().contents();
                drop(parser);
                panic!("{what} never came:\n{seen}");
            }
            parser = self.shown.1.wait_timeout(parser, left.min(Duration::from_millis(100))).unwrap().0;
        }
    }

    /// Waits until `text` shows.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> &mut Self {
        self.wait(text, |screen| screen.contents().contains(text));
        self
    }

    /// The visible text.
    pub(crate) fn text(&self) -> String {
        self.shown.0.lock().unwrap().screen().contents()
    }

    /// Waits until `text` does not show.
    #[track_caller]
    pub(crate) fn hides(&mut self, text: &str) -> &mut Self {
        self.wait(&format!("the end of {text}"), |screen| !screen.contents().contains(text));
        self
    }

    /// Closes the overlay with this title. A key right after `Esc` would be read as one with `Alt`.
    #[track_caller]
    pub(crate) fn leaves(&mut self, title: &str) -> &mut Self {
        self.shows(title).keys("\x1b").hides(title)
    }

    /// Waits until the shell waits for a command.
    #[track_caller]
    pub(crate) fn prompts(&mut self) -> &mut Self {
        self.wait("the shell's prompt", |screen| screen.contents().trim_end().ends_with("shell$"));
        self
    }

    /// Waits until the terminal has been sent `text`.
    #[track_caller]
    pub(crate) fn sent(&mut self, text: &str) -> &mut Self {
        self.sent_any(&[text])
    }

    /// Waits until the terminal has been sent one of `texts`.
    #[track_caller]
    pub(crate) fn sent_any(&mut self, texts: &[&str]) -> &mut Self {
        let has = |raw: &[u8], text: &str| raw.windows(text.len()).any(|part| part == text.as_bytes());
        self.wait(&format!("{texts:?}"), |_| {
            let raw = self.raw.lock().unwrap();
            texts.iter().any(|text| has(&raw, text))
        });
        self
    }

    /// Waits until the first name on the screen shows in that colour.
    #[track_caller]
    pub(crate) fn shows_in(&mut self, colour: vt100::Color) -> &mut Self {
        self.wait(&format!("{colour:?}"), |screen| screen.cell(0, 1).is_some_and(|cell| cell.fgcolor() == colour));
        self
    }

    /// Types text.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut Self {
        self.bytes(keys.as_bytes())
    }

    /// Sends bytes as a terminal does: keys, the mouse, what is pasted.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.writer.write_all(bytes).unwrap();
        self.writer.flush().unwrap();
        self
    }

    /// Pastes, as terminals do that were asked to mark it.
    pub(crate) fn paste(&mut self, text: &str) -> &mut Self {
        self.keys(&format!("\x1b[200~{text}\x1b[201~"))
    }

    /// Presses and lets go the left button on the first cell of `text`, once that shows.
    #[track_caller]
    pub(crate) fn click(&mut self, text: &str) -> &mut Self {
        let (x, y) = self.shows(text).at(text);
        self.keys(&format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m"))
    }

    /// Turns the wheel by a notch over the first cell of `text`, once that shows.
    #[track_caller]
    pub(crate) fn wheel(&mut self, down: bool, text: &str) -> &mut Self {
        let (x, y) = self.shows(text).at(text);
        self.keys(&format!("\x1b[<{};{x};{y}M", if down { 65 } else { 64 }))
    }

    /// Column and row of `text`, counted from 1.
    fn at(&self, text: &str) -> (usize, usize) {
        let parser = self.shown.0.lock().unwrap();
        let screen = parser.screen();
        let rows = screen.rows(0, screen.size().1.get());
        let mut found =
            rows.enumerate().filter_map(|(y, row)| Some((row[..row.find(text)?].chars().count() + 1, y + 1)));
        found.next().expect("it shows on one line")
    }

    /// Makes the terminal another size.
    pub(crate) fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        // Nothing that is written for the new size is shown in the old one.
        let mut parser = self.shown.0.lock().unwrap();
        self.master.resize(size(width, height)).unwrap();
        if let (Some(rows), Some(columns)) = (NonZeroU16::new(height), NonZeroU16::new(width)) {
            parser.screen_mut().set_size(rows, columns);
        }
        drop(parser);
        self
    }

    /// Waits until the program is silent for a while.
    pub(crate) fn is_quiet(&mut self) -> &mut Self {
        let mut length = 0;
        while std::mem::replace(&mut length, self.raw.lock().unwrap().len()) != length {
            std::thread::sleep(QUIET);
        }
        self
    }

    /// Waits until the program has ended; returns its exit code.
    #[track_caller]
    pub(crate) fn exit(&mut self) -> u32 {
        self.ended().exit_code()
    }

    /// Waits until the program has ended; returns how.
    #[track_caller]
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "it never ends:\n{}", self.shown.0.lock().unwrap().screen().contents());
            std::thread::sleep(NOW_AND_THEN);
        }
    }

    /// The process that has the terminal.
    pub(crate) fn foreground(&self) -> u32 {
        self.master.process_group_leader().expect("somebody has the terminal").cast_unsigned()
    }

    /// Everything that was written so far.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.raw.lock().unwrap().clone()
    }

    /// Waits until the shell has the screen again, with its own modes.
    #[track_caller]
    pub(crate) fn is_left(&mut self) -> &mut Self {
        let mouse = vt100::MouseProtocolMode::None;
        self.wait("the shell's screen", |screen| !screen.alternate_screen() && screen.mouse_protocol_mode() == mouse);
        self
    }

    /// Waits until every terminal mode that pdblens sets is reset.
    #[track_caller]
    pub(crate) fn is_whole(&mut self) -> &mut Self {
        self.wait("a whole terminal", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
        self
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// Sends a signal to a process that a test started.
pub(crate) fn signal(id: u32, name: &str) {
    let status = std::process::Command::new("kill").args([format!("-{name}"), id.to_string()]).status().unwrap();
    assert!(status.success());
}

/// The processes that a process started, with their arguments.
pub(crate) fn children(id: u32) -> Vec<(u32, String)> {
    let output =
        std::process::Command::new("ps").args(["-o", "pid=,args=", "--ppid", &id.to_string()]).output().unwrap();
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let parts = lines.lines().filter_map(|line| line.trim().split_once(' '));
    parts.map(|(id, arguments)| (id.parse().unwrap(), arguments.to_owned())).collect()
}

/// Waits until pdblens has a guard of its terminal that catches signals; returns the process id of that.
///
/// The end of a session's first process sends `SIGHUP` to its group, which would end a guard that has only been started.
#[track_caller]
pub(crate) fn guard_of(id: u32) -> u32 {
    let until = Instant::now() + LIMIT;
    loop {
        if let Some((guard, _)) = children(id).into_iter().find(|(_, arguments)| arguments.contains("--terminal-guard"))
            && catches_signals(guard)
        {
            return guard;
        }
        assert!(Instant::now() < until, "process {id} has no guard");
        std::thread::sleep(NOW_AND_THEN);
    }
}

/// Returns whether a guard has set its handlers, as far as the system tells: `SIGTSTP` (20) is the last one.
fn catches_signals(guard: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{guard}/status")) else {
        return !cfg!(target_os = "linux");
    };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (20 - 1) & 1 == 1)
}

/// Waits until a process that is not a child has ended.
#[track_caller]
pub(crate) fn gone(id: u32) {
    let until = Instant::now() + LIMIT;
    loop {
        let output = std::process::Command::new("ps").args(["-o", "stat=", "-p", &id.to_string()]).output().unwrap();
        let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        // One that has ended and that nobody asked about is still in the list.
        if state.is_empty() || state.starts_with('Z') {
            return;
        }
        if Instant::now() > until {
            signal(id, "KILL");
            panic!("process {id} is still there: {state}");
        }
        std::thread::sleep(NOW_AND_THEN);
    }
}
