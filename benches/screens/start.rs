//! From `exec` to the first frame and to the first with everything on it, in a pseudo-terminal.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::Criterion;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::common::program;
use crate::{Files, print_times, wanted};

/// End of a frame, queries for the terminal with their answers, and the text that shows once the files are open.
const FRAME: &[u8] = b"\x1b[?2026l";
const QUESTION: &[u8] = b"\x1b]11;?\x07";
const ANSWER: &[u8] = b"\x1b]11;rgb:1515/1818/2121\x1b\\";
const OPEN: &[u8] = b"PDB matches DLL";

/// Behaviour of the terminal.
#[derive(Clone, Copy, PartialEq)]
enum Terminal {
    /// It says what its background is.
    Answers,
    /// It never does.
    Silent,
    /// The environment says.
    Known,
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// The times to the first frame, and to the first with the files open.
fn start(files: &[PathBuf], terminal: Terminal) -> (Duration, Duration) {
    let size = PtySize { rows: 60, cols: 200, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(program());
    command.args(files);
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    for name in ["TMUX", "NO_COLOR", "COLORFGBG", "PDBLENS_CONFIG", "PDBLENS_THEME"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.env("HOME", std::env::temp_dir().join("pdblens-bench-home"));
    if terminal == Terminal::Known {
        command.env("COLORFGBG", "15;0");
    }
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut writer = pair.master.take_writer().expect("a writer");
    let begin = Instant::now();
    let mut child = pair.slave.spawn_command(command).expect("it starts");
    let (mut all, mut bytes, mut asked, mut first) = (Vec::new(), [0; 16384], false, None);
    let full = loop {
        let read = reader.read(&mut bytes).expect("bytes");
        let now = begin.elapsed();
        all.extend_from_slice(&bytes[..read]);
        if terminal == Terminal::Answers && !asked && has(&all, QUESTION) {
            asked = true;
            writer.write_all(ANSWER).expect("an answer");
        }
        if has(&all, FRAME) {
            first = first.or(Some(now));
            if has(&all, OPEN) && all.ends_with(FRAME) {
                break now;
            }
        }
    };
    writer.write_all(b"q").expect("a key");
    // The program may be writing another frame: it ends once that was read.
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    child.wait().expect("it ends");
    (first.unwrap_or(full), full)
}

/// Time to start a program that does nothing.
fn nothing() -> Duration {
    let size = PtySize { rows: 60, cols: 200, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let begin = Instant::now();
    let mut child = pair.slave.spawn_command(CommandBuilder::new("true")).expect("it starts");
    child.wait().expect("it ends");
    begin.elapsed()
}

/// The start: said, since what counts is one start, and not the average of many.
pub(crate) fn first_frame(_: &mut Criterion) {
    if !wanted("start") {
        return;
    }
    let mut files = Files(Vec::new());
    print_times("start and end of `true`", (0..40).map(|_| nothing()).collect());
    for (what, files, turns) in [("the sample", Vec::new(), 40), ("100000 methods", files.of(100_000), 12)] {
        for (how, terminal) in [
            ("that answers", Terminal::Answers),
            ("that is silent", Terminal::Silent),
            ("that is known", Terminal::Known),
        ] {
            let (first, full): (Vec<_>, Vec<_>) = (0..turns).map(|_| start(&files, terminal)).unzip();
            println!("{what}, in a terminal {how}:");
            print_times("  to the first frame", first);
            print_times("  to all of it", full);
        }
    }
}
