//! Cabinets with one file, as symbol stores keep it (`App.pd_`), packed with MSZIP, LZX or not at all.
//!
//! ```text
//! CFHEADER   "MSCF", sizes, offset of the first CFFILE, version, numbers of folders and files, flags
//! CFFOLDER   offset of its first block, number of blocks, method
//! CFFILE     size, offset in the folder, folder, date and time, attributes, name
//! CFDATA     checksum, packed and unpacked size, packed bytes; unpacked a block has at most 32 768 bytes
//! ```
//!
//! An MSZIP block is "CK" and a deflate stream that may refer to the 32 768 bytes before it, which belong to the previous block.
//!
//! # References
//!
//! \[MS-CAB\]: Cabinet File Format; \[MS-MCI\]: Microsoft ZIP (MSZIP) Compression and Decompression Data Structure.
//! [`lzx`] has those of LZX.

use super::lzx;
use super::numbers::{u16_at, u32_at};
use super::{ContainerError, MAX_ENTRY, Unwrapped};
use crate::bytes::{Slice, SpaceId};
use crate::formats::inflate::inflate;

/// Most bytes of an unpacked block.
const BLOCK: usize = 1 << 15;
const MSZIP: u16 = 1;
const LZX: u16 = 3;
/// Flags of the header: an earlier cabinet, a later one, reserved areas.
const CONTINUED: u16 = 3;
const RESERVED: u16 = 4;

pub(super) fn begins(first: &[u8]) -> bool {
    first.starts_with(b"MSCF\0\0\0\0")
}

/// Unpacks the only file of a cabinet.
pub(super) fn unwrap(bytes: &[u8]) -> Result<Unwrapped, ContainerError> {
    let cabinet = Cabinet::read(bytes).ok_or_else(|| broken("its headers are cut off"))?;
    if cabinet.files != 1 || cabinet.flags & CONTINUED != 0 {
        let files = cabinet.files;
        return Err(broken(&format!("it has {files} files, or is a part of several cabinets · tip: expand it first")));
    }
    if u64::from(cabinet.size) > MAX_ENTRY {
        return Err(ContainerError::TooLarge(cabinet.size.into()));
    }
    let bytes = unpack(bytes, &cabinet)?;
    Ok(Unwrapped {
        bytes,
        remark: format!("{}, unpacked from a cabinet: offsets count from the unpacked file", cabinet.name),
    })
}

fn broken(why: &str) -> ContainerError {
    ContainerError::Broken(why.to_owned())
}

/// Headers of the first file and its folder.
struct Cabinet {
    files: u16,
    flags: u16,
    /// Offset of the first block.
    data: usize,
    blocks: u16,
    method: u16,
    /// Bytes that are reserved in each block's header.
    reserved: usize,
    /// Binary logarithm of the window of LZX.
    window: u16,
    /// Unpacked bytes of the file, and their offset in the folder.
    size: u32,
    offset: u32,
    name: String,
}

impl Cabinet {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (word, number) = (|at: usize| u16_at(bytes, at), |at: usize| u32_at(bytes, at));
        let (file, flags) = (number(16)? as usize, word(30)?);
        let (mut folder, mut reserved) = (36, 0);
        if flags & RESERVED != 0 {
            folder += 4 + word(36)? as usize;
            reserved = *bytes.get(39)? as usize;
        }
        let name = bytes.get(file.checked_add(16)?..)?.split(|byte| *byte == 0).next()?;
        Some(Self {
            files: word(28)?,
            flags,
            data: number(folder)? as usize,
            blocks: word(folder + 4)?,
            method: word(folder + 6)? & 0xf,
            window: word(folder + 6)? >> 8 & 0x1f,
            reserved,
            size: number(file)?,
            offset: number(file + 4)?,
            name: String::from_utf8_lossy(name.get(..name.len().min(255))?).into_owned(),
        })
    }
}

/// Unpacks the blocks of a folder, as many as the file needs.
fn unpack(bytes: &[u8], cabinet: &Cabinet) -> Result<Vec<u8>, ContainerError> {
    let (mut at, mut content) = (cabinet.data, Vec::new());
    let end = cabinet.offset as usize + cabinet.size as usize;
    if end as u64 > MAX_ENTRY {
        return Err(ContainerError::TooLarge(end as u64));
    }
    let (mut packed, mut unpacked) = (Vec::new(), 0);
    for _ in 0..cabinet.blocks {
        if content.len().max(unpacked) >= end {
            break;
        }
        let block = Block::read(bytes, at, cabinet.reserved).ok_or_else(|| broken("a block is cut off"))?;
        at = block.end;
        match cabinet.method {
            0 => content.extend_from_slice(block.data),
            MSZIP => mszip(&block, &mut content)?,
            LZX => {
                packed.extend_from_slice(block.data);
                unpacked += block.unpacked.min(BLOCK);
            }
            _ => return Err(ContainerError::Method),
        }
    }
    if cabinet.method == LZX {
        content =
            lzx::decompress(&packed, cabinet.window, unpacked).ok_or_else(|| broken("its LZX stream is broken"))?;
    }
    content.truncate(end);
    if content.len() != end {
        return Err(broken("fewer bytes come out than it says"));
    }
    Ok(content.split_off(cabinet.offset as usize))
}

struct Block<'b> {
    data: &'b [u8],
    unpacked: usize,
    /// Offset of the next block.
    end: usize,
}

impl<'b> Block<'b> {
    fn read(bytes: &'b [u8], at: usize, reserved: usize) -> Option<Self> {
        let header = bytes.get(at..at.checked_add(8)?)?;
        let start = at + 8 + reserved;
        let end = start.checked_add(u16_at(header, 4)?.into())?;
        Some(Self { data: bytes.get(start..end)?, unpacked: u16_at(header, 6)?.into(), end })
    }
}

/// Appends the content of an MSZIP block. The bytes before it precede its deflate stream as a stored block, so that the stream may
/// refer to them.
fn mszip(block: &Block<'_>, content: &mut Vec<u8>) -> Result<(), ContainerError> {
    let deflated = block.data.strip_prefix(b"CK").ok_or_else(|| broken("a block is not of MSZIP"))?;
    if block.unpacked > BLOCK {
        return Err(broken("a block is longer than MSZIP allows"));
    }
    let history = content.get(content.len().saturating_sub(BLOCK)..).unwrap_or_default();
    let len = history.len() as u16;
    let stream = [&[0][..], &len.to_le_bytes(), &(!len).to_le_bytes(), history, deflated].concat();
    let before = history.len();
    let size = before + block.unpacked;
    let out = inflate(Slice::new(&stream, SpaceId(0), 0), size as u64, size as u64)
        .map_err(|error| broken(&error.to_string()))?;
    content.try_reserve(block.unpacked).map_err(|_| broken("there is not that much memory"))?;
    content.extend_from_slice(out.get(before..).unwrap_or_default());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compress, Compression, FlushCompress};

    /// Cabinet of one file of these blocks: packed bytes and unpacked size.
    fn cabinet(method: u16, size: usize, blocks: &[(Vec<u8>, usize)]) -> Vec<u8> {
        let name = b"App.pdb\0";
        let file = 36 + 8;
        let data = file + 16 + name.len();
        let mut bytes = b"MSCF".to_vec();
        for number in [0, 0, 0, file as u32, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        // Version 1.3, one folder, one file, no flags, id and number of the cabinet.
        bytes.extend_from_slice(&[3, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&(data as u32).to_le_bytes());
        bytes.extend_from_slice(&[blocks.len() as u16, method].map(u16::to_le_bytes).concat());
        bytes.extend_from_slice(&(size as u32).to_le_bytes());
        bytes.extend_from_slice(&[0; 12]);
        bytes.extend_from_slice(name);
        for (packed, unpacked) in blocks {
            bytes.extend_from_slice(&[0; 4]);
            bytes.extend_from_slice(&[packed.len() as u16, *unpacked as u16].map(u16::to_le_bytes).concat());
            bytes.extend_from_slice(packed);
        }
        bytes
    }

    /// MSZIP blocks: each a whole stream, which refers to the block before it.
    fn mszip_blocks(content: &[u8]) -> Vec<(Vec<u8>, usize)> {
        let mut before: &[u8] = &[];
        let pack = |chunk: &'_ [u8], before: &[u8]| {
            let mut stream = Compress::new(Compression::best(), false);
            stream.set_dictionary(before).ok();
            let mut packed = Vec::with_capacity(1 << 17);
            stream.compress_vec(chunk, &mut packed, FlushCompress::Finish).unwrap();
            (([&b"CK"[..], &packed]).concat(), chunk.len())
        };
        let mut blocks = Vec::new();
        for chunk in content.chunks(BLOCK) {
            blocks.push(pack(chunk, before));
            before = chunk;
        }
        blocks
    }

    fn content() -> Vec<u8> {
        (0_u32..40_000).flat_map(|number| (number % 4001).to_le_bytes()).collect()
    }

    #[test]
    fn the_only_file_is_unpacked() {
        let content = content();
        let stored: Vec<_> = content.chunks(BLOCK).map(|chunk| (chunk.to_vec(), chunk.len())).collect();
        for whole in [cabinet(0, content.len(), &stored), cabinet(MSZIP, content.len(), &mszip_blocks(&content))] {
            assert!(begins(&whole));
            let unwrapped = unwrap(&whole).unwrap();
            assert!(unwrapped.bytes == content && unwrapped.remark.starts_with("App.pdb"), "{}", unwrapped.remark);
            for len in (0..whole.len()).step_by(97) {
                assert!(unwrap(&whole[..len]).is_err(), "{len}");
            }
        }
    }

    #[test]
    fn other_cabinets_are_refused_with_the_reason() {
        let mut two = cabinet(0, 3, &[(vec![1, 2, 3], 3)]);
        assert_eq!(unwrap(&two).unwrap().bytes, [1, 2, 3]);
        two[28] = 2;
        assert!(unwrap(&two).unwrap_err().to_string().contains("2 files"));
        let quantum = cabinet(2, 3, &[(vec![1, 2, 3], 3)]);
        assert_eq!(unwrap(&quantum), Err(ContainerError::Method));
        for window in [0, 14, 15, 21, 22] {
            let lzx = cabinet(LZX | window << 8, 3, &[(vec![1, 2, 3], 3)]);
            assert!(unwrap(&lzx).unwrap_err().to_string().contains("LZX"), "{window}");
        }
        let short = cabinet(0, 4, &[(vec![1, 2, 3], 3)]);
        assert!(unwrap(&short).unwrap_err().to_string().contains("fewer bytes"));
    }
}
