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
//! - Line subsections whose counts are wrong make it panic. `lines_can_be_read` tells them from the others.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use pdb::{FallibleIterator, ItemIndex, ItemInformation, ModuleInfo, PDB, SourceSlice, SourceView, SymbolData};

use super::codeview::c13::{BlockHeader, LINES, LinesHeader, Subsections};
use super::codeview::symbols::{Record, Records, Symbol, is_function, kind, kind_name};
use super::pdb::dbi::Module;
use super::pdb::{ModuleStream, Pdb, TypeStream, streams};
use crate::bytes::{Guid, Region, Resource, Slice, SpaceId, Spaces, Span};

/// Limit of stream sizes that one cross-check walks to find the streams of modules.
pub const MAX_STEPS: u64 = 100_000_000;

/// Error of a read beyond what a session may copy.
const OVER_BUDGET: &str = "more bytes than are read twice";
/// Records that only fill up, which `pdb` leaves out: `S_ALIGN` and `S_SKIP`.
const FILLERS: [u16; 2] = [0x0402, 0x0007];

/// A Windows PDB as this crate reads it.
#[allow(missing_docs)]
#[derive(Clone, Copy)]
pub struct Own<'p> {
    pub pdb: &'p Pdb,
    pub spaces: &'p Spaces,
    pub guid: Guid,
    /// Age, unless the id has none.
    pub age: Option<u32>,
}

/// Result of a cross-check: how much was compared, and what differs.
#[allow(missing_docs)]
#[derive(Debug, Default)]
pub struct Comparison {
    pub modules: u64,
    pub functions: u64,
    pub lines: u64,
    pub types: u64,
    pub ids: u64,
    pub differences: Vec<Difference>,
    /// Modules and type streams that were not compared to their end.
    pub skipped: u64,
    /// Reason why the first of them was not, in the words of the reader that failed.
    pub reason: Option<String>,
    /// The caller stopped it.
    pub is_stopped: bool,
    /// A limit was reached, so that something was not read.
    pub is_over_budget: bool,
}

/// A difference, with both values in words.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct Difference {
    pub what: String,
    pub subject: Subject,
    pub span: Option<Span>,
    pub ours: String,
    pub theirs: String,
}

/// Part of the file that a difference is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The file.
    File,
    /// The list of modules.
    Modules,
    /// A module, by its number from 0.
    Module(u32),
    /// A stream of types or ids, by its number.
    Types(u32),
}

/// A line that is not hidden. Lines compare in the order of their addresses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PdbLine {
    section: u16,
    offset: u32,
    /// Source file, as an offset into the module's checksums subsection.
    file: u32,
    start: u32,
    /// First and last column; 0 where there are none.
    columns: (u32, u32),
}

impl fmt::Display for PdbLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { section, offset, file, start, columns: (first, last) } = self;
        write!(f, "{start} at {section:04x}:{offset:08x} in file {file:#x}, columns {first} to {last}")
    }
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
        let len = slices.iter().fold(0, |len: u64, slice| len.saturating_add(slice.size as u64));
        // Pages may be shared, but no valid stream is longer than its file.
        if len > self.spaces.get(self.space).map_or(0, crate::bytes::Space::len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let left = self.bytes_left.get().checked_sub(len);
        self.bytes_left.set(left.unwrap_or(0));
        if left.is_none() {
            return Err(io::Error::other(OVER_BUDGET));
        }
        let mut bytes = Vec::with_capacity(len as usize);
        for slice in slices {
            let span = Span::new(self.space, slice.offset, slice.size as u64);
            bytes.extend_from_slice(&self.spaces.read(span).map_err(|_| io::ErrorKind::UnexpectedEof)?);
        }
        Ok(Box::new(View(bytes)))
    }
}

fn words(error: pdb::Error) -> String {
    match error {
        // Its `Display` is "IO error", without the cause.
        pdb::Error::IoError(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// Reads `file` with the `pdb` crate and compares it with `own`; an error is in that crate's words. Before each module `go_on` gets its
/// position and the number of modules.
pub fn compare(
    own: Own<'_>,
    (spaces, file): (&Spaces, SpaceId),
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Result<Comparison, String> {
    let bytes_left = Rc::new(Cell::new(spaces.budget().ceiling(Resource::Bytes)));
    let mut pdb = PDB::open(File { spaces, space: file, bytes_left: Rc::clone(&bytes_left) }).map_err(words)?;
    let (info, debug) = (pdb.pdb_information().map_err(words)?, pdb.debug_information().map_err(words)?);
    let mut found = Comparison::default();
    let guid = Guid(info.guid.to_bytes_le());
    if guid != own.guid {
        found.differs("GUID", Subject::File, None, own.guid, guid);
    }
    if let Some(age) = own.age
        && age != info.age
        && Some(age) != debug.age()
    {
        found.differs("age", Subject::File, None, age, debug.age().unwrap_or(info.age));
    }
    if let Err(why) = found.all_modules(own, (&mut pdb, &debug, &bytes_left), go_on) {
        found.skip(why);
    }
    if !found.is_stopped {
        let types = found.all_types(own, streams::TPI, || pdb.type_information());
        let ids = found.all_types(own, streams::IPI, || pdb.id_information());
        types.err().into_iter().chain(ids.err()).for_each(|why| found.skip(why));
    }
    found.is_over_budget |= bytes_left.get() == 0;
    Ok(found)
}

impl Comparison {
    fn differs(
        &mut self,
        what: impl Into<String>,
        subject: Subject,
        span: Option<Span>,
        ours: impl fmt::Display,
        theirs: impl fmt::Display,
    ) {
        let (ours, theirs) = (ours.to_string(), theirs.to_string());
        self.differences.push(Difference { what: what.into(), subject, span, ours, theirs });
    }

    /// Counts something that cannot be compared to its end.
    fn skip(&mut self, why: String) {
        self.skipped += 1;
        self.reason.get_or_insert(why);
    }

    fn all_modules<'s>(
        &mut self,
        own: Own<'_>,
        (pdb, debug, bytes_left): (&mut PDB<'s, File<'s>>, &pdb::DebugInformation<'s>, &Cell<u64>),
        go_on: &dyn Fn(u64, u64) -> bool,
    ) -> Result<(), String> {
        let total = own.pdb.modules().len() as u64;
        let (mut count, mut steps_left) = (0, MAX_STEPS);
        let mut modules = debug.modules().map_err(words)?;
        while let Some(theirs) = modules.next().map_err(words)? {
            let number = count as u32;
            count += 1;
            if !go_on(count.min(total), total) {
                self.is_stopped = true;
                return Ok(());
            }
            let Some(module) = own.pdb.modules().get(number as usize) else { continue };
            self.modules += 1;
            self.names(own.pdb, (number, module), &theirs);
            let Some(stream) = module.stream() else { continue };
            let steps = steps_left.checked_sub(u64::from(stream));
            self.is_over_budget |= steps.is_none() || bytes_left.get() == 0;
            if self.is_over_budget {
                return Ok(());
            }
            steps_left = steps.unwrap_or(0);
            match pdb.module_info(&theirs) {
                Ok(Some(content)) => self.module(own, number, &content),
                Ok(None) => {
                    self.differs(format!("stream of module {number}"), Subject::Module(number), None, stream, "none");
                }
                Err(error) => self.skip(words(error)),
            }
        }
        if count != total {
            self.differs("number of modules", Subject::Modules, None, total, count);
        }
        Ok(())
    }

    fn names(&mut self, pdb: &Pdb, (number, module): (u32, &Module), theirs: &pdb::Module<'_>) {
        let Some(names) = pdb.dbi.as_ref().and_then(|dbi| dbi.names_of(module).ok()) else { return };
        let (name, object) = (theirs.module_name(), theirs.object_file_name());
        for (what, ours, theirs) in [("name", names.name, &name), ("file", names.object, &object)] {
            let ours = String::from_utf8_lossy(ours.data);
            if ours != *theirs {
                let what = format!("{what} of module {number}");
                self.differs(what, Subject::Module(number), Some(module.span), ours, theirs);
            }
        }
    }

    fn module(&mut self, own: Own<'_>, number: u32, theirs: &ModuleInfo<'_>) {
        match ModuleStream::read_once(own.pdb, own.spaces, number) {
            Ok(Some(ours)) => {
                let symbols = self.symbols(own.spaces, &ours, theirs);
                let lines = self.all_lines(own.spaces, &ours, theirs);
                symbols.err().into_iter().chain(lines.err()).for_each(|why| self.skip(why));
            }
            Ok(None) => {}
            Err(error) => self.skip(own.spaces.error_text(&error)),
        }
    }

    /// Compares the symbol records of a module one by one, up to the first difference.
    fn symbols(&mut self, spaces: &Spaces, ours: &ModuleStream, theirs: &ModuleInfo<'_>) -> Result<(), String> {
        let symbols = ours.symbols();
        if symbols.is_empty() {
            return Ok(());
        }
        let is_filler = |record: &Record<'_>| FILLERS.contains(&record.kind);
        let mut own = Records::of_module(&symbols).filter(|record| !record.as_ref().is_ok_and(is_filler));
        let mut theirs = theirs.symbols().map_err(words)?;
        let subject = Subject::Module(ours.number);
        let what = format!("symbol of module {}", ours.number);
        loop {
            let other = theirs.next().map_err(words)?;
            let record = own.next();
            let (record, other) = match (record, other) {
                (Some(Ok(record)), Some(other)) => (record, other),
                (Some(Ok(record)), None) => {
                    self.differs(what, subject, Some(record.span()), record_text(key(&record)), "the end");
                    return Ok(());
                }
                (Some(Err(error)), Some(_)) => return Err(spaces.error_text(&error)),
                (None, Some(other)) => {
                    self.differs(what, subject, None, "the end", record_text(key_of(&other)));
                    return Ok(());
                }
                (_, None) => return Ok(()),
            };
            if key(&record) != key_of(&other) {
                let (ours, theirs) = (record_text(key(&record)), record_text(key_of(&other)));
                self.differs(what, subject, Some(record.span()), ours, theirs);
                return Ok(());
            }
            self.functions += u64::from(is_function(record.kind) || is_method(record.kind));
            if is_function(record.kind)
                && let Some((own, other)) = function_difference(&record, &other)?
            {
                let what = format!("function of module {}", ours.number);
                self.differs(what, subject, Some(record.span()), own, other);
                return Ok(());
            }
        }
    }

    /// Compares the lines of a module that are not hidden, in the order of their addresses, up to the first difference.
    fn all_lines(&mut self, spaces: &Spaces, ours: &ModuleStream, theirs: &ModuleInfo<'_>) -> Result<(), String> {
        if ours.module.c13_size == 0 && ours.module.c11_size == 0 {
            return Ok(());
        }
        if !lines_can_be_read(&ours.module, ours.region.slice()) {
            return Err("its lines have a format that the crate does not read".to_owned());
        }
        let mut own = Vec::new();
        let problems = ours.each_line(|line| {
            if !line.is_hidden() {
                let columns = (u32::from(line.start_column), u32::from(line.end_column));
                let (section, offset, file, start) = (line.section, line.offset, line.file, line.start_line);
                own.push((PdbLine { section, offset, file, start, columns }, line.at));
            }
        });
        if let Some(error) = problems.first() {
            return Err(spaces.error_text(error));
        }
        own.sort_unstable();
        // With debug assertions the crate refuses lines whose sections differ: that is no fault of the file.
        let theirs = catch_unwind(AssertUnwindSafe(|| lines_of(theirs)));
        let theirs = theirs.unwrap_or_else(|_| Err("the reader panicked".to_owned()))?;
        self.lines += own.len() as u64;
        let subject = Subject::Module(ours.number);
        if let Some(((own, at), theirs)) = own.iter().zip(&theirs).find(|((own, _), theirs)| own != *theirs) {
            let span = ours.region.span().part(u64::from(*at), 8);
            self.differs(format!("line of module {}", ours.number), subject, Some(span), own, theirs);
        } else if own.len() != theirs.len() {
            self.differs(format!("number of lines of module {}", ours.number), subject, None, own.len(), theirs.len());
        }
        Ok(())
    }

    /// Compares the records of a type stream one by one, up to the first difference.
    fn all_types<'s, I: ItemIndex + 's>(
        &mut self,
        own: Own<'_>,
        stream: u32,
        theirs: impl FnOnce() -> pdb::Result<ItemInformation<'s, I>>,
    ) -> Result<(), String> {
        let is_ids = stream == streams::IPI;
        if is_ids && !own.pdb.info.has_ids() {
            return Ok(());
        }
        let Some(space) = own.pdb.msf.stream(stream).map(|stream| stream.space) else { return Ok(()) };
        let len = own.spaces.get(space).map_or(0, crate::bytes::Space::len);
        if len == 0 {
            return Ok(());
        }
        let bytes = own.spaces.read(Span::new(space, 0, len)).map_err(|error| error.to_string())?;
        let ours = TypeStream::parse(Region::whole(space, std::sync::Arc::new(bytes.into_owned())));
        if let Some(problem) = ours.problems.first() {
            return Err(problem.to_string());
        }
        let types = theirs().map_err(words)?;
        let (mut items, mut compared, subject) = (types.iter(), 0, Subject::Types(stream));
        let name = if is_ids { "id" } else { "type" };
        // Bytes after the last record of ours are none.
        for record in ours.iter() {
            let Some(item) = items.next().map_err(words)? else { break };
            compared += 1;
            *(if is_ids { &mut self.ids } else { &mut self.types }) = compared;
            let own = (record.index, record.kind, record.slice.len() as usize - 2);
            let other = (item.index().into(), item.raw_kind(), item.len());
            if own != other {
                self.differs(name, subject, Some(record.span()), type_text(own), type_text(other));
                return Ok(());
            }
        }
        let counted = types.len() as u32;
        let theirs = if counted == ours.len() { compared } else { u64::from(counted) };
        if theirs != u64::from(ours.len()) {
            self.differs(format!("number of {name}s"), subject, None, ours.len(), theirs);
        }
        Ok(())
    }
}

/// A symbol record: its offset in the stream of the module, its kind, and its size without the length field.
type Key = (u32, u16, usize);

fn key(record: &Record<'_>) -> Key {
    (record.span().start as u32, record.kind, record.slice.len() as usize - 2)
}

fn key_of(symbol: &pdb::Symbol<'_>) -> Key {
    (symbol.index().0, symbol.raw_kind(), symbol.raw_bytes().len())
}

fn record_text((at, kind, len): Key) -> String {
    let name = kind_name(kind).map_or_else(|| format!("{kind:#06x}"), str::to_owned);
    format!("{name} of {len} bytes at {at:#x}")
}

fn type_text((index, kind, len): (u32, u16, usize)) -> String {
    format!("{index:#x} of kind {kind:#06x}, {len} bytes")
}

/// A function in the words of both readers, if they differ.
fn function_difference(record: &Record<'_>, other: &pdb::Symbol<'_>) -> Result<Option<(String, String)>, String> {
    let other = match other.parse().map_err(words)? {
        SymbolData::Procedure(found) => {
            function_text(&found.name.to_string(), (found.offset.section, found.offset.offset), found.len)
        }
        _ => "none".to_owned(),
    };
    let Ok(symbol) = Symbol::decode(&mut record.slice.cursor()) else { return Ok(None) };
    let name = String::from_utf8_lossy(symbol.name.data);
    let own = function_text(&name, (symbol.section, symbol.offset), symbol.len);
    Ok(if own == other { None } else { Some((own, other)) })
}

fn function_text(name: &str, (section, offset): (u16, u32), len: u32) -> String {
    format!("{name} at {section:04x}:{offset:08x}, {len} bytes")
}

const fn is_method(of: u16) -> bool {
    matches!(of, kind::METHOD | kind::LOCAL_METHOD)
}

/// Visible lines in the order of their addresses.
fn lines_of(module: &ModuleInfo<'_>) -> Result<Vec<PdbLine>, String> {
    let program = module.line_program().map_err(words)?;
    let (mut found, mut lines) = (program.lines(), Vec::new());
    while let Some(line) = found.next().map_err(words)? {
        lines.push(PdbLine {
            section: line.offset.section,
            offset: line.offset.offset,
            file: line.file_index.0,
            start: line.line_start,
            columns: (line.column_start.unwrap_or(0), line.column_end.unwrap_or(0)),
        });
    }
    lines.sort_unstable();
    Ok(lines)
}

/// Returns true if `pdb` can read the lines of the module with this stream without a panic: each part lies within the
/// one around it, and each block is exactly as long as its lines.
fn lines_can_be_read(module: &Module, stream: Slice<'_>) -> bool {
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
