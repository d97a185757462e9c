//! Large files: keys are answered at once with what is known, and the rest appears when the worker is done.

use pdblens_nodes as nodes;
use std::path::PathBuf;

use pdblens_nodes::Side;
use pdblens_nodes::{Heap, Place};
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::Screen;
use crate::snapshot::{assert_snapshot, sections};
use crate::support::folder::Folder;
use crate::support::synth::Recipe;
use crate::support::synth::native::Native;

fn open(folder: &Folder, files: &[(&str, Vec<u8>)], theme: &str, (width, height): (u16, u16)) -> Screen {
    let files: Vec<PathBuf> = files.iter().map(|(name, bytes)| folder.write(name, bytes)).collect();
    Screen::with(Options { files, ..Options::default() }, Config::default(), theme, width, height)
}

/// The same, at a place; all jobs but the one that opens the files wait.
fn at(folder: &Folder, files: &[(&str, Vec<u8>)], place: &str) -> Screen {
    let files: Vec<PathBuf> = files.iter().map(|(name, bytes)| folder.write(name, bytes)).collect();
    Screen::holding(Options { files, at: Some(place.to_owned()), ..Options::default() }, 120, 40)
}

fn portable(methods: u32) -> Vec<(&'static str, Vec<u8>)> {
    let pair = Recipe::of(methods).pair();
    vec![("Large.dll", pair.image), ("Large.pdb", pair.pdb)]
}

fn windows(methods: u32) -> Vec<(&'static str, Vec<u8>)> {
    let recipe = Recipe::of(methods);
    vec![("Large.dll", recipe.pair().image), ("Large.pdb", recipe.windows(4096))]
}

#[test]
fn references_to_a_large_heap_appear_when_indexed() {
    let folder = Folder::new();
    let files = portable(30_000);
    let mut screen = at(&folder, &files, "pdb/heap/blob");
    screen.shows("reading #Blob");
    // Where the entries begin comes first, then who uses them.
    screen.finish().keys("b").shows("used by").shows("Document/1");
    let session = screen.app.session().cloned().unwrap();
    assert_eq!(nodes::required_index(&session, Place::Heap(Side::Pdb, Heap::Blobs)), None);

    // An entry that a link leads to is explained as soon as that is known.
    let mut screen = at(&folder, &files, "pdb/heap/blob/0x1");
    screen.keys("b").shows("Heaps").shows("Fields  pdb/#Blob");
    screen.finish().shows("Fields  pdb/heap/blob/0x1 · Document.");
}

#[test]
fn the_owner_of_a_byte_is_refined_after_indexing() {
    let folder = Folder::new();
    let mut screen = at(&folder, &portable(30_000), "method/15000/points/1");
    let place = |screen: &Screen| screen.app.selected().unwrap().selection.place.to_string();
    // A byte of the same point needs nothing to be known; the next point does.
    screen.keys("b tab tab tab l");
    assert_eq!(place(&screen), "method/0x06003a98/points/1");
    screen.keys("l l l l l");
    assert_eq!(place(&screen), "pdb/heap/blob");
    screen.finish();
    assert_eq!(place(&screen), "method/0x06003a98/points/2");
    screen.shows("Fields  point 2").shows("3Code");
}

#[test]
fn large_method_and_document_lists_are_sorted_by_a_job() {
    let folder = Folder::new();
    let recipe = Recipe { documents: 1200, imports: 1201, types: 1202, ..Recipe::of(12_000) };
    let pair = recipe.pair();
    let files = [("Large.dll", pair.image), ("Large.pdb", pair.pdb)];
    let mut screen = open(&folder, &files, "dark", (120, 40));
    screen.holds = true;
    screen.keys("methods").shows("reading 12000 methods").shows("Points and IL").shows("IL_0000");
    screen.keys("sources").shows("reading the documents");
    // The text of the first document shows, whether or not it is among others yet.
    screen.shows("Document");
    screen.finish().shows("OrderController1.cs").keys("methods").shows("Points and IL");
    assert!(!screen.text().contains("reading"), "{}", screen.text());
}

#[test]
fn a_large_windows_pdb_opens_before_it_is_indexed() {
    let folder = Folder::new();
    let files = windows(18_000);
    let mut screen = at(&folder, &files, "stream/3");
    screen
        .shows("Page map")
        .shows("pages of 4096 bytes")
        .shows("reading the parts")
        .shows("stream 3 · DBI (debug information)");
    screen.finish().keys("b").shows("DBI header").shows("stream 3 · ");
    // What is chosen stays chosen when another view was looked at.
    screen.keys("methods ] ]").shows("point 3").keys("2").shows("stream 3 · DBI (debug information)");
    // A module's stream, and the records of it.
    at(&folder, &files, "stream/20").keys("b").shows("S_GMANPROC").shows("module ");
}

#[test]
fn the_page_map_of_a_large_file_in_every_theme() {
    let folder = Folder::new();
    let files = windows(18_000);
    let sizes = [("light", (120, 40)), ("ansi", (200, 50)), ("mono", (80, 24)), ("dark", (80, 24))];
    let screens = sizes.map(|(theme, size)| {
        let mut screen = open(&folder, &files, theme, size);
        screen.keys("2 2 j j j j");
        let (width, height) = size;
        // The map and what is said of it: the rest are other panes.
        let seen: Vec<String> = screen.text().lines().take(13).map(str::to_owned).collect();
        (format!("{width}x{height} {theme}"), seen.join("\n"))
    });
    assert_snapshot("page-map", &sections(&screens));
}

#[test]
fn native_functions_are_counted_by_a_job() {
    let folder = Folder::new();
    let pdb = Native { modules: 200, functions: 50, lines: 40, seed: 1 }.pdb(4096);
    let mut screen = at(&folder, &[("Large.pdb", pdb)], "modules");
    let counted = |screen: &Screen| {
        let text = screen.text();
        let parts = text.lines().filter_map(|line| line.rsplit('│').next());
        let row = parts.map(str::trim_start).find(|line| line.starts_with("functions "));
        row.and_then(|row| row.split_whitespace().nth(1).map(str::to_owned))
    };
    assert_eq!(counted(screen.keys("shift-tab")).as_deref(), Some("…"));
    assert_eq!(counted(screen.finish()).as_deref(), Some("10000"));
    screen.keys("o \"functions\" enter").shows("unit0_function0").shows("10000 functions");
}

#[test]
fn no_key_reads_the_functions_of_a_large_native_pdb() {
    let folder = Folder::new();
    let pdb = Native { modules: 60, functions: 200, lines: 80, seed: 1 }.pdb(4096);
    assert!(pdb.len() > 8 << 20, "{}", pdb.len());
    let mut screen = at(&folder, &[("Large.pdb", pdb)], "modules");
    let place = |screen: &Screen| screen.app.selected().unwrap().selection.place;
    assert_eq!(place(screen.keys("sources")), Place::Documents);
    screen.keys("methods").shows("reading functions");
    screen.finish().shows("12000");
}

#[test]
fn a_click_on_a_cell_of_the_page_map_goes_to_the_stream_that_owns_it() {
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 120, 40);
    screen.keys("2 2 b");
    // Row 16, the fifth cell: page 20.
    let top = screen.text().lines().position(|line| line.contains("  0   sb")).unwrap() as u16;
    screen.click(5 + 4 * 4 + 2, top + 1).shows("page 20").shows("stream 17 · module Workshop.Scopes · 5 pages: 20–24");
    screen.shows("Fields  page 20").shows("stream 17 · module Workshop.Scopes · 56 records");
    // A page in the middle of a stream shows what of it is there.
    screen.keys("right right").shows("page 22").shows("Fields  page 22");
    let text = screen.text();
    assert!(!text.contains("1/56"), "the record that the page begins in is chosen:\n{text}");
    screen.keys("enter").shows("Streams › stream 17");
    // The file's own pages have no stream.
    screen.keys("backspace");
    screen.click(5 + 2, top).shows("the superblock").shows("Fields  page 0");
}
