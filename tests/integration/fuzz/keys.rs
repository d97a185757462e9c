//! The screens, fed with what a terminal may report: keys, mouse, sizes and pastes, decoded from arbitrary bytes.

use crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use pdblens::tui::Options;
use pdblens::tui::app::config::Config;
use pdblens::tui::app::{App, Command, Event};
use pdblens::tui::engine::Program;
use pdblens::tui::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use std::time::{Duration, Instant};

use crate::support::samples::repository;

const CODES: [KeyCode; 15] = [
    KeyCode::Enter,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::BackTab,
    KeyCode::Backspace,
    KeyCode::Delete,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::F(1),
];
const BUTTONS: [MouseEventKind; 6] = [
    MouseEventKind::Down(MouseButton::Left),
    MouseEventKind::Up(MouseButton::Left),
    MouseEventKind::Drag(MouseButton::Left),
    MouseEventKind::Down(MouseButton::Right),
    MouseEventKind::ScrollDown,
    MouseEventKind::ScrollUp,
];

/// The event that begins at a byte: letters are themselves, control codes are Ctrl with a letter, and the other half of the bytes are special
/// keys, mouse, sizes, time and pastes, which take the bytes after them.
fn event(first: u8, rest: &mut impl Iterator<Item = u8>) -> TerminalEvent {
    let mut next = || rest.next().unwrap_or_default();
    let key = |code, modifiers| TerminalEvent::Key(KeyEvent::new(code, modifiers));
    match first {
        0x20..0x7f => key(KeyCode::Char(first.into()), KeyModifiers::NONE),
        0..0x20 => key(KeyCode::Char((first | 0x60).into()), KeyModifiers::CONTROL),
        0x7f..0xc0 => key(CODES[usize::from(first) % CODES.len()], KeyModifiers::from_bits_truncate((first >> 5) & 1)),
        0xc0..0xe0 => {
            let kind = BUTTONS[usize::from(first) % BUTTONS.len()];
            let (column, row) = (next().into(), next().into());
            TerminalEvent::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
        }
        0xe0..0xf0 => TerminalEvent::Resize(next().into(), next().into()),
        0xf0.. => {
            let text: Vec<u8> = (0..first & 0xf).map(|_| next()).collect();
            TerminalEvent::Paste(String::from_utf8_lossy(&text).into_owned())
        }
    }
}

/// Carries commands out until the files are open. Later jobs are dropped: some would write files or ask servers.
fn open(app: &mut App, commands: Vec<Command>) {
    for command in commands {
        if let Command::Start(job) = command {
            let more = app.update(Event::Done(job.run()));
            open(app, more);
        }
    }
}

pub fn keys(data: &[u8]) {
    let options = Options { files: vec![repository("assets/samples/ticker/Ticker.dll")], ..Options::default() };
    let (mut app, commands) = App::new(options, Config::default(), Theme::named("dark").unwrap(), Instant::now());
    let mut size = Size { width: 80, height: 24 };
    app.resize(size);
    open(&mut app, commands);
    let mut bytes = data.iter().copied();
    while let Some(first) = bytes.next() {
        let event = event(first, &mut bytes);
        if let TerminalEvent::Resize(width, height) = event {
            size = Size { width, height };
        }
        let commands = app.update(Event::Terminal(event));
        if commands.iter().any(|command| matches!(command, Command::Quit)) {
            return;
        }
        app.now += Duration::from_millis(first.into());
        app.update(Event::Tick);
        let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
        let cursor = app.draw(&mut buffer);
        assert!(cursor.is_none_or(|at| buffer.area.contains(at)), "the cursor is at {cursor:?}");
    }
}
