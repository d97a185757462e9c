//! CodeView type records, the content of the TPI and IPI streams.
//!
//! A record consists of its length (2 bytes, not counting itself), its kind (2 bytes, an `LF_…` constant) and data that
//! depends on the kind. Records refer to one another by type index; indices below 0x1000 encode built-in types
//! ([`Builtin`]).
//!
//! The `pdb` crate is not used for them: it has no random access to records and keeps no spans.
//!
//! # References
//!
//! microsoft/microsoft-pdb `include/cvinfo.h`; LLVM, "CodeView Type Records".

mod builtin;
mod data;
mod kinds;
mod members;
mod records;

pub use builtin::Builtin;
pub use data::{Numbers, Property, TypeData};
pub use kinds::{KINDS, kind_name};
pub use members::{Member, Members, Methods, OverloadedMethod};
pub(crate) use records::KIND;
pub use records::LENGTH;
