//! Questions: a part of a record is hidden, and the answer is checked; a wrong one is explained by its own mistake.

mod answer;
mod compute;
mod drills;
mod exercise;
pub(crate) mod fault;
pub mod faults;
mod hidden;
mod make;
pub mod marks;
mod mistakes;
pub mod readers;
#[cfg(test)]
mod tests;

pub(crate) use drills::spares;
pub use hidden::value as value_of;
pub use make::make;

use serde_json::Value;

use super::Steps;
use super::codec::parse_hex;
use answer::{is_same_text, parse_number};
use mistakes::Mistakes;
use pdblens_formats::bytes::{ReadAs, Show, stored};
use pdblens_session::text::safe::count;

/// Wrong values in the place of the right one that a step reads, or that its state has after it, each with its mistake.
pub(crate) fn wrong_values(steps: &Steps, at: usize, right: &Value) -> Vec<(Value, String)> {
    let Some(step) = steps.list.get(at) else { return Vec::new() };
    let (number, change) = (step.field.number, step.field.changes.first());
    let is_sum = change.is_some_and(|change| {
        change.before.zip(number).is_some_and(|(before, number)| before.wrapping_add(number) == change.after)
            && *right == change.after
    });
    let mistakes = if is_sum {
        mistakes::of_state(steps, at)
    } else if number.is_none_or(|number| *right == number) {
        mistakes::of_value(step)
    } else {
        Vec::new()
    };
    let value = |mistake: Mistake| match mistake.answer {
        Given::Number(number) => Some((number.into(), mistake.because)),
        Given::Text(text) => Some((text.into(), mistake.because)),
        Given::Bytes(_) => None,
    };
    mistakes.into_iter().filter_map(value).collect()
}

#[derive(Clone, Debug)]
pub struct Question {
    pub prompt: String,
    /// Facts that are shown beside it: noun, text.
    pub given: Vec<(String, String)>,
    /// Hints, the weakest first.
    pub hints: Vec<String>,
    pub solution: Vec<String>,
    expected: Expected,
    mistakes: Mistakes,
}

#[derive(Clone, Debug)]
enum Expected {
    Number {
        value: i64,
        show: Show,
    },
    /// A coded index: its number, or the row that it refers to.
    Reference {
        value: i64,
        show: Show,
        row: Referenced,
    },
    /// Bytes, and the form that they encode a number in.
    Bytes {
        bytes: Vec<u8>,
        read: ReadAs,
    },
    /// Any of several texts; with `contains` other words may be beside it.
    Text {
        any: Vec<String>,
        contains: bool,
    },
    /// The text of a codec.
    Items(exercise::Items),
    /// No answer: the files have nothing that could be asked about. The text says what is missing.
    Missing(String),
}

#[derive(Clone, Debug)]
struct Referenced {
    /// Table and row: `TypeRef/8`.
    name: String,
    token: i64,
    /// Arithmetic from the row to the number.
    remark: String,
}

#[derive(Clone, Debug)]
struct Mistake {
    answer: Given,
    because: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Given {
    Number(i64),
    Bytes(Vec<u8>),
    Text(String),
}

impl From<i64> for Given {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Vec<u8>> for Given {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<String> for Given {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Right; a remark on the form of the answer, mostly empty.
    Right(String),
    Wrong(String),
    /// It has not the form of an answer; the form that is expected.
    Unreadable(String),
    /// Nothing was asked, so that nothing is right or wrong; the reason.
    PassedOver(String),
}

impl Verdict {
    pub fn text(&self) -> &str {
        match self {
            Self::Right(text) | Self::Wrong(text) | Self::Unreadable(text) | Self::PassedOver(text) => text,
        }
    }

    /// Returns true if the next question may follow: the answer is right, or none was asked for.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Right(_) | Self::PassedOver(_))
    }
}

impl Question {
    /// A question with its wording alone.
    fn new(prompt: impl Into<String>, expected: Expected) -> Self {
        let mistakes = Mistakes::new(match &expected {
            Expected::Number { value, .. } | Expected::Reference { value, .. } => vec![Given::Number(*value)],
            Expected::Bytes { bytes, .. } => vec![Given::Bytes(bytes.clone())],
            Expected::Text { any, .. } => any.iter().cloned().map(Given::Text).collect(),
            Expected::Items(_) | Expected::Missing(_) => Vec::new(),
        });
        let (given, hints, solution) = (Vec::new(), Vec::new(), Vec::new());
        Self { prompt: prompt.into(), given, hints, solution, expected, mistakes }
    }

    fn of_number(prompt: impl Into<String>, value: i64, show: Show) -> Self {
        Self::new(prompt, Expected::Number { value, show })
    }

    /// A question that any of several texts answers.
    fn of_text(prompt: impl Into<String>, any: Vec<String>) -> Self {
        Self::new(prompt, Expected::Text { any, contains: false })
    }

    /// Adds a fact that is shown beside it.
    fn fact(mut self, noun: impl Into<String>, text: impl Into<String>) -> Self {
        self.given.push((noun.into(), text.into()));
        self
    }

    /// Adds a hint, unless it is empty.
    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.extend(Some(hint.into()).filter(|hint| !hint.is_empty()));
        self
    }

    /// Adds a line of the solution.
    fn solved(mut self, line: impl Into<String>) -> Self {
        self.solution.push(line.into());
        self
    }

    /// Adds a known mistake, unless it gives a right answer or one that is explained already.
    fn wrong(&mut self, answer: impl Into<Given>, because: impl Into<String>) {
        self.mistakes.add(answer, because);
    }

    pub fn check(&self, text: &str) -> Verdict {
        let text = text.trim();
        match &self.expected {
            Expected::Missing(reason) => Verdict::PassedOver(reason.clone()),
            _ if text.is_empty() => Verdict::Unreadable("no answer yet".to_owned()),
            Expected::Number { value, show } => self.check_number(text, *value, *show),
            Expected::Reference { value, show, row } => {
                let is_row = is_same_text(&row.name, text, false)
                    || parse_number(text, *show).is_some_and(|(number, _)| number == row.token && number != *value);
                match (is_row, text.contains('/')) {
                    (true, _) => Verdict::Right(row.remark.clone()),
                    (false, true) => self.verdict_on(&Given::Text(text.to_owned())),
                    (false, false) => self.check_number(text, *value, *show),
                }
            }
            Expected::Bytes { bytes, read } => self.check_bytes(text, bytes, *read),
            Expected::Text { any, contains } => {
                let mut right = any.iter().filter(|wanted| is_same_text(wanted, text, *contains)).peekable();
                let Some(first) = right.peek().copied() else { return self.check_other_text(text, any) };
                let is_exact = *contains || right.any(|wanted| !answer::differs_in_signs(wanted, text));
                Verdict::Right(if is_exact { String::new() } else { format!("Written exactly, it is {first}") })
            }
            Expected::Items(items) => items.check(text),
        }
    }

    /// Returns true if the files have nothing that could be asked about: any answer passes, and none is marked.
    pub const fn is_missing(&self) -> bool {
        matches!(self.expected, Expected::Missing(_))
    }

    pub(crate) fn missing_reason(&self) -> Option<&str> {
        match &self.expected {
            Expected::Missing(reason) => Some(reason),
            _ => None,
        }
    }

    pub const fn takes_list(&self) -> bool {
        matches!(self.expected, Expected::Items(_))
    }

    /// The bytes of a list that is asked for, and what an answer has of them; empty for other questions.
    pub fn marked_bytes(&self, answer: &str, is_wrong: bool) -> Vec<marks::MarkedByte> {
        match &self.expected {
            Expected::Items(items) => items.marked(answer, is_wrong),
            _ => Vec::new(),
        }
    }

    pub fn answer(&self) -> String {
        match &self.expected {
            Expected::Number { value, show: Show::OneOf(_) } => value.to_string(),
            Expected::Number { value, show } | Expected::Reference { value, show, .. } => {
                super::steps::notation(*show, *value)
            }
            Expected::Bytes { bytes, .. } => pdblens_session::text::safe::spaced_hex(bytes, usize::MAX),
            Expected::Text { any, .. } => any.first().cloned().unwrap_or_default(),
            Expected::Items(items) => items.text.clone(),
            Expected::Missing(_) => "–".to_owned(),
        }
    }

    /// Wrong answers whose reason is known, as they would be typed, and the reasons.
    pub fn known_mistakes(&self) -> Vec<(String, &str)> {
        let typed = |given: &Given| match given {
            Given::Number(number) => number.to_string(),
            Given::Bytes(bytes) => pdblens_session::text::safe::spaced_hex(bytes, usize::MAX),
            Given::Text(text) => text.clone(),
        };
        self.mistakes.found.iter().map(|mistake| (typed(&mistake.answer), mistake.because.as_str())).collect()
    }

    fn check_number(&self, text: &str, value: i64, show: Show) -> Verdict {
        let named = match show {
            Show::OneOf(names) => names.iter().find(|(_, name)| is_same_text(name, text, false)),
            _ => None,
        };
        let named = named.map(|(number, _)| (number.cast_signed(), true));
        let Some((number, hexadecimal)) = named.or_else(|| parse_number(text, show)) else {
            return not_a_number(text);
        };
        if number == value {
            return Verdict::Right(String::new());
        }
        let known = |number| self.mistakes.found.iter().any(|mistake| mistake.answer == Given::Number(number));
        let digits = text.trim_start_matches(['-', '−']);
        let other = if hexadecimal { None } else { i64::from_str_radix(digits, 16).ok() };
        match other {
            // IL offsets are written in hexadecimal everywhere, so bare digits are meant that way.
            Some(other) if matches!(show, Show::IlOffset) && other == value && !known(number) => {
                Verdict::Right(format!("IL offsets are in hexadecimal: {text} is IL_{value:04x}."))
            }
            Some(other) if matches!(show, Show::IlOffset) && known(other) && !known(number) => {
                self.verdict_on(&Given::Number(other))
            }
            Some(other) if other == value.abs() && !known(number) => Verdict::Wrong(format!(
                "The digits are right in hexadecimal: write 0x{text}, because {text} alone is decimal."
            )),
            _ => self.verdict_on(&Given::Number(number)),
        }
    }

    /// The verdict on a text that is not the right one: no number where that is one, or wrong.
    fn check_other_text(&self, text: &str, any: &[String]) -> Verdict {
        let verdict = self.verdict_on(&Given::Text(text.to_owned()));
        let is_number = any.first().is_some_and(|wanted| answer::single_number(wanted).is_some());
        let is_known = self.mistakes.found.iter().any(|mistake| mistake.because == verdict.text());
        if is_number && !is_known && !text.contains(|c: char| c.is_ascii_digit()) {
            return not_a_number(text);
        }
        verdict
    }

    fn check_bytes(&self, text: &str, bytes: &[u8], read: ReadAs) -> Verdict {
        let given = match parse_hex(text) {
            Ok(given) => given,
            Err(error) => {
                return Verdict::Unreadable(format!("{error}: bytes are typed in hexadecimal, such as 80 83"));
            }
        };
        if given == bytes {
            return Verdict::Right(String::new());
        }
        let value = |bytes: &[u8]| stored::decoded(read, bytes);
        if value(&given).is_some() && value(&given) == value(bytes) {
            let text = "These bytes hold the same number, but writers use the fewest bytes that can.";
            return Verdict::Right(text.to_owned());
        }
        let verdict = self.verdict_on(&Given::Bytes(given.clone()));
        let known = self.mistakes.found.iter().any(|mistake| mistake.answer == Given::Bytes(given.clone()));
        match value(&given) {
            Some(number) if !known => Verdict::Wrong(format!("These bytes hold {number}.")),
            None if !known && stored::has_fixed_size(read) && given.len() != bytes.len() => {
                let (wanted, given) = (bytes.len(), count(given.len() as u64, "byte"));
                Verdict::Wrong(format!("The field takes {wanted} bytes, and these are {given}: zeros are stored too."))
            }
            _ => verdict,
        }
    }

    fn verdict_on(&self, given: &Given) -> Verdict {
        let is_it = |mistake: &&Mistake| match (&mistake.answer, given) {
            (Given::Text(wrong), Given::Text(given)) => is_same_text(wrong, given, false),
            (wrong, given) => wrong == given,
        };
        let found = self.mistakes.found.iter().find(is_it).map(|mistake| mistake.because.clone());
        let found = found.or_else(|| self.token_in_the_place_of_row(given));
        Verdict::Wrong(found.unwrap_or_else(|| "That is not it.".to_owned()))
    }

    fn token_in_the_place_of_row(&self, given: &Given) -> Option<String> {
        let given = match given {
            Given::Number(number) => *number,
            Given::Text(text) => parse_number(text, Show::Plain)?.0,
            Given::Bytes(_) => return None,
        };
        let is_row =
            |row: i64| (1..1 << 24).contains(&row) && given & 0xff_ffff == row && (1..0x80).contains(&(given >> 24));
        let right = match &self.expected {
            Expected::Number { value, .. } => is_row(*value),
            Expected::Text { any, .. } => {
                any.iter().filter_map(|wanted| parse_number(wanted, Show::Plain)).any(|(row, _)| is_row(row))
            }
            _ => false,
        };
        right.then(|| {
            format!("0x{given:08x} is a token: its high byte is the number of the table, and the row is the other three bytes.")
        })
    }
}

fn not_a_number(text: &str) -> Verdict {
    Verdict::Unreadable(format!("`{text}` is not a number: write -5, 0x13, 0b101 or IL_0013"))
}
