//! Portable PDB: the debugging information of a .NET module, as metadata.
//!
//! A portable PDB is built like the metadata of ECMA-335, with a `#Pdb` stream, eight more tables, and heaps of its own. The
//! tables are plain; what is particular to debugging is in the blobs that they point to, and those are what the modules here
//! decode, each from the bytes of one blob and what its row says.
//!
//! | table | blob | decoded by |
//! |--|--|--|
//! | Document | Name | [`document`] |
//! | MethodDebugInformation | SequencePoints | [`points`] |
//! | LocalConstant | Signature | [`constant`] |
//! | ImportScope | Imports | [`imports`] |
//! | CustomDebugInformation | Value | [`custom`] |
//!
//! [`pdb_stream`] decodes the `#Pdb` stream, which ties the file to its module.
//!
//! # References
//!
//! Portable PDB v1.0: `docs/design/specs/PortablePdb-Metadata.md` in <https://github.com/dotnet/runtime>. Where it is silent
//! or behind, the writer of Roslyn is the specification: `MetadataWriter.PortablePdb.cs` and
//! `EditAndContinueMethodDebugInformation.cs` in <https://github.com/dotnet/roslyn>.

pub mod constant;
pub mod custom;
pub mod document;
pub mod imports;
mod pdb;
pub mod pdb_stream;
pub mod points;

pub use pdb::PortablePdb;
