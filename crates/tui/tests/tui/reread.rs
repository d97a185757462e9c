//! Files that change on disk while they are shown.

use std::time::Duration;

use crossterm::event::Event as TerminalEvent;
use pdblens_tui::Options;
use pdblens_tui::app::Event;
use pdblens_tui::app::config::Config;
use pdblens_tui::engine::Program;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(sample(name)).unwrap()
}

/// Screens of an image in a folder with the PDB of another build beside it.
fn mismatched(folder: &Folder) -> Screen {
    let image = folder.write("Workshop.dll", bytes_of("workshop/Workshop.dll"));
    let pdb = folder.write("Workshop.pdb", bytes_of("workshop-release/Workshop.pdb"));
    let options = Options { files: vec![image, pdb], ..Options::default() };
    Screen::with(options, Config::default(), "dark", 120, 40)
}

#[test]
fn files_that_change_on_disk_are_read_again() {
    let folder = Folder::new();
    let mut screen = mismatched(&folder);
    screen.keys("methods").shows("mismatched pair").pass(Duration::from_secs(3)).keys("]");
    folder.write("Workshop.pdb", bytes_of("workshop/Workshop.pdb"));
    screen.keys("]");
    assert!(screen.text().contains("mismatched"), "not at every key");
    screen.pass(Duration::from_secs(3)).shows("the files have changed on disk and were read again");
    screen.shows("✓ matches").shows("3Code").shows("Mixed(string)");
}

#[test]
fn files_are_looked_at_while_the_terminal_has_the_focus() {
    let folder = Folder::new();
    let mut screen = mismatched(&folder);
    screen.pass(Duration::from_secs(10)).pass(Duration::from_secs(10));
    assert!(screen.app.deadline().is_some());
    screen.event(Event::Terminal(TerminalEvent::FocusLost));
    assert_eq!(screen.app.deadline(), None, "idle");
    folder.write("Workshop.pdb", bytes_of("workshop/Workshop.pdb"));
    screen.pass(Duration::from_secs(10)).event(Event::Terminal(TerminalEvent::FocusGained));
    screen.pass(Duration::ZERO).shows("the files have changed on disk and were read again");
}

#[test]
fn a_change_on_disk_needs_no_key_and_an_idle_screen_is_not_drawn() {
    let folder = Folder::new();
    let mut screen = mismatched(&folder);
    screen.pass(Duration::from_secs(10)).pass(Duration::from_secs(10));
    let next = screen.app.deadline().expect("a look at the files");
    assert!(next > screen.app.now && next <= screen.app.now + Duration::from_secs(1));
    screen.app.stage.dirty = false;
    screen.pass(Duration::from_secs(1));
    assert!(!screen.app.stage.dirty, "nothing has changed");
    std::fs::remove_file(folder.path().join("Workshop.pdb")).unwrap();
    screen.pass(Duration::from_secs(1));
    assert!(screen.app.stage.dirty);
    screen.shows("Workshop.pdb: deleted on disk").shows("! Workshop.pdb deleted");
    // Files that come back are read, and their verdict is that of the pair.
    folder.write("Workshop.pdb", bytes_of("workshop/Workshop.pdb"));
    screen.pass(Duration::from_secs(1)).shows("were read again").shows("✓ matches");
    // The built-in sample is no file.
    let sample = Screen::with(Options::default(), Config::default(), "dark", 120, 40);
    assert_eq!(sample.app.deadline(), None);
}

#[test]
fn a_change_before_the_first_look_at_the_files_is_noticed() {
    let folder = Folder::new();
    let mut screen = mismatched(&folder);
    screen.keys("methods m a tables 5 backspace");
    folder.write("Workshop.pdb", bytes_of("workshop/Workshop.pdb"));
    screen.pass(Duration::from_secs(3)).shows("the files have changed on disk and were read again");
    // Steps and marks lead to the files as they are now.
    screen.shows("✓ matches").keys("backspace").shows("✓ matches").shows("3Code");
    screen.keys("1 ' a").shows("✓ matches").shows("3Code");
}
