//! Definitions of tree panes: the rows of a list, and what they lead to, as data.

use crate::nodes::Place;
use crate::nodes::rows::{Cell, Head, Row};
use crate::session::Session;
use crate::tui::core::jobs::CancelToken;
use crate::tui::panes::tree_rows::TreeRows;
use crate::tui::state::effect::Effect;
use crate::tui::state::paths::Paths;
use crate::tui::state::view::ViewDef;

/// What is listed, and how.
pub struct TreeDef {
    /// What the rule says.
    pub name: &'static str,
    /// The columns.
    pub columns: &'static [Head],
    /// Whether rows fold.
    pub folds: bool,
    /// Whether the last column stands at the right edge.
    pub flush: bool,
    /// The rows.
    pub make: fn(&Session, &[ViewDef]) -> Vec<Row>,
    /// Whether making them takes so long that the worker has to.
    pub is_large: fn(&Session) -> bool,
    /// Whether a row that has others in it is closed at first.
    pub starts_closed: fn(&Row) -> bool,
    /// The row that stands for a place which has none: the place of that row.
    pub substitute: fn(&Session, Place) -> Option<Place>,
    /// Where Enter leads from the row of a place; where nowhere, it folds.
    pub on_enter: fn(&Session, Place) -> Option<Effect>,
    /// What is said where there are no rows: why, and what would fill the list.
    pub nothing: fn(&Session) -> String,
    /// The rows made again by the worker, with what takes time.
    pub refinement: Option<Refinement>,
    /// What the worker finds out of each place, a few at a time: it stands in the last cell of its row.
    pub mark: Option<MarkFn>,
}

/// What stands in the last cell of the row of a place.
pub type MarkFn = fn(&Session, &Paths, Place) -> Option<Cell>;

/// What the worker does for a list.
#[derive(Clone, Copy)]
pub struct Refinement {
    /// What it is, for the status line.
    pub what: &'static str,
    /// The slot of the job.
    pub slot: &'static str,
    /// The rows; nothing where it was told to stop.
    pub make: fn(&Session, &Paths, &[ViewDef], &CancelToken) -> Option<Vec<Row>>,
}

impl TreeDef {
    pub(super) fn make_rows(&self, session: &Session, views: &[ViewDef]) -> TreeRows {
        TreeRows::new((self.make)(session, views), self.folds)
    }
}

/// The usual answer of [`Outline::enter`]: to the place itself.
pub fn go_to_place(_: &Session, place: Place) -> Option<Effect> {
    Some(Effect::Go(place.into()))
}

/// The usual answer of [`Outline::stands`].
pub const fn no_substitute(_: &Session, _: Place) -> Option<Place> {
    None
}

/// The usual answer of [`Outline::large`].
pub const fn never_large(_: &Session) -> bool {
    false
}

/// The usual answer of [`Outline::closed`].
pub const fn all_open(_: &Row) -> bool {
    false
}
