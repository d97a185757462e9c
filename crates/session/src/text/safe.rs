//! Text from files, made safe to show.
//!
//! A name in a hostile file may hold escape sequences, direction overrides or characters of no width. In text every such
//! character is spelled out; in JSON it stays exact.

use std::borrow::Cow;
use std::fmt::Write;

use pdblens_formats::bytes::digits;
pub use pdblens_formats::bytes::hex;

/// `text` with everything that a terminal would act on, or not show, spelled out: `\x1b`, `\u{202e}`.
///
/// ```
/// # use pdblens_session::text::safe::visible;
/// assert_eq!(visible("Main"), "Main");
/// assert_eq!(visible("a\x1b[2Jb\u{202e}c\td"), "a\\x1b[2Jb\\u{202e}c\\td");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        push_visible(&mut out, c);
    }
    Cow::Owned(out)
}

/// Returns whether `text` is printable ASCII: it is shown as it is, a byte a cell.
pub fn is_plain(text: &str) -> bool {
    // Without an early end: sixteen bytes at a time are compared.
    text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'))
}

/// Appends `c`, spelled out where a terminal would act on it or not show it.
pub fn push_visible(out: &mut String, c: char) {
    let _ = match c {
        '\n' | '\r' | '\t' => write!(out, "{}", c.escape_default()),
        '\0'..='\x1f' | '\x7f' => write!(out, "\\x{:02x}", c as u32),
        c if is_hidden(c) => write!(out, "{}", c.escape_unicode()),
        c => out.write_char(c),
    };
}

/// Returns whether a terminal would not show `c` as a character of its own.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// UTF-8 from a file; what is not UTF-8 becomes U+FFFD.
pub fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    // The lossy decoder takes a byte at a time; the strict one takes words of ASCII.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// UTF-16 from a file, little-endian; a lone surrogate becomes U+FFFD.
pub fn utf16(bytes: &[u8]) -> String {
    utf16_units(bytes, u16::from_le_bytes)
}

/// UTF-16 in the byte order of `unit`; a lone surrogate becomes U+FFFD.
pub(crate) fn utf16_units(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Bytes as a hex dump has them: two digits each, a space between; at most `max` of them, then `…`.
pub fn spaced_hex(bytes: &[u8], max: usize) -> String {
    let mut out = String::new();
    for (index, byte) in bytes.iter().take(max).enumerate() {
        out.extend((index > 0).then_some(' '));
        out.extend(digits(*byte));
    }
    if bytes.len() > max {
        out.push_str(" …");
    }
    out
}

/// Cuts `text` to at most `max` bytes, and appends `…` if anything was cut.
pub fn cut(text: &mut String, max: usize) {
    if text.len() > max {
        let end = (0..=max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
}

/// A count and what is counted: `1 row`, `3 rows`.
pub fn count(n: impl Into<u64>, what: &str) -> String {
    let n = n.into();
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_spelled_out() {
        assert_eq!(visible("\x1b]52;c;aGk=\x07"), "\\x1b]52;c;aGk=\\x07");
        assert_eq!(visible("user\u{200b}name\u{feff}\u{9b}2J"), "user\\u{200b}name\\u{feff}\\u{9b}2J");
        assert!(matches!(visible("größe 日本 e\u{301}"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        let shortened = |text: &str, most| {
            let mut text = text.to_owned();
            cut(&mut text, most);
            text
        };
        assert_eq!(
            (shortened("größe", 7), shortened("größe", 3), shortened("größe", 0)),
            ("größe".into(), "gr…".into(), "…".into())
        );
    }

    #[test]
    fn utf16_keeps_what_it_can() {
        assert_eq!(utf16(&[0x68, 0, 0x3d, 0xd8, 0x80, 0xde, 0, 0xd8]), "h🚀\u{fffd}");
    }
}
