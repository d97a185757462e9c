//! Parts of an instruction's text, and how they are written.

use std::fmt::{self, Write};

use super::field::{Expression, Field, Fields};
use super::{immediate, system, target};

/// Part of the text of an instruction.
#[derive(Clone, Copy)]
pub(super) enum Op {
    Text(&'static str),
    /// The choice, of a list, that fields make; `-` is unallocated.
    Choice(&'static str, Fields),
    /// The parts that follow belong to one value of fields: of others, `skipped` parts are left out.
    Unless {
        fields: Fields,
        value: u8,
        skipped: u8,
    },
    Register {
        class: RegisterClass,
        number: Field,
        next: u8,
    },
    Number(NumberFormat, Expression),
    Function(Function),
}

#[derive(Clone, Copy)]
pub(super) enum RegisterClass {
    /// W, or X where all bits of a field are set; number 31 is the zero register or the stack pointer.
    General { width: Field, has_sp: bool },
    /// W.
    Word { has_sp: bool },
    /// A SIMD and FP register of this letter.
    Simd(char),
}

/// Spelling of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberFormat {
    Decimal,
    Signed,
    Hex,
    /// Without `#`.
    Bare,
    /// The 8 bits of a floating-point constant.
    Float,
    /// After a comma; left out if it is 0.
    Offset,
    SignedOffset,
}

impl NumberFormat {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "d" => Self::Decimal,
            "s" => Self::Signed,
            "x" => Self::Hex,
            "n" => Self::Bare,
            "f" => Self::Float,
            ",d" => Self::Offset,
            ",s" => Self::SignedOffset,
            _ => return None,
        })
    }
}

/// Operands that are more than a field.
#[derive(Clone, Copy)]
pub(super) enum Function {
    Label,
    Bitmask,
    MoveBitmask,
    MoveWide,
    MoveNot,
    Shift,
    Extend,
    Index,
    FractionBits,
    ByteMask,
    ShiftRight,
    ShiftLeft,
    SystemRegister,
    Operation,
    OperationOfRegister,
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "label" => Self::Label,
            "bitmask" => Self::Bitmask,
            "movbitmask" => Self::MoveBitmask,
            "movz" => Self::MoveWide,
            "movn" => Self::MoveNot,
            "shift" => Self::Shift,
            "extend" => Self::Extend,
            "index" => Self::Index,
            "fbits" => Self::FractionBits,
            "bytemask" => Self::ByteMask,
            "right" => Self::ShiftRight,
            "left" => Self::ShiftLeft,
            "sysreg" => Self::SystemRegister,
            "operation" => Self::Operation,
            "operationx" => Self::OperationOfRegister,
            _ => return None,
        })
    }
}

/// Writes the parts `ops` of `word`, an instruction at `pc`; `None` if one of them is unallocated.
pub(super) fn write_all(ops: &[Op], word: u32, pc: u64, out: &mut String) -> Option<()> {
    let mut skipped = 0_u8;
    for op in ops {
        if skipped > 0 {
            skipped = skipped.saturating_sub(1);
            continue;
        }
        match *op {
            Op::Text(text) => out.push_str(text),
            Op::Choice(list, fields) => {
                out.push_str(list.split('/').nth(fields.value(word) as usize).filter(|choice| *choice != "-")?);
            }
            Op::Unless { fields, value, skipped: count } => {
                skipped = if fields.value(word) == u32::from(value) { 0 } else { count };
            }
            Op::Register { class, number, next } => {
                register(out, class, number.value(word).wrapping_add(next.into()) & 31, word);
            }
            Op::Number(format, number) => self::number(out, format, number, word).ok()?,
            Op::Function(function) => self::function(out, function, word, pc)?,
        }
    }
    Some(())
}

fn register(out: &mut String, class: RegisterClass, number: u32, word: u32) {
    let (letter, has_sp) = match class {
        RegisterClass::General { width, has_sp } if width.value(word) == width.max() => ('x', has_sp),
        RegisterClass::General { has_sp, .. } | RegisterClass::Word { has_sp } => ('w', has_sp),
        RegisterClass::Simd(letter) => {
            out.push(letter);
            return push_number(out, number);
        }
    };
    general(out, letter, has_sp, number);
}

fn general(out: &mut String, letter: char, has_sp: bool, number: u32) {
    match (number, has_sp, letter) {
        (31, true, 'x') => out.push_str("sp"),
        (31, true, _) => out.push_str("wsp"),
        _ => {
            out.push(letter);
            if number == 31 { out.push_str("zr") } else { push_number(out, number) }
        }
    }
}

/// A number below 100.
fn push_number(out: &mut String, number: u32) {
    let digit = |number: u32| char::from_digit(number, 10).unwrap_or('?');
    if number > 9 {
        out.push(digit(number / 10));
    }
    out.push(digit(number % 10));
}

fn number(out: &mut String, format: NumberFormat, number: Expression, word: u32) -> fmt::Result {
    let is_signed = matches!(format, NumberFormat::Signed | NumberFormat::SignedOffset);
    let value = number.value(word, is_signed);
    match format {
        NumberFormat::Offset | NumberFormat::SignedOffset if value == 0 => Ok(()),
        NumberFormat::Offset | NumberFormat::SignedOffset => write!(out, ", #{value}"),
        NumberFormat::Decimal | NumberFormat::Signed => write!(out, "#{value}"),
        NumberFormat::Hex => write!(out, "#{value:#x}"),
        NumberFormat::Bare => write!(out, "{value}"),
        NumberFormat::Float => write!(out, "#{:?}", immediate::float(value as u32)),
    }
}

fn function(out: &mut String, function: Function, word: u32, pc: u64) -> Option<()> {
    let is_wide = word >> 31 == 1;
    match function {
        Function::Label => write!(out, "{:#x}", target(word, pc)?),
        Function::Bitmask => write!(out, "#{:#x}", immediate::bitmask(word)?),
        Function::MoveBitmask => {
            let value = immediate::bitmask(word).filter(|value| !immediate::is_move_wide(*value, is_wide))?;
            write!(out, "#{value:#x}")
        }
        Function::MoveWide => write!(out, "#{:#x}", immediate::wide(word)?),
        // The complement of a number is less than 0 by one more.
        Function::MoveNot if !is_wide && word >> 5 & 0xffff == 0xffff => return None,
        Function::MoveNot => write!(out, "#-{:#x}", u128::from(immediate::wide(word)?) + 1),
        Function::Shift => return shift(out, word),
        Function::Extend => return extend(out, word),
        Function::Index => return index(out, word),
        Function::FractionBits => {
            let bits = 64_u32 - (word >> 10 & 63);
            if !is_wide && bits > 32 {
                return None;
            }
            write!(out, "#{bits}")
        }
        Function::ByteMask => write!(out, "#{:#x}", immediate::byte_mask(word >> 16 & 7, word >> 5 & 31)),
        Function::ShiftRight => {
            write!(out, "#{}", (immediate::element_bits(word)? << 1).checked_sub(word >> 16 & 127)?)
        }
        Function::ShiftLeft => write!(out, "#{}", (word >> 16 & 127).checked_sub(immediate::element_bits(word)?)?),
        Function::SystemRegister => return system::register(out, word),
        Function::Operation => return system::operation(out, word, false),
        Function::OperationOfRegister => return system::operation(out, word, true),
    }
    .ok()
}

/// Shift of a register: `, lsl #4`; nothing for 0 bits to the left.
fn shift(out: &mut String, word: u32) -> Option<()> {
    let bits = word >> 10 & 63;
    if word >> 31 == 0 && bits > 31 {
        return None;
    }
    match word >> 22 & 3 {
        0 if bits == 0 => return Some(()),
        0 => out.push_str(", lsl #"),
        1 => out.push_str(", lsr #"),
        2 => out.push_str(", asr #"),
        _ => out.push_str(", ror #"),
    }
    push_number(out, bits);
    Some(())
}

const EXTENSIONS: [&str; 8] = ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"];

/// Register that ADD or SUB (extended register) extends, and shifts by at most 4. With the stack pointer, the extension of all bits is
/// named LSL (C6.2.5).
fn extend(out: &mut String, word: u32) -> Option<()> {
    let (is_wide, option, bits) = (word >> 31 == 1, word >> 13 & 7, word >> 10 & 7);
    if bits > 4 {
        return None;
    }
    general(out, if is_wide && option & 3 == 3 { 'x' } else { 'w' }, false, word >> 16 & 31);
    let sets_flags = word >> 29 & 1 == 1;
    let has_sp = word >> 5 & 31 == 31 || word & 31 == 31 && !sets_flags;
    let is_whole = option == if is_wide { 3 } else { 2 };
    if has_sp && is_whole && bits == 0 {
        return Some(());
    }
    out.push_str(", ");
    out.push_str(if has_sp && is_whole { "lsl" } else { EXTENSIONS.get(option as usize)? });
    if bits > 0 {
        out.push_str(" #");
        push_number(out, bits);
    }
    Some(())
}

/// Register that is added to the base of a load or store, perhaps multiplied by the size of the access.
fn index(out: &mut String, word: u32) -> Option<()> {
    let (option, is_scaled) = (word >> 13 & 7, word >> 12 & 1 == 1);
    if option & 2 == 0 {
        return None;
    }
    general(out, if option & 1 == 1 { 'x' } else { 'w' }, false, word >> 16 & 31);
    if option == 3 && !is_scaled {
        return Some(());
    }
    out.push_str(", ");
    out.push_str(if option == 3 { "lsl" } else { EXTENSIONS.get(option as usize)? });
    if is_scaled {
        // SIMD registers of 16 bytes have the upper bit of the size in another field.
        let is_quad = word & 0x0480_0000 == 0x0480_0000;
        out.push_str(" #");
        push_number(out, if is_quad { 4 } else { word >> 30 });
    }
    Some(())
}
