use crate::bytes::{Cursor, Encoding, Error, ErrorKind, Recorder, Result, SpaceId, Span, fields};

/// The 32 bytes that an MSF 7.00 file begins with.
pub const MAGIC: &[u8; 32] = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";
const PAGE_SIZES: std::ops::RangeInclusive<u32> = 0x200..=0x1_0000;
/// Maximum size of the superblock, which fits on one page.
pub(super) const MAX_SIZE: u64 = *PAGE_SIZES.end() as u64;
/// Offsets of the numbers of the superblock, which take 4 bytes each.
const PAGE_SIZE_AT: u64 = MAGIC.len() as u64;
const ACTIVE_MAP_AT: u64 = PAGE_SIZE_AT + 4;
const PAGE_COUNT_AT: u64 = PAGE_SIZE_AT + 8;
const DIRECTORY_SIZE_AT: u64 = PAGE_SIZE_AT + 12;
const PAGE_LIST_AT: u64 = PAGE_SIZE_AT + 20;

/// Superblock: the page size of the file, and the location of the stream directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superblock {
    /// Size of a page in bytes.
    pub page_size: u32,
    /// Active free page map: 1 or 2.
    pub active_map: u32,
    /// Number of pages of the file.
    pub page_count: u32,
    /// Size of the directory in bytes.
    pub directory_size: u32,
    /// The pages of the directory's block map.
    pub page_list: Vec<u32>,
}

impl Superblock {
    fields! {
        /// The superblock, which begins page 0: the page size of the file, and the location of the stream directory.
        pub DOC: "superblock";
        /// Identifies an MSF file of version 7.00; the 0x1A byte stops the DOS `type` command.
        pub MAGIC: "magic";
        /// The size of a page (block) in bytes: page N begins at file offset N × page size.
        pub PAGE_SIZE: "page size";
        /// The active free page map (FPM); a commit writes the other one and then changes this number.
        pub ACTIVE_MAP: "active free page map" as OneOf(&[(1, "FPM1"), (2, "FPM2")]);
        /// The number of pages in the file; a file with fewer bytes than that was truncated.
        pub PAGE_COUNT: "page count";
        /// The size of the stream directory in bytes; the directory's block map lists its pages.
        pub DIRECTORY_SIZE: "directory size";
        /// Unused; a pointer in the memory of the program that wrote the file.
        pub UNUSED: "unused" as Hex;
        /// A page of the directory's block map, which holds the page numbers of the directory: superblock → block map →
        /// directory → streams.
        pub PAGE_LIST: "page of the directory's block map";
    }

    /// Reads the superblock, at the first byte of the file.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is not an MSF 7.00 file")));
        }
        cursor.group(&Self::DOC, |c| {
            c.text(&Self::MAGIC, MAGIC.len() as u64, Encoding::Utf8)?;
            let mut superblock = Self {
                page_size: c.u32(&Self::PAGE_SIZE)?,
                active_map: c.u32(&Self::ACTIVE_MAP)?,
                page_count: c.u32(&Self::PAGE_COUNT)?,
                directory_size: c.u32(&Self::DIRECTORY_SIZE)?,
                page_list: Vec::new(),
            };
            c.u32(&Self::UNUSED)?;
            // The list does not leave page 0.
            let room = (superblock.page_size as u64).saturating_sub(PAGE_LIST_AT).min(c.left()) / 4;
            for _ in 0..superblock.page_list_pages().min(room) {
                superblock.page_list.push(c.u32(&Self::PAGE_LIST)?);
            }
            Ok(superblock)
        })
    }

    /// Returns whether the page size is one that a file can have: a power of two from 512 to 65536.
    pub(crate) fn page_size_is_sound(&self) -> bool {
        self.page_size.is_power_of_two() && PAGE_SIZES.contains(&self.page_size)
    }

    /// Returns the number of pages of the directory.
    pub const fn directory_pages(&self) -> u64 {
        if self.page_size == 0 { 0 } else { (self.directory_size as u64).div_ceil(self.page_size as u64) }
    }

    const fn page_list_pages(&self) -> u64 {
        if self.page_size == 0 { 0 } else { (self.directory_pages() * 4).div_ceil(self.page_size as u64) }
    }

    /// Span of the numbers of the page list's pages.
    pub(super) const fn page_list_span(&self, file: SpaceId) -> Span {
        Span::new(file, PAGE_LIST_AT, self.page_list.len() as u64 * 4)
    }

    /// Returns the problems of the superblock, given all of the `file` that it begins.
    pub(super) fn problems(&self, file: Span) -> Vec<Error> {
        let mut problems = Vec::new();
        let mut note = |kind, at| problems.push(Error::new(kind, file.part(at, 4)));
        let unexpected = |what, value: u32, expected| ErrorKind::Unexpected { what, value: value.into(), expected };
        if !self.page_size_is_sound() {
            let kind = unexpected("page size", self.page_size, "a power of two from 512 to 65536");
            note(kind, PAGE_SIZE_AT);
            return problems;
        }
        if !matches!(self.active_map, 1 | 2) {
            note(unexpected("active free page map", self.active_map, "1 or 2"), ACTIVE_MAP_AT);
        }
        let claimed = self.page_size as u64 * self.page_count as u64;
        if claimed > file.len {
            note(ErrorKind::UnexpectedEnd { wanted: claimed, left: file.len }, PAGE_COUNT_AT);
        }
        if !self.directory_size.is_multiple_of(4) {
            note(unexpected("directory size", self.directory_size, "a multiple of 4"), DIRECTORY_SIZE_AT);
        }
        let (wanted, left) = (self.page_list_pages() * 4, self.page_list.len() as u64 * 4);
        if left < wanted {
            note(ErrorKind::UnexpectedEnd { wanted, left }, DIRECTORY_SIZE_AT);
        }
        if claimed < file.len {
            let sentence = "the file continues after the last page that its superblock counts";
            problems.push(Error::invalid(sentence, file.part(claimed, file.len - claimed)));
        }
        problems
    }
}
