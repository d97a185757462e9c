//! Custom debug information: what compilers want to say and no table has a column for.
//!
//! A row names what it is about (almost any row of the image or the PDB), a kind by GUID, and a blob. Each kind has a format
//! of its own. It is one module here, with its GUID, name, parents, fields, decoder and JSON, and one line in [`KINDS`]. The
//! blob of a kind that is not in the list is just bytes.
//!
//! # References
//!
//! Portable PDB v1.0, "CustomDebugInformation Table", has the older kinds. For the younger ones, and where it is wrong, the
//! writers are the specification: Roslyn's `MetadataWriter.PortablePdb.cs` and `EditAndContinueMethodDebugInformation.cs`,
//! F#'s `EncMethodDebugInformation.fs`.

pub mod async_stepping;
pub mod compilation_options;
pub mod compilation_references;
pub mod default_namespace;
pub mod dynamic_locals;
pub mod embedded_source;
pub mod hoisted_scopes;
pub mod lambda_map;
pub mod local_slot_map;
pub mod name_snapshot;
pub mod primary_constructor;
pub mod source_link;
pub mod state_map;
pub mod tuple_names;
pub mod type_documents;

#[cfg(test)]
mod tests;

use std::fmt::Write;

use crate::bytes::{Cursor, ErrorKind, FieldDoc, Guid, Recorder, Recording, Result, Slice, fields};
use crate::formats::metadata::TableId;
use crate::formats::tree::Tree;

/// Every kind that is known, one a line.
pub const KINDS: &[Kind] = &[
    hoisted_scopes::KIND,
    dynamic_locals::KIND,
    tuple_names::KIND,
    default_namespace::KIND,
    local_slot_map::KIND,
    lambda_map::KIND,
    state_map::KIND,
    async_stepping::KIND,
    embedded_source::KIND,
    source_link::KIND,
    compilation_references::KIND,
    compilation_options::KIND,
    type_documents::KIND,
    primary_constructor::KIND,
    name_snapshot::KIND,
];

/// A kind of custom debug information.
#[derive(Debug)]
pub struct Kind {
    /// The GUID in the Kind column.
    pub guid: Guid,
    /// Its name in Roslyn, or in F# for its own.
    pub name: &'static str,
    /// The tables whose rows it can belong to.
    pub parents: &'static [TableId],
    validate: for<'a> fn(&mut Cursor<'a>) -> Result<()>,
    record: for<'a> fn(&mut Cursor<'a, Recording>) -> Result<()>,
    tree: for<'a> fn(&mut Cursor<'a>) -> Result<Tree>,
    /// A blob that has every field of the kind.
    #[cfg(test)]
    example: &'static [u8],
}

/// The [`Kind`] of the module that calls it: of its `GUID`, its `decode`, its `tree` and its `EXAMPLE`.
macro_rules! kind {
    ($name:literal, $parents:expr) => {
        Kind {
            guid: GUID,
            name: $name,
            parents: $parents,
            validate: |c| decode(c).map(drop),
            record: |c| decode(c).map(drop),
            tree: |c| decode(c).map(|value| tree(&value)),
            #[cfg(test)]
            example: EXAMPLE,
        }
    };
}
use kind;

const LOCAL: &[TableId] = &[TableId::LOCAL_VARIABLE, TableId::LOCAL_CONSTANT];

fields! {
    /// Custom debug information of a kind that pdblens does not know.
    CUSTOM_DEBUG_INFORMATION: "custom debug information";
    /// The blob of an unknown kind.
    VALUE: "value";
}

impl Kind {
    /// The kind that `guid` names, if it is known.
    pub fn of(guid: Guid) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.guid == guid)
    }
}

/// Bytes in hexadecimal, without separators.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Decodes the blob of the Value column of a row with this kind; a blob of an unknown kind is its bytes in hexadecimal.
pub fn tree(kind: Guid, blob: Slice<'_>) -> Result<Tree> {
    match Kind::of(kind) {
        Some(kind) => (kind.tree)(&mut blob.cursor()),
        None => Ok(Tree::Text(hex(blob.data))),
    }
}

/// Decodes the blob of the Value column of a row with this kind, for the error alone.
pub fn validate(kind: Guid, blob: Slice<'_>) -> Result<()> {
    Kind::of(kind).map_or(Ok(()), |kind| (kind.validate)(&mut blob.cursor()))
}

/// Decodes the blob of the Value column of a row with this kind, and records its fields.
pub fn explain(kind: Guid, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
    match Kind::of(kind) {
        Some(kind) => (kind.record)(cursor),
        None => cursor.group(&CUSTOM_DEBUG_INFORMATION, |c| c.bytes(&VALUE, c.left())).map(drop),
    }
}

/// The most entries that one blob is read for: some take a single byte each.
const MOST: usize = 1 << 20;

/// Reads entries to the end of the blob.
fn entries<'a, N: Recorder, T>(
    c: &mut Cursor<'a, N>,
    mut entry: impl FnMut(&mut Cursor<'a, N>) -> Result<T>,
) -> Result<Vec<T>> {
    let (start, mut entries) = (c.position(), Vec::new());
    while !c.is_done() {
        if entries.len() == MOST {
            let (size, ceiling) = (c.left(), MOST as u64);
            return Err(c.error_since(start, ErrorKind::TooLarge { what: "a list", size, ceiling }));
        }
        entries.push(entry(c)?);
    }
    Ok(entries)
}

/// Reads `count` entries, each of which takes a byte at least.
fn counted<'a, N: Recorder, T>(
    c: &mut Cursor<'a, N>,
    count: u32,
    mut entry: impl FnMut(&mut Cursor<'a, N>) -> Result<T>,
) -> Result<Vec<T>> {
    let start = c.position();
    if count as u64 > c.left() {
        return Err(c.error_since(start, ErrorKind::UnexpectedEnd { wanted: count as u64, left: c.left() }));
    }
    if count as usize > MOST {
        let (size, ceiling) = (count as u64, MOST as u64);
        return Err(c.error_since(start, ErrorKind::TooLarge { what: "a list", size, ceiling }));
    }
    (0..count).map(|_| entry(c)).collect()
}

/// Reads a syntax offset: how far from the start of the method's body, in characters of source, some syntax stands. It is
/// stored from a baseline, because it is negative in the initializer of a field.
fn syntax_offset<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static FieldDoc, baseline: i32) -> Result<i32> {
    Ok(c.compressed(doc)?.cast_signed() + baseline)
}

/// Reads the baseline of the syntax offsets, which is stored negated.
fn baseline<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<i32> {
    Ok(-c.compressed(doc)?.cast_signed())
}
