//! The text of a source file: characters from bytes, and lines and columns in them.
//!
//! Compilers count columns in UTF-16 units, from 1, a tab as one. So a column is neither a byte, nor a character, nor a cell
//! of a terminal: [`SourceText::column`] says which it is of each.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use crate::text::safe::{is_hidden, push_visible, utf16_units};

/// A source file's text, its lines known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    text: String,
    /// Start of each line, and the end of its characters without the line end.
    lines: Vec<(u32, u32)>,
    pub encoding: Encoding,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    #[default]
    Utf8,
    /// UTF-8 after a byte order mark.
    Utf8Mark,
    /// UTF-16, little-endian, after a byte order mark.
    Utf16,
    /// UTF-16, big-endian, after a byte order mark.
    Utf16Big,
    /// No Unicode: each byte is taken for the character of that number.
    Latin1,
}

/// Position of a column in its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Bytes of UTF-8 before it.
    pub byte: usize,
    /// Characters before it.
    pub character: usize,
    /// Cells of a terminal before it, as [`shown`] shows the line.
    pub cell: usize,
}

impl Encoding {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Mark => "UTF-8 with BOM",
            Self::Utf16 => "UTF-16 LE",
            Self::Utf16Big => "UTF-16 BE",
            Self::Latin1 => "Latin-1",
        }
    }
}

impl SourceText {
    /// The text that `bytes` are, read as compilers read them: by the byte order mark, else as UTF-8 if they are that.
    pub fn decode(bytes: &[u8]) -> Self {
        let (text, encoding) = decode(bytes);
        let lines = lines(&text);
        Self { text, lines, encoding }
    }

    /// All of it, with its line ends, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn lines(&self) -> u32 {
        self.lines.len() as u32
    }

    /// A line without its end; they are counted from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        let (start, end) = *self.lines.get((number as usize).checked_sub(1)?)?;
        self.text.get(start as usize..end as usize)
    }

    pub fn columns(&self, line: u32) -> Option<u32> {
        self.line(line).map(|line| line.chars().map(|c| c.len_utf16() as u32).sum())
    }
}

/// Locates `column`, counted from 1 in UTF-16 units, in `line`. The second unit of a pair is at its character.
pub fn locate(line: &str, column: u32, tab: usize) -> Column {
    let mut left = column.saturating_sub(1) as usize;
    let mut at = Column::default();
    for c in line.chars() {
        if left < c.len_utf16() {
            break;
        }
        left = left.saturating_sub(c.len_utf16());
        at.byte += c.len_utf8();
        at.character += 1;
        at.cell += cells(c, at.cell, tab);
    }
    at
}

/// A line as a terminal can show it: tabs become spaces up to the next stop, and what has no form of its own is spelled out.
pub fn shown(line: &str, tab: usize) -> Cow<'_, str> {
    if !line.chars().any(is_hidden) {
        return Cow::Borrowed(line);
    }
    let (mut out, mut cell) = (String::with_capacity(line.len() + 16), 0);
    for c in line.chars() {
        let width = cells(c, cell, tab);
        cell += width;
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            c => push_visible(&mut out, c),
        }
    }
    Cow::Owned(out)
}

/// Cells that a character takes when shown at `cell`.
fn cells(c: char, cell: usize, tab: usize) -> usize {
    match c {
        '\t' => (cell + 1).next_multiple_of(tab.max(1)) - cell,
        // As `push_visible` spells them: \n, \x1b, \u{…} around the hexadecimal digits.
        '\n' | '\r' => 2,
        '\0'..='\x1f' | '\x7f' => 4,
        c if is_hidden(c) => (c as u32).checked_ilog(16).map_or(5, |log| log as usize + 5),
        c => c.width().unwrap_or(0),
    }
}

fn decode(bytes: &[u8]) -> (String, Encoding) {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return (String::from_utf8_lossy(rest).into_owned(), Encoding::Utf8Mark);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return (utf16_units(rest, u16::from_le_bytes), Encoding::Utf16);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return (utf16_units(rest, u16::from_be_bytes), Encoding::Utf16Big);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), Encoding::Utf8),
        Err(_) => (bytes.iter().map(|byte| char::from(*byte)).collect(), Encoding::Latin1),
    }
}

/// Start and end of each line, with the line ends of C# and Visual Basic.
fn lines(text: &str) -> Vec<(u32, u32)> {
    let (mut lines, mut start) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            continue;
        }
        let mut end = at + c.len_utf8();
        if c == '\r' && chars.next_if(|(_, next)| *next == '\n').is_some() {
            end += 1;
        }
        lines.push((start, at as u32));
        start = end as u32;
    }
    lines.push((start, text.len() as u32));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_compilers_end_them() {
        let text = SourceText::decode("a\nbb\r\n\rccc\u{2028}d\u{85}".as_bytes());
        let lines: Vec<_> = (1..=text.lines()).filter_map(|n| text.line(n)).collect();
        assert_eq!(lines, ["a", "bb", "", "ccc", "d", ""]);
        assert_eq!((text.line(0), text.line(7)), (None, None));
        assert_eq!(SourceText::decode(b"").lines(), 1);
    }

    #[test]
    fn bytes_are_what_their_mark_says_or_utf8_or_latin1() {
        let text = |bytes: &[u8]| {
            let text = SourceText::decode(bytes);
            (text.text().to_owned(), text.encoding)
        };
        assert_eq!(text("größe".as_bytes()), ("größe".into(), Encoding::Utf8));
        assert_eq!(text(b"\xef\xbb\xbfa"), ("a".into(), Encoding::Utf8Mark));
        assert_eq!(text(b"\xff\xfea\0\x3d\xd8\x80\xde\0"), ("a🚀".into(), Encoding::Utf16));
        assert_eq!(text(b"\xfe\xff\0a\xd8\0"), ("a\u{fffd}".into(), Encoding::Utf16Big));
        assert_eq!(text(b"gr\xf6\xdfe"), ("größe".into(), Encoding::Latin1));
    }

    #[test]
    fn a_column_is_a_utf16_unit() {
        // t, a rocket of two units and two cells, a combining accent of none, and an ideograph of two cells.
        let line = "\tx🚀e\u{301}日;";
        let at = |column| {
            let Column { byte, character, cell } = locate(line, column, 4);
            (byte, character, cell)
        };
        assert_eq!([1, 2, 3].map(at), [(0, 0, 0), (1, 1, 4), (2, 2, 5)]);
        assert_eq!([4, 5].map(at), [(2, 2, 5), (6, 3, 7)], "the second half of a pair is the pair");
        assert_eq!([6, 7, 8, 9, 99].map(at), [(7, 4, 8), (9, 5, 8), (12, 6, 10), (13, 7, 11), (13, 7, 11)]);
        assert_eq!(at(0), (0, 0, 0));
        assert_eq!(SourceText::decode(line.as_bytes()).columns(1), Some(8));
    }

    #[test]
    fn what_is_shown_has_as_many_cells_as_columns_say() {
        for line in ["plain", "\ta\tb", "a\rb", "a\u{202e}b\x1b[m\u{7f}", "日\t本\u{200b}🚀", "\u{e0001}x\u{1d173}"]
        {
            for tab in [1, 4, 8] {
                let text = shown(line, tab);
                let wide: usize = text.chars().map(|c| c.width().unwrap_or(99)).sum();
                assert_eq!(wide, locate(line, u32::MAX, tab).cell, "{line:?} {text:?}");
            }
        }
        assert_eq!(shown("\ta\u{202e}", 4), "    a\\u{202e}");
    }
}
