//! MSFZ, the compressed container that Microsoft's symbol server hands out: recognised, and its header read.
//!
//! Streams are made of fragments of compressed chunks instead of pages.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/msfz.md`.

use crate::bytes::{Cursor, Encoding, ErrorKind, Recorder, Result, fields};

/// The 32 bytes that an MSFZ file begins with.
pub const MAGIC: &[u8; 32] = b"Microsoft MSFZ Container\r\n\x1aALD\0\0";

/// Header of an MSFZ file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsfzHeader {
    /// The version of the format; 0 is the first.
    pub version: u64,
    /// File offset of the stream directory.
    pub directory_offset: u64,
    /// File offset of the chunk table.
    pub chunk_table_offset: u64,
    /// Number of streams.
    pub stream_count: u32,
    /// Compression of the directory: 0 none, 1 Zstandard, 2 Deflate.
    pub directory_compression: u32,
    /// Size of the directory in the file in bytes.
    pub directory_compressed_size: u32,
    /// Size of the directory in bytes.
    pub directory_size: u32,
    /// Number of compressed chunks.
    pub chunk_count: u32,
    /// Size of the table of chunks in bytes.
    pub chunk_table_size: u32,
}

/// Compression methods of the stream directory.
const COMPRESSION: &[(u64, &str)] = &[(0, "none"), (1, "Zstandard"), (2, "Deflate")];

impl MsfzHeader {
    fields! {
        /// The header of an MSFZ file: the location of its stream directory and of its compressed chunks.
        pub DOC: "msfz header";
        /// Identifies an MSFZ file, the compressed form of a Windows PDB.
        pub MAGIC: "magic";
        /// The version of the format; 0 is the first.
        pub VERSION: "version";
        /// The file offset of the stream directory.
        pub DIRECTORY_OFFSET: "directory offset" as Offset;
        /// The file offset of the table of compressed chunks.
        pub CHUNK_TABLE_OFFSET: "chunk table offset" as Offset;
        /// The number of streams.
        pub STREAM_COUNT: "stream count";
        /// The compression method of the stream directory.
        pub DIRECTORY_COMPRESSION: "directory compression" as OneOf(COMPRESSION);
        /// The size of the stream directory in the file, compressed, in bytes.
        pub DIRECTORY_COMPRESSED_SIZE: "directory compressed size";
        /// The size of the stream directory in bytes once it is decompressed.
        pub DIRECTORY_SIZE: "directory size";
        /// The number of compressed chunks; streams are made of fragments of them.
        pub CHUNK_COUNT: "chunk count";
        /// The size of the chunk table in bytes: 20 per chunk.
        pub CHUNK_TABLE_SIZE: "chunk table size";
    }

    /// Reads the header, at the first byte of the file.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is no MSFZ file")));
        }
        cursor.group(&Self::DOC, |c| {
            c.text(&Self::MAGIC, MAGIC.len() as u64, Encoding::Utf8)?;
            Ok(Self {
                version: c.u64(&Self::VERSION)?,
                directory_offset: c.u64(&Self::DIRECTORY_OFFSET)?,
                chunk_table_offset: c.u64(&Self::CHUNK_TABLE_OFFSET)?,
                stream_count: c.u32(&Self::STREAM_COUNT)?,
                directory_compression: c.u32(&Self::DIRECTORY_COMPRESSION)?,
                directory_compressed_size: c.u32(&Self::DIRECTORY_COMPRESSED_SIZE)?,
                directory_size: c.u32(&Self::DIRECTORY_SIZE)?,
                chunk_count: c.u32(&Self::CHUNK_COUNT)?,
                chunk_table_size: c.u32(&Self::CHUNK_TABLE_SIZE)?,
            })
        })
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
        let header = MsfzHeader::decode(&mut Slice::new(&bytes, SpaceId(0), 0).cursor()).unwrap();
        assert_eq!((header.version, header.directory_offset, header.chunk_table_offset), (0, 0x50, 0x90));
        assert_eq!((header.stream_count, header.directory_compression, header.chunk_count), (3, 1, 2));
        assert_eq!(
            (header.directory_compressed_size, header.directory_size, header.chunk_table_size),
            (0x40, 0x60, 40)
        );
        assert!(MsfzHeader::decode(&mut Slice::new(b"Microsoft C/C++ MSF 7.00", SpaceId(0), 0).cursor()).is_err());
        assert!(MsfzHeader::decode(&mut Slice::new(&bytes[..79], SpaceId(0), 0).cursor()).is_err());
    }
}
