//! Numbers of ready-to-run images: native format, nibbles, bit fields.

use super::Cursor;
use crate::bytes::{Error, FieldDoc, ReadAs, Recorder, Result, Span, Value};

/// Most nibbles of a number: 11 groups of 3 bits hold 32 bits.
const MAX_NIBBLES: u32 = 11;
/// Widest bit field.
const MAX_BITS: u32 = 32;

impl<'a, N: Recorder> Cursor<'a, N> {
    /// Moves to the byte `at` bytes into the slice, forwards or backwards, and records nothing.
    pub fn seek(&mut self, at: u64) -> Result<()> {
        self.slice.part(at, 0)?;
        self.at = at as usize;
        Ok(())
    }

    /// Reads an unsigned integer of the native format, 1 to 5 bytes, little-endian; the number of low 1 bits in the first byte gives
    /// the length.
    #[inline]
    pub fn native_unsigned(&mut self, doc: &'static FieldDoc) -> Result<u32> {
        self.reading(doc);
        let start = self.at;
        let (number, _) = self.native_bits()?;
        self.record(doc, start, Value::Unsigned(number.into()), ReadAs::Native);
        Ok(number)
    }

    /// Reads a signed integer of the native format: as the unsigned one, with the sign in the highest bit.
    pub fn native_signed(&mut self, doc: &'static FieldDoc) -> Result<i32> {
        self.reading(doc);
        let start = self.at;
        let (number, width) = self.native_bits()?;
        let unused = u32::BITS.saturating_sub(width);
        let number = (number << unused).cast_signed() >> unused;
        self.record(doc, start, Value::Signed(number.into()), ReadAs::NativeSigned);
        Ok(number)
    }

    /// Returns the number, and its width in bits.
    #[inline]
    fn native_bits(&mut self) -> Result<(u32, u32)> {
        let (number, len, width) = match *self.remaining() {
            [a, ..] if a & 1 == 0 => (u32::from(a) >> 1, 1, 7),
            [a, b, ..] if a & 2 == 0 => (u32::from_le_bytes([a, b, 0, 0]) >> 2, 2, 14),
            [a, b, c, ..] if a & 4 == 0 => (u32::from_le_bytes([a, b, c, 0]) >> 3, 3, 21),
            [a, b, c, d, ..] if a & 8 == 0 => (u32::from_le_bytes([a, b, c, d]) >> 4, 4, 28),
            [a, b0, b1, b2, b3, ..] if a & 16 == 0 => (u32::from_le_bytes([b0, b1, b2, b3]), 5, 32),
            _ => return Err(self.bad_native()),
        };
        self.at += len;
        Ok((number, width))
    }

    #[cold]
    fn bad_native(&self) -> Error {
        match self.peek() {
            Some(first) if first.trailing_ones() > 4 => {
                let here = self.rest().span().part(0, 1);
                Error::invalid("invalid first byte of a native format integer", here)
            }
            first => self.too_short(first.map_or(1, |first| u64::from(first.trailing_ones()) + 1)),
        }
    }

    /// Reads a stream of nibbles; what follows begins at the next whole byte.
    pub fn nibbles<T>(&mut self, part: impl FnOnce(&mut Nibbles<'_, 'a, N>) -> Result<T>) -> Result<T> {
        let mut nibbles = Nibbles { cursor: self, is_high: false };
        let result = part(&mut nibbles);
        let is_half_read = nibbles.is_high;
        if is_half_read {
            self.at += 1;
        }
        result
    }

    /// Reads a string of bits, the lowest of each byte first; what follows begins at the next whole byte.
    pub fn bits<T>(&mut self, part: impl FnOnce(&mut Bits<'_, 'a, N>) -> Result<T>) -> Result<T> {
        let mut bits = Bits { cursor: self, bit: 0 };
        let result = part(&mut bits);
        let is_half_read = bits.bit > 0;
        if is_half_read {
            self.at += 1;
        }
        result
    }
}

/// Stream of nibbles: the low nibble of a byte first, and of each nibble 3 bits of a number, the highest group first; bit 3 is set
/// in all but the last.
pub struct Nibbles<'c, 'a, N> {
    cursor: &'c mut Cursor<'a, N>,
    /// True if the low nibble of the byte at the cursor is read.
    is_high: bool,
}

impl<N: Recorder> Nibbles<'_, '_, N> {
    /// Reads an unsigned number.
    #[inline]
    pub fn unsigned(&mut self, doc: &'static FieldDoc) -> Result<u32> {
        self.number(doc, |number| Value::Unsigned(number.into()), ReadAs::Nibbles)
    }

    /// Reads a signed number: the lowest bit is the sign, the rest the magnitude.
    pub fn signed(&mut self, doc: &'static FieldDoc) -> Result<i32> {
        let number = self.number(doc, |number| Value::Signed(sign_in_low_bit(number).into()), ReadAs::SignedNibbles)?;
        Ok(sign_in_low_bit(number))
    }

    /// Notes what the last number changed in the decoder's state.
    pub fn changed(&mut self, state: &'static FieldDoc, before: impl Into<Option<i64>>, after: impl Into<i64>) {
        self.cursor.changed(state, before, after);
    }

    /// Runs `part` and records its reads as one group, which ends with the last byte that it has nibbles of.
    pub fn group<T>(&mut self, doc: &'static FieldDoc, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.cursor.open_group(doc);
        let result = part(self);
        self.cursor.close_group(self.is_high.into());
        result
    }

    /// Next nibble.
    pub fn peek(&self) -> Option<u8> {
        self.cursor.peek().map(|byte| if self.is_high { byte >> 4 } else { byte & 0xf })
    }

    /// Offset in its space of the byte with the next nibble.
    pub const fn position(&self) -> u64 {
        self.cursor.position()
    }

    /// Bytes since `position` that nibbles were read of.
    pub const fn since(&self, position: u64) -> Span {
        let mut span = self.cursor.since(position);
        span.len += self.is_high as u64;
        span
    }

    /// Number of bytes that are not wholly read.
    pub const fn left(&self) -> u64 {
        self.cursor.left()
    }

    fn number(
        &mut self,
        doc: &'static FieldDoc,
        value: impl FnOnce(u32) -> Value,
        read: fn(bool) -> ReadAs,
    ) -> Result<u32> {
        self.cursor.reading(doc);
        let (start, starts_high) = (self.cursor.at, self.is_high);
        let mut number = 0_u64;
        for _ in 0..MAX_NIBBLES {
            let Some(byte) = self.cursor.peek() else { return Err(self.cursor.too_short(1)) };
            let nibble = if self.is_high { byte >> 4 } else { byte & 0xf };
            number = number << 3 | u64::from(nibble & 7);
            self.cursor.at += usize::from(self.is_high);
            self.is_high = !self.is_high;
            if nibble & 8 == 0 {
                let Ok(number) = u32::try_from(number) else { break };
                let end = self.cursor.at + usize::from(self.is_high);
                self.cursor.record_range(doc, start, end, value(number), read(starts_high));
                return Ok(number);
            }
        }
        let here = self.cursor.slice.span().part(start as u64, 1);
        Err(Error::invalid("the number of nibbles exceeds 32 bits", here))
    }
}

/// The number whose sign is in the lowest bit, and whose magnitude is the rest.
pub const fn sign_in_low_bit(number: u32) -> i32 {
    let magnitude = (number >> 1).cast_signed();
    if number & 1 == 0 { magnitude } else { magnitude.saturating_neg() }
}

/// String of bits.
pub struct Bits<'c, 'a, N> {
    cursor: &'c mut Cursor<'a, N>,
    /// Bits read of the byte at the cursor.
    bit: u32,
}

impl<N: Recorder> Bits<'_, '_, N> {
    /// Reads the next `width` bits, at most 32, the lowest first.
    #[inline]
    pub fn take(&mut self, doc: &'static FieldDoc, width: u32) -> Result<u32> {
        self.cursor.reading(doc);
        let last = self.bit.saturating_add(width);
        let len = last.div_ceil(8) as usize;
        let Some(bytes) = self.cursor.remaining().get(..len) else { return Err(self.cursor.too_short(len as u64)) };
        if width > MAX_BITS {
            return Err(Error::invalid("the bit field exceeds 32 bits", self.cursor.rest().span().part(0, 0)));
        }
        let all = bytes.iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
        let number = (all >> self.bit & !(u64::MAX << width)) as u32;
        let read = ReadAs::Bits { first: self.bit as u8, len: width as u8 };
        let start = self.cursor.at;
        self.cursor.record_range(doc, start, start + len, Value::Unsigned(number.into()), read);
        self.cursor.at += (last / 8) as usize;
        self.bit = last % 8;
        Ok(number)
    }

    /// Runs `part` and records its reads as one group, which ends with the last byte that it has bits of.
    pub fn group<T>(&mut self, doc: &'static FieldDoc, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.cursor.open_group(doc);
        let result = part(self);
        self.cursor.close_group(u64::from(self.bit > 0));
        result
    }

    /// Offset in its space of the byte with the next bit.
    pub const fn position(&self) -> u64 {
        self.cursor.position()
    }

    /// Bytes since `position` that bits were read of.
    pub const fn since(&self, position: u64) -> Span {
        let mut span = self.cursor.since(position);
        span.len += (self.bit > 0) as u64;
        span
    }

    /// Notes what the last number changed in the decoder's state.
    pub fn changed(&mut self, state: &'static FieldDoc, before: impl Into<Option<i64>>, after: impl Into<i64>) {
        self.cursor.changed(state, before, after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{ErrorKind, Slice, SpaceId};

    const N: FieldDoc = FieldDoc::new("n", "");

    fn cursor(bytes: &[u8]) -> Cursor<'_> {
        Cursor::new(Slice::new(bytes, SpaceId(0), 0))
    }

    #[test]
    fn native_integers_have_one_to_five_bytes() {
        for (bytes, number, signed) in [
            (&[0x00][..], 0, 0),
            (&[0xfe], 0x7f, -1),
            (&[0x7e], 0x3f, 0x3f),
            (&[0x01, 0x02], 0x80, 0x80),
            (&[0xfd, 0xff], 0x3fff, -1),
            (&[0x03, 0x00, 0x02], 0x4000, 0x4000),
            (&[0x07, 0x00, 0x00, 0x02], 0x20_0000, 0x20_0000),
            (&[0x0f, 0x78, 0x56, 0x34, 0x92], 0x9234_5678, -0x6dcb_a988),
        ] {
            assert_eq!(cursor(bytes).native_unsigned(&N), Ok(number), "{bytes:02x?}");
            assert_eq!(cursor(bytes).native_signed(&N), Ok(signed), "{bytes:02x?}");
            let cut = &bytes[..bytes.len() - 1];
            let error = cursor(cut).native_unsigned(&N).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::UnexpectedEnd { .. }), "{cut:02x?}");
        }
        assert!(matches!(cursor(&[0x1f, 0, 0, 0, 0]).native_unsigned(&N).unwrap_err().kind, ErrorKind::Invalid(_)));
    }

    #[test]
    fn nibbles_give_the_highest_group_first() {
        // The first two numbers of the blob of `Uri.CreateThis`: 9 6 is 14, 5 and 7 are themselves.
        let mut c = cursor(&[0x69, 0x75, 0x02, 0xaa]);
        let read = c.nibbles(|n| Ok((n.unsigned(&N)?, n.unsigned(&N)?, n.unsigned(&N)?, n.signed(&N)?)));
        assert_eq!((read, c.peek()), (Ok((14, 5, 7, 1)), Some(0xaa)));
        assert_eq!(cursor(&[0x05]).nibbles(|n| n.signed(&N)), Ok(-2));
        // 11 groups that hold more than 32 bits.
        assert!(cursor(&[0xff; 8]).nibbles(|n| n.unsigned(&N)).is_err());
        assert!(cursor(&[0x88]).nibbles(|n| n.unsigned(&N)).is_err());
    }

    #[test]
    fn bits_begin_with_the_lowest() {
        let mut c = cursor(&[0x8e, 0x03, 0xaa]);
        let read = c.bits(|b| Ok([b.take(&N, 2)?, b.take(&N, 6)?, b.take(&N, 3)?]));
        assert_eq!((read, c.peek()), (Ok([2, 0x23, 3]), Some(0xaa)));
        assert_eq!(cursor(&[0xff; 5]).bits(|b| Ok([b.take(&N, 7)?, b.take(&N, 32)?])), Ok([0x7f, u32::MAX]));
        assert!(cursor(&[0xff; 4]).bits(|b| Ok([b.take(&N, 7)?, b.take(&N, 32)?])).is_err());
        assert!(cursor(&[0xff; 9]).bits(|b| b.take(&N, 33)).is_err());
    }

    #[test]
    fn recorded_fields_span_the_bytes_that_they_are_in() {
        let mut c = Cursor::recording(Slice::new(&[0x69, 0x75, 0x02], SpaceId(0), 0x10));
        c.nibbles(|n| Ok((n.unsigned(&N)?, n.unsigned(&N)?, n.unsigned(&N)?))).unwrap();
        let spans: Vec<_> = c.fields().iter().map(|f| (f.span.start, f.span.len, f.read)).collect();
        let read = ReadAs::Nibbles;
        assert_eq!(spans, [(0x10, 1, read(false)), (0x11, 1, read(false)), (0x11, 1, read(true))]);
    }
}
