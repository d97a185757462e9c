//! The names of the columns above a grid.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw_cell;
use crate::ui::columns::Columns;
use crate::ui::text::put;
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::Rows;

/// Draws the names of the columns, with a sign at the right edge where there are more columns than fit.
pub(super) fn draw(buf: &mut Buffer, area: Rect, rows: &Rows<'_>, columns: &Columns, look: &Look<'_>) {
    let mute = look.theme.of(Role::Mute);
    for column in &columns.list {
        let Some(head) = rows.columns.get(column.index) else { continue };
        draw_cell(buf, area, (column.x, area.y, column.wide), &[(head.name.to_owned(), mute)], head.right, look);
    }
    let last = columns.list.last().map_or(0, |column| column.index + 1);
    let mut left_out = rows.columns.iter().enumerate().skip(last);
    if left_out.any(|(column, head)| rows.draws(column) && !head.name.is_empty()) && area.width > 0 {
        put(buf, area.right() - 1, area.y, area.right(), look.glyphs.leads, mute, look.glyphs);
    }
}
