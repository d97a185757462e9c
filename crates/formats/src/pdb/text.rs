//! Buffers of NUL-terminated strings addressed by offset, in which most tables of a PDB keep names.

use crate::bytes::{Cursor, Encoding, FieldDoc, Recorder, Result, Slice, fields};

fields! {
    /// A string that ends in a NUL.
    STRING: "string";
}

/// Reads strings of a buffer, each at most once.
///
/// Strings that do not overlap are together no longer than the buffer, which bounds the time to read all of them,
/// whatever the offsets are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strings<'a> {
    slice: Slice<'a>,
    /// Remaining budget in bytes.
    left: u64,
}

impl<'a> Strings<'a> {
    pub(super) const fn new(slice: Slice<'a>) -> Self {
        Self { slice, left: slice.len() }
    }

    pub(super) const fn len(&self) -> u64 {
        self.slice.len()
    }

    /// Returns the string at `offset`; `None` if it has no end or the budget is spent.
    pub(super) fn take(&mut self, offset: u32) -> Option<Slice<'a>> {
        let rest = self.slice.rest(offset as u64);
        let text = at(rest.part(0, rest.len().min(self.left)).ok()?, 0)?;
        self.left = self.left.saturating_sub(text.len() + 1);
        Some(text)
    }
}

/// Returns the string at `offset` of `strings`, without its NUL.
pub(crate) fn at(strings: Slice<'_>, offset: u64) -> Option<Slice<'_>> {
    strings.rest(offset).cursor().text_z(&STRING).ok()
}

/// Reads and returns the next `size` bytes: string by string if the cursor records, else at once.
pub(crate) fn all<'a, N: Recorder>(c: &mut Cursor<'a, N>, size: u64, name: &'static FieldDoc) -> Result<Slice<'a>> {
    c.described(size, |c| {
        let end = c.consumed() + size;
        while c.consumed() < end {
            let left = end - c.consumed();
            match c.remaining().iter().position(|byte| *byte == 0) {
                Some(len) if (len as u64) < left => c.text(name, len as u64 + 1, Encoding::Utf8Z)?,
                _ => c.text(name, left, Encoding::Utf8)?,
            };
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::SpaceId;

    #[test]
    fn strings_that_overlap_are_not_read_again_and_again() {
        let buffer = [b"a".repeat(99), vec![0]].concat();
        let mut strings = Strings::new(Slice::new(&buffer, SpaceId(0), 0));
        let read: u64 = (0..100).filter_map(|offset| strings.take(offset)).map(Slice::len).sum();
        assert_eq!(read, 99);
        assert!(Strings::new(Slice::new(b"abc", SpaceId(0), 0)).take(0).is_none());
        assert!(Strings::new(Slice::new(b"abc\0", SpaceId(0), 0)).take(4).is_none());
        assert_eq!(Strings::new(Slice::new(b"abc\0", SpaceId(0), 0)).take(1).unwrap().data, b"bc");
    }
}
