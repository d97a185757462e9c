//! Prefilter of lines. Most lines of a log hold no frame, module or report: they are copied unread.

use std::sync::LazyLock;

use memchr::memrchr;
use regex::bytes::{Regex, RegexBuilder};

use super::locales::LOCALES;

/// Patterns of lines that can contain a frame, a module or a document. `%AT` stands for the words for "at", `%S` for white space in a line, `%END` for the rest of a line that
/// ends with a bracket.
const PARTS: &[&str] = &[
    // Documents of JSON, perhaps after a byte order mark; ends of inner traces; the first line of a crash dump.
    r"^%S(?:[{\xef\xbb\xbf]|---|OS\|)",
    // A method after a word for "at", perhaps with words before it.
    r"^%S(?:%AT)[ \t]%END",
    r#"[ \t](?:%AT)[ \t]+[^ \t"(\[\n]*(?:\[|[ \t]*\()%END"#,
    // A type and a method of Unity's player, and a line of Breakpad.
    r"^%S[^ \t(\n]+:[^ \t(\n]+[ \t]*\(%END",
    r" : \d%END",
    // The number of a line of source, and the mark behind it.
    r":[A-Za-z\x80-\xff]*%S\d+\.?%S~?%S$",
    // A loaded module, or a frame of a debugger.
    r"^%S(?:ModLoad: )?[0-9A-Fa-f`]{8,}[ \t]+[0-9A-Fa-f`]{8}",
    // Events of problem reports.
    r"(?i:APPCRASH|BEX64|BEX|CLR20r3)%S$",
    r"Module Name:|aulting module |fault address |ffset:|EventType|Sig\[|<Data|<Provider ",
    // Other frames, and modules.
    r"!|0x|::|\)\+| \+|\t\+| @ |\(at | at offset |Module\||\), size: ",
    // Escapes of terminals, JSON and HTML.
    r"\x1b|\\u00|\\n(?:  |\\tat )|&(?:#|lt;|gt;|amp;|quot;|apos;|nbsp;|plus;|grave;)|<(?:br|BR)",
];

static MATTERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let at = LOCALES.map(|[at, ..]| at).join("|");
    let parts = PARTS.join("|").replace("%AT", &at).replace("%END", r"[^\n]*[)\]]%S$").replace("%S", r"[ \t\r\x0c]*");
    RegexBuilder::new(&parts).unicode(false).multi_line(true).build().ok()
});

/// Returns false for a line that holds no frame and no module, and is no part of a report.
pub(super) fn may_matter(line: &[u8]) -> bool {
    MATTERS.as_ref().is_none_or(|matters| matters.is_match(line))
}

/// Start of the first of several lines that may matter.
pub(super) fn first_that_matters(lines: &[u8]) -> Option<usize> {
    let Some(matters) = MATTERS.as_ref() else { return Some(0) };
    let before = lines.get(..matters.find(lines)?.start())?;
    Some(memrchr(b'\n', before).map_or(0, |end| end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_the_first_that_matters_are_told() {
        assert!(MATTERS.is_some());
        assert_eq!(first_that_matters(b"one\n(two)\n\n  at A.B()\r\nthree!\n"), Some(11));
        assert_eq!(first_that_matters(b"at first ~\nbed 12\n12 (of 13) [done]\n"), None);
    }

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
