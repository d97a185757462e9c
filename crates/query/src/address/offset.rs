//! Notations of offsets, and the base of their digits.
//!
//! One rule for every notation: an offset is decimal; it is hexadecimal after `0x` or `IL_`, padded with a zero (`000F`), or with a
//! letter beside its digits (`1f`).

use pdblens_nodes::path::bare_token;

/// An offset in one of these notations; `None` for anything else.
pub fn parse(text: &str) -> Option<u32> {
    let text = text.trim();
    let hex = ["0x", "0X", "IL_"].iter().find_map(|mark| text.strip_prefix(mark));
    match hex {
        Some(digits) => hexadecimal(digits),
        None if !text.starts_with(|c: char| c.is_ascii_hexdigit()) || !text.contains(|c: char| c.is_ascii_digit()) => {
            None
        }
        None if is_padded(text) || !is_decimal(text) => hexadecimal(text),
        None => text.parse().ok(),
    }
}

/// An offset whose prefix marks it as a number, not a name: `0x1f`, `IL_001f`.
pub(crate) fn parse_marked(word: &str) -> Option<u32> {
    let is_marked = ["0x", "0X", "IL_"].iter().any(|mark| word.starts_with(mark));
    if is_marked { parse(word) } else { None }
}

/// Returns true for a number in one of the notations that has more than 32 bits.
pub(crate) fn is_too_wide(text: &str) -> bool {
    let text = text.trim();
    let (digits, radix) = match ["0x", "0X", "IL_"].iter().find_map(|mark| text.strip_prefix(mark)) {
        Some(digits) => (digits, 16),
        None => (text, if is_padded(text) || !is_decimal(text) { 16 } else { 10 }),
    };
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == 'I') && !digits.is_empty();
    is_number && digits.chars().all(|c| c.is_digit(radix)) && u32::from_str_radix(digits, radix).is_err()
}

/// Digits without a sign, which `from_str_radix` takes. White space may follow them.
pub(super) fn hexadecimal(digits: &str) -> Option<u32> {
    let digits = digits.trim_end();
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u32::from_str_radix(digits, 16).ok() } else { None }
}

fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_padded(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

/// Note on an offset of digits alone that could be meant in the other base: after a colon, an `@`, a token without `0x`, or a zero.
pub fn note(question: &str) -> Option<String> {
    let question = question.trim();
    let (before, digits) = question.rsplit_once([':', '+', '@'])?;
    let (before, digits) = (before.trim_end(), digits.trim_start());
    if !is_decimal(digits) || digits.trim_start_matches('0').len() < 2 {
        return None;
    }
    let offset = parse(digits)?;
    let method = bare_token(before).map_or_else(|| before.to_owned(), |token| format!("{token:#010x}"));
    let is_plain = question.get(before.len()..).is_some_and(|rest| rest.trim_start().starts_with('+'));
    if is_padded(digits) {
        let decimal = digits.trim_start_matches('0');
        return Some(format!(
            "{digits} begins with 0 and is hexadecimal, +{offset:#x} · tip: write {method}+{decimal} for the decimal offset"
        ));
    }
    let is_doubtful = !is_plain || bare_token(before).is_some();
    // The digits of a large decimal number may have more than 32 bits in hexadecimal.
    let tip = match hexadecimal(digits) {
        Some(_) => format!(" · tip: write {method}+0x{digits} for the hexadecimal offset"),
        None => String::new(),
    };
    is_doubtful.then(|| format!("{digits} is decimal, +{offset:#x}{tip}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_reads_the_digits_of_every_notation() {
        for (text, offset) in [
            ("15", Some(15)),
            ("0", Some(0)),
            ("0xF", Some(15)),
            ("0X0f", Some(15)),
            ("IL_000f", Some(15)),
            ("000F", Some(15)),
            ("0015", Some(0x15)),
            ("1f", Some(0x1f)),
            (" 15 ", Some(15)),
            ("ff", None),
            ("zz", None),
            ("-5", None),
            ("0x", None),
            ("0x+5", None),
            ("IL_", None),
            ("+5", None),
            ("1 5", None),
            ("", None),
            ("4294967296", None),
        ] {
            assert_eq!(parse(text), offset, "{text:?}");
        }
    }

    #[test]
    fn a_number_of_more_than_32_bits_is_too_wide() {
        for text in
            ["4294967296", "0x100000000", "IL_100000000", "0ffffffffffffffff", "1fffffffff", "0xffffffffffffffff"]
        {
            assert!(is_too_wide(text) && parse(text).is_none(), "{text:?}");
        }
        for text in ["4294967295", "0xffffffff", "15", "ffffffffff", "0x", "IL_", "0x1g", "", "-4294967296", "Icon"] {
            assert!(!is_too_wide(text), "{text:?}");
        }
    }

    #[test]
    fn a_number_that_could_be_in_the_other_base_is_noted() {
        for question in ["600083c+60", "0600083c+60", "0x0600083c:60", "0600083c@60"] {
            let note = note(question).unwrap();
            assert!(note.contains("60 is decimal, +0x3c") && note.contains("0x0600083c+0x60"), "{note}");
        }
        assert_eq!(note("06000002+4294967295").unwrap(), "4294967295 is decimal, +0xffffffff");
        let padded = note("06000003:0015").unwrap();
        assert!(padded.contains("hexadecimal, +0x15") && padded.contains("0x06000003+15"), "{padded}");
        for question in ["0x0600083c+60", "600083c+0x60", "600083c+9", "Clock.Since+15", "2+15", "600083c", "1:000F"] {
            assert_eq!(note(question), None, "{question}");
        }
    }
}
