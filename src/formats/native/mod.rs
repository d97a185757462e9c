//! Native PDBs: modules with functions, data and lines, types and ids, and which address of the image is what.
//!
//! The container and what managed PDBs have as well (identity, modules, names, checksums, lines) are read by
//! [`crate::formats::windows`]; here is what only native code has. Everything is decoded when it is asked for. To find things
//! by address there is an [`Index`], made in one pass over all modules, with 20 bytes for each function and each stretch of
//! lines.
//!
//! ```text
//! streams 2 and 4       types, ids                            types
//! a module's stream     functions, variables, inlined calls   symbols, inline
//!                       lines, inlinees                       lines, inline
//! symbol records        publics and globals                   globals
//! section headers       which section is where; OMAP          addresses
//! ```

pub mod addresses;
pub mod globals;
pub mod index;
pub mod inline;
pub mod lines;
pub mod symbols;
pub mod types;

use std::sync::{Arc, OnceLock};

pub use addresses::{Addresses, ImageSection};
pub use globals::Globals;
pub use index::{Function, Index};
pub use inline::{InlineSite, Inlinee};
pub use lines::{Line, SourceFile};
pub use symbols::Symbol;
pub use types::Types;

use crate::bytes::{Error, Region, Result, Slice, Spaces, Span};
use crate::formats::windows::c13::Checksums;
use crate::formats::windows::dbi::Module;
use crate::formats::windows::symbols::{Record, Records};
use crate::formats::windows::{WindowsPdb, streams};

/// What is read of a native PDB once and kept. Every question takes the PDB and the spaces that its bytes are in.
#[derive(Debug, Default)]
pub struct Native {
    types: OnceLock<Types>,
    ids: OnceLock<Types>,
    addresses: OnceLock<Addresses>,
    globals: OnceLock<Globals>,
    index: OnceLock<Index>,
}

/// The bytes of a module's stream, and where its parts are.
#[derive(Clone, Debug)]
pub struct ModuleBytes {
    /// Its number, from 0.
    pub number: u32,
    /// The module.
    pub module: Module,
    /// All of its stream.
    pub region: Region,
}

/// What an address of the image is.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The section, from 1, and the offset in it.
    pub address: (u16, u32),
    /// The function.
    pub function: Option<Function>,
    /// The line of the code there, of the function that the code was compiled into.
    pub line: Option<Line>,
    /// The calls that were inlined there, the outermost first.
    pub inlined: Vec<InlineSite>,
    /// What could not be read.
    pub problems: Vec<Error>,
}

impl Native {
    /// The types.
    pub fn types(&self, pdb: &WindowsPdb, spaces: &Spaces) -> &Types {
        self.types.get_or_init(|| type_stream(pdb, spaces, streams::TYPES))
    }

    /// The ids.
    pub fn ids(&self, pdb: &WindowsPdb, spaces: &Spaces) -> &Types {
        self.ids.get_or_init(|| type_stream(pdb, spaces, streams::IDS))
    }

    /// Which section of the image is where.
    pub fn addresses(&self, pdb: &WindowsPdb, spaces: &Spaces) -> &Addresses {
        self.addresses.get_or_init(|| Addresses::read(pdb, spaces))
    }

    /// The public and the global symbols.
    pub fn globals(&self, pdb: &WindowsPdb, spaces: &Spaces) -> &Globals {
        self.globals.get_or_init(|| Globals::read(pdb, spaces))
    }

    /// Functions and lines by address.
    pub fn index(&self, pdb: &WindowsPdb, spaces: &Spaces) -> &Index {
        self.index.get_or_init(|| Index::read(pdb, spaces))
    }

    /// Reads all that is read only once and kept: what takes its time where there is much.
    pub fn read_all(&self, pdb: &WindowsPdb, spaces: &Spaces) {
        self.index(pdb, spaces);
        self.addresses(pdb, spaces);
        self.globals(pdb, spaces);
        self.types(pdb, spaces);
        self.ids(pdb, spaces);
    }

    /// Whether all of that is read.
    pub fn is_read(&self) -> bool {
        let types = self.types.get().is_some() && self.ids.get().is_some();
        types && self.index.get().is_some() && self.addresses.get().is_some() && self.globals.get().is_some()
    }

    /// What the byte at `rva` of the image is.
    pub fn find(&self, pdb: &WindowsPdb, spaces: &Spaces, rva: u32) -> Found {
        let Some(address) = self.addresses(pdb, spaces).section_offset(rva) else { return Found::default() };
        let index = self.index(pdb, spaces);
        let mut found = Found { address, function: index.function_at(address), ..Found::default() };
        let mut read = |module: u32| match ModuleBytes::read(pdb, spaces, module) {
            Ok(module) => Some(module),
            Err(error) => {
                found.problems.push(error);
                None
            }
        };
        let lines = index.lines_at(address).and_then(|range| Some((range, read(range.module)?)));
        let module = found.function.and_then(|function| Some((function, read(function.module)?)));
        if let Some((range, module)) = lines {
            match module.line_at(range.at, address.1) {
                Ok(line) => found.line = line,
                Err(error) => found.problems.push(error),
            }
        }
        if let Some((function, module)) = module {
            match inline::sites_at(&module, &function, address.1) {
                Ok(sites) => found.inlined = sites,
                Err(error) => found.problems.push(error),
            }
        }
        found
    }
}

fn type_stream(pdb: &WindowsPdb, spaces: &Spaces, stream: u32) -> Types {
    pdb.stream(spaces, stream).map(Types::parse).unwrap_or_default()
}

impl ModuleBytes {
    /// Reads the stream of the module with this number.
    pub fn read(pdb: &WindowsPdb, spaces: &Spaces, number: u32) -> Result<Self> {
        let (module, region) = pdb.module(spaces, number)?;
        Ok(Self { number, module, region })
    }

    /// The same, of bytes that nobody keeps: for who goes through all modules.
    pub fn read_once(pdb: &WindowsPdb, spaces: &Spaces, number: u32) -> Result<Option<Self>> {
        let Some(module) = pdb.modules().get(number as usize).copied() else { return Ok(None) };
        let Some(stream) = module.stream().and_then(|stream| pdb.msf.stream(stream)) else { return Ok(None) };
        let len = spaces.get(stream.space).map_or(0, crate::bytes::Space::len);
        let bytes = spaces.read(Span::new(stream.space, 0, len))?.into_owned();
        Ok(Some(Self { number, module, region: Region::whole(stream.space, Arc::new(bytes)) }))
    }

    /// Its symbols, with the signature before them.
    pub fn symbols(&self) -> Region {
        self.module.symbols(&self.region)
    }

    /// Its subsections of lines, checksums and more.
    pub fn c13(&self) -> Region {
        self.module.c13(&self.region)
    }

    /// The symbol record that begins at `offset` of the stream.
    pub fn symbol(&self, offset: u32) -> Result<Record<'_>> {
        let span = self.region.span().part(offset as u64, 0);
        let symbols = self.region.slice().part(0, self.module.symbols_size.min(self.region.len() as u32) as u64)?;
        let none = Error::invalid("there is no symbol record", span);
        Records::new(symbols, offset as u64).next().unwrap_or(Err(none))
    }

    /// The source files that its lines are in, by the offsets that the lines refer to them with.
    pub fn checksums(&self) -> Checksums<'_> {
        Checksums(index::subsection(self, crate::formats::windows::c13::CHECKSUMS).unwrap_or_default())
    }

    fn slice_at(&self, span: Span) -> Result<Slice<'_>> {
        self.region.slice().at(span)
    }
}

#[cfg(test)]
mod tests;
