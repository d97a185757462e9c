//! Sentences have a code: below the command line and the screens, no error is a text alone.

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::source::Source;

/// Types of results whose error is a text, and conversions that fail with one.
fn texts(source: &Source) -> Vec<(String, String)> {
    let is_edge = source.root().is_empty() || source.root() == ["tui"];
    let code = if is_edge { "" } else { source.code.as_str() };
    let of_results =
        code.match_indices("Result<").filter(|(at, _)| error_of(&code[at + "Result<".len()..]) == "String");
    let of_conversions = code.match_indices("type Error = String;");
    let found =
        of_results.chain(of_conversions).map(|(at, _)| (source.path.clone(), format!("line {}", source.line(at))));
    found.collect()
}

/// The second argument of a list of types; empty where the list has one, as the results of a crate have.
fn error_of(list: &str) -> &str {
    let (mut depth, mut begins) = (0_i32, None);
    for (at, sign) in list.char_indices() {
        match sign {
            // The arrow of a function type closes nothing.
            '>' if list[..at].ends_with('-') => {}
            '<' | '(' | '[' => depth += 1,
            '>' if depth == 0 => return begins.map_or("", |begins| list[begins..at].trim()),
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => begins = Some(at + 1),
            _ => {}
        }
    }
    ""
}

#[test]
fn sentences_have_a_code() {
    let found = by_key(SRC.files.iter().flat_map(texts));
    assert_kept("reasons", "an error is a `Reason` or a type of its own, not a text", &found);
}

#[test]
fn errors_that_are_texts_are_found() {
    let text = "fn a() -> Result<Vec<(u8, String)>, String> {}\nfn b() -> Result<String> {}\nfn c(f: &dyn Fn() -> u8) -> Result<u8, E> {}";
    let source = Source::new("crates/query/src/x.rs", text.to_owned());
    let lines: Vec<String> = texts(&source).into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, ["line 1"]);
}
