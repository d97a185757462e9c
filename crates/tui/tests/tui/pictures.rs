//! `screenshots/`: SVG of the real screens. A stale one fails; `PDBLENS_PICTURES=1` makes them anew.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pdblens_session::source::SourceOptions;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::app::registry::TABS;
use pdblens_tui::state::paths::Paths;
use ratatui::buffer::Cell;
use ratatui::style::Modifier;

use crate::harness::Screen;
use crate::support::samples::repository;
use crate::svg::{DARK, LIGHT, animated, svg};

/// Name, image, theme, size, keys. `TRACE` in the keys stands for pasting a stack trace that the program left.
type Picture = (&'static str, &'static str, &'static str, (u16, u16), &'static str);

const TRACE: &str = "TRACE";
const USUAL: (u16, u16) = (120, 40);
const FAULTS: &str = "faults/Faults.dll";
const TICKER: &str = "ticker-embedded/Ticker.dll";
const WORKSHOP: &str = "workshop-embedded/Workshop.dll";

/// From a stack trace to the byte, in the order in which the README tells it.
const TOUR: &[Picture] = &[
    ("trace", FAULTS, "dark", USUAL, "4 TRACE right"),
    ("go-to", FAULTS, "dark", USUAL, "4 TRACE right o \"0x06000006+0x6d\""),
    ("methods", FAULTS, "dark", USUAL, "4 TRACE right enter"),
    ("bytes", FAULTS, "dark", USUAL, "4 TRACE right enter ] [ tab tab right right right"),
    ("tables", FAULTS, "dark", USUAL, "o \"table/CustomDebugInformation\" enter G"),
    ("streams", FAULTS, "dark", USUAL, "2 2 j j j j j j j"),
    ("file", FAULTS, "dark", USUAL, "2 j"),
    ("overview", FAULTS, "dark", USUAL, "j j"),
    ("sources", FAULTS, "dark", USUAL, "sources j tab 0 4 4 j"),
    ("used-by", WORKSHOP, "dark", USUAL, "o \"Scopes.Guarded\" enter r j"),
    ("lesson", WORKSHOP, "dark", USUAL, "6 0 7 j enter down down down down"),
    ("learn", FAULTS, "dark", USUAL, "methods ] ] . down down down down down down"),
];

/// The frames of `tour.svg`: pictures of the tour, in this order.
const ANIMATED: [&str; 5] = ["trace", "go-to", "methods", "bytes", "overview"];
const SECONDS_A_FRAME: usize = 4;

/// Other formats, overlays, themes and sizes.
const MORE: &[Picture] = &[
    ("pages", "workshop-windows/Workshop.dll", "dark", USUAL, "2 2 j j j j"),
    ("treemap", WORKSHOP, "dark", USUAL, "2 2 tab s"),
    ("source-search", TICKER, "dark", USUAL, "sources / \"console\" tab"),
    ("native", "native/tally.exe", "dark", USUAL, "methods ] ]"),
    ("find", WORKSHOP, "dark", USUAL, "4 o \"statmov\""),
    ("filter", WORKSHOP, "dark", USUAL, "o \"table/CustomDebugInformation\" enter & \"Kind:enc\""),
    ("keys", WORKSHOP, "dark", USUAL, "methods ] ] ?"),
    ("menu", WORKSHOP, "dark", USUAL, "methods ] ] space"),
    ("commands", WORKSHOP, "light", USUAL, "4 : \"copy\""),
    ("copy", TICKER, "ansi", USUAL, "4 ] ] tab y"),
    ("overview-light", WORKSHOP, "light", USUAL, "j j j"),
    ("methods-light", WORKSHOP, "light", USUAL, "o \"Scopes.Guarded+0x12\" enter"),
    ("methods-mono", TICKER, "mono", USUAL, "methods ] ]"),
    ("pages-mono", "ticker-windows/Ticker.dll", "mono", (80, 24), "2 2 tab G left left left"),
    ("methods-80x24", TICKER, "dark", (80, 24), "methods ] ]"),
    ("methods-200x50", WORKSHOP, "dark", (200, 50), "o \"Scopes.Guarded+0x12\" enter"),
];

/// A path that is the same on every machine.
fn sample(path: &str) -> PathBuf {
    Path::new("assets/samples").join(path)
}

fn screen((_, file, theme, (width, height), keys): &Picture) -> Screen {
    let sources = SourceOptions { roots: vec!["assets/sources".into()], ..SourceOptions::default() };
    let paths = Paths { sources, ..Paths::default() };
    let options = Options { files: vec![sample(file)], paths, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), theme, *width, *height);
    let (before, after) = keys.split_once(TRACE).unwrap_or((keys, ""));
    screen.keys(before);
    if keys.contains(TRACE) {
        let path = sample(file).with_file_name("il-offsets.txt");
        screen.paste(&std::fs::read_to_string(path).unwrap());
    }
    screen.keys(after).pass(Duration::from_millis(500));
    screen
}

#[test]
fn screenshots_are_up_to_date() {
    let folder = repository("screenshots");
    let make = std::env::var_os("PDBLENS_PICTURES").is_some();
    let mut stale = Vec::new();
    let mut frames = Vec::new();
    let mut compare = |name: &str, picture: String| {
        let path = folder.join(format!("{name}.svg"));
        if make {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &picture).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(picture.as_str()) {
            stale.push(name.to_owned());
        }
    };
    for shot in TOUR.iter().chain(MORE) {
        let (name, _, theme, ..) = shot;
        let drawn = screen(shot).draw().0;
        compare(name, svg(&drawn, if *theme == "light" { LIGHT } else { DARK }));
        frames.push((*name, drawn));
    }
    let frame = |wanted: &&str| frames.iter().find(|(name, _)| name == wanted).unwrap().1.clone();
    compare("tour", animated(&ANIMATED.iter().map(frame).collect::<Vec<_>>(), DARK, SECONDS_A_FRAME));
    assert!(stale.is_empty(), "make these again with PDBLENS_PICTURES=1: {stale:?}");
    for file in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
        let stem = file.file_stem().unwrap();
        // The test of the page in Chromium makes its pictures.
        let of_page = stem.to_string_lossy().starts_with("page-") && file.extension().is_some_and(|end| end == "png");
        let made = of_page || stem == "tour" || TOUR.iter().chain(MORE).any(|(name, ..)| stem == *name);
        assert!(made, "nothing makes {}", file.display());
    }
}

#[test]
fn the_tour_shows_every_view() {
    let shots: Vec<_> = TOUR.iter().map(|shot| screen(shot).draw().0).collect();
    // Two builds are compared by the tests of that view.
    for view in TABS.iter().filter(|view| view.name != "Compare") {
        let shown = shots.iter().any(|shot| {
            // The current view is the only one that is underlined.
            let name = shot.content.iter().filter(|cell| cell.modifier.contains(Modifier::UNDERLINED));
            let name: String = name.take(2 + view.name.len()).map(Cell::symbol).collect();
            name.ends_with(view.name)
        });
        assert!(shown, "no picture of {}", view.name);
    }
}
