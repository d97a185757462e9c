//! Webcil: an assembly in a WebAssembly module, as Blazor publishes it, or in a file of its own.
//!
//! The module's data segment 1 is the payload: a header, section headers without names, and the sections of the assembly's image.
//! What an image has besides (DOS header, COFF header, optional header) is left out. It is made again here, so that a Webcil file is
//! read like any other image; the payload follows the headers as it is, except for the file offsets in the debug directory.
//!
//! ```text
//! 0   4  "WbIL"
//! 4   2  major version: 0, or 1 with precompiled code
//! 6   2  minor version: 0
//! 8   2  number of sections
//! 10  2  section of the base relocations, or 0
//! 12  8  RVA and size of the CLI header
//! 20  8  RVA and size of the debug directory
//! 28  4  only in version 1: table base
//! ```
//!
//! # References
//!
//! dotnet/runtime: `docs/design/mono/webcil.md`; WebAssembly Core Specification, "Binary Format", "Modules".

use super::numbers::{Reader, u32_at};
use super::{ContainerError, PREFIX_LEN, Unwrapped, broken};

const MODULE: &[u8] = b"\0asm\x01\0\0\0";
const PAYLOAD: &[u8] = b"WbIL";
/// Module name that the runtime's memory is imported from.
const IMPORT: &[u8] = b"\x06webcil";
/// Id of the data section of a module.
const DATA: u8 = 11;
/// Most bytes of a size in a module (WebAssembly Core Specification, 5.2.2).
const LEB128_BYTES: u32 = 5;
/// Limit on sections: images of assemblies have two or three.
const MAX_SECTIONS: usize = 96;
/// Bytes of the headers before the section headers: DOS header, signature, COFF header, optional header with 16 directories.
const HEADERS: usize = 64 + 4 + 20 + 224;
/// Bytes of a section header of an image, and of one here.
const SECTION: (usize, usize) = (40, 16);
/// Bytes of an entry of the debug directory, the last four of which are `PointerToRawData`.
const DEBUG_ENTRY: usize = 28;
/// Section of the payload: `VirtualSize`, `VirtualAddress`, `SizeOfRawData`, `PointerToRawData`.
type WebcilSection = [u32; 4];

pub(super) fn begins(first: &[u8]) -> bool {
    first.starts_with(PAYLOAD) || is_module(first)
}

/// Returns true if a file that begins with `first` is a WebAssembly module that wraps an assembly.
pub fn is_module(first: &[u8]) -> bool {
    let first = first.get(..PREFIX_LEN).unwrap_or(first);
    first.starts_with(MODULE) && memchr::memmem::find(first, IMPORT).is_some()
}

pub(super) fn unwrap(bytes: &[u8]) -> Result<Unwrapped, ContainerError> {
    let at = payload(bytes).ok_or_else(|| broken("the module has no data segment 1"))?;
    let payload = bytes.get(at.clone()).unwrap_or_default();
    let image = image(payload).ok_or_else(|| broken("its headers are cut off, or state too much"))?;
    let shift = image.len().saturating_sub(payload.len());
    let remark = format!(
        "Webcil: shown as an image with headers made for it, whose offset 0x{shift:x} is 0x{:x} in the file",
        at.start
    );
    Ok(Unwrapped { bytes: image, remark })
}

fn payload(bytes: &[u8]) -> Option<std::ops::Range<usize>> {
    if bytes.starts_with(PAYLOAD) {
        return Some(0..bytes.len());
    }
    let mut rest = Reader::new(bytes, MODULE.len());
    loop {
        let (id, len) = (rest.u8()?, rest.leb128(LEB128_BYTES)?);
        if id != DATA {
            rest.take(len)?;
            continue;
        }
        let segments = rest.leb128(LEB128_BYTES)?;
        for segment in 0..segments.min(2) {
            // Passive segments: the others name a memory and an offset in it.
            if rest.u8()? != 1 {
                return None;
            }
            let len = rest.leb128(LEB128_BYTES)?;
            if segment == 1 {
                let end = rest.at.checked_add(len).filter(|end| *end <= bytes.len())?;
                return Some(rest.at..end);
            }
            rest.take(len)?;
        }
        return None;
    }
}

/// Makes the image of a payload: headers, the payload, and in it the offsets of debug data.
fn image(payload: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| u32_at(payload, at);
    let (version, sections) = (number(4)? & 0xffff, (number(8)? & 0xffff) as usize);
    if !payload.starts_with(PAYLOAD) || sections > MAX_SECTIONS {
        return None;
    }
    let table = if version == 0 { 28_usize } else { 32 };
    let section = |index: usize| -> Option<WebcilSection> {
        let at = table + index * SECTION.1;
        let number = |from: usize| number(at + from);
        Some([number(0)?, number(4)?, number(8)?, number(12)?])
    };
    let sections: Vec<WebcilSection> = (0..sections).map(section).collect::<Option<_>>()?;
    let shift = (sections.len() * SECTION.0 + HEADERS).next_multiple_of(0x200);
    let (cli, debug) = ((number(12)?, number(16)?), (number(20)?, number(24)?));
    let mut image = headers(&sections, shift as u32, cli, debug);
    image.resize(shift, 0);
    image.extend_from_slice(payload);
    move_debug_data(&mut image, &sections, shift, debug);
    Some(image)
}

/// Headers of an image for x86, which is what assemblies without native code are marked for.
fn headers(sections: &[WebcilSection], shift: u32, cli: (u32, u32), debug: (u32, u32)) -> Vec<u8> {
    // DOS header: "MZ", and at 60 the offset of the signature.
    let mut bytes = [&b"MZ"[..], &[0; 58], &64_u32.to_le_bytes()].concat();
    let mut put = |parts: &[&[u8]]| bytes.extend(parts.iter().copied().flatten());
    // COFF header: an executable DLL of 32 bits.
    put(&[b"PE\0\0", &0x14c_u16.to_le_bytes(), &(sections.len() as u16).to_le_bytes(), &[0; 12]]);
    put(&[&224_u16.to_le_bytes(), &0x2102_u16.to_le_bytes()]);
    let end = sections.iter().map(|[size, address, ..]| address.saturating_add(*size)).max().unwrap_or(0);
    let image_size = end.checked_next_multiple_of(0x2000).unwrap_or(end);
    // Optional header: magic and linker version, sizes and entry point, ImageBase, alignments.
    put(&[&[0x0b, 0x01, 48, 0], &[0; 24], &0x1000_0000_u32.to_le_bytes()]);
    put(&[&0x2000_u32.to_le_bytes(), &0x200_u32.to_le_bytes()]);
    // Versions of system, image and subsystem.
    put(&[&[4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]]);
    // SizeOfImage, SizeOfHeaders, CheckSum; a console program; stack, heap and loader flags; number of directories.
    put(&[&image_size.to_le_bytes(), &shift.to_le_bytes(), &[0; 4], &[3, 0, 0x40, 0x85], &[0; 20], &[16, 0, 0, 0]]);
    for directory in 0..16 {
        let (rva, size) = match directory {
            6 => debug,
            14 => cli,
            _ => (0, 0),
        };
        put(&[&rva.to_le_bytes(), &size.to_le_bytes()]);
    }
    for (index, [virtual_size, address, raw_size, pointer]) in sections.iter().enumerate() {
        let (name, flags) =
            if index == 0 { (*b".text\0\0\0", 0x6000_0020_u32) } else { (*b".data\0\0\0", 0x4000_0040) };
        let pointer = pointer.saturating_add(shift);
        put(&[&name, &virtual_size.to_le_bytes(), &address.to_le_bytes(), &raw_size.to_le_bytes()]);
        put(&[&pointer.to_le_bytes(), &[0; 12], &flags.to_le_bytes()]);
    }
    bytes
}

/// Adds `shift` to the file offsets of the debug directory, which count from the start of the payload.
fn move_debug_data(image: &mut [u8], sections: &[WebcilSection], shift: usize, (rva, size): (u32, u32)) {
    let holds =
        |[_, address, raw_size, _]: &&WebcilSection| rva.checked_sub(*address).is_some_and(|into| into < *raw_size);
    let Some([_, address, _, pointer]) = sections.iter().find(holds) else { return };
    let start = shift.saturating_add(rva.saturating_sub(*address) as usize).saturating_add(*pointer as usize);
    let directory = image.get_mut(start..).unwrap_or_default();
    let len = directory.len().min(size as usize);
    for entry in directory.get_mut(..len).unwrap_or_default().chunks_exact_mut(DEBUG_ENTRY) {
        if let Some(field) = entry.last_chunk_mut::<4>() {
            let pointer = u32::from_le_bytes(*field);
            if pointer != 0 {
                *field = pointer.saturating_add(shift as u32).to_le_bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Region, SpaceId};
    use crate::pe::debug::EmbeddedPortablePdb;
    use crate::pe::{Payload, Pe};
    use std::sync::Arc;

    fn sample() -> Pe {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/ticker-embedded/Ticker.dll");
        parse(std::fs::read(path).unwrap())
    }

    fn parse(bytes: Vec<u8>) -> Pe {
        Pe::parse(Region::whole(SpaceId(0), Arc::new(bytes))).unwrap()
    }

    /// Webcil payload of an image, as the SDK makes it.
    fn payload_of(pe: &Pe) -> Vec<u8> {
        let headers = 28 + 16 * pe.sections.len();
        let mut bytes = [PAYLOAD, &[0; 4], &(pe.sections.len() as u32).to_le_bytes()].concat();
        for directory in [14, 6] {
            let directory = pe.directory(directory).unwrap();
            bytes.extend([directory.rva, directory.size].iter().flat_map(|number| number.to_le_bytes()));
        }
        let mut pointer = (headers as u32).next_multiple_of(16);
        let first = pointer;
        for section in &pe.sections {
            let header = &section.header;
            let numbers = [header.virtual_size, header.virtual_address, header.size_of_raw_data, pointer];
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            pointer += header.size_of_raw_data;
        }
        bytes.resize(first as usize, 0);
        let mut moved = 0;
        for section in &pe.sections {
            let (from, at) = (section.header.pointer_to_raw_data, bytes.len());
            bytes.extend_from_slice(pe.bytes(section.data).unwrap().data);
            let debug = pe.directory(6).unwrap().rva;
            if debug >= section.header.virtual_address
                && debug < section.header.virtual_address + section.header.size_of_raw_data
            {
                let directory = at + (debug - section.header.virtual_address) as usize;
                for entry in bytes[directory..][..pe.directory(6).unwrap().size as usize].chunks_exact_mut(28) {
                    let field: &mut [u8; 4] = entry.last_chunk_mut().unwrap();
                    let old = u32::from_le_bytes(*field);
                    if old != 0 {
                        *field = (old - from + at as u32).to_le_bytes();
                        moved += 1;
                    }
                }
            }
        }
        assert!(moved > 0);
        bytes
    }

    /// Module that wraps a payload, with as many bytes before its data section as there are in `before`.
    fn module(payload: &[u8], before: usize) -> Vec<u8> {
        let leb = |mut number: usize| {
            let mut bytes = Vec::new();
            while number >= 0x80 {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
            bytes
        };
        let custom = [leb(before), vec![0; before]].concat();
        let size = (payload.len() as u32).to_le_bytes();
        let data = [&[2, 1, 4][..], &size, &[1], &leb(payload.len()), payload].concat();
        let import = b"\x02\x12\x01\x06webcil\x06memory\x02\0\x01";
        [MODULE, import, &[0], &custom, &[DATA], &leb(data.len()), &data].concat()
    }

    #[test]
    fn the_image_of_a_payload_has_its_metadata_and_its_debug_directory() {
        let pe = sample();
        let payload = payload_of(&pe);
        let module = module(&payload, 300);
        assert!(begins(&module) && begins(&payload) && is_module(&module));
        let unwrapped = unwrap(&module).unwrap();
        assert_eq!(unwrapped.bytes, unwrap(&payload).unwrap().bytes);
        let again = parse(unwrapped.bytes);
        assert_eq!(again.problems, []);
        assert_eq!(again.metadata().unwrap().bytes(), pe.metadata().unwrap().bytes());
        assert_eq!(again.debug.len(), pe.debug.len());
        for (entry, before) in again.debug.iter().zip(&pe.debug) {
            match (&entry.payload, &before.payload) {
                (Ok(Payload::EmbeddedPortablePdb(embedded)), Ok(Payload::EmbeddedPortablePdb(whole))) => {
                    let inflate = |payload: &EmbeddedPortablePdb, pe: &Pe| payload.inflate(pe.region(), 1 << 20);
                    assert_eq!(inflate(embedded, &again), inflate(whole, &pe));
                }
                (Ok(_), Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn damage_is_an_error_or_an_image() {
        let whole = module(&payload_of(&sample()), 10);
        for len in 0..600 {
            assert!(unwrap(&whole[..len]).is_err(), "{len}");
        }
        for at in 0..600 {
            for value in [0, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                let _ = unwrap(&bytes);
            }
        }
        assert!(!begins(MODULE));
    }
}
