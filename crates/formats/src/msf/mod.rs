//! MSF 7.00, the multi-stream file: the container of Windows PDBs.
//!
//! An MSF file is a small file system. It is divided into pages of equal size; a *stream* is a sequence of pages, like
//! a file on a disk. Page 0 begins with the superblock, which locates the directory; the directory has size and page
//! numbers of each stream.
//!
//! ```text
//! page 0                superblock: page size, page count, size of the directory, pages of the directory's block map
//!   └ page list         numbers of the pages of the directory
//!       └ directory     stream count, size of each stream, page numbers of each stream
//!           └ stream N  its pages
//! page 1, page 2        the two free page maps, again in each interval of `page size` pages: 1 bit a page, set if it is free
//! ```
//!
//! There are two free page maps, and stream 0 is the previous directory, because updates are atomic: a writer writes
//! new pages, a new directory and the inactive map, and finally the superblock.
//!
//! [`Msf::open`] reads the superblock, the page list and the directory. Each stream is a [`Space`](crate::bytes::Space) whose bytes are read
//! on demand. Problems are collected in [`Msf::problems`]; only a file that is not MSF 7.00 is rejected.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/msf.md`; microsoft/microsoft-pdb `PDB/msf/msf.cpp`; LLVM, "The MSF File Format".

mod directory;
pub mod msf2;
pub mod msfz;
mod pages;
mod rebuild;
mod superblock;
pub mod write;

pub use directory::Directory;
pub use pages::{Owner, PageMap, PageUse};
pub use superblock::{MAGIC, Superblock};

use std::sync::{Arc, OnceLock};

use crate::bytes::{Error, ErrorKind, Origin, Result, Slice, SpaceId, SpaceName, Spaces, Span, Storage, or_problem};

/// Size of a nonexistent stream in the directory.
pub const NIL: u32 = u32::MAX;
/// Maximum number of streams, as in Microsoft's writer.
const MAX_STREAMS: usize = 0x1_0000;

/// An MSF file: its superblock, and its streams as spaces.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct Msf {
    pub file: SpaceId,
    pub superblock: Superblock,
    /// The bytes of the directory's block map.
    pub page_list: SpaceId,
    pub directory: SpaceId,
    pub free_page_maps: [SpaceId; 2],
    /// Problems found in superblock, page list and directory.
    pub problems: Vec<Error>,
    file_len: u64,
    /// Size of a page in bytes; 0 if that of the superblock is invalid.
    page_size: u32,
    /// The pages of the page list, of the directory and of each stream, in this order.
    pages: Arc<[u32]>,
    /// Index in `pages` of the directory's first page.
    directory_first: u32,
    entries: Vec<StreamEntry>,
    /// The space of stream 0; those of the others follow.
    first_space: SpaceId,
    map: OnceLock<PageMap>,
}

/// A stream, as the directory has it.
#[derive(Clone, Copy, Debug)]
struct StreamEntry {
    size: u32,
    /// Index in [`Msf::pages`] of its first page.
    first: u32,
}

/// One stream of an MSF file.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream<'a> {
    pub index: u32,
    /// Space of the stream; shorter than `size` if pages are missing.
    pub space: SpaceId,
    /// Size in the directory; [`NIL`] if the stream does not exist.
    pub size: u32,
    pub pages: &'a [u32],
}

impl Stream<'_> {
    /// Returns true for a stream that does not exist.
    pub const fn is_nil(&self) -> bool {
        self.size == NIL
    }
}

/// A page list and the number of bytes in use.
struct Paged {
    first: u32,
    size: u64,
}

impl Msf {
    /// Reads the superblock and the directory of the MSF 7.00 file that is all of `file`.
    pub fn open(spaces: &mut Spaces, file: SpaceId) -> Result<Self> {
        let whole = spaces.whole(file);
        let first_page = spaces.read(Span::new(file, 0, whole.len.min(superblock::MAX_SIZE)))?;
        let superblock = Superblock::decode(&mut Slice::new(&first_page, file, 0).cursor())?;
        drop(first_page);
        let page_size = if superblock.page_size_is_sound() { superblock.page_size } else { 0 };
        let mut msf = Self {
            file,
            page_list: file,
            directory: file,
            free_page_maps: [file; 2],
            problems: superblock.problems(whole),
            file_len: whole.len,
            page_size,
            pages: Arc::default(),
            directory_first: 0,
            entries: Vec::new(),
            first_space: file,
            map: OnceLock::new(),
            superblock,
        };
        msf.read_directory(spaces);
        Ok(msf)
    }

    fn read_directory(&mut self, spaces: &mut Spaces) {
        self.free_page_maps = [1, 2].map(|number| self.add_free_page_map(spaces, number));

        let mut pages = self.superblock.page_list.clone();
        // The list has at most one number per page of the file.
        let size = self.superblock.directory_pages().min(self.file_pages() as u64) * 4;
        let list = Paged { first: 0, size };
        self.check_pages(("the directory's block map", None), &list, &pages, self.superblock.page_list_span(self.file));
        self.page_list = self.add_space(spaces, "directory block map", &list, pages.clone().into());

        self.directory_first = pages.len() as u32;
        let list_span = spaces.whole(self.page_list);
        let list = spaces.read(list_span).and_then(|bytes| directory::numbers(Slice::new(&bytes, self.page_list, 0)));
        pages.extend(or_problem(list, &mut self.problems).unwrap_or_default());
        let held = Paged { first: self.directory_first, size: self.superblock.directory_size as u64 };
        self.check_pages(("the directory", None), &held, &pages, list_span);
        self.directory = self.add_space(spaces, "stream directory", &held, pages.clone().into());

        // A valid directory has at most one number per stream and page; the rest of a larger one is not read.
        let most = (u64::from(self.file_pages()) + 1 + MAX_STREAMS as u64) * 4;
        let span = Span::new(self.directory, 0, spaces.whole(self.directory).len.min(most));
        let decode =
            |bytes: &[u8]| Directory::decode(&mut Slice::new(bytes, self.directory, 0).cursor(), self.page_size);
        let read = spaces.read(span).and_then(|bytes| decode(&bytes));
        let directory = or_problem(read, &mut self.problems).unwrap_or_default();
        self.add_streams(spaces, directory, pages);
    }

    fn add_streams(&mut self, spaces: &mut Spaces, directory: Directory, mut pages: Vec<u32>) {
        self.problems.extend(directory.problems);
        let mut sizes = directory.sizes;
        if sizes.len() > MAX_STREAMS {
            let (size, ceiling) = (sizes.len() as u64, MAX_STREAMS as u64);
            let what = "the number of streams";
            self.problem(ErrorKind::TooLarge { what, size, ceiling }, Span::new(self.directory, 0, 4));
            sizes.truncate(MAX_STREAMS);
        }
        // Page numbers follow the count and the sizes.
        let numbers_at = u64::from(directory.count) * 4 + 4;
        let mut first = pages.len() as u32;
        pages.extend(directory.pages);
        self.pages = pages.into();
        self.entries.reserve_exact(sizes.len());
        spaces.reserve(sizes.len());
        let streams_first = first;
        for (index, size) in sizes.into_iter().enumerate() {
            self.entries.push(StreamEntry { size, first });
            let held = Paged { first, size: if size == NIL { 0 } else { size as u64 } };
            let count = self.page_count_of(held.size);
            let at = numbers_at + u64::from(first.saturating_sub(streams_first)) * 4;
            let pages = Arc::clone(&self.pages);
            let span = Span::new(self.directory, at, count * 4);
            self.check_pages(("a stream", Some(index as u32)), &held, &pages, span);
            let space = self.add_space(spaces, SpaceName::Stream(index as u32), &held, Arc::clone(&self.pages));
            if index == 0 {
                self.first_space = space;
            }
            first = first.saturating_add(count as u32).min(self.pages.len() as u32);
        }
    }

    /// The pages of free page map `number` (1 or 2): that page of each interval of `page size` pages.
    fn add_free_page_map(&self, spaces: &mut Spaces, number: u32) -> SpaceId {
        let pages: Vec<u32> = match self.page_size {
            0 => Vec::new(),
            step => (number..self.file_pages()).step_by(step as usize).collect(),
        };
        let size = pages.len() as u64 * self.page_size as u64;
        self.add_space(spaces, format!("free page map {number}"), &Paged { first: 0, size }, pages.into())
    }

    /// Adds a space of as many of the bytes of `paged` as there are in the file.
    fn add_space(&self, spaces: &mut Spaces, name: impl Into<SpaceName>, paged: &Paged, pages: Arc<[u32]>) -> SpaceId {
        let len = self.readable(paged, &pages);
        let origin = Origin::Pages { file: self.file, page_size: self.page_size, pages, first: paged.first };
        spaces.add(name, origin, len, Storage::Derived)
    }

    /// Returns the number of bytes of `paged` before the first page that is not in the file.
    fn readable(&self, paged: &Paged, pages: &[u32]) -> u64 {
        let page_size = self.page_size as u64;
        let mut len = 0_u64;
        for page in paged.of(pages, self.page_count_of(paged.size)) {
            let there = self.file_len.saturating_sub((*page as u64).saturating_mul(page_size)).min(page_size);
            len += there;
            if there < page_size {
                break;
            }
        }
        // No stream can be longer than the file, because no page is used twice.
        len.min(paged.size).min(self.file_len)
    }

    /// Adds problems of the page numbers of `paged`, which are at `span`; the owner has a number if it is a stream.
    fn check_pages(&mut self, owner: (&'static str, Option<u32>), paged: &Paged, pages: &[u32], span: Span) {
        let (what, stream) = owner;
        if paged.size > self.file_len {
            self.problem(ErrorKind::TooLarge { what, size: paged.size, ceiling: self.file_len }, span);
        }
        let count = self.file_pages();
        let numbers = paged.of(pages, self.page_count_of(paged.size));
        if let Some(at) = numbers.iter().position(|page| *page >= count) {
            let page = numbers.get(at).copied().unwrap_or_default() as u64;
            let (nth, last) = (at as u64, u64::from(count).saturating_sub(1));
            let span = span.part(nth * 4, 4);
            self.problem(ErrorKind::PageOutOfFile { what, stream, nth, page, last }, span);
        }
    }

    fn problem(&mut self, kind: ErrorKind, span: Span) {
        self.problems.push(Error::new(kind, span));
    }

    /// Size of a page in bytes; 0 if that of the superblock is invalid.
    pub const fn page_size(&self) -> u32 {
        self.page_size
    }

    /// Returns the number of pages in the file, the last of which may be truncated; the superblock may claim another one.
    pub fn file_pages(&self) -> u32 {
        self.page_count_of(self.file_len).try_into().unwrap_or(u32::MAX)
    }

    const fn page_count_of(&self, size: u64) -> u64 {
        if self.page_size == 0 { 0 } else { size.div_ceil(self.page_size as u64) }
    }

    /// Number of streams.
    pub const fn stream_count(&self) -> u32 {
        self.entries.len() as u32
    }

    /// One stream.
    pub fn stream(&self, index: u32) -> Option<Stream<'_>> {
        let entry = self.entries.get(index as usize)?;
        let paged = Paged { first: entry.first, size: if entry.size == NIL { 0 } else { entry.size as u64 } };
        let pages = paged.of(&self.pages, self.page_count_of(paged.size));
        Some(Stream { index, space: SpaceId(self.first_space.0.saturating_add(index)), size: entry.size, pages })
    }

    /// All streams.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = Stream<'_>> {
        // Every index below the count has its entry.
        (0..self.stream_count())
            .map(|index| self.stream(index).unwrap_or(Stream { index, space: self.file, size: NIL, pages: &[] }))
    }

    /// Number of the stream that `space` belongs to.
    pub fn stream_of(&self, space: SpaceId) -> Option<u32> {
        space.0.checked_sub(self.first_space.0).filter(|index| *index < self.stream_count())
    }

    /// Returns the use of each page, computed when it is first asked for.
    pub fn page_map(&self, spaces: &Spaces) -> &PageMap {
        self.map.get_or_init(|| PageMap::new(self, spaces))
    }

    /// Position of the file's byte at `offset` in a stream, the directory, its page list or a free page map.
    pub fn place_of(&self, spaces: &Spaces, offset: u64) -> Option<Span> {
        let page_size = self.page_size as u64;
        let page = u32::try_from(offset.checked_div(page_size)?).ok()?;
        let page_use = self.page_map(spaces).owner(self, page).page_use()?;
        let (space, from) = match page_use {
            PageUse::Superblock => (self.file, 0),
            PageUse::FreePageMap { number, from } => (*self.free_page_maps.get(number.checked_sub(1)? as usize)?, from),
            PageUse::PageList { from } => (self.page_list, from),
            PageUse::Directory { from } => (self.directory, from),
            PageUse::Stream { stream, from } => (self.stream(stream)?.space, from),
        };
        let span = Span::new(space, from + offset.checked_rem(page_size)?, 1);
        (span.end() <= spaces.get(space)?.len()).then_some(span)
    }
}

impl Paged {
    fn of<'a>(&self, pages: &'a [u32], count: u64) -> &'a [u32] {
        let pages = pages.get(self.first as usize..).unwrap_or_default();
        pages.get(..usize::try_from(count).unwrap_or(usize::MAX).min(pages.len())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
