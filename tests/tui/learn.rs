//! The player.

use crate::harness::Screen;

#[test]
fn the_player_steps_forwards_and_backwards_by_read_and_by_point() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("8 .").shows("8 Learn").shows("State of the decoder").shows("Step 1 of ").shows("local signature");
    screen.keys("space").shows("Step 2 of ").shows("IL offset").keys("backspace").shows("Step 1 of ");
    screen.keys("] ]").shows("points so far").shows("Counts from the IL offset of point 1");
    screen.keys("[").shows("The first point: its IL offset is absolute");
    screen.keys("G").shows("every read, in order").shows("Why this field is here");
}

#[test]
fn answers_are_hidden_until_they_are_asked_for() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("8 . x").shows("answers hidden").shows("the value is hidden");
    screen.keys("space").shows("the value is hidden").keys("x");
    assert!(!screen.text().contains("answers hidden"), "{}", screen.text());
}

#[test]
fn the_selected_record_is_opened_from_any_pane_and_left_again() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("4 j enter .").shows("8 Learn").shows("Step 1 of ");
    screen.keys(".").shows("4 Tables");
    // A point counts from those before it, so that its whole method is shown.
    screen.keys("5 ] ] .").shows("8 Learn").shows("point › ");
}
