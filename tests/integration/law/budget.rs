//! Lines that each crate may have.
//!
//! `crates/budget.txt` has a crate and its lines in each row: lines of Rust, without files and modules that only tests have, comments included. A
//! budget is raised in a commit that says why. Code that became shorter lowers it: `BUDGET_UPDATE=1 cargo test --test integration budget`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::SRC;
use super::source::{CRATES, Source};

/// Lines a crate may stay below its budget before the budget has to follow.
const MAX_SLACK: usize = 200;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crates/budget.txt")
}

/// Lines of a file that are not those of an item that only tests have.
fn lines(source: &Source) -> usize {
    source.text.lines().count() - source.test_lines()
}

/// Lines of each crate; those of `src/` under `src`.
fn measured() -> BTreeMap<&'static str, usize> {
    let of = |name: &str| {
        let files = SRC.files.iter().filter(|file| match name {
            "src" => file.root().is_empty(),
            name => file.root() == [name],
        });
        files.map(lines).sum()
    };
    CRATES.iter().chain(&["src"]).map(|name| (*name, of(name))).collect()
}

fn parse(text: &str) -> BTreeMap<&str, usize> {
    let row = |line| {
        let (name, number) = str::split_once(line, ' ').unwrap_or_else(|| panic!("no crate and lines: {line}"));
        (name, number.parse().unwrap_or_else(|_| panic!("no number: {line}")))
    };
    text.lines().filter(|line| !line.is_empty()).map(row).collect()
}

#[test]
fn crates_keep_their_budget() {
    let measured = measured();
    if std::env::var_os("BUDGET_UPDATE").is_some() {
        let rows: Vec<String> = measured.iter().map(|(name, number)| format!("{name} {number}")).collect();
        std::fs::write(path(), rows.join("\n") + "\n").unwrap();
        return;
    }
    let text = std::fs::read_to_string(path()).unwrap();
    let budget = parse(&text);
    assert_eq!(budget.keys().collect::<Vec<_>>(), measured.keys().collect::<Vec<_>>(), "a row for each crate");
    for (name, number) in measured {
        let allowed = budget[name];
        assert!(number <= allowed, "{name} has {number} lines, its budget in crates/budget.txt is {allowed}");
        let is_near = number + MAX_SLACK >= allowed;
        assert!(is_near, "{name} has {number} lines: lower its budget of {allowed} (BUDGET_UPDATE=1)");
    }
}

#[test]
fn tests_are_not_counted() {
    let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    // b\n}\nfn c() {}\n";
    assert_eq!(lines(&Source::new("src/x.rs", text.to_owned())), 3);
}
