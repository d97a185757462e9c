//! Inlined calls: ranges of a function's code that come from other functions, with their source lines.
//!
//! A subsection of the module lists every inlined function (*inlinee*), with the file and line where it begins. In the
//! symbols of the function that it was inlined into, an `S_INLINESITE` record refers to the inlinee, followed by
//! *binary annotations*: a small program whose instructions advance offset and line. Its numbers are compressed as in
//! metadata, except for the sign.

use crate::bytes::{Cursor, ErrorKind, FieldDoc, Recorder, Result, Slice, Span, fields, sign_in_low_bit as signed};

/// Kind of the subsection with inlinee lines.
pub(crate) const INLINEE_LINES: u32 = 0xf6;

fields! {
    /// The inlinee lines: the functions that were inlined somewhere in the module.
    INLINEE_LINES_GROUP: "inlinee lines";
    /// The layout of the entries.
    SIGNATURE: "signature" as OneOf(&[(0, "one file each"), (1, "further files each")]);
    /// An inlinee: a function that was inlined somewhere, and where its source begins.
    INLINEE: "inlinee";
    /// The function: the index of its record in the IPI stream.
    ID: "id" as IdIndex;
    /// The source file of the function: the offset of its entry in the file checksums.
    INLINEE_FILE: "file" as FileChecksum;
    /// The first line of the function, relative to which annotations count.
    FIRST_LINE: "first line";
    /// The number of further source files with code of the function.
    FURTHER_FILE_COUNT: "further file count";
    /// A further source file: the offset of its entry in the file checksums.
    FURTHER_FILE: "further file" as FileChecksum;
}

/// A function that was inlined at least once.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inlinee {
    /// Index of the function in the IPI stream.
    pub id: u32,
    /// Source file, as an offset into the checksums subsection.
    pub file: u32,
    pub line: u32,
    pub span: Span,
}

/// A range of inlined code with its source line.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlineLine {
    /// Offset of the code in its section.
    pub offset: u32,
    /// Number of bytes of code.
    pub len: u32,
    /// Source file, as an offset into the checksums subsection.
    pub file: u32,
    pub line: u32,
}

/// Decodes a subsection of inlinee lines and calls `each` for every inlinee.
pub fn inlinees<N: Recorder>(cursor: &mut Cursor<'_, N>, mut each: impl FnMut(Inlinee)) -> Result<()> {
    cursor.group(&INLINEE_LINES_GROUP, |c| {
        let extended = c.u32(&SIGNATURE)? == 1;
        while !c.is_done() {
            c.group(&INLINEE, |c| {
                let start = c.position();
                let (id, file, line) = (c.u32(&ID)?, c.u32(&INLINEE_FILE)?, c.u32(&FIRST_LINE)?);
                if extended {
                    let count = c.u32(&FURTHER_FILE_COUNT)? as u64;
                    c.require(count * 4, start)?;
                    (0..count).try_for_each(|_| c.u32(&FURTHER_FILE).map(drop))?;
                }
                each(Inlinee { id, file, line, span: c.since(start) });
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// A binary annotation; operands are as encoded.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub opcode: u32,
    pub operand: u32,
    /// Second operand, of the only instruction that has two.
    pub second: u32,
}

fields! {
    /// An instruction of the binary annotations: an opcode and its operands.
    ANNOTATION: "annotation";
    /// The instruction.
    OPCODE: "opcode" as OneOf(ANNOTATIONS);
    /// Sets the offset of the code.
    CODE_OFFSET: "code offset" as Hex;
    /// Sets the base that code offsets are relative to.
    CODE_OFFSET_BASE: "code offset base" as Hex;
    /// The number of bytes by which the code offset advances.
    CODE_OFFSET_ADVANCE: "code offset advance" as Hex;
    /// The size of the code in bytes.
    CODE_LENGTH: "code length";
    /// The source file of the code that follows: the offset of its entry in the file checksums.
    FILE: "file" as Hex;
    /// The number of lines by which the line advances; bit 0 is the sign.
    LINE_ADVANCE: "line advance";
    /// The number of lines that the code spans.
    LINE_END_ADVANCE: "line end advance";
    /// The kind of range: 0 for an expression, 1 for a statement.
    RANGE_KIND: "range kind";
    /// The first column of the code that follows.
    START_COLUMN: "start column";
    /// The number of columns by which the end column advances; bit 0 is the sign.
    END_COLUMN_ADVANCE: "end column advance";
    /// Bits 0–3: the number of bytes by which the code offset advances; the bits above: the line advance with its sign.
    CODE_AND_LINE_ADVANCE: "code and line advance" as Hex;
    /// The last column of the code that follows.
    END_COLUMN: "end column";
}

/// Opcodes of binary annotations (`BinaryAnnotationOpcode`).
const ANNOTATIONS: &[(u64, &str)] = &[
    (1, "code offset"),
    (2, "code offset base"),
    (3, "advance the code offset"),
    (4, "length of the last code"),
    (5, "file"),
    (6, "advance the line"),
    (7, "advance the end of the line"),
    (8, "kind of range"),
    (9, "start column"),
    (10, "advance the end column"),
    (11, "advance code offset and line"),
    (12, "length of code, and advance the offset"),
    (13, "end column"),
];

/// Description of each opcode's first operand, by opcode; opcode 0 ends the annotations.
const OPERANDS: [Option<&FieldDoc>; 14] = [
    None,
    Some(&CODE_OFFSET),
    Some(&CODE_OFFSET_BASE),
    Some(&CODE_OFFSET_ADVANCE),
    Some(&CODE_LENGTH),
    Some(&FILE),
    Some(&LINE_ADVANCE),
    Some(&LINE_END_ADVANCE),
    Some(&RANGE_KIND),
    Some(&START_COLUMN),
    Some(&END_COLUMN_ADVANCE),
    Some(&CODE_AND_LINE_ADVANCE),
    Some(&CODE_LENGTH),
    Some(&END_COLUMN),
];

/// Decodes one annotation; `None` at the end.
pub fn annotation<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Option<Annotation>> {
    if cursor.is_done() || cursor.peek() == Some(0) {
        return Ok(None);
    }
    cursor.group(&ANNOTATION, |c| {
        let start = c.position();
        let opcode = c.compressed(&OPCODE)?;
        let Some(Some(operand)) = OPERANDS.get(opcode as usize) else {
            return Err(c.error_since(start, ErrorKind::Unknown { what: "binary annotation", value: opcode.into() }));
        };
        let operand = c.compressed(operand)?;
        let second = if opcode == 12 { c.compressed(&CODE_OFFSET_ADVANCE)? } else { 0 };
        Ok(Some(Annotation { opcode, operand, second }))
    })
}

/// Reads the annotations of an inlined call for their fields, and records what they change: code offset and line from the
/// start of the function that has the call, and of the inlinee.
pub fn annotations<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    let (mut offset, mut line, mut ranges) = (0_u32, 0_i32, 0_i64);
    while let Some(Annotation { opcode, operand, second }) = annotation(c)? {
        let (old_offset, old_line) = (offset, line);
        match opcode {
            1 => offset = operand,
            3 | 4 => offset = offset.wrapping_add(operand),
            6 => line = line.wrapping_add(signed(operand)),
            11 => {
                offset = offset.wrapping_add(operand & 0xf);
                line = line.wrapping_add(signed(operand >> 4));
            }
            12 => offset = offset.wrapping_add(second),
            _ => {}
        }
        if offset != old_offset {
            c.changed(&STATE_OFFSET, i64::from(old_offset), offset);
        }
        if line != old_line {
            c.changed(&STATE_LINE, i64::from(old_line), line);
        }
        if matches!(opcode, 3 | 11 | 12) {
            c.changed(&STATE_RANGES, ranges, ranges + 1);
            ranges += 1;
        }
    }
    Ok(())
}

fields! {
    /// Code offset, from the start of the function that has the call.
    STATE_OFFSET: "code offset" as Hex;
    /// Line, from the first line of the inlinee.
    STATE_LINE: "line from the inlinee's first";
    /// Ranges of code with a line so far.
    STATE_RANGES: "ranges";
}

/// Runs the annotations of an inlined call, starting from the state `at`.
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
            // End lines, columns and range kinds, which no known compiler writes.
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
