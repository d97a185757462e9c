//! Portable PDB: debugging information of a .NET module in the format of metadata.
//!
//! A portable PDB is metadata (ECMA-335) with a `#Pdb` stream, eight more tables, and heaps of its own. The modules
//! here decode the blobs that these tables refer to, each from the bytes of one blob and the cells of its row.
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
//! Portable PDB v1.0: `docs/design/specs/PortablePdb-Metadata.md` in <https://github.com/dotnet/runtime>. Where it is
//! incomplete or outdated, Roslyn's writer is the reference: `MetadataWriter.PortablePdb.cs` and
//! `EditAndContinueMethodDebugInformation.cs` in <https://github.com/dotnet/roslyn>.

mod all_points;
pub mod constant;
pub mod custom;
mod delta;
pub mod document;
pub mod imports;
mod pdb;
pub mod pdb_stream;
pub mod points;

pub use delta::{Generation, MethodVersion, RowGap};
pub use pdb::PortablePdb;
