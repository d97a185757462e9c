//! The namespace that a Visual Basic project puts around all of its source, without the source saying so.

use super::{CustomKind, kind};
use crate::bytes::{Cursor, Encoding, Guid, Recorder, Result, Slice, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x58b2_eab6, 0x209f, 0x4e4e, 0xa22c_b2d0_f910_c782);
pub(super) const KIND: CustomKind = kind!("DefaultNamespace", &[TableId::MODULE]);

fields! {
    /// The root namespace of a Visual Basic project, which encloses all source without appearing in it.
    DEFAULT_NAMESPACE: "default namespace";
    /// The namespace that encloses all source of the project.
    NAMESPACE: "namespace";
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Slice<'a>> {
    c.group(&DEFAULT_NAMESPACE, |c| c.text(&NAMESPACE, c.left(), Encoding::Utf8))
}

fn tree(namespace: &Slice<'_>) -> Tree {
    namespace.data.into()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = b"Ledger";
