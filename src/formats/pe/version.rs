//! Version information (`VS_VERSIONINFO`): the version of a file as numbers and as strings.
//!
//! It is a tree of blocks, each a length, the length of its value, whether that is text, a key in UTF-16, the value and more blocks;
//! everything begins at a multiple of 4 bytes.
//!
//! # References
//!
//! Microsoft, *Version Information Structures*.

use crate::bytes::{Error, ErrorKind, Result, Slice, Span, fields};

/// Most strings that are read.
pub const MAX_STRINGS: usize = 4096;
/// Blocks inside each other: the root, `StringFileInfo`, a table, a string.
const MAX_DEPTH: usize = 4;
/// First number of the fixed part.
const SIGNATURE: u32 = 0xfeef_04bd;
const FIXED_SIZE: u64 = 52;

fields! {
    /// The size of a block in bytes, with the blocks inside it.
    LENGTH: "length";
    /// The size of the value: in characters where it is text, else in bytes.
    VALUE_LENGTH: "value length";
    /// 1: the value is text; 0: it is binary.
    TYPE: "type";
    /// A number of the fixed part (`VS_FIXEDFILEINFO`).
    NUMBER: "number";
}

/// The version of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionInfo {
    /// The numbers.
    pub fixed: Option<FixedVersion>,
    /// The strings, in the order of the file.
    pub strings: Vec<VersionString>,
    /// Bytes of all of it.
    pub span: Span,
}

/// The numbers (`VS_FIXEDFILEINFO`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedVersion {
    /// Version of the file, from the first number to the last.
    pub file: [u16; 4],
    /// Version of the product that it is a part of.
    pub product: [u16; 4],
    /// Bits that matter in `flags`.
    pub flags_mask: u32,
    /// Debug, prerelease, patched, private build, special build.
    pub flags: u32,
    /// Operating system that it is for.
    pub system: u32,
    /// Program, library, driver, font.
    pub kind: u32,
    /// Bytes of the numbers.
    pub span: Span,
}

/// A string: `FileDescription`, `LegalCopyright`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionString {
    /// Language and code page in hexadecimal digits: `040904b0`.
    pub table: String,
    /// Name of the string.
    pub key: String,
    /// Text.
    pub value: String,
    /// Bytes of the block.
    pub span: Span,
}

/// A block: offsets count from the beginning of the version information.
struct Block {
    start: u64,
    end: u64,
    key: String,
    value: u64,
    /// Bytes of the value.
    value_size: u64,
    children: u64,
}

impl VersionInfo {
    /// Reads version information, which is all of `bytes`.
    pub fn decode(bytes: Slice<'_>) -> Result<Self> {
        let root = block(bytes, 0, bytes.len())?;
        if root.key != "VS_VERSION_INFO" {
            return Err(Error::invalid("version information has the wrong key", bytes.span()));
        }
        let fixed = fixed(bytes, root.value, root.value_size);
        let mut info = Self { fixed, strings: Vec::new(), span: bytes.span().part(0, root.end) };
        info.add(bytes, &root, 1)?;
        Ok(info)
    }

    /// A string by its key, in the first language that has it.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.strings.iter().find(|string| string.key == key).map(|string| string.value.as_str())
    }

    /// Adds the strings inside `parent`.
    fn add(&mut self, bytes: Slice<'_>, parent: &Block, depth: usize) -> Result<()> {
        let mut at = parent.children;
        while at < parent.end {
            let child = block(bytes, at, parent.end)?;
            match depth {
                // The other block there is about which languages there are.
                1 if child.key != "StringFileInfo" => {}
                1 | 2 => self.add(bytes, &child, depth + 1)?,
                _ if depth >= MAX_DEPTH => {
                    return Err(Error::new(ErrorKind::TooDeep("version information"), bytes.span()));
                }
                _ if self.strings.len() >= MAX_STRINGS => {
                    return Err(Error::invalid("more version strings than are listed", bytes.span()));
                }
                _ => {
                    let span = bytes.span().part(child.start, child.end - child.start);
                    let value = text(bytes, child.value, child.end);
                    self.strings.push(VersionString { table: parent.key.clone(), key: child.key, value, span });
                }
            }
            at = child.end.next_multiple_of(4);
        }
        Ok(())
    }
}

/// The block at `at`, which lies before `end`.
fn block(bytes: Slice<'_>, at: u64, end: u64) -> Result<Block> {
    let mut cursor = bytes.part(at, end.saturating_sub(at))?.cursor();
    let size = u64::from(cursor.u16(&LENGTH)?);
    let value_size = u64::from(cursor.u16(&VALUE_LENGTH)?);
    let is_text = cursor.u16(&TYPE)? == 1;
    if size < 6 || size > end - at {
        return Err(Error::invalid("a block of the version information has a wrong length", bytes.span().part(at, 6)));
    }
    let end = at + size;
    let key_at = at + cursor.consumed();
    let key = text(bytes, key_at, end);
    // Behind the key, its NUL and the padding.
    let value = (key_at + 2 * (key.encode_utf16().count() as u64 + 1)).next_multiple_of(4).min(end);
    // The length of text counts characters, and some writers count bytes.
    let value_size = if is_text { value_size * 2 } else { value_size }.min(end - value);
    let children = (value + value_size).next_multiple_of(4).min(end);
    Ok(Block { start: at, end, key, value, value_size, children })
}

/// UTF-16 from `at` up to a NUL or to `end`.
fn text(bytes: Slice<'_>, at: u64, end: u64) -> String {
    let data = bytes.part(at, end.saturating_sub(at)).map(|part| part.data).unwrap_or_default();
    let units = data.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let text = char::decode_utf16(units.take_while(|unit| *unit != 0));
    text.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn fixed(bytes: Slice<'_>, at: u64, size: u64) -> Option<FixedVersion> {
    if size < FIXED_SIZE {
        return None;
    }
    let part = bytes.part(at, FIXED_SIZE).ok()?;
    let mut cursor = part.cursor();
    let mut numbers = [0; 13];
    for number in &mut numbers {
        *number = cursor.u32(&NUMBER).ok()?;
    }
    let [signature, _, file_high, file_low, product_high, product_low, flags_mask, flags, system, kind, ..] = numbers;
    let version = |high: u32, low: u32| [(high >> 16) as u16, high as u16, (low >> 16) as u16, low as u16];
    (signature == SIGNATURE).then(|| FixedVersion {
        file: version(file_high, file_low),
        product: version(product_high, product_low),
        flags_mask,
        flags,
        system,
        kind,
        span: part.span(),
    })
}
