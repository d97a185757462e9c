//! Styles of the parts of a screen in each theme: selected row, focus, link, error …

use std::collections::HashMap;

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::ui::theme::{NAMES, Role, Theme};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier, Style};

use crate::harness::{Screen, lines, look, sample};

/// The cell where a text begins, `skip` cells on.
fn find(screen: &Screen, text: &str, skip: u16) -> Position {
    let (buffer, _) = screen.draw();
    for (y, line) in lines(&buffer).iter().enumerate() {
        if let Some(at) = line.find(text) {
            return Position { x: unicode_width::UnicodeWidthStr::width(&line[..at]) as u16 + skip, y: y as u16 };
        }
    }
    panic!("{text:?} does not show:\n{}", screen.text());
}

/// A screen: a sample, and the keys that lead to it.
type Scene = (&'static str, &'static str);

const POINTS: Scene = ("faults/Faults.dll", "methods b ] ]");
const HIDDEN: Scene = ("workshop/Workshop.dll", "methods o \"method/44/points/1\" enter ]");
const TABLE: Scene = ("faults/Faults.dll", "o \"table/MethodDebugInformation/1\" enter");
const FINDER: Scene = ("workshop/Workshop.dll", "o \"statmov\"");
const SOURCE: Scene = ("workshop-embedded/Workshop.dll", "sources j j tab");
const GHOST: Scene = ("workshop/Workshop.dll", "methods");
const TRACE: Scene = ("faults/Faults.dll", "4");
const SEARCH: Scene = ("faults/Faults.dll", "tables / \"no such text\" enter");
const NO_FILE: Scene = ("faults/Faults.dll", ": \"open-trace\" enter \"/nothing/there\" enter");

/// A part of a screen: its name, the screen, a text that begins with it or has it some cells on, and the roles that
/// make its style, each on top of those before.
type Part = (&'static str, Scene, &'static str, u16, &'static [Role]);

const PARTS: &[Part] = &[
    ("name of the pair", POINTS, "Faults.dll +", 0, &[Role::Bar, Role::Strong]),
    ("view", POINTS, "2File", 2, &[Role::Bar, Role::Dim]),
    ("verdict", POINTS, "✓ matches", 2, &[Role::Bar, Role::Ok]),
    ("breadcrumb", POINTS, "Code \u{203a} Faults", 0, &[Role::Dim]),
    ("end of the breadcrumb", POINTS, "\u{203a} point 3", 2, &[Role::Strong]),
    ("rule of the focused pane", POINTS, "\u{2501}", 0, &[Role::Accent]),
    ("title of the focused pane", POINTS, "Points and IL", 0, &[Role::Accent]),
    ("rule", POINTS, "\u{2500}", 0, &[Role::Faint]),
    ("word of a statement", GHOST, "return", 0, &[Role::Text, Role::Keyword]),
    ("title", POINTS, "\u{2500} Methods", 2, &[Role::Dim]),
    ("heading of a column", POINTS, "blob bytes", 0, &[Role::Mute]),
    ("row", POINTS, "IL_0001  40:13", 0, &[Role::Text]),
    ("selected row", POINTS, "IL_0002  41:17", 0, &[Role::Cursor]),
    ("margin bar", POINTS, "\u{258c} 3", 0, &[Role::Cursor, Role::Accent]),
    ("the same elsewhere", POINTS, "0002    ldarg", 0, &[Role::Dim, Role::Related]),
    ("first field", POINTS, "01  \u{3b4}", 0, &[Role::Strong, Role::Field1]),
    ("second field", POINTS, "00  \u{394}", 0, &[Role::Strong, Role::Field2]),
    ("key", POINTS, "\u{2191}\u{2193}", 0, &[Role::Bar, Role::Strong]),
    ("hidden point", HIDDEN, "hidden", 0, &[Role::Dim]),
    ("link", TABLE, "Document/1", 0, &[Role::Link]),
    ("match in the selected row", FINDER, "MoveNext", 0, &[Role::Cursor, Role::Match]),
    ("keyword", SOURCE, "internal", 0, &[Role::Keyword]),
    ("comment", SOURCE, "//", 0, &[Role::Comment]),
    ("exception", TRACE, "System.InvalidOperation", 0, &[Role::Strong]),
    ("frame", TRACE, "Program.cs:68", 0, &[Role::Link]),
    ("warning", SEARCH, "no no such text", 0, &[Role::Bar, Role::Warn]),
    ("error", NO_FILE, "/nothing/there: ", 0, &[Role::Popup, Role::Bad]),
];

fn screen((file, keys): Scene, theme: &str) -> Screen {
    let options = Options { files: vec![sample(file)], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), theme, 120, 40);
    screen.keys(keys);
    if keys == "4" {
        let trace = std::fs::read_to_string(sample("faults/il-offsets.txt")).unwrap();
        screen.paste(&trace);
    }
    screen
}

#[test]
fn parts_of_screens_have_their_roles() {
    let mut wrong = Vec::new();
    let mut screens: HashMap<Scene, Screen> = HashMap::new();
    for (name, scene, text, skip, roles) in PARTS {
        let screen = screens.entry(*scene).or_insert_with(|| screen(*scene, NAMES[0]));
        screen.app.stage.theme = Theme::named(NAMES[0]).unwrap();
        let at = find(screen, text, *skip);
        for theme in NAMES {
            screen.app.stage.theme = Theme::named(theme).unwrap();
            let (cell, theme) = (screen.draw().0[at].clone(), &screen.app.stage.theme);
            let style = roles.iter().fold(Style::default(), |style, role| style.patch(theme.of(*role)));
            let (seen, expected) = (look(cell.symbol(), cell.style()), look(cell.symbol(), style));
            if seen != expected {
                wrong.push(format!("{name} in {}: {seen:?} and not {expected:?}, as {roles:?}", theme.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_current_view_is_underlined_in_the_accent() {
    for theme in NAMES {
        let screen = screen(POINTS, theme);
        let (buffer, at) = (screen.draw().0, find(&screen, "3Code", 2));
        let [bar, accent] = [Role::Bar, Role::Accent].map(|role| screen.app.stage.theme.of(role));
        assert_eq!(look("M", buffer[at].style()), look("M", bar.patch(accent).underlined()), "{theme}");
    }
}

#[test]
fn a_row_that_swaps_its_colours_has_no_patches() {
    for theme in ["ansi", "mono"] {
        for (scene, row) in [(TRACE, "Warehouse`"), (("faults/Faults.dll", "methods ] ] j"), "0002    ldarg")] {
            let screen = screen(scene, theme);
            let y = find(&screen, row, 0).y;
            let (buffer, _) = screen.draw();
            let cells = (0..buffer.area.width).map(|x| &buffer[(x, y)]);
            let swapped: Vec<_> = cells.filter(|cell| cell.modifier.contains(Modifier::REVERSED)).collect();
            assert!(swapped.len() > 20, "{theme}: {}", screen.text());
            let colours: Vec<Color> =
                swapped.iter().filter(|cell| cell.symbol() != "\u{258c}").map(|cell| cell.fg).collect();
            assert!(colours.iter().all(|colour| *colour == colours[0]), "{theme} {row}: {colours:?}");
        }
    }
}
