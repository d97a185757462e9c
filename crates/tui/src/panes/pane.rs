//! The interface of a pane.
//!
//! Panes do not know each other. A pane has a [`Selection`]; the app passes it to the other panes of the view, and each shows
//! the same thing in its own way. The panes that exist are listed in the registry of the app.

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::engine::editor::SourceLine;
use crate::engine::key::Key;
use crate::engine::keymap::Keymap;
use crate::state::comparison::Comparison;
use crate::state::effect::Effect;
use crate::state::lessons::Lessons;
use crate::state::message::Job;
use crate::state::paths::Paths;
use crate::state::selection::{Selection, SelectionContext, Taught};
use crate::state::texts::Texts;
use crate::state::view::{PaneId, ViewDef};
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::{ContentSize, PlacedPane, Slot};
use crate::ui::list_filter::{ListFilter, RowSource};
use crate::ui::theme::Look;
use pdblens_learn::glossary::Term;
use pdblens_learn::{Link, Steps};
use pdblens_nodes::Place;
use pdblens_nodes::rows::Rows;
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

/// A part of a view, with a title, a selection and actions of its own.
pub trait Pane {
    fn title(&self, cx: &Context<'_>) -> Title;
    /// Performs an action, `count` times; `None` leaves it to the app.
    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>>;
    /// Shows the selection of another pane: `cx.selected`.
    fn show_selection(&mut self, cx: &Context<'_>);
    /// Takes the size of the body, so that drawing changes nothing.
    fn resize(&mut self, size: Size, cx: &Context<'_>);

    fn facts(&self, _cx: &Context<'_>) -> Facts {
        Facts::default()
    }

    /// Draws the pane; returns the position of the cursor.
    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position>;
    /// The selection that the cursor makes.
    fn selection(&self, cx: &Context<'_>) -> Option<Selection>;
    /// Selects what is drawn at a position; false where there is nothing.
    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool;

    /// Scrolls without moving the cursor.
    fn scroll_by(&mut self, rows: usize, down: bool) {
        if let Some(list) = self.ability_mut().list() {
            list.grid_mut().scroll.scroll_by(rows, down);
        }
    }
    fn ability(&self) -> AbilityRef<'_> {
        Ability::Plain
    }

    fn ability_mut(&mut self) -> AbilityMut<'_> {
        Ability::Plain
    }

    /// A job that the pane needs; asked for after every event while the pane is visible.
    fn background_job(&mut self, _session: &Arc<Session>) -> Option<Job> {
        None
    }

    /// The text that an action copies; `None` leaves it to the app.
    fn copied_text(&self, _action: Action, _cx: &Context<'_>) -> Option<String> {
        None
    }
}

/// Abilities that only some panes have.
pub enum Ability<L, P> {
    Plain,
    List(L),
    Player(P),
}

pub type AbilityRef<'a> = Ability<&'a dyn List, &'a dyn Player>;
pub type AbilityMut<'a> = Ability<&'a mut dyn List, &'a mut dyn Player>;

/// Gives a pane an [`Ability`] that it has itself: both methods of [`Pane`].
macro_rules! ability {
    ($kind:ident) => {
        fn ability(&self) -> $crate::panes::pane::AbilityRef<'_> {
            $crate::panes::pane::Ability::$kind(self)
        }

        fn ability_mut(&mut self) -> $crate::panes::pane::AbilityMut<'_> {
            $crate::panes::pane::Ability::$kind(self)
        }
    };
}

/// Gives a [`List`] its grid: both methods that lead to it.
macro_rules! grid {
    ($($field:ident).+) => {
        fn grid(&self) -> &$crate::ui::grid::Grid {
            &self.$($field).+
        }

        fn grid_mut(&mut self) -> &mut $crate::ui::grid::Grid {
            &mut self.$($field).+
        }
    };
}

pub(crate) use {ability, grid};

impl<L, P> Ability<L, P> {
    pub fn list(self) -> Option<L> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    pub fn player(self) -> Option<P> {
        if let Self::Player(player) = self { Some(player) } else { None }
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
    /// The place that a list is about, where its rows are others.
    pub subject: Option<Place>,
    /// True where sources can be fetched without one being selected.
    pub fetches: bool,
}

/// Abilities of the player alone: it teaches, asks, and takes typed text.
pub trait Player {
    /// Returns true while the other panes of the view show nothing of what the player does: with the focus it then takes their room.
    fn is_alone(&self) -> bool;
    /// The action of the click that was handled last, once.
    fn take_clicked(&mut self) -> Option<Action>;
    /// Returns false for an action that does nothing here: the key hints leave it out.
    fn offers(&self, action: Action) -> bool;
    /// Name of an action in the key hints, where the state of the player gives it another one.
    fn hint(&self, action: Action) -> Option<&'static str>;
    /// Returns true while the player hides values that its reader is to find.
    fn hides_answers(&self) -> bool;
    fn play(&mut self, cx: &Context<'_>);
    /// Shows steps that are not those of a record: an answer, look-up by look-up.
    fn play_steps(&mut self, steps: Steps);
    /// Restores the view when its digit is pressed; a second press leaves it. `again` tells that the view was on the screen.
    fn resume(&mut self, again: bool, cx: &Context<'_>);
    /// Terms of the glossary that the player uses, in their order.
    fn terms(&self) -> Vec<&'static Term>;
    /// Begins the lesson that is taken again, after its progress was forgotten.
    fn restart(&mut self, cx: &Context<'_>);
    /// Returns true while keys are text: only the bindings of prompts hold then, and [`Self::key`] takes the rest.
    fn takes_text(&self) -> bool;
    /// Meaning of the keys of prompts while the player takes text; empty where an answer is typed.
    fn typing_hints(&self) -> &'static [(Action, &'static str)];
    /// Handles a key without an action, while the player takes text.
    fn key(&mut self, key: Key, cx: &Context<'_>) -> Vec<Effect>;
    /// Record that the player teaches, where it is not the selection.
    fn taught(&self) -> Option<Taught>;
    /// Link to the read or page that is shown; `None` where the selection is all there is.
    fn link(&self, cx: &Context<'_>) -> Option<Link>;
    /// Selects the read of a link, whose record or bytes are shown.
    fn select_step(&mut self, link: &Link);
}

pub trait List {
    fn grid(&self) -> &Grid;
    fn grid_mut(&mut self) -> &mut Grid;
    /// The rows as the pane draws them; `None` where it draws none, or draws them without the grid.
    fn drawn<'c>(&'c self, _cx: &Context<'c>) -> Option<Rows<'c>> {
        None
    }
    /// All rows, for a worker; `None` where they cannot be searched yet.
    fn row_source(&self, cx: &Context<'_>) -> Option<RowSource>;

    fn list_filter(&self) -> &ListFilter {
        &self.grid().list_filter
    }

    fn list_filter_mut(&mut self) -> &mut ListFilter {
        &mut self.grid_mut().list_filter
    }

    fn cursor_row(&self) -> Option<usize> {
        self.grid().row()
    }

    /// Moves the cursor to a row or the nearest visible one; what it expands is collapsed again, unless
    /// [`Self::keep_position`] follows.
    fn reveal(&mut self, row: usize) {
        self.grid_mut().reveal(row);
    }

    /// Keeps what was expanded for the cursor.
    fn keep_position(&mut self) {}

    /// Shows the rows that match the filter; `another` tells whether the filter has changed.
    fn apply_filter(&mut self, _another: bool, cx: &Context<'_>) {
        let rows = self.row_source(cx).and_then(|source| Some(source(cx.session)?.len)).unwrap_or(0);
        let Grid { scroll, list_filter, .. } = self.grid_mut();
        list_filter.apply_filter(scroll, rows);
    }

    /// Returns whether a row is visible or can be made so.
    fn can_show(&self, row: usize) -> bool {
        self.list_filter().remaining().is_none_or(|left| left.binary_search(&row).is_ok())
    }

    /// The reason why there is no row source.
    fn unavailable_reason(&self, _cx: &Context<'_>) -> String {
        "nothing to search yet".to_owned()
    }

    fn can_filter(&self) -> bool {
        true
    }
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
