//! Exit codes: 0 answered, 1 an error of the input or the machine, 2 misuse, 3 no answer or a finding.

use std::fs;

use super::{pdblens, sample, stderr};
use crate::support::folder::Folder;

/// A run for each case; each but an answer says on standard error or on standard output why.
#[test]
fn exit_codes_mean_one_thing_everywhere() {
    let folder = Folder::new();
    let path = |name: &str| sample(name).display().to_string();
    let (ticker, tally) = (path("ticker/Ticker.dll"), path("native/tally.pdb"));
    let other = path("ticker-release/Ticker.pdb");
    let alone = folder.write("Alone.dll", fs::read(&ticker).unwrap()).display().to_string();
    let broken = folder.write("broken.dll", b"MZ").display().to_string();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let log = folder.write("log.txt", "   at Nowhere.Never.Was() in Nowhere.dll:token 0x6000001+0x1\n");
    let plain = folder.write("plain.txt", "no frame\n").display().to_string();
    let out = folder.path().join("out").display().to_string();
    let (empty, log) = (empty.display().to_string(), log.display().to_string());
    let folder = folder.path().display().to_string();
    for (code, args) in [
        (0, vec!["where", &ticker, "Clock.Since+0xf"]),
        (0, vec!["break", &ticker, "Clock.cs:13"]),
        (0, vec!["trace", &ticker, &plain]),
        (0, vec!["diff", &ticker, &ticker]),
        (0, vec!["sources", &ticker]),
        (0, vec!["list", &ticker, "documents"]),
        (1, vec!["info", "/nowhere/at/all.dll"]),
        (1, vec!["where", &broken, "Clock.Since+0xf"]),
        (1, vec!["trace", "/nowhere/at/all.txt"]),
        (1, vec!["trace", "--symbols", "/nowhere/at/all", &log]),
        (1, vec!["store", "list", "/nowhere/at/all"]),
        (1, vec!["check", &ticker, "--config", "/nowhere/at/all.toml"]),
        (2, vec!["info", "--no-such-option"]),
        (2, vec!["where", &ticker]),
        (2, vec!["break", &ticker]),
        (2, vec!["show", &ticker]),
        (2, vec!["diff", &ticker]),
        (2, vec!["decode", "points", "0g"]),
        (2, vec!["check", &ticker, "--deny", "no-such-rule"]),
        (2, vec!["trace", &folder]),
        (3, vec!["where", &ticker, "No.Such+1"]),
        (3, vec!["where", &ticker, "Clock.Since+0xffff"]),
        (3, vec!["where", &alone, "Clock.Since+0xf"]),
        (3, vec!["where", &ticker, &other, "Clock.Since+0xf"]),
        (3, vec!["break", &ticker, "Clock.cs:9999"]),
        (3, vec!["break", &ticker, "None.cs:1"]),
        (3, vec!["break", "--why", &ticker, "Clock.cs:9999"]),
        (3, vec!["trace", &ticker, &log]),
        (3, vec!["trace", &ticker, &log, "--json"]),
        (3, vec!["diff", &ticker, &path("ticker-release/Ticker.dll")]),
        (3, vec!["sources", &alone]),
        (3, vec!["sources", "--steps", &alone]),
        (3, vec!["points", &alone]),
        (3, vec!["documents", &alone]),
        (3, vec!["extract", &ticker, "--to", &out]),
        (3, vec!["srcsrv", &path("ticker-windows/Ticker.pdb")]),
        (3, vec!["find", &alone]),
        (3, vec!["show", &ticker, "method/No.Such"]),
        (3, vec!["list", &ticker, "table/Document/99"]),
        (3, vec!["list", &tally, "methods"]),
        (3, vec!["dump", &alone, "pdb"]),
        (3, vec!["explain", "no such term at all"]),
        (0, vec!["check", &alone]),
        (3, vec!["check", &alone, "--require-symbols"]),
        (3, vec!["check", &empty]),
        (3, vec!["check", &ticker, &other]),
        (3, vec!["decode", "points", "020001"]),
    ] {
        let output = pdblens(&args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        let said = stderr(&output);
        assert!(code == 0 || !said.is_empty() || !output.stdout.is_empty(), "{args:?}");
        if code == 1 || code == 2 {
            assert!(said.starts_with("error: "), "{args:?}: {said}");
        }
        // A table without rows is no answer: the reason is on standard error.
        if ["sources", "points", "documents", "extract", "list"].contains(&args[0]) && code == 3 {
            assert!(said.starts_with("error: ") || said.starts_with("note: "), "{args:?}: {said}");
        }
    }
}

/// The table is in the documentation and in the help.
#[test]
fn the_exit_codes_are_documented_everywhere() {
    let rows = ["Answered", "An error of the input or of the machine", "Misuse", "No answer, or a finding"];
    let docs = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md")).unwrap();
    for (code, row) in rows.iter().enumerate() {
        assert!(docs.contains(&format!("| {code} | {row}")), "docs/commands.md: {row}");
    }
    let of_program = [vec!["--help"], vec!["gen", "man", "pdblens"]];
    let commands = pdblens::cli::examples().into_iter().map(|(name, _)| name).filter(|name| !name.is_empty());
    let commands: Vec<String> = commands.collect();
    let helps = commands.iter().map(|name| name.split(' ').chain(["--help"]).collect());
    let pages = commands.iter().map(|name| name.replace(' ', "-")).collect::<Vec<_>>();
    let pages = pages.iter().map(|name| vec!["gen", "man", name]);
    for args in of_program.into_iter().chain(helps).chain(pages) {
        let text = super::stdout(&pdblens(&args)).replace('\\', "");
        for row in rows {
            assert!(text.contains(row), "{args:?}: {row}");
        }
    }
}
