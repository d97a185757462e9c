use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields, record};

fields! {
    /// The unwind information of functions without a frame pointer, in order.
    RECORD: "fpo";
}

record! {
    /// The unwind information of a function without a frame pointer (FPO_DATA).
    struct FpoData: "fpo data" {
        /// The RVA of the function.
        start_of_function: u32 as Rva,
        /// The size of its code in bytes.
        size_of_function: u32,
        /// The size of its local variables in 4-byte words.
        locals: u32,
        /// The size of its parameters in 4-byte words.
        parameters: u16,
        /// The size of its prolog in bytes.
        prolog: u8,
        /// The number of registers it saves (the low three bits), and the properties of its frame.
        attributes: u8 as Flags(&[(0x08, "has SEH"), (0x10, "uses EBP"), (0x40, "trap frame"), (0x80, "TSS frame")]),
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
