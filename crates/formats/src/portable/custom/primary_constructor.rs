//! Marks a primary constructor. The blob is nil.

use super::{CustomKind, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x9d40_ace1, 0xc703, 0x4d0e, 0xbf41_7243_060a_8fb5);
pub(super) const KIND: CustomKind = kind!("PrimaryConstructorInformationBlob", &[TableId::METHOD_DEF]);

fields! {
    /// Marks the constructor as a primary one; it should have no bytes.
    PRIMARY_CONSTRUCTOR: "primary constructor";
    /// Bytes that should not be there: a primary constructor is marked by an empty blob.
    VALUE: "value";
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    if !c.is_done() {
        c.group(&PRIMARY_CONSTRUCTOR, |c| c.bytes(&VALUE, c.left()))?;
    }
    Ok(())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that `kind!` calls")]
fn tree((): &()) -> Tree {
    Tree::Bool(true)
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[];
