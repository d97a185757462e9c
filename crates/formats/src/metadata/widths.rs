//! Widths of the columns (ECMA-335 II.24.2.6): 2 bytes, or 4 where a heap or a table is too large for that.

use super::schema::{CodedIndex, ColumnKind, TableId};
use super::tables::RowCounts;

/// Sizes that the width of a column depends on.
pub(super) struct Widths<'a> {
    pub(super) counts: &'a RowCounts,
    pub(super) heap_sizes: u8,
    pub(super) minimal: bool,
}

impl Widths<'_> {
    /// Width of a column in bytes.
    pub(super) fn width(&self, kind: ColumnKind) -> u8 {
        let wide = match kind {
            ColumnKind::Fixed(bytes) => return bytes,
            ColumnKind::String => self.heap_sizes & 0x01 != 0,
            ColumnKind::Guid => self.heap_sizes & 0x02 != 0,
            ColumnKind::Blob => self.heap_sizes & 0x04 != 0,
            ColumnKind::Row(table) | ColumnKind::List(table) => self.rows(table) > 0xffff,
            ColumnKind::Coded(CodedIndex { bits, tables, .. }) => {
                tables.iter().flatten().any(|table| self.rows(*table) > 0xffff >> bits)
            }
        };
        if wide || self.minimal { 4 } else { 2 }
    }

    /// Returns the row count that a list column refers to: in an uncompressed stream that of the pointer table, if it
    /// has rows.
    fn rows(&self, table: TableId) -> u32 {
        let count = |id: TableId| self.counts.get(id.0 as usize).copied().unwrap_or(0);
        let pointers = match table {
            TableId::FIELD => count(TableId::FIELD_PTR),
            TableId::METHOD_DEF => count(TableId::METHOD_PTR),
            TableId::PARAM => count(TableId::PARAM_PTR),
            TableId::EVENT => count(TableId::EVENT_PTR),
            TableId::PROPERTY => count(TableId::PROPERTY_PTR),
            _ => 0,
        };
        count(table).max(pointers)
    }
}
