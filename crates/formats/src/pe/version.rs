//! Version information (`VS_VERSIONINFO`): the version of a file as numbers and as strings.
//!
//! It is a tree of blocks, each a length, the length of its value, whether that is text, a key in UTF-16, the value and more blocks;
//! everything begins at a multiple of 4 bytes.
//!
//! # References
//!
//! Microsoft, *Version Information Structures*.

use crate::bytes::{Cursor, Encoding, Error, FieldDoc, Recorder, Result, Slice, Span, fields, record};

pub(crate) const MAX_STRINGS: usize = 4096;
/// First number of the fixed part.
const SIGNATURE: u32 = 0xfeef_04bd;
/// Bytes of the numbers before a block's key.
const HEAD_SIZE: u64 = BlockHead::SIZE;

record! {
    /// The numbers at the beginning of a block.
    struct BlockHead: "head" {
        /// The size of the block in bytes, with the blocks inside it.
        length: u16,
        /// The size of the value: in characters if it is text, otherwise in bytes.
        value_length: u16,
        /// The kind of the value.
        kind "type": u16 as OneOf(&[(0, "binary"), (1, "text")]),
    }
}

record! {
    /// The version as numbers (VS_FIXEDFILEINFO), which does not depend on a language.
    pub struct FixedFileInfo: "fixed file info" {
        /// 0xFEEF04BD, which marks the structure.
        signature: u32 as Hex,
        /// The version of this structure; 0x00010000.
        structure_version: u32 as Hex,
        /// The first two numbers of the file's version, 16 bits each.
        file_version_high: u32 as Hex,
        /// The last two numbers of the file's version, 16 bits each.
        file_version_low: u32 as Hex,
        /// The first two numbers of the product's version, 16 bits each.
        product_version_high: u32 as Hex,
        /// The last two numbers of the product's version, 16 bits each.
        product_version_low: u32 as Hex,
        /// The bits of the flags that are valid.
        flags_mask: u32 as Hex,
        /// Properties of the build.
        flags: u32 as Flags(FLAGS),
        /// The operating system that the file was built for.
        system: u32 as OneOf(SYSTEMS),
        /// The kind of file.
        kind "type": u32 as OneOf(KINDS),
        /// The kind of driver or font; 0 for other files.
        subtype: u32,
        /// The upper half of the creation time; mostly 0.
        date_high: u32 as Hex,
        /// The lower half of the creation time; mostly 0.
        date_low: u32 as Hex,
    }
}

record! {
    /// A language that the strings are available in.
    struct Translation: "translation" {
        /// The language identifier; 0x0409 is English (United States), 0 is neutral.
        language: u16 as Hex,
        /// The code page of the strings; 1200 is UTF-16.
        code_page: u16,
    }
}

const FLAGS: &[(u64, &str)] = &[
    (0x01, "DEBUG"),
    (0x02, "PRERELEASE"),
    (0x04, "PATCHED"),
    (0x08, "PRIVATEBUILD"),
    (0x10, "INFOINFERRED"),
    (0x20, "SPECIALBUILD"),
];
const SYSTEMS: &[(u64, &str)] = &[
    (0, "unknown"),
    (0x4, "Windows"),
    (0x1_0000, "DOS"),
    (0x1_0001, "16-bit Windows on DOS"),
    (0x1_0004, "32-bit Windows on DOS"),
    (0x4_0000, "Windows NT"),
    (0x4_0004, "Windows NT, 32-bit"),
];
const KINDS: &[(u64, &str)] = &[
    (0, "unknown"),
    (1, "application"),
    (2, "DLL"),
    (3, "driver"),
    (4, "font"),
    (5, "virtual device"),
    (7, "static library"),
];

fields! {
    /// The version resource: the outermost block, with the key VS_VERSION_INFO.
    VERSION_INFO: "version info";
    /// The block of the strings, a table for each language.
    STRING_FILE_INFO: "string file info";
    /// The strings of one language; its key is language and code page in hexadecimal digits.
    STRING_TABLE: "string table";
    /// A string, such as the name of the product.
    STRING: "string";
    /// The block that lists the languages.
    VAR_FILE_INFO: "var file info";
    /// A value of the list of languages.
    VAR: "var";
    /// A block of a kind that is not defined.
    OTHER: "block";
    /// The name of the block in UTF-16, with the NUL that ends it.
    KEY: "key";
    /// The text of the string in UTF-16.
    VALUE: "value";
    /// Bytes of a value or of blocks with no defined meaning.
    CONTENT: "content";
    /// Unused bytes after the last field of a block.
    FILL: "padding";
}

/// The version of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionInfo {
    /// The numbers; `None` where the resource has none.
    pub fixed: Option<FixedFileInfo>,
    /// The strings, in the order of the file.
    pub strings: Vec<VersionString>,
}

/// A string: `FileDescription`, `LegalCopyright`.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionString {
    /// Language and code page in hexadecimal digits: `040904b0`.
    pub table: String,
    pub key: String,
    pub value: String,
    pub span: Span,
}

impl FixedFileInfo {
    /// Version of the file, from the first number to the last.
    pub const fn file(&self) -> [u16; 4] {
        numbers(self.file_version_high, self.file_version_low)
    }

    /// Version of the product that the file is a part of.
    pub const fn product(&self) -> [u16; 4] {
        numbers(self.product_version_high, self.product_version_low)
    }
}

const fn numbers(high: u32, low: u32) -> [u16; 4] {
    [(high >> 16) as u16, high as u16, (low >> 16) as u16, low as u16]
}

impl VersionInfo {
    /// Reads version information from the beginning of the cursor's bytes, and what follows it as padding.
    pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let mut info = Self::default();
        block(c, &VERSION_INFO, |c, head, key| {
            if key != "VS_VERSION_INFO" {
                return Err(Error::invalid("the version information does not begin with VS_VERSION_INFO", head.span));
            }
            info.root(c, head)
        })?;
        c.left_over(&FILL)?;
        Ok(info)
    }

    /// A string by its key, in the first language that has it.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.strings.iter().find(|string| string.key == key).map(|string| string.value.as_str())
    }

    fn root<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, head: BlockHead) -> Result<()> {
        let value = u64::from(head.value_length).min(c.left());
        c.within(value, |c| {
            if c.left() >= FixedFileInfo::SIZE && c.remaining().starts_with(&SIGNATURE.to_le_bytes()) {
                self.fixed = Some(FixedFileInfo::decode(c)?);
            }
            c.left_over(&CONTENT)
        })?;
        blocks(c, |c| match key_of(c.rest()).as_str() {
            "StringFileInfo" => block(c, &STRING_FILE_INFO, |c, _, _| self.tables(c)),
            "VarFileInfo" => block(c, &VAR_FILE_INFO, |c, _, _| blocks(c, |c| block(c, &VAR, |c, _, _| languages(c)))),
            _ => block(c, &OTHER, |c, _, _| c.left_over(&CONTENT)),
        })
    }

    fn tables<N: Recorder>(&mut self, c: &mut Cursor<'_, N>) -> Result<()> {
        blocks(c, |c| {
            block(c, &STRING_TABLE, |c, _, table| {
                blocks(c, |c| {
                    let start = c.position();
                    let (key, value) = block(c, &STRING, |c, _, key| Ok((key.to_owned(), value(c)?)))?;
                    let span = c.since(start);
                    if self.strings.len() >= MAX_STRINGS {
                        return Err(Error::invalid("too many version strings: the list is cut", span));
                    }
                    self.strings.push(VersionString { table: table.to_owned(), key, value, span });
                    Ok(())
                })
            })
        })
    }
}

/// Reads a block: its numbers, its key, and by `content` the rest of its length.
fn block<N: Recorder, T>(
    c: &mut Cursor<'_, N>,
    doc: &'static FieldDoc,
    content: impl FnOnce(&mut Cursor<'_, N>, BlockHead, &str) -> Result<T>,
) -> Result<T> {
    let length = c.remaining().first_chunk().map_or(0, |length| u64::from(u16::from_le_bytes(*length)));
    if length < HEAD_SIZE || length > c.left() {
        let span = c.rest().span().part(0, HEAD_SIZE.min(c.left()));
        return Err(Error::invalid("the length of a version information block is invalid", span));
    }
    c.within(length, |c| {
        c.group(doc, |c| {
            let head = BlockHead::decode_fields(c)?;
            let key = utf16(c, &KEY)?;
            c.align(4)?;
            let content = content(c, head, &key)?;
            c.left_over(&FILL)?;
            Ok(content)
        })
    })
}

/// Reads blocks up to the end, or to zeros that are none.
fn blocks<N: Recorder>(c: &mut Cursor<'_, N>, mut each: impl FnMut(&mut Cursor<'_, N>) -> Result<()>) -> Result<()> {
    loop {
        c.align(4)?;
        if c.remaining().iter().take(2).all(|byte| *byte == 0) {
            return c.left_over(&FILL);
        }
        each(c)?;
    }
}

/// The text of a string. The length that its block states counts characters or bytes, depending on the writer: the text ends at a NUL.
fn value<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<String> {
    if c.left() < 2 { Ok(String::new()) } else { utf16(c, &VALUE) }
}

fn languages<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    while c.left() >= Translation::SIZE {
        Translation::decode(c)?;
    }
    Ok(())
}

/// UTF-16 up to the NUL that ends it, or to the end of the block.
fn utf16<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<String> {
    let is_ended = c.remaining().as_chunks::<2>().0.contains(&[0, 0]);
    let text = if is_ended { c.text_16z(doc)? } else { c.text(doc, c.left() & !1, Encoding::Utf16)? };
    Ok(decoded(text))
}

/// The key of the block that begins `bytes`.
fn key_of(bytes: Slice<'_>) -> String {
    // The longest that is compared has 14 characters.
    let len = bytes.len().saturating_sub(HEAD_SIZE).min(32);
    bytes.part(HEAD_SIZE, len).map(decoded).unwrap_or_default()
}

fn decoded(text: Slice<'_>) -> String {
    let units = text.data.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let text = char::decode_utf16(units.take_while(|unit| *unit != 0));
    text.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
