//! Keys and mouse on small samples.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};
use crate::snapshot::{assert_snapshot, sections};

const TICKER: &str = "ticker-embedded/Ticker.dll";

fn methods(width: u16, height: u16) -> Screen {
    let mut screen = Screen::open(TICKER, width, height);
    screen.keys("methods");
    screen
}

#[test]
fn small_sizes_match_their_snapshots() {
    let screens = [(60, 20), (30, 10)]
        .map(|(width, height)| (format!("{width}x{height}"), methods(width, height).keys("] ]").text()));
    assert_snapshot("methods-small", &sections(&screens));
}

#[test]
fn moving_in_any_pane_moves_the_others() {
    let mut screen = methods(120, 40);
    screen.keys("b ] ]").shows("point 3").shows("Fields  point 3");
    // An instruction below the point has its own bytes.
    screen.keys("j j").shows("IL_0012").shows("Bytes  Ticker.dll ");
    // Source: a line is the point that begins there.
    screen.keys("tab G").shows("line 21");
    screen.keys("g 0 1 4 j k").shows("point 6");
    // Bytes: a byte says which field it is, and the fields follow.
    screen.keys("tab tab l l").shows("Δ columns");
    // Fields: Enter follows.
    screen.keys("tab g enter").shows("IL_0016");
}

#[test]
fn keys_typed_while_opening_are_performed_afterwards() {
    let opening = || {
        let options = Options { files: vec![sample(TICKER)], ..Options::default() };
        Screen::opening(options, Config::default(), "dark", 120, 40)
    };
    let (mut screen, effects) = opening();
    screen.keys("methods ] ]").shows("opening Ticker.dll");
    screen.carry_out(effects);
    screen.shows("point 3");
    // A prompt takes letters that are actions elsewhere, but who wants to leave need not wait.
    let (mut screen, effects) = opening();
    screen.keys("o q");
    assert!(!screen.ended);
    screen.keys("ctrl-c");
    assert!(screen.ended);
    screen.carry_out(effects);
    let (mut screen, _) = opening();
    screen.keys("q");
    assert!(screen.ended);
}

#[test]
fn brackets_step_through_points_from_any_pane() {
    let mut screen = methods(120, 40);
    screen.keys("tab tab tab ] ] ]").shows("point 4").keys("[").shows("point 3");
    screen.keys("[ [ [ [").shows("no more sequence points");
}

#[test]
fn back_and_forward_follow_the_history() {
    let mut screen = methods(120, 40);
    screen.keys("] ] ] enter");
    let there = screen.text();
    screen.keys("1 tables");
    assert_ne!(screen.text(), there);
    screen.keys("backspace backspace").shows("3Code").shows("point 4").keys("L L").shows("2File");
}

#[test]
fn what_can_be_copied_is_a_menu() {
    let mut screen = methods(120, 40);
    screen.keys("y").shows("─ copy ").shows("Copy the value").shows("Write the focused list to a file").keys("esc");
    assert!(!screen.text().contains("─ copy "), "{}", screen.text());
    // The same letter twice copies the first.
    screen.keys("y y");
    assert_eq!(screen.copied.len(), 1);
}

#[test]
fn overlays_take_keys_until_esc_closes_them() {
    let mut screen = methods(120, 40);
    let before = screen.text();
    screen.keys("? \"zoom\"").shows("Show the focused pane").keys("esc");
    assert_eq!(screen.text(), before);
    screen.keys(": \"zoom\" enter");
    assert_ne!(screen.text(), before);
    screen.keys("z");
    assert_eq!(screen.text(), before);
    screen.keys("o \"method/Clock.Since/il/2\" enter").shows("Since(long)").shows("IL_0002");
    screen.keys("o \"nonsense\"").shows("no method named nonsense");
    screen.keys("enter").shows("\u{203a} nonsense").shows("0 names").keys("esc");
    screen.keys("/ \"nothing like it\" enter").shows("no nothing like it in ");
}

#[test]
fn pasted_text_goes_to_the_goto_prompt() {
    let mut screen = methods(120, 40);
    screen.paste("method/Clock.Since/points/2\n").shows("Ask").keys("enter").shows("point 2");
}

#[test]
fn the_finder_finds_every_kind_of_name() {
    let mut screen = methods(120, 40);
    screen
        .keys("o \"clksnc\"")
        .shows("Ticker.Clock.Since")
        .keys("enter")
        .shows("Since(long)")
        .keys("b")
        .shows("Fields  0x06000003");
}

#[test]
fn copying_reports_kind_and_text() {
    let mut screen = methods(120, 40);
    screen.keys("] ] y a y h y v y c y j");
    let copied: Vec<&str> = screen.copied.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(copied[0], "method/0x06000001/points/3");
    assert_eq!(copied[1], "100009020a");
    assert!(copied[3].starts_with("pdblens show ") && copied[3].ends_with(" method/0x06000001/points/3"));
    assert!(copied[4].contains("\"value\""));
}

#[test]
fn the_mouse_selects_follows_scrolls_and_drags() {
    let mut screen = methods(120, 40);
    screen.click(40, 27).shows("point 2");
    screen.click(100, 14).shows("point 3");
    let top = screen.text();
    screen.wheel(true, 40, 25);
    assert_ne!(screen.text(), top, "the wheel scrolls what it is over");
    screen.shows("point 3");
    screen.drag((27, 10), (40, 10));
    assert!(screen.remembered.as_ref().unwrap().contains("nav = 40"));
    screen.click(19, 0).shows("1Summary");
}

#[test]
fn dividers_are_reset() {
    let mut screen = methods(120, 40);
    let before = screen.text();
    screen.drag((27, 10), (40, 10));
    assert!(screen.remembered.as_ref().unwrap().contains("[splits.methods.normal]\nnav = 40"));
    screen.keys(": \"reset-splits\" enter").shows("layout reset").keys("f9");
    assert_eq!(screen.text(), before);
}

#[test]
fn quitting_and_suspending_are_commands_to_the_event_loop() {
    let mut screen = methods(80, 24);
    screen.keys("ctrl-z");
    assert!(screen.suspended && !screen.ended);
    screen.keys("q");
    assert!(screen.ended);
}

#[test]
fn the_ascii_screen_has_only_ascii() {
    let config = Config { ascii: true, ..Config::default() };
    let options = Options { files: vec![sample(TICKER)], ..Options::default() };
    let mut screen = Screen::with(options, config, "mono", 120, 40);
    screen.keys("methods ] ]");
    let other: String = screen.text().chars().filter(|c| !c.is_ascii()).collect();
    // What the model says of points and fields has an arrow, a dash and two deltas of its own.
    assert!(other.chars().all(|c| "→–δΔ·".contains(c)), "{other}");
}
