//! ECMA-335 metadata (II.24), which describes an assembly and which portable PDBs are made of.
//!
//! A root lists streams: the tables (`#~`), four heaps, and in a portable PDB `#Pdb`. Tables, columns and coded indexes
//! are data ([`schema`]); rows are decoded cell by cell on demand.

mod column;
mod flags;
pub mod heaps;
pub mod repair;
pub mod root;
pub mod schema;
mod search;
pub mod tables;

pub use column::Column;
pub use heaps::{Heap, Heaps};
pub use root::{Root, StreamHeader};
pub use schema::{ColumnKind, TABLE_COUNT, TableId, Token};
pub use search::LowerBounds;
pub use tables::{RowCounts, Table, Tables};

use crate::bytes::{Error, ErrorKind, Guid, Result, Slice};

/// Length above which [`Metadata::list`] requires that the whole column is in order.
const MAX_UNCHECKED_ROWS: u32 = 1024;

/// Metadata of an image or a portable PDB.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Metadata {
    pub root: Root,
    pub heaps: Heaps,
    pub tables: Tables,
}

/// The greatest row of the method table that is believed of symbols with `methods` methods. Each row may be asked for, so that
/// one token in a small file must not name millions.
pub fn max_method_row(methods: usize) -> u32 {
    (methods as u64 * 16 + (1 << 16)).min(0x00ff_ffff) as u32
}

impl Metadata {
    /// Reads heaps and tables. `external` has the row counts of tables that are in another file.
    pub fn parse(root: Root, external: &RowCounts) -> Self {
        let stream = |name: &str| root.stream(name).map(|stream| stream.region.clone()).unwrap_or_default();
        let heaps = Heaps {
            strings: stream("#Strings"),
            user_strings: stream("#US"),
            guids: stream("#GUID"),
            blobs: stream("#Blob"),
        };
        let (mut tables, mut failed) = (Tables::default(), None);
        if let Some(found) = root.table_stream() {
            match Tables::parse(found.region.clone(), external, root.stream("#JTD").is_some()) {
                Ok(read) => tables = read,
                Err(_) if root.is_misplaced(&found.name) => {}
                Err(error) => failed = Some(error),
            }
            if root.is_misplaced(&found.name) {
                tables.problems.retain(|problem| !matches!(problem.kind, ErrorKind::Leftover { .. }));
            }
        } else {
            failed = Some(Error::invalid("the metadata has no table stream", root.span));
        }
        tables.problems.extend(failed);
        let missing = missing_heaps(&root, &tables);
        tables.problems.extend(missing);
        Self { root, heaps, tables }
    }

    /// Returns a table; an absent one is empty.
    #[inline]
    pub fn table(&self, id: TableId) -> Table<'_> {
        self.tables.get(id)
    }

    /// Number of rows of a table.
    #[inline]
    pub fn rows(&self, id: TableId) -> u32 {
        self.tables.rows(id)
    }

    /// Returns the string that a cell of a `#Strings` column refers to.
    pub fn string_cell(&self, id: TableId, row: u32, column: usize) -> Result<Slice<'_>> {
        self.string_at(self.table(id).cell(row, column)?, id, row, column)
    }

    /// Returns the string at `offset`, which a cell of a `#Strings` column has.
    pub fn string_at(&self, offset: u32, id: TableId, row: u32, column: usize) -> Result<Slice<'_>> {
        self.heaps.string(offset).map_err(|error| self.blame_cell(error, id, row, column))
    }

    /// Returns the blob that a cell of a `#Blob` column refers to.
    pub fn blob_cell(&self, id: TableId, row: u32, column: usize) -> Result<Slice<'_>> {
        let offset = self.table(id).cell(row, column)?;
        self.heaps.blob(offset).map_err(|error| self.blame_cell(error, id, row, column))
    }

    /// Returns the GUID that a cell of a `#GUID` column refers to; `None` for 0.
    pub fn guid_cell(&self, id: TableId, row: u32, column: usize) -> Result<Option<Guid>> {
        let number = self.table(id).cell(row, column)?;
        self.heaps.guid(number).map_err(|error| self.blame_cell(error, id, row, column))
    }

    /// Moves an error about a missing heap entry to the cell that refers to it.
    #[cold]
    pub(super) fn blame_cell(&self, error: Error, id: TableId, row: u32, column: usize) -> Error {
        match (&error.kind, self.table(id).cell_span(row, column)) {
            (ErrorKind::NoSuch { .. }, Ok(cell)) => error.at(cell),
            _ => error,
        }
    }

    /// Rows of `child` that belong to `row` of `parent`: from the row that the cell of `column` names up to the first
    /// one of the next row.
    ///
    /// A long list is believed only if all cells of the column are in order. Otherwise each row
    /// of a table could claim all rows of another, and a small file would take unbounded time.
    pub fn list(&self, parent: TableId, row: u32, column: usize, child: TableId) -> std::ops::Range<u32> {
        let table = self.table(parent);
        let pointers = pointer_table(child).map_or(0, |pointers| self.rows(pointers));
        let end = self.rows(child).max(pointers).saturating_add(1);
        let cells = table.column(column);
        // A narrow index cannot say "one past the last" of 65 535 rows; 0 stands for it.
        let start = |row| cells.get(row).filter(|first| *first > 0).unwrap_or(end);
        let first = start(row).min(end);
        let next = start(row.saturating_add(1)).clamp(first, end);
        if next.saturating_sub(first) > MAX_UNCHECKED_ROWS && !table.rises(column) { first..first } else { first..next }
    }

    /// Returns the row of `table` that `row` of a list refers to: itself, or what the pointer table of an uncompressed
    /// stream maps it to.
    pub fn through_pointer(&self, table: TableId, row: u32) -> u32 {
        pointer_table(table).and_then(|pointers| self.table(pointers).column(0).get(row)).unwrap_or(row)
    }

    /// Problems of root and tables.
    pub fn problems(&self) -> impl Iterator<Item = &Error> {
        self.root.problems.iter().chain(&self.tables.problems)
    }
}

/// A problem for each heap that is missing although a cell refers to it.
fn missing_heaps(root: &Root, tables: &Tables) -> Vec<Error> {
    let is_used = |heap: Heap| {
        tables.present().any(|table| {
            let columns = table.columns().iter().enumerate().filter(|(_, def)| def.kind.heap() == Some(heap));
            columns.map(|(column, _)| table.column(column)).any(|column| column.cells().any(|cell| cell != 0))
        })
    };
    let missing = Heap::ALL.into_iter().filter(|heap| root.stream(heap.stream()).is_none() && is_used(*heap));
    // A header whose name the format does not have may be the one of that heap.
    let unnamed = root.streams.iter().find(|stream| !root::is_known(&stream.name)).map(|stream| stream.header);
    missing.map(|heap| Error::new(ErrorKind::Missing(heap.stream()), unnamed.unwrap_or(root.span))).collect()
}

/// Pointer table for `table` in an uncompressed stream.
const fn pointer_table(table: TableId) -> Option<TableId> {
    Some(match table {
        TableId::FIELD => TableId::FIELD_PTR,
        TableId::METHOD_DEF => TableId::METHOD_PTR,
        TableId::PARAM => TableId::PARAM_PTR,
        TableId::EVENT => TableId::EVENT_PTR,
        TableId::PROPERTY => TableId::PROPERTY_PTR,
        _ => return None,
    })
}

#[cfg(test)]
mod sentences {
    use super::{Heap, heaps, root, tables};
    use crate::bytes::record::undescribed;

    #[test]
    fn every_field_of_headers_and_heaps_has_a_sentence() {
        let name = b"#Strings\0\0\0\0";
        let root_bytes =
            [b"BSJB\x01\0\x01\0\0\0\0\0\x04\0\0\0v4\0\0\0\0\x01\0\0\0\0\0\0\0\0\0", name.as_slice()].concat();
        assert_eq!(undescribed(&root_bytes, root::explain), [""; 0]);
        let header = [&[0, 0, 0, 0, 2, 0, 0x40, 1][..], &[0xff; 8], &[0; 8], &[0; 65 * 4]].concat();
        assert_eq!(undescribed(&header, tables::explain_header), [""; 0]);
        for (heap, bytes) in [
            (Heap::Strings, &b"name\0"[..]),
            (Heap::Guids, &[7; 16]),
            (Heap::Blobs, &[2, 1, 1]),
            (Heap::UserStrings, &[3, b'a', 0, 0]),
        ] {
            assert_eq!(undescribed(bytes, |c| heaps::explain(c, heap)), [""; 0], "{heap:?}");
        }
    }
}
