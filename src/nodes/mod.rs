//! Everything that has an address.
//!
//! A [`Place`] is the address. What can be listed is [`rows::Rows`], what can be explained field by field is [`fields::Fields`].

pub(crate) mod attributes;
pub mod blobs;
pub mod code_tree;
pub mod code_unit;
pub mod debug_payload;
pub(crate) mod explain;
pub(crate) mod facts;
pub mod fields;
pub mod function;
pub(crate) mod heap_refs;
pub mod lazy_index;
pub(crate) mod listing;
pub(crate) mod mdb;
pub mod method;
pub mod native;
pub(crate) mod overview;
pub mod pdb;
pub mod place;
pub mod regions;
pub mod resolve;
pub mod rows;
pub mod tables;

pub use place::Place;

pub use crate::formats::il::Operand;
/// The vocabulary of the formats that questions and answers are put in.
pub use crate::formats::metadata::{Heap, TableId, Token};
pub use crate::formats::portable::points::Point;

/// The version of the JSON that commands print: a greater one may take away or change what there was.
pub const SCHEMA: u32 = 1;
