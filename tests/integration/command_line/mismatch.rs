//! Image and PDB of different builds: each command says so, whatever it prints.

use std::path::PathBuf;

use super::{pdblens, sample, stderr};

/// A managed and a native image, each with a PDB of another build.
fn pairs() -> [[PathBuf; 2]; 2] {
    [
        [sample("ticker/Ticker.dll"), sample("ticker-release/Ticker.pdb")],
        [sample("native/tally.exe"), sample("parcel/parcel.pdb")],
    ]
}

/// Exit code, standard output and standard error of a command about a pair.
fn run(command: &[&str], [image, pdb]: &[PathBuf; 2], rest: &[&str]) -> (Option<i32>, String, String) {
    let files = [image.to_str().unwrap(), pdb.to_str().unwrap()];
    let output = pdblens(&[command, &files, rest].concat());
    let said = stderr(&output);
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), said)
}

#[test]
fn every_format_of_check_takes_named_files_for_a_pair() {
    // The names differ too, so that they are no pair by name.
    let named = [sample("ticker/Ticker.dll"), sample("workshop/Workshop.pdb")];
    for pair in pairs().iter().chain([&named]) {
        for format in ["text", "json", "sarif", "junit", "github"] {
            let (code, text, said) = run(&["check", "--format", format], pair, &[]);
            assert_eq!(code, Some(3), "{format} {pair:?}: {text}{said}");
            assert!(text.contains("the image expects"), "{format} {pair:?}: {text}");
        }
    }
    let (_, text, _) = run(&["check", "--format", "junit"], &named, &[]);
    assert_eq!(text.matches("<testsuite ").count(), 1, "{text}");
}

#[test]
fn answers_from_another_build_begin_with_a_warning() {
    let [managed, native] = pairs();
    for (pair, question) in [(&managed, "0x06000002"), (&native, "0x1060")] {
        let (_, text, _) = run(&["where"], pair, &[question]);
        assert!(text.starts_with("! PDB does not match: GUID differs: the image expects"), "{text}");
        let (_, text, said) = run(&["where"], pair, &[question, "--json"]);
        assert!(text.starts_with('{') && said.starts_with("warning: PDB does not match"), "{text}{said}");
        for command in ["points", "methods", "documents", "lines", "sources"] {
            let (code, text, said) = run(&[command], pair, &[]);
            assert!(
                said.contains("warning: ") && said.contains("PDB does not match: GUID differs"),
                "{command} {said}"
            );
            assert!(code == Some(0) && !text.contains("does not match"), "{command}: {text}");
        }
    }
    let (_, text, _) = run(&["break"], &managed, &["Program.cs:11"]);
    assert!(text.starts_with("! PDB does not match") && text.contains('○') && !text.contains('●'), "{text}");
    let good = [sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb")];
    let (_, text, said) = run(&["break"], &good, &["Program.cs:11"]);
    assert!(text.contains('●') && said.is_empty(), "{text}{said}");
}

#[test]
fn info_exits_with_3_on_a_mismatch() {
    for pair in &pairs() {
        for rest in [&[][..], &["--json"]] {
            assert_eq!(run(&["info"], pair, rest).0, Some(3), "{pair:?}");
        }
    }
    assert_eq!(pdblens(&["info", "--sample"]).status.code(), Some(0));
}

#[test]
fn a_breakpoint_without_a_line_is_refused_with_and_without_why() {
    let good = [sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb")];
    for question in ["Program.cs:0", "Program.cs", "Program.cs:-3", "Program.cs:abc"] {
        for command in [&["break"][..], &["break", "--why"]] {
            let (code, _, said) = run(command, &good, &[question]);
            assert!(code == Some(2) && said.contains("has no line · tip: write Program.cs:21"), "{question}: {said}");
        }
    }
    let (code, text, _) = run(&["break", "--why"], &good, &["Program.cs:1"]);
    assert!(code == Some(0) && text.contains("a debugger moves it to line 10"), "{text}");
}
