//! Two native builds compared: functions, types, public symbols, modules with their flags, bytes.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::diff::with_a_byte_more;
use crate::support::samples::repository;
use pdblens::nodes::Place;
use pdblens::nodes::code_unit::{self, CodeUnit};
use pdblens::nodes::resolve::functions_named;
use pdblens::query::diff::{Change, ChangeKind, Diff, Subject, bytes, diff};
use pdblens::session::Session;

fn open(name: &str) -> Session {
    let folder = repository("assets/samples").join(name);
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    Session::open(&files).unwrap()
}

fn of(diff: &Diff, subject: Subject, how: ChangeKind) -> Vec<&Change> {
    diff.changes.iter().filter(|change| (change.subject, change.how) == (subject, how)).collect()
}

#[test]
fn a_native_build_equals_itself() {
    for name in ["parcel", "parcel-optimized", "sorter"] {
        let found = diff(&open(name), &open(name));
        assert!(found.changes.is_empty() && found.is_identical, "{name}: {found:#?}");
        // Another byte after the image has its records compared.
        let (a, b) = (open(name), with_a_byte_more(&open(name)));
        let found = diff(&a, &b);
        assert_eq!(found.changes, [], "{name}");
        assert!(found.same_native > 20, "{name}: {}", found.same_native);
        assert_eq!(bytes(&a, &b, false).differing(), 1, "{name}");
    }
}

#[test]
fn an_optimised_build_has_other_functions_and_flags_and_the_same_types() {
    let found = diff(&open("parcel"), &open("parcel-optimized"));
    let changed = of(&found, Subject::Function, ChangeKind::Changed);
    let weigh = changed.iter().find(|change| change.name == "parcel::weigh").unwrap();
    for what in ["bytes ", "lines ", "inlined calls 0 → ", "machine code differs"] {
        assert!(weigh.details.iter().any(|detail| detail.starts_with(what)), "{what}: {:?}", weigh.details);
    }
    assert!(matches!((weigh.before, weigh.after), (Some(Place::Function(_)), Some(Place::Function(_)))));
    // Small functions are inlined everywhere, and dropped.
    assert!(of(&found, Subject::Function, ChangeKind::Removed).len() > 5);
    assert!(of(&found, Subject::Public, ChangeKind::Removed).len() > 5);
    assert_eq!(of(&found, Subject::Type, ChangeKind::Changed), Vec::<&Change>::new());
    let modules = of(&found, Subject::Module, ChangeKind::Changed);
    let linker = modules.iter().find(|change| change.name == "* Linker *").unwrap();
    assert!(linker.details.iter().any(|detail| detail.starts_with("cmd ")), "{:?}", linker.details);
}

#[test]
fn another_processor_changes_the_size_of_types() {
    let found = diff(&open("parcel"), &open("parcel-x86"));
    let changed = of(&found, Subject::Type, ChangeKind::Changed);
    let label = changed.iter().find(|change| change.name.ends_with(" parcel::Label")).unwrap();
    assert!(label.details.iter().any(|detail| detail.starts_with("size 24 → ")), "{:?}", label.details);
    assert!(label.details.iter().any(|detail| detail.starts_with("member ")), "{:?}", label.details);
}

#[test]
fn each_byte_of_a_native_pdb_that_differs_has_an_owner() {
    let found = bytes(&open("parcel"), &open("parcel"), true);
    assert!(found.is_identical() && found.runs.is_empty());
    let found = bytes(&open("parcel-optimized"), &open("parcel-arm64"), true);
    assert!(found.differing() > 1000 && !found.runs.is_empty());
    let owned = found.runs.iter().filter(|run| run.file.contains(".pdb") && run.place != Place::Overview);
    assert!(owned.count() > 20);
    // One byte of the PDB's GUID: the info stream has it.
    let folder = repository("assets/samples/parcel");
    let [image, pdb] = ["parcel.exe", "parcel.pdb"].map(|name| std::fs::read(folder.join(name)).unwrap());
    let session = |pdb: Vec<u8>| {
        Session::from_bytes(vec![("parcel.exe".into(), image.clone()), ("parcel.pdb".into(), pdb)]).unwrap()
    };
    let before = session(pdb.clone());
    let guid = before.windows_pdb().unwrap().info.guid.span;
    let at = before.spaces().resolve(guid)[0].span.start as usize;
    let mut other = pdb;
    other[at] ^= 1;
    let found = bytes(&before, &session(other), true);
    let [run] = found.runs.as_slice() else { panic!("{:?}", found.runs) };
    assert_eq!((run.span.len, run.field.as_str()), (1, "guid"), "{run:?}");
}

#[test]
fn functions_that_only_moved_are_listed_by_document() {
    let folder = repository("assets/samples/parcel");
    let [image, pdb] = ["parcel.exe", "parcel.pdb"].map(|name| std::fs::read(folder.join(name)).unwrap());
    let session = |pdb: Vec<u8>| {
        Session::from_bytes(vec![("parcel.exe".into(), image.clone()), ("parcel.pdb".into(), pdb)]).unwrap()
    };
    let before = session(pdb.clone());
    let weigh = CodeUnit::Function(functions_named(&before, "parcel::weigh")[0]);
    // A line record has an offset, and a line number in 24 bits.
    let (mut other, mut document) = (pdb, 0);
    let _ = code_unit::each_point(&before, weigh, &mut |point| {
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let is_record =
            |bytes: &[u8]| (number(&bytes[..4]), number(&bytes[4..]) & 0xff_ffff) == (point.offset, point.start_line);
        let at = other.windows(8).position(is_record).unwrap();
        let line = number(&other[at + 4..at + 8]) + 3;
        other[at + 4..at + 8].copy_from_slice(&line.to_le_bytes());
        document = point.document;
        ControlFlow::Continue(())
    });
    let found = diff(&before, &session(other));
    let moved = of(&found, Subject::Function, ChangeKind::Moved);
    assert_eq!(found.moved_by_document(Subject::Function), [(Place::Document(document), moved.clone())]);
    assert_eq!((moved.len(), moved[0].moved.unwrap().by), (1, 3), "{:#?}", found.changes);
}
