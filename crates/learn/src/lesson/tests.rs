use std::path::PathBuf;
use std::sync::LazyLock;

use super::query::{Condition, Query};
use super::*;
use crate::question::marks::ByteMark;
use crate::{Verdict, covered};
use pdblens_session::session::Session;

pub(super) fn sample(folder: &str) -> Session {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(folder);
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    let with =
        |wanted: &[&str]| files.iter().find(|path| wanted.iter().any(|end| path.to_string_lossy().ends_with(end)));
    let files = [with(&[".dll", ".exe"]), with(&[".pdb", ".mdb"])].into_iter().flatten().cloned().collect::<Vec<_>>();
    Session::open(&files).unwrap()
}

/// Samples of every kind of symbol file.
pub(super) const KINDS: [&str; 6] = ["ticker", "workshop", "ticker-windows", "native", "ticker-mono", "relay"];

#[test]
fn every_built_in_lesson_is_read_and_numbered() {
    for (name, text) in FILES {
        let lesson = Lesson::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
        // The twelfth is an exercise: one page, and questions.
        let pages = if lesson.number == 12 { 1..=1 } else { 5..=8 };
        assert!(pages.contains(&lesson.steps.len()), "{name} has {} steps", lesson.steps.len());
        assert!(!lesson.questions.is_empty(), "{name} asks nothing");
    }
    let numbers: Vec<u32> = built_in().iter().map(|lesson| lesson.number).collect();
    assert_eq!(numbers, (1..=15).collect::<Vec<u32>>());
}

#[test]
fn the_first_lesson_keeps_to_one_method() {
    let methods = |same: bool| -> Vec<Vec<u32>> {
        let mut lesson = built_in()[0].clone();
        if !same {
            lesson.steps.iter_mut().for_each(|step| step.same = 0);
        }
        let of = |folder: &&str| {
            let steps = Prepared::of(&lesson, &sample(folder)).steps;
            let number = |step: &prepared::PreparedStep| {
                let place = step.example.as_ref()?.place.to_string();
                match place.strip_prefix("method/0x06") {
                    Some(rest) => u32::from_str_radix(rest.get(..6)?, 16).ok(),
                    None => place.strip_prefix("table/Method")?.rsplit('/').next()?.parse().ok(),
                }
            };
            steps.iter().filter_map(number).collect()
        };
        ["ticker", "workshop", "faults", "relay"].iter().map(of).collect()
    };
    for numbers in methods(true) {
        assert!(numbers.len() > 4 && numbers[..5].iter().all(|number| *number == numbers[0]), "{numbers:?}");
    }
    assert_ne!(methods(true), methods(false), "no sample needs it");
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
                // Lines of source have braces too, but no word in them.
                let is_name =
                    |part: &str| part.split_once('}').is_some_and(|(name, _)| !name.is_empty() && !name.contains(' '));
                let is_filled = |text: &String| !text.is_empty() && !text.split('{').skip(1).any(is_name);
                assert!(step.text.iter().all(is_filled), "{at}: {:?}", step.text);
                // A name in braces for an empty part of the example leaves a blank before the punctuation.
                let is_whole = |text: &String| !text.ends_with(" .") && !text.contains(": .") && !text.contains(" ,");
                assert!(step.text.iter().all(is_whole), "{at}: {:?}", step.text);
                let Some(example) = &step.example else { continue };
                assert_eq!(step.remark().is_some(), example.sample().is_some(), "{at}");
                // The address leads to the same record.
                let again: pdblens_nodes::Place = example.place.to_string().parse().unwrap();
                assert_eq!(again, example.place, "{at}");
                assert!(crate::steps(example.session(&session), again).is_some(), "{at}");
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
    // Of 76 steps with an example.
    for (folder, least) in [("workshop", 52), ("ticker-windows", 26), ("native", 26), ("ticker-mono", 8)] {
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
                match question.is_missing() {
                    true => assert!(matches!(question.check(""), Verdict::PassedOver(_)), "{at}"),
                    false => {
                        assert!(
                            matches!(question.check(&question.answer()), Verdict::Right(_)),
                            "{at}: {}",
                            question.answer()
                        );
                    }
                }
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
        (&format!("{head}text = \"{{colour}}\""), "mine.toml:5: text: `{colour}` is an unknown placeholder"),
        (
            &format!("{head}text = \"x\"\nfind = {{ place = \"nowhere/*\" }}"),
            "mine.toml:6: find: `nowhere/*` is not a place",
        ),
        (
            &format!("{head}text = \"x\"\nfind = {{ place = \"header\", value = \"about 5\" }}"),
            "mine.toml:6: find: `about 5` is not a condition",
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
    // Of several points of a method, the one with the columns of the question.
    let with = |lines: &str| {
        let with = format!("with = {{ field = \"Δ lines\", value = \"{lines}\" }}");
        find(&format!("place = \"method/*/points\"\nfield = \"δ IL offset\"\n{with}"))
    };
    let found = with("= 0").unwrap();
    assert_eq!(found.steps.list[found.at + 1].field.number, Some(0));
    assert!(with("= 12345").is_none());
}

#[test]
fn lessons_about_lines_are_on_native_code_too() {
    let session = sample("native");
    let lesson = Prepared::of(&built_in()[0], &session);
    let from_samples: Vec<&str> =
        lesson.steps.iter().filter(|step| step.sample_name().is_some()).map(|step| step.title.as_str()).collect();
    // The compiler of the sample wrote no hidden lines.
    assert_eq!(from_samples, ["Hidden: code without a line"]);
    assert!(lesson.questions.iter().all(|question| question.given.iter().all(|(name, _)| name != "in")));
    assert!(lesson.questions[0].prompt.contains("of this function"), "{}", lesson.questions[0].prompt);
}

#[test]
fn the_page_of_the_free_page_map_shows_the_one_that_counts() {
    for (folder, page) in [("native", "page/2"), ("parcel", "page/2"), ("ticker-windows", "page/1")] {
        let step = Prepared::of(&built_in()[2], &sample(folder)).steps[3].clone();
        assert_eq!(step.example.as_ref().unwrap().place.to_string(), page, "{folder}");
        assert!(step.sample_name().is_none() && step.text[1].contains("the active one"), "{:?}", step.text);
        assert!(step.text[1].contains(&format!("map {}, the active one", &page[5..])), "{:?}", step.text);
    }
}

#[test]
fn a_question_that_a_file_cannot_pose_is_made_from_a_sample_and_says_so() {
    for folder in ["native", "parcel"] {
        let question = Prepared::of(&built_in()[2], &sample(folder)).questions[0].clone();
        assert!(!question.is_missing(), "{folder}");
        let given = |name: &str| question.given.iter().find(|(noun, _)| noun == name).map(|(_, text)| text.as_str());
        assert_eq!(given("in"), Some("the built-in sample Ticker (Windows PDB)"));
        assert!(given("not in yours").unwrap().contains("active free page map"), "{:?}", question.given);
    }
}

#[test]
fn nothing_is_right_where_nothing_is_asked() {
    let text = "title = \"t\"\nabout = \"a\"\n[[step]]\ntitle = \"s\"\ntext = \"x\"\n[[question]]\nhide = \"value\"\n\
                find = { place = \"table/Document/*\", field = \"no such field\" }";
    let question = Prepared::of(&Lesson::parse("mine.toml", text).unwrap(), &Session::sample()).questions.remove(0);
    assert!(question.is_missing());
    for answer in ["", "7", "none"] {
        let verdict = question.check(answer);
        assert!(matches!(&verdict, Verdict::PassedOver(_)) && verdict.is_done(), "{answer}: {verdict:?}");
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

/// Every sample that can be opened, and real files where this machine has them.
fn every_sample() -> Vec<(String, Session)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples");
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut images: Vec<PathBuf> = folders
        .filter_map(|folder| {
            let files = || std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
            files().find(|path| path.extension().is_some_and(|end| end == "dll" || end == "exe"))
        })
        .collect();
    let winpty = "/tmp/real/node-pty/prebuilds/win32-x64/winpty.pdb";
    images.extend(["/tmp/real/Sparrow.dll", winpty].map(PathBuf::from).into_iter().filter(|path| path.exists()));
    images.sort();
    images.iter().map(|path| (path.display().to_string(), Session::open(std::slice::from_ref(path)).unwrap())).collect()
}

/// The built-in lessons, prepared for every sample, with its path: that takes seconds, and several tests need them.
static PREPARED: LazyLock<Vec<(String, &Lesson, Prepared)>> = LazyLock::new(|| {
    let samples = every_sample();
    let of = |(name, session): &(String, Session)| {
        built_in().iter().map(|lesson| (name.clone(), lesson, Prepared::of(lesson, session))).collect::<Vec<_>>()
    };
    samples.iter().flat_map(of).collect()
});

/// Returns true if `text` has `value` as a word of its own.
pub(super) fn tells(text: &str, value: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut found = text.match_indices(value);
    found.any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + value.len()..].chars().next()))
}

/// Words of the prose that are also the meaning of what the page reads, and do not tell it: lesson, page, word. The prose lists what
/// can be there, or has the word for another reason.
const SUBJECTS: &[(u32, usize, &str)] = &[
    (1, 6, "hidden"),
    (4, 1, "directory"),
    (4, 2, "directory's block map"),
    (5, 1, "Visual C++ 7"),
    (5, 3, "srcsrv"),
    (6, 2, "#Pdb"),
    (8, 6, "hidden"),
    (9, 3, "SHA-1"),
    (9, 3, "SHA-256"),
];

#[test]
fn covered_pages_do_not_tell_what_they_hide() {
    let mut told = std::collections::BTreeSet::new();
    for (name, lesson, prepared) in &*PREPARED {
        for (page, step) in prepared.steps.iter().enumerate() {
            let Some(example) = &step.example else { continue };
            let read = example.step().unwrap();
            let mut hidden = vec![read.field.value.clone(), read.field.meaning.clone()];
            hidden.extend(read.raw.map(|raw| raw.to_string()));
            hidden.extend(read.field.changes.first().map(|change| change.after.to_string()));
            hidden.retain(|text| text.chars().count() > 2);
            let mut shown = vec![step.title.clone(), example.steps.covered_record(example.at).to_owned()];
            shown.extend(step.covered.iter().cloned().chain(step.remark()));
            shown.push(covered::covered_reason(&example.steps, example.at));
            let rows = crate::reading::covered_rows(read);
            shown.extend(rows.into_iter().map(|row| format!("{} {}", row.label, row.text)));
            for text in &shown {
                for value in hidden.iter().filter(|value| tells(text, value)) {
                    let known = SUBJECTS.contains(&(lesson.number, page + 1, value));
                    if !known {
                        told.insert(format!("lesson {} page {}: {value} in {text} ({name})", lesson.number, page + 1));
                    }
                }
            }
            // Whatever the value is, the page is the same: this also holds for the shortest numbers.
            let mut other = example.clone();
            let changed = &mut std::sync::Arc::make_mut(&mut other.steps).list[example.at];
            changed.field.meaning = "§".to_owned();
            (changed.raw, changed.field.value) = (Some(7_777_777), "7777777".to_owned());
            changed.field.changes.iter_mut().for_each(|change| change.after = change.after.wrapping_add(77_777));
            let texts = lesson.steps[page].other.iter().map(|other| &other.text).chain([&lesson.steps[page].text]);
            for text in texts {
                let [one, two] =
                    [&other, example].map(|example| example.fill_covered(&covered::without_value(&text.0, read)));
                assert_eq!(one, two, "{name}: {}", lesson.number);
            }
        }
    }
    assert!(told.is_empty(), "{}", told.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn no_question_asks_for_the_read_that_its_page_shows() {
    let (mut seen, mut own) = (0, Vec::new());
    for (name, lesson, prepared) in PREPARED.iter().filter(|(_, lesson, _)| lesson.number != 7) {
        for (index, def) in lesson.questions.iter().enumerate() {
            let step = def.of.checked_sub(1).and_then(|step| prepared.steps[step].example.as_ref()?.step());
            let asked = prepared.bytes[index].iter().find(|byte| byte.mark == ByteMark::Asked);
            let (Some(step), Some(asked)) = (step, asked) else { continue };
            seen += 1;
            if step.field.span.start == asked.offset {
                own.push(format!("lesson {} question {} ({name}): {:#x}", lesson.number, index + 1, asked.offset));
            }
        }
    }
    assert!(seen > 20 && own.is_empty(), "{seen}: {own:#?}");
}

#[test]
fn questions_that_hide_a_part_do_not_ask_for_what_a_page_told() {
    let mut told = std::collections::BTreeSet::new();
    for (name, lesson, prepared) in PREPARED.iter().filter(|(_, lesson, _)| lesson.number != 7) {
        for (def, question) in lesson.questions.iter().zip(&prepared.questions) {
            if !matches!(def.kind, file::QuestionKind::Hide(_)) {
                continue;
            }
            let answer = question.answer();
            let beside =
                question.given.iter().map(|(_, text)| text).chain([&question.prompt]).chain(question.hints.first());
            let pages = prepared.steps.iter().flat_map(|step| &step.text);
            for text in beside.chain(pages).filter(|text| answer.len() > 2 && tells(text, &answer)) {
                told.insert(format!("lesson {}: {answer} in {text} ({name})", lesson.number));
            }
        }
    }
    assert!(told.is_empty(), "{}", told.into_iter().collect::<Vec<_>>().join("\n"));
}
