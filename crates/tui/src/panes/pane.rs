//! The interface of a pane.
//!
//! Panes do not know each other. A pane has a [`Selection`]; the app passes it to the other panes of the view, and each shows
//! the same thing in its own way. The panes that exist are listed in the registry of the app.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::engine::editor::SourceLine;
use crate::engine::keymap::Keymap;
use crate::state::comparison::Comparison;
use crate::state::effect::Effect;
use crate::state::lessons::Lessons;
use crate::state::message::Job;
use crate::state::paths::Paths;
use crate::state::selection::{Selection, SelectionContext};
use crate::state::texts::Texts;
use crate::state::view::{PaneId, ViewDef};
use crate::ui::frame::Title;
use crate::ui::layout::{ContentSize, PlacedPane, Slot};
use crate::ui::theme::Look;
use pdblens_nodes::Place;
use pdblens_session::session::Session;

#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub session: &'a Session,
    pub view: &'static ViewDef,
    pub views: &'static [ViewDef],
    pub look: Look<'a>,
    pub selected: &'a SelectionContext,
    pub texts: &'a Texts,
    pub paths: &'a Arc<Paths>,
    pub lessons: &'a Lessons,
    pub compared: Option<&'a Arc<Comparison>>,
    /// Another open build of the shown files.
    pub other_build: Option<&'a Arc<Session>>,
    /// True if the pane takes the whole screen.
    pub zoomed: bool,
    /// The panes that have room on the screen.
    pub placed: &'a [PlacedPane],
    pub keymap: &'a Keymap,
    /// The text that [`Action::PasteTrace`] pastes.
    pub pasted: Option<&'a str>,
}

impl Context<'_> {
    pub fn is_placed(&self, slot: Slot) -> bool {
        self.placed.iter().any(|placed| placed.slot == slot)
    }

    /// The keys of an action as text; its name in the palette where it has none.
    pub fn keys(&self, action: Action) -> String {
        let shown = |action| Some(self.keymap.keys_of(action, "")?.display(self.look.glyphs.ascii));
        shown(action).unwrap_or_else(|| {
            let name = action.def().map_or("", |def| def.name);
            format!("{} {name}", shown(Action::Palette).unwrap_or_default()).trim().to_owned()
        })
    }
}

/// Input of the user for a pane.
#[derive(Clone, Copy, Debug)]
pub enum PaneInput {
    Do(Action),
    /// Selects what is drawn at a position of the area; a pane that has nothing there answers `None`.
    Click(Position, Rect),
    /// Scrolls by rows, down or up, without moving the cursor.
    Wheel(usize, bool),
    /// The size of the body, so that drawing changes nothing.
    Resize(Size),
}

/// A part of a view, with a title, a selection and actions of its own.
pub trait Pane: Any {
    fn title(&self, cx: &Context<'_>) -> Title;
    /// Does what the user wants; `None` leaves it to the app.
    fn take(&mut self, input: PaneInput, cx: &Context<'_>) -> Option<Vec<Effect>>;
    /// Shows the selection of another pane: `cx.selected`.
    fn show_selection(&mut self, cx: &Context<'_>);

    fn facts(&self, _cx: &Context<'_>) -> Facts {
        Facts::default()
    }

    /// Draws the pane; returns the position of the cursor.
    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position>;
    /// The selection that the cursor makes.
    fn selection(&self, cx: &Context<'_>) -> Option<Selection>;

    /// A job that the pane needs; asked for after every event while the pane is visible.
    fn job(&mut self, _session: &Arc<Session>) -> Option<Job> {
        None
    }
}

/// Facts about a pane that the app asks for after every event, and when it draws.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The size of all rows, for panes that take no more than they need.
    pub content_size: ContentSize,
    /// Panes of the view that have nothing to show beside this one, which is its first.
    pub hides: &'static [PaneId],
    /// The document whose text is shown, and its visible lines: they are highlighted first.
    pub source_window: Option<(u32, Range<usize>)>,
    /// The line of a file that the row of the cursor is about, where the selection does not tell.
    pub source_line: Option<SourceLine>,
    /// Name of a row in the key hints, where the state of the pane gives it another one.
    pub item: Option<&'static str>,
    pub sorts: bool,
    /// Texts of a card above all panes of the view: its answer, which has one line, and others, which wrap.
    pub card: Vec<String>,
    /// The place that a list is about, where its rows are others.
    pub subject: Option<Place>,
    /// True where sources can be fetched without one being selected.
    pub fetches: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct PaneDef {
    pub id: PaneId,
    /// Name in the configuration, and scope of its keys.
    pub name: &'static str,
    /// Name of a row in the key hints: `point`.
    pub item: &'static str,
    /// True if the pane takes the focus when that place is shown.
    pub owns: fn(Place) -> bool,
    pub new: fn() -> Box<dyn Pane>,
}
