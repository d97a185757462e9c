//! Lessons held to what they teach and need.

use std::collections::BTreeSet;

use super::file::{Compute, QuestionKind};
use super::tests::{KINDS, sample};
use super::*;
use crate::Step;
use crate::glossary::{self, terms_in};
use pdblens_formats::bytes::ReadAs;
use pdblens_formats::metadata::ColumnKind;

/// Skills that are no term of the glossary.
const SKILLS: [&str; 2] = ["signed compressed integer", "sequence points blob"];

/// Skill that a read takes.
fn skill_of_read(step: &Step) -> Option<&'static str> {
    match (step.field.read, step.column) {
        (_, Some(ColumnKind::Coded(_))) => Some("coded index"),
        (ReadAs::CompressedSigned, _) => Some("signed compressed integer"),
        (ReadAs::Compressed, _) if step.bytes.len() > 1 => Some("compressed integer"),
        (ReadAs::Guid, _) => Some("GUID"),
        (ReadAs::U16 | ReadAs::U32 | ReadAs::U64, _) => Some("little-endian"),
        _ => None,
    }
}

const fn skill_of_work(what: Compute) -> &'static str {
    match what {
        Compute::StoreKey => "symbol-store key",
        Compute::FileOffset => "page",
        Compute::Line => "IL offset",
        Compute::Breakpoint | Compute::ThereAndBack => "breakpoint",
        Compute::SourceLink => "Source Link",
        Compute::Srcsrv => "srcsrv",
        Compute::PagesInUse | Compute::NextMap => "FPM",
        Compute::KickoffLine | Compute::StateMachineLine => "kickoff method",
    }
}

/// Lessons that a lesson needs, and those that they need.
fn needed(lesson: &Lesson) -> BTreeSet<u32> {
    let teachers = lesson.needs.iter().filter_map(|need| {
        built_in().iter().find(|other| other.number < lesson.number && other.teaches.contains(need))
    });
    teachers.flat_map(|other| needed(other).into_iter().chain([other.number])).collect()
}

#[test]
fn lessons_need_what_an_earlier_one_teaches() {
    let mut taught: BTreeSet<&str> = BTreeSet::new();
    for lesson in built_in() {
        let unknown: Vec<&String> = lesson.needs.iter().filter(|need| !taught.contains(need.as_str())).collect();
        assert!(unknown.is_empty(), "lesson {} needs {unknown:?}", lesson.number);
        assert!(!lesson.teaches.is_empty(), "lesson {} teaches nothing", lesson.number);
        for word in &lesson.teaches {
            let is_known = glossary::find(word).is_ok() || SKILLS.contains(&word.as_str());
            assert!(is_known && taught.insert(word), "lesson {}: {word}", lesson.number);
        }
    }
    assert!(built_in()[0].needs.is_empty());
}

/// Words of questions that every reader knows, or that the question explains.
const PLAIN: &[&str] =
    &["method", "function", "byte", "column", "row", "table", "type", "file", "module", "name", "hash"];

#[test]
fn questions_ask_for_what_was_taught() {
    let mut untaught = BTreeSet::new();
    for folder in KINDS {
        let session = sample(folder);
        for lesson in built_in() {
            let before = needed(lesson);
            let others: Vec<&Lesson> = built_in().iter().filter(|other| before.contains(&other.number)).collect();
            let skills: BTreeSet<&str> =
                others.iter().chain([&lesson]).flat_map(|lesson| lesson.teaches.iter().map(String::as_str)).collect();
            let prepared = Prepared::of(lesson, &session);
            let mut met: BTreeSet<&str> = skills.clone();
            let text =
                |lesson: &Lesson| lesson.steps.iter().map(|step| step.text.0.clone()).collect::<Vec<_>>().join(" ");
            for other in &others {
                met.extend(terms_in(&text(other)).iter().map(|term| term.term.as_str()));
            }
            for page in &prepared.pages {
                let question = match page {
                    Page::Step(index) => {
                        let step = &prepared.steps[*index];
                        let words = format!("{} {}", step.title, step.text.join(" "));
                        met.extend(terms_in(&words).iter().map(|term| term.term.as_str()));
                        continue;
                    }
                    Page::Question(index) => &prepared.questions[*index],
                };
                let words = terms_in(&question.prompt).into_iter().map(|term| term.term.as_str());
                for word in words.filter(|word| !met.contains(word) && !PLAIN.contains(word)) {
                    untaught.insert(format!("lesson {} asks about {word}: {}", lesson.number, question.prompt));
                }
            }
            for def in &lesson.questions {
                let step = def.of.checked_sub(1).and_then(|index| prepared.steps.get(index));
                let skill = match &def.kind {
                    QuestionKind::Hide(_) => match &def.find {
                        Some(query) => Example::find(query, &session),
                        None => step.and_then(|step| step.example.clone()),
                    }
                    .and_then(|example| skill_of_read(example.step()?)),
                    QuestionKind::Compute(what) => Some(skill_of_work(*what)),
                    QuestionKind::Exercise { codec: "slots", .. } => Some("slot map"),
                    QuestionKind::Exercise { .. } | QuestionKind::Write { codec: "records", .. } => {
                        Some("sequence points blob")
                    }
                    QuestionKind::Drills { .. } => Some("signed compressed integer"),
                    QuestionKind::Readers(_) => Some("compressed integer"),
                    QuestionKind::Fault(_) | QuestionKind::Text { .. } | QuestionKind::Write { .. } => None,
                };
                if let Some(skill) = skill.filter(|skill| !skills.contains(skill)) {
                    untaught.insert(format!("lesson {} asks for {skill} ({folder})", lesson.number));
                }
            }
        }
    }
    assert!(untaught.is_empty(), "{}", untaught.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_first_question_comes_on_the_second_page() {
    assert_eq!(built_in()[0].pages()[..3], [Page::Step(0), Page::Question(0), Page::Step(1)]);
    let text =
        "title = \"t\"\nabout = \"a\"\n[[step]]\ntitle = \"s\"\ntext = \"x\"\n[[step]]\ntitle = \"s\"\ntext = \"x\"\n";
    let lesson = |questions: [u32; 2]| {
        let questions = questions.map(|after| format!("[[question]]\nask = \"?\"\nanswer = \"1\"\nafter = {after}\n"));
        Lesson::parse("mine.toml", &format!("{text}{}", questions.concat()))
    };
    assert_eq!(lesson([1, 0]).unwrap().pages(), [Page::Step(0), Page::Question(0), Page::Step(1), Page::Question(1)]);
    assert!(lesson([0, 1]).unwrap_err().to_string().contains("in the order of their steps"));
}
