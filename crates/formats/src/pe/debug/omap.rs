use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields, record};

fields! {
    /// The addresses of code that was moved after linking, in order.
    RECORD: "omap";
}

record! {
    /// The new address of code that was moved after linking. A Windows PDB has the same records in two streams.
    pub struct OmapEntry: "omap entry" {
        /// The RVA at which the range begins; it ends at the RVA of the next entry.
        rva "address": u32 as Hex,
        /// The RVA of the range in the other image; 0 or 0x80000000 if it is not there.
        rva_to "address in the other image": u32 as Hex,
    }
}

/// Pairs of RVAs for code that a tool moved after linking, each valid up to the next pair.
pub(super) struct Omap;

impl Decode for Omap {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        repeat(c, OmapEntry::SIZE, |c| OmapEntry::decode(c).map(drop))?;
        Ok(Payload::Other)
    }
}
