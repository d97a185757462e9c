//! CodeView records of the debug directory.

use super::{Codec, EncodeError, number};
use pdblens_formats::bytes::{Error, Guid};
use pdblens_formats::pe::debug::{self, Payload};

/// Type of a debug directory entry that has a CodeView record.
const CODE_VIEW: u32 = 2;

pub(super) const RSDS: Codec = Codec {
    name: "rsds",
    about: "an RSDS record: GUID age path",
    paragraph: "PE-COFF › CodeView Debug Directory Entry",
    example: (
        "52 53 44 53 10 b8 a7 6b ad 9d d1 11 80 b4 00 c0 4f d4 30 c8 01 00 00 00 61 2e 70 64 62 00",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8 1 a.pdb",
    ),
    decode: |c| {
        let record = c.rest();
        match debug::note(CODE_VIEW, c)? {
            Payload::Rsds(found) => Ok(format!("{} {} {}", found.guid, found.age, found.path)),
            _ => Err(Error::invalid("the record does not begin with RSDS", record.span())),
        }
    },
    encode: |text| {
        let mut words = text.trim().splitn(3, char::is_whitespace);
        let mut word = || words.next().ok_or_else(|| EncodeError::new(text, "GUID, age and path are expected"));
        let (guid, age, path) = (word()?, word()?, word()?);
        let guid: Guid =
            guid.parse().map_err(|()| EncodeError::new(guid, "a GUID of 32 hexadecimal digits is expected"))?;
        let mut out = b"RSDS".to_vec();
        out.extend(guid.0);
        out.extend(number::<u32>(age)?.to_le_bytes());
        out.extend(path.trim().bytes());
        out.push(0);
        Ok(out)
    },
};
