//! From an address of the loaded image to bytes of the file, and back.

use super::{Directory, MAX_NAME, Pe, Section};
use crate::bytes::{Error, Region, Result, Slice, Span, fields};

/// The memory of one section; kept sorted, so that an address is found by halving.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapped {
    start: u32,
    end: u64,
    section: u16,
}

impl Mapped {
    /// The sections that take memory, in its order.
    pub(super) fn all(sections: &[Section]) -> Vec<Self> {
        let mapped = |(section, header): (usize, &Section)| Self {
            start: header.header.virtual_address,
            end: header.header.virtual_address as u64 + header.memory_size() as u64,
            section: section as u16,
        };
        let mut all: Vec<_> = sections.iter().enumerate().map(mapped).filter(|m| m.end > m.start as u64).collect();
        all.sort_by_key(|m| (m.start, m.section));
        all
    }

    /// The first section that begins before its neighbour ends.
    pub(super) fn overlap(all: &[Self]) -> Option<u16> {
        all.iter().zip(all.iter().skip(1)).find(|(a, b)| a.end > b.start as u64).map(|(_, b)| b.section)
    }
}

fields! {
    /// The name of a DLL or of a function, with the NUL that ends it.
    NAME: "name";
}

impl Pe {
    /// The section that the address is in, whether or not the file has bytes for it.
    pub fn section_of(&self, rva: u32) -> Option<&Section> {
        let behind = self.by_address.partition_point(|mapped| mapped.start <= rva);
        let mapped = self.by_address.get(behind.checked_sub(1)?)?;
        if mapped.end > rva as u64 { self.sections.get(mapped.section as usize) } else { None }
    }

    /// Section that has memory, but no bytes in the file, for a directory of a native image: a packer (UPX) leaves such directories, and
    /// its code fills the section after it is loaded.
    pub fn unpacked_section(&self, directory: &Directory) -> Option<&Section> {
        if directory.index == Directory::CERTIFICATES || self.directory(Directory::CLI).is_some() {
            return None;
        }
        let section = self.section_of(directory.rva)?;
        let start = directory.rva.checked_sub(section.header.virtual_address)?;
        let end = u64::from(start) + u64::from(directory.size);
        (start >= section.mapped_size() && end <= u64::from(section.memory_size())).then_some(section)
    }

    /// The offset in the file of the byte that is loaded at `rva`.
    pub fn rva_to_offset(&self, rva: u32) -> Option<u64> {
        self.rest(rva).map(|(from, _)| self.region.span().start + from)
    }

    /// The address at which the byte at `offset` of the file is loaded.
    pub fn offset_to_rva(&self, offset: u64) -> Option<u32> {
        let from = u32::try_from(offset.checked_sub(self.region.span().start)?).ok()?;
        for section in &self.sections {
            match from.checked_sub(section.header.pointer_to_raw_data) {
                Some(into) if into < section.mapped_size() => return section.header.virtual_address.checked_add(into),
                _ => {}
            }
        }
        (from < self.size_of_headers()).then_some(from)
    }

    /// The preferred base address (ImageBase); 0 without an optional header.
    pub fn image_base(&self) -> u64 {
        self.optional.as_ref().map_or(0, |header| header.image_base)
    }

    /// The `len` bytes that are loaded at `rva`.
    pub fn at_rva(&self, rva: u32, len: u32) -> Result<Slice<'_>> {
        self.region.at(self.span_at_rva(rva, len)?)
    }

    /// Position of the `len` bytes that are loaded at `rva`.
    pub fn span_at_rva(&self, rva: u32, len: u32) -> Result<Span> {
        let (from, left) = self.rest(rva).ok_or_else(|| self.no_bytes())?;
        self.region.part(from, left)?.part(0, len as u64).map(|region| region.span())
    }

    /// The bytes that are loaded from `rva` on, to the end of what the file has of the section.
    pub fn rest_at_rva(&self, rva: u32) -> Result<Slice<'_>> {
        let (from, len) = self.rest(rva).ok_or_else(|| self.no_bytes())?;
        self.region.piece(from, len)
    }

    /// The bytes that are loaded from `rva` on: at least `least`, unless what the file has of the section ends before.
    pub fn near_rva(&self, rva: u32, least: u64) -> Result<Slice<'_>> {
        let (from, len) = self.rest(rva).ok_or_else(|| self.no_bytes())?;
        self.region.part(from, len)?;
        let near = self.region.near(from, least.min(len));
        near.part(0, near.len().min(len))
    }

    #[cold]
    fn no_bytes(&self) -> Error {
        Error::invalid("the file has no bytes for this address", self.region.span().part(0, 0))
    }

    /// The name that is loaded at `rva`, without the NUL that ends it.
    pub(super) fn text_at_rva(&self, rva: u32) -> Result<Slice<'_>> {
        let near = self.near_rva(rva, MAX_NAME)?;
        near.part(0, near.len().min(MAX_NAME))?.cursor().text_z(&NAME)
    }

    /// The metadata root that the CLI header leads to.
    pub fn metadata(&self) -> Option<Region> {
        let metadata = self.cli?.metadata();
        let (from, len) = self.rest(metadata.rva)?;
        Some(self.region.clip(from, len.min(metadata.size as u64)))
    }

    /// Offset in the region of the byte loaded at `rva`, and the number of bytes from there to the end of its section's data.
    fn rest(&self, rva: u32) -> Option<(u64, u64)> {
        let (from, len) = match self.section_of(rva) {
            Some(section) => {
                let into = rva.checked_sub(section.header.virtual_address)?;
                let from = u64::from(section.header.pointer_to_raw_data) + u64::from(into);
                (from, section.mapped_size().checked_sub(into)?)
            }
            None => (rva as u64, self.size_of_headers().checked_sub(rva)?),
        };
        let len = self.region.len().checked_sub(from)?.min(len as u64);
        (len > 0).then_some((from, len))
    }

    fn size_of_headers(&self) -> u32 {
        self.optional.map_or(0, |optional| optional.windows.size_of_headers)
    }
}

#[cfg(test)]
mod tests {
    use super::super::SectionHeader;
    use super::*;
    use crate::bytes::{ErrorKind, SpaceId};
    use std::sync::Arc;

    fn section(virtual_address: u32, virtual_size: u32, pointer_to_raw_data: u32, size_of_raw_data: u32) -> Section {
        let mut header = SectionHeader::decode(&mut Slice::new(&[0; 40], SpaceId(0), 0).cursor()).unwrap();
        (header.virtual_address, header.virtual_size) = (virtual_address, virtual_size);
        (header.pointer_to_raw_data, header.size_of_raw_data) = (pointer_to_raw_data, size_of_raw_data);
        Section::new(header)
    }

    /// 0x800 bytes at 0x100 of their space, the first 0x200 of them headers.
    fn image(sections: Vec<Section>) -> Pe {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/ticker/Ticker.dll");
        let mut pe = Pe::parse(Region::whole(SpaceId(0), Arc::new(std::fs::read(path).unwrap()))).unwrap();
        assert_eq!(pe.size_of_headers(), 0x200);
        pe.region = Region::whole(SpaceId(0), Arc::new(vec![0; 0x900])).part(0x100, 0x800).unwrap();
        pe.by_address = Mapped::all(&sections);
        pe.sections = sections;
        pe
    }

    #[test]
    fn headers_are_loaded_as_they_are() {
        let pe = image(vec![section(0x1000, 0x100, 0x200, 0x200)]);
        assert_eq!((pe.rva_to_offset(0x1ff), pe.rva_to_offset(0x200)), (Some(0x2ff), None));
        assert_eq!((pe.offset_to_rva(0x2ff), pe.offset_to_rva(0xff)), (Some(0x1ff), None));
        assert_eq!(pe.at_rva(0x1fe, 2).unwrap().start, 0x2fe);
        assert!(pe.at_rva(0x1fe, 3).is_err());
    }

    #[test]
    fn memory_that_the_file_has_no_bytes_for_is_in_its_section_all_the_same() {
        let pe = image(vec![section(0x1000, 0x1000, 0x200, 0x200), section(0x2000, 0x10, 0x400, 0x200)]);
        assert_eq!(pe.section_of(0x1200).unwrap().header.virtual_address, 0x1000);
        assert_eq!((pe.rva_to_offset(0x11ff), pe.rva_to_offset(0x1200)), (Some(0x4ff), None));
        assert_eq!((pe.rva_to_offset(0x200f), pe.rva_to_offset(0x2010)), (Some(0x50f), None));
        assert!(pe.section_of(0x2010).is_none());
    }

    #[test]
    fn a_section_of_an_old_linker_is_as_large_as_in_the_file() {
        let pe = image(vec![section(0x1000, 0, 0x200, 0x200)]);
        assert_eq!(pe.rest_at_rva(0x1100).unwrap().len(), 0x100);
    }

    #[test]
    fn a_section_that_is_cut_short_ends_with_the_file() {
        let pe = image(vec![section(0x1000, 0x1000, 0x700, 0x1000), section(0x2000, 0x1000, 0x800, 0x1000)]);
        assert_eq!(pe.rest_at_rva(0x1000).unwrap().len(), 0x100);
        assert_eq!(pe.at_rva(0x10ff, 2).unwrap_err().kind, ErrorKind::UnexpectedEnd { wanted: 2, left: 1 });
        assert!(pe.rest_at_rva(0x1100).is_err());
        assert!(pe.rest_at_rva(0x2000).is_err());
    }

    #[test]
    fn sections_at_the_end_of_all_addresses_and_over_each_other_are_harmless() {
        let sections = vec![section(0x1000, 0x1000, 0, 0x800), section(0x1800, 0x1000, u32::MAX, u32::MAX)];
        assert_eq!(Mapped::overlap(&Mapped::all(&sections)), Some(1));
        let pe = image([sections, vec![section(u32::MAX, u32::MAX, 0, u32::MAX), section(0, 0, 0, 0)]].concat());
        assert_eq!((pe.rva_to_offset(u32::MAX), pe.rva_to_offset(u32::MAX - 1)), (Some(0x100), None));
        assert_eq!((pe.rva_to_offset(0x17ff), pe.rva_to_offset(0x1800)), (Some(0x8ff), None));
        assert_eq!(pe.offset_to_rva(0x900), None);
    }
}
