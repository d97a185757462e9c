//! Machine code as instructions: x86, x64 and ARM64.
//!
//! Code is decoded from its first byte on, each instruction where the one before it ends (linear sweep). Bytes that are no
//! instruction are instructions named `?`, of one byte or, on ARM64, of one word: instructions always tile the code.
//!
//! # References
//!
//! Intel, *64 and IA-32 Architectures Software Developer's Manual*, volume 2; Arm, *Architecture Reference Manual for
//! A-profile*, chapters C4 to C7.

mod arm64;
mod x86;

/// Instruction set of machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Machine {
    X86,
    X64,
    Arm64,
}

/// Effect of an instruction on the flow of control.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flow {
    /// The next instruction follows.
    #[default]
    Next,
    Jump,
    Branch,
    Call,
    Return,
    /// No instruction: bytes that the decoder does not know.
    Unknown,
    /// No instruction: data between the code, as an entry of a jump table.
    Data,
}

/// Location of an instruction, without its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Offset in the code.
    pub offset: u32,
    /// Number of bytes; at least 1.
    pub len: u8,
    /// Effect on the flow of control.
    pub flow: Flow,
    /// Address of the code that it jumps to or calls, or of the data that it uses, if the instruction alone gives it; on ARM64
    /// also where an `adrp` before it has set the page.
    pub target: Option<u64>,
    /// True if `target` is a page, in which another instruction adds the offset (`adrp`).
    pub is_page: bool,
    /// An operand of x86 that may be an address: a number of 32 bits.
    pub number: Option<u32>,
}

/// Text of an instruction in the syntax of the processor's assembler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionText {
    /// Name of the instruction.
    pub mnemonic: String,
    /// Operands, with commas between them.
    pub operands: String,
}

/// Part of an instruction's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionPart {
    /// Prefixes, opcode and registers.
    Opcode,
    /// A number that is added to an address.
    Displacement,
    /// A number that is an operand, or the distance of a jump.
    Immediate,
}

impl Instruction {
    /// Offset of the next instruction.
    pub const fn end(&self) -> u32 {
        self.offset + self.len as u32
    }

    /// Returns true if `target` is code.
    pub const fn is_transfer(&self) -> bool {
        matches!(self.flow, Flow::Jump | Flow::Branch | Flow::Call | Flow::Data)
    }
}

/// Returns true if `code` is only what linkers and compilers align with: instructions that do nothing, breakpoints, zeros.
pub fn is_filler(machine: Machine, code: &[u8]) -> bool {
    if code.iter().all(|byte| *byte == 0) {
        return true;
    }
    let mut rest = code;
    while let Some(len) = if machine == Machine::Arm64 { arm64_filler(rest) } else { x86_filler(rest) } {
        rest = rest.get(len..).unwrap_or_default();
    }
    rest.is_empty()
}

/// Size of the filling instruction at the start of ARM64 code: `nop`, `brk`, `udf 0`.
fn arm64_filler(code: &[u8]) -> Option<usize> {
    let word = u32::from_le_bytes(*code.first_chunk::<4>()?);
    (word == 0xd503_201f || word & 0xffe0_001f == 0xd420_0000 || word == 0).then_some(4)
}

/// Size of the filling instruction at the start of x86 code: `int3`, or `nop` in any of its lengths (Intel SDM, NOP).
fn x86_filler(code: &[u8]) -> Option<usize> {
    let prefixes = code.iter().take_while(|byte| matches!(byte, 0x66 | 0x2e)).count();
    let len = match code.get(prefixes..)? {
        [0xcc | 0x90, ..] => 1,
        [0x0f, 0x1f, 0x00, ..] => 3,
        [0x0f, 0x1f, 0x40, ..] => 4,
        [0x0f, 0x1f, 0x44, ..] => 5,
        [0x0f, 0x1f, 0x80, ..] => 7,
        [0x0f, 0x1f, 0x84, ..] => 8,
        _ => return None,
    };
    prefixes.checked_add(len).filter(|len| *len <= code.len())
}

impl Machine {
    /// Returns the instruction set of a COFF machine number; `None` if it has no decoder here.
    pub const fn of(coff: u16) -> Option<Self> {
        Some(match coff {
            0x014c => Self::X86,
            0x8664 => Self::X64,
            0xaa64 => Self::Arm64,
            _ => return None,
        })
    }

    /// Instructions of `code`, whose first byte is at `address`; they tile it.
    pub fn disassemble(self, code: &[u8], address: u64) -> Vec<Instruction> {
        match self {
            Self::X86 => x86::disassemble(32, code, address),
            Self::X64 => x86::disassemble(64, code, address),
            Self::Arm64 => arm64::disassemble(code, address),
        }
    }

    /// Text of the instruction with the bytes `code` at `address`; named `?` if they are none.
    pub fn text(self, code: &[u8], address: u64) -> InstructionText {
        let text = match self {
            Self::X86 => x86::text(32, code, address),
            Self::X64 => x86::text(64, code, address),
            Self::Arm64 => arm64::text(code, address),
        };
        text.unwrap_or_else(|| InstructionText { mnemonic: "?".to_owned(), operands: String::new() })
    }

    /// Parts of the instruction with the bytes `code`, each with its size; they tile it.
    pub fn parts(self, code: &[u8]) -> Vec<(InstructionPart, u64)> {
        match self {
            Self::X86 => x86::parts(32, code),
            Self::X64 => x86::parts(64, code),
            Self::Arm64 => vec![(InstructionPart::Opcode, code.len() as u64)],
        }
    }

    /// The code at `address` with zeros for every number by which it reaches something outside: those change wherever code or data
    /// is moved. `each` receives the addresses that they lead to.
    pub fn without_distances(self, code: &[u8], address: u64, each: &mut dyn FnMut(u64)) -> Vec<u8> {
        let mut out = code.to_vec();
        let inside = address..address.saturating_add(code.len() as u64);
        for instruction in self.disassemble(code, address) {
            let Some(target) = instruction.target else { continue };
            // Of the two instructions that reach data on ARM64, neither has a distance from the code.
            let is_own = inside.contains(&target) && (self != Self::Arm64 || instruction.is_transfer());
            let Some(bytes) = out.get_mut(instruction.offset as usize..instruction.end() as usize) else { continue };
            if is_own {
                continue;
            }
            match self {
                Self::Arm64 => arm64::clear_distance(bytes),
                Self::X86 => x86::clear_distance(32, bytes, instruction.is_transfer()),
                Self::X64 => x86::clear_distance(64, bytes, instruction.is_transfer()),
            }
            if !instruction.is_page {
                each(target);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests;
