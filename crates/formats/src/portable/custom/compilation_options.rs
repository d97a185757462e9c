//! Options of the compilation: pairs of name and value, each terminated by a NUL. Names are specific to the compiler.

use super::{CustomKind, entries, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0xb5fe_ec05, 0x8cd0, 0x4a83, 0x96da_4662_84bb_4bd8);
pub(super) const KIND: CustomKind = kind!("CompilationOptions", &[TableId::MODULE]);

fields! {
    /// An option of the compilation that the module itself does not show.
    COMPILATION_OPTION: "compilation option";
    /// The name of the option, such as language-version, nullable or define.
    NAME: "name";
    /// The value of the option.
    VALUE: "value";
}

/// An option.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct CompilationOption<'a> {
    /// Such as `language-version`.
    pub name: Slice<'a>,
    pub value: Slice<'a>,
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Vec<CompilationOption<'a>>> {
    let option = |c: &mut Cursor<'a, N>| {
        c.group(&COMPILATION_OPTION, |c| Ok(CompilationOption { name: c.text_z(&NAME)?, value: c.text_z(&VALUE)? }))
    };
    entries(c, option)
}

fn tree(options: &Vec<CompilationOption<'_>>) -> Tree {
    let one = |found: &CompilationOption<'_>| {
        Tree::Object(vec![("name", found.name.data.into()), ("value", found.value.data.into())])
    };
    options.iter().map(one).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = b"version\x002\0nullable\0Enable\0";
