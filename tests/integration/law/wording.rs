//! Wording: the first words of doc comments.

use std::sync::LazyLock;

use pdblens::learn::headings;

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::source::{Source, read_tests};
use crate::support::samples::repository;

/// A doc comment opens with a noun or a verb, and not with a question.
const QUESTIONS: &[&str] = &["What", "How", "Where", "Whether", "Which", "Why"];

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

/// Paragraphs of ECMA-335 that a text cites: `II.23.2`.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c == '.' || c.is_ascii_alphanumeric())).map(|word| word.trim_matches('.'));
    words.filter(|word| {
        let (part, number) = word.split_once('.').unwrap_or_default();
        matches!(part, "I" | "II" | "III") && number.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[test]
fn every_cited_paragraph_is_in_the_list_of_headings() {
    let folders = ["docs", "crates/learn/assets", "crates/learn/assets/lessons", "crates/learn/assets/course"];
    let files = folders.map(repository).into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let pages = files.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok());
    let code = SRC.files.iter().filter(|file| !file.path.ends_with("headings.rs")).map(|file| file.text.clone());
    let (mut cited, mut unknown) = (0, std::collections::BTreeSet::new());
    for text in pages.chain(code) {
        for paragraph in paragraphs(&text) {
            cited += 1;
            if headings::find(&format!("ECMA-335 {paragraph}")).is_none() {
                unknown.insert(paragraph.to_owned());
            }
        }
    }
    assert!(cited > 250 && unknown.is_empty(), "{cited}: {unknown:?}");
    // The rule can fail.
    assert_eq!(paragraphs("of II.99.1, and (III.2)").collect::<Vec<_>>(), ["II.99.1", "III.2"]);
    assert!(headings::find("ECMA-335 II.99.1").is_none());
}
