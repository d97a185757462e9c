//! Hex dump: offsets, two groups of eight bytes, and their characters.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::ui::theme::{Look, Role};
use pdblens_formats::bytes::Span;
use pdblens_session::text::safe;

#[derive(Clone, Debug, Default)]
pub struct HexDump<'a> {
    pub bytes: &'a [u8],
    /// Offset of the first byte: a multiple of `row`.
    pub start: u64,
    /// Bytes per row.
    pub row: usize,
    /// Digits of an offset.
    pub digits: usize,
    pub chosen: Option<Span>,
    /// The structure that contains the selected bytes.
    pub outer: Option<Span>,
    /// Fields of the selected record, in the order of their colours.
    pub fields: Vec<Span>,
    pub cursor: Option<u64>,
}

pub const fn bytes_per_row(width: u16) -> usize {
    match width {
        144.. => 32,
        75..=143 => 16,
        _ => 8,
    }
}

/// Digits that the offsets of `len` bytes take, rounded up to pairs.
pub fn offset_digits(len: u64) -> usize {
    let needed = (u64::BITS - len.leading_zeros()).div_ceil(4) as usize;
    needed.next_multiple_of(2)
}

impl HexDump<'_> {
    /// The x offsets of the digits and of the character of byte `index` of a row.
    fn column(&self, index: usize) -> (u16, u16) {
        let hex = 1 + self.digits + 2 + index * 3 + index / 8;
        let text = 1 + self.digits + 2 + self.row * 3 + self.row.div_ceil(8) - 1 + 1 + index + index / 8;
        (hex as u16, text as u16)
    }

    pub fn at(&self, at: Position, area: Rect) -> Option<u64> {
        let (x, y) = (at.x.checked_sub(area.x)?, at.y.checked_sub(area.y)?);
        let index = (0..self.row).find(|index| {
            let (hex, text) = self.column(*index);
            (hex..hex + 2).contains(&x) || x == text
        })?;
        let offset = y as usize * self.row + index;
        (offset < self.bytes.len()).then_some(self.start + offset as u64)
    }

    fn style(&self, offset: u64, look: &Look<'_>) -> (Style, Option<usize>) {
        let field = self.fields.iter().position(|span| span.contains(offset));
        let chosen = self.chosen.is_some_and(|span| span.contains(offset));
        // A theme without colours underlines the fields, so the selection is reversed.
        let no_colours = look.theme.of(Role::Span).bg.is_none();
        let style = match (chosen, field) {
            (true, _) if no_colours && !look.focused => look.theme.of(Role::Span).bold().reversed(),
            (true, Some(field)) => look.theme.of(Role::Span).patch(look.theme.field(field)).bold(),
            (true, None) => look.theme.of(Role::Span).patch(look.theme.of(Role::Text)).bold(),
            (false, Some(field)) => look.theme.field(field),
            (false, None) if self.outer.is_some_and(|span| span.contains(offset)) => look.theme.of(Role::Dim),
            (false, None) => look.theme.of(Role::Mute),
        };
        if self.cursor == Some(offset) && look.focused {
            return (style.patch(look.theme.of(Role::Cursor)), field);
        }
        (style, field)
    }

    /// Draws the rows; returns the position of the cursor.
    pub fn draw(&self, buf: &mut Buffer, area: Rect, look: &Look<'_>) -> Option<Position> {
        let mut cursor = None;
        for (line, bytes) in self.bytes.chunks(self.row.max(1)).enumerate().take(area.height as usize) {
            let y = area.y + line as u16;
            let first = self.start + (line * self.row) as u64;
            let (offset, digits) = (format!("{first:0digits$x}", digits = self.digits), safe::hex(bytes));
            let put = |buf: &mut Buffer, x: u16, text: &str, style: Style| {
                if x < area.width {
                    buf.set_stringn(area.x + x, y, text, (area.width - x) as usize, style);
                }
            };
            let has_chosen = self
                .chosen
                .is_some_and(|span| !span.is_empty() && span.start < first + bytes.len() as u64 && span.end() > first);
            put(buf, 1, &offset, look.theme.of(if has_chosen { Role::Text } else { Role::Dim }));
            for (index, byte) in bytes.iter().enumerate() {
                let at = first + index as u64;
                let (style, field) = self.style(at, look);
                let (hex, text) = self.column(index);
                put(buf, hex, digits.get(index * 2..index * 2 + 2).unwrap_or_default(), style);
                // The gap after a byte is selected where the next byte is too.
                let next =
                    self.chosen.filter(|span| span.contains(at) && span.contains(at + 1) && index + 1 < bytes.len());
                if next.is_some() && self.cursor != Some(at) {
                    let gap = if (index + 1).is_multiple_of(8) { "  " } else { " " };
                    put(buf, hex + 2, gap, look.theme.of(Role::Span));
                }
                let symbol = match byte {
                    0x20..=0x7e => str::from_utf8(std::slice::from_ref(byte)).unwrap_or_default(),
                    0 => look.glyphs.nul,
                    _ => look.glyphs.other,
                };
                let style = if field.is_some() || self.cursor == Some(at) { style } else { style.not_underlined() };
                let plain = Style { bg: if self.cursor == Some(at) { style.bg } else { None }, ..style };
                put(buf, text, symbol, plain);
                if self.cursor == Some(at) {
                    cursor = Some(Position::new(area.x + hex, y)).filter(|at| at.x < area.right());
                }
            }
        }
        cursor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::UNICODE;
    use crate::ui::theme::Theme;

    fn hex(bytes: &[u8], row: usize) -> HexDump<'_> {
        HexDump { bytes, start: 0x2e0, row, digits: 6, ..HexDump::default() }
    }

    #[test]
    fn a_row_is_a_hexyl_row() {
        let theme = Theme::default();
        let look = Look { theme: &theme, glyphs: &UNICODE, focused: true, line: 0 };
        let area = Rect::new(0, 0, 77, 1);
        let mut buf = Buffer::empty(area);
        hex(&[5, 0, 0x6f, 4, 0, 0x16, 2, 0x77, 9, 0, 0, 4, 0, 2, 0x7f, 0x16], 16).draw(&mut buf, area, &look);
        let line: String = (0..77).map(|x| buf[(x, 0)].symbol()).collect();
        assert_eq!(line.trim_end(), " 0002e0  05 00 6f 04 00 16 02 77  09 00 00 04 00 02 7f 16  •⋄o•⋄••w •⋄⋄•⋄•••");
    }

    #[test]
    fn the_mouse_finds_the_byte_by_its_digits_and_by_its_character() {
        let (bytes, area) = ([0; 32], Rect::new(0, 0, 77, 2));
        let hex = hex(&bytes, 16);
        for offset in 0..32_u16 {
            let (x, text) = hex.column(offset as usize % 16);
            for x in [x, x + 1, text] {
                assert_eq!(hex.at(Position::new(x, offset / 16), area), Some(0x2e0 + u64::from(offset)));
            }
        }
        assert_eq!(hex.at(Position::new(3, 0), area), None);
    }

    #[test]
    fn offsets_are_as_wide_as_the_largest() {
        assert_eq!(
            (offset_digits(10), offset_digits(0xff_ffff), offset_digits(0x100_0000), offset_digits(u64::MAX)),
            (2, 6, 8, 16)
        );
        assert_eq!((bytes_per_row(77), bytes_per_row(150), bytes_per_row(40)), (16, 32, 8));
    }
}
