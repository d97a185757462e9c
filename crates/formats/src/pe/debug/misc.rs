use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Encoding, FieldDoc, Recorder, Result, Slice, fields, record};

fields! {
    /// The .dbg file of the image: a format that precedes PDBs.
    RECORD: "misc";
    /// The .dbg file that the symbols were stripped into.
    NAME: "name";
}

record! {
    /// The part of the record before the name.
    struct MiscHeader: "misc header" {
        /// The kind of data that follows; 1 is the name of a .dbg file.
        data_type: u32 as OneOf(&[(1, "EXENAME")]),
        /// The size of the record in bytes, rounded up to a multiple of 4.
        length: u32,
        /// The encoding of the name: 1 is UTF-16.
        unicode: u8 as OneOf(&[(0, "no"), (1, "yes")]),
        /// Reserved; must be 0.
        reserved: [u8; 3],
    }
}

/// The name of the `.dbg` file that the symbols of an image were once stripped into (`IMAGE_DEBUG_MISC`).
pub(super) struct Misc;

impl Decode for Misc {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let is_unicode = MiscHeader::decode_fields(c)?.unicode != 0;
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
