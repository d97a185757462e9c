//! Binary search in tables whose rows are sorted by a column (ECMA-335 II.22).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::tables::Table;

/// The results of all keys are read in one pass after one search for every 32 rows: a binary search reads about as many cells. A single
/// lookup in a large file makes far fewer, and reads only the blocks that it needs.
const ROWS_PER_SEARCH: u32 = 32;
const MIN_SEARCHES: u32 = 64;
/// Keys whose results are kept, of four bytes each; tables of compilers have lower ones.
const MAX_KEYS: u32 = 1 << 20;

/// Results of [`Table::lower_bound`] in one column of one table, for reading many rows.
#[derive(Debug, Default)]
pub struct LowerBounds {
    /// First row by key, up to the last key of the column; none if the keys are not in order, where only a search tells.
    rows: OnceLock<Vec<u32>>,
    searches: AtomicU32,
}

impl LowerBounds {
    /// Returns what [`Table::lower_bound`] does; `table` and `column` are the same in each call.
    pub fn lower_bound(&self, table: Table<'_>, column: usize, key: u32) -> u32 {
        let row = self.rows(table, column).get(key as usize);
        row.copied().unwrap_or_else(|| table.lower_bound(column, key))
    }

    /// Returns what [`Table::equal_range`] does.
    pub fn equal_range(&self, table: Table<'_>, column: usize, key: u32) -> std::ops::Range<u32> {
        match self.rows(table, column).get(key as usize..) {
            Some([start, end, ..]) => *start..*end,
            _ => table.equal_range(column, key),
        }
    }

    /// First row by key; none before many were asked for.
    fn rows(&self, table: Table<'_>, column: usize) -> &[u32] {
        match self.rows.get() {
            Some(rows) => rows,
            None if self.searches.fetch_add(1, Ordering::Relaxed) < max_searches(table) => &[],
            None => self.rows.get_or_init(|| first_rows(table, column)),
        }
    }
}

fn max_searches(table: Table<'_>) -> u32 {
    MIN_SEARCHES.max(table.rows() / ROWS_PER_SEARCH)
}

fn first_rows(table: Table<'_>, column: usize) -> Vec<u32> {
    if !table.rises(column) {
        return Vec::new();
    }
    let (mut rows, cells) = (Vec::new(), table.column(column));
    for row in 1..=table.rows() {
        let keys = cells.get(row).map_or(0, |cell| cell.min(MAX_KEYS) as usize + 1);
        if keys > rows.len() {
            rows.resize(keys, row);
        }
    }
    rows
}

impl Table<'_> {
    /// Binary search in a table sorted by `column`: the first row whose cell is at least `key`, or one past the last
    /// row.
    pub fn lower_bound(&self, column: usize, key: u32) -> u32 {
        self.lower_bound_in(column, key, 1, self.rows() + 1)
    }

    /// First of the rows from `low` to `high` (exclusive) whose cell is at least `key`, or `high`.
    fn lower_bound_in(&self, column: usize, key: u32, mut low: u32, mut high: u32) -> u32 {
        let cells = self.column(column);
        while low < high {
            let middle = low + (high - low) / 2;
            if cells.get(middle).is_some_and(|cell| cell < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// First row from `low` on whose cell is at least `key`, where that is near.
    fn end_of_run(&self, column: usize, key: u32, mut low: u32) -> u32 {
        let (cells, end) = (self.column(column), self.rows() + 1);
        let mut high = low;
        for step in (0..u32::BITS).map(|bit| 1 << bit) {
            if high >= end || cells.get(high).is_none_or(|cell| cell >= key) {
                break;
            }
            (low, high) = (high + 1, end.min(high.saturating_add(step)));
        }
        self.lower_bound_in(column, key, low, high)
    }

    /// Binary search in a table sorted by `column`: the rows whose cell equals `key`.
    pub fn equal_range(&self, column: usize, key: u32) -> std::ops::Range<u32> {
        let start = self.lower_bound(column, key);
        // Few rows have the same key: the end is sought in steps that double.
        let end = key.checked_add(1).map_or(self.rows() + 1, |next| self.end_of_run(column, next, start));
        start..end
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bytes::{Region, SpaceId};
    use crate::formats::metadata::{TableId, Tables};

    /// NestedClass with these inner types, in a stream of its own.
    fn nested(inner: &[u16]) -> Tables {
        let mut bytes = vec![0; 24];
        bytes[8..16].copy_from_slice(&(1_u64 << TableId::NESTED_CLASS.0).to_le_bytes());
        bytes.extend((inner.len() as u32).to_le_bytes());
        bytes.extend(inner.iter().flat_map(|row| [row.to_le_bytes(), [1, 0]].concat()));
        Tables::parse(Region::whole(SpaceId(0), Arc::new(bytes)), &[0; 64], false).unwrap()
    }

    #[test]
    fn kept_results_are_those_of_a_search() {
        for inner in [&[][..], &[0], &[2, 2, 3, 7, 7, 7, 9], &[1, 2, 3], &[5, 4, 9, 1, 9]] {
            let (tables, bounds) = (nested(inner), LowerBounds::default());
            let table = tables.get(TableId::NESTED_CLASS);
            assert_eq!(table.rows() as usize, inner.len());
            // Searched first, then read; and keys past the last, which are searched always.
            for _ in 0..10 {
                for key in (0..12).chain([MAX_KEYS, u32::MAX]) {
                    assert_eq!(bounds.lower_bound(table, 0, key), table.lower_bound(0, key), "{inner:?} {key}");
                    assert_eq!(bounds.equal_range(table, 0, key), table.equal_range(0, key), "{inner:?} {key}");
                }
            }
            assert!(bounds.rows.get().is_some());
        }
    }
}
