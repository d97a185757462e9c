//! Lessons on ECMA-335 metadata: root, streams, tables, rows and heaps.

mod bits;
mod tables;

use super::{Lesson, Show, lesson};

pub(crate) use tables::{COUNTS, RECORDS, ROWS};

/// What is in the one byte that tells how wide the heaps' offsets are.
const HEAP_SIZES: &[(u64, &str)] = &[
    (0x01, "4-byte offsets into #Strings"),
    (0x02, "4-byte numbers of #GUID"),
    (0x04, "4-byte offsets into #Blob"),
    (0x08, "padded"),
    (0x20, "only what was edited"),
    (0x40, "extra data"),
    (0x80, "deleted items are marked"),
];

#[rustfmt::skip] // One line a field.
pub(crate) const LESSONS: &[Lesson] = &[
    lesson("", "metadata root", Show::Plain, "Where all metadata begins: a version, and a list of streams with everything else."),
    lesson("metadata root", "signature", Show::Hex, "BSJB, the initials of four who wrote it; every portable PDB begins with it."),
    lesson("metadata root", "major version", Show::Plain, "1 ever since."),
    lesson("metadata root", "minor version", Show::Plain, "1 ever since."),
    lesson("metadata root", "reserved", Show::Plain, "0."),
    lesson("metadata root", "version length", Show::Plain, "How many bytes the version takes, its padding to a multiple of 4 included."),
    lesson("metadata root", "version", Show::Plain, "The runtime that the image was made for (v4.0.30319 up to this day), or PDB v1.0."),
    lesson("metadata root", "flags", Show::Plain, "0."),
    lesson("metadata root", "streams", Show::Plain, "How many stream headers follow."),
    lesson("metadata root", "stream header", Show::Plain, "Where one stream is, and what it is called."),
    lesson("", "stream header", Show::Plain, "Where one stream is, and what it is called."),
    lesson("stream header", "offset", Show::Hex, "Where the stream begins, from the first byte of the root."),
    lesson("stream header", "size", Show::Plain, "How many bytes it takes: a multiple of 4."),
    lesson("stream header", "name", Show::Plain, "#~ has the tables, #Strings names, #US literals, #GUID ids, #Blob all else; #Pdb makes it a PDB."),
    lesson("stream header", "padding", Show::Plain, "Zeros, up to a multiple of 4 bytes."),
    lesson("", "tables header", Show::Plain, "Which tables there are and how many rows each has: all else follows from that."),
    lesson("tables header", "reserved", Show::Plain, "0."),
    lesson("tables header", "major version", Show::Plain, "2 since generics."),
    lesson("tables header", "minor version", Show::Plain, "0."),
    lesson("tables header", "heap sizes", Show::Flags(HEAP_SIZES), "A heap of less than 65536 bytes has offsets of 2 bytes; a bit says that one is larger."),
    lesson("tables header", "row id bits", Show::Plain, "How many bits the greatest row number takes; nobody reads it."),
    lesson("tables header", "valid", Show::Hex, "A bit for each table that has rows; the bit's number is the table's. A row count for each of them follows."),
    lesson("tables header", "sorted", Show::Hex, "A bit for each table whose rows are sorted by their key, so that they can be searched."),
    lesson("tables header", "extra data", Show::Hex, "Four bytes that the heap sizes announce and nobody explains."),
    lesson("tables header", "rows of an unknown table", Show::Plain, "The row count of a table that no version of the format has."),
    lesson("", "string", Show::Plain, "A name in UTF-8, ended by a zero byte. A longer name may share its end: offsets can lead into the middle."),
    lesson("", "guid", Show::Guid, "Sixteen bytes; columns name them by number, from 1."),
    lesson("", "length", Show::Plain, "How many bytes follow, as a compressed integer: one byte up to 127, two up to 16383, then four."),
    lesson("", "content", Show::Plain, "What it is depends on the column that leads here; of this one nothing finer is known."),
    lesson("", "not shown", Show::Plain, "More fields than anybody would read: the bytes are there, and were read."),
    lesson("", "text", Show::Plain, "Text in UTF-8, without an end mark: a part of a document's path, or a name of an import."),
    lesson("", "characters", Show::Plain, "The text of a string literal in UTF-16, as ldstr loads it."),
    lesson("", "has special characters", Show::Plain, "1 where a character is not plain ASCII, which once told slow comparison from fast; nobody reads it."),
];

#[cfg(test)]
mod tests {
    use super::super::find;
    use crate::formats::metadata::TableId;

    #[test]
    fn every_column_of_every_table_has_a_lesson() {
        for table in TableId::all() {
            assert!(find("", table.name()).is_some(), "{table:?}");
            assert!(find("tables header", table.name()).is_some(), "{table:?}");
            for column in table.def().unwrap().columns {
                assert!(find(table.name(), column.name).is_some(), "{table:?}.{}", column.name);
            }
        }
    }

    #[test]
    fn no_lesson_is_about_a_table_or_column_that_does_not_exist() {
        let known =
            |table: &str, column: &str| TableId::named(table).is_some_and(|table| table.column(column).is_some());
        assert!(super::ROWS.iter().all(|lesson| known(lesson.record, lesson.field)));
        assert!(super::RECORDS.iter().all(|lesson| TableId::named(lesson.field).is_some()));
        assert_eq!(super::RECORDS.len(), TableId::all().count());
    }
}
