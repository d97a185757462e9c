use std::sync::Arc;

use super::{Cursor, Error, ErrorKind, Result, SpaceId, Span};

/// Shared bytes of a space, cheap to clone; parsed files keep regions to decode from later.
#[derive(Clone, Debug, Default)]
pub struct Region {
    data: Arc<Vec<u8>>,
    /// Position of `data[from]` in its space.
    span: Span,
    from: usize,
}

/// Borrowed bytes of a space.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Slice<'a> {
    pub data: &'a [u8],
    pub space: SpaceId,
    /// Offset of the first byte in its space.
    pub start: u64,
}

impl Region {
    /// Makes a region of all bytes of `space`.
    pub fn whole(space: SpaceId, data: Arc<Vec<u8>>) -> Self {
        let span = Span::new(space, 0, data.len() as u64);
        Self { data, span, from: 0 }
    }

    /// Makes a region of `span`, a copy-free view of `from` in a file that is in memory; `None` if their sizes differ.
    pub(super) fn window(span: Span, file: Arc<Vec<u8>>, from: Span) -> Option<Self> {
        let start = usize::try_from(from.start).ok()?;
        let there = from.len == span.len && from.end() <= file.len() as u64;
        there.then_some(Self { data: file, span, from: start })
    }

    /// Borrows the bytes, with their position.
    #[inline]
    pub fn slice(&self) -> Slice<'_> {
        let to = self.from.saturating_add(self.span.len as usize);
        Slice { data: self.data.get(self.from..to).unwrap_or_default(), space: self.span.space, start: self.span.start }
    }

    /// Borrows the bytes alone.
    pub fn bytes(&self) -> &[u8] {
        self.slice().data
    }

    /// Position of the bytes.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Number of bytes.
    pub const fn len(&self) -> u64 {
        self.span.len
    }

    /// Returns true if there are no bytes.
    pub const fn is_empty(&self) -> bool {
        self.span.len == 0
    }

    /// Returns the `len` bytes that begin `from` bytes in; fails if they extend past the end.
    pub fn part(&self, from: u64, len: u64) -> Result<Self> {
        let span = self.slice().part(from, len)?.span();
        Ok(Self { data: Arc::clone(&self.data), span, from: self.from + from as usize })
    }

    /// Returns the `len` bytes that begin `from` bytes in, cut at the end.
    #[must_use]
    pub fn clip(&self, from: u64, len: u64) -> Self {
        let from = from.min(self.len());
        let span = self.span.part(from, len.min(self.len() - from));
        Self { data: Arc::clone(&self.data), span, from: self.from + from as usize }
    }

    /// Returns a cursor at the first byte that records nothing.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.slice())
    }
}

impl<'a> Slice<'a> {
    /// Wraps `data`, which begins at offset `start` of `space`.
    pub const fn new(data: &'a [u8], space: SpaceId, start: u64) -> Self {
        Self { data, space, start }
    }

    /// Position of the bytes.
    pub const fn span(self) -> Span {
        Span::new(self.space, self.start, self.data.len() as u64)
    }

    /// Number of bytes.
    pub const fn len(self) -> u64 {
        self.data.len() as u64
    }

    /// Returns true if there are no bytes.
    pub const fn is_empty(self) -> bool {
        self.data.is_empty()
    }

    /// Returns the `len` bytes that begin `from` bytes in; fails if they extend past the end.
    #[inline]
    pub fn part(self, from: u64, len: u64) -> Result<Self> {
        let data = usize::try_from(from)
            .ok()
            .zip(from.checked_add(len).and_then(|to| usize::try_from(to).ok()))
            .and_then(|(from, to)| self.data.get(from..to));
        match data {
            Some(data) => Ok(Self { data, space: self.space, start: self.start + from }),
            None => Err(Error::new(
                ErrorKind::UnexpectedEnd { wanted: len, left: self.len().saturating_sub(from) },
                self.span().part(from.min(self.len()), self.len().saturating_sub(from)),
            )),
        }
    }

    /// Returns the bytes from `from` on; empty past the end.
    #[must_use]
    pub fn rest(self, from: u64) -> Self {
        let from = from.min(self.len());
        Self { data: self.data.get(from as usize..).unwrap_or_default(), space: self.space, start: self.start + from }
    }

    /// Returns the bytes of `span`; fails if they are not all in this slice.
    pub fn at(self, span: Span) -> Result<Self> {
        match span.start.checked_sub(self.start) {
            Some(from) if span.space == self.space => self.part(from, span.len),
            _ => Err(Error::new(ErrorKind::UnexpectedEnd { wanted: span.len, left: 0 }, span)),
        }
    }

    /// Returns a cursor at the first byte that records nothing.
    pub const fn cursor(self) -> Cursor<'a> {
        Cursor::new(self)
    }
}
