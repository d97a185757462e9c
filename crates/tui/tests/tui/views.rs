//! Navigation in each view, on samples of every kind; `every` has their snapshots.

use crate::harness::{Screen, sample};
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

#[test]
fn overview() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A line leads to where its fact is; the health of the files is told, and leads there too.
    screen.shows("rules hold").keys("tab j j enter").shows("2File").shows("optional header");
    screen.keys("backspace shift-tab j enter").shows("3Code").shows("Columns.cs");
    screen.keys("1 G").shows("▌  ✓ 12 rules hold").keys("!").shows("Findings of all open files");
}

#[test]
fn pe() {
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 120, 40);
    // A part lights its bytes; a field its own; a region of the picture what it stands for.
    screen.keys("2 b j").shows("pe/debug/0").shows("+28 of 3584 · file 0x00077c");
    screen.keys("enter j j").shows("0584+2 of 3584");
    screen.keys("shift-tab left").shows("Layout");
    screen.keys("g").shows("DOS header · 0x0+128");
    screen.keys("G").shows("#Blob · 0x238+1516");
    // Methods are told apart; one leads to its code.
    screen
        .resize(140, 40)
        .keys("b")
        .click_on(" Ticker.Program.Main(string[]) ")
        .shows("Ticker.Program.Main(string[]) · 0x");
    screen.keys("enter").shows("3Code").shows("Main(string[])").keys("backspace").shows("2File");
}

#[test]
fn streams() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A stream lights all its bytes, and what is in it can be followed.
    screen.keys("2 2 b j j").shows("#Pdb · 0x7c+112").shows("entry point").shows("0x0000+112 of 112 · file 0x00007c");
    screen.keys("tab right").shows(" · 0xec").shows("LocalScope");
    screen.keys("o \"table/Document\" enter").shows("2File").shows("Document · 10 rows");
    screen.keys("backspace j j j tab").shows("2File");
    // Pages know their stream, streams their pages, and both what is in them.
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 120, 40);
    screen.keys("2 2 b tab right right right").shows("stream 9").shows("Fields  page 3").shows("0x0");
    screen.keys("enter").shows("Streams \u{203a} stream 9");
    // In the image, its layout shows in the place of the pages.
    screen.keys("shift-tab shift-tab j").shows("stream 10").keys("g").shows("Layout").shows("Workshop.dll  ");
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("2 2 b G k").shows("6 section contributions");
    screen.keys("k k k k k k").shows("functions").keys("tab tab enter").shows("3Code").shows("Lines");
    screen.keys("backspace").shows("functions");
}

#[test]
fn tables() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A table, a row of it, what that leads to, and back.
    screen
        .keys("tables")
        .shows("Document · 10 rows")
        .keys("o \"table/MethodDebugInformation/1\" enter")
        .shows("MethodDebugInformation · 74 rows");
    screen
        .keys("b")
        .shows("Fields  MethodDebugInformation/1")
        .keys("right right right right right enter")
        .shows("Document/");
    screen.keys("backspace").shows("MethodDebugInformation · 74 rows");
    // Rows that have a text, in one column or in any; Esc shows all, where the cursor was.
    screen.keys("& \"Document:Scopes\" enter").shows("& Document:Scopes");
    screen.keys("j j esc").shows("74 rows").keys("/ \"nothing of the kind\" enter").shows("no nothing of the kind in ");
    // A heap, and who uses an entry of it.
    screen.keys("esc o \"pdb/heap/blob/0x1\" enter").shows("used by").shows("Document/1 +9");
}

#[test]
fn sources() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    // A line shows the code that is there, of whatever method; Enter goes to the point.
    screen.keys("sources").shows("\u{2713} verified").shows("Clock.cs").keys("j");
    screen.shows("\u{2713} verified").shows("built-in sample").shows("11 points, 1 method");
    screen.keys("tab g 0 1 2 j").shows("line 13").shows("IL_0015").keys("b").shows("Fields  point 5");
    screen.keys("enter").shows("3Code").shows("point 5");
    screen.keys("backspace shift-tab").shows("3Code").keys("g").shows("/_/ticker");
    // A line without code says so.
    screen.keys("sources tab g").shows("no code");
}

/// Frames that are certain, one of other files, one known by its name alone, and one with its line.
pub(crate) const TRACE: &str = "\
System.FormatException: The input string 'soon' was not in a correct format.
   at System.Int32.Parse(String s) in System.Private.CoreLib.dll:token 0x6001532+0x0
   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1
   at Ticker.Program.Main(String[] args) in Ticker.dll:token 0x6000001+0x47

the same without offsets, and with lines
   at Ticker.Clock.Now()
   at Ticker.Program.Main(String[] args) in /_/ticker/Program.cs:line 18
";

#[test]
fn trace() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("4").shows("Paste a stack trace here");
    screen.paste(TRACE).shows("2 of 5 frames resolved, 1 with a line already").shows("no IL offset: 7 in Clock.cs");
    // A frame shows its source and its bytes; the next one; and there.
    screen.keys("j").shows("Program.cs:18").keys("enter").shows("3Code").shows("IL_0047");
    screen.keys("backspace").shows("4Trace").shows("2 of 5 frames");
    // Many lines that are pasted anywhere are a trace.
    screen.keys("1");
    screen.paste("   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\r\n\r\nand more\r\n");
    screen.shows("4Trace").shows("1 of 1 frames resolved");
    // From the palette: a trace that comes, and one in a file.
    screen.keys("1 : \"paste-trace\" enter").shows("4Trace").shows("paste the stack trace now");
    let path = sample("faults/il-offsets.txt").display().to_string();
    screen.keys("1 : \"open-file\" enter").shows("Open a file").paste(&path).keys("enter");
    screen.shows("0 of 17 frames resolved");
    screen.keys(": \"open-file\" enter \"/nothing/there\" enter").shows("/nothing/there: there is no such file");
}

#[test]
fn multi_line_spans_are_marked_without_colours() {
    let options = |name: &str| Options {
        files: vec![sample("workshop-embedded/Workshop.dll")],
        at: Some(name.to_owned()),
        ..Options::default()
    };
    let config = |ascii| Config { ascii, ..Config::default() };
    // The signs in the margins of the lines 56 to 63, and whether their numbers are reversed.
    let margins = |screen: &Screen| -> Vec<(String, bool)> {
        let (buffer, _) = screen.draw();
        let text = screen.text();
        let y = text.lines().position(|line| line.contains(" 56 \u{25cf}") || line.contains(" 56 *")).unwrap() as u16;
        let line = text.lines().nth(y.into()).unwrap();
        let at = line.find(" 56").unwrap();
        let x = line[..at].chars().count() as u16 + 1;
        let reversed = |y| buffer[(x, y)].modifier.contains(ratatui::style::Modifier::REVERSED);
        (y..y + 8).map(|y| (buffer[(x - 2, y)].symbol().to_owned(), reversed(y))).collect()
    };
    for (ascii, signs) in [(false, " \u{259b}\u{258c}\u{258c}\u{258c}\u{258c}\u{2599} "), (true, " /||||\\ ")] {
        let at = "method/0x06000024/points/4";
        let mut screen = Screen::with(options(at), config(ascii), "mono", 120, 40);
        let seen: String = margins(&screen).into_iter().map(|(sign, _)| sign).collect();
        assert_eq!(seen, signs, "\n{}", screen.text());
        assert!(margins(&screen).iter().all(|(_, reversed)| !reversed));
        // The cursor in them can be told from them too.
        screen.keys("tab j");
        let reversed: Vec<usize> =
            margins(&screen).iter().enumerate().filter(|(_, (_, r))| *r).map(|(i, _)| i).collect();
        assert_eq!(reversed, [2], "\n{}", screen.text());
    }
    // A span within a line has the usual bar.
    let screen = Screen::with(options("method/0x06000024/points/3"), config(false), "mono", 120, 40);
    assert_eq!(screen.text().matches(['\u{259b}', '\u{2599}']).count(), 0);
}

#[test]
fn a_pdb_alone_groups_its_methods_by_document() {
    let folder = crate::support::folder::Folder::new();
    for (file, shown) in [
        (
            "workshop/Workshop.pdb",
            &["▾ Columns.cs", "▾ Modern.cs", "▾ Program.cs", "▾ StateMachines.cs", ".cs from 0x060000"][..],
        ),
        ("ticker/Ticker.pdb", &["▾ Program.cs", "▾ Clock.cs"]),
    ] {
        let path = folder.write(file.rsplit('/').next().unwrap(), std::fs::read(sample(file)).unwrap());
        let options = Options { files: vec![path], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", 120, 60);
        screen.keys("methods");
        screen.shows(shown[0]);
        // No method is missing.
        let rows = screen.app.session().unwrap().methods();
        let tree = pdblens_nodes::code_tree::CodeTree::of(screen.app.session().unwrap());
        for text in shown {
            let name = text.trim_start_matches("▾ ");
            assert!(tree.branches.iter().any(|branch| branch.name.contains(name)), "{name}: {:?}", tree.branches);
        }
        let members: u32 = tree.branches.iter().map(|branch| branch.members.len() as u32).sum();
        assert_eq!(members, rows);
    }
}

#[test]
fn both_ids_of_a_mismatch_are_under_each_other_in_full() {
    let files = vec![sample("ticker/Ticker.dll"), sample("ticker-release/Ticker.pdb")];
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let options = Options { files: files.clone(), ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), "dark", width, height);
        screen
            .shows("3222a828-d6ba-470f-ac43-bbba907b2f03 stamp b96cad35")
            .shows("b3da9c55-4755-484d-8d5e-a96a2f1cc0a2 stamp f03027c9");
        // At 80 columns the paths of other PDBs take the room of the third column.
        if width > 80 {
            screen.shows("use it");
        }
    }
}

#[test]
fn parts_have_their_share_of_the_file() {
    let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
    let text = screen.keys("2").text();
    let line = |part: &str| {
        let found = text.lines().filter_map(|line| line.rsplit('│').next()).find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("{part}\n{text}")).trim_end().to_owned()
    };
    assert!(line(".text ").ends_with(" 527872 100 %"), "of 528896 bytes: {}", line(".text "));
    assert!(line("LocalScope").ends_with("  77280  22 %"), "of 357912 bytes of the PDB: {}", line("LocalScope"));
    assert!(line("DOS header").ends_with(" 128"), "less than one percent: {}", line("DOS header"));
    assert!(line("sections").ends_with(" 2"), "a number of entries: {}", line("sections"));
}
