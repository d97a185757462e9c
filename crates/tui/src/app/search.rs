//! Find and filter in the focused pane: the search runs while the user types, and the cursor follows.

use crate::app::App;
use crate::engine::action::Action;
use crate::overlays::search;
use crate::panes::list_pane::ListPane;
use crate::panes::pane::Context;
use crate::state::effect::{Effect, SearchInput};
use crate::state::message::Msg;
use crate::ui::layout::Slot;
use crate::ui::list_filter::{SearchMode, SearchResults};
use crate::ui::query::Query;
use pdblens_nodes::rows::{Rows, Tone};

#[derive(Debug)]
struct ActiveSearch {
    mode: SearchMode,
    slot: Slot,
    /// The row of the cursor.
    from: Option<usize>,
    previous: Option<SearchResults>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CursorGoal {
    First,
    /// To the next match, or to the previous one.
    Next(bool),
}

#[derive(Debug, Default)]
pub(super) struct Search {
    active: Option<ActiveSearch>,
    pub(super) goal: Option<CursorGoal>,
    last: String,
    pub(super) found: String,
}

impl Search {
    pub(super) const fn has_text(&self) -> bool {
        !self.last.is_empty()
    }
}

const NO_LIST: &str = "this pane cannot be filtered or searched";

/// All rows of a list; `None` where it cannot be searched yet.
fn rows<'s>(list: &ListPane, cx: &Context<'s>) -> Option<Rows<'s>> {
    list.row_source(cx)?(cx.session)
}

impl App {
    fn with_list<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut ListPane, &Context<'_>) -> T) -> Option<T> {
        self.with_pane(slot, |pane, cx| Some(ask(pane.list_mut()?, cx))).flatten()
    }

    pub(super) fn search(&mut self, mode: SearchMode) -> Vec<Effect> {
        let slot = self.navigation.focus();
        let found = self.with_list(slot, |list, cx| {
            let Some(rows) = rows(list, cx) else { return Err(list.unavailable_reason(cx)) };
            let columns: Vec<&str> =
                rows.columns.iter().map(|head| head.name).filter(|name| !name.is_empty()).collect();
            Ok((
                list.drawn(cx).is_some(),
                list.grid().row(),
                list.grid().list_filter.results(mode).cloned(),
                columns.join(", "),
            ))
        });
        match found.unwrap_or_else(|| Err(NO_LIST.to_owned())) {
            Err(why) => self.set_status(Tone::Dim, why),
            Ok((false, ..)) if mode == SearchMode::Filter => {
                self.set_status(Tone::Dim, "this pane cannot be filtered; / finds");
            }
            Ok((_, from, previous, columns)) => {
                let last = match mode {
                    SearchMode::Find => self.search.last.clone(),
                    SearchMode::Filter => {
                        previous.as_ref().map_or_else(String::new, |previous| previous.query.text.clone())
                    }
                };
                self.search.active = Some(ActiveSearch { mode, slot, from, previous });
                (self.search.goal, self.status) = (None, None);
                self.update_search_summary();
                let pane = self.with_pane(slot, |pane, cx| pane.title(cx).name).unwrap_or_default();
                self.open_overlay(search::SearchLine::new(mode, pane, last, columns));
            }
        }
        Vec::new()
    }

    pub(super) fn take_search_input(&mut self, input: SearchInput) {
        let Some(line) = self.search.active.take() else { return };
        match input {
            SearchInput::Changed(text) => {
                self.start_search(&line, &text);
                self.search.active = Some(line);
            }
            SearchInput::Accepted(text) => self.accept_search(&line, &text),
            SearchInput::Cancelled => {
                self.start_search(&line, "");
                self.with_list(line.slot, |list, _| list.keep_position());
            }
        }
        self.update_search_summary();
    }

    /// Starts a search for a text; an empty one restores the previous search.
    fn start_search(&mut self, line: &ActiveSearch, text: &str) {
        let ActiveSearch { mode, from, .. } = *line;
        let nothing = text.trim().is_empty();
        self.search.goal = (mode == SearchMode::Find && !nothing).then_some(CursorGoal::First);
        self.with_list(line.slot, |list, cx| {
            let rows = list.row_source(cx).and_then(|source| Some(source(cx.session)?.columns));
            let query = Query::new(text, &rows.unwrap_or_default());
            let (start, list_filter) = (from.unwrap_or(0), &mut list.grid_mut().list_filter);
            match mode {
                _ if nothing => list_filter.set(mode, line.previous.clone()),
                SearchMode::Find => list_filter.start_find(query, start),
                SearchMode::Filter => {
                    list_filter.filter = Some(SearchResults::new(query, start, list_filter.filter.as_ref()));
                }
            }
            if nothing {
                if mode == SearchMode::Filter {
                    list.apply_filter(true, cx);
                    list.grid_mut().list_filter.restart_find(start);
                }
                if let Some(row) = from {
                    list.reveal(row);
                }
            }
        });
        if nothing {
            self.sync_selection();
        }
    }

    fn accept_search(&mut self, line: &ActiveSearch, text: &str) {
        let slot = line.slot;
        match (line.mode, text.trim().is_empty()) {
            (SearchMode::Find, true) => {
                self.find_again(true);
            }
            (SearchMode::Find, false) => {
                text.trim().clone_into(&mut self.search.last);
                self.report_match(slot);
            }
            (SearchMode::Filter, true) => {
                self.with_list(slot, |list, cx| {
                    list.grid_mut().list_filter.set(SearchMode::Filter, None);
                    list.apply_filter(true, cx);
                    list.grid_mut().list_filter.restart_find(0);
                });
                self.sync_selection();
            }
            (SearchMode::Filter, false) => {}
        }
        self.with_list(slot, |list, _| list.keep_position());
    }

    pub(super) fn find_again(&mut self, forward: bool) {
        let (slot, last_search) = (self.navigation.focus(), self.search.last.clone());
        if last_search.is_empty() {
            return self.set_status(Tone::Dim, "no search yet: / starts one");
        }
        let begun = self.with_list(slot, |list, cx| {
            let Some(rows) = rows(list, cx) else { return Err(list.unavailable_reason(cx)) };
            let query = Query::new(&last_search, &rows.columns);
            if list.grid().list_filter.find.as_ref().is_none_or(|find| find.query != query) {
                let start = list.grid().row().unwrap_or(0);
                list.grid_mut().list_filter.find = None;
                list.grid_mut().list_filter.start_find(query, start);
            }
            Ok(())
        });
        if let Err(why) = begun.unwrap_or_else(|| Err(NO_LIST.to_owned())) {
            return self.set_status(Tone::Dim, why);
        }
        self.search.goal = Some(CursorGoal::Next(forward));
        self.move_to_match();
    }

    pub(super) fn take_search_results(&mut self) {
        if self.search.active.is_some() && self.overlays.is_empty() {
            // A click has closed the search line.
            let text = self.search.active.as_ref().and_then(|line| {
                let pane = self.navigation.pane_in(line.slot).and_then(|pane| self.panes.get(pane as usize))?;
                Some(pane.list()?.grid().list_filter.results(line.mode)?.query.text.clone())
            });
            self.take_search_input(SearchInput::Accepted(text.unwrap_or_default()));
        }
        let shown: Vec<Slot> = self.layout.areas().panes.iter().map(|placed| placed.slot).collect();
        for slot in shown {
            let active = self.search.active.as_ref().filter(|active| active.slot == slot);
            let from = active.and_then(|active| active.from);
            let changed = self.with_list(slot, |list, cx| {
                let [find, filter] = list.grid_mut().list_filter.take_found();
                if filter {
                    let row = from.or_else(|| list.grid().row());
                    let another = list.grid().list_filter.filter.as_ref().is_none_or(SearchResults::is_first);
                    list.apply_filter(another, cx);
                    // The cursor keeps its row, else it moves to the next match.
                    let stays = row.filter(|row| list.grid().list_filter.line(*row).is_some());
                    let next = || list.grid().list_filter.filter.as_ref()?.nearest(row.unwrap_or(0));
                    if let Some(row) = stays.or_else(next) {
                        list.reveal(row);
                    }
                    list.grid_mut().list_filter.restart_find(row.unwrap_or(0));
                }
                find || filter
            });
            if changed == Some(true) {
                self.dirty = true;
                if slot == self.navigation.focus() {
                    self.sync_selection();
                    self.move_to_match();
                    self.update_search_summary();
                }
            }
        }
    }

    /// Carries out the pending move of the cursor, once its target is known.
    fn move_to_match(&mut self) {
        let (Some(goal), slot) = (self.search.goal, self.navigation.focus()) else { return };
        let from = self.search.active.as_ref().and_then(|line| line.from);
        // `Some(true)` after a move, `Some(false)` without a match, `None` while the search runs.
        let reached = self.with_list(slot, |list, _| {
            let find = list.grid().list_filter.find.clone()?;
            let mut at = from.or_else(|| list.grid().row()).unwrap_or(0);
            if goal == CursorGoal::First && find.contains(at) && list.can_show(at) {
                list.reveal(at);
                return Some(true);
            }
            // Rows that the filter hides are skipped.
            for _ in 0..find.rows.len() {
                let to = match goal {
                    CursorGoal::First => find.next(at, true)?,
                    CursorGoal::Next(forward) => find.next(at, forward)?,
                };
                at = to.unwrap_or(at);
                if list.can_show(at) {
                    list.reveal(at);
                    return Some(true);
                }
            }
            if !find.is_complete() {
                return None;
            }
            if let Some(row) = from {
                list.reveal(row);
            }
            Some(false)
        });
        let Some(found) = reached.flatten() else { return };
        self.search.goal = None;
        self.sync_selection();
        if self.search.active.is_none() {
            self.with_list(slot, |list, _| list.keep_position());
            self.report_match(slot);
            if !found {
                self.say_no_match(slot);
            }
        }
    }

    fn report_match(&mut self, slot: Slot) {
        let more = self.glyphs.more;
        let said = self.with_list(slot, |list, _| {
            let find = list.grid().list_filter.find.as_ref()?;
            let none = find.rows.is_empty() && find.is_complete();
            Some((none, format!("{}  {}", find.position_text(list.grid().row(), more), find.query.text)))
        });
        match said.flatten() {
            Some((true, _)) => self.say_no_match(slot),
            Some((false, text)) => self.set_status(Tone::Text, text),
            None => {}
        }
    }

    /// Says which pane was searched in vain, and what searches all of them.
    fn say_no_match(&mut self, slot: Slot) {
        let pane = self.with_pane(slot, |pane, cx| pane.title(cx).name).unwrap_or_default();
        let keys = self.keymap.keys_text(Action::GoTo, self.glyphs.ascii);
        let key = keys.split(' ').next().filter(|key| !key.is_empty());
        let more = key.map_or_else(String::new, |key| format!(" {} {key} searches everything", self.glyphs.dot));
        self.set_status(Tone::Warn, format!("no {} in {pane}{more}", self.search.last));
    }

    /// The text that was just looked for in vain, while that is said.
    pub(super) fn failed_search(&self) -> String {
        let said = self.status.as_ref().map_or("", |status| status.text.as_str());
        let is_told = !self.search.last.is_empty() && said.starts_with(&format!("no {} in ", self.search.last));
        if is_told { self.search.last.clone() } else { String::new() }
    }

    fn update_search_summary(&mut self) {
        let Some(&ActiveSearch { mode, slot, .. }) = self.search.active.as_ref() else { return };
        let more = self.glyphs.more;
        let found = self.with_list(slot, |list, _| {
            let hits = list.grid().list_filter.results(mode)?;
            Some(match mode {
                SearchMode::Find => hits.position_text(list.grid().row(), more),
                SearchMode::Filter => hits.count_text(more),
            })
        });
        // It is the focused pane, and that may not be the one that is looked at.
        let pane = self.with_pane(slot, |pane, cx| pane.title(cx).name).unwrap_or_default();
        // A title may go on with a number of rows.
        let pane = pane.split(" \u{b7} ").next().unwrap_or_default();
        self.search.found = found.flatten().map_or_else(String::new, |found| format!("{found} in {pane}"));
    }

    /// Removes find and filter of the focused pane; false where there were none.
    pub(super) fn clear_search(&mut self) -> bool {
        let slot = self.navigation.focus();
        let done = clear_in(self, slot);
        if done {
            (self.search.goal, self.status) = (None, None);
            self.sync_selection();
        }
        done
    }

    pub(super) fn request_search(&mut self) -> Vec<Effect> {
        let Some(session) = self.files.session().cloned() else { return Vec::new() };
        let shown: Vec<Slot> = self.layout.areas().panes.iter().map(|placed| placed.slot).collect();
        let mut wanted = Vec::new();
        for (slot, mode) in
            shown.into_iter().flat_map(|slot| [SearchMode::Find, SearchMode::Filter].map(|mode| (slot, mode)))
        {
            let busy = self.jobs.is_running(mode.slot());
            let effect = self.with_list(slot, |list, cx| {
                // A scan that was stopped waits until the one in its place has ended.
                let hits =
                    list.grid().list_filter.results(mode).filter(|hits| hits.is_idle() && !(hits.requested && busy))?;
                let job = hits.job(mode, &session, list.row_source(cx)?, Msg::Redraw);
                list.grid_mut().list_filter.mark_requested(mode);
                Some(Effect::Start(job))
            });
            wanted.extend(effect.flatten());
        }
        wanted
    }

    pub(super) fn stop_search(&mut self) {
        for list in self.panes.iter().filter_map(|pane| pane.list()) {
            [SearchMode::Find, SearchMode::Filter]
                .iter()
                .filter_map(|mode| list.grid().list_filter.results(*mode))
                .for_each(SearchResults::stop);
        }
    }

    /// Removes the filter of the focused pane where it hides the selection.
    pub(super) fn reveal_selection(&mut self) {
        let slot = self.navigation.focus();
        let Some(place) = self.navigation.selected().map(|selected| selected.selection.place) else { return };
        let hides = self.with_pane(slot, |pane, cx| {
            let filtered = pane.list().is_some_and(|list| list.grid().list_filter.remaining().is_some());
            filtered && pane.selection(cx).is_none_or(|selection| selection.place != place)
        });
        if hides == Some(true) {
            self.with_list(slot, |list, cx| {
                list.grid_mut().list_filter.filter = None;
                list.apply_filter(true, cx);
                list.grid_mut().list_filter.restart_find(0);
            });
            self.with_pane(slot, |pane, cx| pane.show_selection(cx));
        }
    }

    pub(super) fn no_match_text(list: &ListPane) -> Option<String> {
        if !list.grid().list_filter.hides_all() {
            return None;
        }
        let filter = list.grid().list_filter.filter.as_ref()?;
        let text = &filter.query.text;
        Some(if filter.is_complete() {
            let column = filter.query.unknown_column.as_deref();
            let column = column.map_or(String::new(), |name| format!(" (the list has no column {name})"));
            format!("no match for {text}{column}: Esc shows all rows")
        } else {
            format!("searching for {text}")
        })
    }
}

/// Removes find and filter of a pane; false where there were none.
fn clear_in(app: &mut App, slot: Slot) -> bool {
    let done = app.with_list(slot, |list, cx| {
        let list_filter = &mut list.grid_mut().list_filter;
        let any = list_filter.find.take().is_some() | list_filter.filter.take().is_some();
        if any {
            list.apply_filter(true, cx);
        }
        any
    });
    done == Some(true)
}

/// Removes find and filter of all panes of the view: a filter ends with the digit that leaves its list.
pub(super) fn end_searches(app: &mut App) {
    for (slot, _) in app.navigation.view().def().panes {
        clear_in(app, *slot);
    }
}
