//! The namespace that a Visual Basic project puts around all of its source, without the source saying so.

use super::Decoded;
use crate::bytes::{Cursor, Encoding, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x58b2_eab6, 0x209f, 0x4e4e, 0xa22c_b2d0_f910_c782);

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    let text = c.group("default namespace", |c| c.text("namespace", c.left(), Encoding::Utf8))?;
    Ok(Decoded::DefaultNamespace(text))
}
