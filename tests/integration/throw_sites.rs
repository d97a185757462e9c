//! Lines of exceptions by language feature against those that the runtime itself names: `golden/throws`, which `assets/build/throw-sites.sh` writes.

use std::fmt::Write;
use std::process::Command;

use crate::support::folder::Folder;
use crate::support::samples::repository;
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

/// The line that `trace` gives each frame.
fn resolved(build: &str, trace: &str) -> Vec<(usize, Line)> {
    let folder = Folder::new();
    let trace = folder.write("trace.txt", trace.as_bytes());
    let image = repository("tests/golden/throws").join(format!("{build}.dll"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    let output = command.args(["trace", "--json"]).arg(image).arg(trace).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of_build = |frame: &&Value| !frame["token"].is_null();
    let line_of = |frame: &Value| {
        let file = frame["document"].as_str().and_then(|path| path.rsplit('/').next());
        match (frame["outcome"] == "resolved", file) {
            (true, Some(file)) => (file.to_owned(), frame["start_line"].to_string()),
            _ => Line::default(),
        }
    };
    let frames = answer["frames"].as_array().unwrap().iter().filter(of_build);
    frames.map(|frame| (frame["line"].as_u64().unwrap() as usize, line_of(frame))).collect()
}

#[test]
fn every_throw_site_has_the_line_of_the_runtime() {
    for (build, least) in BUILDS {
        let golden = std::fs::read_to_string(repository("tests/golden/throws").join(format!("{build}.tsv"))).unwrap();
        let (trace, runtime) = trace_of(&golden, build);
        assert!(runtime.len() >= least, "{build}: {}", runtime.len());
        let ours = resolved(build, &trace);
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
    let folder = Folder::new();
    let trace = folder.write("trace.txt", "   at Sites.Fail(String site)\n   at Sites.TwoDocuments()\n");
    let image = repository("tests/golden/throws/csharp-debug.dll");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    let output = command.args(["trace", "--json"]).arg(image).arg(trace).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let candidate = &answer["frames"][1]["candidates"][0];
    let lines = |of: &Value| (of["document"].clone(), of["start_line"].clone(), of["end_line"].clone());
    assert_eq!(lines(candidate), ("/src/Sites.cs".into(), 436.into(), 442.into()), "{candidate}");
    let other = &candidate["other_documents"][0];
    assert_eq!(lines(other), ("/src/Second.razor".into(), 3.into(), 4.into()), "{candidate}");
    assert_eq!((&candidate["calls_on_lines"], &other["calls_on_lines"]), (&Value::Null, &serde_json::json!([4])));
}
