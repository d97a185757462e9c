//! Imports that no `Cargo.toml` forbids: modules of one crate that must not know each other.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::SRC;
use super::allow::{Finding, assert_kept, by_key};
use super::modules::{Import, Modules, words};

/// Modules, and what they must not import. A module is a file or a folder.
const STRANGERS: &[(&[&str], &[&str], &str)] = &[
    (&["tui::ui"], &["tui::app", "tui::panes", "tui::overlays"], "widgets know no app"),
    (&["tui::engine"], &["tui::app", "tui::panes", "tui::overlays"], "jobs know no app"),
    (&["tui::panes"], &["tui::app", "tui::overlays"], "panes are wired by the app"),
];

/// Modules that open no files; `formats::bytes` has the reader of a file that a caller opened.
const READERS: &[&str] = &["formats", "machine", "session::text"];

/// The only file that may list who implements its trait.
const LISTS_ITS_IMPLEMENTERS: &[&str] = &["crates/nodes/src/lib.rs"];

/// Each import between files: from which, to which crate or folder of `src/`, and how it reads.
fn across(modules: &Modules) -> Vec<(&Import, &str, &str, String)> {
    static IMPORTS: LazyLock<Vec<Import>> = LazyLock::new(|| SRC.imports());
    let tops: BTreeSet<&str> =
        modules.files.iter().filter_map(|file| file.module.first()).map(String::as_str).collect();
    let arrow = |import: &'static Import| {
        let from = modules.files[import.from].path.as_str();
        let to = import.path.first()?.as_str();
        tops.contains(to).then(|| (import, from, to, format!("line {}: {}", import.line, import.path.join("::"))))
    };
    IMPORTS.iter().filter_map(arrow).collect()
}

#[test]
fn readers_do_no_io() {
    let mut found = Vec::new();
    for file in
        SRC.files.iter().filter(|file| is_in(&file.module, READERS) && !is_in(&file.module, &["formats::bytes"]))
    {
        for name in ["std::fs", "std::env", "std::net", "std::process"] {
            found.extend(
                words(&file.code, name)
                    .map(|(at, _)| (format!("{}>{name}", file.path), format!("line {}", file.line(at)))),
            );
        }
    }
    assert_kept("io", "formats and text read bytes and open no files", &by_key(found));
}

#[test]
fn the_engine_alone_knows_terminal_threads_and_signals() {
    let mut found = Vec::new();
    for file in SRC.files.iter().filter(|file| is_in(&file.module, &["tui"]) && !is_in(&file.module, &["tui::engine"]))
    {
        for name in ["crossterm", "signal_hook", "rustix", "std::thread", "std::process"] {
            found.extend(
                words(&file.code, name)
                    .map(|(at, _)| (format!("{}>{name}", file.path), format!("line {}", file.line(at)))),
            );
        }
    }
    assert_kept("terminal", "only tui/engine knows the terminal: the same screens run in a page", &by_key(found));
}

/// Returns whether a module, `a::b`, is one of these or inside of it.
fn is_in(module: &[String], places: &[&str]) -> bool {
    let name = module.join("::");
    places.iter().any(|place| name == *place || name.strip_prefix(place).is_some_and(|rest| rest.starts_with("::")))
}

#[test]
fn modules_do_not_import_their_users() {
    let mut found = Vec::new();
    for (places, others, why) in STRANGERS {
        for (import, from, _, detail) in across(&SRC) {
            let target = import.to.map(|to| &SRC.files[to].module);
            let is_other = is_in(&import.path, others) || target.is_some_and(|module| is_in(module, others));
            if is_in(&SRC.files[import.from].module, places) && is_other {
                found.push((format!("{from}>{}", others.join(",")), format!("{detail} ({why})")));
            }
        }
    }
    for (places, ..) in STRANGERS {
        assert!(SRC.files.iter().any(|file| is_in(&file.module, places)), "there is nothing at {places:?}");
    }
    assert_kept("strangers", "widgets, jobs and panes do not know who uses them", &by_key(found));
}

/// The pane that a module is, or is a part of.
/// Files of `tui/panes` that are no panes: the trait, and what several panes are built from.
const PANE_PARTS: &[&str] = &[
    "pane",
    "lanes",
    "lists",
    "row_list",
    "table_pane",
    "tree_pane",
    "treemap",
    "list_pane",
    "tree_def",
    "tree_marks",
    "tree_rows",
    "record_pane",
    "field_list",
    "ghost",
    "preview",
    "signature",
];

fn pane(module: &[String]) -> Option<&str> {
    match module {
        [tui, panes, pane, ..] if tui == "tui" && panes == "panes" => {
            Some(pane.as_str()).filter(|pane| !PANE_PARTS.contains(pane))
        }
        _ => None,
    }
}

#[test]
fn panes_do_not_know_each_other() {
    let mut found = Vec::new();
    for (import, from, _, detail) in across(&SRC) {
        let to = import.to.and_then(|to| pane(&SRC.files[to].module)).or_else(|| {
            pane(&import.path).filter(|name| SRC.files.iter().any(|file| pane(&file.module) == Some(name)))
        });
        if let (Some(own), Some(other)) = (pane(&SRC.files[import.from].module), to)
            && own != other
        {
            found.push((format!("{from}>{other}"), detail));
        }
    }
    assert_kept("panes", "a pane imports no other pane", &by_key(found));
}

/// The traits that a file defines.
fn traits(code: &str) -> Vec<&str> {
    let name = |at: usize| code[at + 5..].trim_start().split(|c: char| c != '_' && !c.is_alphanumeric()).next();
    words(code, "trait").filter_map(|(at, _)| name(at)).filter(|name| !name.is_empty()).collect()
}

/// Returns whether the code has an `impl … Name … for`.
fn implements(code: &str, name: &str) -> bool {
    words(code, "impl").any(|(at, _)| {
        let head = code[at..].split(['{', ';']).next().unwrap_or_default();
        let mut before = head.split(" for ");
        let (first, is_impl) = (before.next().unwrap_or_default(), before.next().is_some());
        is_impl && words(first, name).any(|(at, _)| !first[at..].contains("::"))
    })
}

#[test]
fn a_trait_does_not_list_its_implementers() {
    let mut found = Vec::new();
    for (import, from, _, detail) in across(&SRC) {
        let Some(to) = import.to.filter(|_| !import.is_reexport) else { continue };
        let names = traits(&SRC.files[import.from].code);
        let code = &SRC.files[to].code;
        if let Some(name) = names.iter().find(|name| !LISTS_ITS_IMPLEMENTERS.contains(&from) && implements(code, name))
        {
            found.push((format!("{from}>{}", SRC.files[to].path), format!("{detail} (implements {name})")));
        }
    }
    assert_kept("traits", "the file of a trait imports nobody who implements it", &by_key(found));
}

#[test]
fn implementations_are_seen() {
    assert!(implements("impl<'a> fmt::Show<T> for A {}", "Show") && !implements("impl Show {} fn f() {}", "Show"));
    assert_eq!(traits("pub trait Pane: Any {} trait B {}"), ["Pane", "B"]);
}

/// A finding is what is looked for, and no finding is a message.
#[test]
fn findings_are_counted_by_file() {
    let found: Vec<Finding> = by_key([("a", "1"), ("b", "2"), ("a", "3")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(
        found.iter().map(|finding| (finding.key.as_str(), finding.number)).collect::<Vec<_>>(),
        [("a", 2), ("b", 1)]
    );
}
