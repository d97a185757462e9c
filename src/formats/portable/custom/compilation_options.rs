//! What the compiler was told: pairs of name and value, each ended by NUL. Which names there are is the compiler's affair.

use super::{Decoded, entries};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0xb5fe_ec05, 0x8cd0, 0x4a83, 0x96da_4662_84bb_4bd8);

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct CompilationOption<'a> {
    /// Its name: `language-version`.
    pub name: Slice<'a>,
    /// Its value.
    pub value: Slice<'a>,
}

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    let option = |c: &mut Cursor<'a, N>| {
        c.group("compilation option", |c| Ok(CompilationOption { name: c.text_z("name")?, value: c.text_z("value")? }))
    };
    entries(c, option).map(Decoded::CompilationOptions)
}
