//! `quality`, and what `check` and `diff` make of its counts.

use std::process::{Command, Output};

use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Runs the program in the folder of samples; the words that end with a file are paths there.
fn run(words: &str, config: Option<&str>) -> (Option<i32>, String) {
    let folder = Folder::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.args(words.split(' ')).current_dir(repository("assets/samples"));
    if let Some(text) = config {
        command.arg("--config").arg(folder.write("pdblens.toml", text));
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn recorded_code_counts_as_that_of_the_image_does() {
    let (code, said) = run("quality ticker-release/Ticker.dll --native=ticker-release/Ticker.nettrace", None);
    assert_eq!(code, Some(0));
    for line in [
        "accepted                9  of 11 compiled points",
        "not compiled            1  points",
        "○ IL_0005",
        "○ IL_0008",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    // Of the debug build the JIT kept every point.
    let (_, said) = run("quality ticker/Ticker.dll --native=ticker/Ticker.nettrace", None);
    assert!(said.contains("refused                 0"), "{said}");
    let (code, said) = run("where --native=ticker/Ticker.nettrace ticker/Ticker.dll Clock.Since+0xb", None);
    assert_eq!(code, Some(0));
    assert!(said.contains("accepted at 0x7f") && said.contains("+0x4b..+0x55"), "{said}");
    let (_, said) = run("break --json --native=ticker/Ticker.nettrace ticker/Ticker.dll Clock.cs:13", None);
    assert!(said.contains("\"tier\":\"MinOptJitted\""), "{said}");
    let (code, said) = run("points --native=ticker/Ticker.nettrace ticker/Ticker.dll --jsonl", None);
    let row = "\"name\":\"Ticker.Clock.Since(long) [MinOptJitted]\",\"il\":11,\"native\":75,\"rva\":null";
    assert!(code == Some(0) && said.contains(row), "{said}");
    // The trace of another build, and another file.
    let (code, said) = run("quality ticker/Ticker.dll --native=ticker-release/Ticker.nettrace", None);
    assert!(code == Some(3) && said.contains("has the id of this PDB"), "{said}");
    let (code, said) = run("quality ticker/Ticker.dll --native=ticker/Ticker.pdb", None);
    assert!(code == Some(3) && said.contains("no event trace"), "{said}");
    // Maps without IL offsets, and a trace that ends after its first bytes.
    let folder = Folder::new();
    for (name, bytes, reason) in [
        ("perf-7.map", "7f00 40 int64 [Ticker] Ticker.Clock::Since(int64)[QuickJitted]\n", "no IL offsets"),
        ("jit-7.dump", "DTiJ\x01\0\0\0", "no IL offsets"),
        ("empty.nettrace", "Nettrace\x14\0\0\0!FastSerialization.1", "no event of a loaded module"),
    ] {
        let map = folder.write(name, bytes);
        let (code, said) = run(&format!("points ticker/Ticker.dll --native={}", map.display()), None);
        assert!(code == Some(3) && said.contains(reason), "{said}");
    }
}

#[test]
fn an_address_of_recorded_code_has_its_il_offset() {
    let tiered = "--native=../../tests/golden/recordings/tiered-attached.nettrace ticker-release/Ticker.dll";
    let debug = "--native=ticker/Ticker.nettrace ticker/Ticker.dll";
    for (asked, code, expected) in [
        // The first byte of the code of IL_000b, by its address in memory and by its offset in the only body.
        ("0x7f5c99c94b7b", 0, "0x7f5c99c94b7b is +0x4b of Ticker.Clock.Since(long) [MinOptJitted]"),
        ("Clock.Since+native:0x54", 0, "0x7f5c99c94b84 is +0x54 of"),
        ("Clock.Since+native:0x75", 0, "in the epilog"),
        ("Clock.Since+native:0x7a", 3, "has 0x7a bytes of machine code: 0x7a is past its end"),
        ("0x7f5c99c94baa", 3, "no recorded method has machine code at 0x7f5c99c94baa"),
    ] {
        let (found, said) = run(&format!("where {debug} {asked}"), None);
        assert!(found == Some(code) && said.contains(expected), "{asked}: {said}");
    }
    let (_, said) = run(&format!("where {debug} 0x7f5c99c94b7b --json"), None);
    assert!(said.contains("\"native\":75,\"il\":11") && said.contains("\"address\":140035"), "{said}");
    // One of three bodies has other code there; an address in memory has one body.
    let (code, said) = run(&format!("where {tiered} Clock.Since+native:0x23"), None);
    let expected =
        "3 bodies of code have the offset: IL_0008 at 0x7ff7c34a4473 (Ticker.Clock.Since(long) [QuickJitted])";
    assert!(code == Some(3) && said.contains(expected), "{said}");
    let (code, said) = run(&format!("where {tiered} 0x7ff7c34a9493"), None);
    assert!(code == Some(0) && said.contains("+0x23 of Ticker.Clock.Since(long) [OptimizedTier1]"), "{said}");
}

#[test]
fn an_image_of_the_same_build_is_a_map() {
    let map = "../../crates/learn/assets/precompiled/Ticker.dll";
    for (words, expected) in [
        ("quality ticker/Ticker.dll", "accepted                5  of 6 compiled points"),
        ("where ticker/Ticker.dll Clock.Since+0x18", "0x10155  +0x15..+0x19"),
        ("break ticker/Ticker.dll Clock.cs:12", "refused (0x80131345)"),
        ("points ticker/Ticker.dll", "Ticker.Clock.Since(long)\t24\t30\t65886"),
    ] {
        // Without a file, the code of the image itself.
        if !words.starts_with("quality") {
            let pair = format!("{map} ticker/Ticker.pdb");
            let (_, said) = run(&format!("{} --native", words.replace("ticker/Ticker.dll", &pair)), None);
            assert!(said.contains(expected), "{words}: {said}");
        }
        let (_, said) = run(&format!("{words} --native={map}"), None);
        assert!(said.contains(expected), "{words}: {said}");
        let (code, said) = run(&format!("{} --native={map}", words.replace("ticker/", "ticker-release/")), None);
        assert!(code == Some(3) && said.contains("another build of Ticker: the MVID differs"), "{words}: {said}");
    }
}

#[test]
fn counts_of_two_builds_are_compared() {
    let (code, said) = run("diff --quality ticker/Ticker.dll ticker-release/Ticker.dll", None);
    assert_eq!(code, Some(3));
    assert!(said.contains("visible points            17     12  5 lost"), "{said}");
    let (code, said) = run("diff --quality ticker/Ticker.dll ticker/Ticker.dll", None);
    assert!(code == Some(0) && said.contains("the same counts"), "{said}");
    let (code, said) = run("diff --quality ticker ticker-release --json", None);
    assert!(code == Some(3) && said.contains("\"count\":\"points_visible\""), "{said}");
}

#[test]
fn shares_below_their_thresholds_are_notes_or_findings() {
    let config = "[quality]\nlines_with_points = 100\nlocals_named = 60\n";
    let (code, said) = run("check ticker/Ticker.dll", Some(config));
    assert!(code == Some(0) && said.contains("locals with a name: 5 of 9 locals, less than 60 %"), "{said}");
    assert!(!said.contains("lines with a point"), "{said}");
    let (code, _) = run("check ticker/Ticker.dll --deny quality", Some(config));
    assert_eq!(code, Some(3));
    let (code, said) = run("check ticker/Ticker.dll", Some("[quality]\nlines_with_points = 100\n"));
    assert!(code == Some(0) && said.contains("1 threshold reached"), "{said}");
    let (code, said) = run("check ticker/Ticker.dll --deny quality --no-config", None);
    assert!(code == Some(2) && said.contains("needs the section [quality]"), "{said}");
}

#[test]
fn native_code_counts_its_bytes_with_lines_by_object_file() {
    let (code, said) = run("quality native/tally.exe", None);
    assert!(code == Some(0) && said.starts_with("code with lines  "), "{said}");
    let (_, json) = run("quality native/tally.exe --json", None);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pair = &document["pairs"][0];
    let number = |of: &serde_json::Value, member: &str| of[member].as_u64().unwrap();
    let objects = pair["object_files"].as_array().unwrap();
    let sum = |member: &str| objects.iter().map(|object| number(object, member)).sum::<u64>();
    assert_eq!((sum("code"), sum("code_with_lines")), (number(pair, "code"), number(pair, "code_with_lines")));
    assert!(number(pair, "code_with_lines") > 0 && number(pair, "code_with_lines") <= number(pair, "code"), "{json}");
    let (_, said) = run("quality parcel-public/parcel.exe", None);
    assert!(said.contains("code with lines  0  of "), "{said}");
}

#[test]
fn rules_of_a_pattern_are_for_the_files_that_it_fits() {
    let config = Some("[check]\nallow = [\"paths\"]\n[rules.\"*-sha1/*.dll\"]\ndeny = [\"source-hash-strong\"]\n");
    let (code, said) = run("check ticker-sha1/Ticker.dll", config);
    assert!(code == Some(3) && said.contains("1 finding, "), "{said}");
    // An option for the rule comes first.
    let (code, said) = run("check ticker-sha1/Ticker.dll --warn=source-hash-strong", config);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run("check ticker-sha1 ticker-release", config);
    assert!(code == Some(3) && said.contains("2 pairs checked, 1 with findings"), "{said}");
    let (code, said) = run("check ticker/Ticker.dll", Some("[rules.\"*\"]\ndeny = [\"no-such-rule\"]\n"));
    assert!(code != Some(0) && said.contains("there is no rule or group no-such-rule"), "{said}");
}
