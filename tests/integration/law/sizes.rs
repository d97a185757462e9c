//! Lengths of files and functions.

use std::collections::BTreeMap;

use super::SRC;
use super::allow::{Finding, assert_kept};
use super::modules::words;
use super::source::{Source, block, is_name};

/// The gate prints a warning about longer files.
const GOOD_FILE_LINES: usize = 400;
const MAX_FILE_LINES: usize = 600;
/// The same about longer functions.
const GOOD_FUNCTION_LINES: usize = 60;

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

/// Prints a warning about long functions: where one is better whole, it may be.
#[test]
fn functions_are_short() {
    for file in &SRC.files {
        for (at, name, body) in functions(file) {
            let number = lines(file, at, body);
            if number > GOOD_FUNCTION_LINES && !is_data(body) {
                println!("warning: {name} ({}:{}) has {number} lines", file.path, file.line(at));
            }
        }
    }
}

/// Methods that a type may have, in all its files together.
const MAX_METHODS: usize = 45;
/// Types that have more, and how many they may have: the numbers only fall. A cursor has a method for each form of number, text and group.
const MANY_METHODS: &[(&str, usize)] = &[("formats::bytes::cursor::Cursor", 55)];

/// Inherent blocks of a file: the name of the type, and the number of functions in its block.
fn inherent_blocks(source: &Source) -> Vec<(&str, usize)> {
    let code = &source.code;
    let mut found = Vec::new();
    for (at, _) in words(code, "impl") {
        let open = at + code[at..].find('{').unwrap_or(0);
        let head = code[at + "impl".len()..open].trim_start();
        // After the parameters of the block; an `impl Trait` of a signature, and one for a type, are no such block.
        let head = if head.starts_with('<') { after_list(head) } else { head };
        let line = &code[code[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        if !line.trim().is_empty() || words(head, "for").next().is_some() {
            continue;
        }
        let name = &head[..head.find(|c| !is_name(c)).unwrap_or(head.len())];
        found.push((name, words(&code[block(code, open)], "fn").count()));
    }
    found
}

/// The text after a list of parameters in `<>`.
fn after_list(head: &str) -> &str {
    let mut depth = 0;
    for (at, sign) in head.char_indices() {
        match sign {
            '<' => depth += 1,
            '>' if !head[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return head[at + 1..].trim_start();
        }
    }
    head
}

/// Modules that declare a type of each name.
fn declarations() -> BTreeMap<&'static str, Vec<&'static [String]>> {
    let mut found: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
    for file in &SRC.files {
        for (at, _) in words(&file.code, "struct").chain(words(&file.code, "enum")) {
            let rest = file.code[at..].split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
            found.entry(&rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]).or_default().push(&file.module);
        }
    }
    found
}

#[test]
fn types_have_few_methods() {
    let declared = declarations();
    let mut methods: BTreeMap<String, usize> = BTreeMap::new();
    for file in &SRC.files {
        for (name, number) in inherent_blocks(file) {
            // Of several types with a name, the one that is declared nearest.
            let shared = |module: &&&[String]| module.iter().zip(&file.module).take_while(|(a, b)| a == b).count();
            let home = declared.get(name).into_iter().flatten().max_by_key(shared);
            let home = home.map_or_else(String::new, |module| module.join("::"));
            *methods.entry(format!("{home}::{name}")).or_default() += number;
        }
    }
    for (key, number) in methods {
        let many = MANY_METHODS.iter().find(|(name, _)| *name == key);
        let most = many.map_or(MAX_METHODS, |(_, most)| *most);
        assert!(number <= most, "{key} has {number} methods, at most {most}: make it what it is made of");
    }
}

#[test]
fn blocks_of_methods_are_counted() {
    let text = "impl<'s, F: Fn() -> u8> A<'s, F> {\n pub fn a() {}\n fn b() {} }\nimpl T for A { fn c() {} }\nfn d() -> impl T {}";
    let source = Source::new("src/x.rs", text.to_owned());
    assert_eq!(inherent_blocks(&source), [("A", 2)]);
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
    // A picture, a list or the player: one machine has what is the same for all lists.
    ("trait", "Pane", 7),
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
