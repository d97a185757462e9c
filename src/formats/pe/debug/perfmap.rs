use super::Payload;
use super::kind::{Decode, path};
use crate::bytes::{Cursor, Encoding, Error, Recorder, Result};

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
    const RECORD: &'static str = "r2r perfmap";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let start = c.position();
        if c.text("magic", 4, Encoding::Utf8)?.data != b"R2RM" {
            return Err(Error::invalid("a ready-to-run perf map entry begins with R2RM", c.since(start)));
        }
        let signature = c.bytes("signature", 16)?.data.try_into().unwrap_or_default();
        Ok(Payload::PerfMap(Self { signature, version: c.u32("version")?, path: path(c)? }))
    }
}
