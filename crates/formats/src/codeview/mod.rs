//! CodeView: the records inside the streams of a PDB.
//!
//! ```text
//! symbols   symbol records (`S_…`): functions, data, scopes, references
//! types     type records (`LF_…`): types and ids, with the members of field lists
//! c13       C13 debug subsections: lines, checksums
//! inline    inlinee lines, and the binary annotations of inlined calls
//! languages names of source languages
//! leaf      numeric leaves: self-describing numbers
//! ```
//!
//! Records are decoded from their bytes alone, without reference to streams.

pub mod c13;
#[cfg(test)]
mod field_tests;
pub(super) mod flags;
pub mod inline;
pub mod languages;
mod leaf;
pub mod symbols;
pub mod types;

pub use leaf::{Decimal, Leaf};
