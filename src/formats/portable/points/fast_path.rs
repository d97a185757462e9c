//! Fast path for records of up to 8 bytes, decoded from one word.
//!
//! Nearly all points consist of 1-byte and 2-byte numbers; reading these through a cursor dominates the decoding time.

use super::walk::{Numbers, Stage};

/// Returns the numbers of the record at the start of `rest`, and its length, for a point whose numbers take 1 or 2
/// bytes each and 8 at most together. The record may extend past the end of `rest`.
#[inline]
pub(super) fn numbers(rest: &[u8], stage: Stage) -> Option<(Numbers, u8)> {
    let word = word(rest)?;
    let begins_point = word & 0xff != 0;
    let hidden = word & 0xff_ff00 == 0;
    if begins_point && !hidden && word & 0x80_8080_8080 == 0 && stage == Stage::Visible {
        let byte = |index: u32| (word >> (8 * index)) as u32 & 0xff;
        let (offset, lines, columns) = (byte(0), byte(1), Number::short(byte(2)));
        let columns = if lines == 0 { columns.unsigned() } else { columns.signed() };
        let (line, column) = (Number::short(byte(3)).signed(), Number::short(byte(4)).signed());
        return Some((Numbers { offset, lines, columns, line, column }, 5));
    }
    if begins_point && hidden && word & 0x80 == 0 {
        return Some((Numbers { offset: word as u32 & 0x7f, lines: 0, columns: 0, line: 0, column: 0 }, 3));
    }
    mixed(word, stage)
}

/// The same, for numbers of mixed sizes.
#[inline]
fn mixed(word: u64, stage: Stage) -> Option<(Numbers, u8)> {
    let mut window = Window { word, len: 0, has_longer: 0 };
    let offset = window.number().value;
    let (lines, columns) = (window.number().value, window.number());
    let columns = if lines == 0 { columns.unsigned() } else { columns.signed() };
    let is_document = offset == 0 && stage != Stage::Start;
    if is_document || window.has_longer != 0 {
        return None;
    }
    if lines == 0 && columns == 0 {
        return Some((Numbers { offset, lines, columns, line: 0, column: 0 }, window.len));
    }
    let (line, column) = (window.number(), window.number());
    let (line, column) = match stage {
        Stage::Visible => (line.signed(), column.signed()),
        Stage::Start | Stage::Hidden => (line.unsigned(), column.unsigned()),
    };
    let is_whole = window.len <= 8 && window.has_longer == 0;
    is_whole.then_some((Numbers { offset, lines, columns, line, column }, window.len))
}

/// Returns the next 8 bytes, zero-padded at the end of the blob.
#[inline]
fn word(rest: &[u8]) -> Option<u64> {
    if let Some(eight) = rest.first_chunk() {
        return Some(u64::from_le_bytes(*eight));
    }
    if let (Some(first), Some(last)) = (rest.first_chunk(), rest.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return Some(first as u64 | (last as u64) << (8 * (rest.len() - 4)));
    }
    let [a, b, c] = *rest.first_chunk()?;
    Some(u32::from_le_bytes([a, b, c, 0]).into())
}

/// Unread bytes, the next one lowest.
struct Window {
    word: u64,
    /// Number of bytes read.
    len: u8,
    /// Not 0 once a number was of more than 2 bytes.
    has_longer: u32,
}

/// A compressed integer, before it is known to be signed or unsigned.
struct Number {
    value: u32,
    /// Amount to subtract if the lowest bit is set.
    sign: i32,
}

impl Window {
    /// Reads a number of 1 or 2 bytes, without a branch: which of the two it is cannot be predicted.
    #[inline]
    fn number(&mut self) -> Number {
        let (first, second) = (self.word as u32 & 0xff, (self.word >> 8) as u32 & 0xff);
        let is_long = first >> 7;
        self.has_longer |= first & (is_long << 6);
        let long = (first & 0x3f) << 8 | second;
        let number = if is_long == 0 { Number::short(first) } else { Number { value: long, sign: 1 << 13 } };
        self.word >>= 8 + 8 * is_long;
        self.len += 1 + is_long as u8;
        number
    }
}

impl Number {
    #[inline]
    const fn short(value: u32) -> Self {
        Self { value, sign: 1 << 6 }
    }

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
