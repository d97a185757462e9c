//! The address of everything.
//!
//! A [`Place`] is the breadcrumb, the history, the link, the search result, the argument on the command line and the key in
//! the JSON. It prints as a path and parses back:
//!
//! ```
//! # use pdblens::model::Place;
//! for text in ["methods", "method/0x06000002/il/0xf", "table/Document/3", "image/heap/blob/0xb5", "pe/debug/0"] {
//!     assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
//! }
//! ```
//!
//! A path says what is meant, not whether it is there: that is asked of a [`Session`](crate::session::Session), which also understands
//! names in the place of numbers (`method/Clock.Since`, `document/Program.cs`).

use std::fmt;
use std::str::FromStr;

use crate::bytes::{SpaceId, Span};
use crate::formats::metadata::{Heap, Metadata, TableId, Token};
use crate::session::Session;
use crate::symbols::RecordRef;

/// Which of the two files a table or heap is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The DLL or EXE.
    Image,
    /// The PDB.
    Pdb,
}

/// What part of an image's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PePart {
    /// The DOS header and stub.
    Dos,
    /// The COFF header.
    Coff,
    /// The optional header.
    Optional,
    /// The list of data directories.
    Directories,
    /// One data directory.
    Directory(u8),
    /// The list of sections.
    Sections,
    /// One section header, by number.
    Section(u16),
    /// The CLI header.
    Cli,
    /// The debug directory.
    DebugDirectory,
    /// One entry of the debug directory, by number.
    Debug(u16),
}

/// What part of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MethodPart {
    /// Its sequence points.
    Points,
    /// One sequence point, counted from 1.
    Point(u32),
    /// Its instructions.
    Il,
    /// The instruction at an IL offset.
    Instruction(u32),
    /// Its body's header and sections.
    Body,
    /// Its exception regions.
    Regions,
    /// One exception region, counted from 0.
    Region(u32),
    /// Its scopes, with their variables and constants.
    Scopes,
    /// Its source.
    Source,
}

/// What part of a function of native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FunctionPart {
    /// Its lines.
    Lines,
    /// One line, counted from 1.
    Line(u32),
    /// Its machine code.
    Code,
    /// The code of a line from an offset on; offsets count from the first byte of the function.
    CodeAt(u32),
    /// Its symbols: parameters, variables, blocks.
    Symbols,
    /// One of them, by where its record begins in the stream of its module.
    Symbol(u32),
}

/// What part of a metadata root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MetadataPart {
    /// The root itself.
    Root,
    /// The list of its streams.
    Streams,
    /// One stream, by number.
    Stream(u16),
    /// The header of the tables stream.
    TablesHeader,
    /// The `#Pdb` stream.
    PdbStream,
}

/// A table of an `.mdb`: what the file has once, or what its methods have each, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MdbTable {
    /// The source files.
    Sources,
    /// The compile units.
    Units,
    /// The methods.
    Methods,
    /// The sequence points of all methods.
    Lines,
    /// The local variables of all methods.
    Locals,
    /// The scopes of all methods.
    Blocks,
    /// What lambdas and iterators capture.
    AnonymousScopes,
}

impl MdbTable {
    /// All of them, in the order of the lists.
    pub const ALL: [Self; 7] =
        [Self::Sources, Self::Units, Self::Methods, Self::Lines, Self::Locals, Self::Blocks, Self::AnonymousScopes];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::Units => "compile units",
            Self::Methods => "methods",
            Self::Lines => "line entries",
            Self::Locals => "local variables",
            Self::Blocks => "code blocks",
            Self::AnonymousScopes => "anonymous scopes",
        }
    }
}

/// The address of something in the loaded files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// What the files are, and whether they belong together.
    Overview,
    /// Everything that is wrong.
    Findings,
    /// The list of places that can be listed.
    Places,
    /// The stack trace that is looked at: a place of the screens.
    Trace,
    /// The image's headers.
    Pe,
    /// A part of them.
    PePart(PePart),
    /// A metadata root.
    Metadata(Side, MetadataPart),
    /// All tables of both files.
    Tables,
    /// One table.
    Table(Side, TableId),
    /// One row, counted from 1.
    Row(Side, TableId, u32),
    /// All heaps of both files.
    Heaps,
    /// One heap.
    Heap(Side, Heap),
    /// One entry of a heap, by offset (a GUID by number).
    HeapEntry(Side, Heap, u32),
    /// All methods.
    Methods,
    /// One method.
    Method(Token),
    /// A part of one.
    MethodPart(Token, MethodPart),
    /// All documents.
    Documents,
    /// One document, counted from 1.
    Document(u32),
    /// One line of a document.
    Line(u32, u32),
    /// What the symbol file begins with.
    Header,
    /// What a symbol file without streams is made of, in the order of the file.
    Parts,
    /// The part that begins at an offset of it.
    Part(u32),
    /// The directory of an MSF file.
    Directory,
    /// The streams of an MSF file.
    Streams,
    /// One of them.
    Stream(u32),
    /// The record at an offset of a stream.
    Record(u32, u32),
    /// The pages of an MSF file.
    Pages,
    /// One of them.
    Page(u32),
    /// The modules of a Windows PDB.
    Modules,
    /// One of them, counted from 0.
    Module(u32),
    /// The functions of native code.
    Functions,
    /// The function with the code at an address.
    Function(u32),
    /// A part of it.
    FunctionPart(u32, FunctionPart),
    /// The types of native code.
    Types,
    /// One of them, by number.
    Type(u32),
    /// The ids of native code: functions, strings, builds.
    Ids,
    /// One of them, by number.
    Id(u32),
    /// The public symbols.
    Publics,
    /// The global symbols.
    Globals,
    /// The sections of the image, as a Windows PDB has them.
    SectionMap,
    /// Which bytes of the image come from which module.
    Contributions,
    /// The strings that parts of a Windows PDB refer to.
    Names,
    /// A table of an `.mdb`.
    Mdb(MdbTable),
    /// One row of it, counted from 1.
    MdbRow(MdbTable, u32),
    /// Bytes of a file, or of what was derived from one.
    Bytes(Span),
}

impl Place {
    /// What it is a part of: the next step up the breadcrumb.
    pub const fn parent(self) -> Option<Self> {
        Some(match self {
            Self::Overview => return None,
            Self::PePart(PePart::Directory(_)) => Self::PePart(PePart::Directories),
            Self::PePart(PePart::Section(_)) => Self::PePart(PePart::Sections),
            Self::PePart(PePart::Debug(_)) => Self::PePart(PePart::DebugDirectory),
            Self::PePart(_) => Self::Pe,
            Self::Metadata(side, MetadataPart::Stream(_)) => Self::Metadata(side, MetadataPart::Streams),
            Self::Metadata(side, MetadataPart::Streams | MetadataPart::TablesHeader | MetadataPart::PdbStream) => {
                Self::Metadata(side, MetadataPart::Root)
            }
            Self::Table(..) | Self::Mdb(_) => Self::Tables,
            Self::Row(side, table, _) => Self::Table(side, table),
            Self::Heap(..) => Self::Heaps,
            Self::HeapEntry(side, heap, _) => Self::Heap(side, heap),
            Self::Method(_) => Self::Methods,
            Self::MethodPart(method, MethodPart::Point(_)) => Self::MethodPart(method, MethodPart::Points),
            Self::MethodPart(method, MethodPart::Instruction(_)) => Self::MethodPart(method, MethodPart::Il),
            Self::MethodPart(method, MethodPart::Region(_)) => Self::MethodPart(method, MethodPart::Regions),
            Self::MethodPart(method, _) => Self::Method(method),
            Self::Document(_) => Self::Documents,
            Self::Line(document, _) => Self::Document(document),
            Self::Part(_) => Self::Parts,
            Self::Stream(_) => Self::Streams,
            Self::Record(stream, _) => Self::Stream(stream),
            Self::Module(_) => Self::Modules,
            Self::Function(_) => Self::Functions,
            Self::FunctionPart(rva, FunctionPart::Line(_)) => Self::FunctionPart(rva, FunctionPart::Lines),
            Self::FunctionPart(rva, FunctionPart::CodeAt(_)) => Self::FunctionPart(rva, FunctionPart::Code),
            Self::FunctionPart(rva, FunctionPart::Symbol(_)) => Self::FunctionPart(rva, FunctionPart::Symbols),
            Self::FunctionPart(rva, _) => Self::Function(rva),
            Self::MdbRow(table, _) => Self::Mdb(table),
            Self::Type(_) => Self::Types,
            Self::Id(_) => Self::Ids,
            Self::Page(_) => Self::Pages,
            _ => Self::Overview,
        })
    }

    /// The method it is about, where it is about one.
    pub const fn method(self) -> Option<Token> {
        match self {
            Self::Method(token) | Self::MethodPart(token, _) => Some(token),
            _ => None,
        }
    }

    /// Whether it is of the container of a Windows PDB, or of what is in it.
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

    /// Whether only a Windows PDB of native code has it.
    pub const fn is_of_native_code(self) -> bool {
        matches!(
            self,
            Self::Functions
                | Self::Function(_)
                | Self::FunctionPart(..)
                | Self::Types
                | Self::Type(_)
                | Self::Ids
                | Self::Id(_)
        )
    }

    /// The place of a row; in the PDB for the tables that only a PDB has.
    pub const fn row(table: TableId, row: u32) -> Self {
        Self::Row(if table.is_debug() { Side::Pdb } else { Side::Image }, table, row)
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

/// The words that paths are made of, for printing, parsing and completing alike.
const PE_PARTS: &[(&str, PePart)] = &[
    ("dos", PePart::Dos),
    ("coff", PePart::Coff),
    ("optional", PePart::Optional),
    ("directories", PePart::Directories),
    ("sections", PePart::Sections),
    ("cli", PePart::Cli),
    ("debug", PePart::DebugDirectory),
];

const METHOD_PARTS: &[(&str, MethodPart)] = &[
    ("points", MethodPart::Points),
    ("il", MethodPart::Il),
    ("body", MethodPart::Body),
    ("regions", MethodPart::Regions),
    ("scopes", MethodPart::Scopes),
    ("source", MethodPart::Source),
];

const FUNCTION_PARTS: &[(&str, FunctionPart)] =
    &[("lines", FunctionPart::Lines), ("code", FunctionPart::Code), ("symbols", FunctionPart::Symbols)];

const MDB_TABLES: &[(&str, MdbTable)] = &[
    ("sources", MdbTable::Sources),
    ("units", MdbTable::Units),
    ("methods", MdbTable::Methods),
    ("lines", MdbTable::Lines),
    ("locals", MdbTable::Locals),
    ("blocks", MdbTable::Blocks),
    ("anonymous-scopes", MdbTable::AnonymousScopes),
];

const METADATA_PARTS: &[(&str, MetadataPart)] =
    &[("streams", MetadataPart::Streams), ("tables", MetadataPart::TablesHeader), ("pdb", MetadataPart::PdbStream)];

const HEAPS: &[(&str, Heap)] =
    &[("strings", Heap::Strings), ("us", Heap::UserStrings), ("guid", Heap::Guids), ("blob", Heap::Blobs)];

const PLAIN: &[(&str, Place)] = &[
    ("overview", Place::Overview),
    ("findings", Place::Findings),
    ("places", Place::Places),
    ("trace", Place::Trace),
    ("pe", Place::Pe),
    ("tables", Place::Tables),
    ("heaps", Place::Heaps),
    ("methods", Place::Methods),
    ("documents", Place::Documents),
    ("streams", Place::Streams),
    ("pages", Place::Pages),
    ("header", Place::Header),
    ("parts", Place::Parts),
    ("directory", Place::Directory),
    ("modules", Place::Modules),
    ("functions", Place::Functions),
    ("types", Place::Types),
    ("ids", Place::Ids),
    ("publics", Place::Publics),
    ("globals", Place::Globals),
    ("section-map", Place::SectionMap),
    ("contributions", Place::Contributions),
    ("names", Place::Names),
];

fn word<T: PartialEq + Copy>(words: &[(&'static str, T)], part: T) -> &'static str {
    words.iter().find(|(_, p)| *p == part).map_or("?", |(word, _)| word)
}

fn part<T: Copy>(words: &[(&'static str, T)], text: &str) -> Option<T> {
    words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, part)| *part)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::PePart(PePart::Directory(n)) => write!(f, "pe/directories/{n}"),
            Self::PePart(PePart::Section(n)) => write!(f, "pe/sections/{n}"),
            Self::PePart(PePart::Debug(n)) => write!(f, "pe/debug/{n}"),
            Self::PePart(part) => write!(f, "pe/{}", word(PE_PARTS, part)),
            Self::Metadata(side, MetadataPart::Root) => write!(f, "{side}metadata"),
            Self::Metadata(side, MetadataPart::Stream(n)) => write!(f, "{side}metadata/streams/{n}"),
            Self::Metadata(side, part) => write!(f, "{side}metadata/{}", word(METADATA_PARTS, part)),
            Self::Table(side, table) => write!(f, "{}table/{}", side.of(table), table.name()),
            Self::Row(side, table, row) => write!(f, "{}table/{}/{row}", side.of(table), table.name()),
            Self::Heap(side, heap) => write!(f, "{side}heap/{}", word(HEAPS, heap)),
            Self::HeapEntry(side, Heap::Guids, number) => write!(f, "{side}heap/guid/{number}"),
            Self::HeapEntry(side, heap, offset) => write!(f, "{side}heap/{}/{offset:#x}", word(HEAPS, heap)),
            Self::Method(token) => write!(f, "method/{token}"),
            Self::MethodPart(token, MethodPart::Point(n)) => write!(f, "method/{token}/points/{n}"),
            Self::MethodPart(token, MethodPart::Instruction(at)) => write!(f, "method/{token}/il/{at:#x}"),
            Self::MethodPart(token, MethodPart::Region(n)) => write!(f, "method/{token}/regions/{n}"),
            Self::MethodPart(token, part) => write!(f, "method/{token}/{}", word(METHOD_PARTS, part)),
            Self::Document(row) => write!(f, "document/{row}"),
            Self::Line(row, line) => write!(f, "document/{row}/{line}"),
            Self::Part(at) => write!(f, "part/{at:#x}"),
            Self::Stream(number) => write!(f, "stream/{number}"),
            Self::Record(stream, at) => write!(f, "stream/{stream}/{at:#x}"),
            Self::Page(number) => write!(f, "page/{number}"),
            Self::Module(number) => write!(f, "module/{number}"),
            Self::Function(rva) => write!(f, "function/{rva:#x}"),
            Self::FunctionPart(rva, FunctionPart::Line(n)) => write!(f, "function/{rva:#x}/lines/{n}"),
            Self::FunctionPart(rva, FunctionPart::CodeAt(at)) => write!(f, "function/{rva:#x}/code/{at:#x}"),
            Self::FunctionPart(rva, FunctionPart::Symbol(at)) => write!(f, "function/{rva:#x}/symbols/{at:#x}"),
            Self::FunctionPart(rva, part) => write!(f, "function/{rva:#x}/{}", word(FUNCTION_PARTS, part)),
            Self::Mdb(table) => write!(f, "mdb/{}", word(MDB_TABLES, table)),
            Self::MdbRow(table, row) => write!(f, "mdb/{}/{row}", word(MDB_TABLES, table)),
            Self::Type(number) => write!(f, "type/{number:#x}"),
            Self::Id(number) => write!(f, "id/{number:#x}"),
            Self::Bytes(span) => write!(f, "bytes/{}/{:#x}+{}", span.space.0, span.start, span.len),
            plain => f.write_str(word(PLAIN, plain)),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "image/",
            Self::Pdb => "pdb/",
        })
    }
}

impl Side {
    /// Metadata of the file, where it has any.
    pub fn metadata(self, session: &Session) -> Option<&Metadata> {
        match self {
            Self::Image => session.metadata(),
            Self::Pdb => session.portable_pdb().map(|pdb| &pdb.metadata),
        }
    }

    /// Files that have metadata, the image first.
    pub fn loaded(session: &Session) -> impl Iterator<Item = (Self, &Metadata)> {
        [Self::Image, Self::Pdb].into_iter().filter_map(|side| Some((side, side.metadata(session)?)))
    }

    /// Its word in lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Pdb => "pdb",
        }
    }

    /// The prefix of a table's path: none where the table's number says in which file it is.
    const fn of(self, table: TableId) -> &'static str {
        match (self, table.is_debug()) {
            (Self::Image, false) | (Self::Pdb, true) => "",
            (Self::Image, true) => "image/",
            (Self::Pdb, false) => "pdb/",
        }
    }
}

/// A number as people write them: decimal, or hexadecimal after `0x`.
pub fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A method by its token, or by its row alone.
fn method(text: &str) -> Option<Token> {
    let number = number(text)?;
    let token = if number >> 24 == 0 { Token::new(TableId::METHOD_DEF, number) } else { Token(number) };
    (token.table() == TableId::METHOD_DEF && !token.is_nil()).then_some(token)
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        parse(text.trim_matches('/')).ok_or(())
    }
}

fn parse(text: &str) -> Option<Place> {
    if let Some(plain) = part(PLAIN, text) {
        return Some(plain);
    }
    let (side, path) = match text.split_once('/') {
        Some(("image", rest)) => (Some(Side::Image), rest),
        Some(("pdb", rest)) => (Some(Side::Pdb), rest),
        _ => (None, text),
    };
    let steps: Vec<&str> = path.split('/').collect();
    let table_side = |table: TableId| side.unwrap_or(if table.is_debug() { Side::Pdb } else { Side::Image });
    // What a portable PDB and an image both have is the PDB's where nothing is said.
    let either = side.unwrap_or(Side::Pdb);
    let small = |text: &str| number(text).and_then(|n| u16::try_from(n).ok());
    let place = match *steps.as_slice() {
        ["metadata"] => Place::Metadata(either, MetadataPart::Root),
        ["metadata", word] => Place::Metadata(either, part(METADATA_PARTS, word)?),
        ["metadata", "streams", n] => Place::Metadata(either, MetadataPart::Stream(small(n)?)),
        ["table", name] => TableId::named(name).map(|table| Place::Table(table_side(table), table))?,
        ["table", name, row] => {
            let (table, row) = (TableId::named(name)?, number(row).filter(|row| *row > 0)?);
            Place::Row(table_side(table), table, row)
        }
        ["heap", name] => Place::Heap(either, part(HEAPS, name)?),
        ["heap", name, offset] => Place::HeapEntry(either, part(HEAPS, name)?, number(offset)?),
        _ if side.is_some() => return None,
        ["pe", word] => Place::PePart(part(PE_PARTS, word)?),
        ["pe", "directories", n] => Place::PePart(PePart::Directory(u8::try_from(number(n)?).ok()?)),
        ["pe", "sections", n] => Place::PePart(PePart::Section(small(n)?)),
        ["pe", "debug", n] => Place::PePart(PePart::Debug(small(n)?)),
        ["method", token] => Place::Method(method(token)?),
        ["method", token, word] => Place::MethodPart(method(token)?, part(METHOD_PARTS, word)?),
        ["method", token, "points", n] => {
            Place::MethodPart(method(token)?, MethodPart::Point(number(n).filter(|n| *n > 0)?))
        }
        ["method", token, "il", at] => Place::MethodPart(method(token)?, MethodPart::Instruction(number(at)?)),
        ["method", token, "regions", n] => Place::MethodPart(method(token)?, MethodPart::Region(number(n)?)),
        ["document", row] => Place::Document(number(row).filter(|row| *row > 0)?),
        ["document", row, line] => Place::Line(number(row).filter(|row| *row > 0)?, number(line)?),
        ["part", at] => Place::Part(number(at)?),
        ["stream", n] => Place::Stream(number(n)?),
        ["stream", n, at] => Place::Record(number(n)?, number(at)?),
        ["page", n] => Place::Page(number(n)?),
        ["module", n] => Place::Module(number(n)?),
        ["function", rva] => Place::Function(number(rva)?),
        ["function", rva, word] => Place::FunctionPart(number(rva)?, part(FUNCTION_PARTS, word)?),
        ["function", rva, "lines", n] => {
            Place::FunctionPart(number(rva)?, FunctionPart::Line(number(n).filter(|n| *n > 0)?))
        }
        ["function", rva, "code", at] => Place::FunctionPart(number(rva)?, FunctionPart::CodeAt(number(at)?)),
        ["function", rva, "symbols", at] => Place::FunctionPart(number(rva)?, FunctionPart::Symbol(number(at)?)),
        ["mdb", table] => Place::Mdb(part(MDB_TABLES, table)?),
        ["mdb", table, row] => Place::MdbRow(part(MDB_TABLES, table)?, number(row).filter(|row| *row > 0)?),
        ["type", n] => Place::Type(number(n)?),
        ["id", n] => Place::Id(number(n)?),
        ["bytes", space, range] => {
            let (start, len) = range.split_once('+').unwrap_or((range, "1"));
            let wide = |text: &str| match text.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok(),
                None => text.parse().ok(),
            };
            Place::Bytes(Span::new(SpaceId(number(space)?), wide(start)?, wide(len)?))
        }
        _ => return None,
    };
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_place_prints_what_it_parses() {
        let method = Token(0x0600_0002);
        let mut places: Vec<Place> = PLAIN.iter().map(|(_, place)| *place).collect();
        places.extend(PE_PARTS.iter().map(|(_, part)| Place::PePart(*part)));
        places.extend([PePart::Directory(14), PePart::Section(2), PePart::Debug(0)].map(Place::PePart));
        places.extend(METHOD_PARTS.iter().map(|(_, part)| Place::MethodPart(method, *part)));
        places.extend(
            [MethodPart::Point(3), MethodPart::Instruction(15), MethodPart::Region(0)]
                .map(|part| Place::MethodPart(method, part)),
        );
        for side in [Side::Image, Side::Pdb] {
            places.push(Place::Metadata(side, MetadataPart::Root));
            places.push(Place::Metadata(side, MetadataPart::Stream(1)));
            places.extend(METADATA_PARTS.iter().map(|(_, part)| Place::Metadata(side, *part)));
            places.extend(
                HEAPS.iter().flat_map(|(_, heap)| [Place::Heap(side, *heap), Place::HeapEntry(side, *heap, 181)]),
            );
            places.extend(TableId::all().flat_map(|table| [Place::Table(side, table), Place::Row(side, table, 7)]));
        }
        places.extend([
            Place::Method(method),
            Place::Document(1),
            Place::Line(1, 21),
            Place::Part(0x70),
            Place::Stream(12),
            Place::Record(12, 0x40),
            Place::Module(3),
            Place::Function(0x1020),
            Place::FunctionPart(0x1020, FunctionPart::Line(3)),
            Place::FunctionPart(0x1020, FunctionPart::CodeAt(0x19)),
            Place::FunctionPart(0x1020, FunctionPart::Symbol(0x128)),
            Place::Type(0x1004),
            Place::Id(0x1005),
            Place::Page(5),
        ]);
        places.extend(FUNCTION_PARTS.iter().map(|(_, part)| Place::FunctionPart(0x1020, *part)));
        places.extend(MDB_TABLES.iter().flat_map(|(_, table)| [Place::Mdb(*table), Place::MdbRow(*table, 4)]));
        places.push(Place::Bytes(Span::new(SpaceId(1), 0x1a0, 5)));
        for place in places {
            assert_eq!(place.to_string().parse(), Ok(place), "{place}");
            let steps = std::iter::successors(Some(place), |place| place.parent()).take(10).collect::<Vec<_>>();
            assert_eq!(steps.last(), Some(&Place::Overview), "{place} leads up to the overview");
        }
    }

    #[test]
    fn shorthand_is_read_and_nonsense_is_not() {
        assert_eq!("method/2/il/15".parse(), Ok(Place::MethodPart(Token(0x0600_0002), MethodPart::Instruction(15))));
        assert_eq!("heap/blob/181".parse(), Ok(Place::HeapEntry(Side::Pdb, Heap::Blobs, 181)));
        for wrong in
            ["", "method", "method/0", "method/0x01000001", "table/Nope", "table/Document/0", "image/method/1", "pe/x"]
        {
            assert_eq!(wrong.parse::<Place>(), Err(()), "{wrong}");
        }
    }
}
