//! What every field is for, in one sentence, and how its number is best read.
//!
//! Decoders give each value a name ([`crate::bytes::Field`]); the table of its format, found by the name of the record and
//! of the field, says the rest. A field without a lesson shows its number plainly.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::bytes::{Field, FieldDoc, Value};

mod groups;
mod ildb;
mod mdb;
mod msf;
mod native;
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

pub use crate::bytes::Show;
pub use native::language;

/// `Lesson`s without the words: `lesson("coff header", "machine", Show::OneOf(MACHINES), "The processor …")`.
pub const fn lesson(record: &'static str, field: &'static str, show: Show, about: &'static str) -> Lesson {
    Lesson { record, field, show, about }
}

/// Every table of lessons, one a format.
#[rustfmt::skip] // One line a table.
const TABLES: &[&[Lesson]] = &[
    groups::LESSONS,
    ildb::LESSONS,
    mdb::LESSONS,
    msf::LESSONS,
    native::LESSONS,
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

/// The description of a field: its own, or for a format that still names its fields the lesson of that name.
pub fn doc_of(record: &str, field: &Field) -> FieldDoc {
    if !field.doc.about.is_empty() {
        return *field.doc;
    }
    let group = field.value == Value::Group;
    let lesson = if group { find_group(record, field.name()) } else { find(record, field.name()) };
    lesson.map_or(*field.doc, |lesson| FieldDoc { name: field.name(), show: lesson.show, about: lesson.about })
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
