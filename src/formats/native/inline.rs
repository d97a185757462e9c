//! Inlined calls: which code of a function is that of another one, and of which of its lines.
//!
//! Two places say it together. A subsection of the module lists every function that was inlined somewhere (*inlinee*), with
//! the file and line where it begins. In the symbols of the function that it was inlined into, an `S_INLINESITE` names the
//! inlinee and goes on with *annotations*: a small program whose instructions advance offset and line, so that nothing is
//! written twice. Numbers in it are compressed as those of metadata are, but for the sign.

use std::collections::HashMap;

use super::{Function, ModuleBytes, Symbol, index, symbols};
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Result, Slice, Span};
use crate::formats::windows::symbols::Records;

/// The kind of the subsection that lists inlinees.
pub const INLINEE_LINES: u32 = 0xf6;

/// The kinds of records that say where a call was inlined.
const SITES: [u16; 2] = [0x114d, 0x115d];

/// How deep calls may be inlined into one another.
const MOST_DEPTH: usize = 256;

/// A function that was inlined somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inlinee {
    /// Its id.
    pub id: u32,
    /// Its source file, by the offset of its entry among the checksums.
    pub file: u32,
    /// Its first line.
    pub line: u32,
    /// Where the entry stands.
    pub span: Span,
}

/// A call that was inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineSite {
    /// The id of the function that was called.
    pub id: u32,
    /// Where the record begins in the stream of the module.
    pub symbol: u32,
    /// How many calls it is inlined in, itself not counted.
    pub depth: u32,
    /// Its code, by file and line, in the order of the annotations.
    pub lines: Vec<InlineLine>,
}

/// Code of an inlined call, and the line that it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlineLine {
    /// Where the code begins in its section.
    pub offset: u32,
    /// How many bytes of code there are.
    pub len: u32,
    /// The source file, by the offset of its entry among the checksums.
    pub file: u32,
    /// The line.
    pub line: u32,
}

impl InlineSite {
    /// The code that has the byte at `offset`.
    pub fn at(&self, offset: u32) -> Option<InlineLine> {
        self.lines.iter().copied().find(|line| offset.wrapping_sub(line.offset) < line.len)
    }
}

/// Reads a subsection that lists inlinees.
pub fn inlinees<N: Recorder>(cursor: &mut Cursor<'_, N>, mut each: impl FnMut(Inlinee)) -> Result<()> {
    cursor.group("inlinee lines", |c| {
        let extended = c.u32("signature")? == 1;
        while !c.is_done() {
            c.group("inlinee", |c| {
                let start = c.position();
                let (id, file, line) = (c.u32("id")?, c.u32("file")?, c.u32("first line")?);
                if extended {
                    let count = c.u32("further file count")? as u64;
                    if count > c.left() / 4 {
                        let kind = ErrorKind::UnexpectedEnd { wanted: count * 4, left: c.left() };
                        return Err(c.error_since(start, kind));
                    }
                    (0..count).try_for_each(|_| c.u32("further file").map(drop))?;
                }
                each(Inlinee { id, file, line, span: c.since(start) });
                Ok(())
            })?;
        }
        Ok(())
    })
}

impl ModuleBytes {
    /// The functions that were inlined somewhere in this module, and what is wrong with the rest of the list, if anything.
    pub fn inlinees(&self) -> (Vec<Inlinee>, Option<Error>) {
        let mut found = Vec::new();
        let Some(content) = index::subsection(self, INLINEE_LINES) else { return (found, None) };
        let error = inlinees(&mut content.cursor(), |inlinee| found.push(inlinee)).err();
        (found, error)
    }

    /// The calls that were inlined into the function whose record begins at `symbol`, each before those inlined in it.
    pub fn inline_sites(&self, symbol: u32) -> Result<Vec<InlineSite>> {
        self.sites(symbol, |_| true)
    }

    fn sites(&self, symbol: u32, keep: impl Fn(&InlineSite) -> bool) -> Result<Vec<InlineSite>> {
        let function = Symbol::decode(&mut self.symbol(symbol)?.slice.cursor())?;
        let inlinees: HashMap<u32, Inlinee> =
            self.inlinees().0.into_iter().map(|inlinee| (inlinee.id, inlinee)).collect();
        let symbols = self.region.slice().part(0, self.symbols().len())?;
        let mut found = Vec::new();
        let (mut scopes, mut depth) = (0_usize, 0_u32);
        for record in Records::new(symbols, symbol as u64) {
            let record = record?;
            if index::ends_scope(record.kind) {
                scopes = scopes.saturating_sub(1);
                depth = if record.kind == 0x114e { depth.saturating_sub(1) } else { depth };
                if scopes == 0 {
                    break;
                }
                continue;
            }
            let opens = Symbol::decode(&mut record.slice.cursor())?;
            if opens_scope(record.kind) {
                scopes += 1;
            }
            if !SITES.contains(&record.kind) {
                continue;
            }
            if depth as usize >= MOST_DEPTH {
                return Err(Error::new(ErrorKind::TooDeep("inlined calls"), record.span()));
            }
            let inlinee = inlinees.get(&opens.of);
            let start = InlineLine {
                offset: function.offset,
                len: 0,
                file: inlinee.map_or(0, |inlinee| inlinee.file),
                line: inlinee.map_or(0, |inlinee| inlinee.line),
            };
            let symbol = (record.span().start - self.region.span().start) as u32;
            let site = InlineSite { id: opens.of, symbol, depth, lines: annotated(opens.rest, start)? };
            depth += 1;
            if keep(&site) {
                found.push(site);
            }
        }
        Ok(found)
    }
}

/// Whether a record of this kind is closed by another.
const fn opens_scope(kind: u16) -> bool {
    symbols::is_function(kind) || matches!(kind, 0x1102 | 0x1103 | 0x1132 | 0x114d | 0x115d)
}

/// The calls inlined at `offset` of the section of `function`, the outermost first.
pub(super) fn sites_at(module: &ModuleBytes, function: &Function, offset: u32) -> Result<Vec<InlineSite>> {
    module.sites(function.symbol, |site| site.at(offset).is_some())
}

/// An instruction of annotations; the numbers are as they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// What to do.
    pub opcode: u32,
    /// With what.
    pub operand: u32,
    /// And with what, for the one that takes two.
    pub second: u32,
}

/// The names of what the instructions take, by their number.
pub const OPERANDS: [&str; 14] = [
    "",
    "code offset",
    "code offset base",
    "code offset advance",
    "code length",
    "file",
    "line advance",
    "line end advance",
    "range kind",
    "start column",
    "end column advance",
    "code and line advance",
    "code length",
    "end column",
];

/// Reads one instruction; none at the end.
pub fn annotation<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Option<Annotation>> {
    if cursor.is_done() || cursor.peek() == Some(0) {
        return Ok(None);
    }
    cursor.group("annotation", |c| {
        let start = c.position();
        let opcode = c.compressed("opcode")?;
        let Some(name) = OPERANDS.get(opcode as usize) else {
            return Err(c.error_since(start, ErrorKind::Invalid("an annotation that is not known")));
        };
        let operand = c.compressed(*name)?;
        let second = if opcode == 12 { c.compressed("code offset advance")? } else { 0 };
        Ok(Some(Annotation { opcode, operand, second }))
    })
}

/// A number whose lowest bit is the sign.
const fn signed(number: u32) -> i32 {
    let magnitude = (number >> 1).cast_signed();
    if number & 1 == 1 { -magnitude } else { magnitude }
}

/// Runs the annotations of a call, which begin where `at` says.
fn annotated(annotations: Slice<'_>, mut at: InlineLine) -> Result<Vec<InlineLine>> {
    let mut cursor = annotations.cursor();
    let (mut base, mut len) = (0_u32, 0_u32);
    let mut lines: Vec<InlineLine> = Vec::new();
    while let Some(Annotation { opcode, operand, second }) = annotation(&mut cursor)? {
        match opcode {
            1 => at.offset = operand,
            2 => base = operand,
            3 => at.offset = at.offset.wrapping_add(operand),
            4 => {
                if let Some(last) = lines.last_mut().filter(|last| last.len == 0) {
                    last.len = operand;
                }
                at.offset = at.offset.wrapping_add(operand);
            }
            5 => at.file = operand,
            6 => at.line = at.line.wrapping_add_signed(signed(operand)),
            11 => {
                at.offset = at.offset.wrapping_add(operand & 0xf);
                at.line = at.line.wrapping_add_signed(signed(operand >> 4));
            }
            12 => {
                len = operand;
                at.offset = at.offset.wrapping_add(second);
            }
            // Ends of lines, columns and kinds of ranges, which no compiler is known to write.
            _ => {}
        }
        if matches!(opcode, 3 | 11 | 12) {
            let offset = at.offset.wrapping_add(base);
            if let Some(last) = lines.last_mut().filter(|last| last.len == 0) {
                last.len = offset.wrapping_sub(last.offset);
            }
            lines.push(InlineLine { offset, len: std::mem::take(&mut len), ..at });
        }
    }
    Ok(lines)
}
