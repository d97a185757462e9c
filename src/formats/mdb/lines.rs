use super::{MethodData, read};
use crate::bytes::{Cursor, Error, Recorder, Result, Span};

/// The numbers that the line programs of a file are written with: a special opcode advances line and IL offset at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRules {
    /// The smallest advance of the line by a special opcode (-1).
    pub line_base: i32,
    /// How many advances of the line a special opcode can choose from (8).
    pub line_range: i32,
    /// The first special opcode (9).
    pub opcode_base: u32,
}

/// A sequence point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The IL offset where it begins.
    pub il: u32,
    /// Its source file, from 1.
    pub document: u32,
    /// Its first line; 0 where it is hidden.
    pub start_line: u32,
    /// Its first column; 0 where the method's columns were not written.
    pub start_column: u32,
    /// Its last line: the first one where its end was not written.
    pub end_line: u32,
    /// The column behind its last character; 0 where its end was not written.
    pub end_column: u32,
    /// Whether a debugger is not to stop there.
    pub hidden: bool,
    /// The instruction that emitted it.
    pub span: Span,
}

/// What `mcs` writes for an end that it does not know.
const NO_END: i32 = 0xff_ffff;

/// The line program's state between instructions.
struct State {
    file: i32,
    line: i32,
    il: i32,
    hidden: bool,
    /// Something changed since the last point.
    changed: bool,
}

impl State {
    /// The point as it now stands; `span` is of the instruction that emits it.
    fn point(&self, span: Span) -> Result<Point> {
        let il = u32::try_from(self.il).map_err(|_| Error::invalid("a point before the method's first byte", span))?;
        let document = u32::try_from(self.file).map_err(|_| Error::invalid("a point in a negative file", span))?;
        let line = u32::try_from(self.line).unwrap_or(0);
        let hidden = self.hidden || line == 0;
        Ok(Point { il, document, start_line: line, start_column: 0, end_line: line, end_column: 0, hidden, span })
    }
}

/// Reads a method's line program, and the columns and ends behind it where `flags` say that there are.
pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, rules: LineRules, flags: u32) -> Result<Vec<Point>> {
    let mut points = cursor.group("mdb line program", |c| program(c, rules))?;
    if flags & MethodData::COLUMNS != 0 {
        cursor.group("mdb columns", |c| {
            // A point on a negative line has none; such a line was made 0, which no other has.
            for point in points.iter_mut().filter(|point| point.start_line > 0) {
                point.start_column = read::number(c, "column")?;
            }
            Ok(())
        })?;
    }
    if flags & MethodData::ENDS != 0 {
        cursor.group("mdb ends", |c| points.iter_mut().try_for_each(|point| end(c, point)))?;
    }
    Ok(points)
}

fn end<N: Recorder>(cursor: &mut Cursor<'_, N>, point: &mut Point) -> Result<()> {
    let start = cursor.position();
    let lines = cursor.seven_bit("end line advance")?;
    if lines != NO_END {
        let line = point.start_line.checked_add_signed(lines);
        point.end_line = line.ok_or_else(|| Error::invalid("an end before the first line", cursor.since(start)))?;
        point.end_column = read::number(cursor, "end column")?;
    }
    Ok(())
}

/// What an instruction does besides changing the state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    Emit,
    End,
}

fn program<N: Recorder>(cursor: &mut Cursor<'_, N>, rules: LineRules) -> Result<Vec<Point>> {
    let here = cursor.since(cursor.position());
    let base = u8::try_from(rules.opcode_base).map_err(|_| Error::invalid("an opcode base above 255", here))?;
    if rules.line_range <= 0 {
        return Err(Error::invalid("a line range that is not positive", here));
    }
    let mut state = State { file: 1, line: 1, il: 0, hidden: false, changed: false };
    let mut points = Vec::new();
    loop {
        let start = cursor.position();
        let then = instruction(cursor, rules, base, &mut state)?;
        if then == Then::Emit || then == Then::End && state.changed {
            points.push(state.point(cursor.since(start))?);
        }
        match then {
            Then::GoOn => state.changed = true,
            Then::Emit => state.changed = false,
            Then::End => return Ok(points),
        }
    }
}

fn instruction<N: Recorder>(cursor: &mut Cursor<'_, N>, rules: LineRules, base: u8, state: &mut State) -> Result<Then> {
    let start = cursor.position();
    match cursor.peek() {
        Some(0) => return cursor.group("mdb extended instruction", |c| extended(c, state)),
        Some(special) if special >= base => {
            let number = (cursor.u8("special opcode")? - base) as i32;
            state.il = state.il.wrapping_add(number / rules.line_range);
            state.line = state.line.wrapping_add(rules.line_base).wrapping_add(number % rules.line_range);
            return Ok(Then::Emit);
        }
        Some(1) => {
            cursor.u8("copy")?;
            return Ok(Then::Emit);
        }
        Some(2) => {
            let by = operand(cursor, "mdb advance il", "il advance")?;
            state.il = state.il.wrapping_add(by);
        }
        Some(3) => {
            let by = operand(cursor, "mdb advance line", "line advance")?;
            state.line = state.line.wrapping_add(by);
        }
        Some(4) => state.file = operand(cursor, "mdb set file", "file")?,
        Some(8) => {
            cursor.u8("constant advance")?;
            state.il = state.il.wrapping_add((255 - base as i32) / rules.line_range);
        }
        _ => {
            cursor.u8("unknown opcode")?;
            return Err(Error::invalid("an opcode that line programs do not have", cursor.since(start)));
        }
    }
    Ok(Then::GoOn)
}

fn operand<N: Recorder>(cursor: &mut Cursor<'_, N>, group: &'static str, name: &'static str) -> Result<i32> {
    cursor.group(group, |c| {
        c.u8("opcode")?;
        c.seven_bit(name)
    })
}

/// An instruction with a length: the end, the change between hidden and not, and room for what is to come.
fn extended<N: Recorder>(cursor: &mut Cursor<'_, N>, state: &mut State) -> Result<Then> {
    cursor.u8("escape")?;
    let len = cursor.u8("length")?;
    let start = cursor.position();
    let then = match cursor.u8("extended opcode")? {
        1 => return Ok(Then::End),
        0x40 => {
            state.hidden = !state.hidden;
            Then::GoOn
        }
        0x41..=0x7f => Then::GoOn,
        _ => return Err(Error::invalid("an extended opcode that line programs do not have", cursor.since(start))),
    };
    if len > 1 {
        cursor.bytes("unused", len as u64 - 1)?;
    }
    Ok(then)
}
