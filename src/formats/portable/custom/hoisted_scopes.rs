//! The scopes of local variables that live in fields of a state machine, where no `LocalScope` can have them.
//!
//! One scope for each hoisted slot, by slot; a scope of length 0 for a slot that is no variable of the user's. The method is
//! the state machine's `MoveNext`.

use super::{Decoded, entries};
use crate::bytes::{Cursor, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x6da9_a61e, 0xf8c7, 0x4874, 0xbe62_68bc_5630_df71);

/// The scope of one hoisted local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoistedScope {
    /// The IL offset of its first instruction.
    pub start: u32,
    /// How many bytes of IL it has; 0 if the slot is no variable of the user's.
    pub length: u32,
}

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    let scope = |c: &mut Cursor<'a, N>| {
        c.group("hoisted local scope", |c| Ok(HoistedScope { start: c.u32("start offset")?, length: c.u32("length")? }))
    };
    entries(c, scope).map(Decoded::HoistedScopes)
}
