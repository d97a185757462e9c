//! CILDB, the portable symbol file that ECMA-335 Partition V specifies and that no shipped compiler writes.
//!
//! Rotor used it, and CoreCLR's `ildbsymlib` for symbols of code generated in memory. Only its header is decoded.

use crate::bytes::{Cursor, Error, Guid, Recorder, Result, record};

/// First 16 bytes of the file.
pub const SIGNATURE: &[u8; 16] = b"_ildb_signature\0";

/// Version that ECMA-335 specifies.
pub const VERSION_ECMA: Guid = Guid::of(0xF1E7_557F, 0x423C, 0x4117, 0x8DA9_C7A3_CD98_8DF1);

record! {
    /// The header of a CILDB file: the number of entries in each of its tables.
    pub struct Header: "ildb header" {
        /// `_ildb_signature`, which identifies the symbol file of ECMA-335 Partition V; no shipped compiler writes it.
        signature: [u8; 16],
        /// The layout of the tables: that of the specification, or CoreCLR's own.
        version: Guid as Guid,
        /// The method in which the program begins, so that a debugger can stop there first; 0 for none.
        user_entry_point: u32 as Token,
        /// The number of methods with debug information.
        count_of_methods: u32,
        /// The number of scopes: stretches of IL with variables of their own.
        count_of_scopes: u32,
        /// The number of local variables with names.
        count_of_variables: u32,
        /// The number of imported namespaces.
        count_of_usings: u32,
        /// The number of local constants.
        count_of_constants: u32,
        /// The number of documents (source files).
        count_of_documents: u32,
        /// The number of sequence points.
        count_of_sequence_points: u32,
        /// The size of the signatures, hashes and embedded sources after the tables, in bytes.
        count_of_misc_bytes: u32,
        /// The size of the names after those, in bytes.
        count_of_string_bytes: u32,
    }
}

impl Header {
    /// Reads the header at the start of a file; fails if the signature differs.
    pub fn read<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        if let Some(signature) = cursor.remaining().first_chunk()
            && signature != SIGNATURE
        {
            let span = cursor.since(cursor.position()).part(0, SIGNATURE.len() as u64);
            return Err(Error::invalid("invalid CILDB signature", span));
        }
        Self::decode(cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{ErrorKind, Slice, SpaceId, Value};

    fn bytes() -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend(VERSION_ECMA.0);
        for number in [0x0600_0001_u32, 1, 2, 3, 4, 5, 6, 7, 8, 9] {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn the_header_is_72_bytes() {
        let bytes = bytes();
        // The bytes of the version as the specification prints them.
        assert_eq!(bytes[16..24], [0x7f, 0x55, 0xe7, 0xf1, 0x3c, 0x42, 0x17, 0x41]);
        let mut cursor = Cursor::recording(Slice::new(&bytes, SpaceId(0), 0));
        let header = Header::read(&mut cursor).unwrap();
        assert_eq!((header.user_entry_point, header.count_of_methods), (0x0600_0001, 1));
        assert_eq!((header.count_of_sequence_points, header.count_of_string_bytes, Header::SIZE), (7, 9, 72));
        let leaves = cursor.fields().into_iter().filter(|field| field.value != Value::Group);
        assert_eq!(leaves.map(|leaf| leaf.span.len).sum::<u64>(), 72);
    }

    #[test]
    fn a_cut_header_or_another_file_is_an_error() {
        let bytes = bytes();
        for len in 0..bytes.len() {
            let error = Header::read(&mut Slice::new(&bytes[..len], SpaceId(0), 0).cursor()).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::UnexpectedEnd { .. }));
        }
        assert!(Header::read(&mut Slice::new(&[0; 72], SpaceId(0), 0).cursor()).is_err());
    }

    #[test]
    fn every_field_has_a_sentence() {
        let bytes = [&SIGNATURE[..], &[0; 56]].concat();
        crate::testing::described(&bytes, |c| Header::read(c).map(drop));
    }
}
