//! Comparison of a reader's answer with the right one: the first value that differs, its read, and the mistake.

use serde_json::Value;

use super::answer::{ExpectedAnswer, Leaf, ReadAt, shown};
use super::slips;
use crate::{Steps, question};
use pdblens_formats::bytes::Guid;

/// The right answer where a reader has an error.
const NO_ERROR: &str = "no error";
const DAMAGE: &str = "The input is damaged: a reader has to say so, and not to make something up.";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Path of the value: `points[3].endColumn`.
    pub path: String,
    /// The learner's value, or `nothing` if the answer lacks it.
    pub given: String,
    pub right: String,
    /// Mistake that gives this value in the place of the right one, where one is known.
    pub mistake: Option<String>,
    pub(super) read: Option<ReadAt>,
}

impl Difference {
    /// Returns true if an input that is whole was refused.
    pub fn is_refusal(&self) -> bool {
        self.path == "error" && self.right == NO_ERROR
    }

    /// Returns true if an input that is damaged was answered.
    pub fn is_of_damage(&self) -> bool {
        self.mistake.as_deref() == Some(DAMAGE)
    }

    /// Returns true if another difference has the same mistake, whatever its numbers.
    pub fn is_same_mistake(&self, other: &Self) -> bool {
        let words = |found: &Self| found.mistake.as_ref().map(|text| text.replace(|c: char| c.is_ascii_digit(), ""));
        self.mistake.is_some() && words(self) == words(other)
    }

    pub fn read<'a>(&self, answer: &'a ExpectedAnswer) -> Option<(&'a Steps, usize)> {
        let (record, step) = self.read?;
        Some((answer.records.get(record)?, step))
    }
}

/// A wrong value and the mistake that makes it.
pub(super) type Slip = (Value, String);

/// The first difference between the right answer and the JSON of a reader; `None` where they are the same. Other members are allowed.
pub fn difference(answer: &ExpectedAnswer, given: &Value) -> Option<Difference> {
    let refused = given.get("error").filter(|error| !error.is_null());
    if let Some(reason) = &answer.refusal {
        let last = answer.records.len().checked_sub(1);
        let read = last.and_then(|record| {
            Some((record, answer.records.get(record)?.list.iter().rposition(|step| !step.field.group)?))
        });
        return match refused {
            Some(_) => None,
            None => Some(Difference {
                path: "answer".to_owned(),
                given: NO_ERROR.to_owned(),
                right: format!("an error: {reason}"),
                mistake: Some(DAMAGE.to_owned()),
                read,
            }),
        };
    }
    if let Some(error) = refused {
        if answer.may_be_refused {
            return None;
        }
        let (given, right) = (text_of(error), NO_ERROR.to_owned());
        return Some(Difference { path: "error".to_owned(), given, right, ..Difference::default() });
    }
    let leaf = answer.leaves.iter().position(|leaf| !is_same(&leaf.value, value_of(leaf, given).as_ref()));
    leaf.map_or_else(|| surplus(&answer.json, given, ""), |index| Some(of_leaf(answer, index, given)))
}

/// The difference that is explained first, and its index among those of an exercise's inputs. Its mistake is named only if another input
/// has the same one, because one value may have another reason.
pub fn first_explained(found: &[&Difference]) -> Option<(usize, Difference)> {
    let is_confirmed = |one: &Difference| found.iter().filter(|other| one.is_same_mistake(other)).nth(1).is_some();
    let rank = |one: &Difference| match one {
        one if one.is_of_damage() => 2,
        one if is_confirmed(one) => 0,
        one if !one.is_refusal() => 1,
        _ => 2,
    };
    let (index, first) = found.iter().enumerate().min_by_key(|(_, one)| rank(one))?;
    let mut first = Difference::clone(first);
    first.mistake.take_if(|_| rank(found[index]) == 1);
    Some((index, first))
}

fn value_of(leaf: &Leaf, given: &Value) -> Option<Value> {
    let at = |path: &str| given.pointer(&format!("/{path}"));
    let value = at(&leaf.path)?;
    match &leaf.minus {
        Some(from) => Some(value.as_i64()?.checked_sub(at(from)?.as_i64()?)?.into()),
        None => Some(value.clone()),
    }
}

fn of_leaf(answer: &ExpectedAnswer, index: usize, given: &Value) -> Difference {
    let Some(leaf) = answer.leaves.get(index) else { return Difference::default() };
    let value = value_of(leaf, given);
    let known =
        slips_of(answer, index).into_iter().find(|(wrong, _)| value.is_some() && is_same(wrong, value.as_ref()));
    let mistake = known.map(|(_, because)| because).or_else(|| match value {
        None => slips::of_missing(answer, leaf),
        Some(_) => None,
    });
    Difference {
        path: shown(&leaf.path),
        given: given.pointer(&format!("/{}", leaf.path)).map_or_else(|| "nothing".to_owned(), text_of),
        right: answer.at(&leaf.path).map_or_else(String::new, text_of),
        mistake,
        read: leaf.read,
    }
}

/// Wrong values of a leaf, each with its mistake: those of the form of the number, and those of its place in the record.
pub(super) fn slips_of(answer: &ExpectedAnswer, index: usize) -> Vec<Slip> {
    let Some(leaf) = answer.leaves.get(index) else { return Vec::new() };
    let mut found: Vec<Slip> = slips::of_leaf(answer, leaf);
    // A size of a row follows from a count, and is not the number that was read.
    let read = if answer.counts.is_some() { None } else { leaf.read };
    if let Some((step, steps)) = read.and_then(|(record, step)| Some((step, answer.records.get(record)?))) {
        found.extend(question::wrong_values(steps, step, &leaf.value));
        let number = steps.list.get(step).and_then(|step| step.field.number);
        if number.is_some_and(|number| leaf.value == number) {
            found.extend(slips::shifted(steps, step));
        }
    }
    let mut known: Vec<Slip> = Vec::new();
    for (wrong, because) in found.into_iter().filter(|(wrong, _)| !is_same(&leaf.value, Some(wrong))) {
        match known.iter_mut().find(|(other, _)| is_same(other, Some(&wrong))) {
            None => known.push((wrong, because)),
            // Two mistakes that give the same value cannot be told apart: neither is named.
            Some((_, first)) if *first != because => first.clear(),
            Some(_) => {}
        }
    }
    known.retain(|(_, because)| !because.is_empty());
    known
}

fn surplus(right: &Value, given: &Value, path: &str) -> Option<Difference> {
    let below = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}/{step}") };
    match (right, given) {
        (Value::Array(right), Value::Array(given)) => {
            let inner = || right.iter().zip(given).enumerate();
            let deeper = inner().find_map(|(index, (right, given))| surplus(right, given, &below(&index.to_string())));
            deeper.or_else(|| {
                let more = given.get(right.len())?;
                let path = below(&right.len().to_string());
                let mistake = slips::of_surplus(&path);
                let (given, right) = (text_of(more), "nothing: the list ends before it".to_owned());
                Some(Difference { path: shown(&path), given, right, mistake, read: None })
            })
        }
        (Value::Object(right), Value::Object(given)) => {
            right.iter().find_map(|(name, right)| surplus(right, given.get(name)?, &below(name)))
        }
        _ => None,
    }
}

/// Returns true for equal values; GUIDs and bytes may be written in either case, with or without hyphens and braces.
fn is_same(right: &Value, given: Option<&Value>) -> bool {
    // A reader may leave out that a point is not hidden.
    let Some(given) = given else { return *right == Value::Bool(false) };
    let digits = |text: &str| {
        let digits: String = text.chars().filter(|c| !matches!(c, '-' | '{' | '}')).collect();
        let is_hex = digits.len() >= 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hex || text.parse::<Guid>().is_ok()).then(|| digits.to_ascii_lowercase())
    };
    match (right, given) {
        (Value::String(right), Value::String(given)) => {
            right == given || digits(right).is_some_and(|right| Some(right) == digits(given))
        }
        _ => right == given,
    }
}

fn text_of(value: &Value) -> String {
    let mut text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    pdblens_session::text::safe::cut(&mut text, 80);
    text
}
