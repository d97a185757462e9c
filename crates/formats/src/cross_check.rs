//! Cross-check of Windows PDBs with the `pdb` crate: modules, symbol records, functions, lines, types and ids.
//!
//! The `pdb` crate is an independent implementation of the same documents. Where it disagrees with this one, one of the
//! two is wrong, or the file is.
//!
//! Streams are read through [`Spaces`], so that a large file is not held in memory twice, and no
//! more of them than a session may [copy](Resource::Bytes).
//!
//! # Limits of `pdb` 0.8
//!
//! - Hidden lines are left out, and the end line is always the start line.
//! - Managed procedures are records without a decoder.
//! - Opening a stream walks the sizes of all streams before it, so that reading every module of a file with many is quadratic:
//!   see [`MAX_STEPS`].
//! - Line subsections whose counts are wrong make it panic. [`lines_can_be_read`] tells them from the others.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use pdb::{FallibleIterator, ItemIndex, ItemInformation, PDB, SourceSlice, SourceView, SymbolData};

use super::codeview::c13::{BlockHeader, LINES, LinesHeader, Subsections};
use super::pdb::dbi::Module as OwnModule;
use crate::bytes::{Guid, Resource, Slice, SpaceId, Spaces, Span};

/// Limit of stream sizes that one cross-check walks to find the streams of modules.
pub const MAX_STEPS: u64 = 100_000_000;

/// Error of a read beyond what a session may copy.
const OVER_BUDGET: &str = "more bytes than are read twice";

/// A Windows PDB, opened by the `pdb` crate. Errors are in that crate's words.
#[derive(Debug)]
pub struct CrossCheck<'s> {
    pdb: PDB<'s, File<'s>>,
    debug: pdb::DebugInformation<'s>,
    /// The GUID of the PDB stream.
    pub guid: Guid,
    /// The age of the PDB stream.
    pub age: u32,
    /// The age of the DBI stream.
    pub debug_age: Option<u32>,
    bytes_left: Rc<Cell<u64>>,
    steps_left: u64,
}

/// A module, before its stream is read.
#[derive(Debug)]
pub struct Module<'c, 's> {
    /// Number of the module, from 0.
    pub number: u32,
    /// Name: an object file, or in a managed PDB a type.
    pub name: Cow<'c, str>,
    /// The file it was read from.
    pub object: Cow<'c, str>,
    info: pdb::Module<'c>,
    pdb: &'c mut PDB<'s, File<'s>>,
    bytes_left: &'c Cell<u64>,
    steps_left: &'c mut u64,
}

/// The stream of a module.
pub struct Content<'s>(pdb::ModuleInfo<'s>);

/// A symbol record of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Offset of its length in the stream of the module.
    pub at: u32,
    /// Kind of the record (`S_…`).
    pub kind: u16,
    /// Size of the record in bytes, without its length field.
    pub len: u32,
}

/// A function of native code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Section of the code, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    /// Size of the code in bytes.
    pub len: u32,
    /// Name, as far as it is UTF-8.
    pub name: String,
}

/// A line that is not hidden. Lines compare in the order of their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// Section of the code, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    /// Source file, as an offset into the module's checksums subsection.
    pub file: u32,
    /// First line.
    pub start_line: u32,
    /// First and last column; 0 where there are none.
    pub columns: (u32, u32),
}

/// Stream of type records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeStream {
    /// TPI, stream 2.
    Types,
    /// IPI, stream 4.
    Ids,
}

/// A record of a type stream: its index, its kind (`LF_…`) and its bytes after the length.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeRecord {
    /// Index of the type or id.
    pub index: u32,
    pub kind: u16,
    /// Size of the record in bytes, without its length field.
    pub len: u32,
}

/// The file, as `pdb` reads it.
struct File<'s> {
    spaces: &'s Spaces,
    space: SpaceId,
    bytes_left: Rc<Cell<u64>>,
}

/// The bytes of a stream.
struct View(Vec<u8>);

impl fmt::Debug for File<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("File").field(&self.space).finish()
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({} bytes)", self.0.len())
    }
}

impl SourceView<'_> for View {
    fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl<'s> pdb::Source<'s> for File<'s> {
    fn view(&mut self, slices: &[SourceSlice]) -> io::Result<Box<dyn SourceView<'s>>> {
        let spaces = self.spaces;
        let len = slices.iter().fold(0, |len: u64, slice| len.saturating_add(slice.size as u64));
        // Pages may be shared, but no valid stream is longer than its file.
        if len > spaces.get(self.space).map_or(0, crate::bytes::Space::len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let left = self.bytes_left.get().checked_sub(len).ok_or(io::Error::other(OVER_BUDGET));
        self.bytes_left.set(*left.as_ref().unwrap_or(&0));
        left?;
        let read = |slice: &SourceSlice| {
            let span = Span::new(self.space, slice.offset, slice.size as u64);
            spaces.read(span).map_err(|_| io::Error::from(io::ErrorKind::UnexpectedEof))
        };
        let mut bytes = Vec::with_capacity(len as usize);
        for slice in slices {
            bytes.extend_from_slice(&read(slice)?);
        }
        Ok(Box::new(View(bytes)))
    }
}

fn words(error: pdb::Error) -> String {
    match error {
        // What that displays as is "IO error" and no more.
        pdb::Error::IoError(error) => error.to_string(),
        error => error.to_string(),
    }
}

impl<'s> CrossCheck<'s> {
    /// Reads the identity and the DBI stream of `file`.
    pub fn open(spaces: &'s Spaces, file: SpaceId) -> Result<Self, String> {
        let bytes_left = Rc::new(Cell::new(spaces.budget().ceiling(Resource::Bytes)));
        let source = File { spaces, space: file, bytes_left: Rc::clone(&bytes_left) };
        let mut pdb = PDB::open(source).map_err(words)?;
        let info = pdb.pdb_information().map_err(words)?;
        let debug = pdb.debug_information().map_err(words)?;
        let (guid, age, debug_age) = (Guid(info.guid.to_bytes_le()), info.age, debug.age());
        Ok(Self { pdb, debug, guid, age, debug_age, bytes_left, steps_left: MAX_STEPS })
    }

    /// Calls `each` with the modules in their order, until it breaks.
    pub fn modules(&mut self, mut each: impl FnMut(Module<'_, 's>) -> ControlFlow<()>) -> Result<(), String> {
        let mut modules = self.debug.modules().map_err(words)?;
        for number in 0.. {
            let Some(info) = modules.next().map_err(words)? else { break };
            let (name, object) = (info.module_name(), info.object_file_name());
            let (pdb, bytes_left, steps_left) = (&mut self.pdb, &*self.bytes_left, &mut self.steps_left);
            if each(Module { number, name, object, info, pdb, bytes_left, steps_left }).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Calls `each` with the records of a type stream in their order, until it breaks. Returns how many its header counts.
    pub fn types(
        &mut self,
        stream: TypeStream,
        each: impl FnMut(TypeRecord) -> ControlFlow<()>,
    ) -> Result<u32, String> {
        match stream {
            TypeStream::Types => records(&self.pdb.type_information().map_err(words)?, each),
            TypeStream::Ids => records(&self.pdb.id_information().map_err(words)?, each),
        }
    }

    /// Returns true if a limit was reached, so that something was not read.
    pub fn is_over_budget(&self) -> bool {
        self.bytes_left.get() == 0 || self.steps_left == 0
    }
}

fn records<I: ItemIndex>(
    types: &ItemInformation<'_, I>,
    mut each: impl FnMut(TypeRecord) -> ControlFlow<()>,
) -> Result<u32, String> {
    let mut found = types.iter();
    while let Some(item) = found.next().map_err(words)? {
        let (index, len) = (item.index().into(), item.len() as u32);
        if each(TypeRecord { index, kind: item.raw_kind(), len }).is_break() {
            break;
        }
    }
    Ok(types.len() as u32)
}

impl<'s> Module<'_, 's> {
    /// Reads the stream of the module, which is `stream`; nothing if it has none.
    pub fn read(&mut self, stream: u32) -> Result<Option<Content<'s>>, String> {
        let Some(left) = self.steps_left.checked_sub(u64::from(stream)) else {
            *self.steps_left = 0;
            return Err(OVER_BUDGET.to_owned());
        };
        *self.steps_left = left;
        Ok(self.pdb.module_info(&self.info).map_err(words)?.map(Content))
    }

    /// Returns true if a limit was reached, so that this and every later module cannot be read.
    pub fn is_over_budget(&self) -> bool {
        *self.steps_left == 0 || self.bytes_left.get() == 0
    }
}

impl Content<'_> {
    /// Calls `each` with the symbol records, alignment records left out, and with a function that decodes the record as
    /// one.
    pub fn symbols(
        &self,
        mut each: impl FnMut(Symbol, &dyn Fn() -> Result<Option<Function>, String>) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let mut symbols = self.0.symbols().map_err(words)?;
        while let Some(symbol) = symbols.next().map_err(words)? {
            let record = Symbol { at: symbol.index().0, kind: symbol.raw_kind(), len: symbol.raw_bytes().len() as u32 };
            if each(record, &|| function(&symbol)).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Visible lines in the order of their addresses; panics inside `pdb` become errors. Check [`lines_can_be_read`]
    /// first.
    pub fn lines(&self) -> Result<Vec<Line>, String> {
        // With debug assertions the crate refuses lines whose sections differ: that is no fault of the file.
        catch_unwind(AssertUnwindSafe(|| self.all_lines())).unwrap_or(Err("the reader panicked".to_owned()))
    }

    fn all_lines(&self) -> Result<Vec<Line>, String> {
        let program = self.0.line_program().map_err(words)?;
        let (mut found, mut lines) = (program.lines(), Vec::new());
        while let Some(line) = found.next().map_err(words)? {
            lines.push(Line {
                section: line.offset.section,
                offset: line.offset.offset,
                file: line.file_index.0,
                start_line: line.line_start,
                columns: (line.column_start.unwrap_or(0), line.column_end.unwrap_or(0)),
            });
        }
        lines.sort_unstable();
        Ok(lines)
    }
}

fn function(symbol: &pdb::Symbol<'_>) -> Result<Option<Function>, String> {
    Ok(match symbol.parse().map_err(words)? {
        SymbolData::Procedure(found) => Some(Function {
            section: found.offset.section,
            offset: found.offset.offset,
            len: found.len,
            name: found.name.to_string().into_owned(),
        }),
        _ => None,
    })
}

/// Returns true if `pdb` can read the lines of the module with this stream without a panic: each part lies within the
/// one around it, and each block is exactly as long as its lines.
pub fn lines_can_be_read(module: &OwnModule, stream: Slice<'_>) -> bool {
    let c13 = stream.part(u64::from(module.symbols_size), u64::from(module.c13_size));
    let Ok(c13) = c13 else { return false };
    module.c11_size == 0
        && Subsections::new(c13).all(|subsection| {
            subsection.is_ok_and(|found| {
                found.content.len().is_multiple_of(4) && (found.kind != LINES || blocks_are_full(found.content))
            })
        })
}

/// Returns true if each block of a subsection of lines is as long as its counts require.
fn blocks_are_full(content: Slice<'_>) -> bool {
    let mut cursor = content.cursor();
    let Ok(header) = LinesHeader::decode(&mut cursor) else { return false };
    let line = if header.flags & 1 == 1 { 12 } else { 8 };
    while !cursor.is_done() {
        let Ok(block) = BlockHeader::decode(&mut cursor) else { return false };
        let len = u64::from(block.count) * line;
        if u64::from(block.size) != 12 + len || cursor.skip(len).is_err() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests;
