//! Element names of a local variable's tuple type, which the type itself does not have.
//!
//! NUL-terminated strings, in the order in which the elements appear in the type, including nested tuples; empty for an
//! unnamed element.

use super::{CustomKind, LOCAL, entries, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice, fields};
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0xed9f_df71, 0x8879, 0x4747, 0x8ed3_fe5e_de3c_e710);
pub(super) const KIND: CustomKind = kind!("TupleElementNames", LOCAL);

fields! {
    /// The names of the elements of a tuple, which its type does not have: (int low, int high) is ValueTuple<int, int>.
    TUPLE_ELEMENT_NAMES: "tuple element names";
    /// The name of the next element; empty if it has none.
    ELEMENT_NAME: "element name";
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Vec<Slice<'a>>> {
    c.group(&TUPLE_ELEMENT_NAMES, |c| entries(c, |c| c.text_z(&ELEMENT_NAME)))
}

fn tree(names: &Vec<Slice<'_>>) -> Tree {
    names.iter().map(|name| if name.is_empty() { Tree::Null } else { name.data.into() }).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = b"Low\0\0High\0";
