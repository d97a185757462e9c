//! Find and filter in panes.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use ratatui::style::Modifier;

use crate::harness::Screen;
use crate::snapshot::{assert_snapshot, sections};
use crate::support::folder::Folder;
use crate::support::synth::Recipe;

const WORKSHOP: &str = "workshop/Workshop.dll";

/// The line at the bottom.
fn last(screen: &Screen) -> String {
    screen.text().lines().last().unwrap_or_default().trim().to_owned()
}

#[track_caller]
fn same(before: &str, after: &str) {
    let panes =
        |text: &str| text.lines().take_while(|line| !line.contains("Bytes ")).map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (panes(before), panes(after));
    let other = before.iter().zip(&after).find(|(before, after)| before != after);
    assert_eq!(other, None);
}

/// The lines that have one of these in them: which of a list show.
fn showing<'t>(screen: &Screen, texts: &[&'t str]) -> Vec<&'t str> {
    let seen = screen.text();
    let seen: Vec<&str> = seen.lines().skip(3).take_while(|line| !line.contains("Bytes ")).collect();
    texts.iter().copied().filter(|text| seen.iter().any(|line| line.contains(text))).collect()
}

#[test]
fn find_moves_the_cursor_while_typing_and_esc_moves_it_back() {
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    screen.keys("tables j").shows("Document \u{203a} row 2");
    let before = screen.text();
    screen.keys("/").shows("/ text to find in Document");
    screen.keys("\"s\"").shows("row 2");
    screen.keys("\"ta\"").shows("row 7");
    assert!(last(&screen).ends_with("1 of 1 in Document"), "{}", last(&screen));
    screen.keys("backspace backspace").shows("row 2").keys("esc");
    same(&before, &screen.text());
    // Around the end, and in one column.
    screen
        .keys("/ \"columns\"")
        .shows("row 1")
        .keys("esc G / \"Lang:c\" enter")
        .shows("row 10")
        .shows("10 of 10  Lang:c");
    screen.keys("n").shows("row 1").shows("1 of 10").keys("N N").shows("row 9").shows("9 of 10");
    // The same again from elsewhere, by Enter alone, by its key, and from the line.
    screen.keys("g / enter").shows("2 of 10").keys("2 2 tables").shows("row 2").keys("/ up").shows("2 of 10");
    screen.keys("esc /").shows(", \u{2191} Lang:c").keys("\"nowhere\"");
    assert!(last(&screen).ends_with("none in Document"), "{}", last(&screen));
    screen.keys("enter").shows("no nowhere in ");
}

#[test]
fn visible_matches_are_highlighted() {
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    screen.keys("tables / \"parts\" enter");
    let marked = |screen: &Screen| {
        let (buffer, _) = screen.draw();
        let bold = |x: &u16, y: u16| {
            let cell = &buffer[(*x, y)];
            cell.modifier.contains(Modifier::BOLD) && cell.fg == ratatui::style::Color::Rgb(0xe0, 0xaf, 0x68)
        };
        let line =
            |y| (0..buffer.area.width).filter(|x| bold(x, y)).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..30).map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    assert_eq!(marked(&screen), ["Parts", "Parts"]);
    screen.keys("esc");
    assert_eq!(marked(&screen), [""; 0], "Esc takes the marks away");
    // In the text of a source, and in fields.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("sources j tab / \"naps\" enter");
    assert!(marked(&screen).len() > 2, "{:?}", marked(&screen));
    screen.keys("2 tab tab / \"stamp\" enter n").shows("stamp");
    assert!(marked(&screen).concat().contains("stamp"));
    // Where it would be cut off, the text is cut in front of it.
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    screen.keys("methods shift-tab / \"IEnumerable<int\" enter").shows("IEnumerable<int");
}

#[test]
fn a_filter_shows_only_matching_rows() {
    const NAMES: [&str; 5] = ["Columns.cs", "Parts.First.cs", "Parts.Second.cs", "Program.cs", "Seed.razor"];
    let mut screen = Screen::open(WORKSHOP, 140, 40);
    screen.keys("tables j j j").shows("row 4").keys("& \"p\"");
    assert_eq!(showing(&screen, &NAMES), NAMES, "all are in workshop");
    screen.keys("\"arts\"").shows("& parts").shows("2 of 10").shows("row 4");
    assert_eq!(showing(&screen, &NAMES), ["Parts.First.cs", "Parts.Second.cs"]);
    // Less is asked for again; and then nothing, which leaves what was.
    screen.keys("backspace backspace backspace").shows("& pa").keys("ctrl-u").shows("Document · 10 rows");
    assert_eq!(showing(&screen, &NAMES), NAMES);
    screen.keys("\"PARTS.\" enter").shows("& PARTS.").shows("2 of 10");
    // The cursor, the clicks, the links and what is copied are those of the rows that show.
    screen.keys("g").shows("row 3").click(60, 5).shows("row 4").keys("y r");
    assert!(screen.copied[0].1.contains("Parts.Second.cs"), "{:?}", screen.copied);
    screen
        .keys("j j k")
        .shows("row 3")
        .keys("left left left left left left enter")
        .shows("pdb/#Blob")
        .keys("backspace")
        .shows("row 3")
        .shows("& PARTS.");
    // Another one in its place, of one column; the row stays where it still shows, else it is the next.
    screen.keys("& \"Name:second\" enter").shows("row 4").shows("1 of 10");
    screen.keys("& \"row=1\"").shows("1 of 10").shows("row 1").keys("esc").shows("& Name:second").shows("row 4");
    screen.keys("& \"row:1\" enter").shows("2 of 10").shows("row 10");
    // Nothing at all takes it away, and so does Esc; the row stays.
    screen.keys("& enter").shows("row 10").shows("Document · 10 rows  ");
    screen.keys("& \"Hash=nil\" enter").shows("3 of 10").keys("k esc").shows("row 9");
    assert_eq!(showing(&screen, &NAMES), NAMES);
    // What is not there.
    screen.keys("& \"nothing like it\"").shows("no match for nothing like it: Esc shows all").shows("0 of 10");
    screen.keys("enter esc").shows("row 9");
}

#[test]
fn a_column_can_be_named_by_a_prefix() {
    let mut screen = Screen::open("ledger/Ledger.dll", 120, 40);
    screen.keys("tables & \"Language:Visual\" enter").shows("& Language:Visual").shows("1 of 1");
    screen.keys("& \"lang:c#\"").shows("0 of 1").keys("esc & \"lang:visual basic\"").shows("1 of 1").keys("esc");
    screen.keys("& \"Ha:x\"").shows("0 of");
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    screen.keys("o \"table/CustomDebugInformation/1\" enter & \"Parent:Method Kind=EncLocalSlotMap\" enter");
    screen.shows("18 of 40").keys("& \"Parent:Method kind:map row:2\"").shows(" of 40");
}

#[test]
fn navigation_shows_rows_that_a_filter_hides() {
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    screen.keys("tables & \"razor\" enter").shows("2 of 10");
    screen.keys("o \"table/Document/10\" enter").shows("& razor").shows("row 10");
    screen.keys("o \"table/Document/3\" enter").shows("row 3").shows("Document · 10 rows  ");
    // Another table has a list of its own.
    screen
        .keys("& \"razor\" enter o \"table/MethodDebugInformation\" enter")
        .shows("MethodDebugInformation · 74 rows")
        .shows("1/74");
    // What moves in other panes leaves the filter: its cursor is on nothing then.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("methods & \"17\" enter").shows("& 17");
    let left = screen.text();
    let count = left.lines().nth(2).unwrap().to_owned();
    screen.keys("] ] ]");
    assert_eq!(screen.text().lines().nth(2), Some(count.as_str()));
    screen.keys("shift-tab j j").shows("Now(");
    assert!(!screen.text().contains("& 17"), "another method has other points:\n{}", screen.text());
}

#[test]
fn find_searches_the_filtered_rows() {
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    screen.keys("tables & \"parts\" enter / \"cs\"").shows("1 of 2").keys("enter n").shows("2 of 2").shows("row 4");
    screen.keys("n").shows("row 3").keys("& enter n").shows("of 7").shows("row 4").keys("n").shows("row 5");
}

#[test]
fn a_filtered_tree_keeps_matches_and_their_ancestors() {
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    // Methods: their types and namespaces stay, and stand back.
    screen.keys("methods shift-tab & \"movenext\" enter").shows("& movenext").shows("5 of 92");
    let all = ["Workshop", "<Main>d", "MoveNext", "SetStateMachine", "GetHashCode"];
    assert_eq!(showing(&screen, &all[1..]), ["<Main>d", "MoveNext"]);
    // They fold as ever, without the filter as before.
    screen.keys("left left").shows("\u{25b8} Program.<Main>d");
    screen.keys("esc");
    assert_eq!(showing(&screen, &["SetStateMachine"]), ["SetStateMachine"]);
    // A type that was found can be unfolded.
    screen.keys("& \"Gauge\" enter").shows("& Gauge");
    assert_eq!(showing(&screen, &["Scaled"]), [""; 0]);
    screen.keys("G right");
    assert_eq!(showing(&screen, &["Scaled"]), ["Scaled"]);
    // Tables, documents, parts, streams.
    screen.keys("2 & \"scope\" enter").shows("3 of ");
    assert_eq!(
        showing(&screen, &["Workshop.pdb ", "LocalScope", "ImportScope", "Document "]),
        ["Workshop.pdb ", "LocalScope", "ImportScope"]
    );
    screen.keys("sources & \"gauge\" enter").shows("1 of 14");
    assert_eq!(
        showing(&screen, &["/_/workshop", "templates", "Gauge.razor", "Seed.razor  "]),
        ["/_/workshop", "templates", "Gauge.razor"]
    );
    screen.keys("2 & \"import\" enter").shows("& import");
    assert_eq!(
        showing(&screen, &["data directories", "import address table", "COFF header"]),
        ["data directories", "import address table"]
    );
    screen.keys("2 2 & \"blob\" enter").shows("& blob").shows("2 of ");
}

#[test]
fn filtered_panes_match_their_snapshots() {
    let seen: [(&str, &str, (u16, u16), &str); 3] = [
        ("filter-tree", "mono", (120, 30), "methods shift-tab & \"mo\" enter j"),
        ("filter-80x24", "ansi", (80, 24), "& \"Kind:enc value:kind\""),
        ("filter-none", "light", (80, 24), "methods & \"hidden 7\""),
    ];
    let screens = seen.map(|(name, theme, (width, height), keys)| {
        let options = Options { files: vec![crate::harness::sample(WORKSHOP)], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), theme, width, height);
        if name == "filter-80x24" {
            screen.keys("o \"table/CustomDebugInformation/1\" enter");
        }
        (format!("{name}  {keys}"), screen.keys(keys).text())
    });
    assert_snapshot("filter", &sections(&screens));
}

#[test]
fn find_expands_only_the_ancestors_of_the_match() {
    let mut screen = Screen::open(WORKSHOP, 120, 40);
    screen.keys("methods shift-tab shift-left");
    let closed = screen.text();
    screen.keys("/ \"scaled\"").shows("Scaled(");
    screen.keys("backspace backspace backspace backspace backspace backspace \"nested\"").shows("Nested");
    assert_eq!(showing(&screen, &["Scaled("]), [""; 0], "what was opened on the way is closed");
    screen.keys("esc");
    same(&closed, &screen.text());
    screen.keys("/ \"nested\" enter").shows("Nested");
}

#[test]
fn every_list_can_be_filtered() {
    // Points and IL, of each format; the contents of streams; records; fields; facts; a trace.
    for (file, keys, wanted) in [
        (WORKSHOP, "methods o \"method/44/points/1\" enter & \"hidden\" enter", "& hidden"),
        (WORKSHOP, "methods o \"method/44/il/0\" enter & \"call\" enter", "& call"),
        (
            "workshop-windows/Workshop.dll",
            "methods o \"method/Nested/points/1\" enter & \"source:17\" enter",
            "& source:17",
        ),
        ("ticker-mono/Ticker.exe", "methods & \"so:13\" enter", "3 of 72"),
        ("ticker-windows/Ticker.dll", "methods & \"IL:00\" enter", "& IL:00"),
        ("native/tally.exe", "2 2 G k k k k k k k tab tab & \"function:clamp\" enter", "1 of 3"),
        ("workshop-windows/Workshop.dll", "2 2 tab tab & \"free\" enter", "& free"),
        ("ticker-embedded/Ticker.dll", "2 tab tab & \"size of\" enter", "& size of"),
        ("ticker-embedded/Ticker.dll", "methods b tab tab tab tab & \"field:lines\" enter", "1 of 5"),
        ("ticker-embedded/Ticker.dll", "1 & \"match\" enter", "& match"),
        ("ticker-embedded/Ticker.dll", "1 tab & \"methods\" enter", "& methods"),
        (WORKSHOP, "sources tab tab & \"Source Link\" enter", "1 of"),
        ("ticker/Ticker.dll", "o \"image/heap/us/0x1\" enter & \"content:nap\" enter", "& content:nap"),
    ] {
        let mut screen = Screen::open(file, 120, 40);
        screen.keys(keys).shows(wanted);
        let text = screen.text();
        assert!(!text.contains("nothing here has"), "{file} {keys}\n{text}");
        screen.keys("j k y v enter backspace esc");
    }
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("4").paste(crate::views::TRACE).keys("& \"clock\" enter").shows("& clock");
    assert_eq!(showing(&screen, &["Ticker.Clock.Since", "Int32.Parse"]), ["Ticker.Clock.Since"]);
    // What is no list says so.
    screen
        .keys("sources &")
        .shows("this pane cannot be filtered")
        .keys("2 tab /")
        .shows("this pane cannot be filtered");
}

/// A pair with so many methods, in a terminal.
fn large(methods: u32) -> Screen {
    let (folder, pair) = (Folder::new(), Recipe::of(methods).pair());
    let files = vec![folder.write("Large.dll", pair.image), folder.write("Large.pdb", pair.pdb)];
    Screen::with(Options { files, ..Options::default() }, Config::default(), "dark", 120, 40)
}

/// Number of rows left and of all rows, from the title of a filtered pane.
fn count(screen: &Screen, pane: &str) -> (usize, usize) {
    let text = screen.text();
    let line = text.lines().find(|line| line.contains(pane)).unwrap_or_else(|| panic!("no {pane}:\n{text}"));
    let words: Vec<&str> = line.split(['\u{2501}', '\u{2500}', ' ']).filter(|word| !word.is_empty()).collect();
    let of = words.iter().position(|word| *word == "of").unwrap_or_else(|| panic!("{line}"));
    (words[of - 1].parse().unwrap(), words[of + 1].parse().unwrap())
}

#[test]
fn long_lists_are_searched_by_a_job() {
    const ROWS: usize = 24_000;
    let mut screen = large(ROWS as u32);
    screen.keys("o \"table/MethodDef/12000\" enter").shows("row 12000");
    screen.holds = true;
    screen.keys("& \"e\"");
    assert_eq!(screen.waiting(), 1);
    // Before the worker has done anything, all rows show, and none was looked at.
    screen.shows(" 11999  ").shows("row 12000");
    // An export now would lack rows.
    screen.keys("enter y w").shows("still filtering").keys("&");
    screen.work();
    let (first, of) = count(&screen, "MethodDef \u{b7}");
    assert!(of == ROWS && first > 100, "{first} of {of}");
    // What was found shows around the row that the cursor is on.
    screen.shows("row 12000");
    // A longer text is looked for in those; what was under way is not waited for.
    screen.keys("\"e\"").keys("\"xy\" backspace backspace \"t\"");
    assert_eq!(screen.waiting(), 1);
    while screen.work() {}
    let (found, _) = count(&screen, "MethodDef \u{b7}");
    let truth = (1..=ROWS as u32).filter(|row| {
        let method = Recipe::of(ROWS as u32).method(*row);
        method.name.to_lowercase().contains("et")
    });
    assert!(found >= truth.count() && found < ROWS, "{found}");
    // The status line says how far it is after a while; Esc in the pane ends it.
    screen.keys("enter & \"zz\" enter");
    screen.pass(std::time::Duration::from_millis(200)).shows("filtering by zz");
    screen.keys("esc").shows("MethodDef \u{b7} 24000 rows ");
    while screen.work() {}
    assert!(!screen.text().contains("filtering by"));
    // To find something, it is enough to come to the first row that has it.
    screen.keys("/ \"parse\"").work();
    screen.shows("of ").keys("enter");
    while screen.work() {}
    screen.keys("n").shows("  parse");
}

#[test]
fn long_trees_are_filtered() {
    let mut screen = large(8_000);
    screen.keys("methods shift-tab & \"tryget\" enter").shows("& tryget");
    let (found, of) = count(&screen, "& tryget");
    assert!(of > 8_000 && found > 40 && found < of / 4, "{found} of {of}");
    screen.shows("TryGet").keys("G j k g");
    screen.keys("esc / \"tryget\" enter n n").shows("  tryget");
}
