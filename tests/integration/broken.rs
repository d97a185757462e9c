//! The gallery of broken files, `assets/broken`: pairs with one fault each, which `check` finds and names.
//!
//! `crates/learn/assets/faults.json` has the faults: the sample that each pair is made of, and the fields that are changed. The pairs and the table in
//! README.md are made from it; `BROKEN_UPDATE=1 cargo test --test integration broken` writes them again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use pdblens::learn::question::faults::{ChangedBytes, Fault, faults};
use pdblens::query::check::{Grade, check};
use pdblens::session::Session;
use pdblens::source::SourceOptions;
use pdblens::text::safe::spaced_hex;

use crate::support::samples::{all_samples, repository};

/// Paths of the files of a pair in the gallery, and their bytes.
fn files(fault: &Fault) -> Vec<(PathBuf, Vec<u8>)> {
    let pair = fault.pair().unwrap_or_else(|| panic!("{}: the sample has no such field", fault.name));
    let named = |name| repository("assets/broken").join(&fault.name).join(name);
    pair.files.into_iter().map(|(name, bytes)| (named(name), bytes)).collect()
}

fn readme(faults: &[Fault]) -> String {
    let mut text = "# Broken files\n\n\
        Each of these pairs has one fault. They serve as exercises (\"find the fault\"), as tests of `pdblens check`, and as a conformance set\n\
        for authors of readers. Each pair is a sample with the changes listed under *bytes*; if the image has a checksum of its PDB, it is\n\
        updated, so that it is not a second fault. *rule* is the rule of `check` that finds the fault. `crates/learn/assets/faults.json` has the same data for\n\
        programs; `BROKEN_UPDATE=1 cargo test --test integration broken` makes the files and this table from it.\n\n\
        | pair | sample | fault | bytes | rule |\n|--|--|--|--|--|\n"
        .to_owned();
    for fault in faults {
        let hex = |bytes: &[u8]| spaced_hex(bytes, usize::MAX);
        let change = |change: &ChangedBytes| {
            format!("`{}` {:#x}: `{}` → `{}`", change.file, change.offset, hex(&change.before), hex(&change.after))
        };
        let changes: Vec<String> = fault.pair().unwrap().changes.iter().map(change).collect();
        let rules: Vec<String> = fault.rules.iter().map(|rule| format!("`{rule}`")).collect();
        let Fault { name, base, sentence, .. } = fault;
        let _ = writeln!(text, "| {name} | {base} | {sentence} | {} | {} |", changes.join(", "), rules.join(", then "));
    }
    text
}

/// Rules with findings about a pair.
fn found(session: &Session) -> BTreeSet<String> {
    let remarks = check(session, &SourceOptions::default());
    let findings = remarks.iter().filter(|remark| remark.grade == Grade::Finding);
    findings.map(|remark| remark.rule.to_owned()).collect()
}

#[test]
fn each_broken_pair_has_the_fault_that_is_listed_and_no_other() {
    let faults = faults();
    assert!(faults.len() >= 20);
    let readme = readme(faults);
    let path = repository("assets/broken/README.md");
    if std::env::var_os("BROKEN_UPDATE").is_some() {
        for (path, bytes) in faults.iter().flat_map(files) {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        std::fs::write(&path, &readme).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), readme, "README.md: BROKEN_UPDATE=1 makes it again");
    let mut wrong = Vec::new();
    for fault in faults {
        let files = files(fault);
        for (path, bytes) in &files {
            assert_eq!(&std::fs::read(path).unwrap(), bytes, "{}", path.display());
        }
        let session = Session::open(&files.into_iter().map(|(path, _)| path).collect::<Vec<_>>()).unwrap();
        let (found, listed) = (found(&session), fault.rules.iter().cloned().collect::<BTreeSet<_>>());
        if found != listed {
            wrong.push(format!("{}: found {found:?}, listed {listed:?}", fault.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_samples_that_they_are_made_of_have_no_fault() {
    let bases: BTreeSet<String> = faults().iter().map(|fault| fault.base.clone()).collect();
    for sample in all_samples().into_iter().filter(|sample| bases.contains(&sample.name)) {
        let session = Session::open(std::slice::from_ref(&sample.image)).unwrap();
        assert_eq!(found(&session), BTreeSet::new(), "{}", sample.name);
    }
}

/// Findings name the structure, its owner and what would be right, once each.
#[test]
fn a_finding_names_the_page_its_owner_and_the_values_that_are_valid() {
    for (name, said) in [
        (
            "free-page-map-lies",
            "page 13 belongs to stream 11, and bit 13 of FPM1, the active free page map, is 1 (free): it must be 0",
        ),
        ("page-out-of-file", "page 0 of stream 12 is number 200, and the file has the pages 0 to 34"),
        (
            "cut-directory",
            "the directory size of 128 bytes in the superblock leaves room for 15 of 19 page numbers: it must be 144",
        ),
        (
            "bad-constant",
            "type code of a constant (after its custom modifiers, 0x1f and 0x20) is 0, expected 0x02 to 0x0e, 0x11, 0x12 or 0x1c",
        ),
    ] {
        let file = if name == "bad-constant" { "Workshop" } else { "Ticker" };
        let folder = repository("assets/broken").join(name);
        let files = ["dll", "pdb"].map(|extension| folder.join(format!("{file}.{extension}")));
        let session = Session::open(&files).unwrap();
        let remarks = check(&session, &SourceOptions::default());
        let findings: Vec<_> = remarks.iter().filter(|remark| remark.grade == Grade::Finding).collect();
        let sentences: Vec<&str> = findings.iter().map(|remark| remark.sentence.as_str()).collect();
        assert_eq!(sentences, [said], "{name}");
    }
}

#[test]
fn each_finding_leads_to_the_record_at_fault() {
    for fault in faults() {
        let folder = repository("assets/broken").join(&fault.name);
        let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let session = Session::open(&files).unwrap();
        let remarks = check(&session, &SourceOptions::default());
        for remark in remarks.iter().filter(|remark| remark.grade == Grade::Finding) {
            let place = remark.place.map(|place| place.to_string()).unwrap_or_default();
            assert!(
                !matches!(place.as_str(), "methods" | "streams"),
                "{}: {} is at {place}",
                fault.name,
                remark.sentence
            );
        }
    }
}
