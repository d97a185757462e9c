//! Addresses of the image's sections: copies of its section headers, and OMAP for an image that was rearranged after it
//! was linked.
//!
//! Everything else in a PDB is addressed by *section and offset*. OMAP consists of two sorted tables of address pairs:
//! the code from the first address of a pair, up to the next pair, was moved to the second; 0 or 0x80000000 marks
//! code that the other image does not have. Such a PDB has the section headers of both images, and its sections and offsets are those of the image as it was linked.

use super::Pdb;
use crate::bytes::{Error, Region, Spaces, or_problem};
use crate::pe::SectionHeader;
use crate::pe::debug::OmapEntry;

/// Addresses of the sections of the image.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct AddressMap {
    pub sections: Vec<SectionHeader>,
    /// Sections of the image as it was linked, if it was rearranged later (OMAP); sections and offsets in the PDB refer to
    /// these.
    pub linked: Vec<SectionHeader>,
    /// Section headers of the PDB, where those of the open image differ and are used in their place.
    replaced: Option<Vec<SectionHeader>>,
    /// Address pairs from the linked to the final image.
    from_linked: Region,
    /// Address pairs from the final to the linked image.
    to_linked: Region,
    pub problems: Vec<Error>,
}

/// Indices in the debug header of the streams used here.
const OMAP_TO_LINKED: usize = 3;
const OMAP_FROM_LINKED: usize = 4;
const SECTIONS: usize = 5;
const LINKED_SECTIONS: usize = 10;

impl AddressMap {
    /// Reads section headers and OMAP. The headers of the image itself, where it is open, count more than the copies.
    pub(super) fn read(pdb: &Pdb, spaces: &Spaces, image: &[SectionHeader]) -> Self {
        let mut addresses = Self::default();
        let streams = pdb.dbi.as_ref().map_or(&[][..], |dbi| &dbi.debug_streams);
        let mut stream = |index: usize| {
            let number = streams.get(index).map(|stream| stream.value).filter(|stream| *stream != u16::MAX);
            let region = number.map(|number| pdb.stream(spaces, number as u32));
            region.and_then(|region| or_problem(region, &mut addresses.problems)).unwrap_or_default()
        };
        let (sections, linked) = (stream(SECTIONS), stream(LINKED_SECTIONS));
        (addresses.from_linked, addresses.to_linked) = (stream(OMAP_FROM_LINKED), stream(OMAP_TO_LINKED));
        addresses.sections = addresses.headers(&sections);
        addresses.linked = addresses.headers(&linked);
        if addresses.linked.is_empty() && !(addresses.from_linked.is_empty() && addresses.to_linked.is_empty()) {
            // OMAP without the stream of original headers: sections kept their numbers and addresses.
            addresses.linked = if addresses.sections.is_empty() { image.to_vec() } else { addresses.sections.clone() };
        }
        let ranges = |sections: &[SectionHeader]| -> Vec<(u32, u32)> {
            sections.iter().map(|section| (section.virtual_address, section.virtual_size)).collect()
        };
        if !image.is_empty() && ranges(image) != ranges(&addresses.sections) {
            addresses.replaced = Some(std::mem::replace(&mut addresses.sections, image.to_vec()));
        }
        addresses
    }

    fn headers(&mut self, region: &Region) -> Vec<SectionHeader> {
        // Section numbers have 16 bits.
        let headers = region.slice().items(SectionHeader::decode).take(u16::MAX as usize);
        headers.map_while(|header| or_problem(header, &mut self.problems)).collect()
    }

    /// Section headers of the image, as the PDB has them.
    pub fn said(&self) -> &[SectionHeader] {
        self.replaced.as_deref().unwrap_or(&self.sections)
    }

    /// Returns true if addresses come from the section headers of the image, because those of the PDB differ.
    pub fn is_replaced(&self) -> bool {
        self.linked.is_empty() && self.replaced.as_ref().is_some_and(|replaced| !replaced.is_empty())
    }

    /// Sections that section numbers in the PDB refer to.
    pub fn named(&self) -> &[SectionHeader] {
        if self.linked.is_empty() { &self.sections } else { &self.linked }
    }

    /// Returns the RVA of `offset` in `section`, which counts from 1; `None` for removed code.
    pub fn rva(&self, section: u16, offset: u32) -> Option<u32> {
        let header = self.named().get((section as usize).checked_sub(1)?)?;
        let rva = header.virtual_address.checked_add(offset)?;
        if self.linked.is_empty() { Some(rva) } else { translate(&self.from_linked, rva) }
    }

    /// Returns true if the image was rearranged after it was linked.
    pub fn is_reordered(&self) -> bool {
        !self.linked.is_empty()
    }

    /// Returns the RVA in the image as it was linked, of an image that was rearranged later; `None` for other images.
    pub fn linked_rva(&self, rva: u32) -> Option<u32> {
        if self.linked.is_empty() { None } else { translate(&self.to_linked, rva) }
    }

    /// Returns section, from 1, and offset of an RVA.
    pub fn section_offset(&self, rva: u32) -> Option<(u16, u32)> {
        let rva = if self.linked.is_empty() { rva } else { translate(&self.to_linked, rva)? };
        let inside = |header: &SectionHeader| {
            rva.checked_sub(header.virtual_address).is_some_and(|offset| offset < header.virtual_size)
        };
        let index = self.named().iter().position(inside)?;
        Some(((index as u16).saturating_add(1), rva.saturating_sub(self.named().get(index)?.virtual_address)))
    }
}

/// Address of a range that the other image does not have, which may be 0 too. No image is as large.
const NOT_THERE: u32 = 0x8000_0000;

/// Translates `rva` through `omap`, whose entries are sorted.
fn translate(omap: &Region, rva: u32) -> Option<u32> {
    let pair = |index: u64| {
        let slice = omap.slice().part(index * OmapEntry::SIZE, OmapEntry::SIZE).ok()?;
        OmapEntry::decode(&mut slice.cursor()).ok()
    };
    let (mut low, mut high) = (0, omap.len() / OmapEntry::SIZE);
    while low < high {
        let middle = low + (high - low) / 2;
        match pair(middle) {
            Some(entry) if entry.rva <= rva => low = middle + 1,
            _ => high = middle,
        }
    }
    let OmapEntry { rva: from, rva_to: to, .. } = pair(low.checked_sub(1)?)?;
    if to == 0 || to >= NOT_THERE { None } else { to.checked_add(rva.saturating_sub(from)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Cursor, Slice, SpaceId};
    use std::sync::Arc;

    #[test]
    fn omap_says_where_things_went() {
        let numbers = |numbers: &[u32]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            Region::whole(SpaceId(0), Arc::new(bytes))
        };
        let section = |rva: u32, size: u32| {
            let numbers = [0, 0, size, rva, 0, 0, 0, 0, 0, 0].map(u32::to_le_bytes).concat();
            SectionHeader::decode(&mut Cursor::new(Slice::new(&numbers, SpaceId(0), 0))).unwrap()
        };
        let addresses = AddressMap {
            sections: vec![section(0x1000, 0x100)],
            linked: vec![section(0x1000, 0x100), section(0x2000, 0x50)],
            from_linked: numbers(&[0x1000, 0x1080, 0x1040, 0, 0x1048, 0x8000_0000, 0x2000, 0x1000]),
            to_linked: numbers(&[0x1000, 0x2000, 0x1080, 0x1000]),
            replaced: None,
            problems: Vec::new(),
        };
        assert_eq!(addresses.rva(1, 0x10), Some(0x1090));
        assert_eq!([0x44, 0x4c].map(|offset| addresses.rva(1, offset)), [None; 2], "taken out");
        assert_eq!(addresses.rva(2, 0x4f), Some(0x104f));
        assert_eq!((addresses.rva(0, 0), addresses.rva(3, 0)), (None, None));
        assert_eq!(addresses.section_offset(0x1090), Some((1, 0x10)));
        assert_eq!(addresses.section_offset(0x1000), Some((2, 0)));
        assert_eq!(addresses.section_offset(0xfff), None);
    }
}
