//! A Rust file as the rules see it: code without comments, literals and tests.

use std::fs;
use std::ops::Range;
use std::path::Path;

/// A law that reads too few files passes without looking.
const MIN_FILES: usize = 700;

/// The crates below `crates/` that the laws are about.
pub(super) const CRATES: &[&str] =
    &["formats", "machine", "runtime", "session", "nodes", "query", "learn", "tui", "web"];

/// A Rust file.
pub(super) struct Source {
    /// From the root of the repository, with `/`: `crates/tui/src/app/mod.rs`.
    pub path: String,
    /// The module that it is, behind the name of its crate: `["tui", "app"]`; files of `src/` have no such name.
    pub module: Vec<String>,
    pub text: String,
    /// `text` with a blank for each byte of a comment, of a literal, and of an item under `#[cfg(test)]`.
    pub code: String,
}

impl Source {
    pub(super) fn new(path: &str, text: String) -> Self {
        let inner = path.strip_prefix("crates/").unwrap_or(path).trim_end_matches(".rs");
        let is_name = |part: &&str| !matches!(*part, "src" | "mod" | "lib");
        let module = inner.split('/').filter(is_name).map(str::to_owned).collect();
        let code = without_tests(blanked(&text));
        Self { path: path.to_owned(), module, text, code }
    }

    /// Returns whether it is a file of tests, beside the code or in a folder of tests.
    fn is_test(&self) -> bool {
        let is_beside = self.module.last().is_some_and(|name| name == "tests" || name.ends_with("_tests"));
        is_beside || !format!("/{}", self.path).contains("/src/") || self.path.starts_with("crates/testing/")
    }

    /// The path of the root of its crate: `["tui"]`, and empty for files of `src/`.
    pub(super) fn root(&self) -> &[String] {
        if self.path.starts_with("crates/") { &self.module[..1] } else { &[] }
    }

    pub(super) fn is_facade(&self) -> bool {
        self.path.ends_with("/mod.rs") || self.path.ends_with("/lib.rs")
    }

    /// The module that it is declared in: `["tui", "app"]` for `crates/tui/src/app/{keys.rs, player/mod.rs}`.
    pub(super) fn parent(&self) -> &[String] {
        self.module.split_last().map_or(&[], |(_, parent)| parent)
    }

    /// Names and byte offsets of all identifiers of the code.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at + self.code[at..].find(is_name)?;
            let rest = &self.code[start..];
            let end = start + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            at = end;
            Some((start, &self.code[start..end]))
        })
    }

    /// Lines of the items that only tests have.
    pub(super) fn test_lines(&self) -> usize {
        let code = blanked(&self.text);
        test_items(&code).into_iter().map(|item| code[item].lines().count()).sum()
    }

    /// The line of a byte offset, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.code[..at].matches('\n').count() + 1
    }
}

/// All files of the program and its crates but those that are tests, by path.
pub(super) fn read_all() -> Vec<Source> {
    let found = read(&["src", "crates"], |source| !source.is_test());
    assert!(found.len() > MIN_FILES, "only {} files were found", found.len());
    for name in CRATES {
        assert!(found.iter().any(|source| source.root() == [*name]), "no file of the crate {name} was found");
    }
    found
}

/// Tests, benches and examples, by path.
pub(super) fn read_tests() -> Vec<Source> {
    read(&["src", "crates", "tests", "benches", "examples"], Source::is_test)
}

fn read(folders: &[&str], keep: impl Fn(&Source) -> bool) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    // Benches are a package of their own, which the packaged crate does not have.
    for folder in folders.iter().map(|folder| root.join(folder)).filter(|folder| folder.exists()) {
        walk(&folder, &mut paths);
    }
    let sources = paths.iter().map(|path| {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        Source::new(&name, fs::read_to_string(path).unwrap())
    });
    let mut found: Vec<Source> = sources.filter(keep).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn walk(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

pub(super) fn is_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// `text` with a blank for each byte of a comment or a literal; line ends stay.
pub(super) fn blanked(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let after_name = at > 0 && (bytes[at - 1] == b'_' || bytes[at - 1].is_ascii_alphanumeric());
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => text[at..].find('\n').map_or(bytes.len(), |length| at + length),
            b'/' if bytes[at..].starts_with(b"/*") => end_of_comment(bytes, at),
            b'"' => end_of_string(bytes, at),
            b'r' if !after_name || matches!(bytes[at - 1], b'b' | b'c') => end_of_raw(text, at).unwrap_or(at),
            b'\'' => end_of_char(text, at).unwrap_or(at),
            _ => at,
        };
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(out).expect("whole characters are blanked")
}

/// Comments nest.
fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// `r"…"`, `r#"…"#`; not `r#type`.
fn end_of_raw(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start + 1..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let open = start + 1 + hashes;
    if !text[open..].starts_with('"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    Some(text[open + 1..].find(&close).map_or(text.len(), |length| open + 1 + length + close.len()))
}

/// A character and not a lifetime.
fn end_of_char(text: &str, start: usize) -> Option<usize> {
    let mut rest = text[start + 1..].char_indices();
    let (_, first) = rest.next()?;
    if first == '\\' {
        rest.next()?;
        return text[start + 3..].find('\'').map(|length| start + 3 + length + 1);
    }
    rest.next().filter(|(_, close)| *close == '\'').map(|(at, _)| start + 1 + at + 1)
}

/// Items under `#[cfg(test)]`, with their attribute.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, _) in code.match_indices("#[cfg(") {
        let attribute = start + code[start..].find(']').unwrap_or(0);
        let condition = &code[start..attribute];
        let tests = condition.contains("(test") || condition.contains(" test");
        let is_inside = found.last().is_some_and(|last| start < last.end);
        if tests && !condition.contains("not(test") && !is_inside {
            found.push(start..end_of_item(code, attribute + 1));
        }
    }
    found
}

/// Code with blanks for the items that only tests have.
fn without_tests(code: String) -> String {
    let mut out = code.clone().into_bytes();
    for item in test_items(&code) {
        for byte in &mut out[item] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(out).unwrap_or(code)
}

/// The end of the item that begins at `start`, perhaps with more attributes.
fn end_of_item(code: &str, start: usize) -> usize {
    let mut at = start + code[start..].len() - code[start..].trim_start().len();
    if code[at..].starts_with("#[") {
        return end_of_item(code, at + code[at..].find(']').map_or(0, |length| length + 1));
    }
    let head = code[at..].split(['{', ';']).next().unwrap_or_default();
    if head.split_whitespace().any(|word| word == "use") {
        return at + code[at..].find(';').map_or(0, |length| length + 1);
    }
    at += head.len();
    if code[at..].starts_with('{') { block(code, at).end } else { (at + 1).min(code.len()) }
}

/// The block that opens at `open`, with its braces.
pub(super) fn block(code: &str, open: usize) -> Range<usize> {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return open..at + 1;
        }
    }
    open..code.len()
}

#[test]
fn literals_and_comments_are_blank() {
    let code = |text: &str| blanked(text).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(code("a /* b /* c */ d */ e // f\ng"), "a e g");
    assert_eq!(code(r#"let x = "a\"b{"; y"#), "let x = ; y");
    assert_eq!(code("let x = r#\"a\"b{\"#; r#type"), "let x = ; r#type");
    assert_eq!(code("x('{', '\\'', '\\u{7b}', b'}', 'é') + f::<'a>(&'a str)"), "x( , , , b , ) + f::<'a>(&'a str)");
    assert_eq!(blanked("\"é\"\n").len(), "\"é\"\n".len());
}

#[test]
fn tests_are_blank() {
    let of = |text: &str| Source::new("src/a/mod.rs", text.to_owned()).code.split_whitespace().collect::<String>();
    assert_eq!(of("a();\n#[cfg(test)]\nmod tests { fn b() { { } } }\nc();"), "a();c();");
    assert_eq!(of("#[cfg(test)]\nmod tests;\n#[cfg(test)] pub use x::{y, z}; d();"), "d();");
    assert_eq!(
        of("#[cfg(not(test))] a(); #[cfg(all(test, unix))] #[inline] fn b() {} c();"),
        "#[cfg(not(test))]a();c();"
    );
    assert_eq!(Source::new("src/a/mod.rs", String::new()).module, ["a"]);
    assert_eq!(Source::new("src/a/b.rs", String::new()).module, ["a", "b"]);
    assert_eq!(Source::new("crates/tui/src/app/mod.rs", String::new()).module, ["tui", "app"]);
    assert_eq!(Source::new("crates/tui/src/lib.rs", String::new()).module, ["tui"]);
}
