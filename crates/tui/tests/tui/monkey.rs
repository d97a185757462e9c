//! Random keys, clicks, sizes and pastes, with a worker of random delay: nothing panics, and the invariants of every
//! screen (`laws`) hold. A seed repeats a run; a failure prints its seed and steps.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::{Event as TerminalEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use pdblens_tui::Options;
use pdblens_tui::app::Event;
use pdblens_tui::app::config::Config;
use pdblens_tui::engine::keymap::KEYS;

use crate::harness::{Screen, lines, sample};
use crate::laws;
use crate::support::folder::Folder;
use crate::support::is_thorough;
use crate::support::synth::hostile;
use crate::support::synth::rng::Rng;
use crate::views::TRACE;

/// Number of random keys for each file, three times as many in thorough runs; `PDBLENS_MONKEYS=SEED` uses another seed and ten
/// times as many.
const TURNS: u32 = 400;

/// Number of the last keys that a failure prints.
const TOLD: usize = 25;

const SIZES: &[(u16, u16)] = &[
    (80, 24),
    (80, 24),
    (120, 40),
    (110, 20),
    (60, 18),
    (200, 50),
    (40, 12),
    (21, 6),
    (19, 5),
    (1, 1),
    (0, 0),
    (250, 80),
];

/// Text that is typed between keys of actions.
const TYPED: &[&str] = &["a", "x", "M", "0", "9", ".", "+", "#", "日", "\u{301}", "\"", "é", "=", ":", "-"];

const PASTED: &[&str] = &[
    "",
    "\n",
    "Clock.Since+0xF",
    "0x06000002+0xF",
    "0x06000001",
    "Program.cs:12",
    "#blob 0x1",
    "stream 3",
    "file 0x40",
    "image #strings 0x10",
    "table/MethodDef/1",
    "method/0x06000001/points/2",
    "0xffffffff+0xffffffff",
    "x\u{202e}y\u{9b}31m\x07\x1b[2J\0\t",
    "\r\n\r\n\r\n",
    TRACE,
];

/// Tells the last turns when one of them has panicked.
struct Log(String, VecDeque<String>);

impl Drop for Log {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}: the last turns were {:#?}", self.0, self.1);
        }
    }
}

/// A turn: something that a person, the terminal, time or the worker does; `seen` is the screen before it.
fn turn(rng: &mut Rng, screen: &mut Screen, seen: &str) -> String {
    // A question whether to ask a server is never answered with yes: no test goes to a network.
    if ["Fetch from ", " for symbols?"].iter().any(|question| seen.contains(question)) {
        screen.keys("esc");
        return "no".to_owned();
    }
    match rng.between(0, 100) {
        0..64 => {
            let keys = KEYS[rng.between(0, KEYS.len() as u32) as usize].0;
            screen.keys(keys);
            keys.to_owned()
        }
        // What lies on top takes most keys for text: out of it, again and again.
        64..70 => {
            screen.keys("esc");
            "esc".to_owned()
        }
        70..74 => {
            let typed = rng.one(TYPED);
            screen.keys(typed);
            typed.to_owned()
        }
        74..81 => {
            const BUTTONS: [MouseEventKind; 8] = [
                MouseEventKind::Down(MouseButton::Left),
                MouseEventKind::Down(MouseButton::Left),
                MouseEventKind::Up(MouseButton::Left),
                MouseEventKind::Drag(MouseButton::Left),
                MouseEventKind::ScrollDown,
                MouseEventKind::ScrollUp,
                MouseEventKind::Down(MouseButton::Right),
                MouseEventKind::Moved,
            ];
            let (kind, modifiers) = (rng.one(&BUTTONS), KeyModifiers::NONE);
            // Now and then a little outside, as some terminals have it while one drags.
            let column = rng.between(0, u32::from(screen.size.width) + 2) as u16;
            let row = rng.between(0, u32::from(screen.size.height) + 2) as u16;
            screen.event(Event::Terminal(TerminalEvent::Mouse(MouseEvent { kind, column, row, modifiers })));
            format!("{kind:?} at {column}, {row}")
        }
        81..84 => {
            let (width, height) = rng.one(SIZES);
            screen.resize(width, height);
            format!("{width}x{height}")
        }
        84..88 => {
            let text = rng.one(PASTED);
            screen.paste(text);
            format!("paste {text:?}")
        }
        88..91 => {
            let time = rng.one(&[1, 200, 400, 5000]);
            screen.pass(Duration::from_millis(time));
            format!("{time} ms")
        }
        91..92 => {
            screen.event(Event::Resumed);
            "fg".to_owned()
        }
        _ => {
            let worked = screen.work();
            format!("a job: {worked}")
        }
    }
}

/// Lets a monkey at some files.
fn let_loose(name: &str, files: Vec<PathBuf>) {
    let options = Options { files, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.holds = true;
    let mut log = Log(name.to_owned(), VecDeque::new());
    let other = std::env::var("PDBLENS_MONKEYS").ok().and_then(|seed| seed.parse().ok());
    let mut rng = Rng::of(other.unwrap_or(1), name, 0);
    // Each frame is drawn once: what a turn sees is what the last one has left.
    let mut seen = screen.text();
    let turns = TURNS * if is_thorough() { 3 } else { 1 } * if other.is_some() { 10 } else { 1 };
    for index in 0..turns {
        log.1.push_back(String::new());
        let told = turn(&mut rng, &mut screen, &seen);
        *log.1.back_mut().unwrap() = told;
        if log.1.len() > TOLD {
            log.1.pop_front();
        }
        let (buffer, cursor) = screen.draw();
        seen = lines(&buffer).join("\n");
        assert!(!seen.contains("an error of pdblens itself"), "a job has panicked:\n{seen}");
        let what = format!("{name}, turn {index}");
        laws::nothing_is_hidden(&what, &buffer);
        assert!(cursor.is_none_or(|at| buffer.area.contains(at)), "{what}: the cursor is at {cursor:?}");
    }
    // Whatever happened, there is a way back to where everybody knows what is what.
    while screen.work() {}
    screen.resize(120, 40).keys("esc esc esc esc").keys("z z methods 1").pass(Duration::from_secs(5)).shows("1Summary");
    laws::one_pane_has_the_focus(name, &screen.draw().0);
}

fn sample_of(files: &[&str]) -> Vec<PathBuf> {
    files.iter().map(|file| sample(file)).collect()
}

#[test]
fn on_small_pairs() {
    let_loose("ticker", sample_of(&["ticker/Ticker.dll"]));
    let_loose("ticker-mono", sample_of(&["ticker-mono/Ticker.exe"]));
    let_loose("faults", sample_of(&["faults/Faults.dll"]));
}

#[test]
fn on_larger_pairs() {
    let_loose("workshop-embedded", sample_of(&["workshop-embedded/Workshop.dll"]));
    let_loose("shapes", sample_of(&["shapes/Shapes.dll"]));
}

#[test]
fn on_windows_and_native_symbols() {
    let_loose("workshop-windows", sample_of(&["workshop-windows/Workshop.dll"]));
    let_loose("native", sample_of(&["native/tally.exe"]));
}

#[test]
fn on_mismatched_and_single_files() {
    // The image of one build, and the symbols of another.
    let_loose("mismatch", sample_of(&["ticker/Ticker.dll", "ticker-release/Ticker.pdb"]));
    let folder = Folder::new();
    let alone = folder.write("Ledger.pdb", std::fs::read(sample("ledger-windows/Ledger.pdb")).unwrap());
    let_loose("alone", vec![alone]);
}

#[test]
fn on_hostile_files() {
    let folder = Folder::new();
    let pair = hostile::pair();
    let image = folder.write(&format!("{}.dll", hostile::FILE), pair.image);
    folder.write(&format!("{}.pdb", hostile::FILE), pair.pdb);
    let_loose("hostile", vec![image]);
    let_loose("hostile-windows", vec![folder.write("windows/Synth.pdb", hostile::windows())]);
}
