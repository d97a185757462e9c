//! Rows that have others in them: which are folded, and which show.
//!
//! All rows of a tree have a number, whether they show or not: their place when everything is open. Where the tree is filtered, what
//! a row that was found is in shows too, and what it has in it is folded away.

use std::collections::HashSet;
use std::sync::Arc;

use crate::tui::ui::grid::Grid;

/// How rows are nested.
pub trait Nesting {
    /// How many there are.
    fn rows(&self) -> usize;

    /// The row that a row is in.
    fn parent(&self, row: usize) -> Option<usize>;

    /// The row behind the last one that is in a row.
    fn end(&self, row: usize) -> usize;

    /// Whether a row has others in it.
    fn folds(&self, row: usize) -> bool {
        self.end(row) > row + 1
    }

    /// The rows that have others in them.
    fn folding(&self) -> Vec<usize> {
        (0..self.rows()).filter(|row| self.folds(*row)).collect()
    }
}

/// Rows nested by their depths, as a list has them.
#[derive(Clone, Debug, Default)]
pub struct DepthTree {
    parents: Vec<Option<usize>>,
    ends: Vec<usize>,
}

impl DepthTree {
    /// How rows with these depths are nested.
    pub fn of(depths: impl Iterator<Item = u8>) -> Self {
        let (mut parents, mut ends) = (Vec::new(), Vec::new());
        // The rows that a row may be in, outermost first.
        let mut open: Vec<(usize, u8)> = Vec::new();
        for (row, depth) in depths.enumerate() {
            while let Some((last, _)) = open.pop_if(|(_, other)| *other >= depth) {
                ends[last] = row;
            }
            parents.push(open.last().map(|(row, _)| *row));
            ends.push(row + 1);
            open.push((row, depth));
        }
        for (row, _) in open {
            ends[row] = parents.len();
        }
        Self { parents, ends }
    }
}

impl Nesting for DepthTree {
    fn rows(&self) -> usize {
        self.parents.len()
    }

    fn parent(&self, row: usize) -> Option<usize> {
        *self.parents.get(row)?
    }

    fn end(&self, row: usize) -> usize {
        self.ends.get(row).copied().unwrap_or(row + 1)
    }
}

/// What is folded.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    /// The rows that are closed, where the tree is not filtered.
    pub closed: HashSet<usize>,
    /// Where it is filtered: the rows that are not as they are at first.
    toggled: HashSet<usize>,
    /// The rows that were opened to show another for a moment.
    peeked: Vec<usize>,
}

/// The rows that were found, where a tree is filtered.
pub type Matches<'f> = Option<&'f [usize]>;

/// Whether one of the rows that were found is in `row`.
fn has_match_inside(tree: &dyn Nesting, found: &[usize], row: usize) -> bool {
    found.get(found.partition_point(|hit| *hit <= row)).is_some_and(|hit| *hit < tree.end(row))
}

impl Folds {
    /// Whether what is in a row shows.
    pub fn is_open(&self, tree: &dyn Nesting, found: Matches<'_>, row: usize) -> bool {
        match found {
            None => !self.closed.contains(&row),
            // What was found shows; what else is in what was found is folded away.
            Some(found) => has_match_inside(tree, found, row) != self.toggled.contains(&row),
        }
    }

    /// Opens or closes a row.
    pub fn set(&mut self, tree: &dyn Nesting, found: Matches<'_>, row: usize, open: bool) {
        if self.is_open(tree, found, row) == open {
            return;
        }
        let set = if found.is_some() { &mut self.toggled } else { &mut self.closed };
        if !set.remove(&row) {
            set.insert(row);
        }
    }

    /// Opens everything, or closes it.
    pub fn set_all(&mut self, tree: &dyn Nesting, found: Matches<'_>, open: bool) {
        match found {
            None if open => self.closed.clear(),
            None => self.closed = tree.folding().into_iter().collect(),
            Some(found) => {
                self.toggled =
                    tree.folding().into_iter().filter(|row| has_match_inside(tree, found, *row) != open).collect();
            }
        }
    }

    /// Opens what a row is in; returns whether anything was closed.
    pub fn open_path(&mut self, tree: &dyn Nesting, found: Matches<'_>, row: usize) -> bool {
        let above = std::iter::successors(tree.parent(row), |row| tree.parent(*row));
        let closed: Vec<usize> = above.filter(|row| !self.is_open(tree, found, *row)).collect();
        for row in &closed {
            self.set(tree, found, *row, true);
        }
        self.peeked.extend(&closed);
        !closed.is_empty()
    }

    /// From here on, what is opened to show a row is opened for a moment.
    pub fn keep_open(&mut self) {
        self.peeked.clear();
    }

    /// Closes again what was opened for a moment; returns whether there is any.
    pub fn close_peeked(&mut self, tree: &dyn Nesting, found: Matches<'_>) -> bool {
        let peeked = std::mem::take(&mut self.peeked);
        for row in &peeked {
            self.set(tree, found, *row, false);
        }
        !peeked.is_empty()
    }

    /// Another filter: its rows are folded as they are at first.
    pub fn reset_toggled(&mut self) {
        self.toggled.clear();
        self.peeked.clear();
    }

    /// The rows that show.
    pub fn visible_rows(&self, tree: &dyn Nesting, found: Matches<'_>) -> Vec<usize> {
        match found {
            None => self.open_rows(tree, None, 0..tree.rows()),
            Some(found) => self.matching_rows(tree, found),
        }
    }

    /// The rows of a range that are in none that is closed.
    fn open_rows(&self, tree: &dyn Nesting, found: Matches<'_>, range: std::ops::Range<usize>) -> Vec<usize> {
        if found.is_none() && self.closed.is_empty() {
            return range.collect();
        }
        let (mut out, mut row) = (Vec::new(), range.start);
        while row < range.end {
            out.push(row);
            row = if self.is_open(tree, found, row) { row + 1 } else { tree.end(row) };
        }
        out
    }

    /// The rows that were found, what they are in, and of what is in them what was unfolded.
    fn matching_rows(&self, tree: &dyn Nesting, found: &[usize]) -> Vec<usize> {
        // The rows before `at` are dealt with; those that the last one is in show, and end there.
        let (mut out, mut at) = (Vec::with_capacity(found.len()), 0);
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (index, hit) in found.iter().copied().enumerate() {
            if hit < at {
                continue;
            }
            while open.pop_if(|(_, end)| *end <= hit).is_some() {}
            let shown = open.last().map(|(row, _)| *row);
            let up = std::iter::successors(tree.parent(hit), |row| tree.parent(*row));
            let mut above: Vec<usize> = up.take_while(|row| Some(*row) != shown).collect();
            above.reverse();
            for row in above.into_iter().chain([hit]) {
                out.push(row);
                let end = tree.end(row);
                let others = row < hit || found.get(index + 1).is_some_and(|next| *next < end);
                // What was found shows; what else is in what was found is folded away.
                if others != self.toggled.contains(&row) {
                    if others {
                        open.push((row, end));
                        at = row + 1;
                        continue;
                    }
                    out.extend(self.open_rows(tree, Some(found), row + 1..end));
                }
                at = end;
                break;
            }
        }
        out
    }
}

/// A tree in a grid.
#[derive(Clone, Debug, Default)]
pub struct TreeGrid<N> {
    /// The rows that show, and the cursor in them.
    pub grid: Grid,
    /// What is folded.
    pub folds: Folds,
    /// How all rows are nested.
    pub tree: Arc<N>,
}

impl<N: Nesting> TreeGrid<N> {
    /// Shows the rows that are not folded away, and that are left by the filter.
    pub fn update_rows(&mut self) {
        let shown = self.folds.visible_rows(&*self.tree, self.grid.list_filter.remaining());
        self.grid.apply(Some(Arc::new(shown)), self.tree.rows());
    }

    /// Another filter, or none: its rows are folded as they are at first.
    pub fn filter_changed(&mut self) {
        self.folds.reset_toggled();
        self.update_rows();
    }

    /// Puts the cursor on a row, and opens what that is in.
    pub fn reveal(&mut self, row: usize) {
        let hidden = self.grid.list_filter.line(row).is_none() && self.can_show(row);
        if hidden && self.folds.open_path(&*self.tree, self.grid.list_filter.remaining(), row) {
            self.folds.keep_open();
            self.update_rows();
        }
        self.grid.show(Some(row));
    }

    /// The same for a moment: what was opened for another row so is closed again.
    pub fn peek(&mut self, row: usize) {
        let peeked = self.folds.close_peeked(&*self.tree, self.grid.list_filter.remaining());
        let opened = self.can_show(row) && self.folds.open_path(&*self.tree, self.grid.list_filter.remaining(), row);
        if peeked || opened {
            self.update_rows();
        }
        self.grid.reveal(row);
    }

    /// Whether a row shows once what it is in is opened.
    pub fn can_show(&self, row: usize) -> bool {
        self.grid.list_filter.remaining().is_none_or(|left| {
            let mut up = std::iter::successors(Some(row), |row| self.tree.parent(*row));
            has_match_inside(&*self.tree, left, row) || up.any(|row| left.binary_search(&row).is_ok())
        })
    }

    /// Whether what is in a row shows.
    pub fn is_open(&self, row: usize) -> bool {
        self.folds.is_open(&*self.tree, self.grid.list_filter.remaining(), row)
    }

    /// Opens or closes the row that the cursor is on; where that is so already, goes into it or to what it is in. Returns whether
    /// there is something to do.
    pub fn fold(&mut self, open: Option<bool>) -> bool {
        let Some(row) = self.grid.row() else { return false };
        let folds = self.tree.folds(row);
        let is_open = folds && self.is_open(row);
        match open.unwrap_or(!is_open) {
            true if !folds => return open.is_some(),
            true if is_open => self.grid.scroll.select(self.grid.scroll.selected + 1),
            false if !is_open => {
                if let Some(above) = self.tree.parent(row) {
                    self.grid.reveal(above);
                }
            }
            open => {
                self.folds.set(&*self.tree, self.grid.list_filter.remaining(), row, open);
                self.folds.keep_open();
                self.update_rows();
            }
        }
        true
    }

    /// Opens everything, or closes it: the cursor stays on what still shows of what it is in.
    pub fn fold_all(&mut self, open: bool) {
        let row = self.grid.row();
        self.folds.set_all(&*self.tree, self.grid.list_filter.remaining(), open);
        self.folds.keep_open();
        self.update_rows();
        let up = std::iter::successors(row, |row| self.tree.parent(*row));
        if let Some(shown) = up.into_iter().find(|row| self.grid.list_filter.line(*row).is_some()) {
            self.grid.reveal(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a (b (c d) e) f (g (h))`
    fn tree() -> DepthTree {
        DepthTree::of([0, 1, 2, 2, 1, 0, 1, 2].into_iter())
    }

    #[test]
    fn rows_are_nested_by_their_depths() {
        let tree = tree();
        let parents: Vec<_> = (0..tree.rows()).map(|row| tree.parent(row)).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(0), None, Some(5), Some(6)]);
        let ends: Vec<_> = (0..tree.rows()).map(|row| tree.end(row)).collect();
        assert_eq!(ends, [5, 4, 3, 4, 5, 8, 8, 8]);
        // Depths that files could have: the first row is not at the top, and some are left out.
        let odd = DepthTree::of([3, 1, 5, 4].into_iter());
        assert_eq!((odd.parent(0), odd.parent(1), odd.parent(2), odd.parent(3)), (None, None, Some(1), Some(1)));
        assert_eq!(DepthTree::of(std::iter::empty()).rows(), 0);
    }

    #[test]
    fn what_is_closed_does_not_show() {
        let (tree, mut folds) = (tree(), Folds::default());
        assert_eq!(folds.visible_rows(&tree, None), [0, 1, 2, 3, 4, 5, 6, 7]);
        folds.set(&tree, None, 1, false);
        folds.set(&tree, None, 5, false);
        assert_eq!(folds.visible_rows(&tree, None), [0, 1, 4, 5]);
        assert!(folds.open_path(&tree, None, 7) && !folds.open_path(&tree, None, 7));
        assert_eq!(folds.visible_rows(&tree, None), [0, 1, 4, 5, 6, 7]);
        folds.close_peeked(&tree, None);
        assert_eq!(folds.visible_rows(&tree, None), [0, 1, 4, 5]);
        folds.set_all(&tree, None, false);
        assert_eq!(folds.visible_rows(&tree, None), [0, 5]);
    }

    #[test]
    fn of_a_filtered_tree_what_was_found_shows_and_what_that_is_in() {
        let (tree, mut folds) = (tree(), Folds::default());
        folds.set_all(&tree, None, false);
        assert_eq!(folds.visible_rows(&tree, Some(&[3, 7])), [0, 1, 3, 5, 6, 7], "what is folded does not matter");
        assert_eq!(folds.visible_rows(&tree, Some(&[])), [0; 0]);
        // What is in a row that was found is folded away, and can be unfolded.
        assert_eq!(folds.visible_rows(&tree, Some(&[0])), [0]);
        folds.set(&tree, Some(&[0]), 0, true);
        assert_eq!(folds.visible_rows(&tree, Some(&[0])), [0, 1, 4]);
        folds.set(&tree, Some(&[0]), 1, true);
        assert_eq!(folds.visible_rows(&tree, Some(&[0])), [0, 1, 2, 3, 4]);
        folds.reset_toggled();
        // A row that was found, in one that was found.
        assert_eq!(folds.visible_rows(&tree, Some(&[0, 3, 5])), [0, 1, 3, 5]);
        folds.set(&tree, Some(&[0, 3, 5]), 1, false);
        assert_eq!(folds.visible_rows(&tree, Some(&[0, 3, 5])), [0, 1, 5]);
        assert_eq!(folds.visible_rows(&tree, None), [0, 5], "without the filter everything is folded as it was");
    }
}
