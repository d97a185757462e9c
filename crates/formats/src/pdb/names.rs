//! The string table, stream `/names`: file names, stored once and addressed by offset.
//!
//! ```text
//! signature 0xEFFEEFFE, version, size of the strings
//! strings        each ended by a NUL; the first is empty, so that 0 stands for no name
//! slot count     a hash table: for each slot the offset of a string, or 0
//! slots
//! name count
//! ```
//!
//! Only writers use the hash table, to find an existing string; readers have offsets.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/names_stream.md`.

use std::sync::OnceLock;

use super::info::STATE_SLOT;
use super::text;
use crate::bytes::{Cursor, Error, HashNumber, Recorder, Region, Result, Slice, fields, or_problem};

fields! {
    /// The string table: strings that other records refer to by offset, each stored once.
    STRING_TABLE: "string table";
    /// 0xEFFEEFFE, which identifies a string table.
    SIGNATURE_FIELD: "signature" as Hex;
    /// The version of the hash function that filled the slots; 1 in all known files.
    VERSION: "version";
    /// The size of the strings in bytes.
    STRINGS_SIZE: "size of strings";
    /// The strings, each of which ends in a NUL.
    STRINGS: "string table strings";
    /// A string; other records refer to it by its offset from the first string, which is empty.
    STRING: "string";
    /// The number of slots of the hash table.
    SLOT_COUNT: "slot count" as Hash(HashNumber::SlotCount);
    /// The slots of the hash table, by which a writer finds a string that is already there.
    SLOTS: "string slots";
    /// The offset of the string in this slot of the hash table; 0 if the slot is free.
    STRING_OFFSET: "string offset" as Hash(HashNumber::StringSlot);
    /// The number of strings, without the empty one.
    STRING_COUNT: "string count";
    /// Bytes after the end of the table.
    LEFT_OVER: "left over";
}

const SIGNATURE: u32 = 0xeffe_effe;
/// Offset of the strings in the stream, after three numbers.
const STRINGS_AT: u64 = 12;

/// The string table: strings addressed by offset.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct Names {
    strings: Region,
    /// Offsets of the strings, computed when they are first asked for.
    offsets: OnceLock<Vec<u32>>,
    /// Number of strings as stated, without the empty one.
    pub count: u32,
    pub problems: Vec<Error>,
}

impl Names {
    /// Reads all of the stream.
    pub fn parse(region: &Region) -> Self {
        let mut problems = Vec::new();
        let mut cursor = region.cursor();
        let mut size = 0;
        let count = or_problem(Self::table(&mut cursor, &mut size), &mut problems).unwrap_or(0);
        Self { strings: region.clip(STRINGS_AT, size as u64), offsets: OnceLock::new(), count, problems }
    }

    /// Reads the stream for its fields.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::table(cursor, &mut 0).map(drop)
    }

    /// Reads the stream and returns its stated number of strings.
    fn table<N: Recorder>(cursor: &mut Cursor<'_, N>, size: &mut u32) -> Result<u32> {
        cursor.group(&STRING_TABLE, |c| {
            let start = c.position();
            let signature = c.u32(&SIGNATURE_FIELD)?;
            if signature != SIGNATURE {
                return Err(Error::unexpected("string table signature", signature, "0xeffeeffe", c.since(start)));
            }
            c.u32(&VERSION)?;
            *size = c.u32(&STRINGS_SIZE)?;
            c.group(&STRINGS, |c| text::all(c, *size as u64, &STRING))?;
            let slots = c.u32(&SLOT_COUNT)?;
            c.described(u64::from(slots) * 4, |c| {
                c.group(&SLOTS, |c| {
                    (0..slots).try_for_each(|slot| {
                        c.u32(&STRING_OFFSET)?;
                        c.changed(&STATE_SLOT, slot.checked_sub(1).map(i64::from), slot);
                        Ok(())
                    })
                })
            })?;
            let count = c.u32(&STRING_COUNT)?;
            c.left_over(&LEFT_OVER)?;
            Ok(count)
        })
    }

    /// The string at `offset`.
    pub fn get(&self, offset: u32) -> Option<Slice<'_>> {
        (offset as u64 <= self.strings.len()).then(|| text::at(self.strings.slice(), offset as u64))?
    }

    /// Returns the offsets of the strings, in the order of their bytes.
    pub fn offsets(&self) -> &[u32] {
        self.offsets.get_or_init(|| self.iter().map(|(offset, _)| offset).collect())
    }

    /// All strings with their offsets, in the order of their bytes.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Slice<'_>)> {
        let mut cursor = self.strings.cursor();
        std::iter::from_fn(move || {
            let offset = cursor.consumed() as u32;
            cursor.text_z(&STRING).ok().map(|text| (offset, text))
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
        let mut cursor = Cursor::recording(Slice::new(NAMES, SpaceId(3), 0));
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
