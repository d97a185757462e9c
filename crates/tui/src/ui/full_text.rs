//! The full text of the cursor row, where the width of its columns cuts it: drawn over other rows, never over its own.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::ui::columns::{clip, is_extended, room_of};
use crate::ui::text::{put, set_style, width, wrap_anywhere, wrap_head};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::{Row, Rows};

/// The cells of `row` that are cut or not visible, each with the name of its column; `columns` are x offset, width and index of those
/// that are visible.
pub(super) fn cut_cells(
    row: &Row,
    rows: &Rows<'_>,
    columns: &[(u16, u16, usize)],
    area: Rect,
    look: &Look<'_>,
) -> Vec<String> {
    let room = |column: usize| match columns.iter().find(|(.., index)| *index == column) {
        Some((x, ..)) if is_extended(row, column, columns) => area.width.saturating_sub(x + 1) as usize,
        Some(own) => room_of(row, *own, columns) as usize,
        None => 0,
    };
    let cut = row.cells.iter().enumerate().filter(|(column, cell)| {
        let indent = if *column == 0 { row.depth as usize * 2 } else { 0 };
        let details = if cell.beside.is_empty() { 0 } else { width(clip(&cell.beside)) + 1 };
        let is_in_title = rows.hidden.contains(column);
        !is_in_title
            && !cell.text.is_empty()
            && width(clip(&cell.text)) + details > room(*column).saturating_sub(indent)
    });
    cut.map(|(column, cell)| {
        let head = rows.columns.get(column).map_or("", |head| head.name);
        // The symbols of a tree are no part of the text.
        let text = cell.text.trim_start();
        let text =
            [look.glyphs.open, look.glyphs.closed].iter().find_map(|sign| text.strip_prefix(sign)).unwrap_or(text);
        let colon = if head.is_empty() { "" } else { ": " };
        format!("{head}{colon}{} {}", text.trim_start(), cell.beside)
    })
    .collect()
}

/// Rows at the top of the screen that stay: the tabs and the breadcrumb.
const KEPT_ABOVE: u16 = 2;

/// As much of a text as a large screen has room for.
fn longest(text: &str) -> &str {
    const MAX_CHARS: usize = 10_000;
    text.char_indices().nth(MAX_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// Texts in lines of a width without regard to words, up to one more than `most` of them.
fn letters_in(texts: &[String], wide: usize, most: usize) -> Vec<String> {
    texts.iter().flat_map(|text| wrap_anywhere(longest(text.trim_end()), wide)).take(most + 1).collect()
}

/// Draws `texts` at the bottom of `list`, the area of the rows, or at its top where the row at `cursor` would be covered; a text for
/// which it has no room is drawn above the pane, whose rule is at `rule`, over the panes there.
pub fn draw(buf: &mut Buffer, (mut list, rule): (Rect, u16), cursor: u16, texts: &[String], look: &Look<'_>) {
    let wide = list.width.saturating_sub(3) as usize;
    let mut lines: Vec<String> = texts.iter().flat_map(|text| wrap_head(text, wide)).collect();
    let (above, below) = (cursor.saturating_sub(list.y), list.bottom().saturating_sub(cursor + 1));
    let on_top = (below as usize) < lines.len() && above > below;
    let mut room = if on_top { above } else { below } as usize;
    let beyond = usize::from(rule.saturating_sub(KEPT_ABOVE));
    if lines.is_empty() || wide == 0 {
        return;
    }
    if lines.len() > room {
        // Without regard to words there may be room for all of it; else over the panes on the left too, which are drawn before.
        let most = room.max(beyond);
        lines = letters_in(texts, wide, most);
        if lines.len() > most && list.x > 0 {
            list = Rect { x: 0, width: list.right(), ..list };
            lines = letters_in(texts, list.width.saturating_sub(3) as usize, most);
        }
        if lines.len() > most {
            let wide = list.width.saturating_sub(3) as usize;
            let parts = on_both_sides(texts, wide, (above, below));
            // As the last resort, without a line of its own for each.
            let parts = parts.or_else(|| on_both_sides(&[texts.join("  ")], wide, (above, below)));
            if let Some([first, others]) = parts {
                let upper = Rect { y: cursor - first.len() as u16, height: first.len() as u16, ..list };
                draw_lines(buf, upper, &first, look);
                draw_lines(buf, Rect { y: cursor + 1, height: others.len() as u16, ..list }, &others, look);
                return;
            }
        }
    }
    let is_beyond = lines.len() > room && beyond > room;
    if is_beyond {
        room = beyond;
    }
    if room == 0 {
        return;
    }
    if lines.len() > room {
        lines.truncate(room);
        lines.last_mut().into_iter().for_each(|last| last.push_str(look.glyphs.more));
    }
    let height = lines.len() as u16;
    let y = match on_top {
        _ if is_beyond => rule - height,
        true => list.y,
        false => list.bottom() - height,
    };
    draw_lines(buf, Rect { y, height, ..list }, &lines, look);
}

/// The lines that texts have above the row of the cursor and below it: each text in one of both, where there is room for that.
/// `None` if there is no room for all lines.
fn on_both_sides(texts: &[String], wide: usize, (above, below): (u16, u16)) -> Option<[Vec<String>; 2]> {
    let (above, below) = (above.into(), below.into());
    let lines = |texts: &[String], room: usize| Some(letters_in(texts, wide, room)).filter(|lines| lines.len() <= room);
    let apart = (1..texts.len()).rev().find_map(|count| {
        let (first, others) = texts.split_at_checked(count)?;
        Some([lines(first, above)?, lines(others, below)?])
    });
    apart.or_else(|| {
        let mut first = lines(texts, above + below)?;
        let others = first.split_off(first.len().saturating_sub(below));
        Some([first, others])
    })
}

fn draw_lines(buf: &mut Buffer, area: Rect, lines: &[String], look: &Look<'_>) {
    Clear.render(area, buf);
    set_style(buf, area, look.theme.of(Role::Popup));
    let text = look.theme.of(Role::Popup).patch(look.theme.of(Role::Text));
    let edge = look.theme.of(Role::Popup).patch(look.theme.of(Role::Accent));
    for (y, line) in (area.y..).zip(lines) {
        put(buf, area.x, y, area.right(), look.glyphs.full_text, edge, look.glyphs);
        put(buf, area.x + 2, y, area.right(), line, text, look.glyphs);
    }
}
