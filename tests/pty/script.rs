//! A whole session: every key, click and paste as the bytes that a terminal sends.

use std::time::{Duration, Instant};

use crate::TICKER;
use crate::harness::{PDBLENS, Session};

const WORKSHOP: &str = "assets/samples/workshop-embedded/Workshop.dll";

const TRACE: &str = "System.FormatException: The input string 'soon' was not in a correct format.\r\
    \x20  at System.Int32.Parse(String s) in System.Private.CoreLib.dll:token 0x6001532+0x0\r\
    \x20  at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\r\
    \x20  at Ticker.Program.Main(String[] args) in Ticker.dll:token 0x6000001+0x47\r";

#[test]
fn a_session_from_a_trace_to_a_byte() {
    let mut session = Session::shell();
    session.keys(&format!("{PDBLENS} {TICKER}\r")).shows("1Summary").shows("✓ matches");
    // An offset, with its verdict before one goes there.
    session.keys("o").shows("─ Ask ").keys("Clock.Since+0xF").shows("IL_000f is inside point 4");
    session.keys("\r").hides("─ Ask ").shows("back 1").shows("4/5 · 26 bytes");
    // A name, and what has it.
    session.keys("o").shows("─ Ask ").keys("prgmmain").shows("Ticker.Program.Main").keys("\r").hides("─ Ask ");
    session.shows("back 2").shows("Main(string[])");
    session.keys("\x7f").shows("back 1 · forward 1").shows("Since(long)");
    session.keys("L").shows("back 2").shows("Main(string[])");
    // A cell that leads elsewhere is followed with Enter.
    session.keys(":tables\r").shows("Document · 2 rows");
    session.keys("otable/MethodDebugInformation/1\r").shows("MethodDebugInformation › row 1");
    session.keys("\x1b[C\r").shows("Document · 2 rows");
    session.keys("\x7f").shows("MethodDebugInformation · 3 rows");
    // The mouse: a view, a row, the wheel, two clicks to follow.
    session.click("3Code").shows("Points and IL");
    session.click("10:9–10:10").shows("› point 1");
    session.wheel(true, "ldc.i4.3").hides("0000  nop").wheel(false, "ldc.i4.3").shows("0000  nop").shows("› point 1");
    session.click("11:13–11:65").shows("› point 2");
    // Every width from one that is too small to one that is too wide, and back.
    for (width, height) in [(10, 3), (20, 5), (30, 10), (60, 20), (80, 24), (110, 30), (200, 50), (250, 80), (1, 1)] {
        session.resize(width, height);
    }
    session.resize(120, 40).shows("Points and IL").shows("› point 2");
    // To the shell and back again: nothing is lost.
    session.keys("\x1a").shows("Stopped").is_left().prompts();
    session.keys("fg\r").shows("Points and IL").shows("› point 2");
    // A trace, in brackets as terminals paste: each frame leads to its line, its IL, its bytes.
    session.keys("4").shows("Paste a stack trace here").paste(TRACE).shows("2 of 3 frames resolved");
    session.shows("Clock.cs 11").keys("\r").hides("Stack trace").shows("› IL_0001").shows("2/5 · 26 bytes");
    session.keys("q").prompts().is_left();
    session.keys("exit\r");
    assert_eq!(session.exit(), 0);
}

#[test]
fn mouse_reports_of_no_row_or_column_are_harmless() {
    let mut session = Session::start(&[TICKER], &[]);
    session.shows("1Summary");
    // In each encoding: SGR, urxvt, X10.
    for report in ["\x1b[<0;0;5M", "\x1b[<0;5;0M", "\x1b[<0;0;0m", "\x1b[32;0;0M", "\x1b[M !!", "\x1b[M   "] {
        session.keys(report);
    }
    session.keys("3").shows("Points and IL").keys("q");
    assert_eq!(session.exit(), 0);
}

/// Keys that repeat, and a wheel that turns fast: in one write, more than one read of 1 024 bytes takes.
#[test]
fn a_burst_of_input_is_read_to_its_end() {
    let mut session = Session::start(&[TICKER, "--at", "method/Clock.Since/points/1"], &[]);
    session.shows("› point 1").keys(&format!("{}]]]", "][".repeat(1_500))).shows("› point 4");
    session.keys(&format!("{}[", "\x1b[<65;1;1M".repeat(300))).shows("› point 3").keys("q");
    assert_eq!(session.exit(), 0);
}

/// The longest answer to a key behind a pasted text; programs without optimisation take several times as long.
const KEY: Duration = Duration::from_millis(if cfg!(debug_assertions) { 6000 } else { 1500 });

#[test]
fn a_key_behind_ten_megabytes_of_one_line_is_answered_at_once() {
    let mut session = Session::start(&[TICKER], &[]);
    session.shows("1Summary");
    for text in ["x", "4d 5a 90 00 "] {
        session.paste(&text.repeat((10 << 20) / text.len()));
        let sent = Instant::now();
        session.keys("?").shows("─ Keys ");
        assert!(sent.elapsed() < KEY, "{text:?}: {:?}", sent.elapsed());
        session.leaves("─ Keys ");
    }
    session.keys("q");
    assert_eq!(session.exit(), 0);
}

#[test]
fn resizing_changes_the_layout() {
    let mut session = Session::start(&[WORKSHOP], &[]);
    session.shows("1Summary").keys("3").shows("Points and IL");
    session.resize(40, 12).shows("? keys").resize(0, 0).resize(130, 45).shows("b Bytes");
    // A size that is left before anything is drawn in it: what it did to the screen is seen all the same.
    session.resize(20, 3).resize(130, 45).shows("Points and IL").shows("b Bytes").shows("? keys");
    session.resize(12, 4).shows("20x5 needed").resize(80, 24).shows("b Bytes").keys("q");
    assert_eq!(session.exit(), 0);
    session.is_whole();
}

#[test]
fn prose_of_commands_is_broken_between_words() {
    let mut session = Session::shell();
    session.resize(50, 40).keys(&format!("clear; {PDBLENS} decode sint 77 --explain\r"));
    session.shows("why  A compressed integer: one, two or four").shows("           bytes, as the first byte tells.");
    session.keys(&format!("clear; {PDBLENS} info {TICKER}\r"));
    session.shows("managed image, PE32, 4608\n                        bytes\n");
    session.keys(&format!("clear; {PDBLENS} decode sint 77 --explain | cat\r"));
    session.shows("      why  A compressed integer: one, two or four b");
    session.keys("exit\r");
    assert_eq!(session.exit(), 0);
}
