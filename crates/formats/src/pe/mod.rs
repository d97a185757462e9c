//! The portable executable: what a DLL or an EXE is, managed or native.
//!
//! A small DOS program comes first and says where the real header is. From there on: the COFF header (for which machine,
//! how many sections), the optional header (which no image goes without: how the image is laid out in memory, and the
//! data directories that say where everything of interest is), the section headers (which range of the file becomes which
//! range of memory), and then the sections themselves. Two directories matter most here: the *CLR runtime header*, which
//! makes the image a managed one and leads to its metadata, and the *debug directory*, which names the PDB that belongs to
//! the image and proves that it does.
//!
//! Most of what points at something in an image is an *RVA*, an address relative to where the image is loaded. `address`
//! turns it into an offset of the file through the section headers.
//!
//! A file with a usable DOS and COFF header is read; whatever is wrong beyond that goes to [`Pe::problems`].
//!
//! # References
//!
//! * Microsoft, *PE Format* (learn.microsoft.com/windows/win32/debug/pe-format)
//! * ECMA-335 II.25, *File format extensions to PE*
//! * dotnet/runtime, `docs/design/specs/PE-COFF.md`: the entries that .NET compilers put into the debug directory

mod address;
mod cli;
pub mod debug;
mod directory;
pub mod exceptions;
mod explain;
pub mod exports;
mod headers;
pub mod imports;
pub mod linker;
#[cfg(test)]
mod linker_tests;
#[cfg(test)]
mod maker;
pub mod names;
mod optional;
pub mod relocations;
pub mod resources;
pub mod rich;
mod section;
#[cfg(test)]
mod tests;
pub mod unwind;
pub mod version;

pub use cli::{CliDirectory, CliHeader};
pub use debug::{DebugEntry, Payload};
pub use directory::Directory;
pub use exceptions::Exceptions;
pub use explain::ImagePart;
pub use exports::Exports;
pub use headers::{CoffHeader, DosHeader};
pub use imports::Imports;
pub use linker::{LinkerTable, LinkerTables};
pub use optional::OptionalHeader;
pub use resources::Resources;
pub use rich::RichHeader;
pub use section::{Section, SectionHeader};
pub use version::VersionInfo;

use address::Mapped;

use crate::bytes::{Error, ErrorKind, Region, Result, Slice, Span, or_problem};
use std::sync::OnceLock;

/// Most bytes of a name (of a DLL, a function, a resource) that are read.
const MAX_NAME: u64 = 4096;
/// Size of a DOS header, the larger of DOS and COFF header, in bytes.
const MAX_HEADER: u64 = 64;

/// A portable executable.
#[derive(Clone, Debug)]
pub struct Pe {
    region: Region,
    by_address: Vec<Mapped>,
    relocations: OnceLock<Vec<relocations::RelocationBlock>>,
    /// The header for DOS, whose last field leads to the PE signature.
    pub dos: DosHeader,
    /// The COFF header: machine, number of sections, time stamp.
    pub coff: CoffHeader,
    /// The optional header; `None` where it cannot be read.
    pub optional: Option<OptionalHeader>,
    /// The data directories, by number.
    pub directories: Vec<Directory>,
    /// The sections, in the order of their headers.
    pub sections: Vec<Section>,
    /// The CLI header, which only a managed image has.
    pub cli: Option<CliHeader>,
    /// The entries of the debug directory, with their payloads.
    pub debug: Vec<DebugEntry>,
    /// Errors in the headers. An unreadable payload of the debug directory has its error in its entry.
    pub problems: Vec<Error>,
}

impl Pe {
    /// Reads an image; fails only where there is no usable DOS or COFF header.
    pub fn parse(region: Region) -> Result<Self> {
        let dos = DosHeader::read(&mut region.near(0, MAX_HEADER).cursor())?;
        let coff = CoffHeader::read(&mut region.near(dos.pe_header_offset as u64, MAX_HEADER).cursor())?;
        let mut pe = Self {
            region,
            by_address: Vec::new(),
            relocations: OnceLock::new(),
            dos,
            coff,
            optional: None,
            directories: Vec::new(),
            sections: Vec::new(),
            cli: None,
            debug: Vec::new(),
            problems: Vec::new(),
        };
        pe.read_optional_header();
        pe.read_sections();
        pe.resolve_directories();
        pe.read_cli_header();
        pe.debug = debug::read(&mut pe);
        Ok(pe)
    }

    /// All of the image.
    pub const fn region(&self) -> &Region {
        &self.region
    }

    /// Machine of the code, without the mark of a system that ready-to-run images have.
    pub fn machine(&self) -> u16 {
        crate::r2r::target(self.coff.machine).machine
    }

    /// The directory of that number, where it leads anywhere.
    pub fn directory(&self, index: u8) -> Option<&Directory> {
        self.directories.get(index as usize).filter(|directory| directory.is_present())
    }

    /// The bytes of a span of the image.
    pub fn bytes(&self, span: Span) -> Result<Slice<'_>> {
        self.region.at(span)
    }

    fn problem(&mut self, sentence: &'static str, span: Span) {
        self.problems.push(Error::invalid(sentence, span));
    }

    fn read_optional_header(&mut self) {
        let read = OptionalHeader::decode(&mut self.optional_bytes().cursor());
        let Some((header, directories)) = or_problem(read, &mut self.problems) else { return };
        let most = object::pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES as u64;
        if (directories.len() as u64) < (header.directory_count as u64).min(most) {
            self.problem("the optional header has no room for all its data directories", header.span);
        }
        (self.optional, self.directories) = (Some(header), directories);
    }

    fn read_sections(&mut self) {
        let coff_end = self.coff.span.end() - self.region.span().start;
        let from = coff_end + u64::from(self.coff.size_of_optional_header);
        let region = self.region.clone();
        let mut cursor = region.near(from, u64::from(self.coff.number_of_sections) * SectionHeader::SIZE).cursor();
        let count = self.coff.number_of_sections;
        let headers = (0..count).map_while(|_| or_problem(SectionHeader::decode(&mut cursor), &mut self.problems));
        self.sections = headers.map(Section::new).collect();
        for section in &mut self.sections {
            section.data =
                region.clip(section.header.pointer_to_raw_data as u64, section.header.size_of_raw_data as u64).span();
            let left = section.data.len;
            if left < section.header.size_of_raw_data as u64 {
                let kind = ErrorKind::UnexpectedEnd { wanted: section.header.size_of_raw_data as u64, left };
                self.problems.push(Error::new(kind, section.header.span));
            }
        }
        self.by_address = Mapped::all(&self.sections);
        let overlap = Mapped::overlap(&self.by_address).and_then(|index| self.sections.get(index as usize));
        if let Some(span) = overlap.map(|section| section.header.span) {
            self.problem("this section overlaps another in memory", span);
        }
    }

    fn resolve_directories(&mut self) {
        for index in 0..self.directories.len() as u8 {
            let Some(directory) = self.directory(index).copied() else { continue };
            let target = match index {
                Directory::CERTIFICATES => {
                    self.region.part(directory.rva as u64, directory.size as u64).map(|r| r.span())
                }
                _ => self.span_at_rva(directory.rva, directory.size),
            };
            let is_unpacked_later = self.unpacked_section(&directory).is_some();
            match (target, self.directories.get_mut(index as usize)) {
                (Ok(span), Some(directory)) => directory.data = Some(span),
                _ if is_unpacked_later => {}
                _ => self.problem("this directory leads to bytes that the file does not have", directory.span),
            }
        }
    }

    fn read_cli_header(&mut self) {
        let Some(bytes) = self.cli_bytes() else { return };
        let read = CliHeader::read(&mut bytes.cursor());
        let Some(header) = or_problem(read, &mut self.problems) else { return };
        self.cli = Some(header);
        if self.metadata().is_none_or(|metadata| metadata.len() < header.metadata().size as u64) {
            self.problem("the CLI header leads to metadata that the file does not have", header.span);
        }
    }
}
