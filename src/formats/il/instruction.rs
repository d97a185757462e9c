use super::opcode::{Opcode, OperandType, PREFIX, Variable};
use crate::bytes::{Cursor, Error, Recorder, Result, Slice, Span};
use crate::formats::metadata::Token;

/// One instruction of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction<'a> {
    /// Its IL offset: how many bytes of code come before it.
    pub offset: u32,
    /// What it does.
    pub opcode: &'static Opcode,
    /// With what.
    pub operand: Operand<'a>,
    /// Its bytes, opcode and operand.
    pub span: Span,
}

/// What an instruction works with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand<'a> {
    /// Nothing but the stack.
    None,
    /// An integer, whatever its size.
    Integer(i64),
    /// A 32-bit floating-point number, by its bits.
    Single(u32),
    /// A 64-bit floating-point number, by its bits.
    Double(u64),
    /// An argument or a local variable.
    Variable(Variable),
    /// The IL offset to go to; a bad one may lie outside of the method, even before it.
    Branch(i64),
    /// The IL offsets to choose from.
    Switch(Targets<'a>),
    /// A metadata token, or 0x70 and an offset of the #US heap. [`Opcode::operand`] says of what.
    Token(Token),
}

/// The targets of a `switch`.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    slice: Slice<'a>,
    /// The IL offset of the instruction behind the switch, from which they count.
    next: i64,
}

impl<'a> Targets<'a> {
    /// How many there are.
    pub const fn len(self) -> usize {
        self.slice.data.len() / 4
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The IL offset of each.
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
    /// The IL offset of what comes behind it.
    pub const fn next(&self) -> u32 {
        self.offset.saturating_add(self.span.len as u32)
    }

    /// The argument or local variable it is about, be it named by the operand or by the opcode.
    pub const fn variable(&self) -> Option<Variable> {
        match self.operand {
            Operand::Variable(variable) => Some(variable),
            _ => self.opcode.implied_variable(),
        }
    }

    /// Reads the instruction at IL `offset`, where `cursor` stands.
    ///
    /// Where there is none, the error spans what can be passed over, and `cursor` stands behind that.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>, offset: u32) -> Result<Self> {
        cursor.group("instruction", |cursor| {
            let start = cursor.position();
            let opcode = decode_opcode(cursor)?;
            let operand_start = cursor.position();
            let operand = decode_operand(cursor, opcode, offset).or_else(|error| {
                // What is left of a switch may still be code; what is left of others is too short to be theirs.
                if cursor.position() == operand_start {
                    cursor.bytes("rest of an operand", cursor.left())?;
                }
                Err(Error::new(error.kind, cursor.since(start)))
            })?;
            Ok(Self { offset, opcode, operand, span: cursor.since(start) })
        })
    }
}

fn decode_opcode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<&'static Opcode> {
    let start = cursor.position();
    let opcode = if cursor.peek() == Some(PREFIX) {
        cursor.u8("opcode prefix")?;
        match cursor.u8("two-byte opcode") {
            Ok(second) => Opcode::of_second_byte(second),
            Err(error) => return Err(Error::new(error.kind, cursor.since(start))),
        }
    } else {
        Opcode::of_byte(cursor.u8("opcode")?)
    };
    opcode.ok_or_else(|| Error::invalid("no instruction has this opcode", cursor.since(start)))
}

fn decode_operand<'a, N: Recorder>(
    cursor: &mut Cursor<'a, N>,
    opcode: &'static Opcode,
    offset: u32,
) -> Result<Operand<'a>> {
    let next = offset as i64 + opcode.size() as i64;
    Ok(match opcode.operand {
        OperandType::InlineNone => Operand::None,
        OperandType::ShortInlineI => Operand::Integer(cursor.i8("constant")? as i64),
        OperandType::InlineI => Operand::Integer(cursor.i32("constant")? as i64),
        OperandType::InlineI8 => Operand::Integer(cursor.i64("constant")?),
        OperandType::ShortInlineR => Operand::Single(cursor.f32("constant")?.to_bits()),
        OperandType::InlineR => Operand::Double(cursor.f64("constant")?.to_bits()),
        OperandType::ShortInlineVar => Operand::Variable(opcode.variable(cursor.u8("variable")? as u16)),
        OperandType::InlineVar => Operand::Variable(opcode.variable(cursor.u16("variable")?)),
        OperandType::ShortInlineBrTarget => Operand::Branch(next + 1 + cursor.i8("jump")? as i64),
        OperandType::InlineBrTarget => Operand::Branch(next + 4 + cursor.i32("jump")? as i64),
        OperandType::InlineSwitch => {
            let count = cursor.u32("target count")? as u64;
            let next = next + 4 + 4 * count as i64;
            Operand::Switch(Targets { slice: decode_jumps(cursor, count)?, next })
        }
        OperandType::InlineField => Operand::Token(Token(cursor.u32("field")?)),
        OperandType::InlineMethod => Operand::Token(Token(cursor.u32("method")?)),
        OperandType::InlineSig => Operand::Token(Token(cursor.u32("signature")?)),
        OperandType::InlineString => Operand::Token(Token(cursor.u32("string")?)),
        OperandType::InlineTok => Operand::Token(Token(cursor.u32("token")?)),
        OperandType::InlineType => Operand::Token(Token(cursor.u32("type")?)),
    })
}

/// The bytes of `count` jumps; with notes, a field for each.
fn decode_jumps<'a, N: Recorder>(cursor: &mut Cursor<'a, N>, count: u64) -> Result<Slice<'a>> {
    let slice = cursor.rest().part(0, 4 * count)?;
    if N::ENABLED {
        for _ in 0..count {
            cursor.i32("jump")?;
        }
    } else {
        cursor.skip(4 * count)?;
    }
    Ok(slice)
}

/// The instructions of a method's code, in order.
///
/// Bytes that are no instruction come as an error that spans them; what follows is read on. So instructions and errors
/// together tile the code.
#[derive(Debug)]
pub struct Instructions<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Instructions<'a> {
    /// Those of `code`: all the code of a method.
    pub const fn new(code: Slice<'a>) -> Self {
        Self { cursor: Cursor::new(code) }
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
