//! A type name stands for few things, so that who reads it need not look up which one is meant.

use std::collections::BTreeMap;

use super::SRC;
use super::modules::words;
use super::source::{Source, is_name};

const MAX_TYPES: usize = 3;

/// Names of the types of a file, with the line of each. Types that belong to an `impl` or a trait are left out.
fn types(source: &Source) -> impl Iterator<Item = (&str, usize)> {
    let declared = ["struct", "enum", "trait", "type"].into_iter().flat_map(|keyword| words(&source.code, keyword));
    declared.filter_map(|(at, keyword)| {
        let indent = source.code[..at].rfind('\n').map_or(0, |end| end + 1);
        if keyword == "type" && source.code[indent..].starts_with(' ') {
            return None;
        }
        let name = source.code[at + keyword.len()..].trim_start();
        Some((&name[..name.find(|c| !is_name(c)).unwrap_or(name.len())], source.line(at)))
    })
}

#[test]
fn a_type_name_stands_for_three_things_at_most() {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &SRC.files {
        for (name, line) in types(file).filter(|(name, _)| name.starts_with(char::is_uppercase)) {
            found.entry(name).or_default().push(format!("{}:{line}", file.path));
        }
    }
    let many: Vec<String> = found
        .iter()
        .filter(|(_, places)| places.len() > MAX_TYPES)
        .map(|(name, places)| format!("{name} is declared {} times: {}", places.len(), places.join(", ")))
        .collect();
    assert!(many.is_empty(), "call the less general ones after what they are:\n{}", many.join("\n"));
}

#[test]
fn types_are_seen() {
    let text = "pub struct A;\nenum B {}\npub(crate) type C = u8;\nimpl Iterator for A {\n    type Item = u8;\n}\n";
    let source = Source::new("src/x.rs", text.to_owned());
    let mut names: Vec<_> = types(&source).collect();
    names.sort_unstable();
    assert_eq!(names, [("A", 1), ("B", 2), ("C", 3)]);
}
