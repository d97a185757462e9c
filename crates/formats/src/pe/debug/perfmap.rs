use super::Payload;
use super::kind::{Decode, path};
use crate::bytes::{Cursor, Encoding, Error, FieldDoc, Recorder, Result, fields, record};

fields! {
    /// The perf map of a ready-to-run image, which maps native code back to methods.
    RECORD: "r2r perfmap";
    /// R2RM: a ready-to-run perf map belongs to the image.
    MAGIC: "magic";
}

record! {
    /// The id of the perf map.
    struct PerfMapId: "perfmap id" {
        /// The id of the perf map, by which symbol servers find it.
        signature: [u8; 16],
        /// The version of the format of the perf map.
        version: u32,
    }
}

/// The file that names the methods of a ready-to-run image for `perf` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfMap {
    /// The id of the file.
    pub signature: [u8; 16],
    /// The version of the file's format.
    pub version: u32,
    /// File name.
    pub path: String,
}

impl Decode for PerfMap {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let start = c.position();
        if c.text(&MAGIC, 4, Encoding::Utf8)?.data != b"R2RM" {
            return Err(Error::invalid("the perf map entry does not begin with R2RM", c.since(start)));
        }
        let PerfMapId { signature, version, .. } = PerfMapId::decode_fields(c)?;
        Ok(Payload::PerfMap(Self { signature, version, path: path(c)? }))
    }
}
