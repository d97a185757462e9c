//! The prompt, and the copied commands, which run.

use std::collections::BTreeSet;
use std::time::Duration;

use pdblens_nodes::Place;
use pdblens_session::session::Session;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};

#[test]
fn one_prompt_goes_finds_and_runs() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A place, with its breadcrumb and its fields.
    screen
        .keys("o \"06000002\"")
        .shows("Ask")
        .shows("method \u{203a}")
        .shows("Code \u{203a}")
        .keys("enter")
        .shows("3Code");
    screen.keys("o \"Document/3\" enter").shows("3Code");
    screen.keys("o \"MethodDebugInformation 5\" enter").shows("MethodDebugInformation \u{203a} row 5");
    screen.keys("backspace").shows("3Code");
    // Of two tables with a typed word, that of the symbols comes first.
    let text = screen.keys("o \"custom\"").finish().text();
    let at = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}\n{text}"));
    assert!(at("CustomDebugInformation ") < at("CustomAttribute "), "{text}");
    screen.keys("esc");
    // A name: the method that is called exactly that comes first, and overloads show their parameters.
    screen.keys("o \"Nested\"").shows("Workshop.Scopes \u{203a} Nested(int)");
    // So they do while parameters are typed.
    screen.keys("esc o \"Nested(in\"").shows("Workshop.Scopes \u{203a} Nested(int)");
    screen.keys("esc o \"zoom\"").shows("command z").keys("enter").shows("Documents \u{2501}");
    screen.keys("z o \":theme\"").shows("Choose a theme: dark").keys("esc");
    // A frame as it is printed.
    screen
        .paste("   at Workshop.Scopes.Nested(Int32 n)")
        .shows("method \u{203a}")
        .keys("enter")
        .shows("Workshop.Scopes");
    screen.keys("o \"zzzzq\"").shows("nothing: no method named zzzzq");
}

#[test]
fn what_is_typed_behind_a_name_is_kept_for_the_one_that_is_chosen() {
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o \"ComputeTemplateInternal+0x1d\"").finish().shows("(").keys("enter").shows("3Code");
    let place = screen.app.selected().unwrap().selection.place.to_string();
    assert!(place.ends_with("/il/0x1d"), "{place}");
    // Before and after Enter, what is said about the offset is said for the chosen one.
    screen
        .shows("begins at IL_001d")
        .keys("o \"ComputeTemplateInternal+0xfff\"")
        .finish()
        .shows("IL_0fff is past the end");
    screen.keys("enter").shows("IL_0fff is past the end: the method has");
    screen.keys("o \"ResponseService157.cs:8\"").finish().shows("AddressResponseService157.cs").keys("enter");
    let place = screen.app.selected().unwrap().selection.place.to_string();
    assert_eq!(place, "method/0x06000001/points/3");
}

#[test]
fn what_no_method_has_is_told_of_the_one_that_is_chosen() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    let why = "no overload of Clock.Since has the parameters (bool)";
    screen.keys("o \"Clock.Since(bool)+2\"").finish().shows(why).keys("enter").shows(why);
    assert_eq!(screen.app.selected().unwrap().selection.place.to_string(), "method/0x06000003/il/0x2");
    screen
        .keys("o \"Clock.Since(Int64) 15\"")
        .finish()
        .shows("\"15\" is not an offset of Clock.Since(Int64)")
        .keys("esc");
    screen.keys("o \"0x6000003 0x2\" enter");
    assert_eq!(screen.app.selected().unwrap().selection.place.to_string(), "method/0x06000003/il/0x2");
}

#[test]
fn a_number_of_native_code_is_that_of_a_type_too() {
    let mut screen = Screen::open("parcel/parcel.exe", 120, 40);
    screen.keys("o \"0x1000\"").finish().shows("function \u{203a}").shows("type \u{203a}").shows("id \u{203a}");
    screen.keys("down enter").shows("2File");
    assert_eq!(screen.app.selected().unwrap().selection.place.to_string(), "type/0x1000");
}

#[test]
fn results_that_look_alike_differ_in_the_details_of_the_cursor() {
    const MAX_RESULTS: usize = 12;
    for (file, names) in [
        ("warehouse/Acme.Warehouse.dll", &["Compute", "Service", ".ctor"][..]),
        ("workshop/Workshop.dll", &["s", "get"]),
        ("parcel/parcel.exe", &["parcel", "Box"]),
        ("sorter/sorter.exe", &["core", "sort"]),
    ] {
        for (width, height) in [(80, 24), (120, 40), (200, 50)] {
            for name in names {
                let mut screen = Screen::open(file, width, height);
                screen.keys(&format!("o \"{name}\"")).finish();
                let (mut seen, mut last) = (BTreeSet::new(), String::new());
                for row in 0..MAX_RESULTS {
                    let text = screen.text();
                    // The list ends where the cursor does not move.
                    if text == last {
                        break;
                    }
                    let list = text.lines().skip_while(|line| !line.contains("│ › ")).skip(2);
                    let rows = list.filter_map(|line| line.split('│').nth(1));
                    // The row of the cursor, with the lines of its details.
                    let own = rows.filter(|row| row.starts_with(['▌', '┊'])).map(str::to_owned);
                    assert!(seen.insert(own.collect::<Vec<String>>()), "{file} {name} {width}, row {row}:\n{text}");
                    last = text;
                    screen.keys("down");
                }
                assert!(seen.len() > 2, "{file} {name} {width}: {seen:?}");
            }
        }
    }
}

#[test]
fn views_carry_the_thread() {
    let place = |screen: &Screen| screen.app.selected().unwrap().selection.place;
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"MethodDebugInformation/4\" enter").shows("2File").keys("methods");
    assert_eq!(place(&screen).to_string(), "method/0x06000004");
    screen.keys("o \"table/Document/3\" enter").shows("2File").keys("sources");
    assert_eq!(place(&screen), Place::Document(3));
    // Records of a method lead to it, and to the line where it begins.
    for (row, method) in [
        ("LocalScope/18", "method/0x0600001d"),
        ("LocalVariable/9", "method/0x0600001d"),
        ("LocalConstant/2", "method/0x0600001d"),
        ("Param/24", "method/0x0600001d"),
        ("StateMachineMethod/1", "method/0x0600002c"),
    ] {
        screen.keys(&format!("o \"{row}\" enter")).shows("2File").keys("methods");
        assert_eq!(place(&screen).to_string(), method, "{row}");
        screen.keys("tables sources").shows("3Code");
        assert!(matches!(place(&screen), Place::Line(..)), "{row} {}", place(&screen));
    }
    // From a point to its line, and back to the same point.
    screen.keys("o \"method/0x06000001/points/2\" enter sources").shows("3Code");
    assert!(matches!(place(&screen), Place::Line(..)), "{:?}", place(&screen));
    screen.keys("methods").shows("3Code");
    assert_eq!(place(&screen).to_string(), "method/0x06000001/points/2");
    // A link to where one is makes no step.
    let back = |screen: &Screen| {
        screen.text().split("back ").nth(1).and_then(|rest| rest.split(' ').next().map(str::to_owned))
    };
    let before = back(&screen);
    screen.keys("o \"method/0x06000001/points/2\" enter");
    assert_eq!(back(&screen), before);
}

#[test]
fn hints_can_be_clicked_marks_lead_back_and_themes_are_shown_first() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    let text = screen.text();
    let last = text.lines().last().unwrap();
    let x = last.split("? keys").next().unwrap().chars().count() as u16;
    screen.click(x + 2, 39).shows("─ Keys ").keys("esc");
    // A digit that was a view says where that went.
    let mut small = Screen::open("workshop/Workshop.dll", 80, 24);
    small.keys("7").shows("Compare is 5 now").keys("8").shows("Used by is r now").keys("9").shows("Learn is 6 now");
    small.keys("sources").shows("3Code");
    // A group takes its second key after a click too.
    screen.click_on("y copy").keys("a");
    assert!(!screen.copied.is_empty());
    // The keys that matter most are first.
    let text = screen.keys("?").text();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}:\n{text}"));
    assert!(at("Ask: a name") < at("Move up, down") && at("Move up, down") < at("Quit"), "{text}");
    screen.keys("esc");
    // A mark leads back from anywhere.
    screen.keys("o \"method/0x06000002\" enter m a").shows("marked a").keys("1 ' a").shows("3Code");
    assert_eq!(screen.app.selected().unwrap().selection.place.to_string(), "method/0x06000002");
    screen.keys("' z").shows("there is no mark z");
    // To the place itself it makes no step.
    let steps = |screen: &Screen| screen.text().lines().nth(1).unwrap().to_owned();
    let (before, after) = (steps(&screen), steps(screen.keys("' a")));
    assert!(before.contains("back ") && before == after, "{before} {after}");
    // A theme is that of the screen while the cursor is on it, and stays with Enter only.
    screen.keys(": \"theme\" enter down");
    assert_eq!(&*screen.app.stage.theme.name, "light");
    screen.keys("esc");
    assert_eq!(&*screen.app.stage.theme.name, "dark");
    assert_eq!(screen.remembered, None);
    screen.keys(": \"theme\" enter \"mono\" enter");
    assert_eq!(&*screen.app.stage.theme.name, "mono");
    // It is there at the next start, and moving a divider does not lose it.
    let config = |screen: &mut Screen| {
        let state = screen.remembered.take().unwrap().parse().unwrap();
        Config { state, ..Config::default() }
    };
    assert_eq!(config(&mut screen).kept_theme(), Some("mono"));
    screen.keys("methods : \"reset-splits\" enter");
    assert_eq!(config(&mut screen).kept_theme(), Some("mono"));
}

#[test]
fn a_search_says_where_it_searched_and_the_prompt_goes_on_with_it() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("methods / \"Nested\"").shows("none in Points and IL").keys("enter");
    screen.shows("no Nested in Points and IL").shows("o searches everything");
    screen.keys("o").finish().shows("\u{203a} Nested").shows("Workshop.Scopes \u{203a} Nested(int)").keys("enter");
    assert_eq!(screen.app.selected().unwrap().selection.place.to_string(), "method/0x0600001d");
    // After that, the prompt is empty again.
    screen.keys("o").shows("Type a name").keys("esc");
    screen.keys("2 / \"debug\"").finish().shows(" in Parts");
}

#[test]
fn ids_and_tokens_of_other_open_files_are_found() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen
        .keys("O")
        .paste(sample("ticker/Ticker.dll").to_str().unwrap())
        .keys("enter")
        .shows("Ticker.pdb is the right PDB");
    // The id of a PDB that is open, but not shown.
    screen.keys("o \"d2ab0666-\"");
    let session = Session::open(&[sample("workshop/Workshop.dll")]).unwrap();
    let id = session.symbols().unwrap().id().unwrap().to_string();
    let guid = id.split(' ').next().unwrap();
    screen
        .keys(&format!("esc o \"{guid}\""))
        .finish()
        .shows("in Workshop.dll")
        .keys("enter")
        .shows("Workshop.dll + Workshop.pdb");
    // A token that both have: the shown files first.
    screen.keys("o \"06000001\"").finish();
    let text = screen.text();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}:\n{text}"));
    assert!(at("Workshop.Columns") < at("in Ticker.dll"), "{text}");
    screen.keys("down enter").shows("Ticker.dll + Ticker.pdb").shows("3Code").shows("Ticker");
}

#[test]
fn a_place_in_another_open_file_is_listed_once_by_its_name() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen
        .keys("O")
        .paste(sample("ticker/Ticker.dll").to_str().unwrap())
        .keys("enter")
        .shows("Ticker.pdb is the right PDB");
    let text = screen.keys("o \"Scopes.Nested\"").finish().text();
    let nested = |line: &&str| line.contains("Nested(int)") && line.contains("in Workshop.dll");
    let rows: Vec<&str> = text.lines().filter(nested).collect();
    assert!(rows.len() == 1 && rows[0].contains("Workshop.Scopes.Nested(int)"), "{text}");
}

#[test]
fn what_only_another_open_file_has_is_found_with_its_offset_and_its_line() {
    for (typed, place) in
        [("Workshop.Scopes.Nested(int)+0x2", "/il/0x2"), ("Nested+0x2", "/il/0x2"), ("Scopes.cs:9", "/points/")]
    {
        let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
        screen
            .keys("O")
            .paste(sample("ticker/Ticker.dll").to_str().unwrap())
            .keys("enter")
            .shows("Ticker.pdb is the right PDB");
        screen
            .keys(&format!("o \"{typed}\""))
            .finish()
            .shows("in Workshop.dll")
            .keys("enter")
            .shows("Workshop.dll + Workshop.pdb");
        let at = screen.app.selected().unwrap().selection.place.to_string();
        assert!(at.contains(place), "{typed}: {at}");
    }
}

#[test]
fn files_are_opened_switched_and_closed() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    let other = sample("ticker/Ticker.dll");
    screen
        .keys("O")
        .shows("Open and recent files")
        .paste(other.to_str().unwrap())
        .keys("enter")
        .shows("Ticker.pdb is the right PDB");
    screen.keys("O").shows("Workshop.dll + Workshop.pdb").shows("PDB matches DLL").keys("down enter");
    screen.shows("Workshop.pdb is the right PDB");
    screen.keys("X").shows("Workshop.dll + Workshop.pdb is closed").shows("Ticker.pdb is the right PDB");
    screen.keys("X").shows("this is the only file: q quits");
    screen
        .keys(": \"open-file\" enter")
        .paste("/no/such/file.dll")
        .keys("enter")
        .shows("/no/such/file.dll: there is no such file")
        .keys("esc");
    // The right one among the PDBs near an image is one key away.
    let files = vec![sample("workshop/Workshop.dll"), sample("workshop-release/Workshop.pdb")];
    let options = Options { files, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.shows("Workshop.pdb does not match Workshop.dll: GUID differs").shows("Workshop.dll expects  d2ab0666");
    screen.shows("use it").shows("symbol path");
    screen.keys("methods").shows("mismatched pair").keys("1 j j j enter").shows("Workshop.pdb is the right PDB");
}

#[test]
fn the_names_in_scope_are_beside_the_code() {
    let mut screen = Screen::open("faults/Faults.dll", 200, 50);
    screen.keys("o \"Parse+0x2\" enter").shows("Scopes").shows("in scope at IL_0002");
    // An offset after the end is in no scope and on no line.
    screen.keys("o \"Parse+0xfff\" enter").shows("IL_0fff is past the end").keys("o \"Parse+0x2\" enter");
    // Exception clauses are brackets along the code, awaits are said where they suspend, and yields where they return.
    screen.shows("\u{256d}").shows("\u{2570}").shows("try");
    let mut iterator = Screen::open("workshop/Workshop.dll", 200, 50);
    iterator.keys("o \"06000034+0x46\" enter").shows("yield 1 returns").shows("yield 1 resumes");
    let rows = iterator.text();
    let row_of = |words: &str| rows.lines().position(|line| line.contains(words)).unwrap();
    assert_eq!(row_of("yield 1 returns") + 1, row_of(" 004e  2a"), "{rows}");
    assert_eq!(row_of("yield 1 resumes") + 1, row_of(" 004f  02"), "{rows}");
    // A variable that is a field has a bracket along its range too.
    assert!(rows.lines().any(|line| line.contains("\u{2502}     004f")), "{rows}");
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 200, 50);
    screen.keys("o \"Columns.Mixed\" enter").shows("greeting").shows("IL_0000..IL_002b");
    let mut screen = Screen::open("workshop/Workshop.dll", 200, 50);
    screen.keys("o \"Nested+0x2\" enter").shows("• depth ").shows("– square ");
    screen.keys("o \"Nested\" enter").shows("Workshop.Scopes.Nested");
    screen.keys("shift-tab G").shows("Dictionary<string, int");
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("o \"entry\" enter").shows("local tally t").shows("0x10c0").shows("of 0x48 bytes, by rsp");
}

#[test]
fn an_offset_may_follow_a_name_after_a_space() {
    Screen::open("workshop/Workshop.dll", 120, 40)
        .keys("o \"Columns.Mixed 0x1f\"")
        .shows("instruction ›")
        .shows("1 result")
        .keys("enter")
        .shows("› IL_001f");
    Screen::open("parcel/parcel.exe", 120, 40)
        .keys("o \"parcel::clamp 0x19\" enter")
        .shows("parcel::clamp")
        .shows("+0x19");
}

#[test]
fn a_name_of_a_folded_function_selects_it_and_no_other() {
    let mut screen = Screen::open("parcel-optimized/parcel.exe", 200, 50);
    let chosen = |screen: &Screen| {
        let text = screen.text();
        let row = text.lines().find(|line| line.starts_with('▌') && line.contains("_copy")).unwrap_or_default();
        row.split('│').next().unwrap_or_default().to_owned()
    };
    for name in ["parcel::first_copy", "second_copy", "first_copy", "parcel::second_copy"] {
        screen.keys(&format!("o \"{name}\" enter"));
        let short = name.rsplit("::").next().unwrap();
        assert!(chosen(&screen).contains(short), "{name}: {}", screen.text());
        assert_eq!(
            screen.text().contains("the linker folded them into one"),
            short == "second_copy",
            "{}",
            screen.text()
        );
        screen.pass(Duration::from_secs(5));
    }
    screen.keys("1 methods");
    assert!(chosen(&screen).contains("second_copy"), "{}", screen.text());
}

#[test]
fn a_method_is_found_by_the_notation_of_debuggers() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"Columns::Mix\"").shows("Workshop.Columns.Mixed(string)").keys("enter").shows("Mixed(string)");
    // Overloads are listed.
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o \"AddressResponseService157::GetScheduleOrDefault\"");
    screen.shows("GetScheduleOrDefault(bool)").keys("down").shows("ReadOnlySpan<byte>)");
    screen
        .keys("ctrl-u \"AddressResponseService157::NoSuch\"")
        .shows("no method named AddressResponseService157::NoSuch");
}

#[test]
fn the_name_of_a_rule_leads_to_its_explanation() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    for (rule, _) in pdblens_query::check::all_rules().filter(|(rule, _)| rule.contains('-')) {
        screen.keys(&format!("o \"{rule}\"")).shows(&format!("▌{rule} ")).shows("rule of the check").keys("esc");
    }
    screen.keys("o \"evidence\"").shows(" evidence ").shows("rule of the check").keys("esc");
    // A name of code comes before a rule that is called the same.
    screen.keys("o \"id\"").shows("▌Workshop.").keys("esc");
    screen.keys("methods o \"point-ra\" enter").shows("rule point-range: ").shows("what it found is among the");
}

#[test]
fn an_offset_lands_on_the_record_that_has_the_byte_in_either_file() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o").paste("file 0x5a4").shows("point 5").shows("Ticker.pdb 0x5a4+1").shows("Ticker.dll 0x5a4+1");
    screen.keys("down enter b").shows("Main(string[]) › point 5").shows("δ start column");
}

#[test]
fn methods_of_a_name_are_in_the_order_of_what_is_at_the_offset() {
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    screen.keys("o \"ComputeTemplateInternal+0x1d\"").finish().shows("8 methods, 4 reach IL_001d");
    let text = screen.text();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part:?}:\n{text}"));
    assert!(at("point 9, ldloc.2") < at("inside ldfld") && at("inside ldc.i4") < at("no: 27 bytes of IL"), "{text}");
    // The source of the first, and the verdict on its line.
    screen.shows("● (ReadOnlySpan<byte>)").shows("● breakpoint: it binds").shows("reconstructed from IL");
    screen.keys("tab").finish().shows("ComputeTemplateInternal(ReadOnlySpan<byte>)+0x1d").keys("enter");
    let place = screen.app.selected().unwrap().selection.place.to_string();
    assert!(place.ends_with("/il/0x1d"), "{place}");
    screen
        .keys("o \"ComputeTemplateInternal+0x1d\"")
        .finish()
        .keys("down down down down down down down enter")
        .shows("is past the end");
    // A single method has a verdict too, and so has a line.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"Clock.cs:12\"").finish().shows("● 12:13").shows("var elapsed = now - started;");
    screen.keys("esc o \"Clock.cs:9\"").finish().shows("◐ moves to line 10");
}

#[test]
fn callers_of_native_code_unfold_below_each_other() {
    let mut screen = Screen::open("parcel/parcel.exe", 120, 40);
    screen.keys("o \"parcel::clamp\" enter r").shows(" of parcel::clamp").shows("postage");
    let rows = |screen: &Screen| screen.text().lines().filter(|line| line.contains(" +0x")).count();
    let before = rows(&screen);
    assert!(rows(screen.keys("right")) > before, "{}", screen.text());
}

#[test]
fn a_question_is_answered_where_it_is_typed() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"why -5\"").shows("signed compressed integer").shows("bytes  77").shows("= -5");
    screen.keys("ctrl-u \"line 16\"").shows("Program.cs:16  method/0x06000001/points/8");
    screen.keys("ctrl-u \"030000010a09010010020806001c020004002102000d00010279\"").shows("IL_000b 13:13-13:46");
    screen.keys("ctrl-u \"II.23.2\"").shows("ECMA-335 II.23.2  Blobs and signatures").shows("compressed integer");
}

/// The menu has what can be done with the thing under the cursor; what cannot be done says why, and a letter works in it as without it.
#[test]
fn the_menu_of_a_thing_does_what_its_letters_do() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"Scopes.Guarded\" enter space").shows("─ method ").shows("used by").shows("machine code");
    // The image has no machine code, and the menu stays to say so.
    screen.keys("a").shows("not ReadyToRun").shows("─ method ").keys("r").shows("Scopes.Guarded").shows("user");
    // A message is drawn above the hints.
    let text = screen.keys("m a").shows("marked a").text();
    assert!(text.lines().last().unwrap().ends_with("? keys"), "{text}");
    // The help of an action is cut before a clause.
    screen.resize(80, 24).keys("space").shows("Copy the thing under the cursor  ").keys("esc").resize(120, 40);
    // A click on the menu's hint opens it; one on its item does the item.
    screen.keys("methods").click_on("Space menu").shows("machine code").keys("esc");
    assert!(!screen.text().contains("not ReadyToRun"), "{}", screen.text());
}
