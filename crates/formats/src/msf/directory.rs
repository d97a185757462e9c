use super::NIL;
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Result, Slice, fields};

/// The stream directory: size and page numbers of each stream.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// Number of streams as stated.
    pub count: u32,
    /// Size of each stream; [`NIL`] for one that does not exist.
    pub sizes: Vec<u32>,
    /// Page numbers, stream by stream.
    pub pages: Vec<u32>,
    pub problems: Vec<Error>,
}

impl Directory {
    fields! {
        /// The stream directory: the size of each stream, and the pages that hold it.
        pub DOC: "stream directory";
        /// The number of streams, nil streams included.
        pub STREAM_COUNT: "stream count";
        /// The sizes of all streams, in the order of their numbers.
        pub SIZES: "stream sizes";
        /// The size of the stream in bytes; 0xFFFFFFFF marks a nil stream, which does not exist.
        pub SIZE: "size of stream";
        /// The page numbers of all streams, one stream after the other.
        pub PAGES: "stream pages";
        /// A page of the stream; each stream lists as many pages as its size needs.
        pub PAGE: "page of stream";
        /// Bytes after the pages of the last stream, which no reader needs.
        pub LEFT_OVER: "left over";
        /// A page of the stream directory, listed in the directory's block map.
        pub DIRECTORY_PAGE: "page of the directory";
    }

    /// Reads the directory of a file whose pages have `page_size` bytes.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, page_size: u32) -> Result<Self> {
        let start = cursor.position();
        cursor.group(&Self::DOC, |c| {
            let mut directory = Self { count: c.u32(&Self::STREAM_COUNT)?, ..Self::default() };
            let count = (directory.count as u64).min(c.left() / 4);
            directory.sizes = c.group(&Self::SIZES, |c| read_sizes(c, count, page_size))?;
            if count < directory.count as u64 {
                let what = "stream in the directory";
                let kind = ErrorKind::NoSuch { what, index: directory.count as u64 - 1, count };
                directory.problems.push(c.error_since(start, kind));
            }
            let wanted = directory.sizes.iter().map(|size| pages_of(*size, page_size)).sum::<u64>();
            let behind = c.position();
            let there = wanted.min(c.left() / 4);
            directory.pages = c.group(&Self::PAGES, |c| directory.read_pages(c, there, page_size))?;
            if there < wanted {
                let size = c.position().saturating_sub(start) + c.left();
                let needed = size - there * 4 + wanted * 4;
                let kind = ErrorKind::DirectoryTooShort { size, needed, wanted, left: there };
                directory.problems.push(c.error_since(behind, kind));
            }
            if !c.is_done() {
                let behind = c.position();
                c.bytes(&Self::LEFT_OVER, c.left())?;
                let sentence = "the directory continues after the pages of its last stream";
                directory.problems.push(c.error_since(behind, ErrorKind::Invalid(sentence)));
            }
            Ok(directory)
        })
    }

    /// Reads page numbers, which belong to the streams in their order.
    fn read_pages<N: Recorder>(&self, c: &mut Cursor<'_, N>, count: u64, page_size: u32) -> Result<Vec<u32>> {
        let sizes = self.sizes.iter().enumerate();
        let mut owners =
            sizes.flat_map(|(stream, size)| (0..pages_of(*size, page_size)).map(move |page| (stream, page)));
        c.u32_list(&Self::PAGE, count, |c, _| {
            if let Some((stream, index)) = owners.next() {
                c.changed(&STATE_STREAM, None, stream as i64);
                c.changed(&STATE_PAGE, None, index as i64);
            }
        })
    }
}

/// Number of pages that a stream of `size` bytes takes.
const fn pages_of(size: u32, page_size: u32) -> u64 {
    if page_size == 0 || size == NIL { 0 } else { size.div_ceil(page_size) as u64 }
}

fn read_sizes<N: Recorder>(c: &mut Cursor<'_, N>, count: u64, page_size: u32) -> Result<Vec<u32>> {
    let mut pages = 0_i64;
    c.u32_list(&Directory::SIZE, count, |c, size| {
        let before = pages;
        pages += pages_of(size, page_size).cast_signed();
        c.changed(&STATE_PAGES, before, pages);
    })
}

fields! {
    /// Pages of the streams so far, each stream's size divided by the page size and rounded up.
    STATE_PAGES: "total pages";
    /// Stream that the page belongs to.
    STATE_STREAM: "stream";
    /// Number of the page in its stream, from 0.
    STATE_PAGE: "page of the stream";
}

/// Reads `slice` as 32-bit numbers; bytes after the last whole one are ignored.
pub(super) fn numbers(slice: Slice<'_>) -> Result<Vec<u32>> {
    slice.cursor().u32_list(&Directory::DIRECTORY_PAGE, slice.len() / 4, |_, _| ())
}
