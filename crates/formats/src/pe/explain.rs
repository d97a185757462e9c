use super::cli::CliHeader;
use super::debug::{self, DebugDirectoryEntry};
use super::{CoffHeader, Directory, DosHeader, OptionalHeader, Pe, SectionHeader};
use crate::bytes::{Cursor, Recording, Result, Slice, Span};

/// A part of an image that can be explained field by field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImagePart {
    /// The DOS header and the program after it.
    Dos,
    /// The PE signature and the COFF header.
    Coff,
    /// The optional header, data directories included.
    Optional,
    /// One data directory, by number.
    Directory(u8),
    /// One section header, by number.
    Section(u16),
    /// The CLI header.
    Cli,
    /// One entry of the debug directory, by number.
    Debug(u16),
    /// The payload of that entry.
    Payload(u16),
}

impl Pe {
    /// All parts that the image has, in the order of [`ImagePart`].
    pub fn parts(&self) -> impl Iterator<Item = ImagePart> {
        let directories = (0..self.directories.len()).map(|index| ImagePart::Directory(index as u8));
        let sections = (0..self.sections.len()).map(|index| ImagePart::Section(index as u16));
        let debug = (0..self.debug.len()).map(|index| ImagePart::Debug(index as u16));
        let payloads = (0..self.debug.len()).map(|index| ImagePart::Payload(index as u16));
        [ImagePart::Dos, ImagePart::Coff, ImagePart::Optional]
            .into_iter()
            .chain(directories)
            .chain(sections)
            .chain([ImagePart::Cli])
            .chain(debug)
            .chain(payloads)
            .filter(|part| self.span(*part).is_some())
    }

    /// Bytes of a part, if the image has it.
    pub fn span(&self, part: ImagePart) -> Option<Span> {
        self.slice(part).map(Slice::span)
    }

    /// Reads a part once more with notes; `cursor` is at the first byte of its [`Pe::slice`].
    pub fn note(&self, part: ImagePart, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        match part {
            ImagePart::Dos => DosHeader::read_with_stub(cursor),
            ImagePart::Coff => CoffHeader::read(cursor).map(drop),
            ImagePart::Optional => OptionalHeader::decode(cursor).map(drop),
            ImagePart::Directory(index) => Directory::decode(cursor, index).map(drop),
            ImagePart::Section(_) => SectionHeader::decode(cursor).map(drop),
            ImagePart::Cli => CliHeader::read(cursor).map(drop),
            ImagePart::Debug(_) => DebugDirectoryEntry::decode(cursor).map(drop),
            ImagePart::Payload(index) => match self.debug.get(index as usize) {
                Some(entry) => debug::note(entry.header.kind, cursor).map(drop),
                None => Ok(()),
            },
        }
    }

    /// The same with its content.
    pub fn slice(&self, part: ImagePart) -> Option<Slice<'_>> {
        let span = match part {
            ImagePart::Dos => {
                let len = (self.dos.pe_header_offset as u64).max(self.dos.span.len);
                return Some(self.window(0, len));
            }
            ImagePart::Optional => return Some(self.optional_bytes()).filter(|bytes| !bytes.is_empty()),
            ImagePart::Cli => return self.cli_bytes(),
            ImagePart::Coff => self.coff.span,
            ImagePart::Directory(index) => self.directories.get(index as usize)?.span,
            ImagePart::Section(index) => self.sections.get(index as usize)?.header.span,
            ImagePart::Debug(index) => self.debug.get(index as usize)?.header.span,
            ImagePart::Payload(index) => self.debug.get(index as usize)?.data?,
        };
        self.region.at(span).ok()
    }

    pub(super) fn optional_bytes(&self) -> Slice<'_> {
        let from = self.coff.span.end() - self.region.span().start;
        self.window(from, self.coff.size_of_optional_header as u64)
    }

    pub(super) fn cli_bytes(&self) -> Option<Slice<'_>> {
        let directory = self.directories.get(Directory::CLI as usize).filter(|directory| directory.is_present())?;
        let near = self.near_rva(directory.rva, CliHeader::SIZE).ok()?;
        near.part(0, near.len().min(CliHeader::SIZE)).ok()
    }

    /// As much of the `len` bytes from `from` on as there is.
    pub(super) fn window(&self, from: u64, len: u64) -> Slice<'_> {
        let near = self.region.near(from, len);
        near.part(0, len.min(near.len())).unwrap_or(near)
    }
}
