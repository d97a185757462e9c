use super::OPCODES;
use super::opcode::{Opcode, OperandType, PREFIX, Variable, size_of_first};
use super::operation::Operation;
use crate::bytes::{Cursor, Error, Recorder, Result, Slice, Span, fields};
use crate::metadata::Token;

/// Some opcodes by their last byte.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where an index past the end is a compile error"
)]
const fn opcode_names<const COUNT: usize>(first: usize) -> [(u64, &'static str); COUNT] {
    let mut names = [(0, ""); COUNT];
    let mut row = 0;
    while row < COUNT {
        let opcode = &OPCODES[first + row];
        names[row] = (opcode.code as u64 & 0xff, opcode.name);
        row += 1;
    }
    names
}

/// Those of one byte come first.
const ONE_BYTE_COUNT: usize = 199;
const OPCODE_NAMES: &[(u64, &str)] = &opcode_names::<ONE_BYTE_COUNT>(0);
const TWO_BYTE_OPCODE_NAMES: &[(u64, &str)] = &opcode_names::<{ OPCODES.len() - ONE_BYTE_COUNT }>(ONE_BYTE_COUNT);

fields! {
    /// One instruction: an opcode and its operand.
    INSTRUCTION: "instruction";
    /// The operation; most operations take values from the evaluation stack and push their results.
    OPCODE: "opcode" as OneOf(OPCODE_NAMES);
    /// 0xFE: the opcode has a second byte.
    OPCODE_PREFIX: "opcode prefix" as Hex;
    /// The operation, selected by the second byte.
    TWO_BYTE_OPCODE: "two-byte opcode" as OneOf(TWO_BYTE_OPCODE_NAMES);
    /// The constant that the instruction loads.
    CONSTANT: "constant";
    /// The number of the argument or local variable, counted from 0.
    VARIABLE: "variable";
    /// The distance in bytes from the end of this instruction to its target; negative jumps go back.
    JUMP: "jump";
    /// The number of targets, of 4 bytes each.
    TARGET_COUNT: "target count";
    /// The field, by token of Field or MemberRef.
    FIELD: "field" as Token;
    /// The method, by token of MethodDef, MemberRef or MethodSpec.
    METHOD: "method" as Token;
    /// The signature of the call, by token of StandAloneSig.
    SIGNATURE: "signature" as Token;
    /// The string literal: 0x70 and an offset in the #US heap, which has it in UTF-16.
    STRING: "string" as Token;
    /// The type, method or field, by token.
    TOKEN: "token" as Token;
    /// The type, by token of TypeDef, TypeRef or TypeSpec.
    TYPE: "type" as Token;
    /// The start of an operand that the code ends in.
    REST_OF_AN_OPERAND: "rest of an operand";
}

/// An instruction of a method.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction<'a> {
    /// IL offset.
    pub offset: u32,
    pub opcode: &'static Opcode,
    pub operand: Operand<'a>,
    /// Opcode and operand.
    pub span: Span,
}

/// Decoded operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand<'a> {
    /// No operand; all inputs are on the stack.
    None,
    /// Integer, sign-extended from its size.
    Integer(i64),
    /// Bits of an IEEE 754 binary32.
    Single(u32),
    /// Bits of an IEEE 754 binary64.
    Double(u64),
    /// Argument or local variable.
    Variable(Variable),
    /// Target, an IL offset; an invalid one may be outside of the method, even negative.
    Branch(i64),
    /// Jump table.
    Switch(Targets<'a>),
    /// Metadata token, or 0x70 and an offset into `#US`; [`Opcode::operand`] says which.
    Token(Token),
}

/// Jump table of a `switch` instruction.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    slice: Slice<'a>,
    /// IL offset of the next instruction, which the jumps are relative to.
    next: i64,
}

impl<'a> Targets<'a> {
    /// Number of targets.
    pub const fn len(self) -> usize {
        self.slice.data.len() / 4
    }

    /// Returns true for an empty jump table.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// IL offsets of the targets.
    pub fn iter(self) -> impl ExactSizeIterator<Item = i64> + 'a {
        let (jumps, _) = self.slice.data.as_chunks::<4>();
        jumps.iter().map(move |jump| self.next + i32::from_le_bytes(*jump) as i64)
    }
}

impl PartialEq for Targets<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'a> Instruction<'a> {
    /// IL offset of the next instruction.
    pub const fn next(&self) -> u32 {
        self.offset.saturating_add(self.span.len as u32)
    }

    /// Argument or local variable that the instruction accesses, whether operand or opcode names it.
    pub const fn variable(&self) -> Option<Variable> {
        match self.operand {
            Operand::Variable(variable) => Some(variable),
            _ => self.opcode.implied_variable(),
        }
    }

    /// Returns true for the load of argument 0, which is `this` in an instance method.
    pub fn loads_this(&self) -> bool {
        self.opcode.operation() == Operation::LoadVariable && self.variable() == Some(Variable::Argument(0))
    }

    /// Decodes the instruction at the cursor, which is at IL `offset`.
    ///
    /// On failure the error spans the bytes to skip, and the cursor is after them.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>, offset: u32) -> Result<Self> {
        cursor.group(&INSTRUCTION, |cursor| {
            let start = cursor.position();
            let opcode = decode_opcode(cursor)?;
            let operand_start = cursor.position();
            let operand = decode_operand(cursor, opcode, offset).or_else(|error| {
                // The operand of a truncated switch may still be decoded as code; a truncated operand of any other
                // instruction is skipped.
                if cursor.position() == operand_start {
                    cursor.bytes(&REST_OF_AN_OPERAND, cursor.left())?;
                }
                Err(error.at(cursor.since(start)))
            })?;
            Ok(Self { offset, opcode, operand, span: cursor.since(start) })
        })
    }
}

#[inline]
fn decode_opcode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<&'static Opcode> {
    let start = cursor.position();
    let (code, opcode) = if cursor.peek() == Some(PREFIX) {
        cursor.u8(&OPCODE_PREFIX)?;
        match cursor.u8(&TWO_BYTE_OPCODE) {
            Ok(second) => (u16::from_be_bytes([PREFIX, second]), Opcode::of_second_byte(second)),
            Err(error) => return Err(error.at(cursor.since(start))),
        }
    } else {
        let code = cursor.u8(&OPCODE)?;
        (u16::from(code), Opcode::of_byte(code))
    };
    opcode.ok_or_else(|| Error::unknown("opcode", code, cursor.since(start)))
}

#[inline]
fn decode_operand<'a, N: Recorder>(
    cursor: &mut Cursor<'a, N>,
    opcode: &'static Opcode,
    offset: u32,
) -> Result<Operand<'a>> {
    let next = offset as i64 + opcode.size() as i64;
    let branch = |size: i64, jump: i32| Operand::Branch(next + size + i64::from(jump));
    Ok(match opcode.operand {
        OperandType::InlineNone => Operand::None,
        OperandType::ShortInlineI => Operand::Integer(cursor.i8(&CONSTANT)? as i64),
        OperandType::InlineI => Operand::Integer(cursor.i32(&CONSTANT)? as i64),
        OperandType::InlineI8 => Operand::Integer(cursor.i64(&CONSTANT)?),
        OperandType::ShortInlineR => Operand::Single(cursor.f32(&CONSTANT)?.to_bits()),
        OperandType::InlineR => Operand::Double(cursor.f64(&CONSTANT)?.to_bits()),
        OperandType::ShortInlineVar => Operand::Variable(opcode.variable(cursor.u8(&VARIABLE)? as u16)),
        OperandType::InlineVar => Operand::Variable(opcode.variable(cursor.u16(&VARIABLE)?)),
        OperandType::ShortInlineBrTarget => branch(1, cursor.i8(&JUMP)?.into()),
        OperandType::InlineBrTarget => branch(4, cursor.i32(&JUMP)?),
        OperandType::InlineSwitch => {
            let count = cursor.u32(&TARGET_COUNT)? as u64;
            let next = next + 4 + count as i64 * 4;
            let jumps = cursor.described(count * 4, |cursor| (0..count).try_for_each(|_| cursor.i32(&JUMP).map(drop)));
            Operand::Switch(Targets { slice: jumps?, next })
        }
        OperandType::InlineField => Operand::Token(Token(cursor.u32(&FIELD)?)),
        OperandType::InlineMethod => Operand::Token(Token(cursor.u32(&METHOD)?)),
        OperandType::InlineSig => Operand::Token(Token(cursor.u32(&SIGNATURE)?)),
        OperandType::InlineString => Operand::Token(Token(cursor.u32(&STRING)?)),
        OperandType::InlineTok => Operand::Token(Token(cursor.u32(&TOKEN)?)),
        OperandType::InlineType => Operand::Token(Token(cursor.u32(&TYPE)?)),
    })
}

/// Iterator over a method's instructions.
///
/// Bytes that are no instruction yield an error that spans them, and decoding resumes after them: instructions and
/// errors together tile the code.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Instructions<'a> {
    /// Iterates over `code`, all code of a method.
    pub const fn new(code: Slice<'a>) -> Self {
        Self { cursor: Cursor::new(code) }
    }

    /// Skips the instructions that end before an offset, up to an item that is none. Several times as fast as decoding them.
    #[must_use]
    pub fn skip_to(mut self, offset: u32) -> Self {
        loop {
            let mut behind = self.clone();
            let size = size_of_first(behind.cursor.remaining());
            let is_instruction = size > 0 && behind.cursor.skip(size).is_ok() || matches!(behind.next(), Some(Ok(_)));
            if !is_instruction || behind.cursor.consumed() >= u64::from(offset) {
                return self;
            }
            self = behind;
        }
    }

    /// Calls `each` with the IL offset of every item, instruction or error. Several times as fast as decoding them, which it does
    /// only where the opcode does not tell the size.
    pub fn each_start(mut self, mut each: impl FnMut(u32)) {
        while !self.cursor.is_done() {
            each(self.cursor.consumed() as u32);
            let size = size_of_first(self.cursor.remaining());
            if size == 0 || self.cursor.skip(size).is_err() {
                let _ = self.next();
            }
        }
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_done() {
            return None;
        }
        let offset = self.cursor.consumed() as u32;
        Some(Instruction::decode(&mut self.cursor, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Opcode;

    #[test]
    fn opcodes_are_named_by_their_last_byte() {
        for (names, high) in [(super::OPCODE_NAMES, 0), (super::TWO_BYTE_OPCODE_NAMES, 0xfe)] {
            for (byte, name) in names {
                let code = Opcode::named(name).unwrap().code;
                assert_eq!((code >> 8, code & 0xff), (high, *byte as u16), "{name}");
            }
        }
    }
}
