//! Find in the focused pane: a line at the bottom of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Layer, Reply, Scene};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::key::Key;
use crate::tui::theme::Role;
use crate::tui::widgets::input::Input;
use crate::tui::widgets::text::put;

/// Find in the focused pane.
#[derive(Default)]
pub struct Search {
    input: Input,
}

impl Layer for Search {
    fn act(&mut self, action: Action, _: Option<usize>, _: &Scene<'_>) -> Reply {
        match action {
            Action::Accept => Reply::Close(vec![Effect::Find(self.input.text().to_owned())]),
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
        let x = put(buf, line.x + 1, y, line.right(), "/", look.theme.of(Role::Accent), look.glyphs);
        Some(self.input.draw(buf, x, y, line.right(), look.theme.of(Role::Text), look.glyphs))
    }
}
