//! Lengths of files and functions.

use super::SRC;
use super::allow::{Finding, assert_kept};
use super::modules::words;
use super::source::{Source, block, is_name};

/// The gate prints a warning about longer files.
const GOOD_FILE_LINES: usize = 400;
const MAX_FILE_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 60;

#[test]
fn files_are_short() {
    for file in &SRC.files {
        let number = file.text.lines().count();
        if number > GOOD_FILE_LINES {
            println!("warning: {} has {number} lines; {GOOD_FILE_LINES} or less read better", file.path);
        }
    }
    let long = SRC.files.iter().map(|file| (file, file.text.lines().count())).filter(|(_, n)| *n > MAX_FILE_LINES);
    let found: Vec<Finding> =
        long.map(|(file, number)| Finding { key: file.path.clone(), number, detail: String::new() }).collect();
    assert_kept("file-lines", "a file has at most 600 lines", &found);
}

/// Functions: where they begin, their names, and their bodies.
fn functions(source: &Source) -> Vec<(usize, &str, &str)> {
    let code = &source.code;
    let mut found = Vec::new();
    for (at, _) in words(code, "fn") {
        let rest = code[at + 2..].trim_start();
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        // `fn(u8) -> u8` is a type. A signature has no braces; in a trait it may have no body.
        let head = at + code[at..].find(['{', ';']).unwrap_or(0);
        if !name.is_empty() && code[head..].starts_with('{') {
            found.push((at, name, &code[block(code, head)]));
        }
    }
    found
}

/// Returns whether a body lists data and decides nothing.
fn is_data(body: &str) -> bool {
    ["if", "else", "match", "for", "while", "loop", "return"].iter().all(|word| words(body, word).next().is_none())
}

fn lines(source: &Source, at: usize, body: &str) -> usize {
    let end = body.as_ptr() as usize - source.code.as_ptr() as usize + body.len();
    source.code[at..end].lines().count()
}

#[test]
fn functions_are_short() {
    let mut found: Vec<Finding> = Vec::new();
    for file in &SRC.files {
        for (at, name, body) in functions(file) {
            let number = lines(file, at, body);
            if number > MAX_FUNCTION_LINES && !is_data(body) {
                let key = format!("{}::{name}", file.path);
                found.push(Finding { key, number, detail: format!(" (line {})", file.line(at)) });
            }
        }
    }
    assert_kept("function-lines", "a function has at most 60 lines", &found);
}

#[test]
fn functions_are_measured() {
    let text =
        "fn a() -> u8 {\n    \"}\";\n    '}'\n}\ntrait T { fn b(&self); }\nimpl T for fn(u8) { fn c() { if x {} } }";
    let source = Source::new("src/x.rs", text.to_owned());
    let found: Vec<_> = functions(&source)
        .into_iter()
        .map(|(at, name, body)| (name, lines(&source, at, body), is_data(body)))
        .collect();
    assert_eq!(found, [("a", 4, true), ("c", 1, false)]);
}

/// Types that everything holds, with the most methods that they may have.
const NARROW: &[(&str, &str, usize)] = &[
    // Each method is a question that every symbol format answers.
    ("trait", "SymbolReader", 20),
    // What is open, and no more: other questions are functions of `query`, `source` and `nodes`.
    ("impl", "Session", 24),
];

/// Names of the functions in the blocks `KEYWORD NAME {` of a file; private ones of an `impl` are left out.
fn methods<'s>(source: &'s Source, keyword: &str, name: &str) -> Vec<&'s str> {
    let code = &source.code;
    let mut found = Vec::new();
    for (at, _) in words(code, keyword) {
        let head = &code[at + keyword.len()..];
        let Some(rest) = head.trim_start().strip_prefix(name) else { continue };
        if rest.starts_with(is_name) {
            continue;
        }
        let open = at + code[at..].find('{').unwrap_or(0);
        let body = &code[block(code, open)];
        for (at, _) in words(body, "fn") {
            let line = &body[body[..at].rfind('\n').map_or(0, |end| end + 1)..at];
            let rest = body[at + 2..].trim_start();
            let is_private = keyword == "impl" && !line.split_whitespace().any(|word| word == "pub");
            let method = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
            // `fn()` is a type.
            if !is_private && !method.is_empty() {
                found.push(method);
            }
        }
    }
    found
}

#[test]
fn central_types_are_narrow() {
    for (keyword, name, most) in NARROW {
        let found: Vec<&str> = SRC.files.iter().flat_map(|file| methods(file, keyword, name)).collect();
        assert!(!found.is_empty(), "{keyword} {name} is gone");
        assert!(found.len() <= *most, "{keyword} {name} has {} methods, at most {most}: {found:?}", found.len());
    }
}

#[test]
fn methods_are_counted() {
    let text = "trait T { fn a(&self); fn b() { let f: fn(); } }\nimpl S { pub fn c() {}\n pub const fn d() {}\n fn e() {} }\n\
                impl Sized { pub fn f() {} }";
    let source = Source::new("src/x.rs", text.to_owned());
    assert_eq!(methods(&source, "impl", "S"), ["c", "d"]);
    assert_eq!(methods(&source, "trait", "T"), ["a", "b"]);
}
