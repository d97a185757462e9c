//! Lines of the functions of a native PDB.

use super::view::NativeView;
use crate::place::CodeUnit;
use pdblens_formats::bytes::{Error, Resource, Result, Span, is_inside};
use pdblens_formats::codeview::c13::{self, Checksums, Line, SUBSECTION_HEADER, Subsections};
use pdblens_formats::pdb::{Function, ModuleStream};
use pdblens_formats::sequence_point::{HIDDEN_LINE, SequencePoint, Violations};
use pdblens_session::text::safe::utf8;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Lines that are looked at for one function.
const MAX_LINES: u64 = 1 << 20;
/// Lines that are looked at to count those of one function.
const MAX_COUNTED: u64 = 1 << 18;
const TOO_MANY: &str = "more lines than a function can have are said to be its own";

/// Callback for each function: its module, the function, and its lines.
pub(crate) type EachWithLines<'e> = dyn FnMut(&ModuleStream, &Function, FunctionLines) -> ControlFlow<()> + 'e;

#[derive(Clone, Debug, Default)]
pub struct FunctionLines {
    /// A point for each line, in the order of their addresses. Offsets count from the first byte of the function; where a
    /// record stands counts from the start of `stream`.
    pub points: Vec<SequencePoint>,
    /// Bytes of the columns of each point; empty without columns.
    pub columns: Vec<Span>,
    /// All bytes of the stream that they are in.
    pub stream: Span,
    pub error: Option<Error>,
}

impl NativeView<'_> {
    /// The lines of a function, in the order of their addresses.
    pub fn lines_of(&self, function: &Function) -> FunctionLines {
        let mut ranges = self.index().lines_of(function).peekable();
        // All of them are of one module, which is that of the function unless only another one has lines there.
        let number = ranges.peek().map_or(function.module, |range| range.module);
        match self.module(number) {
            Ok(module) => {
                let mut left = MAX_LINES;
                self.lines_in(&module, module.checksums(), function, |at, lines| {
                    each_line(&module, at, function, &mut left, |line| lines.push(line)).err()
                })
            }
            Err(error) => FunctionLines { error: Some(error), ..FunctionLines::default() },
        }
    }

    pub fn line_count(&self, function: &Function) -> usize {
        let (mut count, mut left) = (0_usize, MAX_COUNTED);
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
    pub(crate) fn row_of(&self, checksums: Checksums<'_>, file: u32) -> u32 {
        checksums.get(file).ok().and_then(|entry| self.view.pdb.document_row(entry.name)).unwrap_or(0)
    }

    /// Calls `each` with the functions of all modules that have a file of `documents`, each with where it begins and its points;
    /// module by module, so that no more than one of them is held.
    pub(crate) fn each_function(&self, documents: &[u32], each: &mut Each<'_, CodeUnit>) -> ControlFlow<()> {
        let wanted = self.modules_with(documents);
        let is_wanted = |module: u32| wanted.get(module as usize).copied().unwrap_or(true);
        let mut flow = ControlFlow::Continue(());
        self.each_with_lines(&is_wanted, &mut |_, function, lines| {
            if let Some(rva) = self.rva_of(function) {
                flow = each(CodeUnit::Function(rva), &lines.points, lines.error);
            }
            flow
        });
        flow
    }

    /// Calls `each` with every function and its lines, module by module, until it breaks; no more than one module is held.
    pub fn each_lines(&self, each: &mut dyn FnMut(&Function, &FunctionLines) -> ControlFlow<()>) {
        self.each_with_lines(&|_| true, &mut |_, function, lines| each(function, &lines));
    }

    /// Calls `each` with the functions of all wanted modules and their lines, module by module.
    pub(crate) fn each_with_lines(&self, is_wanted: &dyn Fn(u32) -> bool, each: &mut EachWithLines<'_>) {
        let pdb = self.view.pdb;
        let mut functions: Vec<&Function> = self.functions().iter().collect();
        functions.sort_by_key(|function| function.module);
        // Functions may claim the lines of each other: honest ones have far fewer than there may be rows.
        let mut left = self.view.spaces.budget().ceiling(Resource::Rows);
        for of_module in functions.chunk_by(|a, b| a.module == b.module) {
            let Some(number) = of_module.first().map(|function| function.module) else { continue };
            if !is_wanted(number) {
                continue;
            }
            let Ok(Some(module)) = ModuleStream::read_once(pdb, self.view.spaces, number) else { continue };
            let checksums = module.checksums();
            // Many functions may have their lines in one subsection: it is read once.
            let mut stretches: HashMap<u32, SubsectionLines> = HashMap::new();
            for function in of_module {
                if left == 0 {
                    let error = Some(Error::invalid(TOO_MANY, module.region.span().part(0, 0)));
                    let _ = each(&module, function, FunctionLines { error, ..FunctionLines::default() });
                    return;
                }
                let lines = self.lines_in(&module, checksums, function, |at, lines| {
                    stretches
                        .entry(at)
                        .or_insert_with(|| SubsectionLines::read(&module, at))
                        .take(function, &mut left, lines)
                });
                if each(&module, function, lines).is_break() {
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
}

/// The lines of a subsection, in the order of their addresses.
#[derive(Debug)]
pub(super) struct SubsectionLines {
    pub(super) lines: Vec<Line>,
    pub(super) error: Option<Error>,
    at: Span,
}

impl SubsectionLines {
    pub(super) fn read(module: &ModuleStream, at: u32) -> Self {
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

    pub(super) const fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn covering(&self, offset: u32) -> Result<Option<Line>> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let behind = self.lines.partition_point(|line| line.offset <= offset);
        Ok(behind.checked_sub(1).and_then(|last| self.lines.get(last)).copied())
    }

    /// Adds those of a function to `to`, as long as there are any `left` to take; says why there are no more.
    fn take(&self, function: &Function, left: &mut u64, to: &mut Vec<Line>) -> Option<Error> {
        let before = |offset: u64| self.lines.partition_point(|line| u64::from(line.offset) < offset);
        let (start, len) = (u64::from(function.offset), u64::from(function.len.max(1)));
        let behind = self.lines.get(before(start)..before(start + len)).unwrap_or_default();
        // A function that is longer than what is after it wraps around to its beginning.
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
                let inside = is_inside(line.offset, function.offset, function.len.max(1));
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

/// Description of code that a debugger never steps into.
pub const NEVER_STEP_INTO: &str = "no line: 0xf00f00";

/// Kind of a line record: statement, expression, or one of the numbers that mean no line.
pub fn line_kind(record: &[u8]) -> &'static str {
    let packed = record.get(4..8).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes));
    match packed & 0x00ff_ffff {
        HIDDEN_LINE => "no line: 0xfeefee",
        c13::NEVER_STEP_INTO => NEVER_STEP_INTO,
        _ if packed >> 31 == 1 => "statement",
        _ => "expression",
    }
}

pub(super) fn point(line: &Line, function: &Function, document: u32) -> SequencePoint {
    let hidden = line.is_hidden();
    let number = |number: u32| if hidden { HIDDEN_LINE } else { number };
    let column = |column: u16| if hidden { 0 } else { u32::from(column) };
    SequencePoint {
        offset: line.offset.wrapping_sub(function.offset),
        document,
        start_line: number(line.start_line),
        start_column: column(line.start_column),
        end_line: number(line.end_line),
        end_column: column(line.end_column),
        at: line.at,
        len: Line::SIZE,
        violations: Violations::NONE,
    }
}

/// Callback for each of many: the item, its points, and the error that ended them.
pub(crate) type Each<'e, T> = dyn FnMut(T, &[SequencePoint], Option<Error>) -> ControlFlow<()> + 'e;
