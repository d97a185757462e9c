//! Steps of the history.

use std::sync::Arc;

use crate::state::selection::Selection;
use crate::state::view::View;
use crate::ui::layout::Slot;
use pdblens_session::session::Session;

/// The state that Back and Forward return to.
#[derive(Clone, Debug)]
pub(super) struct HistoryEntry {
    pub(super) session: Arc<Session>,
    pub(super) view: View,
    pub(super) focus: Slot,
    pub(super) selection: Selection,
}

impl HistoryEntry {
    /// True for an entry that differs in the focus at most.
    pub(super) fn is_same_step(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && (self.view, self.selection) == (other.view, other.selection)
    }
}

impl PartialEq for HistoryEntry {
    fn eq(&self, other: &Self) -> bool {
        let place = |entry: &Self| (entry.view, entry.focus, entry.selection);
        Arc::ptr_eq(&self.session, &other.session) && place(self) == place(other)
    }
}
