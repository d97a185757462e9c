//! Definitions of tree panes: their rows and links as data.

use crate::engine::jobs::CancelToken;
use crate::panes::tree_rows::TreeRows;
use crate::state::effect::Effect;
use crate::state::paths::Paths;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Head, Row};
use pdblens_session::session::Session;

pub struct TreeDef {
    pub name: &'static str,
    pub columns: &'static [Head],
    /// Names of the columns in exports and filters, where the pane draws no headings.
    pub exported: &'static [Head],
    pub flush: bool,
    pub rows: fn(&Session) -> Vec<Row>,
    /// Cells of a row after those that it has, made when it is looked at: of thousands of rows they would take most of the memory.
    pub more: fn(&Session, &Row) -> Vec<Cell>,
    /// True if the rows are built by a job.
    pub is_large: fn(&Session) -> bool,
    /// True if a row with children is collapsed at first.
    pub starts_closed: fn(&Row) -> bool,
    /// The place whose row stands for a place that has none.
    pub substitute: fn(&Session, Place) -> Option<Place>,
    /// The effect of Enter; `None` toggles the row.
    pub on_enter: fn(&Session, Place) -> Option<Effect>,
    /// The effect of Enter on a row without a place, by its index; `None` toggles the row.
    pub on_heading: fn(&Session, &[Row], usize) -> Option<Effect>,
    pub empty_text: fn(&Session) -> String,
    /// A second version of the rows, with what takes time.
    pub refinement: Option<Refinement>,
    /// Width below which only the first columns show, and their number.
    pub narrow: (u16, usize),
    /// The column of numbers that rows can be sorted by among their siblings.
    pub sort: Option<usize>,
}

/// Makes the better rows; `None` where the job was cancelled.
pub type RefineFn = fn(&Session, &Paths, &CancelToken) -> Option<Vec<Row>>;

#[derive(Clone, Copy)]
pub struct Refinement {
    /// Description in the status line.
    pub label: &'static str,
    pub slot: &'static str,
    pub rows: RefineFn,
}

impl TreeDef {
    /// A short list of links.
    pub(super) const USUAL: Self = Self {
        name: "",
        columns: &[Head::text(""), Head::text("")],
        exported: &[],
        flush: false,
        rows: |_| Vec::new(),
        more: |_, _| Vec::new(),
        is_large: |_| false,
        starts_closed: |_| false,
        substitute: |_, _| None,
        on_enter: |_, place| Some(Effect::Go(place.into())),
        on_heading: |_, _, _| None,
        empty_text: |_| String::new(),
        refinement: None,
        narrow: (0, 0),
        sort: None,
    };

    /// A row with all of its cells.
    pub(super) fn whole(&self, session: &Session, row: &Row) -> Row {
        let mut whole = row.clone();
        whole.cells.extend((self.more)(session, row));
        whole
    }

    pub(super) fn make_rows(&self, session: &Session) -> TreeRows {
        TreeRows::new((self.rows)(session), self.columns.len(), &|row| self.whole(session, row))
    }
}
