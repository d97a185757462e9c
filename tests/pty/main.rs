//! The real binary in a pseudo-terminal: it starts, answers, and gives the terminal back whatever ends it.

#![cfg(unix)]

mod harness;

use harness::{Session, signal};

const TICKER: &str = "assets/samples/ticker-embedded/Ticker.dll";

#[test]
fn it_starts_goes_to_a_place_and_quits() {
    let mut session = Session::start(&[TICKER, "--at", "method/Clock.Since/points/2"], &[]);
    session.shows("point 2").shows("PDB matches DLL").keys("q");
    assert_eq!(session.exit(), 0);
    session.is_whole();
}

#[test]
fn another_size_is_another_layout() {
    let mut session = Session::start(&[TICKER], &[]);
    session.shows("1 Overview").keys("5").shows("Sequence points");
    session.resize(40, 12).shows("? keys").resize(0, 0).resize(130, 45).shows("Fields").keys("q");
    assert_eq!(session.exit(), 0);
    session.is_whole();
}

#[test]
fn signals_end_it_and_the_terminal_is_whole() {
    for name in ["TERM", "HUP"] {
        let mut session = Session::start(&[TICKER], &[]);
        session.shows("1 Overview");
        signal(session.id, name);
        session.exit();
        session.is_whole();
    }
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_speaks() {
    let mut session = Session::start(&[TICKER], &[("PDBLENS_PANIC", "1")]);
    session.shows("pdblens found an error in itself").shows("as PDBLENS_PANIC asks");
    assert_eq!(session.exit(), 101);
    session.is_whole();
}

#[test]
fn it_suspends_and_comes_back() {
    let mut session = Session::shell();
    session.keys(&format!("{} {TICKER}\r", env!("CARGO_BIN_EXE_pdblens"))).shows("1 Overview");
    session.keys("\x1a").shows("Stopped").is_left().prompts();
    session.keys("fg\r").shows("1 Overview").keys("5").shows("Sequence points").keys("q").prompts();
    session.keys("exit\r");
    assert_eq!(session.exit(), 0);
}

#[test]
fn no_color_means_none() {
    let mut session = Session::start(&[TICKER], &[("NO_COLOR", "1")]);
    session.shows("1 Overview").keys("5").shows("Sequence points").keys("q");
    session.exit();
    let raw = String::from_utf8_lossy(&session.raw.lock().unwrap()).into_owned();
    for colour in ["\x1b[38;2;", "\x1b[38;5;", "\x1b[48;2;", "\x1b[48;5;"] {
        assert!(!raw.contains(colour), "{colour:?}");
    }
}

#[test]
fn what_is_no_symbol_file_is_said_on_the_terminal_itself() {
    let mut session = Session::start(&["Cargo.toml"], &[]);
    session.shows("Cargo.toml: this is text");
    assert_eq!(session.exit(), 1);
    session.is_whole();
}

#[test]
fn without_a_terminal_it_prints() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_pdblens")).arg(TICKER).output().unwrap();
    assert!(output.status.success());
    assert!(!output.stdout.is_empty() && !output.stdout.contains(&0x1b));
}
