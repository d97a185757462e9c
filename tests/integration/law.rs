//! The law of the house, read out of `src/`: who may import whom.
//!
//! ```text
//! bytes ← formats ← model ← { cli | tui } ← main
//! ```

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of `src/`, and what must not be named anywhere in it.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("bytes", &["crate::formats", "crate::nodes", "crate::cli", "crate::tui"]),
    ("formats", &["crate::nodes", "crate::cli", "crate::tui", "std::fs", "std::env"]),
    ("nodes", &["crate::cli", "crate::tui"]),
    ("query", &["crate::cli", "crate::tui"]),
    ("cli", &["crate::formats"]),
    ("tui", &["crate::formats", "crate::cli"]),
];

/// A crate, and the only places of `src/` that may use it.
const CONFINED: &[(&str, &[&str])] = &[
    ("ratatui::", &["tui"]),
    ("crossterm::", &["tui"]),
    ("clap::", &["cli"]),
    ("object::", &["formats"]),
    ("pdb::", &["formats"]),
    ("flate2::", &["formats"]),
    ("syntect::", &["tui"]),
    ("two_face::", &["tui"]),
    ("ureq::", &["store"]),
];

#[test]
fn arrows_point_one_way() {
    let mut broken = Vec::new();
    for (path, text) in sources() {
        let folder = top(&path);
        for (from, words) in FORBIDDEN.iter().filter(|(from, _)| *from == folder) {
            broken.extend(
                words
                    .iter()
                    .filter(|word| text.contains(**word))
                    .map(|word| format!("{}: {from} names {word}", path.display())),
            );
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn crates_stay_where_they_belong() {
    let mut broken = Vec::new();
    for (path, text) in sources() {
        for (name, homes) in CONFINED {
            // `super::pdb::` and the like are modules of ours.
            let used = text
                .match_indices(name)
                .any(|(at, _)| !text[..at].ends_with([':', '_']) && !text[..at].ends_with(char::is_alphanumeric));
            if used && !homes.contains(&top(&path).as_str()) {
                broken.push(format!("{} uses {name}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Every Rust file of `src/`, without its comments and its tests.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 50, "only {} files were found", found.len());
    found
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.push((path.clone(), code.collect::<Vec<_>>().join("\n")));
        }
    }
}

/// The folder (or file) directly under `src/`.
fn top(path: &Path) -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let first = path.strip_prefix(src).unwrap().components().next().unwrap();
    Path::new(first.as_os_str()).file_stem().unwrap().to_string_lossy().into_owned()
}
