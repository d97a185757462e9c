//! The assemblies that a module was compiled against: enough to find each of them on a symbol server, and to know it.
//!
//! Of the two flags the specification once had the bits the other way round; they are here as Roslyn has always written
//! them.

use super::{Decoded, entries};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x7e4d_4708, 0x096e, 0x4c5c, 0xaeda_cb10_ba6a_740d);

/// The flag of a reference to an assembly; a netmodule has it not.
pub const IS_ASSEMBLY: u8 = 1;
/// The flag of a reference whose interop types are embedded in the module.
pub const EMBEDS_INTEROP_TYPES: u8 = 1 << 1;

/// One reference.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// The name of the file.
    pub file: Slice<'a>,
    /// The names that `extern alias` can call it by, with commas between.
    pub aliases: Slice<'a>,
    /// [`IS_ASSEMBLY`], [`EMBEDS_INTEROP_TYPES`].
    pub flags: u8,
    /// The time stamp of its COFF header.
    pub time_stamp: u32,
    /// How large it is in memory.
    pub size_of_image: u32,
    /// The version of its module.
    pub mvid: Guid,
}

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    entries(c, |c| c.group("metadata reference", reference)).map(Decoded::CompilationReferences)
}

fn reference<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Reference<'a>> {
    Ok(Reference {
        file: c.text_z("file name")?,
        aliases: c.text_z("aliases")?,
        flags: c.u8("flags")?,
        time_stamp: c.u32("time stamp")?,
        size_of_image: c.u32("size of image")?,
        mvid: c.guid("mvid")?,
    })
}
