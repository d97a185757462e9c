//! Custom debug information: data of compilers that has no table of its own.
//!
//! A row has a parent (almost any row of the image or the PDB), a kind (a GUID), and a blob. Each kind has a format of
//! its own: it is one module here, with its GUID, name, parents, fields, decoder and JSON, and one line in [`KINDS`].
//! The blob of an unknown kind is just bytes.
//!
//! # References
//!
//! Portable PDB v1.0, "CustomDebugInformation Table", specifies the older kinds. For newer kinds, and where it is
//! wrong, the compilers are the reference: Roslyn's `MetadataWriter.PortablePdb.cs` and
//! `EditAndContinueMethodDebugInformation.cs`, F#'s `EncMethodDebugInformation.fs`.

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

use crate::bytes::{Cursor, DECODED, ErrorKind, FieldDoc, Guid, Recorder, Recording, Result, Slice, fields, hex};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Known kinds.
pub const KINDS: &[CustomKind] = &[
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
pub struct CustomKind {
    /// Value of the Kind column.
    pub guid: Guid,
    /// Name in Roslyn, or in F# for its own kind.
    pub name: &'static str,
    /// Tables of the rows that it can be attached to.
    pub parents: &'static [TableId],
    validate: for<'a> fn(&mut Cursor<'a>) -> Result<()>,
    record: for<'a> fn(&mut Cursor<'a, Recording>) -> Result<()>,
    tree: for<'a> fn(&mut Cursor<'a>) -> Result<Tree>,
    /// A blob with every field of the kind.
    #[cfg(test)]
    example: &'static [u8],
}

/// Makes the [`CustomKind`] of the calling module from its `GUID`, `decode`, `tree` and `EXAMPLE`.
macro_rules! kind {
    ($name:literal, $parents:expr) => {
        CustomKind {
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

impl CustomKind {
    /// Finds a known kind.
    pub fn of(guid: Guid) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.guid == guid)
    }
}

/// Decodes a blob of this kind; one of an unknown kind becomes its bytes in hexadecimal.
pub fn tree(kind: Guid, blob: Slice<'_>) -> Result<Tree> {
    match CustomKind::of(kind) {
        Some(kind) => (kind.tree)(&mut blob.cursor()),
        None => Ok(Tree::Text(hex(blob.data))),
    }
}

/// Decodes a blob of this kind, for the error alone.
pub fn validate(kind: Guid, blob: Slice<'_>) -> Result<()> {
    CustomKind::of(kind).map_or(Ok(()), |kind| (kind.validate)(&mut blob.cursor()))
}

/// Decodes a blob of this kind and records its fields.
pub fn explain(kind: Guid, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
    match CustomKind::of(kind) {
        Some(kind) => (kind.record)(cursor),
        None => cursor.group(&CUSTOM_DEBUG_INFORMATION, |c| c.bytes(&VALUE, c.left())).map(drop),
    }
}

/// Limit of entries per blob; some kinds of entries take a single byte.
const MAX_ENTRIES: usize = 1 << 20;

/// Reads entries to the end of the blob.
fn entries<'a, N: Recorder, T>(
    c: &mut Cursor<'a, N>,
    mut entry: impl FnMut(&mut Cursor<'a, N>) -> Result<T>,
) -> Result<Vec<T>> {
    let (start, mut entries) = (c.position(), Vec::new());
    while !c.is_done() {
        if entries.len() == MAX_ENTRIES {
            let (size, ceiling) = (c.left(), MAX_ENTRIES as u64);
            return Err(c.error_since(start, ErrorKind::TooLarge { what: "a list", size, ceiling }));
        }
        entries.push(entry(c)?);
    }
    Ok(entries)
}

/// Reads `count` entries, each of which takes at least one byte.
fn counted<'a, N: Recorder, T>(
    c: &mut Cursor<'a, N>,
    count: u32,
    mut entry: impl FnMut(&mut Cursor<'a, N>) -> Result<T>,
) -> Result<Vec<T>> {
    let start = c.position();
    c.require(count.into(), start)?;
    if count as usize > MAX_ENTRIES {
        let (size, ceiling) = (count as u64, MAX_ENTRIES as u64);
        return Err(c.error_since(start, ErrorKind::TooLarge { what: "a list", size, ceiling }));
    }
    (0..count).map(|_| entry(c)).collect()
}

/// Reads a syntax offset: the distance in characters of source from the start of the method body, negative in a field
/// initializer. It is stored relative to a baseline.
fn syntax_offset<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static FieldDoc, baseline: i32) -> Result<i32> {
    let offset = c.compressed(doc)?.cast_signed().saturating_add(baseline);
    c.changed(&STATE_SYNTAX_OFFSET, None, offset);
    c.changed(&DECODED, None, offset);
    Ok(offset)
}

/// Reads the baseline of the syntax offsets, which is stored negated.
fn baseline<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<i32> {
    let baseline = c.compressed(doc)?.cast_signed().saturating_neg();
    c.changed(&STATE_BASELINE, None, baseline);
    c.changed(&DECODED, None, baseline);
    Ok(baseline)
}

fields! {
    /// Syntax offset that the following ones count from.
    STATE_BASELINE: "baseline";
    /// Position of the current syntax: the number as stored plus the baseline.
    STATE_SYNTAX_OFFSET: "syntax offset";
}
