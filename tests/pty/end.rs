//! The end of the program: signals, and a terminal that is closed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::TICKER;
use crate::harness::{PDBLENS, Session, Start, children, gone, guard_of, signal};

/// Environment variable for the process that holds a terminal.
const HOLD: &str = "PDBLENS_TEST_HOLD";

#[test]
fn signals_end_it_and_the_terminal_is_restored() {
    for (name, told) in [("TERM", "Terminated"), ("HUP", "Hangup"), ("INT", "Interrupt"), ("QUIT", "Quit")] {
        let mut session = Session::start(&[TICKER], &[]);
        session.shows("1Summary");
        signal(session.id, name);
        // A parent that asks is told the truth.
        assert_eq!(session.ended().signal(), Some(told));
        session.is_whole();
    }
}

#[test]
fn an_end_without_warning_leaves_the_terminal_to_the_guard() {
    for (name, told) in [("ABRT", "Aborted"), ("KILL", "Killed"), ("ILL", "Illegal instruction")] {
        let mut session = Session::start(&[TICKER], &[]);
        session.shows("1Summary");
        guard_of(session.id);
        signal(session.id, name);
        assert_eq!(session.ended().signal(), Some(told));
        session.is_whole().sent("pdblens was ended before it could say why");
    }
}

#[test]
fn the_modes_of_the_terminal_come_back_after_an_abort() {
    // A shell that sets no modes of its own.
    let mut session = Session::script(
        "\"$@\"; echo \"ended by $?\"; until stty -a | grep ' icanon'; do sleep 0.05; done; exec sleep 600",
        &[PDBLENS, TICKER],
    );
    session.shows("1Summary");
    let (id, _) = children(session.id)[0];
    guard_of(id);
    signal(id, "ABRT");
    // The shell may write before the guard leaves the alternate screen, which would take its lines away.
    session.sent("ended by 134").is_whole().sent("isig icanon");
}

#[test]
fn a_shell_goes_on_after_an_abort() {
    let mut session = Session::shell();
    session.keys(&format!("{PDBLENS} {TICKER}\r")).shows("1Summary");
    guard_of(session.foreground());
    signal(session.foreground(), "ABRT");
    // A shell that has its prompt already has turned bracketed paste on for itself.
    session.is_left().keys("\r").prompts().keys("echo do''ne\r").shows("done").prompts();
    session.keys("exit\r").exit();
}

#[test]
fn the_end_of_a_whole_group_leaves_the_terminal_to_the_guard() {
    let mut session = Session::shell();
    session.keys(&format!("{PDBLENS} {TICKER}\r")).shows("1Summary");
    let (group, guard) = (session.foreground(), guard_of(session.foreground()));
    // The guard leaves the group as soon as it runs.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let killed = Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).status().unwrap();
    assert!(killed.success());
    gone(group);
    session.is_left().keys("\r").prompts().keys("echo do''ne\r").shows("done").prompts();
    gone(guard);
    session.keys("exit\r").exit();
}

#[test]
fn the_guard_ends_with_the_screens_and_is_silent_about_a_suspended_program() {
    let mut session = Session::shell();
    session.keys(&format!("{PDBLENS} {TICKER}\r")).shows("1Summary");
    let id = session.foreground();
    let guard = guard_of(id);
    session.keys("\x1a").shows("Stopped").is_left().prompts().is_quiet();
    let written = session.raw().len();
    signal(id, "KILL");
    gone(id);
    gone(guard);
    assert_eq!(session.raw().len(), written, "the terminal was the shell's");
    session.keys("\r").shows("Killed").prompts();
    session.keys(&format!("clear; {PDBLENS} {TICKER}\r")).shows("1Summary");
    let guard = guard_of(session.foreground());
    session.keys("q").prompts();
    gone(guard);
    session.keys("exit\r").exit();
}

/// With little memory the program ends somehow, and the terminal is whole.
#[cfg(target_os = "linux")]
#[test]
fn allocations_that_fail_leave_a_whole_terminal() {
    let mut outcomes = std::collections::BTreeSet::new();
    for megabytes in (24..=240).step_by(12) {
        let script = format!("ulimit -v {}; \"$@\" <&1; echo \"ended by $?\"", megabytes << 10);
        let mut session = Session::script(&script, &[PDBLENS, TICKER]);
        // What the script writes before the guard leaves the alternate screen does not stay visible.
        session.sent_any(&["1Summary", "ended by"]);
        session.keys("q").sent("ended by").is_whole();
        let sent = String::from_utf8_lossy(&session.raw()).into_owned();
        outcomes.extend(
            sent.split("ended by ")
                .nth(1)
                .map(|code| code.chars().take_while(char::is_ascii_digit).collect::<String>()),
        );
    }
    println!("exit codes: {outcomes:?}");
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
        "overlay" => session.shows("1Summary").keys("o").shows("─ Ask ").keys("main").shows("Main"),
        "stopped" => {
            session.keys(&format!("{PDBLENS} {TICKER}\r")).shows("1Summary");
            id = session.foreground();
            session.keys("\x1a").shows("Stopped").is_left().prompts()
        }
        _ => session.shows("1Summary").keys("3").shows("Points and IL"),
    };
    session.is_quiet();
    println!("holds {id}");
    loop {
        std::thread::park();
    }
}
