//! Fast path for records of 1-byte and 2-byte numbers, read without a cursor.
//!
//! Nearly all points consist of such numbers; reading these through a cursor dominates the decoding time. Five numbers of 1 byte each,
//! which most points are, are told apart from all other records by one comparison.

use super::walk::{Numbers, Stage};

/// Returns the numbers of the point at the start of `rest`, and the bytes after it; `None` for a document record, for a
/// record with a number of 4 bytes, and at the end.
#[expect(clippy::inline_always, reason = "as a call it takes twice the time, and not every caller inlines it")]
#[inline(always)]
pub(super) fn numbers(rest: &[u8], stage: Stage) -> Option<(Numbers, &[u8])> {
    if let Some(([offset, lines, columns, line, column], after)) = rest.split_first_chunk()
        && (offset | lines | columns | line | column) < 0x80
        && *offset != 0
        && lines | columns != 0
    {
        let start = (Number::short(*line), Number::short(*column));
        return Some((Numbers::of(*offset as u32, *lines as u32, &Number::short(*columns), start, stage), after));
    }
    if let Some(([offset @ 1..0x80, 0, 0], after)) = rest.split_first_chunk() {
        return Some((Numbers::hidden(*offset as u32), after));
    }
    mixed(rest, stage)
}

/// The same for a point of any numbers of 1 and 2 bytes, and for a hidden one.
#[expect(clippy::inline_always, reason = "the numbers of a call pass through memory")]
#[inline(always)]
fn mixed(rest: &[u8], stage: Stage) -> Option<(Numbers, &[u8])> {
    let (offset, rest) = number(rest)?;
    let offset = offset.value;
    if offset == 0 && stage != Stage::Start {
        return None;
    }
    let (lines, rest) = number(rest)?;
    let (columns, rest) = number(rest)?;
    let lines = lines.value;
    if lines == 0 && columns.value == 0 {
        return Some((Numbers::hidden(offset), rest));
    }
    let (line, rest) = number(rest)?;
    let (column, rest) = number(rest)?;
    Some((Numbers::of(offset, lines, &columns, (line, column), stage), rest))
}

impl Numbers {
    /// Numbers of a hidden point.
    #[inline]
    const fn hidden(offset: u32) -> Self {
        Self { offset, lines: 0, columns: 0, line: 0, column: 0 }
    }

    /// Numbers of a visible point, of which the form depends on those before.
    #[inline]
    fn of(offset: u32, lines: u32, columns: &Number, (line, column): (Number, Number), stage: Stage) -> Self {
        let columns = if lines == 0 { columns.unsigned() } else { columns.signed() };
        let (line, column) = match stage {
            Stage::Visible => (line.signed(), column.signed()),
            Stage::Start | Stage::Hidden => (line.unsigned(), column.unsigned()),
        };
        Self { offset, lines, columns, line, column }
    }
}

/// A compressed integer, before it is known to be signed or unsigned.
struct Number {
    value: u32,
    /// Amount to subtract if the lowest bit is set.
    sign: i32,
}

/// Reads a number of 1 or 2 bytes.
#[inline]
fn number(rest: &[u8]) -> Option<(Number, &[u8])> {
    match rest {
        [first @ ..0x80, rest @ ..] => Some((Number::short(*first), rest)),
        [first @ ..0xc0, second, rest @ ..] => {
            Some((Number { value: (*first as u32 & 0x3f) << 8 | *second as u32, sign: 1 << 13 }, rest))
        }
        _ => None,
    }
}

impl Number {
    /// A number of 1 byte.
    #[inline]
    const fn short(byte: u8) -> Self {
        Self { value: byte as u32, sign: 1 << 6 }
    }

    #[inline]
    const fn unsigned(&self) -> i32 {
        self.value.cast_signed()
    }

    /// Rotates the sign back from the lowest bit.
    #[inline]
    const fn signed(&self) -> i32 {
        let down = if self.value & 1 == 0 { 0 } else { self.sign };
        (self.value >> 1).cast_signed().saturating_sub(down)
    }
}
