//! CILDB, the portable symbol file that ECMA-335 Partition V specifies and that no shipped compiler writes.
//!
//! Rotor had it, and CoreCLR's `ildbsymlib` kept it for symbols of code made in memory. A header of 72 bytes says how many
//! entries each of its tables has. It is named here and its header is shown; the tables are not read.

use crate::bytes::{Cursor, Error, FieldDoc, Guid, Recorder, Result, Span, fields};

/// The first sixteen bytes.
pub const SIGNATURE: &[u8; 16] = b"_ildb_signature\0";

/// The version that ECMA-335 specifies.
pub const VERSION_ECMA: Guid = Guid::of(0xF1E7_557F, 0x423C, 0x4117, 0x8DA9_C7A3_CD98_8DF1);
/// The version of CoreCLR.
pub const VERSION_CORECLR: Guid = Guid::of(0x9E02_E5B6, 0x8AEF, 0x4D06, 0x82E8_0E9B_4549_9716);
/// The version of the first Rotor, which later ones refused.
pub const VERSION_ROTOR: Guid = Guid::of(0xCB2F_6723, 0xAB3A, 0x011D, 0x9C40_00C0_4FA3_0A3E);

/// Header of a CILDB file.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Layout of the tables.
    pub version: Guid,
    /// The MethodDef token of the entry point; 0 for none.
    pub entry_point: u32,
    /// Number of methods, scopes, variables, usings, constants, documents and sequence points.
    pub counts: [u32; 7],
    /// Size of signatures, hashes and other data in bytes.
    pub misc_bytes: u32,
    /// Size of the names in bytes.
    pub string_bytes: u32,
    /// The bytes of all this.
    pub span: Span,
}

fields! {
    /// The number of methods with debug information.
    METHODS: "count of methods";
    /// The number of scopes: stretches of IL with variables of their own.
    SCOPES: "count of scopes";
    /// The number of local variables with names.
    VARIABLES: "count of variables";
    /// The number of imported namespaces.
    USINGS: "count of usings";
    /// The number of local constants.
    CONSTANTS: "count of constants";
    /// The number of documents (source files).
    DOCUMENTS: "count of documents";
    /// The number of sequence points.
    SEQUENCE_POINTS: "count of sequence points";
}

/// Descriptions of [`Header::counts`], in their order.
pub const COUNTED: [&FieldDoc; 7] = [&METHODS, &SCOPES, &VARIABLES, &USINGS, &CONSTANTS, &DOCUMENTS, &SEQUENCE_POINTS];

impl Header {
    fields! {
        /// The header of a CILDB file: the number of entries in each of its tables.
        pub DOC: "ildb header";
        /// `_ildb_signature`, which identifies the symbol file of ECMA-335 Partition V; no shipped compiler writes it.
        pub SIGNATURE: "signature";
        /// The layout of the tables: that of the specification, or CoreCLR's own.
        pub VERSION: "version" as Guid;
        /// The method in which the program begins, so that a debugger can stop there first; 0 for none.
        pub ENTRY_POINT: "user entry point" as Token;
        /// The size of the signatures, hashes and embedded sources after the tables, in bytes.
        pub MISC_BYTES: "count of misc bytes";
        /// The size of the names after those, in bytes.
        pub STRING_BYTES: "count of string bytes";
    }

    /// Reads it.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group(&Self::DOC, |c| {
            let signature = c.bytes(&Self::SIGNATURE, SIGNATURE.len() as u64)?;
            if signature.data != SIGNATURE {
                return Err(Error::invalid("not the signature of CILDB", signature.span()));
            }
            let (version, entry_point) = (c.guid(&Self::VERSION)?, c.u32(&Self::ENTRY_POINT)?);
            let mut counts = [0; 7];
            for (count, name) in counts.iter_mut().zip(COUNTED) {
                *count = c.u32(name)?;
            }
            let (misc_bytes, string_bytes) = (c.u32(&Self::MISC_BYTES)?, c.u32(&Self::STRING_BYTES)?);
            Ok(Self { version, entry_point, counts, misc_bytes, string_bytes, span: c.since(start) })
        })
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
        let header = Header::decode(&mut cursor).unwrap();
        assert_eq!((header.entry_point, header.counts, header.string_bytes), (0x0600_0001, [1, 2, 3, 4, 5, 6, 7], 9));
        let leaves = cursor.fields().into_iter().filter(|field| field.value != Value::Group);
        assert_eq!(leaves.map(|leaf| leaf.span.len).sum::<u64>(), 72);
    }

    #[test]
    fn a_cut_header_or_another_file_is_an_error() {
        let bytes = bytes();
        for len in 0..bytes.len() {
            let error = Header::decode(&mut Slice::new(&bytes[..len], SpaceId(0), 0).cursor()).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::UnexpectedEnd { .. }));
        }
        assert!(Header::decode(&mut Slice::new(&[0; 72], SpaceId(0), 0).cursor()).is_err());
    }

    #[test]
    fn every_field_has_a_sentence() {
        let bytes = [&SIGNATURE[..], &[0; 56]].concat();
        crate::formats::testing::described(&bytes, |c| Header::decode(c).map(drop));
    }
}
