//! Samples of a profile in the screens.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::state::paths::Paths;

use crate::harness::{Screen, sample};
use crate::support::samples::repository;

/// The program with a hot loop, or another file, and a profile of it.
fn profiled(file: std::path::PathBuf, profile: &str) -> Screen {
    let profile = repository(&format!("tests/golden/samples/{profile}"));
    let mut paths = Paths { samples: Some(profile), ..Paths::default() };
    paths.sources.roots.push(repository("assets/sources/hot"));
    let options = Options { files: vec![file], paths, ..Options::default() };
    Screen::with(options, Config::default(), "dark", 140, 40)
}

#[test]
fn the_hottest_statement_shows_first_with_samples_beside_its_lines() {
    let mut screen = profiled(repository("tests/golden/samples/hot.dll"), "hot.nettrace");
    // The line of the cursor, and one that has samples only in what it calls.
    screen.shows("1455 of 1512 samples are at points · 36 in native code").shows("Mix(int) › point 7");
    screen.shows("1019  31 ●").shows("   3  21 ●").shows("      29 ●");
    screen.keys("sources").shows("Hot.cs 1455 samples").shows("1019  31 ●").shows("line 31");
    // Without a profile, the numbers of lines begin the margin.
    let mut screen = Screen::with(
        Options { files: vec![repository("tests/golden/samples/hot.dll")], ..Options::default() },
        Config::default(),
        "dark",
        140,
        40,
    );
    let text = screen.keys("sources").text();
    assert!(!text.contains("samples") && !text.contains("1019"), "{text}");
}

#[test]
fn a_profile_of_another_program_says_so() {
    profiled(sample("ticker/Ticker.dll"), "hot.nettrace").shows("has the id of this PDB").shows("Ticker");
    profiled(repository("tests/golden/samples/hot.dll"), "hot.dll").shows("no profile: the text of perf script");
}
