//! The arithmetic from the bytes of a step to its value.

use super::packed;
use super::steps::{Step, notation};
use pdblens_formats::bytes::stored::{payload_bits, rotated};
use pdblens_formats::bytes::{Guid, ReadAs, Show};
use pdblens_formats::metadata::schema::{CodedIndex, TYPE_DEF_OR_REF};
use pdblens_formats::metadata::{ColumnKind, Token};
use pdblens_nodes::fields::{BitMeaning, BitRun};

/// A derivation: rows of bits with a label and a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// Form of the value, in words.
    pub title: String,
    /// Rows, from the bytes to the value.
    pub rows: Vec<DerivationRow>,
}

/// One row of a derivation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DerivationRow {
    /// Noun for the bits or the number.
    pub label: String,
    /// Bits from the highest to the lowest; empty for a row of words.
    pub bits: Vec<Bit>,
    /// Bits that are gone: by so many the row is indented to stand under the row above.
    pub indent: u8,
    /// Result of the row, in words.
    pub text: String,
}

/// One bit and its part in the value.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    pub set: bool,
    pub role: BitRole,
}

/// Part of a bit in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitRole {
    /// Tells the length of the number.
    Prefix,
    /// Belongs to the value.
    Payload,
    /// Tells the sign.
    Sign,
    /// Is clear and has no meaning: a dot.
    Unused,
}

impl Bit {
    /// The bit as it is drawn.
    pub const fn digit(self) -> char {
        match (self.set, self.role) {
            (false, BitRole::Unused) => '.',
            (false, _) => '0',
            (true, _) => '1',
        }
    }
}

impl DerivationRow {
    pub(super) fn words(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into(), ..Self::default() }
    }

    /// Bits as text, a blank after each group of eight from the right.
    pub fn bits_text(&self) -> String {
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

/// Derives the value of a step from its bytes. `None` for groups, plain bytes and text.
pub fn derive(step: &Step) -> Option<Derivation> {
    let mut derivation = match step.field.read {
        ReadAs::Compressed => compressed(step, false)?,
        ReadAs::CompressedSigned => compressed(step, true)?,
        ReadAs::Guid => guid(step)?,
        ReadAs::SevenBit => seven_bit(step)?,
        ReadAs::Bytes => packed::flags(step)?,
        ReadAs::Text(_) | ReadAs::Unread => return None,
        _ => little_endian(step)?,
    };
    derivation.rows.extend(parts(step));
    derivation.rows.extend(bit_meanings(step));
    derivation.rows.extend(index(step));
    derivation.rows.extend(packed::decimal(step));
    derivation.rows.extend(packed::decoded(step));
    derivation.rows.extend(changes(step));
    Some(derivation)
}

/// Bits of `value`, the highest first; the first `prefix` of them tell the length.
pub(super) fn bits(value: u64, len: u32, role: impl Fn(u32) -> BitRole) -> Vec<Bit> {
    (0..len).rev().map(|bit| Bit { set: value >> bit & 1 == 1, role: role(bit) }).collect()
}

pub(super) fn hex_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Rows for a compressed integer (ECMA-335 II.23.2).
fn compressed(step: &Step, signed: bool) -> Option<Derivation> {
    let (first, raw) = (*step.bytes.first()?, step.raw?);
    let payload = payload_bits(first)?;
    let all = step.bytes.len() as u32 * 8;
    let whole = step.bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let prefix = match payload {
        7 => "bit 7 is 0: one byte, 7 bits",
        14 => "begins with 10: two bytes, 14 bits, big-endian",
        _ => "begins with 110: four bytes, 29 bits, big-endian",
    };
    let role = |bit| if bit < payload { BitRole::Payload } else { BitRole::Prefix };
    let label = if step.bytes.len() == 1 { "byte" } else { "bytes" };
    let indent = (all - payload) as u8;
    let row = |label: &str, bits, text: String| DerivationRow { label: label.to_owned(), bits, indent, text };
    let mut rows = vec![
        DerivationRow {
            label: format!("{label} {}", hex_bytes(&step.bytes)),
            bits: bits(whole, all, role),
            indent: 0,
            text: prefix.to_owned(),
        },
        row("payload", bits(raw, payload, |_| BitRole::Payload), format!("{raw}")),
    ];
    rows.extend(packed::shortest(step, signed));
    if !signed {
        let title = "unsigned compressed integer".to_owned();
        return Some(Derivation { title, rows });
    }
    let (negative, value) = (raw & 1 == 1, rotated(raw, payload));
    let sign = |position: u32| move |bit| if bit == position { BitRole::Sign } else { BitRole::Payload };
    let told = if negative { "the sign: negative" } else { "the sign: not negative" };
    rows.push(row("lowest bit", bits(raw, payload, sign(0)), told.to_owned()));
    let turned = raw >> 1 | (raw & 1) << (payload - 1);
    rows.push(row("rotated right", bits(turned, payload, sign(payload - 1)), format!("sign to the top: {turned}")));
    rows.push(DerivationRow::words(
        format!("two's complement, {payload} bits"),
        if negative { format!("{turned} − {} = {value}", 1_u64 << payload) } else { value.to_string() },
    ));
    rows.push(DerivationRow::words("if it were unsigned", raw.to_string()));
    Some(Derivation { title: "signed compressed integer".to_owned(), rows })
}

fn seven_bit(step: &Step) -> Option<Derivation> {
    let groups = step.bytes.iter().map(|byte| {
        let text = if byte & 0x80 == 0 { "the last byte" } else { "bit 7 is set: another byte follows" };
        let role = |bit| if bit == 7 { BitRole::Prefix } else { BitRole::Payload };
        DerivationRow {
            label: format!("byte {byte:02x}"),
            bits: bits(u64::from(*byte), 8, role),
            indent: 0,
            text: text.to_owned(),
        }
    });
    let mut rows: Vec<_> = groups.collect();
    rows.push(DerivationRow::words("7 bits each, lowest first", step.field.number?.to_string()));
    Some(Derivation { title: "LEB128 number".to_owned(), rows })
}

fn guid(step: &Step) -> Option<Derivation> {
    let bytes: [u8; 16] = step.bytes.as_slice().try_into().ok()?;
    let text = Guid(bytes).to_string();
    let group = |from: usize, to: usize, name: &str| {
        let digits: String = text.chars().filter(|c| *c != '-').skip(from * 2).take((to - from) * 2).collect();
        let order = if name == "clock and node" { "as they are" } else { "little-endian: reversed" };
        let bytes = step.bytes.get(from..to).unwrap_or_default();
        DerivationRow::words(name, format!("{} → {digits}, {order}", hex_bytes(bytes)))
    };
    let rows = vec![
        group(0, 4, "32 bits"),
        group(4, 6, "16 bits"),
        group(6, 8, "16 bits"),
        group(8, 16, "clock and node"),
        DerivationRow::words("GUID", text.clone()),
    ];
    Some(Derivation { title: "GUID".to_owned(), rows })
}

fn little_endian(step: &Step) -> Option<Derivation> {
    let (raw, size) = (step.raw?, step.bytes.len());
    let name = pdblens_formats::bytes::stored::form_name(step.field.read);
    let mut rows = Vec::new();
    if size > 1 {
        let text = format!("{raw:#0width$x}", width = size * 2 + 2);
        rows.push(DerivationRow::words(
            format!("bytes {}", hex_bytes(&step.bytes)),
            format!("little-endian, lowest first: {text}"),
        ));
    }
    match (step.field.number, step.is_transformed()) {
        (Some(value), true) if value < 0 && size < 8 => rows.push(DerivationRow::words(
            format!("two's complement, {} bits", size * 8),
            format!("{raw} − {} = {value}", 1_u64 << (size * 8)),
        )),
        (Some(_), _) => rows.push(DerivationRow::words("value", raw.to_string())),
        (None, _) => rows.push(DerivationRow::words("IEEE 754", step.field.value.clone())),
    }
    Some(Derivation {
        title: if size == 1 { format!("{name}: one byte") } else { format!("{name}: {size} bytes, little-endian") },
        rows,
    })
}

/// Encoding of a coded index, in a cell or in a blob.
pub(super) fn coded_index(step: &Step) -> Option<&'static CodedIndex> {
    let is_type = || step.field.read == ReadAs::Compressed && TYPE_FIELDS.contains(&step.field.name.as_str());
    match step.column {
        Some(ColumnKind::Coded(index)) => Some(index),
        None if is_type() => Some(&TYPE_DEF_OR_REF),
        _ => None,
    }
}

/// Names of fields in blobs that are coded indexes of a type.
const TYPE_FIELDS: &[&str] = &["type", "target type", "enum type", "modifier"];

/// Rows for an index into a table or a heap.
fn index(step: &Step) -> Vec<DerivationRow> {
    let Some(number) = step.field.number.map(|number| number as u32) else { return Vec::new() };
    let width = step.bytes.len();
    let wide = |what: &str| {
        let text = if width == 4 { "4 bytes: it has 64 KiB or more" } else { "2 bytes: it has less than 64 KiB" };
        vec![DerivationRow::words(what, text)]
    };
    if let Some(index) = coded_index(step) {
        return coded(step, index, number);
    }
    match step.column {
        Some(ColumnKind::String) => wide("offset in #Strings"),
        Some(ColumnKind::Blob) => wide("offset in #Blob"),
        Some(ColumnKind::Guid) => {
            vec![DerivationRow::words("number in #GUID, from 1", format!("byte {}", number.saturating_sub(1) * 16))]
        }
        Some(ColumnKind::Row(table)) => {
            vec![DerivationRow::words(format!("row of {}", table.name()), number.to_string())]
        }
        Some(ColumnKind::List(table)) => {
            let text = "the first of a list that ends where that of the next row begins";
            vec![DerivationRow::words(format!("row of {}", table.name()), text)]
        }
        _ => Vec::new(),
    }
}

/// Rows for a coded index (ECMA-335 II.24.2.6): the tag in the lowest bits, the row above it.
fn coded(step: &Step, index: &CodedIndex, number: u32) -> Vec<DerivationRow> {
    // In a blob the bits that tell the length are not part of it: its bits are under those of the payload.
    let payload = step.bytes.first().filter(|_| step.field.read == ReadAs::Compressed);
    let payload = payload.and_then(|first| payload_bits(*first));
    let all = payload.unwrap_or(if step.bytes.len() < 4 { 16 } else { 32 });
    let indent = payload.map_or(0, |payload| (step.bytes.len() as u32 * 8).saturating_sub(payload) as u8);
    let tag_bits = u32::from(index.bits);
    let role = |bit| if bit < tag_bits { BitRole::Sign } else { BitRole::Payload };
    let tag = number & ((1 << tag_bits) - 1);
    let table = index.decode(number).map_or_else(|| "no table".to_owned(), |(table, _)| table.name().to_owned());
    let mut rows = vec![
        DerivationRow {
            label: index.name.to_owned(),
            bits: bits(u64::from(number), all, role),
            indent,
            text: format!("the lowest {tag_bits} bits are the tag"),
        },
        DerivationRow::words(format!("tag {tag}"), format!("selects {table}")),
        DerivationRow::words("the bits above", format!("row {}", number >> tag_bits)),
    ];
    // The token of the row, which other tools show.
    if let Some((table, row)) = index.decode(number).filter(|(_, row)| *row > 0) {
        rows.push(DerivationRow::words("token", Token::new(table, row).to_string()));
    }
    rows
}

/// Rows for the flags and bit fields of a number.
fn parts(step: &Step) -> Vec<DerivationRow> {
    let Some(number) = step.field.number.map(i64::cast_unsigned) else { return Vec::new() };
    let width = step.bytes.len() as u32 * 8;
    let flag = |mask: u64, value: u64, name: &str| {
        let role = move |bit: u32| if mask >> bit & 1 == 1 { BitRole::Payload } else { BitRole::Prefix };
        DerivationRow { label: format!("{mask:#x}"), bits: bits(value, width, role), indent: 0, text: name.to_owned() }
    };
    match step.field.show {
        Some(Show::Flags(all)) => {
            let set = all.iter().filter(|(bit, _)| *bit != 0 && number & bit == *bit);
            set.map(|(bit, name)| flag(*bit, *bit, name)).collect()
        }
        Some(Show::Parts(all)) => {
            let set = all.iter().filter(|(mask, value, _)| number & mask == *value);
            set.map(|(mask, value, name)| flag(*mask, *value, name)).collect()
        }
        Some(Show::OneOf(names)) => {
            let name = names.iter().find(|(value, _)| *value == number);
            name.map(|(value, name)| DerivationRow::words(format!("{value:#x} means"), *name)).into_iter().collect()
        }
        Some(Show::Token) => {
            let text =
                format!("table 0x{:02x} in the high byte, row {} in the others", number >> 24, number & 0xff_ffff);
            vec![DerivationRow::words(format!("0x{number:08x}"), text)]
        }
        _ => Vec::new(),
    }
}

/// Rows for bits with a meaning of their own.
fn bit_meanings(step: &Step) -> Vec<DerivationRow> {
    let Some(number) = step.field.number.map(i64::cast_unsigned) else { return Vec::new() };
    // The rows of a coded index have its tag and its row.
    if coded_index(step).is_some() {
        return Vec::new();
    }
    let width = step.bytes.len() as u32 * 8;
    let runs = step.field.bit_runs(width);
    if !runs.is_empty() {
        let one = |run: BitRun| {
            let (low, marked) = (run.bits.start, run.marked);
            let role = |bit: u32| if marked >> (bit + low) & 1 == 1 { BitRole::Payload } else { BitRole::Unused };
            let bits = bits(number >> low, run.bits.end - low, role);
            DerivationRow { label: run.label(), bits, indent: 0, text: run.text }
        };
        return runs.into_iter().map(one).collect();
    }
    let one = |meaning: &BitMeaning| {
        let role = |bit: u32| if meaning.mask >> bit & 1 == 1 { BitRole::Payload } else { BitRole::Prefix };
        DerivationRow { label: meaning.label(), bits: bits(number, width, role), indent: 0, text: meaning.text.clone() }
    };
    step.field.bits.iter().map(one).collect()
}

/// Rows for changes of state: base, difference, result.
fn changes(step: &Step) -> Vec<DerivationRow> {
    let one = |change: &pdblens_formats::bytes::Change| {
        let show = |value| notation(change.state.show, value);
        let text = match (change.before, step.field.number) {
            (Some(before), Some(value))
                if before.wrapping_add(value) == change.after && !matches!(change.state.show, Show::OneOf(_)) =>
            {
                let sign = if value < 0 { '−' } else { '+' };
                format!("{} {sign} {} = {}", show(before), value.unsigned_abs(), show(change.after))
            }
            (Some(before), _) => format!("{} → {}", show(before), show(change.after)),
            // Stored counted from a baseline, which an earlier read or the format gives.
            (None, Some(value)) if change.state.name == "syntax offset" => {
                let baseline = change.after.wrapping_sub(value);
                let sign = if baseline < 0 { '−' } else { '+' };
                format!("{value} {sign} {} = {}: the baseline is {baseline}", baseline.unsigned_abs(), change.after)
            }
            (None, Some(value)) if change.state.name == "baseline" && change.after == -value => {
                format!("{value}, negated: {}", change.after)
            }
            (None, _) => show(change.after),
        };
        DerivationRow::words(change.state.name, text)
    };
    step.field.changes.iter().filter(|change| change.state.name != "points").map(one).collect()
}
