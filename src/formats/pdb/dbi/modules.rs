use super::NO_STREAM;
use crate::bytes::{Cursor, Error, ErrorKind, Notes, Region, Result, Slice, Span};

/// A module: where its symbols and lines are. A managed PDB has one for each type with methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module {
    /// Where its record stands.
    pub span: Span,
    /// The stream that has its symbols and lines; [`NO_STREAM`] if it has none.
    pub stream: u16,
    /// How many bytes of the stream are symbols.
    pub symbols_size: u32,
    /// How many bytes behind them are lines in the form before Visual C++ 7.
    pub c11_size: u32,
    /// How many bytes behind those are lines, checksums and more.
    pub c13_size: u32,
    /// How many source files it has.
    pub file_count: u16,
}

/// All of a module's record.
#[derive(Clone, Copy, Debug)]
pub struct ModuleInfo<'a> {
    /// Where its symbols and lines are.
    pub module: Module,
    /// What it is called: an object file, or in a managed PDB a type.
    pub name: Slice<'a>,
    /// The file it was read from, a library maybe; in a managed PDB a number that tells types of one name apart.
    pub object: Slice<'a>,
}

impl Module {
    /// Its stream, if it has one.
    pub fn stream(&self) -> Option<u32> {
        (self.stream != NO_STREAM).then_some(self.stream as u32)
    }

    /// The symbols in its stream, all of which is `region`.
    #[must_use]
    pub fn symbols(&self, region: &Region) -> Region {
        region.clip(0, self.symbols_size as u64)
    }

    /// The lines and checksums in its stream, all of which is `region`.
    #[must_use]
    pub fn c13(&self, region: &Region) -> Region {
        region.clip(self.symbols_size as u64 + self.c11_size as u64, self.c13_size as u64)
    }

    /// The references to global symbols in its stream, all of which is `region`.
    #[must_use]
    pub fn global_references(&self, region: &Region) -> Region {
        region.clip(self.symbols_size as u64 + self.c11_size as u64 + self.c13_size as u64, u64::MAX)
    }
}

impl<'a> ModuleInfo<'a> {
    /// Reads one record.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group("module info", |c| {
            let start = c.position();
            c.u32("opened")?;
            c.group("section contribution", super::Contribution::decode)?;
            c.u16("flags")?;
            let stream = c.u16("stream")?;
            let symbols_size = c.u32("symbols size")?;
            let c11_size = c.u32("c11 lines size")?;
            let c13_size = c.u32("c13 lines size")?;
            let file_count = c.u16("source file count")?;
            c.u16("padding")?;
            c.u32("unused")?;
            c.u32("source file name")?;
            c.u32("pdb file name")?;
            let name = c.text_z("module name")?;
            let object = c.text_z("object name")?;
            // Records begin at multiples of 4 from the first one's start, which is one itself.
            let len = c.position() - start;
            let padding = len.next_multiple_of(4) - len;
            if padding > 0 {
                c.bytes("padding", padding.min(c.left()))?;
            }
            let module = Module { span: c.since(start), stream, symbols_size, c11_size, c13_size, file_count };
            Ok(Self { module, name, object })
        })
    }
}

/// All modules.
pub(super) fn all(infos: &Region, problems: &mut Vec<Error>) -> Vec<Module> {
    let mut cursor = infos.cursor();
    let mut modules = Vec::new();
    while !cursor.is_done() {
        // Streams are numbered with 16 bits, and so are modules.
        if modules.len() > u16::MAX as usize {
            let kind =
                ErrorKind::TooLarge { what: "the list of modules", size: infos.len(), ceiling: cursor.consumed() };
            problems.push(Error::new(kind, infos.span()));
            break;
        }
        match ModuleInfo::decode(&mut cursor) {
            Ok(info) => modules.push(info.module),
            Err(error) => {
                problems.push(error);
                break;
            }
        }
    }
    modules
}
