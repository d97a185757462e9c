//! Answers of a [`SymbolReader`](crate::symbols::SymbolReader).

use pdblens_formats::bytes::{Error, Guid, Span};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::srcsrv::SrcSrv;
use std::fmt::{self, Display};

/// Record of the symbol file that a value was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordRef {
    /// Row of a metadata table, counted from 1.
    Row(TableId, u32),
    /// Record of an MSF stream.
    Stream { stream: u32, offset: u32 },
}

/// Record that [`SymbolReader::decode`](crate::symbols::SymbolReader::decode) decodes field by field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolRecord {
    /// The bytes of [`Document::span`].
    Document(u32),
    /// The bytes of [`Method::points`].
    Points(Token),
}

/// A mapping between the token of a method in the image and the number that its record in the symbols has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// The token map of a Windows PDB.
    TokenMap {
        /// Token in the record.
        recorded: Token,
        /// Stream of the map.
        stream: u32,
    },
    /// The EncMap of a hot-reload delta.
    Generation {
        /// Row of MethodDebugInformation in the delta.
        row: u32,
        /// Position among the deltas that were named, counted from 1: what it is in the program is not recorded.
        number: u32,
        /// Name of its file; empty if it is open alone.
        file: String,
    },
}

/// Ways from a document's name to its text.
#[derive(Clone, Debug, Default)]
pub struct SourceServers<'s> {
    /// Source Link document (JSON), as it is in the file.
    pub source_link: Option<Vec<u8>>,
    /// The `srcsrv` stream.
    pub srcsrv: Option<&'s SrcSrv>,
}

/// Facts about the compilation as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compilation {
    /// Method that the program starts with.
    pub entry_point: Option<Token>,
    /// Names and values of the compiler's options.
    pub options: Vec<(String, String)>,
    /// Number of files that it was compiled against.
    pub references: usize,
}

/// A source file, as described by the symbols.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Path, as the compiler wrote it.
    pub name: String,
    pub language: Option<Guid>,
    pub hash_algorithm: Option<Guid>,
    /// Hash of the text; empty if the file has none.
    pub hash: Vec<u8>,
    /// Record that describes it.
    pub span: Span,
}

/// Hash of a document in some modules of a native PDB: compilers may have read different files by the same path.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "module_hash"))]
pub struct ModuleHash {
    /// Algorithm of `hash`.
    #[serde(rename = "hash_algorithm")]
    pub algorithm: Option<Guid>,
    /// Hash of the text; empty if these modules have none.
    #[serde(serialize_with = "pdblens_formats::serialize::bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::Bytes"))]
    pub hash: Vec<u8>,
    /// Entry of the first of these modules.
    #[serde(skip)]
    pub span: Span,
    /// Names of the modules, in their order; of very many the first.
    pub modules: Vec<String>,
    /// Number of the modules.
    pub count: u32,
}

/// Facts about a method as a whole.
#[derive(Clone, Debug, Default)]
pub struct Method {
    /// Document that all points are in; `None` if there are several or none.
    pub document: Option<u32>,
    /// Row of StandAloneSig with the types of the local variables.
    pub local_signature: Option<Token>,
    /// Bytes of the sequence points.
    pub points: Option<Span>,
    /// Offset of those bytes in `#Blob`, if they are in a heap.
    pub blob: Option<u32>,
}

/// One method of a state machine, to find the other by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateMachine {
    /// Async method or iterator, which only starts the state machine.
    Kickoff(Token),
    /// Body of the async method or iterator.
    MoveNext(Token),
}

/// A range of IL in which names are visible.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scope {
    /// Record it was read from.
    #[serde(skip)]
    pub record: Option<RecordRef>,
    /// Bytes of the record.
    pub span: Span,
    /// First IL offset.
    pub start: u32,
    /// Number of bytes of IL.
    pub length: u32,
    /// The record ends at the last offset of the scope, so that `length` is one more than in the record.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub end_inclusive: bool,
    /// Number of scopes around it.
    pub depth: u8,
    /// Row of its import scope; `None` in formats that name it by
    /// [`SymbolReader::imports_of`](crate::symbols::SymbolReader::imports_of).
    #[serde(skip)]
    pub imports: Option<u32>,
    /// Local variables.
    pub variables: Vec<Variable>,
    /// Local constants.
    pub constants: Vec<Constant>,
    /// True of all of a method in a format that does not record its size: `length` is that of the code, or no limit.
    #[serde(skip)]
    pub is_whole: bool,
}

/// Prefix of the fields of a state machine that Visual Basic lists among the variables of a Windows PDB.
pub const RESUMABLE_LOCAL: &str = "$VB$ResumableLocal_";

impl Scope {
    /// First offset after the scope.
    pub fn end(&self) -> u64 {
        u64::from(self.start) + u64::from(self.length)
    }

    /// Returns whether nothing says where the scope ends: it is all of a method whose code is not open.
    pub const fn is_unbounded(&self) -> bool {
        self.is_whole && self.length == u32::MAX
    }

    /// Returns whether names of the scope are visible at an offset.
    pub fn contains(&self, offset: u32) -> bool {
        offset >= self.start && u64::from(offset) < self.end()
    }
}

/// A local variable.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "variable"))]
pub struct Variable {
    /// Record it was read from.
    #[serde(skip)]
    pub record: Option<RecordRef>,
    /// Bytes of the record.
    #[serde(skip)]
    pub span: Span,
    /// Slot in the local signature; of an argument its index, `this` included.
    pub slot: u16,
    /// Argument of the method: C++/CLI lists them among the local variables.
    #[serde(rename = "argument", skip_serializing_if = "std::ops::Not::not")]
    pub is_argument: bool,
    /// Hidden by debuggers.
    pub hidden: bool,
    /// Name.
    pub name: String,
}

impl Variable {
    /// Returns whether the variable is a field of a state machine; then its slot is a position among such fields, and none of the
    /// local signature.
    pub fn is_field(&self) -> bool {
        self.name.starts_with(RESUMABLE_LOCAL)
    }

    /// Returns true if `slot` is one of the local signature.
    pub fn is_local(&self) -> bool {
        !self.is_argument && !self.is_field()
    }

    /// Storage of its value: `slot 3`, `argument 0`, `field`.
    pub fn storage(&self) -> String {
        if self.is_field() {
            return "field".to_owned();
        }
        let kind = if self.is_argument { "argument" } else { "slot" };
        format!("{kind} {}", self.slot)
    }
}

/// A local constant.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "constant"))]
pub struct Constant {
    /// Record it was read from.
    #[serde(skip)]
    pub record: Option<RecordRef>,
    /// Bytes of the record.
    #[serde(skip)]
    pub span: Span,
    /// Name.
    pub name: String,
    /// Bytes of type and value.
    #[serde(serialize_with = "pdblens_formats::serialize::bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::Bytes"))]
    pub signature: Vec<u8>,
    /// Row of StandAloneSig with the type, in formats that name it there.
    #[serde(skip)]
    pub type_signature: Option<Token>,
    /// Type, as a .NET developer writes it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Value, as a .NET developer writes it.
    pub value: String,
}

/// Imports around a method in the source: `using` and its like.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ImportScope {
    /// Bytes of the record.
    pub span: Span,
    /// Row of the scope around it.
    pub parent: Option<u32>,
    /// Imports, in the order of the file.
    #[serde(rename = "entries")]
    pub imports: Vec<Import>,
    /// Error that ended the list early.
    #[serde(skip)]
    pub error: Option<Error>,
}

/// One import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "import"))]
pub struct Import {
    /// The number of its kind in the portable format, 1 to 9.
    pub kind: u8,
    /// The name it is known by here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The namespace (or XML namespace) it imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The assembly that the namespace is taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assembly: Option<Token>,
    /// The type it imports.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub target: Option<Token>,
    /// The type or the assembly, where symbols have its name and no token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One record of custom debug information.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Custom {
    /// Record it was read from.
    #[serde(skip)]
    pub record: Option<RecordRef>,
    /// Token or row it describes.
    pub parent: Option<Token>,
    /// Kind of the value.
    pub kind: Guid,
    /// Bytes of the value, as they are in the file.
    pub span: Span,
    /// Value, in the form of a portable PDB.
    #[serde(serialize_with = "pdblens_formats::serialize::bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::Bytes"))]
    pub value: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable PDB: ECMA-335 metadata.
    Portable,
    /// Windows PDB (MSF) of managed code.
    Windows,
    /// Windows PDB (MSF) of native code.
    Native,
    /// Windows PDB (MSF) of native and managed code (C++/CLI).
    Mixed,
    /// Mono's `.mdb`.
    Mdb,
    /// MSF 2.00, from before .NET: only its header is read.
    SmallMsf,
    /// MSFZ, a compressed MSF, if it cannot be unpacked: only its header is read.
    Msfz,
}

impl Format {
    /// Returns true if only the header is decoded.
    pub const fn is_header_only(self) -> bool {
        matches!(self, Self::SmallMsf | Self::Msfz)
    }

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Windows => "windows",
            Self::Native => "native",
            Self::Mixed => "mixed",
            Self::Mdb => "mdb",
            Self::SmallMsf => "msf2",
            Self::Msfz => "msfz",
        }
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "Portable PDB",
            Self::Windows => "Windows PDB, managed",
            Self::Native => "Windows PDB, native",
            Self::Mixed => "Windows PDB, native and managed",
            Self::Mdb => "Mono .mdb",
            Self::SmallMsf => "PDB from before Visual C++ 7 (MSF 2.00), of which only the header is read",
            Self::Msfz => "compressed PDB (MSFZ), of which only the header is read",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolId {
    /// GUID; for an `.mdb` the MVID of its image.
    pub guid: Guid,
    /// Stamp of a portable PDB, or age of a Windows PDB.
    pub suffix: IdSuffix,
}

/// The second part of a [`SymbolId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdSuffix {
    /// The last four bytes of a portable PDB's 20-byte id.
    Stamp(u32),
    /// Number of times a Windows PDB was written, from 1.
    Age(u32),
    /// Nothing: the GUID is the MVID of the image.
    None,
}

impl Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.suffix {
            IdSuffix::Stamp(stamp) => write!(f, "{} stamp {stamp:08x}", self.guid),
            IdSuffix::Age(age) => write!(f, "{} age {age}", self.guid),
            IdSuffix::None => write!(f, "{}", self.guid),
        }
    }
}
