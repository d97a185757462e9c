//! The cells of a row: their texts on one line or several.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Mark;
use crate::ui::columns::Columns;
use crate::ui::text::{fit, put, width};
use crate::ui::theme::{Look, Role};
use crate::ui::unfolded;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Row, Rows, Tone};

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

/// Draws the names of the columns, with a sign at the right edge where there are more columns than fit.
pub(super) fn draw_head(buf: &mut Buffer, area: Rect, rows: &Rows<'_>, columns: &Columns, look: &Look<'_>) {
    let mute = look.theme.of(Role::Mute);
    for column in &columns.list {
        let Some(head) = rows.columns.get(column.index) else { continue };
        draw_cell(buf, area, (column.x, area.y, column.wide), &[(head.name.to_owned(), mute)], head.right, look);
    }
    let is_drawn = |index: usize| columns.list.iter().any(|column| column.index == index);
    let mut heads = rows.columns.iter().enumerate();
    let is_left_out = heads.any(|(column, head)| rows.draws(column) && !head.name.is_empty() && !is_drawn(column));
    if is_left_out && area.width > 0 {
        put(buf, area.right() - 1, area.y, area.right(), look.glyphs.leads, mute, look.glyphs);
    }
}

/// Draws the heading of a group on the first line of an area, with the number of its visible rows.
pub(super) fn draw_heading(buf: &mut Buffer, area: Rect, (name, visible): (&str, usize), look: &Look<'_>) {
    let at = put(buf, area.x + 1, area.y, area.right(), name, look.theme.of(Role::Strong), look.glyphs);
    let visible = format!(" {} {visible}", look.glyphs.dot);
    put(buf, at, area.y, area.right(), &visible, look.theme.of(Role::Dim), look.glyphs);
}
