//! The rows of a tree pane, and their nesting.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::ui::sort::Sort;
use crate::ui::text::width;
use crate::ui::tree::{DepthTree, Nesting};
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Row};

#[derive(Clone, Default)]
pub(super) struct TreeRows {
    pub(super) rows: Arc<Vec<Row>>,
    pub(super) nested: Arc<DepthTree>,
    pub(super) places: HashMap<Place, usize>,
    /// Depths that have collapsible rows, and those of them that also have others.
    pub(super) depths: HashSet<u8>,
    pub(super) mixed: HashSet<u8>,
    /// Cells that the rows take.
    pub(super) width: u16,
    /// Columns without a text in any row.
    pub(super) empty: Vec<usize>,
}

/// Cells of the sign of a row that folds.
const SIGN: usize = 2;
const MAX_MEASURED: usize = 2000;

/// Cells that rows take with their indentation and signs, and with gaps between columns.
fn width_of(rows: &[Row], whole: &dyn Fn(&Row) -> Row) -> u16 {
    let mut columns: Vec<usize> = Vec::new();
    let mut single_cell = 0;
    for row in rows.iter().take(MAX_MEASURED).map(whole) {
        let cell = |(index, cell): (usize, &Cell)| {
            let lead = if index == 0 { usize::from(row.depth) * 2 + SIGN } else { 0 };
            let beside = if cell.beside.is_empty() { 0 } else { width(&cell.beside) + 1 };
            lead + width(&cell.text) + beside
        };
        let cells: Vec<usize> = row.cells.iter().enumerate().map(cell).collect();
        if let [single] = cells[..] {
            single_cell = single.max(single_cell);
            continue;
        }
        columns.resize(columns.len().max(cells.len()), 0);
        columns.iter_mut().zip(cells).for_each(|(column, cell)| *column = cell.max(*column));
    }
    let gaps = 2 * columns.iter().filter(|column| **column > 0).count().saturating_sub(1);
    u16::try_from((columns.iter().sum::<usize>() + gaps).max(single_cell)).unwrap_or(u16::MAX)
}

/// Depth and text of a row, by which it is found in another version of the rows.
fn key(row: &Row) -> (u8, Option<String>) {
    (row.depth, row.cells.first().map(|cell| cell.text.clone()))
}

impl TreeRows {
    /// The rows; `whole` adds the cells to a row that it has not yet.
    pub(super) fn new(rows: Vec<Row>, columns: usize, whole: &dyn Fn(&Row) -> Row) -> Self {
        let width = width_of(&rows, whole);
        let has_text = |column: usize| {
            rows.iter().any(|row| whole(row).cells.get(column).is_some_and(|cell| !cell.text.is_empty()))
        };
        let empty = (1..columns).filter(|column| !has_text(*column)).collect();
        Self { width, empty, ..Self::of(rows) }
    }

    /// The rows, not measured.
    fn of(mut rows: Vec<Row>) -> Self {
        rows.shrink_to_fit();
        let nested = DepthTree::of(rows.iter().map(|row| row.depth));
        let mut places = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            if let Some(place) = row.place {
                places.entry(place).or_insert(index);
            }
        }
        let (folding, plain): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|index| nested.folds(*index));
        let depths: HashSet<u8> = folding.into_iter().map(|index| rows[index].depth).collect();
        let plain = plain.into_iter().map(|index| rows[index].depth);
        let mixed = plain.filter(|depth| depths.contains(depth)).collect();
        Self { rows: Arc::new(rows), nested: Arc::new(nested), places, depths, mixed, ..Self::default() }
    }

    /// The rows that are collapsed, if `closed` of `old` are: those of the same depth and text, and of those that could not be collapsed
    /// there the ones that `starts_closed` names.
    pub(super) fn closed_as(
        &self,
        old: &Self,
        closed: &HashSet<usize>,
        starts_closed: fn(&Row) -> bool,
    ) -> HashSet<usize> {
        let keys: HashSet<_> = closed.iter().filter_map(|index| old.rows.get(*index)).map(key).collect();
        let known: HashSet<_> = old.folding().map(|index| key(&old.rows[index])).collect();
        let is_closed = |index: &usize| {
            let (row, key) = (&self.rows[*index], key(&self.rows[*index]));
            keys.contains(&key) || !known.contains(&key) && starts_closed(row)
        };
        self.folding().filter(is_closed).collect()
    }

    /// The rows that have others inside them.
    fn folding(&self) -> impl Iterator<Item = usize> {
        (0..self.rows.len()).filter(|index| self.nested.folds(*index))
    }

    /// The order of the rows, sorted among their siblings: the number of each.
    pub(super) fn order(&self, sort: Sort, whole: &dyn Fn(&Row) -> Row) -> Vec<u32> {
        let mut out = Vec::with_capacity(self.rows.len());
        self.push_sorted(0..self.rows.len(), &|rows| sort.sorted(rows.iter().map(|row| whole(row))), &mut out);
        out
    }

    /// The same rows in an order, and the collapsed ones of them. The rows are moved, unless a search still reads them.
    pub(super) fn ordered(self, order: &[u32], closed: &HashSet<usize>) -> (Self, HashSet<usize>) {
        let mut rows = Arc::unwrap_or_clone(self.rows);
        let closed = (0..).zip(order).filter(|(_, row)| closed.contains(&(**row as usize))).map(|(line, _)| line);
        let closed = closed.collect();
        let rows = order.iter().map(|row| std::mem::take(&mut rows[*row as usize])).collect();
        (Self { width: self.width, empty: self.empty, ..Self::of(rows) }, closed)
    }

    /// Adds the rows of a range of siblings with what is inside them.
    fn push_sorted(&self, range: Range<usize>, sorted: &dyn Fn(&[&Row]) -> Vec<u32>, out: &mut Vec<u32>) {
        let first = (!range.is_empty()).then_some(range.start);
        let next = |row: &usize| Some(self.nested.end(*row)).filter(|end| range.contains(end));
        let siblings: Vec<usize> = std::iter::successors(first, next).collect();
        let rows: Vec<&Row> = siblings.iter().map(|row| &self.rows[*row]).collect();
        // Files and groups keep their order.
        let are_roots = rows.iter().all(|row| row.depth == 0);
        let order = if are_roots { (0..rows.len() as u32).collect() } else { sorted(&rows) };
        for row in order.into_iter().map(|index| siblings[index as usize]) {
            out.push(row as u32);
            self.push_sorted(row + 1..self.nested.end(row), sorted, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_folds_only_in_a_later_version_starts_closed_there() {
        let row = |depth, name: &str| Row { depth, ..Row::plain(vec![name.into()]) };
        let old = TreeRows::of(vec![row(0, "a"), row(1, "x"), row(0, "b")]);
        let new = TreeRows::of(vec![row(0, "a"), row(1, "x"), row(0, "b"), row(1, "y")]);
        let closed = |was: &[usize]| new.closed_as(&old, &was.iter().copied().collect(), |_| true);
        assert_eq!(closed(&[]), HashSet::from([2]), "`a` was opened, `b` had nothing in it");
        assert_eq!(closed(&[0]), HashSet::from([0, 2]));
    }

    #[test]
    fn rows_are_sorted_among_their_siblings() {
        let row = |depth, name: &str, size: &str| Row { depth, ..Row::plain(vec![name.into(), size.into()]) };
        let rows = vec![row(0, "b", "1"), row(1, "x", "5"), row(2, "y", "1"), row(1, "z", "70"), row(0, "a", "9")];
        let rows = TreeRows::of(rows);
        let sorted = |descending| {
            let (rows, closed) =
                rows.clone().ordered(&rows.order(Sort { column: 1, descending }, &Row::clone), &HashSet::from([0, 3]));
            let names = rows.rows.iter().enumerate().map(|(at, row)| {
                if closed.contains(&at) { row.cells[0].text.to_uppercase() } else { row.cells[0].text.clone() }
            });
            names.collect::<String>()
        };
        assert_eq!((sorted(true).as_str(), sorted(false).as_str()), ("BZxya", "BxyZa"), "closed rows stay so");
    }
}
