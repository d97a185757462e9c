//! Every view on every sample, at three sizes and in four themes.
//!
//! A snapshot holds one view of one sample: for each size the lines of text, and below them how the cells look, a letter for
//! each look and a number for how many cells in a row have it (none: to the end of the line; `"`: as the line above). The
//! legend at the end says what a letter is in the dark, the light, the ansi and the mono theme: the text is the same in all.
//!
//! `INSTA_UPDATE=always cargo test --test tui every` makes them again.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pdblens::nodes::Token;
use pdblens::tui::Options;
use pdblens::tui::app::config::Config;
use pdblens::tui::app::registry::VIEWS;
use pdblens::tui::ui::theme::{NAMES, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::harness::{Screen, lines, look};
use crate::laws;
use crate::support::folder::Folder;
use crate::support::samples::samples;

/// The smallest screen that people have, the usual one, and a large one.
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

/// For each view the keys after which it shows something typical.
const KEYS: &[&str] = &["j j", "2 j", "3 j j j", "4 j enter j", "5 ] ]", "6 tab 0 5 j", "7"];

/// What is typical of one sample: its folder, the number of the view, the keys.
const OWN: &[(&str, usize, &str)] = &[
    // A section; the bar of sections; what is embedded.
    ("native", 2, "2 k"),
    ("ticker-embedded", 2, "2 j j j tab right right"),
    ("shapes", 2, "2 tab right"),
    // Pages, and what they hold.
    ("workshop-windows", 3, "3 tab right right right"),
    ("ticker-windows", 3, "3 tab G left left left"),
    ("native", 3, "3 0 8 j tab tab j"),
    ("ledger", 3, "3 G tab tab j"),
    // Custom debug information, heaps, a filter.
    ("workshop", 4, "4 0 6 j enter j j"),
    ("workshop-release", 4, "4 G k enter j j"),
    ("faults", 4, "4 j j enter / \"=\" enter"),
    ("shapes-embedded", 4, "4 G enter j j"),
    // IL, bytes, fields, the source, the tree.
    ("workshop", 5, "5 0 9 j tab j j"),
    ("faults", 5, "5 ] ] tab tab tab right"),
    ("shapes", 5, "5 ] ] tab tab j"),
    ("ledger", 5, "5 shift-tab j j"),
    ("workshop-embedded", 5, "o \"Scopes.Guarded+0x12\" enter"),
    ("faults-release", 5, "5 ] tab tab tab tab j j"),
    // A document that is not there; one in a tree.
    ("workshop", 6, "6 j j"),
    ("shapes-embedded", 6, "6 j j tab"),
];

/// Something that people open: what the snapshots call it, and its files.
struct Case {
    name: String,
    folder: String,
    files: Vec<PathBuf>,
    /// Where its files are, if that is a place of their own.
    _alone: Option<Folder>,
}

/// All samples; and of some the symbols alone, in a folder where no image can be found.
fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = samples()
        .into_iter()
        .map(|sample| Case {
            files: sample.files().iter().map(|path| here(path)).collect(),
            folder: sample.name.clone(),
            name: sample.name,
            _alone: None,
        })
        .collect();
    for (folder, file) in [("ticker", "Ticker.pdb"), ("ledger-windows", "Ledger.pdb"), ("native", "tally.pdb")] {
        let alone = Folder::new();
        let file = alone.write(file, fs::read(crate::harness::sample(&format!("{folder}/{file}"))).unwrap());
        let name = format!("{folder}-alone");
        cases.push(Case { name, folder: folder.to_owned(), files: vec![file], _alone: Some(alone) });
    }
    cases
}

/// A path as it is from here: where the repository is on this machine is nobody's business.
fn here(path: &Path) -> PathBuf {
    path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_owned()
}

impl Case {
    /// Sources would be shown that other machines do not have.
    fn assert_no_source_is_here(screen: &Screen) {
        let session = screen.app.session.as_ref().unwrap();
        let Some(symbols) = session.symbols() else { return };
        for name in (1..).map_while(|row| symbols.document(row).ok()).map(|document| document.name) {
            let here = Path::new(&name).is_absolute() && Path::new(&name).exists();
            assert!(!here, "{name} is on this machine, and what shows depends on that: move it while this runs");
        }
    }

    fn keys(&self, view: usize) -> &'static str {
        let own = OWN.iter().find(|(folder, number, _)| *folder == self.name && *number == view);
        own.map_or(KEYS[view - 1], |(.., keys)| *keys)
    }

    /// A stack trace of its program: one that it left, or one that it could leave.
    fn trace(&self, screen: &Screen) -> String {
        let left = ["il-offsets.txt", "trace.txt"].map(|file| format!("{}/{file}", self.folder));
        if let Some(text) = left.iter().find_map(|path| fs::read_to_string(crate::harness::sample(path)).ok()) {
            return text;
        }
        let session = screen.app.session.as_ref().unwrap();
        let image = session.image().map_or("Some.dll", |image| image.name.as_str());
        let mut text = "System.FormatException: The input string 'soon' was not in a correct format.\n".to_owned();
        text.push_str("   at System.Int32.Parse(String s) in System.Private.CoreLib.dll:token 0x6001532+0x0\n");
        for row in 1..=3 {
            let token = Token(0x0600_0000 + row);
            let name = session.method_name(token);
            let name = name.split('(').next().unwrap();
            let _ = writeln!(text, "   at {name}() in {image}:token {:#x}+0x1", token.0);
        }
        text
    }

    /// A view of it, in a terminal of that size.
    fn screen(&self, view: usize, (width, height): (u16, u16)) -> Screen {
        let options = Options { files: self.files.clone(), ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), NAMES[0], width, height);
        Self::assert_no_source_is_here(&screen);
        screen.keys(self.keys(view));
        if VIEWS[view - 1].name == "Trace" {
            let trace = self.trace(&screen);
            screen.paste(&trace);
        }
        // What was said on the way is gone by then.
        screen.pass(Duration::from_secs(5));
        screen
    }
}

/// The screen in each theme.
fn themes(screen: &mut Screen) -> [(Buffer, Option<Position>); 4] {
    NAMES.map(|theme| {
        screen.app.theme = Theme::named(theme).unwrap();
        screen.draw()
    })
}

/// The looks that were met, each a letter.
#[derive(Default)]
struct Legend {
    looks: Vec<[String; 4]>,
}

impl Legend {
    /// The letters, in the order in which they are used up.
    fn letters() -> impl Iterator<Item = char> {
        ('a'..='z').chain('A'..='Z').chain('α'..='ω').chain('а'..='я')
    }

    fn letter(&mut self, look: [String; 4]) -> char {
        let at = self.looks.iter().position(|known| *known == look).unwrap_or_else(|| {
            self.looks.push(look);
            self.looks.len() - 1
        });
        Self::letters().nth(at).expect("there are letters for a hundred looks")
    }

    /// Whether nothing of a look can be seen where there is no character.
    fn is_ink(&self, letter: char) -> bool {
        let look = Self::letters().zip(&self.looks).find(|(known, _)| *known == letter);
        look.is_some_and(|(_, names)| names.iter().all(|name| !name.contains(['/', '_', '!'])))
    }

    /// How the cells of a row look.
    fn row(&mut self, buffers: &[Buffer; 4], y: u16) -> String {
        let mut runs: Vec<(char, usize)> = Vec::new();
        for x in 0..buffers[0].area.width {
            let looks = buffers.each_ref().map(|buffer| {
                let cell = &buffer[(x, y)];
                look(cell.symbol(), cell.style())
            });
            // Nothing can be seen of a blank between others, if those have no ground and no line.
            let goes_on = looks.iter().all(String::is_empty) && runs.last().is_some_and(|(last, _)| self.is_ink(*last));
            match runs.last_mut() {
                Some((_, count)) if goes_on => *count += 1,
                _ => {
                    let letter = self.letter(looks);
                    match runs.last_mut() {
                        Some((last, count)) if *last == letter => *count += 1,
                        _ => runs.push((letter, 1)),
                    }
                }
            }
        }
        let mut out = String::new();
        for (index, (letter, count)) in runs.iter().enumerate() {
            out.push(*letter);
            if *count > 1 && index + 1 < runs.len() {
                let _ = write!(out, "{count}");
            }
        }
        out
    }
}

/// A view of a case, as the snapshot has it.
fn drawn(case: &Case, view: usize) -> String {
    let mut out = format!("{}  {}\n", VIEWS[view - 1].name, case.keys(view));
    let mut legend = Legend::default();
    for size in SIZES {
        let mut screen = case.screen(view, size);
        let screens = themes(&mut screen);
        let what = format!("{} {view} {}x{}", case.name, size.0, size.1);
        laws::hold(&what, view, &screens);
        let buffers = screens.map(|(buffer, _)| buffer);
        let _ = writeln!(out, "── {}x{}", size.0, size.1);
        let text = lines(&buffers[0]);
        for (theme, buffer) in NAMES.iter().zip(&buffers).skip(1) {
            let other = lines(buffer);
            let maps = *theme == "mono" && ["PE", "Streams"].contains(&VIEWS[view - 1].name);
            assert!(other == text || maps, "{what}: the text is another in the {theme} theme:\n{}", other.join("\n"));
        }
        for line in &text {
            let _ = writeln!(out, "{line}");
        }
        // Without colours the parts of a map are letters.
        for (y, (line, _)) in lines(&buffers[3]).iter().zip(&text).enumerate().filter(|(_, (mono, dark))| mono != dark)
        {
            let _ = writeln!(out, "── row {y} in mono\n{line}");
        }
        let _ = writeln!(out, "──");
        let mut before = String::new();
        for y in 0..size.1 {
            let row = legend.row(&buffers, y);
            let _ = writeln!(out, "{}", if row == before { "\"" } else { &row });
            before = row;
        }
    }
    let _ = writeln!(out, "── dark, light, ansi, mono");
    for look in legend.looks.clone() {
        let letter = legend.letter(look.clone());
        let _ = writeln!(
            out,
            "{letter} {}",
            look.map(|name| if name.is_empty() { "plain".to_owned() } else { name }).join("  ")
        );
    }
    out
}

/// Draws a view of every case, and holds it against its snapshot.
fn every(view: usize) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/every");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for case in cases() {
            let name = format!("{}-{}", case.name, VIEWS[view - 1].name.to_lowercase());
            insta::assert_snapshot!(name, drawn(&case, view));
        }
    });
}

macro_rules! views {
    ($($name:ident $number:literal),*) => {
        $(
            #[test]
            fn $name() {
                every($number);
            }
        )*

        #[test]
        fn no_view_is_left_out() {
            let names: Vec<String> = VIEWS.iter().map(|view| view.name.to_lowercase()).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            assert_eq!(VIEWS.len(), KEYS.len());
        }
    };
}

views!(overview 1, pe 2, streams 3, tables 4, methods 5, sources 6, trace 7);
