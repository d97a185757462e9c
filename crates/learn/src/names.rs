//! Words that the code has: opcodes, kinds of CodeView records, tables, and fields of records.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::about::{Explanation, Section};
use super::candidates::{numbers, with_number};
use super::lesson::samples;
use pdblens_formats::codeview::{c13, symbols, types};
use pdblens_formats::il::OPCODES;
use pdblens_formats::metadata::TableId;
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

/// Rows of a list of the samples that are looked at, and numbers of a pattern.
const ROWS: usize = 2;
const NUMBERS: usize = 24;
/// Places that no list leads to.
const PATTERNS: &[&str] =
    &["method/*/points", "method/*/body", "function/*/lines", "table/CustomDebugInformation/*", "stream/*"];

/// An opcode, a kind of record, or a table.
pub(crate) fn of_name(text: &str) -> Option<Explanation> {
    opcode(text).or_else(|| record_kind(text)).or_else(|| table(text))
}

fn explanation(title: impl Into<String>, heading: &'static str, lines: Vec<String>) -> Explanation {
    Explanation { title: title.into(), sections: vec![Section { heading, lines }], to: None }
}

fn opcode(text: &str) -> Option<Explanation> {
    let opcode = OPCODES.iter().find(|opcode| opcode.name.eq_ignore_ascii_case(text))?;
    let bytes = if opcode.code > 0xff { format!("{:04x}", opcode.code) } else { format!("{:02x}", opcode.code) };
    let lines = vec![
        opcode.about.to_owned(),
        format!("code\t{bytes}"),
        format!("operand\t{:?}", opcode.operand),
        "specified in\tECMA-335 III CIL instruction set".to_owned(),
    ];
    Some(explanation(opcode.name, "IL instruction", lines))
}

/// A kind of symbol or type record (`S_GPROC32`, `LF_POINTER`), or of a debug subsection (`DEBUG_S_LINES`).
fn record_kind(text: &str) -> Option<Explanation> {
    let plain = |name: &str| letters(name.trim_start_matches("DEBUG_S_"));
    let kinds =
        |heading, of: &'static [(u64, &'static str)], prefix| of.iter().map(move |kind| (heading, kind, prefix));
    let all = kinds("CodeView symbol record", symbols::KINDS, "S_")
        .chain(kinds("CodeView type record", types::KINDS, "LF_"))
        .chain(kinds("debug subsection", c13::KINDS, "DEBUG_S_"));
    let upper = text.to_uppercase();
    let mut all = all.filter(|(_, _, prefix)| upper.starts_with(prefix));
    let (heading, (kind, name), _) = all.find(|(_, (_, name), _)| plain(name) == plain(&upper))?;
    let mut lines = vec![format!("kind\t{kind:#06x}")];
    lines.extend(FIELDS.get(&letters(name)).map(|found| format!("of {}\t{}", found.sample, found.place)));
    Some(explanation(upper.as_str(), heading, lines))
}

fn table(text: &str) -> Option<Explanation> {
    let table = TableId::named(text)?;
    let columns = table.def()?.columns.iter().map(|column| format!("{}\t{}", column.doc.name, column.doc.about));
    let lines = std::iter::once(table.doc().about.to_owned()).chain(columns).collect();
    Some(explanation(format!("{} (table 0x{:02x})", table.name(), table.0), "table", lines))
}

/// A field of a record of the built-in samples.
struct KnownField {
    name: String,
    about: &'static str,
    /// Record that has it.
    record: String,
    sample: &'static str,
    place: Place,
}

/// Fields by their letters, and values of kinds by theirs; of several, the first.
static FIELDS: LazyLock<HashMap<String, KnownField>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    for (sample, session) in samples::each() {
        for place in places(session) {
            let Some(fields) = nodes::played(session, place) else { continue };
            for row in &fields.rows {
                let kind = Some(&row.meaning).filter(|meaning| meaning.contains('_') && !meaning.contains(' '));
                for name in [Some(&row.name).filter(|_| !row.about.is_empty()), kind].into_iter().flatten() {
                    let known = || KnownField {
                        name: name.clone(),
                        about: row.about,
                        record: fields.title.clone(),
                        sample: sample.name,
                        place,
                    };
                    found.entry(letters(name)).or_insert_with(known);
                }
            }
        }
    }
    found
});

/// Places of the lists of a session and of the first rows in each, and those of [`PATTERNS`].
fn places(session: &Session) -> Vec<Place> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    let mut todo = vec![(Place::Places, usize::MAX)];
    while let Some((place, most)) = todo.pop() {
        if !seen.insert(place.to_string()) {
            continue;
        }
        found.push(place);
        let Some(rows) = nodes::rows(session, place).filter(|_| most > 0) else { continue };
        let inside = rows.window(0..rows.len.min(most)).filter_map(|row| row.place);
        todo.extend(inside.map(|place| (place, if most == usize::MAX { ROWS } else { 0 })));
    }
    for pattern in PATTERNS {
        let paths = numbers(session, pattern).take(NUMBERS).map(|number| with_number(pattern, number));
        found.extend(paths.filter_map(|path| path.parse::<Place>().ok()));
    }
    found
}

/// The letters, digits and signs of a name, without those that separate its words.
fn letters(name: &str) -> String {
    name.to_lowercase().replace(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '~'), "")
}

/// A field, with or without its record: `page size`, `Document.Name`.
pub(crate) fn of_field(text: &str) -> Option<Explanation> {
    let (record, name) = text.rsplit_once('.').unwrap_or(("", text));
    let found = FIELDS.get(&letters(name)).filter(|found| found.record.contains(record) && !found.about.is_empty())?;
    let lines =
        vec![found.about.to_owned(), format!("in\t{}", found.record), format!("of {}\t{}", found.sample, found.place)];
    Some(explanation(found.name.as_str(), "field", lines))
}
