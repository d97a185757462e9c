use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields};

fields! {
    /// The mark of a deterministic build: the same input gives the same bytes, and time stamps are part of a hash.
    RECORD: "reproducible";
    /// The size of the hash in bytes.
    HASH_SIZE: "hash size";
    /// The hash of the contents of the image; its time stamps are taken from it.
    HASH: "hash";
}

/// Says that the image comes out the same whenever it is built from the same input (PE-COFF.md, type 16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproducible {
    /// The hash that stands in for time stamps. .NET compilers leave it out; `link.exe /Brepro` writes it.
    pub hash: Vec<u8>,
}

impl Decode for Reproducible {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let mut hash = Vec::new();
        if !c.is_done() {
            let size = c.u32(&HASH_SIZE)?;
            hash.extend_from_slice(c.bytes(&HASH, size as u64)?.data);
        }
        Ok(Payload::Reproducible(Self { hash }))
    }
}
