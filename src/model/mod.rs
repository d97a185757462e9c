//! One loaded pair, and the questions that can be asked of it.
//!
//! Which should I start with? [`Session::open`] loads files. Everything that can be pointed at in them is a [`Place`]. What can
//! be listed is [`Rows`] ([`Session::rows`]), what can be explained is [`Fields`] ([`Session::fields`]).

pub mod absence;
mod attributes;
pub mod blobs;
pub mod breakpoint;
pub mod check;
pub mod code_tree;
pub mod constant_text;
pub mod coverage;
pub mod diff;
pub mod digest;
mod explain;
pub mod extents;
mod facts;
pub mod fields;
pub mod function;
pub mod guids;
pub mod http;
pub mod index;
pub mod lessons;
mod listing;
pub mod lookup;
pub mod method;
mod mono;
pub mod names;
pub mod native;
mod overview;
pub mod payload;
pub mod pdb;
pub mod place;
mod readers;
pub mod registers;
mod resolve;
pub mod routine;
pub mod rows;
mod session;
pub mod signature_text;
pub mod source;
pub mod source_link;
pub mod srcsrv;
pub mod srcsrv_put;
pub mod srcsrv_write;
pub mod store;
pub mod survey;
pub mod symbols;
pub mod tables;
pub mod text;
pub mod time;
pub mod trace;
pub mod tree;
pub mod type_names;
mod users;
mod whose;

pub use fields::{FieldRow, Fields};
pub use lookup::Answer;
pub use method::MethodView;
pub use place::Place;
pub use resolve::NoPlace;
pub use routine::Routine;
pub use rows::{Cell, Head, Row, Rows, Tone};
pub use session::{Belong, Finding, Image, OpenError, Session, SymbolFile, Verdict};
pub use source::{Source, SourceOptions, SourceText, Sources};
pub use survey::Survey;
pub use symbols::Symbols;
pub use whose::{Holder, Whose, Within};

pub use crate::formats::il::Operand;
/// The vocabulary of the formats that questions and answers are put in.
pub use crate::formats::metadata::{Heap, TableId, Token};
pub use crate::formats::sequence_point::SequencePoint;

/// The version of the JSON that commands print: a greater one may take away or change what there was.
pub const SCHEMA: u32 = 1;
