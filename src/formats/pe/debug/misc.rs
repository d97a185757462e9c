use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Encoding, FieldDoc, Recorder, Result, Slice, fields};

fields! {
    /// The .dbg file of the image: a format that precedes PDBs.
    RECORD: "misc";
    /// The kind of data that follows; 1 is the name of a .dbg file.
    DATA_TYPE: "data type" as OneOf(&[(1, "EXENAME")]);
    /// The size of the record in bytes, rounded up to a multiple of 4.
    LENGTH: "length";
    /// Whether the name is UTF-16.
    UNICODE: "unicode" as OneOf(&[(0, "no"), (1, "yes")]);
    /// Reserved; must be 0.
    RESERVED: "reserved";
    /// The .dbg file that the symbols were stripped into.
    NAME: "name";
}

/// The name of the `.dbg` file that the symbols of an image were once stripped into (`IMAGE_DEBUG_MISC`).
pub(super) struct Misc;

impl Decode for Misc {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        c.u32(&DATA_TYPE)?;
        c.u32(&LENGTH)?;
        let is_unicode = c.u8(&UNICODE)? != 0;
        c.bytes(&RESERVED, 3)?;
        let terminated = |size| c.remaining().chunks_exact(size).any(|unit| unit.iter().all(|byte| *byte == 0));
        match is_unicode {
            true if terminated(2) => c.text_16z(&NAME),
            false if terminated(1) => c.text_z(&NAME),
            _ if c.is_done() => Ok(Slice::default()),
            true => c.text(&NAME, c.left() & !1, Encoding::Utf16),
            false => c.text(&NAME, c.left(), Encoding::Utf8),
        }?;
        Ok(Payload::Other)
    }
}
