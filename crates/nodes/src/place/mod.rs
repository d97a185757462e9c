//! Addresses: what can be pointed at, and how it is written. This is data; what is there, the kinds know, which stand above.

#[macro_use]
pub mod path;
mod code_unit;
mod parts;
mod side;

pub use code_unit::{CodeUnit, Words, il_label};
pub use parts::{FunctionPart, MdbTable, MetadataPart, MethodPart, PePart, R2rPart};
pub use path::PlaceError;
pub use side::Side;

use path::Pattern;
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::{Heap, TableId, Token};
use pdblens_session::symbols::RecordRef;
use std::fmt;
use std::str::FromStr;

/// Patterns of the paths of a kind of place: its own path, whose arguments are those of the place, or a list.
macro_rules! patterns {
    ($variant:ident () [$path:literal] []) => { &[path!($path () => $variant)] };
    ($variant:ident ($($arg:ident),+) [$path:literal] []) => { &[path!($path ($($arg),+) => $variant($($arg),+))] };
    ($variant:ident $args:tt [] [$patterns:expr]) => { $patterns };
}

macro_rules! places {
    ($($variant:ident $(($($arg:ident: $ty:ty),+))? $($path:literal)? $(of $patterns:expr)?;)+) => {
        /// Address of a node: breadcrumb, history entry, link, search result, command-line argument and key in the JSON.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Place {
            $($variant $(($($ty),+))?,)+
        }

        impl Place {
            const fn patterns(self) -> &'static [Pattern] {
                match self {
                    $(Self::$variant { .. } => {
                        const OWN: &[Pattern] = patterns!($variant ($($($arg),+)?) [$($path)?] [$($patterns)?]);
                        OWN
                    })+
                }
            }
        }

        /// Patterns of all paths, in the order of the places.
        pub(crate) const PATTERNS: &[&[Pattern]] = &[$(patterns!($variant ($($($arg),+)?) [$($path)?] [$($patterns)?])),+];
    };
}

places! {
    Overview "overview";
    Findings "findings";
    Places "places";
    Trace "trace";
    Pe "pe";
    PePart(part: PePart) of PePart::PATTERNS;
    Exceptions "pe/exceptions";
    Relocations "pe/relocations";
    RelocationBlock(number: u32) "pe/relocations/N";
    EntryStub "pe/entry-stub";
    ReadyToRun "r2r";
    R2r(part: R2rPart) of R2rPart::PATTERNS;
    ManifestResource(row: u32) "manifest-resource/ROW";
    Metadata(side: Side, part: MetadataPart) of MetadataPart::PATTERNS;
    Tables "tables";
    Heaps "heaps";
    Methods "methods";
    Method(token: Token) "method/TOKEN";
    MethodPart(token: Token, part: MethodPart) of MethodPart::PATTERNS;
    Documents "documents";
    Document(row: u32) "document/ROW";
    Line(document: u32, line: u32) "document/ROW/LINE";
    Streams "streams";
    Stream(number: u32) "stream/N";
    Record(stream: u32, offset: u32) "stream/N/OFFSET";
    Pages "pages";
    Page(number: u32) "page/N";
    Header "header";
    Parts "parts";
    Part(offset: u32) "part/OFFSET";
    Directory "directory";
    Modules "modules";
    Module(number: u32) "module/N";
    Functions "functions";
    Function(rva: u32) "function/RVA";
    FunctionPart(rva: u32, part: FunctionPart) of FunctionPart::PATTERNS;
    Types "types";
    Type(number: u32) "type/INDEX";
    TypeLayout(number: u32) "type/INDEX/layout";
    Ids "ids";
    Id(number: u32) "id/INDEX";
    Publics "publics";
    Globals "globals";
    SectionMap "section-map";
    Contributions "contributions";
    Contribution(index: u32) "contributions/N";
    Names "names";
    Mdb(table: MdbTable) "mdb/TABLE";
    MdbRow(table: MdbTable, row: u32) "mdb/TABLE/ROW";
    Table(side: Side, table: TableId) "SIDE/table/TABLE";
    Row(side: Side, table: TableId, row: u32) "SIDE/table/TABLE/ROW";
    Heap(side: Side, heap: Heap) "SIDE/heap/HEAP";
    HeapEntry(side: Side, heap: Heap, offset: u32) of &[
        path!("SIDE/heap/guid/N" (side, number) => HeapEntry(side, Heap::Guids, number)),
        path!("SIDE/heap/HEAP/OFFSET" (side, heap, offset) => HeapEntry(side, heap, offset)),
    ];
    Bytes(span: Span) "bytes/SPACE/RANGE";
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

impl From<RecordRef> for Place {
    fn from(record: RecordRef) -> Self {
        match record {
            RecordRef::Row(table, row) => Self::row(table, row),
            RecordRef::Stream { stream, offset } => Self::Record(stream, offset),
        }
    }
}

impl Place {
    /// Returns whether only a Windows PDB (MSF) has it.
    pub const fn is_of_streams(self) -> bool {
        matches!(
            self,
            Self::Streams
                | Self::Stream(_)
                | Self::Record(..)
                | Self::Directory
                | Self::Pages
                | Self::Page(_)
                | Self::Modules
                | Self::Module(_)
                | Self::SectionMap
                | Self::Contributions
                | Self::Names
                | Self::Publics
                | Self::Globals
        )
    }
}

impl Place {
    /// Returns whether only a PDB of native code has it.
    pub const fn is_of_native_code(self) -> bool {
        matches!(
            self,
            Self::Functions
                | Self::Function(_)
                | Self::FunctionPart(..)
                | Self::Types
                | Self::Type(_)
                | Self::TypeLayout(_)
                | Self::Ids
                | Self::Id(_)
        )
    }
}
