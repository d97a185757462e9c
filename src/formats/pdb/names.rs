//! The string table, stream `/names`: file names, kept once and found by the offset of their first byte.
//!
//! ```text
//! signature 0xEFFEEFFE, version, size of the strings
//! strings        each ended by a NUL; the first is empty, so that 0 stands for no name
//! slot count     a hash table: for each slot the offset of a string, or 0
//! slots
//! name count
//! ```
//!
//! A writer that looks for a string hashes it and walks the slots from there on; a reader has offsets and needs no hash.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/names_stream.md`.

use std::sync::OnceLock;

use super::text;
use crate::bytes::{Cursor, Error, ErrorKind, Notes, Region, Result, Slice};

/// What the stream begins with.
const SIGNATURE: u32 = 0xeffe_effe;

/// Where the strings begin: behind three numbers.
const STRINGS_AT: u64 = 12;

/// Strings that are found by offset.
#[derive(Clone, Debug, Default)]
pub struct Names {
    strings: Region,
    /// Where each begins, once somebody has asked.
    offsets: OnceLock<Vec<u32>>,
    /// How many strings it says it has, without the empty one.
    pub count: u32,
    /// What is wrong with it.
    pub problems: Vec<Error>,
}

impl Names {
    /// Reads all of the stream.
    pub fn parse(region: &Region) -> Self {
        let mut problems = Vec::new();
        let mut cursor = region.cursor();
        let mut size = 0;
        let count = Self::table(&mut cursor, &mut size).unwrap_or_else(|error| {
            problems.push(error);
            0
        });
        Self { strings: region.clip(STRINGS_AT, size as u64), offsets: OnceLock::new(), count, problems }
    }

    /// Reads the stream for its fields.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::table(cursor, &mut 0).map(drop)
    }

    /// Reads all of it, and returns how many strings it says it has.
    fn table<N: Notes>(cursor: &mut Cursor<'_, N>, size: &mut u32) -> Result<u32> {
        cursor.group("string table", |c| {
            let start = c.position();
            if c.u32("signature")? != SIGNATURE {
                return Err(c.error_since(start, ErrorKind::Invalid("a string table does not begin like this")));
            }
            c.u32("version")?;
            *size = c.u32("size of strings")?;
            c.group("string table strings", |c| text::all(c, *size as u64, "string"))?;
            let slots = c.u32("slot count")?;
            if N::TAKEN {
                c.group("string slots", |c| (0..slots).try_for_each(|_| c.u32("string offset").map(drop)))?;
            } else {
                c.skip(slots as u64 * 4)?;
            }
            let count = c.u32("string count")?;
            if !c.is_done() {
                c.bytes("left over", c.left())?;
            }
            Ok(count)
        })
    }

    /// The string at `offset`.
    pub fn get(&self, offset: u32) -> Option<Slice<'_>> {
        (offset as u64 <= self.strings.len()).then(|| text::at(self.strings.slice(), offset as u64))?
    }

    /// Where each string begins, in the order of their bytes.
    pub fn offsets(&self) -> &[u32] {
        self.offsets.get_or_init(|| self.iter().map(|(offset, _)| offset).collect())
    }

    /// All strings with their offsets, in the order of their bytes.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Slice<'_>)> {
        let mut cursor = self.strings.cursor();
        std::iter::from_fn(move || {
            let offset = cursor.consumed() as u32;
            cursor.text_z("string").ok().map(|text| (offset, text))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{SpaceId, Value};
    use std::sync::Arc;

    #[rustfmt::skip]
    const NAMES: &[u8] = &[
        0xfe, 0xef, 0xfe, 0xef, 1, 0, 0, 0, 8, 0, 0, 0, // signature, version, 8 bytes of strings
        0, b'a', b'.', b'c', 0, b'b', b'c', 0,          // "" at 0, "a.c" at 1, "bc" at 5
        3, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, // three slots, one of them free
        2, 0, 0, 0,                                     // two strings
    ];

    fn names(bytes: &[u8]) -> Names {
        Names::parse(&Region::whole(SpaceId(3), Arc::new(bytes.to_vec())))
    }

    #[test]
    fn offsets_are_names() {
        let table = names(NAMES);
        assert_eq!((table.problems.len(), table.count), (0, 2));
        let text = |offset| table.get(offset).map(|slice| (slice.data.to_vec(), slice.start));
        assert_eq!(text(0), Some((vec![], 12)));
        assert_eq!(text(1), Some((b"a.c".to_vec(), 13)));
        assert_eq!(text(6), Some((b"c".to_vec(), 18)));
        assert_eq!((text(8), text(9), text(u32::MAX)), (None, None, None));
        assert_eq!(table.iter().map(|(offset, _)| offset).collect::<Vec<_>>(), [0, 1, 5]);
        let mut cursor = Cursor::noting(Slice::new(NAMES, SpaceId(3), 0));
        Names::decode(&mut cursor).unwrap();
        let fields = cursor.fields();
        let leaves: u64 = fields.iter().filter(|f| f.value != Value::Group).map(|f| f.span.len).sum();
        assert_eq!(leaves, NAMES.len() as u64);
    }

    #[test]
    fn what_is_there_is_read() {
        for len in 0..NAMES.len() {
            let table = names(&NAMES[..len]);
            assert_eq!(table.problems.len(), 1, "{len}");
            assert_eq!(table.get(1).is_some(), len >= 17, "{len}");
        }
        let mut bytes = NAMES.to_vec();
        bytes[20..24].fill(0xff);
        assert_eq!(names(&bytes).problems.len(), 1);
        assert_eq!(names(&[0; 40]).problems.len(), 1);
    }
}
