//! The names that the source gives to the elements of a local's tuple type, which the type itself does not have.
//!
//! Strings that end with NUL, in the order in which the elements appear in the type, nested tuples too; an empty one for an
//! element without a name.

use super::{Decoded, entries};
use crate::bytes::{Cursor, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0xed9f_df71, 0x8879, 0x4747, 0x8ed3_fe5e_de3c_e710);

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("tuple element names", |c| entries(c, |c| c.text_z("element name"))).map(Decoded::TupleNames)
}
