//! Texts and numbers of JSON, appended to memory.

use crate::text::safe::is_hidden;

/// The two hexadecimal digits of each byte.
pub const HEX: [[u8; 2]; 256] = hex();
const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

const fn hex() -> [[u8; 2]; 256] {
    let (mut pairs, mut byte) = ([[0; 2]; 256], 0);
    while byte < pairs.len() {
        pairs[byte] = [HEX_DIGITS[byte / 16], HEX_DIGITS[byte % 16]];
        byte += 1;
    }
    pairs
}

/// The decimal digits of each number below 1000; the last byte is their count.
const DECIMAL: [[u8; 4]; 1000] = decimal();

const fn decimal() -> [[u8; 4]; 1000] {
    let (mut all, mut number) = ([[0; 4]; 1000], 0);
    while number < all.len() {
        let digits = [number / 100, number / 10 % 10, number % 10];
        let zeros = (number < 100) as usize + (number < 10) as usize;
        let mut index = zeros;
        while index < digits.len() {
            all[number][index - zeros] = b'0' + digits[index] as u8;
            index += 1;
        }
        all[number][3] = (digits.len() - zeros) as u8;
        number += 1;
    }
    all
}

/// Appends a string in quotes, with what a terminal would act on escaped.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Appends a string without the quotes around it.
pub(super) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_len(rest.as_bytes()));
        out.extend_from_slice(plain.as_bytes());
        let mut chars = special.chars();
        let Some(c) = chars.next() else { return };
        push_special(out, c);
        rest = chars.as_str();
    }
}

/// Number of bytes before the first that may have to be escaped: one that is not printable ASCII, a quote or a backslash.
fn plain_len(bytes: &[u8]) -> usize {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    let (words, rest) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let special = specials(u64::from_le_bytes(*word));
        if special != 0 {
            return 8 * index + special.trailing_zeros() as usize / 8;
        }
    }
    // Most texts are plain: the bytes after the last whole word are compared as one that overlaps it, or overlaps itself.
    let last = match (bytes.last_chunk(), rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(last), ..) => Some(u64::from_le_bytes(*last)),
        (None, Some(first), Some(last)) => {
            Some(u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)))
        }
        _ => None,
    };
    if last.is_some_and(|last| specials(last) == 0) {
        return bytes.len();
    }
    8 * words.len() + rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len())
}

/// The high bit of the lowest byte of `word` that is not plain, and perhaps of some above it; 0 if all are plain.
const fn specials(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES * 0x80;
    // High bit of each byte below `limit`, up to the first.
    const fn below(word: u64, limit: u64) -> u64 {
        word.wrapping_sub(ONES * limit) & !word & HIGH
    }
    const fn equal(word: u64, byte: u8) -> u64 {
        below(word ^ (ONES * byte as u64), 1)
    }
    word & HIGH | below(word, b' ' as u64) | equal(word, b'"') | equal(word, b'\\') | equal(word, 0x7f)
}

/// Appends a character, escaped if JSON or a terminal asks for it.
fn push_special(out: &mut Vec<u8>, c: char) {
    let letter = match c {
        '"' | '\\' => c as u8,
        '\u{8}' => b'b',
        '\t' => b't',
        '\n' => b'n',
        '\u{c}' => b'f',
        '\r' => b'r',
        c if is_hidden(c) => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(b"\\u");
                out.extend(unit.to_be_bytes().iter().flat_map(|byte| HEX[*byte as usize]));
            }
            return;
        }
        c => return out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Appends a number in decimal digits.
pub fn push_number(out: &mut Vec<u8>, number: impl Into<u64>) {
    let number = number.into();
    let last = (number % 1000) as u32;
    if number < 1000 {
        let ([a, b, c], count) = leading_digits(last);
        out.extend_from_slice([a, b, c].get(..count).unwrap_or_default());
    } else {
        push_number(out, number / 1000);
        out.extend_from_slice(&three_digits(last));
    }
}

/// The digits of a number below 1000 without zeros before them, and their count.
#[inline]
pub const fn leading_digits(number: u32) -> ([u8; 3], usize) {
    let [a, b, c, count] = DECIMAL[number as usize];
    ([a, b, c], count as usize)
}

/// The digits of a number below 1000, with zeros before them.
#[inline]
pub const fn three_digits(number: u32) -> [u8; 3] {
    let ([a, b, c], count) = leading_digits(number);
    let zeros = 3 - count;
    let digits = u32::from_le_bytes([a, b, c, 0]) << (8 * zeros) | 0x0030_3030 >> (8 * count);
    let [a, b, c, _] = digits.to_le_bytes();
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_digits() {
        let near = |number: u64| [number.saturating_sub(1), number, number.saturating_add(1)];
        let powers = (0..20).map(|power| 10_u64.pow(power)).chain([0, 12_345_678, 90_000_001, u64::MAX]);
        for number in powers.flat_map(near).chain(0..2000) {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }

    #[test]
    fn texts_are_escaped_wherever_a_character_stands() {
        for c in (0..=0x24f).filter_map(char::from_u32).chain("日\u{202e}\u{e0041}🚀".chars()) {
            for before in 0..18 {
                let text = format!("{}{c}{c}nine chars", "x".repeat(before));
                let mut out = Vec::new();
                push_text(&mut out, &text);
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
                let is_escaped = matches!(c, '"' | '\\') || is_hidden(c);
                assert_eq!(String::from_utf8(out).unwrap() != format!("\"{text}\""), is_escaped, "{c:?}");
            }
        }
    }
}
