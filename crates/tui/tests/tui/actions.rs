//! Every action: it is bound or in the palette, documented, and can be performed anywhere.

use pdblens_tui::app::registry::{PANES, VIEWS};

use crate::harness::VIEW_KEYS;
use pdblens_tui::engine::action::{ACTIONS, Action};
use pdblens_tui::engine::key::Key;
use pdblens_tui::engine::keymap::{KEYS, Keymap, PALETTE_ONLY, PROMPT, When};

use crate::harness::Screen;
use crate::laws;
use crate::support::is_thorough;
use crate::support::samples::repository;

/// Actions that mean something only where text is typed, and the one that lists the others.
const NOT_IN_PALETTE: &[Action] = &[Action::Accept, Action::Complete, Action::Palette];

/// A small pair, a Windows PDB, a native one, one of Mono's, one whose sources are nowhere.
const FILES: &[&str] = &[
    "ticker-embedded/Ticker.dll",
    "workshop-windows/Workshop.dll",
    "native/tally.exe",
    "ticker-mono/Ticker.exe",
    "workshop/Workshop.dll",
];

#[test]
fn every_key_performs_its_action_in_every_pane() {
    let keymap = Keymap::default();
    for (text, when, action) in KEYS {
        let places: Vec<(&str, bool)> = match when {
            When::Always => PANES.iter().map(|pane| (pane.name, false)).collect(),
            When::In(place) => vec![(*place, *place == PROMPT)],
        };
        for (place, typing) in places {
            let found = keymap.lookup(Key::parse(text).unwrap(), place, typing);
            assert_eq!(found, Some(*action), "{text} in {place}");
        }
    }
}

#[test]
fn every_action_is_found_by_key_or_name() {
    let mut screen = Screen::open(FILES[0], 120, 40);
    for def in ACTIONS {
        let bound = KEYS.iter().any(|(.., action)| *action == def.action);
        assert_ne!(bound, PALETTE_ONLY.contains(&def.action), "{}", def.name);
        if NOT_IN_PALETTE.contains(&def.action) {
            assert!(bound, "{}", def.name);
            continue;
        }
        screen.keys(&format!(": \"{}\"", def.name));
        let chosen = format!("│▌{} ", def.name);
        assert!(
            screen.text().contains(&chosen),
            "{} is not the first answer to its name:\n{}",
            def.name,
            screen.text()
        );
        screen.keys("esc");
    }
}

#[test]
fn the_documented_key_table_matches_the_program() {
    let path = repository("docs/keys.md");
    let mut documented = std::fs::read_to_string(&path).unwrap();
    let keys = pdblens_tui::state::key_list::markdown();
    if std::env::var_os("DOCS_UPDATE").is_some() {
        let start = documented.find(keys.lines().next().unwrap()).expect("the head of the table");
        let end = documented.find("\n<!-- end of the keys -->").expect("the mark behind the last table");
        documented.replace_range(start..end, &keys);
        std::fs::write(&path, &documented).unwrap();
    }
    assert!(documented.contains(&keys), "docs/keys.md wants this table of keys:\n{keys}");
    for def in ACTIONS.iter().filter(|def| ![Action::Redraw, Action::Suspend].contains(&def.action)) {
        let is_named = PALETTE_ONLY.contains(&def.action) && keys.contains(def.help);
        let bound = KEYS.iter().find(|(.., action)| *action == def.action);
        let has_key =
            bound.is_some_and(|(key, ..)| keys.contains(&format!("`{}`", Key::parse(key).unwrap().display(false))));
        assert!(is_named || has_key || matches!(def.action, Action::View(_)), "{} is in no table", def.name);
    }
}

#[test]
fn every_action_works_in_every_view_and_pane() {
    for (index, file) in FILES.iter().enumerate() {
        for view in 1..VIEWS.len() {
            if index > 0 && !is_thorough() && (view + index) % 2 == 0 {
                continue;
            }
            // In the others only the pane that has the focus at first.
            let panes = if index == 0 { VIEWS[view - 1].panes.len() } else { 1 };
            for pane in 0..panes {
                let mut screen = Screen::open(file, 100, 30);
                for def in ACTIONS {
                    let bound = KEYS.iter().find(|(_, when, action)| *action == def.action && *when == When::Always);
                    let keys = match bound {
                        Some((keys, ..)) => (*keys).to_owned(),
                        None if NOT_IN_PALETTE.contains(&def.action) => continue,
                        None => format!(": \"{}\" enter", def.name),
                    };
                    // Anew from the same place, whatever was done before.
                    screen.keys("esc esc esc").keys(&format!("{} {}", VIEW_KEYS[view - 1].1, "tab ".repeat(pane)));
                    screen.keys(&keys);
                    let what = format!("{file}, view {view}, pane {pane}: {}", def.name);
                    laws::nothing_is_hidden(&what, &screen.draw().0);
                }
            }
        }
    }
}
