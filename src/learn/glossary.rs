//! Terms of the screens, the commands and the documentation.
//!
//! `assets/glossary.json` is the source; `docs/glossary.md` is checked against it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::nodes::{self, Place, Token};
use crate::session::Session;
use crate::text::distance::distance;

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
    fn terms_of_a_text_are_in_its_order() {
        let names = |text: &str| terms_in(text).iter().map(|term| term.term.as_str()).collect::<Vec<_>>();
        assert_eq!(
            names("Sequence points name IL offsets of a method, not an RVA."),
            ["sequence point", "IL offset", "method", "RVA"]
        );
        assert_eq!(names("The rvalue of a tokenizer, and a typed hill"), Vec::<&str>::new());
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
