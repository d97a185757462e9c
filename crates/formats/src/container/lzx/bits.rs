//! Bits and Huffman codes of LZX.

/// Longest code in bits.
const MAX_CODE: usize = 16;

/// Bits of words of 16 bits, the highest first. No more than one word is read ahead.
pub(super) struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
    word: u16,
    /// Bits of `word` that are left, the low ones.
    left: u32,
}

impl<'b> Bits<'b> {
    pub const fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, word: 0, left: 0 }
    }

    /// The next `count` bits, at most 17; `None` past the end.
    pub fn read(&mut self, count: u32) -> Option<u32> {
        let mut number = 0;
        let mut wanted = count;
        while wanted > 0 {
            if self.left == 0 {
                self.word = u16::from_le_bytes(*self.bytes.get(self.at..)?.first_chunk()?);
                self.at += 2;
                self.left = 16;
            }
            let taken = wanted.min(self.left);
            self.left -= taken;
            let part = u32::from(self.word) >> self.left & ((1 << taken) - 1);
            number = number << taken | part;
            wanted -= taken;
        }
        Some(number)
    }

    /// Skips the bits of a word that was begun; of one that was not, all bits if `whole` is true.
    pub const fn skip_to_word(&mut self, whole: bool) {
        if self.left == 0 && whole {
            self.at = self.at.saturating_add(2);
        }
        self.left = 0;
    }

    /// The next bytes, after a word that is read to its end.
    pub fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(bytes)
    }

    pub const fn skip_byte(&mut self) {
        self.at = self.at.saturating_add(1);
    }
}

/// Canonical Huffman code.
pub(super) struct Tree {
    /// Number of codes of each length.
    counts: [u16; MAX_CODE + 1],
    /// Symbols with a code, in the order of the codes.
    symbols: Vec<u16>,
}

impl Tree {
    /// The code with these lengths, 0 for a symbol without one; `None` if there cannot be one. It may have no codes.
    pub fn new(lengths: &[u8]) -> Option<Self> {
        let mut counts = [0; MAX_CODE + 1];
        for length in lengths.iter().filter(|length| **length > 0) {
            *counts.get_mut(usize::from(*length))? += 1;
        }
        let mut room = 1_i32;
        for count in counts.iter().skip(1) {
            room = room * 2 - i32::from(*count);
            if room < 0 {
                return None;
            }
        }
        let mut symbols = Vec::with_capacity(lengths.len());
        for length in 1..=MAX_CODE {
            let of_length = lengths.iter().enumerate().filter(|(_, of)| usize::from(**of) == length);
            symbols.extend(of_length.map(|(symbol, _)| symbol as u16));
        }
        Some(Self { counts, symbols })
    }

    /// Reads a symbol; `None` past the end and for a code of none.
    pub fn read(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0_usize, 0_usize, 0_usize);
        for count in self.counts.iter().skip(1) {
            code |= bits.read(1)? as usize;
            let count = usize::from(*count);
            if code < first + count {
                return self.symbols.get(index + code - first).map(|symbol| usize::from(*symbol));
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_from_words() {
        let mut bits = Bits::new(&[0x34, 0x12, 0x78, 0x56, 9, 10, 11]);
        assert_eq!((bits.read(4), bits.read(16), bits.read(0)), (Some(1), Some(0x2345), Some(0)));
        bits.skip_to_word(true);
        assert_eq!((bits.bytes(1), bits.read(17)), (Some(&[9][..]), None));
        let mut bits = Bits::new(&[0x34, 0x12, 0x78, 0x56]);
        bits.skip_to_word(true);
        assert_eq!(bits.read(16), Some(0x5678));
        bits.skip_to_word(false);
        assert_eq!(bits.read(1), None);
    }

    #[test]
    fn codes_are_canonical() {
        // 10, 110, none, 0, 111
        let tree = Tree::new(&[2, 3, 0, 1, 3]).unwrap();
        let mut bits = Bits::new(&[0b1100_0000, 0b1011_0101]);
        let read: Vec<_> = (0..4).map(|_| tree.read(&mut bits).unwrap()).collect();
        assert_eq!(read, [0, 1, 0, 4]);
        assert!(Tree::new(&[1, 1, 1]).is_none() && Tree::new(&[17]).is_none());
        assert!(Tree::new(&[0; 8]).unwrap().read(&mut Bits::new(&[0; 8])).is_none());
    }
}
