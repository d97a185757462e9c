//! Every view on every sample, at three sizes and in four themes.
//!
//! What holds of every screen is checked on all of them (`laws`); of one sample a format the text is kept (`snapshot`), and
//! `roles` keeps what the parts look like in each theme.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use pdblens_nodes::Token;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::app::registry::VIEWS;
use pdblens_tui::ui::theme::{NAMES, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::harness::{Screen, VIEW_KEYS, lines};
use crate::laws;
use crate::snapshot::{assert_snapshot, sections};
use crate::support::folder::Folder;
use crate::support::samples::{repository, samples};

/// The smallest screen that people have, the usual one, and a large one.
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

/// For each view the keys after which it shows something typical; in the place of two builds, which have tests of their own, the second file
/// of the File view.
const KEYS: &[&str] =
    &["j j", "2 j", "tables j", "methods ] ]", "sources tab 0 5 j", "4", "2 2 j j j", "methods r j", "6 . ] down"];

/// Typical screens of a sample: its folder, the number of the view, the keys.
const OWN: &[(&str, usize, &str)] = &[
    // A section; the bar of sections; what is embedded.
    ("native", 2, "2 k"),
    ("ticker-embedded", 2, "2 j j j tab right right"),
    ("shapes", 2, "2 tab right"),
    // Pages, and what they hold.
    ("workshop-windows", 7, "2 2 tab right right right"),
    ("ticker-windows", 7, "2 2 tab G left left left"),
    ("native", 7, "2 2 0 8 j tab tab j"),
    ("ledger", 7, "2 2 G tab tab j"),
    // A function with callers.
    ("native", 8, "o \"0x1000\" enter r j"),
    // Custom debug information, heaps, a filter.
    ("workshop", 3, "o \"table/CustomDebugInformation/3\" enter"),
    ("workshop-release", 3, "o \"image/heap/us/0x1\" enter j"),
    ("faults", 3, "o \"table/MethodDef/1\" enter / \"=\" enter"),
    ("shapes-embedded", 3, "o \"pdb/heap/blob/0x1\" enter j j"),
    // IL, bytes, fields, the source, the tree.
    ("workshop", 4, "methods 0 9 j tab j j"),
    ("faults", 4, "methods ] ] tab tab tab tab right"),
    ("shapes", 4, "methods ] ] tab tab j"),
    ("ledger", 4, "methods shift-tab j j"),
    ("workshop-embedded", 4, "o \"Scopes.Guarded+0x12\" enter"),
    ("faults-release", 4, "methods ] tab tab tab tab tab j j"),
    // A document that is not there; one in a tree.
    ("workshop", 5, "sources j j"),
    ("shapes-embedded", 5, "sources j j tab"),
];

/// Something that people open: what the snapshots call it, and its files.
struct Case {
    name: String,
    folder: String,
    files: Vec<PathBuf>,
    /// Folder of its files, if they have one of their own.
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

/// A path relative to the repository, so that snapshots name no folder of this machine.
fn here(path: &Path) -> PathBuf {
    path.strip_prefix(repository("")).unwrap().to_owned()
}

impl Case {
    /// Sources would be shown that other machines do not have.
    fn assert_no_source_is_here(screen: &Screen) {
        let session = screen.app.session().unwrap();
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
        let session = screen.app.session().unwrap();
        let image = session.image().map_or("Some.dll", |image| image.name.as_str());
        let mut text = "System.FormatException: The input string 'soon' was not in a correct format.\n".to_owned();
        text.push_str("   at System.Int32.Parse(String s) in System.Private.CoreLib.dll:token 0x6001532+0x0\n");
        for row in 1..=3 {
            let token = Token(0x0600_0000 + row);
            let name = session.method_name(token);
            let name = name.split('(').next().unwrap();
            let _ = writeln!(text, "\n   at {name}() in {image}:token {:#x}+0x1", token.0);
        }
        text
    }

    /// A view of it, in a terminal of that size.
    fn screen(&self, view: usize, (width, height): (u16, u16)) -> Screen {
        let options = Options { files: self.files.clone(), ..Options::default() };
        let mut screen = Screen::with(options, Config::default(), NAMES[0], width, height);
        Self::assert_no_source_is_here(&screen);
        screen.keys(self.keys(view));
        if VIEW_KEYS[view - 1].0 == "Trace" {
            let trace = self.trace(&screen);
            screen.paste(&trace);
        }
        // What was said on the way is gone by then.
        screen.keys("f9");
        screen
    }
}

/// The screen in each theme.
fn themes(screen: &mut Screen) -> [(Buffer, Option<Position>); 4] {
    NAMES.map(|theme| {
        screen.app.stage.theme = Theme::named(theme).unwrap();
        screen.draw()
    })
}

/// The snapshots of a view: its samples, one a format.
const REVIEWED: [&str; 5] = ["faults", "workshop-windows", "native", "ticker-mono", "workshop-embedded"];

/// Name of a view, and of the second file of the File view.
fn name_of(view: usize) -> &'static str {
    if view == 7 { "Streams" } else { VIEW_KEYS[view - 1].0 }
}

/// Draws a view of a case in every size and theme, and gives the text of each size.
fn drawn(case: &Case, view: usize) -> Vec<(String, String)> {
    SIZES
        .map(|size| {
            let mut screen = case.screen(view, size);
            let screens = themes(&mut screen);
            let what = format!("{} {view} {}x{}", case.name, size.0, size.1);
            // The second file is in the File view, too.
            laws::hold(&what, if view == 7 { 2 } else { view }, &screens);
            let text = lines(&screens[0].0);
            for (theme, (buffer, _)) in NAMES.iter().zip(&screens) {
                laws::colours_are_those_of_the_theme(&what, buffer, &Theme::named(theme).unwrap());
                let other = lines(buffer);
                // Without colours the parts of a map are letters.
                let maps = *theme == "mono" && ["File", "Streams"].contains(&name_of(view));
                assert!(
                    other == text || maps,
                    "{what}: the text is another in the {theme} theme:\n{}",
                    other.join("\n")
                );
            }
            (format!("{}x{}", size.0, size.1), text.join("\n"))
        })
        .into()
}

/// Draws a view of every case, and holds some of them against their snapshots.
fn every(view: usize) {
    for case in cases() {
        let screens = drawn(&case, view);
        // The player has tests of its own.
        if REVIEWED.contains(&case.name.as_str()) && name_of(view) != "Learn" {
            let name = format!("{}-{}", case.name, name_of(view).to_lowercase());
            let keys = format!("{}  {}\n", name_of(view), case.keys(view));
            assert_snapshot(&name, &(keys + &sections(&screens)));
        }
    }
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
        fn the_list_of_views_is_complete() {
            let names: Vec<String> = (1..=VIEWS.len()).map(|view| name_of(view).to_lowercase().replace(" ", "_")).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            assert_eq!(VIEWS.len(), KEYS.len());
        }
    };
}

views!(summary 1, file 2, tables 3, methods 4, sources 5, trace 6, streams 7, used_by 8, learn 9);
