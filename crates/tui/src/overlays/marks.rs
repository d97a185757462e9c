//! The prompts for a letter: to mark the selection, and to go back to what was marked.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::overlays::{Overlay, OverlayContext, Reply, place, popup};
use crate::state::effect::Effect;
use crate::state::message::Msg;
use crate::ui::text::put;
use crate::ui::theme::Role;

pub struct MarkPrompt {
    /// True to set a mark, false to go to one.
    pub sets: bool,
    /// The letters in use, and what they mark.
    pub marks: Vec<(char, String)>,
}

impl Overlay for MarkPrompt {
    fn perform(&mut self, _: Action, _: &OverlayContext<'_>) -> Reply {
        Reply::Close(Vec::new())
    }

    fn key(&mut self, key: Key, _: &OverlayContext<'_>) -> Vec<Effect> {
        let letter = key.typed_char().filter(|c| c.is_alphanumeric());
        let close = Effect::Dispatch(Action::Cancel);
        let message = letter.map(|letter| Effect::Update(Box::new(Msg::Marked(self.sets, letter))));
        std::iter::once(close).chain(message).collect()
    }

    fn area(&self, screen: Rect) -> Rect {
        place(screen, 70, self.marks.len().max(1) as u16 + 2)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let title = if self.sets { "Mark with a letter" } else { "Go to a mark" };
        let inside = popup(buf, self.area(area), title, look);
        if self.marks.is_empty() {
            let text = if self.sets { "any letter or digit" } else { "no marks yet" };
            put(buf, inside.x, inside.y, inside.right(), text, look.theme.of(Role::Mute), look.glyphs);
        }
        for (y, (letter, what)) in (inside.y..inside.bottom()).zip(&self.marks) {
            let x =
                put(buf, inside.x, y, inside.right(), &letter.to_string(), look.theme.of(Role::Strong), look.glyphs);
            put(buf, x + 2, y, inside.right(), what, look.theme.of(Role::Text), look.glyphs);
        }
        Some(inside.as_position())
    }
}
