//! Writes an MSF file from the content of its streams, for streams that were in another container.
//!
//! ```text
//! page 0       superblock        page 3       directory's block map
//! pages 1, 2   free page maps    page 4 …     pages of the streams, then of the directory
//! ```
//!
//! Each interval of `PAGE` pages has its two free page maps; no page is free.

use super::{MAGIC, NIL};
use crate::bytes::{Error, ErrorKind, Result, SpaceId, Span};

/// Size of a page, as Microsoft's linker writes it.
const PAGE: usize = 4096;
/// Page of the directory's block map.
const BLOCK_MAP: usize = 3;

/// An MSF file in the making.
pub(super) struct Builder {
    bytes: Vec<u8>,
    /// Limit on `bytes`.
    max: u64,
    sizes: Vec<u32>,
    /// Pages of all streams.
    pages: Vec<u32>,
    /// Size of the stream that is written.
    size: u64,
}

impl Builder {
    pub fn new(max: u64) -> Self {
        Self { bytes: vec![0; PAGE * (BLOCK_MAP + 1)], max, sizes: Vec::new(), pages: Vec::new(), size: 0 }
    }

    /// Adds a stream that does not exist.
    pub(crate) fn add_nil(&mut self) {
        self.sizes.push(NIL);
    }

    pub(crate) const fn begin_stream(&mut self) {
        self.size = 0;
    }

    /// Appends bytes to the stream that was begun.
    pub fn append(&mut self, mut content: &[u8]) -> Result<()> {
        self.size += content.len() as u64;
        while !content.is_empty() {
            if self.bytes.len().is_multiple_of(PAGE) {
                self.begin_page(content.len())?;
            }
            let room = PAGE - self.bytes.len() % PAGE;
            let (part, rest) = content.split_at(room.min(content.len()));
            self.bytes.extend_from_slice(part);
            content = rest;
        }
        Ok(())
    }

    pub(crate) fn end_stream(&mut self) -> Result<()> {
        let size = u32::try_from(self.size).ok().filter(|size| *size != NIL);
        self.sizes.push(size.ok_or_else(|| self.too_large(self.size))?);
        self.fill_page();
        Ok(())
    }

    /// The whole file.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let count = self.sizes.len() as u32;
        let directory: Vec<u8> =
            [count].iter().chain(&self.sizes).chain(&self.pages).flat_map(|number| number.to_le_bytes()).collect();
        let first = self.pages.len();
        self.append(&directory)?;
        self.fill_page();
        let own = self.pages.get(first..).unwrap_or_default();
        let block_map: Vec<u8> = own.iter().flat_map(|page| page.to_le_bytes()).collect();
        if block_map.len() > PAGE {
            return Err(self.too_large(directory.len() as u64));
        }
        let page_count = self.bytes.len() / PAGE;
        self.put(BLOCK_MAP * PAGE, &block_map);
        let numbers = [PAGE as u32, 1, page_count as u32, directory.len() as u32, 0, BLOCK_MAP as u32];
        self.put(0, MAGIC);
        self.put(MAGIC.len(), &numbers.map(u32::to_le_bytes).concat());
        self.write_free_page_maps(page_count);
        Ok(self.bytes)
    }

    /// Marks all pages of the file as used, and those after them as free.
    fn write_free_page_maps(&mut self, page_count: usize) {
        let (full, rest) = (page_count / 8, page_count % 8);
        let mut map = vec![0; full];
        map.push(u8::MAX << rest);
        map.resize(page_count.div_ceil(PAGE) * PAGE, u8::MAX);
        for (interval, part) in map.chunks(PAGE).enumerate() {
            for number in [1, 2] {
                self.put((interval * PAGE + number) * PAGE, part);
            }
        }
    }

    /// Overwrites bytes; those past the end of the file are left out.
    fn put(&mut self, at: usize, content: &[u8]) {
        let target = self.bytes.get_mut(at..).and_then(|rest| rest.get_mut(..content.len()));
        if let Some(target) = target {
            target.copy_from_slice(content);
        }
    }

    /// Begins a page of a stream after those of free page maps; `more` bytes are to follow.
    fn begin_page(&mut self, more: usize) -> Result<()> {
        while matches!(self.bytes.len() / PAGE % PAGE, 1 | 2) {
            self.bytes.resize(self.bytes.len() + PAGE, 0);
        }
        let size = self.bytes.len() as u64 + more as u64;
        if size > self.max {
            return Err(self.too_large(size));
        }
        self.bytes.try_reserve(more.max(PAGE)).map_err(|_| self.too_large(size))?;
        self.pages.push((self.bytes.len() / PAGE) as u32);
        Ok(())
    }

    fn fill_page(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(PAGE), 0);
    }

    fn too_large(&self, size: u64) -> Error {
        let kind = ErrorKind::TooLarge { what: "the MSF file of the streams", size, ceiling: self.max };
        Error::new(kind, Span::new(SpaceId(0), 0, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Msf, Owner};
    use super::*;
    use crate::bytes::{Origin, Spaces};

    fn rebuilt(streams: &[Option<Vec<u8>>]) -> Vec<u8> {
        let mut builder = Builder::new(1 << 28);
        for stream in streams {
            let Some(stream) = stream else {
                builder.add_nil();
                continue;
            };
            builder.begin_stream();
            for part in stream.chunks(5000) {
                builder.append(part).unwrap();
            }
            builder.end_stream().unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn streams_come_back() {
        let number = |len: usize| (0..len).map(|at| (at / 7) as u8).collect::<Vec<u8>>();
        // The last one is longer than an interval of free page maps.
        let streams = [Some(vec![]), None, Some(number(1)), Some(number(PAGE)), Some(number(4097 * PAGE + 3))];
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes("a", Origin::File("a".into()), rebuilt(&streams)).span().space;
        let msf = Msf::open(&mut spaces, file).unwrap();
        assert_eq!((msf.problems.len(), msf.stream_count()), (0, 5));
        for (stream, content) in msf.streams().zip(&streams) {
            assert_eq!(stream.is_nil(), content.is_none(), "{}", stream.index);
            assert_eq!(spaces.region(stream.space).unwrap().bytes(), content.as_deref().unwrap_or_default());
        }
        let map = msf.page_map(&spaces);
        for page in 0..msf.file_pages() {
            assert!(matches!(map.owner(&msf, page), Owner::Unique(_)), "{page}");
        }
    }

    #[test]
    fn a_file_above_the_limit_is_refused() {
        let mut builder = Builder::new(5 * PAGE as u64);
        builder.begin_stream();
        builder.append(&[1; PAGE]).unwrap();
        assert!(builder.append(&[1]).unwrap_err().to_string().contains("exceeds the limit"));
    }
}
