//! PDB: the streams of an MSF file, of native and managed compilers.
//!
//! ```text
//! stream 1           PDB info: identity, names of streams            info
//! streams 2 and 4    TPI and IPI: types and ids                      tpi
//! stream 3           DBI: modules, contributions, source files       dbi
//! /names             strings                                         names
//! a module's stream  symbols, lines, checksums, inlinees             module, inline_sites
//! symbol records     publics and globals                             globals
//! section headers    sections of the image; OMAP                     sections
//! ```
//!
//! [`Pdb::parse`] reads the first four; everything else is decoded on demand. [`AddressIndex`] finds functions and
//! lines by address; it takes one pass over all modules, and 20 bytes for each function and line range. [`PdbTables`]
//! keeps it, and everything else that is read once.
//!
//! Records within the streams are decoded by [`super::codeview`], those of .NET compilers by [`super::managed`].

pub mod dbi;
mod faults;
pub mod frames;
pub mod globals;
pub mod gsi;
pub mod hash;
pub mod index;
pub mod info;
mod inline_sites;
mod module;
pub mod names;
pub mod sections;
pub mod streams;
mod tables;
pub(super) mod text;
pub mod tpi;
pub mod write;

pub use globals::Globals;
pub use index::{AddressIndex, Function};
pub use inline_sites::{InlineSite, InlineeMap};
pub use module::{ModuleStream, SourceFile};
pub use sections::AddressMap;
pub use streams::StreamKind;
pub use tables::PdbTables;
pub use tpi::{TpiHeader, TypeStream};

use crate::bytes::{Error, Region, Result, Slice, Spaces, Span, or_problem};
use crate::msf::Msf;
use dbi::{Dbi, Module};
use info::Info;
use names::Names;
use streams::Kinds;

/// The streams of a PDB that lead to everything else.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct Pdb {
    pub msf: Msf,
    pub info: Info,
    pub dbi: Option<Dbi>,
    /// String table, `/names`.
    pub names: Names,
    /// Headers of TPI and IPI.
    pub types: [Option<TpiHeader>; 2],
    /// Problems of these streams and of the assignment of streams to their owners.
    pub problems: Vec<Error>,
    kinds: Vec<StreamKind>,
}

impl Pdb {
    /// Reads the info, TPI, IPI and DBI headers and the string table.
    pub fn parse(spaces: &Spaces, msf: Msf) -> Self {
        let mut problems = Vec::new();
        let mut read = |stream: u32| or_problem(stream_region(spaces, &msf, stream), &mut problems).unwrap_or_default();
        let (info, dbi) = (read(streams::INFO), read(streams::DBI));
        let heads = [streams::TPI, streams::IPI].map(|stream| tpi_header(spaces, &msf, stream, &mut problems));
        let info = or_problem(Info::parse(&info), &mut problems).unwrap_or_default();
        // A compiler leaves the stream empty: it is the linker's.
        let dbi = if dbi.is_empty() { None } else { or_problem(Dbi::parse(&dbi), &mut problems) };
        let [types, ids] = heads;
        // A stripped PDB has an empty IPI that no feature announces.
        let has_ids = info.has_ids() || ids.is_some_and(|ids| is_empty(&ids, &msf));
        let mut kinds = Kinds::new(msf.stream_count(), has_ids);
        let types = [types, if has_ids { ids } else { None }];
        let mut named = |name: &str| {
            let region = info.stream(name).map(|stream| stream_region(spaces, &msf, stream));
            region.and_then(|region| or_problem(region, &mut problems))
        };
        let names = named("/names").map(|region| Names::parse(&region)).unwrap_or_default();

        kinds.add_info(&info);
        for (header, kind) in types.iter().zip([StreamKind::TypeHashes, StreamKind::IdHashes]) {
            if let Some(header) = header {
                kinds.add_types(header, kind);
            }
        }
        if let Some(dbi) = &dbi {
            kinds.add_dbi(dbi);
            problems.extend_from_slice(&dbi.problems);
        }
        for found in [&info.problems, &names.problems, &kinds.problems] {
            problems.extend_from_slice(found);
        }
        Self { msf, info, dbi, names, types, problems, kinds: kinds.kinds }
    }

    /// Returns true for the PDB that a compiler shares between its object files (`cl /Zi`): it has types, and an empty DBI stream.
    pub fn is_compile_time(&self) -> bool {
        let is_empty = self.msf.stream(streams::DBI).is_some_and(|stream| stream.size == 0);
        is_empty && self.types.iter().any(Option::is_some)
    }

    /// Bytes of a stream.
    pub fn stream(&self, spaces: &Spaces, stream: u32) -> Result<Region> {
        stream_region(spaces, &self.msf, stream)
    }

    /// All modules.
    pub fn modules(&self) -> &[Module] {
        self.dbi.as_ref().map_or(&[], |dbi| &dbi.modules)
    }

    /// Returns a module and the bytes of its stream.
    pub fn module(&self, spaces: &Spaces, module: u32) -> Result<(Module, Region)> {
        let modules = self.modules();
        let found = modules.get(module as usize).and_then(|module| Some((*module, module.stream()?)));
        let Some((found, stream)) = found else {
            return Err(Error::no_such("module", module, modules.len() as u64, Span::new(self.msf.file, 0, 0)));
        };
        Ok((found, self.stream(spaces, stream)?))
    }
}

/// Header of a type stream, the rest of which may be large and is not read.
fn tpi_header(spaces: &Spaces, msf: &Msf, stream: u32, problems: &mut Vec<Error>) -> Option<TpiHeader> {
    let space = msf.stream(stream)?.space;
    let len = spaces.whole(space).len.min(TpiHeader::SIZE);
    let bytes = or_problem(spaces.read(Span::new(space, 0, len)), problems)?;
    TpiHeader::decode(&mut Slice::new(&bytes, space, 0).cursor()).ok()
}

/// Returns true if the stream of `header` has nothing else, and the header says so.
fn is_empty(header: &TpiHeader, msf: &Msf) -> bool {
    let size = msf.stream(streams::IPI).map_or(0, |stream| u64::from(stream.size));
    u64::from(header.header_size) == TpiHeader::SIZE
        && size == TpiHeader::SIZE
        && header.type_index_begin == header.type_index_end
        && header.type_record_bytes == 0
}

fn stream_region(spaces: &Spaces, msf: &Msf, stream: u32) -> Result<Region> {
    let Some(stream) = msf.stream(stream) else {
        return Err(Error::no_such("stream", stream, msf.stream_count() as u64, Span::new(msf.directory, 0, 4)));
    };
    spaces.region(stream.space)
}

#[cfg(test)]
mod tests;
