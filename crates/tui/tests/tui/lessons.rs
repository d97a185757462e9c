//! Lessons in the screens.

use pdblens_learn::lesson::{Progress, Start, built_in};
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::app::registry::TABS;

use crate::harness::{Screen, sample};
use crate::properties::letters;
use crate::support::samples::repository;

fn taking(file: &str, lesson: usize, width: u16, height: u16) -> Screen {
    let lessons = Some(Start { lessons: built_in().to_vec(), open: Some(lesson - 1), ..Start::default() });
    let options = Options { files: vec![sample(file)], lessons, ..Options::default() };
    Screen::with(options, Config::default(), "dark", width, height)
}

#[test]
fn the_view_lists_lessons_until_something_is_played() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen
        .keys("6")
        .shows("1  One line, three places")
        .shows("12  Breakpoint to byte and back")
        .shows("The player (.)");
    screen.keys("j enter").shows("Lesson 2").shows("From MZ to PE").shows("0x80 of");
    screen.keys("down").shows("The COFF header").keys("up").shows("From MZ to PE");
    screen.keys("down down").keys("methods 6").shows("The debug directory");
    assert!(screen.progress.as_ref().unwrap().contains("[lesson.2]"), "{:?}", screen.progress);
    // Esc shows the list with the page that was left; enter goes on there.
    screen.keys("esc").shows("page 3 of 7").keys("enter").shows("The debug directory");
    // The list again, and the player of the selected record.
    screen.keys("esc .").shows("Why this field is here").keys("esc").shows("The debug directory");
}

#[test]
fn sentences_beside_the_lessons_are_whole_on_a_small_screen() {
    let mut screen = Screen::open("ticker/Ticker.dll", 80, 24);
    screen.keys("6 g").shows("R restarts.");
    for lesson in built_in() {
        let text = letters(&screen.text());
        for sentence in
            [lesson.about.as_str(), "The player (.) decodes the selected record step by step, here or in any view."]
        {
            assert!(text.contains(&letters(sentence)), "{sentence}\n{}", screen.text());
        }
        screen.keys("j");
    }
}

#[test]
fn a_lesson_shows_its_example_in_all_panes_and_leads_there() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = taking("ticker/Ticker.dll", 1, width, height);
        screen.shows("Source, code, bytes").shows("line 10").shows("IL_0000  nop").shows("0a");
        screen.keys("] ]").shows("point 3 of").shows("IL_0011").keys("[ [");
        screen.keys("down down down down down").shows("Five numbers").shows("δ start line");
        screen.keys("enter").shows("Points and IL");
        screen.keys("6").shows("Five numbers");
    }
}

#[test]
fn the_first_question_is_on_the_second_page_and_keeps_the_places_in_view() {
    for (file, line) in
        [("ticker/Ticker.dll", "11"), ("ticker-windows/Ticker.dll", "11"), ("workshop/Workshop.pdb", "8")]
    {
        for (width, height) in [(80, 24), (120, 40)] {
            let mut screen = taking(file, 1, width, height);
            screen.keys("down").shows("question 1 of 3").shows("Which line").shows("Bytes  point 1");
            screen.keys(&format!("\"{line}\" enter")).shows("Right").keys("enter").shows("page 2 of 7");
        }
    }
}

#[test]
fn one_line_is_stepped_in_four_programs_at_once() {
    for (file, width, height) in
        [("ticker/Ticker.dll", 80, 24), ("ticker-windows/Ticker.dll", 120, 40), ("native/tally.exe", 200, 50)]
    {
        let mut screen = Screen::open(file, width, height);
        screen.keys(": \"line-programs\" enter").shows("page 7 of 7").shows("▌portable PDB");
        screen.shows("IL_0015  13:13").shows("IL_0020  13:13").shows("0x1070  13");
        screen.keys("]").shows("13 → 14").shows("IL_0016  14:17").shows("IL_0021  14:37").shows("0x1084  14");
        // One machine goes on alone, and back.
        screen
            .keys("tab tab tab right")
            .shows("▌DWARF")
            .shows("0x1084 → 0x108c")
            .shows("0x108c  15")
            .shows("IL_0021  14:37");
        screen.keys("left left").shows("▌DWARF").shows("0x1081");
        // The marked machine leads, to lines that it has a row for.
        screen.keys("] ] [").shows("0x1084  14").shows("IL_0016  14:17").keys("esc").shows("Lessons");
    }
}

#[test]
fn an_example_of_a_sample_is_called_that() {
    let mut screen = taking("ticker/Ticker.dll", 3, 120, 40);
    screen.shows("built-in sample").shows("Ticker (Windows PDB)").shows("superblock");
    // Enter does not take the place of the learner's files without a word.
    screen.keys("enter").shows("Enter again opens it").shows("A file system in a file");
    screen.keys("down up enter").shows("Enter again opens it").keys("enter").shows("17920");
}

#[test]
fn the_panel_explains_the_example_of_a_sample() {
    for (width, height) in [(80, 24), (120, 40)] {
        for file in ["ticker/Ticker.dll", "ticker/Ticker.pdb"] {
            let mut screen = taking(file, 3, width, height);
            screen.keys("down i").shows("About the selection").shows("page size");
            assert!(!screen.text().contains("sequence points"), "{}", screen.text());
            // A place of the sample is none of the open files.
            screen.keys("enter").shows("Enter again opens it").keys("esc").shows("Superblock: the size of a page");
        }
    }
}

#[test]
fn keys_that_a_page_names_do_what_it_says() {
    let mut screen = taking("ticker/Ticker.dll", 1, 120, 40);
    screen.keys("down").keys("esc down").shows("Enter shows the example").shows("6 comes back here");
    screen.keys("enter").shows("0x06000001").keys("6").shows("IL: the code of the line");
    let mut screen = taking("ticker/Ticker.dll", 12, 120, 40);
    screen.shows("(Code)").keys("sources").shows("Documents").keys("6").shows("The task");
}

/// Lessons and hints name a view by its key and its name.
#[test]
fn views_have_the_keys_that_lessons_name() {
    let named = regex::Regex::new(r"[Vv]iew ([0-9]) ?(?:\(([A-Za-z ]+)\))?").unwrap();
    let mut found = 0;
    let mut folders = vec![repository("crates/learn/assets/lessons"), repository("crates/learn/src/question")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for view in named.captures_iter(&text) {
                let number: usize = view[1].parse().unwrap();
                let name = view.get(2).map_or("", |name| name.as_str());
                assert_eq!(TABS[number - 1].name, name, "{}", path.display());
                found += 1;
            }
        }
    }
    assert!(found >= 7, "{found}");
}

#[test]
fn bytes_of_a_question_stay_with_their_numbers_and_marks() {
    for (file, width, height) in
        [("ticker/Ticker.dll", 80, 24), ("ticker-windows/Ticker.dll", 120, 40), ("workshop/Workshop.pdb", 80, 24)]
    {
        let mut screen = taking(file, 8, width, height);
        screen.keys("G up up up up up up").shows("question 3 of 9").shows("0x00  00 00 18 2e 09 06 00 12 04 08");
        screen.keys("\"IL_0000 46:9-46:33; IL_0006 47:13-47:31\" enter").shows("✗ The first difference");
        let text = screen.text();
        let row = text.lines().position(|line| line.contains("0x00  00 00 18")).unwrap();
        let marks = text.lines().nth(row + 1).unwrap();
        assert!(marks.trim_start_matches(['│', ' ']).starts_with("1  1  1  1  1  2  2  2  ✗  2"), "{text}");
    }
    // The bytes around a hidden part.
    let mut screen = taking("ticker/Ticker.dll", 8, 80, 24);
    screen.keys("G up up up up up up up up").shows("question 1 of 9").shows("▲");
}

#[test]
fn the_hints_of_a_page_name_the_key_of_its_steps() {
    let mut screen = taking("ticker/Ticker.dll", 8, 80, 24);
    screen.keys("down").shows("→ next step").shows("Step 5 of").keys("right").shows("Step 6 of");
    // A question has no steps, and Enter begins a lesson of the list.
    let text = screen.keys("G").shows("question 9 of 9").text();
    assert!(!text.contains("next step"), "{text}");
    screen.keys("esc esc").shows("↵ begin");
}

#[test]
fn the_longest_drill_is_asked_after_three_right_answers_in_a_row() {
    let ask = |is_certain: bool| {
        let mut screen = taking("ticker/Ticker.dll", 7, 120, 40);
        screen.keys("down down down down down down");
        for answer in ["-63", "56", "12"] {
            let slip = if is_certain { String::new() } else { "\"99\" enter ".to_owned() };
            screen.keys(&format!("{slip}\"{answer}\" enter")).shows("Right").keys("enter");
        }
        screen.keys("esc G up up").shows("question 10 of 12");
        let text = screen.text();
        text.lines().find(|line| line.contains("compressed integer")).unwrap().to_owned()
    };
    assert_ne!(ask(true), ask(false));
}

#[test]
fn questions_take_answers_and_explain_wrong_ones() {
    let mut screen = taking("ticker/Ticker.dll", 7, 80, 24);
    screen.keys("G").shows("question 12 of 12").keys("esc g").shows("Small numbers are short");
    screen.keys("down down down down down down").shows("signed compressed integer 03").shows("answer");
    screen.keys("\"3\" enter").shows("read as unsigned");
    screen.keys("backspace \"-1\" enter").shows("taken for a minus sign");
    screen.keys("tab").shows("hint: Drop the bits");
    screen.keys("backspace backspace \"-63\" enter").shows("Right").shows("answered");
    assert!(screen.progress.as_ref().unwrap().contains("answered = [1]"), "{:?}", screen.progress);
    screen.keys("enter").shows("unsigned compressed integer 38");
    // In an empty line space and backspace turn pages, and letters are text.
    screen.keys("down").shows("question 3 of 12").keys("up").shows("question 2 of 12");
    screen.keys("\"q?\"").shows("q?").keys("esc esc").shows("Lessons on the files");
    assert!(!screen.ended);
}

#[test]
fn blobs_are_pasted_and_decoded_in_the_answer_line() {
    let mut screen = taking("ticker/Ticker.dll", 8, 120, 40);
    for _ in 0..9 {
        screen.keys("down");
    }
    screen.shows("of a blob is missing");
    screen.paste("decode points 00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79");
    screen.keys("enter").shows("the blob may lack its first");
    screen.keys("ctrl-u \"the length\" enter").shows("not part of what");
    screen.keys("ctrl-u \"header\" enter").shows("Right").shows("its neighbour");
    screen.keys("enter").shows("three points");
    screen.paste("IL_0000 46:9-46:33; IL_0006 50:13-48:31");
    screen.keys("enter").shows("start line of point 2: you have 50").shows("unsigned");
}

#[test]
fn enter_turns_a_page_that_has_no_example() {
    let mut screen = taking("ticker/Ticker.dll", 12, 120, 40);
    screen.shows("next page").keys("enter").shows("A breakpoint is set on this line");
}

#[test]
fn the_mouse_turns_pages_and_chooses_lessons() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("6").click_on("Compressed integers").keys("enter").shows("Small numbers are short");
    screen.click_on("next ▸").shows("Two bytes").click_on("◂ back").shows("Small numbers are short");
}

#[test]
fn the_player_covers_values_until_they_are_predicted() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = Screen::open("ticker/Ticker.dll", width, height);
        screen.keys("methods ] . g x enter").shows("Predict").shows("These bytes are the field");
        screen.keys("\"77\" enter").shows("That is not it").keys("up up");
        screen.keys("\"1\" enter").shows("Right").keys("enter").shows("These bytes are the field").shows("Step 2 of ");
        // The key goes on from a wrong answer, as from an empty line.
        screen.keys("\"9\" enter").shows("✗").keys("down").shows("Step 3 of ");
        screen.keys("down").shows("Step 4 of ").keys("esc");
        assert!(!screen.text().contains("Predict"), "{}", screen.text());
    }
}

#[test]
fn the_digit_leads_back_to_the_page_from_everywhere() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = taking("ticker/Ticker.dll", 8, width, height);
        screen.keys("down down").shows("Spans: Δ lines").shows("6Lesson 8");
        // The player of the example, and that of a record of another view, take the place of the lesson.
        screen.keys(".").shows("Why this field is here").shows("6 lesson 8").keys("6").shows("Spans: Δ lines");
        screen.keys("tables").shows("6 lesson 8").keys(".").shows("Step 1 of ").shows("6 lesson 8");
        screen.keys("6").shows("Spans: Δ lines").keys("down").shows("A point over several lines");
        for view in 1..=5 {
            screen.keys(&view.to_string()).shows("6 lesson 8").keys("6").shows("A point over several lines");
        }
        screen.keys("methods ] . x enter").shows("Predict").keys("esc 6").shows("A point over several lines");
        // Where the player was opened, its key leads back too.
        screen.keys("tables .").shows("Step 1 of ").keys(".").shows("2File").keys("6 .").keys(".");
        screen.shows("A point over several lines");
        // After the list nothing is left to go back to.
        screen.keys("esc").shows("Lessons on the files").keys("methods");
        assert!(!screen.text().contains("6 lesson 8"), "{}", screen.text());
    }
}

#[test]
fn the_digit_leads_back_from_the_files_of_a_sample() {
    let mut screen = taking("ticker/Ticker.dll", 3, 120, 40);
    screen.keys("down").shows("Superblock: the size of a page").shows("built-in sample").keys("enter enter");
    screen.shows("17920").shows("⌫ goes back, 6 to lesson 3").keys("6").shows("Superblock: the size of a page");
    screen.shows("built-in sample").shows("portable PDB").shows("is open again");
}

#[test]
fn one_lesson_begins_again_once_the_user_agrees() {
    let mut screen = taking("ticker/Ticker.dll", 7, 120, 40);
    screen.keys("down down esc").shows("page 3 of 6").shows("R begin again");
    screen.keys("k k enter down esc").shows("page 2 of 7").keys("j j");
    screen.keys("R").shows("Begin lesson 7 again?").keys("esc").shows("page 3 of 6");
    screen.keys("R enter").shows("Small numbers are short");
    let progress = screen.progress.clone().unwrap();
    assert!(!progress.contains("[lesson.7]") && progress.contains("[lesson.5]"), "{progress}");
    // In the lesson, and after a right answer.
    screen.keys("down down down down down down \"-63\" enter").shows("Right").keys("esc");
    screen.keys("R enter").shows("page 1 of 6").keys("down down down down down down");
    assert!(!screen.text().contains("answered"), "{}", screen.text());
}

#[test]
fn the_command_line_asks_before_a_lesson_begins_again() {
    let screen = || {
        let lessons = Some(Start { lessons: built_in().to_vec(), open: Some(6), restart: true });
        let mut progress = Progress::default();
        progress.visit("7", 3);
        let options = Options { files: vec![sample("ticker/Ticker.dll")], lessons, progress, ..Options::default() };
        Screen::with(options, Config::default(), "dark", 80, 24)
    };
    screen().shows("Begin lesson 7 again?").keys("esc").shows("page 4 of 6");
    screen().shows("Begin lesson 7 again?").keys("enter").shows("page 1 of 6");
}

#[test]
fn hidden_answers_are_not_told_by_the_prose() {
    let mut screen = taking("ticker-windows/Ticker.dll", 3, 120, 40);
    screen.keys("down").shows("512 bytes here").keys("x").shows("[?] bytes here").shows("the value is hidden");
    let text = screen.text();
    assert!(!text.lines().take(28).any(|line| line.contains("512")), "{text}");
    screen.keys("x").shows("512 bytes here");
}

#[test]
fn the_words_of_a_page_are_one_key_away() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = taking("ticker/Ticker.dll", 1, width, height);
        screen
            .keys("down down down")
            .shows("Token: the name of the method")
            .shows("Press i twice to explain: token, method, PDB, ");
        // The words of the page are first, with the whole meaning of the selected one.
        screen
            .keys(": \"glossary\" enter")
            .shows("Glossary")
            .shows("token, on this page: ")
            .keys("down down")
            .shows("PDB, on this page: ");
        screen.keys("esc").shows("Token: the name of the method");
        screen
            .keys(".")
            .shows("Step ")
            .keys(": \"glossary\" enter")
            .shows("on this page: ")
            .keys("esc 6")
            .shows("Token: the name");
    }
    // Where else a newcomer looks: the overview, the keys, and the panel about a field.
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.shows("New here? 6 Learn").keys(": \"term\"").shows("Find a term, and go to an example").keys("esc");
    screen.keys("methods ] i").shows("i explains: ").shows("i glossary").keys("i").shows("Glossary");
}
