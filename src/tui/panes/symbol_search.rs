//! The search for symbols, as empty panes report it.

use crate::nodes::rows::Tone;
use crate::tui::core::action::Action;
use crate::tui::panes::pane::Context;
use crate::tui::ui::empty_state::EmptyState;

/// Places that are listed of a search.
pub(super) const MAX_PLACES: usize = 12;

/// Adds what helps where there are no symbols: the key, and the places that were searched.
pub(super) fn with_symbol_search(state: EmptyState, cx: &Context<'_>) -> EmptyState {
    if cx.session.symbol_file().is_some() {
        return state;
    }
    let mut state = state.keys(Action::Symbols, "set symbol path: a folder, a store or a server that has the PDB");
    if !cx.paths.looked.is_empty() {
        state = state.heading("looked for");
    }
    for looked in cx.paths.looked.iter().take(MAX_PLACES) {
        state = state.pair(&looked.place, &looked.outcome.to_string(), Tone::Dim);
    }
    state
}
