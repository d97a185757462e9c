//! The cells of a row: their room, and their texts on one line or several.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Mark;
use crate::ui::columns::cell_area;
use crate::ui::text::{fit, set, width};
use crate::ui::theme::Look;
use crate::ui::unfolded;
use pdblens_nodes::rows::{Row, Tone};

/// The cells of room and the index of each visible column of a row.
pub(super) fn rooms(columns: &[(u16, u16, usize)], step: usize, area: Rect) -> impl Fn(&Row) -> Vec<(usize, usize)> {
    move |row| {
        let room = |column: &(u16, u16, usize)| (cell_area(row, *column, (columns, step), area).1 as usize, column.2);
        columns.iter().map(room).collect()
    }
}

/// Draws a row on as many lines as its longest text takes.
pub(super) fn draw_unfolded(
    buf: &mut Buffer,
    area: Rect,
    (y, row, mark): (u16, &Row, Mark),
    (columns, step): (&[(u16, u16, usize)], usize),
    look: &Look<'_>,
) {
    for column in columns {
        let Some(cell) = row.cells.get(column.2) else { continue };
        let hue = matches!(cell.tone, Tone::Ok | Tone::Warn | Tone::Bad) || cell.to.is_some();
        let style = mark.apply(look.theme.tone(cell.tone), look, hue);
        let (x, wide) = cell_area(row, *column, (columns, step), area);
        for (y, line) in (y..area.bottom()).zip(unfolded::cell_lines(row, column.2, wide as usize)) {
            draw_cell(buf, area, (x, y, wide), &[(line, style)], false, look);
        }
    }
}

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
        at = set(buf, at, y, &fit(text, most, look.glyphs), most, *style);
    }
}
