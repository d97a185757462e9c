//! The debug information stream (DBI), stream 3: a header, and the substreams whose sizes it gives.
//!
//! ```text
//! header
//! module infos           one record for each module: an object file, or in a managed PDB a type
//! section contributions  which bytes of the image come from which module
//! section map            the sections of the image
//! source info            the source files of each module
//! type server map        obsolete
//! edit and continue      a string table
//! debug header           the streams that hold copies of parts of the image
//! ```
//!
//! In the header, the sizes of the last two substreams are in the opposite order.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/dbi_*.md`; LLVM, "The PDB DBI Stream".

mod header;
mod modules;
mod sections;
mod sources;

use header::{DEBUG_HEADER, LEFT_OVER, UNKNOWN};
pub use header::{DEBUG_STREAMS, DbiHeader, KNOWN_VERSIONS};
pub use modules::{Module, ModuleInfo};
pub use sections::{Contribution, Contributions, SectionMap, SectionMapEntry};
pub use sources::{NAME as SOURCE_NAME, NAMES as SOURCE_NAMES, SourceInfo};

use crate::bytes::{At, Cursor, Error, Recorder, Region, Result, or_problem};

/// Stream number that stands for none.
pub const NO_STREAM: u16 = u16::MAX;

/// Debug information stream (DBI).
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Dbi {
    pub header: DbiHeader,
    /// One record for each module.
    pub module_infos: Region,
    pub contributions: Contributions,
    pub section_map: SectionMap,
    pub sources: SourceInfo,
    /// Obsolete.
    pub type_server_map: Region,
    /// A string table.
    pub edit_and_continue: Region,
    /// Streams that hold copies of parts of the image; in the order of [`DEBUG_STREAMS`].
    pub debug_streams: Vec<At<u16>>,
    /// Bytes after the last substream.
    pub left_over: Region,
    pub modules: Vec<Module>,
    pub problems: Vec<Error>,
}

impl Dbi {
    /// Reads all of stream 3.
    pub fn parse(region: &Region) -> Result<Self> {
        let mut cursor = region.cursor();
        if let Some(signature) = cursor.remaining().first_chunk().filter(|signature| **signature != [0xff; 4]) {
            let signature = u32::from_le_bytes(*signature);
            let expected = "-1: a DBI stream from before Visual C++ 7 is not decoded";
            return Err(Error::unexpected("version signature", signature, expected, region.span().part(0, 4)));
        }
        let header = DbiHeader::decode(&mut cursor)?;
        let mut problems = Vec::new();
        let mut at = cursor.consumed();
        let mut next = |size: u32| {
            let part = or_problem(region.part(at, size as u64), &mut problems);
            let part = part.unwrap_or_else(|| region.clip(at, size as u64));
            at += part.len();
            part
        };
        let module_infos = next(header.module_info_size);
        let contributions = next(header.section_contribution_size);
        let section_map = next(header.section_map_size);
        let source_info = next(header.source_info_size);
        let type_server_map = next(header.type_server_map_size);
        let edit_and_continue = next(header.ec_substream_size);
        let debug_header = next(header.debug_header_size);
        let left_over = region.clip(at, u64::MAX);
        let modules = modules::all(&module_infos, &mut problems);
        let mut debug_streams = Vec::new();
        problems.extend(debug_header_streams(&mut debug_header.cursor(), &mut debug_streams).err());
        Ok(Self {
            header,
            contributions: Contributions::parse(contributions, &mut problems),
            section_map: SectionMap::parse(section_map, &mut problems),
            sources: SourceInfo::parse(source_info, &mut problems),
            module_infos,
            type_server_map,
            edit_and_continue,
            debug_streams,
            left_over,
            modules,
            problems,
        })
    }

    /// The name of a module, and of the file it was read from.
    pub fn names_of(&self, module: &Module) -> Result<ModuleInfo<'_>> {
        ModuleInfo::decode(&mut self.module_infos.slice().at(module.span)?.cursor())
    }
}

/// Reads the debug header for its fields.
pub fn debug_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    debug_header_streams(cursor, &mut Vec::new())
}

fn debug_header_streams<N: Recorder>(cursor: &mut Cursor<'_, N>, streams: &mut Vec<At<u16>>) -> Result<()> {
    cursor.group(&DEBUG_HEADER, |c| {
        while c.left() >= 2 {
            let name = DEBUG_STREAMS.get(streams.len()).copied().unwrap_or(&UNKNOWN);
            streams.push(c.spanned(|c| c.u16(name))?);
        }
        c.left_over(&LEFT_OVER)?;
        Ok(())
    })
}

#[cfg(test)]
mod tests;
