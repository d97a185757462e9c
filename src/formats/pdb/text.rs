//! Buffers of NUL-terminated strings that are found by their offset: what most tables of a PDB keep their names in.

use crate::bytes::{Cursor, Encoding, Notes, Result, Slice};

/// Strings of a buffer, each of which is wanted once.
///
/// Strings that do not overlap are together no longer than their buffer, so that reading all of them takes no longer than
/// reading the buffer, whatever the offsets say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strings<'a> {
    slice: Slice<'a>,
    /// How many bytes of strings are left to read.
    left: u64,
}

impl<'a> Strings<'a> {
    pub(super) const fn new(slice: Slice<'a>) -> Self {
        Self { slice, left: slice.len() }
    }

    pub(super) const fn len(&self) -> u64 {
        self.slice.len()
    }

    /// The string at `offset`; none if it does not end, or if strings were read that overlap.
    pub(super) fn take(&mut self, offset: u32) -> Option<Slice<'a>> {
        let rest = self.slice.rest(offset as u64);
        let text = at(rest.part(0, rest.len().min(self.left)).ok()?, 0)?;
        self.left -= text.len() + 1;
        Some(text)
    }
}

/// The string that begins `offset` bytes into `strings`, without the NUL that ends it.
pub(in crate::formats) fn at(strings: Slice<'_>, offset: u64) -> Option<Slice<'_>> {
    strings.rest(offset).cursor().text_z("string").ok()
}

/// `slice` as text; what is no UTF-8 is replaced.
pub(in crate::formats) fn lossy(slice: Slice<'_>) -> String {
    String::from_utf8_lossy(slice.data).into_owned()
}

/// The next `size` bytes, left where they are.
pub(in crate::formats) fn ahead<'a, N: Notes>(c: &Cursor<'a, N>, size: u64) -> Result<Slice<'a>> {
    Slice::new(c.remaining(), c.since(c.position()).space, c.position()).part(0, size)
}

/// Reads the next `size` bytes string by string, or at once where nobody wants to see them one by one, and returns them.
pub(in crate::formats) fn all<'a, N: Notes>(c: &mut Cursor<'a, N>, size: u64, name: &'static str) -> Result<Slice<'a>> {
    let strings = ahead(c, size)?;
    if !N::TAKEN {
        c.skip(size)?;
        return Ok(strings);
    }
    let end = c.consumed() + size;
    while c.consumed() < end {
        let left = end - c.consumed();
        match c.remaining().iter().position(|byte| *byte == 0) {
            Some(len) if (len as u64) < left => c.text(name, len as u64 + 1, Encoding::Utf8Z)?,
            _ => c.text(name, left, Encoding::Utf8)?,
        };
    }
    Ok(strings)
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
