//! Texts that are longer than their row can be read in full on the screen that shows them: rows of tables with the names in their links,
//! long frames of traces and their reasons, findings, rows beside each part, stream and table.

use std::collections::BTreeSet;
use std::fs;

use pdblens_nodes::rows::{Head, Row};
use pdblens_nodes::{self as nodes, Place, TableId};
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::harness::{Screen, lines, sample};
use crate::laws::one_pane_has_the_focus;
use crate::properties::{SIZES, assert_readable_at_all_sizes, letters, letters_in, lists};
use crate::support::folder::Folder;
use crate::support::is_thorough;
use crate::support::samples::repository;

/// Samples whose lists are gone through.
const FILES: &[&str] = &[
    "warehouse/Acme.Warehouse.dll",
    "workshop/Workshop.dll",
    "workshop-windows/Workshop.dll",
    "parcel/parcel.exe",
    "sorter/sorter.exe",
    "ticker-embedded/Ticker.dll",
];

/// The widest rows of a list that are looked at, one for each column.
fn widest(rows: &nodes::rows::Rows<'_>) -> BTreeSet<usize> {
    const MAX_ROWS: usize = 3000;
    let all: Vec<Row> = rows.window(0..rows.len.min(MAX_ROWS)).collect();
    let wide = |row: &Row, column: usize| {
        row.cells.get(column).map_or(0, |cell| cell.text.chars().count() + cell.beside.chars().count())
    };
    (0..rows.columns.len()).filter_map(|column| (0..all.len()).max_by_key(|row| wide(&all[*row], column))).collect()
}

/// Returns whether a text shows on adjacent lines of one pane or of the box of the full text: between two of the columns of the screen.
fn can_be_read(buffer: &Buffer, text: &str) -> bool {
    let area = buffer.area;
    // The box is around the row of the cursor where it needs both sides.
    let is_of_box = |y: &u16| (0..area.width).any(|x| buffer[(x, *y)].symbol() == "┊");
    let of_box = (0..area.height).filter(is_of_box).map(|y| letters_in(buffer, Rect { y, height: 1, ..area }));
    if of_box.collect::<String>().contains(text) {
        return true;
    }
    let starts = (0..area.width)
        .filter(|x| *x == 0 || (0..area.height).any(|y| "│┃┊▌┬┭┮ ".contains(buffer[(*x - 1, y)].symbol())));
    let ends: Vec<u16> = (1..=area.width)
        .filter(|x| *x == area.width || (0..area.height).any(|y| "│┃┊".contains(buffer[(*x, y)].symbol())))
        .collect();
    starts.into_iter().any(|x| {
        let inside = ends.iter().filter(|end| **end > x);
        inside.into_iter().any(|end| letters_in(buffer, Rect { x, width: end - x, ..area }).contains(text))
    })
}

/// Goes to the widest rows of all lists of a file, and reads each with the names beside its links.
fn wide_rows_are_readable(file: &str) {
    let mut screen = Screen::open(file, 80, 24);
    let session = screen.app.session().cloned().unwrap();
    // Documents, methods and functions are trees in views of their own.
    let is_tree = |list: &Place| {
        matches!(list, Place::Documents | Place::Methods | Place::Functions | Place::Parts | Place::Modules)
    };
    for list in lists(&session).into_iter().filter(|list| !is_tree(list)) {
        let Some(rows) = nodes::rows(&session, list).filter(|rows| rows.len > 0) else { continue };
        for index in widest(&rows) {
            let Some((row, place)) = rows.get(index).and_then(|row| Some((row.clone(), row.place?))) else { continue };
            if place.parent() != Some(list) || !place.to_string().contains('/') {
                continue;
            }
            screen.resize(80, 24).keys(if matches!(list, Place::Table(..) | Place::Heap(..)) { "3" } else { "2" });
            screen.keys(&format!("o \"{place}\" enter"));
            if screen.app.selected().map(|selected| selected.selection.place) != Some(place) {
                continue;
            }
            for (width, height) in SIZES {
                screen.resize(width, height);
                let (buffer, _) = screen.draw();
                // A column with one value in all rows is in the title, and what is beside that value in the Fields pane.
                let title = letters(&lines(&buffer)[2]);
                // A table draws no token, and no method of a scope, which is in the heading.
                let is_scope = matches!(list, Place::Table(_, TableId::LOCAL_SCOPE));
                let is_drawn = |head: &Head| head.name != "token" && !(is_scope && head.name == "Method");
                let drawn = row.cells.iter().enumerate();
                let drawn = drawn.filter(|(at, _)| rows.columns.get(*at).is_none_or(is_drawn));
                let drawn = drawn.map(|(_, cell)| cell);
                for cell in drawn.filter(|cell| cell.beside.is_empty() || !title.contains(&letters(&cell.text))) {
                    let names =
                        [&cell.text, &cell.beside].map(|text| letters(&pdblens_session::text::safe::visible(text)));
                    // An offset into a heap is in the Fields pane, which the rule below the list names with its key.
                    let is_offset = |name: &str| name.starts_with("0x") && cell.text != name;
                    for name in names.iter().filter(|name| !is_offset(name)) {
                        assert!(
                            can_be_read(&buffer, name),
                            "{file} {place} {width}x{height}: {name:?} cannot be read:\n{}",
                            screen.text()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_widest_rows_are_readable_with_the_names_in_their_links() {
    wide_rows_are_readable("workshop/Workshop.dll");
    if is_thorough() {
        wide_rows_are_readable("warehouse/Acme.Warehouse.dll");
    }
}

/// A copy of the files of a sample without its sources.
fn without_sources(sample_name: &str, file: &str) -> (Folder, Screen) {
    let folder = Folder::new();
    for entry in fs::read_dir(sample(sample_name)).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|own| own == "dll" || own == "exe" || own == "pdb") {
            folder.write(path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap());
        }
    }
    let options = Options { files: vec![folder.path().join(file)], ..Options::default() };
    let screen = Screen::with(options, Config::default(), "dark", 120, 40);
    (folder, screen)
}

#[test]
fn rows_of_a_source_without_text_are_readable() {
    const MAX_STEPS: usize = 60;
    let (mut headings, mut full) = (0, 0);
    for (folder, file, method) in [
        ("warehouse", "Acme.Warehouse.dll", "BuildTemplateFromConfigurationSection"),
        ("workshop", "Workshop.dll", "Extensions.Grade"),
        ("parcel", "parcel.exe", "entry"),
    ] {
        let (_files, mut screen) = without_sources(folder, file);
        screen.keys(&format!("o \"{method}\" enter"));
        let is_source = |screen: &Screen| {
            let (buffer, _) = screen.draw();
            let body = one_pane_has_the_focus(file, &buffer);
            let rule = lines(&buffer)[usize::from(body.y) - 1].clone();
            let title: String = rule.chars().skip(body.x.into()).take(body.width.into()).collect();
            [".cs ", ".cpp ", ".h "].iter().any(|extension| title.contains(extension))
        };
        (0..8).find(|_| is_source(screen.keys("tab"))).unwrap_or_else(|| panic!("{file}\n{}", screen.text()));
        screen.keys("g");
        for step in 0..MAX_STEPS {
            screen.copied.clear();
            screen.resize(80, 24).keys("y r");
            headings += usize::from(screen.copied.pop().is_some_and(|(_, row)| row.contains('(')));
            assert_readable_at_all_sizes(&format!("{file}, row {step}"), &mut screen);
            full += usize::from(screen.resize(80, 24).text().contains('┊'));
            screen.keys("j");
        }
    }
    assert!(headings > 8 && full > 4, "{headings} {full}");
}

#[test]
fn the_widest_rows_of_native_files_are_readable() {
    wide_rows_are_readable("parcel/parcel.exe");
}

#[test]
fn rows_beside_each_part_stream_table_and_document_are_readable() {
    const MAX_STEPS: usize = 24;
    for file in FILES {
        let mut screen = Screen::open(file, 120, 40);
        for view in ["2", "3", "5"] {
            screen.resize(120, 40).keys("esc").keys(view).keys("g");
            for step in 0..MAX_STEPS {
                for keys in ["tab tab", "G", "shift-tab shift-tab"] {
                    screen.keys(keys);
                    assert_readable_at_all_sizes(&format!("{file} {view}, row {step}, {keys}"), &mut screen);
                }
                let before = screen.app.selected().map(|selected| selected.selection);
                screen.keys("j");
                if screen.app.selected().map(|selected| selected.selection) == before {
                    break;
                }
            }
        }
    }
}

#[test]
fn findings_and_reasons_of_files_that_do_not_fit_are_readable() {
    let folders = fs::read_dir(repository("assets/broken")).unwrap().map(|entry| entry.unwrap().path());
    let mut seen = 0;
    for folder in folders.filter(|path| path.is_dir()) {
        let of = |ending: &str| {
            let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            files.into_iter().find(|path| path.extension().is_some_and(|own| own == ending))
        };
        let files: Vec<_> = ["dll", "exe", "pdb"].into_iter().filter_map(of).collect();
        let options = Options { files, ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
        screen.keys("1");
        for pane in 0..5 {
            screen.keys("g");
            for row in 0..if is_thorough() { 40 } else { 12 } {
                let what = format!("{} pane {pane}, row {row}", folder.display());
                assert_readable_at_all_sizes(&what, screen.resize(200, 50));
                let before = screen.resize(200, 50).text();
                if screen.keys("j").text() == before {
                    break;
                }
                seen += 1;
            }
            screen.keys("tab");
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn a_long_frame_and_its_reason_are_readable_in_full() {
    let argument = |index: usize| {
        format!(
            "[System.Collections.Generic.Dictionary`2[System.String, System.Int32], System.Private.CoreLib, Version={index}.0]"
        )
    };
    for repeated in [1, 4, 8, 30] {
        let generic = (0..repeated).map(argument).collect::<Vec<_>>().join(",");
        let frame = format!("at Acme.Unknown.VeryLongNameOfAType`{repeated}[{generic}].Method(System.String text)");
        let reason = format!("Acme.Unknown.VeryLongNameOfAType`{repeated}[{generic}].Method");
        let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
        screen.keys("4").paste(&format!("System.Exception: no\n   {frame}\n   at B.C()\n   at D.E()\n"));
        screen.keys("g");
        for (width, height) in SIZES {
            screen.resize(width, height).keys("g");
            let mut read = String::new();
            for _ in 0..12 {
                let (buffer, _) = screen.draw();
                let text = screen.text();
                assert!(text.contains("▌"), "{text}");
                let from = text.lines().position(|line| line.contains("┄ frame ┄")).unwrap() as u16 + 1;
                let lines = height - 1 - from;
                let details = letters_in(&buffer, Rect::new(0, from, width, lines));
                // A page begins with lines of the one before.
                let common = (0..=details.len().min(read.len())).rev().find(|n| {
                    details.is_char_boundary(*n)
                        && read.is_char_boundary(read.len() - n)
                        && read.ends_with(&details[..*n])
                });
                read.push_str(&details[common.unwrap_or(0)..]);
                // The rule says which lines show.
                let part =
                    text.lines().nth(usize::from(from) - 1).and_then(|rule| rule.split_once("–")?.1.split_once(" of "));
                if part.is_none_or(|(last, all)| all.starts_with(&format!("{last} "))) {
                    break;
                }
                screen.keys("pagedown");
                assert!(screen.text().contains("▌  at Acme") || !text.contains("▌  at Acme"), "{}", screen.text());
            }
            for wanted in [&frame, &reason] {
                let wanted = letters(wanted);
                assert!(read.contains(&wanted), "{repeated} {width}x{height}: {wanted}\n{read}\n{}", screen.text());
            }
        }
    }
}

#[test]
fn the_legend_of_a_page_map_fits_into_each_screen() {
    for (width, height) in SIZES {
        for theme in ["dark", "light", "ansi", "mono"] {
            let options = Options { files: vec![sample("parcel/parcel.pdb")], ..Options::default() };
            let mut screen = Screen::with(options, Config::default(), theme, width, height);
            // Numbers of streams without colours have no families.
            let families: &[&str] =
                if theme == "mono" { &[] } else { &["modules", "types", "symbols", "information", "free"] };
            screen.keys("2 2 b");
            for part in families.iter().chain(&["superblock", "FPM", "directory"]) {
                screen.shows(part);
            }
        }
    }
}

#[test]
fn a_document_without_text_leaves_the_room_of_its_source_to_its_urls() {
    let folder = Folder::new();
    let file = folder.write("Workshop.dll", fs::read(sample("workshop/Workshop.dll")).unwrap());
    folder.write("Workshop.pdb", fs::read(sample("workshop/Workshop.pdb")).unwrap());
    let options = Options { files: vec![file], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
    screen.keys("sources j j").shows("source not here").shows("https://example.com/pdblens/samples/");
    let text = screen.text();
    let rule = text.lines().nth(2).unwrap();
    let columns: Vec<usize> = rule.split(['┬', '┭', '┮']).map(|part| part.chars().count()).collect();
    assert!(columns.len() == 3 && columns[1] >= 60, "{columns:?}\n{text}");
}
