//! Terms of the screens, the commands and the documentation.
//!
//! `assets/glossary.json` is the source; `docs/glossary.md` is checked against it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::nodes::{self, Place, Token, nearest};
use crate::session::Session;

/// Rows and methods that are tried for an example.
const MAX_TRIED: u32 = 256;

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
    /// Paths of examples, the best first; `*` is replaced by the first token or row for which the path exists.
    pub examples: Vec<String>,
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
        let one = |name: String| if name.contains(wanted) { 1 } else { nearest::distance(wanted, &name) };
        let distance = names.map(one).min().unwrap_or(usize::MAX);
        if distance <= wanted.chars().count().div_ceil(4) {
            found.push((distance, &term.term));
        }
    }
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Place in the open files that shows `term`.
pub fn example(session: &Session, term: &Term) -> Option<Place> {
    term.examples.iter().find_map(|path| first(session, path))
}

/// The first place of a path with `*` that has something in it.
fn first(session: &Session, path: &str) -> Option<Place> {
    let try_path = |path: &str| path.parse::<Place>().ok().filter(|place| has_content(session, *place));
    if !path.contains('*') {
        return try_path(path);
    }
    let numbers = 1..=MAX_TRIED;
    let mut all = numbers.map(|number| match path.starts_with("method/") {
        true => path.replace('*', &Token(0x0600_0000 | number).to_string()),
        false => path.replace('*', &number.to_string()),
    });
    all.find_map(|path| try_path(&path))
}

fn has_content(session: &Session, place: Place) -> bool {
    let rows = || nodes::rows(session, place).is_some_and(|rows| rows.len > 0);
    nodes::fields(session, place).is_some_and(|fields| fields.rows.len() > 1) || rows()
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
    fn examples_are_places_of_the_sample() {
        let session = Session::sample();
        for term in terms() {
            for path in &term.examples {
                let path = path.replace('*', "1").replace("method/1", "method/0x06000001");
                assert!(path.parse::<Place>().is_ok(), "{}: {path}", term.term);
            }
        }
        let with_example = terms().iter().filter(|term| example(&session, term).is_some()).count();
        assert!(with_example > 30, "{with_example}");
        let points = find("sequence point").unwrap();
        assert!(example(&session, points).unwrap().to_string().ends_with("/points"));
    }
}
