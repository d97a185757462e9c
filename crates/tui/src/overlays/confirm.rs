//! A question before something that has consequences outside.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::keymap::PROMPT;
use crate::overlays::{Overlay, OverlayContext, Reply, place, popup};
use crate::state::effect::Effect;
use crate::state::message::Msg;
use crate::ui::text::{put, put_lines, wrap};
use crate::ui::theme::Role;

const WIDTH: u16 = 78;

pub struct Confirm {
    title: String,
    /// The subject, then explanations.
    text: Vec<String>,
    /// The action of Enter, in a word.
    yes: &'static str,
    message: Option<Box<Msg>>,
    /// The action of Esc, in a few words, and its effects.
    no: (&'static str, Vec<Effect>),
}

impl Confirm {
    pub fn new(title: String, text: Vec<String>, yes: &'static str, message: Msg) -> Self {
        Self { title, text, yes, message: Some(Box::new(message)), no: ("cancel", Vec::new()) }
    }

    /// Does something else where the user does not confirm.
    #[must_use]
    pub fn or(self, no: &'static str, effects: Vec<Effect>) -> Self {
        Self { no: (no, effects), ..self }
    }

    fn lines(&self, screen: Rect) -> Vec<(String, Role)> {
        let wide = WIDTH.min(screen.width.saturating_sub(2)).saturating_sub(4).max(1) as usize;
        let mut lines = Vec::new();
        for (index, text) in self.text.iter().enumerate() {
            let role = if index == 0 { Role::Strong } else { Role::Dim };
            if index > 0 {
                lines.push((String::new(), role));
            }
            lines.extend(wrap(text, wide).into_iter().map(|line| (line, role)));
        }
        lines
    }
}

impl Overlay for Confirm {
    fn perform(&mut self, action: Action, _: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Accept => Reply::Close(self.message.take().map(Effect::Update).into_iter().collect()),
            Action::Cancel | Action::Quit => Reply::Close(std::mem::take(&mut self.no.1)),
            _ => Reply::Stay(Vec::new()),
        }
    }

    fn area(&self, screen: Rect) -> Rect {
        place(screen, WIDTH, self.lines(screen).len() as u16 + 4)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let look = &cx.look;
        let inside = popup(buf, self.area(area), &self.title, look);
        if inside.is_empty() {
            return None;
        }
        // The row of the keys must not be cut off.
        let last = inside.bottom() - 1;
        put_lines(buf, Rect { height: inside.height - 1, ..inside }, 0, self.lines(area), look);
        let mut x = inside.x;
        for (action, what) in [(Action::Accept, self.yes), (Action::Cancel, self.no.0)] {
            x = put(buf, x, last, inside.right(), &cx.keys(action, PROMPT), look.theme.of(Role::Strong), look.glyphs)
                + 1;
            x = put(buf, x, last, inside.right(), what, look.theme.of(Role::Dim), look.glyphs) + 3;
        }
        Some(Position::new(inside.x, last))
    }
}
