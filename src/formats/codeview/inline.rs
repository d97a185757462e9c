//! Inlined calls: which code of a function is that of another one, and of which of its lines.
//!
//! Two places say it together. A subsection of the module lists every function that was inlined somewhere (*inlinee*), with
//! the file and line where it begins. In the symbols of the function that it was inlined into, an `S_INLINESITE` names the
//! inlinee and goes on with *annotations*: a small program whose instructions advance offset and line, so that nothing is
//! written twice. Numbers in it are compressed as those of metadata are, but for the sign.

use crate::bytes::{Cursor, ErrorKind, Notes, Result, Slice, Span};

/// The kind of the subsection that lists inlinees.
pub const INLINEE_LINES: u32 = 0xf6;

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

/// Reads a subsection that lists inlinees.
pub fn inlinees<N: Notes>(cursor: &mut Cursor<'_, N>, mut each: impl FnMut(Inlinee)) -> Result<()> {
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
pub fn annotation<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Option<Annotation>> {
    if cursor.is_done() || cursor.peek() == Some(0) {
        return Ok(None);
    }
    cursor.group("annotation", |c| {
        let start = c.position();
        let opcode = c.compressed("opcode")?;
        let Some(name) = OPERANDS.get(opcode as usize) else {
            return Err(c.error_since(start, ErrorKind::Invalid("an annotation that is not known")));
        };
        let operand = c.compressed(name)?;
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
pub fn annotated(annotations: Slice<'_>, mut at: InlineLine) -> Result<Vec<InlineLine>> {
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
