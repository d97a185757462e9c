//! The gallery of broken files, `assets/broken`: pairs with one fault each, which `check` finds and names.
//!
//! `crates/learn/assets/faults.json` has the faults: the sample that each pair is made of, and the fields that are changed. The pairs and the table in
//! README.md are made from it; `BROKEN_UPDATE=1 cargo test --test integration broken` writes them again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use pdblens::bytes::Span;
use pdblens::nodes;
use pdblens::query::check::{Grade, check};
use pdblens::session::Session;
use pdblens::source::SourceOptions;
use pdblens::store::digest::Algorithm;
use serde::Deserialize;

use crate::support::samples::{all_samples, repository};

/// A pair with one fault.
#[allow(clippy::struct_field_names, reason = "they are the members of the JSON")]
#[derive(Deserialize)]
struct Fault {
    /// Folder under `assets/broken`.
    name: String,
    /// Sample that the pair is made of.
    base: String,
    /// The fault, in one sentence.
    fault: String,
    /// Rule that finds it, and rules that find its consequences.
    rules: Vec<String>,
    edits: Vec<Edit>,
    /// False if the image keeps the checksum of the PDB as it was.
    #[serde(default = "yes")]
    reseal: bool,
}

const fn yes() -> bool {
    true
}

/// A field with other bytes.
#[derive(Deserialize)]
struct Edit {
    file: Side,
    place: String,
    field: String,
    /// Position among the fields with that name, from 0.
    #[serde(default)]
    nth: usize,
    /// Its bytes, in hexadecimal.
    bytes: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Side {
    Image,
    Pdb,
}

/// A made pair, and what was changed: file, offset, bytes before and after.
struct Made {
    files: [(PathBuf, Vec<u8>); 2],
    changes: Vec<String>,
}

fn faults() -> Vec<Fault> {
    let text = std::fs::read_to_string(repository("crates/learn/assets/faults.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn hex(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks(2)
        .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
        .collect()
}

fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Offset in the file of a field.
fn offset(session: &Session, edit: &Edit) -> Span {
    let fields = nodes::fields(session, edit.place.parse().unwrap()).unwrap_or_else(|| panic!("{}", edit.place));
    let mut named = fields.rows.iter().filter(|row| !row.group && row.name == edit.field);
    let row = named.nth(edit.nth).unwrap_or_else(|| panic!("{} {} {:#?}", edit.place, edit.field, fields.rows));
    let pieces = session.spaces().resolve(row.span);
    assert_eq!(pieces.len(), 1, "{} {} lies on several pages", edit.place, edit.field);
    pieces[0].span
}

fn make(fault: &Fault) -> Made {
    let base = all_samples().into_iter().find(|sample| sample.name == fault.base).unwrap();
    let paths = [base.image.clone(), base.symbols.clone().unwrap()];
    let mut bytes = paths.clone().map(|path| std::fs::read(path).unwrap());
    let session = Session::open(std::slice::from_ref(&base.image)).unwrap();
    let mut changes = Vec::new();
    for edit in &fault.edits {
        let (at, new) = (offset(&session, edit), hex(&edit.bytes));
        let side = usize::from(edit.file == Side::Pdb);
        let range = at.start as usize..at.end() as usize;
        let name = paths[side].file_name().unwrap().display();
        assert_eq!(range.len(), new.len(), "{} {}", fault.name, edit.field);
        let old = spaced(&bytes[side][range.clone()]);
        changes.push(format!("`{name}` {:#x}: `{old}` → `{}`", at.start, spaced(&new)));
        bytes[side][range].copy_from_slice(&new);
    }
    if fault.reseal {
        reseal(&session, &mut bytes);
    }
    let [image, pdb] = bytes;
    let named = |path: &Path| repository("assets/broken").join(&fault.name).join(path.file_name().unwrap());
    Made { files: [(named(&paths[0]), image), (named(&paths[1]), pdb)], changes }
}

/// Writes the checksum of the changed PDB into the image that has one: the PDB with zeros in the place of its id.
fn reseal(session: &Session, [image, pdb]: &mut [Vec<u8>; 2]) {
    let place = "pe/debug/1".parse().unwrap();
    let Some(fields) =
        nodes::fields(session, place).filter(|fields| fields.rows.iter().any(|row| row.name == "checksum"))
    else {
        return;
    };
    let checksum = fields.rows.iter().find(|row| row.name == "checksum").unwrap().span;
    let id = nodes::fields(session, "pdb/metadata/pdb".parse().unwrap()).unwrap();
    let id = id.rows.iter().find(|row| row.name == "GUID").unwrap().span.start as usize;
    let id =
        session.spaces().resolve(Span::new(session.symbol_file().unwrap().space, id as u64, 20))[0].span.start as usize;
    let mut zeroed = pdb.clone();
    zeroed[id..id + 20].fill(0);
    let digest = Algorithm::Sha256.digest([&zeroed]);
    image[checksum.start as usize..checksum.end() as usize].copy_from_slice(&digest);
}

fn readme(faults: &[Fault], made: &[Made]) -> String {
    let mut text = "# Broken files\n\n\
        Each of these pairs has one fault. They serve as exercises (\"find the fault\"), as tests of `pdblens check`, and as a conformance set\n\
        for authors of readers. Each pair is a sample with the changes listed under *bytes*; if the image has a checksum of its PDB, it is\n\
        updated, so that it is not a second fault. *rule* is the rule of `check` that finds the fault. `crates/learn/assets/faults.json` has the same data for\n\
        programs; `BROKEN_UPDATE=1 cargo test --test integration broken` makes the files and this table from it.\n\n\
        | pair | sample | fault | bytes | rule |\n|--|--|--|--|--|\n"
        .to_owned();
    for (fault, made) in faults.iter().zip(made) {
        let changes = made.changes.join(", ");
        let rules: Vec<String> = fault.rules.iter().map(|rule| format!("`{rule}`")).collect();
        let Fault { name, base, fault, .. } = fault;
        let _ = writeln!(text, "| {name} | {base} | {fault} | {changes} | {} |", rules.join(", then "));
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
    let made: Vec<Made> = faults.iter().map(make).collect();
    let readme = readme(&faults, &made);
    let path = repository("assets/broken/README.md");
    if std::env::var_os("BROKEN_UPDATE").is_some() {
        for (path, bytes) in made.iter().flat_map(|made| &made.files) {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        std::fs::write(&path, &readme).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), readme, "README.md: BROKEN_UPDATE=1 makes it again");
    let mut wrong = Vec::new();
    for (fault, made) in faults.iter().zip(&made) {
        for (path, bytes) in &made.files {
            assert_eq!(&std::fs::read(path).unwrap(), bytes, "{}", path.display());
        }
        let session = Session::open(&made.files.clone().map(|(path, _)| path)).unwrap();
        let (found, listed) = (found(&session), fault.rules.iter().cloned().collect::<BTreeSet<_>>());
        if found != listed {
            wrong.push(format!("{}: found {found:?}, listed {listed:?}", fault.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_samples_that_they_are_made_of_have_no_fault() {
    let bases: BTreeSet<String> = faults().into_iter().map(|fault| fault.base).collect();
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
