//! Indexes into tables and heaps (ECMA-335 II.24.2.6).

use super::{BitRole, ReadAs, Reading, Step, bits};
use pdblens_formats::bytes::stored::payload_bits;
use pdblens_formats::metadata::schema::{CodedIndex, TYPE_DEF_OR_REF};
use pdblens_formats::metadata::{ColumnKind, Token};

/// Names of fields in blobs that are coded indexes of a type.
const TYPE_FIELDS: &[&str] = &["type", "target type", "enum type", "modifier"];

/// Encoding of a coded index, in a cell or in a blob.
pub(crate) fn coded_index(step: &Step) -> Option<&'static CodedIndex> {
    let is_type = step.field.read == ReadAs::Compressed && TYPE_FIELDS.contains(&step.field.name.as_str());
    match step.column {
        Some(ColumnKind::Coded(index)) => Some(index),
        None if is_type => Some(&TYPE_DEF_OR_REF),
        _ => None,
    }
}

pub(super) fn add_rows(step: &Step, reading: &mut Reading) {
    let Some(number) = step.field.number else { return };
    let number = number as u32;
    if let Some(index) = coded_index(step) {
        return add_coded(step, index, number, reading);
    }
    let is_wide = step.bytes.len() == 4;
    let width = if is_wide { "4 bytes: it has 64 KiB or more" } else { "2 bytes: it has less than 64 KiB" };
    match step.column {
        Some(ColumnKind::String) => reading.words("offset in #Strings", width),
        Some(ColumnKind::Blob) => reading.words("offset in #Blob", width),
        Some(ColumnKind::Guid) => {
            reading.words("number in #GUID, from 1", format!("byte {}", number.saturating_sub(1) * 16));
        }
        Some(ColumnKind::Row(table)) => reading.words(format!("row of {}", table.name()), number.to_string()),
        Some(ColumnKind::List(table)) => {
            let text = "the first of a list that ends where that of the next row begins";
            reading.words(format!("row of {}", table.name()), text);
        }
        _ => {}
    }
}

/// Rows and steps for a coded index: the tag in the lowest bits, the row above it.
fn add_coded(step: &Step, index: &CodedIndex, number: u32, reading: &mut Reading) {
    // In a blob the bits that tell the length are not part of it: its bits are under those of the payload.
    let payload = match (step.field.read, step.bytes.first()) {
        (ReadAs::Compressed, Some(first)) => payload_bits(*first),
        _ => None,
    };
    let end = reading.bits.len();
    let start = payload.map_or(0, |payload| end.saturating_sub(payload as usize));
    let tag_bits = u32::from(index.bits);
    let (tag, row) = (number & !(u32::MAX << tag_bits), number >> tag_bits);
    let decoded = index.decode(number);
    let table = decoded.map_or("no table", |(table, _)| table.name());

    let role = |bit| if bit < tag_bits { BitRole::Sign } else { BitRole::Payload };
    let drawn = bits(u64::from(number), (end - start) as u32, role);
    reading.drawn(index.name, drawn, start as u8, format!("the lowest {tag_bits} bits are the tag"));
    reading.words(format!("tag {tag}"), format!("selects {table}"));
    reading.words("the bits above", format!("row {row}"));
    // The token of the row, which other tools show.
    if let Some((table, row)) = decoded
        && row > 0
    {
        reading.words("token", Token::new(table, row).to_string());
    }

    let cut = end - (tag_bits as usize).min(end - start);
    let mut state = vec![("table", table.to_owned())];
    let text = format!("the lowest {tag_bits} bits are the tag of {}: {tag} selects {table}", index.name);
    reading.step(cut..end, text, state.clone());
    state.push(("row", row.to_string()));
    let divisor = 1 << tag_bits;
    let text = format!("the bits above are the row: {number} ÷ {divisor} = {row}, and the remainder {tag} is the tag");
    reading.step(start..cut, text, state);
}
