//! The app of a page: what it is asked, and what it asks of the page.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pdblens_learn::lesson::progress::Progress;
use pdblens_nodes::document;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::app::{App, Command, Event, link};
use pdblens_tui::engine::Program;
use pdblens_tui::engine::jobs::QueuedJob;
use pdblens_tui::engine::press::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind, Press};
use pdblens_tui::state::message::Msg;
use pdblens_tui::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use serde::{Deserialize, Serialize};

/// A request of the page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Opens files.
    Start(Box<Start>),
    /// A key, by its name in a keyboard event of the page.
    Key { key: String, shift: bool, ctrl: bool, alt: bool },
    /// The mouse: `down`, `up`, `drag`, `wheel-up`, `wheel-down`, `right`; a cell.
    Mouse { kind: String, column: u16, row: u16 },
    /// Text of the clipboard.
    Paste(String),
    /// A link, or a place as it is typed.
    Open(String),
    /// Steps of the history: back where negative.
    History(i32),
    /// A number of columns and rows.
    Resize(u16, u16),
    /// The next job.
    Work,
    /// The time that a reply named has come.
    Tick,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Start {
    files: Vec<PathBuf>,
    /// A link, or a place as it is typed.
    at: Option<String>,
    theme: String,
    columns: u16,
    rows: u16,
    /// Texts that earlier replies gave the page to keep.
    layout: Option<String>,
    progress: Option<String>,
}

/// The answer to a request: what is left to the page.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Turn {
    /// Columns and rows of the frame that follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<(u16, u16)>,
    /// True if a job waits for a turn.
    works: bool,
    /// Milliseconds until a tick is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    tick: Option<u64>,
    /// Text for the clipboard, after a word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    copy: Option<(String, String)>,
    /// The fragment of the address that leads to what is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// Steps that Back can take.
    depth: usize,
    /// Document of the selection with its line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<(String, u32)>,
    /// Texts to keep for the next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<String>,
    /// True if the user has quit.
    ended: bool,
    /// The reason why nothing can be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The app with its jobs.
pub struct Screen {
    app: App,
    buffer: Buffer,
    jobs: VecDeque<QueuedJob<Msg>>,
    reply: Turn,
}

impl Screen {
    /// Opens the files of a request, or the sample.
    pub fn start(start: Start) -> Self {
        let layout = start.layout.and_then(|text| text.parse().ok()).unwrap_or_default();
        let config = Config { state: layout, recents: None, ..Config::default() };
        let progress = start.progress.map_or_else(Progress::default, |text| Progress::parse(&text));
        let theme = config.kept_theme().map_or(start.theme, str::to_owned);
        let theme = config.themed(Theme::named(&theme).unwrap_or_default());
        let options = Options { files: start.files, at: start.at, progress, in_page: true, ..Options::default() };
        let (app, first) = App::new(options, config, theme, Instant::now());
        let size = Size { width: start.columns, height: start.rows };
        let buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
        let mut screen = Self { app, buffer, jobs: VecDeque::new(), reply: Turn::default() };
        screen.app.resize(size);
        screen.carry_out(first);
        screen
    }

    /// Does what a request asks.
    pub fn take(&mut self, request: Request) {
        self.app.set_now(Instant::now());
        let event = match request {
            Request::Start(_) => return,
            Request::Key { key, shift, ctrl, alt } => {
                let Some(code) = code_of(&key, shift) else { return };
                let mut modifiers = KeyModifiers::NONE;
                modifiers.set(KeyModifiers::SHIFT, shift);
                modifiers.set(KeyModifiers::CONTROL, ctrl);
                modifiers.set(KeyModifiers::ALT, alt);
                Event::Terminal(Press::Key(KeyEvent::new(code, modifiers)))
            }
            Request::Mouse { kind, column, row } => {
                let Some(kind) = mouse_of(&kind) else { return };
                Event::Terminal(Press::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
            }
            Request::Paste(text) => Event::Terminal(Press::Paste(text)),
            Request::Open(text) => {
                let commands = link::open(&mut self.app, &text);
                return self.carry_out(commands);
            }
            Request::History(steps) => {
                let commands = link::step_history(&mut self.app, steps);
                return self.carry_out(commands);
            }
            Request::Resize(width, height) => {
                self.buffer = Buffer::empty(Rect::new(0, 0, width, height));
                Event::Terminal(Press::Resize(width, height))
            }
            Request::Work => {
                self.jobs.retain(|job| !job.is_stale());
                let Some(job) = self.jobs.pop_front() else { return };
                Event::Done(job.run())
            }
            Request::Tick => Event::Tick,
        };
        let commands = self.app.update(event);
        self.carry_out(commands);
    }

    fn carry_out(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Quit => self.reply.ended = true,
                Command::Fail(error) => self.reply.error = Some(error.to_string()),
                Command::Copy(what, text) => self.reply.copy = Some((what, text)),
                Command::SaveLayout(text) => self.reply.layout = Some(text),
                Command::SaveProgress(text) => self.reply.progress = Some(text),
                Command::Start(job) => self.jobs.push_back(job),
                Command::Redraw => self.app.set_dirty(true),
                Command::Edit(_) | Command::Suspend | Command::CaptureMouse(_) | Command::SaveRecent(_) => {}
            }
        }
    }

    /// The answer to the last request, with the cells of the frame if something has changed.
    pub fn reply(&mut self) -> (Turn, Vec<u8>) {
        let mut reply = std::mem::take(&mut self.reply);
        self.jobs.retain(|job| !job.is_stale());
        reply.works = !self.jobs.is_empty();
        reply.tick = self.app.deadline().map(|at| {
            let wait = at.saturating_duration_since(Instant::now());
            wait.max(Duration::from_millis(1)).as_millis() as u64
        });
        let mut cells = Vec::new();
        if self.app.is_dirty() {
            self.app.set_dirty(false);
            self.buffer.reset();
            let cursor = self.app.draw(&mut self.buffer);
            cells = crate::frame::cells(&self.buffer, cursor);
            reply.frame = Some((self.buffer.area.width, self.buffer.area.height));
        }
        reply.link = self.app.stage.link().map(|link| link.to_string());
        reply.depth = link::depth(&self.app);
        reply.source = self.source();
        (reply, cells)
    }

    fn source(&self) -> Option<(String, u32)> {
        let selected = self.app.selected()?;
        let name = document::name(self.app.session()?, selected.document?)?;
        Some((name, selected.lines.map_or(1, |lines| lines.start)))
    }
}

/// The key of a terminal that a page names; `None` for those that a terminal has not.
fn code_of(key: &str, shift: bool) -> Option<KeyCode> {
    let mut chars = key.chars();
    if let (Some(one), None) = (chars.next(), chars.next()) {
        return Some(KeyCode::Char(one));
    }
    Some(match key {
        "Backspace" => KeyCode::Backspace,
        "Enter" => KeyCode::Enter,
        "ArrowLeft" => KeyCode::Left,
        "ArrowRight" => KeyCode::Right,
        "ArrowUp" => KeyCode::Up,
        "ArrowDown" => KeyCode::Down,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Tab" if shift => KeyCode::BackTab,
        "Tab" => KeyCode::Tab,
        "Delete" => KeyCode::Delete,
        "Insert" => KeyCode::Insert,
        "Escape" => KeyCode::Esc,
        "F1" => KeyCode::F(1),
        _ => return None,
    })
}

fn mouse_of(kind: &str) -> Option<MouseEventKind> {
    Some(match kind {
        "down" => MouseEventKind::Down(MouseButton::Left),
        "right" => MouseEventKind::Down(MouseButton::Right),
        "up" => MouseEventKind::Up(MouseButton::Left),
        "drag" => MouseEventKind::Drag(MouseButton::Left),
        "wheel-up" => MouseEventKind::ScrollUp,
        "wheel-down" => MouseEventKind::ScrollDown,
        _ => return None,
    })
}
