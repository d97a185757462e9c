//! `screenshots/`: SVG of the real screens. A stale one fails; `PDBLENS_PICTURES=1` makes them anew.

use std::time::Duration;

use pdblens::tui::Options;
use pdblens::tui::config::Config;
use pdblens::tui::svg::{DARK, LIGHT, svg};

use crate::harness::{Screen, sample};
use crate::views::TRACE;

/// Name, sample, theme, size, keys.
type Picture = (&'static str, &'static str, &'static str, (u16, u16), &'static str);

const PICTURES: &[Picture] = &[
    ("overview", "workshop-embedded/Workshop.dll", "dark", (120, 40), "j j j"),
    ("pe", "ticker-embedded/Ticker.dll", "dark", (120, 40), "2"),
    ("pe-light", "workshop-embedded/Workshop.dll", "light", (120, 40), "2 j j j j"),
    ("streams", "workshop-embedded/Workshop.dll", "dark", (120, 40), "3 j j j"),
    ("pages", "workshop-windows/Workshop.dll", "dark", (120, 40), "3 j j j j"),
    ("tables", "workshop-embedded/Workshop.dll", "dark", (120, 40), "4 j j j j j j j enter j j"),
    ("sources", "workshop-embedded/Workshop.dll", "dark", (120, 40), "6 j j j j j j j j tab 0 2 0 j"),
    ("trace", "ticker-embedded/Ticker.dll", "dark", (120, 40), "7"),
    ("methods", "ticker-embedded/Ticker.dll", "dark", (120, 40), "5 ] ]"),
    ("methods-light", "ticker-embedded/Ticker.dll", "light", (120, 40), "5 ] ]"),
    ("methods-mono", "ticker-embedded/Ticker.dll", "mono", (120, 40), "5 ] ]"),
    ("methods-80x24", "ticker-embedded/Ticker.dll", "dark", (80, 24), "5 ] ]"),
    ("go-to", "workshop-embedded/Workshop.dll", "dark", (120, 40), "5 o \"Scopes.Guarded+0x12\""),
    ("find", "workshop-embedded/Workshop.dll", "dark", (120, 40), "5 F \"statmov\""),
    ("keys", "workshop-embedded/Workshop.dll", "dark", (120, 40), "5 ?"),
    ("copy", "ticker-embedded/Ticker.dll", "ansi", (120, 40), "5 ] ] tab y"),
    ("methods-200x50", "workshop-embedded/Workshop.dll", "dark", (200, 50), "5 ] ]"),
];

#[test]
fn screenshots_show_what_is_so() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    let make = std::env::var_os("PDBLENS_PICTURES").is_some();
    let mut stale = Vec::new();
    for (name, file, theme, (width, height), keys) in PICTURES {
        let options = Options { files: vec![sample(file)], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), theme, *width, *height);
        screen.keys(keys);
        if *name == "trace" {
            screen.paste(TRACE);
        }
        screen.pass(Duration::from_millis(500));
        let picture = svg(&screen.draw().0, if *theme == "light" { LIGHT } else { DARK });
        let path = folder.join(format!("{name}.svg"));
        if make {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &picture).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(picture.as_str()) {
            stale.push(*name);
        }
    }
    assert!(stale.is_empty(), "make these again with PDBLENS_PICTURES=1: {stale:?}");
}
