//! MSF 2.00, the container of Visual C++ before version 7. Only its header is decoded.
//!
//! It resembles MSF 7.00 with 16-bit page numbers, which limit a file to 64 K pages.
//!
//! # References
//!
//! microsoft/microsoft-pdb `PDB/msf/msf.cpp`; microsoft/pdb-rs `docs/pdb/msf.md`.

use crate::bytes::{Cursor, ErrorKind, FixedText, Recorder, Result, fields, record};

/// The 44 bytes that an MSF 2.00 file begins with.
pub const MAGIC: &[u8; 44] = b"Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0";

record! {
    /// The header of an MSF 2.00 file.
    pub struct Msf2Header: "small header" {
        /// Identifies an MSF file of version 2.00, from before Visual C++ 7.
        magic: FixedText<44>,
        /// The size of a page in bytes, 4096 at most: page N begins at file offset N × page size.
        page_size: u32,
        /// The first page of the active free page map.
        active_map "active free page map": u16,
        /// The number of pages in the file, which has only 16 bits: hence the name small MSF.
        page_count: u16,
        /// The size of the stream directory in bytes.
        directory_size: u32,
        /// Unused; a pointer in the memory of the program that wrote the file.
        unused: u32 as Hex,
    }
}

fields! {
    /// A page of the stream directory, listed here directly, without a block map.
    DIRECTORY_PAGE: "page of the directory";
}

impl Msf2Header {
    /// Reads the header, at the first byte of the file, and the pages that it lists.
    pub fn read<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if !cursor.remaining().starts_with(MAGIC) {
            return Err(cursor.error_since(cursor.position(), ErrorKind::Invalid("this is not an MSF 2.00 file")));
        }
        cursor.group(&Self::DOC, |c| {
            let header = Self::decode_fields(c)?;
            let pages = header.directory_size.div_ceil(header.page_size.max(1));
            for _ in 0..(pages as u64).min(c.left() / 2).min(u16::MAX as u64) {
                c.u16(&DIRECTORY_PAGE)?;
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
        let header = Msf2Header::read(&mut cursor).unwrap();
        let numbers = (header.page_size, header.active_map, header.page_count, header.directory_size);
        assert_eq!(numbers, (0x400, 1, 0x123, 0x500));
        let pages: Vec<_> =
            cursor.fields().iter().filter(|f| f.name() == "page of the directory").map(|f| f.value.number()).collect();
        assert_eq!(pages, [Some(7), Some(9)]);
        assert!(Msf2Header::read(&mut Slice::new(&bytes[..50], SpaceId(0), 0).cursor()).is_err());
    }
}
