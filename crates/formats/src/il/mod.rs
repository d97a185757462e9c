//! Common Intermediate Language (CIL), the code of methods.
//!
//! A method's RVA leads to its [`Body`]: a header of 1 or 12 bytes, the code, and the exception clauses. The code is a
//! sequence of [`Instruction`]s, each made of one of the [`OPCODES`] and its operand.
//!
//! Specified in ECMA-335: method bodies in II.25.4, instructions in III, the list of opcodes in VI.C.2.

mod body;
mod instruction;
mod opcode;
mod opcodes;
mod operation;
mod region;

pub use body::Body;
pub use instruction::{Instruction, Instructions, Operand, Targets};
pub use opcode::{FlowControl, Opcode, OperandType, PREFIX, Variable};
pub use opcodes::OPCODES;
pub use operation::{Condition, Operation, Operator};
pub use region::{ExceptionRegion, IlRange, RegionKind};

#[cfg(test)]
mod tests;
