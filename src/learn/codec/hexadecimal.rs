//! Bytes as people paste them.

/// A character that is no part of a byte.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HexError {
    /// Neither a digit nor a separator.
    #[error("character {at} of the bytes, `{character}`, is not a hexadecimal digit")]
    Digit {
        /// Number of the character, from 1.
        at: usize,
        /// The character.
        character: char,
    },
    /// A byte of one digit at the end of a run of digits.
    #[error("character {at} of the bytes is half a byte: two digits make one")]
    Half {
        /// Number of the character, from 1.
        at: usize,
    },
}

/// Parses bytes in hexadecimal: `0a 1b`, `0a1b`, `0x0a, 0x1b`, `0A-1B`. Blanks, commas, dashes, colons and underscores separate.
pub fn parse_hex(text: &str) -> Result<Vec<u8>, HexError> {
    let (mut bytes, mut half, mut previous) = (Vec::new(), None, ' ');
    for (index, character) in text.chars().enumerate() {
        let at = index + 1;
        match (character.to_digit(16), half) {
            (Some(digit), None) => half = Some((digit as u8, at)),
            (Some(digit), Some((high, _))) => {
                bytes.push(high << 4 | digit as u8);
                half = None;
            }
            // The prefix 0x, of which the zero was taken for a digit.
            (None, Some((0, zero))) if matches!(character, 'x' | 'X') && previous == '0' && zero + 1 == at => {
                half = None;
            }
            (None, Some((_, at))) => return Err(HexError::Half { at }),
            (None, None) if character.is_whitespace() || ",;-:_{}[]()".contains(character) => {}
            (None, None) => return Err(HexError::Digit { at, character }),
        }
        previous = character;
    }
    match half {
        Some((_, at)) => Err(HexError::Half { at }),
        None => Ok(bytes),
    }
}
