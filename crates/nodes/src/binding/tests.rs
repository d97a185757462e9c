//! The rule against the answers of the debugger of .NET 10, which `assets/build/debugger.sh` asks.

use super::{CodeKind, FromIl, RefusalCause, binding_of};
use crate::code_unit::points;
use crate::place::CodeUnit;
use crate::table::attributes::is_optimized;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// Offsets that the debugger accepts, by method.
type Recorded = BTreeMap<Token, BTreeSet<u32>>;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn number(text: &str) -> u32 {
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// A column of a file: `=` stands for the column before, `-` for a method without machine code.
fn recorded(path: &Path, column: usize) -> Recorded {
    let mut recorded = Recorded::new();
    for line in lines(path) {
        let column = (1..=column).rev().find(|column| line[*column] != "=").unwrap();
        if line[column] != "-" {
            recorded.insert(Token(number(&line[0])), line[column].split_whitespace().map(number).collect());
        }
    }
    recorded
}

/// Numbers of offsets, or of visible points, by the answer of the rule.
#[derive(Default)]
struct Count {
    all: usize,
    refused: usize,
    /// Those that the rule refuses, too.
    named: usize,
    unknown: usize,
    wrong: usize,
}

impl Count {
    fn add(&mut self, answer: FromIl, is_accepted: bool) -> bool {
        self.all += 1;
        self.refused += usize::from(!is_accepted);
        self.named += usize::from(!is_accepted && matches!(answer, FromIl::Refused(_)));
        self.unknown += usize::from(matches!(answer, FromIl::Unknown(_)));
        let is_wrong = match answer {
            FromIl::Accepted => !is_accepted,
            FromIl::Refused(_) => is_accepted,
            FromIl::Unknown(_) => false,
        };
        self.wrong += usize::from(is_wrong);
        is_wrong
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, refused, named, unknown, wrong } = self;
        write!(f, "{all} · {refused} refused, {named} by the rule · {unknown} not known · {wrong} wrong")
    }
}

/// Comparison of an image with what was recorded of it.
#[derive(Default)]
struct Compared {
    methods: usize,
    equal: usize,
    offsets: Count,
    points: Count,
    causes: HashSet<RefusalCause>,
    wrong: Vec<String>,
}

fn compare(session: &Session, recorded: &Recorded, kind: CodeKind) -> Compared {
    // A debug build has one kind of code.
    let kind = if is_optimized(session) == Some(false) { CodeKind::Debuggable } else { kind };
    let mut compared = Compared::default();
    for (token, accepted) in recorded {
        let Some(binding) = binding_of(session, *token, kind) else { continue };
        compared.methods += 1;
        let mut is_equal = true;
        let points = points(session, CodeUnit::Method(*token));
        let visible: BTreeSet<u32> =
            points.iter().filter(|point| !point.is_hidden()).map(|point| point.offset).collect();
        let offsets: BTreeSet<u32> = binding.answers().iter().map(|(offset, _)| *offset).collect();
        for offset in offsets.union(accepted) {
            let (answer, is_accepted) = (binding.answer(*offset), accepted.contains(offset));
            let is_wrong = compared.offsets.add(answer, is_accepted);
            if visible.contains(offset) {
                compared.points.add(answer, is_accepted);
            }
            if let FromIl::Refused(cause) = answer {
                compared.causes.insert(cause);
            }
            if is_wrong {
                let word = if visible.contains(offset) { "point" } else { "offset" };
                compared.wrong.push(format!("{:#010x} IL_{offset:04x} {word} {answer:?}", token.0));
            }
            is_equal &= !is_wrong && !matches!(answer, FromIl::Unknown(_));
        }
        compared.equal += usize::from(is_equal);
    }
    compared
}

const KINDS: [(CodeKind, &str); 3] =
    [(CodeKind::Debuggable, "-debuggable"), (CodeKind::Minimal, "-unoptimised"), (CodeKind::Optimised, "-optimised")];

/// Samples with their answers: C#, Visual Basic and F#, for debugging and optimised.
fn samples() -> Vec<(String, PathBuf, PathBuf)> {
    let golden = repository("tests/golden/binding");
    let beside = ["hits-debug", "hits-release", "ledger-release", "shapes-debug"];
    let samples =
        [("workshop", "Workshop"), ("workshop-release", "Workshop"), ("ledger", "Ledger"), ("shapes", "Shapes")];
    let beside = beside.map(|name| (name.to_owned(), golden.join(format!("{name}.dll"))));
    let samples =
        samples.map(|(name, image)| (name.to_owned(), repository(&format!("assets/samples/{name}/{image}.dll"))));
    let answers = |name: &str| golden.join(format!("{name}.tsv"));
    beside.into_iter().chain(samples).map(|(name, image)| (name.clone(), image, answers(&name))).collect()
}

#[test]
fn samples_bind_where_the_debugger_accepts() {
    let (mut offsets, mut causes) = (0, HashSet::new());
    for (name, image, answers) in samples() {
        let session = Session::open(&[image]).unwrap();
        for (column, (kind, _)) in KINDS.into_iter().enumerate() {
            let compared = compare(&session, &recorded(&answers, column + 1), kind);
            assert!(compared.methods > 5 && compared.wrong.is_empty(), "{name}, {kind:?}: {:#?}", compared.wrong);
            if kind != CodeKind::Optimised {
                assert_eq!(compared.offsets.unknown, 0, "{name}, {kind:?}");
            }
            offsets += compared.offsets.all;
            causes.extend(compared.causes);
        }
    }
    let all = [
        RefusalCause::StackAfterResult,
        RefusalCause::StackNotEmpty,
        RefusalCause::MakesNothing,
        RefusalCause::MergedReturn,
    ];
    assert!(all.iter().all(|cause| causes.contains(cause)), "{causes:?}");
    assert!(offsets > 5_000, "{offsets}");
}

/// Number of executions of the statements of each line, as the source says.
fn runs() -> BTreeMap<u32, u32> {
    let source = std::fs::read_to_string(repository("assets/sources/hits/Hits.cs")).unwrap();
    let runs = |line: &str| line.split_once("// runs ")?.1.trim().parse().ok();
    (1..).zip(source.lines()).filter_map(|(number, line)| Some((number, runs(line)?))).collect()
}

#[test]
fn a_breakpoint_that_binds_stops_as_often_as_its_statement_runs() {
    let runs = runs();
    let (mut equal, mut refused) = (0, 0);
    for (name, kind) in [("hits-debug", CodeKind::Debuggable), ("hits-release", CodeKind::Minimal)] {
        let session = Session::open(&[repository(&format!("tests/golden/binding/{name}.dll"))]).unwrap();
        for line in lines(&repository(&format!("tests/golden/binding/{name}-stops.tsv"))) {
            let token = Token(number(&line[0]));
            let stops: BTreeMap<u32, u32> = line[1]
                .split(' ')
                .map(|entry| entry.split_once(':').unwrap())
                .map(|(offset, stops)| (number(offset), stops.parse().unwrap()))
                .collect();
            let binding = binding_of(&session, token, kind).unwrap();
            for point in points(&session, CodeUnit::Method(token)) {
                let Some(runs) = runs.get(&point.start_line).filter(|_| !point.is_hidden()) else { continue };
                let at = format!("{name} {token} IL_{:04x}, line {}", point.offset, point.start_line);
                if binding.answer(point.offset) == FromIl::Accepted {
                    assert_eq!(stops.get(&point.offset), Some(runs), "{at}");
                    equal += 1;
                } else {
                    assert_eq!(stops.get(&point.offset), None, "{at}");
                    refused += 1;
                }
            }
        }
    }
    assert!(equal > 100 && refused > 3, "{equal} {refused}");
}

/// Code that is not valid gets an answer, too: every byte of the code is changed in several ways.
#[test]
fn changed_code_has_an_answer() {
    let image = repository("tests/golden/binding/hits-release.dll");
    let bytes = std::fs::read(&image).unwrap();
    let session = Session::open(std::slice::from_ref(&image)).unwrap();
    let mut unknown = 0;
    for row in 1..=session.methods() {
        let token = Token::new(TableId::METHOD_DEF, row);
        let Ok(Some(body)) = super::il::body(&session, token) else { continue };
        for at in body.code.start..body.code.end() {
            for value in [0x00, 0x25, 0x2a, 0x45, 0xdd, 0xff] {
                let mut changed = bytes.clone();
                changed[at as usize] = value;
                let session = Session::from_bytes(vec![("changed.dll".into(), changed)]).unwrap();
                let [_, binding, _] = KINDS.map(|(kind, _)| binding_of(&session, token, kind).unwrap());
                unknown += usize::from(matches!(binding.answer(0), FromIl::Unknown(_)));
            }
        }
    }
    assert!(unknown > 100, "{unknown}");
}

/// Prints the rates of whole libraries, and what is wrong.
#[test]
fn recordings_of_the_named_folder_are_as_the_rule_says() {
    let Some(folder) = std::env::var_os("PDBLENS_DEBUGGER") else {
        return eprintln!("skipped: PDBLENS_DEBUGGER names no folder that assets/build/debugger.sh wrote");
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut wrong = 0;
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "tsv")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some((kind, _)) = KINDS.into_iter().find(|(_, end)| name.ends_with(end)) else { continue };
        let session = Session::open(&[path.with_extension("dll")]).unwrap();
        let compared = compare(&session, &recorded(path, 3), kind);
        println!("{name}: {} methods, {} equal", compared.methods, compared.equal);
        println!("  points {}\n  offsets {}", compared.points, compared.offsets);
        compared.wrong.iter().take(40).for_each(|wrong| println!("  {wrong}"));
        wrong += compared.points.wrong;
    }
    assert_eq!(wrong, 0, "points are wrong");
}
