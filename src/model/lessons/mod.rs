//! What every field is for, in one sentence, and how its number is best read.
//!
//! Decoders give each value a name ([`crate::bytes::Field`]); the table of its format, found by the name of the record and
//! of the field, says the rest. A field without a lesson shows its number plainly.

use std::collections::HashMap;
use std::sync::LazyLock;

mod custom;
mod groups;
mod il;
mod ildb;
mod mdb;
mod metadata;
mod msf;
mod native;
mod pe;
mod portable;
mod signature;
mod srcsrv;
mod windows;

/// What is said of one field of one record.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// The record, as its decoder's group names it: `"coff header"`.
    pub record: &'static str,
    /// The field, as the decoder's read names it: `"machine"`.
    pub field: &'static str,
    /// How its value is best read.
    pub show: Show,
    /// What it is for, in one sentence.
    pub about: &'static str,
}

/// How a value is best read.
#[derive(Clone, Copy, Debug)]
pub enum Show {
    /// As it is: numbers in decimal, bytes in hexadecimal, text as text.
    Plain,
    /// A number in hexadecimal.
    Hex,
    /// One of these.
    OneOf(&'static [(u64, &'static str)]),
    /// Any of these bits together.
    Flags(&'static [(u64, &'static str)]),
    /// Bits of which some make a number together: a mask, a value under it, and what that means.
    Parts(&'static [(u64, u64, &'static str)]),
    /// Seconds since 1970 — or, in a deterministic build, part of a hash.
    Time,
    /// A metadata token; it leads to its row.
    Token,
    /// An address in the loaded image; it leads to its bytes.
    Rva,
    /// An offset in the same file; it leads to its bytes.
    Offset,
    /// An IL offset of the method that the record belongs to.
    IlOffset,
    /// A row of this table.
    Row(&'static str),
    /// A GUID that may have a name (a language, a hash algorithm, a kind).
    Guid,
}

/// `Lesson`s without the words: `lesson("coff header", "machine", Show::OneOf(MACHINES), "The processor …")`.
pub const fn lesson(record: &'static str, field: &'static str, show: Show, about: &'static str) -> Lesson {
    Lesson { record, field, show, about }
}

/// Every table of lessons, one a format.
#[rustfmt::skip] // One line a table.
const TABLES: &[&[Lesson]] = &[
    custom::LESSONS,
    groups::LESSONS,
    il::LESSONS,
    ildb::LESSONS,
    mdb::LESSONS,
    metadata::LESSONS,
    metadata::RECORDS,
    metadata::COUNTS,
    metadata::ROWS,
    msf::LESSONS,
    native::LESSONS,
    pe::LESSONS,
    &pe::DIRECTORIES,
    &pe::RECORDS,
    portable::LESSONS,
    portable::ROW_COUNTS,
    signature::LESSONS,
    signature::TYPES,
    srcsrv::LESSONS,
    windows::LESSONS,
];

type Index = HashMap<(&'static str, &'static str), &'static Lesson>;

/// The lessons by record and field; the first of a name wins.
static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = HashMap::new();
    for lesson in TABLES.iter().flat_map(|table| table.iter()) {
        index.entry((lesson.record, lesson.field)).or_insert(lesson);
    }
    index
});

/// The lesson on a group of fields: where it stands, or wherever it stands.
pub fn find_group(record: &str, group: &str) -> Option<&'static Lesson> {
    find(record, group).or_else(|| find("", group))
}

/// The lesson on `field` of `record`.
pub fn find(record: &str, field: &str) -> Option<&'static Lesson> {
    INDEX.get(&(record, field)).copied()
}

#[cfg(test)]
mod tests {
    use super::TABLES;

    #[test]
    fn no_two_formats_call_different_things_the_same() {
        let mut names: Vec<_> = TABLES.iter().flat_map(|table| table.iter()).map(|l| (l.record, l.field)).collect();
        let all = names.len();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        assert_eq!(twice, [], "of {all}");
    }
}
