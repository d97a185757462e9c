//! What every symbol file can be asked, whatever its format.
//!
//! Portable PDBs, Windows PDBs, Mono's `.mdb` and native PDBs keep the same facts in different ways. Each implements
//! [`Symbols`]; lists, lookups, screens and JSON ask only that.

pub(crate) mod readers;

use std::fmt::{self, Debug, Display};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::bytes::{Cursor, Error, Guid, Noted, Result, Spaces, Span};
use crate::formats::managed::WindowsPdb;
use crate::formats::mdb::Mdb;
use crate::formats::metadata::{Metadata, Token};
use crate::formats::pdb::{Globals, PdbTables};
use crate::formats::portable::points::Point;
use crate::formats::srcsrv::SrcSrv;
use crate::nodes::Place;

/// A symbol file, read.
pub trait Symbols: Send + Sync + Debug {
    /// Which format it has.
    fn format(&self) -> Format;

    /// Takes the bytes of all files, complete now, for what is read only when it is asked for.
    fn attach(&mut self, _spaces: &Arc<Spaces>) {}

    /// Whether only its header is read.
    fn is_header_only(&self) -> bool {
        matches!(self.format(), Format::SmallMsf | Format::Msfz | Format::Ildb)
    }

    /// Its streams and what is in them, where it is a Windows PDB.
    fn windows(&self) -> Option<&WindowsPdb> {
        None
    }

    /// What only native code has, where it is of that.
    fn native(&self) -> Option<&PdbTables> {
        None
    }

    /// Its public and global symbols, where it is a Windows PDB.
    fn globals(&self) -> Option<&Globals> {
        None
    }

    /// Its tables and what they lead to, where it is one of Mono's.
    fn mdb(&self) -> Option<&Mdb> {
        None
    }

    /// What an image names it by.
    fn id(&self) -> Option<SymbolId>;

    /// Where in it the checksum of the whole file has to count zeros: the id. Empty where the format has no checksum.
    fn id_spans(&self) -> Vec<Span> {
        Vec::new()
    }

    /// The method that the program starts with.
    fn entry_point(&self) -> Option<Token> {
        None
    }

    /// How many documents it names; they are counted from 1.
    fn documents(&self) -> u32;

    /// One of them.
    fn document(&self, row: u32) -> Result<Document>;

    /// Reads the bytes that [`Document::span`] spans, for what `cursor` notes of them.
    fn note_document(&self, _row: u32, cursor: &mut Cursor<'_, Noted>) -> Result<()> {
        cursor.bytes("content", cursor.left()).map(drop)
    }

    /// How many methods it may know something of: tokens of rows 1 to this.
    fn methods(&self) -> u32;

    /// What it says of a method as a whole.
    fn method(&self, method: Token) -> Result<Method>;

    /// What it calls a method: the type, and the name. Most formats leave names to the image.
    fn method_name(&self, _method: Token) -> Option<(String, String)> {
        None
    }

    /// Calls `each` with the sequence points of a method in their order, until it breaks. Nothing is allocated.
    fn points(&self, method: Token, each: &mut dyn FnMut(Point) -> ControlFlow<()>) -> Result<()>;

    /// The columns of a point, where they stand apart from the rest of it.
    fn columns_of(&self, _method: Token, _point: &Point) -> Option<Span> {
        None
    }

    /// The number of the point, counted from 1, that has a byte of `blob`, the points of a method; and its bytes there.
    fn point_with(&self, method: Token, blob: Span, byte: Span) -> Option<(u32, Span)> {
        let (mut number, mut found) = (0, None);
        // A method whose points cannot be decoded has those that could.
        let _ = self.points(method, &mut |point| {
            number += 1;
            let span = blob.part(point.at.into(), point.len.into());
            found = span.covers(byte).then_some((number, span));
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }

    /// Reads the bytes that [`Method::points`] spans, for what `cursor` notes of them.
    fn note_points(&self, method: Token, cursor: &mut Cursor<'_, Noted>) -> Result<()>;

    /// The scopes of a method, outer ones first, with their variables and constants. `name` names a type of the image.
    fn scopes(&self, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>>;

    /// The import scopes; they are counted from 1, and chained by their parents.
    fn import_scopes(&self) -> u32 {
        0
    }

    /// The import scope around all scopes of a method, where those do not say it: finding it may take a look at all methods.
    fn imports_of(&self, _method: Token) -> Option<u32> {
        None
    }

    /// One of them.
    fn import_scope(&self, _row: u32) -> Result<ImportScope> {
        Err(Error::invalid("this format has no import scopes", Span::default()))
    }

    /// The async method or iterator that `move_next` is the body of.
    fn kickoff(&self, _move_next: Token) -> Option<Token> {
        None
    }

    /// The method that holds the body of the async method or iterator `kickoff`.
    fn move_next(&self, _kickoff: Token) -> Option<Token> {
        None
    }

    /// The custom debug information, in its order.
    fn customs(&self) -> u32 {
        0
    }

    /// One record of it, counted from 1.
    fn custom(&self, _row: u32) -> Result<Custom> {
        Err(Error::invalid("this format has no custom debug information", Span::default()))
    }

    /// The Source Link document, as it stands in the file.
    fn source_link(&self) -> Option<Vec<u8>> {
        None
    }

    /// The `srcsrv` stream, which says how a debugger gets at the sources.
    fn srcsrv(&self) -> Option<&SrcSrv> {
        None
    }

    /// The text of a document where the file holds it: as it stands, or inflated.
    fn embedded_source(&self, _document: u32) -> Option<Result<Vec<u8>>> {
        None
    }

    /// Whether the file holds the text of a document.
    fn has_embedded_source(&self, _document: u32) -> bool {
        false
    }

    /// The options that the compiler says it was run with: names and values.
    fn compilation_options(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Its metadata, where it is made of metadata.
    fn metadata(&self) -> Option<&Metadata> {
        None
    }

    /// Everything that is wrong with it as a whole.
    fn problems(&self) -> Vec<Error> {
        Vec::new()
    }
}

/// The format of a symbol file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable PDB: ECMA-335 metadata.
    Portable,
    /// Windows PDB (MSF) of managed code.
    Windows,
    /// Windows PDB (MSF) of native code.
    Native,
    /// Mono's `.mdb`.
    Mdb,
    /// MSF 2.00, from before .NET: only its header is read.
    SmallMsf,
    /// MSFZ, a compressed MSF: only its header is read.
    Msfz,
    /// CILDB: only its header is read.
    Ildb,
}

impl Format {
    /// What JSON calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Windows => "windows",
            Self::Native => "native",
            Self::Mdb => "mdb",
            Self::SmallMsf => "msf2",
            Self::Msfz => "msfz",
            Self::Ildb => "ildb",
        }
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "Portable PDB",
            Self::Windows => "Windows PDB, managed",
            Self::Native => "Windows PDB, native",
            Self::Mdb => "Mono .mdb",
            Self::SmallMsf => "PDB from before Visual C++ 7 (MSF 2.00), of which only the header is read",
            Self::Msfz => "compressed PDB (MSFZ), of which only the header is read",
            Self::Ildb => "CILDB, of which only the header is read",
        })
    }
}

/// What an image names its symbols by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolId {
    /// The GUID.
    pub guid: Guid,
    /// What follows it: a portable PDB's stamp, a Windows PDB's age.
    pub rest: IdRest,
}

/// The second part of a [`SymbolId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdRest {
    /// The last four bytes of a portable PDB's 20-byte id.
    Stamp(u32),
    /// How often a Windows PDB was written.
    Age(u32),
    /// Nothing: the GUID is the image's module version id.
    None,
}

impl Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rest {
            IdRest::Stamp(stamp) => write!(f, "{} stamp {stamp:08x}", self.guid),
            IdRest::Age(age) => write!(f, "{} age {age}", self.guid),
            IdRest::None => write!(f, "{}", self.guid),
        }
    }
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
    /// Where it stands.
    pub place: Option<Place>,
    /// Its bytes.
    pub span: Span,
    /// Its first IL offset.
    pub start: u32,
    /// How many bytes of IL it takes.
    pub length: u32,
    /// How many scopes it is in.
    pub depth: u8,
    /// What is imported in it, where it says so: else [`Symbols::imports_of`] does.
    pub imports: Option<u32>,
    /// Its local variables.
    pub variables: Vec<Variable>,
    /// Its local constants.
    pub constants: Vec<Constant>,
}

/// A local variable.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    /// Where it stands.
    pub place: Option<Place>,
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
    /// Where it stands.
    pub place: Option<Place>,
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
    /// Where it stands.
    pub place: Option<Place>,
    /// What it is about.
    pub parent: Option<Token>,
    /// What kind it is.
    pub kind: Guid,
    /// The bytes of its value.
    pub span: Span,
    /// Its value.
    pub value: Vec<u8>,
}
