use super::{
    Encoding, Error, ErrorKind, Field, FieldDoc, Guid, PADDING, Recorder, Recording, Result, Slice, Span, Value,
};

/// Reads forward through a [`Slice`], checking every read.
///
/// Each read takes the [`FieldDoc`](super::FieldDoc) of what it reads; `Cursor::recording` keeps them (see [`Recorder`]),
/// `Cursor::new` forgets them at no cost. A decoder written once over `Cursor<'_, N>` therefore serves the hot path and the
/// explanation alike.
///
/// ```
/// # use pdblens::bytes::{Cursor, FieldDoc, Slice, SpaceId, Value};
/// const LOCAL_SIGNATURE: FieldDoc = FieldDoc::new("local signature", "Row of StandAloneSig with the local variables.");
/// const DELTA_IL_OFFSET: FieldDoc = FieldDoc::new("δ IL offset", "IL offset minus that of the previous point.");
/// let mut cursor = Cursor::recording(Slice::new(&[0x02, 0x80, 0x90], SpaceId(0), 0x100));
/// assert_eq!(cursor.compressed(&LOCAL_SIGNATURE).unwrap(), 2);
/// assert_eq!(cursor.compressed(&DELTA_IL_OFFSET).unwrap(), 0x90);
/// let fields = cursor.fields();
/// assert_eq!((fields[1].name(), fields[1].span.start, fields[1].span.len), ("δ IL offset", 0x101, 2));
/// assert_eq!(fields[1].value, Value::Unsigned(0x90));
/// ```
#[derive(Clone, Debug)]
pub struct Cursor<'a, N = ()> {
    slice: Slice<'a>,
    at: usize,
    recorder: N,
}

impl<'a> Cursor<'a> {
    /// At the first byte of `slice`, recording nothing.
    pub const fn new(slice: Slice<'a>) -> Self {
        Self { slice, at: 0, recorder: () }
    }
}

impl<'a> Cursor<'a, Recording> {
    /// At the first byte of `slice`, recording every read.
    pub fn recording(slice: Slice<'a>) -> Self {
        Self { slice, at: 0, recorder: Recording::default() }
    }

    /// The fields recorded so far.
    pub fn fields(self) -> Vec<Field> {
        self.recorder.fields
    }
}

macro_rules! numbers {
    ($($name:ident $type:ty, $value:ident as $wide:ty;)*) => {$(
        #[doc = concat!("Reads a little-endian `", stringify!($type), "`.")]
        #[inline]
        pub fn $name(&mut self, doc: &'static FieldDoc) -> Result<$type> {
            let (start, array) = (self.at, self.array()?);
            let number = <$type>::from_le_bytes(array);
            self.record(doc, start, Value::$value(number as $wide));
            Ok(number)
        }
    )*};
}

impl<'a, N: Recorder> Cursor<'a, N> {
    /// The offset of the next byte in its space.
    pub const fn position(&self) -> u64 {
        self.slice.start + self.at as u64
    }

    /// How many bytes have been read.
    pub const fn consumed(&self) -> u64 {
        self.at as u64
    }

    /// How many bytes are left.
    pub const fn left(&self) -> u64 {
        (self.slice.data.len() - self.at) as u64
    }

    /// Whether all bytes have been read.
    pub const fn is_done(&self) -> bool {
        self.at >= self.slice.data.len()
    }

    /// The span from `position` (an earlier [`Cursor::position`]) to here.
    pub const fn since(&self, position: u64) -> Span {
        Span::new(self.slice.space, position, self.position() - position)
    }

    /// The bytes not read yet.
    #[inline]
    pub fn remaining(&self) -> &'a [u8] {
        self.slice.data.get(self.at..).unwrap_or_default()
    }

    /// The next byte, left where it is.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.slice.data.get(self.at).copied()
    }

    /// The bytes not read yet, knowing where they stand.
    pub fn rest(&self) -> Slice<'a> {
        self.slice.rest(self.at as u64)
    }

    /// An error of `kind` at what has been read since `position`.
    pub const fn error_since(&self, position: u64, kind: ErrorKind) -> Error {
        Error::new(kind, self.since(position))
    }

    /// Reads what `part` reads as a group of its own.
    #[inline]
    pub fn group<T>(&mut self, doc: &'static FieldDoc, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if N::ENABLED {
            self.recorder.open(doc, self.since(self.position()));
        }
        let result = part(self);
        if N::ENABLED {
            let end = self.position();
            self.recorder.close(end);
        }
        result
    }

    /// Reads what `part` reads of the next `len` bytes, beyond which it sees nothing.
    pub fn within<T>(&mut self, len: u64, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let whole = self.slice;
        whole.part(self.at as u64, len)?;
        self.slice = whole.part(0, self.at as u64 + len)?;
        let result = part(self);
        self.slice = whole;
        result
    }

    numbers! {
        u8 u8, Unsigned as u64;
        u16 u16, Unsigned as u64;
        u32 u32, Unsigned as u64;
        u64 u64, Unsigned as u64;
        i8 i8, Signed as i64;
        i16 i16, Signed as i64;
        i32 i32, Signed as i64;
        i64 i64, Signed as i64;
    }

    /// Reads a little-endian number of three bytes.
    pub fn u24(&mut self, doc: &'static FieldDoc) -> Result<u32> {
        let (start, [a, b, c]) = (self.at, self.array()?);
        let number = u32::from_le_bytes([a, b, c, 0]);
        self.record(doc, start, Value::Unsigned(number as u64));
        Ok(number)
    }

    /// Reads the bits of a 32-bit floating-point number.
    pub fn f32(&mut self, doc: &'static FieldDoc) -> Result<f32> {
        let (start, array) = (self.at, self.array()?);
        self.record(doc, start, Value::Single(u32::from_le_bytes(array)));
        Ok(f32::from_le_bytes(array))
    }

    /// Reads the bits of a 64-bit floating-point number.
    pub fn f64(&mut self, doc: &'static FieldDoc) -> Result<f64> {
        let (start, array) = (self.at, self.array()?);
        self.record(doc, start, Value::Double(u64::from_le_bytes(array)));
        Ok(f64::from_le_bytes(array))
    }

    /// Reads a GUID.
    pub fn guid(&mut self, doc: &'static FieldDoc) -> Result<Guid> {
        let (start, guid) = (self.at, Guid(self.array()?));
        self.record(doc, start, Value::Guid(guid));
        Ok(guid)
    }

    /// Reads a compressed unsigned integer (ECMA-335 II.23.2): 1, 2 or 4 bytes, up to 0x1FFFFFFF.
    #[inline]
    pub fn compressed(&mut self, doc: &'static FieldDoc) -> Result<u32> {
        let start = self.at;
        let (number, _) = self.compressed_bits()?;
        self.record(doc, start, Value::Unsigned(number as u64));
        Ok(number)
    }

    /// Reads a compressed signed integer (ECMA-335 II.23.2): the sign is rotated into the lowest bit.
    #[inline]
    pub fn compressed_signed(&mut self, doc: &'static FieldDoc) -> Result<i32> {
        let start = self.at;
        let (number, sign_extension) = self.compressed_bits()?;
        let number = (number >> 1).cast_signed() | if number & 1 == 0 { 0 } else { sign_extension };
        self.record(doc, start, Value::Signed(number as i64));
        Ok(number)
    }

    /// The number, and the high bits that a negative one of that length has.
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

    /// Reads a 32-bit number in groups of seven bits, lowest first, where the top bit of a byte says that another follows
    /// (what .NET's `BinaryWriter.Write7BitEncodedInt` writes): 1 to 5 bytes.
    pub fn seven_bit(&mut self, doc: &'static FieldDoc) -> Result<i32> {
        let (start, mut bits) = (self.at, 0_u32);
        for (index, byte) in self.remaining().iter().take(5).enumerate() {
            bits |= u32::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                self.at += index + 1;
                self.record(doc, start, Value::Signed(bits.cast_signed() as i64));
                return Ok(bits.cast_signed());
            }
        }
        let here = Span::new(self.slice.space, self.position(), self.left().min(5));
        match self.left() {
            left @ 0..5 => Err(Error::new(ErrorKind::UnexpectedEnd { wanted: left + 1, left }, here)),
            _ => Err(Error::invalid("a number in groups of seven bits has more than five of them", here)),
        }
    }

    /// Reads `len` bytes that have no finer meaning.
    pub fn bytes(&mut self, doc: &'static FieldDoc, len: u64) -> Result<Slice<'a>> {
        self.taken(doc, len, Value::Bytes)
    }

    /// Reads `len` bytes of text.
    pub fn text(&mut self, doc: &'static FieldDoc, len: u64, encoding: Encoding) -> Result<Slice<'a>> {
        self.taken(doc, len, Value::Text(encoding))
    }

    /// Reads text up to the NUL that ends it, which is read too but not returned.
    pub fn text_z(&mut self, doc: &'static FieldDoc) -> Result<Slice<'a>> {
        let Some(len) = self.remaining().iter().position(|b| *b == 0) else {
            let here = Span::new(self.slice.space, self.position(), self.left());
            return Err(Error::invalid("a string without the NUL that ends it", here));
        };
        let all = self.taken(doc, len as u64 + 1, Value::Text(Encoding::Utf8Z))?;
        all.part(0, len as u64)
    }

    /// Reads UTF-16 up to the two zero bytes that end it, which are read too but not returned.
    pub fn text_16z(&mut self, doc: &'static FieldDoc) -> Result<Slice<'a>> {
        let Some(units) = self.remaining().chunks_exact(2).position(|unit| unit == [0, 0]) else {
            let here = Span::new(self.slice.space, self.position(), self.left());
            return Err(Error::invalid("a UTF-16 string without the NUL that ends it", here));
        };
        let all = self.taken(doc, units as u64 * 2 + 2, Value::Text(Encoding::Utf16Z))?;
        all.part(0, units as u64 * 2)
    }

    /// Reads padding up to the next multiple of `align`, counted from the start of the slice.
    pub fn align(&mut self, align: u64) -> Result<()> {
        match (self.at as u64).next_multiple_of(align) - self.at as u64 {
            0 => Ok(()),
            len => self.bytes(&PADDING, len.min(self.left())).map(|_| ()),
        }
    }

    fn taken(&mut self, doc: &'static FieldDoc, len: u64, value: Value) -> Result<Slice<'a>> {
        let (start, slice) = (self.at, self.slice.part(self.at as u64, len)?);
        self.at += len as usize;
        self.record(doc, start, value);
        Ok(slice)
    }

    /// Passes over `len` bytes without a record of it.
    #[inline]
    pub fn skip(&mut self, len: u64) -> Result<()> {
        if len > self.left() {
            return self.slice.part(self.at as u64, len).map(|_| ());
        }
        self.at += len as usize;
        Ok(())
    }

    #[inline]
    fn array<const L: usize>(&mut self) -> Result<[u8; L]> {
        if let Some(array) = self.remaining().first_chunk::<L>() {
            self.at += L;
            return Ok(*array);
        }
        let here = Span::new(self.slice.space, self.position(), self.left());
        Err(Error::new(ErrorKind::UnexpectedEnd { wanted: L as u64, left: self.left() }, here))
    }

    #[inline]
    fn record(&mut self, doc: &'static FieldDoc, start: usize, value: Value) {
        if N::ENABLED {
            let span = Span::new(self.slice.space, self.slice.start + start as u64, (self.at - start) as u64);
            self.recorder.field(doc, span, value);
        }
    }
}

/// What is wrong with the compressed integer that `rest` should begin with. It takes no cursor, so that the cursor of a tight
/// loop can stay in registers.
#[cold]
fn bad_compressed(rest: Slice<'_>) -> Error {
    let (left, here) = (rest.len(), rest.span().part(0, rest.len().min(4)));
    match rest.data.first() {
        Some(a) if a & 0xe0 == 0xe0 => Error::invalid("a compressed integer cannot begin with this byte", here),
        Some(a) => {
            let wanted = if a & 0x40 == 0 { 2 } else { 4 };
            Error::new(ErrorKind::UnexpectedEnd { wanted, left }, here)
        }
        None => Error::new(ErrorKind::UnexpectedEnd { wanted: 1, left: 0 }, here),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::SpaceId;

    const A: FieldDoc = FieldDoc::new("a", "");
    const B: FieldDoc = FieldDoc::new("b", "");
    const C: FieldDoc = FieldDoc::new("c", "");
    const G: FieldDoc = FieldDoc::new("g", "");
    const N: FieldDoc = FieldDoc::new("n", "");

    fn cursor(bytes: &[u8]) -> Cursor<'_> {
        Cursor::new(Slice::new(bytes, SpaceId(0), 0))
    }

    #[test]
    fn compressed_integers_of_the_specification() {
        // ECMA-335 II.23.2, the worked examples.
        for (bytes, number) in [
            (&[0x03][..], 0x03),
            (&[0x7f], 0x7f),
            (&[0x80, 0x80], 0x80),
            (&[0xae, 0x57], 0x2e57),
            (&[0xbf, 0xff], 0x3fff),
            (&[0xc0, 0x00, 0x40, 0x00], 0x4000),
            (&[0xdf, 0xff, 0xff, 0xff], 0x1fff_ffff),
        ] {
            assert_eq!(cursor(bytes).compressed(&N), Ok(number), "{bytes:02x?}");
        }
        for (bytes, number) in [
            (&[0x06][..], 3),
            (&[0x7b], -3),
            (&[0x80, 0x80], 64),
            (&[0x01], -64),
            (&[0xc0, 0x00, 0x40, 0x00], 8192),
            (&[0x80, 0x01], -8192),
            (&[0xdf, 0xff, 0xff, 0xfe], 268_435_455),
            (&[0xc0, 0x00, 0x00, 0x01], -268_435_456),
        ] {
            assert_eq!(cursor(bytes).compressed_signed(&N), Ok(number), "{bytes:02x?}");
        }
    }

    #[test]
    fn a_compressed_integer_that_is_cut_short_says_where() {
        let error = cursor(&[0xc0, 0x00]).compressed(&N).unwrap_err();
        assert_eq!(error.kind, ErrorKind::UnexpectedEnd { wanted: 4, left: 2 });
        assert_eq!((error.span.start, error.span.len), (0, 2));
        assert!(matches!(cursor(&[0xff]).compressed(&N).unwrap_err().kind, ErrorKind::Invalid(_)));
    }

    #[test]
    fn groups_span_what_is_read_in_them_even_when_it_fails() {
        let mut cursor = Cursor::recording(Slice::new(&[1, 2, 3, 4, 5], SpaceId(0), 0x10));
        cursor.u8(&A).unwrap();
        let failed = cursor.group(&G, |c| {
            c.u16(&B)?;
            c.u32(&C)
        });
        assert!(failed.is_err());
        let fields = cursor.fields();
        let seen: Vec<_> = fields.iter().map(|f| (f.name(), f.span.start, f.span.len, f.depth)).collect();
        assert_eq!(seen, [("a", 0x10, 1, 0), ("g", 0x11, 2, 0), ("b", 0x11, 2, 1)]);
    }

    #[test]
    fn three_bytes_are_a_number_of_their_own() {
        let mut c = cursor(&[0x1c, 0x02, 0x01, 0xff]);
        assert_eq!(c.u24(&N), Ok(0x01_021c));
        assert_eq!((c.rest().data, c.rest().start), (&[0xff][..], 3));
        assert!(c.u24(&N).is_err());
    }

    #[test]
    fn groups_of_seven_bits_make_a_number() {
        for (bytes, number) in [
            (&[0x00][..], 0),
            (&[0x7f], 127),
            (&[0x80, 0x01], 128),
            (&[0xfb, 0xff, 0xff, 0xff, 0x0f], -5),
            (&[0xff, 0xff, 0xff, 0xff, 0x07], i32::MAX),
        ] {
            let mut c = cursor(bytes);
            assert_eq!((c.seven_bit(&N), c.is_done()), (Ok(number), true), "{bytes:02x?}");
        }
        let error = cursor(&[0xff, 0x80]).seven_bit(&N).unwrap_err();
        assert_eq!(error.kind, ErrorKind::UnexpectedEnd { wanted: 3, left: 2 });
        assert!(matches!(cursor(&[0xff; 6]).seven_bit(&N).unwrap_err().kind, ErrorKind::Invalid(_)));
    }

    #[test]
    fn a_part_sees_nothing_beyond_its_end() {
        let mut cursor = Cursor::recording(Slice::new(&[1, 2, 3, 4, 5], SpaceId(0), 0x10));
        cursor.u8(&A).unwrap();
        let rest = cursor.within(2, |c| {
            c.u8(&B)?;
            assert_eq!((c.position(), c.left()), (0x12, 1));
            c.u16(&C)
        });
        assert_eq!(rest.unwrap_err().kind, ErrorKind::UnexpectedEnd { wanted: 2, left: 1 });
        assert_eq!((cursor.position(), cursor.left()), (0x12, 3));
        assert!(cursor.within(4, |c| c.u8(&A)).is_err());
        assert_eq!(cursor.within(3, |c| c.u16(&N)), Ok(0x0403));
        assert_eq!(cursor.fields().iter().map(Field::name).collect::<Vec<_>>(), ["a", "b", "n"]);
    }

    #[test]
    fn strings_end_where_they_say() {
        let mut c = cursor(b"ab\0c");
        assert_eq!(c.text_z(&N).unwrap().data, b"ab");
        assert_eq!(c.consumed(), 3);
        assert!(c.text_z(&N).is_err());
        assert_eq!(cursor(b"a\0b\0\0\0z").text_16z(&N).unwrap().data, b"a\0b\0");
    }
}
