//! MSF 2.00, the container of Visual C++ before version 7. Only its header is decoded.
//!
//! It resembles MSF 7.00 with 16-bit page numbers, which limit a file to 64 K pages.
//!
//! # References
//!
//! microsoft/microsoft-pdb `PDB/msf/msf.cpp`; microsoft/pdb-rs `docs/pdb/msf.md`.

use crate::bytes::{Cursor, Encoding, ErrorKind, Recorder, Result, fields};

/// The 44 bytes that an MSF 2.00 file begins with.
pub const MAGIC: &[u8; 44] = b"Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0";

/// Header of an MSF 2.00 file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msf2Header {
    /// Size of a page in bytes.
    pub page_size: u32,
    /// First page of the active free page map.
    pub active_map: u16,
    /// Number of pages of the file.
    pub page_count: u16,
    /// Size of the directory in bytes.
    pub directory_size: u32,
}

impl Msf2Header {
    fields! {
        /// The header of an MSF 2.00 file.
        pub DOC: "small header";
        /// Identifies an MSF file of version 2.00, from before Visual C++ 7.
        pub MAGIC: "magic";
        /// The size of a page in bytes, 4096 at most: page N begins at file offset N × page size.
        pub PAGE_SIZE: "page size";
        /// The first page of the active free page map.
        pub ACTIVE_MAP: "active free page map";
        /// The number of pages in the file, which has only 16 bits: hence the name small MSF.
        pub PAGE_COUNT: "page count";
        /// The size of the stream directory in bytes.
        pub DIRECTORY_SIZE: "directory size";
        /// Unused; a pointer in the memory of the program that wrote the file.
        pub UNUSED: "unused" as Hex;
        /// A page of the stream directory, listed here directly, without a block map.
        pub DIRECTORY_PAGE: "page of the directory";
    }

    /// Reads the header, at the first byte of the file.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is not an MSF 2.00 file")));
        }
        cursor.group(&Self::DOC, |c| {
            c.text(&Self::MAGIC, MAGIC.len() as u64, Encoding::Utf8)?;
            let header = Self {
                page_size: c.u32(&Self::PAGE_SIZE)?,
                active_map: c.u16(&Self::ACTIVE_MAP)?,
                page_count: c.u16(&Self::PAGE_COUNT)?,
                directory_size: c.u32(&Self::DIRECTORY_SIZE)?,
            };
            c.u32(&Self::UNUSED)?;
            let pages = header.directory_size.div_ceil(header.page_size.max(1));
            for _ in 0..(pages as u64).min(c.left() / 2).min(u16::MAX as u64) {
                c.u16(&Self::DIRECTORY_PAGE)?;
            }
            Ok(header)
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
        let bytes = file(MAGIC, &[0x400, 0x0123_0001, 0x500, 0, 0x0009_0007]);
        let mut cursor = Cursor::recording(Slice::new(&bytes, SpaceId(0), 0));
        let header = Msf2Header::decode(&mut cursor).unwrap();
        let wanted = Msf2Header { page_size: 0x400, active_map: 1, page_count: 0x123, directory_size: 0x500 };
        assert_eq!(header, wanted);
        let pages: Vec<_> =
            cursor.fields().iter().filter(|f| f.name() == "page of the directory").map(|f| f.value.number()).collect();
        assert_eq!(pages, [Some(7), Some(9)]);
        assert!(Msf2Header::decode(&mut Slice::new(&bytes[..50], SpaceId(0), 0).cursor()).is_err());
    }
}
