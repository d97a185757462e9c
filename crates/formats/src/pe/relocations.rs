//! Base relocations: the addresses in the image that change when it is not loaded at its preferred base.
//!
//! A block for each page of 4 KB: the page, the size of the block, and a number of 16 bits for each address.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .reloc Section".

use super::{Directory, Pe};
use crate::bytes::{Cursor, Error, Recorder, Result, Span, fields};

const MAX_BLOCKS: usize = 1 << 16;
/// Bytes of the head of a block.
const HEAD: u64 = 8;

/// Types of relocations, in the highest four bits.
const TYPES: &[(u64, u64, &str)] = &[
    (0xf000, 0x0000, "ABSOLUTE: aligns the block"),
    (0xf000, 0x1000, "HIGH: 16 bits"),
    (0xf000, 0x2000, "LOW: 16 bits"),
    (0xf000, 0x3000, "HIGHLOW: 32 bits"),
    (0xf000, 0x5000, "MOV32 of ARM"),
    (0xf000, 0x7000, "MOV32 of Thumb"),
    (0xf000, 0xa000, "DIR64: 64 bits"),
];

fields! {
    /// The relocations of one page of the image.
    BLOCK: "relocation block";
    /// The RVA of the page; the low 12 bits of each entry are added to it.
    PAGE_RVA: "page rva" as Rva;
    /// The size of the block in bytes, with these eight; the next block follows.
    BLOCK_SIZE: "block size";
    /// The type in the highest four bits, and the offset of the address in the page in the others.
    ENTRY: "relocation" as Parts(TYPES);
    /// Bytes after the last block.
    PADDING: "padding";
}

/// A block of relocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelocationBlock {
    /// RVA of the page.
    pub page: u32,
    /// Number of entries, those that align included.
    pub count: u32,
    /// Bytes of the block.
    pub span: Span,
}

/// Reads one block.
pub fn block<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<RelocationBlock> {
    let start = c.position();
    let (page, count) = c.group(&BLOCK, |c| {
        let page = c.u32(&PAGE_RVA)?;
        let at = c.position();
        let size = u64::from(c.u32(&BLOCK_SIZE)?);
        let Some(rest) = size.checked_sub(HEAD).filter(|rest| *rest <= c.left()) else {
            return Err(Error::invalid("the block is smaller than its header, or ends after the table", c.since(at)));
        };
        for _ in 0..rest / 2 {
            c.u16(&ENTRY)?;
        }
        if rest % 2 == 1 {
            c.bytes(&PADDING, 1)?;
        }
        Ok((page, (rest / 2) as u32))
    })?;
    Ok(RelocationBlock { page, count, span: c.since(start) })
}

/// Blocks of the image, up to an error. They are read once: each starts where the block before it ends.
pub fn blocks(image: &Pe) -> &[RelocationBlock] {
    image.relocations.get_or_init(|| {
        let table = image.directory(Directory::RELOCATIONS).and_then(|found| found.data);
        let Some(table) = table.and_then(|span| image.bytes(span).ok()) else { return Vec::new() };
        let mut cursor = table.cursor();
        let next = || if cursor.left() >= HEAD { block(&mut cursor).ok() } else { None };
        std::iter::from_fn(next).take(MAX_BLOCKS).collect()
    })
}

/// RVAs of the addresses that the loader adjusts, in the order of the table.
pub fn relocated(image: &Pe) -> impl Iterator<Item = u32> {
    blocks(image).iter().flat_map(move |block| {
        let bytes = image.bytes(block.span).map(|bytes| bytes.data).unwrap_or_default();
        let (entries, _) = bytes.get(HEAD as usize..).unwrap_or_default().as_chunks::<2>();
        let entries: Vec<u16> = entries.iter().map(|entry| u16::from_le_bytes(*entry)).collect();
        entries
            .into_iter()
            .filter(|entry| entry >> 12 != 0)
            .map(move |entry| block.page.wrapping_add(u32::from(entry & 0xfff)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Slice, SpaceId};

    #[test]
    fn a_block_has_its_page_and_entries() {
        let bytes = [0, 0x20, 0, 0, 12, 0, 0, 0, 0x7c, 0x36, 0, 0];
        let found = block(&mut Slice::new(&bytes, SpaceId(0), 0).cursor()).unwrap();
        assert_eq!((found.page, found.count, found.span.len), (0x2000, 2, 12));
        let short = [0, 0x20, 0, 0, 7, 0, 0, 0, 0x7c, 0x36];
        assert!(block(&mut Slice::new(&short, SpaceId(0), 0).cursor()).is_err());
    }
}
