//! Properties of every list: the row of the cursor can be read in full, and rows that differ look different where the cursor is.

use std::collections::{HashMap, HashSet};
use std::fs;

use pdblens_nodes::rows::{Cell, Head, Row, Rows};
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::app::registry::VIEWS;
use pdblens_tui::ui::glyphs::UNICODE;
use pdblens_tui::ui::grid::Grid;
use pdblens_tui::ui::theme::{Look, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::harness::{Screen, VIEW_KEYS, lines, sample};
use crate::laws::one_pane_has_the_focus;
use crate::support::is_thorough;
use crate::support::samples::all_samples;

pub(crate) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

/// Steps of the cursor in each pane.
const STEPS: [&str; 2] = ["j", "pagedown"];

/// Keys that lead to a screen, by view; panes are gone through from there.
const SCREENS: &[&str] =
    &["1", "2", "5", "tables", "methods", "sources", "4", "6", "tables G", "methods ] ] ]", "sources G", "6 . ]"];

/// Screens of some samples: the layout of a type, disassembly, a trace.
const OWN: &[(&str, &str)] = &[
    ("parcel", "o \"Parcel\" enter"),
    ("parcel", "o \"type/parcel::Box/layout\" enter"),
    ("parcel-x86", "o \"type/parcel::Box/layout\" enter"),
    ("parcel-arm64", "o \"entry\" enter tab"),
    ("sorter", "methods shift-tab G"),
    ("warehouse", "methods shift-tab G"),
    ("warehouse", "o \"ComputeTemplateInternal\" enter"),
    ("workshop", "o \"Pairs\" enter"),
];

/// Letters of a cell that are looked for.
const MAX_READ: usize = 1000;

/// Number of tests that share the samples, so that they run beside each other.
const PARTS: usize = 4;

/// The letters of a screen, without borders and marks, so that wrapped text is together.
pub(crate) fn letters(text: &str) -> String {
    let is_drawn = |c: char| c.is_whitespace() || "│┃┊▌▾▸├┤─━┄…".contains(c);
    text.chars().filter(|c| !is_drawn(*c)).collect()
}

pub(crate) fn letters_in(buffer: &Buffer, area: Rect) -> String {
    let cells = (area.y..area.bottom()).flat_map(|y| (area.x..area.right()).map(move |x| (x, y)));
    letters(&cells.map(|at| buffer[at].symbol()).collect::<String>())
}

/// Returns whether a text is wrapped inside a column of the row of the cursor.
fn is_in_a_column(buffer: &Buffer, body: Rect, cursor: Position, text: &str) -> bool {
    const LINES: u16 = 8;
    let rows = Rect { y: cursor.y, height: LINES.min(body.bottom() - cursor.y), ..body };
    let from = (rows.x..rows.right()).filter(|x| text.starts_with(buffer[(*x, rows.y)].symbol()));
    from.into_iter()
        .any(|x| (x..=rows.right()).any(|end| letters_in(buffer, Rect { x, width: end - x, ..rows }).contains(text)))
}

/// The rows above a pane, where the whole text of a row is that is cut in it.
fn above(body: Rect) -> Rect {
    let y = body.y.saturating_sub(10);
    Rect { y, height: body.y.saturating_sub(1) - y, ..body }
}

/// Asserts that the row of the cursor, which is copied, can be read on the screen: in its pane, or in what is beside and below it.
#[track_caller]
fn assert_readable(what: &str, screen: &mut Screen, row: &str) {
    let (buffer, cursor) = screen.draw();
    let Some(cursor) = cursor else { return };
    let body = one_pane_has_the_focus(what, &buffer);
    let pane = letters_in(&buffer, body);
    let number = row.split('\t').next().and_then(|number| number.parse::<u32>().ok());
    // A token says the same as the number of its row.
    let is_token = |cell: &&str| {
        let token = cell.strip_prefix("0x").filter(|digits| digits.len() == 8);
        token.and_then(|digits| u32::from_str_radix(digits, 16).ok()).map(|token| token & 0xff_ffff) == number
    };
    for cell in row.split(['\t', '\n']).filter(|cell| number.is_none() || !is_token(cell)) {
        let cell = letters(&pdblens_session::text::safe::visible(cell));
        // More than this there is no room for, beside the row itself.
        let cell: String = cell.chars().take(MAX_READ).collect();
        let shown = pane.contains(&cell)
            || is_in_a_column(&buffer, body, cursor, &cell)
            || letters_in(&buffer, above(body)).contains(&cell)
            || lines(&buffer).iter().any(|line| letters(line).contains(&cell));
        assert!(shown, "{what}: {cell:?} cannot be read:\n{}", screen.text());
    }
}

/// Asserts it at each size.
#[track_caller]
pub(crate) fn assert_readable_at_all_sizes(what: &str, screen: &mut Screen) {
    for (width, height) in SIZES {
        // A pane that is not shown at this size passes the focus on.
        screen.resize(width, height).copied.clear();
        screen.keys("y r");
        // Where a pane has no rows, all fields are copied.
        let Some((_, row)) = screen.copied.pop().filter(|(_, row)| !row.contains('\n')) else { continue };
        assert_readable(&format!("{what} {width}x{height}"), screen, &row);
    }
}

/// Goes through the panes of a screen.
fn walk(what: &str, screen: &mut Screen, panes: usize) {
    for pane in 0..panes {
        for (step, keys) in STEPS.into_iter().enumerate() {
            assert_readable_at_all_sizes(&format!("{what}, pane {pane}, row {step}"), screen);
            screen.keys(keys);
        }
        screen.keys("G");
        assert_readable_at_all_sizes(&format!("{what}, pane {pane}, last row"), screen);
        screen.keys("tab");
    }
}

#[test]
fn facts_are_not_cut_beside_free_room() {
    // All of the Document pane, and of the list of findings and the remarks of the check.
    let mut screen = Screen::open("workshop/Workshop.dll", 200, 50);
    let read = |screen: &Screen, wanted: &str| {
        let (buffer, _) = screen.draw();
        let shown = (0..200).any(|x| letters_in(&buffer, Rect::new(x, 3, 200 - x, 38)).contains(&letters(wanted)));
        assert!(shown, "{wanted:?} cannot be read:\n{}", screen.text());
    };
    read(screen.keys("sources j"), "https://example.com/pdblens/samples/workshop/Modern.cs");
    read(&screen, "? not fetched; f fetches it");
    read(&screen, "SHA-256 2539303b6bfb21e10a505a3ab90042cb45650bdd131687ccb79d1f8d241eabd4");
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 200, 50);
    // Names of types fit into the tree, which leaves the source its room.
    screen.keys("methods").shows("DiscountWarehouseRepository65 ").shows("TokenEnvelopeOptions154<TKey> ");
    // There is one list of findings, and one count.
    let folder = crate::support::samples::repository("assets/broken/scopes-overlap");
    let options = Options { files: vec![folder.join("Ticker.dll"), folder.join("Ticker.pdb")], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
    read(screen.keys("1"), "IL_0015..IL_0078 (end exclusive) cuts across IL_0011..IL_0077 (end exclusive)");
    assert_eq!((screen.text().matches("1 finding").count(), screen.text().matches("0 findings").count()), (1, 0));
}

/// The samples of one part of `PARTS`.
fn every_row_is_readable(part: usize) {
    assert_eq!(VIEWS.len(), 9);
    for (index, sample) in all_samples().into_iter().enumerate().skip(part).step_by(PARTS) {
        let has_own = OWN.iter().any(|(name, _)| *name == sample.name);
        // Half of the others, alternately in each part.
        if !has_own && !is_thorough() && index / PARTS % 2 != part % 2 {
            continue;
        }
        let file = sample.files()[0].clone();
        let file = file.strip_prefix(crate::harness::sample("")).unwrap().to_str().unwrap().to_owned();
        let own = OWN.iter().filter(|(name, _)| *name == sample.name).map(|(_, keys)| *keys);
        let (width, height) = SIZES[2];
        let mut screen = Screen::open(&file, width, height);
        for keys in SCREENS.iter().copied().chain(own) {
            screen.keys("esc").keys(keys);
            if keys == "4" {
                let trace = fs::read_to_string(crate::harness::sample(&format!("{}/trace.txt", sample.name)));
                screen.paste(trace.as_deref().unwrap_or(crate::views::TRACE));
            }
            let view = VIEW_KEYS.iter().position(|(_, first)| keys.split(' ').next() == Some(*first));
            // Bytes and fields are panes of the walk in every view.
            if screen.text().contains(" b Bytes") {
                screen.keys("b");
            }
            // The list of lessons has no source beside it.
            let panes = view.map_or(7, |view| VIEWS[view].panes.len() - usize::from(VIEW_KEYS[view].0 == "Learn"));
            walk(&format!("{} {keys}", sample.name), &mut screen, panes);
        }
    }
}

#[test]
fn the_row_of_the_cursor_is_readable_in_a_first_part_of_the_samples() {
    every_row_is_readable(0);
}

#[test]
fn the_row_of_the_cursor_is_readable_in_a_second_part_of_the_samples() {
    every_row_is_readable(1);
}

#[test]
fn the_row_of_the_cursor_is_readable_in_a_third_part_of_the_samples() {
    every_row_is_readable(2);
}

#[test]
fn the_row_of_the_cursor_is_readable_in_a_fourth_part_of_the_samples() {
    every_row_is_readable(3);
}

/// Lists of a session: tables, heaps, symbols, types, streams.
pub(crate) fn lists(session: &Session) -> Vec<Place> {
    let mut places = vec![Place::Documents, Place::Functions, Place::Types, Place::Ids, Place::Publics, Place::Globals];
    places.extend([Place::Modules, Place::Names, Place::Contributions, Place::Methods, Place::Parts]);
    for side in nodes::Side::loaded(session).map(|(side, _)| side) {
        places.extend((0..64).map(|table| Place::Table(side, nodes::TableId(table))));
        places.extend(nodes::Heap::ALL.map(|heap| Place::Heap(side, heap)));
    }
    places
}

/// The lines of a row that has the cursor: its own, and those of its details.
fn lines_of_cursor(grid: &mut Grid, rows: &Rows<'_>, line: usize, area: Rect) -> Vec<String> {
    let theme = Theme::default();
    let look = Look { theme: &theme, glyphs: &UNICODE, focused: true, line: 0 };
    grid.scroll.select(line);
    let mut buf = Buffer::empty(area);
    let at = grid.draw(&mut buf, area, rows, &look, &|_, _| false, &|_, _, _, _| None);
    let own = at.map_or(0, |at| usize::from(at.y));
    let drawn = lines(&buf).into_iter().enumerate();
    drawn.filter(|(y, text)| *y == own || text.starts_with('┊')).map(|(_, text)| text).collect()
}

/// Asserts that rows of a window that look alike differ where the cursor is on them; returns the number of such rows.
fn alike_rows_differ(what: &str, rows: &Rows<'_>, from: usize, width: u16) -> usize {
    let area = Rect::new(0, 0, width, 30);
    let mut grid = Grid { headless: true, idle: true, ..Grid::default() };
    grid.resize(rows, area.height);
    grid.scroll.select(from);
    let theme = Theme::default();
    let look = Look { theme: &theme, glyphs: &UNICODE, focused: false, line: 0 };
    let mut buf = Buffer::empty(area);
    grid.draw(&mut buf, area, rows, &look, &|_, _| false, &|_, _, _, _| None);
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (text, line) in lines(&buf).into_iter().zip(grid.scroll.window()) {
        groups.entry(text).or_default().push(line);
    }
    let cell = |cell: &Cell| format!("{} {}", cell.text, cell.beside);
    let mut alike = 0;
    for group in groups.values().filter(|group| group.len() > 1) {
        let mut known: HashMap<Vec<String>, Vec<String>> = HashMap::new();
        for line in group {
            let text: Vec<String> = rows.get(*line).unwrap().cells.iter().map(cell).collect();
            let shown = lines_of_cursor(&mut grid, rows, *line, area);
            if let Some(other) = known.insert(shown, text.clone()) {
                assert_eq!(other, text, "{what} at {width}");
            }
        }
        alike += if known.len() > 1 { known.len() } else { 0 };
    }
    alike
}

#[test]
fn rows_that_differ_look_different_where_the_cursor_is() {
    let mut alike = 0;
    for file in [
        "warehouse/Acme.Warehouse.dll",
        "workshop/Workshop.dll",
        "parcel/parcel.exe",
        "sorter/sorter.exe",
        "faults/Faults.dll",
    ] {
        let session = Session::open(&[sample(file)]).unwrap();
        for place in lists(&session) {
            let Some(rows) = nodes::rows(&session, place).filter(|rows| rows.len > 0) else { continue };
            for width in [60, 100, 160] {
                for from in [0, rows.len / 3, rows.len / 2, rows.len - 1] {
                    alike += alike_rows_differ(&format!("{file} {place}"), &rows, from, width);
                }
            }
        }
    }
    assert!(alike > 0, "no row needs its details");
}

/// Methods whose names a narrow list cuts: overloads with long generic parameters.
const OVERLOADS: &[&str] = &[
    "PageableHelpers.CreateAsyncPageable<T>(Func<Response, (List<T>, string)>, ClientDiagnostics, string, RequestContext)",
    "PageableHelpers.CreateAsyncPageable<T>(Func<int?, HttpMessage>, Func<JsonElement, T>, string, CancellationToken)",
    "PageableHelpers.CreateAsyncPageable<T>(Func<int?, HttpMessage>, Func<JsonElement, T>, int?, CancellationToken)",
    "PageableHelpers.CreateAsyncPageable<T>(Func<int?, HttpMessage>, Func<JsonElement, T>, string, RequestContext)",
    "PageableHelpers.CreatePageable<T>(Func<int?, HttpMessage>, Func<JsonElement, T>, string, RequestContext)",
    "PageableHelpers.CreatePageable<T>(Response, Func<int?, string, HttpMessage>, string, RequestContext)",
    "PageableHelpers.CreateEnumerable<T>(Func<int?, Page<T>>, Func<string, int?, Page<T>>, int?)",
    "PageableHelpers.CreateAsyncEnumerable<T>(Func<int?, Task<Page<T>>>, Func<string, int?, Task<Page<T>>>, int?)",
    "BlittableJsonReaderBase.ReadVariableSizeIntInReverse(byte*, long, ref byte)",
    "BlittableJsonReaderBase.ReadVariableSizeInt(byte*, ref int)",
    "BlittableJsonReaderBase.ReadVariableSizeInt(byte*, int, ref int, ref bool)",
    "BlittableJsonReaderBase.ReadVariableSizeInt(ReadOnlySpan<byte>, int, ref int, ref bool)",
];

/// Asserts that of any 20 adjacent rows with different texts at least 19 are drawn differently; returns the number of rows.
fn neighbours_differ(what: &str, rows: &Rows<'_>, width: u16) -> usize {
    const ADJACENT: usize = 20;
    let theme = Theme::default();
    let look = Look { theme: &theme, glyphs: &UNICODE, focused: false, line: 0 };
    let area = Rect::new(0, 0, width, ADJACENT as u16);
    let mut grid = Grid { headless: true, idle: true, ..Grid::default() };
    grid.resize(rows, area.height);
    let mut seen = 0;
    while seen < rows.len {
        grid.scroll.top = seen;
        let mut buf = Buffer::empty(area);
        grid.draw(&mut buf, area, rows, &look, &|_, _| false, &|_, _, _, _| None);
        let window = grid.scroll.window();
        let text = |row| rows.get(row).unwrap().cells.iter().map(|cell| cell.text.clone() + "\t").collect::<String>();
        let texts: HashSet<String> = window.clone().map(text).collect();
        let drawn: HashSet<String> = lines(&buf).into_iter().take(window.len()).collect();
        assert!(drawn.len() + 1 >= texts.len(), "{what} at {width}: {texts:#?}\n{drawn:#?}");
        seen += window.len().max(1);
    }
    rows.len
}

#[test]
fn of_twenty_neighbours_nineteen_look_different() {
    let mut seen = 0;
    for file in ["warehouse/Acme.Warehouse.dll", "workshop/Workshop.dll", "parcel/parcel.exe", "sorter/sorter.exe"] {
        let session = Session::open(&[sample(file)]).unwrap();
        let tree = pdblens_nodes::code_tree::CodeTree::of(&session);
        let members = tree.branches.iter().flat_map(|branch| branch.members.clone());
        let named = members.map(|number| tree.member(&session, number));
        // Below a method, the others of its name have their parameters alone.
        let mut above = String::new();
        let row = |member: pdblens_nodes::code_tree::Member| {
            let head = member.name.split(['(', '<']).next().unwrap_or_default().to_owned();
            let parameters = member.name.strip_prefix(&*head).filter(|_| !head.is_empty() && head == above);
            let text = parameters.map_or_else(|| member.name.clone(), |parameters| format!("  {parameters}"));
            above = head;
            Row::plain(vec![Cell::new(text).beside(member.detail), Cell::new("1")])
        };
        let methods = Rows::of("", Head::list(["", ":"]), named.map(row).collect());
        // The tree is beside the source, and never has all of the width.
        seen += [35, 45].map(|width| neighbours_differ(file, &methods, width)).iter().sum::<usize>();
        for place in lists(&session) {
            let Some(rows) = nodes::rows(&session, place).filter(|rows| rows.len > 0) else { continue };
            for width in [80, 100, 120, 200] {
                seen += neighbours_differ(&format!("{file} {place}"), &rows, width);
            }
            let first = rows.get(0).and_then(|row| row.place);
            let users = first.and_then(|place| nodes::used_by::rows(&session, place));
            seen += users.map_or(0, |users| neighbours_differ(&format!("users of {place}"), &users, 52));
        }
    }
    let rows = OVERLOADS.iter().map(|name| Row::plain(vec![Cell::new(*name), Cell::new("12"), Cell::new("IL_0001")]));
    let rows = Rows::of("", Head::list(["method", "line:", "at"]), rows.collect());
    for width in [80, 100, 120, 200] {
        seen += neighbours_differ("overloads", &rows, width);
    }
    assert!(seen > 10_000, "{seen} rows");
}

#[test]
fn of_a_folder_of_300_each_file_has_its_name() {
    let folder = crate::support::folder::Folder::new();
    let image = fs::read(sample("ticker-embedded/Ticker.dll")).unwrap();
    let names = ["Microsoft.Extensions.Configuration", "System.Private", "Raven", "Lucene.Net.Contrib.Spatial"];
    let name = |index: usize| format!("{}.Generated.Library{index:03}.Abstractions.dll", names[index % names.len()]);
    for index in 0..300 {
        folder.write(&name(index), image.clone());
    }
    for (width, height) in [(80, 24), (100, 30), (120, 40), (200, 50)] {
        let options = Options { files: vec![folder.path().to_owned()], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", width, height);
        for keys in ["", "pagedown", "G"] {
            let text = screen.keys(keys).text();
            let rows: Vec<&str> = text.lines().filter(|line| line.contains("Library")).collect();
            let different: HashSet<&str> = rows.iter().copied().collect();
            assert!(rows.len() > 5 && different.len() == rows.len(), "{width}x{height}\n{text}");
            // The number of a file is in the middle of its name: a cut leaves it.
            assert!(rows.iter().all(|row| (0..300).any(|index| row.contains(&format!("{index:03}")))), "{text}");
        }
    }
}
