//! Offers for the thing under the cursor: each works where it is offered, the list is short, and the hints are never covered.

use crate::harness::{Screen, VIEW_KEYS, lines, sample};
use crate::support::folder::Folder;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

const FILES: [&str; 4] =
    ["ticker-embedded/Ticker.dll", "workshop-windows/Workshop.dll", "native/tally.exe", "workshop/Workshop.dll"];
/// Rows that the list of keys has at most.
const MAX_ROWS: usize = 45;
const PANES: usize = 4;

/// A view of a file with the focus in one of its panes.
fn screen(file: &str, view: usize, pane: usize) -> Screen {
    let mut screen = Screen::open(file, 120, 70);
    let (name, keys) = VIEW_KEYS[view];
    // Enter takes the trace that is there as an example.
    let example = if name == "Trace" { "enter" } else { "" };
    screen.keys(&format!("methods ] {keys} {example} {}", "tab ".repeat(pane)));
    screen
}

/// Keys and words of the rows of help; those of the thing are `true`.
fn help(screen: &mut Screen) -> Vec<(String, String, bool)> {
    let seen = screen.keys("?").text();
    screen.keys("esc");
    let rows = seen.lines().skip_while(|line| !line.contains("─ Keys ")).skip(3);
    let rows = rows.take_while(|line| line.contains('│'));
    let inner = rows.filter_map(|line| line.split('│').find(|part| part.trim().chars().count() > 10));
    let row = |text: &str| {
        let text = text.trim_start_matches(['▌', ' ']).trim_end();
        let (keys, help) = text.split_once("  ")?;
        let help = help.trim_start();
        Some((keys.to_owned(), help.to_owned(), help.contains(" · ") && help.contains(": ")))
    };
    inner.filter_map(row).collect()
}

/// A key as scripts write it.
fn script(key: &str) -> String {
    match key {
        "↵" => "enter".to_owned(),
        "→" => "right".to_owned(),
        "⇥" => "tab".to_owned(),
        "Esc" => "esc".to_owned(),
        other => other.to_owned(),
    }
}

#[test]
fn help_is_short_in_every_view_and_pane() {
    let mut longest = 0;
    for file in FILES {
        for (view, (named, _)) in VIEW_KEYS.iter().enumerate() {
            for pane in 0..PANES {
                let mut screen = screen(file, view, pane);
                let rows = help(&mut screen);
                assert!(rows.len() >= 12, "{file} {named} {pane}:\n{}", screen.keys("?").text());
                assert!(rows.len() <= MAX_ROWS, "{file} {named} {pane}: {} rows", rows.len());
                longest = longest.max(rows.len());
            }
        }
    }
    println!("the longest list of keys has {longest} rows");
}

#[test]
fn every_offer_does_something_where_it_is_offered() {
    let mut failed = Vec::new();
    for file in FILES {
        for (view, (named, _)) in VIEW_KEYS.iter().enumerate() {
            for pane in 0..2 {
                let offers: Vec<_> = help(&mut screen(file, view, pane)).into_iter().filter(|(.., own)| *own).collect();
                for (key, words, _) in offers {
                    let mut screen = screen(file, view, pane);
                    let before = screen.text();
                    screen.keys(&script(&key));
                    let what = format!("{file} {named} {pane}: {key} {words}");
                    let after = screen.text();
                    if after == before && screen.edited.is_empty() && screen.copied.is_empty() {
                        failed.push(format!("{what}: nothing changes"));
                    }
                    let refused = ["does nothing", "no record with bytes", "nothing can refer", "only the player"];
                    if let Some(text) = refused.iter().find(|text| after.contains(**text)) {
                        failed.push(format!("{what}: {text}"));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_hint_of_a_folder_does_something() {
    let folder = Folder::new();
    for name in ["Ticker.dll", "Workshop.dll", "Workshop.pdb"] {
        let from = format!("{}/{name}", name.split('.').next().unwrap().to_lowercase());
        folder.write(name, std::fs::read(sample(&from)).unwrap());
    }
    let open = || {
        let options = Options { files: vec![folder.path().to_owned()], ..Options::default() };
        Screen::with(options, Config::default(), "dark", 120, 40)
    };
    let hints = open().text().lines().last().unwrap().trim().to_owned();
    let keys: Vec<&str> = hints.split("   ").filter_map(|hint| hint.split(' ').next()).collect();
    assert!(keys.len() > 5 && keys.contains(&"f"), "{hints}");
    for key in keys {
        let mut screen = open();
        let before = screen.text();
        screen.keys(&script(key));
        assert!(screen.text() != before || screen.ended, "{key} of {hints}");
    }
}

/// Asserts that the last row of a screen has hints after each of the keys.
fn shows_hints_after(keys: &[String], view: (&str, &str), size: (u16, u16)) {
    let options = Options { files: vec![sample("workshop/Workshop.dll")], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", size.0, size.1);
    screen.keys(view.1);
    for key in keys {
        screen.keys(key);
        let last = lines(&screen.draw().0).pop().unwrap();
        let shows = ["? keys", "esc", "Esc", "↵", "COLUMN:text"].iter().any(|hint| last.contains(hint));
        assert!(shows, "{} {key} at {size:?}:\n{}", view.0, screen.text());
    }
}

#[test]
fn hints_are_never_covered() {
    let keys = ["j", "G", "w", "esc", "f", "esc", "n", "7", "a", "u", "y v", "[", "s", "t", "x", "r", "m a", "' b"];
    for (size, view) in [(80, 24), (120, 40)].into_iter().flat_map(|size| VIEW_KEYS.map(|view| (size, view))) {
        shows_hints_after(&keys.map(str::to_owned), view, size);
    }
}

#[test]
fn hints_are_there_after_any_key() {
    // All but the one that quits; what a key opens is closed again.
    let printable = ('!'..='~').filter(|key| !matches!(key, 'q' | '"')).map(String::from);
    let named =
        ["enter", "space", "tab", "shift-tab", "backspace", "up", "down", "left", "right", "pageup", "pagedown"];
    let keys = printable.chain(named.map(str::to_owned)).flat_map(|key| [key, "esc".to_owned()]);
    let keys: Vec<String> = keys.collect();
    for view in VIEW_KEYS {
        shows_hints_after(&keys, view, (80, 24));
    }
}

#[test]
fn a_message_holds_until_the_next_key() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("7").shows("Compare is 5 now").pass(std::time::Duration::from_mins(1)).shows("Compare is 5 now");
    screen.keys("j");
    assert!(!screen.text().contains("Compare is 5 now"), "{}", screen.text());
}
