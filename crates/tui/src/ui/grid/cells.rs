//! The cells of a row: their texts on one line or several.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Mark;
use crate::ui::columns::Columns;
use crate::ui::text::{fit, width};
use crate::ui::theme::Look;
use crate::ui::unfolded;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Row, Tone};

/// Returns true if a cell leads to a row of its own. Nearly every cell of a table links to a heap: marking all would mark none.
pub(crate) fn is_link(cell: &Cell) -> bool {
    cell.to.is_some_and(|to| !matches!(to, Place::HeapEntry(..)))
}

/// Draws a row on as many lines as its longest text takes.
pub(super) fn draw_unfolded(
    buf: &mut Buffer,
    area: Rect,
    (y, row, mark): (u16, &Row, Mark),
    columns: &Columns,
    look: &Look<'_>,
) {
    for column in &columns.list {
        let Some(cell) = row.cells.get(column.index) else { continue };
        let hue = matches!(cell.tone, Tone::Ok | Tone::Warn | Tone::Bad) || cell.to.is_some();
        let style = mark.apply(look.theme.tone(cell.tone), look, hue);
        let (x, wide) = columns.cell_area(row, *column);
        for (y, line) in (y..area.bottom()).zip(unfolded::cell_lines(row, column.index, wide as usize)) {
            draw_cell(buf, area, (x, y, wide), &[(line, style)], false, look);
        }
    }
}

/// Draws the parts of a text in a cell of `(x, y, wide)`.
pub(super) fn draw_cell(
    buf: &mut Buffer,
    area: Rect,
    (x, y, wide): (u16, u16, u16),
    parts: &[(String, Style)],
    right: bool,
    look: &Look<'_>,
) {
    let end = area.x + (x + wide).min(area.width);
    let mut at = area.x + x;
    if right {
        let taken: usize = parts.iter().map(|(text, _)| width(text)).sum();
        at += wide.saturating_sub(taken as u16);
    }
    for (text, style) in parts {
        if at >= end {
            break;
        }
        let most = (end - at) as usize;
        at = buf.set_stringn(at, y, fit(text, most, look.glyphs), most, *style).0;
    }
}
