//! The stream directory of an MSFZ file.

use crate::bytes::{Cursor, ErrorKind, Recorder, Result, Slice, SpaceId, fields};
use crate::msf::NIL;

/// Bit of a location that is set for bytes of chunks.
const IN_CHUNK: u64 = 1 << 63;

fields! {
    /// The size of the fragment of the stream in bytes; 0 ends the stream, 0xFFFFFFFF says that there is none of this number.
    pub FRAGMENT_SIZE: "fragment size";
    /// The position of the fragment: a file offset, or with bit 63 set the number of a chunk and an offset in its unpacked bytes.
    pub FRAGMENT_LOCATION: "fragment location" as Hex;
}

/// Consecutive bytes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    /// Never 0.
    pub size: u32,
    location: u64,
}

impl Fragment {
    /// Number of the chunk in which it begins; `None` if its bytes are in the file as they are.
    pub const fn chunk(self) -> Option<u32> {
        // Bits 32 to 62.
        if self.location & IN_CHUNK == 0 { None } else { Some(((self.location & !IN_CHUNK) >> 32) as u32) }
    }

    /// Offset in its chunk or in the file.
    pub const fn offset(self) -> u64 {
        if self.location & IN_CHUNK == 0 { self.location } else { self.location & 0xffff_ffff }
    }
}

/// Decodes the fragments of all streams; `None` for one that does not exist. The directory may have been unpacked: its bytes are in no
/// address space.
pub(super) fn decode(directory: &[u8], count: u32, max: usize) -> Result<Vec<Option<Vec<Fragment>>>> {
    let mut cursor = Slice::new(directory, SpaceId(0), 0).cursor();
    if count as usize > max {
        let kind = ErrorKind::TooLarge { what: "the number of streams", size: count.into(), ceiling: max as u64 };
        return Err(cursor.error_since(0, kind));
    }
    // Each stream has four bytes at least: a directory that is too short ends the loop.
    (0..count).map(|_| stream(&mut cursor)).collect()
}

fn stream<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Option<Vec<Fragment>>> {
    let mut fragments = Vec::new();
    loop {
        match cursor.u32(&FRAGMENT_SIZE)? {
            0 => return Ok(Some(fragments)),
            NIL if fragments.is_empty() => return Ok(None),
            size => fragments.push(Fragment { size, location: cursor.u64(&FRAGMENT_LOCATION)? }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(numbers: &[u32], count: u32) -> Result<Vec<Option<Vec<Fragment>>>> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        decode(&bytes, count, 100)
    }

    #[test]
    fn fragments_of_streams() {
        // An empty stream, one in the file, none, and one in chunk 0x65, as the specification's example has them.
        let numbers = [0, 0x1a0, 0x50, 0, 0, NIL, 0x6_ac84, 0x10e0, 0x8000_0065, 0];
        let streams = decoded(&numbers, 4).unwrap();
        let [Some(empty), Some(raw), None, Some(packed)] = &streams[..] else { panic!("{streams:?}") };
        assert_eq!((empty.len(), raw.len(), packed.len()), (0, 1, 1));
        assert_eq!((raw[0].size, raw[0].chunk(), raw[0].offset()), (0x1a0, None, 0x50));
        assert_eq!((packed[0].size, packed[0].chunk(), packed[0].offset()), (0x6_ac84, Some(0x65), 0x10e0));
        for len in 0..numbers.len() {
            assert!(decoded(&numbers[..len], 4).is_err(), "{len}");
        }
        assert!(decoded(&[0; 200], 101).unwrap_err().to_string().contains("the number of streams"));
    }
}
