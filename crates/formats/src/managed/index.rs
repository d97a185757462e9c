//! Location of each method: its module, symbols and lines.
//!
//! A managed PDB has a module for each type, and no list of the methods of a module: all modules are read once, and 16
//! bytes per method kept. A method's lines are those whose offset, in the numbering of all IL, is that of the method.

use super::symbols::ManagedSymbol;
use crate::bytes::{Error, Region, Result, Span, or_problem};
use crate::codeview::c13::{CHECKSUMS, LENGTH, LINES, LinesHeader, SUBSECTION_HEADER, Subsections};
use crate::codeview::symbols::{Records, kind, signature};
use crate::pdb::dbi::Module;

/// Limit of kept problems: a hostile file has one in each record.
const MAX_PROBLEMS: usize = 1000;
/// Marks a method without lines.
const NO_LINES: u32 = u32::MAX;

/// Location of a method's symbols and lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodEntry {
    /// Its MethodDef token in the image.
    pub token: u32,
    /// The module that it is in.
    pub module: u32,
    /// Offset of its `S_GMANPROC` record in the stream of the module.
    pub symbol: u32,
    lines: u32,
}

impl MethodEntry {
    /// Offset of its subsection of lines in the stream of the module.
    pub fn lines(self) -> Option<u32> {
        (self.lines != NO_LINES).then_some(self.lines)
    }
}

/// Locations of all methods.
#[derive(Debug, Default)]
pub struct MethodIndex {
    /// By token.
    entries: Vec<MethodEntry>,
    /// Offset of each module's checksums subsection in its stream; 0 if there is none.
    checksums: Vec<u32>,
    /// Problems in the symbols and lines of the modules, limited in number.
    pub problems: Vec<Error>,
}

/// A method or a subsection of lines, with the start of its IL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    section: u16,
    offset: u32,
    /// Offset in the stream of the module.
    at: u32,
    /// The token, for a method.
    token: u32,
}

/// Methods and lines of one module; the buffers are reused for the next.
#[derive(Default)]
struct ModuleRows {
    methods: Vec<Placed>,
    lines: Vec<Placed>,
    checksums: u32,
}

impl MethodIndex {
    /// Adds the methods of a module, all of whose stream is `region`.
    fn add(&mut self, module: &Module, region: &Region, found: &mut ModuleRows) {
        let number = self.checksums.len() as u32;
        found.methods.clear();
        found.lines.clear();
        found.checksums = 0;
        self.or_problem(found.read_symbols(&module.symbols(region)));
        // Lines matter only in modules with methods.
        if !found.methods.is_empty() {
            self.or_problem(found.read_lines(&module.c13(region)));
        }
        self.checksums.push(found.checksums);
        found.methods.sort_unstable();
        found.lines.sort_unstable();
        let mut lines = found.lines.iter().peekable();
        for method in &found.methods {
            let before = |lines: &Placed| (lines.section, lines.offset) < (method.section, method.offset);
            while lines.next_if(|lines| before(lines)).is_some() {}
            let same = |lines: &&Placed| (lines.section, lines.offset) == (method.section, method.offset);
            let lines = lines.next_if(same).map_or(NO_LINES, |lines| lines.at);
            self.entries.push(MethodEntry { token: method.token, module: number, symbol: method.at, lines });
        }
    }

    fn or_problem<T>(&mut self, result: Result<T>) -> Option<T> {
        if self.problems.len() < MAX_PROBLEMS { or_problem(result, &mut self.problems) } else { result.ok() }
    }

    /// All modules' methods, given the stream of each module and the tokens that those in records stand for.
    pub(super) fn new(
        modules: &[Module],
        region: impl Fn(&Module) -> Option<Result<Region>>,
        image_token: impl Fn(u32) -> u32,
    ) -> Self {
        let mut index = Self::default();
        let mut found = ModuleRows::default();
        for module in modules {
            match region(module).and_then(|region| index.or_problem(region)) {
                Some(region) => index.add(module, &region, &mut found),
                None => index.checksums.push(0),
            }
        }
        for entry in &mut index.entries {
            entry.token = image_token(entry.token);
        }
        index.entries.sort_unstable_by_key(|entry| (entry.token, entry.module, entry.symbol));
        index
    }

    /// All methods, by token.
    pub fn entries(&self) -> &[MethodEntry] {
        &self.entries
    }

    /// Returns the method with this token; the first of duplicates.
    pub fn get(&self, token: u32) -> Option<MethodEntry> {
        let at = self.entries.partition_point(|entry| entry.token < token);
        self.entries.get(at).copied().filter(|entry| entry.token == token)
    }

    /// Offset of the subsection of checksums of a module in its stream.
    pub fn checksums(&self, module: u32) -> Option<u32> {
        self.checksums.get(module as usize).copied().filter(|at| *at != 0)
    }
}

impl ModuleRows {
    fn read_symbols(&mut self, symbols: &Region) -> Result<()> {
        if symbols.is_empty() {
            return Ok(());
        }
        signature(&mut symbols.cursor())?;
        for record in Records::of_module(symbols) {
            let record = record?;
            if matches!(record.kind, kind::METHOD | kind::LOCAL_METHOD)
                && let ManagedSymbol::Procedure(method) = ManagedSymbol::read(record)?
            {
                let (section, offset, token) = (method.section, method.offset, method.token);
                self.methods.push(Placed { section, offset, at: record.span().start as u32, token });
            }
        }
        Ok(())
    }

    fn read_lines(&mut self, c13: &Region) -> Result<()> {
        for subsection in Subsections::new(c13.slice()) {
            let subsection = subsection?;
            let at = subsection.span.start as u32;
            match subsection.kind {
                CHECKSUMS => self.checksums = at,
                LINES => {
                    let header = LinesHeader::decode(&mut subsection.content.cursor())?;
                    self.lines.push(Placed { section: header.section, offset: header.offset, at, token: 0 });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Span of the content of the subsection at offset `at` of `region`, a module's stream.
pub(super) fn subsection(region: &Region, at: u32) -> Span {
    let header = region.slice().rest(at as u64);
    let len = header.rest(4).cursor().u32(&LENGTH).unwrap_or_default() as u64;
    let content = header.rest(SUBSECTION_HEADER);
    content.span().part(0, len.min(content.len()))
}
