//! Search in tables whose rows are sorted by a column (ECMA-335 II.22).

use std::num::NonZero;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::tables::Table;

/// The results of all keys are read in one pass after one search for every 32 rows: a search reads about as many cells. A single
/// lookup in a large file makes far fewer, and reads only the blocks that it needs.
const ROWS_PER_SEARCH: u32 = 32;
const MIN_SEARCHES: u32 = 64;
/// Keys whose results are kept, of four bytes each; tables of compilers have lower ones.
const MAX_KEYS: u32 = 1 << 20;

/// Results of [`Table::lower_bound`] in one column of one table, for reading many rows.
///
/// Keys that are coded indexes of `TAG` bits have a table in their lowest bits: results are kept by the row above these.
#[derive(Debug, Default)]
pub struct LowerBounds<const TAG: u32 = 0> {
    /// First row by key without its tag, up to the last of the column; none if the keys are not in order, where only a search tells.
    rows: OnceLock<Vec<u32>>,
    searches: AtomicU32,
}

impl LowerBounds {
    /// Returns what [`Table::lower_bound`] does; `table` and `column` are the same in each call.
    pub fn lower_bound(&self, table: Table<'_>, column: usize, key: u32) -> u32 {
        let row = self.rows(table, column).get(key as usize);
        row.copied().unwrap_or_else(|| table.lower_bound(column, key))
    }
}

impl<const TAG: u32> LowerBounds<TAG> {
    /// Returns what [`Table::equal_range`] does; `table` and `column` are the same in each call.
    pub fn equal_range(&self, table: Table<'_>, column: usize, key: u32) -> Range<u32> {
        let Some([start, end, ..]) = self.rows(table, column).get((key >> TAG) as usize..) else {
            return table.equal_range(column, key);
        };
        // Few rows differ in the tag alone.
        let cells = table.column(column);
        let is_before = |row: &u32| TAG > 0 && cells.get(*row).is_some_and(|cell| cell < key);
        let is_equal = |row: &u32| TAG == 0 || cells.get(*row) == Some(key);
        let first = (*start..*end).find(|row| !is_before(row)).unwrap_or(*end);
        first..(first..*end).find(|row| !is_equal(row)).unwrap_or(*end)
    }

    /// First row by key without its tag; none before many were asked for.
    fn rows(&self, table: Table<'_>, column: usize) -> &[u32] {
        match self.rows.get() {
            Some(rows) => rows,
            None if self.searches.fetch_add(1, Ordering::Relaxed) < max_searches(table) => &[],
            None => self.rows.get_or_init(|| first_rows(table, column, TAG)),
        }
    }
}

fn max_searches(table: Table<'_>) -> u32 {
    MIN_SEARCHES.max(table.rows() / ROWS_PER_SEARCH)
}

fn first_rows(table: Table<'_>, column: usize, tag: u32) -> Vec<u32> {
    if !table.rises(column) {
        return Vec::new();
    }
    let cells = table.column(column);
    let keys = |row: u32| cells.get(row).map_or(0, |cell| (cell >> tag).min(MAX_KEYS) as usize + 1);
    let mut rows = Vec::with_capacity(keys(table.rows()));
    for row in 1..=table.rows() {
        let keys = keys(row);
        if keys > rows.len() {
            rows.resize(keys, row);
        }
    }
    rows
}

impl Table<'_> {
    /// Search in a table sorted by `column`: the first row whose cell is at least `key`, or one past the last row.
    pub fn lower_bound(&self, column: usize, key: u32) -> u32 {
        self.lower_bound_near(column, key, self.expected_row(column, key))
    }

    /// The row where `key` would be if keys rose evenly from 0 to the last one, corrected by the key that is there. In a large file, a
    /// search from this row reads two or three blocks; one that halves the table reads a block in each of its first steps.
    fn expected_row(&self, column: usize, key: u32) -> u32 {
        let (cells, rows) = (self.column(column), self.rows());
        let last = cells.get(rows).and_then(NonZero::new).unwrap_or(NonZero::<u32>::MIN);
        let even = |key: u32| (u64::from(rows) * u64::from(key.min(last.get())) / NonZero::<u64>::from(last)) as i64;
        let within = |row: i64| row.clamp(1, rows.max(1).into()) as u32;
        let row = within(even(key));
        let error = cells.get(row).map_or(0, |cell| even(key) - even(cell));
        within(i64::from(row) + error)
    }

    /// The first row whose cell is at least `key`, sought from `row` on, up or down, in steps that double.
    fn lower_bound_near(&self, column: usize, key: u32, mut row: u32) -> u32 {
        let cells = self.column(column);
        let is_before = |row: u32| cells.get(row).is_some_and(|cell| cell < key);
        let end = self.rows().saturating_add(1);
        let (mut low, mut high) = (1, end);
        for step in (0..u32::BITS).map(|bit| 1 << bit) {
            if !(low..high).contains(&row) || low > 1 && high < end {
                break;
            }
            if is_before(row) {
                low = row.saturating_add(1);
                row = row.saturating_add(step);
            } else {
                high = row;
                row = row.saturating_sub(step);
            }
        }
        while low < high {
            let middle = low.saturating_add(high.saturating_sub(low) / 2);
            if is_before(middle) {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        low
    }

    /// Search in a table sorted by `column`: the rows whose cell equals `key`.
    pub fn equal_range(&self, column: usize, key: u32) -> Range<u32> {
        let start = self.lower_bound(column, key);
        // Few rows have the same key, and none after the last row.
        let next = if start <= self.rows() { key.checked_add(1) } else { None };
        let end = next.map_or(self.rows().saturating_add(1), |next| self.lower_bound_near(column, next, start));
        // Of keys that are not in order, the search may go to a row before the start.
        start..end.max(start)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bytes::{Region, SpaceId};
    use crate::metadata::{TableId, Tables};

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
            let (tables, bounds, tagged) = (nested(inner), <LowerBounds>::default(), LowerBounds::<2>::default());
            let table = tables.get(TableId::NESTED_CLASS);
            assert_eq!(table.rows() as usize, inner.len());
            // Searched first, then read; and keys past the last, which are searched always.
            for _ in 0..10 {
                for key in (0..12).chain([MAX_KEYS, u32::MAX]) {
                    assert_eq!(bounds.lower_bound(table, 0, key), table.lower_bound(0, key), "{inner:?} {key}");
                    let range = table.equal_range(0, key);
                    assert_eq!(bounds.equal_range(table, 0, key), range, "{inner:?} {key}");
                    let found = tagged.equal_range(table, 0, key);
                    assert!(found == range || found.is_empty() && range.is_empty(), "{inner:?} {key} {found:?}");
                }
            }
            assert!(bounds.rows.get().is_some() && tagged.rows.get().is_some());
        }
    }

    #[test]
    fn rows_are_found_however_the_keys_are_spread() {
        let spreads: [fn(u16) -> u16; 6] = [
            |row| row,
            |row| row / 7 * 5,
            |row| row / 900,
            |row| (row as u32 * row as u32 / 100) as u16,
            |_| 9,
            |row| {
                if row < 1990 { row / 100 } else { 60_000 + row }
            },
        ];
        for (index, spread) in spreads.iter().enumerate() {
            let inner: Vec<u16> = (0..2000).map(spread).collect();
            let tables = nested(&inner);
            let table = tables.get(TableId::NESTED_CLASS);
            for key in (0..=u16::MAX).step_by(3).chain(inner.iter().copied()) {
                let (start, end) =
                    (inner.partition_point(|cell| *cell < key) + 1, inner.partition_point(|cell| *cell <= key) + 1);
                assert_eq!(table.equal_range(0, key.into()), start as u32..end as u32, "{index}: {key}");
            }
        }
    }
}
