use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Encoding, Recorder, Result, Slice};

/// The name of the `.dbg` file that the symbols of an image were once stripped into (`IMAGE_DEBUG_MISC`).
pub(super) struct Misc;

impl Decode for Misc {
    const RECORD: &'static str = "misc";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        c.u32("data type")?;
        c.u32("length")?;
        let is_unicode = c.u8("unicode")? != 0;
        c.bytes("reserved", 3)?;
        let terminated = |size| c.remaining().chunks_exact(size).any(|unit| unit.iter().all(|byte| *byte == 0));
        match is_unicode {
            true if terminated(2) => c.text_16z("name"),
            false if terminated(1) => c.text_z("name"),
            _ if c.is_done() => Ok(Slice::default()),
            true => c.text("name", c.left() & !1, Encoding::Utf16),
            false => c.text("name", c.left(), Encoding::Utf8),
        }?;
        Ok(Payload::Other)
    }
}
