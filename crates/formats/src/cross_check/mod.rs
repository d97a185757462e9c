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

use crate::reason::Reason;
use std::cell::Cell;
use std::fmt;
use std::io;
use std::rc::Rc;

use pdb::{FallibleIterator, ItemIndex, ItemInformation, ModuleInfo, PDB, SourceSlice, SourceView, SymbolData};

use super::codeview::c13::{LINES, Subsections, blocks};
use super::codeview::symbols::{Record, Records, Symbol, is_function, kind, kind_name};
use super::pdb::dbi::Module;
use super::pdb::{ModuleStream, Pdb, TypeStream, streams};
use crate::bytes::{Guid, Region, Resource, SpaceId, Spaces, Span};

/// Limit of stream sizes that one cross-check walks to find the streams of modules.
pub const MAX_STEPS: u64 = 100_000_000;
/// Error of a read beyond what a session may copy.
const OVER_BUDGET: &str = "more bytes than are read twice";
/// Records that only fill up, which `pdb` leaves out: `S_ALIGN` and `S_SKIP`.
const FILLERS: [u16; 2] = [0x0402, 0x0007];
/// A Windows PDB as this crate reads it, and the bytes of its streams.
type Own<'p> = (&'p Pdb, &'p Spaces);

/// Result of a cross-check: how much was compared, and what differs.
#[derive(Debug)]
pub struct Comparison {
    /// Numbers of modules, functions, lines, types and ids that were compared, with the noun of each.
    pub counts: [(&'static str, u64); 5],
    /// First difference of each part.
    pub differences: Vec<Difference>,
    /// Reasons why modules and type streams were not compared to their end, in the words of the reader that failed.
    pub skipped: Vec<Reason>,
    /// The caller stopped it.
    pub is_stopped: bool,
    /// A limit was reached, so that something was not read.
    pub is_over_budget: bool,
}

/// A value that the two readers read differently.
#[derive(Debug)]
pub struct Difference {
    /// Sentence with both values.
    pub sentence: String,
    /// Stream that it is in.
    pub stream: u32,
    /// Bytes that this crate reads as its value.
    pub span: Option<Span>,
}

/// An item of a sequence that both readers read: its noun, and its values in words.
type ReadItem = (&'static str, String);

/// The file, as `pdb` reads it.
#[derive(Debug)]
struct File<'s> {
    spaces: &'s Spaces,
    space: SpaceId,
    bytes_left: Rc<Cell<u64>>,
}

#[derive(Debug)]
struct View(Vec<u8>);

impl SourceView<'_> for View {
    fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl<'s> pdb::Source<'s> for File<'s> {
    fn view(&mut self, slices: &[SourceSlice]) -> io::Result<Box<dyn SourceView<'s>>> {
        let len = slices.iter().fold(0, |len: u64, slice| len + slice.size as u64);
        // Pages may be shared, but no valid stream is longer than its file.
        if len > self.spaces.whole(self.space).len {
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

fn words(error: pdb::Error) -> Reason {
    let text = match error {
        // Its `Display` is "IO error", without the cause.
        pdb::Error::IoError(error) => error.to_string(),
        error => error.to_string(),
    };
    Reason::new("other-reader", text)
}

/// Reads `file` with the `pdb` crate and compares it with `own`; an error is in that crate's words. Before each module `go_on` gets its
/// position and the number of modules.
pub fn compare(
    own: Own<'_>,
    (spaces, file): (&Spaces, SpaceId),
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Result<Comparison, Reason> {
    let bytes_left = Rc::new(Cell::new(spaces.budget().ceiling(Resource::Bytes)));
    let mut pdb = PDB::open(File { spaces, space: file, bytes_left: Rc::clone(&bytes_left) }).map_err(words)?;
    let (info, debug) = (pdb.pdb_information().map_err(words)?, pdb.debug_information().map_err(words)?);
    let counts = [("module", 0), ("function", 0), ("line", 0), ("type", 0), ("id", 0)];
    let (differences, skipped) = (Vec::new(), Vec::new());
    let mut found = Comparison { counts, differences, skipped, is_stopped: false, is_over_budget: false };
    let (ours, guid) = (&own.0.info, Guid(info.guid.to_bytes_le()));
    if guid != ours.guid.value {
        found.differs("GUID", streams::INFO, None, ours.guid.value, guid);
    }
    let age = own.0.dbi.as_ref().map_or(ours.age, |dbi| dbi.header.age);
    if age != info.age && Some(age) != debug.age() {
        found.differs("age", streams::INFO, None, age, debug.age().unwrap_or(info.age));
    }
    let modules = found.modules(own, (&mut pdb, &debug, &bytes_left), go_on);
    found.skipped.extend(modules.err());
    if !found.is_stopped {
        let types = found.types(own, (streams::TPI, "type"), || pdb.type_information());
        let ids = found.types(own, (streams::IPI, "id"), || pdb.id_information());
        found.skipped.extend(types.err().into_iter().chain(ids.err()));
    }
    found.is_over_budget |= bytes_left.get() == 0;
    Ok(found)
}

impl Comparison {
    fn differs(
        &mut self,
        what: impl fmt::Display,
        stream: u32,
        span: Option<Span>,
        ours: impl fmt::Display,
        theirs: impl fmt::Display,
    ) {
        let sentence = format!("{what}: {ours} here, {theirs} by the `pdb` crate");
        self.differences.push(Difference { sentence, stream, span });
    }

    fn count(&mut self, noun: &str) {
        if let Some((_, count)) = self.counts.iter_mut().find(|(counted, _)| *counted == noun) {
            *count += 1;
        }
    }

    fn modules<'s>(
        &mut self,
        own: Own<'_>,
        (pdb, debug, bytes_left): (&mut PDB<'s, File<'s>>, &pdb::DebugInformation<'s>, &Cell<u64>),
        go_on: &dyn Fn(u64, u64) -> bool,
    ) -> Result<(), Reason> {
        let total = own.0.modules().len() as u64;
        let (mut count, mut steps_left) = (0_u64, MAX_STEPS);
        let mut modules = debug.modules().map_err(words)?;
        while let Some(theirs) = modules.next().map_err(words)? {
            let number = count as u32;
            count += 1;
            if !go_on(count.min(total), total) {
                self.is_stopped = true;
                return Ok(());
            }
            let Some(module) = own.0.modules().get(number as usize) else { continue };
            self.count("module");
            self.names(own.0, (number, module), &theirs);
            let Some(stream) = module.stream() else { continue };
            let steps = steps_left.checked_sub(u64::from(stream));
            self.is_over_budget |= steps.is_none() || bytes_left.get() == 0;
            if self.is_over_budget {
                return Ok(());
            }
            steps_left = steps.unwrap_or(0);
            match pdb.module_info(&theirs) {
                Ok(Some(content)) => self.module(own, (number, stream), &content),
                Ok(None) => self.differs(format!("stream of module {number}"), streams::DBI, None, stream, "none"),
                Err(error) => self.skipped.push(words(error)),
            }
        }
        if count != total {
            self.differs("number of modules", streams::DBI, None, total, count);
        }
        Ok(())
    }

    fn names(&mut self, pdb: &Pdb, (number, module): (u32, &Module), theirs: &pdb::Module<'_>) {
        let Some(names) = pdb.dbi.as_ref().and_then(|dbi| dbi.names_of(module).ok()) else { return };
        let (name, object) = (theirs.module_name(), theirs.object_file_name());
        for (what, ours, theirs) in [("name", names.name, &name), ("file", names.object, &object)] {
            let ours = String::from_utf8_lossy(ours.data);
            if ours != *theirs {
                self.differs(format!("{what} of module {number}"), streams::DBI, Some(module.span), ours, theirs);
            }
        }
    }

    fn module(&mut self, (pdb, spaces): Own<'_>, (number, stream): (u32, u32), theirs: &ModuleInfo<'_>) {
        match ModuleStream::read_once(pdb, spaces, number) {
            Ok(Some(ours)) => {
                let of = (stream, format!(" of module {number}"));
                let symbols = self.symbols(spaces, &of, &ours, theirs);
                let lines = self.lines(spaces, &of, &ours, theirs);
                self.skipped.extend(symbols.err().into_iter().chain(lines.err()));
            }
            Ok(None) => {}
            Err(error) => self.skipped.push(spaces.reason(&error)),
        }
    }

    /// Compares two sequences in a stream item by item, up to the first difference.
    fn sequence(
        &mut self,
        (stream, of): (u32, &str),
        ours: impl IntoIterator<Item = Result<(ReadItem, Span), Reason>>,
        theirs: impl IntoIterator<Item = Result<ReadItem, Reason>>,
    ) -> Result<(), Reason> {
        let (mut ours, mut theirs) = (ours.into_iter(), theirs.into_iter());
        loop {
            let (other, own) = (theirs.next().transpose()?, ours.next().transpose()?);
            let (own, span) = own.unzip();
            let Some((noun, _)) = own.as_ref().or(other.as_ref()) else { return Ok(()) };
            if own != other {
                let text = |item: &Option<ReadItem>| item.as_ref().map_or("the end", |(_, text)| text).to_owned();
                self.differs(format!("{noun}{of}"), stream, span, text(&own), text(&other));
                return Ok(());
            }
            self.count(noun);
        }
    }

    fn symbols(
        &mut self,
        spaces: &Spaces,
        (stream, of): &(u32, String),
        ours: &ModuleStream,
        theirs: &ModuleInfo<'_>,
    ) -> Result<(), Reason> {
        let symbols = ours.symbols();
        if symbols.is_empty() {
            return Ok(());
        }
        let records = Records::of_module(&symbols);
        let records = records.filter(|record| !record.as_ref().is_ok_and(|record| FILLERS.contains(&record.kind)));
        let own = records.flat_map(|record| match record {
            Ok(record) => items_of_record(&record).map(|item| Ok((item, record.span()))).collect(),
            Err(error) => vec![Err(spaces.reason(&error))],
        });
        let others = theirs.symbols().map_err(words)?.iterator().flat_map(|symbol| match symbol {
            Ok(symbol) => items_of_symbol(&symbol),
            Err(error) => vec![Err(words(error))],
        });
        self.sequence((*stream, of), own, others)
    }

    /// Compares the lines of a module that are not hidden, in the order of their addresses.
    fn lines(
        &mut self,
        spaces: &Spaces,
        (stream, of): &(u32, String),
        ours: &ModuleStream,
        theirs: &ModuleInfo<'_>,
    ) -> Result<(), Reason> {
        if ours.module.c13_size == 0 && ours.module.c11_size == 0 {
            return Ok(());
        }
        if !lines_can_be_read(ours) {
            return Err(Reason::new("no-reader", "its lines have a format that the crate does not read"));
        }
        let mut own = Vec::new();
        let problems = ours.each_line(|line| {
            if !line.is_hidden() {
                let columns = (u32::from(line.start_column), u32::from(line.end_column));
                let text = line_text((line.section, line.offset), line.file, line.start_line, columns);
                own.push((text, ours.region.span().part(u64::from(line.at), 8)));
            }
        });
        if let Some(error) = problems.first() {
            return Err(spaces.reason(error));
        }
        own.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let lines = theirs.line_program().map_err(words)?;
        let lines = lines.lines().map(|line| {
            let columns = (line.column_start.unwrap_or(0), line.column_end.unwrap_or(0));
            Ok(line_text((line.offset.section, line.offset.offset), line.file_index.0, line.line_start, columns))
        });
        let mut lines: Vec<String> = lines.collect().map_err(words)?;
        lines.sort_unstable();
        let own = own.into_iter().map(|(text, span)| Ok((("line", text), span)));
        self.sequence((*stream, of), own, lines.into_iter().map(|text| Ok(("line", text))))
    }

    fn types<'s, I: ItemIndex + 's>(
        &mut self,
        (pdb, spaces): Own<'_>,
        (stream, noun): (u32, &'static str),
        theirs: impl FnOnce() -> pdb::Result<ItemInformation<'s, I>>,
    ) -> Result<(), Reason> {
        if stream == streams::IPI && !pdb.info.has_ids() {
            return Ok(());
        }
        let Some(space) = pdb.msf.stream(stream).map(|stream| stream.space) else { return Ok(()) };
        let whole = spaces.whole(space);
        if whole.is_empty() {
            return Ok(());
        }
        let bytes = spaces.read(whole).map_err(|error| spaces.reason(&error))?;
        let ours = TypeStream::parse(Region::whole(space, std::sync::Arc::new(bytes.into_owned())));
        if let Some(problem) = ours.problems.first() {
            return Err(spaces.reason(problem));
        }
        let types = theirs().map_err(words)?;
        let item = |index: u32, kind: u16, len| (noun, format!("{index:#x} of kind {kind:#06x}, {len} bytes"));
        let own = ours
            .iter()
            .map(|record| Ok((item(record.index, record.kind, record.slice.len() as usize - 2), record.span())));
        let others = types.iter().iterator().map(|found| {
            let found = found.map_err(words)?;
            Ok(item(found.index().into(), found.raw_kind(), found.len()))
        });
        // Bytes after the last record of ours are none.
        self.sequence((stream, ""), own, others.take(ours.len() as usize))?;
        if types.len() as u64 != u64::from(ours.len()) {
            self.differs(format!("number of {noun}s"), stream, None, ours.len(), types.len());
        }
        Ok(())
    }
}

/// A symbol record by its offset in the stream of the module, its kind, and its size without the length field.
fn record_item(at: u32, kind: u16, len: usize) -> ReadItem {
    // A managed procedure has no item of its own.
    let noun = if matches!(kind, kind::METHOD | kind::LOCAL_METHOD) { "function" } else { "symbol" };
    let name = kind_name(kind).map_or_else(|| format!("{kind:#06x}"), str::to_owned);
    (noun, format!("{name} of {len} bytes at {at:#x}"))
}

fn function_item(name: &str, (section, offset): (u16, u32), len: u32) -> ReadItem {
    ("function", format!("{name} at {section:04x}:{offset:08x}, {len} bytes"))
}

/// A line, which begins with its address: so lines are in the order of their texts.
fn line_text((section, offset): (u16, u32), file: u32, start: u32, (first, last): (u32, u32)) -> String {
    format!("{section:04x}:{offset:08x}, line {start} in file {file:#x}, columns {first} to {last}")
}

/// The record, and the function in it.
fn items_of_record(record: &Record<'_>) -> impl Iterator<Item = ReadItem> {
    let own = record_item(record.span().start as u32, record.kind, record.slice.len() as usize - 2);
    let symbol = if is_function(record.kind) { Symbol::decode(&mut record.slice.cursor()).ok() } else { None };
    let function =
        symbol.map(|symbol| function_item(&symbol.name.lossy(), (symbol.section, symbol.offset), symbol.len));
    std::iter::once(own).chain(function)
}

fn items_of_symbol(symbol: &pdb::Symbol<'_>) -> Vec<Result<ReadItem, Reason>> {
    let kind = symbol.raw_kind();
    let mut items = vec![Ok(record_item(symbol.index().0, kind, symbol.raw_bytes().len()))];
    if is_function(kind) {
        match symbol.parse() {
            Ok(SymbolData::Procedure(found)) => {
                let address = (found.offset.section, found.offset.offset);
                items.push(Ok(function_item(&found.name.to_string(), address, found.len)));
            }
            Ok(_) => {}
            Err(error) => items.push(Err(words(error))),
        }
    }
    items
}

/// Returns true if `pdb` can read the lines of a module without a panic: each part lies within the one around it, and each block is
/// exactly as long as its lines.
fn lines_can_be_read(ours: &ModuleStream) -> bool {
    let (module, stream) = (&ours.module, ours.region.slice());
    let Ok(c13) = stream.part(u64::from(module.symbols_size), u64::from(module.c13_size)) else { return false };
    let are_full = |content| {
        blocks(content).is_ok_and(|mut all| {
            all.all(|block| block.is_ok_and(|block| u64::from(block.size) == block.bytes_needed()))
        })
    };
    module.c11_size == 0
        && Subsections::new(c13).all(|found| {
            found.is_ok_and(|found| {
                found.content.len().is_multiple_of(4) && (found.kind != LINES || are_full(found.content))
            })
        })
}

#[cfg(test)]
mod tests;
