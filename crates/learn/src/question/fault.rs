//! Questions about the faults of `assets/broken`: one field of a built-in sample has other bytes, and its place is to be found.

use std::path::PathBuf;
use std::sync::OnceLock;

use serde::Deserialize;

use super::Question;
use crate::lesson::samples;
use pdblens_formats::bytes::Show;
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;
use pdblens_session::text::safe::spaced_hex;

/// Limit on the fields of a record that a question lists: so many fit on a terminal of 24 lines.
const MAX_FIELDS: usize = 10;

/// An entry of `faults.json`.
#[derive(Deserialize)]
struct Fault {
    name: String,
    /// Folder of the sample that it is made of.
    base: String,
    #[serde(rename = "fault")]
    sentence: String,
    edits: Vec<Edit>,
}

/// A field with other bytes.
#[derive(Deserialize)]
struct Edit {
    file: String,
    place: String,
    field: String,
    /// Position among the fields with that name, from 0.
    #[serde(default)]
    nth: usize,
    /// Its bytes, in hexadecimal.
    bytes: String,
}

/// The fault called `name`, if a question can be about it: one field of a built-in sample.
fn named(name: &str) -> Option<&'static Fault> {
    static FAULTS: OnceLock<Vec<Fault>> = OnceLock::new();
    let read = || serde_json::from_str(include_str!("../../assets/faults.json")).unwrap_or_default();
    let found = FAULTS.get_or_init(read).iter().find(|fault| fault.name == name)?;
    (found.edits.len() == 1 && base(found).is_some()).then_some(found)
}

fn base(fault: &Fault) -> Option<usize> {
    samples::BUILT_IN.iter().position(|sample| sample.folder == fault.base)
}

pub(crate) fn is_known(name: &str) -> bool {
    named(name).is_some()
}

pub(super) fn question(name: &str) -> Option<Question> {
    let fault = named(name)?;
    let edit = fault.edits.first()?;
    let base = samples::session(base(fault)?)?;
    let place: Place = edit.place.parse().ok()?;
    let before = nodes::fields(base, place)?;
    let wrong = before.rows.iter().filter(|row| !row.group && row.name == edit.field).nth(edit.nth)?;
    let at = offset(base, wrong)?;
    let damaged = with_bytes(base, edit, at)?;
    let after = nodes::fields(&damaged, place)?;
    let file = if edit.file == "image" { damaged.image()?.name.clone() } else { damaged.symbol_file()?.name.clone() };
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
    let index = rows.iter().position(|row| offset(&damaged, row) == Some(at))?;
    let first = (index - index % (MAX_FIELDS - 3)).min(rows.len().saturating_sub(MAX_FIELDS));
    for row in rows.iter().skip(first).take(MAX_FIELDS) {
        let (Some(start), Ok(bytes)) = (offset(&damaged, row), damaged.spaces().read(row.span)) else { continue };
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

fn offset(session: &Session, row: &FieldRow) -> Option<u64> {
    Some(session.spaces().resolve(row.span).first()?.span.start)
}

fn with_bytes(base: &Session, edit: &Edit, at: u64) -> Option<Session> {
    let new = super::parse_hex(&edit.bytes).ok()?;
    let read = |space| base.spaces().region(space).ok().map(|region| region.bytes().to_vec());
    let (image, symbols) = (base.image()?, base.symbol_file()?);
    let mut files =
        [(PathBuf::from(&image.name), read(image.space)?), (PathBuf::from(&symbols.name), read(symbols.space)?)];
    let (_, bytes) = files.get_mut(usize::from(edit.file != "image"))?;
    bytes.get_mut(at as usize..)?.get_mut(..new.len())?.copy_from_slice(&new);
    Session::from_bytes(files.into()).ok()
}
