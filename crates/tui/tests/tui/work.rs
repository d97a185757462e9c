//! Work of the views: what rows share costs once, and a frame costs what it shows.

use std::time::Duration;

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::Screen;
use crate::pasted::{FRAME, frame, spent};
use crate::support::folder::Folder;
use crate::support::synth::{Pair, Recipe, is_thorough, repeated};

fn open(folder: &Folder, pair: &Pair) -> Screen {
    let files = vec![folder.write("Large.dll", &pair.image), folder.write("Large.pdb", &pair.pdb)];
    Screen::with(Options { files, ..Options::default() }, Config::default(), "dark", 200, 60)
}

/// Keys for each view.
const VIEWS: [&str; 8] = ["1 j", "2 j", "3 j enter j", "4 j j ] j", "5 j j tab j", "6 j", "8 j", "9 . ] space"];

/// Number of methods of the smaller pair: so many that its questions reach their limit of work.
const METHODS: u32 = 600;
/// Time below which nothing is said.
const ALWAYS: Duration = Duration::from_millis(200);
/// Measurements of both sizes before a view fails.
const MAX_ROUNDS: u32 = 4;

#[test]
fn what_rows_share_costs_every_view_once() {
    // All views of all shapes take minutes without optimisation.
    let (shapes, views) =
        if is_thorough() { (&repeated::SHARED[..], &VIEWS[..]) } else { (&repeated::SHARED[..1], &VIEWS[3..5]) };
    let mut failed = Vec::new();
    for (shape, write) in shapes {
        let pairs = [1, 2].map(|factor| write(&Recipe::of(METHODS * factor)));
        for keys in views {
            let mut best = [Duration::MAX; 2];
            for _ in 0..MAX_ROUNDS {
                for (pair, best) in pairs.iter().zip(&mut best) {
                    let folder = Folder::new();
                    let view = || _ = open(&folder, pair).keys(keys).draw();
                    *best = spent(view).min(*best);
                }
                if best[1] <= (best[0] * 22 / 10).max(ALWAYS) {
                    break;
                }
            }
            eprintln!("{shape}: {keys}: {best:?}");
            if best[1] > (best[0] * 22 / 10).max(ALWAYS) {
                failed.push(format!("{shape}: {keys}: {best:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_frame_costs_what_it_shows() {
    let (large, shared) = (Folder::new(), Folder::new());
    let methods = if is_thorough() { 100_000 } else { 10_000 };
    let mut slow = Vec::new();
    // In the second pair, one blob has more points than any method.
    let long = if is_thorough() { 3000 } else { 500 };
    for (what, mut screen) in [
        ("many methods", open(&large, &Recipe::of(methods).pair())),
        ("a long blob", open(&shared, &repeated::shared_points(&Recipe::of(long)))),
    ] {
        for keys in VIEWS {
            for part in keys.split(' ') {
                let time = frame(screen.keys(part));
                if time > FRAME {
                    slow.push(format!("{what}: {keys}, after {part}: {time:?}"));
                }
            }
            screen.keys("esc esc");
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
