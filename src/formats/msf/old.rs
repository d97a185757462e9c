//! The containers beside MSF 7.00: recognised, and their headers read.
//!
//! * *MSF 2.00* is what Visual C++ wrote before version 7: the same idea with 16-bit page numbers, so that no file is larger
//!   than 64 K pages.
//! * *MSFZ* is the compressed form that Microsoft's symbol server has begun to hand out: streams are made of fragments of
//!   compressed chunks instead of pages.
//!
//! # References
//!
//! microsoft/microsoft-pdb `PDB/msf/msf.cpp`; microsoft/pdb-rs `docs/pdb/msf.md` and `docs/pdb/msfz.md`.

use crate::bytes::{Cursor, Encoding, ErrorKind, Recorder, Result};

/// The 44 bytes that an MSF 2.00 file begins with.
pub const SMALL_MAGIC: &[u8; 44] = b"Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0";

/// The 32 bytes that an MSFZ file begins with.
pub const MSFZ_MAGIC: &[u8; 32] = b"Microsoft MSFZ Container\r\n\x1aALD\0\0";

/// What an MSF 2.00 file begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallHeader {
    /// How many bytes a page has.
    pub page_size: u32,
    /// The first page of the free page map that counts.
    pub active_map: u16,
    /// How many pages the file has.
    pub page_count: u16,
    /// How many bytes the directory has.
    pub directory_size: u32,
}

impl SmallHeader {
    /// Reads the header, at the first byte of the file.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(SMALL_MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is no MSF 2.00 file")));
        }
        cursor.group("small header", |c| {
            c.text("magic", SMALL_MAGIC.len() as u64, Encoding::Utf8)?;
            let header = Self {
                page_size: c.u32("page size")?,
                active_map: c.u16("active free page map")?,
                page_count: c.u16("page count")?,
                directory_size: c.u32("directory size")?,
            };
            c.u32("unused")?;
            let pages = header.directory_size.div_ceil(header.page_size.max(1));
            for _ in 0..(pages as u64).min(c.left() / 2).min(u16::MAX as u64) {
                c.u16("page of the directory")?;
            }
            Ok(header)
        })
    }
}

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
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MSFZ_MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is no MSFZ file")));
        }
        cursor.group("msfz header", |c| {
            c.text("magic", MSFZ_MAGIC.len() as u64, Encoding::Utf8)?;
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

    fn file(magic: &[u8], numbers: &[u32]) -> Vec<u8> {
        magic.iter().copied().chain(numbers.iter().flat_map(|n| n.to_le_bytes())).collect()
    }

    #[test]
    fn the_header_of_msf_2_00() {
        //                                 page size  map, page count  directory  unused  pages 7 and 9
        let bytes = file(SMALL_MAGIC, &[0x400, 0x0123_0001, 0x500, 0, 0x0009_0007]);
        let mut cursor = Cursor::recording(Slice::new(&bytes, SpaceId(0), 0));
        let header = SmallHeader::decode(&mut cursor).unwrap();
        let wanted = SmallHeader { page_size: 0x400, active_map: 1, page_count: 0x123, directory_size: 0x500 };
        assert_eq!(header, wanted);
        let pages: Vec<_> =
            cursor.fields().iter().filter(|f| f.name() == "page of the directory").map(|f| f.value.number()).collect();
        assert_eq!(pages, [Some(7), Some(9)]);
        assert!(SmallHeader::decode(&mut Slice::new(&bytes[..50], SpaceId(0), 0).cursor()).is_err());
        assert!(MsfzHeader::decode(&mut Slice::new(&bytes, SpaceId(0), 0).cursor()).is_err());
    }

    #[test]
    fn the_header_of_msfz() {
        let bytes = file(MSFZ_MAGIC, &[0, 0, 0x50, 0, 0x90, 0, 3, 1, 0x40, 0x60, 2, 40]);
        let header = MsfzHeader::decode(&mut Slice::new(&bytes, SpaceId(0), 0).cursor()).unwrap();
        assert_eq!((header.version, header.directory_offset, header.chunk_table_offset), (0, 0x50, 0x90));
        assert_eq!((header.stream_count, header.directory_compression, header.chunk_count), (3, 1, 2));
        assert_eq!(
            (header.directory_compressed_size, header.directory_size, header.chunk_table_size),
            (0x40, 0x60, 40)
        );
        assert!(MsfzHeader::decode(&mut Slice::new(&bytes[..79], SpaceId(0), 0).cursor()).is_err());
    }
}
