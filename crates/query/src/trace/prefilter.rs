//! Prefilter of lines. Most lines of a log hold no frame, module or report: they are copied unread.

use std::sync::LazyLock;

use memchr::memchr;
use regex::bytes::Regex;

use super::locales::LOCALES;
use super::{UNPROVED, layers, report};

/// Literals of frames, modules and reports that the first and last bytes of a line do not show.
static LITERALS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let frames = r"0x|::|\)\+| \+|\t\+| @ |\(at | at offset |ffset:|fault address ";
    let others = r"Module Name:|aulting module |Module\||\), size: |EventType|Sig\[|<Data|<Provider ";
    Regex::new(&format!("(?-u){frames}|{others}")).ok()
});

/// A frame at the end of a line in parentheses or brackets: a method after a word for "at", perhaps with words before it; a type and a
/// method of Unity's player; a line of Breakpad.
static CALLS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let at: Vec<&str> = LOCALES.iter().map(|[at, ..]| *at).collect();
    let at = at.join("|");
    let after_at = format!(r#"^(?:{at})[ \t]|[ \t](?:{at})[ \t]+[^ \t"(\[]*(?:\[|[ \t]*\()"#);
    Regex::new(&format!(r"(?-u){after_at}|^[^ \t(]+:[^ \t(]+[ \t]*\(| : \d")).ok()
});

/// Returns false for a line that holds no frame and no module, and is no part of a report.
pub(super) fn may_matter(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return false };
    // Documents of JSON, perhaps after a byte order mark.
    matches!(first, b'{' | 0xef | 0xbb | 0xbf)
        || line.starts_with(b"---")
        || line.starts_with(b"OS|")
        || matches!(last, b')' | b']') && CALLS.as_ref().is_none_or(|calls| calls.is_match(line))
        || ends_with_line(line)
        || begins_with_addresses(line)
        || report::ends_with_event(line)
        || memchr(b'!', line).is_some()
        || LITERALS.as_ref().is_none_or(|literals| literals.is_match(line))
        || layers::has_escapes(line)
}

/// Returns whether a line ends with the number of a line of source: `:12`, `:line 12.`, and the mark behind it.
fn ends_with_line(line: &[u8]) -> bool {
    let before = |text: &[u8], is_part: fn(&u8) -> bool| text.iter().rev().skip_while(|byte| is_part(byte)).count();
    let line = line.strip_suffix(UNPROVED.as_bytes()).map_or(line, <[u8]>::trim_ascii_end);
    let line = line.strip_suffix(b".").unwrap_or(line);
    let number = before(line, u8::is_ascii_digit);
    let word = line.get(..number).unwrap_or_default().trim_ascii_end();
    let colon = before(word, |byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    number < line.len() && colon > 0 && word.get(colon.saturating_sub(1)) == Some(&b':')
}

/// Returns whether a line begins with two addresses: a loaded module, or a frame of a debugger.
fn begins_with_addresses(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"ModLoad: ").unwrap_or(line);
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let mut is_address = || {
        let word = words.next().unwrap_or_default();
        word.len() >= 8 && word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'`')
    };
    is_address() && is_address()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_log_do_not_matter() {
        for line in [
            "2026-11-27 12:16:34.094 INFO  [worker-7] GET /items/621909?user=80709&page=2 in 9 ms (status 200) trace=4ee678e9",
            "2026-11-27 12:16:34.094 INFO  [worker-7] GET /items/621909?user=80709 in 9 ms (status 200, cache hit)",
            "Compiled 12 files in parallel [worker-7]",
            "20261127 121634 started",
            "12:16:34 warning: took 12",
            "System.InvalidOperationException: Operation is not valid",
            "",
            " \r\n",
        ] {
            assert!(!may_matter(line.as_bytes()), "{line}");
        }
    }
}
