use super::opcodes::OPCODES;

/// What an instruction does, all but its operand.
#[derive(Debug, PartialEq, Eq)]
pub struct Opcode {
    /// One byte, or 0xFE and a second byte.
    pub code: u16,
    /// What ILAsm calls it: `ldc.i4.s`.
    pub name: &'static str,
    /// What follows the opcode.
    pub operand: OperandType,
    /// Where control goes from it.
    pub flow: FlowControl,
    /// How many values it takes from the stack, where it is always the same number.
    pub pops: Option<u8>,
    /// How many values it puts on the stack, where it is always the same number.
    pub pushes: Option<u8>,
    /// What it does, in one sentence.
    pub about: &'static str,
}

/// What follows an opcode; the names are those of `System.Reflection.Emit.OperandType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// A jump of so many bytes from the next instruction, in 4 bytes.
    InlineBrTarget,
    /// The token of a field.
    InlineField,
    /// A 32-bit integer.
    InlineI,
    /// A 64-bit integer.
    InlineI8,
    /// The token of a method.
    InlineMethod,
    /// Nothing.
    InlineNone,
    /// A 64-bit floating-point number.
    InlineR,
    /// The token of a stand-alone signature.
    InlineSig,
    /// 0x70 and an offset of the #US heap.
    InlineString,
    /// A count and as many jumps.
    InlineSwitch,
    /// The token of a type, method or field.
    InlineTok,
    /// The token of a type.
    InlineType,
    /// The number of an argument or local variable, in 2 bytes.
    InlineVar,
    /// A jump of so many bytes from the next instruction, in one byte.
    ShortInlineBrTarget,
    /// An 8-bit integer.
    ShortInlineI,
    /// A 32-bit floating-point number.
    ShortInlineR,
    /// The number of an argument or local variable, in one byte.
    ShortInlineVar,
}

/// Where control goes from an instruction; the names are those of `System.Reflection.Emit.FlowControl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowControl {
    /// To the next instruction.
    Next,
    /// To the debugger, then to the next instruction.
    Break,
    /// To the target.
    Branch,
    /// To a target or to the next instruction.
    CondBranch,
    /// Into another method and back.
    Call,
    /// Out of the method, handler or filter.
    Return,
    /// To a handler.
    Throw,
    /// Nowhere: it changes the instruction that follows.
    Meta,
}

/// An argument or a local variable, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// An argument; in an instance method number 0 is `this`.
    Argument(u16),
    /// A local variable: a slot of the local signature.
    Local(u16),
}

impl Variable {
    /// Its number.
    pub const fn number(self) -> u16 {
        match self {
            Self::Argument(number) | Self::Local(number) => number,
        }
    }
}

/// The first byte of every two-byte opcode.
pub const PREFIX: u8 = 0xfe;

/// The opcodes of one byte, then those of two, by their last byte.
static BY_CODE: [Option<&'static Opcode>; 512] = by_code();

#[expect(clippy::indexing_slicing, reason = "runs in the compiler, which would not accept a bad index")]
const fn by_code() -> [Option<&'static Opcode>; 512] {
    let mut found = [None; 512];
    let mut row = 0;
    while row < OPCODES.len() {
        let code = OPCODES[row].code as usize;
        found[(code & 0xff) + if code > 0xff { 256 } else { 0 }] = Some(&OPCODES[row]);
        row += 1;
    }
    found
}

impl Opcode {
    /// The opcode of this one byte.
    #[inline]
    pub fn of_byte(byte: u8) -> Option<&'static Self> {
        BY_CODE.get(byte as usize).copied().flatten()
    }

    /// The opcode of [`PREFIX`] and this byte.
    #[inline]
    pub fn of_second_byte(byte: u8) -> Option<&'static Self> {
        BY_CODE.get(256 + byte as usize).copied().flatten()
    }

    /// The opcode of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        OPCODES.iter().find(|opcode| opcode.name == name)
    }

    /// How many bytes the opcode itself takes.
    pub const fn size(&self) -> u32 {
        if self.code > 0xff { 2 } else { 1 }
    }

    /// The variable that the opcode names without an operand, as `ldarg.0` does.
    pub const fn implied_variable(&self) -> Option<Variable> {
        match self.code {
            0x02..=0x05 => Some(Variable::Argument(self.code - 0x02)),
            0x06..=0x09 => Some(Variable::Local(self.code - 0x06)),
            0x0a..=0x0d => Some(Variable::Local(self.code - 0x0a)),
            _ => None,
        }
    }

    /// The integer that the opcode pushes without an operand, as `ldc.i4.m1` does.
    pub const fn implied_integer(&self) -> Option<i32> {
        match self.code {
            0x15..=0x1e => Some(self.code as i32 - 0x16),
            _ => None,
        }
    }

    /// The variable of that number: an argument for `ldarg` and its kin, a local for all others.
    pub(super) const fn variable(&self, number: u16) -> Variable {
        match self.code {
            0x0e..=0x10 | 0xfe09..=0xfe0b => Variable::Argument(number),
            _ => Variable::Local(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_is_found_by_its_bytes_and_its_name() {
        for (row, opcode) in OPCODES.iter().enumerate() {
            let [high, low] = opcode.code.to_be_bytes();
            let found = if high == PREFIX { Opcode::of_second_byte(low) } else { Opcode::of_byte(low) };
            assert!(found.is_some_and(|found| std::ptr::eq(found, opcode)), "{}", opcode.name);
            assert!(Opcode::named(opcode.name).is_some_and(|found| std::ptr::eq(found, opcode)), "{}", opcode.name);
            assert!(matches!(high, 0 | PREFIX), "{}", opcode.name);
            assert!(row == 0 || OPCODES[row - 1].code < opcode.code, "{} is out of order", opcode.name);
            assert!(opcode.about.ends_with('.'), "{}", opcode.name);
        }
        assert_eq!(BY_CODE.iter().flatten().count(), OPCODES.len());
    }

    #[test]
    fn short_forms_name_what_they_mean() {
        // The number at the end of the name is the number meant.
        for opcode in &OPCODES {
            let (stem, digit) = opcode.name.rsplit_once('.').unwrap_or_default();
            let number = digit.parse::<u16>().ok();
            let (variable, integer) = match stem {
                "ldarg" => (number.map(Variable::Argument), None),
                "ldloc" | "stloc" => (number.map(Variable::Local), None),
                "ldc.i4" if digit == "m1" => (None, Some(-1)),
                "ldc.i4" => (None, number.map(i32::from)),
                _ => (None, None),
            };
            assert_eq!(opcode.implied_variable(), variable, "{}", opcode.name);
            assert_eq!(opcode.implied_integer(), integer, "{}", opcode.name);
            if matches!(opcode.operand, OperandType::InlineVar | OperandType::ShortInlineVar) {
                let is_argument = opcode.name.contains("arg");
                assert_eq!(matches!(opcode.variable(7), Variable::Argument(7)), is_argument, "{}", opcode.name);
            }
        }
    }
}
