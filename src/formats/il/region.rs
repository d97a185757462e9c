//! Sections behind a method's code, and the exception regions in them (ECMA-335 II.25.4.5 and II.25.4.6).
//!
//! Each section is aligned to 4 bytes and says whether another follows. Only one kind is in use: a table of clauses, all
//! small (12 bytes) or all fat (24 bytes).

use super::body::Body;
use crate::bytes::{Cursor, Error, Recorder, Result, Span};
use crate::formats::metadata::Token;

/// Flags of a section.
const EXCEPTION_TABLE: u8 = 0x01;
const FAT_SECTION: u8 = 0x40;
const MORE_SECTIONS: u8 = 0x80;

/// What a section's header and one of its clauses take.
const HEADER_SIZE: u64 = 4;
const SMALL_CLAUSE_SIZE: u64 = 12;
const FAT_CLAUSE_SIZE: u64 = 24;

/// Some code that is watched for exceptions, and what is done about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionRegion {
    /// What kind of handler it has.
    pub kind: RegionKind,
    /// The code that is watched: the `try` block.
    pub tried: IlRange,
    /// The code that handles the exception, or runs on the way out.
    pub handler: IlRange,
    /// The bytes of the clause.
    pub span: Span,
}

/// When a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// For exceptions of a type.
    Catch {
        /// The token of that type.
        class: Token,
    },
    /// For exceptions that a filter accepts (C# `when`).
    Filter {
        /// The IL offset where the filter begins; it ends where the handler begins.
        filter: u32,
    },
    /// Whichever way the block is left.
    Finally,
    /// When an exception leaves the block.
    Fault,
    /// None of those that are specified.
    Unknown {
        /// The flags that say so.
        flags: u32,
    },
}

/// Some of a method's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IlRange {
    /// The IL offset of the first instruction.
    pub start: u32,
    /// How many bytes.
    pub len: u32,
}

impl IlRange {
    /// The IL offset behind it.
    pub const fn end(self) -> u64 {
        self.start as u64 + self.len as u64
    }

    /// Whether the instruction at IL `offset` is in it.
    pub const fn contains(self, offset: u32) -> bool {
        offset >= self.start && (offset as u64) < self.end()
    }
}

impl ExceptionRegion {
    /// The token of the type whose exceptions it catches, if it does that.
    pub const fn class(&self) -> Option<Token> {
        match self.kind {
            RegionKind::Catch { class } => Some(class),
            _ => None,
        }
    }

    /// The code of its filter, if it has one.
    pub fn filter(&self) -> Option<IlRange> {
        match self.kind {
            RegionKind::Filter { filter } => {
                Some(IlRange { start: filter, len: self.handler.start.saturating_sub(filter) })
            }
            _ => None,
        }
    }
}

/// Reads all sections behind the code of `body`.
pub(super) fn decode_sections<N: Recorder>(cursor: &mut Cursor<'_, N>, body: &mut Body) -> Result<()> {
    loop {
        cursor.align(4)?;
        if !cursor.group("section", |cursor| decode_section(cursor, body))? {
            return Ok(());
        }
    }
}

/// Reads one section; whether another follows.
fn decode_section<N: Recorder>(cursor: &mut Cursor<'_, N>, body: &mut Body) -> Result<bool> {
    let start = cursor.position();
    let flags = cursor.u8("section kind")?;
    let fat = flags & FAT_SECTION != 0;
    let size = if fat {
        cursor.u24("section size")? as u64
    } else {
        let size = cursor.u8("section size")? as u64;
        cursor.u16("reserved")?;
        size
    };
    if size < HEADER_SIZE {
        return Err(Error::invalid("a section smaller than its header", cursor.since(start)));
    }
    if flags & EXCEPTION_TABLE != 0 {
        let clause_size = if fat { FAT_CLAUSE_SIZE } else { SMALL_CLAUSE_SIZE };
        // Some compilers left the header out of the size; the clauses still are as many as fit in it.
        for _ in 0..size / clause_size {
            let region = cursor.group("exception clause", |cursor| decode_clause(cursor, fat))?;
            check(&region, body);
            body.regions.push(region);
        }
    }
    let read = cursor.since(start).len;
    if read < size {
        cursor.bytes("section data", size - read)?;
    }
    Ok(flags & MORE_SECTIONS != 0)
}

fn decode_clause<N: Recorder>(cursor: &mut Cursor<'_, N>, fat: bool) -> Result<ExceptionRegion> {
    let start = cursor.position();
    let flags = if fat { cursor.u32("clause kind")? } else { cursor.u16("clause kind")? as u32 };
    let [tried, handler] = if fat {
        let tried = IlRange { start: cursor.u32("try offset")?, len: cursor.u32("try length")? };
        [tried, IlRange { start: cursor.u32("handler offset")?, len: cursor.u32("handler length")? }]
    } else {
        let tried = IlRange { start: cursor.u16("try offset")? as u32, len: cursor.u8("try length")? as u32 };
        [tried, IlRange { start: cursor.u16("handler offset")? as u32, len: cursor.u8("handler length")? as u32 }]
    };
    let kind = match flags {
        0 => RegionKind::Catch { class: Token(cursor.u32("class")?) },
        1 => RegionKind::Filter { filter: cursor.u32("filter offset")? },
        _ => {
            cursor.u32("unused")?;
            match flags {
                2 => RegionKind::Finally,
                4 => RegionKind::Fault,
                _ => RegionKind::Unknown { flags },
            }
        }
    };
    Ok(ExceptionRegion { kind, tried, handler, span: cursor.since(start) })
}

/// Whether what `region` says can be true of the code; if not, that is a problem of the body.
fn check(region: &ExceptionRegion, body: &mut Body) {
    let size = body.code_size as u64;
    if region.tried.end() > size || region.handler.end() > size {
        body.problems.push(Error::invalid("an exception region reaches past the code", region.span));
    }
    match region.kind {
        RegionKind::Filter { filter } if filter > region.handler.start => {
            body.problems.push(Error::invalid("a filter begins behind the handler it is for", region.span));
        }
        RegionKind::Unknown { .. } => {
            body.problems.push(Error::invalid("an exception region of no known kind", region.span));
        }
        _ => {}
    }
}
