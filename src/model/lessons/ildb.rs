//! CILDB.

use super::{Lesson, Show, lesson};

const HEADER: &str = "ildb header";

pub(crate) const LESSONS: &[Lesson] = &[
    lesson(
        HEADER,
        "signature",
        Show::Plain,
        "`_ildb_signature`: the symbol file of ECMA-335 Partition V, which no shipped compiler writes.",
    ),
    lesson(HEADER, "version", Show::Guid, "Which layout the tables have: that of the specification, or CoreCLR's own."),
    lesson(
        HEADER,
        "user entry point",
        Show::Token,
        "The method where the program begins, so that a debugger can stop there first.",
    ),
    lesson(HEADER, "count of methods", Show::Plain, "How many methods have debug information."),
    lesson(HEADER, "count of scopes", Show::Plain, "How many stretches of IL have variables of their own."),
    lesson(HEADER, "count of variables", Show::Plain, "How many local variables have names."),
    lesson(HEADER, "count of usings", Show::Plain, "How many namespaces are in use somewhere."),
    lesson(HEADER, "count of constants", Show::Plain, "How many local constants there are."),
    lesson(HEADER, "count of documents", Show::Plain, "How many source files there are."),
    lesson(HEADER, "count of sequence points", Show::Plain, "How many places in the sources have IL."),
    lesson(
        HEADER,
        "count of misc bytes",
        Show::Plain,
        "How many bytes of signatures, hashes and embedded sources follow the tables.",
    ),
    lesson(HEADER, "count of string bytes", Show::Plain, "How many bytes of names follow them."),
];

#[cfg(test)]
mod tests {
    use crate::bytes::{Slice, SpaceId};
    use crate::formats::ildb::{Header, SIGNATURE};
    use crate::nodes::fields::Fields;

    #[test]
    fn every_field_has_a_lesson() {
        let bytes = [&SIGNATURE[..], &[0; 56]].concat();
        let slice = Slice::new(&bytes, SpaceId(0), 0);
        let fields = Fields::explain("", slice, |c| Header::decode(c).map(drop), |_, _| None);
        assert!(fields.rows.iter().filter(|row| row.depth > 0).all(|row| !row.about.is_empty()));
    }
}
