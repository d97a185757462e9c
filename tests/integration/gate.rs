//! `check` as the gate of a build: many pairs, rules, formats.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use pdblens::query::check::{Grade, check};
use pdblens::session::Session;
use pdblens::source::SourceOptions;

use crate::support::folder::Folder;
use crate::support::samples::repository;

fn folder() -> Folder {
    let folder = Folder::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples");
    for (to, from) in [
        ("good/Ticker.dll", "ticker/Ticker.dll"),
        ("good/Ticker.pdb", "ticker/Ticker.pdb"),
        ("bad/Ticker.dll", "ticker/Ticker.dll"),
        ("bad/Ticker.pdb", "ticker-release/Ticker.pdb"),
        ("Workshop.dll", "workshop-embedded/Workshop.dll"),
    ] {
        folder.write(to, std::fs::read(samples.join(from)).unwrap());
    }
    folder
}

fn run(folder: &Folder, args: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).current_dir(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output, text)
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    serde_json::from_str(&run(folder, args).1).unwrap()
}

#[test]
fn a_folder_is_checked_pair_by_pair() {
    let folder = folder();
    let (output, text) = run(&folder, &["check", "."]);
    assert_eq!(output.status.code(), Some(3), "{text}");
    let starts = |sign: &str| text.lines().filter(|line| line.starts_with(sign)).count();
    assert_eq!((starts("✓ "), starts("✗ ")), (2, 1), "{text}");
    assert!(text.contains("✗ ./bad/Ticker.dll") && text.contains("    id "), "{text}");
    assert!(text.lines().last().unwrap().starts_with("3 pairs checked, 1 with findings"), "{text}");
    assert_eq!(run(&folder, &["check", "good", "Workshop.dll"]).0.status.code(), Some(0));
    assert_eq!(run(&folder, &["check", "-q", "good", "Workshop.dll"]).1, "");
    folder.write("broken.dll", b"MZ");
    let (output, text) = run(&folder, &["check", "good", "broken.dll"]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    folder.write("empty/readme.txt", b"");
    for (nothing, code) in [(&["check"][..], 2), (&["check", "empty", "empty"], 3)] {
        assert_eq!(run(&folder, nothing).0.status.code(), Some(code), "{nothing:?}");
    }
    let found = json(&folder, &["check", ".", "--json"]);
    let pairs = found["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 4);
    assert_eq!(pairs.iter().filter(|pair| pair["findings"] == 0).count(), 2);
}

#[test]
fn a_file_that_cannot_be_read_is_an_answer_beside_the_others() {
    let folder = folder();
    folder.write("text.dll", b"no image at all, but a line of text");
    for files in [&["text.dll"][..], &["text.dll", "good/Ticker.dll"]] {
        let args = [&["check", "--json"], files].concat();
        assert_eq!(run(&folder, &args).0.status.code(), Some(1), "{files:?}");
        let found = json(&folder, &args);
        let pairs = found["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), files.len(), "{found}");
        assert!(pairs[0]["error"]["text"].as_str().unwrap().contains("this is text"), "{found}");
    }
    for command in ["info", "list", "sources", "find", "extract"] {
        let to: &[&str] = if command == "extract" { &["--to", "out"] } else { &[] };
        let found = json(&folder, &[&[command, "text.dll", "good/Ticker.dll", "--json"], to].concat());
        let pairs = found["pairs"].as_array().unwrap();
        assert_eq!((&pairs[0]["path"], pairs.len()), (&"text.dll".into(), 2), "{command}: {found}");
        assert!(pairs[0]["error"]["text"].as_str().unwrap().contains("this is text"), "{command}: {found}");
        assert!(pairs[1].get("error").is_none() && pairs[1].as_object().unwrap().len() > 1, "{command}: {found}");
    }
    let (output, text) = run(&folder, &["info", "text.dll", "good/Ticker.dll"]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("Ticker.pdb"), "{text}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("this is text"), "{text}");
    let found = json(&folder, &["check", "--json", "none.dll"]);
    let error = serde_json::json!({"reason": "no-file", "text": "none.dll: there is no such file"});
    assert_eq!(found["pairs"][0]["error"], error);
}

/// The exit code is the verdict, also where nobody reads the lines to their end.
#[test]
fn a_closed_pipe_does_not_change_the_verdict() {
    let folder = folder();
    for (args, code) in [(["check", "bad"], 3), (["check", "."], 3), (["check", "good"], 0)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        let output = command.args(args).current_dir(folder.path()).stdout(writer).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(!said.contains("error"), "{args:?}: {said}");
    }
}

#[test]
fn rules_are_denied_warned_of_and_allowed() {
    let folder = folder();
    let code = |args: &[&str]| run(&folder, args).0.status.code();
    assert_eq!(code(&["check", "good/Ticker.dll", "--deny", "untracked", "--deny", "source-link"]), Some(3));
    assert_eq!(code(&["check", "bad/Ticker.dll", "bad/Ticker.pdb"]), Some(3));
    assert_eq!(code(&["check", "bad/Ticker.dll", "bad/Ticker.pdb", "--warn", "pair", "--warn", "lint"]), Some(0));
    assert_eq!(code(&["check", "bad", "bad/Ticker.dll", "--allow", "pair", "--allow", "lint"]), Some(0));
    assert_eq!(code(&["check", "good/Ticker.dll", "--deny", "no-such-rule"]), Some(2));
    let rules = run(&folder, &["check", "--rules"]).1;
    for group in ["pair", "sources", "deterministic", "lint"] {
        assert!(rules.contains(&format!("{group} ")), "{rules}");
    }
}

#[test]
fn sarif_has_what_code_scanning_asks_for() {
    let folder = folder();
    let sarif = json(&folder, &["check", ".", "--format", "sarif"]);
    assert!(sarif["$schema"].is_string() && sarif["version"] == "2.1.0");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for rule in rules {
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[text]["text"].as_str().is_some_and(|text| text.len() <= 1024), "{rule}");
        }
    }
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty() && run["invocations"][0]["executionSuccessful"] == true);
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.starts_with('/') && !uri.contains(['\\', ' ']), "{uri}");
        for edge in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(place["region"][edge].as_u64().is_some_and(|number| number > 0), "{result}");
        }
        assert!(place["region"]["byteOffset"].is_null());
        assert!(result["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap().ends_with(":1"));
    }
    // The same names give the same fingerprints, whatever the folder.
    let prints = |folder: &Folder| {
        let sarif = json(folder, &["check", "bad", "--format", "sarif"]);
        let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["partialFingerprints"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(prints(&folder), prints(&self::folder()));
}

#[test]
fn junit_and_github_tell_of_each_finding() {
    let folder = folder();
    let xml = run(&folder, &["check", ".", "--format", "junit"]).1;
    assert!(xml.starts_with("<?xml") && xml.matches("<testsuite ").count() == 3, "{xml}");
    assert!(xml.contains("<failure message=\"") && xml.trim_end().ends_with("</testsuites>"), "{xml}");
    let lines = run(&folder, &["check", ".", "--format", "github"]).1;
    assert!(lines.lines().all(|line| line.starts_with("::error ")), "{lines}");
    assert!(lines.contains("error file=bad/Ticker.dll,title=id::bad/Ticker.dll: "), "{lines}");
    let more = run(&folder, &["check", ".", "--format", "github", "--notes"]).1;
    let notes = more.lines().filter(|line| line.starts_with("::notice ")).count();
    assert!(notes > 0 && more.lines().count() == lines.lines().count() + notes, "{more}");
}

#[test]
fn every_command_counts_the_same_findings() {
    let folder = folder();
    let bad = "bad/Ticker.dll";
    let count = json(&folder, &["check", "--json", bad])["findings"].as_u64().unwrap();
    assert!(count > 0);
    for args in [&["info", bad, "--json"][..], &["dump", bad, "--json"]] {
        let pairs = &json(&folder, args)["pairs"];
        assert_eq!(pairs[0]["findings"].as_array().map(Vec::len), Some(count as usize), "{args:?}");
    }
    let listed = run(&folder, &["list", bad]).1;
    let line = listed.lines().find(|line| line.starts_with("findings ")).unwrap().to_owned();
    assert!(line.contains(&format!(" {count} finding")) && line.contains(&format!(" {count} row")), "{line}");
}

#[test]
fn a_policy_that_changes_the_count_says_so() {
    let folder = folder();
    let last = |args: &[&str]| run(&folder, args).1.lines().last().unwrap_or_default().to_owned();
    let listed = |folder: &Folder| {
        let (output, text) = run(folder, &["list", "good/Ticker.dll", "overview"]);
        let counts = text.lines().find(|line| line.contains(" findings, ")).unwrap().trim().to_owned();
        (counts, String::from_utf8(output.stderr).unwrap())
    };
    let (own, said) = listed(&folder);
    assert_eq!((last(&["check", "good/Ticker.dll"]), said.as_str()), (own.clone(), ""));
    let denied = last(&["check", "good/Ticker.dll", "--deny", "sources"]);
    assert!(denied.ends_with(&format!("(without the policy: {own}, as `list` counts)")), "{denied}");
    assert_ne!(denied.split(" (").next(), Some(own.as_str()));
    folder.write("pdblens.toml", "[check]\ndeny = [\"sources\"]\n");
    let counts = denied.split(" (").next().unwrap();
    assert_eq!(last(&["check", "good/Ticker.dll"]), denied);
    // A screen of facts has the grades of the rules themselves, and names the others.
    let (same, said) = listed(&folder);
    assert!(
        same == own && said.contains(&format!("pdblens.toml, `check` counts {counts} here instead of {own}")),
        "{said}"
    );
    for args in [&["list", "good/Ticker.dll", "findings"][..], &["list", "good/Ticker.dll"]] {
        let listed = run(&folder, args).0;
        assert!(String::from_utf8(listed.stderr).unwrap().contains("pdblens.toml, `check` counts"), "{args:?}");
    }
    let listed = run(&folder, &["list", "good/Ticker.dll", "findings"]).0;
    assert!(String::from_utf8(listed.stderr).unwrap().contains("pdblens.toml, `check` counts"));
    let found = json(&folder, &["check", "--json", "good/Ticker.dll"]);
    assert_eq!(found["pairs"][0]["findings_without_policy"], 0, "{found}");
    assert!(found["findings"].as_u64().unwrap() > 0);
    let found = json(&folder, &["check", "--json", "--no-config", "good/Ticker.dll"]);
    assert!(found["pairs"][0].get("findings_without_policy").is_none() && found["pairs"][0]["findings"].is_number());
}

/// A build can be repeated from its symbols with options of version 2, and metadata references.
#[test]
fn options_and_references_of_the_compilation_have_a_rule() {
    let said = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut pdb = std::fs::read(repository("assets/samples/ticker/Ticker.pdb")).unwrap();
        change(&mut pdb);
        let session = Session::from_bytes(vec![("Ticker.pdb".into(), pdb)]).unwrap();
        let remarks = check(&session, &SourceOptions::default());
        let of_rule = remarks.into_iter().filter(|remark| remark.rule == "compiler-flags");
        of_rule.map(|remark| (remark.grade, remark.sentence)).collect::<Vec<_>>()
    };
    let replace = |pdb: &mut Vec<u8>, from: &[u8], to: &[u8]| {
        let at = pdb.windows(from.len()).position(|window| window == from).unwrap();
        pdb[at..at + to.len()].copy_from_slice(to);
    };
    let whole = said(&|_| ());
    assert!(
        matches!(whole.as_slice(), [(Grade::Good, text)] if text.starts_with("compilation options of version 2, "))
    );
    for (from, to, why) in [
        (b"version\x002\0", b"version\x001\0", "are of version 1"),
        (b"version\x002\0", b"version\0x\0", "which is not a number"),
        (b"version\x002\0", b"varsion\x002\0", "have no version"),
    ] {
        let found = said(&|pdb| replace(pdb, from, to));
        assert!(matches!(found.as_slice(), [(Grade::Note, text)] if text.contains(why)), "{found:?}");
    }
    // The GUID of the references, as it is stored.
    let guid = [0x08, 0x47, 0x4d, 0x7e, 0x6e, 0x09, 0x5c, 0x4c];
    let found = said(&|pdb| replace(pdb, &guid, &[0x99]));
    assert!(matches!(found.as_slice(), [(Grade::Note, text)] if text.contains("metadata references")), "{found:?}");
}
