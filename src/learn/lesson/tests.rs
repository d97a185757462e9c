use std::path::PathBuf;

use super::query::{Condition, Query};
use super::*;
use crate::learn::Verdict;
use crate::session::Session;

fn sample(folder: &str) -> Session {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(folder);
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    let with =
        |wanted: &[&str]| files.iter().find(|path| wanted.iter().any(|end| path.to_string_lossy().ends_with(end)));
    let files = [with(&[".dll", ".exe"]), with(&[".pdb", ".mdb"])].into_iter().flatten().cloned().collect::<Vec<_>>();
    Session::open(&files).unwrap()
}

/// Samples of every kind of symbol file.
const KINDS: [&str; 6] = ["ticker", "workshop", "ticker-windows", "native", "ticker-mono", "relay"];

#[test]
fn every_built_in_lesson_is_read_and_numbered() {
    for (name, text) in FILES {
        let lesson = Lesson::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert!((5..=8).contains(&lesson.steps.len()), "{name} has {} steps", lesson.steps.len());
        assert!(!lesson.questions.is_empty(), "{name} asks nothing");
    }
    let numbers: Vec<u32> = built_in().iter().map(|lesson| lesson.number).collect();
    assert_eq!(numbers, (1..=12).collect::<Vec<u32>>());
}

#[test]
fn every_step_finds_its_example_in_every_kind_of_file_or_in_a_sample() {
    for folder in KINDS {
        let session = sample(folder);
        for lesson in built_in() {
            let prepared = Prepared::of(lesson, &session);
            for (step, def) in prepared.steps.iter().zip(&lesson.steps) {
                let at = format!("{folder}, lesson {}, {}", lesson.number, step.title);
                assert_eq!(step.example.is_some(), def.find.is_some(), "{at}: no example");
                assert!(step.text.iter().all(|text| !text.contains('{') && !text.is_empty()), "{at}: {:?}", step.text);
                // A name in braces whose part of the example is empty leaves a blank before the punctuation.
                let is_whole = |text: &String| !text.ends_with(" .") && !text.contains(": .") && !text.contains(" ,");
                assert!(step.text.iter().all(is_whole), "{at}: {:?}", step.text);
                let Some(example) = &step.example else { continue };
                assert_eq!(step.remark().is_some(), example.sample().is_some(), "{at}");
                // The address leads to the same record.
                let again: crate::nodes::Place = example.place.to_string().parse().unwrap();
                assert_eq!(again, example.place, "{at}");
                assert!(crate::learn::steps(example.session(&session), again).is_some(), "{at}");
                assert!(example.step().is_some_and(|step| !step.bytes.is_empty()), "{at}");
            }
        }
    }
}

#[test]
fn examples_are_from_the_open_file_where_it_has_them() {
    let own = |folder: &str| {
        let session = sample(folder);
        let prepared = built_in().iter().map(|lesson| Prepared::of(lesson, &session));
        let steps = prepared.flat_map(|lesson| lesson.steps);
        steps.filter(|step| step.example.as_ref().is_some_and(|example| example.sample().is_none())).count()
    };
    // Of 82 steps with an example.
    for (folder, least) in [("workshop", 58), ("ticker-windows", 28), ("native", 20), ("ticker-mono", 9)] {
        assert!(own(folder) >= least, "{folder}: {}", own(folder));
    }
}

#[test]
fn right_answers_are_accepted_and_listed_mistakes_are_explained() {
    for folder in KINDS {
        let session = sample(folder);
        for lesson in built_in() {
            let prepared = Prepared::of(lesson, &session);
            assert!(prepared.questions.len() >= lesson.questions.len(), "{folder}: lesson {}", lesson.number);
            for question in &prepared.questions {
                let at = format!("{folder}, lesson {}: {}", lesson.number, question.prompt);
                assert!(matches!(question.check(&question.answer()), Verdict::Right(_)), "{at}: {}", question.answer());
                for (wrong, because) in question.known_mistakes() {
                    assert_eq!(question.check(&wrong), Verdict::Wrong(because.to_owned()), "{at}: {wrong}");
                }
                assert!(!question.prompt.is_empty() && !question.prompt.contains('{'), "{at}");
            }
        }
    }
}

#[test]
fn errors_name_line_and_key() {
    let head = "title = \"t\"\nabout = \"a\"\n[[step]]\ntitle = \"s\"\n";
    for (text, said) in [
        ("", "the file: missing field `title`"),
        ("title = 5", "mine.toml:1: title: invalid type: integer `5`, expected a string"),
        ("title = \"t\"\nabout = \"a\"\nstep = []", "at least one `[[step]]`"),
        ("title = \"t\"\nabot = \"a\"", "mine.toml:2: abot: unknown field `abot`"),
        (&format!("{head}text = \"{{colour}}\""), "mine.toml:5: text: `{colour}` stands for nothing"),
        (
            &format!("{head}text = \"x\"\nfind = {{ place = \"nowhere/*\" }}"),
            "mine.toml:6: find: `nowhere/*` is no place",
        ),
        (
            &format!("{head}text = \"x\"\nfind = {{ place = \"header\", value = \"about 5\" }}"),
            "mine.toml:6: find: `about 5` is no condition",
        ),
        (&format!("{head}text = \"x\"\n[[question]]\nask = \"?\""), "one of `hide`, `answer`"),
        (&format!("{head}text = \"x\"\n[[question]]\nhide = \"value\""), "needs `of`"),
        (
            &format!("{head}text = \"x\"\n[[question]]\nof = 3\nhide = \"value\""),
            "mine.toml:6: [[question]]: `of` is 3, and the lesson has 1 step",
        ),
        (&format!("{head}text = \"x\"\n[[question]]\nask = \"?\"\ndecode = \"sint\"\nbytes = \"f\""), "half a byte"),
        (
            &format!("{head}text = \"x\"\n[[question]]\nask = \"?\"\ndecode = \"nothing\"\nbytes = \"00\""),
            "no kind `nothing`",
        ),
        ("title = ", "mine.toml:1: title: "),
    ] {
        let error = Lesson::parse("mine.toml", text).expect_err(text).to_string();
        assert!(error.contains(said), "{text}\n{error}");
    }
}

#[test]
fn conditions_compare() {
    let holds = |text: &str, number| Condition::try_from(text.to_owned()).unwrap().holds(number);
    assert!(holds("< 0", -1) && !holds("< 0", 0));
    assert!(holds(">= 0x80", 128) && !holds(">= 0x80", 127));
    assert!(holds("!= -5", 5) && holds("= -5", -5) && holds("<= 3", 3) && holds("> -2", -1));
}

#[test]
fn queries_find_reads_by_their_properties() {
    let session = Session::sample();
    let find = |text: &str| toml::from_str::<Query>(text).unwrap().find(&session);
    let found = find("place = \"method/*/points\"\nfield = \"δ start column\"\nvalue = \"< 0\"").unwrap();
    let step = &found.steps.list[found.at];
    assert_eq!((step.bytes.as_slice(), step.field.number), (&[0x77][..], Some(-5)));
    assert!(find("place = \"header\"").is_none());
    let name = find("place = \"table/Document/*\"\nfield = \"Name\"\nfollow = true").unwrap();
    assert!(name.place.to_string().starts_with("pdb/heap/blob/"), "{}", name.place);
    assert!(find("place = \"table/Document/*\"\nhas = { field = \"Hash\", value = \"= 0\" }").is_none());
}

#[test]
fn pages_about_one_method_have_examples_of_one_method() {
    let session = sample("workshop");
    let lesson = built_in().iter().find(|lesson| lesson.number == 12).unwrap();
    let places: Vec<_> = Prepared::of(lesson, &session).steps.into_iter().filter_map(|step| step.example).collect();
    let row = places[1].place.to_string();
    let row: u32 = row.rsplit('/').next().unwrap().parse().unwrap();
    for example in &places[2..5] {
        assert_eq!(example.place.method().map(crate::formats::metadata::Token::row), Some(row), "{}", example.place);
    }
}

#[test]
fn examples_say_where_they_are() {
    let step = |folder: &str| {
        let session = sample(folder);
        Prepared::of(&built_in()[0], &session).steps[0].text[1].clone()
    };
    assert!(step("ticker").contains("of Ticker.pdb"), "{}", step("ticker"));
    assert!(step("ticker-embedded").contains("of the PDB that Ticker.dll contains, once it is unpacked"));
    let srcsrv = Prepared::of(&built_in()[10], &sample("native"));
    assert!(srcsrv.steps[4].text.iter().any(|text| text.contains("The value of HTTP_EXTRACT_TARGET")));
}

#[test]
fn progress_is_read_as_it_is_written() {
    let mut progress = Progress::default();
    progress.visit("3", 4);
    progress.answer("3", 1, 2);
    assert_eq!(progress.status("3"), progress::Status::Started);
    progress.answer("3", 2, 2);
    assert_eq!((progress.status("3"), progress.status("4")), (progress::Status::Done, progress::Status::New));
    assert_eq!(toml::from_str::<Progress>(&progress.text()), Ok(progress));
}

#[test]
fn answers_are_marked_by_lesson_and_question() {
    let given = answers::parse("answers.toml", "7.1 = \"-63\"\n7.2 = \"nonsense\"").unwrap();
    let lesson = built_in().iter().find(|lesson| lesson.number == 7).unwrap();
    let marks = answers::mark(&Prepared::of(lesson, &Session::sample()), &given["7"]);
    assert_eq!(marks.iter().map(answers::Mark::is_right).collect::<Vec<_>>()[..3], [true, false, false]);
    assert!(marks[2].verdict.is_none());
    assert_eq!(answers::parse("answers.toml", "7.1 = -5").unwrap()["7"]["1"], "-5");
    let error = answers::parse("answers.toml", "7.1 = 0.5").expect_err("no answer is a fraction").to_string();
    assert!(error.starts_with("answers.toml:1: 7.1: "), "{error}");
}
