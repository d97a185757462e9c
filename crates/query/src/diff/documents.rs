//! Documents, compiler options and references.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Cause, Change, ChangeKind, Diff, Subject, documents_of};
use pdblens_formats::bytes::{Resource, Slice, SpaceId};
use pdblens_formats::portable::custom::compilation_references;
use pdblens_nodes::{Place, TableId};
use pdblens_session::session::Session;
use pdblens_session::symbols::Document;
use pdblens_session::text::guids;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{hex, utf8};

/// The document of the second build that each of the first is.
pub(crate) type Pairs = HashMap<u32, u32>;

fn documents(session: &Session) -> Vec<(u32, Document)> {
    // A few bytes of a file can stand for any number of names.
    let (symbols, mut share) = (session.symbols(), session.spaces().budget().share(Resource::Names));
    let rows = documents_of(session);
    let all = (1..=rows).filter_map(|row| Some((row, symbols?.document(row).ok()?)));
    all.take_while(|(row, document)| {
        let has_room = share.take(document.name.len() as u64);
        if !has_room {
            let count = u64::from(rows - *row) + 1;
            share.leave_out("documents to compare", format!("document {row}"), Some(count));
        }
        has_room
    })
    .collect()
}

/// Compares documents: those of the same path first, then of the same content, then of the same file name.
pub(crate) fn compare(a: &Session, b: &Session, diff: &mut Diff) -> Pairs {
    let (before, after) = (documents(a), documents(b));
    let mut pairs = Pairs::new();
    let keys: [fn(&Document) -> Option<String>; 3] = [
        |document| Some(document.name.clone()),
        |document| if document.hash.is_empty() { None } else { Some(hex(&document.hash)) },
        |document| Some(file_name(&document.name).to_lowercase()),
    ];
    for key in keys {
        pair_by(key, &before, &after, &mut pairs);
    }

    let rows: HashMap<u32, &Document> = after.iter().map(|(row, document)| (*row, document)).collect();
    for (row, document) in &before {
        let place = Some(Place::Document(*row));
        let Some((other, found)) = pairs.get(row).and_then(|other| Some((*other, *rows.get(other)?))) else {
            diff.changes.push(Change::new(Subject::Document, ChangeKind::Removed, &document.name).places(place, None));
            continue;
        };
        let details = differences(document, found);
        let how = if document.name != found.name && document.hash == found.hash {
            ChangeKind::Moved
        } else {
            ChangeKind::Changed
        };
        if details.is_empty() {
            diff.same_documents += 1;
        } else {
            let change = Change::new(Subject::Document, how, &found.name).details(details);
            let cause = if has_other_text(document, found) { Some(Cause::Text) } else { None };
            let change = Change { cause, ..change };
            diff.changes.push(change.places(place, Some(Place::Document(other))));
        }
    }
    let paired: HashSet<u32> = pairs.values().copied().collect();
    for (row, document) in after.iter().filter(|(row, _)| !paired.contains(row)) {
        let change = Change::new(Subject::Document, ChangeKind::Added, &document.name);
        diff.changes.push(change.places(None, Some(Place::Document(*row))));
    }
    pairs
}

/// Pairs the documents without a pair that have the same key.
fn pair_by(
    key: fn(&Document) -> Option<String>,
    before: &[(u32, Document)],
    after: &[(u32, Document)],
    pairs: &mut Pairs,
) {
    let paired: HashSet<u32> = pairs.values().copied().collect();
    let mut index: HashMap<String, Vec<u32>> = HashMap::new();
    // The first row of a key is taken first.
    for (row, document) in after.iter().rev().filter(|(row, _)| !paired.contains(row)) {
        if let Some(key) = key(document) {
            index.entry(key).or_default().push(*row);
        }
    }
    for (row, document) in before {
        if pairs.contains_key(row) {
            continue;
        }
        if let Some(other) = key(document).and_then(|key| index.get_mut(&key)?.pop()) {
            pairs.insert(*row, other);
        }
    }
}

/// Returns true if the hashes of the text differ, which are by the same algorithm.
fn has_other_text(a: &Document, b: &Document) -> bool {
    a.hash_algorithm == b.hash_algorithm && a.hash != b.hash
}

fn differences(a: &Document, b: &Document) -> Vec<String> {
    let mut details = Vec::new();
    if a.name != b.name {
        details.push(format!("was {}", a.name));
    }
    if a.hash_algorithm != b.hash_algorithm {
        let name = |document: &Document| document.hash_algorithm.and_then(guids::name).unwrap_or("none");
        details.push(format!("hash algorithm {} → {}", name(a), name(b)));
    } else if has_other_text(a, b) {
        details.push("the text changed: its hash differs".to_owned());
    }
    details
}

pub(crate) fn options(a: &Session, b: &Session, diff: &mut Diff) {
    let read = |session: &Session| {
        let all = session.symbols().map(|symbols| symbols.compilation().options).unwrap_or_default();
        all.into_iter().collect::<BTreeMap<String, String>>()
    };
    named(Subject::Option, &read(a), &read(b), diff);
}

/// Compares the recorded compilation references; without a record, the AssemblyRef rows of the image.
pub(crate) fn references(a: &Session, b: &Session, diff: &mut Diff) {
    let (given, other) = (compiled_against(a), compiled_against(b));
    if given.is_empty() || other.is_empty() {
        named(Subject::Reference, &referred(a), &referred(b), diff);
    } else {
        named(Subject::Reference, &given, &other, diff);
    }
}

/// Compilation references of the symbols, by file name.
fn compiled_against(session: &Session) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let Some(symbols) = session.symbols() else { return all };
    let customs = (1..=symbols.customs()).filter_map(|row| symbols.custom(row).ok());
    for found in customs.filter(|found| found.kind == compilation_references::GUID) {
        let value = Slice::new(&found.value, SpaceId(0), 0);
        for reference in compilation_references::decode(&mut value.cursor()).unwrap_or_default() {
            all.insert(utf8(reference.file.data).into_owned(), format!("module {}", reference.mvid));
        }
    }
    all
}

/// The version of each assembly that the image refers to.
fn referred(session: &Session) -> BTreeMap<String, String> {
    let Some(metadata) = session.metadata() else { return BTreeMap::new() };
    let table = metadata.table(TableId::ASSEMBLY_REF);
    let named = (1..=table.rows()).filter_map(|row| {
        let [major, minor, build, revision] = [0, 1, 2, 3].map(|column| table.cell(row, column).unwrap_or(0));
        let name = metadata.string_cell(TableId::ASSEMBLY_REF, row, 6).ok()?;
        Some((utf8(name.data).into_owned(), format!("{major}.{minor}.{build}.{revision}")))
    });
    named.collect()
}

fn named(subject: Subject, a: &BTreeMap<String, String>, b: &BTreeMap<String, String>, diff: &mut Diff) {
    for (name, value) in a {
        match b.get(name) {
            None => diff.changes.push(Change::new(subject, ChangeKind::Removed, name).details(vec![value.clone()])),
            Some(other) if other != value => {
                let details = vec![format!("{value} → {other}")];
                diff.changes.push(Change::new(subject, ChangeKind::Changed, name).details(details));
            }
            Some(_) => {}
        }
    }
    for (name, value) in b.iter().filter(|(name, _)| !a.contains_key(*name)) {
        diff.changes.push(Change::new(subject, ChangeKind::Added, name).details(vec![value.clone()]));
    }
}
