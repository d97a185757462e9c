//! Sources: search paths, maps, and fetching only after confirmation.

use pdblens_session::source::SourceOptions;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::state::paths::Paths;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::server::{Answer, Server, linked_paths};

fn assets(path: &str) -> String {
    repository("assets").join(path).display().to_string()
}

/// A sample at its Sources view, in a terminal where everything shows.
fn sources(file: &str) -> Screen {
    let mut screen = Screen::open(file, 120, 40);
    screen.keys("sources");
    screen
}

fn lacks(screen: &Screen, text: &str) {
    let seen = screen.text();
    assert!(!seen.contains(text), "{text:?} shows:\n{seen}");
}

/// Asserts that a document has a sign in the list.
#[track_caller]
fn marked(screen: &Screen, name: &str, sign: char) {
    let seen = screen.text();
    let lists = seen.lines().filter_map(|line| line.split('│').next());
    let mut rows = lists.filter(|row| row.contains(name));
    assert!(rows.any(|row| row.contains(sign)), "{name} has no {sign}:\n{seen}");
}

#[test]
fn source_options_of_the_command_line_apply_to_the_screens() {
    let sources = SourceOptions { roots: vec![assets("sources").into()], ..SourceOptions::default() };
    let paths = Paths { sources, ..Paths::default() };
    let options = Options { files: vec![sample("workshop/Workshop.dll")], paths, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("sources j").shows("Modern.cs  ✓ file").shows("namespace Workshop;");
    marked(&screen, "Parts.First.cs", '✓');
    screen.shows("assets/sources/workshop/Modern.cs");
    // In every view that has one.
    screen.keys("methods").shows("Columns.cs  ✓ file");
}

#[test]
fn a_missing_source_lists_searched_places_and_remedies() {
    let mut screen = sources("workshop/Workshop.dll");
    screen.keys("j").shows("source not here · f fetch · p folder").shows("Scaled(int)");
    screen.shows("https://example.com/pdblens/samples/workshop/Modern.cs").shows("not fetched");
    screen.shows("/_/workshop/Modern.cs").shows("not there");
    // Keys are those of the keymap, and actions without any are called by name.
    let text = "[keys]\n\"ctrl-t\" = \"look-in\"\np = \"\"\nf = \"\"";
    let config = Config::parse(text, std::path::Path::new("config.toml"));
    assert_eq!(config.problems, [""; 0]);
    let options = Options { files: vec![sample("workshop/Workshop.dll")], ..Options::default() };
    let mut screen = Screen::with(options, config, "dark", 120, 40);
    screen.keys("sources j").shows(": fetch-source fetch · ^t folder");
}

#[test]
fn a_new_source_folder_restarts_the_search() {
    let mut screen = sources("workshop/Workshop.dll");
    screen.keys("j p").shows("Where to look: a folder, OLD=NEW").shows("/_/workshop/Modern.cs");
    screen.paste("/no/such/folder").keys("enter").shows("no such folder: /no/such/folder");
    screen.shows("source not here");
    screen.keys("p esc").shows("source not here");
    screen.keys("p").paste(&assets("sources")).keys("enter").shows("Modern.cs  ✓ file").shows("✓ verified");
    screen.shows("symbol path set; stack traces use it, too");
    marked(&screen, "Columns.cs", '✓');
    // The lines stay where they were when a text is looked for once more.
    screen.keys("tab G").shows("34/34").keys("p").paste("/").keys("enter").shows("34/34");
}

#[test]
fn a_map_to_a_different_text_is_reported() {
    let folder = Folder::new();
    folder.write("mine/Modern.cs", "class Modern;\n");
    let mut screen = sources("workshop/Workshop.dll");
    let map = format!("/_/workshop={}", folder.path().join("mine").display());
    screen.keys("j p").paste(&map).keys("enter").shows("class Modern;").shows("✗ file, text differs");
    screen.shows("✗ differs from what was compiled").shows("f fetch · p folder");
    marked(&screen, "Modern.cs", '✗');
    // Beside the code the notice is short, so that both keys show.
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = Screen::open("workshop/Workshop.dll", width, height);
        screen.keys("sources p").paste(&map).keys("enter").shows("Modern.cs").keys("methods o \"Gauge.Scaled\" enter");
        screen.shows("✗ hash differs").shows("fetch · p folder");
    }
}

#[test]
fn paths_are_completed_as_they_are_typed() {
    let mut screen = sources("workshop/Workshop.dll");
    screen.keys("p").paste(&assets("samples/ticker-w")).shows("ticker-windows/").shows("ticker-windows-release/");
    screen.keys("tab").shows("samples/ticker-windows").keys("- tab").shows("ticker-windows-release/");
    screen
        .keys("esc 4 : \"open-file\" enter")
        .shows("Open a file")
        .paste(&assets("samples/faults/il"))
        .keys("tab enter");
    screen.shows("4Trace").shows("north is full");
}

/// A pair whose Source Link names a server, and that server.
fn linked(answers: &[(&str, Answer)]) -> (Folder, Server, Screen) {
    let of = |(path, answer): &(&str, Answer)| {
        linked_paths(&format!("/samples/workshop/{path}")).map(|path| (path, answer.clone()))
    };
    let server = Server::new(answers.iter().flat_map(of));
    let folder = Folder::new();
    folder.write("Workshop.dll", std::fs::read(sample("workshop/Workshop.dll")).unwrap());
    let pdb = folder.write("Workshop.pdb", server.linked(std::fs::read(sample("workshop/Workshop.pdb")).unwrap()));
    let options = Options { files: vec![pdb], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("sources");
    (folder, server, screen)
}

#[test]
fn a_source_is_fetched_after_confirmation_and_verified() {
    let original = std::fs::read(assets("sources/workshop/Modern.cs")).unwrap();
    let elsewhere = Server::new([]);
    let (_folder, server, mut screen) = linked(&[
        ("Modern.cs", Answer::Bytes(original)),
        ("Columns.cs", Answer::Bytes(b"another text".into())),
        ("Program.cs", Answer::CutOff(vec![b'x'; 3000], 10)),
        ("Scopes.cs", Answer::Redirect(elsewhere.url("/x").replace("127.0.0.1", "localhost"))),
    ]);
    screen.keys("j tab").shows("source not here");
    assert_eq!(server.asked().len(), 0, "nothing is fetched by looking");
    // The first time the host and the URL are named; Esc is no.
    screen.keys("f").shows("Fetch from 127.0.0.1?").shows("/samples/workshop/Modern.cs").shows("↵ fetch");
    screen.keys("esc").shows("source not here");
    assert_eq!(server.asked().len(), 0);
    screen.keys("f enter").shows("Modern.cs  ✓ source link").shows("namespace Workshop;").shows("✓ verified");
    screen.shows("fetched ");
    marked(&screen, "Modern.cs", '✓');
    assert_eq!(server.asked().len(), 1);
    screen.keys("f").shows("already verified: nothing to fetch");
    // The host is known from now on; each text is still asked for by itself.
    screen.keys("o \"document/1\" enter").shows("Columns.cs  reconstructed from IL").keys("f").shows("another text");
    screen.shows("✗ source link, text differs").shows("✗ differs");
    assert_eq!(server.asked().len(), 2);
    // What goes wrong is said, and can be tried again.
    screen
        .keys("o \"document/5\" enter")
        .shows("Program.cs  reconstructed from IL")
        .keys("f")
        .shows("breaks off after 10 of 3000 bytes");
    screen.keys("f");
    assert_eq!(server.asked().len(), 4);
    screen.keys("o \"document/4\" enter").shows("Parts.Second.cs  reconstructed from IL").keys("f").shows("not there");
    lacks(&screen, "f fetch");
    // The other host was not confirmed.
    screen
        .keys("o \"document/6\" enter")
        .shows("Scopes.cs  reconstructed from IL")
        .keys("f")
        .shows("it redirects to localhost, which was not named");
    assert_eq!(elsewhere.asked().len(), 0);
}

#[test]
fn a_failed_fetch_states_its_reason() {
    let mut screen = sources("ledger-windows/Ledger.dll");
    lacks(&screen, "f fetch");
    screen.keys("f").shows("the PDB has no URL for this document");
    let mut screen = sources("native/tally.exe");
    screen.keys("f");
    let seen = screen.text();
    let here =
        seen.contains("already verified: nothing to fetch") || seen.contains("a command from a file is never run");
    assert!(here, "{seen}");
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("f").shows("select a document or a method first");
}

#[test]
fn a_method_without_lines_states_the_reason_and_links_to_them() {
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.keys("methods o \"RestockAsync\" enter").shows("only starts a state machine").keys("tab tab enter");
    screen.shows("MoveNext()").shows("d__2").shows("65:9");
    screen.keys("backspace").shows("only starts a state machine");
    for (method, said) in [
        ("0x0600001f", "it is part of the state machine of RestockAsync(int)"),
        ("0x0600000c", "like all of Faults.Program.<>c"),
    ] {
        screen.keys(&format!("methods o \"{method}\" enter"));
        let words: Vec<String> = screen.text().split_whitespace().map(str::to_owned).collect();
        // It is broken into lines between other panes: its words are there.
        assert!(said.split(' ').all(|word| words.iter().any(|seen| seen.contains(word))), "{said}\n{}", screen.text());
    }
}

#[test]
fn empty_panes_state_reason_and_remedy() {
    let alone = |name: &str| {
        let folder = Folder::new();
        let path = folder.write(name.rsplit('/').next().unwrap(), std::fs::read(sample(name)).unwrap());
        let options = Options { files: vec![path], ..Options::default() };
        (folder, Screen::with(options, Config::default(), "dark", 200, 50))
    };
    let (_folder, mut screen) = alone("workshop/Workshop.dll");
    screen.keys("methods").shows("No symbols are open: no PDB for this image was").shows("p  set symbol path");
    screen.keys("sources").shows("No symbols are open: the PDB names").shows("p  set symbol path");
    screen.keys("methods o \"0x06000014\" enter tab tab").shows("It is an interface member");
    let (_folder, mut screen) = alone("workshop/Workshop.pdb");
    screen.keys("methods").shows("No image is open: no image that names this PDB").shows("IL is in the");
    screen.shows("O  open the DLL or EXE");
    screen.keys("2").shows("PDB metadata").shows("#Strings");
    let (_folder, mut screen) = alone("ticker-mono/Ticker.exe.mdb");
    screen.keys("2").shows("method table").keys("methods").shows("No image is open");
    let (_folder, mut screen) = alone("native/tally.pdb");
    screen.keys("methods").shows("no image is open: open tally.exe").shows("source not here");
    let mut screen = Screen::open("ticker/Ticker.dll", 200, 50);
    screen.keys("4").shows("Paste a stack trace here.").shows("O  open a file").shows("p  set symbol path");
}

#[test]
fn a_missing_text_shows_its_spans_which_lead_to_points() {
    let mut screen = sources("workshop/Workshop.dll");
    // Methods are named where they begin; a row is a point, lines without code have none, and Enter goes to it.
    screen.keys("j tab").shows("Modern.cs  reconstructed from IL").shows("  Scaled(int)");
    assert!(!screen.text().contains("without code"), "{}", screen.text());
    screen.keys("b / \"Scaled\" enter").shows("Fields  point").keys("j").shows("IL_0000");
    // The statement is dedented.
    screen.shows("7 \u{25cf} ┊factor * by");
    screen.keys("enter").shows("3Code").shows("Scaled(int)").shows("source not here");
    // A click is a point too, and without colours the symbols alone tell the selection.
    let mut screen = Screen::open("workshop/Workshop.dll", 80, 24);
    screen.keys("methods").shows("┊").keys("] ]").shows("3/6");
    let options = Options { files: vec![sample("workshop/Workshop.dll")], ..Options::default() };
    let config = Config::parse("glyphs = \"ascii\"", std::path::Path::new("config.toml"));
    let mut screen = Screen::with(options, config, "mono", 80, 24);
    screen.keys("methods").shows(":");
}
