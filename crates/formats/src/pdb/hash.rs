//! The hash function of the tables in a PDB.

/// Number of buckets of the tables of global and public symbols (`IPHR_HASH`).
pub const SYMBOL_BUCKETS: u32 = 4096;

/// The hash of Microsoft's string tables, `LHashPbCb`: the bytes xored together four at a time, without regard to case.
///
/// `/names` divides it by its slot count and the symbol tables by [`SYMBOL_BUCKETS`]; the map of named streams takes its lowest
/// 16 bits first. The remainder is the slot or bucket.
pub fn string_hash(text: &[u8]) -> u32 {
    let (words, rest) = text.as_chunks::<4>();
    let mut hash = words.iter().fold(0, |hash, word| hash ^ u32::from_le_bytes(*word));
    let (halves, rest) = rest.as_chunks::<2>();
    hash = halves.iter().fold(hash, |hash, half| hash ^ u16::from_le_bytes(*half) as u32);
    hash = rest.iter().fold(hash, |hash, byte| hash ^ *byte as u32);
    hash |= 0x2020_2020;
    hash ^= hash >> 11;
    hash ^ hash >> 16
}
