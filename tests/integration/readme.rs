//! Promises of the README and of docs/: every `console` block is run and compared with its output; links lead to files.

use std::path::{Path, PathBuf};
use std::process::Command;

/// README.md and the Markdown files of docs/, with their paths.
fn documentation() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|ext| ext == "md")).collect();
    files.push(root.join("README.md"));
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_example_in_the_documentation_prints_its_output() {
    let mut run = 0;
    for (path, text) in documentation() {
        for block in text.split("```console\n").skip(1) {
            let block = block.split("```").next().unwrap();
            for example in block.split("$ pdblens").skip(1) {
                let (line, wanted) = example.split_once('\n').unwrap();
                let output = Command::new(env!("CARGO_BIN_EXE_pdblens"))
                    .args(line.split_whitespace())
                    .current_dir(env!("CARGO_MANIFEST_DIR"))
                    .output()
                    .unwrap();
                let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
                let outcome = matched(wanted.trim_end(), printed.trim_end());
                assert_eq!(outcome, Ok(()), "{}: $ pdblens{line}\n{printed}", path.display());
                run += 1;
            }
        }
    }
    assert!(run >= 16, "only {run} examples were found");
}

#[test]
fn links_of_the_documentation_lead_to_files() {
    let mut followed = 0;
    for (path, text) in documentation() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.starts_with('#') {
                continue;
            }
            let target = path.parent().unwrap().join(link.split('#').next().unwrap());
            assert!(target.exists(), "{} has a link to {link}, which does not exist", path.display());
            followed += 1;
        }
    }
    assert!(followed >= 20, "only {followed} links were found");
}

/// Returns whether the output is the expected one; a line `…` stands for any lines that are left out.
fn matched(wanted: &str, printed: &str) -> Result<(), String> {
    let mut lines = printed.lines();
    let mut skipping = false;
    for want in wanted.lines() {
        if want.trim() == "…" {
            skipping = true;
            continue;
        }
        let found =
            if skipping { lines.by_ref().find(|line| line.trim_end() == want.trim_end()) } else { lines.next() };
        if found.map(str::trim_end) != Some(want.trim_end()) {
            return Err(format!("wanted {want:?}, found {found:?}"));
        }
        skipping = false;
    }
    match lines.next() {
        Some(more) if !skipping => Err(format!("more than was promised: {more:?}")),
        _ => Ok(()),
    }
}

/// Every file below a folder, with its path and text; what is no text is left out.
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            found.push((path, text));
        }
    }
}

#[test]
fn every_comparison_is_a_test_or_a_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(root.join("docs/truth.md")).unwrap();
    // The second table is printed by the command above it.
    let (table, _) = table.split_once("## Over any folder").unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let mut tests = Vec::new();
    sources(&root.join("tests/integration"), &mut tests);
    let is_test = |name: &str| {
        let name = name.trim_end_matches("::");
        tests.iter().any(|(path, text)| {
            path.components().any(|step| Path::new(step.as_os_str()).file_stem().is_some_and(|stem| stem == name))
                || text.lines().any(|line| line.trim_start().starts_with("fn ") && line.contains(name))
        })
    };
    for row in &rows {
        let by = row.trim_end_matches('|').rsplit('|').next().unwrap().trim();
        let quoted: Vec<&str> = by.split('`').skip(1).step_by(2).collect();
        assert!(by == "the same" || !quoted.is_empty(), "{row}");
        for name in quoted {
            let command = name.split_whitespace().next().unwrap();
            let is_command = ["llvm-pdbutil", "check"].contains(&command) || root.join(command).is_file();
            assert!(is_command || by.starts_with("test") && is_test(name), "{name}: {row}");
        }
    }
    assert!(rows.len() > 15, "{}", rows.len());
}

/// Paths of the repository that a text names, without those that stand for a new file (`NAME.rs`).
fn named_paths(text: &str) -> Vec<&str> {
    let folders = ["src/", "crates/", "tests/", "assets/", "benches/", "docs/", "examples/", "fuzz/", "scripts/"];
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    text.split(|c| !is_path(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| folders.iter().any(|folder| word.starts_with(folder) && word.len() > folder.len()))
        .filter(|word| !word.contains("NAME") && !word.contains("TARGET"))
        .collect()
}

#[test]
fn paths_in_the_documents_of_contributors_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (document, least) in [("CONTRIBUTING.md", 20), ("docs/architecture.md", 100)] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let paths = named_paths(&text);
        assert!(paths.len() >= least, "only {} paths were found in {document}", paths.len());
        for path in paths {
            // `fuzz/target` is made by a build.
            assert!(
                root.join(path).exists() || path == "fuzz/target" || path == "fuzz/artifacts/question",
                "{document} names {path}, which does not exist"
            );
        }
    }
    assert_eq!(named_paths("in `src/cli/NAME.rs`, src/main.rs. and (docs/keys.md)"), ["src/main.rs", "docs/keys.md"]);
}
