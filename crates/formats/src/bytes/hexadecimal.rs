/// Formats bytes as two lower-case digits each, without separators.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.extend(digits(*byte));
    }
    text
}

/// The two lower-case digits of a byte.
pub fn digits(byte: u8) -> [char; 2] {
    [byte >> 4, byte & 15].map(|half| char::from_digit(half.into(), 16).unwrap_or_default())
}
