//! The visible rows of a list, and the search in it.
//!
//! Find moves the cursor from match to match; a filter hides all other rows. For either, a job scans the list
//! ([`SearchResults`]), and what it has found so far is shown.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::query::Query;
use crate::ui::scroll::Scroll;
pub use crate::ui::search_results::{RowSource, SearchMode, SearchResults};
use crate::ui::theme::{Look, Role};

/// The visible rows of a list. Row numbers count all rows, lines only the visible ones.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    pub find: Option<SearchResults>,
    pub filter: Option<SearchResults>,
    shown: Option<Arc<Vec<usize>>>,
    /// The rows that match the filter, as they are shown.
    remaining: Option<Arc<Vec<usize>>>,
    /// The row of the cursor before the filter hid all rows.
    anchor: Option<usize>,
}

impl ListFilter {
    pub const fn results(&self, mode: SearchMode) -> Option<&SearchResults> {
        match mode {
            SearchMode::Find => self.find.as_ref(),
            SearchMode::Filter => self.filter.as_ref(),
        }
    }

    pub fn set(&mut self, mode: SearchMode, hits: Option<SearchResults>) {
        match mode {
            SearchMode::Find => self.find = hits,
            SearchMode::Filter => self.filter = hits,
        }
    }

    pub fn mark_requested(&mut self, mode: SearchMode) {
        let hits = if mode == SearchMode::Find { &mut self.find } else { &mut self.filter };
        if let Some(hits) = hits {
            hits.requested = true;
        }
    }

    /// Takes new results; tells for find and filter whether there were any.
    pub fn take_found(&mut self) -> [bool; 2] {
        [&mut self.find, &mut self.filter].map(|hits| hits.as_mut().is_some_and(SearchResults::take_found))
    }

    pub fn row(&self, line: usize) -> Option<usize> {
        self.shown.as_ref().map_or(Some(line), |shown| shown.get(line).copied())
    }

    /// The line of a row; `None` where it is hidden.
    pub fn line(&self, row: usize) -> Option<usize> {
        self.shown.as_ref().map_or(Some(row), |shown| shown.binary_search(&row).ok())
    }

    /// The line of a row, of the next visible one, or of the last.
    pub fn nearest(&self, row: usize) -> usize {
        let next =
            |shown: &Arc<Vec<usize>>| shown.partition_point(|other| *other < row).min(shown.len().saturating_sub(1));
        self.shown.as_ref().map_or(row, next)
    }

    /// The visible rows; `None` where all are.
    pub fn shown(&self) -> Option<&[usize]> {
        self.shown.as_ref().map(|shown| shown.as_slice())
    }

    pub fn line_count(&self, rows: usize) -> usize {
        self.shown.as_ref().map_or(rows, |shown| shown.len())
    }

    /// Replaces the visible rows of a list of `rows`; `None` shows all. The cursor keeps its row, or takes the next
    /// one, at its place on the screen.
    pub fn apply(&mut self, scroll: &mut Scroll, shown: Option<Arc<Vec<usize>>>, rows: usize) {
        let (below, row) = (scroll.selected.saturating_sub(scroll.top), self.row(scroll.selected));
        if scroll.len > 0 {
            self.anchor = row.or(self.anchor);
        }
        self.shown = shown;
        scroll.len = self.line_count(rows);
        let line = self.anchor.map_or(0, |row| self.nearest(row));
        scroll.top = line.saturating_sub(below);
        scroll.select(line);
    }

    /// Shows the rows that match the filter: for lists that are not trees.
    pub fn apply_filter(&mut self, scroll: &mut Scroll, rows: usize) {
        self.apply(scroll, self.remaining.clone(), rows);
    }

    /// Takes over the matches of the filter as far as they are known.
    pub fn update_remaining(&mut self) {
        let filter = self.filter.as_ref().filter(|filter| !filter.query.is_empty());
        self.remaining = filter.map(|filter| Arc::clone(&filter.rows));
    }

    /// The rows that match the filter; `None` where there is none.
    pub fn remaining(&self) -> Option<&[usize]> {
        self.remaining.as_ref().map(|remaining| remaining.as_slice())
    }

    /// Number of matches that find and filter hold.
    pub fn held_rows(&self) -> usize {
        [&self.find, &self.filter].into_iter().flatten().map(|hits| hits.rows.len()).sum()
    }

    pub fn hides_all(&self) -> bool {
        self.remaining.is_some() && self.shown.as_ref().is_some_and(|shown| shown.is_empty())
    }

    /// Repeats the searches for a list whose rows have changed.
    pub fn restart(&mut self) {
        self.remaining = None;
        for hits in [&mut self.find, &mut self.filter].into_iter().flatten() {
            *hits = SearchResults::new(hits.query.clone(), 0, None);
        }
    }

    /// Starts a find from a row on, among the rows that match the filter.
    pub fn start_find(&mut self, query: Query, start: usize) {
        let within = if self.remaining().is_some() { self.shown.as_ref() } else { None };
        self.find = Some(match within {
            Some(shown) if self.find.as_ref().is_none_or(|find| !query.narrows(&find.query)) => {
                SearchResults::within(query, start, shown)
            }
            _ => SearchResults::new(query, start, self.find.as_ref()),
        });
    }

    /// Repeats the find, after the filter has changed.
    pub fn restart_find(&mut self, start: usize) {
        if let Some(find) = self.find.take() {
            self.start_find(find.query, start);
        }
    }

    /// Byte offset and length of the first match in a cell.
    pub fn match_position(&self, text: &str, column: usize) -> Option<(usize, usize)> {
        [&self.find, &self.filter].into_iter().flatten().find_map(|hits| hits.query.position(text, column))
    }

    pub fn highlight(&self, buf: &mut Buffer, line: Rect, column: Option<usize>, look: &Look<'_>) {
        for hits in [&self.filter, &self.find].into_iter().flatten() {
            hits.query.highlight(buf, line, column, look.theme.of(Role::Match));
        }
    }

    /// Returns whether a row is shown only because it contains a match.
    pub fn is_context_row(&self, row: usize) -> bool {
        self.remaining().is_some_and(|remaining| remaining.binary_search(&row).is_err())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::search_results::tests::{finish, requested};
    use pdblens_nodes::rows::Head;

    fn query(text: &str) -> Query {
        Query::new(text, &[Head::text("n")])
    }

    #[test]
    fn of_a_filtered_list_only_what_is_left_is_looked_at() {
        let (mut list, mut scroll) = (ListFilter::default(), Scroll { selected: 300, len: 1000, ..Scroll::default() });
        list.filter = Some(SearchResults::new(query("7>"), 0, None));
        finish(list.filter.as_mut().unwrap(), 1000);
        list.update_remaining();
        list.apply_filter(&mut scroll, 1000);
        list.start_find(query("37>"), 300);
        let requested = requested(list.find.as_ref().unwrap());
        finish(list.find.as_mut().unwrap(), 1000);
        let find = list.find.as_ref().unwrap();
        assert_eq!(
            (requested, find.rows.len(), find.first, find.position_text(Some(137), "…")),
            (100, 10, Some(337), "2 of 10".into())
        );
        // A find among no rows has no matches.
        list.filter = Some(SearchResults::new(query("x"), 0, None));
        finish(list.filter.as_mut().unwrap(), 1000);
        list.update_remaining();
        list.apply_filter(&mut scroll, 1000);
        assert!(list.hides_all());
        list.restart_find(0);
        finish(list.find.as_mut().unwrap(), 1000);
        assert_eq!(list.find.as_ref().unwrap().position_text(None, "…"), "none");
    }

    #[test]
    fn lines_and_rows_are_told_apart() {
        let mut list = ListFilter::default();
        assert_eq!((list.row(5), list.line(5), list.nearest(5), list.line_count(9)), (Some(5), Some(5), 5, 9));
        let mut scroll = Scroll { selected: 5, top: 3, len: 9, height: 3 };
        list.apply(&mut scroll, Some(Arc::new(vec![2, 4, 8])), 9);
        assert_eq!((scroll.selected, scroll.len), (2, 3), "on the next one that shows");
        assert_eq!((list.row(1), list.row(3), list.line_count(9)), (Some(4), None, 3));
        assert_eq!((list.line(8), list.line(5)), (Some(2), None));
        assert_eq!((list.nearest(0), list.nearest(3), list.nearest(9)), (0, 1, 2));
        list.apply(&mut scroll, Some(Arc::default()), 9);
        list.apply(&mut scroll, None, 9);
        assert_eq!((scroll.selected, scroll.len), (8, 9), "where it was before none showed");
    }
}
