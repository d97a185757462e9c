use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Encoding, Error, FieldDoc, Recorder, Region, Result, Span, fields};
use crate::inflate::{ceiling, inflate};

fields! {
    /// The whole PDB, deflated.
    RECORD: "embedded portable pdb";
    /// MPDB: a deflated portable PDB follows.
    SIGNATURE: "signature";
    /// The size of the inflated PDB in bytes.
    UNCOMPRESSED_SIZE: "uncompressed size";
    /// The PDB as a raw deflate stream; inflated, it begins with BSJB.
    PORTABLE_PDB_IMAGE: "portable pdb image";
}

/// A portable PDB inside the image, deflated (PE-COFF.md, type 17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedPortablePdb {
    /// Size of the inflated PDB in bytes.
    pub size: u32,
    /// The deflated bytes.
    pub deflated: Span,
}

impl EmbeddedPortablePdb {
    /// The PDB, where it is not longer than `max` and in proportion to the deflated bytes.
    pub fn inflate(&self, image: &Region, max: u64) -> Result<Vec<u8>> {
        // A region of its own: of a file on disk no other bytes are read, and these are not kept.
        let deflated = image.part_at(self.deflated)?;
        inflate(deflated.slice(), self.size as u64, ceiling(self.deflated.len, max))
    }
}

impl Decode for EmbeddedPortablePdb {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let start = c.position();
        if c.text(&SIGNATURE, 4, Encoding::Utf8)?.data != b"MPDB" {
            return Err(Error::invalid("the embedded Portable PDB does not begin with MPDB", c.since(start)));
        }
        let size = c.u32(&UNCOMPRESSED_SIZE)?;
        if size == 0 || size > i32::MAX as u32 {
            let expected = "1 to 0x7fffffff: others are reserved for later versions";
            return Err(Error::unexpected("uncompressed size", size, expected, c.since(start)));
        }
        let deflated = c.bytes(&PORTABLE_PDB_IMAGE, c.left())?.span();
        Ok(Payload::EmbeddedPortablePdb(Self { size, deflated }))
    }
}
