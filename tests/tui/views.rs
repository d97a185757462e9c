//! Every view, on samples of every kind, at the sizes and in the themes of the design.

use pdblens::tui::Options;
use pdblens::tui::config::Config;

use crate::harness::{Screen, sample};

/// Name, sample, theme, size, keys. In the dark theme the text is enough: what is marked and how shows in the others.
type Seen = (&'static str, &'static str, &'static str, (u16, u16), &'static str);

const OVERVIEW: &[Seen] = &[
    ("overview-80x24", "ticker/Ticker.dll", "mono", (80, 24), "j"),
    ("overview-120x40", "workshop/Workshop.dll", "dark", (120, 40), "j j"),
    ("overview-200x50", "faults/Faults.dll", "light", (200, 50), "tab j"),
    ("overview-mdb", "ticker-mono/Ticker.exe", "ansi", (120, 40), ""),
];

const PE: &[Seen] = &[
    ("pe-80x24", "ticker/Ticker.dll", "ansi", (80, 24), "2"),
    ("pe-120x40", "ticker-embedded/Ticker.dll", "dark", (120, 40), "2"),
    ("pe-mono", "ticker-embedded/Ticker.dll", "mono", (120, 40), "2 tab right right"),
    ("pe-200x50", "workshop/Workshop.dll", "light", (200, 50), "2 j j"),
];

#[track_caller]
fn seen(screens: &[Seen]) {
    for (name, file, theme, (width, height), keys) in screens {
        let options = Options { files: vec![sample(file)], ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), theme, *width, *height);
        screen.keys(keys);
        let shown = if *theme == "dark" { screen.text() } else { screen.styled() };
        insta::assert_snapshot!(*name, shown);
    }
}

#[test]
fn overview() {
    seen(OVERVIEW);
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    // A line leads to where its fact is; the health of the files is told, and leads there too.
    screen.shows("39 rules hold").keys("j j j enter").shows("2 PE").shows("optional header");
    screen.keys("H tab j j j enter").shows("5 Methods");
}

#[test]
fn pe() {
    seen(PE);
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 120, 40);
    // A part lights its bytes; a field its own; a piece of the bar what it stands for.
    screen.keys("2 j").shows("pe/debug/0").shows("00077c+28");
    screen.keys("enter tab j j").shows("000784+2");
    screen.keys("shift-tab left").shows("File layout");
    screen.keys("g g").shows("DOS header · 0x0+128");
    screen.keys("G").shows("Fields  pe/sections/1").keys("enter").shows("pe/directories/5");
    screen.click(60, 6).shows("pe/sections/0");
}
