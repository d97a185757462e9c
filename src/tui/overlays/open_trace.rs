//! Opens a file with a stack trace: a line at the bottom of the screen that takes its path.

use std::io::Read;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Layer, Reply, Scene};
use crate::model::Tone;
use crate::model::text::utf8;
use crate::tui::action::Action;
use crate::tui::app::{App, Effect};
use crate::tui::jobs::Job;
use crate::tui::key::Key;
use crate::tui::theme::Role;
use crate::tui::widgets::input::Input;
use crate::tui::widgets::text::put;

/// The largest file that is read.
const LARGEST: u64 = 16 << 20;

/// Asks for the path of a file with a stack trace.
#[derive(Default)]
pub struct OpenTrace {
    input: Input,
}

/// Reads the file at `path`, and shows it.
fn open(path: String) -> Job {
    Job {
        what: format!("reading {path}"),
        slot: "open trace",
        work: Box::new(move |_| {
            let mut bytes = Vec::new();
            let file = std::fs::File::open(path.trim());
            let read = file.and_then(|file| file.take(LARGEST).read_to_end(&mut bytes));
            Box::new(move |app: &mut App| {
                match read {
                    Ok(_) => app.show_trace(&utf8(&bytes)),
                    Err(error) => app.say(Tone::Bad, format!("{path}: {error}")),
                }
                Vec::new()
            })
        }),
    }
}

impl Layer for OpenTrace {
    fn act(&mut self, action: Action, _: Option<usize>, _: &Scene<'_>) -> Reply {
        match action {
            Action::Accept => Reply::Close(vec![Effect::Start(open(self.input.text().to_owned()))]),
            Action::Cancel | Action::Quit => Reply::Close(Vec::new()),
            Action::Suspend => Reply::Pass,
            _ => Reply::Stay(Vec::new()),
        }
    }

    fn key(&mut self, key: Key, _: &Scene<'_>) -> Vec<Effect> {
        self.input.key(key);
        Vec::new()
    }

    fn paste(&mut self, text: &str, _: &Scene<'_>) -> Vec<Effect> {
        self.input.paste(text);
        Vec::new()
    }

    fn point(&mut self, at: Position, scene: &Scene<'_>) -> Option<bool> {
        (at.y + 1 == scene.screen.bottom()).then_some(false)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let look = &scene.look;
        let y = area.bottom().checked_sub(1)?;
        let line = Rect { y, height: 1, ..area };
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, line, buf);
        buf.set_style(line, look.theme.of(Role::Text).patch(look.theme.of(Role::Bar)));
        let x = put(buf, line.x + 1, y, line.right(), "trace in file: ", look.theme.of(Role::Accent), look.glyphs);
        Some(self.input.draw(buf, x, y, line.right(), look.theme.of(Role::Text), look.glyphs))
    }
}
