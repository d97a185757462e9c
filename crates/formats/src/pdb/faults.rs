//! Faults that are found only by reading all streams: unknown versions, and records that end early.

use super::dbi::{self, Module};
use super::gsi::{self, GsiHeader, PsiHeader};
use super::tpi::{self, TpiHeader};
use super::{Pdb, PdbTables, info, streams};
use crate::bytes::{Error, Result, Slice, SpaceId, Spaces, Span};
use crate::codeview::symbols;

/// Versions of the hash function of `/names`.
const NAMES_VERSIONS: [u32; 2] = [1, 2];

impl Pdb {
    /// Faults in the headers of the streams: unknown versions and signatures. What follows such a header would be read in a wrong
    /// format.
    pub fn header_faults(&self, spaces: &Spaces) -> Vec<Error> {
        let mut faults = Vec::new();
        let of_types = [streams::TPI, streams::IPI].into_iter().zip(&self.types);
        for (stream, header) in of_types.filter_map(|(stream, header)| Some((stream, header.as_ref()?))) {
            faults.extend(self.type_faults(stream, header));
        }
        if let Some(dbi) = &self.dbi {
            let known = dbi::KNOWN_VERSIONS.contains(&dbi.header.version_header);
            let span = self.head(streams::DBI, 4, 4);
            let expected = "19990903, the version since Visual C++ 7";
            faults
                .extend((!known).then(|| Error::unexpected("DBI version", dbi.header.version_header, expected, span)));
            let [globals, publics] = [dbi.header.global_stream_index, dbi.header.public_stream_index];
            faults.extend(self.hash_table_fault(spaces, globals, 0).err());
            faults.extend(self.hash_table_fault(spaces, publics, PsiHeader::SIZE).err());
        }
        // Version 0 means that the stream could not be read, which is reported as a problem.
        if self.info.version != 0 && !info::is_known(self.info.version) {
            let (span, expected) = (self.head(streams::INFO, 0, 4), "20000404, the version since Visual C++ 7");
            faults.push(Error::unexpected("version of the PDB info stream", self.info.version, expected, span));
        }
        faults.extend(self.names_fault(spaces).err());
        for module in self.modules() {
            faults.extend(self.module_fault(spaces, module).err());
        }
        faults
    }

    /// Some bytes of a stream, for errors.
    fn head(&self, stream: u32, at: u64, len: u64) -> Span {
        self.msf.stream(stream).map_or(Span::default(), |found| Span::new(found.space, at, len))
    }

    fn type_faults(&self, stream: u32, header: &TpiHeader) -> Option<Error> {
        let span = self.head(stream, 0, 4);
        let expected = "20040203, the version since Visual C++ 8";
        let old = header.version != tpi::KNOWN_VERSION;
        old.then(|| Error::unexpected("version of the types", header.version, expected, span))
    }

    /// The header of a hash table of symbols, `skipped` bytes after the start of its stream.
    fn hash_table_fault(&self, spaces: &Spaces, stream: u16, skipped: u64) -> Result<()> {
        if stream == u16::MAX {
            return Ok(());
        }
        let Some(found) = self.msf.stream(stream.into()) else { return Ok(()) };
        let space = found.space;
        if spaces.whole(space).len <= skipped {
            return Ok(());
        }
        let bytes = spaces.read(Span::new(space, skipped, GsiHeader::SIZE))?;
        let header = GsiHeader::decode(&mut Slice::new(&bytes, space, skipped).cursor())?;
        let span = Span::new(space, skipped, 8);
        if header.layout().is_none() {
            let expected = "0xFFFFFFFF: hash tables from before Visual C++ 7 are not decoded";
            return Err(Error::unexpected("signature of the symbol hash table", header.signature, expected, span));
        }
        if header.version != gsi::VERSION {
            let expected = "0xf12f091a";
            return Err(Error::unexpected("version of the symbol hash table", header.version, expected, span));
        }
        Ok(())
    }

    fn names_fault(&self, spaces: &Spaces) -> Result<()> {
        let Some(found) = self.info.stream("/names").and_then(|stream| self.msf.stream(stream)) else { return Ok(()) };
        let space = found.space;
        if spaces.whole(space).len < 8 {
            return Ok(());
        }
        let version = number_at(spaces, space, 4)?;
        if NAMES_VERSIONS.contains(&version) {
            return Ok(());
        }
        Err(Error::unexpected("version of the string table", version, "1 or 2", Span::new(space, 4, 4)))
    }

    /// The signature of a module's symbols, and lines in a format that is not read.
    fn module_fault(&self, spaces: &Spaces, module: &Module) -> Result<()> {
        let Some(found) = module.stream().and_then(|stream| self.msf.stream(stream)) else { return Ok(()) };
        if module.symbols_size > 0 {
            let signature = number_at(spaces, found.space, 0)?;
            if signature != symbols::SIGNATURE {
                let expected = "4, symbols of Visual C++ 7 or later (C13)";
                let span = Span::new(found.space, 0, 4);
                return Err(Error::unexpected("signature of the module's symbols", signature, expected, span));
            }
        }
        if module.c11_size > 0 {
            let span = Span::new(found.space, module.symbols_size.into(), module.c11_size.into());
            let expected = "0: lines from before Visual C++ 7 (C11) are not decoded";
            return Err(Error::unexpected("size of the C11 lines", module.c11_size, expected, span));
        }
        Ok(())
    }
}

impl PdbTables {
    /// Faults of types, symbols and functions, each found where a walk over the records ended early. Reads what was not read yet.
    pub fn faults(&self, pdb: &Pdb, spaces: &Spaces) -> Vec<Error> {
        let (types, ids, globals) = (self.types(pdb, spaces), self.ids(pdb, spaces), self.globals(pdb, spaces));
        let found = types.problems.iter().chain(&ids.problems).chain(&globals.problems);
        found.chain(&self.index(pdb, spaces).problems).cloned().collect()
    }
}

fn number_at(spaces: &Spaces, space: SpaceId, at: u64) -> Result<u32> {
    let bytes = spaces.read(Span::new(space, at, 4))?;
    Ok(bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
}
