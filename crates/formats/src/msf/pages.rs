use super::Msf;
use crate::bytes::{Error, ErrorKind, Spaces, Span};

/// Limit of pages of one kind that [`PageMap::problems`] lists.
const MAX_NAMED: usize = 100;

/// Use of a page: the structure that it is part of, and the first byte of it that is on the page.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageUse {
    /// Page 0.
    Superblock,
    FreePageMap {
        /// Number of the map: 1 or 2.
        number: u8,
        /// The first byte of the map that is on the page.
        from: u64,
    },
    /// Block map: page numbers of the directory.
    PageList {
        /// The first byte of the list that is on the page.
        from: u64,
    },
    Directory {
        /// The first byte of the directory that is on the page.
        from: u64,
    },
    Stream {
        stream: u32,
        /// The first byte of the stream that is on the page.
        from: u64,
    },
}

/// Owner of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Used once.
    Unique(PageUse),
    /// Used twice, of which at most one can be right.
    Conflict(PageUse, PageUse),
    /// Unused, and free in the active free page map; may have old content.
    Free,
    /// Unused, but in use in the active free page map.
    Unclaimed,
    /// Outside of the file.
    Missing,
}

impl Owner {
    /// Returns the use of the page, the first of two conflicting ones.
    pub const fn page_use(self) -> Option<PageUse> {
        match self {
            Self::Unique(claim) | Self::Conflict(claim, _) => Some(claim),
            Self::Free | Self::Unclaimed | Self::Missing => None,
        }
    }
}

/// Use of each page of a file, in 4 bytes and 1 bit per page.
#[derive(Debug)]
pub struct PageMap {
    /// For each page of the file, 1 plus the index of its number in [`Msf::pages`], or one of the values below; 0 if
    /// unused.
    claims: Vec<u32>,
    /// Pages that are used twice, in ascending order, with their second use.
    again: Vec<(u32, u32)>,
    /// The bits of the active free page map.
    free: Vec<u8>,
    /// Pages that are used twice, and used pages that are free in the active free page map; at most 100 of each.
    pub problems: Vec<Error>,
}

const UNCLAIMED: u32 = 0;
const SUPERBLOCK: u32 = u32::MAX;
const MAPS: [u32; 2] = [u32::MAX - 1, u32::MAX - 2];

impl PageMap {
    pub(super) fn new(msf: &Msf, spaces: &Spaces) -> Self {
        let count = msf.file_pages();
        let claims = vec![UNCLAIMED; if msf.page_size == 0 { 0 } else { count as usize }];
        let mut map = Self { claims, again: Vec::new(), free: Vec::new(), problems: Vec::new() };
        map.claim(0, SUPERBLOCK);
        for (page, number) in [1, 2].into_iter().zip(MAPS) {
            // The page size is 0 only if there are no pages.
            for page in (page..count).step_by(msf.page_size.max(1) as usize).take(map.claims.len()) {
                map.claim(page, number);
            }
        }
        for (index, page) in msf.pages.iter().enumerate() {
            map.claim(*page, (index as u32).saturating_add(1));
        }
        map.again.sort_unstable();
        map.free = active_map(msf, spaces, count);
        map.find_problems(msf);
        map
    }

    fn claim(&mut self, page: u32, by: u32) {
        match self.claims.get_mut(page as usize) {
            Some(claim) if *claim == UNCLAIMED => *claim = by,
            Some(_) => self.again.push((page, by)),
            None => {}
        }
    }

    fn find_problems(&mut self, msf: &Msf) {
        let span = |page: u32| Span::new(msf.file, page as u64 * msf.page_size as u64, msf.page_size as u64);
        for (page, _) in self.again.iter().take(MAX_NAMED) {
            self.problems.push(Error::new(ErrorKind::Invalid("this page is used twice"), span(*page)));
        }
        let streams_first = msf.entries.get(1).map_or(u32::MAX, |entry| entry.first.saturating_add(1));
        let in_use_but_free = (0_u32..).zip(&self.claims).filter(|(page, claim)| {
            // The old directory, stream 0, is kept in free pages.
            (streams_first..MAPS[1]).contains(*claim) && self.is_free(*page)
        });
        let number = if msf.superblock.active_map == 2 { 2 } else { 1 };
        let error = |(page, claim): (u32, &u32)| match meaning(msf, page, *claim) {
            Some(PageUse::Stream { stream, .. }) => {
                Some(Error::new(ErrorKind::FreePageInUse { page, stream, map: number }, span(page)))
            }
            _ => None,
        };
        let problems: Vec<_> = in_use_but_free.filter_map(error).take(MAX_NAMED).collect();
        self.problems.extend(problems);
    }

    /// Returns the owner of `page`.
    pub fn owner(&self, msf: &Msf, page: u32) -> Owner {
        let Some(claim) = self.claims.get(page as usize) else { return Owner::Missing };
        let Some(first) = meaning(msf, page, *claim) else {
            return if self.is_free(page) { Owner::Free } else { Owner::Unclaimed };
        };
        let again = self.again.partition_point(|(claimed, _)| *claimed < page);
        match self.again.get(again) {
            Some((claimed, by)) if *claimed == page => {
                meaning(msf, page, *by).map_or(Owner::Unique(first), |second| Owner::Conflict(first, second))
            }
            _ => Owner::Unique(first),
        }
    }

    /// Returns true if `page` is free in the active free page map.
    pub fn is_free(&self, page: u32) -> bool {
        self.free.get(page as usize / 8).is_some_and(|byte| byte >> (page % 8) & 1 == 1)
    }

    /// Returns the number of pages that the active free page map marks as free.
    pub fn free(&self) -> u64 {
        let whole = self.claims.len() / 8;
        let bits: u64 = self.free.iter().take(whole).map(|byte| u64::from(byte.count_ones())).sum();
        let last = (whole * 8..self.claims.len()).filter(|page| self.is_free(*page as u32));
        bits + last.count() as u64
    }

    /// Number of pages.
    pub const fn len(&self) -> usize {
        self.claims.len()
    }

    /// Returns true if there are none.
    pub const fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }
}

/// As many bytes of the active free page map as have bits for `count` pages.
fn active_map(msf: &Msf, spaces: &Spaces, count: u32) -> Vec<u8> {
    let [first, second] = msf.free_page_maps;
    let space = if msf.superblock.active_map == 2 { second } else { first };
    let len = (count as u64).div_ceil(8).min(spaces.whole(space).len);
    spaces.read(Span::new(space, 0, len)).map(std::borrow::Cow::into_owned).unwrap_or_default()
}

/// Decodes a value of [`PageMap::claims`].
fn meaning(msf: &Msf, page: u32, claim: u32) -> Option<PageUse> {
    let page_size = msf.page_size as u64;
    if claim == SUPERBLOCK {
        return Some(PageUse::Superblock);
    }
    if let Some(map) = MAPS.iter().position(|number| *number == claim) {
        // One page of the map in each interval of `page size` pages.
        let from = u64::from(page).checked_div(page_size)? * page_size;
        return Some(PageUse::FreePageMap { number: (map as u8).saturating_add(1), from });
    }
    let index = claim.checked_sub(1)?;
    let streams_first = msf.entries.first().map_or(u32::MAX, |entry| entry.first);
    if index < msf.directory_first {
        return Some(PageUse::PageList { from: index as u64 * page_size });
    }
    if index < streams_first {
        return Some(PageUse::Directory { from: page_size * u64::from(index.abs_diff(msf.directory_first)) });
    }
    // The last stream that begins at or before the index; earlier ones with the same start have no pages.
    let stream = (msf.entries.partition_point(|entry| entry.first <= index) as u32).checked_sub(1)?;
    let first = msf.entries.get(stream as usize)?.first;
    Some(PageUse::Stream { stream, from: index.saturating_sub(first) as u64 * page_size })
}
