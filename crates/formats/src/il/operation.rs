use super::opcode::Opcode;
use crate::signature::Primitive;

/// Operation of an opcode, one for all forms of it: `ldloc.0`, `ldloc.s` and `ldloc` are [`Operation::LoadVariable`].
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Does nothing, and is no prefix: `nop`, `break`.
    Nothing,
    /// Changes the next instruction, and is not `constrained.`.
    Prefix,
    Constrained,
    Duplicate,
    Pop,
    LoadVariable,
    LoadVariableAddress,
    StoreVariable,
    LoadNull,
    LoadNumber,
    LoadString,
    LoadToken,
    /// `ldftn` and `ldvirtftn`.
    LoadFunction,
    LoadField,
    LoadFieldAddress,
    StoreField,
    /// `call`, `callvirt`, `jmp`.
    Call,
    CallIndirect,
    NewObject,
    NewArray,
    LoadLength,
    LoadElement,
    LoadElementAddress,
    StoreElement,
    /// `ldind` and `ldobj`.
    LoadIndirect,
    /// `stind` and `stobj`.
    StoreIndirect,
    Initialize,
    Arithmetic(Operator),
    Negate,
    Complement,
    Convert,
    Compare(Condition),
    Box,
    /// `unbox` and `unbox.any`.
    Unbox,
    Cast,
    IsInstance,
    SizeOf,
    LocalAllocate,
    CheckFinite,
    Jump,
    Leave,
    BranchIfTrue,
    BranchIfFalse,
    BranchIf(Condition),
    Switch,
    Return,
    Throw,
    Rethrow,
    EndFinally,
    EndFilter,
    /// Any other: typed references, blocks of memory, argument lists, reserved opcodes.
    Other,
}

/// Operator of an arithmetic instruction. Checked and unsigned forms have the same.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    ExclusiveOr,
    ShiftLeft,
    ShiftRight,
}

/// Relation that a comparison or a branch tests.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Opcode {
    /// Operation, without the size of the operand and the type of the value.
    pub const fn operation(&self) -> Operation {
        match self.code {
            0x00 | 0x01 => Operation::Nothing,
            0x02..=0x05 | 0x06..=0x09 | 0x0e | 0x11 | 0xfe09 | 0xfe0c => Operation::LoadVariable,
            0x0f | 0x12 | 0xfe0a | 0xfe0d => Operation::LoadVariableAddress,
            0x0a..=0x0d | 0x10 | 0x13 | 0xfe0b | 0xfe0e => Operation::StoreVariable,
            0x14 => Operation::LoadNull,
            0x15..=0x23 => Operation::LoadNumber,
            0x25 => Operation::Duplicate,
            0x26 => Operation::Pop,
            0x27 | 0x28 | 0x6f => Operation::Call,
            0x29 => Operation::CallIndirect,
            0x2a => Operation::Return,
            0x2b | 0x38 => Operation::Jump,
            0x2c | 0x39 => Operation::BranchIfFalse,
            0x2d | 0x3a => Operation::BranchIfTrue,
            0x45 => Operation::Switch,
            0x46..=0x50 | 0x71 => Operation::LoadIndirect,
            0x51..=0x57 | 0x81 | 0xdf => Operation::StoreIndirect,
            0x65 => Operation::Negate,
            0x66 => Operation::Complement,
            0x67..=0x6e | 0x76 | 0x82..=0x8b | 0xb3..=0xba | 0xd1..=0xd5 | 0xe0 => Operation::Convert,
            0x72 => Operation::LoadString,
            0x73 => Operation::NewObject,
            0x74 => Operation::Cast,
            0x75 => Operation::IsInstance,
            0x79 | 0xa5 => Operation::Unbox,
            0x7a => Operation::Throw,
            0x7b | 0x7e => Operation::LoadField,
            0x7c | 0x7f => Operation::LoadFieldAddress,
            0x7d | 0x80 => Operation::StoreField,
            0x8c => Operation::Box,
            0x8d => Operation::NewArray,
            0x8e => Operation::LoadLength,
            0x8f => Operation::LoadElementAddress,
            0x90..=0x9a | 0xa3 => Operation::LoadElement,
            0x9b..=0xa2 | 0xa4 => Operation::StoreElement,
            0xc3 => Operation::CheckFinite,
            0xd0 => Operation::LoadToken,
            0xdc => Operation::EndFinally,
            0xdd | 0xde => Operation::Leave,
            0xfe06 | 0xfe07 => Operation::LoadFunction,
            0xfe0f => Operation::LocalAllocate,
            0xfe11 => Operation::EndFilter,
            0xfe12..=0xfe14 | 0xfe19 | 0xfe1e => Operation::Prefix,
            0xfe15 => Operation::Initialize,
            0xfe16 => Operation::Constrained,
            0xfe1a => Operation::Rethrow,
            0xfe1c => Operation::SizeOf,
            _ => match (self.operator(), self.condition()) {
                (Some(operator), _) => Operation::Arithmetic(operator),
                (_, Some(condition)) if self.code > 0xff => Operation::Compare(condition),
                (_, Some(condition)) => Operation::BranchIf(condition),
                _ => Operation::Other,
            },
        }
    }

    const fn operator(&self) -> Option<Operator> {
        Some(match self.code {
            0x58 | 0xd6 | 0xd7 => Operator::Add,
            0x59 | 0xda | 0xdb => Operator::Subtract,
            0x5a | 0xd8 | 0xd9 => Operator::Multiply,
            0x5b | 0x5c => Operator::Divide,
            0x5d | 0x5e => Operator::Remainder,
            0x5f => Operator::And,
            0x60 => Operator::Or,
            0x61 => Operator::ExclusiveOr,
            0x62 => Operator::ShiftLeft,
            0x63 | 0x64 => Operator::ShiftRight,
            _ => return None,
        })
    }

    const fn condition(&self) -> Option<Condition> {
        Some(match self.code {
            0xfe01 | 0x2e | 0x3b => Condition::Equal,
            0x33 | 0x40 => Condition::NotEqual,
            0xfe04 | 0xfe05 | 0x32 | 0x37 | 0x3f | 0x44 => Condition::Less,
            0x31 | 0x36 | 0x3e | 0x43 => Condition::LessOrEqual,
            0xfe02 | 0xfe03 | 0x30 | 0x35 | 0x3d | 0x42 => Condition::Greater,
            0x2f | 0x34 | 0x3c | 0x41 => Condition::GreaterOrEqual,
            _ => return None,
        })
    }

    /// Returns true if integers count as unsigned, and numbers compared with NaN as related: `div.un`, `blt.un.s`.
    pub const fn is_unsigned(&self) -> bool {
        matches!(self.code, 0x33..=0x37 | 0x40..=0x44 | 0x5c | 0x5e | 0x64 | 0x76)
            || matches!(self.code, 0x82..=0x8b | 0xd7 | 0xd9 | 0xdb | 0xfe03 | 0xfe05)
    }

    /// Type that the name of the opcode ends with: of a value in memory, of an element, of the result of a conversion.
    pub const fn value_type(&self) -> Option<Primitive> {
        Some(match self.code {
            0x46 | 0x52 | 0x67 | 0x82 | 0x90 | 0x9c | 0xb3 => Primitive::I1,
            0x47 | 0x86 | 0x91 | 0xb4 | 0xd2 => Primitive::U1,
            0x48 | 0x53 | 0x68 | 0x83 | 0x92 | 0x9d | 0xb5 => Primitive::I2,
            0x49 | 0x87 | 0x93 | 0xb6 | 0xd1 => Primitive::U2,
            0x15..=0x20 | 0x4a | 0x54 | 0x69 | 0x84 | 0x94 | 0x9e | 0xb7 => Primitive::I4,
            0x4b | 0x6d | 0x88 | 0x95 | 0xb8 => Primitive::U4,
            0x21 | 0x4c | 0x55 | 0x6a | 0x85 | 0x96 | 0x9f | 0xb9 => Primitive::I8,
            0x6e | 0x89 | 0xba => Primitive::U8,
            0x4d | 0x8a | 0x97 | 0x9b | 0xd3 | 0xd4 | 0xdf => Primitive::I,
            0x8b | 0xd5 | 0xe0 => Primitive::U,
            0x22 | 0x4e | 0x56 | 0x6b | 0x98 | 0xa0 => Primitive::R4,
            0x23 | 0x4f | 0x57 | 0x6c | 0x76 | 0x99 | 0xa1 => Primitive::R8,
            0x50 | 0x51 | 0x9a | 0xa2 => Primitive::Object,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::OPCODES;
    use super::*;

    /// The name of an opcode says the same as its number, which the functions above list by hand.
    #[test]
    fn operations_agree_with_names() {
        for opcode in &OPCODES {
            let (name, operation) = (opcode.name, opcode.operation());
            let base = name.split('.').next().unwrap();
            let is_prefix = name.ends_with('.') && base != "constrained";
            let named = match base {
                _ if is_prefix => matches!(operation, Operation::Prefix),
                "nop" | "break" => operation == Operation::Nothing,
                "ldarg" | "ldloc" => operation == Operation::LoadVariable,
                "ldarga" | "ldloca" => operation == Operation::LoadVariableAddress,
                "starg" | "stloc" => operation == Operation::StoreVariable,
                "ldc" => operation == Operation::LoadNumber,
                "ldfld" | "ldsfld" => operation == Operation::LoadField,
                "ldflda" | "ldsflda" => operation == Operation::LoadFieldAddress,
                "stfld" | "stsfld" => operation == Operation::StoreField,
                "call" | "callvirt" | "jmp" => operation == Operation::Call,
                "ldelem" => operation == Operation::LoadElement,
                "stelem" => operation == Operation::StoreElement,
                "ldind" | "ldobj" => operation == Operation::LoadIndirect,
                "stind" | "stobj" => operation == Operation::StoreIndirect,
                "conv" => operation == Operation::Convert,
                "brtrue" => operation == Operation::BranchIfTrue,
                "brfalse" => operation == Operation::BranchIfFalse,
                "br" => operation == Operation::Jump,
                "leave" => operation == Operation::Leave,
                "unbox" => operation == Operation::Unbox,
                "ldftn" | "ldvirtftn" => operation == Operation::LoadFunction,
                "add" => operation == Operation::Arithmetic(Operator::Add),
                "sub" => operation == Operation::Arithmetic(Operator::Subtract),
                "mul" => operation == Operation::Arithmetic(Operator::Multiply),
                "div" => operation == Operation::Arithmetic(Operator::Divide),
                "rem" => operation == Operation::Arithmetic(Operator::Remainder),
                "and" => operation == Operation::Arithmetic(Operator::And),
                "or" => operation == Operation::Arithmetic(Operator::Or),
                "xor" => operation == Operation::Arithmetic(Operator::ExclusiveOr),
                "shl" => operation == Operation::Arithmetic(Operator::ShiftLeft),
                "shr" => operation == Operation::Arithmetic(Operator::ShiftRight),
                "ceq" => operation == Operation::Compare(Condition::Equal),
                "cgt" => operation == Operation::Compare(Condition::Greater),
                "clt" => operation == Operation::Compare(Condition::Less),
                "beq" => operation == Operation::BranchIf(Condition::Equal),
                "bne" => operation == Operation::BranchIf(Condition::NotEqual),
                "bge" => operation == Operation::BranchIf(Condition::GreaterOrEqual),
                "bgt" => operation == Operation::BranchIf(Condition::Greater),
                "ble" => operation == Operation::BranchIf(Condition::LessOrEqual),
                "blt" => operation == Operation::BranchIf(Condition::Less),
                _ => !matches!(
                    operation,
                    Operation::Arithmetic(_)
                        | Operation::Compare(_)
                        | Operation::BranchIf(_)
                        | Operation::Convert
                        | Operation::LoadVariable
                        | Operation::LoadNumber
                ),
            };
            assert!(named, "{name} is {operation:?}");
            assert_eq!(opcode.is_unsigned(), name.split('.').any(|part| part == "un"), "{name}");
        }
        let other = OPCODES.iter().filter(|opcode| opcode.operation() == Operation::Other).map(|opcode| opcode.name);
        let other: Vec<&str> = other.filter(|name| !name.starts_with("prefix")).collect();
        assert_eq!(other, ["cpobj", "refanyval", "mkrefany", "arglist", "cpblk", "initblk", "refanytype"]);
    }

    #[test]
    fn value_types_agree_with_names() {
        for opcode in &OPCODES {
            let name = opcode.name.trim_end_matches(".un").trim_end_matches(".s");
            let last = name.split('.').skip(1).find(|part| !matches!(*part, "ovf"));
            let expected = match last {
                Some("i1") => Some(Primitive::I1),
                Some("u1") => Some(Primitive::U1),
                Some("i2") => Some(Primitive::I2),
                Some("u2") => Some(Primitive::U2),
                Some("i4") => Some(Primitive::I4),
                Some("u4") => Some(Primitive::U4),
                Some("i8") => Some(Primitive::I8),
                Some("u8") => Some(Primitive::U8),
                Some("i") => Some(Primitive::I),
                Some("u") => Some(Primitive::U),
                Some("r4") => Some(Primitive::R4),
                // `conv.r.un` pushes a number of the evaluation stack.
                Some("r8" | "r") => Some(Primitive::R8),
                Some("ref") => Some(Primitive::Object),
                _ => None,
            };
            assert_eq!(opcode.value_type(), expected, "{}", opcode.name);
        }
    }
}
