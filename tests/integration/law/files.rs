//! Only one file of the program and its crates makes files.

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
