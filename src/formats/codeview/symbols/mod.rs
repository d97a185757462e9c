//! Symbol records: what a module's stream, and the stream of global symbols, are full of.
//!
//! A record is its length (2 bytes, not counting itself), its kind (2 bytes) and what the kind makes of the rest; records begin
//! at multiples of 4. Procedures and blocks are nested: each opens a scope that the `S_END` it belongs to closes.
//!
//! ```text
//! module stream     4, then records up to the size that the module's record in the debug information stream says
//! S_GMANPROC        a method: token, and where its IL stands in the numbering of all IL
//!   S_BLOCK32       a scope
//!     S_UNAMESPACE  an import
//!     S_MANCONSTANT a constant
//!     S_MANSLOT     a local variable
//!   S_END
//!   S_OEM           what the compiler adds: "MD2", "asyncMethodInfo"
//! S_END
//! ```
//!
//! Kinds that a managed PDB has no use for are kept with their bytes.
//!
//! # References
//!
//! microsoft/microsoft-pdb `include/cvinfo.h`.

mod columns;
mod descriptions;
mod kinds;
mod record;
mod records;

pub use columns::{Column, Read, Role, columns, is_function};
pub use kinds::{KINDS, name as kind_name};
pub use record::Symbol;
pub(in crate::formats) use records::{KIND, LENGTH, PADDING, SYMBOL};
pub use records::{Record, Records, SIGNATURE, kind, signature};
