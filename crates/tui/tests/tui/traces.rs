//! Stack traces with frames of several files, and symbols from elsewhere.

use pdblens_formats::reason::Reason;
use pdblens_query::process::ThreadsText;
use pdblens_session::store::{SymbolPath, SymbolPaths};
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::state::paths::Paths;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::server::{Answer, Server};

/// The key of the symbols of Faults.dll, as servers have it.
const KEY: &str = "/faults.pdb/162927d9759d4fe987325bb68cf6340cFFFFFFFF/faults.pdb";

fn trace(name: &str) -> String {
    std::fs::read_to_string(sample("faults").join(name)).unwrap()
}

fn with_symbols(file: &str, symbols: &str) -> Screen {
    let symbols = SymbolPaths { named: SymbolPath::parse(symbols), ..SymbolPaths::default() };
    let paths = Paths { symbols, ..Paths::default() };
    let options = Options { files: vec![sample(file)], paths, ..Options::default() };
    Screen::with(options, Config::default(), "dark", 120, 40)
}

#[test]
fn the_empty_pane_names_what_it_reads_with_an_example() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        for file in ["ticker/Ticker.dll", "parcel/parcel.exe"] {
            let mut screen = Screen::open(file, width, height);
            let text = screen.keys("4").text().replace('\n', " ");
            let words: Vec<&str> = text.split_whitespace().collect();
            for name in ["Unity,", "Rust,", "Breakpad", "Sentry,", "WinDbg", "SOS,", "become", "example:"] {
                assert!(words.contains(&name), "{name} at {width}x{height}:\n{}", screen.text());
            }
            assert!(text.contains("+0x0") || text.contains("+0x4"), "the example:\n{}", screen.text());
        }
    }
}

#[test]
fn a_card_has_the_exception_of_the_chosen_frame_and_the_causes() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = Screen::open("faults/Faults.dll", width, height);
        screen.keys("4").paste(&trace("il-offsets.txt")).shows("frames resolved");
        let card = |screen: &Screen| {
            let text = screen.text();
            let lines = text.lines().take_while(|line| !line.contains("Stack trace"));
            lines.filter_map(|line| Some(line.strip_prefix("▌   ")?.trim().to_owned())).collect::<Vec<_>>()
        };
        let first = card(&screen);
        assert!(first[0].starts_with("System.ArgumentOutOfRangeException: "), "{first:?}");
        assert!(first[1].starts_with("13 resolved, 3 no symbols for System.Private.CoreLib.dll"), "{first:?}");
        let next = card(screen.keys("right right right"));
        assert!(next[0].starts_with("System.FormatException: "), "the inner one: {next:?}");
        assert_eq!(next[1..], first[1..]);
    }
}

#[test]
fn frames_of_other_files_link_to_those_files() {
    let faults = sample("faults").display().to_string();
    let mut screen = with_symbols("ticker/Ticker.dll", &faults);
    screen.keys("4").paste(&trace("il-offsets.txt")).shows("13 of 17 frames resolved").shows("in Faults.dll");
    screen.shows("System.Private.CoreLib.dll: no symbols here");
    // The copy is the trace that `pdblens trace` prints, with paths and indentation.
    screen.keys("y t");
    let (_, copied) = screen.copied.pop().unwrap();
    assert!(copied.contains("\n   at Faults.Program.Main(") && copied.contains("Program.cs:line "), "{copied}");
    assert!(!copied.contains("no symbols") && copied.lines().count() == trace("il-offsets.txt").lines().count());
    // The command of a frame names the files that it is resolved in.
    screen.keys("y c");
    let (_, command) = screen.copied.last().unwrap();
    assert!(command.starts_with("pdblens where ") && command.contains("/Faults.dll "), "{command}");
    assert!(command.contains("/il/0x") && !command.contains("Ticker"), "{command}");
    screen.keys("enter").shows("Faults.dll + Faults.pdb").shows("is open now; ⌫ goes back").shows("3Code");
    screen.shows("IL_003a").shows("Program.cs");
    // The trace is still there, its frames those of this pair now; and back is where we came from.
    screen.keys("4").shows("13 of 17 frames resolved").shows("Program.cs").keys("j").shows("IL_006d");
    screen.keys("backspace backspace").shows("4Trace").shows("Ticker.dll + Ticker.pdb").shows("is open again");
    screen.keys("L").shows("Faults.dll + Faults.pdb").shows("3Code").shows("IL_003a");
    // Lines that a trace has already are found in other pairs too.
    let mut screen = with_symbols("ticker/Ticker.dll", &faults);
    screen
        .keys("4")
        .paste(&trace("with-lines.txt"))
        .shows("13 with a line already")
        .shows("Program.cs:67")
        .shows("in Faults.dll");
}

#[test]
fn results_of_one_pair_are_not_used_for_another() {
    let mut screen = with_symbols("ticker/Ticker.dll", &sample("faults").display().to_string());
    // Names, texts and trees of the first are looked at before.
    screen
        .keys("o \"Clock\"")
        .shows("Ticker.Clock")
        .keys("esc methods")
        .shows("Clock")
        .keys("sources")
        .shows("Clock.cs");
    screen.keys("4").paste(&trace("il-offsets.txt")).keys("enter").shows("Faults.dll + Faults.pdb");
    screen.keys("o \"Warehouse\"").shows("Faults.Warehouse").keys("esc sources").shows("/_/faults").keys("methods");
    let seen = screen.text();
    assert!(seen.contains("Warehouse<T>") && !seen.contains("Clock"), "{seen}");
}

#[test]
fn the_symbol_path_can_be_set_on_the_screen() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("4").paste(&trace("il-offsets.txt")).shows("0 of 17 frames resolved").shows("p adds symbols");
    screen.keys("p").shows("Where to look:").paste("/no/such/folder").keys("enter").shows("no such folder");
    screen.keys("p").paste(&sample("faults").display().to_string()).keys("enter").shows("13 of 17 frames resolved");
    // The message says how many PDBs and frames were gained.
    screen.shows("symbol path set: 1 more PDB, 13 more frames resolved");
}

#[test]
fn the_example_of_a_trace_can_be_chosen() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen
        .keys("4")
        .shows("Paste a stack trace here")
        .keys("enter")
        .shows("1 of 1 frames resolved")
        .shows("Program.cs");
}

#[test]
fn a_symbol_server_is_contacted_after_confirmation() {
    let pdb = std::fs::read(sample("faults/Faults.pdb")).unwrap();
    let server = Server::new([(KEY.to_owned(), Answer::Bytes(pdb))]);
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("4").paste(&trace("production.txt")).shows("0 of 17 frames resolved");
    screen.keys("p").paste(&server.url("")).keys("enter").shows("Ask 127.0.0.1 for symbols?").keys("esc");
    assert_eq!(server.asked().len(), 0);
    screen.shows("0 of 17").keys("p").paste(&server.url("")).keys("enter enter").shows("12 of 17 frames resolved");
    assert!(server.asked().iter().any(|asked| asked.contains(KEY)), "{:?}", server.asked());
    // The symbols alone are a pair as well.
    screen.keys("enter").shows("Faults.pdb").shows("! No DLL found");
}

#[test]
fn all_pdbs_of_a_folder_are_fetched_when_the_user_says_so() {
    let folder = Folder::new();
    for name in ["Faults", "Ticker"] {
        let from = format!("{}/{name}.dll", name.to_lowercase());
        folder.write(&format!("{name}.dll"), std::fs::read(sample(&from)).unwrap());
    }
    let pdb = std::fs::read(sample("faults/Faults.pdb")).unwrap();
    let server = Server::new([(KEY.to_owned(), Answer::Bytes(pdb))]);
    let open = |symbols: &str| {
        let symbols = SymbolPaths { named: SymbolPath::parse(symbols), ..SymbolPaths::default() };
        let paths = Paths { symbols, ..Paths::default() };
        let options = Options { files: vec![folder.path().to_owned()], paths, ..Options::default() };
        Screen::with(options, Config::default(), "dark", 120, 40)
    };
    let mut screen = open(&server.url(""));
    screen.shows("2 ! without one");
    assert_eq!(server.asked(), [""; 0], "a list asks no server by itself");
    screen.keys("f").shows("1 ✓ with their PDB   1 ! without one");
    for name in ["faults.pdb", "ticker.pdb"] {
        assert!(server.asked().iter().any(|asked| asked.to_lowercase().contains(name)), "{:?}", server.asked());
    }
    // Without a server, it asks for one.
    open("").keys("f").shows("Where to look");
}

#[test]
fn the_source_of_a_frame_has_room_below_the_trace() {
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    let text = screen.keys("4").paste(&trace("production.txt")).shows("12 of 17 frames resolved").text();
    let rule = text.lines().position(|line| line.starts_with("─ Program.cs ")).unwrap();
    let rows = text.lines().skip(rule + 1).take_while(|line| !line.starts_with('─')).count();
    assert!(rows >= 12, "{text}");
}

#[test]
fn symbols_are_found_on_the_symbol_path() {
    let pdb = std::fs::read(sample("faults/Faults.pdb")).unwrap();
    let server = Server::new([(KEY.to_owned(), Answer::Bytes(pdb))]);
    let folder = Folder::new();
    let dll = folder.write("Faults.dll", std::fs::read(sample("faults/Faults.dll")).unwrap());
    let options = || Options { files: vec![dll.clone()], ..Options::default() };
    let open = |options| Screen::with(options, Config::default(), "dark", 120, 40);
    // From a prompt: nowhere, and where they are.
    let mut screen = open(options());
    screen.keys("methods").shows("No symbols are open");
    let empty = Folder::new();
    screen.keys("p").paste(&empty.path().display().to_string()).keys("enter").shows("symbols not found");
    screen.shows("searched").shows("not there");
    screen.keys("p").paste(&server.url("")).keys("enter enter").shows("✓ matches").shows("The compiler generated it");
    // From the command line, with where to begin: a point, which only the symbols have.
    for symbols in [server.url(""), sample("faults").display().to_string()] {
        let symbols = SymbolPaths { named: SymbolPath::parse(&symbols), ..SymbolPaths::default() };
        let paths = Paths { symbols, ..Paths::default() };
        let mut screen = open(Options { paths, at: Some("method/Weigh/points/1".to_owned()), ..options() });
        screen.shows("✓ matches").shows("point 1").shows("84:");
    }
    // Those of another build lie beside it: the right ones take their place.
    let wrong = folder.write("Faults.pdb", std::fs::read(sample("ticker/Ticker.pdb")).unwrap());
    let mut screen = open(Options { files: vec![dll.clone(), wrong], ..Options::default() });
    screen.shows("PDB does not match").shows("p look in");
    screen.keys("p").paste(&empty.path().display().to_string()).keys("enter").shows("symbols not found");
    screen.shows("PDB does not match").keys("p").paste(&server.url("")).keys("enter enter").shows("✓ matches");
    screen.keys("methods").shows("Faults.");
}

#[test]
fn a_frame_has_its_details_and_a_source_also_in_another_module() {
    let faults = sample("faults").display().to_string();
    let mut screen = with_symbols("ticker/Ticker.dll", &faults);
    screen.keys("4").paste(&trace("il-offsets.txt")).shows("13 of 17 frames resolved");
    // The first frame is one of Faults.dll: its source is not at hand, and the symbols are named.
    screen.shows(" frame ").shows("symbols: ").shows("Program.cs:");
    // With a source folder the lines around it show, and the editor opens them.
    let sources = repository("assets/sources").display().to_string();
    screen.keys("p").paste(&sources).keys("enter").shows("verified").shows("▌");
    screen.keys("e");
    let at = screen.edited.pop().expect("no editor was asked for");
    assert!(at.path.ends_with("Program.cs") && at.line > 1, "{at:?}");
}

#[test]
fn frames_are_grouped_by_the_module_that_has_no_symbols() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 60);
    screen
        .keys("4")
        .paste(&trace("il-offsets.txt"))
        .keys("G")
        .shows("no symbols for System.Private.CoreLib.dll: 3 frames");
    screen
        .shows("get symbols")
        .click_on("no symbols for System.Linq.dll")
        .keys("enter")
        .shows("Where to look:")
        .keys("esc");
    screen.shows("What to get");
    // A frame that is not resolved leads to the remedy, else to its reason.
    screen
        .keys("g")
        .click_on("Int32.Parse")
        .keys("enter")
        .shows("Where to look:")
        .keys("esc e")
        .shows("Enter says why");
    // The copy is the trace with its results, and no more.
    screen.keys("y t");
    let (_, text) = screen.copied.pop().unwrap();
    assert!(text.contains("   at System.Int32.Parse") && !text.contains("no symbols"), "{text}");
}

#[test]
fn a_mismatched_pair_resolves_no_frame() {
    let folder = Folder::new();
    let copy = |from: &str, to: &str| folder.write(to, std::fs::read(sample(from)).unwrap());
    let files = vec![copy("native/tally.exe", "tally.exe"), copy("parcel/parcel.pdb", "parcel.pdb")];
    let options = Options { files, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("4").paste("00 tally!clamp+0x19\n02 00000000`0014fa00 00007ff6`12345678     tally+0x1079\n");
    screen.shows("does not match: the image expects");
    screen.shows("0 resolved, 2 another build of tally");
}

#[test]
fn a_line_of_a_missing_document_is_no_line_of_another() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"Clok.cs:13\"").finish();
    screen.keys("enter").shows("Clok.cs");
    let text = screen.text();
    assert!(!text.contains("Clock.cs › 13") && !text.contains("point 4"), "{text}");
}

#[test]
fn a_frame_begins_with_its_sign_and_the_exception_stands_once() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    let known =
        "   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\n   at Ticker.Clock.Since(Int64 t)\n";
    let missing = "   at Missing.Reader.Read(String path)\n   at Other.Thing() in Other.dll:token 0x6000001+0x0\n";
    screen.keys("4").paste(&format!("System.Exception: no\n{known}{missing}"));
    let text = screen.text();
    let row = |sign: &str, end: &str| {
        let is_row = |row: &str| row.trim_start_matches(['▌', ' ']).starts_with(sign) && row.trim_end().ends_with(end);
        assert!(text.lines().any(is_row), "{sign} {end}\n{text}");
    };
    row("✓ Clock.Since(long)", "IL_0001");
    row("· Clock.Since(long)", "in Clock.cs");
    row("! Reader.Read(string)", " O");
    row("! Other.Thing()", " p");
    assert_eq!(text.matches("System.Exception: no").count(), 1, "{text}");
    // Of several exceptions, the list says where each of them is.
    screen.paste(&format!("System.Exception: no\n ---> System.IO.IOException: inner\n{known}"));
    screen.shows(" System.Exception: no").shows(" ---> System.IO.IOException: inner");
    screen.shows("▌   System.IO.IOException: inner");
}

/// Frames of each kind that is not resolved.
const UNRESOLVED: &str = "\
System.InvalidOperationException: no
   at Missing.Library.Of.Some.Length.Reader.ReadTheNextRecordOfTheFile(String path, Int32 count)
   at Ticker.Clock.NoSuchMethod(Int32 a)
   at Ticker.Clock.Since(Int64 t)
   at Newtonsoft.Json.JsonConvert.DeserializeObject(String value) in Newtonsoft.Json.dll:token 0x06000123+0x7
";

#[test]
fn the_rows_of_panes_that_would_be_empty_go_to_the_frames() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("4").paste(UNRESOLVED).keys("g");
    let text = screen.text();
    for frame in ["Reader.ReadTheNext", "NoSuchMethod", "Clock.Since", "JsonConvert.Deserialize"] {
        assert!(text.contains(frame), "{frame}\n{text}");
    }
    // The whole text of a frame is in its details.
    screen.keys("j").shows("ReadTheNextRecordOfTheFile");
    screen.keys("k");
    assert!(!text.contains("No bytes") && !text.contains("─ Source"), "{text}");
    // A frame of the open files has its source, its bytes and its fields.
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.keys("4").paste(&trace("il-offsets.txt")).shows("─ b Bytes");
    screen.keys("b").shows("─ Bytes").shows("─ Fields");
    // What a mismatch means comes before the path of the file.
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("4").paste("   at Ticker.Clock.Gone(Int64 t) in Ticker.dll:token 0x06000777+0x7");
    screen.shows("another build of Ticker.dll");
}

#[test]
fn the_frame_chosen_while_a_trace_is_resolved_stays_chosen() {
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.holds = true;
    let text = trace("il-offsets.txt");
    screen.keys("4").paste(&text).keys("j j j").shows("resolving");
    let chosen = |screen: &Screen| {
        let rows = screen.text();
        let mut list = rows.lines().skip_while(|row| !row.contains("Stack trace"));
        let row = list.find(|row| row.starts_with('▌')).unwrap_or_default().to_owned();
        // A name may have no namespace once it is known which frames there are.
        row.trim_start_matches(['▌', ' ']).split('(').next().unwrap().rsplit('.').next().unwrap().to_owned()
    };
    let before = chosen(&screen);
    assert_eq!(before, "Main");
    assert_eq!(chosen(screen.finish()), before);
    // Of the equal frames of a recursion, the same one.
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.holds = true;
    let frame = "   at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x23\n";
    screen.keys("4").paste(&format!("System.Exception: x\n{}", frame.repeat(4))).keys("j j j").shows("resolving");
    let row = |screen: &Screen| screen.text().lines().position(|row| row.starts_with('▌'));
    let before = row(&screen);
    assert_eq!(row(screen.finish()), before);
}

#[test]
fn the_frames_of_a_crash_report_are_listed_by_their_methods() {
    let report = std::fs::read_to_string(sample("outage/overflow.crashreport.json")).unwrap();
    let mut screen = Screen::open("outage/Outage.dll", 140, 40);
    screen.keys("4").paste(&report).shows("4 of 4 frames resolved");
    screen
        .shows("\"method_name\": \"Outage.Recursion.Even(Int32)\",  ● Program.cs:69")
        .keys("pagedown")
        .shows("in the prolog of the method");
}

/// The threads of a process are read again on the same screen, and those that moved say so.
#[test]
fn threads_are_read_again() {
    let report = |offset: &str| {
        format!(
            "thread 7, managed 1\n  #00 [0] Ticker.Clock.Since + {offset} (token=0x6000003)\n\nthread 8\n  #00 [0] Ticker.Clock.Now + 0x0 (token=0x6000002)\n\nmodules:\n  [0] <unknown>\n"
        )
    };
    let read = |threads: &ThreadsText| match threads.text.contains("0xf") {
        false => Ok(threads.text.replace("0x1 ", "0xf ")),
        true => Err(Reason::new("process", "process 7: it has ended")),
    };
    let threads =
        ThreadsText { name: "7".to_owned(), all: false, text: report("0x1"), read, symbols: SymbolPaths::default() };
    let options = Options { files: vec![sample("ticker/Ticker.dll")], threads: Some(threads), ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.shows("Ticker.Clock.Since + 0x1").shows("R read again");
    assert!(!screen.text().contains("moved"));
    screen.keys("R").shows("Ticker.Clock.Since + 0xf").shows("thread 7, managed 1, moved").shows("1 thread moved");
    assert!(!screen.text().contains("thread 8, moved"), "{}", screen.text());
    screen.keys("R").shows("process 7: it has ended").shows("Ticker.Clock.Since + 0xf");
    // A trace that was pasted is of no process.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("4 R").shows("no process to read again");
}
