//! The `#Pdb` stream, which ties a standalone portable PDB to its module.
//!
//! The module's CodeView entry repeats the PDB id (16 bytes as GUID, 4 bytes as the entry's stamp). The row counts are
//! those of the module's tables, on which the width of indexes into them depends.
//!
//! # References
//!
//! Portable PDB v1.0, "#Pdb stream".

use std::sync::LazyLock;

use crate::bytes::{Cursor, FieldDoc, Guid, Recorder, Result, fields, record};
use crate::metadata::schema::TABLE_COUNT;
use crate::metadata::tables::RowCounts;
use crate::metadata::{TableId, Token};

fields! {
    /// The stream that ties the PDB to its module: the id of both, and the row counts of the module's tables.
    PDB_STREAM: "#Pdb stream";
    /// The row counts of the image's tables; an index into a table of more than 65535 rows takes 4 bytes.
    TYPE_SYSTEM_TABLE_ROWS: "type system table rows";
    /// Bytes that fill the stream up to a multiple of 4.
    PDB_PADDING: "padding";
}

record! {
    /// The unique id of the PDB; the module's CodeView entry repeats it as GUID and time stamp.
    struct PdbId: "PDB id" {
        /// The part of the id that symbol servers identify the file by.
        guid "GUID": Guid,
        /// The rest of the id; in a deterministic build the whole id is a hash of the PDB, and this is no time.
        stamp: u32 as Hex,
    }
}

record! {
    /// The fields of the stream before the row counts.
    struct PdbStreamHeader: "#Pdb stream header" {
        /// The unique id of the PDB; the module's CodeView entry repeats it as GUID and time stamp.
        pdb_id "PDB id": PdbId,
        /// The method that the program begins with, as in the CLI header of the image; 0 for a library.
        entry_point: u32 as Token,
        /// One bit for each table of the image that has rows, by table number; the row counts of these tables follow.
        referenced_type_system_tables: u64 as Hex,
    }
}

/// The `#Pdb` stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdbStream {
    /// First 16 bytes of the PDB id, which the CodeView entry and symbol-store keys repeat.
    pub guid: Guid,
    /// Last 4 bytes of the PDB id: the stamp of the CodeView entry.
    pub stamp: u32,
    /// MethodDef token of the entry point; nil for a library.
    pub entry_point: Token,
    /// Bit mask of the image's tables with a row count.
    pub referenced: u64,
    /// Row counts of these tables; 0 for all others.
    pub rows: RowCounts,
}

impl PdbStream {
    /// Decodes the stream.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&PDB_STREAM, |c| {
            let header = PdbStreamHeader::decode_fields(c)?;
            let referenced = header.referenced_type_system_tables;
            let mut rows: RowCounts = [0; TABLE_COUNT];
            c.group(&TYPE_SYSTEM_TABLE_ROWS, |c| {
                let counted = rows.iter_mut().enumerate().filter(|(table, _)| referenced >> table & 1 == 1);
                for (table, count) in counted {
                    *count = c.u32(row_count_doc(TableId(table as u8)))?;
                }
                Ok(())
            })?;
            c.left_over(&PDB_PADDING)?;
            let PdbId { guid, stamp, .. } = header.pdb_id;
            Ok(Self { guid, stamp, entry_point: Token(header.entry_point), referenced, rows })
        })
    }
}

/// Description of the row count of `table`.
fn row_count_doc(table: TableId) -> &'static FieldDoc {
    /// One per table number, including unassigned ones.
    static DOCS: LazyLock<Vec<FieldDoc>> = LazyLock::new(|| {
        let about = "The number of rows that this table has in the image.";
        (0..TABLE_COUNT as u8).map(|table| FieldDoc::new(TableId(table).name(), about)).collect()
    });
    DOCS.get(table.0 as usize).unwrap_or(&TYPE_SYSTEM_TABLE_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::record::undescribed;
    use crate::bytes::{Slice, SpaceId};

    const STREAM: &[u8] = &[
        0x28, 0xa8, 0x22, 0x32, 0xba, 0xd6, 0x0f, 0x47, 0xac, 0x43, 0xbb, 0xba, 0x90, 0x7b, 0x2f,
        0x03, // id: GUID
        0x35, 0xad, 0x6c, 0xb9, // id: stamp
        0x01, 0x00, 0x00, 0x06, // entry point 0x06000001
        0x44, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, // tables 2, 6 and 63
        0x05, 0x00, 0x00, 0x00, // TypeDef: 5 rows
        0x07, 0x00, 0x00, 0x00, // MethodDef: 7 rows
        0x01, 0x00, 0x00, 0x00, // a table that no specification has
    ];

    #[test]
    fn id_entry_point_and_row_counts() {
        let mut cursor = Cursor::recording(Slice::new(STREAM, SpaceId(0), 0));
        let stream = PdbStream::decode(&mut cursor).unwrap();
        assert_eq!(stream.guid.to_string(), "3222a828-d6ba-470f-ac43-bbba907b2f03");
        assert_eq!((stream.stamp, stream.entry_point), (0xb96c_ad35, Token(0x0600_0001)));
        let counted: Vec<_> = stream.rows.iter().enumerate().filter(|(_, rows)| **rows != 0).collect();
        assert_eq!(counted, [(2, &5), (6, &7), (63, &1)]);
        let names: Vec<_> = cursor.fields().into_iter().map(|field| (field.depth, field.name())).collect();
        let expected = [
            (0, "#Pdb stream"),
            (1, "PDB id"),
            (2, "GUID"),
            (2, "stamp"),
            (1, "entry point"),
            (1, "referenced type system tables"),
            (1, "type system table rows"),
            (2, "TypeDef"),
            (2, "MethodDef"),
            (2, "?"),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_stream_that_is_cut_short_is_an_error() {
        for len in 0..STREAM.len() {
            assert!(PdbStream::decode(&mut Slice::new(&STREAM[..len], SpaceId(0), 0).cursor()).is_err(), "{len}");
        }
    }

    #[test]
    fn every_field_of_the_pdb_stream_has_a_sentence() {
        let blob = [[0; 24].as_slice(), &[0xff; 5], &[0x1f, 0, 0], &[0; 46 * 4]].concat();
        assert_eq!(undescribed(&blob, |c| PdbStream::decode(c).map(drop)), [""; 0]);
    }
}
