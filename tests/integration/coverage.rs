//! Coverage of every sample: bytes with a field, and bytes that are left.

use std::fmt::Write as _;

use pdblens::query::coverage::coverage;
use pdblens::session::Session;

use crate::support::samples::{all_samples, repository};

/// One line for each file of each sample: bytes, unused bytes, bytes left.
fn table() -> String {
    let mut text = String::new();
    for sample in all_samples() {
        let session = Session::open(std::slice::from_ref(&sample.image)).unwrap();
        for file in coverage(&session) {
            let (name, len, unused, left) = (&file.name, file.len, file.unused, file.left);
            assert_eq!(file.fields + unused + left, len);
            assert_eq!(file.rest.iter().map(|rest| rest.span.len).sum::<u64>(), left, "{name}");
            let _ = writeln!(text, "{}/{name}\t{len}\t{unused}\t{left}", sample.name);
        }
    }
    text
}

#[test]
fn every_sample_has_as_many_fields_as_stated() {
    let (path, table) = (repository("tests/golden/coverage.tsv"), table());
    if std::env::var_os("COVERAGE_UPDATE").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    let stated = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(stated, table, "COVERAGE_UPDATE=1 states it again: the last column may only fall");
}

#[test]
fn every_byte_of_every_sample_has_a_field() {
    for line in table().lines() {
        assert!(line.ends_with("\t0"), "{line}");
    }
}
