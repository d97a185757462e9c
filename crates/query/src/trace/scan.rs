//! Numbers and words in bytes of a line. Everything here passes over each byte once: a line may be hostile.

use std::ops::Range;

use memchr::memmem;

/// Returns the start of `needle` at or after `from`.
pub(crate) fn find(line: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    Some(from.saturating_add(memmem::find(line.get(from..)?, needle)?))
}

/// The hexadecimal number that begins at `at` (after its `0x`), and where it ends; `None` where there is none, or it has
/// more than 16 digits.
pub(crate) fn hex(line: &[u8], at: usize) -> Option<(u64, usize)> {
    let digits = line.get(at..)?.iter().take_while(|byte| byte.is_ascii_hexdigit()).take(17).count();
    let text = std::str::from_utf8(line.get(at..at.saturating_add(digits))?).ok()?;
    Some((u64::from_str_radix(text, 16).ok()?, at.saturating_add(digits)))
}

/// The decimal number that begins at `at`, and where it ends.
pub(crate) fn decimal(line: &[u8], at: usize) -> Option<(u64, usize)> {
    let digits = line.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).take(20).count();
    let text = std::str::from_utf8(line.get(at..at.saturating_add(digits))?).ok()?;
    Some((text.parse().ok()?, at.saturating_add(digits)))
}

/// `end`, moved back over white space.
pub(crate) fn trim_end(line: &[u8], end: usize, floor: usize) -> usize {
    let spaces = line.get(floor..end).map_or(0, |text| text.iter().rev().take_while(|byte| is_space(**byte)).count());
    end.saturating_sub(spaces)
}

/// `at`, moved on over white space.
pub(crate) fn trim_start(line: &[u8], at: usize) -> usize {
    at.saturating_add(line.get(at..).map_or(0, |text| text.iter().take_while(|byte| is_space(**byte)).count()))
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Bytes of a line as text; invalid UTF-8 becomes U+FFFD.
pub(crate) fn text(line: &[u8], range: &Range<usize>) -> String {
    String::from_utf8_lossy(line.get(range.clone()).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_are_found() {
        assert_eq!(hex(b"0x6000002+0x6", 2), Some((0x600_0002, 9)));
        assert_eq!(hex(b"12345678123456781", 0), None, "too many digits");
        assert_eq!(decimal(b"+39 ", 1), Some((39, 3)));
        assert_eq!(find(b"aab", b"ab", 0), Some(1));
        assert_eq!(find(b"aab", b"ab", 2), None);
        assert_eq!(find(b"aab", b"b", 9), None);
    }
}
