//! Documents, methods, points and scopes of symbol files, whatever their format.
//!
//! Portable PDBs, Windows PDBs, Mono's `.mdb` and native PDBs keep the same facts in different ways. Each has a reader that
//! answers the questions of [`SymbolReader`]. What only one format has is reached through [`SymbolFormat`].

mod compilers;
mod content;
mod embedded_source;
mod mdb;
mod portable;
mod reader;
mod values;
mod windows;

pub use compilers::{Compiler, ModuleBuild};
pub use content::{EachPoint, HeaderOnly, SymbolFormat};
pub use embedded_source::EmbeddedSource;
pub use portable::document_name;
pub use reader::SymbolReader;
pub use values::{
    Compilation, Constant, Custom, Document, Format, IdSuffix, Import, ImportScope, Mapping, Method, ModuleHash,
    RESUMABLE_LOCAL, RecordRef, Scope, SourceServers, StateMachine, SymbolId, SymbolRecord, Variable,
};
pub use windows::{WindowsSymbols, checksum_algorithm};
