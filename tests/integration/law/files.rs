//! Only one file of the program and its crates makes files.

use std::path::{Path, PathBuf};

use super::SRC;

const WRITER: &str = "crates/session/src/store/new_file.rs";
const CREATES: &[&str] = &[
    "fs::write",
    "File::create",
    "OpenOptions",
    "fs::copy",
    "fs::rename",
    "create_dir",
    "hard_link",
    "os::unix::fs::symlink",
];

#[test]
fn only_the_writer_makes_files() {
    let mut found = Vec::new();
    for source in SRC.files.iter().filter(|source| source.path != WRITER) {
        for name in CREATES {
            let whole = |at: &usize| !source.code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if let Some(at) = source.code.match_indices(name).map(|(at, _)| at).find(whole) {
                found.push(format!("{}:{}: {name}", source.path, source.line(at)));
            }
        }
    }
    assert!(found.is_empty(), "files are made by {WRITER} alone:\n{}", found.join("\n"));
}

/// Files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[test]
fn samples_that_a_crate_includes_are_those_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compared = 0;
    for folder in ["session/assets/samples", "session/assets/sources", "learn/assets/samples"] {
        let assets = root.join("crates").join(folder).parent().unwrap().to_owned();
        for copy in files_below(&root.join("crates").join(folder)) {
            let original = root.join("assets").join(copy.strip_prefix(&assets).unwrap());
            let same = std::fs::read(&copy).unwrap() == std::fs::read(&original).unwrap();
            assert!(same, "{} differs from {}: copy it again", copy.display(), original.display());
            compared += 1;
        }
    }
    assert_eq!(compared, 13);
}
