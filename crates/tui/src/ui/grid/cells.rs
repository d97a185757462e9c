//! The cells of a row: their texts on one line or several.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Mark;
use crate::ui::columns::Columns;
use crate::ui::text::{fit, fit_path, put, width};
use crate::ui::theme::{Look, Role};
use crate::ui::unfolded;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Heading, Row, Rows, Tone};

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

/// Returns true if the names of the columns that are drawn in an area end with the sign of more.
pub(crate) fn leaves_out(buf: &Buffer, area: Rect, look: &Look<'_>) -> bool {
    !area.is_empty() && buf[(area.right() - 1, area.y)].symbol() == look.glyphs.leads
}

/// Draws the heading of a group on the first line of an area from a cell on; the outermost has level 0.
pub(super) fn draw_heading(buf: &mut Buffer, area: Rect, (level, heading): (usize, &Heading), x: u16, look: &Look<'_>) {
    let role = if level == 0 { Role::Strong } else { Role::Text };
    let name = fit_path(&heading.name, usize::from(area.width.saturating_sub(x + 1)), look.glyphs);
    let at = put(buf, area.x + x, area.y, area.right(), &name, look.theme.of(role), look.glyphs);
    let room = usize::from(area.right().saturating_sub(at + 3));
    if width(&heading.detail) <= room {
        put(buf, at + 2, area.y, area.right(), &heading.detail, look.theme.of(Role::Dim), look.glyphs);
    }
}
