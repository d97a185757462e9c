//! Everything that has an address.
//!
//! A [`Place`] is the address. What can be listed is [`rows::Rows`], what can be explained field by field is [`fields::Fields`].

pub mod attributes;
pub mod blobs;
pub mod code_tree;
pub mod code_unit;
pub mod debug_payload;
pub mod document;
pub(crate) mod explain;
pub(crate) mod facts;
pub mod fields;
pub mod finding;
pub mod function;
pub mod heap_refs;
pub(crate) mod kind_names;
pub mod lazy_index;
pub mod listing;
pub mod mdb;
pub mod method;
pub mod native;
pub mod native_lines;
mod node_bytes;
pub mod overview;
pub mod pdb;
pub mod place;
pub mod regions;
pub mod resolve;
pub mod rows;
pub mod table;

pub use explain::fields;
pub use facts::summary;
pub use kind_names::context;
pub(crate) use lazy_index::is_cached;
pub use lazy_index::{build_index, required_index};
pub use listing::{partial_rows, row_of, rows, span_text};
pub use node_bytes::bytes;
pub use place::Place;
pub(crate) use resolve::exists;
pub use resolve::{absence, resolve};

pub use crate::formats::il::Operand;
/// The vocabulary of the formats that questions and answers are put in.
pub use crate::formats::metadata::{Heap, TableId, Token};
pub use crate::formats::sequence_point::SequencePoint;

/// The version of the JSON that commands print: a greater one may take away or change what there was.
pub const SCHEMA: u32 = 1;
