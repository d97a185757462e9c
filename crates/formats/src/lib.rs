//! Decoders from bytes to values, one folder per format.
//!
//! Decoders do no I/O, produce no text for display, and know one file only. Each is written once over a
//! [`Cursor`](crate::bytes::Cursor): with a recording cursor it also yields fields with spans and explanations.

#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod bytes;
pub mod codeview;
pub mod container;
pub mod cross_check;
pub mod deps;
pub mod host;
pub mod il;
pub mod inflate;
pub mod managed;
pub mod mdb;
pub mod metadata;
pub mod msf;
pub mod nuspec;
pub mod pdb;
pub mod pe;
pub mod points_around;
pub mod portable;
pub mod sequence_point;
pub mod signature;
pub mod srcsrv;
#[cfg(test)]
mod testing;
pub mod tree;
mod zstandard;
