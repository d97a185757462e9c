//! A line of source text: its graphemes in cells and columns, and its marked part.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::state::selection::LineSpan;
use crate::ui::theme::{Look, Role};
use pdblens_session::text::safe::visible;

pub(super) const TAB: usize = 4;

/// A grapheme of a line as it is drawn.
pub(super) struct Glyph<'t> {
    pub(super) shown: std::borrow::Cow<'t, str>,
    /// First cell in the line.
    pub(super) cell: usize,
    pub(super) wide: usize,
    /// UTF-16 column, from 1, and number of units.
    pub(super) column: u32,
    pub(super) units: u32,
    /// Byte offset in the line.
    pub(super) byte: usize,
}

/// The graphemes of a line, with tabs expanded and invisible characters spelled out.
pub(super) fn glyphs(line: &str) -> impl Iterator<Item = Glyph<'_>> {
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

/// The text of a line, if cells of it are left of `left` or do not fit in the `room` cells from there.
pub(super) fn cut_text(line: &str, left: usize, room: usize) -> Option<String> {
    let content = || glyphs(line).take(MAX_MEASURED).filter(|glyph| !glyph.shown.trim().is_empty());
    let (first, last) = (content().next()?, content().last()?);
    let is_cut = first.cell < left || last.cell + last.wide > left + room;
    is_cut.then(|| line.trim().replace('\t', " "))
}

pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    /// Cells that are scrolled out on the left.
    pub(super) left: usize,
    /// Marked columns, end exclusive.
    pub(super) marked: Option<(u32, u32)>,
    /// True if the text is not the one that the marks are of.
    pub(super) doubtful: bool,
}

impl Line<'_> {
    /// Draws the line; `colour` gives the style of the byte at an offset.
    pub(super) fn draw(&self, buf: &mut Buffer, area: Rect, look: &Look<'_>, colour: &dyn Fn(usize) -> Style) {
        let room = area.width as usize;
        for glyph in glyphs(self.text) {
            if glyph.cell >= self.left + room {
                buf.set_string(area.right() - 1, area.y, look.glyphs.more, look.theme.of(Role::Mute));
                break;
            }
            if glyph.cell + glyph.wide <= self.left && glyph.wide > 0 {
                continue;
            }
            let mut style = look.theme.of(Role::Text).patch(colour(glyph.byte));
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

    pub(super) fn marks(&self, glyph: &Glyph<'_>) -> bool {
        self.marked.is_some_and(|(from, to)| glyph.column < to && glyph.column + glyph.units > from)
    }

    pub(super) fn reground(&self, buf: &mut Buffer, area: Rect, style: Style) {
        for glyph in glyphs(self.text).take_while(|glyph| glyph.cell < self.left + area.width as usize) {
            if self.marks(&glyph) && glyph.cell >= self.left {
                let x = area.x + (glyph.cell - self.left) as u16;
                let cell = Rect { x, width: glyph.wide as u16, ..area }.intersection(area);
                buf.set_style(cell, Style { fg: None, ..style });
            }
        }
    }
}

/// The columns that `lines` covers in a line.
pub(super) fn columns_of(lines: LineSpan, line: u32) -> Option<(u32, u32)> {
    if !(lines.start..=lines.end).contains(&line) {
        return None;
    }
    let (first, last) = lines.columns?;
    Some((if line == lines.start { first } else { 1 }, if line == lines.end { last } else { u32::MAX }))
}

/// The bar in the margin of a covered line: its ends are visible without colour.
pub(super) fn bar_of(lines: LineSpan, line: u32, look: &Look<'_>) -> &'static str {
    match (line == lines.start, line == lines.end) {
        (true, false) => look.glyphs.bar_begins,
        (false, true) => look.glyphs.bar_ends,
        _ => look.glyphs.bar,
    }
}

/// The cell of a UTF-16 column, from 1, in a line that may be long.
pub(super) fn cell_of(line: &str, column: u32) -> usize {
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
    fn a_piece_over_several_lines_marks_each_of_them() {
        let lines = LineSpan { start: 3, end: 5, columns: Some((9, 4)) };
        let seen: Vec<_> = (2..=6).map(|line| columns_of(lines, line)).collect();
        assert_eq!(seen, [None, Some((9, u32::MAX)), Some((1, u32::MAX)), Some((1, 4)), None]);
    }
}
