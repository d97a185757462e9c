//! Little-endian numbers of container headers, which are read from bytes of no address space.

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|number| u16::from_le_bytes(*number))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|number| u32::from_le_bytes(*number))
}

/// Reader of consecutive numbers; every read returns `None` past the end.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    /// Offset of the next byte.
    pub at: usize,
}

impl<'b> Reader<'b> {
    pub const fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(len)?)?;
        self.at += len;
        Some(taken)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.take(2)?.first_chunk().map(|number| u16::from_le_bytes(*number))
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().map(|number| u32::from_le_bytes(*number))
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take(8)?.first_chunk().map(|number| u64::from_le_bytes(*number))
    }

    /// An unsigned LEB128 number of 64 bits.
    pub fn leb128_u64(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.u8()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Returns true if no byte is left.
    pub const fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// An unsigned LEB128 number of 32 bits, in at most `most` bytes.
    pub(crate) fn leb128(&mut self, most: u32) -> Option<usize> {
        let mut number = 0_u64;
        for index in 0..most.min(5) {
            let byte = self.u8()?;
            number |= u64::from(byte & 0x7f) << index.saturating_mul(7);
            if byte < 0x80 {
                return u32::try_from(number).ok().map(|number| number as usize);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_past_the_end_are_none() {
        let bytes = [1, 2, 3, 4, 5];
        assert_eq!((u16_at(&bytes, 3), u16_at(&bytes, 4), u32_at(&bytes, 1)), (Some(0x0504), None, Some(0x0504_0302)));
        assert_eq!((u32_at(&bytes, 2), u32_at(&bytes, usize::MAX)), (None, None));
        let mut reader = Reader::new(&bytes, 1);
        assert_eq!((reader.u32(), reader.u8(), reader.take(0)), (Some(0x0504_0302), None, Some(&[][..])));
    }

    #[test]
    fn leb128_ends_at_its_limits() {
        let read = |bytes: &[u8], most| Reader::new(bytes, 0).leb128(most);
        assert_eq!(read(&[0xe5, 0x8e, 0x26], 3), Some(624_485));
        assert_eq!(read(&[0xe5, 0x8e, 0x26], 2), None);
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f], 5), Some(u32::MAX as usize));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x1f], 5), None);
        assert_eq!(read(&[0x80], 5), None);
    }
}
