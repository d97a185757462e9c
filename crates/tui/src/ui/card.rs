//! Parts of a screen that answers a question: the card with the answer, the strip below numbers that add up, the rule above a part.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::glyphs::BoxSides;
use crate::ui::page_cells::has_colors;
use crate::ui::shares::distribute;
use crate::ui::text::{fits, put, width, wrap};
use crate::ui::theme::{Look, Role, opaque};

/// Cells of a card that are not text.
const MARGINS: u16 = 5;

/// Lines of a card of a width: the answer, then other texts on two lines at most, the second of which has the rest.
pub(crate) fn lines(texts: &[String], wide: u16) -> Vec<String> {
    let Some((answer, others)) = texts.split_first() else { return Vec::new() };
    let room = usize::from(wide.saturating_sub(MARGINS).max(1));
    let wrapped = others.iter().flat_map(|text| {
        let mut lines = if fits(text, room) { vec![text.clone()] } else { wrap(text, room) };
        let rest = lines.split_off(lines.len().min(1)).join(" ");
        lines.into_iter().chain((!rest.is_empty()).then_some(rest))
    });
    std::iter::once(answer.clone()).chain(wrapped).collect()
}

/// Draws a card with a bar at its left: the sign of the verdict in the role `sign`, and lines.
pub(crate) fn draw(
    buf: &mut Buffer,
    area: Rect,
    (ground, sign, role): (Role, &str, Role),
    lines: &[(&str, Role)],
    look: &Look<'_>,
) {
    buf.set_style(area, look.theme.of(ground));
    for (line, y) in (area.y..area.bottom()).enumerate() {
        let x = put(buf, area.x, y, area.right(), look.glyphs.bar, look.theme.of(Role::Accent), look.glyphs);
        if line == 0 {
            put(buf, x + 1, y, area.right(), sign, look.theme.of(role), look.glyphs);
        }
        if let Some((text, role)) = lines.get(line) {
            put(buf, x + 3, y, area.right(), text, look.theme.of(*role), look.glyphs);
        }
    }
}

/// Draws numbers as parts of a bar, each with its label unless that is empty.
pub(crate) fn strip(buf: &mut Buffer, area: Rect, parts: &[(u64, &str, Role)], look: &Look<'_>) {
    let fills = ["#", "=", "-", "."];
    let parts: Vec<_> = parts.iter().zip(fills).filter(|((number, ..), _)| *number > 0).collect();
    let lens: Vec<u64> = parts.iter().map(|((number, ..), _)| *number).collect();
    if area.is_empty() || lens.is_empty() {
        return;
    }
    let (mut x, shown) = (area.x, parts.into_iter().zip(distribute(&lens, area.width.into())));
    for (((number, label, role), fill), cells) in shown {
        let (end, style) = (x + cells as u16, look.theme.of(*role));
        let fill = match has_colors(look) {
            true if label.is_empty() => look.glyphs.span,
            true => " ",
            false => fill,
        };
        for at in x..end {
            buf.set_stringn(at, area.y, fill, 1, style);
        }
        let long = format!("{label} {number} ");
        let text = if width(&long) <= cells { long } else { number.to_string() };
        if !label.is_empty() && width(&text) <= cells {
            put(buf, x, area.y, end, &text, style.patch(look.theme.of(Role::Text)), look.glyphs);
        }
        x = end;
    }
}

/// Draws a rule with a title at its left, a heavy one above the part with the cursor.
pub(crate) fn rule(buf: &mut Buffer, area: Rect, title: &str, of: &str, is_heavy: bool, look: &Look<'_>) {
    let sides = BoxSides::LEFT | BoxSides::RIGHT;
    let (sides, line, name) = match is_heavy {
        true => (sides | BoxSides::HEAVY_LEFT | BoxSides::HEAVY_RIGHT, Role::Accent, Role::Accent),
        false => (sides, Role::Faint, Role::Strong),
    };
    for x in area.x..area.right() {
        if let Some(cell) = buf.cell_mut((x, area.y)) {
            cell.set_char(look.glyphs.box_char(sides)).set_style(look.theme.of(line));
        }
    }
    let mut x = area.x + 1;
    for (text, role) in [(title, name), (of, Role::Dim)].into_iter().filter(|(text, _)| !text.is_empty()) {
        x = put(buf, x, area.y, area.right(), &format!(" {text} "), opaque(look.theme.of(role)), look.glyphs);
    }
}
