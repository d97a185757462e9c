//! Bytes to values, one format a folder.
//!
//! No I/O here, no text for people, and no idea that two files belong together. Every decoder is written once over a
//! [`Cursor`](crate::bytes::Cursor): without notes it answers, with notes it explains.

#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod codeview;
pub mod cross_check;
pub mod host;
pub mod il;
pub mod ildb;
pub mod inflate;
pub mod managed;
pub mod mdb;
pub mod metadata;
pub mod msf;
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
