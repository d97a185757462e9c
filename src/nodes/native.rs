//! What can be asked of a native PDB: which function and which line an address of the image is.

use std::collections::HashMap;

use super::Place;
use super::pdb::PdbView;
use super::tables::last_step;
use crate::bytes::{Error, Result, Space, Span};
use crate::formats::codeview::c13::{self, Line};
use crate::formats::codeview::c13::{Checksums, SUBSECTION_HEADER, Subsections};
use crate::formats::codeview::symbols::Symbol;
use crate::formats::pdb::{AddressIndex, Function, Globals, ModuleStream, PdbTables, TypeStream};
use crate::formats::portable::points::{Faults, HIDDEN_LINE, Point};
use crate::nodes::code_unit::Each;
use crate::session::Session;
use crate::text::safe::utf8;

/// A native PDB.
#[derive(Clone, Copy, Debug)]
pub struct NativeView<'s> {
    /// Its streams, names and modules.
    pub view: PdbView<'s>,
    native: &'s PdbTables,
}

/// As many lines are looked at for one function, and to count them; and so many are taken by all functions of a file together (or
/// four for each of its bytes): those of honest files are far fewer, but functions may claim the lines of each other.
const MOST_LINES: u64 = 1 << 20;
const MOST_COUNTED: u64 = 1 << 18;
const MOST_TAKEN: u64 = 1 << 22;
const TOO_MANY: &str = "more lines than a function can have are said to be its own";

/// The bits of a public symbol's flags that say that it is code.
const CODE: u32 = 3;

/// The lines of a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionLines {
    /// A point for each line, in the order of their addresses. Offsets count from the first byte of the function; where a
    /// record stands counts from the start of `stream`.
    pub points: Vec<Point>,
    /// Where the columns of each stand, as far as there are any.
    pub columns: Vec<Span>,
    /// All bytes of the stream that they are in.
    pub stream: Span,
    /// Why there are no more of them.
    pub error: Option<Error>,
}

/// A call that was inlined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlinedCall {
    /// The function that was called.
    pub name: String,
    /// The path of the source file.
    pub file: String,
    /// The line of the function that was called.
    pub line: u32,
    /// The id of the function that was called.
    pub id: u32,
}

/// What an address of the image is.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// The function.
    pub function: Option<Function>,
    /// What it is called.
    pub name: String,
    /// The line of the function itself: where code was inlined, that of the call.
    pub line: Option<Point>,
    /// The calls that were inlined there, the outermost first.
    pub inlined: Vec<InlinedCall>,
    /// What could not be read.
    pub problems: Vec<Error>,
}

impl Session {
    /// The symbols, where they are of native code.
    pub fn native(&self) -> Option<NativeView<'_>> {
        let view = self.pdb()?;
        Some(NativeView { view, native: view.native? })
    }

    /// The function with the code at an address of the image.
    pub(crate) fn function_at(&self, rva: u32) -> Option<(NativeView<'_>, Function)> {
        let native = self.native()?;
        Some((native, native.function_at(rva)?))
    }

    /// The module of the function with the code at an address, and its file name.
    pub fn module_of(&self, rva: u32) -> Option<(u32, String)> {
        let (native, function) = self.function_at(rva)?;
        Some((function.module, last_step(&native.view.module_name(function.module)).to_owned()))
    }

    /// What the function with the code at an address is called.
    pub fn function_name(&self, rva: u32) -> Option<String> {
        self.function_at(rva).map(|(native, function)| native.name_of(&function))
    }
}

impl<'s> NativeView<'s> {
    /// Reads all that is read only once and kept: what takes its time where there is much.
    pub fn read_all(&self) {
        self.native.read_all(self.view.pdb, self.view.spaces);
    }

    /// Whether all of that is read.
    pub fn is_read(&self) -> bool {
        self.native.is_read()
    }

    fn index(&self) -> &'s AddressIndex {
        self.native.index(self.view.pdb, self.view.spaces)
    }

    /// All functions, in the order of their addresses.
    pub fn functions(&self) -> &'s [Function] {
        self.index().functions()
    }

    /// The section, and the offset in it, of an address of the image.
    pub fn section_offset(&self, rva: u32) -> Option<(u16, u32)> {
        self.native.addresses(self.view.pdb, self.view.spaces).section_offset(rva)
    }

    /// The function with the code at an address of the image.
    pub fn function_at(&self, rva: u32) -> Option<Function> {
        self.index().function_at(self.section_offset(rva)?)
    }

    /// Whether a module says more of a public symbol: it is in one of the functions.
    pub fn is_described(&self, row: u32) -> bool {
        let record = self.globals().public(row);
        let symbol = record.and_then(|record| Symbol::decode(&mut record.slice.cursor()).ok());
        symbol.is_some_and(|symbol| self.index().function_at((symbol.section, symbol.offset)).is_some())
    }

    /// The public symbols of code of which no module says more, by where they are in the order of addresses.
    pub fn undescribed_code(&self) -> Vec<u32> {
        let code = (0..).zip(self.globals().publics());
        let code = code.filter(|(_, symbol)| symbol.as_ref().is_ok_and(|symbol| symbol.flags & CODE != 0));
        code.map(|(row, _)| row).filter(|row| !self.is_described(*row)).collect()
    }

    /// The name of a public symbol, by where it is in the order of addresses, and the place of its record.
    pub fn public(&self, row: u32) -> Option<(String, Place)> {
        let record = self.globals().public(row)?;
        let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
        let stream = u32::from(self.view.pdb.dbi.as_ref()?.header.symbol_records.value);
        Some((utf8(symbol.name.data).into_owned(), Place::Record(stream, record.span().start as u32)))
    }

    /// What a function is called.
    pub fn name_of(&self, function: &Function) -> String {
        let name = || {
            let module = self.module(function.module).ok()?;
            let record = module.symbol(function.symbol).ok()?;
            let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
            Some(utf8(symbol.name.data).into_owned())
        };
        name().unwrap_or_default()
    }

    /// Where a function begins in the image.
    pub fn rva_of(&self, function: &Function) -> Option<u32> {
        self.view.rva(function.section, function.offset)
    }

    /// The place of a function: its address, or its record where it has none.
    pub fn place_of(&self, function: &Function) -> Place {
        let record = || Place::Record(self.stream_of(function).unwrap_or(0), function.symbol);
        self.rva_of(function).map_or_else(record, Place::Function)
    }

    /// The stream that has the record of a function.
    pub fn stream_of(&self, function: &Function) -> Option<u32> {
        self.view.pdb.modules().get(function.module as usize)?.stream()
    }

    /// The lines of a function, in the order of their addresses.
    pub fn lines_of(&self, function: &Function) -> FunctionLines {
        let mut ranges = self.index().lines_of(function).peekable();
        // All of them are of one module, which is that of the function unless only another one has lines there.
        let number = ranges.peek().map_or(function.module, |range| range.module);
        match self.module(number) {
            Ok(module) => {
                let mut left = MOST_LINES;
                self.lines_in(&module, module.checksums(), function, |at, lines| {
                    each_line(&module, at, function, &mut left, |line| lines.push(line)).err()
                })
            }
            Err(error) => FunctionLines { error: Some(error), ..FunctionLines::default() },
        }
    }

    /// How many lines a function has.
    pub fn line_count(&self, function: &Function) -> usize {
        let (mut count, mut left) = (0, MOST_COUNTED);
        for range in self.index().lines_of(function) {
            let Ok(module) = self.module(range.module) else { continue };
            // What comes before a broken block counts.
            let _ = each_line(&module, range.at, function, &mut left, |_| count += 1);
        }
        count
    }

    /// The subsection of lines that a function is in: the number of the stream, and its bytes there.
    pub(crate) fn subsection_of(&self, function: &Function) -> Option<(u32, Span)> {
        let range = self.index().lines_of(function).next()?;
        let module = self.module(range.module).ok()?;
        let c13 = module.c13();
        let from = u64::from(range.at).checked_sub(c13.span().start + SUBSECTION_HEADER)?;
        let subsection = Subsections::new(c13.slice().rest(from)).next()?.ok()?;
        Some((module.module.stream()?, subsection.span))
    }

    /// The lines of a function in a module; `take` takes those of the subsection at an offset, and says why there are no more.
    fn lines_in(
        &self,
        module: &ModuleStream,
        checksums: Checksums<'_>,
        function: &Function,
        mut take: impl FnMut(u32, &mut Vec<Line>) -> Option<Error>,
    ) -> FunctionLines {
        let mut lines: Vec<Line> = Vec::new();
        let mut found = FunctionLines { stream: module.region.span(), ..FunctionLines::default() };
        for range in self.index().lines_of(function).filter(|range| range.module == module.number) {
            let error = take(range.at, &mut lines);
            found.error = found.error.or(error);
        }
        lines.sort_by_key(|line| line.offset);
        let mut files: HashMap<u32, u32> = HashMap::new();
        let mut row = |file: u32| *files.entry(file).or_insert_with(|| self.row_of(checksums, file));
        found.points = lines.iter().map(|line| point(line, function, row(line.file))).collect();
        found.columns = lines.iter().map(|line| line.columns_span(found.stream)).collect();
        found
    }

    /// The row of the document that lines refer to by the offset of its checksum; 0 where there is none.
    fn row_of(&self, checksums: Checksums<'_>, file: u32) -> u32 {
        checksums.get(file).ok().and_then(|entry| self.view.pdb.document_row(entry.name)).unwrap_or(0)
    }

    /// Calls `each` with the functions of all modules that have a file of `documents`, each with where it begins and its points;
    /// module by module, so that no more than one of them is held.
    pub fn each_function(&self, documents: &[u32], each: &mut Each<'_, u32>) {
        let pdb = self.view.pdb;
        let mut functions: Vec<&Function> = self.functions().iter().collect();
        functions.sort_by_key(|function| function.module);
        let wanted = self.modules_with(documents);
        let size = self.view.spaces.get(pdb.msf.file).map_or(0, Space::len);
        let mut left = MOST_TAKEN.max(size.saturating_mul(4));
        for of_module in functions.chunk_by(|a, b| a.module == b.module) {
            let Some(number) = of_module.first().map(|function| function.module) else { continue };
            if !wanted.get(number as usize).copied().unwrap_or(true) {
                continue;
            }
            let Ok(Some(module)) = ModuleStream::read_once(pdb, self.view.spaces, number) else { continue };
            let checksums = module.checksums();
            // Many functions may have their lines in one subsection: it is read once.
            let mut stretches: HashMap<u32, Stretch> = HashMap::new();
            for function in of_module {
                let Some(rva) = self.rva_of(function) else { continue };
                if left == 0 {
                    let _ = each(rva, &[], Some(Error::invalid(TOO_MANY, module.region.span().part(0, 0))));
                    return;
                }
                let lines = self.lines_in(&module, checksums, function, |at, lines| {
                    stretches.entry(at).or_insert_with(|| Stretch::read(&module, at)).take(function, &mut left, lines)
                });
                if each(rva, &lines.points, lines.error).is_break() {
                    return;
                }
            }
        }
    }

    /// For each module, whether it may have lines of one of `documents`.
    fn modules_with(&self, documents: &[u32]) -> Vec<bool> {
        let Some(dbi) = &self.view.pdb.dbi else { return Vec::new() };
        let name = |row: &u32| self.view.pdb.documents().get((*row as usize).checked_sub(1)?);
        let names: Vec<&str> = documents.iter().filter_map(name).map(|document| document.name.value.as_str()).collect();
        let has = |module: u16| {
            let mut files = dbi.sources.files_of(module).peekable();
            // A module of which nothing is said may have anything.
            files.peek().is_none()
                || files.any(|file| names.iter().any(|name| name.eq_ignore_ascii_case(&utf8(file.data))))
        };
        (0..dbi.sources.module_count).map(has).collect()
    }

    /// What the byte at an address of the image is.
    pub fn at(&self, rva: u32) -> Address {
        let found = self.native.find(self.view.pdb, self.view.spaces, rva);
        let mut address = Address { function: found.function, problems: found.problems, ..Address::default() };
        let Some(function) = found.function else { return address };
        address.name = self.name_of(&function);
        let Ok(module) = self.module(function.module) else { return address };
        address.line = found.line.map(|line| point(&line, &function, self.row_of(module.checksums(), line.file)));
        let offset = found.address.1;
        for site in found.inlined {
            let Some(line) = site.at(offset) else { continue };
            let name = self.view.type_names().map_or_else(String::new, |names| names.of_id(site.id));
            let file = module.source_file(&self.view.pdb.names, line.file).map_or(String::new(), |file| file.path);
            address.inlined.push(InlinedCall { name, file, line: line.line, id: site.id });
        }
        address
    }

    /// The types, or the ids.
    pub fn types(&self, ids: bool) -> &'s TypeStream {
        let (pdb, spaces) = (self.view.pdb, self.view.spaces);
        if ids { self.native.ids(pdb, spaces) } else { self.native.types(pdb, spaces) }
    }

    /// The public and the global symbols.
    pub fn globals(&self) -> &'s Globals {
        self.native.globals(self.view.pdb, self.view.spaces)
    }

    pub(crate) fn module(&self, number: u32) -> Result<ModuleStream> {
        ModuleStream::read(self.view.pdb, self.view.spaces, number)
    }
}

/// The lines of a subsection, in the order of their addresses.
struct Stretch {
    lines: Vec<Line>,
    /// Why there are no more of them.
    error: Option<Error>,
    at: Span,
}

impl Stretch {
    fn read(module: &ModuleStream, at: u32) -> Self {
        let mut lines = Vec::new();
        let blocks = module.blocks_of(at).and_then(|mut blocks| {
            blocks.try_for_each(|block| {
                block?.each(|line| lines.push(line));
                Ok(())
            })
        });
        lines.sort_by_key(|line: &Line| line.offset);
        Self { lines, error: blocks.err(), at: module.region.span().part(at.into(), 0) }
    }

    /// Adds those of a function to `to`, as long as there are any `left` to take; says why there are no more.
    fn take(&self, function: &Function, left: &mut u64, to: &mut Vec<Line>) -> Option<Error> {
        let before = |offset: u64| self.lines.partition_point(|line| u64::from(line.offset) < offset);
        let (start, len) = (u64::from(function.offset), u64::from(function.len.max(1)));
        let behind = self.lines.get(before(start)..before(start + len)).unwrap_or_default();
        // A function that is longer than what is behind it goes on at the beginning.
        let around = self.lines.get(..before((start + len).saturating_sub(1 << 32))).unwrap_or_default();
        let wanted = (behind.len() + around.len()) as u64;
        let taken = wanted.min(*left);
        to.extend(behind.iter().chain(around).take(taken as usize));
        // A look costs too, where there is nothing to take.
        *left = left.saturating_sub(taken + 1);
        let error = self.error.clone();
        error.or_else(|| (taken < wanted).then(|| Error::invalid(TOO_MANY, self.at)))
    }
}

/// Calls `each` with the lines of a function among those that begin at `at` of a module, as long as there are any `left` to look
/// at.
fn each_line(
    module: &ModuleStream,
    at: u32,
    function: &Function,
    left: &mut u64,
    mut each: impl FnMut(Line),
) -> Result<()> {
    for block in module.blocks_of(at)? {
        let mut cut = *left == 0;
        if !cut {
            block?.each(|line| {
                cut |= *left == 0;
                let inside = line.offset.wrapping_sub(function.offset) < function.len.max(1);
                if inside && !cut {
                    each(line);
                }
                *left = left.saturating_sub(1);
            });
        }
        if cut {
            return Err(Error::invalid(TOO_MANY, module.region.span().part(at.into(), 0)));
        }
    }
    Ok(())
}

/// What is said of code that a debugger is never to step into.
pub const NEVER_STEP_INTO: &str = "no line: 0xf00f00";

/// What a line record says besides where its code is: whether a line is meant at all, and of what the code is.
pub fn line_kind(record: &[u8]) -> &'static str {
    let packed = record.get(4..8).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes));
    match packed & 0x00ff_ffff {
        HIDDEN_LINE => "no line: 0xfeefee",
        c13::NEVER_STEP_INTO => NEVER_STEP_INTO,
        _ if packed >> 31 == 1 => "statement",
        _ => "expression",
    }
}

/// A line of a function as a point.
fn point(line: &Line, function: &Function, document: u32) -> Point {
    let hidden = line.is_hidden();
    let number = |number: u32| if hidden { HIDDEN_LINE } else { number };
    let column = |column: u16| if hidden { 0 } else { u32::from(column) };
    Point {
        il: line.offset.wrapping_sub(function.offset),
        document,
        start_line: number(line.start_line),
        start_column: column(line.start_column),
        end_line: number(line.end_line),
        end_column: column(line.end_column),
        at: line.at,
        len: Line::SIZE,
        faults: Faults::NONE,
    }
}
