use std::borrow::Cow;
use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::{Budget, DiskFile, Error, ErrorKind, Memory, Region, Result, SpaceId, Span};
use crate::reason::Reason;

/// Name of the embedded sources of a file, in errors.
pub const SOURCES: &str = "all embedded sources together";
/// Limit of a single read, in bytes.
const MAX_READ: u64 = 1 << 31;
/// Name of what is copied from the pages of a file, in errors.
const STREAMS: &str = "all streams together";

/// A file, or bytes derived from one.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct Space {
    name: SpaceName,
    pub origin: Origin,
    len: u64,
    source: Storage,
    loaded: OnceLock<Region>,
}

/// Name of a space. Names of streams are formatted on demand, because a file may have tens of thousands of them.
#[derive(Debug)]
pub enum SpaceName {
    /// This text.
    Text(String),
    /// `stream` and this number.
    Stream(u32),
}

impl<T: Into<String>> From<T> for SpaceName {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// Origin of a space's bytes.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    File(PathBuf),
    /// Bytes inflated from these.
    Inflated(Span),
    /// Pages of a file, in this order; the last one may be used in part.
    Pages {
        file: SpaceId,
        /// Size of a page in bytes.
        page_size: u32,
        /// Page numbers; the streams of one file share a list.
        pages: Arc<[u32]>,
        /// Index in `pages` of this space's first page.
        first: u32,
    },
}

/// Storage of a space's bytes.
#[allow(missing_docs)]
#[derive(Debug)]
pub enum Storage {
    Memory(Memory),
    /// Read where it is asked for.
    Disk(Arc<DiskFile>),
    /// Assembled from another space on demand, as the [`Origin`] says.
    Derived,
}

/// Bytes of an underlying space that bytes of a derived space come from.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolvedSpan {
    pub span: Span,
    /// True for the same bytes, false for compressed data that contains them.
    pub exact: bool,
}

/// Spaces of one session; derived spaces come after the space that they derive from.
#[derive(Debug, Default)]
pub struct Spaces {
    list: Vec<Space>,
    /// Heaps, streams and sections inside spaces, by which errors name their bytes.
    parts: Vec<(Span, String)>,
    budget: Budget,
}

impl Space {
    /// Name on screen: a file name, `stream 12`, `embedded PDB`.
    pub fn name(&self) -> Cow<'_, str> {
        match &self.name {
            SpaceName::Text(text) => Cow::Borrowed(text),
            SpaceName::Stream(number) => Cow::Owned(format!("stream {number}")),
        }
    }

    /// Number of bytes.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Returns true if there are no bytes.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn held(&self) -> Option<&[u8]> {
        match &self.source {
            Storage::Memory(data) => Some(data),
            Storage::Disk(file) => file.held(),
            Storage::Derived => self.loaded.get().map(Region::bytes),
        }
    }
}

impl Spaces {
    /// Adds a space of `len` bytes.
    pub fn add(&mut self, name: impl Into<SpaceName>, origin: Origin, len: u64, source: Storage) -> SpaceId {
        if matches!(origin, Origin::File(_)) {
            self.budget.add_file(len);
        }
        let id = SpaceId(self.list.len() as u32);
        self.list.push(Space { name: name.into(), origin, len, source, loaded: OnceLock::new() });
        id
    }

    /// Allocates memory for `count` more spaces.
    pub fn reserve(&mut self, count: usize) {
        self.list.reserve(count);
    }

    /// Adds a space in memory and returns all its bytes.
    pub fn add_bytes(&mut self, name: impl Into<SpaceName>, origin: Origin, bytes: impl Into<Memory>) -> Region {
        let bytes = bytes.into();
        let id = self.add(name, origin, bytes.len() as u64, Storage::Memory(bytes.clone()));
        Region::whole(id, bytes)
    }

    /// Limit on what is held of the files.
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the space with this id.
    pub fn get(&self, id: SpaceId) -> Option<&Space> {
        self.list.get(id.0 as usize)
    }

    /// All bytes of a space; none if it does not exist.
    pub(crate) fn whole(&self, id: SpaceId) -> Span {
        Span::new(id, 0, self.get(id).map_or(0, Space::len))
    }

    /// Returns the first space with this name.
    pub fn named(&self, name: &str) -> Option<(SpaceId, &Space)> {
        self.iter().find(|(_, space)| match &space.name {
            SpaceName::Text(text) => text == name,
            // Most names are not formatted: a file may have tens of thousands of streams.
            SpaceName::Stream(_) => name.starts_with("stream ") && space.name() == name,
        })
    }

    /// Names a part of a space: `#Blob`, `.text`.
    pub fn name_part(&mut self, span: Span, name: impl Into<String>) {
        self.parts.push((span, name.into()));
    }

    /// Name of the smallest part that `span` begins in, and the offset there: `App.dll #Blob` and 0x1f0, `stream 12` and 0x40.
    /// A span at the end of a part, such as that of missing bytes, belongs to the part.
    pub fn name_of(&self, span: Span) -> Option<(String, u64)> {
        let space = self.get(span.space)?;
        Some(match self.part_around(span) {
            Some((part, name)) => (format!("{} {name}", space.name()), span.start - part.start),
            None => (space.name().into_owned(), span.start),
        })
    }

    /// Message of an error, with the name of the heap, section, stream or file that ended unexpectedly, and the offset there. Where the
    /// part continues after the bytes that are left, a record in it ended.
    pub fn error_text(&self, error: &Error) -> String {
        let span = error.span;
        let Some((name, offset)) = self.name_of(span) else { return error.to_string() };
        let part = self.part_around(span);
        let whole = part.map_or_else(|| self.get(span.space).map_or(0, |space| space.len), |(part, _)| part.end());
        let record = if span.end() < whole { "a record in " } else { "" };
        if part.is_some() && offset != span.start {
            return error.message(format_args!("of {record}{name} at {offset:#x} (file offset {:#x})", span.start));
        }
        error.message(format_args!("of {record}{name} at {offset:#x}"))
    }

    /// Message of an error with its code.
    pub fn reason(&self, error: &Error) -> Reason {
        Reason::new(error.kind.code(), self.error_text(error))
    }

    /// The smallest named part that `span` begins in, or that it follows.
    fn part_around(&self, span: Span) -> Option<&(Span, String)> {
        let around = self.parts.iter().filter(|(part, _)| {
            part.space == span.space && part.start <= span.start && span.start <= part.end() && part.len > 0
        });
        around.min_by_key(|(part, _)| (part.end() == span.start, part.len))
    }

    /// Spaces in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (SpaceId, &Space)> {
        self.list.iter().enumerate().map(|(index, space)| (SpaceId(index as u32), space))
    }

    /// Reads all of a file and keeps it, before a pass through it.
    pub fn hold(&self, file: SpaceId) {
        if let Some(Storage::Disk(file)) = self.get(file).map(|space| &space.source) {
            file.whole();
        }
    }

    /// Returns all bytes of a space; those of a derived space are read once and kept.
    pub fn region(&self, id: SpaceId) -> Result<Region> {
        let nowhere = Span::new(id, 0, 0);
        let space = self.get(id).ok_or_else(|| Error::invalid("no such space", nowhere))?;
        if let Storage::Memory(data) = &space.source {
            return Ok(Region::whole(id, data.clone()));
        }
        if let Storage::Disk(file) = &space.source {
            return Ok(Region::on_disk(id, Arc::clone(file)));
        }
        if let Some(region) = space.loaded.get() {
            return Ok(region.clone());
        }
        // Consecutive pages in memory need no copy.
        if let (Storage::Derived, Some(piece)) = (&space.source, self.only_piece(Span::new(id, 0, space.len)))
            && let (true, Some(Storage::Memory(data))) = (piece.exact, self.get(piece.span.space).map(|s| &s.source))
            && let Some(region) = Region::window(Span::new(id, 0, space.len), data.clone(), piece.span)
        {
            return Ok(region);
        }
        if matches!(space.source, Storage::Derived) {
            // Streams that share no page are no longer together than their file: a directory of many streams over the same pages must
            // not multiply it.
            self.budget.take_bytes(STREAMS, space.len, Span::new(id, 0, space.len), 0)?;
        }
        let bytes = self.read(Span::new(id, 0, space.len))?.into_owned();
        Ok(space.loaded.get_or_init(|| Region::whole(id, bytes)).clone())
    }

    /// Returns the bytes of `span`: borrowed if they are in memory, else read.
    pub fn read(&self, span: Span) -> Result<Cow<'_, [u8]>> {
        let space = self.get(span.space).ok_or_else(|| Error::invalid("no such space", span))?;
        if span.end() > space.len {
            let left = space.len.saturating_sub(span.start);
            return Err(Error::new(ErrorKind::UnexpectedEnd { wanted: span.len, left }, span));
        }
        if span.len > MAX_READ {
            return Err(Error::new(ErrorKind::TooLarge { what: "a read", size: span.len, ceiling: MAX_READ }, span));
        }
        if let Some(bytes) = space.held().and_then(|data| data.get(span.start as usize..span.end() as usize)) {
            return Ok(Cow::Borrowed(bytes));
        }
        if let (Storage::Derived, Some(piece)) = (&space.source, self.only_piece(span))
            && piece.exact
            && piece.span.len == span.len
        {
            return self.read(piece.span);
        }
        if matches!(space.source, Storage::Derived) {
            // A page costs four bytes of a directory, and may be in it any number of times.
            self.budget.allows(STREAMS, span.len, span)?;
        }
        let mut bytes = Vec::new();
        let failed = |_| Error::new(ErrorKind::Io(io::ErrorKind::OutOfMemory), span);
        bytes.try_reserve_exact(span.len as usize).map_err(failed)?;
        self.append(span, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    /// Appends the bytes of `span`, which is within its space, to `bytes`: straight from where they are.
    fn append(&self, span: Span, bytes: &mut Vec<u8>) -> Result<()> {
        let (before, space) = (bytes.len(), self.get(span.space));
        let held = space.and_then(Space::held);
        match (held, space.map(|space| &space.source)) {
            (Some(held), _) => {
                bytes.extend_from_slice(held.get(span.start as usize..span.end() as usize).unwrap_or_default());
            }
            (None, Some(Storage::Disk(file))) => {
                bytes.resize(before + span.len as usize, 0);
                let read = file.fill(span.start, bytes.get_mut(before..).unwrap_or_default());
                read.map_err(|error| Error::new(ErrorKind::Io(error.kind()), span))?;
            }
            (None, Some(Storage::Derived)) => self.pieces(span).try_for_each(|piece| {
                let file = self.whole(piece.span.space).len;
                let there = file.saturating_sub(piece.span.start).min(piece.span.len);
                self.append(Span { len: there, ..piece.span }, bytes)
            })?,
            (None, Some(Storage::Memory(_)) | None) => {}
        }
        let left = (bytes.len() - before) as u64;
        if left == span.len {
            return Ok(());
        }
        Err(Error::new(ErrorKind::UnexpectedEnd { wanted: span.len, left }, span))
    }

    /// Ranges of the underlying space that the bytes of `span` come from, in order; consecutive pages are merged.
    fn pieces(&self, span: Span) -> impl Iterator<Item = ResolvedSpan> {
        let (mut inflated, mut paged) = (None, None);
        match self.get(span.space).map(|space| &space.origin) {
            Some(Origin::Inflated(from)) => inflated = Some(ResolvedSpan { span: *from, exact: false }),
            Some(Origin::Pages { file, page_size, pages, first }) => {
                if let Some(size) = NonZero::new(u64::from(*page_size)) {
                    let next = usize::try_from(span.start / size).unwrap_or(usize::MAX).saturating_add(*first as usize);
                    let pages = pages.get(next..).unwrap_or_default().iter();
                    paged = Some((*file, size.get(), pages, span.start % size, span.len));
                }
            }
            _ => {}
        }
        std::iter::from_fn(move || {
            let Some((file, size, pages, from, left)) = &mut paged else { return inflated.take() };
            let mut piece: Option<Span> = None;
            while *left > 0 {
                let Some(page) = pages.as_slice().first() else { break };
                let len = (*size - *from).min(*left);
                let part = Span::new(*file, *page as u64 * *size + *from, len);
                match &mut piece {
                    None => piece = Some(part),
                    Some(piece) if piece.end() == part.start => piece.len += len,
                    Some(_) => break,
                }
                pages.next();
                (*from, *left) = (0, left.saturating_sub(len));
            }
            piece.map(|span| ResolvedSpan { span, exact: true })
        })
    }

    /// The only piece of `span`; `None` if there are several.
    fn only_piece(&self, span: Span) -> Option<ResolvedSpan> {
        let mut pieces = self.pieces(span);
        let first = pieces.next();
        if pieces.next().is_none() { first } else { None }
    }

    /// Ranges of files that the bytes of `span` come from, in order; `span` itself if its space is a file.
    pub fn resolve(&self, span: Span) -> Vec<ResolvedSpan> {
        if let None | Some(Origin::File(_)) = self.get(span.space).map(|space| &space.origin) {
            return vec![ResolvedSpan { span, exact: true }];
        }
        let mut found = Vec::new();
        for piece in self.pieces(span) {
            // A space derives only from earlier ones; this ends the recursion on a broken chain.
            if piece.span.space >= span.space {
                continue;
            }
            found.extend(
                self.resolve(piece.span).into_iter().map(|p| ResolvedSpan { exact: p.exact && piece.exact, ..p }),
            );
        }
        found
    }
}

#[cfg(test)]
mod tests;
