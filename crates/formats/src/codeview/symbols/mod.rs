//! Symbol records, the content of module streams and of the symbol record stream.
//!
//! A record consists of its length (2 bytes, not counting itself), its kind (2 bytes) and data that depends on the
//! kind; records are aligned to 4 bytes. Procedures and blocks nest: each opens a scope that the matching `S_END`
//! closes.
//!
//! ```text
//! module stream     signature 4, then records up to the size in the DBI stream
//! S_GMANPROC        a method: token, and offset in the numbering of all IL
//!   S_BLOCK32       a scope
//!     S_UNAMESPACE  an import
//!     S_MANCONSTANT a constant
//!     S_MANSLOT     a local variable
//!   S_END
//!   S_OEM           compiler-specific: "MD2", "asyncMethodInfo"
//! S_END
//! ```
//!
//! Records of unknown kinds keep their bytes.
//!
//! # References
//!
//! microsoft/microsoft-pdb `include/cvinfo.h`.

mod columns;
mod descriptions;
mod kinds;
mod record;
mod records;
mod rest;

pub use columns::{Column, Read, Role, columns, is_function};
pub use kinds::{KINDS, name as kind_name};
pub use record::Symbol;
pub(crate) use records::{KIND, LENGTH, PADDING, SYMBOL};
pub use records::{Record, Records, SIGNATURE, kind, signature};
