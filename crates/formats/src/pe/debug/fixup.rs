use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields, record};

fields! {
    /// The relocations that the linker applied, in the order of their addresses.
    RECORD: "fixups";
}

record! {
    /// A relocation that the linker applied (XFIXUP_DATA): a reference from code or data, and its target.
    struct Fixup: "fixup" {
        /// The relocation type of the object file (IMAGE_REL_…), which depends on the machine.
        kind "type": u16 as Hex,
        /// Additional flags of the linker.
        extra: u16 as Hex,
        /// The RVA of the reference; the top bit may mark a section-relative one.
        rva: u32 as Hex,
        /// The RVA of the target.
        rva_target: u32 as Rva,
    }
}

/// The relocations that the linker applied (`/DEBUGTYPE:FIXUP`), by which tools that move code find all references. A Windows
/// PDB has the same records in its fixup stream.
pub(super) struct Fixups;

impl Decode for Fixups {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        repeat(c, Fixup::SIZE, |c| Fixup::decode(c).map(drop))?;
        Ok(Payload::Other)
    }
}
