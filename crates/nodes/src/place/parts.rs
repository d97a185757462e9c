//! Parts of things that have a list of parts, each with its path.

use super::path::{Args, Argument, PlaceError, by_word, long_number};
use pdblens_formats::bytes::{SpaceId, Span};
use pdblens_formats::metadata::Token;
use std::fmt;

parts! {
    pub enum PePart in PePart() {
        Dos = "pe/dos",
        Coff = "pe/coff",
        Optional = "pe/optional",
        Directories = "pe/directories",
        Directory(index: u8) = "pe/directories/N",
        Sections = "pe/sections",
        /// One section header, by number.
        Section(index: u16) = "pe/sections/N",
        Cli = "pe/cli",
        DebugDirectory = "pe/debug",
        /// One entry of the debug directory, by number.
        Debug(index: u16) = "pe/debug/N",
        Imports = "pe/imports",
        /// One imported function, by its position in the list.
        Import(index: u32) = "pe/imports/N",
        DelayImports = "pe/delay-imports",
        /// One function imported on its first call, by its position in the list.
        DelayImport(index: u32) = "pe/delay-imports/N",
        Exports = "pe/exports",
        /// One export, by its position in the list.
        Export(index: u32) = "pe/exports/N",
        Resources = "pe/resources",
        /// One entry of a resource table, by its position in the list of all.
        Resource(index: u32) = "pe/resources/N",
        Version = "pe/version",
        Manifest = "pe/manifest",
        Rich = "pe/rich",
    }
}

parts! {
    pub enum MetadataPart in Metadata(side) {
        Root = "SIDE/metadata",
        Streams = "SIDE/metadata/streams",
        /// One stream, by number.
        Stream(number: u16) = "SIDE/metadata/streams/N",
        TablesHeader = "SIDE/metadata/tables",
        PdbStream = "SIDE/metadata/pdb",
    }
}

parts! {
    pub enum MethodPart in MethodPart(token) {
        Points = "method/TOKEN/points",
        /// One sequence point, counted from 1.
        Point(number: u32) = "method/TOKEN/points/ORDINAL",
        Il = "method/TOKEN/il",
        /// The instruction at an IL offset.
        Instruction(offset: u32) = "method/TOKEN/il/OFFSET",
        Body = "method/TOKEN/body",
        Regions = "method/TOKEN/regions",
        /// One exception region, counted from 0.
        Region(number: u32) = "method/TOKEN/regions/N",
        Scopes = "method/TOKEN/scopes",
        Native = "method/TOKEN/native",
        /// The instruction of machine code at this RVA.
        NativeAt(rva: u32) = "method/TOKEN/native/RVA",
        Source = "method/TOKEN/source",
    }
}

parts! {
    pub enum FunctionPart in FunctionPart(rva) {
        Lines = "function/RVA/lines",
        /// One line, counted from 1.
        Line(number: u32) = "function/RVA/lines/ORDINAL",
        Code = "function/RVA/code",
        /// The instruction with the byte at an offset from the first byte of the function.
        CodeAt(offset: u32) = "function/RVA/code/OFFSET",
        /// Its symbols: parameters, variables, blocks.
        Symbols = "function/RVA/symbols",
        Symbol(offset: u32) = "function/RVA/symbols/OFFSET",
    }
}

parts! {
    pub enum R2rPart in R2r() {
        /// A section, by its type.
        Section(kind: u32) = "r2r/sections/N",
        EntryPoints = "r2r/entry-points",
        EntryPoint(token: Token) = "r2r/entry-points/TOKEN",
        Functions = "r2r/functions",
        Function(index: u32) = "r2r/functions/N",
        DebugInfos = "r2r/debug-info",
        /// The debug information of the method that begins with this runtime function.
        DebugInfo(index: u32) = "r2r/debug-info/N",
        Imports = "r2r/imports",
        Import(index: u32) = "r2r/imports/N",
        /// A cell of an import section.
        Cell(import: u32, index: u32) = "r2r/imports/N/N",
        Instances = "r2r/instances",
        /// One instance, by its position in the list.
        Instance(index: u32) = "r2r/instances/N",
        Types = "r2r/types",
        /// One available type, by its position in the list.
        Type(index: u32) = "r2r/types/N",
        Inlinings = "r2r/inlining",
        /// One inlined method and its inliners, by its position in the list.
        Inlining(index: u32) = "r2r/inlining/N",
    }
}

/// A table of an `.mdb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MdbTable {
    Sources,
    Units,
    Methods,
    AnonymousScopes,
}

impl MdbTable {
    /// All of them, in the order of the lists.
    pub const ALL: [Self; 4] = [Self::Sources, Self::Units, Self::Methods, Self::AnonymousScopes];

    /// Plural noun for its rows.
    pub const fn name(self) -> &'static str {
        self.words().1
    }

    /// Its step of a path.
    const fn word(self) -> &'static str {
        self.words().0
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Sources => ("sources", "sources"),
            Self::Units => ("units", "compile units"),
            Self::Methods => ("methods", "methods"),
            Self::AnonymousScopes => ("anonymous-scopes", "anonymous scopes"),
        }
    }
}

arguments! {
    MdbTable: "a table of an .mdb", |text| by_word(Self::ALL, Self::word, text), Self::word;
}

impl Argument for Span {
    fn read(args: &mut Args<'_>) -> Result<Self, PlaceError> {
        let space = u32::read(args)?;
        args.take("a range of bytes, like 0x1a0+5", |text| {
            let (start, len) = text.split_once('+').unwrap_or((text, "1"));
            let (start, len) = (long_number(start)?, long_number(len)?);
            start.checked_add(len)?;
            Some(Self::new(SpaceId(space), start, len))
        })
    }

    fn write(&self, _: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:#x}+{}", self.space.0, self.start, self.len)
    }
}
