//! Everything in the open files that has an address.
//!
//! A kind of node is one file: it defines how its path is written and read, its parent, its rows, its fields, its bytes, and the index
//! that they require. It is a constant of type `Kind`, in which only the questions that apply to it are answered. [`Place`] is the address
//! of a node; a question about it goes to its kind. A new kind is one new file and one line in the list of `kinds!`.
//!
//! ```
//! # use pdblens_nodes::Place;
//! for text in ["methods", "method/0x06000002/il/0xf", "table/Document/3", "image/heap/blob/0xb5", "pe/debug/0"] {
//!     assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
//! }
//! ```
//!
//! A path is only an address: whether a node exists there depends on the [`Session`]. [`resolve()`] also understands names instead of
//! numbers (`method/Clock.Since`, `document/Program.cs`).
//!
//! This crate reads paths, the names in them, and addresses of native code, which a path may have (`function/0001:00000079`). All other
//! notations that people and tools write are those of `query::address`, which begins with these.

#![allow(missing_docs, reason = "a name that says what it is needs no sentence")]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

#[macro_use]
pub mod path;

pub(crate) mod bytes;
pub mod candidates;
pub mod code_tree;
pub mod code_unit;
pub mod contributions;
pub mod document;
pub(crate) mod entry_stub;
pub(crate) mod exceptions;
pub mod facts;
pub mod fields;
pub mod fill;
pub mod finding;
pub mod function;
pub mod global_symbols;
pub mod heap;
pub(crate) mod layout;
pub mod lazy_index;
pub mod manifest_resource;
pub mod mdb;
pub(crate) mod metadata;
pub mod method;
pub(crate) mod module;
pub mod module_details;
pub(crate) mod msf;
pub mod named;
pub(crate) mod names;
pub(crate) mod nearest;
pub(crate) mod node;
pub mod overview;
pub mod owner;
pub mod pe;
pub(crate) mod places;
pub mod r2r;
pub mod regions;
pub(crate) mod relocations;
pub mod resolve;
pub mod rows;
pub mod section_map;
mod side;
pub mod stream;
pub mod table;
pub(crate) mod trace;
pub mod type_details;
pub mod type_layout;
pub(crate) mod types;
pub mod used_by;
pub mod within;

use fields::Fields;
use named::AddNamed;
use node::{Bound, Kind, Node};
use owner::FindOwners;
use path::Pattern;
use pdblens_formats::bytes::Span;
use pdblens_session::session::Session;
use rows::Rows;
use std::fmt;
use std::str::FromStr;

pub use code_unit::CodeUnit;
pub use facts::span_text;
pub use function::FunctionPart;
pub(crate) use lazy_index::is_cached;
pub use lazy_index::{LazyIndex, build_index};
pub use mdb::MdbTable;
pub use metadata::MetadataPart;
pub use method::MethodPart;
pub use node::Label;
pub use path::{PlaceError, number};
pub use pe::PePart;
pub use r2r::R2rPart;
pub use resolve::{absence, resolve};
pub use side::Side;

pub use pdblens_formats::il::{Instruction, Opcode, Operand, OperandType};
/// Terms of the formats that questions and answers are put in.
pub use pdblens_formats::metadata::{Heap, TABLE_COUNT, TableId, Token};
pub use pdblens_formats::sequence_point::SequencePoint;

/// Version of the JSON that commands print: a greater one may remove or change members.
pub const SCHEMA: u32 = 1;

macro_rules! kinds {
    ($($variant:ident $($path:literal)? $(($($arg:ident: $ty:ty),+))? => $($kind:ident)::+;)+) => {
        /// Address of a node: breadcrumb, history entry, link, search result, command-line argument and key in the JSON.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Place {
            $($variant $(($($ty),+))?,)+
        }

        impl Place {
            pub(crate) fn ask<R>(self, ask: impl FnOnce(&dyn Node) -> R) -> R {
                match self {
                    $(Self::$variant $(($($arg),+))? => ask(&Bound { kind: $($kind)::+, args: ($($($arg),+)?) }),)+
                }
            }

            fn patterns(self) -> &'static [Pattern] {
                match self {
                    $(Self::$variant { .. } => {
                        const OWN: &[Pattern] = &[$(path!($path () => $variant))?];
                        if OWN.is_empty() { $($kind)::+.patterns } else { OWN }
                    })+
                }
            }
        }

        const PATTERNS: &[&[Pattern]] = &[$($(&[path!($path () => $variant)],)? $($kind)::+.patterns),+];
        /// Functions that find the nodes of a byte, of all kinds in their order.
        const OWNERS: &[&[FindOwners]] = &[$($($kind)::+.owners),+];
        /// Functions that list the nodes with a name, of all kinds in their order.
        const NAMED: &[&[AddNamed]] = &[$($($kind)::+.named),+];
        /// Nodes that the list of places names, of all kinds in their order.
        const LISTED: &[fn(&Session) -> Vec<Place>] = &[$($($kind)::+.listed),+];
    };
}

// The order is that of the list of places.
kinds! {
    Overview "overview" => overview::OVERVIEW;
    Findings "findings" => finding::FINDINGS;
    Places "places" => places::PLACES;
    Trace "trace" => trace::TRACE;
    Pe "pe" => pe::PE;
    PePart(part: PePart) => pe::PART;
    Exceptions "pe/exceptions" => exceptions::EXCEPTIONS;
    Relocations "pe/relocations" => relocations::RELOCATIONS;
    RelocationBlock(number: u32) => relocations::BLOCK;
    EntryStub "pe/entry-stub" => entry_stub::ENTRY_STUB;
    ReadyToRun "r2r" => r2r::READY_TO_RUN;
    R2r(part: R2rPart) => r2r::PART;
    ManifestResource(row: u32) => manifest_resource::MANIFEST_RESOURCE;
    Metadata(side: Side, part: MetadataPart) => metadata::PART;
    Tables "tables" => table::TABLES;
    Heaps "heaps" => heap::HEAPS;
    Methods "methods" => method::METHODS;
    Method(token: Token) => method::METHOD;
    MethodPart(token: Token, part: MethodPart) => method::PART;
    Documents "documents" => document::DOCUMENTS;
    Document(row: u32) => document::DOCUMENT;
    Line(document: u32, line: u32) => document::LINE;
    Streams "streams" => stream::STREAMS;
    Stream(number: u32) => stream::STREAM;
    Record(stream: u32, offset: u32) => stream::RECORD;
    Pages "pages" => msf::PAGES;
    Page(number: u32) => msf::PAGE;
    Header "header" => msf::HEADER;
    Parts "parts" => mdb::PARTS;
    Part(offset: u32) => mdb::PART;
    Directory "directory" => msf::DIRECTORY;
    Modules "modules" => module::MODULES;
    Module(number: u32) => module::MODULE;
    Functions "functions" => function::FUNCTIONS;
    Function(rva: u32) => function::FUNCTION;
    FunctionPart(rva: u32, part: FunctionPart) => function::PART;
    Types "types" => types::TYPES;
    Type(number: u32) => types::TYPE;
    TypeLayout(number: u32) => layout::LAYOUT;
    Ids "ids" => types::IDS;
    Id(number: u32) => types::ID;
    Publics "publics" => global_symbols::PUBLICS;
    Globals "globals" => global_symbols::GLOBALS;
    SectionMap "section-map" => section_map::SECTION_MAP;
    Contributions "contributions" => contributions::CONTRIBUTIONS;
    Contribution(index: u32) => contributions::CONTRIBUTION;
    Names "names" => names::NAMES;
    Mdb(table: MdbTable) => mdb::TABLE;
    MdbRow(table: MdbTable, row: u32) => mdb::ROW;
    Table(side: Side, table: TableId) => table::TABLE;
    Row(side: Side, table: TableId, row: u32) => table::ROW;
    Heap(side: Side, heap: Heap) => heap::HEAP;
    HeapEntry(side: Side, heap: Heap, offset: u32) => heap::ENTRY;
    Bytes(span: Span) => bytes::BYTES;
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        path::write(*self, self.patterns(), f)
    }
}

impl serde::Serialize for Place {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Place {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "place".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^[a-z]",
            "description": "Address of a thing: what `list`, `show` and `--at` take.",
        })
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        path::parse(text, PATTERNS)
    }
}

impl Place {
    /// Noun for it in a search result, and its rank there.
    pub fn label(self) -> Label {
        self.ask(|node| node.label())
    }

    /// Next step up the breadcrumb; `None` for the overview alone.
    pub fn parent(self) -> Option<Self> {
        let own = || self.ask(|node| node.parent());
        (self != Self::Overview).then(|| own().unwrap_or_else(|| path::parent(self)))
    }

    pub const fn method(self) -> Option<Token> {
        match self {
            Self::Method(token) | Self::MethodPart(token, _) => Some(token),
            _ => None,
        }
    }

    /// The method with a token out of a file; `None` for a nil token, or one of another table, which no path names.
    pub(crate) fn of_method(token: Token) -> Option<Self> {
        (token.table() == TableId::METHOD_DEF && !token.is_nil()).then_some(Self::Method(token))
    }

    /// Row of a table, in the PDB for the tables that only a PDB has.
    pub const fn row(table: TableId, row: u32) -> Self {
        Self::Row(Side::of(table), table, row)
    }
}

/// Parts of a method, which has no list of its own; `None` for every other place.
pub fn parts(session: &Session, place: Place) -> Option<Rows<'_>> {
    let Place::Method(token) = place else { return None };
    method::part_list(session, token)
}

/// Rows of the list at `place`; `None` where it is no list, or nothing of the kind is loaded.
pub fn rows(session: &Session, place: Place) -> Option<Rows<'_>> {
    place
        .ask(|node| node.rows(session))
        .map(|rows| rows.linked(|place| exists(session, place)).within(session.spaces().budget()))
}

/// Rows that can be listed with the indexes built so far; rows that require another index are missing.
pub fn partial_rows(session: &Session, place: Place) -> Option<Rows<'_>> {
    let partial = required_index(session, place).and_then(|index| place.ask(|node| node.partial_rows(session, index)));
    match partial {
        Some(partial) => Some(partial.linked(|place| exists(session, place))),
        None => rows(session, place),
    }
}

/// Index of the row of `list` that represents or contains `place`; `None` if only a search of all rows can find it.
pub fn row_of(session: &Session, list: Place, place: Place) -> Option<usize> {
    list.ask(|node| node.row_of(session, place))
}

/// Fields of the record at `place`; `None` where it is no record, or nothing of the kind is loaded.
pub fn fields(session: &Session, place: Place) -> Option<Fields> {
    place.ask(|node| node.fields(session)).map(|fields| linked(session, fields))
}

/// Fields that are stepped through at `place`: those of the record, with the blobs that its row leads to, or of all instructions.
pub fn played(session: &Session, place: Place) -> Option<Fields> {
    let longer = match place {
        Place::MethodPart(method, MethodPart::Il) => method::explain_code(session, method),
        Place::Row(side, table, row) => table::explain_with_blobs(session, side, table, row),
        Place::Document(row) if session.portable_pdb().is_some() => {
            table::explain_with_blobs(session, Side::Pdb, TableId::DOCUMENT, row)
        }
        _ => None,
    };
    longer.map(|fields| linked(session, fields)).or_else(|| fields(session, place))
}

/// Facts about a node at `place` that is not a record; `None` if its name is sufficient.
pub fn summary(session: &Session, place: Place) -> Option<Fields> {
    place.ask(|node| node.summary(session)).map(|fields| linked(session, fields))
}

fn linked(session: &Session, mut fields: Fields) -> Fields {
    for row in &mut fields.rows {
        row.to = row.to.filter(|place| exists(session, *place));
        for bits in &mut row.bits {
            bits.to = bits.to.filter(|place| exists(session, *place));
        }
    }
    fields
}

/// Context of a search result: the line of a method, the method of a variable.
pub fn context(session: &Session, place: Place) -> String {
    place.ask(|node| node.context(session)).unwrap_or_else(|| place.to_string())
}

pub fn bytes(session: &Session, place: Place) -> Option<Span> {
    place.ask(|node| node.bytes(session).or_else(|| node.fields(session).map(|fields| fields.span)))
}

/// Returns whether something is at `place`, as far as that is known without decoding it. Links that lead nowhere are dropped.
pub fn exists(session: &Session, place: Place) -> bool {
    place.ask(|node| node.exists(session))
}

pub(crate) fn indexes(session: &Session, place: Place) -> Vec<LazyIndex> {
    place.ask(|node| node.indexes(session))
}

/// Index that rows or fields at `place` wait for; `None` where it is built, or takes no time that is felt.
pub fn required_index(session: &Session, place: Place) -> Option<LazyIndex> {
    indexes(session, place).into_iter().find(|index| !is_cached(session, *index))
}

#[cfg(test)]
mod tests;
