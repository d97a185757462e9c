//! How each format answers what [`Symbols`](super::symbols::Symbols) asks. One file a format.

mod mdb;
mod portable;

pub use portable::document_name;
