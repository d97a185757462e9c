//! Integers, floating-point numbers and GUIDs.

use super::Cursor;
use crate::bytes::{Error, ErrorKind, FieldDoc, Guid, ReadAs, Recorder, Result, Slice, Span, Value};

macro_rules! numbers {
    ($($name:ident $type:ty, $value:ident as $wide:ty, $read:ident;)*) => {$(
        #[doc = concat!("Reads a little-endian `", stringify!($type), "`.")]
        #[inline]
        pub fn $name(&mut self, doc: &'static FieldDoc) -> Result<$type> {
            self.reading(doc);
            let (start, array) = (self.at, self.array()?);
            let number = <$type>::from_le_bytes(array);
            self.record(doc, start, Value::$value(number as $wide), ReadAs::$read);
            Ok(number)
        }
    )*};
}

impl<N: Recorder> Cursor<'_, N> {
    numbers! {
        u8 u8, Unsigned as u64, U8;
        u16 u16, Unsigned as u64, U16;
        u32 u32, Unsigned as u64, U32;
        u64 u64, Unsigned as u64, U64;
        i8 i8, Signed as i64, I8;
        i16 i16, Signed as i64, I16;
        i32 i32, Signed as i64, I32;
        i64 i64, Signed as i64, I64;
    }

    /// Reads `count` little-endian `u32`s. A recording cursor reads them one by one and calls `recorded` after each.
    pub(crate) fn u32_list(
        &mut self,
        doc: &'static FieldDoc,
        count: u64,
        mut recorded: impl FnMut(&mut Self, u32),
    ) -> Result<Vec<u32>> {
        if !N::ENABLED {
            let bytes = self.slice.part(self.at as u64, count * 4)?;
            self.at += bytes.data.len();
            return Ok(bytes.data.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect());
        }
        let mut next = || {
            let number = self.u32(doc)?;
            recorded(self, number);
            Ok(number)
        };
        (0..count).map(|_| next()).collect()
    }

    /// Reads a little-endian 24-bit number.
    pub(crate) fn u24(&mut self, doc: &'static FieldDoc) -> Result<u32> {
        self.reading(doc);
        let (start, [a, b, c]) = (self.at, self.array()?);
        let number = u32::from_le_bytes([a, b, c, 0]);
        self.record(doc, start, Value::Unsigned(number as u64), ReadAs::U24);
        Ok(number)
    }

    /// Reads the bits of a 32-bit floating-point number.
    pub fn f32(&mut self, doc: &'static FieldDoc) -> Result<f32> {
        self.reading(doc);
        let (start, array) = (self.at, self.array()?);
        self.record(doc, start, Value::Single(u32::from_le_bytes(array)), ReadAs::F32);
        Ok(f32::from_le_bytes(array))
    }

    /// Reads the bits of a 64-bit floating-point number.
    pub fn f64(&mut self, doc: &'static FieldDoc) -> Result<f64> {
        self.reading(doc);
        let (start, array) = (self.at, self.array()?);
        self.record(doc, start, Value::Double(u64::from_le_bytes(array)), ReadAs::F64);
        Ok(f64::from_le_bytes(array))
    }

    /// Reads a GUID.
    pub fn guid(&mut self, doc: &'static FieldDoc) -> Result<Guid> {
        self.reading(doc);
        let (start, guid) = (self.at, Guid(self.array()?));
        self.record(doc, start, Value::Guid(guid), ReadAs::Guid);
        Ok(guid)
    }

    /// Reads a compressed unsigned integer (ECMA-335 II.23.2): 1, 2 or 4 bytes, up to 0x1FFFFFFF.
    #[inline]
    pub fn compressed(&mut self, doc: &'static FieldDoc) -> Result<u32> {
        self.reading(doc);
        let start = self.at;
        let (number, _) = self.compressed_bits()?;
        self.record(doc, start, Value::Unsigned(number as u64), ReadAs::Compressed);
        Ok(number)
    }

    /// Reads a compressed signed integer (ECMA-335 II.23.2): the sign is rotated into the lowest bit.
    #[inline]
    pub fn compressed_signed(&mut self, doc: &'static FieldDoc) -> Result<i32> {
        self.reading(doc);
        let start = self.at;
        let (number, sign_extension) = self.compressed_bits()?;
        let number = (number >> 1).cast_signed() | if number & 1 == 0 { 0 } else { sign_extension };
        self.record(doc, start, Value::Signed(number as i64), ReadAs::CompressedSigned);
        Ok(number)
    }

    /// Returns the raw number, and the high bits that a negative number of that length has.
    #[inline]
    fn compressed_bits(&mut self) -> Result<(u32, i32)> {
        let rest = self.remaining();
        let (number, len, sign_extension) = match *rest {
            [a, ..] if a & 0x80 == 0 => (a as u32, 1, !0x3f),
            [a, b, ..] if a & 0xc0 == 0x80 => (u32::from_be_bytes([0, 0, a & 0x3f, b]), 2, !0x1fff),
            [a, b, c, d, ..] if a & 0xe0 == 0xc0 => (u32::from_be_bytes([a & 0x1f, b, c, d]), 4, !0x0fff_ffff),
            _ => return Err(bad_compressed(self.slice.rest(self.at as u64))),
        };
        self.at += len;
        Ok((number, sign_extension))
    }

    /// Reads a 32-bit number in groups of 7 bits, lowest first, as .NET's `BinaryWriter.Write7BitEncodedInt` writes it:
    /// 1 to 5 bytes, of which all but the last have the top bit set.
    pub fn seven_bit(&mut self, doc: &'static FieldDoc) -> Result<i32> {
        self.leb(doc, ReadAs::SevenBit)
    }

    /// Reads the same with the sign in the highest bit of the last group, as DWARF writes it (SLEB128).
    pub(crate) fn signed_seven_bit(&mut self, doc: &'static FieldDoc) -> Result<i32> {
        self.leb(doc, ReadAs::SignedSevenBit)
    }

    fn leb(&mut self, doc: &'static FieldDoc, read: ReadAs) -> Result<i32> {
        self.reading(doc);
        let (start, mut bits) = (self.at, 0_u32);
        for (index, byte) in self.remaining().iter().take(5).enumerate() {
            bits |= u32::from(byte & 0x7f) << (index * 7);
            if byte & 0x80 == 0 {
                self.at += index + 1;
                let unused = if index < 4 { 25 - index * 7 } else { 0 };
                let number = match read {
                    ReadAs::SignedSevenBit => (bits << unused).cast_signed() >> unused,
                    _ => bits.cast_signed(),
                };
                self.record(doc, start, Value::Signed(number.into()), read);
                return Ok(number);
            }
        }
        let here = Span::new(self.slice.space, self.position(), self.left().min(5));
        match self.left() {
            left @ 0..5 => Err(Error::new(ErrorKind::UnexpectedEnd { wanted: left + 1, left }, here)),
            _ => Err(Error::invalid("the LEB128 number exceeds five bytes", here)),
        }
    }
}

/// Error for the invalid compressed integer at the start of `rest`. It takes no cursor, so that the cursor of a tight
/// loop can stay in registers.
#[cold]
fn bad_compressed(rest: Slice<'_>) -> Error {
    let (left, here) = (rest.len(), rest.span().part(0, rest.len().min(4)));
    match rest.data.first() {
        Some(a) if a & 0xe0 == 0xe0 => Error::invalid("invalid first byte of a compressed integer", here),
        Some(a) => {
            let wanted = if a & 0x40 == 0 { 2 } else { 4 };
            Error::new(ErrorKind::UnexpectedEnd { wanted, left }, here)
        }
        None => Error::new(ErrorKind::UnexpectedEnd { wanted: 1, left: 0 }, here),
    }
}
