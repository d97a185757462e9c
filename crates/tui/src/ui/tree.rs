//! Trees: which rows are collapsed, and which are visible.
//!
//! Rows are numbered as if everything were expanded. In a filtered tree the ancestors of a match are visible too, and
//! its descendants are collapsed.

use std::collections::HashSet;
use std::sync::Arc;

use ratatui::layout::Size;

use crate::engine::action::Action;
use crate::ui::grid::Grid;

pub trait Nesting {
    fn rows(&self) -> usize;

    fn parent(&self, row: usize) -> Option<usize>;

    /// The first row after the descendants of a row.
    fn end(&self, row: usize) -> usize;

    fn folds(&self, row: usize) -> bool {
        self.end(row) > row + 1
    }

    fn folding(&self) -> Vec<usize> {
        (0..self.rows()).filter(|row| self.folds(*row)).collect()
    }
}

/// A tree given by the depths of its rows.
#[derive(Clone, Debug, Default)]
pub struct DepthTree {
    parents: Vec<Option<usize>>,
    ends: Vec<usize>,
}

impl DepthTree {
    /// Builds the tree from the depths, in order; depths may skip levels.
    pub fn of(depths: impl Iterator<Item = u8>) -> Self {
        let (mut parents, mut ends) = (Vec::new(), Vec::new());
        // Ancestors of the next row, outermost first.
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

#[derive(Clone, Debug, Default)]
pub struct Folds {
    /// Collapsed rows of the unfiltered tree.
    pub closed: HashSet<usize>,
    /// Rows of the filtered tree that differ from its initial state.
    toggled: HashSet<usize>,
    /// Rows that were expanded to show the current match.
    peeked: Vec<usize>,
}

/// The matches of the filter, ascending; `None` where there is no filter.
pub type Matches<'f> = Option<&'f [usize]>;

/// Returns whether a descendant of `row` matches.
fn has_match_inside(tree: &dyn Nesting, found: &[usize], row: usize) -> bool {
    found.get(found.partition_point(|hit| *hit <= row)).is_some_and(|hit| *hit < tree.end(row))
}

impl Folds {
    /// Returns whether the children of a row are visible.
    pub fn is_open(&self, tree: &dyn Nesting, found: Matches<'_>, row: usize) -> bool {
        match found {
            None => !self.closed.contains(&row),
            // Paths to matches are expanded, everything else in them is collapsed.
            Some(found) => has_match_inside(tree, found, row) != self.toggled.contains(&row),
        }
    }

    /// Makes room for rows that were added to the unfiltered tree.
    pub fn insert(&mut self, at: usize, rows: usize) {
        self.closed = self.closed.iter().map(|row| if *row < at { *row } else { row + rows }).collect();
    }

    pub fn set(&mut self, tree: &dyn Nesting, found: Matches<'_>, row: usize, open: bool) {
        if self.is_open(tree, found, row) == open {
            return;
        }
        let set = if found.is_some() { &mut self.toggled } else { &mut self.closed };
        if !set.remove(&row) {
            set.insert(row);
        }
    }

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

    /// Expands the ancestors of a row; true where one was collapsed.
    pub fn open_path(&mut self, tree: &dyn Nesting, found: Matches<'_>, row: usize) -> bool {
        let above = std::iter::successors(tree.parent(row), |row| tree.parent(*row));
        let closed: Vec<usize> = above.filter(|row| !self.is_open(tree, found, *row)).collect();
        for row in &closed {
            self.set(tree, found, *row, true);
        }
        self.peeked.extend(&closed);
        !closed.is_empty()
    }

    /// Keeps the ancestors expanded that were expanded for the current match.
    pub fn keep_open(&mut self) {
        self.peeked.clear();
    }

    /// Collapses the ancestors again that were expanded for a match; true where there were any.
    pub fn close_peeked(&mut self, tree: &dyn Nesting, found: Matches<'_>) -> bool {
        let peeked = std::mem::take(&mut self.peeked);
        for row in &peeked {
            self.set(tree, found, *row, false);
        }
        !peeked.is_empty()
    }

    /// Resets the filtered tree to its initial state.
    fn reset_toggled(&mut self) {
        self.toggled.clear();
        self.peeked.clear();
    }

    pub fn visible_rows(&self, tree: &dyn Nesting, found: Matches<'_>) -> Vec<usize> {
        match found {
            None => self.open_rows(tree, None, 0..tree.rows()),
            Some(found) => self.matching_rows(tree, found),
        }
    }

    /// The rows of a range that have no collapsed ancestor within it.
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

    /// The matches, their ancestors, and the descendants that are expanded.
    fn matching_rows(&self, tree: &dyn Nesting, found: &[usize]) -> Vec<usize> {
        // Rows before `at` are done; `open` has the visible ancestors with their ends.
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
                // Paths to matches are expanded, everything else in them is collapsed.
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

/// The state of a list: its cursor, window and filter, which of its rows are collapsed, and the size of its pane.
#[derive(Clone, Default)]
pub struct ListState {
    pub grid: Grid,
    pub folds: Folds,
    /// The nesting of the rows; `None` for a list that does not fold.
    pub tree: Option<Arc<dyn Nesting + Send + Sync>>,
    pub size: Size,
}

impl ListState {
    pub fn new(grid: Grid) -> Self {
        Self { grid, ..Self::default() }
    }

    /// Rows of the tree; none of a list that does not fold.
    fn nested(&self) -> Option<(Arc<dyn Nesting + Send + Sync>, usize)> {
        let tree = self.tree.clone()?;
        let rows = tree.rows();
        Some((tree, rows))
    }

    /// Shows other rows, nested as they say, the same of them collapsed.
    pub fn set_tree(&mut self, tree: Arc<dyn Nesting + Send + Sync>) {
        self.tree = Some(tree);
        self.update_rows();
    }

    pub fn update_rows(&mut self) {
        let Some((tree, rows)) = self.nested() else { return };
        let shown = self.folds.visible_rows(&*tree, self.grid.list_filter.remaining());
        self.grid.apply(Some(Arc::new(shown)), rows);
    }

    /// Recomputes which descendants of a visible row are visible.
    fn update_inside(&mut self, row: usize) {
        let Some((tree, len)) = self.nested() else { return };
        let (None, Some(shown)) = (self.grid.list_filter.remaining(), self.grid.list_filter.shown()) else {
            return self.update_rows();
        };
        let end = tree.end(row);
        let old = shown.partition_point(|other| *other <= row)..shown.partition_point(|other| *other < end);
        let mut rows = shown.to_vec();
        rows.splice(old, self.folds.open_rows(&*tree, None, row..end).into_iter().skip(1));
        self.grid.apply(Some(Arc::new(rows)), len);
    }

    /// Shows the rows that match the filter, of a list of `rows`; `another` tells whether the filter has changed.
    pub fn apply_filter(&mut self, another: bool, rows: usize) {
        if self.tree.is_none() {
            let Grid { scroll, list_filter, .. } = &mut self.grid;
            return list_filter.apply_filter(scroll, rows);
        }
        if another {
            self.folds.reset_toggled();
        }
        self.update_rows();
    }

    /// Ancestors of a row, innermost first.
    fn above(&self, row: usize) -> impl Iterator<Item = usize> {
        let tree = self.tree.clone();
        let parent = move |row: &usize| tree.as_ref()?.parent(*row);
        std::iter::successors(parent(&row), parent)
    }

    /// Expands the ancestors of a row; true where one was collapsed.
    fn open_path(&mut self, row: usize) -> bool {
        self.tree.clone().is_some_and(|tree| self.folds.open_path(&*tree, self.grid.list_filter.remaining(), row))
    }

    /// Moves the cursor to a row, and expands its ancestors.
    pub fn reveal(&mut self, row: usize) {
        if self.tree.is_some() && self.grid.list_filter.line(row).is_none() && self.can_show(row) {
            // All that changes is below the outermost ancestor that was collapsed.
            let outermost = self.above(row).filter(|row| !self.is_open(*row)).last();
            self.open_path(row);
            self.folds.keep_open();
            if let Some(outermost) = outermost {
                self.update_inside(outermost);
            }
        }
        self.grid.show(Some(row));
    }

    /// Moves the cursor to a match: ancestors that were expanded for the previous one are collapsed again.
    pub fn peek(&mut self, row: usize) {
        if let Some(tree) = self.tree.clone() {
            let peeked = self.folds.close_peeked(&*tree, self.grid.list_filter.remaining());
            let opened = self.can_show(row) && self.open_path(row);
            if peeked || opened {
                self.update_rows();
            }
        }
        self.grid.reveal(row);
    }

    /// Returns whether a row can be made visible by expanding its ancestors.
    pub fn can_show(&self, row: usize) -> bool {
        self.grid.list_filter.remaining().is_none_or(|left| {
            let has_match = self.tree.as_ref().is_some_and(|tree| has_match_inside(&**tree, left, row));
            has_match || std::iter::once(row).chain(self.above(row)).any(|row| left.binary_search(&row).is_ok())
        })
    }

    /// Returns whether a row has others inside it.
    pub fn has_inside(&self, row: usize) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.folds(row))
    }

    pub fn is_open(&self, row: usize) -> bool {
        let open =
            |tree: &Arc<dyn Nesting + Send + Sync>| self.folds.is_open(&**tree, self.grid.list_filter.remaining(), row);
        self.tree.as_ref().is_none_or(open)
    }

    /// Performs an action on the folds; `None` where it is none, false where the row has nothing to fold.
    pub fn fold_by(&mut self, action: Action) -> Option<bool> {
        self.tree.as_ref()?;
        Some(match action {
            Action::Left => self.fold(Some(false)),
            Action::Right => self.fold(Some(true)),
            Action::Follow => self.fold(None),
            Action::ExpandAll | Action::CollapseAll => {
                self.fold_all(action == Action::ExpandAll);
                true
            }
            _ => return None,
        })
    }

    /// Expands or collapses the cursor's row; if it is so already, moves to its first child or to its parent. False
    /// where the row has no children to toggle.
    pub fn fold(&mut self, open: Option<bool>) -> bool {
        let (Some(row), Some(tree)) = (self.grid.row(), self.tree.clone()) else { return false };
        let folds = tree.folds(row);
        let is_open = folds && self.is_open(row);
        match open.unwrap_or(!is_open) {
            true if !folds => return open.is_some(),
            true if is_open => self.grid.scroll.select(self.grid.scroll.selected + 1),
            false if !is_open => {
                if let Some(above) = tree.parent(row) {
                    self.grid.reveal(above);
                }
            }
            open => {
                self.folds.set(&*tree, self.grid.list_filter.remaining(), row, open);
                self.folds.keep_open();
                self.update_inside(row);
            }
        }
        true
    }

    /// Expands or collapses all rows; the cursor moves to the nearest visible ancestor.
    fn fold_all(&mut self, open: bool) {
        let (row, Some(tree)) = (self.grid.row(), self.tree.clone()) else { return };
        self.folds.set_all(&*tree, self.grid.list_filter.remaining(), open);
        self.folds.keep_open();
        self.update_rows();
        let mut up = std::iter::successors(row, |row| tree.parent(*row));
        if let Some(shown) = up.find(|row| self.grid.list_filter.line(*row).is_some()) {
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
        // Depths that a damaged file could have: the first row is nested, and levels are skipped.
        let odd = DepthTree::of([3, 1, 5, 4].into_iter());
        assert_eq!((odd.parent(0), odd.parent(1), odd.parent(2), odd.parent(3)), (None, None, Some(1), Some(1)));
        assert_eq!(DepthTree::of(std::iter::empty()).rows(), 0);
    }

    #[test]
    fn rows_that_change_below_one_are_those_of_the_whole_tree() {
        let nested = Arc::new(tree());
        let closed = |bits: usize| (0..nested.rows()).filter(|row| bits >> row & 1 == 1).collect();
        for bits in 0..1 << nested.rows() {
            for row in 0..nested.rows() {
                let mut grid = ListState { tree: Some(nested.clone()), ..ListState::default() };
                grid.folds.closed = closed(bits);
                grid.update_rows();
                for fold in [None, Some(false), Some(true)] {
                    match fold {
                        None => grid.reveal(row),
                        fold => _ = grid.fold(fold),
                    }
                    let all = grid.folds.visible_rows(&*nested, None);
                    assert_eq!(grid.grid.list_filter.shown(), Some(&*all), "{bits:b} {row} {fold:?}");
                }
            }
        }
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
        // The children of a match are collapsed, and can be expanded.
        assert_eq!(folds.visible_rows(&tree, Some(&[0])), [0]);
        folds.set(&tree, Some(&[0]), 0, true);
        assert_eq!(folds.visible_rows(&tree, Some(&[0])), [0, 1, 4]);
        folds.set(&tree, Some(&[0]), 1, true);
        assert_eq!(folds.visible_rows(&tree, Some(&[0])), [0, 1, 2, 3, 4]);
        folds.reset_toggled();
        // A match inside of a match.
        assert_eq!(folds.visible_rows(&tree, Some(&[0, 3, 5])), [0, 1, 3, 5]);
        folds.set(&tree, Some(&[0, 3, 5]), 1, false);
        assert_eq!(folds.visible_rows(&tree, Some(&[0, 3, 5])), [0, 1, 5]);
        assert_eq!(folds.visible_rows(&tree, None), [0, 5], "without the filter everything is folded as it was");
    }
}
