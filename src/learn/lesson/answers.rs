//! Files of answers, and their marks.

use std::collections::BTreeMap;

use super::Prepared;
use crate::learn::question::Verdict;

/// Answers by the key of the lesson and the number of the question: `7.1 = "-5"`.
pub type Answers = BTreeMap<String, BTreeMap<String, String>>;

/// The mark of one answer.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Number of the question, from 1.
    pub question: usize,
    /// Wording of the question.
    pub prompt: String,
    /// The answer; `None` if there is none.
    pub answer: Option<String>,
    /// The verdict; `None` without an answer.
    pub verdict: Option<Verdict>,
}

impl Mark {
    /// Returns true if the answer is right.
    pub const fn is_right(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Right(_)))
    }
}

/// Parses a file of answers; the error names the line.
pub fn parse(file: &str, text: &str) -> Result<Answers, super::LessonError> {
    toml::from_str(text).map_err(|error| super::LessonError::of_toml(file, text, &error))
}

/// Returns true if `number` is that of a question.
pub fn is_question(number: &str, lesson: &Prepared) -> bool {
    number.parse::<usize>().is_ok_and(|number| (1..=lesson.questions.len()).contains(&number))
}

/// Marks the answers to a lesson.
pub fn mark(lesson: &Prepared, answers: &BTreeMap<String, String>) -> Vec<Mark> {
    let one = |(index, question): (usize, &crate::learn::Question)| {
        let answer = answers.get(&(index + 1).to_string()).cloned();
        let verdict = answer.as_deref().map(|answer| question.check(answer));
        Mark { question: index + 1, prompt: question.prompt.clone(), answer, verdict }
    };
    lesson.questions.iter().enumerate().map(one).collect()
}
