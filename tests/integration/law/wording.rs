//! Wording: the first words of doc comments, and names of a private language.

use std::sync::LazyLock;

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::source::{Source, read_tests};

/// A doc comment opens with a noun or a verb, and not with a question.
const QUESTIONS: &[&str] = &["What", "How", "Where", "Whether", "Which", "Why"];

/// Words of a private language, in any name: `whose_page`, `SieveState`.
const OLD_WORDS: &[&str] =
    &["whose", "sieve", "sift", "unsift", "gist", "opinion", "survey", "abouts", "patience", "headed"];

/// Names that the field has other words for.
const OLD_NAMES: &[&str] = &[
    "AT_ONCE",
    "Absence",
    "About",
    "Belong",
    "Claim",
    "Covered",
    "Extent",
    "GoOn",
    "Hits",
    "Holder",
    "IdRest",
    "Ink",
    "KEPT",
    "LONGEST",
    "Linked",
    "MOST",
    "NotPut",
    "Nobody",
    "Nothing",
    "Notes",
    "Outline",
    "PATIENCE",
    "Pen",
    "Piece",
    "REST",
    "Routine",
    "Said",
    "Sheet",
    "TAKEN",
    "TURN",
    "Ticket",
    "Whose",
    "Written",
    "find_written",
    "hues",
    "is_at_hand",
    "joint",
    "meant",
    "meets",
    "noting",
    "srcsrv_put",
    "why_no_lines_at_all",
];

/// Files that are named by a word of several meanings, or by none of the field's.
const OLD_FILES: &[&str] = &["moves", "old", "pairs", "quick", "second", "splits", "users", "wants", "words"];

/// Tests, benches and examples, whose words are the field's too.
static TESTS: LazyLock<Vec<Source>> = LazyLock::new(read_tests);

#[test]
fn comments_open_with_a_noun_or_a_verb() {
    let mut found = Vec::new();
    for file in SRC.files.iter().chain(&*TESTS) {
        let mut last = "";
        for (index, line) in file.text.lines().enumerate() {
            let line = line.trim_start();
            let kind = ["///", "//!"].into_iter().find(|kind| line.starts_with(kind)).unwrap_or_default();
            let first = line[kind.len()..].split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty());
            if !kind.is_empty() && kind != last && first.is_some_and(|word| QUESTIONS.contains(&word)) {
                found.push((file.path.clone(), format!("line {}: {line}", index + 1)));
            }
            last = kind;
        }
    }
    assert_kept("comments", "a doc comment opens with a noun phrase or a verb", &by_key(found));
}

/// The parts of a name: `find_written`, `FindWritten`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && lower) {
            parts.push(String::new());
        }
        lower = c.is_lowercase();
        if c != '_' {
            parts.last_mut().expect("there is one").extend(c.to_lowercase());
        }
    }
    parts
}

fn is_old(name: &str) -> bool {
    OLD_NAMES.contains(&name) || parts(name).iter().any(|part| OLD_WORDS.contains(&part.as_str()))
}

#[test]
fn names_are_those_of_the_field() {
    let mut found = Vec::new();
    for file in SRC.files.iter().chain(&*TESTS) {
        for (at, name) in file.identifiers().filter(|(_, name)| is_old(name)) {
            found.push((file.path.clone(), format!("line {}: {name}", file.line(at))));
        }
        if file.module.last().is_some_and(|name| OLD_FILES.contains(&name.as_str())) {
            found.push((file.path.clone(), "the name of the file".to_owned()));
        }
    }
    assert_kept("names", "names are the field's, and can be guessed", &by_key(found));
}

#[test]
fn old_names_are_seen_in_new_ones() {
    for name in ["whose_page", "SieveState", "Gist", "unsift", "MOST", "WHOSE"] {
        assert!(is_old(name), "{name}");
    }
    for name in ["owner_at", "MOSTLY", "Surveyor", "sifted", "pen"] {
        assert!(!is_old(name), "{name}");
    }
}
