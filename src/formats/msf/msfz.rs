//! MSFZ, the compressed container of Microsoft's symbol server. Only its header is decoded.
//!
//! Streams are made of fragments of compressed chunks instead of pages.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/msfz.md`.

use crate::bytes::{Cursor, ErrorKind, FixedText, Recorder, Result, record};

/// The 32 bytes that an MSFZ file begins with.
pub const MAGIC: &[u8; 32] = b"Microsoft MSFZ Container\r\n\x1aALD\0\0";

/// Compression methods of the stream directory.
const COMPRESSION: &[(u64, &str)] = &[(0, "none"), (1, "Zstandard"), (2, "Deflate")];

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

impl MsfzHeader {
    /// Reads the header at the start of a file; fails if the magic differs.
    pub fn read<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is no MSFZ file")));
        }
        Self::decode(cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Slice, SpaceId};

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
}
