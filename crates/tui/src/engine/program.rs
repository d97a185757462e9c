//! The app as the event loop of a terminal and a page know it.

use std::io;
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

use crate::engine::event::{Command, Event};
use pdblens_nodes::rows::Tone;
use pdblens_session::session::OpenError;

/// The reason why the screens ended with an error.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// Nothing could be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The theme of the command line, and those that there are.
    #[error("there is no theme `{0}` · tip: the themes are {1}")]
    Theme(String, String),
    /// The terminal failed.
    #[error("the terminal: {0}")]
    Terminal(#[from] io::Error),
}

pub trait Program {
    type Message: Send + 'static;

    /// Returns what is to be done outside.
    fn update(&mut self, event: Event<Self::Message>) -> Vec<Command<Self::Message>>;
    /// Returns the position of the cursor.
    fn draw(&self, buf: &mut Buffer) -> Option<Position>;
    fn resize(&mut self, size: Size);
    fn set_now(&mut self, now: Instant);
    /// The next time at which something changes without an event.
    fn deadline(&self) -> Option<Instant>;
    /// Returns whether something has changed since the last frame.
    fn is_dirty(&self) -> bool;
    fn set_dirty(&mut self, dirty: bool);
    /// Returns whether the files are open, so that the first frame is complete.
    fn is_loaded(&self) -> bool;
    fn set_status(&mut self, tone: Tone, text: String);
    /// Takes the background of the terminal, as soon as it is known.
    fn set_background(&mut self, light: bool);
}
