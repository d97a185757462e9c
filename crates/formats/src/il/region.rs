//! Method data sections after the code, and the exception clauses in them (ECMA-335 II.25.4.5 and II.25.4.6).
//!
//! Sections are aligned to 4 bytes, and each says whether another follows. Only one kind is in use: a table of
//! exception clauses, all small (12 bytes) or all fat (24 bytes).

use super::body::Body;
use crate::bytes::{Cursor, Error, Recorder, Result, Span, fields};
use crate::metadata::Token;

/// Flags of a section (ECMA-335 II.25.4.5).
const EXCEPTION_TABLE: u8 = 0x01;
const FAT_SECTION: u8 = 0x40;
const MORE_SECTIONS: u8 = 0x80;
/// Sizes in bytes of a section header, a small clause and a fat clause.
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

/// An exception clause: a protected block and its handler.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionRegion {
    pub kind: RegionKind,
    /// Protected code: the `try` block.
    pub tried: IlRange,
    pub handler: IlRange,
    pub span: Span,
}

/// Kind of an exception clause (ECMA-335 II.25.4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Handles exceptions of a type.
    Catch {
        /// Token of the type.
        class: Token,
    },
    /// Handles exceptions that a filter accepts (C# `when`).
    Filter {
        /// IL offset of the filter, which extends to the handler.
        filter: u32,
    },
    /// Runs whenever control leaves the block.
    Finally,
    /// Runs when an exception leaves the block.
    Fault,
    /// Flags that are not specified.
    Unknown {
        /// Flags as stored.
        flags: u32,
    },
}

/// A range of a method's code.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IlRange {
    /// IL offset of the first instruction.
    pub start: u32,
    pub len: u32,
}

impl IlRange {
    /// IL offset after the last byte.
    pub const fn end(self) -> u64 {
        self.start as u64 + self.len as u64
    }

    /// Returns true if the range contains IL `offset`.
    pub const fn contains(self, offset: u32) -> bool {
        offset >= self.start && (offset as u64) < self.end()
    }
}

impl ExceptionRegion {
    /// Token of the caught type; `None` unless the clause is a catch clause.
    pub const fn class(&self) -> Option<Token> {
        match self.kind {
            RegionKind::Catch { class } => Some(class),
            _ => None,
        }
    }

    /// Range of the filter; `None` unless the clause is a filter clause.
    pub fn filter(&self) -> Option<IlRange> {
        match self.kind {
            RegionKind::Filter { filter } => {
                Some(IlRange { start: filter, len: self.handler.start.saturating_sub(filter) })
            }
            _ => None,
        }
    }
}

pub(super) fn decode_sections<N: Recorder>(cursor: &mut Cursor<'_, N>, body: &mut Body) -> Result<()> {
    loop {
        cursor.align(4)?;
        if !cursor.group(&SECTION, |cursor| decode_section(cursor, body))? {
            return Ok(());
        }
    }
}

/// Decodes a section; returns true if another follows.
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
        return Err(Error::invalid("the section is smaller than its header", cursor.since(start)));
    }
    if flags & EXCEPTION_TABLE != 0 {
        // Some compilers leave the header out of the size; the number of clauses that fit is the same.
        let clauses = if fat { size / FAT_CLAUSE_SIZE } else { size / SMALL_CLAUSE_SIZE };
        for _ in 0..clauses {
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

/// Adds a problem if a range of `region` is outside of the code.
fn check(region: &ExceptionRegion, body: &mut Body) {
    let size = body.code_size as u64;
    if region.tried.end() > size || region.handler.end() > size {
        body.problems.push(Error::invalid("an exception clause extends past the code", region.span));
    }
    match region.kind {
        RegionKind::Filter { filter } if filter > region.handler.start => {
            body.problems.push(Error::invalid("a filter begins after its handler", region.span));
        }
        RegionKind::Unknown { flags } => {
            body.problems.push(Error::unknown("kind of exception clause", flags, region.span));
        }
        _ => {}
    }
}
