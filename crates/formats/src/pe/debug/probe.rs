//! CodeView entries of an image of which only the headers and the debug directory are read.

use object::pe;

use super::{DebugDirectoryEntry, DebugEntry, Payload, kind};
use crate::bytes::{Region, SpaceId};
use crate::pe::{Directory, Pe};

/// Bytes of an image that hold its headers, unless it has very many sections.
pub const HEAD_SIZE: u64 = 4096;
/// Entries of a debug directory that are looked at; linkers write fewer than ten.
const MAX_ENTRIES: u64 = 64;
/// The longest CodeView record that is read: an id, and a path.
const MAX_RECORD: u64 = 64 << 10;

/// CodeView entries of the image that begins with `head`; `read` reads bytes of the file, by offset and size. `None` if the
/// headers are longer than `head`, or cannot be read.
pub fn codeview_entries(head: Region, mut read: impl FnMut(u64, u64) -> Option<Vec<u8>>) -> Option<Vec<DebugEntry>> {
    let image = Pe::parse(head).ok()?;
    if image.optional.is_none() || image.sections.len() < usize::from(image.coff.number_of_sections) {
        return None;
    }
    let Some(directory) = image.directory(Directory::DEBUG) else { return Some(Vec::new()) };
    let size = u64::from(directory.size).min(MAX_ENTRIES * DebugDirectoryEntry::SIZE);
    let entries = image.offset_of(directory.rva).and_then(|offset| read(offset, size)).map(region)?;
    let mut cursor = entries.cursor();
    let headers = std::iter::from_fn(|| DebugDirectoryEntry::decode(&mut cursor).ok());
    let is_codeview = |header: &DebugDirectoryEntry| header.kind == pe::IMAGE_DEBUG_TYPE_CODEVIEW.0;
    let found = headers.filter(is_codeview).filter_map(|header| {
        let size = u64::from(header.size_of_data).min(MAX_RECORD);
        let offset = match header.pointer_to_raw_data {
            0 => image.offset_of(header.address_of_raw_data)?,
            pointer => u64::from(pointer),
        };
        let record = region(read(offset, size)?);
        let payload: crate::bytes::Result<Payload> = (kind::of(header.kind).read)(&mut record.cursor());
        Some(DebugEntry { header, data: None, payload })
    });
    Some(found.collect())
}

fn region(bytes: Vec<u8>) -> Region {
    Region::whole(SpaceId(0), bytes)
}

impl Pe {
    /// Offset in the file of an address, by the section headers alone: the file may be longer than what was read of it.
    fn offset_of(&self, rva: u32) -> Option<u64> {
        let Some(section) = self.section_of(rva) else { return Some(u64::from(rva)) };
        let into = rva.checked_sub(section.header.virtual_address)?;
        Some(u64::from(section.header.pointer_to_raw_data) + u64::from(into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_bytes_tell_which_pdb_an_image_names() {
        for name in ["ticker/Ticker.dll", "parcel/parcel.exe", "parcel-x86/parcel.exe", "ledger/Ledger.dll"] {
            let path = format!("{}/../../assets/samples/{name}", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(path).unwrap();
            let whole = Pe::parse(region(bytes.clone())).unwrap();
            let wanted: Vec<_> = whole.debug.iter().filter(|entry| entry.rsds().is_some()).collect();
            assert!(!wanted.is_empty(), "{name}");
            let mut total = HEAD_SIZE.min(bytes.len() as u64);
            let head = region(bytes[..total as usize].to_vec());
            let found = codeview_entries(head, |offset, size| {
                total += size;
                bytes.get(offset as usize..(offset + size) as usize).map(<[u8]>::to_vec)
            });
            let found = found.unwrap();
            assert_eq!(found.len(), wanted.len(), "{name}");
            for (found, wanted) in found.iter().zip(wanted) {
                assert_eq!(
                    (found.rsds(), found.header.time_date_stamp),
                    (wanted.rsds(), wanted.header.time_date_stamp)
                );
            }
            assert!(total < HEAD_SIZE + 1024, "{name}: {total} bytes");
        }
        assert!(codeview_entries(region(b"MZ".to_vec()), |_, _| None).is_none());
    }
}
