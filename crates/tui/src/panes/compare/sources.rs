//! Drawing of the lines of a method in two builds, beside each other.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::method::MethodPair;
use crate::ui::glyphs::BoxSides;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};

/// Draws the lines from `first` on; lines of `selected`, first and last of each build, are marked.
pub(super) fn draw(
    buf: &mut Buffer,
    area: Rect,
    pair: &MethodPair,
    first: usize,
    selected: [Option<(u32, u32)>; 2],
    look: &Look<'_>,
) {
    if area.is_empty() {
        return;
    }
    let half = area.width.saturating_sub(1) / 2;
    let faint = look.theme.of(Role::Faint);
    for (y, lines) in (area.y..area.bottom()).zip(pair.lines.iter().skip(first)) {
        let is_same = pair.is_same(*lines);
        if let Some(cell) = buf.cell_mut((area.x + half, y)) {
            cell.set_char(look.glyphs.box_char(BoxSides::VERTICAL)).set_style(faint);
        }
        for (build, at) in [lines.0, lines.1].into_iter().enumerate() {
            let x = if build == 0 { area.x } else { area.x + half + 1 };
            let side = Rect { x, y, width: if build == 0 { half } else { area.right() - x }, height: 1 };
            let Some((number, text)) = at.and_then(|at| pair.sides[build].lines.get(at)) else { continue };
            let (sign, role) = match lines {
                _ if is_same => (" ", Role::Text),
                (Some(_), Some(_)) => ("~", Role::Warn),
                (Some(_), None) => ("-", Role::Bad),
                _ => ("+", Role::Ok),
            };
            let is_selected = selected[build].is_some_and(|(from, to)| (from..=to).contains(number));
            let mark = if is_selected { Mark::Related } else { Mark::None };
            fill_row(buf, side, mark, look);
            let digits = width(&pair.sides[build].lines.last().map_or(0, |(last, _)| *last).to_string()).max(3);
            let head = format!(" {number:>digits$} {sign} ");
            let style = mark.apply(look.theme.of(Role::Dim), look, true);
            let x = put(
                buf,
                side.x + u16::from(is_selected),
                y,
                side.right(),
                head.get(usize::from(is_selected)..).unwrap_or_default(),
                style,
                look.glyphs,
            );
            put(buf, x, y, side.right(), text, mark.apply(look.theme.of(role), look, true), look.glyphs);
        }
    }
}

/// Draws a thin rule with a title at its left.
pub(super) fn rule(buf: &mut Buffer, area: Rect, title: &str, of: &str, look: &Look<'_>) {
    let faint = look.theme.of(Role::Faint);
    let line = look.glyphs.box_char(BoxSides::LEFT | BoxSides::RIGHT);
    for x in area.x..area.right() {
        if let Some(cell) = buf.cell_mut((x, area.y)) {
            cell.set_char(line).set_style(faint);
        }
    }
    let x = put(buf, area.x + 1, area.y, area.right(), &format!(" {title} "), look.theme.of(Role::Strong), look.glyphs);
    if !of.is_empty() {
        put(buf, x, area.y, area.right(), &format!(" {of} "), look.theme.of(Role::Dim), look.glyphs);
    }
}
