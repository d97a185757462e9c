//! Variables: the registers and stack slots that hold them, by range of native offsets.

use super::Layout;
use crate::bytes::{Cursor, Error, Nibbles, Recorder, Result, Span, fields};

/// First major version in which −5 and −4 are variables, too.
const MORE_IMPLICIT: u16 = 20;
/// First major version that stores the variable before its range.
const NUMBER_FIRST: u16 = 22;
/// Number of the value that a call returns; an IL offset takes the place of its length.
const CALL_RESULT: i32 = -5;

/// Kinds of locations (ICorDebugInfo::VarLocType).
const KINDS: &[(u64, &str)] = &[
    (0, "register"),
    (1, "reference in register"),
    (2, "floating-point register"),
    (3, "stack"),
    (4, "reference on stack"),
    (5, "two registers"),
    (6, "register and stack"),
    (7, "stack and register"),
    (8, "two stack slots"),
    (9, "x87 stack"),
    (10, "fixed varargs"),
];

fields! {
    /// The locations of the variables of a method.
    VARIABLES: "variables";
    /// The number of ranges.
    COUNT: "count of variables";
    /// A range of native offsets in which a variable has one location.
    VARIABLE: "variable";
    /// The native offset at which the variable is first in this location.
    START: "start offset" as Hex;
    /// The size of the range in bytes.
    LENGTH: "length" as Hex;
    /// The IL offset of the call that returns the value.
    CALL_OFFSET: "il offset of call" as IlOffset;
    /// The number of the variable plus 4, or plus 6 from version 20 on: arguments first, this among them, then locals.
    NUMBER: "variable number";
    /// The kind of the location.
    KIND: "kind of location" as OneOf(KINDS);
    /// The register that holds the variable or a part of it, in the numbering of the machine.
    REGISTER: "register number";
    /// The register that the stack offset is relative to.
    BASE: "base register";
    /// The offset from the base register; divided by 4 on x86.
    STACK_OFFSET: "stack offset";
    /// The offset in the variable arguments.
    VARARGS_OFFSET: "offset in varargs";
    /// The number of the variable; negative ones are implicit.
    STATE_NUMBER: "variable";
}

/// VariableLocation of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum VariableLocation {
    Register(u32),
    /// A register that has the address of the variable.
    ReferenceInRegister(u32),
    FloatRegister(u32),
    Stack {
        base: u32,
        offset: i32,
    },
    /// A stack slot that has the address of the variable.
    ReferenceOnStack {
        base: u32,
        offset: i32,
    },
    TwoRegisters(u32, u32),
    RegisterAndStack {
        register: u32,
        base: u32,
        offset: i32,
    },
    TwoStackSlots {
        base: u32,
        offset: i32,
    },
    FloatStack(u32),
    FixedVarargs(u32),
}

/// A range of native offsets in which a variable has one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// First native offset.
    pub start: u32,
    /// Native offset after the last.
    pub end: u32,
    /// Number: arguments first, `this` among them, then locals; negative for an implicit one.
    pub number: i32,
    /// VariableLocation.
    pub location: VariableLocation,
    /// Bytes of the range.
    pub span: Span,
}

/// Name of an implicit variable.
pub const fn implicit_name(number: i32) -> &'static str {
    match number {
        -1 => "varargs handle",
        -2 => "return buffer",
        -3 => "generic context",
        -4 => "async continuation",
        CALL_RESULT => "call result",
        _ => "unknown variable",
    }
}

/// Reads the variables; the cursor has no other bytes.
pub(super) fn decode<N: Recorder>(c: &mut Cursor<'_, N>, layout: Layout) -> Result<Vec<Variable>> {
    let at = c.rest().span().part(0, 1);
    c.group(&VARIABLES, |c| {
        c.nibbles(|n| {
            let count = n.unsigned(&COUNT)?;
            // Each of the five numbers of a variable takes a nibble or more.
            if u64::from(count) * 5 > n.left() * 2 {
                return Err(Error::invalid("more variables than bytes", at));
            }
            (0..count).map(|_| n.group(&VARIABLE, |n| variable(n, layout))).collect()
        })
    })
}

fn variable<N: Recorder>(n: &mut Nibbles<'_, '_, N>, layout: Layout) -> Result<Variable> {
    let from = n.position();
    let (start, end, number) = if layout.major >= NUMBER_FIRST {
        let number = number(n, layout)?;
        let start = n.unsigned(&START)?;
        if number == CALL_RESULT {
            n.unsigned(&CALL_OFFSET)?;
            (start, start, number)
        } else {
            let length = n.unsigned(&LENGTH)?;
            (start, start.wrapping_add(length), number)
        }
    } else {
        let (start, length) = (n.unsigned(&START)?, n.unsigned(&LENGTH)?);
        (start, start.wrapping_add(length), number(n, layout)?)
    };
    let location = location(n, layout)?;
    Ok(Variable { start, end, number, location, span: n.since(from) })
}

fn number<N: Recorder>(n: &mut Nibbles<'_, '_, N>, layout: Layout) -> Result<i32> {
    let bias = if layout.major >= MORE_IMPLICIT { 6 } else { 4 };
    let number = n.unsigned(&NUMBER)?.wrapping_sub(bias).cast_signed();
    n.changed(&STATE_NUMBER, None, number);
    Ok(number)
}

fn location<N: Recorder>(n: &mut Nibbles<'_, '_, N>, layout: Layout) -> Result<VariableLocation> {
    let at = n.position();
    let kind = n.unsigned(&KIND)?;
    let offset = |n: &mut Nibbles<'_, '_, N>| {
        let offset = n.signed(&STACK_OFFSET)?;
        Ok(if layout.is_x86 { offset.wrapping_mul(4) } else { offset })
    };
    Ok(match kind {
        0 => VariableLocation::Register(n.unsigned(&REGISTER)?),
        1 => VariableLocation::ReferenceInRegister(n.unsigned(&REGISTER)?),
        2 => VariableLocation::FloatRegister(n.unsigned(&REGISTER)?),
        3 => VariableLocation::Stack { base: n.unsigned(&BASE)?, offset: offset(n)? },
        4 => VariableLocation::ReferenceOnStack { base: n.unsigned(&BASE)?, offset: offset(n)? },
        5 => VariableLocation::TwoRegisters(n.unsigned(&REGISTER)?, n.unsigned(&REGISTER)?),
        6 => {
            let (register, base) = (n.unsigned(&REGISTER)?, n.unsigned(&BASE)?);
            VariableLocation::RegisterAndStack { register, base, offset: offset(n)? }
        }
        7 => {
            let (offset, base) = (offset(n)?, n.unsigned(&BASE)?);
            VariableLocation::RegisterAndStack { register: n.unsigned(&REGISTER)?, base, offset }
        }
        8 => VariableLocation::TwoStackSlots { base: n.unsigned(&BASE)?, offset: offset(n)? },
        9 => VariableLocation::FloatStack(n.unsigned(&REGISTER)?),
        10 => VariableLocation::FixedVarargs(n.unsigned(&VARARGS_OFFSET)?),
        other => return Err(Error::unknown("kind of variable location", other, n.since(at))),
    })
}

/// Registers of x86 and of x64, by number (ICorDebugInfo::RegNum).
const X86: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
const X64: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];

/// Ending of the name of the stack pointer as it is after the prolog, whatever is pushed later.
pub const AFTER_PROLOG: &str = " after the prolog";

/// Name of the register that an offset of a stack slot counts from. The number behind the registers and their count is that of the stack
/// pointer after the prolog (ICorDebugInfo::REGNUM_AMBIENT_SP).
pub fn base_name(machine: u16, number: u32) -> String {
    use object::pe::{IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, IMAGE_FILE_MACHINE_I386};
    let stack_pointer = match (object::pe::Machine(machine), number) {
        (IMAGE_FILE_MACHINE_AMD64, 17) => "rsp",
        (IMAGE_FILE_MACHINE_ARM64, 34) => "sp",
        (IMAGE_FILE_MACHINE_I386, 9) => "esp",
        _ => return register_name(machine, number, false),
    };
    format!("{stack_pointer}{AFTER_PROLOG}")
}

/// Name of a register; a floating-point register is numbered from 0, or after the others.
pub fn register_name(machine: u16, number: u32, is_float: bool) -> String {
    use object::pe::{IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, IMAGE_FILE_MACHINE_I386};
    let known = |names: &[&str]| names.get(number as usize).map(|name| (*name).to_owned());
    let name = match object::pe::Machine(machine) {
        IMAGE_FILE_MACHINE_AMD64 if is_float || number >= 16 => Some(format!("xmm{}", number % 16)),
        IMAGE_FILE_MACHINE_AMD64 => known(&X64),
        IMAGE_FILE_MACHINE_I386 => known(&X86),
        IMAGE_FILE_MACHINE_ARM64 => Some(match number {
            _ if is_float && number < 32 => format!("v{number}"),
            29 => "fp".to_owned(),
            30 => "lr".to_owned(),
            31 => "sp".to_owned(),
            32 => "pc".to_owned(),
            0..29 => format!("x{number}"),
            _ => format!("v{}", number.saturating_sub(33)),
        }),
        _ => None,
    };
    name.unwrap_or_else(|| format!("register {number}"))
}
