use super::Payload;
use super::kind::{Decode, path};
use crate::bytes::{Cursor, Encoding, Error, FieldDoc, Recorder, Result, fields};

fields! {
    /// The perf map of a ready-to-run image, which maps native code back to methods.
    RECORD: "r2r perfmap";
    /// R2RM: a ready-to-run perf map belongs to the image.
    MAGIC: "magic";
    /// The id of the perf map, by which symbol servers find it.
    SIGNATURE: "signature";
    /// The version of the format of the perf map.
    FORMAT_VERSION: "version";
}

/// The file that names the methods of a ready-to-run image for `perf` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfMap {
    /// The id of the file.
    pub signature: [u8; 16],
    /// The version of the file's format.
    pub version: u32,
    /// What the file is called.
    pub path: String,
}

impl Decode for PerfMap {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let start = c.position();
        if c.text(&MAGIC, 4, Encoding::Utf8)?.data != b"R2RM" {
            return Err(Error::invalid("a ready-to-run perf map entry begins with R2RM", c.since(start)));
        }
        let signature = c.bytes(&SIGNATURE, 16)?.data.try_into().unwrap_or_default();
        Ok(Payload::PerfMap(Self { signature, version: c.u32(&FORMAT_VERSION)?, path: path(c)? }))
    }
}
