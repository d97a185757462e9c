//! Questions that hide a part of a read.

use super::{Expected, Question, Referenced, mistakes};
use crate::lesson::file::Hide;
use crate::reading::{ReadingRow, coded_index, covered_rows, hint};
use crate::{Step, Steps, reading, reason};
use pdblens_formats::bytes::{ReadAs, Show};
use pdblens_formats::metadata::Token;
use pdblens_session::text::safe::{count, spaced_hex};

const MAX_BYTES: usize = 32;

/// The question that hides a part of the read at `at`; `None` where that part is empty.
pub(super) fn question(steps: &Steps, at: usize, hide: Hide) -> Option<Question> {
    match hide {
        Hide::Value => value(steps, at),
        Hide::Bytes => bytes(steps, at),
        Hide::Meaning => meaning(steps, at),
        Hide::Field => field(steps, at),
        Hide::State => state(steps, at),
    }
}

/// A question about the read at `at`, with what is known of it but the facts in `hidden`, and with the arithmetic as the solution.
fn asked(steps: &Steps, at: usize, (prompt, expected): (String, Expected), hidden: &[&str]) -> Option<Question> {
    let step = steps.list.get(at)?;
    let all = [
        ("field", step.field.name.clone()),
        ("read as", step.form().to_owned()),
        ("bytes", spaced_hex(&step.bytes, MAX_BYTES)),
        ("value", step.field.value.clone()),
    ];
    let shown = all.into_iter().filter(|(name, text)| !hidden.contains(name) && !text.is_empty());
    let question = shown.fold(Question::new(prompt, expected), |question, (name, text)| question.fact(name, text));
    Some(Question { solution: solution(steps, at), ..question })
}

/// Lines of the arithmetic in columns, a tab before their words, and the reason.
fn solution(steps: &Steps, at: usize) -> Vec<String> {
    let Some(step) = steps.list.get(at) else { return Vec::new() };
    let mut lines: Vec<String> = reading(step).unwrap_or_default().lines();
    if lines.is_empty() {
        lines.push(format!("{} = {}  {}", step.field.name, step.field.value, step.field.meaning).trim_end().to_owned());
    }
    lines.push(reason(steps, at));
    lines.retain(|line| !line.is_empty());
    lines
}

fn line(row: &ReadingRow) -> String {
    if row.bits.is_empty() {
        return format!("{}: {}", row.label, row.text);
    }
    format!("{}: {}  {}", row.label, row.bits_text().trim(), row.text)
}

pub fn value(steps: &Steps, at: usize) -> Option<Question> {
    let step = steps.list.get(at)?;
    let is_il = step.field.value.starts_with("IL_");
    let show = match step.field.show.unwrap_or(Show::Plain) {
        // The lines of native code have the same record.
        Show::IlOffset if !is_il => Show::Hex,
        show => show,
    };
    let expected = match step.field.number {
        Some(value) => match referenced(step) {
            Some(row) => Expected::Reference { value, show, row },
            None => Expected::Number { value, show },
        },
        None if step.field.value.is_empty() => return None,
        None => Expected::Text { any: vec![step.field.value.clone()], contains: false },
    };
    let mut hints = vec![form_hint(step)];
    match step.bytes.get(..4) {
        Some(first) if step.field.read == ReadAs::Guid => hints.push(format!(
            "The first group has the bytes {} from the last to the first, the next two have two bytes each.",
            spaced_hex(first, MAX_BYTES)
        )),
        _ => hints.extend(covered_rows(step).iter().map(line)),
    }
    let form = if is_il { ", as IL_ and hexadecimal digits" } else { "" };
    let prompt = format!("These bytes are the field `{}`. What is its value{form}?", step.field.name);
    let mut question = asked(steps, at, (prompt, expected), &["field", "value"])?;
    question.mistakes.extend(mistakes::of_difference(step));
    question.mistakes.extend(mistakes::of_value(step));
    Some(Question { hints, ..question })
}

/// Row that a coded index refers to; `None` for other numbers, and for a null index.
fn referenced(step: &Step) -> Option<Referenced> {
    let (index, number) = (coded_index(step)?, u32::try_from(step.field.number?).ok()?);
    let (table, row) = index.decode(number).filter(|(_, row)| *row > 0)?;
    let name = format!("{}/{row}", table.name());
    let remark = format!(
        "{name} is stored as {row} × {} + {} = {number:#x}.",
        1_u32 << index.bits,
        number & !(u32::MAX << index.bits)
    );
    Some(Referenced { name, token: Token::new(table, row).0.into(), remark })
}

fn form_hint(step: &Step) -> String {
    if let Some(hint) = hint(step.field.read) {
        return hint.to_owned();
    }
    match step.field.read {
        ReadAs::CompressedSigned => {
            "Drop the bits that tell the length, rotate the lowest bit to the top, and read two's complement."
                .to_owned()
        }
        ReadAs::Compressed => {
            "A first byte below 80 is the number; 10… begins two bytes, 110… four, the highest first.".to_owned()
        }
        ReadAs::Guid => "The first three groups are little-endian; the other bytes are in order.".to_owned(),
        ReadAs::Text(_) => "Each byte is a character.".to_owned(),
        _ if step.bytes.len() > 1 => "The lowest byte comes first.".to_owned(),
        _ => "One byte is the number itself.".to_owned(),
    }
}

fn bytes(steps: &Steps, at: usize) -> Option<Question> {
    let step = steps.list.get(at)?;
    step.field.number?;
    let prompt = format!("The field `{}` has the value {}. Which bytes hold it?", step.field.name, step.field.value);
    let expected = Expected::Bytes { bytes: step.bytes.clone(), read: step.field.read };
    let mut question = asked(steps, at, (prompt, expected), &["field", "value", "bytes"])?
        .hint(form_hint(step))
        .hint(format!("It takes {}.", count(step.bytes.len() as u64, "byte")));
    question.mistakes.extend(mistakes::of_bytes(step));
    Some(question)
}

fn meaning(steps: &Steps, at: usize) -> Option<Question> {
    let step = steps.list.get(at)?;
    let text = &step.field.meaning;
    if text.is_empty() {
        return None;
    }
    let prompt = format!("The field `{}` is {}. What does that mean here?", step.field.name, step.field.value);
    let expected = Expected::Text { any: vec![text.clone()], contains: true };
    let question = asked(steps, at, (prompt, expected), &["field", "value"])?.hint(step.field.about);
    Some(Question { solution: vec![format!("{} means {text}.", step.field.value)], ..question })
}

fn field(steps: &Steps, at: usize) -> Option<Question> {
    let step = steps.list.get(at)?;
    let prompt = format!("Which field of the record is at {:#x}?", step.field.span.start);
    let expected = Expected::Text { any: vec![step.field.name.clone()], contains: false };
    let mut question = asked(steps, at, (prompt, expected), &["field"])?.hint(step.field.about);
    for (other, text) in [(at.checked_sub(1)?, "before"), (at + 1, "after")] {
        let other = steps.list.get(other).filter(|other| !other.field.group && other.field.name != step.field.name);
        if let Some(other) = other {
            question.wrong(other.field.name.clone(), format!("That is the field {text} it."));
        }
    }
    Some(Question { solution: vec![format!("It is `{}`: {}", step.field.name, step.field.about)], ..question })
}

fn state(steps: &Steps, at: usize) -> Option<Question> {
    let step = steps.list.get(at)?;
    let change = step.field.changes.first()?;
    let show = change.state.show;
    let before = change.before.map_or_else(|| "not set".to_owned(), |before| crate::steps::notation(show, before));
    let prompt = format!("The decoder reads `{}`. What is the {} after it?", step.field.name, change.state.name);
    let mut question = asked(steps, at, (prompt, Expected::Number { value: change.after, show }), &["value"])?
        .fact(change.state.name, format!("{before} before the step"))
        .hint(format!("Decode the value first. {}", form_hint(step)))
        .hint(reason(steps, at));
    question.mistakes.extend(mistakes::of_state(steps, at));
    Some(question)
}
