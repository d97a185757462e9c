//! Where the sections of the image are: copies of its section headers, and OMAP, for images that were rearranged after they
//! were linked.
//!
//! Everything else in a PDB says *section and offset*. OMAP is two tables of pairs of addresses, each sorted: up to the next
//! pair, what was at the first is now that much behind the second; 0 says that it was taken out. Such a PDB has the headers
//! of both images, and its sections and offsets are those of the image as it was linked.

use super::Pdb;
use crate::bytes::{Cursor, Encoding, Error, Notes, Region, Result, Spaces, Span};

/// A section header of the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSection {
    /// Its name.
    pub name: String,
    /// How many bytes it has in memory.
    pub size: u32,
    /// Where it is in memory.
    pub rva: u32,
    /// What its bytes may be used for.
    pub characteristics: u32,
    /// The bytes of the header.
    pub span: Span,
}

/// Which section is where.
#[derive(Clone, Debug, Default)]
pub struct AddressMap {
    /// The sections of the image.
    pub sections: Vec<ImageSection>,
    /// Those of the image as it was linked, where that is another one; sections and offsets are of these.
    pub linked: Vec<ImageSection>,
    /// Pairs of addresses: linked, and now; the numbers as they stand.
    from_linked: Region,
    /// The other way.
    to_linked: Region,
    /// What could not be read.
    pub problems: Vec<Error>,
}

/// The streams of the debug header that are wanted here.
const OMAP_TO_LINKED: usize = 3;
const OMAP_FROM_LINKED: usize = 4;
const SECTIONS: usize = 5;
const LINKED_SECTIONS: usize = 10;

impl ImageSection {
    /// How many bytes a section header takes.
    pub const SIZE: u64 = 40;

    /// Reads one.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("image section header", |c| {
            let name = c.text("name", 8, Encoding::Utf8)?.data.split(|byte| *byte == 0).next().unwrap_or_default();
            let (size, rva) = (c.u32("virtual size")?, c.u32("virtual address")?);
            c.u32("size of raw data")?;
            c.u32("pointer to raw data")?;
            c.u32("pointer to relocations")?;
            c.u32("pointer to line numbers")?;
            c.u16("number of relocations")?;
            c.u16("number of line numbers")?;
            let characteristics = c.u32("characteristics")?;
            let name = String::from_utf8_lossy(name).into_owned();
            Ok(Self { name, size, rva, characteristics, span: c.since(start) })
        })
    }
}

/// Reads a pair of OMAP: an address, and the one that it is in the other image.
pub fn omap_pair<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<(u32, u32)> {
    cursor.group("omap entry", |c| Ok((c.u32("address")?, c.u32("address in the other image")?)))
}

impl AddressMap {
    /// Reads the section headers, and takes OMAP along.
    pub(super) fn read(pdb: &Pdb, spaces: &Spaces) -> Self {
        let mut addresses = Self::default();
        let streams = pdb.dbi.as_ref().map_or(&[][..], |dbi| &dbi.debug_streams);
        let mut stream = |index: usize| {
            let number = streams.get(index).map(|stream| stream.value).filter(|stream| *stream != u16::MAX);
            let region = number.map(|number| pdb.stream(spaces, number as u32));
            region.and_then(|region| region.map_err(|error| addresses.problems.push(error)).ok()).unwrap_or_default()
        };
        let (sections, linked) = (stream(SECTIONS), stream(LINKED_SECTIONS));
        (addresses.from_linked, addresses.to_linked) = (stream(OMAP_FROM_LINKED), stream(OMAP_TO_LINKED));
        addresses.sections = addresses.headers(&sections);
        addresses.linked = addresses.headers(&linked);
        addresses
    }

    fn headers(&mut self, region: &Region) -> Vec<ImageSection> {
        let mut cursor = region.cursor();
        let mut headers = Vec::new();
        // Sections are numbered with 16 bits.
        while !cursor.is_done() && headers.len() < u16::MAX as usize {
            match ImageSection::decode(&mut cursor) {
                Ok(header) => headers.push(header),
                Err(error) => {
                    self.problems.push(error);
                    break;
                }
            }
        }
        headers
    }

    /// The sections that sections and offsets are of.
    fn named(&self) -> &[ImageSection] {
        if self.linked.is_empty() { &self.sections } else { &self.linked }
    }

    /// The address in the image of `offset` of `section`, which counts from 1; none where it was taken out.
    pub fn rva(&self, section: u16, offset: u32) -> Option<u32> {
        let header = self.named().get((section as usize).checked_sub(1)?)?;
        let rva = header.rva.checked_add(offset)?;
        if self.linked.is_empty() { Some(rva) } else { translate(&self.from_linked, rva) }
    }

    /// The section, from 1, and the offset in it of an address in the image.
    pub fn section_offset(&self, rva: u32) -> Option<(u16, u32)> {
        let rva = if self.linked.is_empty() { rva } else { translate(&self.to_linked, rva)? };
        let inside = |header: &ImageSection| rva.checked_sub(header.rva).is_some_and(|offset| offset < header.size);
        let index = self.named().iter().position(inside)?;
        Some((index as u16 + 1, rva - self.named().get(index)?.rva))
    }
}

/// What the pairs of `omap`, which are sorted, make of `rva`.
fn translate(omap: &Region, rva: u32) -> Option<u32> {
    let pair = |index: u64| {
        let slice = omap.slice().part(index * 8, 8).ok()?;
        omap_pair(&mut slice.cursor()).ok()
    };
    let (mut low, mut high) = (0, omap.len() / 8);
    while low < high {
        let middle = low + (high - low) / 2;
        match pair(middle) {
            Some((from, _)) if from <= rva => low = middle + 1,
            _ => high = middle,
        }
    }
    let (from, to) = pair(low.checked_sub(1)?)?;
    if to == 0 { None } else { to.checked_add(rva - from) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::SpaceId;
    use std::sync::Arc;

    #[test]
    fn omap_says_where_things_went() {
        let numbers = |numbers: &[u32]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            Region::whole(SpaceId(0), Arc::new(bytes))
        };
        let section =
            |rva, size| ImageSection { name: String::new(), size, rva, characteristics: 0, span: Span::default() };
        let addresses = AddressMap {
            sections: vec![section(0x1000, 0x100)],
            linked: vec![section(0x1000, 0x100), section(0x2000, 0x50)],
            from_linked: numbers(&[0x1000, 0x1080, 0x1040, 0, 0x2000, 0x1000]),
            to_linked: numbers(&[0x1000, 0x2000, 0x1080, 0x1000]),
            problems: Vec::new(),
        };
        assert_eq!(addresses.rva(1, 0x10), Some(0x1090));
        assert_eq!(addresses.rva(1, 0x44), None, "taken out");
        assert_eq!(addresses.rva(2, 0x4f), Some(0x104f));
        assert_eq!((addresses.rva(0, 0), addresses.rva(3, 0)), (None, None));
        assert_eq!(addresses.section_offset(0x1090), Some((1, 0x10)));
        assert_eq!(addresses.section_offset(0x1000), Some((2, 0)));
        assert_eq!(addresses.section_offset(0xfff), None);
    }
}
