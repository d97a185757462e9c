//! Image and PDB of different builds: each command says so, whatever it prints.

use std::path::PathBuf;

use super::{pdblens, sample, stderr};
use crate::support::folder::Folder;

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
            // Native code has no rows of lines by token: no answer.
            assert!(code != Some(1) && !text.contains("does not match"), "{command}: {text}");
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
    for (question, why) in [
        ("Program.cs:0", "there is no line 0: lines are counted from 1"),
        ("Program.cs", "\"Program.cs\" is a document without a line"),
        ("Program.cs:-3", "\"-3\" is not a line of Program.cs"),
        ("Program.cs:abc", "\"abc\" is not a line of Program.cs"),
        (
            "Clock.Since+zz",
            "\"Clock.Since+zz\" is not a line of a document, and \"zz\" is not an offset of Clock.Since",
        ),
        ("Clock.Since+15", "\"Clock.Since+15\" is a code offset, not a source line · tip: its line is Clock.cs:13"),
        ("nonsense", "\"nonsense\" has no line · tip: write DOCUMENT:LINE"),
    ] {
        for command in [&["break"][..], &["break", "--why"]] {
            let (code, _, said) = run(command, &good, &[question]);
            assert!(code == Some(3) && said.contains(why), "{question}: {said}");
            assert!(said.contains("· tip: ") && said.contains("pdblens "), "{question}: {said}");
        }
    }
    let (code, text, _) = run(&["break", "--why"], &good, &["Program.cs:1"]);
    assert!(code == Some(0) && text.contains("a debugger moves it to line 10"), "{text}");
}

/// Copies of files of `assets`, alone in a folder.
fn folder_of(files: &[PathBuf]) -> Folder {
    let folder = Folder::new();
    for file in files {
        std::fs::copy(file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn a_file_beside_one_of_another_build_is_told_like_the_pair() {
    let folder = folder_of(&[sample("workshop/Workshop.dll"), sample("workshop-release/Workshop.pdb")]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (image, pdb) = (path("Workshop.dll"), path("Workshop.pdb"));
    for (named, other) in [(&image, "Workshop.pdb"), (&pdb, "Workshop.dll")] {
        for command in [&["check"][..], &["info"], &["info", "--json"], &["check", "--format", "sarif"]] {
            let output = pdblens(&[command, &[named.as_str()]].concat());
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(3), "{command:?} {named}: {text}");
            assert!(text.contains(&format!("{other}, beside it, does not match: ")), "{command:?} {named}: {text}");
        }
        let output = pdblens(&["where", named, "0x06000002+0x1"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("! No ") && text.contains(&format!("{other}, beside it, does not match")), "{text}");
        assert_eq!(output.status.code(), Some(3), "{text}");
        // What is of another build is one finding, not one for each reason.
        let output = pdblens(&["check", "--quiet", named]);
        assert!(String::from_utf8(output.stdout).unwrap().contains("\n1 finding, "), "{named}");
    }
    assert_eq!(pdblens(&["where", &image, &pdb, "0x06000002+0x1"]).status.code(), Some(3));
    assert_eq!(pdblens(&["check", &image, &pdb]).status.code(), Some(3));
}

#[test]
fn a_pdb_alone_or_beside_what_names_no_pdb_of_this_name_is_no_finding() {
    let alone = folder_of(&[sample("workshop/Workshop.pdb")]);
    // An image that names a PDB of another name, as a launcher does.
    let renamed = folder_of(&[sample("workshop/Workshop.pdb")]);
    std::fs::copy(sample("ticker/Ticker.dll"), renamed.path().join("Workshop.exe")).unwrap();
    for folder in [&alone, &renamed] {
        let pdb = folder.path().join("Workshop.pdb").display().to_string();
        for args in [&["check", &pdb][..], &["info", &pdb], &["where", &pdb, "0x06000002+0x8"]] {
            let output = pdblens(args);
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(0), "{args:?}: {text}");
        }
    }
}

#[test]
fn info_has_the_findings_of_check_that_headers_show() {
    let broken = std::fs::read_dir(sample("../broken")).unwrap().map(|entry| entry.unwrap().path());
    let folders = std::fs::read_dir(sample("")).unwrap().map(|entry| entry.unwrap().path()).chain(broken);
    let (mut with_findings, mut in_headers) = (0, 0);
    for folder in folders.filter(|folder| folder.is_dir()) {
        for file in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
            if !["dll", "exe", "pdb", "mdb"].iter().any(|end| file.extension().is_some_and(|own| own == *end)) {
                continue;
            }
            let file = file.to_str().unwrap();
            let text = |args: &[&str]| String::from_utf8(pdblens(args).stdout).unwrap();
            let checked = text(&["check", file]);
            let summary = checked.lines().last().unwrap();
            assert!(summary.contains("finding") && summary.contains("note"), "{file}: {checked}");
            let listed = text(&["list", file, "overview"]);
            assert!(listed.lines().any(|line| line.trim_end() == summary), "{file}: {summary}\n{listed}");
            let findings = |command: &str| {
                let document: serde_json::Value = serde_json::from_str(&text(&[command, file, "--json"])).unwrap();
                let pair = &document["pairs"][0];
                let remarks = pair["results"].as_array().or(pair["findings"].as_array()).unwrap();
                let findings = remarks.iter().filter(|remark| remark["grade"] == "finding");
                findings.map(|finding| finding["text"].to_string()).collect::<Vec<_>>()
            };
            let (of_headers, all) = (findings("info"), findings("check"));
            assert!(of_headers.iter().all(|finding| all.contains(finding)), "{file}: {of_headers:?} {all:?}");
            let code = if of_headers.is_empty() { 0 } else { 3 };
            assert_eq!(pdblens(&["info", file]).status.code(), Some(code), "{file}");
            in_headers += usize::from(!of_headers.is_empty());
            with_findings += usize::from(!summary.starts_with("0 "));
        }
    }
    assert!(with_findings > in_headers && in_headers > 5, "{with_findings} {in_headers}");
}
