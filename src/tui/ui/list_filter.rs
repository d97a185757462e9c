//! Which rows of a list show, and what is looked for in it.
//!
//! There are two ways to look for a text: to find it, which goes from one row that has it to the next, and to filter by it, which
//! leaves only those rows. For either the worker looks through the list ([`Hits`]), and what it has found so far shows.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::ui::query::Query;
use crate::tui::ui::scroll::Scroll;
pub use crate::tui::ui::search_results::{Hits, Source};
use crate::tui::ui::theme::{Look, Role};

/// What comes of what is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// One goes from row to row.
    Find,
    /// Only those rows show.
    Filter,
}

/// The rows that show, of all that there are, and what is looked for in them. Rows are numbered as all of them are; lines as those
/// that show.
#[derive(Clone, Debug, Default)]
pub struct Sieve {
    /// What is to be found.
    pub find: Option<Hits>,
    /// What the rows are filtered by.
    pub filter: Option<Hits>,
    shown: Option<Arc<Vec<usize>>>,
    /// The rows that have what the list is filtered by, as they show.
    left: Option<Arc<Vec<usize>>>,
    /// The row that the cursor was on before none showed.
    anchor: Option<usize>,
}

impl How {
    /// The slot of the job that looks.
    pub const fn slot(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::Filter => "filter",
        }
    }
}

impl Sieve {
    /// What is looked for in that way.
    pub const fn hits(&self, how: How) -> Option<&Hits> {
        match how {
            How::Find => self.find.as_ref(),
            How::Filter => self.filter.as_ref(),
        }
    }

    /// Has that looked for; nothing ends it.
    pub fn set(&mut self, how: How, hits: Option<Hits>) {
        match how {
            How::Find => self.find = hits,
            How::Filter => self.filter = hits,
        }
    }

    /// The worker was asked.
    pub fn asked(&mut self, how: How) {
        let hits = if how == How::Find { &mut self.find } else { &mut self.filter };
        if let Some(hits) = hits {
            hits.asked = true;
        }
    }

    /// Takes what the worker has found since; says of either way of looking whether there is more.
    pub fn take(&mut self) -> [bool; 2] {
        [&mut self.find, &mut self.filter].map(|hits| hits.as_mut().is_some_and(Hits::take))
    }

    /// The row in a line.
    pub fn row(&self, line: usize) -> Option<usize> {
        self.shown.as_ref().map_or(Some(line), |shown| shown.get(line).copied())
    }

    /// The line of a row; nothing where it does not show.
    pub fn line(&self, row: usize) -> Option<usize> {
        self.shown.as_ref().map_or(Some(row), |shown| shown.binary_search(&row).ok())
    }

    /// The line of a row, or of the next one that shows, or of the last.
    pub fn nearest(&self, row: usize) -> usize {
        let next =
            |shown: &Arc<Vec<usize>>| shown.partition_point(|other| *other < row).min(shown.len().saturating_sub(1));
        self.shown.as_ref().map_or(row, next)
    }

    /// How many lines there are, of so many rows.
    pub fn lines(&self, rows: usize) -> usize {
        self.shown.as_ref().map_or(rows, |shown| shown.len())
    }

    /// Shows other rows, of so many; all of them where nothing is said. The cursor stays on its row, or goes to the next one, and
    /// the row where it was on the screen.
    pub fn sift(&mut self, scroll: &mut Scroll, shown: Option<Arc<Vec<usize>>>, rows: usize) {
        let (below, row) = (scroll.selected.saturating_sub(scroll.top), self.row(scroll.selected));
        self.anchor = row.filter(|_| scroll.len > 0).or(self.anchor);
        self.shown = shown;
        scroll.len = self.lines(rows);
        let line = self.anchor.map_or(0, |row| self.nearest(row));
        scroll.top = line.saturating_sub(below);
        scroll.select(line);
    }

    /// Shows the rows that are left by the filter: the usual way of a list that is not a tree.
    pub fn narrow(&mut self, scroll: &mut Scroll, rows: usize) {
        self.sift(scroll, self.left.clone(), rows);
    }

    /// From here on those rows are left that have what the list is filtered by, as far as they are known.
    pub fn adopt(&mut self) {
        let filter = self.filter.as_ref().filter(|filter| !filter.query.is_empty());
        self.left = filter.map(|filter| Arc::clone(filter.rows()));
    }

    /// The rows that have what the list is filtered by; nothing where it is not.
    pub fn left(&self) -> Option<&[usize]> {
        self.left.as_ref().map(|left| left.as_slice())
    }

    /// Whether there is a filter that leaves nothing.
    pub fn is_bare(&self) -> bool {
        self.left.is_some() && self.shown.as_ref().is_some_and(|shown| shown.is_empty())
    }

    /// Looks for the same in another list.
    pub fn anew(&mut self) {
        self.left = None;
        for hits in [&mut self.find, &mut self.filter].into_iter().flatten() {
            *hits = Hits::new(hits.query.clone(), 0, None);
        }
    }

    /// Has something found from a row on, in the rows that the filter leaves.
    pub fn find(&mut self, query: Query, start: usize) {
        let among = self.shown.as_ref().filter(|_| self.left().is_some());
        self.find = Some(match among {
            Some(shown) if self.find.as_ref().is_none_or(|find| !query.narrows(&find.query)) => {
                Hits::among(query, start, shown)
            }
            _ => Hits::new(query, start, self.find.as_ref()),
        });
    }

    /// Finds the same again, where the rows that are left are others.
    pub fn find_anew(&mut self, start: usize) {
        if let Some(find) = self.find.take() {
            self.find(find.query, start);
        }
    }

    /// Where in the text of a cell what is looked for stands, and how many bytes it takes.
    pub fn position(&self, text: &str, column: usize) -> Option<(usize, usize)> {
        [&self.find, &self.filter].into_iter().flatten().find_map(|hits| hits.query.position(text, column))
    }

    /// Marks what is looked for in what is drawn of a row.
    pub fn mark(&self, buf: &mut Buffer, line: Rect, column: Option<usize>, look: &Look<'_>) {
        for hits in [&self.filter, &self.find].into_iter().flatten() {
            hits.query.mark(buf, line, column, look.theme.of(Role::Match));
        }
    }

    /// Whether a row shows only because of others: it does not have what the list is filtered by.
    pub fn is_aside(&self, row: usize) -> bool {
        self.left().is_some_and(|left| left.binary_search(&row).is_err())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::rows::Head;
    use crate::tui::ui::search_results::tests::{asked, finish};

    fn query(text: &str) -> Query {
        Query::new(text, &[Head::text("n")])
    }

    #[test]
    fn of_a_filtered_list_only_what_is_left_is_looked_at() {
        let (mut sieve, mut scroll) = (Sieve::default(), Scroll { selected: 300, len: 1000, ..Scroll::default() });
        sieve.filter = Some(Hits::new(query("7>"), 0, None));
        finish(sieve.filter.as_mut().unwrap(), 1000);
        sieve.adopt();
        sieve.narrow(&mut scroll, 1000);
        sieve.find(query("37>"), 300);
        let asked = asked(sieve.find.as_ref().unwrap());
        finish(sieve.find.as_mut().unwrap(), 1000);
        let find = sieve.find.as_ref().unwrap();
        assert_eq!(
            (asked, find.rows().len(), find.first(), find.place(Some(137), "…")),
            (100, 10, Some(337), "2 of 10".into())
        );
        // What is left of nothing is nothing.
        sieve.filter = Some(Hits::new(query("x"), 0, None));
        finish(sieve.filter.as_mut().unwrap(), 1000);
        sieve.adopt();
        sieve.narrow(&mut scroll, 1000);
        assert!(sieve.is_bare());
        sieve.find_anew(0);
        finish(sieve.find.as_mut().unwrap(), 1000);
        assert_eq!(sieve.find.as_ref().unwrap().place(None, "…"), "none");
    }

    #[test]
    fn lines_and_rows_are_told_apart() {
        let mut sieve = Sieve::default();
        assert_eq!((sieve.row(5), sieve.line(5), sieve.nearest(5), sieve.lines(9)), (Some(5), Some(5), 5, 9));
        let mut scroll = Scroll { selected: 5, top: 3, len: 9, height: 3 };
        sieve.sift(&mut scroll, Some(Arc::new(vec![2, 4, 8])), 9);
        assert_eq!((scroll.selected, scroll.len), (2, 3), "on the next one that shows");
        assert_eq!((sieve.row(1), sieve.row(3), sieve.lines(9)), (Some(4), None, 3));
        assert_eq!((sieve.line(8), sieve.line(5)), (Some(2), None));
        assert_eq!((sieve.nearest(0), sieve.nearest(3), sieve.nearest(9)), (0, 1, 2));
        sieve.sift(&mut scroll, Some(Arc::default()), 9);
        sieve.sift(&mut scroll, None, 9);
        assert_eq!((scroll.selected, scroll.len), (8, 9), "where it was before none showed");
    }
}
