//! Instructions of ARM64 (A64), each a word of four bytes.
//!
//! `instructions.txt` describes them in the groups of the Arm manual (C4.1), and `table` looks a word up in it. It has Armv8.8 without
//! SVE and SME, whose words are no instructions here. Not all rows require the bits that should be 0 or 1 (`(0)` and `(1)` in the
//! manual), without which an instruction is `CONSTRAINED UNPREDICTABLE`.

mod field;
mod immediate;
mod operand;
mod system;
mod table;
mod template;

use self::table::Table;
use super::{Flow, Instruction, InstructionText};

/// Bytes of an instruction.
const WORD: usize = 4;

pub(super) fn disassemble(code: &[u8], address: u64) -> Vec<Instruction> {
    let table = Table::get();
    let mut text = String::new();
    let mut pages = Pages::default();
    let mut found = Vec::with_capacity(code.len().div_ceil(WORD));
    for (index, bytes) in code.chunks(WORD).enumerate() {
        let offset = (index * WORD) as u32;
        let mut instruction =
            Instruction { offset, len: bytes.len() as u8, flow: Flow::Unknown, ..Instruction::default() };
        let pc = address.wrapping_add(offset.into());
        if let Some(word) = word(bytes).filter(|word| table.decode(*word, pc, &mut text).is_some()) {
            instruction.flow = flow(word);
            instruction.target = target(word, pc).or_else(|| pages.target(word));
            instruction.is_page = is_page(word);
            pages.see(word, pc, instruction.flow);
        } else {
            pages = Pages::default();
        }
        found.push(instruction);
    }
    found
}

fn word(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

pub(super) fn text(code: &[u8], address: u64) -> Option<InstructionText> {
    let mut text = String::new();
    Table::get().decode(word(code)?, address, &mut text)?;
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
    Some(InstructionText { mnemonic: mnemonic.to_owned(), operands: operands.trim_end().to_owned() })
}

/// Effect of an instruction on the flow of control (Arm ARM C4.1.86, "Branches").
const fn flow(word: u32) -> Flow {
    if word & 0xfe00_0000 == 0xd600_0000 {
        // Branches to a register, with or without authentication of the pointer.
        return match word >> 21 & 7 {
            0 => Flow::Jump,
            1 => Flow::Call,
            _ => Flow::Return,
        };
    }
    match word >> 26 {
        0b00_0101 => Flow::Jump,
        0b10_0101 => Flow::Call,
        // B.cond; CBZ, CBNZ, TBZ and TBNZ.
        _ if word >> 24 == 0x54 || word & 0x7c00_0000 == 0x3400_0000 => Flow::Branch,
        _ => Flow::Next,
    }
}

/// Address that an instruction at `pc` jumps to, calls or uses.
const fn target(word: u32, pc: u64) -> Option<u64> {
    // B and BL; B.cond, CBZ, CBNZ and LDR (literal); TBZ and TBNZ.
    let distance = if word & 0x7c00_0000 == 0x1400_0000 {
        signed(word, 0, 26) << 2
    } else if word & 0xff00_0000 == 0x5400_0000
        || word & 0x7e00_0000 == 0x3400_0000
        || word & 0x3b00_0000 == 0x1800_0000
    {
        signed(word, 5, 19) << 2
    } else if word & 0x7e00_0000 == 0x3600_0000 {
        signed(word, 5, 14) << 2
    } else if word & 0x1f00_0000 == 0x1000_0000 {
        // ADR and ADRP: two more bits of the number stand above it.
        let number = signed(word, 5, 19) << 2 | (word >> 29 & 3) as i64;
        if word >> 31 == 1 {
            return Some((pc & !0xfff).wrapping_add_signed(number << 12));
        }
        number
    } else {
        return None;
    };
    Some(pc.wrapping_add_signed(distance))
}

/// Sets the number of an instruction that reaches an address to 0: a distance, or the offset in a page.
pub(super) fn clear_distance(code: &mut [u8]) {
    let Some(word) = word(code) else { return };
    let field = |shift: u32, bits: u32| !(u32::MAX << bits) << shift;
    let number = match word {
        _ if word & 0x7c00_0000 == 0x1400_0000 => field(0, 26),
        _ if word & 0x7e00_0000 == 0x3600_0000 => field(5, 14),
        _ if word & 0x1f00_0000 == 0x1000_0000 => field(5, 19) | field(29, 2),
        _ if word & 0xffc0_0000 == 0x9100_0000 || word & 0x3b00_0000 == 0x3900_0000 => field(10, 12),
        _ => field(5, 19),
    };
    code.copy_from_slice(&(word & !number).to_le_bytes());
}

/// Returns true for ADRP.
const fn is_page(word: u32) -> bool {
    word & 0x9f00_0000 == 0x9000_0000
}

/// A signed number in a field of an instruction.
const fn signed(word: u32, shift: u32, bits: u32) -> i64 {
    let unused = u32::BITS.saturating_sub(bits);
    ((word >> shift << unused) as i32 >> unused) as i64
}

/// Pages that `adrp` has set, by register. An instruction that may change a register, and every jump or call, ends what is known.
#[derive(Default)]
struct Pages([Option<u64>; 32]);

impl Pages {
    /// Address that ADD (immediate) makes of a page, or that a load or store with an unsigned offset uses in it.
    fn target(&self, word: u32) -> Option<u64> {
        let offset = u64::from(word >> 10 & 0xfff);
        let offset = if word & 0xffc0_0000 == 0x9100_0000 {
            offset
        } else if word & 0x3b00_0000 == 0x3900_0000 {
            // SIMD registers of 16 bytes have the upper bit of the size in another field.
            let is_quad = word & 0x0480_0000 == 0x0480_0000 && word >> 30 == 0;
            offset << if is_quad { 4 } else { word >> 30 }
        } else {
            return None;
        };
        Some((*self.0.get(register(word, 5))?)?.wrapping_add(offset))
    }

    fn see(&mut self, word: u32, pc: u64, flow: Flow) {
        if flow != Flow::Next {
            self.0 = [None; 32];
            return;
        }
        let is_page = is_page(word);
        // A load or store with an unsigned offset changes no base; of all others, each field may name a changed register.
        let keeps_base = word & 0x3b00_0000 == 0x3900_0000;
        let fields: &[u32] = match (is_page, keeps_base) {
            (true, _) | (_, true) => &[0],
            _ => &[0, 5, 10, 16],
        };
        for shift in fields {
            self.set(register(word, *shift), None);
        }
        if is_page {
            self.set(register(word, 0), target(word, pc));
        }
    }

    fn set(&mut self, register: usize, page: Option<u64>) {
        if let Some(slot) = self.0.get_mut(register) {
            *slot = page;
        }
    }
}

const fn register(word: u32, shift: u32) -> usize {
    (word >> shift & 31) as usize
}

#[cfg(test)]
mod tests;
