//! Bit sets of the characters of a name: a quick test that rules out most names in a search.

/// A set of characters, whatever their case: a bit for each letter, one for all digits, two for signs, one for all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Characters(u32);

impl Characters {
    /// Those of a text.
    pub fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |bits, byte| bits | 1 << BITS[byte as usize]))
    }

    /// Those of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether all of `others` may be among them: characters can share a bit, so true is not certain.
    pub const fn may_have(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

/// The bit of each byte.
const BITS: [u8; 256] = bits();

const fn bits() -> [u8; 256] {
    let mut bits = [31; 256];
    let mut byte = 0;
    while byte < 128 {
        bits[byte as usize] = match byte {
            b'a'..=b'z' => byte - b'a',
            b'A'..=b'Z' => byte - b'A',
            b'0'..=b'9' => 26,
            b'.' => 27,
            b'_' => 28,
            _ => 31,
        };
        byte += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::Characters;

    #[test]
    fn a_text_without_a_character_is_told() {
        let name = Characters::of("System.Text.Encoder2");
        for (word, there) in
            [("enc", true), ("tS", true), ("r7", true), ("b", false), ("a_b", false), ("\u{e9}", false)]
        {
            assert_eq!(name.may_have(Characters::of(word)), there, "{word}");
        }
        assert!(name.may_have(Characters::default()));
        assert_eq!(Characters::of("a").and(Characters::of("B")), Characters::of("ba"));
    }
}
