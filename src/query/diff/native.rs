//! Functions, types, publics and modules of native symbols, compared by name.

use std::collections::BTreeMap;

use super::{Change, ChangeKind, Diff, Subject};
use crate::nodes;
use crate::nodes::Place;
use crate::session::Session;
use crate::text::safe::count;

/// Limit on the rows compared of each list.
const MAX_ROWS: usize = 2_000_000;

/// A list: the columns that name a row, and those that are compared.
struct List {
    place: Place,
    subject: Subject,
    key: &'static [&'static str],
    compared: &'static [&'static str],
}

const LISTS: [List; 4] = [
    List { place: Place::Functions, subject: Subject::Function, key: &["function"], compared: &["bytes", "module"] },
    List { place: Place::Types, subject: Subject::Type, key: &["kind", "name"], compared: &["size"] },
    List { place: Place::Publics, subject: Subject::Public, key: &["name"], compared: &["record"] },
    List {
        place: Place::Modules,
        subject: Subject::Module,
        key: &["name"],
        compared: &["object", "symbols", "lines", "files"],
    },
];

/// Row of a list: where it is, and what is compared of it.
type Item = (Option<Place>, Vec<(&'static str, String)>);

fn items(session: &Session, list: &List) -> (BTreeMap<String, Vec<Item>>, bool) {
    let mut items: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let Some(rows) = nodes::rows(session, list.place) else { return (items, false) };
    let column = |name: &&'static str| Some((*name, rows.columns.iter().position(|head| head.name == *name)?));
    let key: Vec<_> = list.key.iter().filter_map(column).collect();
    let compared: Vec<_> = list.compared.iter().filter_map(column).collect();
    for row in (0..rows.len.min(MAX_ROWS)).filter_map(|index| rows.get(index)) {
        let text = |at: usize| row.cells.get(at).map(|cell| cell.text.clone()).unwrap_or_default();
        let name = key.iter().map(|(_, at)| text(*at)).collect::<Vec<_>>().join(" ");
        // Types without a name are told apart by nothing but what refers to them.
        if list.subject != Subject::Type || row.cells.get(1).is_some_and(|kind| is_named_kind(&kind.text)) {
            let values = compared.iter().map(|(name, at)| (*name, text(*at))).collect();
            items.entry(name).or_default().push((row.place, values));
        }
    }
    (items, rows.len > MAX_ROWS)
}

fn is_named_kind(kind: &str) -> bool {
    ["class", "struct", "union", "enum", "interface"].iter().any(|named| kind.starts_with(named))
}

/// Compares the native symbols of two builds; nothing where one has none.
pub(crate) fn compare(a: &Session, b: &Session, diff: &mut Diff) {
    if a.native_pdb().is_none() || b.native_pdb().is_none() {
        return;
    }
    for list in &LISTS {
        let ((before, cut), (mut after, also)) = (items(a, list), items(b, list));
        if cut || also {
            diff.notes.push(format!("{}s behind the first {MAX_ROWS} are not compared", list.subject.name()));
        }
        for (name, ones) in before {
            let mut others = after.remove(&name).unwrap_or_default().into_iter();
            for (place, values) in ones {
                match others.next() {
                    None => {
                        let change = Change::new(list.subject, ChangeKind::Removed, &name);
                        diff.changes.push(change.places(place, None));
                    }
                    Some((_, other)) if other == values => diff.same_native += 1,
                    Some((at, other)) => {
                        let details = values.iter().zip(&other).filter(|(one, other)| one != other);
                        let details = details.map(|((what, one), (_, other))| format!("{what} {one} → {other}"));
                        let change = Change::new(list.subject, ChangeKind::Changed, &name).details(details.collect());
                        diff.changes.push(change.places(place, at));
                    }
                }
            }
            added(list.subject, &name, others, diff);
        }
        for (name, others) in after {
            added(list.subject, &name, others.into_iter(), diff);
        }
    }
    diff.notes.push(format!("{} of native symbols are the same", count(diff.same_native as u64, "record")));
}

fn added(subject: Subject, name: &str, others: impl Iterator<Item = Item>, diff: &mut Diff) {
    for (place, _) in others {
        diff.changes.push(Change::new(subject, ChangeKind::Added, name).places(None, place));
    }
}
