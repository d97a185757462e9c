//! The mouse wheel scrolls the pane under the pointer; it changes neither selection nor focus.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::state::selection::Selection;

use crate::harness::Screen;
use crate::support::folder::Folder;
use crate::support::synth::Recipe;

fn selection(screen: &Screen) -> Option<Selection> {
    screen.app.selected().map(|selected| selected.selection)
}

/// Text in a range of columns of the rows `y`.
fn part(screen: &Screen, x: std::ops::Range<usize>, y: std::ops::Range<usize>) -> String {
    let of = |line: &str| line.chars().skip(x.start).take(x.len()).collect::<String>();
    screen.text().lines().skip(y.start).take(y.len()).map(of).collect::<Vec<_>>().join("\n")
}

/// Position of the first cell of a visible text.
fn find(screen: &Screen, text: &str) -> (u16, u16) {
    let seen = screen.text();
    let found = seen.lines().enumerate().find_map(|(y, line)| Some((line.find(text)?, y, line)));
    let (at, y, line) = found.unwrap_or_else(|| panic!("{text:?} does not show:\n{seen}"));
    (line[..at].chars().count() as u16, y as u16)
}

/// A pair with long lists.
fn long(width: u16, height: u16) -> (Folder, Screen) {
    let (folder, recipe) = (Folder::new(), Recipe { points: 80, ..Recipe::of(400) });
    let pair = recipe.pair();
    let files = vec![folder.write("Long.dll", pair.image), folder.write("Long.pdb", pair.pdb)];
    let screen = Screen::with(Options { files, ..Options::default() }, Config::default(), "dark", width, height);
    (folder, screen)
}

#[test]
fn the_wheel_does_not_change_the_selection() {
    for file in ["workshop/Workshop.dll", "native/tally.exe"] {
        for (width, height) in [(80, 24), (120, 40)] {
            for keys in ["1", "2 j j", "2 2 j j", "3 j j enter j", "4 ] ]", "5 j j"] {
                let mut screen = Screen::open(file, width, height);
                screen.keys(keys);
                let before = selection(&screen);
                for (x, y) in (2..height - 1).step_by(3).flat_map(|y| (1..width).step_by(9).map(move |x| (x, y))) {
                    screen.wheel(true, x, y).wheel(true, x, y).wheel(false, x, y);
                    assert_eq!(selection(&screen), before, "{file} {keys} at {x}, {y}\n{}", screen.text());
                }
            }
        }
    }
}

#[test]
fn panes_without_focus_scroll_by_wheel() {
    let (_folder, mut screen) = long(120, 40);
    screen.keys("methods b ]").shows("Points and IL");
    let before = selection(&screen);
    // The tree, the points, the bytes.
    for text in ["─ Methods", "━ Points and IL", "─ Bytes"] {
        let (x, y) = find(&screen, text);
        let (x, y) = (usize::from(x) + 2, usize::from(y) + 1);
        let shown = part(&screen, x..x + 20, y..y + 5);
        screen.wheel(true, x as u16, y as u16);
        let moved = part(&screen, x..x + 20, y..y + 5);
        assert_ne!(moved, shown, "{text}");
        screen.wheel(false, x as u16, y as u16);
        assert_eq!(selection(&screen), before, "{text}");
        screen.shows("━ Points and IL");
    }
    // A grid of rows, and the source.
    let mut screen = Screen::open("workshop-embedded/Workshop.dll", 120, 24);
    screen.keys("o \"table/LocalScope/2\" enter").shows("40 rows");
    let before = selection(&screen);
    let (shown, (x, y)) = (screen.text(), (60, 6));
    screen.wheel(true, x, y);
    assert_ne!(screen.text(), shown, "rows");
    assert_eq!(selection(&screen), before);
    screen.keys("o \"method/0x06000024\" enter").shows("StateMachines.cs");
    let (before, shown) = (selection(&screen), screen.text());
    screen.wheel(true, 110, 6);
    assert_ne!(screen.text(), shown, "source");
    assert_eq!(selection(&screen), before);
}

#[test]
fn a_key_scrolls_back_to_the_cursor() {
    let (_folder, mut screen) = long(120, 40);
    screen.keys("methods ] ] ]").shows("point 4");
    let (x, y) = find(&screen, "━ Points and IL");
    for _ in 0..10 {
        screen.wheel(true, x + 4, y + 3);
    }
    // The mark is out of sight.
    screen.shows("point 4");
    let marks = |screen: &Screen| part(screen, x.into()..usize::from(x) + 1, usize::from(y) + 1..usize::from(y) + 13);
    assert!(!marks(&screen).contains('▌'), "\n{}", screen.text());
    let away = screen.text();
    // What the worker finds out does not bring it back; a key does.
    screen.event(pdblens_tui::app::Event::Tick);
    assert_eq!(screen.text(), away);
    screen.keys("]").shows("point 5");
    assert!(marks(&screen).contains('▌'), "\n{}", screen.text());
    // A list that was scrolled shows again what is chosen in another one.
    screen.keys("tab");
    for _ in 0..20 {
        screen.wheel(true, x + 4, y + 3);
    }
    assert!(!marks(&screen).contains('▌'), "\n{}", screen.text());
    screen.keys("k j");
    assert!(marks(&screen).contains('▌'), "\n{}", screen.text());
}

#[test]
fn a_click_after_scrolling_selects_the_drawn_row() {
    let (_folder, mut screen) = long(120, 40);
    screen.keys("methods ] shift-left");
    let (x, y) = find(&screen, "━ Points and IL");
    for _ in 0..5 {
        screen.wheel(true, x + 4, y + 3);
    }
    let row = part(&screen, usize::from(x)..usize::from(x) + 40, usize::from(y) + 4..usize::from(y) + 5);
    let number = row
        .split_whitespace()
        .find_map(|word| word.trim_matches(['▸', '◌']).parse::<u32>().ok())
        .unwrap_or_else(|| panic!("{row}"));
    assert!(number > 10, "{row}");
    screen.click(x + 6, y + 4).shows(&format!("point {number}"));
}

#[test]
fn new_rows_keep_the_scroll_position() {
    let (folder, recipe) = (Folder::new(), Recipe { points: 80, ..Recipe::of(400) });
    let pair = recipe.pair();
    let files = vec![folder.write("Long.dll", pair.image), folder.write("Long.pdb", pair.pdb)];
    let mut screen = Screen::holding(Options { files, ..Options::default() }, 120, 40);
    screen.keys("methods ]");
    // The text of the document is still looked for.
    assert!(screen.waiting() > 0);
    let (x, y) = find(&screen, "━ Points and IL");
    for _ in 0..5 {
        screen.wheel(true, x + 4, y + 3);
    }
    // The signs of breakpoints come with the facts about the document.
    let rows = usize::from(y) + 1..usize::from(y) + 13;
    let points = |screen: &Screen| part(screen, x.into()..usize::from(x) + 40, rows.clone()).replace('◌', " ");
    let scrolled = points(&screen);
    screen.finish().shows("source not here");
    assert_eq!(points(&screen), scrolled);
}
