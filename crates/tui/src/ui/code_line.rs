//! A line of source text: its graphemes in cells and columns, its marked part, and the lines that it takes where it wraps.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::ui::theme::{Look, Role};
use pdblens_session::text::safe::visible;

pub(crate) const TAB: usize = 4;

/// A grapheme of a line as it is drawn.
pub(crate) struct Glyph<'t> {
    pub(crate) shown: std::borrow::Cow<'t, str>,
    /// First cell in the line.
    pub(crate) cell: usize,
    pub(crate) wide: usize,
    /// UTF-16 column, from 1, and number of units.
    pub(crate) column: u32,
    pub(crate) units: u32,
    /// Byte offset in the line.
    pub(crate) byte: usize,
}

/// The graphemes of a line, with tabs expanded and invisible characters spelled out.
pub(crate) fn glyphs(line: &str) -> impl Iterator<Item = Glyph<'_>> {
    let (mut cell, mut column) = (0, 1);
    line.grapheme_indices(true).map(move |(byte, text)| {
        let shown = if text == "\t" { " ".repeat(TAB - cell % TAB).into() } else { visible(text) };
        let (wide, units) = (shown.width(), text.encode_utf16().count() as u32);
        let glyph = Glyph { shown, cell, wide, column, units, byte };
        cell += wide;
        column += units;
        glyph
    })
}

/// Characters of a line that are measured.
const MAX_MEASURED: usize = 10_000;
/// Lines that one of the source takes at most.
const MAX_LINES: usize = 8;
/// Cells that the lines after the first are indented by, in addition to the first.
const HANGING: usize = 4;
/// Words that are coloured in a statement of C#, which has no declarations.
const KEYWORDS: &[&str] = &[
    "as",
    "await",
    "base",
    "bool",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "checked",
    "continue",
    "decimal",
    "default",
    "delegate",
    "do",
    "double",
    "else",
    "false",
    "finally",
    "fixed",
    "float",
    "for",
    "foreach",
    "goto",
    "if",
    "in",
    "int",
    "is",
    "lock",
    "long",
    "nameof",
    "new",
    "null",
    "object",
    "or",
    "and",
    "not",
    "out",
    "params",
    "ref",
    "return",
    "sbyte",
    "short",
    "sizeof",
    "stackalloc",
    "string",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "uint",
    "ulong",
    "unchecked",
    "ushort",
    "using",
    "var",
    "void",
    "when",
    "where",
    "while",
    "with",
    "yield",
];

/// Cells that a line is indented by; `None` for one without text.
pub(crate) fn indentation(line: &str) -> Option<usize> {
    glyphs(line).take(MAX_MEASURED).find(|glyph| !glyph.shown.trim().is_empty()).map(|glyph| glyph.cell)
}

/// The lines that a line takes in `room` cells: the first cell of each, and its indentation. `left` cells are scrolled out.
pub(crate) fn wrapped(line: &str, left: usize, room: usize) -> Vec<(usize, usize)> {
    let end = glyphs(line).take(MAX_MEASURED).last().map_or(0, |glyph| glyph.cell + glyph.wide);
    let mut lines = vec![(left, 0)];
    let indent = (indentation(line).unwrap_or(0).saturating_sub(left) + HANGING).min(room / 2);
    let mut next = left + room;
    while next < end && room > indent && lines.len() < MAX_LINES {
        lines.push((next, indent));
        next += room - indent;
    }
    lines
}

/// Roles of the words of a statement of C#: the byte where each piece ends, and its role.
pub(crate) fn statement_roles(text: &str) -> Vec<(u32, Role)> {
    let mut pieces: Vec<(u32, Role)> = Vec::new();
    let (mut at, mut before) = (0, "");
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = match first {
            '"' | '\'' => {
                let mut escaped = false;
                let ends = |c: char| {
                    let is_end = c == first && !escaped;
                    escaped = c == '\\' && !escaped;
                    is_end
                };
                rest[1..].find(ends).map_or(rest.len(), |end| end + 2)
            }
            _ if is_word(first) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(len);
        let role = match first {
            '"' | '\'' => Role::String,
            _ if first.is_ascii_digit() => Role::Number,
            _ if KEYWORDS.contains(&word) => Role::Keyword,
            _ if is_word(first) && before == "new" => Role::Type,
            _ if is_word(first) && behind.starts_with('(') => Role::Function,
            _ if first.is_uppercase() && before != "." => Role::Type,
            _ => Role::Text,
        };
        at += len;
        if first != ' ' {
            before = word;
        }
        pieces.push((at as u32, role));
    }
    pieces
}

pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    /// Cells that are scrolled out on the left.
    pub(crate) left: usize,
    /// Marked columns, end exclusive.
    pub(crate) marked: Option<(u32, u32)>,
    /// True if the text is not the one that the marks are of.
    pub(crate) doubtful: bool,
}

impl Line<'_> {
    /// Draws the line, with a sign at its edge if `is_cut` and more follows; `colour` gives the style of the byte at an offset.
    pub(crate) fn draw(
        &self,
        buf: &mut Buffer,
        area: Rect,
        look: &Look<'_>,
        (is_cut, colour): (bool, &dyn Fn(usize) -> Style),
    ) {
        let room = area.width as usize;
        for glyph in glyphs(self.text) {
            if glyph.cell >= self.left + room {
                if is_cut {
                    buf.set_string(area.right() - 1, area.y, look.glyphs.more, look.theme.of(Role::Mute));
                }
                break;
            }
            if glyph.cell + glyph.wide <= self.left && glyph.wide > 0 {
                continue;
            }
            let mut style = colour(glyph.byte);
            if self.marks(&glyph) {
                // A background, or where the text is doubtful, a line below it.
                let mark = look.theme.of(if self.doubtful { Role::Warn } else { Role::Span });
                style = if self.doubtful { style.patch(mark).underlined() } else { style.patch(mark) };
            }
            let x = area.x + glyph.cell.saturating_sub(self.left) as u16;
            // A wide character cut by the left edge becomes a space.
            let shown = if glyph.cell < self.left { " " } else { &*glyph.shown };
            buf.set_stringn(x, area.y, shown, area.right().saturating_sub(x) as usize, style);
        }
        if let Some((from, to)) = self.marked
            && from == to
        {
            // An empty range is marked too.
            let cell = glyphs(self.text).find(|glyph| glyph.column >= from).map_or(0, |glyph| glyph.cell);
            if (self.left..self.left + room).contains(&cell) {
                let x = area.x + (cell - self.left) as u16;
                buf.set_style(Rect { x, width: 1, ..area }, look.theme.of(Role::Span));
            }
        }
    }

    pub(crate) fn marks(&self, glyph: &Glyph<'_>) -> bool {
        self.marked.is_some_and(|(from, to)| glyph.column < to && glyph.column + glyph.units > from)
    }

    pub(crate) fn reground(&self, buf: &mut Buffer, area: Rect, style: Style) {
        for glyph in glyphs(self.text).take_while(|glyph| glyph.cell < self.left + area.width as usize) {
            if self.marks(&glyph) && glyph.cell >= self.left {
                let x = area.x + (glyph.cell - self.left) as u16;
                let cell = Rect { x, width: glyph.wide as u16, ..area }.intersection(area);
                buf.set_style(cell, Style { fg: None, ..style });
            }
        }
    }
}

/// The cell of a UTF-16 column, from 1, in a line that may be long.
pub(crate) fn cell_of(line: &str, column: u32) -> usize {
    let before = glyphs(line).take(100_000).take_while(|glyph| glyph.column < column);
    before.last().map_or(0, |glyph| glyph.cell + glyph.wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_units_and_cells_are_what_terminals_take() {
        let seen: Vec<(String, usize, u32)> =
            glyphs("\ta日😀e\u{301}b\u{202e}").map(|g| (g.shown.into_owned(), g.cell, g.column)).collect();
        let expected = [
            ("    ", 0, 1),
            ("a", 4, 2),
            ("日", 5, 3),
            ("😀", 7, 4),
            ("e\u{301}", 9, 6),
            ("b", 10, 8),
            ("\\u{202e}", 11, 9),
        ];
        assert_eq!(seen, expected.map(|(text, cell, column)| (text.to_owned(), cell, column)));
    }

    #[test]
    fn words_of_a_statement_have_their_roles() {
        let text = "JsonReader reader = new JsonReader(\"a\\\"b\", 1).Read();";
        let roles = statement_roles(text);
        let role_of = |word: &str| {
            let at = text.find(word).unwrap() as u32;
            roles[roles.partition_point(|(end, _)| *end <= at)].1
        };
        assert_eq!(role_of("JsonReader reader"), Role::Type);
        assert_eq!(role_of("reader"), Role::Text);
        assert_eq!(role_of("new"), Role::Keyword);
        assert_eq!(role_of("JsonReader("), Role::Type);
        assert_eq!(role_of("b\""), Role::String);
        assert_eq!(role_of("1)"), Role::Number);
        assert_eq!(role_of("Read();"), Role::Function);
        assert_eq!(roles.last().unwrap().0 as usize, text.len());
    }

    #[test]
    fn a_line_that_wraps_shows_each_cell_once() {
        assert_eq!(wrapped("    abcdef", 4, 6), [(4, 0)]);
        assert_eq!(wrapped("  abcdefghijkl", 2, 10), [(2, 0), (12, 4)]);
        assert_eq!(wrapped(&"x".repeat(900), 0, 40).len(), MAX_LINES);
        assert_eq!(wrapped("abc", 0, 0), [(0, 0)]);
    }
}
