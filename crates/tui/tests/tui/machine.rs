//! Machine code beside IL, on a sample that a writer precompiles.

use std::time::Duration;

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;
use crate::support::precompiled::{clock, precompile};

/// The sample Ticker with machine code of its class `Clock`; alone without its PDB.
fn precompiled(has_symbols: bool, (width, height): (u16, u16)) -> (Folder, Screen) {
    let folder = Folder::new();
    let read = |file: &str| std::fs::read(sample(file)).unwrap();
    let path = folder.write("Ticker.dll", precompile(&read("ticker/Ticker.dll"), 16, &clock()));
    if has_symbols {
        folder.write("Ticker.pdb", read("ticker/Ticker.pdb"));
    }
    let options = Options { files: vec![path], ..Options::default() };
    (folder, Screen::with(options, Config::default(), "dark", width, height))
}

/// Screens of the snapshot of symbols, with their names.
pub(crate) fn screens() -> Vec<(String, String)> {
    [
        ("with symbols", true, (120, 40), "o \"Clock.Since+7\" enter"),
        ("in machine code", true, (120, 40), "o \"method/3/native/0x1015e\" enter"),
        ("without symbols", false, (120, 40), "o \"Clock.Since+0x18\" enter"),
        ("behind its key", true, (80, 24), "o \"Clock.Since+1\" enter a"),
        ("without its key", true, (80, 24), "o \"Clock.Since+1\" enter"),
        ("in sources", true, (120, 40), "o \"Clock.cs:12\" enter sources tab"),
    ]
    .map(|(name, has_symbols, size, keys)| {
        let (_folder, mut screen) = precompiled(has_symbols, size);
        // The message in the last line names the folder of this run.
        (format!("{name}  {keys}"), screen.keys(keys).pass(Duration::from_secs(5)).text())
    })
    .into()
}

#[test]
fn moving_in_source_il_or_machine_code_moves_the_others() {
    let (_folder, mut screen) = precompiled(true, (120, 40));
    // A statement that the compiler merged into another: refused, with the nearest entries.
    screen.keys("o \"Clock.Since+7\" enter").shows("refused (0x80131345): no machine code");
    assert!(!screen.keys("]").shows("13:13–13:46").text().contains("refused"));
    // From the machine code to the statement, and back.
    screen.keys("o \"method/3/native/0x1015e\" enter").shows("rva 0x1015e").shows("at +0x1e").shows("IL_0018");
    assert!(!screen.keys("a").text().contains("at +0x1e"));
    screen.keys("a").shows("at +0x1e");
}

#[test]
fn code_without_il_is_one_row_until_it_is_unfolded() {
    let (_folder, mut screen) = precompiled(true, (120, 40));
    let text = screen.keys("o \"method/3/native/0x10159\" enter").shows("epilog  3 instructions").text();
    assert!(!text.contains("+0x1a"), "{text}");
    screen.keys("enter").shows("+0x19  pop").shows("+0x1a  pop");
    assert!(screen.keys("enter").shows("3 instructions").text().contains("at +0x19"));
}

#[test]
fn a_recording_beside_the_file_has_its_code() {
    let mut screen = Screen::open("ticker-release/Ticker.dll", 80, 30);
    assert!(!screen.keys("o \"Clock.Since+8\" enter").text().contains("Machine code"));
    screen.keys("a").shows("Machine code").shows("prolog   4 bytes").shows("IL_0000  22 bytes");
    // A row says its offset once, where there is room for the column of offsets too.
    let mut screen = Screen::open("ticker-release/Ticker.dll", 200, 50);
    let text = screen.keys("o \"Clock.Since+8\" enter a").shows("Machine code  Optimized").text();
    let row = text.lines().find_map(|line| Some(line.rsplit_once("+0x4  ")?.1.trim_end()));
    assert_eq!(row, Some("IL_0000  22 bytes"), "{text}");
}

#[test]
fn an_image_without_machine_code_says_so() {
    let mut screen = Screen::open("shapes/Shapes.dll", 120, 40);
    screen.keys("methods a").shows("no precompiled code: the image is not ReadyToRun");
}
