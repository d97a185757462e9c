use crate::bytes::record;

/// Version of the records that are decoded, that of Visual C++ 8 and later.
pub const KNOWN_VERSION: u32 = 20_040_203;

record! {
    /// The header of a type stream (TPI or IPI): the type indices of its records, and the location of their hashes.
    pub struct TpiHeader: "tpi header" {
        /// The version of the format, a date.
        version: u32 as OneOf(&[(19_990_903, "Visual C++ 7"), (20_040_203, "Visual C++ 8")]),
        /// The size of this header in bytes.
        header_size: u32,
        /// The type index of the first record; indices below 0x1000 are built-in types without a record.
        type_index_begin: u32 as Hex,
        /// The type index after that of the last record; equal to the first in a managed PDB, whose types are in the metadata.
        type_index_end: u32 as Hex,
        /// The size of the type records after this header in bytes.
        type_record_bytes: u32,
        /// The stream with a hash of each record; 65535 for none.
        hash_stream_index: u16 as Stream,
        /// The auxiliary hash stream; 65535 for none.
        hash_aux_stream_index: u16 as Stream,
        /// The size of a hash in bytes.
        hash_key_size: u32,
        /// The number of buckets that the hashes are distributed over.
        hash_bucket_count: u32,
        /// The offset of the hash values in the hash stream.
        hash_values_offset: u32,
        /// The size of the hash values in bytes.
        hash_values_size: u32,
        /// The offset of the type index offsets, which find a record by its index without reading all records before it.
        index_offsets_offset: u32,
        /// The size of the type index offsets in bytes.
        index_offsets_size: u32,
        /// The offset of the hash adjusters, which correct the hash table after incremental links.
        hash_adjusters_offset: u32,
        /// The size of the hash adjusters in bytes.
        hash_adjusters_size: u32,
    }
}
