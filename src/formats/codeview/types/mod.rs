//! CodeView type records: what the TPI and IPI streams are full of.
//!
//! A record is its length (2 bytes, not counting itself), its kind (2 bytes, an `LF_…` constant) and what the kind makes of
//! the rest. Records refer to one another by type index; indices below 0x1000 are built in, and their bits say which type
//! they stand for ([`Builtin`]).
//!
//! The records are read here rather than through `pdb`, which can only be asked for them from the first one on, and keeps
//! neither their bytes nor those of their fields.
//!
//! # References
//!
//! microsoft/microsoft-pdb `include/cvinfo.h`; LLVM, "CodeView Type Records".

mod builtin;
mod members;
mod records;

pub use builtin::Builtin;
pub use members::{Member, Members, Methods, OverloadedMethod};
pub use records::{KINDS, Numbers, Property, TypeData, kind_name};
