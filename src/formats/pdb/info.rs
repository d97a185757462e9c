//! The PDB info stream, stream 1: the identity of the file and the names of its named streams.
//!
//! The GUID and the age are what a debugger compares with the CodeView entry of an image. The named streams are a hash table
//! as it was in memory: the used slots, one bit each, and an entry for each used slot; the order of the entries is that of
//! their slots. Nothing needs the slots to read it.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/pdbi_stream.md`; LLVM, "The PDB Info Stream".

use super::text::{self, Strings};
use crate::bytes::{At, Cursor, Error, ErrorKind, Guid, Notes, Region, Result};

/// The first version with a GUID behind the age is the one after this.
const LAST_WITHOUT_GUID: u32 = 19_990_604;

/// The identity of a PDB, and its named streams.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// The version of the format, a date: 20000404 is Visual C++ 7's and everyone's since.
    pub version: u32,
    /// When the file was first written, in seconds since 1970 — or part of a hash.
    pub signature: u32,
    /// How often the file was written since.
    pub age: u32,
    /// With the age, the identity of the file.
    pub guid: At<Guid>,
    /// The named streams, in the order of the hash table.
    pub names: Vec<NamedStream>,
    /// What else the file can do, each a date or four letters.
    pub features: Vec<u32>,
    /// What is wrong with it.
    pub problems: Vec<Error>,
}

/// A stream with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedStream {
    /// What it is called: `/names`, `/src/files/c:\a\b.cs`, `srcsrv`.
    pub name: At<String>,
    /// Its number.
    pub stream: At<u32>,
}

impl Info {
    /// Reads all of stream 1.
    pub fn parse(region: &Region) -> Result<Self> {
        Self::decode(&mut region.cursor())
    }

    /// Reads the info stream.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let mut info = cursor.group("pdb info", Self::header)?;
        if let Err(error) = cursor.group("named streams", |c| info.named_streams(c)) {
            info.problems.push(error);
            return Ok(info);
        }
        cursor.group("pdb features", |c| {
            while c.left() >= 4 {
                info.features.push(c.u32("feature")?);
            }
            if !c.is_done() {
                c.bytes("left over", c.left())?;
            }
            Ok(())
        })?;
        Ok(info)
    }

    fn header<N: Notes>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let mut info =
            Self { version: c.u32("version")?, signature: c.u32("signature")?, age: c.u32("age")?, ..Self::default() };
        if info.version > LAST_WITHOUT_GUID {
            let start = c.position();
            info.guid = At::new(c.guid("guid")?, c.since(start));
        }
        Ok(info)
    }

    fn named_streams<N: Notes>(&mut self, c: &mut Cursor<'_, N>) -> Result<()> {
        let size = c.u32("size of names")?;
        let mut names = Strings::new(c.group("stream names", |c| text::all(c, size as u64, "name"))?);
        let start = c.position();
        let count = c.u32("name count")?;
        let counted = c.since(start);
        c.u32("slot count")?;
        let used = bits(c, "used slots")?;
        bits(c, "deleted slots")?;
        if used != count as u64 {
            self.problems.push(Error::invalid("there are not as many used slots as names", counted));
        }
        // Not more entries than there are bytes for.
        for _ in 0..(count as u64).min(c.left() / 8) {
            let entry = c.group("named stream", |c| {
                let start = c.position();
                let offset = c.u32("name offset")?;
                let offset_span = c.since(start);
                let stream_at = c.position();
                let stream = At::new(c.u32("stream")?, c.since(stream_at));
                let name = names.take(offset).map(|name| At::new(text::lossy(name), name.span()));
                let kind = ErrorKind::NoSuch { what: "byte of the names", index: offset as u64, count: names.len() };
                Ok(name.map(|name| NamedStream { name, stream }).ok_or(Error::new(kind, offset_span)))
            })?;
            match entry {
                Ok(entry) => self.names.push(entry),
                Err(error) => self.problems.push(error),
            }
        }
        c.u32("name index count")?;
        Ok(())
    }

    /// The number of the stream that is called `name`.
    pub fn stream(&self, name: &str) -> Option<u32> {
        self.names.iter().find(|named| named.name.value == name).map(|named| named.stream.value)
    }
}

/// Reads a bit vector, and returns how many of its bits are set.
fn bits<N: Notes>(c: &mut Cursor<'_, N>, name: &'static str) -> Result<u64> {
    c.group(name, |c| {
        let count = c.u32("word count")?;
        let mut set = 0;
        for _ in 0..count {
            set += c.u32("bits")?.count_ones() as u64;
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
        let mut cursor = Cursor::noting(slice(INFO));
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
