//! The app as the program that the event loop runs.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

use super::{App, FALLBACK_THEME};
use crate::engine::event_loop::Program;
use crate::state::effect::{Command, Event};
use crate::state::message::Msg;
use pdblens_nodes::rows::Tone;

impl Program for App {
    type Message = Msg;

    fn update(&mut self, event: Event) -> Vec<Command> {
        self.update(event)
    }

    fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        self.draw(buf)
    }

    fn resize(&mut self, size: Size) {
        self.resize(size);
    }

    fn set_now(&mut self, now: Instant) {
        self.now = now;
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline()
    }

    fn is_dirty(&self) -> bool {
        self.dirty
    }

    fn set_dirty(&mut self, dirty: bool) {
        self.dirty = dirty;
    }

    fn is_loaded(&self) -> bool {
        self.session.is_some()
    }

    fn set_status(&mut self, tone: Tone, text: String) {
        self.set_status(tone, text);
    }

    fn set_background(&mut self, light: bool) {
        // The user may have chosen a theme before.
        if self.theme.name == FALLBACK_THEME {
            self.theme = self.theme.changed_to(if light { "light" } else { "dark" });
            self.dirty = true;
        }
    }
}
