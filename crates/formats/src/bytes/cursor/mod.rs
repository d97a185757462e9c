mod numbers;
mod packed;
mod text;

pub(crate) use packed::sign_in_low_bit;
pub use packed::{Bits, Nibbles};

use super::{
    At, Change, Error, ErrorKind, Field, FieldDoc, ReadAs, Reads, Recorder, Recording, Result, Slice, Span, Value,
};

/// Reads forward through a [`Slice`], checking every read.
///
/// Each read takes the [`FieldDoc`](super::FieldDoc) of what it reads; `Cursor::recording` keeps them (see [`Recorder`]),
/// `Cursor::new` forgets them at no cost. A decoder written once over `Cursor<'_, N>` therefore serves the hot path and the
/// explanation alike.
///
/// ```
/// # use pdblens_formats::bytes::{Cursor, FieldDoc, Slice, SpaceId, Value};
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
    /// Starts at the first byte of `slice` and records nothing.
    pub const fn new(slice: Slice<'a>) -> Self {
        Self { slice, at: 0, recorder: () }
    }
}

impl<'a> Cursor<'a, Recording> {
    /// Starts at the first byte of `slice` and records every read.
    pub fn recording(slice: Slice<'a>) -> Self {
        Self { slice, at: 0, recorder: Recording::default() }
    }

    /// Fields recorded so far, in the order of the reads.
    pub fn fields(self) -> Vec<Field> {
        self.recorder.reads.fields
    }

    /// Reads so far.
    pub fn steps(self) -> Reads {
        self.recorder.reads
    }
}

impl<'a, N: Recorder> Cursor<'a, N> {
    /// Offset of the next byte in its space.
    pub const fn position(&self) -> u64 {
        self.slice.start + self.at as u64
    }

    /// Number of bytes read so far.
    pub const fn consumed(&self) -> u64 {
        self.at as u64
    }

    /// Number of bytes left.
    pub const fn left(&self) -> u64 {
        (self.slice.data.len() - self.at) as u64
    }

    /// Returns true once all bytes have been read.
    pub const fn is_done(&self) -> bool {
        self.at >= self.slice.data.len()
    }

    /// Span from `position` (an earlier [`Cursor::position`]) to the current position.
    pub const fn since(&self, position: u64) -> Span {
        Span::new(self.slice.space, position, self.position() - position)
    }

    /// Unread bytes.
    #[inline]
    pub fn remaining(&self) -> &'a [u8] {
        self.slice.data.get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte without consuming it.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.slice.data.get(self.at).copied()
    }

    /// Unread bytes, with their position.
    pub fn rest(&self) -> Slice<'a> {
        self.slice.rest(self.at as u64)
    }

    /// Returns the next `len` bytes; a recording cursor reads them with `fields`.
    pub(crate) fn described(&mut self, len: u64, fields: impl FnOnce(&mut Self) -> Result<()>) -> Result<Slice<'a>> {
        let bytes = self.rest().part(0, len)?;
        if N::ENABLED {
            fields(self)?;
        } else {
            self.skip(len)?;
        }
        Ok(bytes)
    }

    /// Reads the bytes that are left, if there are any, as one field.
    pub(crate) fn left_over(&mut self, doc: &'static FieldDoc) -> Result<()> {
        if self.is_done() { Ok(()) } else { self.bytes(doc, self.left()).map(drop) }
    }

    /// Returns the result of `read` with the bytes that it read.
    pub(crate) fn spanned<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<At<T>> {
        let start = self.position();
        Ok(At::new(read(self)?, self.since(start)))
    }

    /// Fails if fewer than `wanted` bytes are left; the error spans the bytes read since `position`.
    pub(crate) fn require(&self, wanted: u64, position: u64) -> Result<()> {
        match self.left() {
            left if left < wanted => Err(self.error_since(position, ErrorKind::UnexpectedEnd { wanted, left })),
            _ => Ok(()),
        }
    }

    /// Returns an error of `kind` that spans the bytes read since `position`.
    pub(crate) fn error_since(&self, position: u64, kind: ErrorKind) -> Error {
        Error::new(kind, self.since(position))
    }

    /// Runs `part` and records its reads as one group.
    #[inline]
    pub fn group<T>(&mut self, doc: &'static FieldDoc, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.open_group(doc);
        let result = part(self);
        self.close_group(0);
        result
    }

    #[inline]
    fn open_group(&mut self, doc: &'static FieldDoc) {
        if N::ENABLED {
            self.recorder.open(doc, self.since(self.position()));
        }
    }

    /// Closes the group `begun` bytes after the current position.
    #[inline]
    fn close_group(&mut self, begun: u64) {
        if N::ENABLED {
            let end = self.position() + begun;
            self.recorder.close(end);
        }
    }

    /// Runs `part` on the next `len` bytes only: a read past them fails.
    pub fn within<T>(&mut self, len: u64, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let whole = self.slice;
        whole.part(self.at as u64, len)?;
        self.slice = whole.part(0, self.at as u64 + len)?;
        let result = part(self);
        self.slice = whole;
        result
    }

    /// Advances by `len` bytes and records nothing.
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
        let Some(array) = self.remaining().first_chunk::<L>() else { return Err(self.too_short(L as u64)) };
        self.at += L;
        Ok(*array)
    }

    /// Returns the error of reading `wanted` bytes where fewer are left. Out of line, because reads are inlined in hundreds of places.
    #[cold]
    #[inline(never)]
    fn too_short(&self, wanted: u64) -> Error {
        let left = self.left();
        Error::new(ErrorKind::UnexpectedEnd { wanted, left }, Span::new(self.slice.space, self.position(), left))
    }

    /// Records that the last read changed `state`, a part of the decoder's state. Costs nothing without a recorder.
    #[inline]
    pub fn changed(&mut self, state: &'static FieldDoc, before: impl Into<Option<i64>>, after: impl Into<i64>) {
        if N::ENABLED {
            self.recorder.change(Change { state, before: before.into(), after: after.into() });
        }
    }

    #[inline]
    fn reading(&mut self, doc: &'static FieldDoc) {
        if N::ENABLED {
            self.recorder.reading(doc);
        }
    }

    #[inline]
    fn record(&mut self, doc: &'static FieldDoc, start: usize, value: Value, read: ReadAs) {
        self.record_range(doc, start, self.at, value, read);
    }

    /// Records a field that need not end at the current position.
    #[inline]
    fn record_range(&mut self, doc: &'static FieldDoc, start: usize, end: usize, value: Value, read: ReadAs) {
        if N::ENABLED {
            let span = self.slice.span().part(start as u64, (end - start) as u64);
            self.recorder.field(doc, span, value, read);
        }
    }
}

#[cfg(test)]
mod tests;
