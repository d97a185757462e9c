//! The full text of the cursor row, where the width of its columns cuts it: drawn in lines of details over other rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::ui::columns::{Columns, full_width};
use crate::ui::text::{put, start_within, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::{Row, Rows};
use pdblens_session::text::safe::visible;

/// Rows at the top of the screen that stay: the tabs and the breadcrumb.
const KEPT_ABOVE: u16 = 2;
/// Cells of a line that are not text: the sign, the space after it, and the right margin.
const MARGINS: u16 = 3;

/// Bytes of a text that are looked at: more than a screen has cells for.
const MAX_TEXT: usize = 1 << 20;

/// The cells of `row` that are cut or not visible where it is drawn as `drawn`, each with the name of its column.
pub(super) fn cut_cells(row: &Row, drawn: &Row, rows: &Rows<'_>, columns: &Columns, look: &Look<'_>) -> Vec<String> {
    let rooms = columns.rooms(row);
    let mut texts = Vec::new();
    for (column, (cell, drawn)) in row.cells.iter().zip(&drawn.cells).enumerate() {
        let room = rooms.iter().find(|(_, index)| *index == column).map_or(0, |(room, _)| *room);
        let is_in_title = rows.hidden.contains(&column);
        if is_in_title || cell.text.is_empty() || full_width(drawn) <= room {
            continue;
        }
        let head = rows.columns.get(column).map_or("", |head| head.name);
        // The symbols of a tree are no part of the text.
        let text = cell.text[..cell.text.floor_char_boundary(MAX_TEXT)].trim_start();
        let signs = [look.glyphs.open, look.glyphs.closed];
        let text = signs.iter().find_map(|sign| text.strip_prefix(sign)).unwrap_or(text).trim_start();
        let colon = if head.is_empty() { "" } else { ": " };
        texts.push(format!("{head}{colon}{text} {}", cell.beside));
    }
    texts
}

/// Draws `texts` over the rows of `list`: below the row at `cursor`, which has `height` lines, or above it, where there is room for that;
/// longer texts over the panes above, whose last line is above `rule`, or on both sides of the row and over the panes on the left, which
/// are drawn before. Only a text that has no room anywhere is cut.
pub fn draw(
    buf: &mut Buffer,
    (list, rule): (Rect, u16),
    (cursor, height): (u16, u16),
    texts: &[String],
    look: &Look<'_>,
) {
    if texts.is_empty() || list.width <= MARGINS {
        return;
    }
    let top = KEPT_ABOVE.min(rule);
    let wide = Rect { x: 0, width: list.right(), ..list };
    // No more of a long text is looked at than the screen has room for, at most four bytes a cell.
    let most = usize::from(wide.width) * usize::from(list.bottom()) * 4;
    let texts: Vec<&str> = texts.iter().map(|text| &text[..text.floor_char_boundary(most)]).collect();
    let of_lines = |area: Rect, y: u16, end: u16| Rect { y, height: end.saturating_sub(y), ..area };
    let (below, above) = (of_lines(list, cursor + height, list.bottom()), of_lines(list, list.y, cursor));
    let lines = |area: Rect| {
        let room = usize::from(area.width.saturating_sub(MARGINS));
        texts.iter().flat_map(|text| wrap(text, room)).collect::<Vec<String>>()
    };
    for area in [below, above, of_lines(list, top, rule), of_lines(wide, top, rule)] {
        let lines = lines(area);
        if lines.len() <= usize::from(area.height) {
            let y = if area == above { area.y } else { area.bottom() - lines.len() as u16 };
            return draw_lines(buf, Rect { y, height: lines.len() as u16, ..area }, &lines, look);
        }
    }
    let mut lines = packed(&texts.join("  "), usize::from(wide.width - MARGINS));
    let room = usize::from(above.height + below.height);
    if lines.len() > room {
        lines.truncate(room);
        lines.last_mut().into_iter().for_each(|last| last.push_str(look.glyphs.more));
    }
    let (upper, lower) = lines.split_at(lines.len().saturating_sub(below.height.into()));
    let y = cursor - upper.len() as u16;
    draw_lines(buf, Rect { y, height: upper.len() as u16, ..wide }, upper, look);
    let y = list.bottom() - lower.len() as u16;
    draw_lines(buf, Rect { y, height: lower.len() as u16, ..wide }, lower, look);
}

/// Lines of a width, without regard to words.
fn packed(text: &str, wide: usize) -> Vec<String> {
    let text = visible(text);
    let (mut lines, mut rest) = (Vec::new(), &*text);
    loop {
        let line = start_within(rest, wide);
        if line.is_empty() {
            return lines;
        }
        lines.push(line.to_owned());
        rest = &rest[line.len()..];
    }
}

fn draw_lines(buf: &mut Buffer, area: Rect, lines: &[String], look: &Look<'_>) {
    Clear.render(area, buf);
    buf.set_style(area, look.theme.of(Role::Popup));
    let text = look.theme.of(Role::Popup).patch(look.theme.of(Role::Text));
    let edge = look.theme.of(Role::Popup).patch(look.theme.of(Role::Accent));
    for (y, line) in (area.y..).zip(lines) {
        put(buf, area.x, y, area.right(), look.glyphs.full_text, edge, look.glyphs);
        put(buf, area.x + 2, y, area.right(), line, text, look.glyphs);
    }
}
