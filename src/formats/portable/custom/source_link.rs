//! The Source Link map: JSON that says from which URL each document can be had. Here it is just its text.

use super::Decoded;
use crate::bytes::{Cursor, Encoding, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0xcc11_0556, 0xa091, 0x4d38, 0x9fec_25ab_9a35_1a6a);

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("source link", |c| c.text("JSON", c.left(), Encoding::Utf8)).map(Decoded::SourceLink)
}
