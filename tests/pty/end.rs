//! The end of the program: signals, and a terminal that is closed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::TICKER;
use crate::harness::{PDBLENS, Session, Start, gone, signal};

/// Environment variable for the process that holds a terminal.
const HOLD: &str = "PDBLENS_TEST_HOLD";

#[test]
fn signals_end_it_and_the_terminal_is_restored() {
    for (name, told) in [("TERM", "Terminated"), ("HUP", "Hangup"), ("INT", "Interrupt"), ("QUIT", "Quit")] {
        let mut session = Session::start(&[TICKER], &[]);
        session.shows("1 Overview");
        signal(session.id, name);
        // A parent that asks is told the truth.
        assert_eq!(session.ended().signal(), Some(told));
        session.is_whole();
    }
}

#[test]
fn a_closed_terminal_ends_it() {
    for how in ["plain", "overlay", "stopped"] {
        closed_under(how);
    }
}

#[test]
fn a_closed_terminal_ends_it_without_a_signal() {
    // As where the terminal is nobody's own: all that can be known is that nothing will ever be read from it again.
    closed_under("free");
}

/// Has another process open a terminal, and pdblens in it; ends that at once, and waits until pdblens is gone too.
fn closed_under(how: &str) {
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "end::holds_a_terminal", "--ignored", "--nocapture", "--test-threads=1"])
        .env(HOLD, how)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines().map(Result::unwrap);
    let id = lines.find_map(|line| line.split_once("holds ")?.1.parse().ok()).expect("it says whom it holds");
    holder.kill().unwrap();
    holder.wait().unwrap();
    gone(id);
}

/// Holds a terminal: only its owner can close it.
#[test]
#[ignore = "other tests start it, and kill it"]
fn holds_a_terminal() {
    let Ok(how) = std::env::var(HOLD) else { return };
    let mut session = match &*how {
        "stopped" => Session::shell(),
        how => Session::of(&Start { arguments: &[TICKER], controlling: how != "free", ..Start::default() }),
    };
    let mut id = session.id;
    match &*how {
        "overlay" => session.shows("1 Overview").keys("F").shows("Find").keys("main").shows("Main"),
        "stopped" => {
            session.keys(&format!("{PDBLENS} {TICKER}\r")).shows("1 Overview");
            id = session.foreground();
            session.keys("\x1a").shows("Stopped").is_left().prompts()
        }
        _ => session.shows("1 Overview").keys("5").shows("Sequence points"),
    };
    session.is_quiet();
    println!("holds {id}");
    loop {
        std::thread::park();
    }
}
