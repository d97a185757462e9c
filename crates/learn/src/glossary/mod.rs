//! Terms of the screens, the commands and the documentation: `assets/glossary.json`, which `docs/glossary.md` is checked against.

use pdblens_formats::reason::Reason;
use std::sync::LazyLock;

use serde::Deserialize;

use super::candidates::{Bound, numbers, with_number};
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;
use pdblens_session::text::distance::distance;

/// Rows of a list that are searched for the text of an example before the bound of the search is asked again.
const ROWS_AT_ONCE: usize = 256;
/// Reads that a row of a list counts as.
const READS_OF_ROW: usize = 16;
/// Reads that a search decodes at most while a screen is drawn.
const READS_TO_DRAW: usize = 20_000;
/// Parts of one method that are tried.
const MAX_INNER: u32 = 16;

/// A term.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Term {
    /// Name, in the case of the specifications.
    pub term: String,
    /// True if documentation sets the name as code.
    #[serde(default, skip_serializing)]
    pub code: bool,
    /// Meaning in one or two sentences.
    pub meaning: String,
    /// Paragraphs of specifications; empty if none describes it.
    pub specified_in: String,
    /// Other names.
    pub also: Vec<String>,
    /// Paths of examples, the best first; `*` is replaced by the first token, row or address for which the path exists. After ` ~ ` is a
    /// text that its fields or rows must have, after ` = ` the name of a field or a group.
    #[serde(skip_serializing)]
    pub examples: Vec<String>,
    /// Reason why files have no example, where that is not that they lack the first of `examples`.
    #[serde(default, skip_serializing)]
    absent: String,
}

pub fn terms() -> &'static [Term] {
    static TERMS: LazyLock<Vec<Term>> =
        LazyLock::new(|| serde_json::from_str(include_str!("../../assets/glossary.json")).unwrap_or_default());
    &TERMS
}

/// Finds a term by its name or one of its other names, in any case, singular or plural. The error has the names of terms that may be
/// meant, the nearest first.
pub fn find(text: &str) -> Result<&'static Term, Vec<&'static str>> {
    named(text).ok_or_else(|| near(&text.trim().to_lowercase()))
}

/// Nouns that documents add to a name: the DBI stream is the DBI.
const NOUNS: &[&str] = &[" stream", " substream", " table", " heap", " record", " blob", " header", " row", " column"];
/// Words of the shortest name that is found inside a longer text, as a sentence of a debugger is.
const SENTENCE: usize = 4;

/// Term of that name, in any case, singular or plural, with hyphens or spaces, with the noun of its kind or without; or whose sentence is in
/// the text.
pub fn named(text: &str) -> Option<&'static Term> {
    let wanted = text.trim().trim_end_matches(['.', '!', '?']).to_lowercase();
    exactly(&wanted).or_else(|| NOUNS.iter().find_map(|noun| exactly(wanted.strip_suffix(noun)?))).or_else(|| {
        let has = |name: &String| name.split(' ').count() >= SENTENCE && wanted.contains(&name.to_lowercase());
        terms().iter().find(|term| term.also.iter().any(has))
    })
}

fn exactly(wanted: &str) -> Option<&'static Term> {
    let wanted = &wanted.replace('-', " ");
    let singular = wanted.strip_suffix('s').unwrap_or(wanted);
    let is_it = |name: &str| {
        let name = name.to_lowercase().replace('-', " ");
        name == *wanted || name == singular
    };
    let by_name = terms().iter().find(|term| is_it(&term.term));
    by_name.or_else(|| terms().iter().find(|term| term.also.iter().any(|name| is_it(name))))
}

/// Most letters by which a suggested name differs.
const MAX_DISTANCE: usize = 2;

/// Terms with a name like `wanted`: at most three, the nearest first.
fn near(wanted: &str) -> Vec<&'static str> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for term in terms() {
        let names = std::iter::once(&term.term).chain(&term.also).map(|name| name.to_lowercase());
        let far = names.map(|name| distance(wanted, &name)).min().unwrap_or(usize::MAX);
        if far <= wanted.chars().count().div_ceil(4).min(MAX_DISTANCE) {
            found.push((far, &term.term));
        }
    }
    found.sort_by_key(|(far, _)| *far);
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Terms that `text` uses, in the order of their first use; of terms of which one has the other in its name, the longer one.
pub fn terms_in(text: &str) -> Vec<&'static Term> {
    let lower = text.to_lowercase();
    let mut found: Vec<(usize, usize, &'static Term)> = Vec::new();
    for term in terms() {
        // Another name that is an ordinary word is one of sentences, too.
        let is_term = |name: &&String| name.chars().any(|c| !c.is_lowercase());
        let names = std::iter::once(&term.term).chain(term.also.iter().filter(is_term));
        let first = names.filter_map(|name| Some((first_use(text, &lower, name)?, name.len()))).min();
        found.extend(first.map(|(at, len)| (at, len, term)));
    }
    found.sort_by_key(|(at, len, _)| (*at, std::cmp::Reverse(*len)));
    let mut end = 0;
    found.retain(|(at, len, _)| {
        let is_first = *at >= end;
        end = end.max(at + *len);
        is_first
    });
    found.into_iter().map(|(.., term)| term).collect()
}

/// Offset of the first use of a name as a word, in singular or plural. Names in capitals keep their case: PE is no word of a sentence.
fn first_use(text: &str, lower: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '-');
    let exact = !name.chars().any(char::is_lowercase);
    // Lower case may have another length in bytes; then nothing but the exact name is found.
    let (text, name) =
        if exact || lower.len() != text.len() { (text, name.to_owned()) } else { (lower, name.to_lowercase()) };
    let is_word = |at: &usize| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).unwrap_or_default();
        let after = after.strip_prefix('s').unwrap_or(after).chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    };
    text.match_indices(&name).map(|(at, _)| at).find(is_word)
}

/// Code of the reason why the open files show nothing of a term.
const NO_EXAMPLE: &str = "no-example";

/// Place in the open files that shows `term`; the error says in one sentence why there is none.
pub fn example(session: &Session, term: &Term) -> Result<Place, Reason> {
    let bound = Bound::default();
    let none = || Reason::new(NO_EXAMPLE, no_example(session, term, bound.reached()));
    find_example(session, term, &bound).ok_or_else(none)
}

/// The same for a list of terms that is drawn: `None` where the search would take longer than a moment.
pub fn example_at_once(session: &Session, term: &Term) -> Option<Result<Place, Reason>> {
    let bound = Bound::of(READS_TO_DRAW);
    match (find_example(session, term, &bound), bound.reached()) {
        (Some(place), _) => Some(Ok(place)),
        (None, Some(_)) => None,
        (None, None) => Some(Err(Reason::new(NO_EXAMPLE, no_example(session, term, None)))),
    }
}

fn find_example(session: &Session, term: &Term, bound: &Bound) -> Option<Place> {
    term.examples.iter().find_map(|path| first(session, path, bound))
}

/// Place of an example, as [`Term::examples`] has it, in the open files.
pub(crate) fn place_of(session: &Session, example: &str) -> Option<Place> {
    first(session, example, &Bound::default())
}

/// Reason why the open files have no example of `term`; `tried` is the number of records if a search ended early.
fn no_example(session: &Session, term: &Term, tried: Option<usize>) -> String {
    if !term.absent.is_empty() {
        return term.absent.clone();
    }
    let (path, sought) = term.examples.first().map_or(("", Sought::Anything), |path| split(path));
    if let Some(tried) = tried {
        return format!("None among the first {tried} records of these files that were searched.");
    }
    // Parts of a method are counted from 0.
    let place = with_number(path, 1).replace('*', "0").parse::<Place>().ok();
    let is_there = path.contains('*') || place.is_some_and(|place| has_content(session, place, &Bound::default()));
    let records = words(path);
    let reason = match place {
        Some(place) if !is_there => Some(nodes::absence(session, place)).filter(|text| !text.contains(" tip: ")),
        _ => None,
    };
    match (reason, sought) {
        (Some(reason), _) => format!("None in these files: {reason}."),
        (None, Sought::Anything) => format!("None in these files: they have no {records}."),
        (None, Sought::Field(text) | Sought::Text(text)) => {
            format!("None in these files: they have no {records} with \u{201c}{text}\u{201d}.")
        }
    }
}

fn words(path: &str) -> String {
    match path.split('/').collect::<Vec<_>>().as_slice() {
        [.., "table", table, "*"] => format!("row of the table {table}"),
        ["method", "*"] => "method of IL".to_owned(),
        ["method", "*", part, ..] => format!("method of IL with {part}"),
        ["function", "*", part] => format!("native function with {part}"),
        ["function", "*"] => "native function".to_owned(),
        [kind, "*", ..] => kind.replace('-', " "),
        _ => path.replace('-', " "),
    }
}

#[derive(Clone, Copy)]
enum Sought<'e> {
    Anything,
    /// A field or a group of this name.
    Field(&'e str),
    /// A field of this name, or this text in a value, a meaning, the title or a cell.
    Text(&'e str),
}

fn split(example: &str) -> (&str, Sought<'_>) {
    match (example.split_once(" = "), example.split_once(" ~ ")) {
        (Some((path, name)), _) => (path, Sought::Field(name)),
        (None, Some((path, text))) => (path, Sought::Text(text)),
        (None, None) => (example, Sought::Anything),
    }
}

/// The first place of a path with `*` that has what the example must have.
fn first(session: &Session, example: &str, bound: &Bound) -> Option<Place> {
    let (path, sought) = split(example);
    let shows = |place: &Place| match sought {
        Sought::Anything => has_content(session, *place, bound),
        Sought::Field(name) => has_field(session, *place, name, bound),
        Sought::Text(text) => has_text(session, *place, &text.to_lowercase(), bound),
    };
    let try_path = |path: &str| path.parse::<Place>().ok().filter(shows);
    let inner = |path: String| match path.split_once('*') {
        None => try_path(&path),
        Some((head, tail)) => {
            let paths = (0..MAX_INNER).map_while(|number| format!("{head}{number}{tail}").parse::<Place>().ok());
            paths.take_while(|place| nodes::exists(session, *place)).find(shows)
        }
    };
    numbers(session, path).take_while(|_| bound.is_open()).find_map(|number| inner(with_number(path, number)))
}

fn has_content(session: &Session, place: Place, bound: &Bound) -> bool {
    let rows = || nodes::rows(session, place).is_some_and(|rows| rows.len > 0);
    let fields = nodes::fields(session, place).map_or(0, |fields| fields.rows.len());
    bound.count(fields);
    fields > 1 || rows()
}

fn has_field(session: &Session, place: Place, name: &str, bound: &Bound) -> bool {
    let fields = nodes::played(session, place);
    bound.count(fields.as_ref().map_or(0, |fields| fields.rows.len()));
    fields.is_some_and(|fields| fields.rows.iter().any(|row| row.name == name))
}

/// Returns true if a field, or a row, has `text`, which is in lower case; the name of a field has to be the text.
fn has_text(session: &Session, place: Place, text: &str, bound: &Bound) -> bool {
    let has = |part: &str| part.to_lowercase().contains(text);
    let of_field = |row: &FieldRow| row.name.to_lowercase() == text || has(&row.value) || has(&row.meaning);
    let fields = nodes::played(session, place);
    bound.count(fields.as_ref().map_or(0, |fields| fields.rows.len()));
    let in_fields = fields.is_some_and(|fields| fields.rows.iter().any(of_field) || has(&fields.title));
    let in_rows = || {
        let Some(rows) = nodes::rows(session, place) else { return false };
        let starts = (0..rows.len).step_by(ROWS_AT_ONCE);
        let mut parts = starts.map(|from| from..rows.len.min(from + ROWS_AT_ONCE));
        parts.any(|part| {
            if !bound.is_open() {
                return false;
            }
            bound.count(part.len() * READS_OF_ROW);
            rows.window(part).any(|row| row.cells.iter().any(|cell| has(&cell.text)))
        })
    };
    in_fields || in_rows()
}

#[cfg(test)]
mod tests;
