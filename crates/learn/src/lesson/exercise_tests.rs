//! The last lesson: its questions do not tell their answers, and agree with `break` and `where`.

use super::tests::{KINDS, sample, tells};
use super::*;
use crate::{Question, Verdict};
use pdblens_nodes::{CodeUnit, Token, code_unit, resolve};
use pdblens_query::breakpoint;
use pdblens_query::where_is::where_is;

/// Questions of the exercise on a sample.
fn exercise(folder: &str) -> Vec<Question> {
    let lesson = built_in().iter().find(|lesson| lesson.number == 12).unwrap();
    Prepared::of(lesson, &sample(folder)).questions
}

#[test]
fn the_last_lesson_is_an_exercise_on_the_open_files() {
    for folder in KINDS {
        let questions = exercise(folder);
        assert_eq!(questions.len(), 6, "{folder}");
        let is_own = |question: &Question| question.given.iter().all(|(name, _)| name != "in");
        assert!(questions.iter().all(is_own) || folder == "relay", "{folder}: {:?}", questions[0].given);
        // No question tells the answer of another one, or its own.
        for question in &questions {
            let shown = question.given.iter().map(|(_, text)| text.as_str()).chain([question.prompt.as_str()]);
            let answer = question.answer();
            for text in shown {
                assert!(answer.len() <= 2 || !tells(text, &answer), "{folder}: {answer} in {text}");
            }
            assert!(!question.known_mistakes().is_empty() && !question.solution.is_empty(), "{folder}");
        }
    }
}

#[test]
fn the_exercise_agrees_with_the_queries() {
    for folder in ["ticker", "workshop", "ticker-windows", "native", "ticker-mono"] {
        let (session, questions) = (sample(folder), exercise(folder));
        let at = questions[0].given.iter().find(|(name, _)| name == "breakpoint").unwrap().1.clone();
        let query = pdblens_query::address::parse_line(&session, &at).unwrap();
        let found = breakpoint::bind(&session, &query);
        let hit = found.hits.iter().find(|hit| hit.binds).unwrap();
        let is_right = |number: usize, answer: &str| {
            let verdict = questions[number - 1].check(answer);
            assert!(matches!(verdict, Verdict::Right(_)), "{folder}, question {number}: {answer}: {verdict:?}");
        };
        is_right(1, &query.documents[0].to_string());
        is_right(2, &hit.of.to_string());
        is_right(2, &code_unit::name(&session, hit.of));
        is_right(3, &hit.number.to_string());
        is_right(4, &format!("{:#x}", hit.range.start));
        is_right(5, &format!("{:#x}", hit.range.end));
        assert!(
            matches!(questions[4].check(&format!("{:#x}", hit.range.end - 1)), Verdict::Wrong(why) if why.contains("exclusive"))
        );
        // The frame resolves to the line.
        let frame = &questions[5].given[0].1;
        let offset = u32::from_str_radix(frame.rsplit_once("+0x").unwrap().1, 16).unwrap();
        let unit = match frame.split_once("token 0x") {
            Some((_, rest)) => {
                let token = u32::from_str_radix(rest.split_once('+').unwrap().0, 16).unwrap();
                CodeUnit::Method(Token(token))
            }
            None => {
                let name = frame.split_once('!').unwrap().1.rsplit_once('+').unwrap().0;
                let place = resolve(&session, &format!("function/{name}")).unwrap();
                place.code_unit().unwrap()
            }
        };
        let answer = where_is(&session, unit, offset);
        is_right(6, &answer.shown().unwrap().start_line.to_string());
    }
}
