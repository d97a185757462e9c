use super::NIL;
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Result, Slice};

/// The directory as it stands: the size and the page numbers of each stream.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// How many streams it says there are.
    pub count: u32,
    /// The size of each; [`NIL`] for one that does not exist.
    pub sizes: Vec<u32>,
    /// The page numbers of all of them, one stream after the other.
    pub pages: Vec<u32>,
    /// What is wrong with it.
    pub problems: Vec<Error>,
}

impl Directory {
    /// Reads the directory of a file whose pages have `page_size` bytes.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, page_size: u32) -> Result<Self> {
        let start = cursor.position();
        cursor.group("stream directory", |c| {
            let mut directory = Self { count: c.u32("stream count")?, ..Self::default() };
            let count = (directory.count as u64).min(c.left() / 4);
            directory.sizes = c.group("stream sizes", |c| (0..count).map(|_| c.u32("size of stream")).collect())?;
            if count < directory.count as u64 {
                let what = "stream in the directory";
                let kind = ErrorKind::NoSuch { what, index: directory.count as u64 - 1, count };
                directory.problems.push(c.error_since(start, kind));
            }
            let wanted = directory.page_count(page_size);
            let behind = c.position();
            let there = wanted.min(c.left() / 4);
            directory.pages = c.group("stream pages", |c| (0..there).map(|_| c.u32("page of stream")).collect())?;
            if there < wanted {
                let kind = ErrorKind::UnexpectedEnd { wanted: wanted * 4, left: there * 4 };
                directory.problems.push(c.error_since(behind, kind));
            }
            if !c.is_done() {
                let behind = c.position();
                c.bytes("left over", c.left())?;
                let sentence = "the directory goes on behind the pages of its last stream";
                directory.problems.push(c.error_since(behind, ErrorKind::Invalid(sentence)));
            }
            Ok(directory)
        })
    }

    /// How many pages the streams take together.
    fn page_count(&self, page_size: u32) -> u64 {
        if page_size == 0 {
            return 0;
        }
        self.sizes.iter().filter(|size| **size != NIL).map(|size| size.div_ceil(page_size) as u64).sum()
    }
}

/// The numbers that `slice` is made of.
pub(super) fn numbers(slice: Slice<'_>) -> Vec<u32> {
    let mut cursor = slice.cursor();
    (0..slice.len() / 4).map_while(|_| cursor.u32("page of the directory").ok()).collect()
}
