//! Wording: the first words of doc comments.

use std::sync::LazyLock;

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::source::{Source, read_tests};

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
