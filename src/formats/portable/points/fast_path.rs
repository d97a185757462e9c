//! Fast path for records of 1-byte and 2-byte numbers, read without a cursor.
//!
//! Nearly all points consist of such numbers; reading these through a cursor dominates the decoding time.

use super::walk::{Numbers, Stage};

/// Returns the numbers of the point at offset `at` of `blob`, and the offset after it; `None` for a document record, for a
/// record with a number of 4 bytes, and past the end.
#[expect(clippy::inline_always, reason = "as a call it takes twice the time, and not every caller inlines it")]
#[inline(always)]
pub(super) fn numbers(blob: &[u8], at: usize, stage: Stage) -> Option<(Numbers, usize)> {
    let (offset, at) = number(blob, at)?;
    let offset = offset.value;
    if offset == 0 && stage != Stage::Start {
        return None;
    }
    let (lines, at) = number(blob, at)?;
    let lines = lines.value;
    let (columns, at) = number(blob, at)?;
    let columns = if lines == 0 { columns.unsigned() } else { columns.signed() };
    if lines == 0 && columns == 0 {
        return Some((Numbers { offset, lines, columns, line: 0, column: 0 }, at));
    }
    let (line, at) = number(blob, at)?;
    let (column, at) = number(blob, at)?;
    let (line, column) = match stage {
        Stage::Visible => (line.signed(), column.signed()),
        Stage::Start | Stage::Hidden => (line.unsigned(), column.unsigned()),
    };
    Some((Numbers { offset, lines, columns, line, column }, at))
}

/// A compressed integer, before it is known to be signed or unsigned.
struct Number {
    value: u32,
    /// Amount to subtract if the lowest bit is set.
    sign: i32,
}

/// Reads a number of 1 or 2 bytes.
#[inline]
fn number(blob: &[u8], at: usize) -> Option<(Number, usize)> {
    let first = *blob.get(at)? as u32;
    if first < 0x80 {
        return Some((Number { value: first, sign: 1 << 6 }, at + 1));
    }
    if first >= 0xc0 {
        return None;
    }
    let second = *blob.get(at + 1)? as u32;
    Some((Number { value: (first & 0x3f) << 8 | second, sign: 1 << 13 }, at + 2))
}

impl Number {
    #[inline]
    const fn unsigned(&self) -> i32 {
        self.value.cast_signed()
    }

    /// Rotates the sign back from the lowest bit.
    #[inline]
    const fn signed(&self) -> i32 {
        let down = if self.value & 1 == 0 { 0 } else { self.sign };
        (self.value >> 1).cast_signed() - down
    }
}
