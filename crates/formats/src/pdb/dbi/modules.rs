use super::NO_STREAM;
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Region, Result, Slice, Span, fields, or_problem};

/// Location of a module's symbols and lines. A managed PDB has a module for each type with methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module {
    /// Span of its record.
    pub span: Span,
    /// Stream with its symbols and lines; [`NO_STREAM`] for none.
    pub stream: u16,
    /// Size of the symbols in bytes.
    pub symbols_size: u32,
    /// Size in bytes of the C11 lines after the symbols, the format before Visual C++ 7.
    pub c11_size: u32,
    /// Size in bytes of the C13 subsections after those.
    pub c13_size: u32,
    /// Number of source files.
    pub file_count: u16,
}

/// A complete module record.
#[derive(Clone, Copy, Debug)]
pub struct ModuleInfo<'a> {
    /// Location of its symbols and lines.
    pub module: Module,
    /// Name: that of an object file, or in a managed PDB of a type.
    pub name: Slice<'a>,
    /// File that the module was read from, such as a library; in a managed PDB a number that distinguishes types of one
    /// name.
    pub object: Slice<'a>,
}

/// Offset of the stream number in a record: a pointer, a contribution and the flags come before it, the three sizes after it.
const STREAM_AT: u64 = 4 + super::Contribution::SIZE + 2;

impl Module {
    /// Bytes of the stream number in the record.
    pub const fn stream_span(&self) -> Span {
        self.span.part(STREAM_AT, 2)
    }

    /// Bytes of the three sizes in the record.
    pub const fn sizes_span(&self) -> Span {
        self.span.part(STREAM_AT + 2, 12)
    }

    /// Stream number; `None` if it has no stream.
    pub fn stream(&self) -> Option<u32> {
        (self.stream != NO_STREAM).then_some(self.stream as u32)
    }

    /// Symbols in the module's stream, which is `region`.
    #[must_use]
    pub fn symbols(&self, region: &Region) -> Region {
        region.clip(0, self.symbols_size as u64)
    }

    /// C13 subsections in the module's stream, which is `region`.
    #[must_use]
    pub fn c13(&self, region: &Region) -> Region {
        region.clip(self.symbols_size as u64 + self.c11_size as u64, self.c13_size as u64)
    }
}

impl<'a> ModuleInfo<'a> {
    fields! {
        /// A module of the DBI stream: an object file in a native PDB, a type in a managed one.
        pub DOC: "module info";
        /// Unused; a pointer in the memory of the program that wrote the file.
        pub OPENED: "opened" as Hex;
        /// Bit 0: the module was written since the file was opened; bit 1: it has Edit and Continue symbols.
        pub FLAGS: "flags" as Hex;
        /// The stream with the symbols and lines of the module; 65535 for none.
        pub STREAM: "stream" as Stream;
        /// The size of the symbols at the start of that stream in bytes.
        pub SYMBOLS_SIZE: "symbols size";
        /// The size of the C11 lines after the symbols in bytes: the form from before Visual C++ 7.
        pub C11_SIZE: "c11 lines size";
        /// The size of the C13 subsections after those in bytes: lines with columns, checksums, inlinees.
        pub C13_SIZE: "c13 lines size";
        /// The number of source files of the module.
        pub FILE_COUNT: "source file count";
        /// Unused bytes that align the next field.
        pub PADDING: "padding";
        /// Unused; a pointer in the memory of the program that wrote the file.
        pub UNUSED: "unused";
        /// The source file for Edit and Continue: an offset in the string table of the Edit and Continue substream.
        pub SOURCE_FILE_NAME: "source file name";
        /// The compiler's own PDB for Edit and Continue: an offset in the string table of the Edit and Continue substream.
        pub PDB_FILE_NAME: "pdb file name";
        /// The name of the module: an object file in a native PDB, a type with methods in a managed one.
        pub NAME: "module name";
        /// The file that the module was read from, which may be a library; in a managed PDB a hash of the module's name.
        pub OBJECT: "object name";
    }

    /// Reads one record.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group(&Self::DOC, |c| {
            let start = c.position();
            c.u32(&Self::OPENED)?;
            super::Contribution::decode(c)?;
            c.u16(&Self::FLAGS)?;
            let stream = c.u16(&Self::STREAM)?;
            let symbols_size = c.u32(&Self::SYMBOLS_SIZE)?;
            let c11_size = c.u32(&Self::C11_SIZE)?;
            let c13_size = c.u32(&Self::C13_SIZE)?;
            let file_count = c.u16(&Self::FILE_COUNT)?;
            c.u16(&Self::PADDING)?;
            c.u32(&Self::UNUSED)?;
            c.u32(&Self::SOURCE_FILE_NAME)?;
            c.u32(&Self::PDB_FILE_NAME)?;
            let name = c.text_z(&Self::NAME)?;
            let object = c.text_z(&Self::OBJECT)?;
            // Records begin at multiples of 4 from the first one's start, which is one itself.
            let len = c.position() - start;
            let padding = len.next_multiple_of(4) - len;
            if padding > 0 {
                c.bytes(&Self::PADDING, padding.min(c.left()))?;
            }
            let module = Module { span: c.since(start), stream, symbols_size, c11_size, c13_size, file_count };
            Ok(Self { module, name, object })
        })
    }
}

pub(super) fn all(infos: &Region, problems: &mut Vec<Error>) -> Vec<Module> {
    let mut cursor = infos.cursor();
    // Records take 66 bytes or more, most of them twice that.
    let mut modules = Vec::with_capacity((infos.len() / 128).min(u16::MAX.into()) as usize);
    while !cursor.is_done() {
        // Module numbers have 16 bits, as stream numbers do.
        if modules.len() > u16::MAX as usize {
            let kind =
                ErrorKind::TooLarge { what: "the list of modules", size: infos.len(), ceiling: cursor.consumed() };
            problems.push(Error::new(kind, infos.span()));
            break;
        }
        let Some(info) = or_problem(ModuleInfo::decode(&mut cursor), problems) else { break };
        modules.push(info.module);
    }
    modules
}
