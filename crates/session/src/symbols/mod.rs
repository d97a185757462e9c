//! Documents, methods, points and scopes of symbol files, whatever their format.
//!
//! Portable PDBs, Windows PDBs, Mono's `.mdb` and native PDBs keep the same facts in different ways. Each has a reader that
//! answers the questions of [`SymbolReader`]. What only one format has is reached through [`SymbolFormat`].

mod all_points;
mod compilers;
mod content;
mod embedded_source;
mod format;
mod header_only;
mod id;
mod managed;
mod mdb;
mod module_hashes;
mod native;
mod portable;
mod reader;
mod values;

pub use all_points::EachPoint;
pub use compilers::{Compiler, ModuleBuild};
pub use content::SymbolFormat;
pub use embedded_source::EmbeddedSource;
pub use format::Format;
pub use header_only::HeaderOnly;
pub use id::{IdSuffix, SymbolId};
pub use managed::ManagedPdb;
pub use native::{NativePdb, checksum_algorithm};
pub use portable::document_name;
pub use reader::SymbolReader;
pub use values::{
    Compilation, Constant, Custom, Document, Import, ImportScope, Mapping, Method, ModuleHash, RecordRef, Scope,
    SourceServers, StateMachine, SymbolRecord, Variable,
};

pub use values::RESUMABLE_LOCAL;
