//! Rewrites streams in a copy of an MSF file and leaves everything else unchanged.
//!
//! Pages of changed streams are reused, further ones are appended to the file, and directory, page list, free page map
//! and superblock are updated. The result is a list of patches, so that a large file is never held in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::{Msf, NIL, Owner};
use crate::bytes::{Error, ErrorKind, Region, Result, Spaces, Span};

/// Difference between a copy of a file and the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// Size of the copy in bytes.
    pub len: u64,
    /// Patches, in order.
    pub patches: Vec<Patch>,
}

/// Bytes that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The offset in the file of the first of them.
    pub offset: u64,
    /// Bytes of the copy.
    pub bytes: Vec<u8>,
}

/// Largest stream number that a PDB can refer to.
const MAX_STREAM_NUMBER: u32 = 0xffff;

/// State of an edit before it is written.
pub(crate) struct Draft<'a> {
    msf: &'a Msf,
    spaces: &'a Spaces,
    page_size: u64,
    /// Number of pages of the copy.
    page_count: u32,
    /// Pages that come into use.
    taken: BTreeSet<u32>,
    /// Pages that become free.
    freed: BTreeSet<u32>,
    /// Sizes and pages of the streams that change.
    changed: BTreeMap<u32, (u32, Vec<u32>)>,
    /// By offset.
    patches: BTreeMap<u64, Vec<u8>>,
}

impl<'a> Draft<'a> {
    /// A copy that does not differ yet.
    pub(crate) fn new(msf: &'a Msf, spaces: &'a Spaces) -> Self {
        Self {
            msf,
            spaces,
            page_size: msf.page_size() as u64,
            page_count: msf.superblock.page_count,
            taken: BTreeSet::new(),
            freed: BTreeSet::new(),
            changed: BTreeMap::new(),
            patches: BTreeMap::new(),
        }
    }

    /// All bytes of a stream of the original.
    pub(crate) fn region(&self, stream: u32) -> Result<Region> {
        let found = self.msf.stream(stream).ok_or_else(|| {
            Error::no_such("stream", stream, self.msf.stream_count() as u64, Span::new(self.msf.directory, 0, 4))
        })?;
        self.spaces.region(found.space)
    }

    fn too_large(&self, what: &'static str, size: u64, ceiling: u64) -> Error {
        Error::new(ErrorKind::TooLarge { what, size, ceiling }, Span::new(self.msf.file, 0, 0))
    }

    pub(crate) fn put(&mut self, stream: u32, content: &[u8]) -> Result<()> {
        let size = u32::try_from(content.len()).ok().filter(|size| *size != NIL);
        let size = size.ok_or_else(|| self.too_large("a stream", content.len() as u64, u64::from(NIL - 1)))?;
        if stream >= MAX_STREAM_NUMBER {
            return Err(self.too_large("the number of streams", u64::from(stream) + 1, MAX_STREAM_NUMBER as u64));
        }
        let old = self.msf.stream(stream).map_or(&[][..], |stream| stream.pages);
        let pages = self.write(old, content)?;
        self.changed.insert(stream, (size, pages));
        Ok(())
    }

    /// Writes `content` on the pages `old`, on fewer or on more, and returns them.
    fn write(&mut self, old: &[u32], content: &[u8]) -> Result<Vec<u32>> {
        let count = content.len().div_ceil(self.page_size as usize);
        // A page that is used twice is not reused.
        let map = self.msf.page_map(self.spaces);
        let own = old.iter().copied().filter(|page| matches!(map.owner(self.msf, *page), Owner::Unique(_)));
        let mut pages: Vec<u32> = own.collect();
        self.freed.extend(pages.drain(count.min(pages.len())..));
        while pages.len() < count {
            pages.push(self.new_page()?);
        }
        for (page, part) in pages.iter().zip(content.chunks(self.page_size as usize)) {
            let mut bytes = part.to_vec();
            bytes.resize(self.page_size as usize, 0);
            self.patches.insert(*page as u64 * self.page_size, bytes);
        }
        Ok(pages)
    }

    /// A page at the end of the file. Those that belong to the free page maps are passed over.
    fn new_page(&mut self) -> Result<u32> {
        loop {
            let page = self.page_count;
            self.page_count = page.checked_add(1).ok_or_else(|| self.too_large("the file", u64::MAX, u64::MAX))?;
            self.taken.insert(page);
            if !matches!(u64::from(page).checked_rem(self.page_size), Some(1 | 2)) {
                return Ok(page);
            }
            // A new page of a free page map marks every page as free.
            self.patches.insert(page as u64 * self.page_size, vec![0xff; self.page_size as usize]);
        }
    }

    /// The edit that makes the copy: directory, page list, free page map and superblock included.
    pub(crate) fn finish(mut self) -> Result<Edit> {
        let directory = self.directory();
        let size = directory.len() as u32;
        let pages_of = |claimed: &[u32], from: u32, len: usize| {
            claimed.get(from as usize..).and_then(|rest| rest.get(..len)).map_or(Vec::new(), <[u32]>::to_vec)
        };
        let (first, len) = (self.msf.directory_first, self.msf.superblock.directory_pages() as usize);
        let old = pages_of(&self.msf.pages, first, len);
        let pages = self.write(&old, &directory)?;
        let list: Vec<u8> = pages.iter().flat_map(|page| page.to_le_bytes()).collect();
        let list_pages = self.write(&self.msf.superblock.page_list.clone(), &list)?;
        let room = (self.page_size - LIST_AT) / 4;
        if list_pages.len() as u64 > room {
            return Err(self.too_large("the directory's block map", list_pages.len() as u64, room));
        }
        self.write_map()?;
        let list: Vec<u8> = list_pages.iter().flat_map(|page| page.to_le_bytes()).collect();
        self.patches.insert(PAGE_COUNT_AT, [self.page_count, size].iter().flat_map(|n| n.to_le_bytes()).collect());
        self.patches.insert(LIST_AT, list);
        let patches = self.patches.into_iter().map(|(offset, bytes)| Patch { offset, bytes }).collect();
        Ok(Edit { len: self.page_count as u64 * self.page_size, patches })
    }

    fn directory(&self) -> Vec<u8> {
        let changed = self.changed.keys().map(|stream| stream.saturating_add(1));
        let count = changed.fold(self.msf.stream_count(), u32::max);
        let mut sizes = vec![count];
        let mut pages = Vec::new();
        for stream in 0..count {
            match (self.changed.get(&stream), self.msf.stream(stream)) {
                (Some((size, numbers)), _) => {
                    sizes.push(*size);
                    pages.extend_from_slice(numbers);
                }
                (None, Some(stream)) => {
                    sizes.push(stream.size);
                    pages.extend_from_slice(stream.pages);
                }
                (None, None) => sizes.push(NIL),
            }
        }
        sizes.iter().chain(&pages).flat_map(|number| number.to_le_bytes()).collect()
    }

    fn write_map(&mut self) -> Result<()> {
        let [one, two] = self.msf.free_page_maps;
        let first = if self.msf.superblock.active_map == 2 { 2 } else { 1 };
        let old = self.spaces.region(if first == 2 { two } else { one })?;
        let mut map = old.bytes().to_vec();
        map.resize((self.page_count as usize).div_ceil(8).max(map.len()), 0xff);
        for (pages, free) in [(&self.taken, false), (&self.freed, true)] {
            for page in pages {
                if let Some(byte) = map.get_mut(*page as usize / 8) {
                    let bit = 1 << (page % 8);
                    *byte = if free { *byte | bit } else { *byte & !bit };
                }
            }
        }
        let step = self.page_size as usize;
        for (index, (new, page)) in map.chunks(step).zip((first..).step_by(step)).enumerate() {
            let same = old.bytes().chunks(step).nth(index).is_some_and(|old| old == new);
            if !same && page < self.page_count {
                let mut bytes = new.to_vec();
                bytes.resize(step, 0xff);
                self.patches.insert(page as u64 * self.page_size, bytes);
            }
        }
        Ok(())
    }
}

/// Offset in the superblock of the page count, which the directory size follows.
const PAGE_COUNT_AT: u64 = 0x28;
/// Offset in the superblock of the pages of the directory's block map.
const LIST_AT: u64 = 0x34;
