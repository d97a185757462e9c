//! The documents that define a type with no code, such as an enum or an interface: no sequence point leads to them.

use super::{Decoded, entries};
use crate::bytes::{Cursor, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x932e_74bc, 0xdba9, 0x4478, 0x8d46_0f32_a7ba_b3d3);

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("type definition documents", |c| entries(c, |c| c.compressed("document"))).map(Decoded::TypeDocuments)
}
