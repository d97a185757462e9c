//! The player with more than a record: the source of a step, and answers look-up by look-up.

use crate::harness::Screen;

/// Lines of the screen that have the bar of the selected source lines.
fn marked(screen: &Screen) -> Vec<String> {
    let text = screen.text();
    let bar = |line: &str| line.rfind('▌').map(|at| line[at..].to_owned());
    let of_source = |line: &String| line.contains(|c: char| c.is_ascii_digit()) && !line.contains("0x");
    text.lines().filter_map(bar).filter(of_source).collect()
}

#[test]
fn the_source_of_a_step_is_beside_its_bytes() {
    for (width, height) in [(120, 40), (200, 50)] {
        let mut screen = Screen::open("ticker/Ticker.dll", width, height);
        screen.keys("o \"method/Main/points\" enter .").shows("Step 1 of ").shows("Program.cs");
        screen.keys("] ] ]").shows("point › δ IL offset");
        assert!(marked(&screen).iter().any(|line| line.contains(" 12")), "{}", screen.text());
        screen.keys("]").shows("hidden point");
        assert!(marked(&screen).is_empty(), "{}", screen.text());
        screen.keys("]");
        assert!(marked(&screen).iter().any(|line| line.contains(" 13")), "{}", screen.text());
        // The line tells the answer.
        screen.keys("x");
        assert!(!screen.text().contains("Program.cs"), "{}", screen.text());
    }
}

#[test]
fn a_narrow_player_has_its_source_one_key_away() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("o \"method/Main/points\" enter . ] ]").shows("Program.cs ⇥");
    assert!(marked(&screen).is_empty(), "{}", screen.text());
    screen.keys("tab").shows("var naps");
    assert!(marked(&screen).iter().any(|line| line.contains(" 11")), "{}", screen.text());
    // A line of the source moves the player to its point.
    screen.keys("j tab tab").shows("Program.cs ⇥").shows("Step 12 of 62");
}

#[test]
fn a_record_without_code_has_no_source() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"table/TypeRef/1\" enter .").shows("Step 1 of ");
    assert!(!screen.text().contains("Program.cs"), "{}", screen.text());
}

#[test]
fn a_source_that_is_not_found_is_said_in_a_line() {
    let mut screen = Screen::open("native/tally.exe", 200, 50);
    screen.keys("methods .").shows("6Learn").shows("source not here");
}

#[test]
fn the_mapping_of_a_document_is_played() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("sources .").shows("srcsrv · /src/native/tally.c").shows("%var4%").shows("Step 1 of ");
    screen.keys("down").shows("Step 2 of ").shows("%srcsrvtrg%").keys(".").shows("3Code");
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("sources .").shows("Source Link · ").shows("entry").shows("URL");
    // A document without either is its record.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("sources .").shows("Document › Name");
}

#[test]
fn a_line_and_a_frame_are_played() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("sources tab j j .").shows("break /_/ticker/").shows("next line with code").shows("takes over here");
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("4").paste("at Ticker.Clock.Since(Int64 started) in Ticker.dll:token 0x06000003+0x7");
    screen.keys(".").shows("where Ticker.Clock.Since").shows("covering point").shows("takes over here");
}

#[test]
fn the_symbol_store_key_is_played() {
    for keys in ["1 .", "2 ."] {
        let mut screen = Screen::open("native/tally.exe", 120, 40);
        screen.keys(keys).shows("symbol-store key · tally.pdb/").shows("GUID").shows("Step 1 of 7");
    }
}

#[test]
fn derived_rows_are_not_played_as_reads() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("2 2 .").shows("superblock › magic").shows("4d 69 63 72");
    // A list has no bytes to step through.
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("o \"modules\" enter .").shows("no record is selected").shows("2File");
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"table/Document\" enter .").shows("no record is selected");
}
