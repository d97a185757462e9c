//! Drawing of the lines of a method in two builds, beside each other.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::method::MethodPair;
use crate::ui::glyphs::BoxSides;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::page_cells::has_colors;
use crate::ui::shares::distribute;
use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};
use pdblens_query::breakpoint::Verdict;

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
            let (sign, role, ground) = match lines {
                _ if is_same => (" ", Role::Text, Role::Text),
                (Some(_), Some(_)) => ("~", Role::Warn, Role::Changed),
                (Some(_), None) => ("-", Role::Bad, Role::Removed),
                _ => ("+", Role::Ok, Role::Added),
            };
            let is_selected = selected[build].is_some_and(|(from, to)| (from..=to).contains(number));
            let mark = if is_selected { Mark::Related } else { Mark::None };
            if !is_same {
                buf.set_style(side, look.theme.of(ground));
            }
            fill_row(buf, side, mark, look);
            let digits = width(&pair.sides[build].lines.last().map_or(0, |(last, _)| *last).to_string()).max(3);
            let dim = mark.apply(look.theme.of(Role::Dim), look, true);
            let number = format!("{number:>digits$} ");
            let x = put(buf, side.x + 1, y, side.right(), &number, dim, look.glyphs);
            let verdict = at.and_then(|at| pair.sides[build].verdicts.get(at)).copied();
            let (dot, dot_role) = dot(verdict, look);
            let x = put(buf, x, y, side.right(), dot, mark.apply(look.theme.of(dot_role), look, true), look.glyphs);
            let style = mark.apply(look.theme.of(role), look, true);
            let x = put(buf, x, y, side.right(), sign, style, look.glyphs) + 1;
            put(buf, x, y, side.right(), text, mark.apply(look.theme.of(Role::Text), look, true), look.glyphs);
        }
    }
}

/// Sign of the verdict on a line.
fn dot(verdict: Option<Verdict>, look: &Look<'_>) -> (&'static str, Role) {
    let role = match verdict {
        Some(Verdict::Binds) => Role::Ok,
        Some(Verdict::Moves(_)) => Role::Faint,
        Some(Verdict::Hollow) | None => Role::Mute,
    };
    (verdict.map_or(" ", |verdict| look.glyphs.verdict(verdict)), role)
}

/// Draws numbers as parts of a bar, each with its label; the first is of what differs.
pub(super) fn strip(buf: &mut Buffer, area: Rect, parts: &[(u64, &str, Role)], look: &Look<'_>) {
    let lens: Vec<u64> = parts.iter().map(|(number, ..)| *number).collect();
    if area.is_empty() || lens.iter().all(|len| *len == 0) {
        return;
    }
    let fill = if has_colors(look) { [" ", " ", " "] } else { ["#", "=", "-"] };
    let (mut x, shown) = (area.x, parts.iter().zip(distribute(&lens, area.width.into())).zip(fill));
    for (((number, label, role), cells), fill) in shown {
        if *number == 0 {
            continue;
        }
        let (end, style) = (x + cells as u16, look.theme.of(*role));
        for at in x..end {
            buf.set_stringn(at, area.y, fill, 1, style);
        }
        let long = format!("{label} {number} ");
        let text = if width(&long) <= cells { long } else { number.to_string() };
        if width(&text) <= cells {
            put(buf, x, area.y, end, &text, style.patch(look.theme.of(Role::Text)), look.glyphs);
        }
        x = end;
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
