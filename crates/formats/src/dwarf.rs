//! DWARF line programs (DWARF 4, 6.2), versions 2 to 4: the section `.debug_line`.
//!
//! The section is read by itself: addresses are those of a linked image. Nothing else of DWARF is read.

use crate::bytes::{Cursor, Error, ErrorKind, FieldDoc, Recorder, Result, fields};

fields! {
    /// The line program of a compilation unit: a header, and instructions that emit rows.
    LINE_PROGRAM: "dwarf line program";
    /// The sizes and constants that the instructions are read with.
    HEADER: "dwarf header";
    /// The size of the program in bytes, without this number.
    TOTAL_LENGTH: "total length";
    /// The version of the format.
    VERSION: "version";
    /// The size in bytes of what follows up to the first instruction.
    HEADER_LENGTH: "header length";
    /// The unit in bytes in which addresses advance.
    MINIMUM_INSTRUCTION_LENGTH: "minimum instruction length";
    /// The number of operations in an instruction word; 1 unless the processor has long words.
    MAXIMUM_OPERATIONS: "maximum operations per instruction";
    /// 1 if rows begin as statements, where a debugger may stop.
    DEFAULT_IS_STATEMENT: "default is_stmt";
    /// The smallest line advance of a special opcode.
    LINE_BASE: "line base";
    /// The number of different line advances of special opcodes.
    LINE_RANGE: "line range";
    /// The first special opcode.
    OPCODE_BASE: "opcode base";
    /// The number of operands of a standard opcode, so that a reader can skip one that it does not know.
    OPERANDS: "operands of an opcode";
    /// A folder of source files; an empty name ends the list.
    FOLDER: "include directory";
    /// A source file.
    FILE_ENTRY: "dwarf file";
    /// The name of a source file; an empty name ends the list.
    FILE_NAME: "file name";
    /// The folder of the file, from 1; 0 for that of the compilation.
    FILE_FOLDER: "directory index";
    /// The time of the last change; 0 if it is not known.
    FILE_TIME: "modification time";
    /// The size of the file in bytes; 0 if it is not known.
    FILE_SIZE: "file size";
    /// Advances line and address together and emits a row.
    SPECIAL_OPCODE: "special opcode";
    /// A standard instruction; its operands follow.
    STANDARD: "dwarf instruction";
    /// The standard instruction.
    OPCODE: "opcode" as OneOf(STANDARD_OPCODES);
    /// An extended instruction, which states its length.
    EXTENDED: "dwarf extended instruction";
    /// 0, which marks an extended instruction.
    ESCAPE: "escape";
    /// The size of the extended instruction in bytes.
    LENGTH: "length";
    /// The extended instruction.
    EXTENDED_OPCODE: "extended opcode" as OneOf(&[(1, "end_sequence"), (2, "set_address"), (3, "define_file"), (4, "set_discriminator")]);
    /// The address of the next row.
    ADDRESS: "address" as Hex;
    /// The number of units by which the address advances.
    ADDRESS_ADVANCE: "address advance";
    /// The number of bytes by which the address advances, whatever the unit is.
    FIXED_ADVANCE: "fixed address advance";
    /// The number of lines by which the line advances; negative for backwards.
    LINE_ADVANCE: "line advance";
    /// The source file of the rows that follow, from 1.
    FILE: "file";
    /// The column of the rows that follow; 0 if it is not known.
    COLUMN: "column";
    /// An operand that does not change address, line, column or file.
    OPERAND: "operand";
    /// Operands of an extended instruction that changes none of them.
    UNUSED: "unused";
    /// Address of the next row.
    STATE_ADDRESS: "address" as Hex;
    /// Line of the next row.
    STATE_LINE: "line";
    /// Column of the next row.
    STATE_COLUMN: "column";
    /// Source file of the next row.
    STATE_FILE: "file";
    /// Rows that were emitted.
    STATE_ROWS: "rows";
}

/// Standard instructions, `DW_LNS_…`.
const STANDARD_OPCODES: &[(u64, &str)] = &[
    (1, "copy"),
    (2, "advance_pc"),
    (3, "advance_line"),
    (4, "set_file"),
    (5, "set_column"),
    (6, "negate_stmt"),
    (7, "set_basic_block"),
    (8, "const_add_pc"),
    (9, "fixed_advance_pc"),
    (10, "set_prologue_end"),
    (11, "set_epilogue_begin"),
    (12, "set_isa"),
];

/// A row of the table: from its address on, code belongs to its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRow {
    /// Address of the first instruction.
    pub address: u64,
    /// Source file, from 1.
    pub file: u32,
    /// Line; 0 for code without one.
    pub line: i64,
    /// Column; 0 if it is not known.
    pub column: u32,
    /// True for the first address after a sequence, which has no line.
    pub ends: bool,
}

/// Constants of the header, in the types in which they are added.
struct Rules {
    unit: u64,
    line_base: i64,
    line_range: u64,
    opcode_base: u8,
    operands: Vec<u8>,
}

/// Decodes the line program at the cursor.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Vec<LineRow>> {
    cursor.group(&LINE_PROGRAM, |c| {
        let length = c.u32(&TOTAL_LENGTH)?;
        c.within(length.into(), |c| {
            let rules = c.group(&HEADER, header)?;
            let mut machine = LineMachine { rules, rows: Vec::new(), state: START };
            while !c.is_done() {
                machine.instruction(c)?;
            }
            Ok(machine.rows)
        })
    })
}

fn header<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Rules> {
    let start = c.position();
    let version = c.u16(&VERSION)?;
    if !(2..=4).contains(&version) {
        return Err(Error::unknown("version of a line program", version, c.since(start)));
    }
    let length = c.u32(&HEADER_LENGTH)?;
    c.within(length.into(), |c| {
        let unit = c.u8(&MINIMUM_INSTRUCTION_LENGTH)?.into();
        if version == 4 {
            c.u8(&MAXIMUM_OPERATIONS)?;
        }
        c.u8(&DEFAULT_IS_STATEMENT)?;
        let line_base = c.i8(&LINE_BASE)?.into();
        let at = c.position();
        let line_range = c.u8(&LINE_RANGE)?.into();
        let opcode_base = c.u8(&OPCODE_BASE)?;
        if line_range == 0 || opcode_base == 0 {
            return Err(Error::invalid("the line range or the opcode base is 0", c.since(at)));
        }
        let operands = (1..opcode_base).map(|_| c.u8(&OPERANDS)).collect::<Result<_>>()?;
        while !c.text_z(&FOLDER)?.is_empty() {}
        while c.peek() != Some(0) {
            c.group(&FILE_ENTRY, |c| {
                c.text_z(&FILE_NAME)?;
                [&FILE_FOLDER, &FILE_TIME, &FILE_SIZE].into_iter().try_for_each(|doc| c.seven_bit(doc).map(drop))
            })?;
        }
        c.text_z(&FILE_NAME)?;
        c.left_over(&UNUSED)?;
        Ok(Rules { unit, line_base, line_range, opcode_base, operands })
    })
}

/// State at the beginning of a sequence.
const START: LineRow = LineRow { address: 0, file: 1, line: 1, column: 0, ends: false };

struct LineMachine {
    rules: Rules,
    rows: Vec<LineRow>,
    state: LineRow,
}

impl LineMachine {
    fn instruction<N: Recorder>(&mut self, c: &mut Cursor<'_, N>) -> Result<()> {
        match c.peek() {
            Some(0) => c.group(&EXTENDED, |c| self.extended(c)),
            Some(opcode) if opcode >= self.rules.opcode_base => {
                let number = u64::from(c.u8(&SPECIAL_OPCODE)?.abs_diff(self.rules.opcode_base));
                self.advance(c, number / self.rules.line_range)?;
                self.advance_line(c, (number % self.rules.line_range).cast_signed() + self.rules.line_base);
                self.emit(c);
                Ok(())
            }
            _ => c.group(&STANDARD, |c| self.standard(c)),
        }
    }

    fn standard<N: Recorder>(&mut self, c: &mut Cursor<'_, N>) -> Result<()> {
        let opcode = c.u8(&OPCODE)?;
        match opcode {
            1 => self.emit(c),
            2 => {
                let by = c.seven_bit(&ADDRESS_ADVANCE)?.cast_unsigned();
                self.advance(c, by.into())?;
            }
            3 => {
                let by = c.signed_seven_bit(&LINE_ADVANCE)?;
                self.advance_line(c, by.into());
            }
            4 => set(c, (&FILE, &STATE_FILE), &mut self.state.file)?,
            5 => set(c, (&COLUMN, &STATE_COLUMN), &mut self.state.column)?,
            8 => self.advance(c, u64::from(u8::MAX.abs_diff(self.rules.opcode_base)) / self.rules.line_range)?,
            9 => {
                let by = c.u16(&FIXED_ADVANCE)?;
                self.add_to_address(c, by.into())?;
            }
            _ => {
                // The opcode is not 0, which begins an extended instruction.
                let operands = self.rules.operands.get(usize::from(opcode) - 1).copied();
                for _ in 0..operands.unwrap_or_default() {
                    c.seven_bit(&OPERAND)?;
                }
            }
        }
        Ok(())
    }

    fn extended<N: Recorder>(&mut self, c: &mut Cursor<'_, N>) -> Result<()> {
        c.u8(&ESCAPE)?;
        let start = c.position();
        let length = c.seven_bit(&LENGTH)?.cast_unsigned();
        if length == 0 {
            return Err(c.error_since(start, ErrorKind::Invalid("an extended instruction is empty")));
        }
        c.within(length.into(), |c| {
            match c.u8(&EXTENDED_OPCODE)? {
                1 => {
                    self.state.ends = true;
                    self.emit(c);
                    self.set_address(c, START.address);
                    c.changed(&STATE_LINE, self.state.line, START.line);
                    c.changed(&STATE_COLUMN, i64::from(self.state.column), i64::from(START.column));
                    c.changed(&STATE_FILE, i64::from(self.state.file), i64::from(START.file));
                    self.state = START;
                }
                2 if length == 9 => {
                    let address = c.u64(&ADDRESS)?;
                    self.set_address(c, address);
                }
                2 if length == 5 => {
                    let address = c.u32(&ADDRESS)?;
                    self.set_address(c, address.into());
                }
                _ => {}
            }
            c.left_over(&UNUSED)
        })
    }

    fn advance<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, units: u64) -> Result<()> {
        // A number of 32 bits times one of 8.
        self.add_to_address(c, units * self.rules.unit)
    }

    fn add_to_address<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, by: u64) -> Result<()> {
        let here = c.since(c.position());
        let past_end = || Error::invalid("the address exceeds 64 bits", here);
        self.set_address(c, self.state.address.checked_add(by).ok_or_else(past_end)?);
        Ok(())
    }

    fn set_address<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, address: u64) {
        c.changed(&STATE_ADDRESS, self.state.address.cast_signed(), address.cast_signed());
        self.state.address = address;
    }

    fn advance_line<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, by: i64) {
        let line = self.state.line + by;
        c.changed(&STATE_LINE, self.state.line, line);
        self.state.line = line;
    }

    fn emit<N: Recorder>(&mut self, c: &mut Cursor<'_, N>) {
        let rows = self.rows.len() as i64;
        self.rows.push(self.state);
        c.changed(&STATE_ROWS, rows, self.rows.len() as i64);
    }
}

/// Reads an unsigned operand into a part of the state.
fn set<N: Recorder>(
    c: &mut Cursor<'_, N>,
    (doc, state): (&'static FieldDoc, &'static FieldDoc),
    part: &mut u32,
) -> Result<()> {
    let value = c.seven_bit(doc)?.cast_unsigned();
    c.changed(state, i64::from(*part), i64::from(value));
    *part = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Slice, SpaceId};

    /// `.debug_line` of `Ticker.exe`, compiled by Mono.
    const TICKER: &[u8] = include_bytes!("../../../assets/samples/ticker-mono/Ticker.debug_line");
    /// The rows that `llvm-dwarfdump --debug-line` prints of it.
    const DUMPED: &str = include_str!("../../../assets/samples/ticker-mono/debug-line.txt");

    fn rows(bytes: &[u8]) -> Result<Vec<LineRow>> {
        decode(&mut Cursor::new(Slice::new(bytes, SpaceId(0), 0)))
    }

    #[test]
    fn rows_are_those_of_llvm() {
        let line = |row: &LineRow| (row.address, row.line, i64::from(row.column), i64::from(row.file), row.ends);
        let dumped = DUMPED.lines().filter(|line| line.starts_with("0x")).map(|text| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let number = |at: usize| words[at].parse().unwrap();
            let address = u64::from_str_radix(&words[0][2..], 16).unwrap();
            (address, number(1), number(2), number(3), text.ends_with("end_sequence"))
        });
        let dumped: Vec<_> = dumped.collect();
        assert_eq!(rows(TICKER).unwrap().iter().map(line).collect::<Vec<_>>(), dumped);
        assert_eq!(dumped.len(), 19);
    }

    #[test]
    fn damaged_programs_end() {
        for at in 0..TICKER.len() {
            let mut bytes = TICKER.to_vec();
            for byte in [0, 0x7f, 0xff] {
                bytes[at] = byte;
                let _ = rows(&bytes);
            }
            assert!(rows(&TICKER[..at]).is_err(), "{at}");
        }
    }
}
