//! Sequences that may be sent to a terminal: visible text, and those that pdblens uses.

use pdblens::text::safe::is_hidden;

/// Final bytes of most sequences: colours, cursor moves, modes, cursor shape, device attributes.
const ENDS: &[char] = &['m', 'H', 'h', 'l', 'q', 'c'];

/// The others: a screen is cleared at the beginning of a frame, and a title kept and taken back.
const WHOLE: &[&str] = &["\x1b[?2026h\x1b[0m\x1b[2J", "\x1b[22;2t", "\x1b[23;2t"];

/// The title, and the question for the background: what stands between `ESC ]` and its end.
const SAID: &[&str] = &["0;pdblens", "11;?"];

/// OSC 52: the text for the clipboard is Base64, so it can contain no sequence.
fn is_copied(said: &str) -> bool {
    said.strip_prefix("52;c;").is_some_and(|text| text.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c)))
}

/// Checks that `raw` is visible text and pdblens' own sequences; otherwise returns the first that is not, and its offset.
pub(crate) fn tidy(raw: &[u8], lines: bool) -> Result<(), String> {
    let text = std::str::from_utf8(raw).map_err(|error| format!("no UTF-8: {error}"))?;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let wrong = |what: &str| {
            let around: String = rest.chars().take(60).collect();
            Err(format!("{what} at byte {}: {around:?}", text.len() - rest.len()))
        };
        let length = match c {
            '\x1b' => match sequence(rest) {
                Some(length) => length,
                None => return wrong("a sequence that pdblens has no use for"),
            },
            // The beginning of the row is where the cursor is often sent.
            '\r' => 1,
            '\n' | '\t' if lines => 1,
            c if is_hidden(c) => return wrong("a character that does not show"),
            c => c.len_utf8(),
        };
        rest = &rest[length..];
    }
    Ok(())
}

/// Length of the sequence at the start of `text`; `None` where pdblens would not send it.
fn sequence(text: &str) -> Option<usize> {
    if let Some(said) = text.strip_prefix("\x1b]") {
        let end = said.find(['\x07', '\x1b'])?;
        let terminator = if said[end..].starts_with('\x07') { 1 } else { 2 };
        let said = &said[..end];
        return (SAID.contains(&said) || is_copied(said)).then_some(2 + end + terminator);
    }
    if let Some(whole) = WHOLE.iter().find(|whole| text.starts_with(**whole)) {
        return Some(whole.len());
    }
    let body = text.strip_prefix("\x1b[")?;
    let end = body.find(|c: char| ('\x40'..='\x7e').contains(&c))?;
    body[end..].starts_with(ENDS).then_some(2 + end + 1)
}

#[test]
fn foreign_escape_sequences_are_detected() {
    assert_eq!(tidy("\x1b[?2026h\x1b[0m\x1b[2J\x1b[38;2;1;2;3mMain\x1b[0m \\x1b[2J ü 日".as_bytes(), false), Ok(()));
    assert_eq!(tidy(b"a line\r\n", true), Ok(()));
    for wrong in [
        "a\x1b[2Jb",
        "\x1b]0;pwned\x07",
        "\x1b]52;c;!\x07",
        "\u{9b}31m",
        "\u{202e}x",
        "\u{200b}",
        "a\nb",
        "a\tb",
        "\x1bc",
        "\x07",
        "\0",
    ] {
        assert!(tidy(wrong.as_bytes(), false).is_err(), "{wrong:?}");
    }
    assert!(tidy(b"\xff", true).is_err());
}
