//! The constructor is a primary one. That is all there is to say: the blob is nil.

use super::Decoded;
use crate::bytes::{Cursor, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x9d40_ace1, 0xc703, 0x4d0e, 0xbf41_7243_060a_8fb5);

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    if !c.is_done() {
        c.group("primary constructor", |c| c.bytes("value", c.left()))?;
    }
    Ok(Decoded::PrimaryConstructor)
}
