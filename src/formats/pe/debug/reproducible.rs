use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Recorder, Result};

/// Says that the image comes out the same whenever it is built from the same input (PE-COFF.md, type 16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproducible {
    /// The hash that stands in for time stamps. .NET compilers leave it out; `link.exe /Brepro` writes it.
    pub hash: Vec<u8>,
}

impl Decode for Reproducible {
    const RECORD: &'static str = "reproducible";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let mut hash = Vec::new();
        if !c.is_done() {
            let size = c.u32("hash size")?;
            hash.extend_from_slice(c.bytes("hash", size as u64)?.data);
        }
        Ok(Payload::Reproducible(Self { hash }))
    }
}
