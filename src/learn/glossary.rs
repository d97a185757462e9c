//! Terms of the screens, the commands and the documentation.
//!
//! `assets/glossary.json` is the source; `docs/glossary.md` is checked against it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::nodes::fields::FieldRow;
use crate::nodes::function::functions_in_order;
use crate::nodes::{self, Place, Token};
use crate::session::Session;
use crate::text::distance::distance;

/// Rows and methods that are tried for an example.
const MAX_TRIED: u32 = 256;
/// Parts of one method that are tried.
const MAX_INNER: u32 = 16;

/// A term.
#[derive(Clone, Debug, Deserialize)]
pub struct Term {
    /// Name, in the case of the specifications.
    pub term: String,
    /// True if documentation sets the name as code.
    #[serde(default)]
    pub code: bool,
    /// Meaning in one or two sentences.
    pub meaning: String,
    /// Paragraphs of specifications; empty if none describes it.
    pub specified_in: String,
    /// Other names.
    pub also: Vec<String>,
    /// Paths of examples, the best first; `*` is replaced by the first token, row or address for which the path exists. After ` ~ ` is a
    /// text that its fields or rows must have.
    pub examples: Vec<String>,
    /// Reason why files have no example, where that is not that they lack the first of `examples`.
    #[serde(default)]
    absent: String,
}

/// Reason why there is no term: names that are like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoTerm {
    /// Terms that may be meant, the nearest first.
    pub near: Vec<&'static str>,
}

/// All terms, in the order of the glossary.
pub fn terms() -> &'static [Term] {
    static TERMS: LazyLock<Vec<Term>> =
        LazyLock::new(|| serde_json::from_str(include_str!("../../assets/glossary.json")).unwrap_or_default());
    &TERMS
}

/// Finds a term by its name or one of its other names, in any case, singular or plural.
pub fn find(text: &str) -> Result<&'static Term, NoTerm> {
    let wanted = text.trim().to_lowercase();
    let singular = wanted.strip_suffix('s').unwrap_or(&wanted);
    let is_it = |name: &str| {
        let name = name.to_lowercase();
        name == wanted || name == singular
    };
    let by_name = terms().iter().find(|term| is_it(&term.term));
    let found = by_name.or_else(|| terms().iter().find(|term| term.also.iter().any(|name| is_it(name))));
    found.ok_or_else(|| NoTerm { near: near(&wanted) })
}

/// Terms with a name like `wanted`: at most three, the nearest first.
fn near(wanted: &str) -> Vec<&'static str> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for term in terms() {
        let names = std::iter::once(&term.term).chain(&term.also).map(|name| name.to_lowercase());
        let one = |name: String| if name.contains(wanted) { 1 } else { distance(wanted, &name) };
        let far = names.map(one).min().unwrap_or(usize::MAX);
        if far <= wanted.chars().count().div_ceil(4) {
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
        end = end.max(at + len);
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

/// Place in the open files that shows `term`.
pub fn example(session: &Session, term: &Term) -> Option<Place> {
    term.examples.iter().find_map(|path| first(session, path))
}

/// Reason why the open files have no example of `term`, in one sentence.
pub fn no_example(session: &Session, term: &Term) -> String {
    if !term.absent.is_empty() {
        return term.absent.clone();
    }
    let (path, text) = term.examples.first().map_or(("", ""), |path| split(path));
    // Parts of a method are counted from 0.
    let place = numbered(path, 1).replace('*', "0").parse::<Place>().ok();
    let is_there = path.contains('*') || place.is_some_and(|place| has_content(session, place));
    let records = words(path);
    let reason = match place {
        Some(place) if !is_there => Some(nodes::absence(session, place)).filter(|text| !text.contains(" tip: ")),
        _ => None,
    };
    match reason {
        Some(reason) => format!("None in these files: {reason}."),
        None if text.is_empty() => format!("None in these files: they have no {records}."),
        None => format!("None in these files: they have no {records} with \u{201c}{text}\u{201d}."),
    }
}

/// Records of a path in words.
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

/// The path of an example, and the text that it must have; empty for none.
fn split(example: &str) -> (&str, &str) {
    example.split_once(" ~ ").unwrap_or((example, ""))
}

/// The path with a number in the place of its first `*`: a token, an address or a row.
fn numbered(path: &str, number: u32) -> String {
    let first = match path.split_once("/*").map(|(head, _)| head) {
        Some("method") => Token(0x0600_0000 | number).to_string(),
        Some("function") => format!("{number:#x}"),
        _ => number.to_string(),
    };
    path.replacen('*', &first, 1)
}

/// The first place of a path with `*` that has something in it, and the text of the example.
fn first(session: &Session, example: &str) -> Option<Place> {
    let (path, text) = split(example);
    let shows = |place: &Place| match text {
        "" => has_content(session, *place),
        text => has_text(session, *place, &text.to_lowercase()),
    };
    let try_path = |path: &str| path.parse::<Place>().ok().filter(shows);
    if !path.contains('*') {
        return try_path(path);
    }
    let numbers = if path.starts_with("function/*") {
        functions_in_order(session, MAX_TRIED as usize)
    } else {
        (1..=MAX_TRIED).collect()
    };
    let inner = |path: String| match path.split_once('*') {
        None => try_path(&path),
        Some((head, tail)) => (0..MAX_INNER).find_map(|number| try_path(&format!("{head}{number}{tail}"))),
    };
    numbers.into_iter().find_map(|number| inner(numbered(path, number)))
}

fn has_content(session: &Session, place: Place) -> bool {
    let rows = || nodes::rows(session, place).is_some_and(|rows| rows.len > 0);
    nodes::fields(session, place).is_some_and(|fields| fields.rows.len() > 1) || rows()
}

/// Returns true if a field, or one of the first rows, has `text`, which is in lower case; the name of a field has to be the text.
fn has_text(session: &Session, place: Place, text: &str) -> bool {
    let has = |part: &str| part.to_lowercase().contains(text);
    let of_field = |row: &FieldRow| row.name.to_lowercase() == text || has(&row.value) || has(&row.meaning);
    let in_fields =
        nodes::played(session, place).is_some_and(|fields| fields.rows.iter().any(of_field) || has(&fields.title));
    let in_rows = || {
        let Some(rows) = nodes::rows(session, place) else { return false };
        rows.window(0..rows.len.min(MAX_TRIED as usize)).any(|row| row.cells.iter().any(|cell| has(&cell.text)))
    };
    in_fields || in_rows()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_terms_of_the_data() {
        let page = include_str!("../../docs/glossary.md");
        let rows: Vec<&str> =
            page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| term")).collect();
        let of = |term: &Term| {
            let name = if term.code { format!("`{}`", term.term) } else { term.term.clone() };
            format!("| {name} | {} | {} |", term.meaning, term.specified_in).replace("|  |", "| |")
        };
        let wanted: Vec<String> = terms().iter().map(of).collect();
        assert_eq!(rows, wanted);
    }

    #[test]
    fn terms_are_found_by_any_name() {
        for (text, term) in
            [("Token", "token"), ("sequence points", "sequence point"), ("free page map", "FPM"), ("#blob", "blob")]
                .into_iter()
                .chain([
                    ("block map", "block map"),
                    ("hash slot", "hash table"),
                    ("nil", "nil"),
                    ("!0", "!0"),
                    ("JIT", "JIT"),
                ])
        {
            assert_eq!(find(text).map(|found| found.term.as_str()), Ok(term));
        }
        assert_eq!(find("sequense point").map(|_| ()), Err(NoTerm { near: vec!["sequence point"] }));
        assert_eq!(find("qqqqqqqq").map(|_| ()), Err(NoTerm { near: Vec::new() }));
    }

    #[test]
    fn terms_of_a_text_are_in_its_order() {
        let names = |text: &str| terms_in(text).iter().map(|term| term.term.as_str()).collect::<Vec<_>>();
        assert_eq!(
            names("Sequence points name IL offsets of a method, not an RVA."),
            ["sequence point", "IL offset", "method", "RVA"]
        );
        assert_eq!(names("The rvalue of a tokenizer, and a typed hill"), Vec::<&str>::new());
    }

    fn sample(path: &str) -> Session {
        let path = format!("{}/assets/samples/{path}", env!("CARGO_MANIFEST_DIR"));
        Session::open(&[path.into()]).unwrap()
    }

    #[test]
    fn every_term_has_an_example_or_a_reason() {
        let samples = [
            "workshop/Workshop.dll",
            "native/tally.exe",
            "parcel/parcel.exe",
            "parcel-lto/parcel.exe",
            "ticker-mono/Ticker.exe",
            "ticker-embedded/Ticker.dll",
            "faults/Faults.dll",
            "parcel-optimized/parcel.exe",
            "parcel-arm64/parcel.exe",
            "sorter/sorter.exe",
        ];
        let sessions: Vec<Session> = samples.iter().map(|path| sample(path)).collect();
        for term in terms() {
            for session in &sessions {
                let reason = no_example(session, term);
                assert!(
                    reason.ends_with('.') && reason.len() > 20 && !reason.contains(" ~ "),
                    "{}: {reason}",
                    term.term
                );
            }
        }
        // A term whose examples no sample has is one of files that are rare, or not of files at all.
        let is_shown = |term: &&Term| sessions.iter().any(|session| example(session, term).is_some());
        let left = terms().iter().filter(|term| !is_shown(term) && term.absent.is_empty());
        assert_eq!(left.map(|term| term.term.as_str()).collect::<Vec<_>>(), RARE);
    }

    /// Terms that none of the samples of the test shows: what Microsoft's linker, Edit and Continue, or other compilers write.
    const RARE: &[&str] = &[
        "capture",
        "EnC delta",
        "forwarder",
        "funclet",
        "manifest resource",
        "MSFZ",
        "OMAP",
        "Rich header",
        "thunk",
        "token map",
    ];

    #[test]
    fn an_example_shows_its_term() {
        let session = sample("workshop/Workshop.dll");
        let of = |name: &str| {
            let place = example(&session, find(name).unwrap()).unwrap_or_else(|| panic!("{name}"));
            nodes::played(&session, place).unwrap()
        };
        for (term, field) in [
            ("yield offset", "yield offset"),
            ("resume offset", "resume offset"),
            ("hidden", "hidden point"),
            ("local signature", "local signature"),
        ] {
            assert!(of(term).rows.iter().any(|row| row.name == field), "{term}");
        }
        for (term, kind) in [("Source Link", "SourceLink"), ("slot map", "EncLocalSlotMap"), ("nil", "nil")] {
            assert!(of(term).rows.iter().any(|row| row.meaning.contains(kind)), "{term}: {:?}", of(term).title);
        }
    }

    #[test]
    fn examples_are_places_of_the_sample() {
        let session = Session::sample();
        for term in terms() {
            for path in &term.examples {
                let path = numbered(split(path).0, 1).replace('*', "0");
                assert!(path.parse::<Place>().is_ok(), "{}: {path}", term.term);
            }
        }
        let with_example = terms().iter().filter(|term| example(&session, term).is_some()).count();
        assert!(with_example > 30, "{with_example}");
        let points = find("sequence point").unwrap();
        assert!(example(&session, points).unwrap().to_string().ends_with("/points"));
    }
}
