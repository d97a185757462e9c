//! Native hashtable: buckets of entries, each the low byte of a hash and the distance of a datum.

use crate::bytes::{Cursor, Error, Recorder, Result, Slice, fields};

/// Most buckets, as a power of 2.
const MAX_SHIFT: u8 = 24;

fields! {
    /// The number of buckets as a power of 2 in the upper bits; the lowest two give the size of an index entry: 1, 2 or 4 bytes.
    HEADER: "hashtable header" as Hex;
    /// The distance of the bucket's first entry from the first index entry.
    BUCKET: "bucket index" as Hex;
    /// The distance of the next bucket, which ends this one.
    NEXT_BUCKET: "next bucket index" as Hex;
    /// The low byte of the hash.
    HASH: "low hash byte" as Hex;
    /// The distance of the datum from this field.
    DISTANCE: "distance of datum";
}

/// A native hashtable.
#[derive(Clone, Copy, Debug)]
pub struct Hashtable<'i> {
    bytes: Slice<'i>,
    buckets: u64,
    entry_size: u64,
}

/// An entry of a hashtable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashEntry {
    /// Bucket that it is in.
    pub bucket: u64,
    /// Offset of the entry in the section.
    pub at: u64,
    /// Offset of its datum in the section.
    pub datum: u64,
}

/// Offset of the first index entry.
const BASE: u64 = 1;

impl<'i> Hashtable<'i> {
    /// Reads the header; `bytes` are the section.
    pub fn read(bytes: Slice<'i>) -> Result<Self> {
        let mut c = bytes.cursor();
        let header = c.u8(&HEADER)?;
        let (shift, code) = (header >> 2, header & 3);
        let entry_size = 1 << code;
        let buckets = 1_u64 << shift.min(MAX_SHIFT);
        if code == 3 || shift > MAX_SHIFT || (buckets + 1) * entry_size > c.left() {
            let span = bytes.span().part(0, 1);
            return Err(Error::invalid("the hashtable has more buckets than its section has bytes", span));
        }
        Ok(Self { bytes, buckets, entry_size })
    }

    /// Bytes of the section.
    pub const fn bytes(&self) -> Slice<'i> {
        self.bytes
    }

    /// Entries of all buckets, up to the first error.
    pub fn entries(&self) -> Vec<HashEntry> {
        let mut all = Vec::new();
        let mut c = self.bytes.cursor();
        for bucket in 0..self.buckets {
            let Ok((from, to)) = self.bucket(&mut c, bucket) else { break };
            if c.seek(from).is_err() {
                break;
            }
            // Each entry takes two bytes or more: buckets that overlap are those of a damaged table.
            while c.consumed() < to && (all.len() as u64) < self.bytes.len() {
                let at = c.consumed();
                let Ok(datum) = Self::entry(&mut c) else { return all };
                all.push(HashEntry { bucket, at, datum });
            }
        }
        all
    }

    /// Reads the entry with notes, and moves to its datum.
    pub fn note<N: Recorder>(&self, c: &mut Cursor<'_, N>, entry: HashEntry) -> Result<()> {
        c.seek(0)?;
        c.u8(&HEADER)?;
        self.bucket(c, entry.bucket)?;
        c.seek(entry.at)?;
        Self::entry(c)?;
        c.seek(entry.datum)
    }

    /// First and last offset of a bucket's entries.
    fn bucket<N: Recorder>(&self, c: &mut Cursor<'_, N>, bucket: u64) -> Result<(u64, u64)> {
        c.seek(bucket * self.entry_size + BASE)?;
        let mut index = |doc| {
            let index = match self.entry_size {
                1 => c.u8(doc)?.into(),
                2 => c.u16(doc)?.into(),
                _ => c.u32(doc)?,
            };
            Ok(u64::from(index) + BASE)
        };
        Ok((index(&BUCKET)?, index(&NEXT_BUCKET)?))
    }

    /// Reads an entry; returns the offset of its datum.
    fn entry<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<u64> {
        c.u8(&HASH)?;
        let (at, start) = (c.consumed(), c.position());
        let distance = c.native_signed(&DISTANCE)?;
        let datum = at.checked_add_signed(distance.into());
        datum.ok_or_else(|| Error::invalid("the datum of a hashtable's entry lies before the table", c.since(start)))
    }
}
