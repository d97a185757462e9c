//! What somebody comes to who has files of their own, and has seen none of this before.

use pdblens::tui::Options;
use pdblens::tui::config::Config;

use crate::folder::Folder;
use crate::harness::{Screen, sample};

/// The image of a sample, with nothing beside it.
fn alone(folder: &Folder, name: &str, width: u16, height: u16) -> Screen {
    let image = folder.write("App.dll", std::fs::read(sample(name)).unwrap());
    let options = Options { files: vec![image], ..Options::default() };
    Screen::with(options, Config::default(), "dark", width, height)
}

#[test]
fn methods_without_a_pdb_begin_in_the_tree_at_one_that_has_il() {
    let folder = Folder::new();
    for width in [80, 120] {
        let mut screen = alone(&folder, "ticker/Ticker.dll", width, 30);
        screen.keys("5").shows("\u{25be} Ticker");
        screen.shows("Main(string[])").keys("j j").shows("Clock \u{203a} Now()").keys("tab tab").shows("DateTime.get_UtcNow");
    }
}
