//! Scopes of local variables that were hoisted to fields of a state machine, so that no `LocalScope` has them.
//!
//! One scope for each hoisted slot, in slot order; its length is 0 for a slot that is no user variable. The method is
//! the state machine's `MoveNext`.

use super::{CustomKind, entries, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, record};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x6da9_a61e, 0xf8c7, 0x4874, 0xbe62_68bc_5630_df71);
pub(super) const KIND: CustomKind = kind!("StateMachineHoistedLocalScopes", &[TableId::METHOD_DEF]);

record! {
    /// The scope of a local variable that lives in a field of the state machine; one record for each hoisted slot.
    pub struct HoistedScope: "hoisted local scope" {
        /// The IL offset in MoveNext at which the variable comes into scope.
        start_offset: u32 as IlOffset,
        /// The length of the scope in bytes of IL; 0 if the slot belongs to the compiler.
        length: u32,
    }
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Vec<HoistedScope>> {
    entries(c, HoistedScope::decode)
}

fn tree(scopes: &[HoistedScope]) -> Tree {
    scopes.iter().map(|s| Tree::Object(vec![("start", s.start_offset.into()), ("length", s.length.into())])).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[
    0x27, 0, 0, 0, 0x43, 3, 0, 0, // IL_0027, 0x343 bytes
    0, 0, 0, 0, 0, 0, 0, 0, // a slot of the compiler's
];
