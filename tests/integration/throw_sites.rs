//! Lines of exceptions by language feature against those that the runtime itself names: `golden/throws`, which `assets/build/throw-sites.sh` writes.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::support::folder::Folder;
use crate::support::samples::repository;
use pdblens::session::Session;
use serde_json::Value;

/// Builds, with the fewest frames that each has.
const BUILDS: [(&str, usize); 6] = [
    ("csharp-debug", 200),
    ("csharp-release", 200),
    ("visual-basic-debug", 110),
    ("visual-basic-release", 110),
    ("fsharp-debug", 95),
    ("fsharp-release", 95),
];

/// File and line of a frame; empty without a line.
type Line = (String, String);

/// The trace of all exceptions as .NET prints it without symbols, and the runtime's line of each line of it that is a frame of the build.
fn trace_of(golden: &str, build: &str) -> (String, Vec<(usize, Line)>) {
    let (mut trace, mut lines) = (String::new(), Vec::new());
    for (number, row) in (1..).zip(golden.lines()) {
        match *row.split('\t').collect::<Vec<_>>() {
            ["-"] => trace.push_str("   at System.Other.Method()\n"),
            [site] => writeln!(trace, "Unhandled exception. System.Exception: {site}").unwrap(),
            [method, token, il, file, line] => {
                writeln!(trace, "   at {method}() in {build}.dll:token {token}+{il}").unwrap();
                lines.push((number, (file.to_owned(), line.to_owned())));
            }
            ref other => panic!("{other:?}"),
        }
    }
    (trace, lines)
}

/// Frames of a trace by the symbols in an image, in JSON.
fn frames(image: &Path, trace: &str, options: &[&str]) -> Vec<Value> {
    let folder = Folder::new();
    let trace = folder.write("trace.txt", trace.as_bytes());
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    let output = command.args(["trace", "--json"]).args(options).arg(image).arg(trace).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["frames"].as_array().unwrap().clone()
}

/// The line that each frame has.
fn lines_of(frames: &[Value]) -> Vec<(usize, Line)> {
    let of_build = frames.iter().filter(|frame| !frame["token"].is_null());
    let line_of = |frame: &Value| {
        let file = frame["document"].as_str().and_then(|path| path.rsplit('/').next());
        match (frame["outcome"] == "resolved", file) {
            (true, Some(file)) => (file.to_owned(), frame["start_line"].to_string()),
            _ => Line::default(),
        }
    };
    of_build.map(|frame| (frame["line"].as_u64().unwrap() as usize, line_of(frame))).collect()
}

fn golden(build: &str) -> (String, String, Vec<(usize, Line)>) {
    let rows = std::fs::read_to_string(repository("tests/golden/throws").join(format!("{build}.tsv"))).unwrap();
    let (trace, lines) = trace_of(&rows, build);
    (rows, trace, lines)
}

#[test]
fn every_throw_site_has_the_line_of_the_runtime() {
    for (build, least) in BUILDS {
        let (golden, trace, runtime) = golden(build);
        assert!(runtime.len() >= least, "{build}: {}", runtime.len());
        // A file with nothing but hidden code would agree with every reader.
        assert!(runtime.iter().filter(|(_, (file, _))| !file.is_empty()).count() >= least * 9 / 10, "{build}");
        let ours = lines_of(&frames(&repository("tests/golden/throws").join(format!("{build}.dll")), &trace, &[]));
        let rows: Vec<&str> = golden.lines().collect();
        let differing: Vec<_> = runtime
            .iter()
            .filter(|frame| !ours.contains(frame))
            .map(|(number, line)| (rows[number - 1], line, ours.iter().find(|(own, _)| own == number)))
            .collect();
        assert!(differing.is_empty(), "{build}: {differing:#?}");
    }
}

/// A method with `#line` has lines in several documents, each of which may call the frame above.
#[test]
fn a_candidate_has_its_lines_in_each_document() {
    let trace = "   at Sites.Fail(String site)\n   at Sites.TwoDocuments()\n";
    let found = frames(&repository("tests/golden/throws/csharp-debug.dll"), trace, &[]);
    let documents = &found[1]["candidates"][0]["documents"];
    let lines = |of: &Value| (of["document"].clone(), of["start_line"].clone(), of["end_line"].clone());
    let (first, other) = (&documents[0], &documents[1]);
    assert_eq!(lines(first), ("/src/Sites.cs".into(), 436.into(), 442.into()), "{documents}");
    assert_eq!(lines(other), ("/src/Second.razor".into(), 3.into(), 4.into()), "{documents}");
    assert_eq!((&first["calls_on_lines"], &other["calls_on_lines"]), (&Value::Null, &serde_json::json!([4])));
}

/// Frames of a build by the symbols of a build with one edit: with the runtime's own line, without a line, and with another line because of
/// the name and the row, or of the call of the frame above.
type Judged = [usize; 4];

/// `assets/build/edits.sh` makes the builds. An edit that no frame shows leaves every frame possible, so that lines are marked.
const EDITS: [(&str, &str, Judged); 6] = [
    ("csharp", "line", [12, 0, 116, 73]),
    ("csharp", "statement", [60, 0, 68, 73]),
    ("visual-basic", "line", [3, 0, 68, 39]),
    ("visual-basic", "statement", [32, 0, 39, 39]),
    ("fsharp", "line", [1, 31, 41, 24]),
    ("fsharp", "statement", [29, 32, 13, 23]),
];

#[test]
fn frames_of_a_build_with_one_edit_are_equal_refused_or_marked() {
    for (language, edit, wanted) in EDITS {
        let build = format!("{language}-debug");
        let (_, trace, runtime) = golden(&build);
        let folder = Folder::new();
        let edited = std::fs::read(repository("tests/golden/edits").join(format!("{language}-{edit}.dll"))).unwrap();
        let image = folder.write(&format!("{build}.dll"), edited);
        let found = frames(&image, &trace, &[]);
        let mut judged = Judged::default();
        for (number, line) in &runtime {
            let frame = found.iter().find(|frame| frame["line"] == *number).unwrap();
            let other = lines_of(std::slice::from_ref(frame)).remove(0).1;
            let kind = match frame["proof"].as_str() {
                _ if other == *line => 0,
                None => 1,
                Some("name-and-row") => 2,
                Some("chain") => 3,
                other => panic!("{language} {edit}: {other:?} proves another line: {frame}"),
            };
            judged[kind] += 1;
        }
        assert_eq!(judged, wanted, "{language}, {edit}");
        let required = frames(&image, &trace, &["--require", "id"]);
        assert!(lines_of(&required).iter().all(|(_, line)| line.0.is_empty()), "{language}, {edit}");
    }
}

/// Mono writes the MVID into each frame: no frame has a line of another build then.
#[test]
fn an_id_in_each_frame_refuses_a_build_with_one_edit() {
    for (language, edit, _) in EDITS {
        let own = repository("tests/golden/throws").join(format!("{language}-debug.dll"));
        let mvid = Session::open(std::slice::from_ref(&own)).unwrap().image().unwrap().mvid().unwrap().to_string();
        let (rows, ..) = golden(&format!("{language}-debug"));
        let mut trace = String::new();
        for row in rows.lines() {
            if let [method, _, il, ..] = *row.split('\t').collect::<Vec<_>>() {
                writeln!(trace, "  at {method} () [{il}] in <{}>:0", mvid.replace('-', "")).unwrap();
            }
        }
        let resolved = |image: &Path| frames(image, &trace, &[]).iter().filter(|f| f["outcome"] == "resolved").count();
        assert!(resolved(&own) > 50, "{language}");
        assert_eq!(resolved(&repository("tests/golden/edits").join(format!("{language}-{edit}.dll"))), 0, "{edit}");
    }
}
