//! The names of the columns above a grid.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw_cell;
use crate::ui::text::put;
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::Rows;

/// Draws the names of the columns, with a sign at the right edge where there are more columns than fit.
pub(super) fn draw(buf: &mut Buffer, area: Rect, rows: &Rows<'_>, columns: &[(u16, u16, usize)], look: &Look<'_>) {
    let mute = look.theme.of(Role::Mute);
    for (x, wide, index) in columns {
        let Some(head) = rows.columns.get(*index) else { continue };
        draw_cell(buf, area, (*x, area.y, *wide), &[(head.name.to_owned(), mute)], head.right, look);
    }
    let last = columns.last().map_or(0, |(.., index)| index + 1);
    let mut left_out = rows.columns.iter().enumerate().skip(last);
    if left_out.any(|(column, head)| rows.draws(column) && !head.name.is_empty()) && area.width > 0 {
        put(buf, area.right() - 1, area.y, area.right(), look.glyphs.leads, mute, look.glyphs);
    }
}
