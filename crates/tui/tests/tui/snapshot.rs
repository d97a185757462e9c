//! Screens as they were approved: `crates/tui/tests/tui/snapshots/NAME.snap`, text of one theme.
//!
//! A screen that differs is printed row by row, before and now. `INSTA_UPDATE=always cargo test --test tui` accepts
//! everything, `cargo insta review` one after the other.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Limits of the folder: more than a reviewer reads is accepted unread.
const MAX_SNAPSHOTS: usize = 46;
const MAX_LINES: usize = 6000;

/// Differing rows of a snapshot that are printed.
const MAX_ROWS: usize = 30;

/// Joins screens, each under its title, without the tabs and the hints: a view or a key more is in their own tests, and not on every picture.
pub(crate) fn sections(screens: &[(String, String)]) -> String {
    screens.iter().fold(String::new(), |mut out, (title, text)| {
        let rows: Vec<&str> = text.lines().collect();
        let shown = rows.get(1..rows.len().saturating_sub(1)).unwrap_or_default().join("\n");
        let _ = writeln!(out, "── {title}\n{}", shown.trim_end());
        out
    })
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tui/snapshots")
}

/// A text with one name for all folders of tests, which have the number of the process in theirs. The folders that were searched end a
/// screen: how many rows they take depends on where the repository is, so that they are left out.
fn with_named_folders(text: &str) -> String {
    let mut is_left_out = false;
    let mut kept = String::new();
    for line in text.lines() {
        is_left_out = !line.starts_with("── ") && (is_left_out || line.starts_with(" Searched "));
        if !is_left_out {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let text = kept;
    let start = std::env::temp_dir().join("pdblens-test-").display().to_string();
    let mut parts = text.split(start.as_str());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "/FOLDER" + part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-'))
}

/// Holds a text against the snapshot of that name.
#[track_caller]
pub(crate) fn assert_snapshot(name: &str, text: &str) {
    let text = &*with_named_folders(text);
    let path = folder().join(format!("{name}.snap"));
    let before = fs::read_to_string(&path).unwrap_or_default();
    // The snapshot begins with a header between two rules.
    let before = before.splitn(3, "---\n").nth(2).unwrap_or_default();
    if before.trim_end() != text.trim_end() {
        eprintln!("{}", differences(name, before.trim_end(), text.trim_end()));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The rows that differ, for a reader: section, row, both texts, and a mark below what is not the same.
fn differences(name: &str, before: &str, now: &str) -> String {
    let (before, now): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    let (mut section, mut first, mut count) = ("", 0, 0);
    let mut out = String::new();
    for index in 0..before.len().max(now.len()) {
        let [old, new] = [&before, &now].map(|lines| lines.get(index).copied());
        if let Some(title) = new.and_then(|line| line.strip_prefix("── ")) {
            (section, first) = (title, index + 1);
        }
        if old == new {
            continue;
        }
        count += 1;
        if count <= MAX_ROWS {
            let [old, new] = [old, new].map(|line| line.unwrap_or("(no such row)"));
            let _ =
                writeln!(out, "{section} row {}\n  before │{old}\n  now    │{new}", (index + 1).saturating_sub(first));
            let _ = writeln!(out, "         │{}", marks(old, new));
        }
    }
    let more = if count > MAX_ROWS { format!("and {} rows more\n", count - MAX_ROWS) } else { String::new() };
    format!(
        "{name}.snap: {count} rows differ\n{out}{more}accept them: INSTA_UPDATE=always cargo test --test tui\n\
         or one by one: cargo insta review"
    )
}

/// `^` below each character from the first to the last that is another.
fn marks(old: &str, new: &str) -> String {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(|(a, b)| a == b).count();
    format!("{}{}", " ".repeat(same), "^".repeat((old.len().max(new.len()) - same - rest).max(1)))
}

#[test]
fn snapshots_are_few_and_short() {
    let files: Vec<_> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let lines: usize = files.iter().map(|path| fs::read_to_string(path).unwrap().lines().count()).sum();
    assert!(files.len() <= MAX_SNAPSHOTS, "{} snapshots, at most {MAX_SNAPSHOTS}", files.len());
    assert!(lines <= MAX_LINES, "{lines} lines in snapshots, at most {MAX_LINES}");
}

#[test]
fn a_difference_is_printed_row_by_row() {
    let before = "Methods\n── 80x24\none\ntwo 2 rows\nthree";
    let now = "Methods\n── 80x24\none\ntwo 22 rows\nthree\nfour";
    let seen = differences("x", before, now);
    assert!(
        seen.starts_with(
            "x.snap: 2 rows differ\n80x24 row 2\n  before │two 2 rows\n  now    │two 22 rows\n         │     ^\n"
        ),
        "{seen}"
    );
    assert!(seen.contains("80x24 row 4\n  before │(no such row)\n  now    │four\n"), "{seen}");
    assert!(seen.contains("INSTA_UPDATE=always cargo test --test tui"), "{seen}");
    // A long wall is cut.
    let many = "a\n".repeat(100);
    assert!(differences("x", &many, &many.replace('a', "b")).contains("and 70 rows more"));
}
