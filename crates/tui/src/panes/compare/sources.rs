//! Drawing of the lines of a method in two builds, beside each other.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::method::MethodPair;
use crate::ui::glyphs::BoxSides;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};
use pdblens_query::breakpoint::Sign;

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
            let breakpoint = at.and_then(|at| pair.sides[build].signs.get(at)).copied().flatten();
            let (dot, dot_role) = breakpoint_sign(breakpoint, look);
            let x = put(buf, x, y, side.right(), dot, mark.apply(look.theme.of(dot_role), look, true), look.glyphs);
            let style = mark.apply(look.theme.of(role), look, true);
            let x = put(buf, x, y, side.right(), sign, style, look.glyphs) + 1;
            put(buf, x, y, side.right(), text, mark.apply(look.theme.of(Role::Text), look, true), look.glyphs);
        }
    }
}

/// Sign of a breakpoint on a line, and its role.
fn breakpoint_sign(sign: Option<Sign>, look: &Look<'_>) -> (&'static str, Role) {
    let role = match sign {
        Some(Sign::Stops) => Role::Ok,
        Some(Sign::Moves | Sign::Setting) => Role::Faint,
        Some(Sign::Never) | None => Role::Mute,
    };
    (sign.map_or(" ", |sign| look.glyphs.breakpoint(sign)), role)
}
