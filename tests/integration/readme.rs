//! Promises of the README: every `console` block is run and compared with its output.

use std::process::Command;

#[test]
fn every_readme_example_prints_its_output() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let mut run = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for example in block.split("$ pdblens").skip(1) {
            let (line, wanted) = example.split_once('\n').unwrap();
            let output = Command::new(env!("CARGO_BIN_EXE_pdblens"))
                .args(line.split_whitespace())
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .output()
                .unwrap();
            let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            assert_eq!(matched(wanted.trim_end(), printed.trim_end()), Ok(()), "$ pdblens{line}\n{printed}");
            run += 1;
        }
    }
    assert!(run >= 8, "only {run} examples were found");
}

#[test]
fn the_readme_key_table_matches_the_program() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let keys = pdblens::tui::core::keymap::markdown();
    assert!(keys.lines().count() > 20);
    assert!(readme.contains(&keys), "README.md wants this table of keys:\n{keys}");
}

/// Whether what was printed is what is wanted; a line `…` stands for any lines that are left out.
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
