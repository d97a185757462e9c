//! Every view, on samples of every kind, at the sizes and in the themes of the design.

use pdblens::tui::Options;
use pdblens::tui::config::Config;

use crate::harness::{Screen, sample};

/// Name, sample, theme, size, keys. In the dark theme the text is enough: what is marked and how shows in the others.
type Seen = (&'static str, &'static str, &'static str, (u16, u16), &'static str);

const OVERVIEW: &[Seen] = &[
    ("overview-80x24", "ticker/Ticker.dll", "mono", (80, 24), "j"),
    ("overview-120x40", "workshop/Workshop.dll", "dark", (120, 40), "j j"),
    ("overview-200x50", "faults/Faults.dll", "light", (200, 50), "tab j"),
    ("overview-mdb", "ticker-mono/Ticker.exe", "ansi", (120, 40), ""),
];

const PE: &[Seen] = &[
    ("pe-80x24", "ticker/Ticker.dll", "ansi", (80, 24), "2"),
    ("pe-120x40", "ticker-embedded/Ticker.dll", "dark", (120, 40), "2"),
    ("pe-mono", "ticker-embedded/Ticker.dll", "mono", (120, 40), "2 tab right right"),
    ("pe-native", "native/tally.exe", "dark", (120, 40), "2 j j"),
    ("pe-200x50", "workshop/Workshop.dll", "light", (200, 50), "2 j j"),
];

const STREAMS: &[Seen] = &[
    ("streams-80x24", "ticker/Ticker.dll", "ansi", (80, 24), "3 j j"),
    ("streams-120x40", "workshop/Workshop.dll", "dark", (120, 40), "3 j j j"),
    ("streams-mono", "ticker-embedded/Ticker.dll", "mono", (120, 30), "3 tab G"),
    ("streams-pages", "workshop-windows/Workshop.dll", "dark", (120, 40), "3 j j j j"),
    ("streams-pages-mono", "ticker-windows/Ticker.dll", "mono", (80, 24), "3 tab G left left left"),
    ("streams-native", "native/tally.exe", "light", (200, 50), "3 j j j j"),
    ("streams-mdb", "ticker-mono/Ticker.exe", "ansi", (120, 40), "3"),
    ("streams-200x50", "workshop/Workshop.dll", "light", (200, 50), "3 G tab tab j"),
];

const TABLES: &[Seen] = &[
    ("tables-80x24", "ticker/Ticker.dll", "mono", (80, 24), "4 enter j"),
    ("tables-120x40", "workshop/Workshop.dll", "dark", (120, 40), "4 j j j j j j j enter & \"Kind:enc\" enter j j"),
    ("tables-200x50", "faults/Faults.dll", "light", (200, 50), "4 j enter j"),
    ("tables-heap", "workshop/Workshop.dll", "ansi", (120, 40), "4 G k enter j j j"),
];

const SOURCES: &[Seen] = &[
    ("sources-80x24", "ticker/Ticker.dll", "ansi", (80, 24), "6 tab g g 0 1 2 j"),
    ("sources-120x40", "workshop-embedded/Workshop.dll", "dark", (120, 40), "6 j j j tab 0 5 j"),
    ("sources-none", "workshop/Workshop.dll", "mono", (120, 40), "6 j"),
    ("sources-200x50", "workshop-embedded/Workshop.dll", "light", (200, 50), "6 j tab 0 9 j"),
    ("sources-windows", "ledger-windows/Ledger.dll", "dark", (120, 40), "6"),
];

#[track_caller]
fn seen(screens: &[Seen]) {
    for (name, file, theme, (width, height), keys) in screens {
        let options = Options { files: vec![sample(file)], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), theme, *width, *height);
        screen.keys(keys);
        let shown = if *theme == "dark" { screen.text() } else { screen.styled() };
        insta::assert_snapshot!(*name, shown);
    }
}

#[test]
fn overview() {
    seen(OVERVIEW);
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A line leads to where its fact is; the health of the files is told, and leads there too.
    screen.shows("39 rules hold").keys("j j j enter").shows("2 PE").shows("optional header");
    screen.keys("H tab j j j enter").shows("5 Methods");
}

#[test]
fn pe() {
    seen(PE);
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 120, 40);
    // A part lights its bytes; a field its own; a piece of the bar what it stands for.
    screen.keys("2 j").shows("pe/debug/0").shows("+28 of 3584 · file 00077c");
    screen.keys("enter tab j j").shows("0584+2 of 3584");
    screen.keys("shift-tab left").shows("File layout");
    screen.keys("g g").shows("DOS header · 0x0+128");
    screen.keys("G").shows("Fields  pe/sections/1").keys("enter").shows("pe/directories/5");
    screen.click(60, 6).shows("pe/sections/0");
}

#[test]
fn streams() {
    seen(STREAMS);
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A stream lights all its bytes, and what is in it can be followed.
    screen.keys("3 j j").shows("#Pdb · 0x7c+112").shows("entry point").shows("0000+112 of 112 · file 00007c");
    screen.keys("tab right").shows("#~ · 0xec").shows("LocalScope");
    screen.keys("tab enter").shows("4 Tables").shows("Document · 10 rows");
    screen.keys("H j j j tab").shows("3 Streams");
    // Pages know their stream, streams their pages, and both what is in them.
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 120, 40);
    screen.keys("3 tab right right right").shows("stream 9").shows("Fields  page 3").shows("0x0");
    screen.keys("enter").shows("Streams \u{203a} stream 9");
    screen.keys("shift-tab j").shows("stream 10").keys("G").shows("3 Streams");
    // In the metadata of the image, its streams show in the place of the pages.
    screen.shows("metadata of Workshop.dll");
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("3 G").shows("6 section contributions");
    screen.keys("k k k k k k").shows("functions").keys("tab tab enter").shows("lines");
    screen.keys("H").shows("functions");
}

#[test]
fn tables() {
    seen(TABLES);
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A table, a row of it, what that leads to, and back.
    screen.keys("4").shows("Document · 10 rows").keys("j").shows("MethodDebugInformation · 74 rows");
    screen.keys("enter").shows("Fields  MethodDebugInformation/1").keys("right right right enter").shows("Document/");
    screen.keys("H").shows("MethodDebugInformation · 74 rows");
    // Rows that have a text, in one column or in any; Esc shows all, where the cursor was.
    screen.keys("4 & \"Document:Scopes\" enter").shows("& Document:Scopes");
    screen
        .keys("j j esc")
        .shows("74 rows")
        .keys("/ \"nothing of the kind\" enter")
        .shows("no nothing of the kind here");
    // A heap, and who uses an entry of it.
    screen.keys("o \"pdb/heap/blob/0x1\" enter").shows("used by").shows("Document/1 +9");
}

#[test]
fn sources() {
    seen(SOURCES);
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    // A line shows the code that is there, of whatever method; Enter goes to the point.
    screen.keys("6").shows("\u{2713} verified").shows("pdblens itself").shows("11 points, 1 method");
    screen.keys("tab g g 0 1 2 j").shows("line 13").shows("IL_0015").shows("Fields  point 5");
    screen.keys("enter").shows("5 Methods").shows("point 5");
    screen.keys("H shift-tab").shows("6 Sources").keys("g g").shows("/_/ticker");
    // A line without code says so.
    screen.keys("6 tab g g").shows("no code");
}

/// Frames that are certain, one of other files, one of which only the name is known, and one with its line.
pub(crate) const TRACE: &str = "\
System.FormatException: The input string 'soon' was not in a correct format.
   at System.Int32.Parse(String s) in System.Private.CoreLib.dll:token 0x6001532+0x0
   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1
   at Ticker.Program.Main(String[] args) in Ticker.dll:token 0x6000001+0x41

the same without offsets, and with lines
   at Ticker.Clock.Now()
   at Ticker.Program.Main(String[] args) in /_/ticker/Program.cs:line 18
";

#[test]
fn trace() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("7").shows("Paste a stack trace here");
    screen.paste(TRACE).shows("3 of 5 frames resolved").shows("could be Ticker.Clock.Now");
    insta::assert_snapshot!("trace-120x40", screen.text());
    // A frame shows its source and its bytes; the next one; and there.
    screen.keys("j").shows("Program.cs 18").keys("enter").shows("5 Methods").shows("IL_0041");
    screen.keys("H").shows("7 Trace").shows("3 of 5 frames");
    // Many lines that are pasted anywhere are a trace.
    screen.keys("1");
    screen.paste("   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\r\n\r\nand more\r\n");
    screen.shows("7 Trace").shows("1 of 1 frames resolved");
    // From the palette: a trace that comes, and one in a file.
    screen.keys("1 : \"paste-trace\" enter").shows("7 Trace").shows("paste the stack trace now");
    let path = sample("faults/il-offsets.txt").display().to_string();
    screen.keys("1 : \"open-trace\" enter").shows("Which file has the stack trace?").paste(&path).keys("enter");
    screen.shows("0 of 17 frames resolved");
    screen.keys(": \"open-trace\" enter \"/nothing/there\" enter").shows("/nothing/there: ");
}

#[test]
fn a_trace_at_other_sizes_and_in_other_themes() {
    for (name, theme, width, height) in [("trace-80x24", "mono", 80, 24), ("trace-200x50", "light", 200, 50)] {
        let options = Options { files: vec![sample("ticker/Ticker.dll")], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), theme, width, height);
        screen.keys("7").paste(TRACE);
        insta::assert_snapshot!(name, screen.styled());
    }
}
