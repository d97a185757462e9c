//! Everything in the open files that has an address.
//!
//! A kind of node is one file: it defines how its path is written and read, its parent, its rows, its fields, its bytes, and the index
//! that they require. It is a constant of type `Kind`, in which only the questions that apply to it are answered. [`Place`] is the address
//! of a node; a question about it goes to its kind. A new kind is one new file and one line in the list of `kinds!`.
//!
//! ```
//! # use pdblens_nodes::Place;
//! for text in ["methods", "method/0x06000002/il/0xf", "table/Document/3", "image/heap/blob/0xb5", "pe/debug/0"] {
//!     assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
//! }
//! ```
//!
//! A path is only an address: whether a node exists there depends on the session. [`resolve()`] also understands names instead of
//! numbers (`method/Clock.Since`, `document/Program.cs`).
//!
//! This crate reads paths, the names in them, and addresses of native code, which a path may have (`function/0001:00000079`). All other
//! notations that people and tools write are those of `query::address`, which begins with these.

#![allow(missing_docs, reason = "a name that says what it is needs no sentence")]

#[macro_use]
pub mod place;

pub mod binding;
pub(crate) mod bytes;
pub mod candidates;
pub mod code_tree;
pub mod code_unit;
pub mod contributions;
pub mod document;
pub(crate) mod entry_stub;
pub(crate) mod exceptions;
pub mod facts;
pub mod fields;
pub mod fill;
pub mod finding;
pub mod function;
pub mod global_symbols;
pub mod heap;
pub(crate) mod kind;
pub(crate) mod layout;
pub mod lazy_index;
pub mod manifest_resource;
pub mod mdb;
pub(crate) mod metadata;
pub mod method;
pub(crate) mod module;
pub mod module_details;
pub(crate) mod msf;
pub mod named;
pub(crate) mod names;
pub mod native;
pub mod overview;
pub mod owner;
pub mod pe;
pub mod r2r;
pub mod regions;
pub mod register;
pub(crate) mod relocations;
pub mod resolve;
pub mod rows;
pub mod section_map;
pub mod stream;
pub mod table;
pub mod tables;
pub mod type_details;
pub mod type_layout;
pub(crate) mod types;
pub mod used_by;
pub mod within;

pub use facts::span_text;
pub use kind::Label;
pub use lazy_index::{LazyIndex, build_index};
pub use place::path::{self, PlaceError, number};
pub use place::{CodeUnit, FunctionPart, MdbTable, MetadataPart, MethodPart, PePart, Place, R2rPart, Side};
pub use register::{
    bytes, context, exists, fields, partial_rows, parts, played, required_index, row_of, rows, summary,
};
pub use resolve::{absence, resolve};

pub use pdblens_formats::il::{Instruction, Opcode, Operand, OperandType};
/// Terms of the formats that questions and answers are put in.
pub use pdblens_formats::metadata::{Heap, TABLE_COUNT, TableId, Token};
pub use pdblens_formats::sequence_point::SequencePoint;

/// Version of the JSON that commands print: a greater one may remove or change members.
pub const SCHEMA: u32 = 1;

#[cfg(test)]
mod tests;
