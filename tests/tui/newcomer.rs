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
        screen
            .shows("Main(string[])")
            .keys("j j")
            .shows("Clock \u{203a} Now()")
            .keys("tab tab")
            .shows("DateTime.get_UtcNow");
    }
}

#[test]
fn a_place_to_begin_at_that_is_not_there_leaves_the_overview() {
    let options =
        Options { files: vec![sample("ticker/Ticker.dll")], at: Some("Foo.Bar".into()), ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.shows("Foo.Bar: no method is called Foo.Bar").shows("PDB matches DLL").keys("j").shows("2/24");
}

#[test]
fn the_prompt_says_which_line_an_offset_is_on_and_finds_names() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("o \"Since+0xf\"").shows("Clock.cs 13:13\u{2013}13:46; IL_000f is inside point 4");
    screen
        .keys("ctrl-u \"Program.cs:16\"")
        .shows("16:17\u{2013}16:88, IL_0024: point 8 of Ticker.Program.Main(string[])");
    // What nothing is called may be a part of a name; Enter asks the finder.
    screen.keys("ctrl-u \"Clock+0x3\"").shows("no method is called Clock").shows("finds what has Clock in its name");
    screen.keys("enter").shows("\u{203a} Clock").shows("Ticker.Clock.Since").keys("esc");
    screen.keys("o \"Since+f\"").shows("\"f\" is no offset: write Since+15, or Since+0xf").keys("esc");
    // The prompt has written `0x` already.
    screen.keys("5 g i").shows("in hexadecimal").keys("\"0x18\"").shows("Program.cs 14:17\u{2013}14:43; IL_0018 is");
    screen.keys("enter").shows("\u{203a} IL_0018");
}
