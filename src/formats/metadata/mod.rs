//! ECMA-335 metadata (II.24): what an assembly says of itself, and what a portable PDB is made of.
//!
//! A root names streams: tables (`#~`), four heaps, and in a portable PDB `#Pdb`. Tables, columns and coded indexes are data
//! ([`schema`]); a row is read cell by cell, where and when somebody looks at it.

mod flags;
pub mod heaps;
pub mod root;
pub mod schema;
pub mod tables;

pub use heaps::{Heap, Heaps};
pub use root::{Root, StreamHeader};
pub use schema::{ColumnKind, TableId, Token};
pub use tables::{RowCounts, Table, Tables};

use crate::bytes::{Error, Result, Slice};

/// How long a list may be before anybody asks whether it is in order.
const USUAL: u32 = 1024;

/// The metadata of one image or one portable PDB.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// The root and its streams.
    pub root: Root,
    /// The heaps.
    pub heaps: Heaps,
    /// The tables.
    pub tables: Tables,
}

impl Metadata {
    /// Reads the metadata that `region` begins with. `external`: the row counts of tables in another file.
    pub fn parse(root: Root, external: &RowCounts) -> Self {
        let stream = |name: &str| root.stream(name).map(|stream| stream.region.clone()).unwrap_or_default();
        let heaps = Heaps {
            strings: stream("#Strings"),
            user_strings: stream("#US"),
            guids: stream("#GUID"),
            blobs: stream("#Blob"),
        };
        let (mut tables, mut failed) = (Tables::none(), None);
        if let Some(found) = root.stream("#~").or_else(|| root.stream("#-")) {
            match Tables::parse(found.region.clone(), external, root.stream("#JTD").is_some()) {
                Ok(read) => tables = read,
                Err(error) => failed = Some(error),
            }
        } else {
            failed = Some(Error::invalid("metadata without a stream of tables", root.span));
        }
        tables.problems.extend(failed);
        Self { root, heaps, tables }
    }

    /// One table.
    pub fn table(&self, id: TableId) -> Table<'_> {
        self.tables.get(id)
    }

    /// How many rows a table has.
    pub fn rows(&self, id: TableId) -> u32 {
        self.table(id).rows()
    }

    /// A cell that holds the offset of a string: the string.
    pub fn string_cell(&self, id: TableId, row: u32, column: usize) -> Result<Slice<'_>> {
        self.heaps.string(self.table(id).cell(row, column)?)
    }

    /// A cell that holds the offset of a blob: the blob.
    pub fn blob_cell(&self, id: TableId, row: u32, column: usize) -> Result<Slice<'_>> {
        self.heaps.blob(self.table(id).cell(row, column)?)
    }

    /// The rows of `child` that belong to `row` of `parent`, whose `column` names the first: up to where the next row's begin.
    ///
    /// A list of no usual length is believed only where all lists of its column are in order: otherwise each row of a table
    /// could claim all rows of another, and a small file would be an endless one.
    pub fn list(&self, parent: TableId, row: u32, column: usize, child: TableId) -> std::ops::Range<u32> {
        let table = self.table(parent);
        let end = self.rows(child).max(self.rows(pointer_table(child))) + 1;
        let cells = table.column(column);
        // With 65 535 rows, one past the last does not fit a narrow index: 0 stands for it.
        let start = |row| cells.get(row).filter(|first| *first > 0).unwrap_or(end);
        let first = start(row).min(end);
        let next = start(row.saturating_add(1)).clamp(first, end);
        if next - first > USUAL && !table.rises(column) { first..first } else { first..next }
    }

    /// The row of `table` that a list means by `row`: itself, or what the pointer table of an uncompressed stream says.
    pub fn through_pointer(&self, table: TableId, row: u32) -> u32 {
        self.table(pointer_table(table)).column(0).get(row).unwrap_or(row)
    }

    /// Everything that is wrong with root and tables.
    pub fn problems(&self) -> impl Iterator<Item = &Error> {
        self.root.problems.iter().chain(&self.tables.problems)
    }
}

/// The table that maps list rows to rows of `table` in an uncompressed stream; one that never has rows, for others.
const fn pointer_table(table: TableId) -> TableId {
    match table {
        TableId::FIELD => TableId::FIELD_PTR,
        TableId::METHOD_DEF => TableId::METHOD_PTR,
        TableId::PARAM => TableId::PARAM_PTR,
        TableId::EVENT => TableId::EVENT_PTR,
        TableId::PROPERTY => TableId::PROPERTY_PTR,
        _ => TableId(0x3f),
    }
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
