//! Find and filter in the focused pane: the search runs while the user types, and the cursor follows.

use crate::app::stage::Stage;
use crate::engine::action::Action;
use crate::overlays::search;
use crate::panes::list_pane::ListPane;
use crate::panes::pane::Context;
use crate::state::effect::{Effect, SearchInput};
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

impl Search {
    pub(super) fn begin(&mut self, stage: &mut Stage, mode: SearchMode) -> Vec<Effect> {
        let slot = stage.navigation.focus();
        let found = stage.with_list(slot, |list, cx| {
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
            Err(why) => stage.set_status(Tone::Dim, why),
            Ok((false, ..)) if mode == SearchMode::Filter => {
                stage.set_status(Tone::Dim, "this pane cannot be filtered; / finds");
            }
            Ok((_, from, previous, columns)) => {
                let last = match mode {
                    SearchMode::Find => self.last.clone(),
                    SearchMode::Filter => {
                        previous.as_ref().map_or_else(String::new, |previous| previous.query.text.clone())
                    }
                };
                self.active = Some(ActiveSearch { mode, slot, from, previous });
                (self.goal, stage.status) = (None, None);
                self.update_summary(stage);
                let pane = stage.with_pane(slot, |pane, cx| pane.title(cx).name).unwrap_or_default();
                return vec![Effect::Open(Box::new(search::SearchLine::new(mode, pane, last, columns)))];
            }
        }
        Vec::new()
    }

    pub(super) fn take_input(&mut self, stage: &mut Stage, input: SearchInput) {
        let Some(line) = self.active.take() else { return };
        match input {
            SearchInput::Changed(text) => {
                self.start(stage, &line, &text);
                self.active = Some(line);
            }
            SearchInput::Accepted(text) => self.accept(stage, &line, &text),
            SearchInput::Cancelled => {
                self.start(stage, &line, "");
                stage.with_list(line.slot, |list, _| list.keep_position());
            }
        }
        self.update_summary(stage);
    }

    /// Starts a search for a text; an empty one restores the previous search.
    fn start(&mut self, stage: &mut Stage, line: &ActiveSearch, text: &str) {
        let ActiveSearch { mode, from, .. } = *line;
        let nothing = text.trim().is_empty();
        self.goal = (mode == SearchMode::Find && !nothing).then_some(CursorGoal::First);
        stage.with_list(line.slot, |list, cx| {
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
            stage.sync_selection();
        }
    }

    fn accept(&mut self, stage: &mut Stage, line: &ActiveSearch, text: &str) {
        let slot = line.slot;
        match (line.mode, text.trim().is_empty()) {
            (SearchMode::Find, true) => {
                self.find_again(stage, true);
            }
            (SearchMode::Find, false) => {
                text.trim().clone_into(&mut self.last);
                self.report_match(stage, slot);
            }
            (SearchMode::Filter, true) => {
                stage.with_list(slot, |list, cx| {
                    list.grid_mut().list_filter.set(SearchMode::Filter, None);
                    list.apply_filter(true, cx);
                    list.grid_mut().list_filter.restart_find(0);
                });
                stage.sync_selection();
            }
            (SearchMode::Filter, false) => {}
        }
        stage.with_list(slot, |list, _| list.keep_position());
    }

    pub(super) fn find_again(&mut self, stage: &mut Stage, forward: bool) {
        let (slot, last_search) = (stage.navigation.focus(), self.last.clone());
        if last_search.is_empty() {
            return stage.set_status(Tone::Dim, "no search yet: / starts one");
        }
        let begun = stage.with_list(slot, |list, cx| {
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
            return stage.set_status(Tone::Dim, why);
        }
        self.goal = Some(CursorGoal::Next(forward));
        self.move_to_match(stage);
    }

    pub(super) fn take_results(&mut self, stage: &mut Stage) {
        if self.active.is_some() && stage.overlays.is_empty() {
            // A click has closed the search line.
            let text = self.active.as_ref().and_then(|line| {
                Some(stage.pane_in(line.slot)?.list()?.grid().list_filter.results(line.mode)?.query.text.clone())
            });
            self.take_input(stage, SearchInput::Accepted(text.unwrap_or_default()));
        }
        let shown: Vec<Slot> = stage.layout.areas().panes.iter().map(|placed| placed.slot).collect();
        for slot in shown {
            let active = self.active.as_ref().filter(|active| active.slot == slot);
            let from = active.and_then(|active| active.from);
            let changed = stage.with_list(slot, |list, cx| {
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
                stage.dirty = true;
                if slot == stage.navigation.focus() {
                    stage.sync_selection();
                    self.move_to_match(stage);
                    self.update_summary(stage);
                }
            }
        }
    }

    /// Carries out the pending move of the cursor, once its target is known.
    fn move_to_match(&mut self, stage: &mut Stage) {
        let (Some(goal), slot) = (self.goal, stage.navigation.focus()) else { return };
        let from = self.active.as_ref().and_then(|line| line.from);
        // `Some(true)` after a move, `Some(false)` without a match, `None` while the search runs.
        let reached = stage.with_list(slot, |list, _| {
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
        self.goal = None;
        stage.sync_selection();
        if self.active.is_none() {
            stage.with_list(slot, |list, _| list.keep_position());
            self.report_match(stage, slot);
            if !found {
                self.say_no_match(stage, slot);
            }
        }
    }

    fn report_match(&mut self, stage: &mut Stage, slot: Slot) {
        let more = stage.glyphs.more;
        let said = stage.with_list(slot, |list, _| {
            let find = list.grid().list_filter.find.as_ref()?;
            let none = find.rows.is_empty() && find.is_complete();
            Some((none, format!("{}  {}", find.position_text(list.grid().row(), more), find.query.text)))
        });
        match said.flatten() {
            Some((true, _)) => self.say_no_match(stage, slot),
            Some((false, text)) => stage.set_status(Tone::Text, text),
            None => {}
        }
    }

    /// Says which pane was searched in vain, and what searches all of them.
    fn say_no_match(&mut self, stage: &mut Stage, slot: Slot) {
        let pane = stage.with_pane(slot, |pane, cx| pane.title(cx).name).unwrap_or_default();
        let keys = stage.keymap.keys_text(Action::GoTo, stage.glyphs.ascii);
        let key = keys.split(' ').next().filter(|key| !key.is_empty());
        let more = key.map_or_else(String::new, |key| format!(" {} {key} searches everything", stage.glyphs.dot));
        stage.set_status(Tone::Warn, format!("no {} in {pane}{more}", self.last));
    }

    /// The text that was just looked for in vain, while that is said.
    pub(super) fn failed(&self, stage: &Stage) -> String {
        let said = stage.status.as_ref().map_or("", |status| status.text.as_str());
        let is_told = !self.last.is_empty() && said.starts_with(&format!("no {} in ", self.last));
        if is_told { self.last.clone() } else { String::new() }
    }

    fn update_summary(&mut self, stage: &mut Stage) {
        let Some(&ActiveSearch { mode, slot, .. }) = self.active.as_ref() else { return };
        let more = stage.glyphs.more;
        let found = stage.with_list(slot, |list, _| {
            let hits = list.grid().list_filter.results(mode)?;
            Some(match mode {
                SearchMode::Find => hits.position_text(list.grid().row(), more),
                SearchMode::Filter => hits.count_text(more),
            })
        });
        // It is the focused pane, and that may not be the one that is looked at.
        let pane = stage.with_pane(slot, |pane, cx| pane.title(cx).name).unwrap_or_default();
        // A title may go on with a number of rows.
        let pane = pane.split(" \u{b7} ").next().unwrap_or_default();
        stage.found = found.flatten().map_or_else(String::new, |found| format!("{found} in {pane}"));
    }

    /// Removes find and filter of the focused pane; false where there were none.
    pub(super) fn clear(&mut self, stage: &mut Stage) -> bool {
        let slot = stage.navigation.focus();
        let done = stage.clear_in(slot);
        if done {
            (self.goal, stage.status) = (None, None);
            stage.sync_selection();
        }
        done
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
