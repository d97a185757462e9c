use std::sync::Arc;

use super::{Cursor, Error, ErrorKind, Result, SpaceId, Span};

/// Some bytes of a space, shared and cheap to clone: what a parsed file keeps to read from later.
#[derive(Clone, Debug, Default)]
pub struct Region {
    data: Arc<Vec<u8>>,
    /// Where `data[from]` stands in its space.
    span: Span,
    from: usize,
}

/// Some bytes of a space, borrowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slice<'a> {
    /// The bytes.
    pub data: &'a [u8],
    /// Where the first of them stands.
    pub space: SpaceId,
    /// Where the first of them stands.
    pub start: u64,
}

impl Region {
    /// All the bytes of `space`.
    pub fn whole(space: SpaceId, data: Arc<Vec<u8>>) -> Self {
        let span = Span::new(space, 0, data.len() as u64);
        Self { data, span, from: 0 }
    }

    /// The bytes of `span`, which are those of `from` in a file that is in memory.
    pub(super) fn window(span: Span, file: Arc<Vec<u8>>, from: Span) -> Option<Self> {
        let start = usize::try_from(from.start).ok()?;
        let there = from.len == span.len && from.end() <= file.len() as u64;
        there.then_some(Self { data: file, span, from: start })
    }

    /// The bytes, borrowed.
    pub fn slice(&self) -> Slice<'_> {
        let to = self.from.saturating_add(self.span.len as usize);
        Slice { data: self.data.get(self.from..to).unwrap_or_default(), space: self.span.space, start: self.span.start }
    }

    /// The bytes alone.
    pub fn bytes(&self) -> &[u8] {
        self.slice().data
    }

    /// Where they stand.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// How many bytes there are.
    pub const fn len(&self) -> u64 {
        self.span.len
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.span.len == 0
    }

    /// The `len` bytes that begin `from` bytes in.
    pub fn part(&self, from: u64, len: u64) -> Result<Self> {
        let span = self.slice().part(from, len)?.span();
        Ok(Self { data: Arc::clone(&self.data), span, from: self.from + from as usize })
    }

    /// As much of the `len` bytes that begin `from` bytes in as there is.
    #[must_use]
    pub fn clip(&self, from: u64, len: u64) -> Self {
        let from = from.min(self.len());
        let span = self.span.part(from, len.min(self.len() - from));
        Self { data: Arc::clone(&self.data), span, from: self.from + from as usize }
    }

    /// A cursor at the first byte.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.slice())
    }
}

impl<'a> Slice<'a> {
    /// `data`, the first byte of which stands at `start` of `space`.
    pub const fn new(data: &'a [u8], space: SpaceId, start: u64) -> Self {
        Self { data, space, start }
    }

    /// Where the bytes stand.
    pub const fn span(self) -> Span {
        Span::new(self.space, self.start, self.data.len() as u64)
    }

    /// How many bytes there are.
    pub const fn len(self) -> u64 {
        self.data.len() as u64
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.data.is_empty()
    }

    /// The `len` bytes that begin `from` bytes in.
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

    /// The bytes from `from` on; none where that is past the end.
    #[must_use]
    pub fn rest(self, from: u64) -> Self {
        let from = from.min(self.len());
        Self { data: self.data.get(from as usize..).unwrap_or_default(), space: self.space, start: self.start + from }
    }

    /// The bytes of `span`, which lies within.
    pub fn at(self, span: Span) -> Result<Self> {
        match span.start.checked_sub(self.start) {
            Some(from) if span.space == self.space => self.part(from, span.len),
            _ => Err(Error::new(ErrorKind::UnexpectedEnd { wanted: span.len, left: 0 }, span)),
        }
    }

    /// A cursor at the first byte.
    pub const fn cursor(self) -> Cursor<'a> {
        Cursor::new(self)
    }
}
