//! The Rich header: which build tools made the objects that were linked, and how many each. Microsoft's linker puts it between the
//! DOS stub and the PE signature, masked with a checksum. Read by the `object` crate; the checksum is computed here.
//!
//! # References
//!
//! Microsoft does not document it. Daniel Pistelli, *Microsoft's Rich Signature*.

use object::pe;
use object::read::pe::RichHeaderInfo;

use super::Pe;
use crate::bytes::Span;

/// The header lies before this offset: no DOS program is longer.
const MAX_OFFSET: u64 = 1 << 16;
/// Bytes of the marker and the three masked zeroes before the entries.
const START_SIZE: u64 = 16;
const END_SIZE: u64 = 8;
const ENTRY_SIZE: u64 = size_of::<pe::MaskedRichHeaderEntry>() as u64;
/// Offset and size of the field of the DOS header that was 0 when the checksum was computed: where the PE signature is.
const PE_OFFSET: std::ops::Range<usize> = 0x3c..0x40;

/// Names of the products of Visual Studio 2015 and later, which share their ids and differ in their build numbers, and of those
/// that all releases share.
#[rustfmt::skip]
const PRODUCTS: &[(u16, &str)] = &[
    (0x0000, "unmarked objects"), (0x0001, "imports"), (0x0093, "linker, import library"), (0x00ff, "resource converter"), (0x0100, "linker, export file"),
    (0x0101, "linker, import library"), (0x0102, "linker"), (0x0103, "assembler"), (0x0104, "C compiler"),
    (0x0105, "C++ compiler"), (0x0106, "C compiler, from IL"), (0x0107, "C++ compiler, from IL"),
    (0x0108, "C compiler, link-time code generation"), (0x0109, "C++ compiler, link-time code generation"),
    (0x010a, "IL, link-time code generation"), (0x010b, "C compiler, instrumented for profiling"),
    (0x010c, "C++ compiler, instrumented for profiling"), (0x010d, "C compiler, optimized with a profile"),
    (0x010e, "C++ compiler, optimized with a profile"),
];

/// Name of a product by its id; `None` for tools before Visual Studio 2015.
pub fn product_name(id: u16) -> Option<&'static str> {
    PRODUCTS.iter().find(|(known, _)| *known == id).map(|(_, name)| *name)
}

/// The Rich header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RichHeader {
    /// The tools, in the order of the header.
    pub entries: Vec<RichEntry>,
    /// Mask: the checksum of an unchanged header.
    pub key: u32,
    /// Checksum of the DOS header, the stub and the entries, as they are.
    pub checksum: u32,
    /// Bytes of the header, from the masked `DanS` to the key.
    pub span: Span,
}

/// A build tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RichEntry {
    /// Product: which tool it is (compiler, assembler, linker, import library) of which release.
    pub product: u16,
    /// Build number of the tool.
    pub build: u16,
    /// Number of objects that it made.
    pub count: u32,
    /// Bytes of the entry.
    pub span: Span,
}

impl RichHeader {
    /// Reads the header; nothing where the image has none.
    pub fn read(image: &Pe) -> Option<Self> {
        let region = image.region();
        let end = u64::from(image.dos.pe_header_offset).min(region.len()).min(MAX_OFFSET);
        let start = region.near(0, end).data;
        let info = RichHeaderInfo::parse(start, end)?;
        let span = region.span().part(info.offset as u64, info.length as u64);
        let entry = |(index, entry): (usize, object::read::pe::RichHeaderEntry)| RichEntry {
            product: (entry.comp_id >> 16) as u16,
            build: entry.comp_id as u16,
            count: entry.count,
            span: span.part(index as u64 * ENTRY_SIZE + START_SIZE, ENTRY_SIZE),
        };
        let entries: Vec<_> = info.unmasked_entries().enumerate().map(entry).collect();
        let checksum = checksum(start.get(..info.offset)?, &entries);
        Some(Self { entries, key: info.xor_key, checksum, span })
    }

    /// Bytes of the masked `DanS` and the three masked zeros before the entries.
    pub fn start(&self) -> Span {
        self.span.part(0, START_SIZE)
    }

    /// Bytes of the text `Rich` and the key, after the entries.
    pub fn end(&self) -> Span {
        self.span.part(self.span.len.saturating_sub(END_SIZE), END_SIZE)
    }

    /// Returns whether the checksum is the key, so that DOS header, stub and entries are as the linker wrote them.
    pub const fn is_intact(&self) -> bool {
        self.key == self.checksum
    }
}

/// The sum of the bytes before the header, each rotated by its offset, and of the entries, each rotated by its count.
fn checksum(before: &[u8], entries: &[RichEntry]) -> u32 {
    let mut sum = before.len() as u32;
    for (offset, byte) in before.iter().enumerate().filter(|(offset, _)| !PE_OFFSET.contains(offset)) {
        sum = sum.wrapping_add(u32::from(*byte).rotate_left(offset as u32));
    }
    for entry in entries {
        let id = u32::from(entry.product) << 16 | u32::from(entry.build);
        sum = sum.wrapping_add(id.rotate_left(entry.count));
    }
    sum
}
