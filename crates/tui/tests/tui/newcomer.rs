//! First use with files of one's own: errors, missing partners, headers and hints.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;

/// The image of a sample, with nothing beside it.
fn alone(folder: &Folder, name: &str, width: u16, height: u16) -> Screen {
    let image = folder.write("App.dll", std::fs::read(sample(name)).unwrap());
    let options = Options { files: vec![image], ..Options::default() };
    Screen::with(options, Config::default(), "dark", width, height)
}

#[test]
fn without_a_pdb_the_first_method_with_il_is_selected() {
    let folder = Folder::new();
    for width in [80, 120] {
        let mut screen = alone(&folder, "ticker/Ticker.dll", width, 30);
        screen.keys("methods").shows("\u{25be} Ticker");
        screen
            .shows("Main(string[])")
            .keys("j j")
            .shows("Clock \u{203a} Now()")
            .keys("tab tab")
            .shows("DateTime.get_UtcNow");
    }
}

#[test]
fn an_unknown_start_place_shows_the_overview() {
    let options =
        Options { files: vec![sample("ticker/Ticker.dll")], at: Some("Foo.Bar".into()), ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.shows("Foo.Bar: no method named Foo.Bar").shows("✓ matches").keys("j").shows("▌  ✓ 2 of 2 sources are here");
}

#[test]
fn the_prompt_shows_the_line_of_an_offset_and_finds_names() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("o \"Since+0xf\"").shows("Clock.cs 13:13\u{2013}13:46; IL_000f is inside point 4");
    screen
        .keys("ctrl-u \"Program.cs:16\"")
        .shows("16:17\u{2013}16:88, IL_0024: point 8 of Ticker.Program.Main(string[])");
    // What nothing is called may be a part of a name.
    screen.keys("ctrl-u \"Clock+0x3\"").shows("Ticker.Clock.Since");
    screen.keys("enter").shows("TypeDef \u{203a} row 3");
    screen.keys("o \"Since+f\"").shows("\"f\" is not an offset of Since · tip: write Since+0xf").keys("esc");
    // An offset alone is one of the method.
    screen.keys("methods o \"+0x18\"").shows("Program.cs 14:17\u{2013}14:43; IL_0018 is");
    screen.keys("enter").shows("\u{203a} IL_0018");
}

#[test]
fn a_missing_debug_directory_is_reported() {
    let mut screen = Screen::open("ticker-mono/Ticker.exe", 120, 40);
    screen.keys("2 b").shows("PE \u{203a} sections").shows("Fields  pe/sections");
    screen.keys("o \"pe/debug\" enter").shows("the image has no debug directory: it does not say which PDB is its");
}

#[test]
fn a_truncated_image_is_reported() {
    let folder = Folder::new();
    let bytes = std::fs::read(sample("ticker/Ticker.dll")).unwrap();
    let image = folder.write("App.dll", &bytes[..2500]);
    let options = Options { files: vec![image], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("tab z").shows("the file is cut off: it has 2500 of at least 3072 bytes");
    // Cut off in the middle of the names, what is left of the tables is still there.
    let image = folder.write("Less.dll", &bytes[..1350]);
    let options = Options { files: vec![image], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("methods").shows("0x06000001  ").shows("0x06000002  ");
}

#[test]
fn the_header_keeps_view_names_and_the_current_view() {
    let folder = Folder::new();
    let name = "A.Very.Long.Name.Of.A.Library.That.Somebody.Made.dll";
    let image = folder.write(name, std::fs::read(sample("ticker-embedded/Ticker.dll")).unwrap());
    for (width, shows) in [(120, "1Summary  2File  3Code"), (80, "1Summary  2File  3Code"), (60, "4Trace")] {
        let options = Options { files: vec![image.clone()], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", width, 30);
        screen.keys("4").shows(shows).shows("A.Very").shows("\u{2713}");
    }
    // Blanks go before letters do.
    let files = ["dll", "pdb"].map(|kind| {
        let bytes = std::fs::read(sample(&format!("ticker/Ticker.{kind}"))).unwrap();
        folder.write(&format!("Somewhat.Longer.{kind}"), bytes)
    });
    let options = Options { files: files.to_vec(), ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 80, 30);
    screen.shows(" Somewhat.Longer.dll + .pdb  1Summary  2File  3Code  4Trace  5Compare  6Learn \u{2713}");
}

#[test]
fn hints_depend_on_the_pane() {
    let folder = Folder::new();
    // Without symbols, how to say where they are; always how to ask, and the menu of the thing.
    alone(&folder, "ticker/Ticker.dll", 80, 24).shows("p look in").shows("Space menu").shows("? keys");
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.shows("o ask").shows("Space menu");
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    assert!(!screen.text().contains("r used by"), "{}", screen.text());
    screen.keys("methods").shows("r used by").shows("] next point");
    // What moves has the word of its kind of code.
    for (sample, word) in [("ticker/Ticker.dll", "method"), ("native/tally.exe", "function")] {
        let mut screen = Screen::open(sample, 120, 40);
        screen.keys("methods shift-tab").finish().shows(&format!(" \u{2191}\u{2193} {word}"));
    }
}

#[test]
fn every_tab_has_a_name() {
    for sample in ["ticker/Ticker.dll", "workshop-windows/Workshop.dll", "native/tally.exe"] {
        for width in [80, 100, 120] {
            for view in 1..=6 {
                let mut screen = Screen::open(sample, width, 30);
                let text = screen.keys(&view.to_string()).text();
                let header = text.lines().next().unwrap();
                let short = ["1S", "2F", "3C", "4T", "5C", "6L"];
                assert!(short.iter().all(|tab| header.contains(tab)), "{sample} at {width}, view {view}: {header}");
            }
        }
    }
}

#[test]
fn a_long_name_leaves_room_for_its_details() {
    let folder = Folder::new();
    let name = "A.Very.Long.Name.Of.A.Library.dll";
    let image = folder.write(name, std::fs::read(sample("shapes-embedded/Shapes.dll")).unwrap());
    let options = Options { files: vec![image], ..Options::default() };
    Screen::with(options, Config::default(), "dark", 80, 24).shows("contains  14 types").shows(name);
}

#[test]
fn a_cut_path_shows_its_end() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("tables").shows("/Program.cs").shows("/Clock.cs");
}

#[test]
fn an_open_error_names_a_remedy() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name);
    let why = |path: std::path::PathBuf| pdblens_session::session::Session::open(&[path]).unwrap_err().to_string();
    let nothing = why(folder.path().to_owned());
    assert!(nothing.ends_with("this is a directory, and no .dll, .exe, .pdb or .mdb is in it"), "{nothing}");
    for name in ["a.pdb", "notes.txt", "z.dll", "y.DLL"] {
        folder.write(name, "text");
    }
    let first = why(folder.path().to_owned());
    assert!(first.ends_with("this is a directory with 3 files or pairs · tip: name one"), "{first}");
    assert!(why(path("missing.dll")).ends_with("missing.dll: there is no such file"));
    let text = why(path("notes.txt"));
    assert!(text.ends_with("this is text; expected a .dll, .exe, .pdb or .mdb"), "{text}");
    let zip = why(folder.write("App.snupkg", "PK\x03\x04"));
    assert!(zip.contains("this is a zip archive that cannot be read"), "{zip}");
}

#[test]
fn numbers_and_texts_are_aligned_in_columns() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("b").shows("image GUID     3222a828").shows("image stamp    0xb96cad35");
    // What numbers mean has some room, whatever else is in the record.
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"StateMachines.FetchAsync\" enter b").shows("0x36e   Fetch");
}

#[test]
fn the_breadcrumb_begins_with_the_view() {
    for (sample, steps) in [
        ("ticker/Ticker.dll", "File \u{203a} PDB metadata \u{203a} streams"),
        ("ticker-windows/Ticker.dll", "File \u{203a} Pages"),
        ("ticker-mono/Ticker.exe", "File \u{203a} Parts"),
    ] {
        Screen::open(sample, 120, 40).keys("2 2").shows(steps).keys("sources").shows("Code \u{203a} Clock.cs");
    }
}

#[test]
fn a_long_method_is_named_in_the_breadcrumb_of_its_points() {
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 60, 24);
    screen.keys("o \"NormalizeCustomerAsync(long\" enter ]");
    let line = screen.text().lines().nth(1).unwrap().to_owned();
    let (before, point) = line.split_once(" \u{203a} point ").unwrap_or_else(|| panic!("{line}"));
    assert!(before.contains("CustomerAsync") && before.contains('\u{2026}') && !point.is_empty(), "{line}");
}

#[test]
fn a_small_overview_names_the_lessons_and_the_pane_behind_tab() {
    let folder = crate::support::samples::repository("assets/broken/delta-overflow");
    let options = Options { files: vec![folder.join("Ticker.dll"), folder.join("Ticker.pdb")], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 80, 24);
    screen.shows("New here? 6 Learn").shows("1 finding");
    // The sentence about the findings leads to the first one.
    screen.keys("G enter").shows("3Code").shows("point 5");
    assert!(!screen.text().contains("New here?"), "{}", screen.text());
}

#[test]
fn the_first_screen_of_a_damaged_pair_has_the_mark_of_the_finding() {
    for fault in ["cut-directory", "bad-constant", "delta-overflow", "free-page-map-lies"] {
        let folder = crate::support::samples::repository("assets/broken").join(fault);
        let name = if fault == "bad-constant" { "Workshop" } else { "Ticker" };
        let files = ["dll", "pdb"].map(|extension| folder.join(format!("{name}.{extension}"))).to_vec();
        let options = || Options { files: files.clone(), ..Options::default() };
        // The list of findings counts them.
        let is_one = Screen::with(options(), Config::default(), "dark", 200, 50).text().contains(" 1 finding");
        for (width, height) in [(80, 24), (120, 40), (200, 50)] {
            let mut screen = Screen::with(options(), Config::default(), "dark", width, height);
            let header = screen.text().lines().next().unwrap().to_owned();
            let noun = if is_one { "✗ finding" } else { "✗ findings" };
            let is_named = header.trim_end().ends_with(noun) || header.contains(&format!("{noun},"));
            assert!(is_named && !header.contains('✓'), "{fault}: {header}");
            // The card names it, and leads to it.
            let has_sentence = screen.text().contains("rules hold");
            screen.shows("✗ ").keys(if has_sentence { "G enter" } else { "j j j j j enter" });
            assert_ne!(screen.app.selected().unwrap().selection.place, pdblens_nodes::Place::Overview, "{fault}");
        }
    }
    // A pair without faults has the mark of the match.
    assert!(Screen::open("ticker/Ticker.dll", 120, 40).text().lines().next().unwrap().contains("✓ matches"));
}

#[test]
fn the_verdict_is_abbreviated_where_more_views_are_named_then() {
    let names = ["1Summary", "2File", "3Code", "4Trace", "5Compare", "6Learn"];
    for (width, verdict) in [(80, "✓"), (100, "✓ matches"), (130, "✓ matches")] {
        let header = Screen::open("ticker/Ticker.dll", width, 40).text().lines().next().unwrap().to_owned();
        assert!(header.ends_with(verdict) && names.iter().all(|name| header.contains(name)), "{header}");
    }
}

#[test]
fn the_last_step_of_the_breadcrumb_is_whole() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("methods ]");
    for width in 60..140 {
        let text = screen.resize(width, 40).text();
        let line = text.lines().nth(1).unwrap();
        assert!(line.ends_with(" › point 2") || line.contains(" › point 2 "), "{width}: {line}");
    }
}

#[test]
fn every_finding_leads_to_another_place_than_the_overview() {
    let folders = std::fs::read_dir(crate::support::samples::repository("assets/broken")).unwrap();
    for folder in folders.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        let session = pdblens_session::session::Session::open(&files).unwrap();
        let remarks = pdblens_query::check::check(&session, &pdblens_session::source::SourceOptions::default());
        for finding in remarks.iter().filter(|remark| remark.grade == pdblens_query::check::Grade::Finding) {
            assert!(finding.place.is_some_and(|place| place != pdblens_nodes::Place::Overview), "{finding:?}");
        }
    }
}

#[test]
fn the_breadcrumb_of_a_heading_names_the_type() {
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.keys("methods shift-tab g j enter").shows("Code › Faults.Program");
}

#[test]
fn a_method_that_cannot_be_read_says_so_among_its_points() {
    let folder = Folder::new();
    let mut pdb = std::fs::read(sample("ticker/Ticker.pdb")).unwrap();
    // The IL offset of the third point of Main: no compressed integer begins with this byte.
    pdb[0x598] = 0xff;
    std::fs::write(folder.path().join("Ticker.pdb"), pdb).unwrap();
    std::fs::copy(sample("ticker/Ticker.dll"), folder.path().join("Ticker.dll")).unwrap();
    let files = ["Ticker.dll", "Ticker.pdb"].map(|name| folder.path().join(name)).to_vec();
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let options = Options { files: files.clone(), ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", width, height);
        // As Enter on the finding does.
        screen.keys("o \"method/0x06000001/points\" enter").shows("no more points: invalid first byte");
    }
}

#[test]
fn symbols_that_are_set_match_or_what_was_open_stays() {
    let folder = crate::support::samples::repository("assets/broken/wrong-guid");
    let open = || {
        let files = vec![folder.join("Ticker.dll"), folder.join("Ticker.pdb")];
        let options = Options { files, ..Options::default() };
        Screen::with(options, Config::default(), "dark", 200, 50)
    };
    let set = |screen: &mut Screen, path: &std::path::Path| {
        screen.keys("p").paste(path.to_str().unwrap()).keys("enter").text()
    };
    // Of another build, no symbols at all, damaged: each is said, and nothing changes.
    let other = sample("ticker/Ticker.pdb");
    for (path, said) in
        [(other.as_path(), "GUID differs; the open files stay"), (std::path::Path::new(file!()), "the open files stay")]
    {
        let mut screen = open();
        let text = set(&mut screen, path);
        assert!(text.contains(said) && text.contains("Ticker.dll + Ticker.pdb"), "{text}");
    }
    // Builds that are not listed are one key away.
    let mut screen = open();
    let listed = |screen: &Screen| screen.text().matches("GUID differs").count();
    let before = listed(screen.shows("more of that name"));
    screen.keys("1 G k k enter");
    assert!(listed(&screen) > before && !screen.text().contains("more of that name"), "{}", screen.text());
    // The one that belongs to the image.
    let alone = Folder::new();
    std::fs::copy(sample("ticker/Ticker.dll"), alone.path().join("Ticker.dll")).unwrap();
    let options = Options { files: vec![alone.path().join("Ticker.dll")], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
    let text = set(screen.shows("No PDB found"), &other);
    assert!(text.contains("PDB matches DLL: ") && text.contains("Ticker.dll + Ticker.pdb"), "{text}");
}

#[test]
fn the_list_of_modules_has_the_size_of_each_and_of_all() {
    let mut screen = Screen::open("parcel/parcel.exe", 200, 50);
    screen.keys("o \"modules\" enter b").shows("bytes in their streams").shows("size");
    // The first key of the File view sorts by size.
    screen.keys("2 2").shows("s sort");
    screen.keys("s").shows("by size ↓");
}

#[test]
fn a_long_answer_is_whole_at_every_width() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = Screen::open("faults/Faults.dll", width, height);
        screen.keys("o \"Faults.Program.Parse+0x5\" enter");
        let text = screen.text();
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("no instruction begins there: it is inside the one at IL_0003"),
            "{width}x{height}\n{text}"
        );
        // It covers the rows of the panes only for as long as it shows.
        screen.keys("esc");
        assert!(!screen.text().contains("no instruction begins there"), "{}", screen.text());
    }
}
