//! Files of answers, and their marks.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Prepared;
use crate::question::Verdict;

/// Answers by the key of the lesson and the number of the question: `7.1 = "-5"`.
pub type Answers = BTreeMap<String, BTreeMap<String, String>>;

/// An answer as it is written: in quotes, or a number without.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an answer in quotes, or a whole number")]
enum AnswerValue {
    Text(String),
    Number(i64),
}

impl From<AnswerValue> for String {
    fn from(value: AnswerValue) -> Self {
        match value {
            AnswerValue::Text(text) => text,
            AnswerValue::Number(number) => number.to_string(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Mark {
    /// Number of the question, from 1.
    pub question: usize,
    pub prompt: String,
    pub answer: Option<String>,
    pub verdict: Option<Verdict>,
    /// True if the files have nothing to ask about: the question does not count.
    pub is_missing: bool,
}

impl Mark {
    pub const fn is_right(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Right(_)))
    }
}

/// Parses a file of answers; the error names the line.
pub fn parse(file: &str, text: &str) -> Result<Answers, super::LessonError> {
    let values: BTreeMap<String, BTreeMap<String, AnswerValue>> =
        toml::from_str(text).map_err(|error| super::LessonError::of_toml(file, text, &error))?;
    let texts =
        |answers: BTreeMap<String, AnswerValue>| answers.into_iter().map(|(key, one)| (key, one.into())).collect();
    Ok(values.into_iter().map(|(lesson, answers)| (lesson, texts(answers))).collect())
}

pub fn is_question(number: &str, lesson: &Prepared) -> bool {
    number.parse::<usize>().is_ok_and(|number| (1..=lesson.questions.len()).contains(&number))
}

pub fn mark(lesson: &Prepared, answers: &BTreeMap<String, String>) -> Vec<Mark> {
    let one = |(index, question): (usize, &crate::Question)| {
        let answer = answers.get(&(index + 1).to_string()).cloned();
        let verdict = answer.as_deref().map(|answer| question.check(answer));
        Mark {
            question: index + 1,
            prompt: question.prompt.clone(),
            answer,
            verdict,
            is_missing: question.is_missing(),
        }
    };
    lesson.questions.iter().enumerate().map(one).collect()
}
