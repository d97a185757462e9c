//! Several files: recent ones, one prompt for all of them, operands that lead across, the editor.

use std::path::{Path, PathBuf};

use pdblens_session::source::SourceOptions;
use pdblens_tui::Options;
use pdblens_tui::app::config::{Config, parse_recents};
use pdblens_tui::state::paths::Paths;

use crate::harness::{Screen, sample};
use crate::support::containers::bundle;
use crate::support::folder::Folder;
use crate::support::samples::repository;

fn open_other(screen: &mut Screen, file: &Path) {
    screen.keys("O").paste(&file.display().to_string()).keys("enter");
}

#[test]
fn files_that_were_opened_are_listed_and_can_be_opened_again() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    let first = screen.recent.clone().unwrap();
    assert!(first.ends_with("Ticker.pdb\n") && first.contains("Ticker.dll\t"), "{first}");
    open_other(&mut screen, &sample("workshop/Workshop.dll"));
    let list = screen.recent.clone().unwrap();
    assert!(list.contains("Workshop.dll\t") && list.ends_with(&first), "{list}");
    // The next run has both; what is open is not listed twice.
    let config = Config { recents: Some(parse_recents(&list)), ..Config::default() };
    let options = Options { files: vec![sample("ticker/Ticker.dll")], ..Options::default() };
    let mut screen = Screen::with(options, config, "dark", 120, 40);
    screen.keys("O").shows("Open and recent files").shows("Workshop.dll + Workshop.pdb");
    assert_eq!(
        screen.text().matches("Ticker.dll + Ticker.pdb").count(),
        2,
        "the header and the list:\n{}",
        screen.text()
    );
    // The pair that is shown stays where it is.
    screen.keys("esc methods j").shows("Code \u{203a} ");
    let before = screen.text();
    assert_eq!(screen.keys("O enter").text(), before);
    screen.keys("O down enter").shows("Workshop.dll + Workshop.pdb is open now");
    // Nothing is kept where the user does not want it.
    let config = Config::parse("recent = false", Path::new("config.toml"));
    let options = Options { files: vec![sample("ticker/Ticker.dll")], ..Options::default() };
    let screen = Screen::with(options, config, "dark", 120, 40);
    assert_eq!(screen.recent, None);
}

#[test]
fn a_dll_joins_the_pdb_that_came_alone_though_it_has_one_beside_it() {
    let folder = Folder::new();
    let alone = folder.write("alone.pdb", std::fs::read(sample("workshop/Workshop.pdb")).unwrap());
    let options = Options { files: vec![alone], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.shows("No DLL found");
    open_other(&mut screen, &sample("workshop/Workshop.dll"));
    screen.shows("Workshop.dll + alone.pdb").shows("✓ matches");
    // It is not open by itself any more, and what was looked at in it is in the pair.
    screen.keys("O").shows("Workshop.dll + alone.pdb");
    assert!(!screen.text().contains("No DLL found"), "{}", screen.text());
    screen.keys("esc backspace").shows("Workshop.dll + alone.pdb").shows("✓ matches");
    // One of another build does not join it.
    open_other(&mut screen, &sample("ticker/Ticker.dll"));
    screen.shows("Ticker.dll + Ticker.pdb");
}

#[test]
fn the_prompt_finds_names_of_all_open_files() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    open_other(&mut screen, &sample("faults/Faults.dll"));
    screen.keys("o \"Since\"").shows("Ticker.Clock.Since").shows("in Ticker.dll");
    screen.keys("enter").shows("Ticker.dll + Ticker.pdb").shows("3Code").shows("Since(");
    // A name of the shown files comes first.
    screen.keys("o \"Main\"");
    let text = screen.text();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}"));
    assert!(at("Code › Ticker.Program › M") < at("Faults.Program.Main"), "{text}");
}

#[test]
fn the_operand_of_a_call_leads_to_the_file_that_defines_it() {
    // A copy of Faults.dll that defines what Workshop.dll refers to: System.Object and its constructor.
    let folder = Folder::new();
    let mut image = std::fs::read(sample("faults/Faults.dll")).unwrap();
    for (from, to) in [("\0Warehouse`1\0", "\0Object\0"), ("\0Faults\0", "\0System\0")] {
        let at = image.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap();
        image[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    let other = folder.write("System.Other.dll", image);
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"Workshop.Reading..ctor\" enter").shows("3Code");
    screen.keys("tab / \"Object\" enter enter").shows("MemberRef");
    screen.keys("backspace");
    open_other(&mut screen, &other);
    screen.keys("backspace").shows("Workshop.dll").shows("Object..ctor()");
    screen.keys("enter").shows("System.Other.dll is open now");
}

#[test]
fn the_editor_is_asked_for_the_selected_line() {
    let roots = vec![repository("assets/sources")];
    let paths = Paths { sources: SourceOptions { roots, ..SourceOptions::default() }, ..Paths::default() };
    let options = Options { files: vec![sample("workshop/Workshop.dll")], paths, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("methods ] ] e");
    let at = screen.edited.pop().expect("no editor was asked for");
    assert!(at.path.ends_with("workshop/Columns.cs") && at.line > 1 && at.column > 1, "{at:?}");
    screen.keys("sources tab j j e");
    let at = screen.edited.pop().unwrap();
    assert!(at.path.ends_with("workshop/Columns.cs") && at.line > 1, "{at:?}");
    // A text that is no file cannot be opened, and the reason is said.
    let mut screen = Screen::open("workshop-embedded/Workshop.dll", 120, 40);
    screen.keys("methods ] e").shows("this text is not a file on this machine (embedded): p says where to look");
    assert_eq!(screen.edited, []);
}

/// A folder with two pairs, one of which does not match.
fn folder_of_two() -> Folder {
    let folder = Folder::new();
    let copy = |name: &str, from: &str| folder.write(name, std::fs::read(sample(from)).unwrap());
    copy("Ticker.dll", "ticker/Ticker.dll");
    copy("Ticker.pdb", "ticker/Ticker.pdb");
    copy("Workshop.dll", "workshop/Workshop.dll");
    copy("Workshop.pdb", "ticker-release/Ticker.pdb");
    folder
}

#[test]
fn a_digit_opens_the_file_under_the_cursor_in_its_view() {
    let folder = folder_of_two();
    for (width, tabs) in
        [(80, "1Sum 2File 3Code 4Trc 5Cmp 6Lrn"), (120, "1Summary  2File  3Code  4Trace  5Compare  6Learn")]
    {
        let options = Options { files: vec![folder.path().to_owned()], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", width, 40);
        screen.shows(tabs).keys("2").shows("━ Parts");
        // A file that is chosen while another one is open.
        screen.keys("backspace backspace").shows("a folder of 2 files").keys("down 3").shows(" Code › ");
        screen.keys("backspace backspace").shows("a folder of 2 files").click_on("2File").shows("━ Parts");
    }
}

#[test]
fn a_folder_with_several_pairs_is_a_list_to_choose_from() {
    let folder = folder_of_two();
    let options = || Options { files: vec![folder.path().to_owned()], ..Options::default() };
    let mut screen = Screen::with(options(), Config::default(), "dark", 120, 40);
    screen.shows("a folder of 2 files").shows("1 ✓ with their PDB   0 ! without one   1 ✗ mismatch   0 · no code");
    screen
        .shows("1/2")
        .shows("✓ Ticker.dll")
        .shows("beside")
        .shows("GUID differs")
        .shows("2 of 2 ")
        .shows("20456 bytes");
    screen.keys("/ \"work\"").shows("1/1 of 2");
    assert!(!screen.text().contains("Ticker.dll  "), "{}", screen.text());
    screen.keys("ctrl-u \"tick\" enter enter").shows("Ticker.pdb is the right PDB");
    // The list can be opened again, to choose another pair.
    screen.keys("O").shows("list of its files").keys("down enter").shows("1/1 of 2");
    screen.keys("/ esc").shows("1/2");
    screen.keys("enter").shows("Workshop.dll + Workshop.pdb is open now").shows("✗ Workshop.pdb does not match");
    // As the first choice too.
    let mut screen = Screen::with(options(), Config::default(), "dark", 120, 40);
    screen.keys("enter").shows("Workshop.dll + Workshop.pdb").shows("✗ Workshop.pdb does not match");
    assert!(!screen.text().contains("No PDB found"), "{}", screen.text());
    // Without a choice there is nothing to show.
    let mut screen = Screen::with(options(), Config::default(), "dark", 120, 40);
    screen.keys("esc");
    assert!(screen.ended);
}

fn naming(files: Vec<PathBuf>) -> Screen {
    let options = Options { files, ..Options::default() };
    Screen::with(options, Config::default(), "dark", 120, 40)
}

#[test]
fn everything_that_is_named_is_in_one_list() {
    let (folder, other) = (folder_of_two(), Folder::new());
    let shapes = other.write("Shapes.dll", std::fs::read(sample("shapes-embedded/Shapes.dll")).unwrap());
    for files in [
        vec![folder.path().to_owned(), other.path().to_owned()],
        vec![other.path().to_owned(), folder.path().to_owned()],
        vec![folder.path().join("*"), shapes.clone()],
        vec![shapes.clone(), folder.path().join("Ticker.dll"), folder.path().join("Workshop.dll")],
    ] {
        let mut screen = naming(files.clone());
        screen.shows("3 files that were named").shows("Ticker.dll").shows("Workshop.dll").shows("Shapes.dll");
        screen.shows("1/3").shows("inside");
        screen.keys("/ \"shapes\"").shows("1/1 of 3").shows("15360 bytes").keys("enter enter").shows("✓ matches");
        // The others stay in the list of files.
        screen.keys("O").shows("list of its files").keys("down enter").shows("1/1 of 3");
        screen.keys("/ ctrl-u \"ticker\" enter enter").shows("Ticker.dll + Ticker.pdb is open now");
    }
    // An image and its symbols are one row; two images, or two folders of one pair each, are two.
    let all = ["Ticker.pdb", "Workshop.dll", "Ticker.dll", "Workshop.pdb"];
    naming(all.map(|name| folder.path().join(name)).to_vec()).shows("1/2");
    naming(vec![folder.path().join("Ticker.dll"), shapes]).shows("1/2");
    let one = Folder::new();
    one.write("Faults.dll", std::fs::read(sample("faults/Faults.dll")).unwrap());
    naming(vec![one.path().to_owned(), other.path().to_owned()]).shows("1/2").shows("Faults.dll");
}

#[test]
fn one_pair_is_opened_however_it_is_named() {
    let folder = folder_of_two();
    let [dll, pdb] = ["Ticker.dll", "Ticker.pdb"].map(|name| folder.path().join(name));
    for files in
        [vec![dll.clone(), pdb.clone()], vec![pdb.clone(), dll.clone()], vec![folder.path().join("Tick*"), dll]]
    {
        naming(files).shows("Ticker.pdb is the right PDB");
    }
    // Of two files of different pairs, each in its role, one is judged by the other.
    naming(vec![folder.path().join("Workshop.dll"), pdb]).shows("✗ PDB does not match");
}

/// Letters are commands of the list until `/` is pressed, and text from then on: no hint names a key of the panes.
#[test]
fn the_hints_of_a_list_are_its_own_keys() {
    let folder = folder_of_two();
    let mut screen = naming(vec![folder.path().to_owned()]);
    screen.shows("↵ open   f fetch all PDBs   ⇥ compare two   ! findings   n next finding   Esc close   ? keys");
    screen.shows("s sort  & status  / any column").shows("!  1 finding, ");
    screen.keys("/").shows("↵ keep the filter   Esc clear it").keys("esc");
    assert!(!screen.text().contains("/ find"), "{}", screen.text());
    screen.keys("enter").shows("w why");
}

#[test]
fn a_folder_that_is_opened_in_the_screens_is_listed() {
    let folder = folder_of_two();
    let mut screen = Screen::open("shapes/Shapes.dll", 120, 40);
    open_other(&mut screen, folder.path());
    screen.shows("a folder of 2 files").keys("esc").shows("Shapes.dll");
    assert!(!screen.text().contains("a folder of"), "{}", screen.text());
    open_other(&mut screen, folder.path());
    screen.keys("down enter").shows("Ticker.dll + Ticker.pdb is open now");
}

#[test]
fn a_pdb_that_is_open_alone_lists_the_images_near_it() {
    let folder = Folder::new();
    let copy = |name: &str, from: &str| folder.write(name, std::fs::read(sample(from)).unwrap());
    for inner in ["obj", "bin", "old"] {
        std::fs::create_dir(folder.path().join(inner)).unwrap();
    }
    let pdb = copy("obj/Workshop.pdb", "workshop/Workshop.pdb");
    copy("bin/Workshop.dll", "workshop/Workshop.dll");
    copy("old/Workshop.dll", "workshop-release/Workshop.dll");
    let options = Options { files: vec![pdb], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.shows("No DLL found: Workshop.pdb is open alone").shows("bin/Workshop.dll").shows("old/Workshop.dll");
    screen.shows("PDB does not match: GUID differs").keys("j j j enter").shows("Workshop.pdb is the right PDB");
}

#[test]
fn a_prompt_keeps_a_path_that_leads_to_no_file() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    for keys in [": \"open-file\" enter", "esc 4 : \"open-file\" enter"] {
        screen.keys(keys).paste("/no/such/fil.dll").keys("enter").shows("/no/such/fil.dll: there is no such file");
        // What was typed can be mended.
        screen.keys("backspace").shows("/no/such/fil.dl").shows("completes");
        assert!(!screen.text().contains("no such file"), "{}", screen.text());
    }
    screen.keys("esc ? \"open\"").shows("a typed path opens another one");
}

#[test]
fn a_program_with_several_assemblies_leads_to_their_list() {
    let folder = Folder::new();
    let read = |name: &str| std::fs::read(sample(name)).unwrap();
    let (one, other) = (read("ticker/Ticker.dll"), read("faults/Faults.dll"));
    let program = folder.write("Ticker", bundle(&[("Faults.dll", &other), ("Ticker.dll", &one)]));
    let options = Options { files: vec![program.clone()], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 140, 40);
    // The list is there first, with the program's own assembly under the cursor.
    screen.shows("a container of 2 files").shows("2/2").shows("Faults.dll").keys("enter");
    screen.shows("Ticker.dll");
    assert!(!screen.text().contains("a container of"), "{}", screen.text());
    screen.keys("O").shows("list of its files").keys("down enter");
    screen.shows("a container of 2 files").shows("Faults.dll").keys("/ \"Faults\" enter enter").shows("Faults.dll");
    let mut screen = Screen::open("workshop/Workshop.dll", 140, 40);
    open_other(&mut screen, &program);
    screen.shows("a container of 2 files").shows("2/2").keys("enter").shows("Ticker.dll");
    // A place leads into the program's own assembly.
    let at = Some("method/Clock.Since".to_owned());
    let options = Options { files: vec![program], at, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 140, 40);
    screen.shows("Clock.Since");
}

/// The titles of the columns stay whole above the text that says so.
#[test]
fn a_search_in_a_container_without_hits_says_so_below_the_titles() {
    let folder = folder_of_two();
    let options = Options { files: vec![folder.path().to_owned()], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("/ \"zzz\"").shows("0/0 of 2").shows("no row contains this text");
    let text = screen.text();
    let line = |part: &str| text.lines().position(|line| line.contains(part)).unwrap();
    assert!(line("methods") + 1 == line("no row contains"), "{text}");
}

#[test]
fn stopping_the_first_files_ends_the_program() {
    let options = Options { files: vec![sample("ticker/Ticker.dll")], ..Options::default() };
    let (mut screen, commands) = Screen::opening(options, Config::default(), "dark", 120, 40);
    screen.holds = true;
    screen.carry_out(commands);
    screen.shows("opening Ticker.dll").pass(std::time::Duration::from_millis(300)).keys("esc");
    assert!(screen.ended, "{}", screen.text());
    // With files on the screen the job alone is stopped.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.holds = true;
    open_other(&mut screen, &sample("faults/Faults.dll"));
    screen.pass(std::time::Duration::from_millis(300)).keys("esc");
    assert!(!screen.ended, "{}", screen.text());
}

#[test]
fn a_definition_of_another_open_file_precedes_the_reference_of_the_shown_one() {
    // Names of the same length leave all offsets as they are.
    let mut bytes = std::fs::read(sample("faults/Faults.dll")).unwrap();
    for (name, other) in [("\0System\0", "\0Ticker\0"), ("\0Int32\0", "\0Clock\0")] {
        let at = bytes.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
        bytes[at..at + name.len()].copy_from_slice(other.as_bytes());
    }
    let folder = Folder::new();
    let file = folder.write("Faults.dll", bytes);
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    open_other(&mut screen, &file);
    screen.shows("Faults.dll").keys("o \"Ticker.Clock\"").finish();
    let text = screen.text();
    let rows: Vec<&str> =
        text.lines().filter(|line| line.contains("Ticker.Clock  ") && line.contains(" type ")).collect();
    assert!(rows.len() == 2 && rows[0].contains("in Ticker.dll"), "{text}");
}

#[test]
fn the_list_of_open_files_calls_a_program_exe() {
    Screen::open("native/tally.exe", 120, 40).keys("O").shows("tally.exe + tally.pdb").shows("PDB matches EXE");
    Screen::open("ticker/Ticker.dll", 120, 40).keys("O").shows("PDB matches DLL");
}

#[test]
fn names_that_complete_a_path_are_not_covered_by_the_number_of_others() {
    let folder = Folder::new();
    let names: Vec<String> = (0..90).map(|number| format!("library-{number}.dll")).collect();
    for name in &names {
        folder.write(name, b"");
    }
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = Screen::open("ticker/Ticker.dll", width, height);
        screen.keys(": \"open-file\" enter").paste(&format!("{}/", folder.path().display()));
        let text = screen.text();
        let shown: Vec<&str> = text.split_whitespace().filter(|word| word.starts_with("library-")).collect();
        assert!(shown.iter().all(|shown| names.iter().any(|name| name == shown)), "{text}");
        assert!(text.contains(&format!("and {} more", names.len() - shown.len())), "{text}");
    }
}

#[test]
fn a_pdb_that_does_not_match_is_offered_as_a_pair() {
    let folder = Folder::new();
    let image = folder.write("Workshop.dll", std::fs::read(sample("workshop/Workshop.dll")).unwrap());
    let pdb = sample("workshop-release/Workshop.pdb");
    let options = || Options { files: vec![image.clone()], ..Options::default() };
    let mut screen = Screen::with(options(), Config::default(), "dark", 120, 40);
    open_other(&mut screen, &pdb);
    screen.shows("Open both as a pair?").shows("open anyway").shows("open it alone");
    screen.keys("enter").shows("Workshop.dll + Workshop.pdb").shows("Workshop.pdb does not match Workshop.dll");
    let mut screen = Screen::with(options(), Config::default(), "dark", 120, 40);
    open_other(&mut screen, &pdb);
    screen.keys("esc").shows("Workshop.pdb is open now");
}

/// A folder is looked through without leaving it: sorted by findings, from one that is wrong to the next, and back to the row.
#[test]
fn a_folder_is_looked_through_without_leaving_it() {
    let folder = folder_of_two();
    folder.write("Alone.dll", std::fs::read(sample("faults/Faults.dll")).unwrap());
    let mut screen = naming(vec![folder.path().to_owned()]);
    screen.shows("1 ✓ with their PDB   1 ! without one   1 ✗ mismatch   0 · no code");
    screen.shows("1 of 1 name a PDB with an id, so a symbol server can be asked for them.").shows("p symbol path");
    // The only wrong one, wherever the cursor is; its verdict is below the list.
    for keys in ["n", "n", "N", "G n"] {
        screen.keys(keys).shows("✗ Workshop.pdb does not match Workshop.dll: GUID differs");
    }
    // What a debugger makes of another one is below the list as well.
    screen.keys("G").shows("! No PDB found: Alone.dll").shows("do not bind").keys("k").shows("✓  Stack traces");
    // Each status in turn, then all.
    for sign in ["✗", "✓", "!"] {
        screen.keys("&").shows(&format!("& {sign} only")).shows("1/1 of 3");
    }
    screen.keys("&").shows("& status");
    screen.keys("s").shows("by file ↑").keys("s").shows("by PDB ↑").keys("s s s s s").shows("by KB ↓");
    let text = screen.text();
    let line = |name: &str| text.lines().position(|line| line.contains(name)).unwrap();
    assert!(line("Workshop.dll  ") < line("Ticker.dll  "), "{text}");
    // The words are those of any column.
    screen.keys("/ \"differs\" enter").shows("1/1 of 3").keys("enter").shows("✗ Workshop.pdb does not match");
    screen.keys("methods backspace").shows("Summary").keys("backspace").shows("1/1 of 3").shows("by KB ↓");
}

#[test]
fn findings_of_a_folder_are_one_list_that_leads_into_its_files() {
    let folder = folder_of_two();
    let mut screen = naming(vec![folder.path().to_owned()]);
    screen.shows("!  1 finding, ").keys("!").shows("Findings of all files of the list").shows("Ticker.dll");
    // Closing it leads back, and so does Back in the file.
    screen.keys("esc").shows("a folder of 2 files").keys("!").paste("workshop id");
    screen
        .keys("enter")
        .shows("Workshop.dll + Workshop.pdb")
        .keys("backspace")
        .shows("a folder of 2 files")
        .shows("preview");
}

#[test]
fn two_files_of_a_folder_are_marked_and_compared() {
    let folder = Folder::new();
    for (name, from) in [("new/Ticker.dll", "ticker-release/Ticker.dll"), ("old/Ticker.dll", "ticker/Ticker.dll")] {
        std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        folder.write(name, std::fs::read(sample(from)).unwrap());
    }
    let mut screen = naming(vec![folder.path().to_owned()]);
    screen.keys("down tab").shows("old: old/Ticker.dll").keys("up tab").shows("new: new/Ticker.dll");
    screen.shows("↵ compare the marked two").keys("enter").shows("5Compare").shows("methods");
}

#[test]
fn a_symbol_path_fills_the_list_of_a_folder() {
    let (folder, symbols) = (Folder::new(), Folder::new());
    for name in ["Ticker", "Workshop"] {
        let read = |kind: &str| std::fs::read(sample(&format!("{}/{name}.{kind}", name.to_lowercase()))).unwrap();
        folder.write(&format!("{name}.dll"), read("dll"));
        symbols.write(&format!("{name}.pdb"), read("pdb"));
    }
    let mut screen = naming(vec![folder.path().to_owned()]);
    screen.shows("2 ! without one").keys("p").paste(&symbols.path().display().to_string()).keys("enter");
    screen.shows("2 ✓ with their PDB   0 ! without one").shows("found");
}

#[test]
fn another_file_is_left_and_found_where_it_was() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"method/3\" enter").shows("Since");
    open_other(&mut screen, &sample("shapes-embedded/Shapes.dll"));
    screen
        .keys("tables O \"ticker\" enter")
        .shows("Ticker.dll + Ticker.pdb is open now")
        .shows("3Code")
        .shows("Clock.Since");
    screen.keys("O \"shapes\" enter").shows("Tables ›");
}

#[test]
fn a_text_is_found_in_all_sources_and_leads_to_its_line() {
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 120, 40);
    screen
        .keys(": \"find-in-sources\" enter \"w\"")
        .shows("type two letters")
        .keys("\"riteline\"")
        .shows("1 line in 1 of 2 sources");
    screen.keys("enter").shows("Program.cs").shows("line 16");
    screen.keys(": \"find-in-sources\" enter \"no such text\"").shows("0 lines in 0 of 2 sources");
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys(": \"find-in-sources\" enter \"zz\"").shows("in 0 of 0 sources");
}

#[test]
fn a_treemap_shows_what_fills_the_files_and_leads_there() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = Screen::open("ticker/Ticker.dll", width, height);
        screen.keys("2 2 tab s").shows("What fills the files").shows("Ticker.pdb").shows("% of both files");
        // It has all of the width.
        assert!(!screen.text().contains("─ Parts "), "{}", screen.text());
        screen.keys("enter").shows("Ticker.dll, by type").keys("backspace").shows("both files, by type");
        screen.keys("t").shows("by document").keys("s").shows("Layout");
    }
}

#[test]
fn a_file_is_opened_where_it_was_left_in_another_run() {
    let open = |list: &str, at: Option<&str>| {
        let config = Config { recents: Some(parse_recents(list)), ..Config::default() };
        let files = vec![sample("workshop/Workshop.dll")];
        Screen::with(Options { files, at: at.map(str::to_owned), ..Options::default() }, config, "dark", 120, 40)
    };
    let mut first = open("", None);
    first.keys("o \"Gauge.Scaled+1\" enter q");
    let list = first.recent.clone().unwrap();
    // A closed terminal keeps it as the key does.
    let mut closed = open("", None);
    closed.keys("o \"Gauge.Scaled+1\" enter").event(pdblens_tui::app::Event::Ending);
    assert_eq!(closed.recent.as_ref(), Some(&list));
    let (_, left) = list.trim_end().rsplit_once("\t@").unwrap();
    let (id, place) = left.split_once(' ').unwrap();
    assert!(place.starts_with("method/0x06"), "{list}");
    open(&list, None)
        .shows("Scaled(int)")
        .shows("continued where Workshop.dll + Workshop.pdb was left")
        .keys("backspace")
        .shows("Summary");
    // A place that is named is shown, and so is the overview of another build.
    open(&list, Some("table/Document/3")).shows("Document \u{203a} row 3");
    open(&list.replace(id, "another"), None).shows("Workshop.pdb is the right PDB");
    // The list of open files leads there too, and the overview is no place to come back to.
    let config = Config { recents: Some(parse_recents(&list)), ..Config::default() };
    let mut other = Screen::with(Options::default(), config, "dark", 120, 40);
    open_other(&mut other, &sample("workshop/Workshop.dll"));
    other.shows("Scaled(int)").keys("1 q");
    assert!(!other.recent.clone().unwrap().contains('@'));
}

#[test]
fn findings_of_all_open_files_are_one_list() {
    let folder = repository("assets/broken/scopes-overlap");
    let files = vec![folder.join("Ticker.dll"), folder.join("Ticker.pdb")];
    let options = Options { files, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    open_other(&mut screen, &sample("workshop/Workshop.dll"));
    // The finding of the other file is before the notes of that on the screen.
    screen.keys("!").shows("Findings of all open files").shows("1 finding, ").shows("▌✗ ").shows("document-hash");
    screen.paste("workshop razor").shows("0 findings").keys("ctrl-u");
    // The completion of a finding is its rule.
    screen
        .keys("tab")
        .shows("1 finding, 0 notes")
        .keys("ctrl-u")
        .shows("document-hash")
        .keys("enter")
        .shows("Ticker.dll")
        .shows("is open now");
    assert_ne!(screen.app.selected().unwrap().selection.place, pdblens_nodes::Place::Overview);
    // A note without a place is said in full.
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 80, 24);
    screen.keys("!").shows("source-link").paste("source-link").keys("enter").shows("about the files as a whole");
}
