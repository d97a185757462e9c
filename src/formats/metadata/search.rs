//! Binary search in tables whose rows are sorted by a column (ECMA-335 II.22).

use super::tables::Table;

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
