//! Custom debug information: what compilers want to say and no table has a column for.
//!
//! A row names what it is about (almost any row of the image or the PDB), a kind by GUID, and a blob. Each kind has a format
//! of its own: a module here, and a line in [`KINDS`]. Of a kind that is not in the table the blob is just bytes.
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
pub(crate) mod tests;

use crate::bytes::{Cursor, ErrorKind, Guid, Recorder, Recording, Result, Slice};
use crate::formats::metadata::TableId;

/// A kind of custom debug information.
#[derive(Debug)]
pub struct Kind {
    /// What the Kind column names it by.
    pub guid: Guid,
    /// What Roslyn calls it (F#, for its own).
    pub name: &'static str,
    /// The tables with the rows that it is about.
    pub parents: &'static [TableId],
    plain: Plain,
    noting: Noting,
}

type Plain = for<'a> fn(&mut Cursor<'a>) -> Result<Decoded<'a>>;
type Noting = for<'a> fn(&mut Cursor<'a, Recording>) -> Result<Decoded<'a>>;

/// Every kind that is known.
pub const KINDS: &[Kind] = &[
    kind(
        hoisted_scopes::GUID,
        "StateMachineHoistedLocalScopes",
        METHOD,
        hoisted_scopes::decode,
        hoisted_scopes::decode,
    ),
    kind(dynamic_locals::GUID, "DynamicLocalVariables", LOCAL, dynamic_locals::decode, dynamic_locals::decode),
    kind(tuple_names::GUID, "TupleElementNames", LOCAL, tuple_names::decode, tuple_names::decode),
    kind(default_namespace::GUID, "DefaultNamespace", MODULE, default_namespace::decode, default_namespace::decode),
    kind(local_slot_map::GUID, "EncLocalSlotMap", METHOD, local_slot_map::decode, local_slot_map::decode),
    kind(lambda_map::GUID, "EncLambdaAndClosureMap", METHOD, lambda_map::decode, lambda_map::decode),
    kind(state_map::GUID, "EncStateMachineStateMap", METHOD, state_map::decode, state_map::decode),
    kind(
        async_stepping::GUID,
        "AsyncMethodSteppingInformation",
        METHOD,
        async_stepping::decode,
        async_stepping::decode,
    ),
    kind(
        embedded_source::GUID,
        "EmbeddedSource",
        &[TableId::DOCUMENT],
        embedded_source::decode,
        embedded_source::decode,
    ),
    kind(source_link::GUID, "SourceLink", MODULE, source_link::decode, source_link::decode),
    kind(
        compilation_references::GUID,
        "CompilationMetadataReferences",
        MODULE,
        compilation_references::decode,
        compilation_references::decode,
    ),
    kind(
        compilation_options::GUID,
        "CompilationOptions",
        MODULE,
        compilation_options::decode,
        compilation_options::decode,
    ),
    kind(
        type_documents::GUID,
        "TypeDefinitionDocuments",
        &[TableId::TYPE_DEF],
        type_documents::decode,
        type_documents::decode,
    ),
    kind(
        primary_constructor::GUID,
        "PrimaryConstructorInformationBlob",
        METHOD,
        primary_constructor::decode,
        primary_constructor::decode,
    ),
    kind(name_snapshot::GUID, "FSharpSynthesizedNameSnapshot", MODULE, name_snapshot::decode, name_snapshot::decode),
];

const METHOD: &[TableId] = &[TableId::METHOD_DEF];
const LOCAL: &[TableId] = &[TableId::LOCAL_VARIABLE, TableId::LOCAL_CONSTANT];
const MODULE: &[TableId] = &[TableId::MODULE];

/// One decoder is two functions here: one that takes notes and one that does not.
const fn kind(guid: Guid, name: &'static str, parents: &'static [TableId], plain: Plain, noting: Noting) -> Kind {
    Kind { guid, name, parents, plain, noting }
}

/// What a blob says.
#[derive(Clone, Debug)]
pub enum Decoded<'a> {
    /// The scopes of a state machine's hoisted local variables.
    HoistedScopes(Vec<hoisted_scopes::HoistedScope>),
    /// Which parts of a local's type are `dynamic`.
    DynamicLocals(dynamic_locals::DynamicLocals<'a>),
    /// The names of the elements of a local's tuple type; an empty one for an element without.
    TupleNames(Vec<Slice<'a>>),
    /// The namespace that Visual Basic puts around everything.
    DefaultNamespace(Slice<'a>),
    /// Which syntax each local slot belongs to.
    LocalSlotMap(Vec<local_slot_map::LocalSlot>),
    /// Which syntax each lambda and closure of a method belongs to.
    LambdaMap(lambda_map::LambdaMap),
    /// Which syntax each suspension of a state machine belongs to.
    StateMap(Vec<state_map::State>),
    /// Where an async method suspends and resumes.
    AsyncStepping(async_stepping::AsyncStepping),
    /// The text of a document.
    EmbeddedSource(embedded_source::EmbeddedSource<'a>),
    /// The JSON that maps paths of documents to URLs.
    SourceLink(Slice<'a>),
    /// The assemblies that the module was compiled against.
    CompilationReferences(Vec<compilation_references::Reference<'a>>),
    /// What the compiler was told.
    CompilationOptions(Vec<compilation_options::CompilationOption<'a>>),
    /// The rows of the documents that define a type without code.
    TypeDocuments(Vec<u32>),
    /// The constructor is a primary one.
    PrimaryConstructor,
    /// The names that the F# compiler made up.
    NameSnapshot(Vec<name_snapshot::Bucket<'a>>),
    /// A kind that is not in [`KINDS`].
    Unknown(Slice<'a>),
}

impl Kind {
    /// The kind that `guid` names, if it is known.
    pub fn of(guid: Guid) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.guid == guid)
    }
}

/// Reads the blob of the Value column of a row with this kind.
pub fn decode(kind: Guid, blob: Slice<'_>) -> Result<Decoded<'_>> {
    match Kind::of(kind) {
        Some(kind) => (kind.plain)(&mut blob.cursor()),
        None => unknown(&mut blob.cursor()),
    }
}

/// Reads the blob of the Value column of a row with this kind, for what `cursor` notes of it.
pub fn explain(kind: Guid, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
    Kind::of(kind).map_or(unknown as Noting, |kind| kind.noting)(cursor).map(|_| ())
}

fn unknown<'a, N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    cursor.group("custom debug information", |c| c.bytes("value", c.left())).map(Decoded::Unknown)
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
fn syntax_offset<N: Recorder>(c: &mut Cursor<'_, N>, baseline: i32) -> Result<i32> {
    Ok(c.compressed("syntax offset")?.cast_signed() + baseline)
}

/// Reads the baseline of the syntax offsets, which is stored negated.
fn baseline<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<i32> {
    Ok(-c.compressed("syntax offset baseline")?.cast_signed())
}
