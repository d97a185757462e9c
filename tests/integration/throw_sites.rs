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
