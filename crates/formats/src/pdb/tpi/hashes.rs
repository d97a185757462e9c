//! The hash stream of TPI or IPI: hash values, index offsets, adjusters.

use crate::bytes::{Cursor, HashNumber, Recorder, Result, fields, record};
use crate::pdb::info::{DELETED_SLOTS, USED_SLOTS, bits};

record! {
    /// An index offset: one record in every 8 KB, from which a reader finds its neighbours.
    pub struct IndexOffset: "index offset" {
        /// The type index of the record.
        index "type index": u32 as TypeIndex,
        /// The offset of the record from the first one.
        offset: u32 as Hex,
    }
}

fields! {
    /// The hash of a record.
    TYPE_HASH: "type hash";
    /// The bucket of the record: the hash of its name, or of all its bytes, modulo the number of buckets.
    BUCKET: "bucket" as Hash(HashNumber::TypeBucket);
    /// The hash adjusters: a hash table from names to the type index that a lookup by name must find first.
    HASH_ADJUSTERS: "hash adjusters";
    /// The number of adjusters.
    ADJUSTER_COUNT: "adjuster count";
    /// The number of slots of the hash table; only used slots are stored.
    SLOT_COUNT: "slot count";
    /// An adjuster: a name, and a type.
    ADJUSTER: "adjuster";
    /// The name: its offset in the string table.
    NAME_OFFSET: "name offset" as NameOffset;
    /// The type that a lookup by the name finds.
    TYPE_INDEX: "type index" as TypeIndex;
    /// Bytes after the last adjuster.
    LEFT_OVER: "left over";
}

/// Reads the hash of a record.
pub fn type_hash<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<u32> {
    cursor.group(&TYPE_HASH, |c| c.u32(&BUCKET))
}

/// Reads the adjusters, which extend to the end of the cursor.
pub fn adjusters<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&HASH_ADJUSTERS, |c| {
        let count = c.u32(&ADJUSTER_COUNT)?;
        c.u32(&SLOT_COUNT)?;
        bits(c, &USED_SLOTS)?;
        bits(c, &DELETED_SLOTS)?;
        for _ in 0..u64::from(count).min(c.left() / 8) {
            c.group(&ADJUSTER, |c| c.u32(&NAME_OFFSET).and_then(|_| c.u32(&TYPE_INDEX)))?;
        }
        c.left_over(&LEFT_OVER)
    })
}
