use std::sync::{Arc, OnceLock};

use super::{At, Cursor, DiskFile, Error, ErrorKind, Result, SpaceId, Span};

/// Shared bytes of a space, cheap to clone; parsed files keep regions to decode from later.
///
/// The bytes of a large file are read on demand: [`Region::piece`] and [`Region::near`] read little, [`Region::slice`] all.
#[derive(Clone, Debug, Default)]
pub struct Region {
    bytes: Bytes,
    /// Position of the bytes in their space.
    span: Span,
    /// Index of the first of them in what `bytes` has.
    from: usize,
}

/// Bytes in memory that are shared, of whoever made them: none is copied.
#[derive(Clone, Debug)]
pub enum Memory {
    /// A vector.
    Vec(Arc<Vec<u8>>),
    /// A slice.
    Slice(Arc<[u8]>),
}

impl std::ops::Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Vec(bytes) => bytes,
            Self::Slice(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for Memory {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Vec(bytes.into())
    }
}

impl From<Arc<Vec<u8>>> for Memory {
    fn from(bytes: Arc<Vec<u8>>) -> Self {
        Self::Vec(bytes)
    }
}

/// A copy.
impl From<&[u8]> for Memory {
    fn from(bytes: &[u8]) -> Self {
        Self::Slice(bytes.into())
    }
}

impl From<Arc<[u8]>> for Memory {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Slice(bytes)
    }
}

#[derive(Clone, Debug)]
enum Bytes {
    Memory(Memory),
    /// A file, and the region's bytes of it once all of them were asked for.
    Disk(Arc<DiskFile>, Arc<OnceLock<Vec<u8>>>),
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Memory(Vec::new().into())
    }
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
    pub fn whole(space: SpaceId, data: impl Into<Memory>) -> Self {
        let data = data.into();
        let span = Span::new(space, 0, data.len() as u64);
        Self { bytes: Bytes::Memory(data), span, from: 0 }
    }

    pub(super) fn on_disk(space: SpaceId, file: Arc<DiskFile>) -> Self {
        let span = Span::new(space, 0, file.len);
        Self { bytes: Bytes::Disk(file, Arc::default()), span, from: 0 }
    }

    /// Makes a region of `span`, a copy-free view of `from` in a file that is in memory; `None` if their sizes differ.
    pub(super) fn window(span: Span, file: Memory, from: Span) -> Option<Self> {
        let start = usize::try_from(from.start).ok()?;
        let there = from.len == span.len && from.end() <= file.len() as u64;
        there.then_some(Self { bytes: Bytes::Memory(file), span, from: start })
    }

    /// Returns true if [`Region::slice`] need not read.
    #[inline]
    pub fn is_in_memory(&self) -> bool {
        self.held().is_some()
    }

    #[inline]
    fn held(&self) -> Option<Slice<'_>> {
        let to = self.from + self.span.len as usize;
        let data = match &self.bytes {
            Bytes::Memory(data) => data.get(self.from..to).unwrap_or_default(),
            Bytes::Disk(file, own) => match own.get() {
                Some(own) => own,
                None => file.held()?.get(self.from..to).unwrap_or_default(),
            },
        };
        Some(Slice { data, space: self.span.space, start: self.span.start })
    }

    /// Borrows the bytes, with their position. Of a file on disk, all are read and kept.
    #[inline]
    pub fn slice(&self) -> Slice<'_> {
        match (self.held(), &self.bytes) {
            (None, Bytes::Disk(file, own)) => {
                let data = self.read_all(file, own);
                Slice { data, space: self.span.space, start: self.span.start }
            }
            (held, _) => held.unwrap_or_default(),
        }
    }

    #[cold]
    fn read_all<'r>(&self, file: &'r DiskFile, own: &'r OnceLock<Vec<u8>>) -> &'r [u8] {
        let (from, len) = (self.from as u64, self.span.len);
        let near = if len == file.len { Some(file.whole()) } else { file.near(from, len) };
        match near.and_then(|bytes| bytes.get(..len as usize)) {
            Some(bytes) => bytes,
            None => own.get_or_init(|| file.read(from, len).unwrap_or_default()),
        }
    }

    /// Borrows the bytes from `from` on: at least `least`, unless they end before.
    #[inline]
    pub fn near(&self, from: u64, least: u64) -> Slice<'_> {
        match (self.held(), &self.bytes) {
            (None, Bytes::Disk(file, _)) => self.read_near(file, from, least),
            (held, _) => held.unwrap_or_default().rest(from),
        }
    }

    #[cold]
    fn read_near<'r>(&'r self, file: &'r DiskFile, from: u64, least: u64) -> Slice<'r> {
        let left = self.len().saturating_sub(from);
        if left > 0
            && let Some(bytes) = file.near(self.from as u64 + from, least.min(left))
        {
            let data = bytes.get(..bytes.len().min(left as usize)).unwrap_or_default();
            return Slice { data, space: self.span.space, start: self.span.start + from };
        }
        self.slice().rest(from)
    }

    /// Borrows the `len` bytes that begin `from` bytes in; fails if they extend past the end.
    #[inline]
    pub fn piece(&self, from: u64, len: u64) -> Result<Slice<'_>> {
        if let Some(held) = self.held() {
            return held.part(from, len);
        }
        within(self.span, from, len)?;
        if let Bytes::Disk(file, _) = &self.bytes
            && let Some(data) = file.in_block(self.from as u64 + from, len)
        {
            return Ok(Slice { data, space: self.span.space, start: self.span.start + from });
        }
        self.near(from, len).part(0, len)
    }

    /// Borrows the bytes of `span`; fails if they are not all in this region.
    pub fn at(&self, span: Span) -> Result<Slice<'_>> {
        match span.start.checked_sub(self.span.start) {
            Some(from) if span.space == self.span.space => self.piece(from, span.len),
            _ => Err(Error::new(ErrorKind::UnexpectedEnd { wanted: span.len, left: 0 }, span)),
        }
    }

    /// Borrows the bytes alone.
    #[inline]
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
        within(self.span, from, len)?;
        Ok(self.sub_region(from, len))
    }

    /// Returns the bytes of `span`; fails if they are not all in this region.
    pub fn part_at(&self, span: Span) -> Result<Self> {
        match span.start.checked_sub(self.span.start) {
            Some(from) if span.space == self.span.space => self.part(from, span.len),
            _ => Err(Error::new(ErrorKind::UnexpectedEnd { wanted: span.len, left: 0 }, span)),
        }
    }

    /// Returns the `len` bytes that begin `from` bytes in, cut at the end.
    #[must_use]
    pub fn clip(&self, from: u64, len: u64) -> Self {
        let from = from.min(self.len());
        self.sub_region(from, len.min(self.len() - from))
    }

    /// The `len` bytes that begin `from` bytes in, which are there.
    fn sub_region(&self, from: u64, len: u64) -> Self {
        let bytes = match &self.bytes {
            Bytes::Memory(data) => Bytes::Memory(data.clone()),
            Bytes::Disk(file, own) if len == self.len() => Bytes::Disk(Arc::clone(file), Arc::clone(own)),
            Bytes::Disk(file, _) => Bytes::Disk(Arc::clone(file), Arc::default()),
        };
        Self { bytes, span: self.span.part(from, len), from: self.from + from as usize }
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
            None => Err(past_end(self.span(), from, len)),
        }
    }

    /// Returns the bytes from `from` on; empty past the end.
    #[inline]
    #[must_use]
    pub fn rest(self, from: u64) -> Self {
        let from = from.min(self.len());
        let data = self.data.get(from as usize..).unwrap_or_default();
        Self { data, start: self.start + from, ..self }
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

    /// Text, with U+FFFD for invalid UTF-8.
    pub(crate) fn lossy(self) -> String {
        String::from_utf8_lossy(self.data).into_owned()
    }

    /// Text with its span.
    pub(crate) fn text(self) -> At<String> {
        At::new(self.lossy(), self.span())
    }

    /// Iterates over what `read` reads up to the end; an error is the last item.
    pub(crate) fn items<T>(
        self,
        mut read: impl FnMut(&mut Cursor<'a>) -> Result<T>,
    ) -> impl Iterator<Item = Result<T>> {
        let (mut cursor, mut failed) = (self.cursor(), false);
        std::iter::from_fn(move || {
            if failed || cursor.is_done() {
                return None;
            }
            let item = read(&mut cursor);
            failed = item.is_err();
            Some(item)
        })
    }
}

/// Fails if the `len` bytes that begin `from` bytes into `span` extend past its end.
#[inline]
fn within(span: Span, from: u64, len: u64) -> Result<()> {
    match from.checked_add(len) {
        Some(to) if to <= span.len => Ok(()),
        _ => Err(past_end(span, from, len)),
    }
}

#[cold]
fn past_end(span: Span, from: u64, len: u64) -> Error {
    let left = span.len.saturating_sub(from);
    Error::new(ErrorKind::UnexpectedEnd { wanted: len, left }, span.part(from.min(span.len), left))
}
