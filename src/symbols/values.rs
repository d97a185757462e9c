//! Answers of a [`SymbolReader`](crate::symbols::SymbolReader).

use crate::bytes::{Error, Guid, Span};
use crate::formats::metadata::{TableId, Token};
use crate::formats::srcsrv::SrcSrv;

/// Record of the symbol file that a value was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordRef {
    /// Row of a metadata table, counted from 1.
    Row(TableId, u32),
    /// Record of an MSF stream.
    Stream {
        /// Number of the stream.
        stream: u32,
        /// Offset of the record in the stream.
        offset: u32,
    },
}

/// Record that [`SymbolReader::decode`](crate::symbols::SymbolReader::decode) decodes field by field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolRecord {
    /// The bytes of [`Document::span`].
    Document(u32),
    /// The bytes of [`Method::points`].
    Points(Token),
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
}

/// A source file, as its symbols know it.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its path, as the compiler wrote it.
    pub name: String,
    /// The language it is in.
    pub language: Option<Guid>,
    /// How its hash was made.
    pub hash_algorithm: Option<Guid>,
    /// Its hash.
    pub hash: Vec<u8>,
    /// Where it is described.
    pub span: Span,
}

/// What symbols say of a method as a whole.
#[derive(Clone, Debug, Default)]
pub struct Method {
    /// The document that all of its points are in; `None` where there are several, or none.
    pub document: Option<u32>,
    /// The row of StandAloneSig with the types of its local variables.
    pub local_signature: Option<Token>,
    /// The bytes of its sequence points.
    pub points: Option<Span>,
    /// The heap offset of those bytes, where they are in a heap.
    pub blob: Option<u32>,
}

/// A range of IL in which names are visible.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Record it was read from.
    pub record: Option<RecordRef>,
    /// Its bytes.
    pub span: Span,
    /// Its first IL offset.
    pub start: u32,
    /// How many bytes of IL it takes.
    pub length: u32,
    /// How many scopes it is in.
    pub depth: u8,
    /// What is imported in it, where it says so: else [`SymbolReader::imports_of`] does.
    pub imports: Option<u32>,
    /// Its local variables.
    pub variables: Vec<Variable>,
    /// Its local constants.
    pub constants: Vec<Constant>,
}

/// A local variable.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    /// Record it was read from.
    pub record: Option<RecordRef>,
    /// Its bytes.
    pub span: Span,
    /// Its slot in the local signature.
    pub slot: u16,
    /// Whether debuggers hide it.
    pub hidden: bool,
    /// Its name.
    pub name: String,
}

/// A local constant.
#[derive(Clone, Debug, Default)]
pub struct Constant {
    /// Record it was read from.
    pub record: Option<RecordRef>,
    /// Its bytes.
    pub span: Span,
    /// Its name.
    pub name: String,
    /// The bytes that hold type and value.
    pub signature: Vec<u8>,
    /// Its type, as a .NET developer writes it.
    pub type_name: String,
    /// Its value, as a .NET developer writes it.
    pub value: String,
}

/// What is imported where a method was written: `using` and its like.
#[derive(Clone, Debug, Default)]
pub struct ImportScope {
    /// Its bytes.
    pub span: Span,
    /// The scope around it.
    pub parent: Option<u32>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// Why there are no more of them.
    pub error: Option<Error>,
}

/// One import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Import {
    /// The number of its kind in the portable format, 1 to 9.
    pub kind: u8,
    /// The name it is known by here.
    pub alias: Option<String>,
    /// The namespace (or XML namespace) it imports.
    pub namespace: Option<String>,
    /// The assembly that the namespace is taken from.
    pub assembly: Option<Token>,
    /// The type it imports.
    pub target: Option<Token>,
    /// The type or the assembly, where symbols have its name and no token.
    pub text: Option<String>,
}

/// One record of custom debug information.
#[derive(Clone, Debug, Default)]
pub struct Custom {
    /// Record it was read from.
    pub record: Option<RecordRef>,
    /// What it is about.
    pub parent: Option<Token>,
    /// What kind it is.
    pub kind: Guid,
    /// The bytes of its value.
    pub span: Span,
    /// Its value.
    pub value: Vec<u8>,
}
