//! The player.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};

#[test]
fn the_player_steps_forwards_and_backwards_by_read_and_by_point() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 .").shows("6Learn").shows("State of the decoder").shows("Step 1 of ").shows("local signature");
    screen.keys("down").shows("Step 2 of ").shows("IL offset").keys("up").shows("Step 1 of ");
    screen.keys("] ]").shows("points so far").shows("Counts from the IL offset of point 1");
    screen.keys("[").shows("The first point: its IL offset is absolute");
    screen.keys("G").shows("every read, in order").shows("Why this field is here");
}

#[test]
fn answers_are_hidden_until_they_are_asked_for() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 . x").shows("answers hidden").shows("the value is hidden");
    screen.keys("down").shows("the value is hidden").keys("x");
    assert!(!screen.text().contains("answers hidden"), "{}", screen.text());
}

#[test]
fn hidden_answers_are_told_nowhere() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 .").shows("x cover values").keys("x").shows("x show values");
    for _ in 0..40 {
        let text = screen.text();
        assert!(!text.contains("hidden point ›") && !text.contains("are both 0: point"), "{text}");
        let log = text.split("every read, in order").nth(1).unwrap();
        let mut after = log.lines().skip_while(|line| !line.contains("  ?")).skip(1);
        assert!(log.contains("  ?") && after.all(|line| !line.contains("  0x")), "{text}");
        screen.keys("down");
    }
    // Typed bytes have their text above the player.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 G enter").paste("points 14 00 00 01 13 05").keys("enter").shows("locals 20");
    screen.keys("x").shows("answers hidden");
    assert!(!screen.text().contains("locals 20"), "{}", screen.text());
}

#[test]
fn a_prediction_does_not_show_its_answer() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"table/MemberRef/1\" enter .").shows("Step 1 of ").shows("Class");
    let text = screen.text();
    let value = text.split("lowest first: 0x").nth(1).unwrap()[..4].to_owned();
    screen.keys("x enter").shows("Predict").shows("the value is hidden: answer with it");
    assert!(!screen.text().contains(&format!("0x{value}")), "{}", screen.text());
}

#[test]
fn the_selected_record_is_opened_from_any_pane_and_left_again() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("tables .").shows("6Learn").shows("Step 1 of ");
    screen.keys(".").shows("2File");
    // A point counts from those before it, so that its whole method is shown.
    screen.keys("methods ] ] .").shows("6Learn").shows("point › ");
}

#[test]
fn the_list_of_lessons_keeps_the_selected_record_for_the_player() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("tables").shows("Tables › ");
    let text = screen.text();
    let path =
        text.lines().find(|line| line.contains("Tables › ")).unwrap().trim().split("  ").next().unwrap().to_owned();
    let path = path.replacen("File › ", "Learn › ", 1);
    screen.keys("6 .").shows("6Learn").shows("Step 1 of ").shows(&path);
}

#[test]
fn a_signed_number_is_read_bit_by_bit() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("6 . ] ] ]");
    for _ in 0..40 {
        if screen.text().contains("› δ start column") {
            break;
        }
        screen.keys("down");
    }
    screen
        .shows("δ start column")
        .keys("right")
        .shows("bit by bit  step 1 of 11")
        .shows("bit 7 is 0: the number has one byte");
    screen.keys("right").shows("step 2 of 11").shows("payload");
    screen.keys("0 7 right").shows("the lowest bit is the sign").keys("right").shows("rotate right");
    screen.keys("right").shows("two's complement of 7 bits");
    // Beyond the last bit, the next read begins; back from its first bit is the whole derivation.
    screen.keys("right").shows("bit by bit  step 1 of ").keys("left");
    assert!(!screen.text().contains("bit by bit  step"), "{}", screen.text());
    screen.keys("left").shows("two's complement of 7 bits").keys("esc").shows("rotated right");
}

#[test]
fn bits_do_not_tell_a_hidden_value() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 . down right").shows("bit by bit");
    // Hiding the answers hides the bits that are shown, and no key shows them.
    screen.keys("x").shows("the value is hidden").keys("right").shows("the bits would reveal the hidden value");
    assert!(!screen.text().contains("bit by bit  step"), "{}", screen.text());
    screen.keys("x right").shows("bit by bit").keys("x enter").shows("Predict");
    assert!(!screen.text().contains("bit by bit  step"), "{}", screen.text());
}

#[test]
fn the_mask_of_tables_is_drawn_once() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"pdb/metadata/tables\" enter . down down down down down").shows("valid");
    screen.shows("1 . 1 . 1 1 1 1").shows("table 0x30 Document, table 0x31").shows("0x37 CustomDebugInformation");
    assert_eq!(screen.text().matches("1 . 1 . 1 1 1 1").count(), 1, "{}", screen.text());
}

#[test]
fn bytes_are_typed_decoded_and_stepped_through() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6").shows("Bytes of your own").keys("G enter").shows("a published blob that fails");
    screen.paste("sint 7").shows("is half a byte");
    screen.paste("7").shows("✓ -5").shows("two's complement").shows("ECMA-335 II.23.2");
    // Enter leaves the line: keys step then; e types over the bytes of the read, and marks what changes.
    screen.keys("enter right").shows("bit 7 is 0").keys("esc c").shows("Type over it");
    screen.keys("7 9").shows("1 of 1 reads change; first number: -5 → -4").keys("esc");
    assert!(!screen.text().contains("reads change"), "{}", screen.text());
    screen.keys("esc").paste(" ff").shows("✗ byte 0x1 (ff)");
    screen.keys("esc").shows("another one").paste("encode sint -5").shows("✓ 77");
    // The text of a srcsrv stream is taken from anywhere, the prompt too.
    screen.keys("tables o").paste("SRCSRV: ini ---\r\nVERSION=2\r\nSRCSRV: variables ---\r\nSRCSRVTRG=x/%var2%\r\nSRCSRV: source files ---\r\na.c*b.c\r\nSRCSRV: end ---\r\n");
    screen.shows("as srcsrv").shows("file a.c*b.c → x/b.c").keys("esc esc");
    screen.keys("tables o").paste("SRCSRV: ini ---\rVERSION=2\rSRCSRV: variables ---\rSRCSRVTRG=y/%var2%\rSRCSRV: source files ---\ra.c*b.c\rSRCSRV: end ---\r");
    screen.shows("as srcsrv").shows("file a.c*b.c → y/b.c");
    screen.keys("esc esc").shows("Lessons on the files that are open");
}

#[test]
fn the_published_blobs_are_examples_and_a_paste_opens_the_player() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("6 G enter down enter").shows("may lack its first byte").shows("✗ byte 0x");
    screen.keys("esc esc").shows("Lessons on the files").paste("records 00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79");
    screen.shows("IL_0000 46:9-46:33").keys("enter ]").shows("IL_0000 + 6 = IL_0006");
    screen.keys("x enter").shows("Predict").keys("esc").shows("bit by bit");
}

#[test]
fn typed_bytes_have_the_whole_view_and_a_handout() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("6 G enter").paste("points 02 00 00 01 13 05").keys("enter");
    assert!(!screen.text().contains("Ticker.pdb #Blob"), "{}", screen.text());
    screen.keys("y p").shows("Write a handout to").shows("one that ends in -key has only").keys("esc");
    screen.shows("local signature");
}

#[test]
fn stored_and_decoded_values_are_both_in_the_fields() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"method/0x06000003/points/5\" enter b").shows("121 → -4").shows("2 → +1");
}

#[test]
fn a_projector_shows_one_pane() {
    let options = Options { files: vec![sample("ticker/Ticker.dll")], large: true, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
    screen.keys("6 .").shows("State of the decoder");
    assert!(!screen.text().contains("Bytes  Ticker.pdb"), "{}", screen.text());
    screen.keys("z").shows("Bytes  Ticker.pdb");
}

#[test]
fn large_type_spreads_lines_bytes_and_bits_where_all_of_it_does_not_fit() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    let blob = "points 02 00 00 01 13 05 01 00 26 02 04 0e 00 25 02 00 04 00 0d 02 00 04 00 01 02 7d";
    // A signed difference, whose derivation and state take half of the screen.
    screen.keys("6 G enter").paste(blob).keys("enter down down down down down down down down down");
    screen.shows("26[02]04").shows("payload          0 0 0 0 0 1 0  2");
    screen.keys("z").shows("26   [02]   04    0e").shows("0   0   0   0   0   1   0");
    let text = screen.text();
    let left: String = text.lines().map(|line| line.chars().take(60).collect::<String>() + "\n").collect();
    let (from, to) = (left.find("Read  signed").unwrap(), left.find("Why this field").unwrap());
    let lines: Vec<&str> = left[from..to].lines().collect();
    assert!(lines.iter().skip(1).step_by(2).all(|line| line.trim().is_empty()) && lines.len() > 12, "{text}");
    // Where there is no room for that the lines are together, and z again brings all back.
    screen.resize(80, 24).shows("Step 10 of 26").resize(120, 40).keys("z").shows("26[02]04");
}

#[test]
fn large_type_keeps_its_sections_and_its_log_from_step_to_step() {
    let options = Options { files: vec![sample("ticker/Ticker.dll")], large: true, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("6 .").shows("Step 1 of ");
    let mut logs = Vec::new();
    for _ in 0..30 {
        let text = screen.text();
        for heading in ["Read  ", "State of the decoder", "Why this field is here"] {
            assert!(text.contains(heading), "{heading} in {text}");
        }
        logs.push(text.lines().position(|line| line.contains("every read, in order")).unwrap());
        screen.keys("down");
    }
    logs.dedup();
    assert_eq!(logs.len(), 1, "{logs:?}");
}

#[test]
fn a_question_keeps_the_map_and_the_bytes_beside_it() {
    let mut screen = Screen::open("ticker-windows/Ticker.pdb", 120, 40);
    screen.keys("6 down down enter").shows("page 1 of 6");
    for _ in 0..7 {
        screen.keys("down");
    }
    // A question in words: the record of the last page, and the pages of its file.
    screen.shows("question 2 of 3").shows("Bytes").shows("superblock › page size").shows("f1  f2");
    // The map has the answer to the first one.
    screen.keys("up").shows("question 1 of 3");
    assert!(!screen.text().contains("f1  f2"), "{}", screen.text());
    let mut screen = Screen::open("ticker-windows/Ticker.pdb", 80, 24);
    screen.keys("6 down down down enter");
    for _ in 0..6 {
        screen.keys("down");
    }
    screen.shows("question 1 of 4").shows("answer").shows("Bytes").shows("every read, in order");
}

#[test]
fn a_projector_has_rows_apart_and_the_whole_source() {
    let options = Options { files: vec![sample("ticker/Ticker.dll")], large: true, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "mono", 100, 30);
    screen.keys("3");
    for _ in 0..4 {
        if screen.text().contains("Program.cs  ") {
            break;
        }
        screen.keys("tab");
    }
    // The pane had no room when the point was selected.
    screen.shows("Program.cs").shows("using System.Threading;").shows("namespace Ticker");
    screen.keys("tab").shows("Scopes");
    let text = screen.text();
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.contains("args ")).expect("the scopes of the method");
    assert!(lines[at + 1].trim().is_empty() && lines[at + 2].contains("scopes "), "{text}");
}
