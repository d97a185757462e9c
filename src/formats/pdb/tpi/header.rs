use crate::bytes::{Cursor, Notes, Result};

/// What a type stream begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TpiHeader {
    /// The version of the format, a date.
    pub version: u32,
    /// The number of the first type.
    pub begin: u32,
    /// One more than the number of the last.
    pub end: u32,
    /// How many bytes of records follow.
    pub record_bytes: u32,
    /// The stream that has the hashes of the records.
    pub hash_stream: u16,
    /// The stream that has more of them.
    pub more_hash_stream: u16,
}

impl TpiHeader {
    /// Reads the header, at the first byte of the stream.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("types header", |c| {
            let version = c.u32("version")?;
            c.u32("header size")?;
            let header = Self {
                version,
                begin: c.u32("first type")?,
                end: c.u32("end of types")?,
                record_bytes: c.u32("record bytes")?,
                hash_stream: c.u16("hash stream")?,
                more_hash_stream: c.u16("additional hash stream")?,
            };
            c.u32("hash key size")?;
            c.u32("hash bucket count")?;
            for (offset, size) in [
                ("hash values offset", "hash values size"),
                ("type offsets offset", "type offsets size"),
                ("hash adjusters offset", "hash adjusters size"),
            ] {
                c.u32(offset)?;
                c.u32(size)?;
            }
            Ok(header)
        })
    }
}
