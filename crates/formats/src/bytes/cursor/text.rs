//! Bytes, text and padding.

use super::Cursor;
use crate::bytes::{Encoding, Error, FieldDoc, PADDING, ReadAs, Recorder, Result, Slice, Span, Value};

impl<'a, N: Recorder> Cursor<'a, N> {
    /// Reads `len` bytes without further structure.
    #[inline]
    pub fn bytes(&mut self, doc: &'static FieldDoc, len: u64) -> Result<Slice<'a>> {
        self.taken(doc, len, Value::Bytes)
    }

    /// Reads `len` bytes of text.
    pub fn text(&mut self, doc: &'static FieldDoc, len: u64, encoding: Encoding) -> Result<Slice<'a>> {
        self.taken(doc, len, Value::Text(encoding))
    }

    /// Reads text up to a NUL, which is consumed but not returned.
    pub fn text_z(&mut self, doc: &'static FieldDoc) -> Result<Slice<'a>> {
        self.reading(doc);
        let Some(len) = memchr::memchr(0, self.remaining()) else {
            let here = Span::new(self.slice.space, self.position(), self.left());
            return Err(Error::invalid("the string is not NUL-terminated", here));
        };
        let all = self.taken(doc, len as u64 + 1, Value::Text(Encoding::Utf8Z))?;
        all.part(0, len as u64)
    }

    /// Reads UTF-16 up to a NUL character, which is consumed but not returned.
    pub(crate) fn text_16z(&mut self, doc: &'static FieldDoc) -> Result<Slice<'a>> {
        self.reading(doc);
        let Some(units) = self.remaining().chunks_exact(2).position(|unit| unit == [0, 0]) else {
            let here = Span::new(self.slice.space, self.position(), self.left());
            return Err(Error::invalid("the UTF-16 string is not NUL-terminated", here));
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

    #[inline]
    fn taken(&mut self, doc: &'static FieldDoc, len: u64, value: Value) -> Result<Slice<'a>> {
        self.reading(doc);
        let (start, slice) = (self.at, self.slice.part(self.at as u64, len)?);
        self.at += len as usize;
        let read = if let Value::Text(encoding) = value { ReadAs::Text(encoding) } else { ReadAs::Bytes };
        self.record(doc, start, value, read);
        Ok(slice)
    }
}
