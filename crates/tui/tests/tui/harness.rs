//! The app without a terminal: jobs run at once, time passes when told.

use std::collections::VecDeque;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossterm::event::{Event as TerminalEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use pdblens_tui::Options;
use pdblens_tui::app::config::{Config, merge_recents};
use pdblens_tui::app::{App, Command, Event};
use pdblens_tui::engine::Program;
use pdblens_tui::engine::editor::SourceLine;
use pdblens_tui::engine::jobs::QueuedJob;
use pdblens_tui::engine::key::Key;
use pdblens_tui::state::message::Msg;
use pdblens_tui::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Modifier, Style};

use crate::support::samples::repository;

/// The app, and what it asked of the world.
pub(crate) struct Screen {
    pub app: App,
    pub size: Size,
    pub copied: Vec<(String, String)>,
    pub ended: bool,
    pub suspended: bool,
    pub remembered: Option<String>,
    pub recent: Option<String>,
    pub edited: Vec<SourceLine>,
    pub progress: Option<String>,
    /// Jobs that wait until `work` runs one; `None` runs each at once.
    pub holds: bool,
    held: VecDeque<QueuedJob<Msg>>,
}

/// The views, each with a name and the keys that lead there.
pub(crate) const VIEW_KEYS: [(&str, &str); 9] = [
    ("Summary", "1"),
    ("File", "2"),
    ("Tables", "tables"),
    ("Methods", "methods"),
    ("Sources", "sources"),
    ("Trace", "4"),
    ("Compare", "5"),
    ("Used by", "methods r"),
    ("Learn", "6"),
];

/// Keys of a view that has a name in the palette, and no key.
fn spelled_out(key: &str) -> Option<String> {
    let is_name = ["tables", "methods", "sources"].contains(&key);
    is_name.then(|| format!(": \"{key}\" enter"))
}

/// Keys of a script: `0 1 2 j` is twelve times `j`.
fn repeated(script: &str) -> Vec<Key> {
    let (mut keys, mut times) = (Vec::new(), None);
    for text in script.split_whitespace() {
        let digit = text.parse::<usize>().ok().filter(|digit| *digit < 10);
        match (times, digit) {
            (None, Some(0)) => times = Some(0),
            (Some(count), Some(digit)) => times = Some(10 * count + digit),
            _ => {
                let key = Key::parse(text).unwrap_or_else(|| panic!("no key {text}"));
                keys.extend(std::iter::repeat_n(key, times.take().unwrap_or(1)));
            }
        }
    }
    keys
}

/// A file of the samples.
pub(crate) fn sample(name: &str) -> PathBuf {
    repository("assets/samples").join(name)
}

impl Screen {
    /// The app with a sample open, in a terminal of that size.
    pub(crate) fn open(file: &str, width: u16, height: u16) -> Self {
        Self::with(
            Options { files: vec![sample(file)], ..Options::default() },
            Config::default(),
            "dark",
            width,
            height,
        )
    }

    pub(crate) fn with(options: Options, config: Config, theme: &str, width: u16, height: u16) -> Self {
        let (mut screen, effects) = Self::opening(options, config, theme, width, height);
        screen.carry_out(effects);
        screen
    }

    /// The app with its files open; all other jobs wait.
    pub(crate) fn holding(options: Options, width: u16, height: u16) -> Self {
        let (mut screen, effects) = Self::opening(options, Config::default(), "dark", width, height);
        screen.holds = true;
        screen.carry_out(effects);
        assert!(screen.work());
        screen
    }

    /// The app before its files are open, and what opens them.
    pub(crate) fn opening(
        options: Options,
        config: Config,
        theme: &str,
        width: u16,
        height: u16,
    ) -> (Self, Vec<Command>) {
        // Relative paths are of the repository.
        std::env::set_current_dir(repository("")).unwrap();
        let theme = config.themed(Theme::named(theme).unwrap());
        let (app, effects) = App::new(options, config, theme, Instant::now());
        let size = Size { width, height };
        let mut screen = Self {
            app,
            size,
            copied: Vec::new(),
            ended: false,
            suspended: false,
            remembered: None,
            recent: None,
            edited: Vec::new(),
            progress: None,
            holds: false,
            held: VecDeque::new(),
        };
        screen.app.resize(size);
        (screen, effects)
    }

    pub(crate) fn carry_out(&mut self, effects: Vec<Command>) {
        for effect in effects {
            match effect {
                Command::Quit => self.ended = true,
                Command::Fail(error) => panic!("{error}"),
                Command::Suspend => self.suspended = true,
                Command::Copy(what, text) => self.copied.push((what, text)),
                Command::SaveProgress(text) => self.progress = Some(text),
                Command::SaveRecent(text) => {
                    self.recent = Some(merge_recents(self.recent.as_deref().unwrap_or_default(), &text));
                }
                Command::Edit(at) => self.edited.push(at),
                Command::SaveLayout(state) => self.remembered = Some(state),
                Command::Start(job) if self.holds => self.held.push_back(job),
                Command::Start(job) => self.event(Event::Done(job.run())),
                _ => {}
            }
        }
    }

    pub(crate) fn event(&mut self, event: Event) {
        let effects = self.app.update(event);
        self.carry_out(effects);
    }

    /// Does the job that has waited longest; says whether there was one.
    pub(crate) fn work(&mut self) -> bool {
        self.held.retain(|job| !job.is_stale());
        let Some(job) = self.held.pop_front() else { return false };
        self.event(Event::Done(job.run()));
        true
    }

    /// Does all jobs that have waited; from here on none waits.
    pub(crate) fn finish(&mut self) -> &mut Self {
        self.holds = false;
        while self.work() {}
        self
    }

    /// Number of queued jobs that are not cancelled.
    pub(crate) fn waiting(&self) -> usize {
        self.held.iter().filter(|job| !job.is_stale()).count()
    }

    /// Presses keys, separated by spaces; `"text"` types what is between the quotes, and digits after a `0` repeat the key that follows.
    pub(crate) fn keys(&mut self, script: &str) -> &mut Self {
        for (index, part) in script.split('"').enumerate() {
            if index % 2 == 0 && part.split_whitespace().any(|key| spelled_out(key).is_some()) {
                let keys = part.split_whitespace().map(|key| spelled_out(key).unwrap_or_else(|| key.to_owned()));
                self.keys(&keys.collect::<Vec<_>>().join(" "));
                continue;
            }
            let keys: Vec<Key> = if index % 2 == 1 {
                part.chars()
                    .map(|c| Key { code: crossterm::event::KeyCode::Char(c), ctrl: false, alt: false, shift: false })
                    .collect()
            } else {
                repeated(part)
            };
            for key in keys {
                let code = key.code;
                let mut modifiers = KeyModifiers::NONE;
                modifiers.set(KeyModifiers::CONTROL, key.ctrl);
                modifiers.set(KeyModifiers::ALT, key.alt);
                modifiers.set(KeyModifiers::SHIFT, key.shift);
                let event = crossterm::event::KeyEvent::new(code, modifiers);
                self.event(Event::Terminal(TerminalEvent::Key(event)));
            }
        }
        self
    }

    pub(crate) fn paste(&mut self, text: &str) -> &mut Self {
        self.event(Event::Terminal(TerminalEvent::Paste(text.to_owned())));
        self
    }

    fn mouse(&mut self, kind: MouseEventKind, x: u16, y: u16) {
        let event = MouseEvent { kind, column: x, row: y, modifiers: KeyModifiers::NONE };
        self.event(Event::Terminal(TerminalEvent::Mouse(event)));
    }

    pub(crate) fn click(&mut self, x: u16, y: u16) -> &mut Self {
        self.mouse(MouseEventKind::Down(MouseButton::Left), x, y);
        self.mouse(MouseEventKind::Up(MouseButton::Left), x, y);
        self
    }

    /// Clicks on the first place that shows a text.
    pub(crate) fn click_on(&mut self, text: &str) -> &mut Self {
        let lines = lines(&self.draw().0);
        let found = lines.iter().enumerate().find_map(|(y, line)| Some((line.find(text)?, y, line)));
        let (at, y, line) = found.unwrap_or_else(|| panic!("no {text} in\n{}", lines.join("\n")));
        let x = line[..at].chars().count();
        self.click(x as u16, y as u16)
    }

    pub(crate) fn drag(&mut self, from: (u16, u16), to: (u16, u16)) -> &mut Self {
        self.mouse(MouseEventKind::Down(MouseButton::Left), from.0, from.1);
        self.mouse(MouseEventKind::Drag(MouseButton::Left), to.0, to.1);
        self.mouse(MouseEventKind::Up(MouseButton::Left), to.0, to.1);
        self
    }

    pub(crate) fn wheel(&mut self, down: bool, x: u16, y: u16) -> &mut Self {
        self.mouse(if down { MouseEventKind::ScrollDown } else { MouseEventKind::ScrollUp }, x, y);
        self
    }

    pub(crate) fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        self.size = Size { width, height };
        self.event(Event::Terminal(TerminalEvent::Resize(width, height)));
        self
    }

    pub(crate) fn pass(&mut self, time: Duration) -> &mut Self {
        self.app.now += time;
        self.event(Event::Tick);
        self
    }

    pub(crate) fn draw(&self) -> (Buffer, Option<Position>) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.width, self.size.height));
        let cursor = self.app.draw(&mut buffer);
        (buffer, cursor)
    }

    /// The screen as lines of text.
    pub(crate) fn text(&self) -> String {
        let (buffer, _) = self.draw();
        lines(&buffer).join("\n")
    }

    /// Asserts that `text` shows.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> &mut Self {
        let seen = self.text();
        assert!(seen.contains(text), "{text:?} does not show:\n{seen}");
        self
    }
}

pub(crate) fn lines(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let line = |y| {
        let mut line = String::new();
        let mut x = 0;
        while x < area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += (unicode_width::UnicodeWidthStr::width(symbol) as u16).max(1);
        }
        line.trim_end().to_owned()
    };
    (0..area.height).map(line).collect()
}

/// Visible style of a cell. A blank one shows only its background, underline and reversal.
pub(crate) fn look(symbol: &str, style: Style) -> String {
    let blank = symbol.trim().is_empty();
    let seen = style.add_modifier & (Modifier::UNDERLINED | Modifier::REVERSED);
    let fg = style.fg.filter(|_| !blank || !seen.is_empty());
    name(Style { fg, add_modifier: if blank { seen } else { style.add_modifier }, ..style })
}

fn name(style: Style) -> String {
    let mut out = String::new();
    if let Some(fg) = style.fg.filter(|fg| *fg != ratatui::style::Color::Reset) {
        out.push_str(&fg.to_string());
    }
    if let Some(bg) = style.bg.filter(|bg| *bg != ratatui::style::Color::Reset) {
        let _ = write!(out, "/{bg}");
    }
    for (modifier, sign) in [
        (Modifier::BOLD, '*'),
        (Modifier::DIM, '-'),
        (Modifier::ITALIC, '~'),
        (Modifier::UNDERLINED, '_'),
        (Modifier::REVERSED, '!'),
    ] {
        if style.add_modifier.contains(modifier) {
            out.push(sign);
        }
    }
    out
}
