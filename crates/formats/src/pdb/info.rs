//! The PDB info stream, stream 1: the identity of the file and the names of its named streams.
//!
//! A debugger compares GUID and age with the CodeView entry of an image. The named streams are a serialized hash table:
//! one bit for each used slot, then an entry for each used slot, in slot order. Reading does not require the slots.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/pdbi_stream.md`; LLVM, "The PDB Info Stream".

use super::text::{self, Strings};
use crate::bytes::{
    At, Cursor, Error, ErrorKind, FieldDoc, Guid, HashNumber, Recorder, Region, Result, Slice, fields, or_problem,
};

const VERSIONS: &[(u64, &str)] = &[
    (19_970_604, "Visual C++ 6"),
    (19_990_604, "Visual C++ 7, before its release"),
    (20_000_404, "Visual C++ 7"),
    (20_030_901, "Visual C++ 8"),
    (20_091_201, "Visual C++ 11"),
    (20_140_508, "Visual C++ 14"),
];
const FEATURES: &[(u64, &str)] = &[
    (20_091_201, "Visual C++ 11"),
    (20_140_508, "Visual C++ 14: stream 4 is the IPI stream"),
    (0x4d54_4f4e, "NOTM: types are not merged"),
    (0x494e_494d, "MINI: made with /DEBUG:FASTLINK"),
];

fields! {
    /// The PDB info: the identity of the file, by which an image refers to it.
    PDB_INFO: "pdb info";
    /// The version of the format, a date; 20000404, Visual C++ 7's, in nearly all files.
    pub(super) VERSION: "version" as OneOf(VERSIONS);
    /// The time when the file was created, or part of a hash in a deterministic build.
    SIGNATURE: "signature" as Time;
    /// The number of times the file was written; the CodeView entry of an image has the GUID and the age.
    AGE: "age";
    /// The identity of the file: the CodeView entry of its image has the same GUID.
    GUID: "guid";
    /// The named stream map: a hash table from names to stream numbers, as it was in memory.
    NAMED_STREAMS: "named streams";
    /// The size of the names in bytes; the fields after them may be unaligned.
    pub(super) NAMES_SIZE: "size of names";
    /// The names, one after the other; entries refer to them by offset.
    pub(super) STREAM_NAMES: "stream names";
    /// The name of a stream; an entry refers to it by the offset of its first byte.
    NAME: "name";
    /// The number of named streams, which is the number of entries.
    pub(super) NAME_COUNT: "name count";
    /// The number of slots of the hash table; only used slots are stored.
    pub(super) SLOT_COUNT: "slot count" as Hash(HashNumber::SlotCount);
    /// The used slots of the hash table, one bit each.
    pub(crate) USED_SLOTS: "used slots";
    /// The deleted slots of the hash table, one bit each: a lookup continues after them.
    pub(crate) DELETED_SLOTS: "deleted slots";
    /// The number of 32-bit words that follow; trailing words of zeros are omitted.
    pub(crate) WORD_COUNT: "word count";
    /// A word of the bit vector: one bit per slot, the lowest bit first.
    pub(super) USED_BITS: "bits" as Hash(HashNumber::UsedSlots);
    /// A word of the bit vector: one bit per slot, the lowest bit first.
    DELETED_BITS: "bits" as Hash(HashNumber::DeletedSlots);
    /// A named stream: the offset of its name, and its number.
    NAMED_STREAM: "named stream";
    /// The offset of the name in the names.
    pub(super) NAME_OFFSET: "name offset" as Hash(HashNumber::StreamName);
    /// The number of the stream with this name.
    pub(super) STREAM: "stream" as Stream;
    /// The number of name indices; obsolete, 0.
    NAME_INDEX_COUNT: "name index count";
    /// The PDB features: capabilities that a reader has to know of.
    PDB_FEATURES: "pdb features";
    /// A feature: the date of a version, or four letters.
    FEATURE: "feature" as OneOf(FEATURES);
    /// Bytes too few for another feature.
    LEFT_OVER: "left over";
}

/// Returns true if a version of the info stream is one of which the layout is known.
pub(super) fn is_known(version: u32) -> bool {
    VERSIONS.iter().any(|(known, _)| *known == u64::from(version))
}

/// Last version without a GUID after the age.
const LAST_WITHOUT_GUID: u32 = 19_990_604;

/// The identity of a PDB, and its named streams.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Version of the format, a date; 20000404 since Visual C++ 7.
    pub version: u32,
    /// Time of creation in seconds since 1970, or a part of a hash.
    pub signature: u32,
    /// Age: number of times that the file was rewritten.
    pub age: u32,
    /// GUID that with the age identifies the file.
    pub guid: At<Guid>,
    /// The named streams, in the order of the hash table.
    pub names: Vec<NamedStream>,
    /// Features, each a date or four letters.
    pub features: Vec<u32>,
    pub problems: Vec<Error>,
}

/// A stream with a name.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedStream {
    /// Name: `/names`, `/src/files/c:\a\b.cs`, `srcsrv`.
    pub name: At<String>,
    pub stream: At<u32>,
}

/// The features of a PDB whose stream 4 is the IPI: `VC110` and `VC140`.
const IPI_FEATURES: [u32; 2] = [20_091_201, 20_140_508];

impl Info {
    /// Returns true if stream 4 is the IPI. Older PDBs have anything there.
    pub fn has_ids(&self) -> bool {
        self.features.iter().any(|feature| IPI_FEATURES.contains(feature))
    }

    /// Reads all of stream 1.
    pub fn parse(region: &Region) -> Result<Self> {
        Self::decode(&mut region.cursor())
    }

    /// Reads the info stream.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let mut info = cursor.group(&PDB_INFO, Self::header)?;
        if let Err(error) = cursor.group(&NAMED_STREAMS, |c| info.named_streams(c)) {
            info.problems.push(error);
            return Ok(info);
        }
        cursor.group(&PDB_FEATURES, |c| {
            while c.left() >= 4 {
                info.features.push(c.u32(&FEATURE)?);
            }
            c.left_over(&LEFT_OVER)?;
            Ok(())
        })?;
        Ok(info)
    }

    fn header<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let mut info =
            Self { version: c.u32(&VERSION)?, signature: c.u32(&SIGNATURE)?, age: c.u32(&AGE)?, ..Self::default() };
        if info.version > LAST_WITHOUT_GUID {
            info.guid = c.spanned(|c| c.guid(&GUID))?;
        }
        Ok(info)
    }

    fn named_streams<N: Recorder>(&mut self, c: &mut Cursor<'_, N>) -> Result<()> {
        let size = c.u32(&NAMES_SIZE)?;
        let mut names = Strings::new(c.group(&STREAM_NAMES, |c| text::all(c, size as u64, &NAME))?);
        let At { value: count, span: counted } = c.spanned(|c| c.u32(&NAME_COUNT))?;
        c.u32(&SLOT_COUNT)?;
        let used = bits(c, &USED_SLOTS)?;
        bits(c, &DELETED_SLOTS)?;
        let mut slots = used.slots.into_iter();
        if used.count != count as u64 {
            let kind = ErrorKind::Differs { what: "number of names", value: count.into(), expected: used.count };
            self.problems.push(Error::new(kind, counted));
        }
        // The count is limited by the bytes left.
        for _ in 0..(count as u64).min(c.left() / 8) {
            let entry = c.group(&NAMED_STREAM, |c| {
                let At { value: offset, span: offset_span } = c.spanned(|c| c.u32(&NAME_OFFSET))?;
                if let Some(slot) = slots.next() {
                    c.changed(&STATE_SLOT, None, slot);
                }
                let stream = c.spanned(|c| c.u32(&STREAM))?;
                let name = names.take(offset).map(Slice::text);
                Ok(name
                    .map(|name| NamedStream { name, stream })
                    .ok_or_else(|| Error::no_such("byte of the names", offset, names.len(), offset_span)))
            })?;
            self.names.extend(or_problem(entry, &mut self.problems));
        }
        c.u32(&NAME_INDEX_COUNT)?;
        Ok(())
    }

    /// The number of the stream that is called `name`.
    pub fn stream(&self, name: &str) -> Option<u32> {
        self.names.iter().find(|named| named.name.value == name).map(|named| named.stream.value)
    }
}

fields! {
    /// Slot of the hash table that the entry is in.
    pub STATE_SLOT: "slot";
    /// Slots so far that have their bit set.
    STATE_SLOTS: "slots";
}

/// A bit vector with one bit for each slot of a hash table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// Number of set bits.
    pub count: u64,
    /// Numbers of the set bits; empty unless the cursor records.
    pub slots: Vec<u32>,
}

pub(crate) fn bits<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Slots> {
    let bits = if *doc == USED_SLOTS { &USED_BITS } else { &DELETED_BITS };
    c.group(doc, |c| {
        let count = c.u32(&WORD_COUNT)?;
        let mut set = Slots::default();
        for index in 0..count {
            let word = c.u32(bits)?;
            let before = set.count;
            set.count += word.count_ones() as u64;
            c.changed(&STATE_SLOTS, before.cast_signed(), set.count.cast_signed());
            if N::ENABLED {
                set.slots.extend((0..32).filter(|bit| word >> bit & 1 == 1).map(|bit| index << 5 | bit));
            }
        }
        Ok(set)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Slice, SpaceId, Value};

    #[rustfmt::skip]
    const INFO: &[u8] = &[
        0x94, 0x2e, 0x31, 0x01, 0x61, 0xfa, 0x3c, 0xcb, 1, 0, 0, 0,        // version 20000404, signature, age 1
        0xe1, 0xec, 0x51, 0xa4, 0xa1, 0x51, 0x7e, 0x43, 0xa1, 0x76, 0xce, 0x68, 0xdc, 0xa3, 0xef, 0x6a, // guid
        9, 0, 0, 0, b'/', b'n', b'a', b'm', b'e', b's', 0, b'x', 0,        // two names
        2, 0, 0, 0, 4, 0, 0, 0,                                            // in two of four slots
        1, 0, 0, 0, 0b1010, 0, 0, 0, 0, 0, 0, 0,                           // used and deleted
        7, 0, 0, 0, 12, 0, 0, 0,                                           // "x" is stream 12
        0, 0, 0, 0, 6, 0, 0, 0,                                            // "/names" is stream 6
        0, 0, 0, 0,                                                        // no name indices
        0xdc, 0x51, 0x33, 0x01,                                            // feature: Visual C++ 14
    ];

    fn slice(bytes: &[u8]) -> Slice<'_> {
        Slice::new(bytes, SpaceId(1), 0)
    }

    #[test]
    fn names_lead_to_streams() {
        let mut cursor = Cursor::recording(slice(INFO));
        let info = Info::decode(&mut cursor).unwrap();
        assert_eq!((info.version, info.age, info.features.as_slice()), (20_000_404, 1, &[20_140_508][..]));
        assert_eq!(info.guid.value.to_string(), "a451ece1-51a1-437e-a176-ce68dca3ef6a");
        assert_eq!((info.stream("/names"), info.stream("x"), info.stream("names")), (Some(6), Some(12), None));
        assert_eq!((info.names[0].name.span.start, info.names[0].name.span.len), (0x27, 1));
        assert_eq!(info.problems, []);
        let leaves: u64 = cursor.fields().iter().filter(|f| f.value != Value::Group).map(|f| f.span.len).sum();
        assert_eq!(leaves, INFO.len() as u64);
    }

    #[test]
    fn numbers_that_lie_are_findings() {
        let change = |at: usize, to: u32| {
            let mut bytes = INFO.to_vec();
            bytes[at..at + 4].copy_from_slice(&to.to_le_bytes());
            Info::decode(&mut slice(&bytes).cursor()).unwrap()
        };
        // A name that is not among the names; the other one is still there.
        let info = change(0x3d, 99);
        assert_eq!((info.problems.len(), info.names.len()), (1, 1));
        // More names than slots are used: the third would be made of what follows.
        assert_eq!(change(0x29, 3).problems.len(), 3);
        // Names, or bits, past the end.
        assert_eq!(change(0x1c, u32::MAX).problems.len(), 1);
        assert_eq!(change(0x31, u32::MAX).problems.len(), 1);
        // A version from before there were GUIDs.
        assert!(change(0, 19_970_604).guid.value.is_nil());
    }

    #[test]
    fn any_cut_is_read_as_far_as_it_goes() {
        for len in 0..INFO.len() {
            let info = Info::decode(&mut slice(&INFO[..len]).cursor());
            assert_eq!(info.is_err(), len < 28, "{len}");
        }
    }
}
