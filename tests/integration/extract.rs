//! `extract`: what is inside files, written to a folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::folder::Folder;
use crate::support::samples::repository;

fn extract(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.arg("extract").args(args).arg("-o").arg(folder).output().unwrap()
}

fn sample(path: &str) -> String {
    repository("assets/samples").join(path).display().to_string()
}

/// Paths of all files below a folder, and their number of bytes.
fn files(folder: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().map(Result::unwrap) {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                let path = entry.path().strip_prefix(folder).unwrap().display().to_string().replace('\\', "/");
                found.push((path, entry.metadata().unwrap().len()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn everything_inside_a_pair_is_written() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let image = sample("workshop-embedded/Workshop.dll");
    let done = extract(&out, &[&image]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let names: Vec<String> = files(&out).into_iter().map(|(name, _)| name).collect();
    assert!(
        names.contains(&"Workshop.pdb".to_owned()) && names.contains(&"Workshop.sourcelink.json".to_owned()),
        "{names:?}"
    );
    assert!(names.iter().any(|name| name.starts_with("sources/")), "{names:?}");
    assert!(fs::read(out.join("Workshop.pdb")).unwrap().starts_with(b"BSJB"));
    // The PDB is the one that the image names.
    let check =
        Command::new(env!("CARGO_BIN_EXE_pdblens")).args(["info", &image]).arg(out.join("Workshop.pdb")).output();
    assert!(String::from_utf8_lossy(&check.unwrap().stdout).contains("matches"), "{names:?}");
    // Once more: the same bytes are no reason to fail, other bytes are one.
    assert_eq!(extract(&out, &[&image, "--only", "sources"]).status.code(), Some(0));
    fs::write(out.join("Workshop.pdb"), b"other").unwrap();
    let refused = extract(&out, &[&image, "--only", "pdb"]);
    assert_eq!(
        (refused.status.code(), fs::read(out.join("Workshop.pdb")).unwrap().as_slice()),
        (Some(1), &b"other"[..])
    );
    assert_eq!(extract(&out, &[&image, "--only", "pdb", "--force"]).status.code(), Some(0));
}

#[test]
fn parts_and_streams_are_chosen() {
    let folder = Folder::new();
    let out = folder.path().join("one");
    extract(&out, &[&sample("workshop-embedded/Workshop.dll"), "--only", "source-link"]);
    assert_eq!(files(&out).len(), 1);
    let out = folder.path().join("two");
    extract(&out, &[&sample("native/tally.pdb"), "--stream", "1"]);
    let pdb = pdblens::session::Session::open(&[sample("native/tally.pdb").into()]).unwrap();
    let span = pdblens::nodes::bytes(&pdb, pdblens::nodes::Place::Stream(1)).unwrap();
    assert_eq!(files(&out), [("tally.stream-1.bin".to_owned(), span.len)]);
    let none = extract(&folder.path().join("three"), &[&sample("ticker-windows/Ticker.dll")]);
    assert!(String::from_utf8_lossy(&none.stdout).contains("nothing to extract"));
}
