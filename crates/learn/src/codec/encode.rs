//! Parts of encoders: words, numbers, and the bytes of numbers.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}`: {reason}")]
pub struct EncodeError {
    pub word: String,
    /// Reason, in a sentence without capital.
    pub reason: String,
}

pub(super) type Encoded<T = Vec<u8>> = Result<T, EncodeError>;

impl EncodeError {
    pub(super) fn new(word: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { word: word.into(), reason: reason.into() }
    }
}

/// Parses a number, decimal or with the prefix `0x`.
pub(super) fn number<T: TryFrom<i128>>(word: &str) -> Encoded<T> {
    let (sign, digits) = word.strip_prefix(['-', '−']).map_or((1, word), |digits| (-1, digits));
    let parsed = match digits.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let number = parsed.map_err(|_| EncodeError::new(word, "a number is expected, such as 19 or 0x13"))?;
    T::try_from(number.saturating_mul(sign)).map_err(|_| EncodeError::new(word, "the number is out of range"))
}

/// Appends an unsigned compressed integer (ECMA-335 II.23.2).
pub(super) fn put_unsigned(out: &mut Vec<u8>, number: u32) -> Encoded<()> {
    match number {
        0..0x80 => out.push(number as u8),
        0x80..0x4000 => out.extend(((number as u16) | 0x8000).to_be_bytes()),
        0x4000..0x2000_0000 => out.extend((number | 0xc000_0000).to_be_bytes()),
        _ => return Err(EncodeError::new(number.to_string(), "exceeds 0x1fffffff, the largest compressed integer")),
    }
    Ok(())
}

/// Appends a signed compressed integer (ECMA-335 II.23.2): in the fewest bytes, the sign rotated into the lowest bit.
pub(super) fn put_signed(out: &mut Vec<u8>, number: i32) -> Encoded<()> {
    let rotated = |bits: u32| {
        let mask = !(u32::MAX << bits);
        let value = number.cast_unsigned() & mask;
        (value << 1 | value >> bits.saturating_sub(1)) & mask
    };
    match number {
        -0x40..0x40 => out.push(rotated(7) as u8),
        -0x2000..0x2000 => out.extend((rotated(14) as u16 | 0x8000).to_be_bytes()),
        -0x1000_0000..0x1000_0000 => out.extend((rotated(29) | 0xc000_0000).to_be_bytes()),
        _ => {
            let reason = "is outside −0x10000000..0x0fffffff, the range of a signed compressed integer";
            return Err(EncodeError::new(number.to_string(), reason));
        }
    }
    Ok(())
}

/// Parts of a text between semicolons or line ends, without blanks around them.
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', '\n']).map(str::trim).filter(|item| !item.is_empty())
}
