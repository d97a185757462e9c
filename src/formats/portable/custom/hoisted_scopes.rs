//! Scopes of local variables that were hoisted to fields of a state machine, so that no `LocalScope` has them.
//!
//! One scope for each hoisted slot, in slot order; its length is 0 for a slot that is no user variable. The method is
//! the state machine's `MoveNext`.

use super::{Kind, entries, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, fields};
use crate::formats::metadata::TableId;
use crate::formats::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x6da9_a61e, 0xf8c7, 0x4874, 0xbe62_68bc_5630_df71);

pub(super) const KIND: Kind = kind!("StateMachineHoistedLocalScopes", &[TableId::METHOD_DEF]);

fields! {
    /// The scope of a local variable that lives in a field of the state machine; one record for each hoisted slot.
    HOISTED_LOCAL_SCOPE: "hoisted local scope";
    /// The IL offset in MoveNext at which the variable comes into scope.
    START_OFFSET: "start offset" as IlOffset;
    /// The length of the scope in bytes of IL; 0 if the slot belongs to the compiler.
    LENGTH: "length";
}

/// Scope of a hoisted local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoistedScope {
    /// IL offset of the first instruction.
    pub start: u32,
    /// Size in bytes of IL; 0 if the slot is no user variable.
    pub length: u32,
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Vec<HoistedScope>> {
    entries(c, |c| {
        c.group(&HOISTED_LOCAL_SCOPE, |c| Ok(HoistedScope { start: c.u32(&START_OFFSET)?, length: c.u32(&LENGTH)? }))
    })
}

#[expect(clippy::ptr_arg, reason = "the shape that `kind!` calls")]
fn tree(scopes: &Vec<HoistedScope>) -> Tree {
    scopes.iter().map(|s| Tree::Object(vec![("start", s.start.into()), ("length", s.length.into())])).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[
    0x27, 0, 0, 0, 0x43, 3, 0, 0, // IL_0027, 0x343 bytes
    0, 0, 0, 0, 0, 0, 0, 0, // a slot of the compiler's
];
