use super::{MethodData, read};
use crate::bytes::{Cursor, Error, FieldDoc, Recorder, Result, Span, fields};

fields! {
    /// The line program: instructions for a small machine that produces the sequence points when it is run, as in DWARF.
    LINE_PROGRAM: "mdb line program";
    /// The columns: one for each sequence point.
    COLUMNS: "mdb columns";
    /// The column at which a sequence point begins, in the order of the points.
    COLUMN: "column";
    /// The ends: the last line and column of each sequence point.
    ENDS: "mdb ends";
    /// The number of lines from the first line of a sequence point to its last; 16777215 if it is not known.
    END_LINE_ADVANCE: "end line advance";
    /// The column at which the sequence point ends.
    END_COLUMN: "end column";
    /// Advances line and IL offset together and emits a sequence point: one byte for most points.
    SPECIAL_OPCODE: "special opcode";
    /// Emits a sequence point from the current state.
    COPY: "copy";
    /// Advances the IL offset by the most that a special opcode can.
    CONSTANT_ADVANCE: "constant advance";
    /// Not an instruction: the rest of the program cannot be decoded.
    UNKNOWN_OPCODE: "unknown opcode" as Hex;
    /// Advances the IL offset further than a special opcode can.
    ADVANCE_IL: "mdb advance il";
    /// The number of bytes of IL by which the offset advances.
    IL_ADVANCE: "il advance";
    /// Advances the line, forwards or backwards, further than a special opcode can.
    ADVANCE_LINE: "mdb advance line";
    /// The number of lines by which the line advances; negative for backwards.
    LINE_ADVANCE: "line advance";
    /// Sets the source file of the sequence points that follow.
    SET_FILE: "mdb set file";
    /// The source file of the sequence points that follow, from 1.
    FILE: "file" as Row("Source");
    /// The instruction; its operand follows.
    OPCODE: "opcode";
    /// An extended instruction, which states its length.
    EXTENDED: "mdb extended instruction";
    /// 0, which marks an extended instruction.
    ESCAPE: "escape";
    /// The size of the instruction in bytes, so that a reader can skip what it does not know.
    LENGTH: "length";
    /// The extended instruction: the end of the program, or a toggle between visible and hidden points.
    EXTENDED_OPCODE: "extended opcode" as OneOf(&[(1, "end of the program"), (0x40, "toggle hidden")]);
    /// Operands of an extended instruction that is not known.
    UNUSED: "unused";
}

/// Parameters of a file's line programs, in which a special opcode advances both line and IL offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRules {
    /// Smallest line advance of a special opcode (-1).
    pub line_base: i32,
    /// Number of different line advances of special opcodes (8).
    pub line_range: i32,
    /// First special opcode (9).
    pub opcode_base: u32,
}

/// A sequence point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// IL offset of the first instruction.
    pub offset: u32,
    /// Source file, from 1.
    pub document: u32,
    /// First line; 0 for a hidden point.
    pub start_line: u32,
    /// First column; 0 if the method has no columns.
    pub start_column: u32,
    /// Last line; equal to the first if the method has no ends.
    pub end_line: u32,
    /// Column after the last character; 0 if the method has no ends.
    pub end_column: u32,
    /// True for a hidden point.
    pub hidden: bool,
    /// Instruction that emitted the point.
    pub span: Span,
}

/// Line advance that `mcs` writes for an unknown end.
const NO_END: i32 = 0xff_ffff;

struct LineState {
    file: i32,
    line: i32,
    offset: i32,
    hidden: bool,
    /// True if the state changed since the last point.
    changed: bool,
}

fields! {
    /// IL offset of the next point.
    STATE_IL_OFFSET: "IL offset" as IlOffset;
    /// Line of the next point.
    STATE_LINE: "line";
    /// Source file of the next point, from 1.
    STATE_FILE: "file";
    /// 1 while points are hidden.
    STATE_HIDDEN: "hidden";
}

impl LineState {
    fn advance<N: Recorder>(&mut self, cursor: &mut Cursor<'_, N>, by: i32) {
        let offset = self.offset.wrapping_add(by);
        cursor.changed(&STATE_IL_OFFSET, self.offset as i64, offset);
        self.offset = offset;
    }

    fn advance_line<N: Recorder>(&mut self, cursor: &mut Cursor<'_, N>, by: i32) {
        let line = self.line.wrapping_add(by);
        cursor.changed(&STATE_LINE, self.line as i64, line);
        self.line = line;
    }

    /// Returns the current point, emitted by the instruction at `span`.
    fn point(&self, span: Span) -> Result<Point> {
        let offset =
            u32::try_from(self.offset).map_err(|_| Error::invalid("the offset of a point is negative", span))?;
        let document =
            u32::try_from(self.file).map_err(|_| Error::invalid("the file index of a point is negative", span))?;
        let line = u32::try_from(self.line).unwrap_or(0);
        let hidden = self.hidden || line == 0;
        Ok(Point { offset, document, start_line: line, start_column: 0, end_line: line, end_column: 0, hidden, span })
    }
}

/// Decodes a method's line program, and the columns and ends after it if `flags` has them.
pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, rules: LineRules, flags: u32) -> Result<Vec<Point>> {
    let mut points = cursor.group(&LINE_PROGRAM, |c| program(c, rules))?;
    if flags & MethodData::COLUMNS != 0 {
        cursor.group(&COLUMNS, |c| {
            // A point on a negative line has no column; such a line was set to 0, which no other point has.
            for point in points.iter_mut().filter(|point| point.start_line > 0) {
                point.start_column = read::number(c, &COLUMN)?;
            }
            Ok(())
        })?;
    }
    if flags & MethodData::ENDS != 0 {
        cursor.group(&ENDS, |c| points.iter_mut().try_for_each(|point| end(c, point)))?;
    }
    Ok(points)
}

fn end<N: Recorder>(cursor: &mut Cursor<'_, N>, point: &mut Point) -> Result<()> {
    let start = cursor.position();
    let lines = cursor.seven_bit(&END_LINE_ADVANCE)?;
    if lines != NO_END {
        let line = point.start_line.checked_add_signed(lines);
        point.end_line =
            line.ok_or_else(|| Error::invalid("the line program ends before its first line", cursor.since(start)))?;
        point.end_column = read::number(cursor, &END_COLUMN)?;
    }
    Ok(())
}

/// Effect of an instruction beyond the state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Continue,
    Emit,
    End,
}

fn program<N: Recorder>(cursor: &mut Cursor<'_, N>, rules: LineRules) -> Result<Vec<Point>> {
    let here = cursor.since(cursor.position());
    let base = u8::try_from(rules.opcode_base).map_err(|_| Error::invalid("the opcode base exceeds 255", here))?;
    if rules.line_range <= 0 {
        return Err(Error::invalid("the line range is not positive", here));
    }
    let mut state = LineState { file: 1, line: 1, offset: 0, hidden: false, changed: false };
    let mut points = Vec::new();
    loop {
        let start = cursor.position();
        let then = instruction(cursor, rules, base, &mut state)?;
        if then == Then::Emit || then == Then::End && state.changed {
            points.push(state.point(cursor.since(start))?);
        }
        match then {
            Then::Continue => state.changed = true,
            Then::Emit => state.changed = false,
            Then::End => return Ok(points),
        }
    }
}

fn instruction<N: Recorder>(
    cursor: &mut Cursor<'_, N>,
    rules: LineRules,
    base: u8,
    state: &mut LineState,
) -> Result<Then> {
    let start = cursor.position();
    match cursor.peek() {
        Some(0) => return cursor.group(&EXTENDED, |c| extended(c, state)),
        Some(special) if special >= base => {
            let number = cursor.u8(&SPECIAL_OPCODE)?.saturating_sub(base) as i32;
            state.advance(cursor, number.checked_div(rules.line_range).unwrap_or_default());
            let line = number.checked_rem(rules.line_range).unwrap_or_default();
            state.advance_line(cursor, rules.line_base.wrapping_add(line));
            return Ok(Then::Emit);
        }
        Some(1) => {
            cursor.u8(&COPY)?;
            return Ok(Then::Emit);
        }
        Some(2) => {
            let by = operand(cursor, &ADVANCE_IL, &IL_ADVANCE)?;
            state.advance(cursor, by);
        }
        Some(3) => {
            let by = operand(cursor, &ADVANCE_LINE, &LINE_ADVANCE)?;
            state.advance_line(cursor, by);
        }
        Some(4) => {
            let file = operand(cursor, &SET_FILE, &FILE)?;
            cursor.changed(&STATE_FILE, state.file as i64, file);
            state.file = file;
        }
        Some(8) => {
            cursor.u8(&CONSTANT_ADVANCE)?;
            state.advance(cursor, i32::from(u8::MAX.abs_diff(base)).checked_div(rules.line_range).unwrap_or_default());
        }
        _ => {
            let opcode = cursor.u8(&UNKNOWN_OPCODE)?;
            return Err(Error::unknown("opcode of a line program", opcode, cursor.since(start)));
        }
    }
    Ok(Then::Continue)
}

fn operand<N: Recorder>(cursor: &mut Cursor<'_, N>, group: &'static FieldDoc, name: &'static FieldDoc) -> Result<i32> {
    cursor.group(group, |c| {
        c.u8(&OPCODE)?;
        c.seven_bit(name)
    })
}

/// Decodes an extended instruction: end of sequence, toggle of hidden, or a reserved one to skip.
fn extended<N: Recorder>(cursor: &mut Cursor<'_, N>, state: &mut LineState) -> Result<Then> {
    cursor.u8(&ESCAPE)?;
    let len = cursor.u8(&LENGTH)?;
    let start = cursor.position();
    let then = match cursor.u8(&EXTENDED_OPCODE)? {
        1 => return Ok(Then::End),
        0x40 => {
            cursor.changed(&STATE_HIDDEN, state.hidden as i64, !state.hidden as i64);
            state.hidden = !state.hidden;
            Then::Continue
        }
        0x41..=0x7f => Then::Continue,
        opcode => return Err(Error::unknown("extended opcode of a line program", opcode, cursor.since(start))),
    };
    if len > 1 {
        cursor.bytes(&UNUSED, len as u64 - 1)?;
    }
    Ok(then)
}
