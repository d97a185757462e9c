//! Commands that the screens copy, run by the program.

#[allow(dead_code, reason = "the tests of the screens use the rest")]
#[path = "../../crates/tui/tests/tui/harness.rs"]
mod harness;

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use self::harness::Screen;
use crate::support::samples::{Sample, all_samples};

/// Commands that `y c` copies in every view of a sample.
fn copied_commands(sample: &Sample) -> BTreeSet<String> {
    let options = Options { files: sample.files(), ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    let mut commands = BTreeSet::new();
    for view in 1..=8 {
        screen.keys(&view.to_string());
        if view == 7 {
            screen.paste("   at A.B() in A.dll:token 0x6000001+0x1\n   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\n");
        }
        for keys in ["", "j j", "tab j", "tab j", "tab j"] {
            screen.keys(keys).keys("y c");
            commands.extend(screen.copied.drain(..).map(|(_, text)| text));
        }
    }
    commands
}

#[test]
fn copied_commands_run_in_every_view() {
    // A shape of a command, its subcommand and the words of its place without numbers, is run for two samples at most.
    let mut known: HashMap<String, usize> = HashMap::new();
    for sample in all_samples() {
        let commands = copied_commands(&sample);
        assert!(commands.len() > 8, "{}: {commands:?}", sample.name);
        let folder = sample.image.parent().unwrap().display().to_string();
        let is_file = |word: &&str| word.contains(&folder);
        for command in &commands {
            let words: Vec<&str> = command.split_whitespace().filter(|word| !is_file(word)).collect();
            let shape = words.join(" ").replace(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase(), "");
            let times = known.entry(shape).or_default();
            *times += 1;
            if *times > 2 {
                continue;
            }
            let program = env!("CARGO_BIN_EXE_pdblens");
            let line = command.replacen("pdblens", program, 1);
            let done = Command::new("sh").args(["-c", &line]).output().unwrap();
            // A finding, or a frame without a line, is an answer of the screen too.
            let is_answer = matches!(done.status.code(), Some(0 | 3));
            assert!(is_answer, "{command}: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
}

/// Frames of each kind that is not resolved.
const UNRESOLVED: &str = "\
System.InvalidOperationException: no
   at Missing.Library.Of.Some.Length.Reader.ReadTheNextRecordOfTheFile(String path, Int32 count)
   at Ticker.Clock.NoSuchMethod(Int32 a)
   at Ticker.Clock.Since(Int64 t)
   at Newtonsoft.Json.JsonConvert.DeserializeObject(String value) in Newtonsoft.Json.dll:token 0x06000123+0x7
";

#[test]
fn the_reason_of_an_unresolved_frame_is_readable_in_full() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = Screen::open("ticker/Ticker.dll", width, height);
        screen.keys("6").paste(UNRESOLVED).keys("g g");
        let mut reasons = 0;
        for _ in 0..12 {
            let copied = screen.keys("y c").copied.pop();
            let text = screen.text();
            screen.keys("j");
            let Some((_, command)) = copied.filter(|(_, text)| text.starts_with("printf")) else { continue };
            let output = run(&command);
            // `trace --explain` has the whole reason below the frame.
            let reason = output
                .lines()
                .find_map(|line| line.trim().trim_start_matches(['│', ' ']).strip_prefix("not resolved: "));
            let reason = reason.and_then(|text| text.rsplit_once(" (")).map_or("", |(reason, _)| reason);
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            assert!(letters(&text).contains(&letters(reason)), "{width}x{height}: {reason:?}\n{output}\n{text}");
            reasons += usize::from(!reason.is_empty());
        }
        assert!(reasons > 2, "{reasons} reasons at {width}x{height}");
    }
}

/// Runs a command that was copied.
fn run(command: &str) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_pdblens")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(program.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let output = Command::new("sh").args(["-c", command]).env("PATH", path.unwrap()).output().unwrap();
    // 3: no frame of it gets a line.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}
