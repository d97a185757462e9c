//! Which parts of a local's type the source calls `dynamic`: the signature calls them all `object`.
//!
//! A bit for each element of the type, in the order in which its signature names them, lowest bit first. Zeros at the end
//! are left out.

use super::{Kind, LOCAL, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice, fields};
use crate::formats::tree::Tree;

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x83c5_63c4, 0xb4f3, 0x47d5, 0xb824_ba54_4147_7ea8);

pub(super) const KIND: Kind = kind!("DynamicLocalVariables", LOCAL);

fields! {
    /// The parts of the type that the source calls dynamic; metadata calls all of them object.
    DYNAMIC_LOCAL_VARIABLE: "dynamic local variable";
    /// One bit for each element of the type, in the order of its signature, lowest bit first; trailing zeros are omitted.
    FLAGS: "flags";
}

/// The flags of one local.
#[derive(Clone, Copy, Debug)]
pub struct DynamicLocals<'a> {
    /// The bits, as they stand.
    pub bytes: Slice<'a>,
}

impl DynamicLocals<'_> {
    /// The flags, up to the last that is set.
    pub fn flags(self) -> Vec<bool> {
        let bits = self.bytes.data.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        let mut flags: Vec<bool> = bits.collect();
        flags.truncate(flags.iter().rposition(|flag| *flag).map_or(0, |last| last + 1));
        flags
    }
}

/// Reads the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<DynamicLocals<'a>> {
    let bytes = c.group(&DYNAMIC_LOCAL_VARIABLE, |c| c.bytes(&FLAGS, c.left()))?;
    Ok(DynamicLocals { bytes })
}

fn tree(locals: &DynamicLocals<'_>) -> Tree {
    locals.flags().into_iter().map(Tree::Bool).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[0x02, 0x01];
