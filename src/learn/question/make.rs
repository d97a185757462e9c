//! Questions from their definitions.

use super::{Expected, Given, Mistake, Question, compute, drills, exercise, hidden};
use crate::learn::lesson::Example;
use crate::learn::lesson::file::{QuestionDef, QuestionKind};
use crate::session::Session;

/// Questions of a definition: several for drills, none where the example that it needs is missing.
pub fn make(def: &QuestionDef, example: Option<&Example>, session: &Session) -> Vec<Question> {
    let made = match &def.kind {
        QuestionKind::Drills { count, seed } => drills::drills(*count, *seed),
        QuestionKind::Exercise { codec, bytes } => exercise::question(codec, bytes).into_iter().collect(),
        QuestionKind::Text { accept, contains } => vec![text(def, accept, *contains, example)],
        QuestionKind::Hide(hide) => {
            example.and_then(|example| hidden::question(&example.steps, example.at, *hide)).into_iter().collect()
        }
        QuestionKind::Compute(what) => {
            let question = example.and_then(|example| compute::question(*what, example, example.session(session)));
            question.into_iter().collect()
        }
    };
    let mut made: Vec<Question> = made;
    for question in &mut made {
        dress(question, def, example);
    }
    made
}

/// Adds the wording, hints and mistakes of the definition.
fn dress(question: &mut Question, def: &QuestionDef, example: Option<&Example>) {
    let fill = |text| def.filled(text, example);
    if let Some(ask) = &def.ask {
        question.prompt = fill(ask);
    }
    if !def.hints.is_empty() {
        question.hints = def.hints.iter().map(fill).collect();
    }
    if let Some(because) = &def.because {
        question.solution.push(fill(because));
    }
    let known = def.wrong.iter().map(|(answer, because)| {
        let answer = fill(answer);
        let given = match &question.expected {
            Expected::Number { show, .. } | Expected::Reference { show, .. } => {
                super::answer::parse_number(&answer, *show).map(|(number, _)| Given::Number(number))
            }
            Expected::Bytes { .. } => super::parse_hex(&answer).ok().map(Given::Bytes),
            _ => None,
        };
        Mistake { answer: given.unwrap_or(Given::Text(answer)), because: fill(because) }
    });
    let known: Vec<Mistake> = known.collect();
    question.mistakes.splice(0..0, known);
    if let Some(sample) = example.and_then(Example::sample) {
        question.given.insert(0, ("in".to_owned(), format!("the built-in sample {sample}")));
    }
}

fn text(def: &QuestionDef, accept: &[String], contains: bool, example: Option<&Example>) -> Question {
    let fill = |text: &String| example.map_or_else(|| text.clone(), |example| example.fill(text));
    Question {
        prompt: def.ask.as_ref().map_or_else(String::new, |ask| def.filled(ask, example)),
        given: Vec::new(),
        hints: Vec::new(),
        solution: Vec::new(),
        expected: Expected::Text { any: accept.iter().map(fill).collect(), contains },
        mistakes: Vec::new(),
    }
}
