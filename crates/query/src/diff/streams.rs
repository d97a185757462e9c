//! Pages of two MSF files: each stream is compared with the stream of the same name, whatever pages they are on.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::Range;

use super::align::{Gap, gaps};
use pdblens_formats::msf::PageUse;
use pdblens_nodes::stream::PdbView;
use pdblens_session::session::Session;

/// Largest file whose streams are put together for the comparison.
const MAX_SIZE: usize = 1 << 30;

/// Content of a stream, of a structure of the container, or of what nothing owns: its pages in their order there, each with its offset.
type Pages = Vec<(u64, usize)>;

/// The pages of a file by what they belong to, and their size.
struct File<'f> {
    bytes: &'f [u8],
    page_size: NonZero<usize>,
    /// In the order of the first page of each.
    keys: Vec<String>,
    owners: HashMap<String, Pages>,
}

impl<'f> File<'f> {
    /// `None` for a file that does not consist of whole pages, or that is too large.
    fn of(session: &Session, bytes: &'f [u8]) -> Option<Self> {
        let view = PdbView::of(session)?;
        let page_size = NonZero::new(view.pdb.msf.page_size() as usize)?;
        if bytes.len() > MAX_SIZE || !bytes.len().is_multiple_of(page_size.get()) {
            return None;
        }
        let names = names(&view);
        let map = view.pdb.msf.page_map(view.spaces);
        let mut file = Self { bytes, page_size, keys: Vec::new(), owners: HashMap::new() };
        for page in 0..bytes.len() / page_size {
            let number = u32::try_from(page).ok()?;
            let (key, from) = match map.owner(&view.pdb.msf, number).page_use() {
                Some(PageUse::Superblock) => ("superblock".to_owned(), 0),
                Some(PageUse::FreePageMap { number, from }) => (format!("free page map {number}"), from),
                Some(PageUse::PageList { from }) => ("page list".to_owned(), from),
                Some(PageUse::Directory { from }) => ("directory".to_owned(), from),
                Some(PageUse::Stream { stream, from }) => {
                    (names.get(stream as usize).cloned().unwrap_or_default(), from)
                }
                None => ("free".to_owned(), u64::from(number)),
            };
            if !file.owners.contains_key(&key) {
                file.keys.push(key.clone());
            }
            file.owners.entry(key).or_default().push((from, page));
        }
        file.owners.values_mut().for_each(|pages| pages.sort_unstable());
        Some(file)
    }

    fn content(&self, pages: &[(u64, usize)]) -> Vec<u8> {
        let size = self.page_size.get();
        let page = |number: usize| self.bytes.get(number * size..)?.get(..size);
        pages.iter().flat_map(|(_, number)| page(*number).unwrap_or_default()).copied().collect()
    }

    /// Offset in the file of an offset in the content.
    fn offset(&self, pages: &[(u64, usize)], at: usize) -> usize {
        let page = pages.get(at / self.page_size).or(pages.last()).map_or(0, |(_, page)| *page);
        page * self.page_size.get() + at % self.page_size
    }

    /// Bytes from an offset to the end of its page.
    fn left(&self, at: usize) -> usize {
        self.page_size.get() - at % self.page_size
    }
}

/// Names of the streams, which tell modules of one name apart.
fn names(view: &PdbView<'_>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let number = |stream: u32| {
        let name = format!("stream {}", view.stream_name(stream));
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        format!("{name} {number}")
    };
    (0..view.pdb.msf.stream_count()).map(number).collect()
}

/// Gaps of two MSF files by their streams, none of which crosses a page; `None` if one is not an MSF file, or is truncated.
pub(super) fn gaps_of_streams(a: &Session, b: &Session, one: &[u8], two: &[u8]) -> Option<Vec<Gap>> {
    let (one, two) = (File::of(a, one)?, File::of(b, two)?);
    let mut found = Vec::new();
    let none = Pages::new();
    let others = two.keys.iter().filter(|key| !one.owners.contains_key(*key));
    for key in one.keys.iter().chain(others) {
        let (first, second) = (one.owners.get(key).unwrap_or(&none), two.owners.get(key).unwrap_or(&none));
        let (left, right) = (one.content(first), two.content(second));
        if left != right {
            for gap in gaps(&left, &right) {
                add(&gap, (&one, first, &left), (&two, second, &right), &mut found);
            }
        }
    }
    Some(found)
}

type Side<'s> = (&'s File<'s>, &'s Pages, &'s [u8]);

/// Adds the parts of a gap, page by page, at their offsets in the files.
fn add(gap: &Gap, one: Side<'_>, two: Side<'_>, found: &mut Vec<Gap>) {
    let (mut first, mut second) = (gap.first.clone(), gap.second.clone());
    let at = |(file, pages, _): Side<'_>, range: &Range<usize>, len: usize| {
        let start = file.offset(pages, range.start);
        start..start + len
    };
    while !first.is_empty() && !second.is_empty() {
        let len = first.len().min(second.len()).min(one.0.left(first.start)).min(two.0.left(second.start));
        let ends = (first.start + len, second.start + len);
        if one.2.get(first.start..ends.0) != two.2.get(second.start..ends.1) {
            found.push(Gap { first: at(one, &first, len), second: at(two, &second, len) });
        }
        (first.start, second.start) = ends;
    }
    while !first.is_empty() {
        let len = first.len().min(one.0.left(first.start));
        found.push(Gap { first: at(one, &first, len), second: at(two, &second, 0) });
        first.start += len;
    }
    while !second.is_empty() {
        let len = second.len().min(two.0.left(second.start));
        found.push(Gap { first: at(one, &first, 0), second: at(two, &second, len) });
        second.start += len;
    }
}
