//! The stream of a module: symbols, lines, checksums and inlinees, with the module's record in the DBI stream.

use std::sync::Arc;

use super::Pdb;
use super::dbi::Module;
use crate::bytes::{Error, Region, Result, Slice, Spaces, Span};
use crate::codeview::c13::{CHECKSUMS, Checksums, Subsections};
use crate::codeview::symbols::{Record, Records};

/// A module with the bytes of its stream.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct ModuleStream {
    /// Its number, from 0.
    pub number: u32,
    pub module: Module,
    pub region: Region,
}

impl ModuleStream {
    /// Reads the stream of the module with this number.
    pub fn read(pdb: &Pdb, spaces: &Spaces, number: u32) -> Result<Self> {
        let (module, region) = pdb.module(spaces, number)?;
        Ok(Self { number, module, region })
    }

    /// Reads the stream without keeping its bytes in memory, for a pass over all modules.
    pub fn read_once(pdb: &Pdb, spaces: &Spaces, number: u32) -> Result<Option<Self>> {
        let Some(module) = pdb.modules().get(number as usize).copied() else { return Ok(None) };
        let Some(stream) = module.stream().and_then(|stream| pdb.msf.stream(stream)) else { return Ok(None) };
        let len = spaces.get(stream.space).map_or(0, crate::bytes::Space::len);
        let bytes = spaces.read(Span::new(stream.space, 0, len))?.into_owned();
        Ok(Some(Self { number, module, region: Region::whole(stream.space, Arc::new(bytes)) }))
    }

    /// Symbols, including the signature.
    pub fn symbols(&self) -> Region {
        self.module.symbols(&self.region)
    }

    /// C13 debug subsections.
    pub fn c13(&self) -> Region {
        self.module.c13(&self.region)
    }

    /// The symbol record that begins at `offset` of the stream.
    pub fn symbol(&self, offset: u32) -> Result<Record<'_>> {
        let span = self.region.span().part(offset as u64, 0);
        let symbols = self.region.slice().part(0, self.module.symbols_size.min(self.region.len() as u32) as u64)?;
        let none = || Error::invalid("no symbol record at this offset", span);
        Records::new(symbols, offset as u64).next().unwrap_or_else(|| Err(none()))
    }

    /// Source files, addressed by the offsets in lines.
    pub fn checksums(&self) -> Checksums<'_> {
        Checksums(self.subsection(CHECKSUMS).unwrap_or_default())
    }

    pub(super) fn slice_at(&self, span: Span) -> Result<Slice<'_>> {
        self.region.slice().at(span)
    }

    /// The content of the first subsection of this kind.
    pub fn subsection(&self, kind: u32) -> Option<Slice<'_>> {
        let slice = self.slice_at(self.c13().span()).ok()?;
        let mut found = Subsections::new(slice).map_while(Result::ok);
        found.find(|subsection| subsection.kind == kind).map(|found| found.content)
    }
}
