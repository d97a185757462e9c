use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields, record};

fields! {
    /// The addresses of code that was moved after linking, in order.
    RECORD: "omap";
}

record! {
    /// The new address of code that was moved after linking.
    struct OmapEntry: "omap entry" {
        /// The RVA that this entry begins at; it ends at the RVA of the next entry.
        rva: u32 as Rva,
        /// The RVA of the same code on the other side; 0 or 0x80000000 if it is not there.
        rva_to: u32 as Rva,
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
