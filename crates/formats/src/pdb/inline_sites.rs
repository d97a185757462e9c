//! Calls that were inlined into the functions of a module.

use std::collections::HashMap;
use std::ops::Range;

use super::ModuleStream;
use crate::bytes::{Error, ErrorKind, Result, is_inside};
use crate::codeview::inline::{INLINEE_LINES, InlineLine, Inlinee, annotated, inlinees};
use crate::codeview::symbols::{self, Records, Symbol, kind};

/// Kinds of inline site records (`S_INLINESITE`, `S_INLINESITE2`).
const SITES: [u16; 2] = [0x114d, 0x115d];
const MAX_DEPTH: usize = 256;

/// An inlined call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineSite {
    /// Id of the called function.
    pub id: u32,
    /// Offset of the record in the stream of the module.
    pub symbol: u32,
    /// Number of enclosing inlined calls.
    pub depth: u32,
    /// Code ranges with file and line, in the order of the annotations.
    pub lines: Vec<InlineLine>,
}

impl InlineSite {
    /// Its code from the first byte to the last, with the gaps between its ranges.
    pub fn code(&self) -> Range<u32> {
        let start = self.lines.iter().map(|line| line.offset).min().unwrap_or_default();
        start..self.lines.iter().map(|line| line.offset.saturating_add(line.len)).max().unwrap_or_default()
    }

    /// Returns the code range that contains `offset`.
    pub fn at(&self, offset: u32) -> Option<InlineLine> {
        self.lines.iter().copied().find(|line| is_inside(offset, line.offset, line.len))
    }
}

/// Inlinees of a module by id, read once for all of its functions.
#[derive(Clone, Debug, Default)]
pub struct InlineeMap(HashMap<u32, Inlinee>);

impl InlineeMap {
    /// Number of inlinees.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether nothing of the module was inlined.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ModuleStream {
    /// Inlinees of this module by id.
    pub fn inlinee_map(&self) -> InlineeMap {
        InlineeMap(self.inlinees().0.into_iter().map(|inlinee| (inlinee.id, inlinee)).collect())
    }

    /// Inlinees of this module, and the error that ended the list, if any.
    pub fn inlinees(&self) -> (Vec<Inlinee>, Option<Error>) {
        let mut found = Vec::new();
        let Some(content) = self.subsection(INLINEE_LINES) else { return (found, None) };
        let error = inlinees(&mut content.cursor(), |inlinee| found.push(inlinee)).err();
        (found, error)
    }

    /// Inlined calls of the function with the record at `symbol`; `inlinees` are those of this module.
    pub fn inline_sites_of(&self, symbol: u32, inlinees: &InlineeMap) -> Result<Vec<InlineSite>> {
        let function = Symbol::decode(&mut self.symbol(symbol)?.slice.cursor())?;
        if !opens_scope(function.kind) {
            return Ok(Vec::new());
        }
        let symbols = self.region.slice().part(0, self.symbols().len())?;
        let mut found = Vec::new();
        let (mut scopes, mut depth) = (0_usize, 0_u32);
        for record in Records::new(symbols, symbol as u64) {
            let record = record?;
            if ends_scope(record.kind) {
                scopes = scopes.saturating_sub(1);
                depth = if record.kind == 0x114e { depth.saturating_sub(1) } else { depth };
                if scopes == 0 {
                    break;
                }
                continue;
            }
            if scopes > 0 && symbols::is_function(record.kind) {
                // Functions do not nest: the end of this one is missing.
                break;
            }
            if opens_scope(record.kind) {
                scopes += 1;
            }
            if !SITES.contains(&record.kind) {
                continue;
            }
            let opens = Symbol::decode(&mut record.slice.cursor())?;
            if depth as usize >= MAX_DEPTH {
                return Err(Error::new(ErrorKind::TooDeep("inlined calls"), record.span()));
            }
            let mut start = InlineLine { offset: function.offset, len: 0, file: 0, line: 0 };
            let symbol = (record.span().start - self.region.span().start) as u32;
            if let Some(inlinee) = inlinees.0.get(&opens.of) {
                (start.file, start.line) = (inlinee.file, inlinee.line);
            }
            found.push(InlineSite { id: opens.of, symbol, depth, lines: annotated(opens.rest, start)? });
            depth = depth.saturating_add(1);
        }
        Ok(found)
    }
}

const fn opens_scope(kind: u16) -> bool {
    symbols::is_function(kind) || matches!(kind, 0x1102 | 0x1103 | 0x1132 | 0x114d | 0x115d)
}

const fn ends_scope(kind: u16) -> bool {
    matches!(kind, kind::END | 0x114e | 0x114f)
}
