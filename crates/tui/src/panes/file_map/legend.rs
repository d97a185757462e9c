//! The legend of a page map: in a small area without shares, and with less room between its parts, so that all of them fit.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};

/// A sign, its style, its meaning, which is empty where the sign is a word, and its share of the pages, which may be empty.
pub(super) type LegendItem = (String, Style, String, String);

/// The text of an item, and the gaps after its sign and after itself.
#[derive(Clone, Copy)]
struct Density {
    has_shares: bool,
    inner: u16,
    outer: u16,
}

impl Density {
    /// The gap after a sign: at least a cell after a letter or digit that the text does not begin with, as in `sb superblock`.
    fn gap(self, (sign, _, what, _): &LegendItem, text: &str) -> u16 {
        let is_word = sign.ends_with(char::is_alphanumeric) && !what.starts_with(sign.as_str());
        if text.is_empty() { 0 } else { self.inner.max(u16::from(is_word)) }
    }
}

const DENSITIES: [Density; 3] = [
    Density { has_shares: true, inner: 1, outer: 3 },
    Density { has_shares: false, inner: 1, outer: 2 },
    Density { has_shares: false, inner: 0, outer: 1 },
];

/// Positions of the items in rows of a width: x offset and row of each, and its text.
fn places(items: &[LegendItem], wide: u16, density: Density) -> Vec<(u16, u16, String)> {
    let (mut x, mut row) = (0, 0);
    let place = |item: &LegendItem| {
        let (sign, _, what, share) = item;
        let text = if density.has_shares { format!("{what} {share}") } else { what.clone() };
        // Without gaps, a letter is not repeated: `modules`, not `mmodules`.
        let rest = if density.inner == 0 { text.strip_prefix(sign.as_str()) } else { None };
        let text = rest.unwrap_or(&text).trim().to_owned();
        let own = width(sign) as u16 + density.gap(item, &text) + width(&text) as u16;
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
    for ((x, row, text), item) in places(items, wide, density).iter().zip(items) {
        let (sign, style, ..) = item;
        let (x, y) = (area.x + 1 + x, area.y + row);
        if y >= area.bottom() {
            break;
        }
        let x = put(buf, x, y, area.right(), sign, *style, look.glyphs) + density.gap(item, text);
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
        // A sign of letters is followed by a space.
        let next = |first: LegendItem, density: Density| places(&[first, items[1].clone()], 80, density)[1].0;
        let signs = [item("#", "superblock", ""), item("sb", "superblock", ""), item("types", "", "")];
        assert_eq!(signs.map(|first| next(first, tight)), [12, 14, 6]);
        assert_eq!(next(item("types", "", "9 %"), full), 12);
        // The first letter of a word is not repeated.
        let letters = [item("m", "modules", ""), item("A", "chosen", "")];
        assert_eq!(places(&letters, 80, tight), [(0, 0, "odules".to_owned()), (8, 0, "chosen".to_owned())]);
        let gaps = [(tight, 0), (tight, 1), (short, 0)].map(|(density, at)| density.gap(&letters[at], "x"));
        assert_eq!(gaps, [0, 1, 1]);
    }
}
