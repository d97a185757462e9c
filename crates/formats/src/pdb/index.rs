//! Functions and lines by address.

use super::{ModuleStream, Pdb};
use crate::bytes::{Error, Result, Slice, Spaces, is_inside, or_problem};
use crate::codeview::c13::{LINES, LinesHeader, Subsections};
use crate::codeview::symbols::{Records, Symbol, is_function, kind};

/// Location of the code and the record of a function or a thunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Function {
    /// Module, from 0.
    pub module: u32,
    /// Offset of the symbol record in the module's stream.
    #[serde(skip)]
    pub symbol: u32,
    /// Section of the code, from 1.
    pub section: u16,
    /// Offset of the code in the section.
    pub offset: u32,
    /// Size of the code in bytes.
    #[serde(rename = "size")]
    pub len: u32,
}

/// A range of code, with the location of its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineRange {
    /// Module, from 0.
    pub module: u32,
    /// Offset of the content of the lines subsection in the module's stream.
    pub at: u32,
    /// Section of the code, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    /// Number of bytes of code.
    pub len: u32,
}

/// Functions and line ranges of all modules, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub struct AddressIndex {
    functions: Vec<Function>,
    lines: Vec<LineRange>,
    /// Problems, limited in number.
    pub problems: Vec<Error>,
}

/// Limit of functions that are looked at for one around an address: others may begin inside it.
const MAX_NESTED: usize = 16;
const MAX_PROBLEMS: usize = 1000;

impl AddressIndex {
    /// Indexes all modules without keeping their streams.
    pub(super) fn read(pdb: &Pdb, spaces: &Spaces) -> Self {
        let mut index = Self::default();
        for number in 0..pdb.modules().len() as u32 {
            if let Some(stream) = index.or_problem(ModuleStream::read_once(pdb, spaces, number)).flatten() {
                index.add_functions(number, stream.symbols().slice());
                index.add_lines(number, stream.c13().slice());
            }
        }
        index.functions.sort_by_key(|function| (function.section, function.offset));
        index.lines.sort_by_key(|range| (range.section, range.offset));
        index
    }

    fn or_problem<T>(&mut self, result: Result<T>) -> Option<T> {
        if self.problems.len() < MAX_PROBLEMS { or_problem(result, &mut self.problems) } else { result.ok() }
    }

    fn add_functions(&mut self, module: u32, symbols: Slice<'_>) {
        for record in Records::new(symbols, 4) {
            let Some(record) = self.or_problem(record) else { return };
            if !is_function(record.kind) && !matches!(record.kind, kind::THUNK | kind::TRAMPOLINE) {
                continue;
            }
            let Some(symbol) = self.or_problem(Symbol::decode(&mut record.slice.cursor())) else { continue };
            let Symbol { section, offset, len, .. } = symbol;
            self.functions.push(Function { module, symbol: record.span().start as u32, section, offset, len });
        }
    }

    fn add_lines(&mut self, module: u32, c13: Slice<'_>) {
        for subsection in Subsections::new(c13) {
            let Some(subsection) = self.or_problem(subsection) else { return };
            if subsection.kind != LINES {
                continue;
            }
            let content = subsection.content;
            let Some(header) = self.or_problem(LinesHeader::decode(&mut content.cursor())) else { continue };
            let LinesHeader { section, offset, size: len, .. } = header;
            self.lines.push(LineRange { module, at: content.start as u32, section, offset, len });
        }
    }

    /// Functions in the order of their addresses.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Returns the function that contains an address; of folded ones the first.
    pub fn function_at(&self, address: (u16, u32)) -> Option<Function> {
        self.functions_at(address).first().copied()
    }

    /// Functions that contain an address. They are several if the linker folded identical code (`/OPT:ICF`).
    pub fn functions_at(&self, (section, offset): (u16, u32)) -> &[Function] {
        let behind = self.functions.partition_point(|f| (f.section, f.offset) <= (section, offset));
        let holds = |f: &&Function| f.section == section && is_inside(offset, f.offset, f.len.max(1));
        let mut before = self.functions.get(..behind).unwrap_or_default().iter().rev().take(MAX_NESTED);
        before.find(holds).map_or(&[], |found| self.folded(found))
    }

    /// Last function that begins at or before an address of the same section; of folded ones the first.
    pub fn function_before(&self, (section, offset): (u16, u32)) -> Option<Function> {
        let behind = self.functions.partition_point(|f| (f.section, f.offset) <= (section, offset));
        let last = self.functions.get(behind.checked_sub(1)?).filter(|function| function.section == section)?;
        self.folded(last).first().copied()
    }

    /// Functions that begin where this one does, itself among them, in the order of their modules.
    pub fn folded(&self, function: &Function) -> &[Function] {
        let start = (function.section, function.offset);
        let first = self.functions.partition_point(|f| (f.section, f.offset) < start);
        let rest = self.functions.get(first..).unwrap_or_default();
        let count = rest.iter().take_while(|f| (f.section, f.offset) == start).count();
        rest.get(..count).unwrap_or_default()
    }

    /// Returns the line range that contains an address.
    pub fn lines_at(&self, (section, offset): (u16, u32)) -> Option<LineRange> {
        let behind = self.lines.partition_point(|range| (range.section, range.offset) <= (section, offset));
        let holds = |range: &LineRange| range.section == section && is_inside(offset, range.offset, range.len);
        self.lines.get(..behind)?.last().copied().filter(holds)
    }

    /// Line ranges that overlap a function: those of its own module if it has any. Of folded functions of one module, each
    /// has the line range of its own rank among those that begin where it does.
    pub fn lines_of(&self, function: &Function) -> impl Iterator<Item = LineRange> + '_ {
        let (section, start) = (function.section, function.offset);
        let end = start.saturating_add(function.len.max(1));
        let first = self.lines.partition_point(|range| (range.section, range.offset) < (section, start));
        // A range that begins before the function may extend into it. Folded functions share their address, and so do
        // their lines.
        let before = self.lines.get(..first).unwrap_or_default().last();
        let reaches = move |range: &&LineRange| range.section == section && is_inside(start, range.offset, range.len);
        let rest = self.lines.get(first..).unwrap_or_default();
        let inside = rest.iter().take_while(move |range| (range.section, range.offset) < (section, end));
        let all = before.filter(reaches).into_iter().chain(inside);
        let (module, own) = (function.module, |range: &&LineRange| range.module == function.module);
        let any_own = all.clone().any(|range| own(&range));
        let only = if any_own { self.range_of_folded(function) } else { None };
        all.copied().filter(move |range| match only {
            Some(only) => *range == only,
            None => !any_own || range.module == module,
        })
    }

    /// Line range of one of several folded functions of a module: compilers write functions and their lines in the same order.
    fn range_of_folded(&self, function: &Function) -> Option<LineRange> {
        let twins = self.folded(function).iter().filter(|other| other.module == function.module);
        let rank = twins.clone().position(|other| other.symbol == function.symbol)?;
        let count = twins.count();
        if count < 2 {
            return None;
        }
        let start = (function.section, function.offset);
        let first = self.lines.partition_point(|range| (range.section, range.offset) < start);
        let behind = self.lines.partition_point(|range| (range.section, range.offset) <= start);
        let ranges = self.lines.get(first..behind)?.iter().filter(|range| range.module == function.module);
        if ranges.clone().count() == count { ranges.copied().nth(rank) } else { None }
    }
}
