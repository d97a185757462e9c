//! The hash tables of global and public symbols, GSI and PSI, which find a record of the symbol record stream by its name.
//!
//! ```text
//! header
//! hash records   one for each symbol, bucket after bucket
//! bitmap         one bit for each bucket that has records
//! buckets        for each of those, where its records begin
//! ```
//!
//! The stream of publics begins with a header of its own, and adds a table that is sorted by address, and the thunks of
//! incremental links.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/pdb/globals.md`; microsoft/microsoft-pdb `PDB/dbi/gsi.h`; LLVM, "The PDB Global Symbol Stream".

use crate::bytes::{Cursor, HashNumber, Recorder, Result, fields, record};

/// Version signature of a table.
const SIGNATURE: u32 = u32::MAX;
/// Version of the tables of Visual C++ 7 and later.
pub const VERSION: u32 = 0xeffe_0000 + 19_990_810;
/// Size in memory of a hash record, which bucket offsets count in (`sizeof(HROffsetCalc)`).
pub const RECORD_IN_MEMORY: u32 = 12;
/// Size of the bitmap in bytes: one bit for each of 4096 buckets and one more, in words.
pub(crate) const BITMAP_SIZE: u64 = 516;

record! {
    /// The header of a hash table of symbols.
    pub struct GsiHeader: "gsi header" {
        /// 0xFFFFFFFF, which marks a table of Visual C++ 7 or later.
        signature: u32 as Hex,
        /// The version of the table: 0xF12F091A, which is 0xEFFE0000 + 19990810.
        version: u32 as Hex,
        /// The size of the hash records in bytes, 8 for each.
        records_size "size of hash records": u32,
        /// The size of the bitmap and the buckets in bytes; 0 if the table is empty.
        buckets_size "size of buckets": u32,
    }
}

record! {
    /// A hash record: a symbol in the list of its bucket.
    pub struct HashRecord: "hash record" {
        /// The offset of the symbol in the symbol record stream, plus 1.
        symbol "symbol offset": u32 as Hash(HashNumber::SymbolRecord),
        /// The number of modules that refer to the symbol.
        references "reference count": u32,
    }
}

record! {
    /// The header of the table of public symbols.
    pub struct PsiHeader: "psi header" {
        /// The size of the hash table that follows in bytes.
        hash_size "size of hash table": u32,
        /// The size of the address map in bytes, 4 for each public symbol.
        address_map_size "size of address map": u32,
        /// The number of thunks that an incremental link made.
        thunk_count: u32,
        /// The size of a thunk in bytes.
        thunk_size "size of thunk": u32,
        /// The section of the image with the thunks, from 1; 0 without thunks.
        thunk_section "section of thunks": u16,
        /// Unused bytes that align the next field.
        padding: u16,
        /// The offset of the thunks in their section.
        thunk_offset "offset of thunks": u32 as Hex,
        /// The number of sections listed after the thunks.
        section_count: u32,
    }
}

record! {
    /// A section in the list after the thunks.
    pub struct ThunkSection: "thunk section" {
        /// The offset at which the section begins.
        offset: u32 as Hex,
        /// The section of the image, from 1.
        section: u16,
        /// Unused bytes that align the next entry.
        padding: u16,
    }
}

fields! {
    /// The bitmap of a hash table: the buckets that have records.
    BUCKET_BITMAP: "bucket bitmap";
    /// A word of the bitmap: one bit per bucket, the lowest bit first.
    BUCKET_BITS: "bits" as Hash(HashNumber::BucketBits);
    /// The buckets that have records, in their order.
    BUCKETS: "buckets";
    /// The position of the first record of a bucket: its number times 12, the size of one in the memory of a 32-bit linker.
    BUCKET: "first record" as Hash(HashNumber::FirstRecord);
    /// Bytes after the last whole number.
    LEFT_OVER: "left over";
    /// An entry of the address map, which lists the public symbols by address.
    ADDRESS_MAP_ENTRY: "address map entry";
    /// The offset of the symbol in the symbol record stream.
    SYMBOL_OFFSET: "symbol offset" as Hash(HashNumber::Symbol);
    /// An entry of the thunk map.
    THUNK_MAP_ENTRY: "thunk map entry";
    /// The RVA that the thunk leads to.
    THUNK_TARGET: "target" as Rva;
}

/// Sizes of the parts of a hash table of symbols, in the order of the file.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GsiLayout {
    pub records: u64,
    pub bitmap: u64,
    pub buckets: u64,
}

impl GsiHeader {
    /// Returns the sizes of the parts that follow; `None` for a table of an earlier format.
    pub const fn layout(&self) -> Option<GsiLayout> {
        if self.signature != SIGNATURE {
            return None;
        }
        let size = self.buckets_size as u64;
        let bitmap = if size < BITMAP_SIZE { size } else { BITMAP_SIZE };
        Some(GsiLayout { records: self.records_size as u64, bitmap, buckets: size - bitmap })
    }
}

/// Reads the bitmap, which extends to the end of the cursor.
pub fn bitmap<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&BUCKET_BITMAP, |c| {
        let mut buckets = 0_i64;
        while c.left() >= 4 {
            let set = i64::from(c.u32(&BUCKET_BITS)?.count_ones());
            c.changed(&STATE_BUCKETS, buckets, buckets + set);
            buckets += set;
        }
        c.left_over(&LEFT_OVER)
    })
}

/// Reads the buckets, which extend to the end of the cursor.
pub fn buckets<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&BUCKETS, |c| {
        while c.left() >= 4 {
            let first = c.u32(&BUCKET)?;
            c.changed(&STATE_RECORD, None, first / RECORD_IN_MEMORY);
        }
        c.left_over(&LEFT_OVER)
    })
}

/// Reads an entry of the address map.
pub fn address_map_entry<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<u32> {
    cursor.group(&ADDRESS_MAP_ENTRY, |c| c.u32(&SYMBOL_OFFSET))
}

/// Reads an entry of the thunk map.
pub fn thunk_map_entry<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<u32> {
    cursor.group(&THUNK_MAP_ENTRY, |c| c.u32(&THUNK_TARGET))
}

fields! {
    /// Buckets with records so far.
    STATE_BUCKETS: "buckets with records";
    /// Number of the bucket's first hash record, from 0.
    STATE_RECORD: "hash record";
}
