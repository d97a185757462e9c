//! Native array: a sparse map of small numbers to data, which is read without being unpacked.
//!
//! A header gives the number of elements and the size of an index entry. An index entry leads to a block of 16 elements: a binary
//! tree over the four low bits of the element's number, the highest first.

use crate::bytes::{Cursor, Error, Recorder, Result, Slice, fields};

/// Elements of a block.
const BLOCK: u32 = 16;

fields! {
    /// The number of elements in the upper bits; the lowest two give the size of an index entry: 1, 2 or 4 bytes.
    HEADER: "array header" as Hex;
    /// The distance of the block's tree from the first index entry.
    INDEX: "block index" as Hex;
    /// A node of the tree. Bit 0: the left child follows; bit 1: the right child is at the distance in the upper bits. With neither,
    /// the upper bits are the low four bits of the only element's number.
    NODE: "tree node" as Hex;
}

/// A native array.
#[derive(Clone, Copy, Debug)]
pub struct Array<'i> {
    bytes: Slice<'i>,
    /// Number of elements, missing ones too.
    pub len: u32,
    /// Offset of the first index entry.
    base: u64,
    entry_size: u64,
}

impl<'i> Array<'i> {
    /// Reads the header; `bytes` are the section.
    pub fn read(bytes: Slice<'i>) -> Result<Self> {
        Self::header(&mut bytes.cursor(), bytes)
    }

    fn header<N: Recorder>(c: &mut Cursor<'_, N>, bytes: Slice<'i>) -> Result<Self> {
        let start = c.position();
        let header = c.native_unsigned(&HEADER)?;
        let entry_size = match header & 3 {
            0 => 1,
            1 => 2,
            2 => 4,
            _ => return Err(Error::invalid("an index entry has 1, 2 or 4 bytes", c.since(start))),
        };
        let (len, base) = (header >> 2, c.consumed());
        let blocks = u64::from(len.div_ceil(BLOCK));
        if blocks * entry_size > c.left() {
            return Err(Error::invalid(
                "the native array has more elements than its section has bytes",
                c.since(start),
            ));
        }
        Ok(Self { bytes, len, base, entry_size })
    }

    /// Bytes of the section.
    pub const fn bytes(&self) -> Slice<'i> {
        self.bytes
    }

    /// Cursor at the datum of an element, in the whole section; `None` for an element that is not there.
    pub fn get(&self, index: u32) -> Result<Option<Cursor<'i>>> {
        let mut cursor = self.bytes.cursor();
        Ok(if self.find(&mut cursor, index)? { Some(cursor) } else { None })
    }

    /// Moves a cursor of the section to the datum of an element, with notes; returns false for an element that is not there.
    pub fn find<N: Recorder>(&self, c: &mut Cursor<'_, N>, index: u32) -> Result<bool> {
        if index >= self.len {
            return Ok(false);
        }
        if N::ENABLED {
            c.seek(0)?;
            Self::header(c, self.bytes)?;
        }
        c.seek(self.base + u64::from(index / BLOCK) * self.entry_size)?;
        let block = match self.entry_size {
            1 => c.u8(&INDEX)?.into(),
            2 => c.u16(&INDEX)?.into(),
            _ => c.u32(&INDEX)?,
        };
        let mut at = self.base + u64::from(block);
        for bit in [8, 4, 2, 1] {
            c.seek(at)?;
            let node = c.native_unsigned(&NODE)?;
            let (left, right) = (node & 1 != 0, node & 2 != 0);
            if index & bit != 0 && right {
                at += u64::from(node >> 2);
            } else if index & bit == 0 && left {
                at = c.consumed();
            } else {
                return Ok(!left && !right && node >> 2 == index % BLOCK);
            }
        }
        c.seek(at)?;
        Ok(true)
    }

    /// Numbers of the elements that are there, up to the first error.
    pub fn present(&self) -> impl Iterator<Item = u32> + use<'i> {
        let array = *self;
        (0..self.len).filter(move |index| matches!(array.get(*index), Ok(Some(_))))
    }
}
