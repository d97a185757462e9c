//! Messages between the event loop and the program.

use crossterm::event::Event as TerminalEvent;

use crate::engine::editor::SourceLine;
use crate::engine::jobs::{FinishedJob, QueuedJob};
use pdblens_session::session::OpenError;

/// Something that happened outside of the program.
pub enum Event<M> {
    /// A key, the mouse, a paste or a new size.
    Terminal(TerminalEvent),
    Done(FinishedJob<M>),
    /// The program continues after a suspension.
    Resumed,
    /// The deadline of the program has passed.
    Tick,
}

/// Something that the program asks of the world outside.
pub enum Command<M> {
    /// Ends the program.
    Quit,
    /// Ends the program with an error: there is nothing to show.
    Fail(OpenError),
    /// Stops the program until the shell continues it.
    Suspend,
    /// Draws the whole screen anew.
    Redraw,
    /// Captures the mouse, or releases it.
    CaptureMouse(bool),
    /// Copies a text to the clipboard: its description, and the text.
    Copy(String, String),
    /// Opens a line of a file in the user's editor.
    Edit(SourceLine),
    /// Writes the layout file.
    SaveLayout(String),
    /// Writes the list of recent files.
    SaveRecent(String),
    /// Writes the file with the learner's progress.
    SaveProgress(String),
    /// Sends a job to the workers.
    Start(QueuedJob<M>),
}
