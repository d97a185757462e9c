//! Messages between the event loop and the program.

use crate::engine::press::Press as TerminalEvent;

use crate::engine::editor::SourceLine;
use crate::engine::jobs::{FinishedJob, QueuedJob};
use pdblens_session::session::OpenError;

pub enum Event<M> {
    Terminal(TerminalEvent),
    Done(FinishedJob<M>),
    /// The program continues after a suspension.
    Resumed,
    /// The deadline of the program has passed.
    Tick,
    /// The terminal was closed or a signal ends the program: it has commands only for what it keeps.
    Ending,
}

pub enum Command<M> {
    Quit,
    /// Ends the program with an error: there is nothing to show.
    Fail(OpenError),
    /// Stops the program until the shell continues it.
    Suspend,
    Redraw,
    CaptureMouse(bool),
    /// Copies a text to the clipboard: its description, and the text.
    Copy(String, String),
    Edit(SourceLine),
    SaveLayout(String),
    SaveRecent(String),
    SaveProgress(String),
    Start(QueuedJob<M>),
}
