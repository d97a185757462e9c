//! Questions about the faults of `assets/broken`: one field of a built-in sample has other bytes, and its place is to be found.

use super::Question;
use super::faults::{self, EditedFile, Fault, offset_of};
use pdblens_formats::bytes::Show;
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::text::safe::spaced_hex;

/// Limit on the fields of a record that a question lists: so many fit on a terminal of 24 lines.
const MAX_FIELDS: usize = 10;

/// The fault called `name`, if a question can be about it: one field of a built-in sample.
fn named(name: &str) -> Option<&'static Fault> {
    faults::named(name).filter(|fault| fault.edits.len() == 1 && fault.sample().is_some())
}

pub(crate) fn is_known(name: &str) -> bool {
    named(name).is_some()
}

pub(super) fn question(name: &str) -> Option<Question> {
    let fault = named(name)?;
    let edit = fault.edits.first()?;
    let base = fault.sample()?;
    let place: Place = edit.place.parse().ok()?;
    let before = nodes::fields(base, place)?;
    let wrong = edit.row(&before)?;
    let at = offset_of(base, wrong.span)?;
    let damaged = fault.pair()?.session()?;
    let after = nodes::fields(&damaged, place)?;
    let file = if edit.file == EditedFile::Image {
        damaged.image()?.name.clone()
    } else {
        damaged.symbol_file()?.name.clone()
    };
    let said = |row: &FieldRow| format!("{} {}", row.name, text_of(row));
    let prompt = format!("One field of this record of {file} is wrong. At which offset of the file does it begin?");
    let mut question = Question::of_number(prompt, at as i64, Show::Hex)
        .fact("record", format!("{place} of {file}, a copy of the built-in sample"))
        .hint("Decode each field, and check whether its value is possible.")
        .hint(format!("The field is called {}.", edit.field))
        .solved(&fault.sentence)
        .solved(format!("In the sample it is {}.", said(wrong)));
    let rows: Vec<&FieldRow> = after.rows.iter().filter(|row| !row.group && !row.span.is_empty()).collect();
    // The wrong field is anywhere among those that are listed.
    let index = rows.iter().position(|row| offset_of(&damaged, row.span) == Some(at))?;
    let first = (index - index % (MAX_FIELDS - 3)).min(rows.len().saturating_sub(MAX_FIELDS));
    for row in rows.iter().skip(first).take(MAX_FIELDS) {
        let (Some(start), Ok(bytes)) = (offset_of(&damaged, row.span), damaged.spaces().read(row.span)) else {
            continue;
        };
        let text = format!("{}  {} = {}", spaced_hex(&bytes, 8), row.name, text_of(row));
        question = question.fact(format!("{start:#x}"), text);
        let because = format!("At {start:#x} is {}, {}, as the compiler wrote it.", row.name, text_of(row));
        question.wrong(start as i64, because);
    }
    Some(question)
}

fn text_of(row: &FieldRow) -> String {
    if row.meaning.is_empty() { row.value.clone() } else { format!("{}  {}", row.value, row.meaning) }
}
