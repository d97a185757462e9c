//! The panel about the selection, what-if, the glossary, handouts.

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;

#[test]
fn the_panel_stays_and_follows_the_selection() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = Screen::open("ticker/Ticker.dll", width, height);
        screen.keys("6 . i").shows("About the selection").shows("what it is").shows("local signature");
        screen.keys("j j j").shows("About the selection").shows("Δ columns");
        screen.keys("esc");
        assert!(!screen.text().contains("About the selection"), "{}", screen.text());
        screen.keys("i").shows("About the selection").keys("esc");
        assert!(!screen.text().contains("About the selection"), "{}", screen.text());
    }
}

#[test]
fn the_panel_scrolls_to_its_end() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("6 . j j j i").shows(" more");
    screen.keys("pagedown pagedown pagedown").shows("ECMA-335 II.23.2");
    assert!(!screen.text().contains(" more"), "{}", screen.text());
}

#[test]
fn a_byte_is_changed_in_memory_alone() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    let before = std::fs::read(crate::support::samples::repository("assets/samples/ticker/Ticker.pdb")).unwrap();
    // The line span of the first point; every later line counts from its end.
    screen.keys("6 . j j c").shows("What if this byte had another value?").keys("\"05\"");
    screen.shows(" reads change").shows("→");
    screen.keys("esc").shows("State of the decoder");
    let after = std::fs::read(crate::support::samples::repository("assets/samples/ticker/Ticker.pdb")).unwrap();
    assert_eq!(before, after);
}

#[test]
fn reads_that_a_changed_byte_changes_look_different() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    // The start column of the first point: of Δ columns before it only the meaning changes, the column where the point ends.
    screen.keys("6 . j j j j j").shows("start column").keys("c \"05\"").shows(" reads change");
    let text = screen.text();
    let shown =
        |mark: &str, line: &str| line.split_once(mark).map(|(_, rest)| rest.trim_end_matches(['│', ' ']).to_owned());
    for pair in text.lines().collect::<Vec<_>>().windows(2) {
        if let [before, after] = pair
            && let Some(after) = shown("│    →  ", after)
        {
            let before = before.split_once("│").unwrap().1.trim_start().split_once("  ").unwrap().1;
            assert_ne!(before.trim_end_matches(['│', ' ']), after, "{text}");
        }
    }
}

#[test]
fn a_term_leads_to_an_example_in_the_open_files() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen
        .keys(": \"glossary\" enter")
        .shows("Glossary")
        .shows("example here")
        .keys("\"sequence point\"")
        .shows("method/0x06000001/points");
    screen.keys("enter").shows("Points and IL");
    assert!(!screen.text().contains("Glossary"), "{}", screen.text());
}

#[test]
fn a_handout_is_written_once_and_never_over_something() {
    let folder = Folder::new();
    let path = folder.path().join("points-blank.html");
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys(&format!("6 . y p \"{}\" enter", path.display())).shows("wrote ");
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.contains("________") && page.contains("--format html --blank"), "{page}");
    screen.keys(&format!("y p \"{}\" enter", path.display()));
    assert!(!screen.text().contains("wrote "), "{}", screen.text());
    assert_eq!(page, std::fs::read_to_string(&path).unwrap());
    screen.keys(&format!("y p \"{}\" enter", folder.path().join("points.pdf").display())).shows("must end in");
    // The name is kept, and can be mended.
    screen.shows("Write a handout to").keys("backspace backspace backspace \"md\" enter").shows("wrote ").keys("esc");
    assert_eq!(folder.files(), ["points-blank.html", "points.md"]);
}

#[test]
fn what_is_no_byte_is_refused_and_a_document_record_is_shown() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 . j j c \"z1\"").shows("`z` is not a hexadecimal digit").keys("esc");
    screen.keys("c \"123\"").shows("a byte has two hexadecimal digits").keys("esc");
    // Outside the player one point is selected; 0 in the place of its IL offset begins a document record.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"method/0x06000003/points/3\" enter").shows("› point 3").keys("c \"00\"");
    screen.shows("reads change").shows("document = ");
}

/// A player with the decode of the sequence points of a method, some reads from its first one.
fn player(theme: &str, large: bool, width: u16, height: u16) -> Screen {
    let options = Options { files: vec![sample("ticker/Ticker.dll")], large, ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), theme, width, height);
    screen.keys("methods ] . j j j");
    screen
}

#[test]
fn the_reason_of_a_field_and_what_is_said_of_a_guess_are_readable_in_a_small_player() {
    let mut screen = player("dark", false, 80, 24);
    screen
        .shows(" more: ⇧↓")
        .keys("shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down shift-down")
        .shows("Why this field is here")
        .shows("back: ⇧↑");
    screen.shows("Sequence Points Blob").keys("j").shows("Read  ").keys("k x enter \"7\" enter");
    let mut said = 0;
    for _ in 0..4 {
        screen.keys("tab");
        said = screen.text().matches("hint: ").count().max(said);
    }
    assert!(said > 1, "{}", screen.text());
    screen.shows("The answer is ");
}

#[test]
fn large_type_shows_the_bytes_with_the_current_field_in_brackets() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = player("dark", true, width, height);
        screen.shows(" 01 00 34 [02] 08 10 00").keys("j").shows("34 02 [08] 10 00");
    }
}

#[test]
fn the_hints_of_the_player_name_what_if_and_handout() {
    for (width, height) in [(80, 24), (120, 40)] {
        player("dark", false, width, height).shows("bit by bit").keys("space").shows("cover values");
    }
}

#[test]
fn the_byte_that_is_read_is_marked_without_colours() {
    let screen = player("mono", false, 80, 24);
    let (buffer, _) = screen.draw();
    let reversed = |x: u16, y: u16| buffer[(x, y)].modifier.contains(ratatui::style::Modifier::REVERSED);
    let rows = crate::harness::lines(&buffer);
    let first = rows.iter().position(|line| line.contains("─ Bytes")).unwrap() as u16 + 1;
    let marked: String = (first..23)
        .flat_map(|y| (0..80).map(move |x| (x, y)))
        .filter(|(x, y)| reversed(*x, *y))
        .map(|at| buffer[at].symbol().to_owned())
        .collect();
    assert!(marked.starts_with("02"), "{marked:?}\n{}", screen.text());
}

#[test]
fn the_table_of_the_state_and_the_log_have_one_form() {
    let mut screen = player("dark", false, 200, 50);
    screen.keys("k k k k").shows("points 0 → 1");
    assert!(!screen.text().contains("–  →"), "{}", screen.text());
    let line = screen.text().lines().find(|line| line.contains("points    ") && line.contains("→")).map(str::to_owned);
    assert!(line.is_some_and(|line| line.contains("0  →  1")), "{}", screen.text());
}

#[test]
fn the_coverage_of_the_open_files_is_counted_and_leads_to_what_is_left() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys(": \"coverage\" enter").shows("Coverage: bytes that have a field");
    screen.shows("Ticker.dll").shows("100.00 % of 3072 bytes").shows("Ticker.pdb").shows(" 0 left");
    // A file with bytes after its end has some that nothing refers to.
    let image = std::fs::read(sample("ticker/Ticker.dll")).unwrap();
    let folder = Folder::new();
    let longer = folder.write("Ticker.dll", [image.as_slice(), b"appended bytes"].concat());
    let options = Options { files: vec![longer], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    screen.keys(": \"coverage\" enter").shows("Ticker.dll 0xc00+14").shows("no field");
    screen.keys("down enter").shows("61 70 70 65");
}

#[test]
fn the_panel_is_about_the_row_of_the_cursor() {
    let mut screen = Screen::open("ticker/Ticker.dll", 140, 45);
    screen.keys("tab i").shows("About the selection");
    for (row, subject) in [("  contains", "3 methods"), ("  file              managed image", "magic · pe/optional")] {
        screen.keys("j").shows(row).shows(subject);
    }
    screen.keys("o \"pe/debug/2\" enter").shows("pe/debug/2 · Reproducible");
    // A row of a table, and a list that has neither fields nor facts.
    let mut screen = Screen::open("ticker/Ticker.dll", 140, 45);
    screen.keys("o \"table/LocalVariable/1\" enter i").shows("LocalVariable/1").shows("The name of a local variable.");
    assert!(!screen.text().contains("hide"), "{}", screen.text());
    let mut screen = Screen::open("parcel/parcel.exe", 140, 45);
    screen.keys("o \"publics\" enter i").shows("33 public symbols").shows("a list of 33 rows");
}

#[test]
fn hidden_values_are_not_explained() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 . j j j j j x i").shows("The values are hidden: x shows them");
    let text = screen.text();
    assert!(!text.contains("stored ") && !text.contains("derivation"), "{text}");
    screen.keys("x").shows("derivation");
    screen.keys("x esc c").shows("the values are hidden");
    assert!(!screen.text().contains("What if this byte"), "{}", screen.text());
}

#[test]
fn enter_in_what_if_says_that_nothing_is_written() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 . j j c \"05\" enter").shows(" reads change").shows("the file keeps its byte");
    screen.keys("tab");
    screen.keys("esc").shows("State of the decoder");
}

#[test]
fn the_player_leads_back_to_where_it_was_opened() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("tables .").shows("Step 1 of ").keys("esc").shows("2File").shows("Tables › ");
    // The digit leads on to the lessons.
    screen.keys(".").shows("Step 1 of ").keys("6").shows("Lessons on the files that are open");
    // From the list the player belongs to it.
    screen.keys(".").shows("Step 1 of ").keys("esc").shows("Lessons on the files that are open");
}

#[test]
fn hints_tell_what_space_and_enter_do() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6").shows(" lesson   ").keys("enter").shows(" page   ");
    screen.keys("down").shows("question 1 of 3").keys("\"zz\" esc").shows("enter types again").shows("type an answer");
}

#[test]
fn pasted_bytes_keep_their_advice_and_tab_leads_to_the_line() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6 G enter").paste("points 14 00 00 01 13 05").keys("enter").shows("Step 1 of ");
    screen.keys("tab").shows("next kind");
    assert!(!screen.text().contains("#Blob"), "{}", screen.text());
}

/// Words of titles and tabs that need no explanation.
const PLAIN: &str = "about and b by bytes code compare contents document facts fields file go learn lessons line lines machine of parts player points reason record rows source sources \
    summary the to used what fills files";

#[test]
fn the_glossary_explains_the_titles_of_tabs_and_panes() {
    let mut found = std::collections::BTreeSet::new();
    for file in ["ticker/Ticker.dll", "ticker-windows/Ticker.dll", "parcel/parcel.exe", "ticker-mono/Ticker.exe"] {
        let mut screen = Screen::open(file, 250, 60);
        for view in pdblens_tui::app::registry::TABS {
            found.insert(view.name.to_owned());
        }
        for (_, keys) in crate::harness::VIEW_KEYS {
            screen.keys(keys);
            let text = screen.text();
            // A title stands in a rule, after one line and a space, and ends with two spaces or the rule.
            for rule in text.lines().skip(1).filter(|line| line.contains("──") || line.contains("━━")) {
                for part in rule.split(['─', '━', '┬', '┭', '┮', '┴', '┼', '├', '┤', '│', '┯', '┷', '┾', '┽'])
                {
                    let name = part.trim().split("  ").next().unwrap_or_default();
                    let is_name =
                        part.starts_with(' ') && name.len() > 1 && name.chars().all(|c| c.is_alphabetic() || c == ' ');
                    found.extend(is_name.then(|| name.to_owned()));
                }
            }
        }
    }
    let is_known = |word: &str| {
        pdblens_learn::glossary::find(word).is_ok()
            || PLAIN.split_whitespace().any(|plain| plain == word.to_lowercase())
    };
    let unknown: Vec<&String> = found.iter().filter(|name| !is_known(name) && !name.split(' ').all(is_known)).collect();
    assert!(found.len() > 20 && unknown.is_empty(), "{found:?}\n{unknown:?}");
}

#[test]
fn escape_after_a_prediction_does_not_leave_the_player_at_once() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("methods ] . x enter \"7\" enter esc").shows("Player").shows("State of the decoder");
    screen.keys("esc").shows("Esc once more leaves the player").shows("State of the decoder").keys("esc");
    assert!(!screen.text().contains("State of the decoder"), "{}", screen.text());
}

#[test]
fn pasted_bytes_show_all_that_they_say_and_are_kept() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    let dump = "00000000: 0200 0001 1305 0100 2602 040e 0025 0200  ........&....%..\n00000010: 0400 0d02 0004 0001 027d  .........}";
    screen.keys("6 G enter").paste(dump).keys("enter").shows("locals 2; IL_0000 19:5-19:6").shows("IL_0017 23:5-23:6");
    // The key that leaves a player of a file goes to the line of the bytes.
    screen.keys("space space .").shows("and 3 more").keys("enter methods").shows("Points and IL");
    screen.keys("6 6").shows("Lessons on the files").keys("G enter").shows("02 00 00 01 13 05");
}
