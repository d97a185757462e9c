//! Reading of a stored number: the arithmetic from its bytes to its value, in rows, and the same bit by bit.

mod bit_fields;
mod coded_index;
mod compressed;
mod fixed;
mod packed;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::steps::{Step, notation};
pub(crate) use coded_index::coded_index;
pub(crate) use packed::hint;
use pdblens_formats::bytes::stored::form_name;
use pdblens_formats::bytes::{Change, ReadAs, Show};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub title: String,
    /// Rows, from the bytes to the value.
    pub rows: Vec<ReadingRow>,
    /// Noun for [`Self::bits`]: `byte 77`, `0x0006, little-endian in bytes 06 00`.
    pub caption: String,
    /// Bits that are read one after the other, as they are drawn.
    pub bits: Vec<bool>,
    /// Steps in the order of the reading; empty for GUIDs, floating-point numbers and plain bytes.
    pub bit_steps: Vec<BitStep>,
}

/// One row of the arithmetic: bits with a label and a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "derivation_row"))]
pub struct ReadingRow {
    /// Noun for the bits or the number.
    pub label: String,
    /// Bits from the highest to the lowest; empty for a row of words.
    #[serde(serialize_with = "digits", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub bits: Vec<Bit>,
    /// Bits that are gone: by so many the row is indented to stand under the row above.
    #[serde(skip)]
    pub indent: u8,
    /// Result of the row, in words.
    pub text: String,
}

fn digits<S: serde::Serializer>(bits: &[Bit], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&bits.iter().map(|bit| if bit.set { '1' } else { '0' }).collect::<String>())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    pub set: bool,
    pub role: BitRole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitRole {
    /// Tells the length of the number.
    Prefix,
    Payload,
    Sign,
    /// Is clear and has no meaning: a dot.
    Unused,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitStep {
    /// Indices of the bits as drawn.
    pub bits: Range<usize>,
    pub text: String,
    /// State after the step: a noun and its value.
    pub state: Vec<(&'static str, String)>,
}

impl Bit {
    pub const fn digit(self) -> char {
        match (self.set, self.role) {
            (false, BitRole::Unused) => '.',
            (false, _) => '0',
            (true, _) => '1',
        }
    }
}

impl ReadingRow {
    /// Bits as text, a blank after each group of eight from the right.
    pub(crate) fn bits_text(&self) -> String {
        let mut text = " ".repeat(usize::from(self.indent) * 2);
        for (index, bit) in self.bits.iter().enumerate() {
            if index > 0 {
                text.push_str(if (self.bits.len() - index).is_multiple_of(8) { "  " } else { " " });
            }
            text.push(bit.digit());
        }
        text
    }
}

impl Reading {
    fn of(title: impl Into<String>, bytes: &[u8]) -> Self {
        let noun = if bytes.len() == 1 { "byte" } else { "bytes" };
        Self {
            title: title.into(),
            caption: format!("{noun} {}", hex_bytes(bytes)),
            bits: bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect(),
            ..Self::default()
        }
    }

    fn words(&mut self, label: impl Into<String>, text: impl Into<String>) {
        self.rows.push(ReadingRow { label: label.into(), text: text.into(), ..ReadingRow::default() });
    }

    fn drawn(&mut self, label: impl Into<String>, bits: Vec<Bit>, indent: u8, text: impl Into<String>) {
        self.rows.push(ReadingRow { label: label.into(), bits, indent, text: text.into() });
    }

    fn step(&mut self, bits: Range<usize>, text: impl Into<String>, state: Vec<(&'static str, String)>) {
        self.bit_steps.push(BitStep { bits, text: text.into(), state });
    }

    /// Rows in columns: label and bits, and the words beside them.
    pub fn columns(&self) -> impl Iterator<Item = (String, &str)> {
        let label = self.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        let bits = self.rows.iter().map(|row| row.bits_text().chars().count()).max().unwrap_or(0);
        self.rows.iter().map(move |row| (format!("{:label$}  {:bits$}", row.label, row.bits_text()), row.text.as_str()))
    }

    /// The columns as lines: a tab is before the words.
    pub fn lines(&self) -> Vec<String> {
        self.columns().map(|(left, text)| format!("{left}\t{text}").trim_end().to_owned()).collect()
    }
}

/// Reading of the value of a step. `None` for groups, plain bytes and text.
pub fn reading(step: &Step) -> Option<Reading> {
    let mut reading = match step.field.read {
        ReadAs::Compressed => compressed::unsigned(step)?,
        ReadAs::CompressedSigned => compressed::signed(step)?,
        ReadAs::SevenBit | ReadAs::SignedSevenBit => compressed::seven_bit(step)?,
        ReadAs::Native | ReadAs::NativeSigned => packed::native(step)?,
        ReadAs::Nibbles(is_high) => packed::nibbles(step, is_high, false)?,
        ReadAs::SignedNibbles(is_high) => packed::nibbles(step, is_high, true)?,
        ReadAs::Bits { first, len } => packed::bit_field(step, first, len)?,
        ReadAs::Guid => fixed::guid(step)?,
        ReadAs::Bytes => bit_fields::dynamic_flags(step)?,
        ReadAs::Text(_) | ReadAs::Unread => return None,
        _ => fixed::little_endian(step)?,
    };
    bit_fields::add_rows(step, &mut reading);
    coded_index::add_rows(step, &mut reading);
    bit_fields::add_decimal(step, &mut reading);
    add_stored_plus(step, &mut reading);
    add_changes(step, &mut reading);
    Some(reading)
}

/// The part of the arithmetic that does not have the value: the bits of a compressed number, the order of bytes.
pub fn covered_rows(step: &Step) -> Vec<ReadingRow> {
    let words = |label: String, text: &str| vec![ReadingRow { label, text: text.to_owned(), ..ReadingRow::default() }];
    let is_compressed = matches!(
        step.field.read,
        ReadAs::Compressed | ReadAs::CompressedSigned | ReadAs::SevenBit | ReadAs::SignedSevenBit
    );
    match step.field.read {
        ReadAs::Guid => {
            words("16 bytes".to_owned(), "the first three groups are little-endian; the other bytes are in order")
        }
        ReadAs::Text(_) | ReadAs::Bytes | ReadAs::Unread => Vec::new(),
        read if is_compressed || hint(read).is_some() => {
            reading(step).map_or_else(Vec::new, |reading| reading.rows.into_iter().take(1).collect())
        }
        _ if step.bytes.len() > 1 => words(format!("bytes {}", hex_bytes(&step.bytes)), "little-endian, lowest first"),
        _ => Vec::new(),
    }
}

/// The lowest `len` bits of `value`, the highest first, each with its role by its number from the lowest.
fn bits(value: u64, len: u32, role: impl Fn(u32) -> BitRole) -> Vec<Bit> {
    (0..len).rev().map(|bit| Bit { set: value >> bit & 1 == 1, role: role(bit) }).collect()
}

/// Role of the bits of a mask, and of the others.
fn masked(mask: u64, other: BitRole) -> impl Fn(u32) -> BitRole {
    move |bit| if mask >> bit & 1 == 1 { BitRole::Payload } else { other }
}

fn hex_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// The largest amount that formats add to a number before they store it.
const MAX_ADDED: i64 = 2;

/// Row for a number that is stored with an amount added, which no change of state tells.
fn add_stored_plus(step: &Step, reading: &mut Reading) {
    if step.field.read == ReadAs::CompressedSigned || !step.field.changes.is_empty() {
        return;
    }
    let Some((stored, decoded)) = &step.field.stored else { return };
    let (Ok(stored), Ok(decoded)) = (stored.parse::<i64>(), decoded.parse::<i64>()) else { return };
    let added = stored.saturating_sub(decoded);
    if (1..=MAX_ADDED).contains(&added) {
        reading.words(format!("stored plus {added}"), format!("{stored} − {added} = {decoded}"));
    }
}

/// Rows for changes of state: base, difference, result.
fn add_changes(step: &Step, reading: &mut Reading) {
    for change in step.field.changes.iter().filter(|change| change.state.name != "points") {
        reading.words(change.state.name, change_text(change, step.field.number));
    }
}

fn change_text(change: &Change, number: Option<i64>) -> String {
    let show = |value| notation(change.state.show, value);
    let sign = |value: i64| if value < 0 { '−' } else { '+' };
    match (change.before, number) {
        (Some(before), Some(value))
            if before.wrapping_add(value) == change.after && !matches!(change.state.show, Show::OneOf(_)) =>
        {
            format!("{} {} {} = {}", show(before), sign(value), value.unsigned_abs(), show(change.after))
        }
        (Some(before), _) => format!("{} → {}", show(before), show(change.after)),
        // Stored counted from a baseline, which an earlier read or the format gives.
        (None, Some(value)) if change.state.name == "syntax offset" => {
            let baseline = change.after.wrapping_sub(value);
            let (sign, amount) = (sign(baseline), baseline.unsigned_abs());
            format!("{value} {sign} {amount} = {}: the baseline is {baseline}", change.after)
        }
        (None, Some(value)) if change.state.name == "baseline" && change.after == value.wrapping_neg() => {
            format!("{value}, negated: {}", change.after)
        }
        (None, _) => show(change.after),
    }
}
