use super::opcodes::OPCODES;

/// An opcode: properties that do not depend on the operand.
#[allow(missing_docs)]
#[derive(Debug, PartialEq, Eq)]
pub struct Opcode {
    /// One byte, or 0xFE and a second byte.
    pub code: u16,
    /// Mnemonic: `ldc.i4.s`.
    pub name: &'static str,
    pub operand: OperandType,
    pub flow: FlowControl,
    /// Number of values popped from the stack; `None` if it depends on the operand or the method.
    pub pops: Option<u8>,
    /// Number of values pushed onto the stack; `None` if it depends on the operand or the method.
    pub pushes: Option<u8>,
    /// Explanation in one sentence.
    pub about: &'static str,
}

/// Encoding of an operand, named as in `System.Reflection.Emit.OperandType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// 4-byte jump, relative to the next instruction.
    InlineBrTarget,
    /// FieldDef or MemberRef token.
    InlineField,
    /// 32-bit integer.
    InlineI,
    /// 64-bit integer.
    InlineI8,
    /// MethodDef, MemberRef or MethodSpec token.
    InlineMethod,
    /// No operand.
    InlineNone,
    /// 64-bit floating-point number.
    InlineR,
    /// StandAloneSig token.
    InlineSig,
    /// 0x70 in the high byte and an offset into `#US`.
    InlineString,
    /// Count, and as many 4-byte jumps.
    InlineSwitch,
    /// Token of a type, method or field.
    InlineTok,
    /// TypeDef, TypeRef or TypeSpec token.
    InlineType,
    /// 2-byte number of an argument or local variable.
    InlineVar,
    /// 1-byte jump, relative to the next instruction.
    ShortInlineBrTarget,
    /// 8-bit integer.
    ShortInlineI,
    /// 32-bit floating-point number.
    ShortInlineR,
    /// 1-byte number of an argument or local variable.
    ShortInlineVar,
}

/// Control flow after an instruction, named as in `System.Reflection.Emit.FlowControl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowControl {
    /// Continues at the next instruction.
    Next,
    /// Breaks into the debugger, then continues at the next instruction.
    Break,
    /// Jumps unconditionally.
    Branch,
    /// Jumps or continues at the next instruction.
    CondBranch,
    /// Calls a method and continues at the next instruction.
    Call,
    /// Leaves the method, handler or filter.
    Return,
    /// Throws an exception.
    Throw,
    /// Prefix: modifies the next instruction.
    Meta,
}

/// Number of an argument or a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// In an instance method, argument 0 is `this`.
    Argument(u16),
    /// Slot of the local signature.
    Local(u16),
}

impl Variable {
    /// Argument number or slot.
    pub const fn number(self) -> u16 {
        match self {
            Self::Argument(number) | Self::Local(number) => number,
        }
    }
}

/// First byte of every two-byte opcode.
pub const PREFIX: u8 = 0xfe;
/// One-byte opcodes, then two-byte opcodes by their second byte.
static BY_CODE: [Option<&'static Opcode>; 512] = by_code();

#[expect(clippy::indexing_slicing, reason = "runs in the compiler, which would not accept a bad index")]
const fn by_code() -> [Option<&'static Opcode>; 512] {
    let mut found = [None; 512];
    let mut row = 0;
    while row < OPCODES.len() {
        let code = OPCODES[row].code as usize;
        found[(code & 0xff) + (if code > 0xff { 256 } else { 0 })] = Some(&OPCODES[row]);
        row += 1;
    }
    found
}

/// Bytes of each instruction of [`BY_CODE`] with its operand; 0 where only decoding tells: prefix, jump table, no opcode.
static SIZES: [u8; 512] = sizes();

#[expect(clippy::indexing_slicing, reason = "runs in the compiler, which would not accept a bad index")]
const fn sizes() -> [u8; 512] {
    let (mut found, mut code) = ([0; 512], 0);
    while code < found.len() {
        if let Some(opcode) = BY_CODE[code]
            && let Some(operand) = opcode.operand.size()
            && opcode.code != PREFIX as u16
        {
            found[code] = (opcode.size() as u8).saturating_add(operand);
        }
        code += 1;
    }
    found
}

impl OperandType {
    /// Bytes of an operand; `None` for a jump table, whose count says it.
    pub const fn size(self) -> Option<u8> {
        Some(match self {
            Self::InlineNone => 0,
            Self::ShortInlineBrTarget | Self::ShortInlineI | Self::ShortInlineVar => 1,
            Self::InlineVar => 2,
            Self::InlineBrTarget
            | Self::InlineField
            | Self::InlineI
            | Self::InlineMethod
            | Self::InlineSig
            | Self::InlineString
            | Self::InlineTok
            | Self::InlineType
            | Self::ShortInlineR => 4,
            Self::InlineI8 | Self::InlineR => 8,
            Self::InlineSwitch => return None,
        })
    }
}

/// Bytes of the instruction that `code` begins with, which may be cut off; 0 where only decoding tells.
#[inline]
pub(super) fn size_of_first(code: &[u8]) -> u64 {
    let code = match code {
        [PREFIX, second, ..] => *second as usize + 256,
        [first, ..] => *first as usize,
        [] => return 0,
    };
    SIZES.get(code).copied().unwrap_or_default().into()
}

impl Opcode {
    #[inline]
    pub(crate) fn of_byte(byte: u8) -> Option<&'static Self> {
        BY_CODE.get(byte as usize).copied().flatten()
    }

    /// Finds the opcode of [`PREFIX`] and this byte.
    #[inline]
    pub(crate) fn of_second_byte(byte: u8) -> Option<&'static Self> {
        BY_CODE.get(byte as usize + 256).copied().flatten()
    }

    /// Finds an opcode by its mnemonic.
    pub fn named(name: &str) -> Option<&'static Self> {
        OPCODES.iter().find(|opcode| opcode.name == name)
    }

    /// Size of the opcode in bytes, without the operand.
    pub const fn size(&self) -> u32 {
        if self.code > 0xff { 2 } else { 1 }
    }

    /// Variable that the opcode implies, as `ldarg.0` does.
    pub const fn implied_variable(&self) -> Option<Variable> {
        match self.code {
            0x02..=0x05 => Some(Variable::Argument(self.code.saturating_sub(0x02))),
            0x06..=0x09 => Some(Variable::Local(self.code.saturating_sub(0x06))),
            0x0a..=0x0d => Some(Variable::Local(self.code.saturating_sub(0x0a))),
            _ => None,
        }
    }

    /// Number that the opcode implies, as `ldc.i4.3` does.
    pub const fn implied_number(&self) -> Option<i64> {
        match self.code {
            0x15..=0x1e => Some(self.code as i64 - 0x16),
            _ => None,
        }
    }

    /// Variable with this number: an argument for `ldarg`, `ldarga` and `starg`, a local variable for all others.
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
            let variable = match stem {
                "ldarg" => number.map(Variable::Argument),
                "ldloc" | "stloc" => number.map(Variable::Local),
                _ => None,
            };
            assert_eq!(opcode.implied_variable(), variable, "{}", opcode.name);
            if matches!(opcode.operand, OperandType::InlineVar | OperandType::ShortInlineVar) {
                let is_argument = opcode.name.contains("arg");
                assert_eq!(matches!(opcode.variable(7), Variable::Argument(7)), is_argument, "{}", opcode.name);
            }
        }
    }
}
