//! Traces of one build against the symbols of another: a frame is refused, or has the line that its own symbols give, or no call
//! chain confirms its line.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use pdblens::formats::il::Operand;
use pdblens::nodes::{TableId, Token, method};
use pdblens::query::where_is::points_around;
use pdblens::session::Session;
use pdblens::trace::{Cause, Files, Outcome, Proof, Refusal, Sink, Told, Tracer};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name)
}

#[derive(Default)]
struct Outcomes(Vec<(u64, Outcome)>);

impl Sink for Outcomes {
    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.0.push((told.line, told.outcome.clone()));
        Ok(())
    }
}

fn outcomes(folder: &str, text: &str) -> Vec<(u64, Outcome)> {
    let mut kept = Outcomes::default();
    Tracer::new(vec![Box::new(Files::new(&[path(folder)]))]).run(text.as_bytes(), &mut kept).unwrap();
    kept.0
}

fn is_refused(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::No(Refusal { cause: Cause::OtherBuild(_), .. }))
}

/// Numbers of frames of a trace against the symbols of another build.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    refused: usize,
    /// Resolved to the line of the frame's own symbols.
    equal: usize,
    /// Resolved to another line, with no more proof than names.
    unconfirmed: usize,
}

/// Compares the frames of a trace by the symbols of its own build and of another one.
fn compare(own: &str, other: &str, text: &str) -> Counts {
    let mut counts = Counts::default();
    for ((line, own), (_, other)) in outcomes(own, text).into_iter().zip(outcomes(other, text)) {
        let (Outcome::Resolved(own), Outcome::Resolved(other)) = (&own, &other) else {
            counts.refused += usize::from(is_refused(&other));
            continue;
        };
        if (&own.path, own.line) == (&other.path, other.line) {
            counts.equal += 1;
            continue;
        }
        let frame = text.lines().nth(line as usize - 1).unwrap_or_default();
        assert!(other.proof < Proof::Code, "{frame}: line {} is taken for {}: {other:?}", own.line, other.line);
        counts.unconfirmed += 1;
    }
    counts
}

#[test]
fn a_trace_of_another_build_is_refused_as_a_whole() {
    for (own, other) in [("faults", "faults-release"), ("faults-release", "faults")] {
        let text = std::fs::read_to_string(path(own).join("il-offsets.txt")).unwrap();
        let (all, healthy) = (outcomes(own, &text), |(_, outcome): &(u64, Outcome)| match outcome {
            Outcome::Resolved(found) => found.doubt.is_none() && found.proof >= Proof::NameAndRow,
            _ => false,
        });
        assert_eq!(all.iter().filter(|one| healthy(one)).count(), 13, "{own}: {all:?}");
        assert!(!all.iter().any(|(_, outcome)| is_refused(outcome)), "{own}");
        // All but the four frames of the framework.
        let wanted = Counts { refused: 13, ..Counts::default() };
        assert_eq!(compare(own, other, &text), wanted, "{own} by {other}");
    }
}

#[test]
fn an_id_in_the_trace_proves_the_build() {
    for (own, other) in [("faults", "faults-release"), ("faults-release", "faults")] {
        let text = std::fs::read_to_string(path(own).join("production.txt")).unwrap();
        let all = outcomes(own, &text);
        let proved = |outcome: &Outcome| matches!(outcome, Outcome::Resolved(found) if found.proof == Proof::Id);
        assert_eq!(all.iter().filter(|(_, outcome)| proved(outcome)).count(), 12, "{own}");
        assert!(outcomes(other, &text).iter().all(|(_, outcome)| !matches!(outcome, Outcome::Resolved(_))), "{own}");
    }
}

/// A trace of two frames for each call of a method in an image by another one, as the runtime would write it.
fn traces(session: &Session) -> String {
    let (names, metadata) = (session.names().unwrap(), session.metadata().unwrap());
    let module = &session.image().unwrap().name;
    let visible = |method: Token, il: u32| points_around(session, method, il).visible.is_some();
    let mut text = String::new();
    for row in 1..=metadata.rows(TableId::METHOD_DEF) {
        let caller = Token::new(TableId::METHOD_DEF, row);
        let Ok(Some(body)) = method::body(session, caller) else { continue };
        let mut branch = None;
        for call in method::instructions(session, &body).map_while(Result::ok) {
            if matches!(call.operand, Operand::Branch(_) | Operand::Switch(_)) {
                branch = Some(call.offset);
            }
            let (true, Operand::Token(callee)) = (matches!(call.opcode.name, "call" | "newobj"), call.operand) else {
                continue;
            };
            let statement = points_around(session, caller, call.offset).covering.map_or(0, |point| point.offset);
            // The runtime reports a call behind a branch by another part of the statement.
            if branch >= Some(statement) {
                continue;
            }
            if callee.table() != TableId::METHOD_DEF || !visible(callee, 0) || !visible(caller, statement) {
                continue;
            }
            for (method, il) in [(callee, 0), (caller, statement)] {
                let name = names.reflection_name(method);
                writeln!(text, "   at {name}() in {module}:token {:#x}+{il:#x}", method.0).unwrap();
            }
            text.push('\n');
        }
    }
    text
}

#[test]
fn lines_that_a_call_chain_confirms_are_those_of_the_own_symbols() {
    let (mut refused, mut unconfirmed) = (0, 0);
    for (own, other, image) in [
        ("faults", "faults-release", "Faults.dll"),
        ("faults-release", "faults", "Faults.dll"),
        ("ticker", "ticker-release", "Ticker.dll"),
        ("ticker-release", "ticker", "Ticker.dll"),
        ("workshop", "workshop-release", "Workshop.dll"),
        ("workshop-release", "workshop", "Workshop.dll"),
        ("workshop", "workshop-roslyn3", "Workshop.dll"),
        ("workshop-roslyn3", "workshop", "Workshop.dll"),
    ] {
        let text = traces(&Session::open(&[path(own).join(image)]).unwrap());
        let all = outcomes(own, &text);
        assert!(all.len() >= 4, "{own}: {text}");
        for (index, (line, outcome)) in all.iter().enumerate() {
            let frame = text.lines().nth(*line as usize - 1).unwrap_or_default();
            let Outcome::Resolved(found) = outcome else { panic!("{own}: {frame}: {outcome:?}") };
            let wanted = if index % 2 == 0 { Proof::NameAndRow } else { Proof::Code };
            assert_eq!((found.proof, &found.doubt), (wanted, &None), "{own}: {frame}");
        }
        let counts = compare(own, other, &text);
        eprintln!("{own} by {other}: {counts:?}");
        refused += counts.refused;
        unconfirmed += counts.unconfirmed;
    }
    assert!(refused > unconfirmed && refused > 0, "{refused} {unconfirmed}");
}
