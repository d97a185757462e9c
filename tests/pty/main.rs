//! The real binary in a pseudo-terminal: start, answers, and the restored terminal.

#![cfg(unix)]

#[cfg(unix)]
mod editor;
mod end;
mod harness;
mod hostile;
mod progress;
mod script;
mod sources;
mod tidy;
mod tmux;
mod world;

use pdblens_testing as support;

use std::time::{Duration, Instant};

use harness::Session;

/// A small pair, the PDB inside the image.
pub(crate) const TICKER: &str = "assets/samples/ticker-embedded/Ticker.dll";

#[test]
fn it_starts_goes_to_a_place_and_quits() {
    let mut session = Session::start(&[TICKER, "--at", "method/Clock.Since/points/2"], &[]);
    session.shows("point 2").shows("✓ matches").keys("q");
    assert_eq!(session.exit(), 0);
    session.is_whole();
}

#[test]
fn a_place_after_the_file_is_where_the_screens_start() {
    let mut session = Session::start(&[TICKER, "method/Clock.Since/points/2"], &[]);
    session.shows("point 2").shows("✓ matches").keys("q");
    assert_eq!(session.exit(), 0);
}

#[test]
fn a_panic_restores_the_terminal_before_its_message() {
    let mut session = Session::start(&[TICKER], &[("PDBLENS_PANIC", "1")]);
    session.shows("pdblens failed because of a bug").shows("as PDBLENS_PANIC asks");
    assert_eq!(session.exit(), 101);
    session.is_whole();
}

#[test]
fn it_suspends_and_comes_back() {
    let mut session = Session::shell();
    session.keys(&format!("{} {TICKER}\r", env!("CARGO_BIN_EXE_pdblens"))).shows("1Summary");
    session.keys("\x1a").shows("Stopped").is_left().prompts();
    session.keys("fg\r").shows("1Summary").keys("3").shows("Points and IL").keys("q").prompts();
    session.keys("exit\r");
    assert_eq!(session.exit(), 0);
}

/// Query for the background colour, and the answer of a light terminal.
const QUESTION: &str = "\x1b]11;?\x07";
const LIGHT: &str = "\x1b]11;rgb:fbfb/fbfb/f8f8\x1b\\";
/// Strong text in the themes light and dark.
const INK: [vt100::Color; 2] = [vt100::Color::Rgb(0x10, 0x13, 0x1a), vt100::Color::Rgb(0xff, 0xff, 0xff)];

#[test]
fn an_unanswered_query_does_not_delay_the_start() {
    // The machine may be busy: the fastest of some turns says what it takes.
    let fastest = |variables: &[(&str, &str)]| {
        let turn = |_| {
            let start = Instant::now();
            let mut session = Session::start(&[TICKER], variables);
            session.shows("✓ matches");
            let took = start.elapsed();
            session.keys("q");
            session.exit();
            took
        };
        (0..5).map(turn).min().unwrap()
    };
    let (silent, known) = (fastest(&[]), fastest(&[("COLORFGBG", "15;0")]));
    println!("first frame after {silent:?}, where the environment says the theme after {known:?}");
    assert!(silent < known + Duration::from_millis(40), "{silent:?}, not {known:?}");
}

#[test]
fn the_theme_follows_the_background_and_no_key_is_lost() {
    // Typed before, in the middle of, and after the answer, which comes before the first frame or after it.
    for late in [false, true] {
        let mut session = Session::start(&[TICKER], &[]);
        session.keys("3").sent(QUESTION);
        if late {
            session.shows("Points and IL").shows_in(vt100::Color::Default);
        }
        session.keys(&format!("]{LIGHT}]")).shows_in(INK[0]).shows("point 3");
        assert_eq!(session.keys("q").exit(), 0);
        session.is_whole();
        let raw = String::from_utf8_lossy(&session.raw()).into_owned();
        assert!(!raw.contains("does nothing"), "a part of the answer was taken for a key");
        assert!(!raw.contains("213;218;230"), "the text was in the colour of the theme dark");
    }
}

#[test]
fn a_split_answer_is_recognised() {
    let mut session = Session::start(&[TICKER], &[]);
    session.sent(QUESTION).shows("1Summary").keys("\x1b]11;rgb:15");
    std::thread::sleep(Duration::from_millis(20));
    session.keys("15/1818/2121\x07").shows_in(INK[1]).keys("3]").shows("point 2").keys("q");
    assert_eq!(session.exit(), 0);
}

#[test]
fn the_environment_avoids_the_query() {
    let mut session = Session::start(&[TICKER], &[("COLORFGBG", "0;15")]);
    session.shows_in(INK[0]).keys("q");
    session.exit();
    assert!(!String::from_utf8_lossy(&session.raw()).contains(QUESTION));
}

#[test]
fn a_late_answer_is_not_left_to_the_shell() {
    let mut session = Session::shell();
    session.keys(&format!("{} Cargo.toml\r", env!("CARGO_BIN_EXE_pdblens"))).sent(QUESTION);
    std::thread::sleep(Duration::from_millis(20));
    session.keys(LIGHT).shows("Cargo.toml: this is text").prompts().keys("echo do''ne\r").shows("done");
    assert!(!session.text().contains("fbfb"), "{}", session.text());
    session.keys("exit\r").exit();
}

#[test]
fn an_unrecognised_file_is_reported_outside_the_screens() {
    let mut session = Session::start(&["Cargo.toml"], &[]);
    session.shows("Cargo.toml: this is text");
    assert_eq!(session.exit(), 1);
    session.is_whole();
}

/// Time on a processor of the thread that takes keys and draws.
#[cfg(target_os = "linux")]
fn time_of_frames(id: u32) -> Duration {
    let times = std::fs::read_to_string(format!("/proc/{id}/task/{id}/schedstat")).unwrap();
    Duration::from_nanos(times.split(' ').next().unwrap().parse().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_frame_does_not_look_at_a_pasted_text() {
    const KEYS: u32 = 4;
    let mut session = Session::start(&[TICKER], &[("COLORFGBG", "15;0")]);
    session.shows("✓ matches");
    let mut frame = |text: &str, size: usize| {
        session.paste(&text.repeat(size / text.len())).shows("─ Ask ").is_quiet();
        let began = time_of_frames(session.id);
        for key in 0..KEYS {
            session.keys(&format!("{key}")).is_quiet();
        }
        let took = time_of_frames(session.id).saturating_sub(began) / KEYS;
        session.leaves("─ Ask ");
        took
    };
    let short = frame("x", 10);
    // A key and the frames after it; programs without optimisation take several times as long.
    let most = Duration::from_millis(if cfg!(debug_assertions) { 250 } else { 16 });
    for (text, size) in [("x", 200 << 10), ("4d 5a 90 00 ", 100 << 10), ("x", 1 << 20)] {
        let took = frame(text, size);
        println!("{size} bytes of {text:?}: {took:?} a key, and {short:?} with 10 bytes");
        assert!(took < most, "{size} bytes of {text:?}: {took:?} a key, and {short:?} with 10 bytes");
    }
    session.keys("q");
    assert_eq!(session.exit(), 0);
}
