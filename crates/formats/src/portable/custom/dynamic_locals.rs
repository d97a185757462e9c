//! Parts of a local variable's type that are `dynamic` in the source; the signature has `object` for them.
//!
//! One bit for each element of the type, in the order of the signature, lowest bit first. Trailing zero bytes are left
//! out.

use super::{CustomKind, LOCAL, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice, fields};
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x83c5_63c4, 0xb4f3, 0x47d5, 0xb824_ba54_4147_7ea8);
pub(super) const KIND: CustomKind = kind!("DynamicLocalVariables", LOCAL);

fields! {
    /// The parts of the type that the source calls dynamic; metadata calls all of them object.
    DYNAMIC_LOCAL_VARIABLE: "dynamic local variable";
    /// One bit for each element of the type, in the order of its signature, lowest bit first; trailing zeros are omitted.
    FLAGS: "flags";
}

/// Flags of a local variable.
#[derive(Clone, Copy, Debug)]
pub struct DynamicLocals<'a> {
    /// Bits as stored.
    pub bytes: Slice<'a>,
}

impl DynamicLocals<'_> {
    /// Flags up to the last one that is set.
    pub fn flags(self) -> Vec<bool> {
        let bits = self.bytes.data.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        let mut flags: Vec<bool> = bits.collect();
        flags.truncate(flags.iter().rposition(|flag| *flag).map_or(0, |last| last + 1));
        flags
    }
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<DynamicLocals<'a>> {
    let bytes = c.group(&DYNAMIC_LOCAL_VARIABLE, |c| c.bytes(&FLAGS, c.left()))?;
    Ok(DynamicLocals { bytes })
}

fn tree(locals: &DynamicLocals<'_>) -> Tree {
    locals.flags().into_iter().map(Tree::Bool).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[0x02, 0x01];
