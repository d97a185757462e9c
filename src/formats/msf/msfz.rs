//! MSFZ, the compressed container that Microsoft's symbol server hands out: recognised, and its header read.
//!
//! Streams are made of fragments of compressed chunks instead of pages.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/msfz.md`.

use crate::bytes::{Cursor, Encoding, ErrorKind, Notes, Result};

/// The 32 bytes that an MSFZ file begins with.
pub const MAGIC: &[u8; 32] = b"Microsoft MSFZ Container\r\n\x1aALD\0\0";

/// What an MSFZ file begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsfzHeader {
    /// The version of the format; 0 is the first.
    pub version: u64,
    /// Where the directory of streams begins.
    pub directory_offset: u64,
    /// Where the table of compressed chunks begins.
    pub chunk_table_offset: u64,
    /// How many streams there are.
    pub stream_count: u32,
    /// How the directory is compressed: 0 not at all, 1 Zstandard, 2 Deflate.
    pub directory_compression: u32,
    /// How many bytes the directory takes in the file.
    pub directory_compressed_size: u32,
    /// How many bytes the directory has.
    pub directory_size: u32,
    /// How many compressed chunks there are.
    pub chunk_count: u32,
    /// How many bytes the table of chunks has.
    pub chunk_table_size: u32,
}

impl MsfzHeader {
    /// Reads the header, at the first byte of the file.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is no MSFZ file")));
        }
        cursor.group("msfz header", |c| {
            c.text("magic", MAGIC.len() as u64, Encoding::Utf8)?;
            Ok(Self {
                version: c.u64("version")?,
                directory_offset: c.u64("directory offset")?,
                chunk_table_offset: c.u64("chunk table offset")?,
                stream_count: c.u32("stream count")?,
                directory_compression: c.u32("directory compression")?,
                directory_compressed_size: c.u32("directory compressed size")?,
                directory_size: c.u32("directory size")?,
                chunk_count: c.u32("chunk count")?,
                chunk_table_size: c.u32("chunk table size")?,
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
