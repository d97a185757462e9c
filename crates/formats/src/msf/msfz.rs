//! MSFZ, the compressed form of an MSF file (`.pdz`, or `.pdb` like any other).
//!
//! ```text
//! header             locates the stream directory and the chunk table
//! stream directory   fragments of each stream, up to a size of 0; a size of 0xFFFFFFFF alone: no stream
//!   fragment         size; location in the file, or (bit 63) first chunk and offset in it
//! chunk table        location, compression method and sizes of each chunk
//! ```
//!
//! Unpacked, the chunks are one row of bytes, in the order of the table: a fragment may go on in the next chunk. Nothing has pages.
//! [`rebuild`] makes the MSF file with the same streams, which everything else reads.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/msfz.md`.

use super::rebuild::Builder;
use super::{MAX_STREAMS, NIL};
use crate::bytes::{Cursor, Error, ErrorKind, FixedText, Recorder, Result, Slice, SpaceId, fields, record};
use crate::inflate::{ceiling, inflate};
use crate::zstandard;

/// The 32 bytes that an MSFZ file begins with.
pub const MAGIC: &[u8; 32] = b"Microsoft MSFZ Container\r\n\x1aALD\0\0";
/// The version of the format that is known.
const VERSION: u64 = 0;

/// Compression methods of the stream directory and of chunks.
const COMPRESSION: &[(u64, &str)] =
    &[(NONE as u64, "none"), (ZSTANDARD as u64, "Zstandard"), (DEFLATE as u64, "Deflate")];
const NONE: u32 = 0;
const ZSTANDARD: u32 = 1;
const DEFLATE: u32 = 2;

record! {
    /// The header of an MSFZ file: the location of its stream directory and of its compressed chunks.
    pub struct MsfzHeader: "msfz header" {
        /// Identifies an MSFZ file, the compressed form of a Windows PDB.
        magic: FixedText<32>,
        /// The version of the format; 0 is the first.
        version: u64,
        /// The file offset of the stream directory.
        directory_offset: u64 as Offset,
        /// The file offset of the table of compressed chunks.
        chunk_table_offset: u64 as Offset,
        /// The number of streams.
        stream_count: u32,
        /// The compression method of the stream directory.
        directory_compression: u32 as OneOf(COMPRESSION),
        /// The size of the stream directory in the file, compressed, in bytes.
        directory_compressed_size: u32,
        /// The size of the stream directory in bytes once it is decompressed.
        directory_size: u32,
        /// The number of compressed chunks; streams are made of fragments of them.
        chunk_count: u32,
        /// The size of the chunk table in bytes: 20 per chunk.
        chunk_table_size: u32,
    }
}

record! {
    /// An entry of the chunk table: where a chunk is in the file, and how it is compressed.
    pub struct Chunk: "chunk" {
        /// The file offset of the compressed bytes.
        offset: u64 as Offset,
        /// The compression method of the chunk.
        compression: u32 as OneOf(COMPRESSION),
        /// The size of the chunk in the file, compressed, in bytes.
        compressed_size: u32,
        /// The size of the chunk in bytes once it is decompressed.
        size: u32,
    }
}

impl MsfzHeader {
    /// Reads the header at the start of a file; fails if the magic differs.
    pub fn read<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is not an MSFZ file")));
        }
        Self::decode(cursor)
    }
}

/// The MSF 7.00 file that has the same streams as the MSFZ file that is all of `file`. What is unpacked, and the result, have at most
/// `max` bytes each.
pub fn rebuild(file: Slice<'_>, max: u64) -> Result<Vec<u8>> {
    let mut cursor = file.cursor();
    let header = MsfzHeader::read(&mut cursor)?;
    if header.version != VERSION {
        return Err(cursor.error_since(0, ErrorKind::Unknown { what: "version of MSFZ", value: header.version }));
    }
    let max = ceiling(file.len(), max);
    let packed = file.part(header.directory_offset, header.directory_compressed_size.into())?;
    let directory = unpack(packed, header.directory_compression, header.directory_size, max)?;
    let chunks = Chunks::unpack(file, &header, max)?;
    // No two fragments overlap, so that all streams together are no longer.
    let mut left = chunks.bytes.len() as u64 + file.len();
    let streams = streams(&directory, header.stream_count, MAX_STREAMS).map_err(|error| error.at(packed.span()))?;
    let mut msf = Builder::new(max);
    for fragments in &streams {
        let Some(fragments) = fragments else {
            msf.add_nil();
            continue;
        };
        let size = fragments.iter().map(|fragment| u64::from(fragment.size)).sum::<u64>();
        left = left.checked_sub(size).ok_or_else(|| Error::invalid("fragments of streams overlap", packed.span()))?;
        msf.begin_stream();
        for fragment in fragments {
            let content = chunks.fragment(file, *fragment).map_err(|error| error.at(packed.span()))?;
            msf.append(content)?;
        }
        msf.end_stream()?;
    }
    msf.finish()
}

struct Chunks {
    bytes: Vec<u8>,
    /// Offset in `bytes` of each chunk.
    starts: Vec<u64>,
}

impl Chunks {
    fn unpack(file: Slice<'_>, header: &MsfzHeader, max: u64) -> Result<Self> {
        let table = file.part(header.chunk_table_offset, header.chunk_table_size.into())?;
        if u64::from(header.chunk_count) * Chunk::SIZE != table.len() {
            return Err(Error::invalid("the size of the chunk table differs from that of its chunks", table.span()));
        }
        let mut chunks = Self { bytes: Vec::new(), starts: Vec::new() };
        let mut cursor = table.cursor();
        while !cursor.is_done() {
            let chunk = Chunk::decode(&mut cursor)?;
            let start = chunks.bytes.len() as u64;
            let packed = file.part(chunk.offset, chunk.compressed_size.into())?;
            let unpacked = unpack(packed, chunk.compression, chunk.size, max.saturating_sub(start))?;
            let no_memory = |_| Error::new(ErrorKind::Inflate("there is not that much memory"), packed.span());
            chunks.bytes.try_reserve(unpacked.len()).map_err(no_memory)?;
            chunks.bytes.extend_from_slice(&unpacked);
            chunks.starts.push(start);
        }
        Ok(chunks)
    }

    /// The bytes of a fragment: of the file as they are, or of the unpacked chunks.
    fn fragment<'a>(&'a self, file: Slice<'a>, fragment: Fragment) -> Result<&'a [u8]> {
        let size = u64::from(fragment.size);
        let Some(chunk) = fragment.chunk() else { return Ok(file.part(fragment.offset(), size)?.data) };
        let count = self.starts.len() as u64;
        let start =
            self.starts.get(chunk as usize).ok_or_else(|| Error::no_such("chunk", chunk, count, file.span()))?;
        let bytes = Slice::new(&self.bytes, file.span().space, 0);
        Ok(bytes.part(start.saturating_add(fragment.offset()), size)?.data)
    }
}

/// Unpacks `packed` to exactly `size` bytes.
fn unpack(packed: Slice<'_>, compression: u32, size: u32, max: u64) -> Result<Vec<u8>> {
    let size = u64::from(size);
    match compression {
        NONE if packed.len() == size && size <= max => Ok(packed.data.to_vec()),
        NONE => Err(Error::invalid("bytes that are not compressed have two sizes", packed.span())),
        ZSTANDARD => zstandard::decompress(packed, size, max),
        DEFLATE => inflate(packed, size, max),
        other => Err(Error::unknown("compression method", other, packed.span())),
    }
}

/// Bit of a location that is set for bytes of chunks.
const IN_CHUNK: u64 = 1 << 63;

fields! {
    /// The size of the fragment of the stream in bytes; 0 ends the stream, 0xFFFFFFFF says that there is none of this number.
    FRAGMENT_SIZE: "fragment size";
    /// The position of the fragment: a file offset, or with bit 63 set the number of a chunk and an offset in its unpacked bytes.
    FRAGMENT_LOCATION: "fragment location" as Hex;
}

/// Consecutive bytes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fragment {
    /// Never 0.
    size: u32,
    location: u64,
}

impl Fragment {
    /// Number of the chunk in which it begins; `None` if its bytes are in the file as they are.
    const fn chunk(self) -> Option<u32> {
        // Bits 32 to 62.
        if self.location & IN_CHUNK == 0 { None } else { Some(((self.location & !IN_CHUNK) >> 32) as u32) }
    }

    /// Offset in its chunk or in the file.
    const fn offset(self) -> u64 {
        if self.location & IN_CHUNK == 0 { self.location } else { self.location & 0xffff_ffff }
    }
}

/// Decodes the fragments of all streams; `None` for one that does not exist. The directory may have been unpacked: its bytes are in no
/// address space.
fn streams(directory: &[u8], count: u32, max: usize) -> Result<Vec<Option<Vec<Fragment>>>> {
    let mut cursor = Slice::new(directory, SpaceId(0), 0).cursor();
    if count as usize > max {
        let kind = ErrorKind::TooLarge { what: "the number of streams", size: count.into(), ceiling: max as u64 };
        return Err(cursor.error_since(0, kind));
    }
    // Each stream has four bytes at least: a directory that is too short ends the loop.
    (0..count).map(|_| stream(&mut cursor)).collect()
}

fn stream<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Option<Vec<Fragment>>> {
    let mut fragments = Vec::new();
    loop {
        match cursor.u32(&FRAGMENT_SIZE)? {
            0 => return Ok(Some(fragments)),
            NIL if fragments.is_empty() => return Ok(None),
            size => fragments.push(Fragment { size, location: cursor.u64(&FRAGMENT_LOCATION)? }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(numbers: &[u32]) -> Vec<u8> {
        MAGIC.iter().copied().chain(numbers.iter().flat_map(|n| n.to_le_bytes())).collect()
    }

    #[test]
    fn the_header_of_msfz() {
        let bytes = file(&[0, 0, 0x50, 0, 0x90, 0, 3, 1, 0x40, 0x60, 2, 40]);
        let header = MsfzHeader::read(&mut Slice::new(&bytes, SpaceId(0), 0).cursor()).unwrap();
        assert_eq!((header.version, header.directory_offset, header.chunk_table_offset), (0, 0x50, 0x90));
        assert_eq!((header.stream_count, header.directory_compression, header.chunk_count), (3, 1, 2));
        assert_eq!(
            (header.directory_compressed_size, header.directory_size, header.chunk_table_size),
            (0x40, 0x60, 40)
        );
        assert!(MsfzHeader::read(&mut Slice::new(b"Microsoft C/C++ MSF 7.00", SpaceId(0), 0).cursor()).is_err());
        assert!(MsfzHeader::read(&mut Slice::new(&bytes[..79], SpaceId(0), 0).cursor()).is_err());
    }

    fn decoded(numbers: &[u32], count: u32) -> Result<Vec<Option<Vec<Fragment>>>> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        streams(&bytes, count, 100)
    }

    #[test]
    fn fragments_of_streams() {
        // An empty stream, one in the file, none, and one in chunk 0x65, as the specification's example has them.
        let numbers = [0, 0x1a0, 0x50, 0, 0, NIL, 0x6_ac84, 0x10e0, 0x8000_0065, 0];
        let streams = decoded(&numbers, 4).unwrap();
        let [Some(empty), Some(raw), None, Some(packed)] = &streams[..] else { panic!("{streams:?}") };
        assert_eq!((empty.len(), raw.len(), packed.len()), (0, 1, 1));
        assert_eq!((raw[0].size, raw[0].chunk(), raw[0].offset()), (0x1a0, None, 0x50));
        assert_eq!((packed[0].size, packed[0].chunk(), packed[0].offset()), (0x6_ac84, Some(0x65), 0x10e0));
        for len in 0..numbers.len() {
            assert!(decoded(&numbers[..len], 4).is_err(), "{len}");
        }
        assert!(decoded(&[0; 200], 101).unwrap_err().to_string().contains("the number of streams"));
    }
}
