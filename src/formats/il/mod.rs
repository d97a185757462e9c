//! The code of methods: Common Intermediate Language.
//!
//! A method's RVA leads to its [`Body`]: a header of 1 or 12 bytes, the code, and behind it the exception regions. The code
//! is a row of [`Instruction`]s, each one of the [`OPCODES`] and what it works with.
//!
//! Specified in ECMA-335, the layout of bodies in II.25.4, the instructions in III, all opcodes at a glance in VI.C.

mod body;
mod instruction;
mod opcode;
mod opcodes;
mod region;

pub use body::Body;
pub use instruction::{Instruction, Instructions, Operand, Targets};
pub use opcode::{FlowControl, Opcode, OperandType, PREFIX, Variable};
pub use opcodes::OPCODES;
pub use region::{ExceptionRegion, IlRange, RegionKind};

#[cfg(test)]
mod tests;
