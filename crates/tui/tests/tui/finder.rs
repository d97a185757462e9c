//! The finder of names.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::Screen;
use crate::snapshot::{assert_snapshot, sections};
use crate::support::folder::Folder;
use crate::support::synth::Recipe;

/// The answers that show: what is between the line to type in and where the chosen one leads.
fn answers(screen: &Screen) -> Vec<String> {
    let text = screen.text();
    let inside = text.lines().filter(|line| line.contains('│')).map(|line| line.split('│').nth(1).unwrap_or_default());
    let answers = inside.skip(2).map(|line| line.trim_matches([' ', '▌']).to_owned());
    // What is cut in the chosen one is below the others, in full.
    answers.take_while(|line| !line.is_empty() && !line.starts_with('┊')).collect()
}

#[test]
fn every_name_of_both_files_is_found() {
    // What is typed, the first answer or one of them, where it leads, and what shows there.
    for (file, typed, wanted, leads, shown) in [
        ("workshop/Workshop.dll", "reading.sensor", "field", "Tables \u{203a} Field", "Fields  Field/"),
        ("workshop/Workshop.dll", "gaugerazor", "document", "Code \u{203a} Gauge.razor", "3Code"),
        ("workshop/Workshop.dll", "scopes nested", "method", "Workshop.Scopes \u{203a} Nested", "3Code"),
        ("workshop/Workshop.dll", "#strings", "heap", "strings", "2File"),
        ("workshop/Workshop.dll", "localscope", "table", "LocalScope", "LocalScope \u{b7} 40 rows"),
        ("workshop/Workshop.dll", ".text", "section", "section 0", "2File"),
        ("workshop/Workshop.dll", "codeview", "debug entry", "entry 0", "2File"),
        ("workshop/Workshop.dll", "greeting", "local", "LocalVariable", "Fields  LocalVariable/"),
        ("ticker/Ticker.dll", "nap ", " string ", "#US", "image/#US"),
        ("ticker/Ticker.dll", "elapsed", "local", "Tables \u{203a} LocalVariable \u{203a} row 5", "elapsed"),
        ("ticker-windows/Ticker.dll", "elapsed", "symbol", "Streams", "2File"),
        ("ticker-windows/Ticker.dll", "/names", "stream", "stream", "2File"),
        ("ticker-mono/Ticker.exe", "started", "local", "Main(string[])", "3Code"),
        ("native/tally.exe", "clamp", "function", "Code \u{203a} tally.obj \u{203a} clamp", "3Code"),
        ("native/tally.exe", "tally.obj", "module", "module 0", "2File"),
    ] {
        let mut screen = Screen::open(file, 120, 40);
        screen.keys("o").keys(&format!("\"{typed}\""));
        let found = answers(&screen);
        let at = found.iter().position(|line| line.contains(wanted));
        let Some(at) = at else { panic!("{file} {typed}: no {wanted} in {found:#?}\n{}", screen.text()) };
        screen.keys(&"down ".repeat(at)).shows(leads).keys("enter b").shows(shown);
    }
}

#[test]
fn matches_are_highlighted_and_their_place_is_shown() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"statmov\"").shows("Code \u{203a} Workshop.StateMachines.<Evens>d__2 \u{203a} MoveNext()");
    let names = screen.text();
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 80, 24);
    screen.keys("o \"fetch moven\"");
    let mut screens = vec![("120x40".to_owned(), names), ("80x24".to_owned(), screen.text())];
    // An offset in one of several methods of a name: those that have it are first.
    for (width, height) in [(120, 40), (80, 24)] {
        let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", width, height);
        screen.keys("o \"ComputeTemplateInternal+0x1d\"").finish().shows("8 methods, 4 reach IL_001d");
        screens.push((format!("offset {width}x{height}"), screen.text()));
    }
    assert_snapshot("finder", &sections(&screens));
    screen.keys("backspace backspace backspace backspace backspace \"zzz\"").shows("nothing");
}

#[test]
fn among_many_names_exact_matches_show_at_once() {
    let (folder, pair) = (Folder::new(), Recipe::of(12_000).pair());
    let files = vec![folder.write("Large.dll", pair.image), folder.write("Large.pdb", pair.pdb)];
    let mut screen = Screen::with(Options { files, ..Options::default() }, Config::default(), "dark", 120, 40);
    screen.holds = true;
    screen.keys("o").shows("collecting names");
    while screen.work() {}
    screen.shows("1000+ of 4");
    // Before the worker has had its turn, names that have the text show; after it, the best of those that are like it.
    screen.keys("\"tryget\"");
    assert!(screen.waiting() > 0);
    let at_once = answers(&screen);
    assert!(at_once.len() > 12 && at_once.iter().all(|line| line.to_lowercase().contains("tryget")), "{at_once:#?}");
    screen.keys("\"rl\"");
    assert_eq!(screen.waiting(), 2, "only the last is wanted: its place, and names like it");
    while screen.work() {}
    let like = answers(&screen);
    assert!(!like.is_empty() && like.iter().any(|line| !line.to_lowercase().contains("trygetrl")), "{like:#?}");
}

#[test]
fn enter_before_any_result_takes_the_first_one() {
    let files = vec![crate::harness::sample("workshop/Workshop.dll")];
    let open = || {
        let mut screen = Screen::holding(Options { files: files.clone(), ..Options::default() }, 120, 40);
        screen.finish().holds = true;
        screen.keys("o").shows("collecting names");
        screen
    };
    let mut screen = open();
    screen.keys("\"scopes nested\" enter").shows("the first result is accepted as soon as it arrives");
    screen.finish().shows("Nested").shows("3Code").shows("Points and IL");
    assert!(!screen.text().contains("collecting names"));
    // Whoever goes on typing, or goes away, is not taken anywhere.
    let mut screen = open();
    screen.keys("\"scopes\" enter \" nested\"");
    screen.finish().shows("Ask").shows("Workshop.Scopes \u{203a} Nested");
    let mut screen = open();
    screen.keys("\"scopes nested\" enter esc");
    screen.finish().shows("1Summary").shows("Facts");
    // Where there is none, that is said.
    let mut screen = open();
    screen.keys("\"zzzzz\" enter");
    screen.finish().shows("nothing");
}

#[test]
fn enter_among_many_names_waits_for_the_ranking() {
    let (folder, pair) = (Folder::new(), Recipe::of(12_000).pair());
    let files = vec![folder.write("Large.dll", pair.image), folder.write("Large.pdb", pair.pdb)];
    let open = || {
        let mut screen =
            Screen::with(Options { files: files.clone(), ..Options::default() }, Config::default(), "dark", 120, 40);
        screen.holds = true;
        screen
    };
    // What is taken after waiting is what would have been the first answer without.
    let mut patient = open();
    patient.keys("o").finish().keys("\"trygetrl\"");
    assert!(!answers(&patient).is_empty());
    patient.keys("enter");
    let mut hasty = open();
    hasty.keys("o \"trygetrl\" enter").finish();
    let place = |screen: &Screen| screen.app.selected().unwrap().selection.place;
    assert_eq!(place(&hasty), place(&patient), "\n{}", hasty.text());
    assert!(!hasty.text().contains("Ask"));
}
