//! The legend of a page map: in a small area without shares, and with less room between its parts, so that all of them fit.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::ui::text::{put, width};
use crate::tui::ui::theme::{Look, Role};

/// A sign, its style, its meaning, and its share of the pages, which may be empty.
pub(super) type LegendItem = (String, Style, String, String);

/// The text of an item, and the gaps after its sign and after itself.
#[derive(Clone, Copy)]
struct Density {
    has_shares: bool,
    inner: u16,
    outer: u16,
}

const DENSITIES: [Density; 3] = [
    Density { has_shares: true, inner: 1, outer: 3 },
    Density { has_shares: false, inner: 1, outer: 2 },
    Density { has_shares: false, inner: 0, outer: 1 },
];

/// Positions of the items in rows of a width: x offset and row of each, and its text.
fn places(items: &[LegendItem], wide: u16, density: Density) -> Vec<(u16, u16, String)> {
    let (mut x, mut row) = (0, 0);
    let place = |(sign, _, what, share): &LegendItem| {
        let text = if density.has_shares && !share.is_empty() { format!("{what} {share}") } else { what.clone() };
        let own = width(sign) as u16 + density.inner + width(&text) as u16;
        if x > 0 && x + own > wide {
            (x, row) = (0, row + 1);
        }
        let at = (x, row, text);
        x += own + density.outer;
        at
    };
    items.iter().map(place).collect()
}

/// Draws as much of the legend as there is space for.
pub(super) fn draw(buf: &mut Buffer, area: Rect, items: &[LegendItem], look: &Look<'_>) {
    let wide = area.width.saturating_sub(1);
    let fits = |density: &Density| places(items, wide, *density).iter().all(|(_, row, _)| *row < area.height);
    let [.., last] = DENSITIES;
    let density = DENSITIES.into_iter().find(fits).unwrap_or(last);
    for ((x, row, text), (sign, style, ..)) in places(items, wide, density).iter().zip(items) {
        let (x, y) = (area.x + 1 + x, area.y + row);
        if y >= area.bottom() {
            break;
        }
        let x = put(buf, x, y, area.right(), sign, *style, look.glyphs) + density.inner;
        put(buf, x, y, area.right(), text, look.theme.of(Role::Mute), look.glyphs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_legend_leaves_out_shares_before_items() {
        let item =
            |sign: &str, what: &str, share: &str| (sign.to_owned(), Style::new(), what.to_owned(), share.to_owned());
        let items = [item("#", "modules", "58 %"), item("#", "types", "27 %"), item("=", "directory", "")];
        let texts = |wide, density: Density| {
            places(&items, wide, density).into_iter().map(|(_, row, text)| (row, text)).collect::<Vec<_>>()
        };
        let seen = |text: &str, row: u16| (row, text.to_owned());
        let [full, short, tight] = DENSITIES;
        assert_eq!(texts(47, full), [seen("modules 58 %", 0), seen("types 27 %", 0), seen("directory", 0)]);
        assert_eq!(texts(28, full), [seen("modules 58 %", 0), seen("types 27 %", 1), seen("directory", 1)]);
        assert_eq!(texts(31, short), [seen("modules", 0), seen("types", 0), seen("directory", 0)]);
        assert_eq!(texts(26, tight), [seen("modules", 0), seen("types", 0), seen("directory", 0)]);
    }
}
