//! Sentences of a verdict that a recording decides, on programs that were run: which of several addresses stops, a recording of another
//! build, a method that is only inlined; and the places that contradicted each other.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::support::folder::Folder;
use crate::support::precompiled::{clock, composite, precompile, precompile_with};
use crate::support::samples::repository;
use pdblens::nodes::{CodeUnit, SequencePoint, TableId, Token, code_unit};
use pdblens::query::breakpoint::{Cause, IL_RULE, Judge, LineQuery, MachinePart, ModulePart, Sign};
use pdblens::query::certainty::Certainty;
use pdblens::query::native_where::{native_where, sentence};
use pdblens::session::Session;
use pdblens::source::SourceOptions;
use pdblens_formats::native_map::NativeMap;
use pdblens_nodes::code_unit::MethodView;
use pdblens_session::code_image::attach_known;
use pdblens_session::{precompiled, recorded};
use serde_json::Value;

fn read(path: &str) -> Vec<u8> {
    std::fs::read(repository(path)).unwrap()
}

/// The program `hits`, optimised, with a recording of its run.
fn hits(recording: &str) -> Session {
    let session = Session::open(&[repository("tests/golden/binding/hits-release.dll")]).unwrap();
    let map = NativeMap::read(&read(&format!("tests/golden/recordings/hits-release-{recording}.nettrace"))).unwrap();
    recorded::attach(&session, map).unwrap();
    session
}

/// Visible points of all methods, with their code and number.
fn points(session: &Session) -> Vec<(CodeUnit, u32, SequencePoint)> {
    let methods = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
    let points = methods.flat_map(|method| {
        let view = MethodView::of(session, method);
        let numbered = (1..).zip(view.points.iter().copied().collect::<Vec<_>>());
        numbered.map(move |(number, point)| (CodeUnit::Method(method), number, point)).collect::<Vec<_>>()
    });
    points.filter(|(.., point)| !point.is_hidden()).collect()
}

/// Number of stops of the debugger at each accepted point of a run, by method and offset.
fn stops(name: &str) -> BTreeMap<(Token, u32), u32> {
    let hex = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    let text = String::from_utf8(read(&format!("tests/golden/binding/{name}.tsv"))).unwrap();
    let of_line = |line: &str| {
        let (token, rest) = line.split_once('\t').unwrap();
        let token = Token(hex(token));
        let pairs = rest.split_whitespace().map(|pair| pair.split_once(':').unwrap());
        pairs.map(|(il, count)| ((token, hex(il)), count.parse().unwrap())).collect::<Vec<_>>()
    };
    text.lines().flat_map(of_line).collect()
}

#[test]
fn of_several_addresses_only_the_first_stops() {
    let session = hits("optimised");
    let (often, stopped) = (stops("hits-release-stops"), stops("hits-release-stops-optimised"));
    let (mut several, mut fewer) = (0, 0);
    for (of, _, point) in points(&session) {
        let key = (of.token(), point.offset);
        for answer in native_where(&session, of.token(), point.offset) {
            let said = sentence(&answer, point.offset);
            let mut addresses = answer.addresses.iter().map(|range| format!("{:#x}", answer.address_of(range.rva)));
            let first = addresses.next();
            let others: Vec<String> = addresses.collect();
            assert_eq!(said.contains("; only there, not at "), !others.is_empty(), "{said}");
            if let Some(first) = first.filter(|_| !others.is_empty()) {
                assert_eq!(said, format!("accepted at {first}; only there, not at {}", others.join(", ")));
                assert!(answer.addresses.windows(2).all(|pair| pair[0].native < pair[1].native), "{said}");
                // The unoptimised program, with one address, stops as often as the statement runs.
                several += 1;
                fewer += usize::from(stopped.get(&key) < often.get(&key));
            }
        }
    }
    assert_eq!(
        (several, fewer),
        (3, 3),
        "statements with several addresses, and those that stop less often than they run"
    );
}

#[test]
fn a_recording_of_another_build_contradicts_the_rule() {
    let options = SourceOptions::default();
    let contradicted = |recording: &str| {
        let session = hits(recording);
        let judge = Judge::of(&session, &options);
        let sentences = points(&session).into_iter().map(|(of, number, point)| {
            let why = judge.why_of_point(of, number, point);
            (why.sentence.contains("the recording is of another build or another runtime"), why.verdict.machine)
        });
        let found: Vec<_> = sentences.filter(|(is_said, _)| *is_said).collect();
        assert!(found.iter().all(|(_, machine)| matches!(machine, MachinePart::Accepted { .. })), "{found:?}");
        found.len()
    };
    // The recording of a copy that has a debug build's DebuggableAttribute, and the same MVID.
    assert_eq!(contradicted("debuggable"), 12);
    assert_eq!((contradicted("optimised"), contradicted("unoptimised")), (0, 0));
}

/// `◌` of optimised code says that it stops with a setting, so that it is as certain as the acceptance of its offset.
#[test]
fn a_verdict_is_as_certain_as_its_weakest_part() {
    let file = repository("tests/golden/binding/hits-release.dll");
    let (derived, recorded) = (Session::open(std::slice::from_ref(&file)).unwrap(), hits("optimised"));
    let options = SourceOptions::default();
    let mut seen = [0; 4];
    for (session, known) in [(&derived, Certainty::Derived(IL_RULE)), (&recorded, Certainty::Known)] {
        let judge = Judge::of(session, &options);
        for (of, _, point) in points(session) {
            let verdict = judge.point(of, &point);
            assert_eq!(verdict.module, ModulePart::Optimized);
            let expected = match verdict.machine {
                MachinePart::Accepted { .. } | MachinePart::InSome { .. } | MachinePart::Refused { .. } => {
                    Certainty::Known
                }
                MachinePart::AcceptedIn(_) | MachinePart::Never(_) => Certainty::Derived(IL_RULE),
                other => panic!("{other:?}"),
            };
            assert_eq!(verdict.certainty(), expected, "{verdict:?}");
            let is_recorded = usize::from(expected == Certainty::Known);
            seen[2 * is_recorded + usize::from(verdict.sign() == Sign::Setting)] += 1;
            assert!(is_recorded == 0 || known == Certainty::Known, "{verdict:?}");
        }
    }
    assert!(seen.iter().all(|count| *count > 2), "derived and recorded, of ○ and ◌: {seen:?}");
    let (text, _) = pdblens(&["break", "--why"], &file, &["Hits.cs:25"]);
    assert!(text.contains("  how  derived, by the rule il-binding"), "{text}");
}

/// The sample Ticker whose machine code has the method `Now` in `Since` only.
fn inlined(folder: &Folder) -> Session {
    let since = clock().into_iter().filter(|method| method.row == 3).collect::<Vec<_>>();
    let image = precompile_with(&read("assets/samples/ticker/Ticker.dll"), 16, &since, Some([2, 3]));
    folder.write("Ticker.pdb", read("assets/samples/ticker/Ticker.pdb"));
    Session::open(&[folder.write("Ticker.dll", image)]).unwrap()
}

#[test]
fn a_method_without_a_body_never_stops_where_it_is_inlined() {
    let folder = Folder::new();
    let (session, options) = (inlined(&folder), SourceOptions::default());
    let judge = Judge::of(&session, &options);
    let said = |of: CodeUnit, number: u32, point: SequencePoint| {
        let sentence = judge.why_of_point(of, number, point).sentence;
        sentence.ends_with("; where the method is inlined, the debugger takes the breakpoint and never stops")
    };
    let rows: Vec<u32> = points(&session)
        .into_iter()
        .filter(|(of, n, point)| said(*of, *n, *point))
        .map(|(of, ..)| of.token().row())
        .collect();
    assert_eq!(rows, [2], "Now is inlined; Main is compiled when it is called, and Since has a body");
}

/// Stops of the debugger at the start of each method of System.Private.Uri of .NET 10.0.12 while a program runs: in the code of the image,
/// and where each method is compiled by itself.
#[test]
fn a_method_of_the_framework_that_is_only_inlined_never_stops() {
    let Ok(folders) = std::env::var("PDBLENS_R2R") else { return };
    let mut images = std::env::split_paths(&folders).map(|folder| folder.join("System.Private.Uri.dll"));
    let image = images.find(|file| std::fs::metadata(file).is_ok_and(|file| file.len() == 245_544)).unwrap();
    let (session, options) = (Session::open(&[image]).unwrap(), SourceOptions::default());
    let judge = Judge::of(&session, &options);
    let recorded = String::from_utf8(read("tests/golden/binding/System.Private.Uri-stops.tsv")).unwrap();
    let (mut inlined, mut stopping) = (Vec::new(), Vec::new());
    for row in recorded.lines() {
        let [token, precompiled, compiled] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let token = Token(u32::from_str_radix(&token[2..], 16).unwrap());
        if judge.is_inlined_only(CodeUnit::Method(token)) && compiled.parse::<u32>().unwrap() > 0 {
            inlined.push(token);
            stopping.extend((precompiled.parse::<u32>().unwrap() > 0).then_some(token));
        }
    }
    // CreateUri and TryCreate of UriHelper are among them, and small members of Uri, UriBuilder and HexConverter.
    assert_eq!((inlined.len(), stopping), (18, vec![]), "{inlined:?}");
}

fn pdblens(words: &[&str], file: &Path, rest: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).args(words).arg(file).args(rest).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (text, output.status.code())
}

/// A line whose point a recording refuses was `●` in the margin, `○` at the point, and an error for `break --why --native`.
#[test]
fn the_margin_the_point_and_the_command_do_not_contradict_each_other() {
    let (file, options) = (repository("assets/samples/ticker-release/Ticker.dll"), SourceOptions::default());
    let session = Session::open(std::slice::from_ref(&file)).unwrap();
    attach_known(&session, None);
    let judge = Judge::of(&session, &options);
    let (of, number, point) =
        points(&session).into_iter().find(|(of, _, point)| of.token().row() == 3 && point.start_line == 13).unwrap();
    let margin = judge.from_to(point.document, 13, 13, &|| false);
    let why = judge.why_of_point(of, number, point);
    assert_eq!((margin[0].sign(), why.verdict.sign(), why.cause), (Sign::Never, Sign::Never, Cause::Precompiled));
    assert_eq!(judge.why(Ok(&LineQuery::of(point.document, 13, None))), why);
    // `break` has the sign with its cause, and `--why --native` finds the recording that the screens find.
    let sign = format!("  ○ {}", &why.sentence[..40]);
    let (text, _) = pdblens(&["break"], &file, &["Clock.cs:13"]);
    assert!(text.contains(&sign), "{text}");
    let (text, code) = pdblens(&["break", "--why", "--native"], &file, &["Clock.cs:13"]);
    assert!(
        text.contains("○ while the runtime uses the recorded code") && text.contains("refused (0x80131345)"),
        "{text}"
    );
    assert_eq!(code, Some(3), "{text}");
    assert!(code_unit::name(&session, of).ends_with("Since(long)"));
}

/// The values of `by_description` in the rows of `points --native`.
fn by_description(file: &Path) -> Vec<bool> {
    let (text, _) = pdblens(&["points", "--native", "--jsonl"], file, &[]);
    let rows = text.lines().filter(|line| line.starts_with('{'));
    rows.map(|row| serde_json::from_str::<Value>(row).unwrap()["by_description"].as_bool().unwrap()).collect()
}

#[test]
fn what_only_a_description_proves_says_so() {
    let image = read("assets/samples/ticker/Ticker.dll");
    for major in 16..=24 {
        let folder = Folder::new();
        let path = folder.write("Ticker.dll", precompile(&image, major, &clock()));
        folder.write("Ticker.pdb", read("assets/samples/ticker/Ticker.pdb"));
        let rows = by_description(&path);
        assert!(!rows.is_empty() && rows.iter().all(|row| *row == (major > 16)), "{major}: {rows:?}");
    }
    let folder = Folder::new();
    let mvid =
        Session::open(&[repository("assets/samples/ticker/Ticker.dll")]).unwrap().image().unwrap().mvid().unwrap();
    folder.write("all.r2r.dll", composite(&image, 16, &[("Ticker", mvid.0, clock())]));
    folder.write("Ticker.pdb", read("assets/samples/ticker/Ticker.pdb"));
    let component = crate::support::precompiled::component(&image, 16, "all.r2r.dll");
    let rows = by_description(&folder.write("Ticker.dll", component));
    assert!(!rows.is_empty() && rows.iter().all(|row| *row), "composite: {rows:?}");

    let note = |format: u32| {
        let session = Session::open(&[repository("assets/samples/ticker/Ticker.dll")]).unwrap();
        let map = NativeMap::read(&read("assets/samples/ticker/Ticker.nettrace")).unwrap();
        recorded::attach(&session, NativeMap { format, ..map }).unwrap();
        precompiled::by_description(&session).map(|reason| reason.text)
    };
    assert_eq!(note(4), None);
    for format in [5, 6] {
        assert!(
            note(format).unwrap().starts_with(&format!("event traces of format {format}: read by the description"))
        );
    }
}
