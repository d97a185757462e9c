//! Effects: what panes and overlays ask of the app.

use std::sync::Arc;

use crate::engine::action::Action;
use crate::engine::event;
use crate::state::message::{Job, Msg};
use crate::state::overlay::Overlay;
use crate::state::selection::Selection;
use crate::ui::layout::Slot;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::Session;

pub type Command = event::Command<Msg>;
pub type Event = event::Event<Msg>;

pub enum Effect {
    Command(Command),
    Open(Box<dyn Overlay>),
    Start(Job),
    Dispatch(Action),
    /// Shows a place, and adds the present one to the history.
    Go(Selection),
    /// Shows a selection in the panes of the view, without a step in the history.
    Show(Selection),
    Focus(Slot),
    Visit(Arc<Session>, Selection),
    SetStatus(Tone, String),
    Search(SearchInput),
    Update(Box<Msg>),
}

impl Effect {
    /// Lets the panes take new results.
    pub(crate) fn refresh() -> Self {
        Self::Update(Box::new(Msg::PaneReady))
    }

    /// Copies what an action names.
    pub(crate) fn copy(action: Action, text: String) -> Self {
        Command::Copy(action.def().map_or("", |def| def.short).to_owned(), text).into()
    }

    /// The text that is copied.
    pub(crate) fn copied(self) -> Option<String> {
        if let Self::Command(Command::Copy(_, text)) = self { Some(text) } else { None }
    }

    pub(crate) fn status(tone: Tone, text: impl Into<String>) -> Self {
        Self::SetStatus(tone, text.into())
    }
}

impl From<Command> for Effect {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchInput {
    Changed(String),
    Accepted(String),
    /// The line was closed without a result.
    Cancelled,
}
