//! An ELF file on disk, for the pages that a core leaves out: they were relocated when they were loaded.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use object::elf::{FileHeader64, R_X86_64_RELATIVE};
use object::read::elf::{ElfFile64, FileHeader, Rela, SectionHeader};
use object::{Endianness, Object, ObjectSegment};

/// Most bytes of a file that is read whole; the runtime has 7 MB.
const MOST: u64 = 512 << 20;

/// An ELF file of 64 bits.
pub struct ElfFile {
    bytes: Vec<u8>,
    /// Address of the first byte as the file is linked.
    start: u64,
}

impl ElfFile {
    /// Reads a file; `None` unless it is an ELF file of 64 bits.
    pub fn read(path: &Path) -> Option<Self> {
        if fs::metadata(path).ok()?.len() > MOST {
            return None;
        }
        let mut elf = Self { bytes: fs::read(path).ok()?, start: 0 };
        elf.start = elf.file()?.segments().map(|segment| segment.address()).min()?;
        Some(elf)
    }

    fn file(&self) -> Option<ElfFile64<'_, Endianness>> {
        ElfFile64::parse(self.bytes.as_slice()).ok()
    }

    /// Address of the first byte as the file is linked.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Words that the loader relocates by their address as the file is linked; `None` for those that have their addend in place.
    pub fn relocations(&self) -> BTreeMap<u64, Option<u64>> {
        let mut found = BTreeMap::new();
        let Ok(header) = FileHeader64::<Endianness>::parse(self.bytes.as_slice()) else { return found };
        let Ok(endian) = header.endian() else { return found };
        let Ok(sections) = header.sections(endian, self.bytes.as_slice()) else { return found };
        for section in sections.iter() {
            if let Ok(Some((entries, _))) = section.rela(endian, self.bytes.as_slice()) {
                let relative = entries.iter().filter(|entry| entry.r_type(endian, false) == R_X86_64_RELATIVE);
                found.extend(
                    relative.map(|entry| (entry.r_offset(endian), Some(entry.r_addend(endian).cast_unsigned()))),
                );
            }
            if let Ok(Some(entries)) = section.relr(endian, self.bytes.as_slice()) {
                found.extend(entries.map(|at| (at, None)));
            }
        }
        found
    }

    /// Word of the file at an address as it is linked.
    pub fn word(&self, address: u64) -> Option<u64> {
        let file = self.file()?;
        let holds = |segment: &object::read::elf::ElfSegment64<'_, '_>| {
            address.checked_sub(segment.address()).is_some_and(|at| at < segment.size())
        };
        let segment = file.segments().find(holds)?;
        let at = usize::try_from(address - segment.address()).ok()?;
        Some(u64::from_le_bytes(segment.data().ok()?.get(at..at.checked_add(8)?)?.try_into().ok()?))
    }
}
