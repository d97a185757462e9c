//! The tables stream (ECMA-335 II.24.2.6): `#~`, or `#-` for uncompressed metadata of Edit and Continue.
//!
//! The header lists the tables and their row counts; the rows follow, table by table. The width of a column depends on
//! the sizes of heaps and of other tables; for tables of the image, a portable PDB has their row counts in its `#Pdb`
//! stream.

use std::sync::{LazyLock, OnceLock};

use super::column::{Column, cell_value};
use super::pointer_table;
use super::schema::{CodedIndex, ColumnDef, ColumnKind, TABLE_COUNT, TABLES, TableId, Token};
use crate::bytes::{Cursor, DECODED_TOKEN, Error, ErrorKind, Recorder, Region, Result, Span, fields};

/// Bits of `HeapSizes` (ECMA-335 II.24.2.6).
const HEAP_SIZE_FLAGS: &[(u64, &str)] = &[
    (0x01, "4-byte offsets into #Strings"),
    (0x02, "4-byte numbers of #GUID"),
    (0x04, "4-byte offsets into #Blob"),
    (0x08, "padded"),
    (0x20, "only what was edited"),
    (0x40, "extra data"),
    (0x80, "deleted items are marked"),
];

fields! {
    /// The header of the tables stream: the tables that the metadata has, and their row counts.
    TABLES_HEADER: "tables header";
    /// Reserved; must be 0.
    RESERVED: "reserved";
    /// 2 since generics were added (.NET 2.0).
    MAJOR_VERSION: "major version";
    /// Reserved; must be 0.
    MINOR_VERSION: "minor version";
    /// Flags of heaps with 4-byte indexes; an index into a heap without its flag takes 2 bytes.
    HEAP_SIZES: "heap sizes" as Flags(HEAP_SIZE_FLAGS);
    /// The number of bits of the greatest row number; readers ignore it.
    ROW_ID_BITS: "row id bits";
    /// One bit for each table that has rows, by table number; the row counts of these tables follow.
    VALID: "valid" as Hex;
    /// One bit for each table whose rows are sorted by their key, so that they can be searched.
    SORTED: "sorted" as Hex;
    /// Four undocumented bytes that a flag of the heap sizes announces.
    EXTRA_DATA: "extra data" as Hex;
    /// The row count of a table that no version of the format has.
    UNKNOWN_ROWS: "rows of an unknown table";
}

/// Bit of `HeapSizes` that says that four more bytes follow the row counts.
pub(super) const EXTRA_DATA_FLAG: u8 = 0x40;
/// Size of a header with the row counts of all tables, in bytes.
const MAX_HEADER: u64 = 24 + 4 * TABLE_COUNT as u64 + 4;
/// Row counts, indexed by table number.
pub type RowCounts = [u32; TABLE_COUNT];

/// Layout of the tables stream.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct Tables {
    region: Region,
    /// From the start of the stream up to the first row.
    pub header: Span,
    /// Bits for heaps with 4-byte offsets, and other flags.
    pub heap_sizes: u8,
    /// Bit mask of the tables that are present.
    pub valid: u64,
    /// Bit mask of the tables that are marked as sorted.
    pub sorted: u64,
    /// End of the last row that the header claims, from the start of the stream.
    rows_end: u64,
    layouts: Vec<TableLayout>,
    pub problems: Vec<Error>,
}

#[derive(Clone, Debug, Default)]
struct TableLayout {
    /// Number of rows whose bytes are in the stream.
    rows: u32,
    /// Offset from the start of the stream.
    offset: u64,
    region: Region,
    row_size: u32,
    columns: Vec<Placed>,
}

impl TableLayout {
    fn of(widths: &Widths<'_>, columns: &[ColumnDef], claimed: u32, offset: u64, stream: &Region) -> TableLayout {
        let mut at = 0_u8;
        let columns = columns
            .iter()
            .map(|column| {
                let width = widths.width(column.kind);
                let offset = at;
                at = offset.saturating_add(width);
                Placed { offset, width, rises: OnceLock::new() }
            })
            .collect();
        let room = stream.len().saturating_sub(offset).checked_div(at.max(1).into()).unwrap_or_default();
        let rows = claimed.min(room as u32);
        let region = stream.clip(offset, rows as u64 * at as u64);
        TableLayout { rows, offset, region, row_size: at as u32, columns }
    }
}

/// Layout of a column.
#[derive(Clone, Debug, Default)]
struct Placed {
    /// Offset from the start of the row.
    offset: u8,
    width: u8,
    /// Result of [`Table::rises`], computed on first use.
    rises: OnceLock<bool>,
}

/// Sizes that the width of a column depends on (ECMA-335 II.24.2.6): 2 bytes, or 4 where a heap or a table is too large for that.
struct Widths<'a> {
    counts: &'a RowCounts,
    heap_sizes: u8,
    minimal: bool,
}

impl Widths<'_> {
    fn width(&self, kind: ColumnKind) -> u8 {
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
        count(table).max(pointer_table(table).map_or(0, count))
    }
}

/// A table of a file.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    pub id: TableId,
    tables: &'a Tables,
    layout: &'a TableLayout,
}

impl Tables {
    /// Reads the header of the stream `region` and computes the layout of each table.
    ///
    /// `external` has the row counts of tables that are in another file. In a `minimal` delta (one with a `#JTD`
    /// stream) every index takes 4 bytes.
    pub fn parse(region: Region, external: &RowCounts, minimal: bool) -> Result<Self> {
        let mut cursor = region.near(0, MAX_HEADER).cursor();
        let read = header(&mut cursor)?;
        let header = cursor.since(region.span().start);
        Ok(Self::laid_out(region, header, &read, external, minimal))
    }

    pub(super) fn laid_out(
        region: Region,
        header: Span,
        read: &TablesContent,
        external: &RowCounts,
        minimal: bool,
    ) -> Self {
        let TablesContent { heap_sizes, valid, sorted, rows } = *read;
        let mut tables = Self { region, header, heap_sizes, valid, sorted, ..Self::default() };
        let mut counts = *external;
        for (count, own) in counts.iter_mut().zip(&rows) {
            *count = if *own > 0 { *own } else { *count };
        }
        let widths = Widths { counts: &counts, heap_sizes, minimal };
        let mut offset = header.len;
        for (number, claimed) in rows.iter().copied().enumerate() {
            let layout = match TABLES.get(number).and_then(Option::as_ref) {
                Some(def) => TableLayout::of(&widths, def.columns, claimed, offset, &tables.region),
                None => TableLayout { offset, ..TableLayout::default() },
            };
            // Tables after the first one that is cut or unknown are only counted: their offsets are wrong for the same reason.
            let is_first = tables.problems.is_empty();
            if !is_first {
                tables.push_after(claimed);
            } else if claimed > 0 && layout.row_size == 0 {
                let sentence = "a table that no version of the format has: the tables after it cannot be found";
                tables.problems.push(Error::invalid(sentence, header));
                offset = tables.region.len();
            } else if layout.rows < claimed {
                let span = tables.region.span().part(layout.offset, tables.region.len().saturating_sub(layout.offset));
                let size = claimed as u64 * layout.row_size as u64;
                let kind = ErrorKind::PastEnd { what: TableId(number as u8).name(), size, left: span.len };
                tables.problems.push(Error::new(kind, span));
            }
            offset += claimed as u64 * layout.row_size as u64;
            tables.layouts.push(layout);
        }
        tables.rows_end = offset;
        let rest = tables.region.len().saturating_sub(offset);
        if rest > 0 && !tables.fit() {
            let kind = ErrorKind::Leftover { after: "the last row of the tables", bytes: rest };
            tables.problems.push(Error::new(kind, tables.region.span().part(offset, rest)));
        }
        tables
    }

    /// Counts a table after the first one that is cut.
    fn push_after(&mut self, claimed: u32) {
        if claimed == 0 {
            return;
        }
        let Some(first) = self.problems.last_mut() else { return };
        match first.kind {
            ErrorKind::PastEnd { what, size, left } => {
                first.kind = ErrorKind::TablesPastEnd { what, size, left, after: 1 };
            }
            ErrorKind::TablesPastEnd { ref mut after, .. } => *after += 1,
            _ => {}
        }
    }

    /// Returns true if all rows are in the stream, and nothing but zeros is after them.
    pub(super) fn fit(&self) -> bool {
        let Some(rest) = self.region.len().checked_sub(self.rows_end) else { return false };
        self.region.near(self.rows_end, rest).data.iter().all(|byte| *byte == 0)
    }

    /// Returns the greatest row count of a table that claims `said` rows with which all rows would be in the stream.
    pub(super) fn most_rows(&self, id: TableId, said: u32) -> Option<u32> {
        let size = self.layouts.get(id.0 as usize)?.row_size as u64;
        let others = self.rows_end.checked_sub(size * said as u64)?;
        self.region.len().checked_sub(others)?.checked_div(size)?.try_into().ok()
    }

    /// Number of rows of a table.
    #[inline]
    pub fn rows(&self, id: TableId) -> u32 {
        self.layouts.get(id.0 as usize).map_or(0, |layout| layout.rows)
    }

    /// Returns a table; an absent one is empty.
    #[inline]
    pub fn get(&self, id: TableId) -> Table<'_> {
        static EMPTY: LazyLock<TableLayout> = LazyLock::new(TableLayout::default);
        Table { id, tables: self, layout: self.layouts.get(id.0 as usize).unwrap_or_else(|| &EMPTY) }
    }

    /// Tables that have rows, by number.
    pub fn present(&self) -> impl Iterator<Item = Table<'_>> {
        TableId::all().map(|id| self.get(id)).filter(|table| table.rows() > 0)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TablesContent {
    pub(super) heap_sizes: u8,
    pub(super) valid: u64,
    pub(super) sorted: u64,
    pub(super) rows: RowCounts,
}

pub(super) fn header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<TablesContent> {
    cursor.group(&TABLES_HEADER, |cursor| {
        cursor.u32(&RESERVED)?;
        cursor.u8(&MAJOR_VERSION)?;
        cursor.u8(&MINOR_VERSION)?;
        let heap_sizes = cursor.u8(&HEAP_SIZES)?;
        cursor.u8(&ROW_ID_BITS)?;
        let (valid, sorted) = (cursor.u64(&VALID)?, cursor.u64(&SORTED)?);
        let rows = row_counts(cursor, valid)?;
        if heap_sizes & EXTRA_DATA_FLAG != 0 {
            cursor.u32(&EXTRA_DATA)?;
        }
        Ok(TablesContent { heap_sizes, valid, sorted, rows })
    })
}

/// Reads the row count of each table in `valid`.
pub(super) fn row_counts<N: Recorder>(cursor: &mut Cursor<'_, N>, valid: u64) -> Result<RowCounts> {
    let mut rows = [0; TABLE_COUNT];
    for (number, count) in rows.iter_mut().enumerate() {
        if valid >> number & 1 != 0 {
            let doc = TABLES.get(number).and_then(Option::as_ref).map_or(&UNKNOWN_ROWS, |def| &def.doc);
            *count = cursor.u32(doc)?;
        }
    }
    Ok(rows)
}

/// Decodes the header of a tables stream; the recorded fields tile [`Tables::header`].
pub fn explain_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    header(cursor).map(|_| ())
}

impl<'a> Table<'a> {
    /// Number of rows that can be read.
    pub const fn rows(&self) -> u32 {
        self.layout.rows
    }

    /// Size of a row in bytes.
    pub const fn row_size(&self) -> u32 {
        self.layout.row_size
    }

    /// Returns true if the header marks the table as sorted by its key.
    pub const fn is_sorted(&self) -> bool {
        self.tables.sorted >> self.id.0 & 1 != 0
    }

    /// Columns; none for an unassigned table number.
    pub fn columns(&self) -> &'static [ColumnDef] {
        self.id.def().map_or(&[], |def| def.columns)
    }

    /// Span of all rows.
    pub fn span(&self) -> Span {
        self.tables.region.span().part(self.layout.offset, self.layout.region.len())
    }

    /// Span of a row, which counts from 1.
    pub fn row_span(&self, row: u32) -> Result<Span> {
        let index = self.index(row)?;
        let size = self.layout.row_size as u64;
        Ok(self.span().part(index * size, size))
    }

    /// Span of a cell.
    pub fn cell_span(&self, row: u32, column: usize) -> Result<Span> {
        let (offset, width) = self.placed(column);
        Ok(self.row_span(row)?.part(offset as u64, width as u64))
    }

    /// Value of a cell, zero-extended.
    #[inline]
    pub fn cell(&self, row: u32, column: usize) -> Result<u32> {
        self.index(row)?;
        let value = self.column(column).get(row);
        value.ok_or_else(|| self.no_such_column())
    }

    /// Returns the first cells of a row in one read; `None` past the last row. Without `zip`, which the compiler does not inline here.
    #[inline]
    pub(crate) fn first_cells<const N: usize>(&self, row: u32) -> Option<[u32; N]> {
        let size = self.layout.row_size as u64;
        let at = (row as u64).checked_sub(1)?.checked_mul(size)?;
        let bytes = self.layout.region.near(at, size).data;
        let (mut cells, placed) = ([0; N], self.layout.columns.first_chunk::<N>()?);
        for (index, cell) in cells.iter_mut().enumerate() {
            let placed = placed.get(index)?;
            *cell = cell_value(bytes.get(placed.offset as usize..)?, placed.width)?;
        }
        Some(cells)
    }

    /// Returns the first cells of a row in one read; the errors are those of [`Self::cell`].
    #[inline]
    pub fn cells<const N: usize>(&self, row: u32) -> Result<[u32; N]> {
        self.index(row)?;
        self.first_cells(row).ok_or_else(|| self.no_such_column())
    }

    #[cold]
    fn no_such_column(&self) -> Error {
        Error::invalid("the table has no such column", self.span())
    }

    /// Returns a column, for reading many of its cells.
    #[inline]
    pub fn column(&self, column: usize) -> Column<'a> {
        let (offset, width) = self.placed(column);
        Column::new(&self.layout.region, offset, self.layout.row_size as usize, width)
    }

    /// Offset and width of a column.
    #[inline]
    fn placed(&self, column: usize) -> (u8, u8) {
        self.layout.columns.get(column).map_or((0, 0), |placed| (placed.offset, placed.width))
    }

    /// Returns true if no cell of the column is less than the one before, as in keys and list columns of a valid table.
    ///
    /// The first call reads the whole column.
    pub fn rises(&self, column: usize) -> bool {
        let Some(placed) = self.layout.columns.get(column) else { return true };
        *placed.rises.get_or_init(|| {
            let cells = self.column(column);
            (2..=self.rows()).all(|row| cells.get(row.saturating_sub(1)) <= cells.get(row))
        })
    }

    /// Decodes a row; records a field for each column.
    pub fn explain<N: Recorder>(&self, cursor: &mut Cursor<'_, N>) -> Result<()> {
        cursor.group(self.id.doc(), |cursor| {
            for (column, placed) in self.columns().iter().zip(&self.layout.columns) {
                let value = match placed.width {
                    1 => cursor.u8(&column.doc).map(u32::from),
                    2 => cursor.u16(&column.doc).map(u32::from),
                    _ => cursor.u32(&column.doc),
                }?;
                if let ColumnKind::Coded(index) = column.kind
                    && let Some((table, row)) = index.decode(value).filter(|(_, row)| *row > 0)
                {
                    cursor.changed(&DECODED_TOKEN, None, Token::new(table, row).0);
                }
            }
            Ok(())
        })
    }

    fn index(&self, row: u32) -> Result<u64> {
        if row == 0 || row > self.rows() {
            let end = Span::new(self.span().space, self.span().end(), 0);
            return Err(Error::no_such("row", row, self.rows() as u64, end));
        }
        Ok(row as u64 - 1)
    }
}
