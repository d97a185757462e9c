//! Cabinets: with one file, as symbol stores keep it (`App.pd_`), or with many; packed with MSZIP, LZX or not at all.
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
//!
//! The headers are read here: the crate `cab` panics at a file that begins after the last block of its folder.

use std::collections::BTreeMap;

use super::numbers::{u16_at, u32_at};
use super::{ContainerError, Entry, MAX_ENTRY, MAX_NAME, Packing, Unwrapped, broken, inner_path};
use crate::bytes::{Slice, SpaceId};
use crate::inflate::inflate;

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

/// Returns true for the first bytes of a cabinet that does not have exactly one file.
pub fn has_many(first: &[u8]) -> bool {
    begins(first) && u16_at(first, 28).is_some_and(|files| files != 1)
}

/// Lists the files of a cabinet.
pub fn list(bytes: &[u8]) -> Result<Vec<Entry>, ContainerError> {
    let files = files(bytes)?;
    let mut entries = Vec::new();
    for file in files {
        if let Some(path) = inner_path(&file.name) {
            let packing = Packing::Cabinet(file.place);
            let (size, packed) = (file.size.into(), file.packed);
            entries.push(Entry { path, size, packed, offset: file.data as u64, packing, crc: None, within: None });
        }
    }
    Ok(entries)
}

pub(super) fn unwrap(bytes: &[u8]) -> Result<Unwrapped, ContainerError> {
    let mut files = files(bytes)?;
    let (Some(file), true) = (files.pop(), files.is_empty()) else {
        let why = if has_many(bytes) { "it does not have exactly one file" } else { "its headers are cut off" };
        return Err(broken(why));
    };
    if u64::from(file.size) > MAX_ENTRY {
        return Err(ContainerError::TooLarge(file.size.into()));
    }
    let content = unpack(bytes.get(file.data..).unwrap_or_default(), &file.place, file.size)?;
    let remark = format!("{}, unpacked from a cabinet: offsets count from the unpacked file", file.name);
    Ok(Unwrapped { bytes: content, remark })
}

struct File {
    name: String,
    size: u32,
    /// Offset of the first block of its folder.
    data: usize,
    /// Bytes of the blocks of its folder.
    packed: u64,
    place: Place,
}

/// Position of a file in the unpacked content of its folder, and the packing of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    blocks: u16,
    method: u16,
    /// Binary logarithm of the window of LZX.
    window: u16,
    /// Bytes that are reserved in each block's header.
    reserved: usize,
    offset: u32,
}

/// The files of a cabinet, or the reason why they are not told.
fn files(bytes: &[u8]) -> Result<Vec<File>, ContainerError> {
    if u16_at(bytes, 30).is_some_and(|flags| flags & CONTINUED != 0) {
        return Err(broken("it is a part of several cabinets \u{b7} tip: expand them first"));
    }
    read(bytes).ok_or_else(|| broken("its headers are cut off"))
}

fn read(bytes: &[u8]) -> Option<Vec<File>> {
    let (word, number) = (|at: usize| u16_at(bytes, at), |at: usize| u32_at(bytes, at));
    let (mut first, mut folder_size, mut reserved) = (36_usize, 8_usize, 0);
    if word(30)? & RESERVED != 0 {
        first += word(36)? as usize + 4;
        folder_size += *bytes.get(38)? as usize;
        reserved = *bytes.get(39)? as usize;
    }
    let (folders, count) = (word(26)?, word(28)?);
    let (mut at, mut files, mut sizes) = (number(16)? as usize, Vec::new(), BTreeMap::new());
    for _ in 0..count {
        let folder = word(at.checked_add(8)?)?;
        let header = first + folder_size * folder as usize;
        if folder >= folders {
            return None;
        }
        let name = bytes.get(at.checked_add(16)?..)?;
        let name = name.get(..name.iter().take(MAX_NAME).position(|byte| *byte == 0)?)?;
        let (data, blocks) = (number(header)? as usize, word(header + 4)?);
        let packed = *sizes.entry(folder).or_insert_with(|| packed_size(bytes, data, blocks, reserved));
        let method = word(header + 6)?;
        let offset = number(at.saturating_add(4))?;
        let place = Place { blocks, method: method & 0xf, window: method >> 8 & 0x1f, reserved, offset };
        files.push(File { name: String::from_utf8_lossy(name).into_owned(), size: number(at)?, data, packed, place });
        at = at.saturating_add(name.len()).saturating_add(16 + 1);
    }
    Some(files)
}

/// Bytes of the blocks that are there of a folder.
fn packed_size(bytes: &[u8], data: usize, blocks: u16, reserved: usize) -> u64 {
    let mut end = data;
    for _ in 0..blocks {
        let Some(block) = Block::read(bytes, end, reserved) else { break };
        end = block.end;
    }
    end.saturating_sub(data) as u64
}

/// Unpacks the blocks of a folder, which `bytes` begin with, as many as the file needs.
pub(super) fn unpack(bytes: &[u8], place: &Place, size: u32) -> Result<Vec<u8>, ContainerError> {
    let (mut at, mut content) = (0, Vec::new());
    let end = (place.offset as usize).saturating_add(size as usize);
    if end as u64 > MAX_ENTRY {
        return Err(ContainerError::TooLarge(end as u64));
    }
    let mut lzx = if place.method == LZX { Some(Lzx::new(place.window)?) } else { None };
    for _ in 0..place.blocks {
        if content.len() >= end {
            break;
        }
        let block = Block::read(bytes, at, place.reserved).ok_or_else(|| broken("a block is cut off"))?;
        at = block.end;
        match (place.method, &mut lzx) {
            (0, _) => content.extend_from_slice(block.data),
            (MSZIP, _) => mszip(&block, &mut content)?,
            (_, Some(decoder)) => content.extend_from_slice(&decoder.frame(block.data, block.unpacked)?),
            _ => return Err(ContainerError::Method),
        }
    }
    content.truncate(end);
    if content.len() != end {
        return Err(broken("fewer bytes come out than it says"));
    }
    Ok(content.split_off(place.offset as usize))
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
        let start = at.saturating_add(8).saturating_add(reserved);
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
    let size = before.saturating_add(block.unpacked);
    let out = inflate(Slice::new(&stream, SpaceId(0), 0), size as u64, size as u64)
        .map_err(|error| broken(error.to_string()))?;
    content.try_reserve(block.unpacked).map_err(|_| broken("there is not that much memory"))?;
    content.extend_from_slice(out.get(before..).unwrap_or_default());
    Ok(())
}

/// Decoder of a folder that LZX packed, by the crate `lzxd`: a block is a frame of the stream.
#[cfg(feature = "packages")]
struct Lzx(lzxd::Lzxd);

#[cfg(feature = "packages")]
impl Lzx {
    /// A decoder with a window of `1 << window` bytes.
    fn new(window: u16) -> Result<Self, ContainerError> {
        use lzxd::WindowSize;
        let window = match window {
            15 => WindowSize::KB32,
            16 => WindowSize::KB64,
            17 => WindowSize::KB128,
            18 => WindowSize::KB256,
            19 => WindowSize::KB512,
            20 => WindowSize::MB1,
            21 => WindowSize::MB2,
            _ => return Err(broken("the window of its LZX stream is not of a cabinet")),
        };
        Ok(Self(lzxd::Lzxd::new(window)))
    }

    /// Content of a block.
    fn frame(&mut self, data: &[u8], unpacked: usize) -> Result<Vec<u8>, ContainerError> {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        // With overflow checks `lzxd` panics at a distance that leads before its window.
        let frame = catch_unwind(AssertUnwindSafe(|| {
            self.0.decompress_next(data, unpacked).map(<[u8]>::to_vec).map_err(|error| error.to_string())
        }));
        let frame = frame.unwrap_or_else(|_| Err("a distance leads before the window".to_owned()));
        frame.map_err(|why| broken(format!("its LZX stream is broken: {why}")))
    }
}

#[cfg(not(feature = "packages"))]
enum Lzx {}

#[cfg(not(feature = "packages"))]
impl Lzx {
    const fn new(_: u16) -> Result<Self, ContainerError> {
        Err(ContainerError::NoReader("LZX"))
    }

    const fn frame(&mut self, _: &[u8], _: usize) -> Result<Vec<u8>, ContainerError> {
        match *self {}
    }
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

    #[test]
    fn files_of_one_folder_are_listed() {
        let mut whole = cabinet(MSZIP, 100_000, &mszip_blocks(&content()));
        // A second file, after the first in the same folder.
        let at = 36 + 8 + 16 + 8;
        let second = [&60_000_u32.to_le_bytes()[..], &100_000_u32.to_le_bytes(), &[0; 8], b"sub\\B.dll\0"].concat();
        whole.splice(at..at, second.iter().copied());
        whole[28] = 2;
        whole[36] += second.len() as u8;
        assert!(has_many(&whole));
        let entries = list(&whole).unwrap();
        let unpacked = |entry: &Entry| {
            let packed = &whole[entry.offset as usize..][..entry.packed as usize];
            entry.unpack(packed.to_vec()).unwrap()
        };
        assert_eq!(entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), ["App.pdb", "sub/B.dll"]);
        assert!(unpacked(&entries[0]) == content()[..100_000] && unpacked(&entries[1]) == content()[100_000..]);
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

    /// A block header of LZX and stored bytes, in frames of 32 KB; with the size that the translation of calls counts with, if any.
    fn lzx_stored(content: &[u8], translation: Option<u32>) -> Vec<(Vec<u8>, usize)> {
        let size = content.len() as u64;
        let (bits, words) = match translation {
            Some(total) => (1 << 63 | u64::from(total) << 31 | 3 << 28 | size << 4, 4),
            None => ((3 << 28 | size << 4) << 32, 2),
        };
        let mut header: Vec<u8> =
            bits.to_be_bytes().chunks(2).take(words).flat_map(|word| [word[1], word[0]]).collect();
        header.extend([1_u32; 3].map(u32::to_le_bytes).concat());
        let mut blocks = Vec::new();
        for chunk in content.chunks(BLOCK) {
            blocks.push(([std::mem::take(&mut header).as_slice(), chunk].concat(), chunk.len()));
        }
        blocks
    }

    #[test]
    fn frames_of_lzx_follow_each_other() {
        let mut content = content();
        content.truncate(90_001);
        for window in [15, 16, 21] {
            let whole = cabinet(LZX | window << 8, content.len(), &lzx_stored(&content, None));
            assert!(unwrap(&whole).unwrap().bytes == content, "{window}");
        }
    }

    #[test]
    fn calls_are_translated() {
        let mut content = vec![0x90; 70_000];
        for at in [5_usize, 32_700, 32_768, 69_000] {
            content[at..at + 5].copy_from_slice(&[0xe8, 0x34, 0x12, 0, 0]);
        }
        // A call at the end of a frame stays as it is.
        content[32_760] = 0xe8;
        let whole = cabinet(LZX | 15 << 8, content.len(), &lzx_stored(&content, Some(70_000)));
        let unpacked = unwrap(&whole).unwrap().bytes;
        for at in [5_usize, 32_700, 32_768, 69_000] {
            let target = i32::from_le_bytes(unpacked[at + 1..at + 5].try_into().unwrap());
            assert_eq!(target, 0x1234 - at as i32);
        }
        assert_eq!(unpacked[32_760..32_768], content[32_760..32_768]);
    }

    /// The content of the streams in `tests/golden/lzx`, one of a verbatim block and one of a block with aligned offsets.
    fn lzx_content() -> Vec<u8> {
        let text: Vec<u8> =
            b"sequence points, sequence points and line 21 ".iter().copied().cycle().take(300).collect();
        [&text[..], &(0..120_u8).map(|n| n.wrapping_mul(37)).collect::<Vec<_>>(), &text[..80]].concat()
    }

    fn lzx_stream(name: &str) -> Vec<u8> {
        std::fs::read(format!("{}/../../tests/golden/lzx/{name}.lzx", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn lzx_blocks_are_unpacked() {
        for name in ["verbatim", "aligned"] {
            let whole = cabinet(LZX | 15 << 8, 500, &[(lzx_stream(name), 500)]);
            assert!(unwrap(&whole).unwrap().bytes == lzx_content(), "{name}");
        }
    }

    #[test]
    fn damage_to_an_lzx_stream_is_an_error_or_other_bytes() {
        let stored = lzx_stored(&lzx_content(), None).remove(0).0;
        for stream in [stored, lzx_stream("verbatim"), lzx_stream("aligned")] {
            let unwrapped = |packed: &[u8]| unwrap(&cabinet(LZX | 15 << 8, 500, &[(packed.to_vec(), 500)]));
            for bit in 0..stream.len() * 8 {
                let mut packed = stream.clone();
                packed[bit / 8] ^= 1 << (bit % 8);
                if let Ok(unwrapped) = unwrapped(&packed) {
                    assert_eq!(unwrapped.bytes.len(), 500);
                }
                assert!(unwrapped(&stream[..(bit / 8) & !1]).is_err(), "{bit}");
            }
        }
    }

    #[test]
    fn other_cabinets_are_refused_with_the_reason() {
        let mut two = cabinet(0, 3, &[(vec![1, 2, 3], 3)]);
        assert_eq!(unwrap(&two).unwrap().bytes, [1, 2, 3]);
        two[28] = 2;
        assert!(unwrap(&two).unwrap_err().to_string().contains("cut off") && has_many(&two));
        two[28] = 1;
        two[30] = 1;
        assert!(unwrap(&two).unwrap_err().to_string().contains("several cabinets"));
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
