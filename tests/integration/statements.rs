//! Statements reconstructed from IL, against the source text of their points and against the calls of their code.
//!
//! `PDBLENS_STATEMENTS=App.dll:Lib.dll cargo test --test integration statements -- --nocapture` prints the figures of other files too.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use pdblens::formats::il::Operand;
use pdblens::formats::metadata::schema::METHOD_DEF_OR_REF;
use pdblens::formats::metadata::{Metadata, TableId, Token};
use pdblens::formats::sequence_point::SequencePoint;
use pdblens::nodes::method::{body, instructions};
use pdblens::query::statement::{Statement, Statements};
use pdblens::session::Session;
use pdblens_testing::samples::repository;

/// A part of a whole.
#[derive(Default)]
struct Share {
    of: usize,
    part: usize,
}

impl Share {
    fn count(&mut self, is_part: bool) {
        self.of += 1;
        self.part += usize::from(is_part);
    }

    fn percent(&self) -> f64 {
        if self.of == 0 { 100.0 } else { 100.0 * self.part as f64 / self.of as f64 }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} % of {}", self.percent(), self.of)
    }
}

/// Figures of one file.
#[derive(Default)]
struct Figures {
    whole: Share,
    fits: Share,
    /// Identifiers and literals of the statements that are in their spans.
    right: Share,
    /// Identifiers and literals of the spans that are in their statements.
    found: Share,
    same: Share,
    /// Texts that fit and are the same.
    proven: Share,
    called: Share,
    polarity: Share,
    time: Duration,
    slowest: Duration,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { whole, fits, right, found, same, proven, called, polarity, time, slowest } = self;
        let each = time.as_secs_f64() * 1e6 / whole.of.max(1) as f64;
        write!(
            f,
            "whole {whole}, fits {fits}, ids {right}, found {found}, same {same}, same where it fits {proven}, called {called}, \
             polarity {polarity}, {each:.1} µs a point, slowest {slowest:?}"
        )
    }
}

/// Methods that C# writes otherwise: loops, `await`, initializers, interpolation, operators, ranges.
const DISSOLVED: &[&str] = &[
    ".ctor",
    "Add",
    "AppendFormatted",
    "AppendLiteral",
    "AwaitOnCompleted",
    "AwaitUnsafeOnCompleted",
    "Chars",
    "Combine",
    "Concat",
    "CreateInstance",
    "CreateSpan",
    "Current",
    "Deconstruct",
    "Dispose",
    "DisposeAsync",
    "Empty",
    "EnterScope",
    "Enter",
    "Exit",
    "GetAsyncEnumerator",
    "GetAwaiter",
    "GetEnumerator",
    "GetOffset",
    "GetPinnableReference",
    "GetResult",
    "GetSubArray",
    "GetTypeFromHandle",
    "GetValueOrDefault",
    "HasValue",
    "InitializeArray",
    "Invoke",
    "IsCompleted",
    "Item",
    "Length",
    "MoveNext",
    "MoveNextAsync",
    "Remove",
    "SetException",
    "SetResult",
    "Slice",
    "Start",
    "Substring",
    "ToString",
    "ToStringAndClear",
    "Value",
];

fn name_of(metadata: &Metadata, token: Token) -> Option<String> {
    let (table, row) = match token.table() {
        TableId::METHOD_SPEC => {
            METHOD_DEF_OR_REF.decode(metadata.table(TableId::METHOD_SPEC).cell(token.row(), 0).ok()?)?
        }
        table => (table, token.row()),
    };
    let column = if table == TableId::METHOD_DEF { 3 } else { 1 };
    let name = metadata.string_cell(table, row, column).ok()?;
    let name = String::from_utf8_lossy(name.data).into_owned();
    let last = name.rsplit('.').next().unwrap_or_default();
    let last = if name == ".ctor" { ".ctor" } else { last };
    if let Some((_, rest)) = name.split_once(">g__") {
        return Some(rest.split('|').next().unwrap_or_default().to_owned());
    }
    let prefixes = ["get_", "set_", "add_", "remove_"];
    Some(prefixes.iter().find_map(|prefix| last.strip_prefix(prefix)).unwrap_or(last).to_owned())
}

/// Names of the methods that the code of a range calls, those aside that C# writes otherwise.
fn calls(session: &Session, method: Token, from: u32, to: u32) -> HashSet<String> {
    let (Some(metadata), Ok(Some(body))) = (session.metadata(), body(session, method)) else { return HashSet::new() };
    let mut found = HashSet::new();
    for instruction in instructions(session, &body).filter_map(Result::ok) {
        let is_call = matches!(instruction.opcode.name, "call" | "callvirt");
        let Operand::Token(token) = instruction.operand else { continue };
        if !is_call || instruction.offset < from || instruction.offset >= to {
            continue;
        }
        if let Some(name) = name_of(metadata, token)
            && !DISSOLVED.contains(&name.as_str())
            && !name.starts_with("op_")
            && !name.contains('<')
            && !name.starts_with("InlineArray")
        {
            found.insert(name);
        }
    }
    found
}

/// Identifiers, numbers by value and strings, keywords aside.
fn tokens(text: &str) -> HashSet<String> {
    let pattern = r#""(?:\\.|[^"\\])*"|[A-Za-z_][A-Za-z0-9_]*|0[xX][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9]+)?"#;
    let pattern = regex::Regex::new(pattern).unwrap();
    pattern
        .find_iter(text)
        .map(|found| by_value(found.as_str()))
        .filter(|token| !KEYWORDS.contains(&token.as_str()))
        .collect()
}

fn by_value(token: &str) -> String {
    let plain = token.replace('_', "").to_lowercase();
    match plain.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16)) {
        Some(Ok(number)) => number.to_string(),
        _ => token.to_owned(),
    }
}

/// Words that a statement adds or leaves out by its spelling.
const KEYWORDS: &[&str] = &[
    "as",
    "async",
    "await",
    "base",
    "bool",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "const",
    "continue",
    "decimal",
    "default",
    "do",
    "double",
    "else",
    "false",
    "float",
    "for",
    "foreach",
    "get",
    "goto",
    "if",
    "in",
    "init",
    "int",
    "internal",
    "is",
    "lock",
    "long",
    "nameof",
    "new",
    "not",
    "null",
    "object",
    "or",
    "out",
    "private",
    "protected",
    "public",
    "readonly",
    "ref",
    "return",
    "sbyte",
    "set",
    "short",
    "sizeof",
    "stackalloc",
    "static",
    "string",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "uint",
    "ulong",
    "ushort",
    "using",
    "var",
    "void",
    "when",
    "while",
    "with",
    "yield",
];

/// Text of a span; lines of the document, without their ends.
fn span_text(lines: &[Vec<u16>], point: &SequencePoint) -> String {
    let mut text = String::new();
    for number in point.start_line..=point.end_line {
        let Some(line) = lines.get(number as usize - 1) else { continue };
        let from = if number == point.start_line { point.start_column as usize - 1 } else { 0 };
        let to = if number == point.end_line { point.end_column as usize - 1 } else { line.len() };
        text.push_str(&String::from_utf16_lossy(line.get(from..to.min(line.len())).unwrap_or_default()));
        text.push('\n');
    }
    text.trim().to_owned()
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect::<String>().trim_end_matches(';').to_owned()
}

/// The condition with its outermost comparison or `!` the other way.
fn opposite(condition: &str) -> Vec<String> {
    let inner = condition.strip_prefix("if(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(condition);
    let mut found = vec![format!("if(!{inner})"), format!("if({})", inner.trim_start_matches('!'))];
    for (a, b) in [("==", "!="), ("!=", "=="), ("<=", ">"), (">=", "<"), ("<", ">="), (">", "<=")] {
        if inner.contains(a) {
            found.push(format!("if({})", inner.replacen(a, b, 1)));
            break;
        }
    }
    found
}

impl Figures {
    fn compare(&mut self, statement: &Statement, span: &str) {
        let marks = regex::Regex::new("⟨[^⟩]*⟩").unwrap();
        let text = marks.replace_all(&statement.text, "");
        let (ours, theirs) = (tokens(&text), tokens(span));
        for token in &ours {
            self.right.count(theirs.contains(token) || span.contains(token.trim_matches('"')));
        }
        for token in &theirs {
            self.found.count(ours.contains(token) || text.contains(token.trim_matches('"')));
        }
        let (ours, theirs) = (squeezed(&statement.text), squeezed(span));
        self.same.count(ours == theirs);
        if statement.fits {
            self.proven.count(ours == theirs);
        }
        if theirs.starts_with("if(") && (ours == theirs || opposite(&theirs).contains(&ours)) {
            self.polarity.count(ours == theirs);
        }
    }

    fn of(path: &Path) -> Self {
        let session = Session::open(&[path.to_owned()]).unwrap();
        let symbols = session.symbols().unwrap();
        let texts: Vec<Option<Vec<Vec<u16>>>> = (0..=symbols.documents())
            .map(|row| {
                let text = symbols.embedded_source(row.max(1)).filter(|_| row > 0)?.text().ok()?;
                let text = String::from_utf8_lossy(&text).trim_start_matches('\u{feff}').to_owned();
                Some(text.lines().map(|line| line.encode_utf16().collect()).collect())
            })
            .collect();
        let (statements, mut figures) = (Statements::new(&session).unwrap(), Self::default());
        for row in 1..=session.methods() {
            let method = Token::new(TableId::METHOD_DEF, row);
            let mut points = Vec::new();
            let _ = symbols.points(method, &mut |point| {
                points.push(point);
                ControlFlow::Continue(())
            });
            let started = Instant::now();
            let found = statements.of(method);
            figures.time += started.elapsed();
            figures.slowest = figures.slowest.max(started.elapsed());
            for (index, (point, statement)) in points.iter().zip(&found).enumerate() {
                let Some(statement) = statement else { continue };
                // The line that hidden points have.
                assert!(!statement.text.contains("16707566"), "{}: {}", path.display(), statement.text);
                figures.whole.count(statement.whole);
                if point.start_line == point.end_line {
                    figures.fits.count(statement.fits);
                }
                let end = points.get(index + 1).map_or(u32::MAX, |next| next.offset);
                for name in calls(&session, method, point.offset, end) {
                    figures.called.count(statement.text.contains(&name));
                }
                if let Some(Some(lines)) = texts.get(point.document as usize) {
                    figures.compare(statement, &span_text(lines, point));
                }
            }
        }
        figures
    }
}

/// The figures stand in docs/statements.md.
#[test]
fn statements_say_what_the_source_says() {
    let golden = |name: &str| repository("tests/golden/statements").join(name);
    let sample = |name: &str| repository("assets/samples").join(name);
    // File, and the least percentages: whole, ids, found, same, called, polarity.
    let files = [
        (golden("Language.debug.dll"), [77.0, 92.2, 87.0, 77.0, 94.0, 99.0]),
        (golden("Language.release.dll"), [71.5, 90.5, 84.5, 66.0, 94.0, 88.0]),
        (sample("workshop-embedded/Workshop.dll"), [84.5, 92.0, 82.0, 75.0, 89.0, 99.0]),
        (sample("ticker-embedded/Ticker.dll"), [94.0, 95.0, 90.0, 85.0, 100.0, 99.0]),
    ];
    for (path, least) in files {
        let found = Figures::of(&path);
        println!("{}: {found}", path.display());
        let measured = [&found.whole, &found.right, &found.found, &found.same, &found.called, &found.polarity];
        for (number, (share, least)) in measured.iter().zip(least).enumerate() {
            assert!(share.percent() >= least, "{}: figure {number} is {share}, less than {least}", path.display());
        }
    }
    let named = std::env::var_os("PDBLENS_STATEMENTS");
    for path in named.iter().flat_map(std::env::split_paths) {
        println!("{}: {}", path.display(), Figures::of(&path));
    }
}

/// Without a source the calls of the code say what is missing.
#[test]
fn every_call_is_named_without_source() {
    let files = [("faults/Faults.dll", 93.0), ("outage/Outage.dll", 92.0), ("workshop-release/Workshop.dll", 68.0)];
    for (name, least) in files {
        let path = repository("assets/samples").join(name);
        let found = Figures::of(&path);
        println!("{}: {found}", path.display());
        assert!(found.called.of > 0 && found.called.percent() >= 88.0, "{}: called {}", path.display(), found.called);
        assert!(found.whole.percent() >= least, "{}: whole {}", path.display(), found.whole);
    }
}

#[test]
fn show_break_and_where_have_the_same_statement() {
    let image = repository("assets/samples/ticker/Ticker.dll").display().to_string();
    let json = |args: &[&str]| -> serde_json::Value {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let hit = json(&["break", &image, "Clock.cs:13", "--json"])["breakpoints"][0]["hits"][0].clone();
    let place = hit["place"].as_str().unwrap();
    let statement = hit["reconstructed"]["statement"].as_str().unwrap();
    assert!(!statement.is_empty() && hit["binds"] == true, "{hit}");
    let at = format!("0x06000003+{}", hit["start"]);
    assert_eq!(json(&["where", &image, &at, "--json"])["answers"][0]["reconstructed"]["statement"], statement);
    // The point of the hit, by its number.
    let points = json(&["list", &image, "method/0x06000003/points", "--json"])["pairs"][0]["rows"].clone();
    let number = points.as_array().unwrap().iter().position(|row| row["place"] == place);
    let point = number.map_or_else(|| place.to_owned(), |number| format!("method/0x06000003/points/{}", number + 1));
    assert_eq!(json(&["show", &image, &point, "--json"])["reconstructed"]["statement"], statement, "{point}");
}
