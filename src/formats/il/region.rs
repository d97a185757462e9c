//! Sections behind a method's code, and the exception regions in them (ECMA-335 II.25.4.5 and II.25.4.6).
//!
//! Each section is aligned to 4 bytes and says whether another follows. Only one kind is in use: a table of clauses, all
//! small (12 bytes) or all fat (24 bytes).

use super::body::Body;
use crate::bytes::{Cursor, Error, Recorder, Result, Span, fields};
use crate::formats::metadata::Token;

/// Flags of a section.
const EXCEPTION_TABLE: u8 = 0x01;
const FAT_SECTION: u8 = 0x40;
const MORE_SECTIONS: u8 = 0x80;

/// What a section's header and one of its clauses take.
const HEADER_SIZE: u64 = 4;
const SMALL_CLAUSE_SIZE: u64 = 12;
const FAT_CLAUSE_SIZE: u64 = 24;

const SECTION_FLAGS: &[(u64, &str)] =
    &[(0x01, "exception clauses"), (0x02, "OptIL, reserved"), (0x40, "fat"), (0x80, "another section follows")];
const CLAUSE_KINDS: &[(u64, &str)] = &[(0, "catch"), (1, "filter"), (2, "finally"), (4, "fault")];

fields! {
    /// A section after the code; the only kind in use is the table of exception clauses.
    SECTION: "section";
    /// The contents of the section, whether its clauses are fat (24 bytes) or small (12), and whether another section
    /// follows.
    SECTION_KIND: "section kind" as Flags(SECTION_FLAGS);
    /// The size of the section in bytes, including these 4; the number of clauses follows from it.
    SECTION_SIZE: "section size";
    /// Reserved; must be 0.
    RESERVED: "reserved" as Hex;
    /// Bytes of the section that do not make a whole clause.
    SECTION_DATA: "section data";
    /// A protected range of code and its handler; the first clause that matches is used, so inner ones come first.
    EXCEPTION_CLAUSE: "exception clause";
    /// The kind of handler: for a type of exception, where a filter accepts it, always, or only after an exception.
    CLAUSE_KIND: "clause kind" as OneOf(CLAUSE_KINDS);
    /// The IL offset of the protected code.
    TRY_OFFSET: "try offset" as IlOffset;
    /// The size of the protected code in bytes.
    TRY_LENGTH: "try length";
    /// The IL offset of the handler.
    HANDLER_OFFSET: "handler offset" as IlOffset;
    /// The size of the handler in bytes.
    HANDLER_LENGTH: "handler length";
    /// The type of exception that is caught, including types derived from it.
    CLASS: "class" as Token;
    /// The IL offset of the filter (C# when), which decides whether the handler catches; it ends where the handler
    /// begins.
    FILTER_OFFSET: "filter offset" as IlOffset;
    /// Unused: a finally or fault clause has neither class nor filter.
    UNUSED: "unused" as Hex;
}

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
        if !cursor.group(&SECTION, |cursor| decode_section(cursor, body))? {
            return Ok(());
        }
    }
}

/// Reads one section; whether another follows.
fn decode_section<N: Recorder>(cursor: &mut Cursor<'_, N>, body: &mut Body) -> Result<bool> {
    let start = cursor.position();
    let flags = cursor.u8(&SECTION_KIND)?;
    let fat = flags & FAT_SECTION != 0;
    let size = if fat {
        cursor.u24(&SECTION_SIZE)? as u64
    } else {
        let size = cursor.u8(&SECTION_SIZE)? as u64;
        cursor.u16(&RESERVED)?;
        size
    };
    if size < HEADER_SIZE {
        return Err(Error::invalid("a section smaller than its header", cursor.since(start)));
    }
    if flags & EXCEPTION_TABLE != 0 {
        let clause_size = if fat { FAT_CLAUSE_SIZE } else { SMALL_CLAUSE_SIZE };
        // Some compilers left the header out of the size; the clauses still are as many as fit in it.
        for _ in 0..size / clause_size {
            let region = cursor.group(&EXCEPTION_CLAUSE, |cursor| decode_clause(cursor, fat))?;
            check(&region, body);
            body.regions.push(region);
        }
    }
    let read = cursor.since(start).len;
    if read < size {
        cursor.bytes(&SECTION_DATA, size - read)?;
    }
    Ok(flags & MORE_SECTIONS != 0)
}

fn decode_clause<N: Recorder>(cursor: &mut Cursor<'_, N>, fat: bool) -> Result<ExceptionRegion> {
    let start = cursor.position();
    let flags = if fat { cursor.u32(&CLAUSE_KIND)? } else { cursor.u16(&CLAUSE_KIND)? as u32 };
    let [tried, handler] = if fat {
        let tried = IlRange { start: cursor.u32(&TRY_OFFSET)?, len: cursor.u32(&TRY_LENGTH)? };
        [tried, IlRange { start: cursor.u32(&HANDLER_OFFSET)?, len: cursor.u32(&HANDLER_LENGTH)? }]
    } else {
        let tried = IlRange { start: cursor.u16(&TRY_OFFSET)? as u32, len: cursor.u8(&TRY_LENGTH)? as u32 };
        [tried, IlRange { start: cursor.u16(&HANDLER_OFFSET)? as u32, len: cursor.u8(&HANDLER_LENGTH)? as u32 }]
    };
    let kind = match flags {
        0 => RegionKind::Catch { class: Token(cursor.u32(&CLASS)?) },
        1 => RegionKind::Filter { filter: cursor.u32(&FILTER_OFFSET)? },
        _ => {
            cursor.u32(&UNUSED)?;
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
