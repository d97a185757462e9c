use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields, record};

fields! {
    /// The unwind information of functions without a frame pointer, in order.
    RECORD: "fpo";
}

record! {
    /// The unwind information of a function without a frame pointer (FPO_DATA). A Windows PDB has the same records in a stream.
    pub struct FpoData: "fpo entry" {
        /// The RVA of the function.
        start: u32 as Rva,
        /// The size of its code in bytes.
        size "code size": u32 as Hex,
        /// The size of its local variables in words of 4 bytes.
        locals_size "words of locals": u32,
        /// The size of its parameters in words of 4 bytes.
        parameters_size "words of parameters": u16,
        /// The size of its prolog in bytes.
        prolog_size "size of prolog": u8,
        /// Bits 0–2: saved registers; bit 3: structured exceptions; bit 4: the base pointer is used; bits 6–7: kind of frame.
        flags: u8 as Parts(&[
            (0x08, 0x08, "structured exceptions"),
            (0x10, 0x10, "uses the base pointer"),
            (0xc0, 0x00, "FPO"),
            (0xc0, 0x40, "trap frame"),
            (0xc0, 0x80, "TSS"),
        ]),
    }
}

/// Frame layouts of 32-bit functions without a frame pointer (`FPO_DATA`), one record per function.
pub(super) struct Fpo;

impl Decode for Fpo {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        repeat(c, FpoData::SIZE, |c| FpoData::decode(c).map(drop))?;
        Ok(Payload::Other)
    }
}
