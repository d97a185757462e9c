//! Metadata references of the compilation: enough to find each file on a symbol server and to verify it.
//!
//! Early versions of the specification have the two flags the other way round; here they are as Roslyn has always
//! written them.

use super::{CustomKind, entries, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x7e4d_4708, 0x096e, 0x4c5c, 0xaeda_cb10_ba6a_740d);
pub(super) const KIND: CustomKind = kind!("CompilationMetadataReferences", &[TableId::MODULE]);

fields! {
    /// A file that the module was compiled against: enough to find it on a symbol server and compile again.
    METADATA_REFERENCE: "metadata reference";
    /// The name of the file, without a folder.
    FILE_NAME: "file name";
    /// The names that extern alias can give to the reference, separated by commas.
    ALIASES: "aliases";
    /// Bit 0: the file is an assembly rather than a netmodule. Bit 1: its interop types are embedded in the module.
    FLAGS: "flags" as Flags(&[(1, "assembly"), (2, "interop types embedded")]);
    /// The time stamp of its COFF header; with the size of image it is the key of the file on a symbol server.
    TIME_STAMP: "time stamp" as Hex;
    /// The size of image of its optional header; with the time stamp it is the key of the file on a symbol server.
    SIZE_OF_IMAGE: "size of image" as Hex;
    /// The module version id (MVID), which is different for every build unless the output is the same.
    MVID: "mvid";
}

pub(crate) const IS_ASSEMBLY: u8 = 1;
pub(crate) const EMBEDS_INTEROP_TYPES: u8 = 1 << 1;

/// A metadata reference.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// File name without a folder.
    pub file: Slice<'a>,
    /// `extern alias` names, separated by commas.
    pub aliases: Slice<'a>,
    /// `IS_ASSEMBLY`, `EMBEDS_INTEROP_TYPES`.
    pub flags: u8,
    /// Time stamp of the COFF header.
    pub time_stamp: u32,
    /// SizeOfImage of the optional header.
    pub size_of_image: u32,
    pub mvid: Guid,
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Vec<Reference<'a>>> {
    entries(c, |c| c.group(&METADATA_REFERENCE, reference))
}

fn reference<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Reference<'a>> {
    Ok(Reference {
        file: c.text_z(&FILE_NAME)?,
        aliases: c.text_z(&ALIASES)?,
        flags: c.u8(&FLAGS)?,
        time_stamp: c.u32(&TIME_STAMP)?,
        size_of_image: c.u32(&SIZE_OF_IMAGE)?,
        mvid: c.guid(&MVID)?,
    })
}

fn tree(references: &Vec<Reference<'_>>) -> Tree {
    let one = |found: &Reference<'_>| {
        Tree::Object(vec![
            ("file", found.file.data.into()),
            ("aliases", found.aliases.data.into()),
            ("assembly", Tree::Bool(found.flags & IS_ASSEMBLY != 0)),
            ("embed_interop_types", Tree::Bool(found.flags & EMBEDS_INTEROP_TYPES != 0)),
            ("time_stamp", found.time_stamp.into()),
            ("size_of_image", found.size_of_image.into()),
            ("mvid", Tree::Text(found.mvid.to_string())),
        ])
    };
    references.iter().map(one).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] =
    b"System.Runtime.dll\0\0\x01\x89\x2b\xad\xc0\0\xe0\0\0\xd8\x03\x9c\xd0\xd7\x9d\xc8\x4b\x97\x95\x6a\x8f\xbd\x24\x56\x62\
      Interop.dll\0a,b\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
