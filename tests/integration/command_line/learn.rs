//! `pdblens learn`.

use std::process::{Command, Output};

use super::{sample, stdout};
use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Runs it with a state folder of its own.
fn learn(state: &Folder, args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_pdblens");
    Command::new(program)
        .arg("learn")
        .args(args)
        .env("XDG_STATE_HOME", state.path())
        .env("HOME", state.path())
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_lessons_are_listed_and_one_is_printed() {
    let state = Folder::new();
    let list = stdout(&learn(&state, &[]));
    assert!(list.contains("Compressed integers") && list.contains("New here?"), "{list}");
    assert_eq!(list.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).count(), 15);
    let dll = sample("workshop/Workshop.dll").display().to_string();
    let lesson = stdout(&learn(&state, &[&dll, "10"]));
    assert!(lesson.contains("kickoff method") && lesson.contains("table/StateMachineMethod/1"), "{lesson}");
    assert!(!lesson.contains("built-in sample") && !lesson.contains("answer  "), "{lesson}");
    // A word of the title is as good as the number, and files without an example fall back to a sample.
    let lesson = stdout(&learn(&state, &["async"]));
    assert!(lesson.contains("the built-in sample Workshop"), "{lesson}");
    let key = stdout(&learn(&state, &["7", "--key"]));
    assert!(key.contains("answer        -63") && key.contains("✗"), "{key}");
    let error = learn(&state, &["nowhere"]);
    assert!(error.status.code() == Some(2) && stderr(&error).contains("no lesson `nowhere`"), "{}", stderr(&error));
}

#[test]
fn bits_of_a_key_stay_below_each_other() {
    let key = stdout(&learn(&Folder::new(), &["7", "--key"]));
    let one = key.split("\n1. ").nth(2).unwrap();
    let column = |label: &str, bits: &str| {
        let line = one.lines().find(|line| line.contains(label)).unwrap();
        line.char_indices().position(|(at, _)| line[at..].starts_with(bits)).unwrap()
    };
    let byte = column("byte 03", "0 0 0 0 0 0 1 1");
    assert_eq!([column("payload", "0 0 0 0 0 1 1"), column("rotated right", "1 0 0 0 0 0 1")], [byte + 2; 2], "{one}");
}

#[test]
fn sources_of_a_folder_are_shown_beside_the_code() {
    let (state, folder) = (Folder::new(), Folder::new());
    for file in ["Faults.dll", "Faults.pdb"] {
        folder.write(file, std::fs::read(repository("assets/samples/faults").join(file)).unwrap());
    }
    let dll = folder.path().join("Faults.dll").display().to_string();
    let root = repository("assets/sources/faults").display().to_string();
    let text = |more: &[&str]| stdout(&learn(&state, &[&[&dll, "1"], more].concat()));
    let line = "private static int Parse(string text)";
    assert!(!text(&["--print"]).contains(line), "{}", text(&["--print"]));
    assert!(
        text(&["--print", "--source-root", &root]).contains(line),
        "{}",
        text(&["--print", "--source-root", &root])
    );
    assert!(text(&["--format", "html", "--source-root", &root]).contains(line));
}

#[test]
fn a_page_needs_a_lesson() {
    let state = Folder::new();
    let dll = repository("assets/samples/ticker/Ticker.dll").display().to_string();
    for words in [vec!["--format", "html"], vec![&dll, "--format", "html"]] {
        let output = learn(&state, &words);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(
            output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("name a lesson"),
            "{output:?}"
        );
    }
}

#[test]
fn answers_are_marked_and_the_exit_code_tells() {
    let state = Folder::new();
    let marked = |text: &str| {
        let path = state.write("answers.toml", text);
        learn(&state, &["--check", &path.display().to_string()])
    };
    let wrong = marked("7.1 = \"3\"\n");
    let text = String::from_utf8(wrong.stdout.clone()).unwrap();
    assert_eq!(wrong.status.code(), Some(3), "{text}");
    assert!(
        text.contains("read as unsigned") && text.contains("0 of 12 right") && text.contains("no answer"),
        "{text}"
    );
    let right = marked("3.1 = \"11, 13, 14, 15\"\n3.2 = \"e0\"\n3.3 = \"2\"\n");
    assert_eq!(right.status.code(), Some(0), "{}", String::from_utf8_lossy(&right.stdout));
    for (text, said) in [
        ("7.1 = 3.5", "answers.toml:1: 7.1: "),
        ("", "answers.toml: no answers: a line such as 7.1"),
        ("3.3 = 512\n16.1 = \"x\"", "there is no lesson `16`"),
        ("16.1 = \"x\"", "there is no lesson `16`"),
        ("7.13 = \"x\"", "no question `13`"),
    ] {
        let error = marked(text);
        assert!(error.status.code() == Some(1) && stderr(&error).contains(said), "{text}: {}", stderr(&error));
        // Nothing is marked before all is checked.
        assert!(error.stdout.is_empty(), "{text}: {}", String::from_utf8_lossy(&error.stdout));
    }
    // Numbers need no quotes, and a lesson that is named is marked alone.
    let path =
        state.write("answers.toml", "3.1 = \"11, 13, 14, 15\"\n3.2 = \"e0\"\n3.3 = 2\n7.1 = 3\n").display().to_string();
    assert!(stdout(&learn(&state, &["--check", &path, "3"])).ends_with("3 of 3 right\n"));
    let error = learn(&state, &["--check", &path, "8"]);
    assert!(error.status.code() == Some(1) && stderr(&error).contains("no answers to lesson 8"), "{}", stderr(&error));
}

#[test]
fn questions_that_the_files_cannot_answer_keep_their_numbers() {
    let state = Folder::new();
    let lesson = "title = \"t\"\nabout = \"a\"\n[[step]]\ntitle = \"s\"\ntext = \"The line is {value}.\"\n\
        find = { place = \"method/*/points\", field = \"strat line\" }\n[[question]]\nof = 1\nhide = \"value\"\n\
        [[question]]\nask = \"Which?\"\nanswer = \"the header\"\n";
    let mine = state.write("mine.toml", lesson).display().to_string();
    let printed = learn(&state, &["--lesson", &mine, "--print"]);
    let text = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(printed.status.code(), Some(3), "{text}");
    assert!(text.contains("The line is –.") && text.contains("matches the query of this step"), "{text}");
    assert!(text.contains("1. Not in these files: step 1 has no example") && text.contains("2. Which?"), "{text}");
    let answers = state.write("answers.toml", "lesson.2 = \"the header\"\n").display().to_string();
    let marks = stdout(&learn(&state, &["--lesson", &mine, "--check", &answers]));
    assert!(marks.contains("lesson.1  – Not in these files") && marks.ends_with("1 of 1 right\n"), "{marks}");
}

#[test]
fn a_teacher_writes_a_lesson() {
    let state = Folder::new();
    // The example of the documentation.
    let page = include_str!("../../../docs/lessons.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    let mine = state.write("mine.toml", example).display().to_string();
    let text = stdout(&learn(&state, &["--lesson", &mine, "--print"]));
    assert!(text.contains("Here it is line 10, from the bytes\n   0a at 0x591."), "{text}");
    let answers = state.write("answers.toml", "lesson.1 = \"7\"").display().to_string();
    assert!(stdout(&learn(&state, &["--lesson", &mine, "--check", &answers])).contains("1 of 1 right"));
    let broken = state.write("broken.toml", "title = \"t\"\nabuot = \"a\"").display().to_string();
    let error = learn(&state, &["--lesson", &broken]);
    assert!(
        error.status.code() == Some(1) && stderr(&error).contains("broken.toml:2: abuot: unknown field"),
        "{}",
        stderr(&error)
    );
    // The page is in the program, and errors have the words of the file.
    assert_eq!(stdout(&learn(&state, &["--lesson-format"])), page);
    let head = "title = \"t\"\nabout = \"a\"\n[[step]]\ntitle = \"s\"\ntext = \"x\"\n";
    for (text, said) in [
        ("find = 3\n", "expected a table such as { place ="),
        ("[[question]]\nof = \"1\"\nhide = \"value\"\n", "expected a number"),
        ("[[question]]\nask = \"?\"\nanswer = \"1\"\nwrong = [\"5\"]\n", "expected a table such as { answer ="),
    ] {
        let path = state.write("typed.toml", format!("{head}{text}")).display().to_string();
        let error = stderr(&learn(&state, &["--lesson", &path, "--print"]));
        let of_program = ["struct ", "usize", "Raw"].iter().any(|word| error.contains(word));
        assert!(error.contains(said) && !of_program, "{text}: {error}");
    }
    let answers = state.write("answers.toml", "1.1 = \"10\"").display().to_string();
    let error = stderr(&learn(&state, &["--lesson", &mine, "--check", &answers]));
    assert!(error.contains("a lesson without `number` is `lesson`, as in lesson.1 = "), "{error}");
}

#[test]
fn progress_can_be_reset() {
    let state = Folder::new();
    let file = "pdblens/learn.toml";
    state.write(file, "last = \"3\"\n[lesson.3]\nat = 2\nanswered = []\ndone = false\n");
    let list = stdout(&learn(&state, &[]));
    assert!(
        list.contains("started") && list.contains("You left lesson 3") && list.contains("at page 3 of 6"),
        "{list}"
    );
    stdout(&learn(&state, &["--reset"]));
    assert!(stdout(&learn(&state, &["--list"])).contains("New here?"));
}

#[test]
fn one_lesson_begins_again() {
    let file = "pdblens/learn.toml";
    let text = "last = \"3\"\n[lesson.3]\nat = 2\nanswered = [1]\ndone = false\n[lesson.5]\nat = 1\nanswered = []\ndone = false\n";
    let state = Folder::new();
    state.write(file, text);
    assert!(
        stdout(&learn(&state, &["3", "--restart"]))
            .contains("Progress of lesson 3, A file of pages (MSF), is cleared.")
    );
    let kept = std::fs::read_to_string(state.path().join(file)).unwrap();
    assert!(kept.contains("[lesson.5]") && !kept.contains("lesson.3") && !kept.contains("last"), "{kept}");
    let error = learn(&state, &["--restart"]);
    assert!(stderr(&error).contains("--restart needs a lesson"), "{}", stderr(&error));
}

#[test]
fn text_for_people_has_no_control_characters_on_a_pipe() {
    let state = Folder::new();
    for lesson in 1..=12 {
        let text = stdout(&learn(&state, &[&lesson.to_string(), "--print", "--key"]));
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "lesson {lesson}: {text}");
    }
    // The line that names the format of an MSF file ends in 0x1a, as files of DOS did.
    assert!(stdout(&learn(&state, &["3", "--print"])).contains("\\x1aDS"));
}
