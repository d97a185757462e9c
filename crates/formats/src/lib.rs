//! Decoders of .NET symbol files and images, from bytes to values.
//!
//! A decoder does no I/O, produces no text for display, and knows one file. It is written once over a [`Cursor`](bytes::Cursor). With
//! a recording cursor the same decoder also yields each field with its [`Span`](bytes::Span) and its sentence.
//!
//! * [`bytes`] has cursors, spans, spaces (files, streams, inflated sections), the budget, and `record!`, which declares a fixed record once.
//! * [`pe`] reads images, [`metadata`], [`signature`] and [`il`] what ECMA-335 defines in them.
//! * [`portable`] reads portable PDBs, [`msf`], [`pdb`], [`codeview`] and [`managed`] Windows PDBs, [`mdb`] those of Mono; [`dwarf`] reads line programs.
//! * [`container`], [`host`], [`nuspec`] and [`deps`] read what assemblies are delivered in.
//! * `cross_check` (a feature) compares a Windows PDB with the `pdb` crate.
//!
//! # Errors
//!
//! A decoder returns [`bytes::Error`]: the span that could not be read, and the reason. The rest of the file can still be read. No
//! function panics on any bytes: this crate denies indexing, `unwrap` and `expect`.

#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

pub mod bytes;
pub mod codeview;
pub mod container;
#[cfg(feature = "cross-check")]
pub mod cross_check;
pub mod deps;
pub mod dwarf;
pub mod host;
pub mod il;
pub mod inflate;
#[cfg(feature = "schema")]
pub mod json_schema;
pub mod managed;
pub mod mdb;
pub mod metadata;
pub mod msf;
pub mod native_map;
pub mod nuspec;
pub mod pdb;
pub mod pe;
pub mod points_around;
pub mod portable;
pub mod profile;
pub mod r2r;
pub mod reason;
pub mod sequence_point;
pub mod serialize;
pub mod signature;
pub mod srcsrv;
#[cfg(test)]
mod testing;
pub mod tree;
mod zstandard;
