//! Compare: two builds by cause, and a method of both point by point.

use std::path::PathBuf;
use std::time::Duration;

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};
use crate::snapshot::{assert_snapshot, sections};
use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Two builds of `assets/sources/parcels`.
fn build(name: &str) -> PathBuf {
    repository("tests/golden/diff").join(name).join("Parcels.dll")
}

fn compared(width: u16, height: u16) -> Screen {
    let options = Options { files: vec![build("after")], compare: Some(build("before")), ..Options::default() };
    Screen::with(options, Config::default(), "dark", width, height)
}

#[test]
fn changes_have_the_numbers_of_diff_and_their_cause() {
    let mut screen = compared(120, 40);
    screen
        .shows("5 methods differ, 9 only moved, 6 are the same")
        .shows("2 changed, 1 added, 2 removed")
        .shows("5Compare")
        .shows("▸ 9 methods of Parcels.cs");
    // The row and the preview of the method under the cursor.
    screen.shows("IL, local variables, points  61 → 82");
    screen.keys("down").shows(":29 is now :30").shows("29     ●-         if (c == ',') continue;");
    // The methods of a document that have only moved.
    assert!(!screen.text().contains("IsHeavy"));
    screen.keys("G up up t").shows("▾ 9 methods of Parcels.cs").shows("→ Parcels.IsHeavy(int)");
    // The copied command prints the same.
    screen.keys("y c");
    assert!(screen.copied.last().unwrap().1.starts_with("pdblens diff "), "{:?}", screen.copied);
}

#[test]
fn a_method_is_shown_point_by_point_and_back_leads_to_the_list() {
    let mut screen = compared(120, 40);
    screen
        .keys("down enter")
        .shows("Points, aligned")
        .shows("16 → 20")
        .shows("Parcels.cs:29 is new")
        .shows("16 → 20 points: 0 gone, 4 new")
        .shows(" 24  23    public static int Weigh(string label)")
        .shows(" 25  24 ●  {");
    // It begins at the first line that differs; beside each other, each build has its own numbers.
    screen.shows("29 ●+ ").keys("right").shows("│").shows("24    public static int Weigh(string label)").keys("left");
    // From the last point that differs, the next change opens.
    screen.keys("] ] ] ] ] ] ] ] ] ] ]").shows("Compare  Parcels.Halves(int)");
    screen.keys("[ [ [ [").shows("Compare  Parcels.Weigh(string)");
    // Points with equal bytes are one row, until all are wanted.
    let folded = screen.text().matches("the same bytes").count();
    assert!(folded > 0 && !screen.keys("t").text().contains("the same bytes"), "{}", screen.text());
    screen.keys("backspace").shows("Moved, otherwise equal");
    // A point leads to the Methods view, and from there back.
    screen.keys("enter enter").shows("Code ›").keys("backspace").shows("Points, aligned");
}

#[test]
fn another_open_file_or_a_typed_path_is_compared() {
    let options = Options { files: vec![build("after")], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen
        .keys("5")
        .shows("Nothing is compared")
        .keys("d")
        .paste(&build("before").display().to_string())
        .keys("enter")
        .shows("5 methods differ");
    screen.keys("O").paste(&build("before").display().to_string()).keys("enter 1");
    screen
        .keys("5")
        .shows("Nothing is compared")
        .keys("d")
        .shows("Compare with an open file")
        .keys("enter")
        .shows("5 methods differ");
    // The other way round, what was added is removed.
    screen.shows("2 changed, 2 added, 1 removed");
}

#[test]
fn two_builds_are_named_on_the_command_line_or_marked_in_the_list_of_files() {
    let with =
        |files: Vec<PathBuf>| Screen::with(Options { files, ..Options::default() }, Config::default(), "dark", 120, 40);
    with(vec![build("before"), build("after")]).shows("5 methods differ").shows("2 changed, 1 added, 2 removed");
    // Files of other names may be no builds of one program.
    let orders = build("after").with_file_name("Orders.dll");
    with(vec![build("after"), orders]).shows("`pdblens --compare OLD NEW` compares two builds");
    let mut screen = with(vec![build("after")]);
    screen.keys("O").paste(&build("before").display().to_string()).keys("enter O tab down tab");
    screen.shows("old: Parcels.dll").shows("new: Parcels.dll");
    // The file that was opened last is the first of the list.
    screen.keys("enter").shows("5 methods differ").shows("2 changed, 1 added, 2 removed");
}

#[test]
fn files_that_change_on_disk_are_compared_with_what_they_were() {
    let folder = Folder::new();
    let copy = |name: &str| {
        for end in ["dll", "pdb"] {
            let from = build(name).with_extension(end);
            folder.write(&format!("Parcels.{end}"), std::fs::read(from).unwrap());
        }
    };
    copy("before");
    let options = Options { files: vec![folder.path().join("Parcels.dll")], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    copy("after");
    screen.pass(Duration::from_secs(3)).pass(Duration::from_secs(3)).shows("were read again: d compares");
    screen.keys("d").shows("5 methods differ, 9 only moved, 6 are the same");
    // No command prints what is not on disk any more.
    screen.shows("before and after").keys("y c");
    assert!(screen.copied.iter().all(|(_, text)| !text.contains("pdblens diff")), "{:?}", screen.copied);
}

#[test]
fn hints_name_no_change_where_nothing_is_compared() {
    let text = Screen::open("workshop/Workshop.dll", 120, 40).keys("5").shows("Nothing is compared").text();
    assert!(!text.contains("] next") && text.contains("d another build"), "{text}");
}

#[test]
fn a_point_that_is_gone_is_in_its_method() {
    let [old, new] = ["workshop", "workshop-release"].map(|folder| sample(folder).join("Workshop.dll"));
    let options = Options { files: vec![new], compare: Some(old), ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("enter").shows("A breakpoint at Columns.cs:7 is gone").shows("6 → 4 points: 3 gone, 1 new");
    screen.shows("Compare › Workshop.Columns › Mixed(string)");
    // The title has the name of the list.
    screen.shows("Compare  Columns.Mixed(string) ━");
}

#[test]
fn both_screens_match_their_snapshots() {
    let mut screens = Vec::new();
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = compared(width, height);
        // The command has the path of the repository in it.
        let without_title = |text: String| {
            let lines = text.lines().filter(|line| !line.contains("pdblens diff"));
            lines.collect::<Vec<_>>().join("\n")
        };
        screens.push((format!("changes {width}x{height}"), without_title(screen.keys("down").text())));
        screens.push((format!("method {width}x{height}"), screen.keys("enter down down").text()));
    }
    assert_snapshot("compare", &sections(&screens));
}

#[test]
fn another_open_build_is_offered_for_the_comparison() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("5");
    assert!(!screen.text().contains("the other open build"), "{}", screen.text());
    screen.keys("O").paste(&sample("ticker-release/Ticker.dll").display().to_string()).keys("enter 5");
    screen.shows("compare with the other open build, ").shows("ticker/Ticker.dll").keys("enter").shows("methods");
    assert!(!screen.text().contains("Nothing is compared"), "{}", screen.text());
}

#[test]
fn what_grew_and_what_shrank_is_a_treemap_and_the_head_counts_the_changes() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = compared(width, height);
        screen.keys("s").finish().shows("What grew and shrank").shows("Parcels.pdb").shows(" bytes");
        let text = screen.text();
        assert!(text.contains('+') && !text.contains(" % of "), "{text}");
        // By document, then the list again.
        screen.keys("t").finish().shows("by document").keys("s").shows("Parcels.Weigh(string)");
        screen.keys("s backspace").shows("Parcels.Weigh(string)");
        screen.keys("down enter").shows("change 2 of ").keys("]");
    }
}

#[test]
fn equal_lines_fold_where_they_have_no_room() {
    let mut screen = compared(80, 24);
    screen.keys("down").shows("equal lines");
    let text = compared(120, 60).keys("down enter").text();
    assert!(!text.contains("equal lines"), "{text}");
}

#[test]
fn a_statement_that_is_not_proved_is_marked() {
    let sample = |name: &str| repository("assets/samples").join(name).join("Faults.dll");
    let (files, compare) = (vec![sample("faults-release")], Some(sample("faults")));
    let options = Options { files, compare, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys("5");
    let mut has_mark = || screen.keys("j").text().contains('≈');
    assert!((0..30).any(|_| has_mark()));
}
