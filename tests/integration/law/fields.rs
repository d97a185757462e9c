//! Field descriptions: each is of a field that is decoded somewhere.
//!
//! The compiler finds a private description that nothing reads, and every field of a `record!` is read by its decoder.
//! That leaves the public constants of `fields!`.

use std::collections::{BTreeMap, BTreeSet};

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::modules::words;
use super::source::{Source, block, is_name};

/// Names of the constants that the `fields!` tables of a file declare, and where.
fn declared(source: &Source) -> Vec<(usize, &str)> {
    let code = &source.code;
    let mut found = Vec::new();
    for (at, _) in words(code, "fields") {
        let Some(open) = code[at..].strip_prefix("fields! {").map(|_| at + "fields! ".len()) else { continue };
        let table = block(code, open);
        let mut start = table.start + 1;
        for entry in code[table].trim_start_matches('{').split_inclusive(';') {
            if let Some(colon) = entry.find(':') {
                let head = entry[..colon].trim_end();
                let name = head.rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
                found.push((start + name, &head[name..]));
            }
            start += entry.len();
        }
    }
    found
}

/// Declared constants that neither their own file reads, nor one that declares none of that name.
fn unread(sources: &[Source]) -> Vec<(&Source, usize, &str)> {
    let mut readers: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut tables = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let table = declared(source);
        let places: BTreeSet<usize> = table.iter().map(|(at, _)| *at).collect();
        for (_, name) in source.identifiers().filter(|(at, _)| !places.contains(at)) {
            readers.entry(name).or_default().insert(index);
        }
        tables.push(table);
    }
    let declares = |index: usize, name: &str| tables[index].iter().any(|(_, declared)| *declared == name);
    let is_read = |index: usize, name: &str| {
        let files = readers.get(name).into_iter().flatten();
        files.into_iter().any(|reader| *reader == index || !declares(*reader, name))
    };
    let mut found = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        found.extend(
            table.iter().filter(|(_, name)| !is_read(index, name)).map(|(at, name)| (&sources[index], *at, *name)),
        );
    }
    found
}

#[test]
fn every_description_is_of_a_field() {
    let found = unread(&SRC.files)
        .into_iter()
        .map(|(source, at, name)| (source.path.clone(), format!("line {}: {name}", source.line(at))));
    assert_kept("fields", "a description in `fields!` is read by a decoder", &by_key(found));
}

#[test]
fn tables_of_fields_are_read() {
    let text = "fields! {\n    in pub ALL;\n    /// A.\n    pub A: \"a;\" as Flags(&[(1, \"b\")]);\n    pub(crate) B: \"b\";\n}\n\
                impl X { fields! { /// C.\n C: \"c\"; } fn f() { Self::C } }";
    let one = Source::new("src/a.rs", text.to_owned());
    assert_eq!(declared(&one).iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["A", "B", "C"]);
    let two = Source::new("src/b.rs", "use a::B; // A\nfields! { A: \"another\"; } read(A, \"A\")".to_owned());
    let sources = [one, two];
    let found: Vec<_> =
        unread(&sources).iter().map(|(source, at, name)| (&*source.path, source.line(*at), *name)).collect();
    assert_eq!(found, [("src/a.rs", 4, "A")]);
}
