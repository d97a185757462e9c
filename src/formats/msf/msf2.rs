//! MSF 2.00, the container that Visual C++ wrote before version 7: recognised, and its header read.
//!
//! The idea is that of MSF 7.00 with 16-bit page numbers, so that no file is larger than 64 K pages.
//!
//! # References
//!
//! microsoft/microsoft-pdb `PDB/msf/msf.cpp`; microsoft/pdb-rs `docs/pdb/msf.md`.

use crate::bytes::{Cursor, Encoding, ErrorKind, Notes, Result};

/// The 44 bytes that an MSF 2.00 file begins with.
pub const MAGIC: &[u8; 44] = b"Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0";

/// What an MSF 2.00 file begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msf2Header {
    /// How many bytes a page has.
    pub page_size: u32,
    /// The first page of the free page map that counts.
    pub active_map: u16,
    /// How many pages the file has.
    pub page_count: u16,
    /// How many bytes the directory has.
    pub directory_size: u32,
}

impl Msf2Header {
    /// Reads the header, at the first byte of the file.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is no MSF 2.00 file")));
        }
        cursor.group("small header", |c| {
            c.text("magic", MAGIC.len() as u64, Encoding::Utf8)?;
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
        let mut cursor = Cursor::noting(Slice::new(&bytes, SpaceId(0), 0));
        let header = Msf2Header::decode(&mut cursor).unwrap();
        let wanted = Msf2Header { page_size: 0x400, active_map: 1, page_count: 0x123, directory_size: 0x500 };
        assert_eq!(header, wanted);
        let pages: Vec<_> =
            cursor.fields().iter().filter(|f| f.name == "page of the directory").map(|f| f.value.number()).collect();
        assert_eq!(pages, [Some(7), Some(9)]);
        assert!(Msf2Header::decode(&mut Slice::new(&bytes[..50], SpaceId(0), 0).cursor()).is_err());
    }
}
