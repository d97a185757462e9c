//! Rows of the changes between two builds, by cause.

use std::collections::HashSet;

use crate::state::comparison::Differences;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::{Place, document};
use pdblens_query::diff::{Cause, Change, ChangeKind, Subject, shift, shifts};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Columns of the list.
pub(super) const COLUMNS: &[Head] = &[
    Head::text("change"),
    Head::text("what differs"),
    Head::text("IL bytes"),
    Head::text("points"),
    Head::number("a breakpoint"),
    Head::text("IL offset"),
];

/// Subject of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The name of a group.
    Group,
    /// A change by its index.
    Change(usize),
    /// The methods of a document that have only moved.
    Moved(Place),
}

/// Group of changes: its name, and those that it has.
type Group = (&'static str, fn(&Change) -> bool);

/// Groups in the order of the list, the most important first: that of `pdblens diff`.
const GROUPS: &[Group] = &[
    (Cause::Code.name(), |change| change.cause == Some(Cause::Code)),
    (Cause::Lines.name(), |change| change.cause == Some(Cause::Lines)),
    (Cause::Names.name(), |change| change.cause == Some(Cause::Names)),
    ("Added", |change| change.subject == Subject::Method && change.how == ChangeKind::Added),
    ("Removed", |change| change.subject == Subject::Method && change.how == ChangeKind::Removed),
    ("Moved, otherwise equal", |change| change.subject == Subject::Method && change.moved.is_some()),
    (Cause::Text.name(), |change| change.cause == Some(Cause::Text)),
    ("Documents", |change| change.subject == Subject::Document && change.cause.is_none()),
    ("Compiler options", |change| change.subject == Subject::Option),
    ("References", |change| change.subject == Subject::Reference),
    ("Functions", |change| change.subject == Subject::Function && change.moved.is_none()),
    ("Functions moved, otherwise equal", |change| change.subject == Subject::Function && change.moved.is_some()),
    ("Types", |change| change.subject == Subject::Type),
    ("Public symbols", |change| change.subject == Subject::Public),
    ("Modules", |change| change.subject == Subject::Module),
];

/// The rows, and the item of each; methods of the documents in `open` that have only moved have rows of their own.
pub(super) fn rows(found: &Differences, sessions: [&Session; 2], open: &HashSet<Place>) -> (Vec<Row>, Vec<Item>) {
    let (mut rows, mut items) = (Vec::new(), Vec::new());
    let mut add = |row: Row, item: Item| {
        rows.push(row);
        items.push(item);
    };
    for (name, is_in) in GROUPS {
        let changes: Vec<usize> =
            found.diff.changes.iter().enumerate().filter(|(_, change)| is_in(change)).map(|(index, _)| index).collect();
        if changes.is_empty() {
            continue;
        }
        let number = Cell::toned(changes.len().to_string(), Tone::Dim);
        let name = Cell::toned(*name, Tone::Strong);
        add(Row::plain(vec![name, Cell::default(), Cell::default(), Cell::default(), number]), Item::Group);
        let first = &found.diff.changes[changes[0]];
        if first.moved.is_none() {
            for index in changes {
                add(change_row(found, sessions, index, 1), Item::Change(index));
            }
            continue;
        }
        for (document, moved) in found.diff.moved_by_document(first.subject) {
            add(moved_row(sessions[1], document, &moved, open.contains(&document)), Item::Moved(document));
            let is_of =
                |index: &usize| found.diff.changes[*index].moved.is_some_and(|moved| moved.document == document);
            for index in changes.iter().copied().filter(|index| open.contains(&document) && is_of(index)) {
                add(change_row(found, sessions, index, 2), Item::Change(index));
            }
        }
    }
    (rows, items)
}

/// Name of a change without namespaces.
pub(super) fn short_name(change: &Change, sessions: [&Session; 2]) -> String {
    let (session, place) = match change.before {
        Some(place) => (sessions[0], place),
        None => (sessions[1], change.after.unwrap_or(Place::Overview)),
    };
    match (session.names(), place) {
        (Some(names), Place::Method(method)) => names.brief().method(method),
        _ => change.name.clone(),
    }
}

fn change_row(found: &Differences, sessions: [&Session; 2], index: usize, depth: u8) -> Row {
    let (change, numbers) = (&found.diff.changes[index], &found.numbers[index]);
    let tone = match change.how {
        ChangeKind::Added => Tone::Ok,
        ChangeKind::Removed => Tone::Bad,
        ChangeKind::Changed | ChangeKind::Moved => Tone::Text,
    };
    let differs = match change.cause {
        // The kinds of the differences: the whole sentences are below the list.
        Some(Cause::Code) => {
            let kinds = change.details.iter().filter_map(|detail| detail.split([',', ':']).next());
            let kinds = kinds.map(|kind| kind.strip_suffix(" differ").unwrap_or(kind));
            kinds.filter(|kind| *kind != "breakpoints").collect::<Vec<_>>().join(", ")
        }
        _ => change
            .details
            .iter()
            .filter(|detail| !detail.starts_with("breakpoints"))
            .cloned()
            .collect::<Vec<_>>()
            .join(", "),
    };
    let breakpoint = match change.moved {
        Some(moved) => shift(moved.by),
        None => numbers.breakpoint.clone(),
    };
    let gone = if numbers.breakpoint == "gone" { Tone::Bad } else { Tone::Text };
    let cells = vec![
        Cell::toned(format!("{} {}", change.how.mark(), short_name(change, sessions)), tone),
        Cell::toned(differs, Tone::Dim),
        Cell::toned(numbers.il.clone(), Tone::Dim),
        Cell::toned(numbers.points.clone(), Tone::Dim),
        Cell::toned(breakpoint, gone),
        Cell::toned(numbers.offsets.clone(), Tone::Dim),
    ];
    Row { place: change.after, depth, ..Row::plain(cells) }
}

fn moved_row(after: &Session, document: Place, moved: &[&Change], is_open: bool) -> Row {
    let name = match document {
        Place::Document(row) => document::name(after, row).unwrap_or_default(),
        _ => String::new(),
    };
    let mark = if is_open { "▾" } else { "▸" };
    let noun = moved.first().map_or("method", |change| change.subject.name());
    let text = format!("{mark} {} of {}", count(moved.len() as u64, noun), file_name(&name));
    let cells = vec![Cell::new(text), Cell::toned(shifts(moved), Tone::Dim), Cell::default(), Cell::default()];
    Row { place: Some(document), depth: 1, ..Row::plain(cells) }
}

/// The card above the list.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Sentence about all methods, or all functions of native code.
    pub(super) first: String,
    /// Numbers of changes by kind, and the other things that differ.
    pub(super) second: String,
    /// Numbers of those that differ, have moved and are the same.
    pub(super) counts: [u64; 3],
}

impl Summary {
    pub(super) fn of(found: &Differences) -> Self {
        let diff = &found.diff;
        let is_managed = diff.same_methods > 0 || diff.changes.iter().any(|change| change.subject == Subject::Method);
        let subject = if is_managed { Subject::Method } else { Subject::Function };
        let number = |how: ChangeKind| {
            diff.changes.iter().filter(|change| (change.subject, change.how) == (subject, how)).count() as u64
        };
        let parts = [ChangeKind::Changed, ChangeKind::Added, ChangeKind::Removed].map(|how| (number(how), how.name()));
        let differ: u64 = parts.iter().map(|(number, _)| *number).sum();
        let moved = number(ChangeKind::Moved);
        let same = if is_managed { format!(", {} are the same", diff.same_methods) } else { String::new() };
        let first = if diff.is_identical {
            "identical: every byte of the files is the same".to_owned()
        } else if diff.changes.is_empty() {
            let methods = count(diff.same_methods as u64, "method");
            format!("no difference in {methods}, yet {} differ", count(found.differing, "byte"))
        } else {
            format!("{} differ, {moved} only moved{same}", count(differ, subject.name()))
        };
        let others = Subject::ALL.into_iter().filter(|other| *other != subject).filter_map(|other| {
            let number = diff.changes.iter().filter(|change| change.subject == other).count();
            (number > 0).then(|| count(number as u64, other.name()))
        });
        let others = others.collect::<Vec<_>>().join(", ");
        let rest = if others.is_empty() { others } else { format!("{others} changed") };
        let parts = parts.into_iter().filter(|(number, _)| *number > 0).map(|(number, how)| format!("{number} {how}"));
        let parts = parts.collect::<Vec<_>>().join(", ");
        let second = [parts, rest].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
        Self { first, second, counts: [differ, moved, diff.same_methods as u64] }
    }
}
