//! A bar of segments in proportion to their lengths.
//!
//! ```text
//! headers  .text                                      .rsrc
//! ▄▄▄▄▄▄▄▄ ████████████████████████████████████████▄▄▄▄▄▄▄▄▄▄▄
//! 0        200                                        e00
//! ```
//!
//! Each segment has at least one cell while there are cells for all. The selected one is taller, so that it is visible
//! without colour; themes without colour draw each segment with a letter of its own.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};

/// A part of a bar, drawn in proportion to its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub name: String,
    /// Text below the first cell: an offset.
    pub at: String,
    /// Share of the whole, in bytes.
    pub len: u64,
    /// True if the segment is unused space.
    pub gap: bool,
}

/// The letter of a segment in themes without colour.
pub fn letter(index: usize) -> char {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
    LETTERS.get(index % LETTERS.len()).map_or('?', |letter| char::from(*letter))
}

/// Returns whether the theme has colours to tell segments apart.
pub fn has_colors(look: &Look<'_>) -> bool {
    look.theme.field(0).fg.is_some() && !look.glyphs.ascii
}

/// Distributes `cells` over lengths: at least one each while there are enough, the rest in proportion.
pub fn distribute(lens: &[u64], cells: usize) -> Vec<usize> {
    let total: u128 = lens.iter().map(|len| u128::from(*len)).sum::<u128>().max(1);
    if lens.len() > cells {
        // Too few cells: each shows the segment at its middle.
        let mut cells_of = vec![0; lens.len()];
        let (mut index, mut end) = (0, u128::from(lens.first().copied().unwrap_or(0)));
        for cell in 0..cells as u128 {
            let middle = (cell * 2 + 1) * total / (cells as u128 * 2);
            while end <= middle && index + 1 < lens.len() {
                index += 1;
                end += u128::from(lens[index]);
            }
            cells_of[index] += 1;
        }
        return cells_of;
    }
    let free = (cells - lens.len()) as u128;
    let mut cells_of: Vec<usize> = lens.iter().map(|len| 1 + (free * u128::from(*len) / total) as usize).collect();
    let mut by_rest: Vec<usize> = (0..lens.len()).collect();
    by_rest.sort_by_key(|index| std::cmp::Reverse(free * u128::from(lens[*index]) % total));
    let left = cells.saturating_sub(cells_of.iter().sum());
    for index in by_rest.into_iter().cycle().take(if lens.is_empty() { 0 } else { left }) {
        cells_of[index] += 1;
    }
    cells_of
}

/// First cell and width of each segment in a bar of `cells`.
pub fn cell_ranges(segments: &[Segment], cells: u16) -> Vec<(u16, u16)> {
    let lens: Vec<u64> = segments.iter().map(|segment| segment.len).collect();
    let mut x = 0;
    let place = |taken: usize| {
        let place = (x, taken as u16);
        x += taken as u16;
        place
    };
    distribute(&lens, cells as usize).into_iter().map(place).collect()
}

fn style(index: usize, segment: &Segment, chosen: bool, look: &Look<'_>) -> Style {
    match segment.gap {
        _ if chosen => look.theme.of(Role::Accent),
        true => look.theme.of(Role::Faint),
        false => look.theme.field(index),
    }
}

/// Draws names, bar and offsets, as many of the three as `area` has rows.
pub fn draw(buf: &mut Buffer, area: Rect, segments: &[Segment], chosen: Option<usize>, look: &Look<'_>) {
    if area.width < 3 || area.height == 0 {
        return;
    }
    let bar = Rect { x: area.x + 1, width: area.width - 2, ..area };
    let named = area.height > 1;
    let y = area.y + u16::from(named);
    let colored = has_colors(look);
    // The colour of a segment is its index among those that are no gaps.
    let mut number = 0;
    let (mut names_end, mut offsets_end) = (bar.x, bar.x);
    let places = cell_ranges(segments, bar.width);
    for (index, (segment, (from, cells))) in segments.iter().zip(places).enumerate() {
        let (x, is_chosen) = (bar.x + from, chosen == Some(index));
        let style = style(number, segment, is_chosen, look);
        let fill = match (segment.gap, colored) {
            (true, _) => look.glyphs.dot.to_owned(),
            (false, true) if is_chosen => "█".to_owned(),
            (false, true) => "▄".to_owned(),
            (false, false) if is_chosen => letter(number).to_uppercase().to_string(),
            (false, false) => letter(number).to_string(),
        };
        for cell in x..x + cells {
            buf.set_stringn(cell, y, &fill, 1, style);
        }
        let label =
            if colored || segment.gap { segment.name.clone() } else { format!("{} {}", letter(number), segment.name) };
        number += usize::from(!segment.gap);
        if cells == 0 || segment.gap && !is_chosen {
            continue;
        }
        // A name is shown only where it fits above its segment; that of the selected segment always is, and its offset.
        // A text that would extend past the right edge starts further left, at column `least` or after it.
        let from = |text: &str, least: u16| {
            let over = (width(text) as u16).saturating_sub(bar.right().saturating_sub(x));
            (x - over.min(x - bar.x)).max(least)
        };
        let fits = width(&label) < cells as usize || is_chosen;
        if named && fits && x >= names_end {
            let role = if is_chosen { Role::Accent } else { Role::Dim };
            names_end =
                put(buf, from(&label, names_end), area.y, bar.right(), &label, look.theme.of(role), look.glyphs) + 1;
        }
        let fits = width(&segment.at) < cells as usize || is_chosen;
        if area.height > 2 && fits && x >= offsets_end {
            let role = if is_chosen { Role::Text } else { Role::Mute };
            let from = from(&segment.at, offsets_end);
            offsets_end = put(buf, from, y + 1, bar.right(), &segment.at, look.theme.of(role), look.glyphs) + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::UNICODE;
    use crate::ui::theme::Theme;

    #[test]
    fn every_piece_has_a_cell_and_all_cells_are_given() {
        assert_eq!(distribute(&[128, 384, 1024, 512, 0], 20), [2, 4, 8, 5, 1]);
        assert_eq!(distribute(&[1, u64::MAX, 1], 10), [1, 8, 1]);
        assert_eq!(distribute(&[0, 0], 7).iter().sum::<usize>(), 7);
        assert_eq!(distribute(&[5; 100], 10).iter().sum::<usize>(), 10);
        assert_eq!(distribute(&[], 10), Vec::<usize>::new());
        assert_eq!(distribute(&[3], 0), [0]);
    }

    fn drawn(theme: &str, chosen: Option<usize>, last: &str) -> Vec<String> {
        let theme = Theme::named(theme).unwrap();
        let look = Look { theme: &theme, glyphs: &UNICODE, focused: true };
        let segment = |name: &str, at: &str, len, gap| Segment { name: name.into(), at: at.into(), len, gap };
        let segments = [
            segment("DOS", "0", 2, false),
            segment("gap", "2", 2, true),
            segment(".text", "4", 8, false),
            segment("x", last, 1, false),
        ];
        let area = Rect::new(0, 0, 26, 3);
        let mut buf = Buffer::empty(area);
        draw(&mut buf, area, &segments, chosen, &look);
        let line = |y| (0..26).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..3).map(line).collect()
    }

    #[test]
    fn the_chosen_piece_shows_with_and_without_colour() {
        assert_eq!(
            drawn("dark", Some(2), "c"),
            [" DOS     .text        x", " ▄▄▄▄····█████████████▄▄▄", " 0       4            c"]
        );
        assert_eq!(
            drawn("mono", Some(2), "c"),
            ["         b .text", " aaaa····BBBBBBBBBBBBBccc", " 0       4            c"]
        );
        // The offset of the selected segment is not cut at the edge.
        assert_eq!(drawn("dark", Some(3), "7e800")[2], " 0       4          7e800");
    }
}
