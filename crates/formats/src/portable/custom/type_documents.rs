//! Documents that define a type without code, such as an enum or an interface, which no sequence point refers to.

use super::{CustomKind, entries, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x932e_74bc, 0xdba9, 0x4478, 0x8d46_0f32_a7ba_b3d3);
pub(super) const KIND: CustomKind = kind!("TypeDefinitionDocuments", &[TableId::TYPE_DEF]);

fields! {
    /// The documents that define a type without code, such as an enum or an interface: no sequence point leads there.
    TYPE_DEFINITION_DOCUMENTS: "type definition documents";
    /// A document with a part of the type, by row.
    DOCUMENT: "document" as Row("Document");
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Vec<u32>> {
    c.group(&TYPE_DEFINITION_DOCUMENTS, |c| entries(c, |c| c.compressed(&DOCUMENT)))
}

fn tree(rows: &[u32]) -> Tree {
    rows.iter().copied().collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[0x02, 0x81, 0x00];
