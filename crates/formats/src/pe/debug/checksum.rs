use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields};

fields! {
    /// A hash of the PDB, which verifies that a PDB from a symbol server is the right one.
    RECORD: "pdb checksum";
    /// The name of the hash algorithm, such as SHA256.
    ALGORITHM_NAME: "algorithm name";
    /// The hash of the PDB with its id set to zero; it verifies that the PDB was not changed.
    CHECKSUM: "checksum";
}

/// The hash of the PDB that belongs to the image, taken while the PDB's id was all zeros (PE-COFF.md, type 19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdbChecksum {
    /// Name of the algorithm: `SHA256`, `SHA384`, `SHA512`.
    pub algorithm: String,
    /// Hash of the PDB.
    pub checksum: Vec<u8>,
}

impl Decode for PdbChecksum {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let algorithm = c.text_z(&ALGORITHM_NAME)?.lossy();
        let checksum = c.bytes(&CHECKSUM, c.left())?.data.to_vec();
        Ok(Payload::PdbChecksum(Self { algorithm, checksum }))
    }
}
