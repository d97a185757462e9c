//! The lines of a source file, and the part of one that a sequence point spans.
//!
//! Compilers count columns in UTF-16 units, from 1, and a point ends before its end column.

use unicode_width::UnicodeWidthChar;

use crate::model::Session;
use crate::model::text::visible;

/// The largest local file that is read for its lines.
const LARGEST: u64 = 16 << 20;

/// How many cells a tab takes, wherever it stands.
const TAB: &str = "    ";

/// The text of a document, cut into lines.
#[derive(Clone, Debug, Default)]
pub struct SourceLines {
    text: String,
    /// Where each line begins; and the end of the text.
    starts: Vec<usize>,
}

impl SourceLines {
    /// `text`, cut where compilers cut it.
    pub fn new(text: String) -> Self {
        let mut starts = vec![0];
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let is_end = match c {
                '\r' => chars.peek().is_none_or(|(_, next)| *next != '\n'),
                '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => true,
                _ => false,
            };
            if is_end {
                starts.push(at + c.len_utf8());
            }
        }
        starts.push(text.len());
        Self { text, starts }
    }

    /// A line, counted from 1, without its end.
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = (number as usize).checked_sub(1)?;
        let line = self.text.get(*self.starts.get(index)?..*self.starts.get(index + 1)?)?;
        Some(line.trim_end_matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']))
    }
}

impl Session {
    /// The lines of a document, where its text is embedded in the symbols or a plain local file.
    pub fn source_lines(&self, document: u32) -> Option<SourceLines> {
        let bytes = match self.symbols()?.embedded_source(document) {
            Some(embedded) => embedded.ok()?,
            None => local_file(&self.document_name(document)?)?,
        };
        Some(SourceLines::new(decoded(&bytes)))
    }
}

/// The bytes of a file that a user could mean: no device, no pipe, no share of another machine.
fn local_file(path: &str) -> Option<Vec<u8>> {
    let is_absolute = path.starts_with('/') || path.as_bytes().get(1..3) == Some(b":\\");
    if !is_absolute || path.starts_with("//") || path.starts_with("\\\\") || path.contains('\0') {
        return None;
    }
    let found = std::fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > LARGEST {
        return None;
    }
    std::fs::read(path).ok()
}

/// The text of a source file, by its byte order mark; UTF-8 without one.
fn decoded(bytes: &[u8]) -> String {
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        char::decode_utf16(rest.as_chunks::<2>().0.iter().map(|bytes| unit(*bytes)))
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => String::from_utf8_lossy(rest).into_owned(),
    }
}

/// A line in three parts: before the columns `start` to `end`, in them, behind them. Tabs are made spaces, and characters
/// that a terminal would act on are spelled out, so that what stands below lines up.
pub fn marked(line: &str, start: u32, end: u32) -> [String; 3] {
    let mut parts = [String::new(), String::new(), String::new()];
    let mut column = 1u32;
    for c in line.chars() {
        let part = if column < start { 0 } else { usize::from(column >= end) + 1 };
        if let Some(text) = parts.get_mut(part) {
            match c {
                '\t' => text.push_str(TAB),
                c => text.push_str(&visible(c.encode_utf8(&mut [0; 4]))),
            }
        }
        column = column.saturating_add(c.len_utf16() as u32);
    }
    parts
}

/// How many cells a text takes on a terminal.
pub fn shown_width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_compilers_end_them() {
        let lines = SourceLines::new("a\r\nb\rc\n\u{2028}d".to_owned());
        let all: Vec<_> = (0..8).map(|n| lines.line(n)).collect();
        assert_eq!(all, [None, Some("a"), Some("b"), Some("c"), Some(""), Some("d"), None, None]);
        assert_eq!(SourceLines::new(String::new()).line(1), Some(""));
    }

    #[test]
    fn columns_count_utf16_units_and_wide_characters_line_up() {
        // The clef takes two UTF-16 units and one cell, the kanji one unit and two cells.
        let [before, inside, after] = marked("\tx = \"𝄞漢\"; y();", 6, 11);
        assert_eq!((before.as_str(), inside.as_str(), after.as_str()), ("    x = ", "\"𝄞漢\"", "; y();"));
        assert_eq!(shown_width(&before), 8);
        assert_eq!(shown_width(&inside), 5);
        assert_eq!(marked("ab", 2, u32::MAX), ["a", "b", ""]);
        assert_eq!(marked("a\x1b[2J", 1, 3), ["", "a\\x1b", "[2J"]);
    }

    #[test]
    fn byte_order_marks_are_heeded() {
        assert_eq!(decoded(b"\xff\xfeh\0i\0"), "hi");
        assert_eq!(decoded(b"\xfe\xff\0h\0i"), "hi");
        assert_eq!(decoded(b"\xef\xbb\xbfhi"), "hi");
        assert_eq!(decoded(b"hi\xff"), "hi\u{fffd}");
    }

    #[test]
    fn only_plain_local_files_are_opened() {
        for path in ["/dev/zero", "//server/share/x.cs", "\\\\server\\x.cs", "Program.cs", "/proc", ""] {
            assert_eq!(local_file(path), None, "{path}");
        }
    }
}
