//! Effects: what panes and overlays ask of the app.

use std::sync::Arc;

use crate::engine::action::Action;
use crate::engine::event;
use crate::state::message::{Job, Msg};
use crate::state::overlay::Overlay;
use crate::state::selection::Selection;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::Session;

/// A command to the event loop.
pub type Command = event::Command<Msg>;

/// An event of the event loop.
pub type Event = event::Event<Msg>;

/// Something that a pane, an overlay or the app itself wants to happen.
pub enum Effect {
    /// A command to the world outside.
    Command(Command),
    /// Opens an overlay on top of the others.
    Open(Box<dyn Overlay>),
    Start(Job),
    /// Continues a job that works in time slices.
    Continue(Job),
    Dispatch(Action),
    /// Shows a place, and adds the present one to the history.
    Go(Selection),
    /// Shows a selection in the panes of the view, without a step in the history.
    Show(Selection),
    /// Shows a place of another pair of files.
    Visit(Arc<Session>, Selection),
    /// Shows a message in the status line for a while.
    SetStatus(Tone, String),
    /// Takes the text of the search line.
    Search(SearchInput),
    /// Handles a message at once.
    Update(Box<Msg>),
}

impl Effect {
    /// Lets the panes take new results.
    pub(crate) fn refresh() -> Self {
        Self::Update(Box::new(Msg::PaneReady))
    }

    /// Shows a message in the status line for a while.
    pub(crate) fn status(tone: Tone, text: impl Into<String>) -> Self {
        Self::SetStatus(tone, text.into())
    }
}

impl From<Command> for Effect {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

/// An edit of the search line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchInput {
    /// The text was edited.
    Changed(String),
    /// The text was confirmed.
    Accepted(String),
    /// The line was closed without a result.
    Cancelled,
}
