use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Recorder, Result};

/// The hash of the PDB that belongs to the image, taken while the PDB's id was all zeros (PE-COFF.md, type 19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdbChecksum {
    /// Which hash: `SHA256`, `SHA384`, `SHA512`.
    pub algorithm: String,
    /// The hash.
    pub checksum: Vec<u8>,
}

impl Decode for PdbChecksum {
    const RECORD: &'static str = "pdb checksum";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let algorithm = String::from_utf8_lossy(c.text_z("algorithm name")?.data).into_owned();
        let checksum = c.bytes("checksum", c.left())?.data.to_vec();
        Ok(Payload::PdbChecksum(Self { algorithm, checksum }))
    }
}
