//! One verdict in every face: wherever a line or a point of a sample is printed, its sign is the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::samples::repository;
use pdblens::nodes::{CodeUnit, SequencePoint, code_unit};
use pdblens::query::ask::at_offset;
use pdblens::query::breakpoint::{Judge, LineQuery, MachinePart, Sign, Verdict};
use pdblens::session::Session;
use pdblens::source::SourceOptions;
use pdblens::symbols::SymbolReader;
use pdblens::tui::state::document_info::DocumentInfo;
use pdblens_session::code_image::attach_known;
use serde_json::Value;

/// Documents of a sample; native ones have those of a standard library.
const MAX_DOCUMENTS: usize = 12;
/// Lines and points of a document of native code.
const MAX_NATIVE: usize = 40;

/// Answers of a command to questions on standard input, in their order.
fn ask(words: &[&str], file: &Path, questions: &[String], member: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.args(words).arg(file).args(["-", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let (mut input, text) = (child.stdin.take().unwrap(), questions.join("\n"));
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let answers = document[member].as_array().unwrap().clone();
    assert_eq!(answers.len(), questions.len(), "{words:?} {}", file.display());
    answers
}

fn sign(verdict: &Value) -> Sign {
    let found = Sign::ALL.into_iter().find(|sign| Some(name(*sign).as_str()) == verdict["sign"].as_str());
    found.unwrap_or_else(|| panic!("{verdict}"))
}

fn name(sign: Sign) -> String {
    serde_json::to_value(sign).unwrap().as_str().unwrap().to_owned()
}

/// Visible points of a document, with their code and number.
fn points_of(session: &Session, document: u32) -> Vec<(CodeUnit, u32, SequencePoint)> {
    let mut found = Vec::new();
    code_unit::each(session, &[document], &mut |of, points, _| {
        let numbered = (1..).zip(points).filter(|(_, point)| !point.is_hidden() && point.document == document);
        found.extend(numbered.map(|(number, point)| (of, number, *point)));
        ControlFlow::Continue(())
    });
    found
}

/// Counts of the signs of lines.
type Seen = BTreeMap<Sign, usize>;

/// A visible point, and its code and number.
type Point = (CodeUnit, u32, SequencePoint);

fn every(len: usize, session: &Session) -> usize {
    if session.native_pdb().is_some() { len.div_ceil(MAX_NATIVE).max(1) } else { 1 }
}

/// Compares the margin with `break`, `break --why` and Ask, for each line of some documents.
fn compare_lines(judge: &Judge<'_>, margins: &[DocumentInfo], file: &Path, seen: &mut Seen) {
    let mut lines: Vec<(u32, u32)> = Vec::new();
    let mut signs: BTreeMap<String, Sign> = BTreeMap::new();
    for (document, margin) in (1..).zip(margins) {
        // One line more than the last with code.
        let step = every(margin.verdicts.len(), judge.session());
        lines.extend((1..=margin.verdicts.len() as u32 + 1).step_by(step).map(|line| (document, line)));
        let points = points_of(judge.session(), document).into_iter();
        signs.extend(points.map(|(of, number, point)| (of.point(number).to_string(), judge.point(of, &point).sign())));
    }
    let questions: Vec<String> = lines.iter().map(|(document, line)| format!("document/{document}/{line}")).collect();
    let found = ask(&["break"], file, &questions, "breakpoints");
    let why = ask(&["break", "--why"], file, &questions, "answers");
    for (((document, line), found), why) in lines.iter().zip(&found).zip(&why) {
        let at = format!("{} document {document} line {line}: {found}", file.display());
        let margin = margins[*document as usize - 1].verdict(*line);
        let expected = margin.map_or(Sign::Never, Verdict::sign);
        // Lines without code have no sign in the margin.
        let is_alone = found["exact"] == true && !found["hits"].as_array().unwrap().is_empty();
        assert_eq!(margin.and_then(Verdict::sign_of_line), is_alone.then_some(expected), "{at}");
        let asked = judge.why(Ok(&LineQuery::of(*document, *line, None))).verdict.sign();
        assert_eq!([sign(&found["verdict"]), sign(&why["verdict"]), asked], [expected; 3], "{at}");
        let mut best = Sign::Never;
        for hit in found["hits"].as_array().unwrap() {
            let of_hit = sign(&hit["verdict"]);
            assert_eq!(Some(&of_hit), signs.get(hit["place"].as_str().unwrap()), "{at}");
            if hit["binds"] == true {
                best = best.min(of_hit);
            }
        }
        let moved = if found["exact"] == true { Sign::Stops } else { Sign::Moves };
        assert_eq!(expected, best.max(moved), "{at}");
        *seen.entry(expected).or_default() += 1;
    }
}

/// Compares the rows of points with `where` and Ask, for each visible point of some documents.
fn compare_points(judge: &Judge<'_>, margins: &[DocumentInfo], file: &Path) {
    let session = judge.session();
    let is_native = session.native_pdb().is_some();
    let (mut points, mut questions): (Vec<Point>, Vec<String>) = Default::default();
    for (document, margin) in (1..).zip(margins) {
        let all = points_of(session, document);
        for (of, number, point) in all.iter().step_by(every(all.len(), session)) {
            assert_eq!(margin.sign_of_point(*of, *number), Some(judge.point(*of, point).sign()), "{of}");
            // Of several points at one offset, an offset means the last.
            let is_alone = all.iter().filter(|(other, _, at)| (other, at.offset) == (of, point.offset)).count() == 1;
            if is_alone && !is_native {
                points.push((*of, *number, *point));
                questions.push(format!("{of}+{:#x}", point.offset));
            }
        }
    }
    for (answer, (of, _, point)) in ask(&["where"], file, &questions, "answers").iter().zip(&points) {
        let asked = at_offset(judge, *of, point.offset).why.map(|why| why.verdict.sign());
        let expected = judge.point(*of, point).sign();
        assert_eq!((sign(&answer["breakpoint"]), asked), (expected, Some(expected)), "{} {answer}", file.display());
    }
}

/// Holds the points that `quality` lists as refused against the verdicts of all points.
fn compare_refused(judge: &Judge<'_>, file: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).args(["quality", "--json"]).arg(file).output().unwrap();
    let Ok(document) = serde_json::from_slice::<Value>(&output.stdout) else { return };
    let Some(methods) = document["pairs"][0]["methods_with_il"].as_array() else { return };
    let refused = methods.iter().flat_map(|method| method["refused"].as_array().into_iter().flatten());
    let listed: BTreeSet<&str> = refused.map(|point| point["place"].as_str().unwrap()).collect();
    let mut expected: BTreeSet<String> = BTreeSet::new();
    let session = judge.session();
    for document in 1..=session.symbols().map_or(0, SymbolReader::documents) {
        let points = points_of(session, document).into_iter();
        let is_refused = |(of, _, point): &(CodeUnit, u32, SequencePoint)| {
            matches!(judge.point(*of, point).machine, MachinePart::Refused { .. } | MachinePart::Never(_))
        };
        expected.extend(points.filter(is_refused).map(|(of, number, _)| of.point(number).to_string()));
    }
    assert_eq!(listed, expected.iter().map(String::as_str).collect(), "{}", file.display());
}

#[test]
fn a_line_and_a_point_have_the_same_sign_in_every_face() {
    let options = SourceOptions::default();
    let mut seen = Seen::new();
    for folder in fs::read_dir(repository("assets/samples")).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(files) = fs::read_dir(&folder) else { continue };
        let is_image = |path: &PathBuf| path.extension().is_some_and(|end| end == "dll" || end == "exe");
        for file in files.map(|file| file.unwrap().path()).filter(is_image) {
            let Ok(session) = Session::open(std::slice::from_ref(&file)) else { continue };
            attach_known(&session, None);
            let judge = Judge::of(&session, &options);
            let documents = session.symbols().map_or(0, SymbolReader::documents);
            let margin = |document| DocumentInfo::judged(&session, document, &options, &|| false);
            let margins: Vec<DocumentInfo> = (1..=documents).take(MAX_DOCUMENTS).map(margin).collect();
            if !margins.is_empty() {
                compare_lines(&judge, &margins, &file, &mut seen);
                compare_points(&judge, &margins, &file);
            }
            compare_refused(&judge, &file);
        }
    }
    assert!(Sign::ALL.iter().all(|sign| seen.get(sign).is_some_and(|count| *count > 20)), "{seen:?}");
}
