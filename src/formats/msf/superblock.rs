use crate::bytes::{Cursor, Encoding, Error, ErrorKind, Notes, Result, SpaceId, Span};

/// The 32 bytes that an MSF 7.00 file begins with.
pub const MAGIC: &[u8; 32] = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";

/// The page sizes that MSF 7.00 knows.
const PAGE_SIZES: std::ops::RangeInclusive<u32> = 0x200..=0x1_0000;

/// The most bytes that the superblock, which does not leave its page, can have.
pub(super) const MAX_SIZE: u64 = *PAGE_SIZES.end() as u64;

/// Where the numbers of the superblock begin; each takes 4 bytes.
const PAGE_SIZE_AT: u64 = MAGIC.len() as u64;
const ACTIVE_MAP_AT: u64 = PAGE_SIZE_AT + 4;
const PAGE_COUNT_AT: u64 = PAGE_SIZE_AT + 8;
const DIRECTORY_SIZE_AT: u64 = PAGE_SIZE_AT + 12;
const PAGE_LIST_AT: u64 = PAGE_SIZE_AT + 20;

/// What page 0 begins with: how the file is cut into pages, and where its directory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superblock {
    /// How many bytes a page has.
    pub page_size: u32,
    /// Which of the two free page maps counts: 1 or 2.
    pub active_map: u32,
    /// How many pages the file has.
    pub page_count: u32,
    /// How many bytes the directory has.
    pub directory_size: u32,
    /// The pages of the directory's page list.
    pub page_list: Vec<u32>,
}

impl Superblock {
    /// Reads the superblock, at the first byte of the file.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is no MSF 7.00 file")));
        }
        cursor.group("superblock", |c| {
            c.text("magic", MAGIC.len() as u64, Encoding::Utf8)?;
            let mut superblock = Self {
                page_size: c.u32("page size")?,
                active_map: c.u32("active free page map")?,
                page_count: c.u32("page count")?,
                directory_size: c.u32("directory size")?,
                page_list: Vec::new(),
            };
            c.u32("unused")?;
            // The list does not leave page 0.
            let room = (superblock.page_size as u64).saturating_sub(PAGE_LIST_AT).min(c.left()) / 4;
            for _ in 0..superblock.page_list_pages().min(room) {
                superblock.page_list.push(c.u32("page of the directory's page list")?);
            }
            Ok(superblock)
        })
    }

    /// Whether the page size is one that a file can have: a power of two from 512 to 65536.
    pub fn page_size_is_sound(&self) -> bool {
        self.page_size.is_power_of_two() && PAGE_SIZES.contains(&self.page_size)
    }

    /// How many pages the directory takes.
    pub const fn directory_pages(&self) -> u64 {
        if self.page_size == 0 { 0 } else { (self.directory_size as u64).div_ceil(self.page_size as u64) }
    }

    /// How many pages the directory's page list takes.
    const fn page_list_pages(&self) -> u64 {
        if self.page_size == 0 { 0 } else { (self.directory_pages() * 4).div_ceil(self.page_size as u64) }
    }

    /// Where the numbers of the page list's pages stand.
    pub(super) const fn page_list_span(&self, file: SpaceId) -> Span {
        Span::new(file, PAGE_LIST_AT, self.page_list.len() as u64 * 4)
    }

    /// What is wrong with it, given all of the `file` that it is the superblock of.
    pub(super) fn problems(&self, file: Span) -> Vec<Error> {
        let mut problems = Vec::new();
        let mut note = |kind, at| problems.push(Error::new(kind, file.part(at, 4)));
        if !self.page_size_is_sound() {
            note(ErrorKind::Invalid("a page size is a power of two from 512 to 65536"), PAGE_SIZE_AT);
            return problems;
        }
        if !matches!(self.active_map, 1 | 2) {
            note(ErrorKind::Invalid("the active free page map is neither 1 nor 2"), ACTIVE_MAP_AT);
        }
        let claimed = self.page_size as u64 * self.page_count as u64;
        if claimed > file.len {
            note(ErrorKind::UnexpectedEnd { wanted: claimed, left: file.len }, PAGE_COUNT_AT);
        }
        if !self.directory_size.is_multiple_of(4) {
            note(ErrorKind::Invalid("the directory is made of 4-byte numbers, but its size is not"), DIRECTORY_SIZE_AT);
        }
        let (wanted, left) = (self.page_list_pages() * 4, self.page_list.len() as u64 * 4);
        if left < wanted {
            note(ErrorKind::UnexpectedEnd { wanted, left }, DIRECTORY_SIZE_AT);
        }
        if claimed < file.len {
            let sentence = "the file goes on behind the last page that its superblock knows";
            problems.push(Error::invalid(sentence, file.part(claimed, file.len - claimed)));
        }
        problems
    }
}
