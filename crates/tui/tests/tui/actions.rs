//! Every action: it is bound or in the palette, documented, and can be performed anywhere.

use pdblens_tui::app::registry::{PANES, VIEWS};

use crate::harness::VIEW_KEYS;
use pdblens_tui::engine::action::{ACTIONS, Action};
use pdblens_tui::engine::key::{self, Key};
use pdblens_tui::engine::keymap::{KEYS, Keymap, Match, PALETTE_ONLY, PROMPT, When};

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
        let keys = Key::parse_sequence(text).unwrap();
        let places: Vec<(&str, bool)> = match when {
            When::Always => PANES.iter().map(|pane| (pane.name, false)).collect(),
            When::In(place) => vec![(*place, *place == PROMPT)],
        };
        for (place, typing) in places {
            // A pane may have a key for itself.
            let own = KEYS.iter().any(|(other, w, _)| other == text && *w == When::In(place) && w != when);
            let found = keymap.lookup(&keys, place, typing);
            assert!(own || found == Match::Action(*action), "{text} in {place}: {found:?}");
            for begun in 1..keys.len() {
                assert_eq!(keymap.lookup(&keys[..begun], place, typing), Match::Pending, "{text} in {place}");
            }
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
fn every_key_and_action_is_in_the_documentation_and_in_help() {
    let documented = std::fs::read_to_string(repository("docs/keys.md")).unwrap();
    let mut screen = Screen::open(FILES[0], 120, 90);
    for (text, when, action) in KEYS {
        let def = action.def().unwrap();
        let shown = key::display(&Key::parse_sequence(text).unwrap(), false);
        let row =
            |line: &&str| line.starts_with('|') && line.contains(&format!("`{shown}`")) && line.contains(def.help);
        assert!(documented.lines().any(|line| row(&line)), "docs/keys.md has no row for {shown}: {}", def.help);
        if *when == When::Always {
            screen.keys(&format!("? \"{}\"", def.name)).shows(&shown).keys("esc");
        }
    }
    for action in PALETTE_ONLY {
        let def = action.def().unwrap();
        assert!(documented.contains(def.help), "docs/keys.md does not say that one can: {}", def.help);
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
                    let with_counts = is_thorough() || index == 0 && pane == 0;
                    let counts: &[&str] = if with_counts { &["", "0 3 "] } else { &[""] };
                    for count in counts {
                        // Anew from the same place, whatever was done before.
                        screen.keys("esc esc esc").keys(&format!("{} {}", VIEW_KEYS[view - 1].1, "tab ".repeat(pane)));
                        screen.keys(&format!("{count}{keys}"));
                        let what = format!("{file}, view {view}, pane {pane}: {}", def.name);
                        laws::nothing_is_hidden(&what, &screen.draw().0);
                    }
                }
            }
        }
    }
}
