//! Names laid out in the width of the pane: what does not fit beside a name continues on lines below it, so that nothing is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::RANGE;
use crate::ui::cut::fit_name;
use crate::ui::glyphs::Glyphs;
use crate::ui::grid::Mark;
use crate::ui::list_filter::ListFilter;
use crate::ui::text::{put, width, wrap, wrap_anywhere};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::Row;

/// Cells between a name, its type, and where its value is.
const GAP: usize = 2;
/// The column of the types.
const TYPE: usize = 1;
/// Cells that a type that is cut needs to be worth showing.
const MIN_TYPE: usize = 8;

/// Completeness of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Name, type and place, on as many lines as they take.
    Whole,
    /// Name and place; the type only as far as the line has room.
    Short,
}

/// A text on a line, and the column of its cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedText {
    x: usize,
    column: usize,
    is_beside: bool,
    text: String,
}

impl PlacedText {
    fn new(x: usize, column: usize, text: impl Into<String>) -> Self {
        Self { x, column, is_beside: false, text: text.into() }
    }

    fn end(&self) -> usize {
        self.x + width(&self.text)
    }
}

/// The lines of a row.
pub(super) type Block = Vec<Vec<PlacedText>>;

/// Positions of the columns in a list: types and places stand under each other where they have room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stops {
    /// Cells of a line.
    wide: usize,
    types: usize,
    /// Position of the places; 0 where they follow the types.
    places: usize,
}

/// Text of a cell; empty where the row has none.
fn cell(row: &Row, column: usize) -> &str {
    row.cells.get(column).map_or("", |cell| cell.text.as_str())
}

/// Cells before the text of a row.
fn indent(row: &Row, wide: usize) -> usize {
    usize::from(row.depth).min(wide / 4)
}

/// Returns whether a row is a heading: it has no type.
fn is_heading(row: &Row) -> bool {
    cell(row, TYPE).is_empty()
}

impl Stops {
    /// The positions for the rows of a list in a pane of `wide` cells.
    pub(super) fn of<'r>(rows: &(impl Iterator<Item = &'r Row> + Clone), wide: usize) -> Self {
        // One cell for the bar in the margin, one on the right.
        let wide = wide.saturating_sub(2).max(1);
        let named = || rows.clone().filter(|row| !is_heading(row));
        let name = |row: &Row| indent(row, wide) + width(cell(row, 0));
        let names = named().map(name).filter(|name| *name <= wide * 2 / 5).max().unwrap_or(0);
        let types = names + GAP;
        let place = named().map(|row| width(cell(row, RANGE))).max().unwrap_or(0).min(wide / 3);
        let room = wide.saturating_sub(types + GAP + place);
        let longest = named().map(|row| width(cell(row, TYPE))).filter(|wide| *wide <= room).max().unwrap_or(0);
        Self { wide, types, places: if longest > 0 { types + longest + GAP } else { 0 } }
    }

    /// The lines of a row.
    pub(super) fn block(&self, row: &Row, detail: Detail, glyphs: &Glyphs) -> Block {
        let start = indent(row, self.wide);
        let mut lines: Block = Vec::new();
        let name = cell(row, 0);
        // The lines below the first are indented by one cell more.
        let room = if start + width(name) > self.wide { self.wide.saturating_sub(start + 1) } else { self.wide };
        let (words, cells) = (wrap(name, room.max(1)), wrap_anywhere(name, room.max(1)));
        for (index, text) in if cells.len() < words.len() { cells } else { words }.into_iter().enumerate() {
            lines.push(vec![PlacedText::new(start + usize::from(index > 0), 0, text)]);
        }
        if is_heading(row) {
            self.add(&mut lines, RANGE, cell(row, RANGE), (0, start + GAP));
        } else {
            self.add_details(&mut lines, row, detail, glyphs);
        }
        let beside = row.cells.first().map_or("", |cell| cell.beside.as_str());
        let end = lines.last().and_then(|line| line.last()).map_or(0, PlacedText::end);
        if let Some(line) = lines.last_mut().filter(|_| !beside.is_empty() && end + GAP + width(beside) <= self.wide) {
            line.push(PlacedText { is_beside: true, ..PlacedText::new(end + GAP, 0, beside) });
        }
        lines
    }

    fn add_details(&self, lines: &mut Block, row: &Row, detail: Detail, glyphs: &Glyphs) {
        let (type_name, place) = (cell(row, TYPE), cell(row, RANGE));
        let end = lines.last().and_then(|line| line.last()).map_or(0, PlacedText::end);
        let at = self.types.max(end + GAP);
        let room = self.wide.saturating_sub(at + GAP + width(place));
        let is_cut = detail == Detail::Short && width(type_name) > room;
        let type_name = match is_cut {
            true if room < MIN_TYPE => String::new(),
            true => fit_name(type_name, room, glyphs).into_owned(),
            false => type_name.to_owned(),
        };
        let below = self.types.min(self.wide / 3);
        self.add(lines, TYPE, &type_name, (self.types, below));
        self.add(lines, RANGE, place, (self.places, below));
    }

    /// Adds a text at the position `at`, or after what the line has; on lines from `below` on where it has no room there.
    fn add(&self, lines: &mut Block, column: usize, text: &str, (at, below): (usize, usize)) {
        let end = lines.last().and_then(|line| line.last()).map_or(0, |placed| placed.end() + GAP);
        if text.is_empty() {
            return;
        }
        let fits = |x: usize| x + width(text) <= self.wide;
        let x = if at >= end && fits(at) { at } else { end };
        if let Some(line) = lines.last_mut().filter(|_| fits(x)) {
            return line.push(PlacedText::new(x, column, text));
        }
        let wrapped = wrap(text, self.wide.saturating_sub(below).max(1));
        lines.extend(wrapped.into_iter().map(|text| vec![PlacedText::new(below, column, text)]));
    }
}

/// Draws a block from line `y` of `area` on; `hue` is the style of the range of a scope.
pub(super) fn draw(
    buf: &mut Buffer,
    (area, y): (Rect, u16),
    (row, block, mark): (&Row, &Block, Mark),
    hue: Option<Style>,
    filter: &ListFilter,
    look: &Look<'_>,
) {
    for (y, line) in (y..area.bottom()).zip(block) {
        for placed in line {
            let tone = row.cells.get(placed.column).map(|cell| cell.tone).unwrap_or_default();
            let role = if placed.is_beside { look.theme.of(Role::Mute) } else { look.theme.tone(tone) };
            let own = hue.filter(|_| placed.column == RANGE).map_or(role, |hue| role.patch(hue));
            let style = mark.apply(own, look, hue.is_some() && placed.column == RANGE);
            let x = area.x + 1 + placed.x as u16;
            put(buf, x, y, area.right(), &placed.text, style, look.glyphs);
            let cell = Rect { x, y, width: width(&placed.text) as u16, height: 1 }.intersection(area);
            filter.highlight(buf, cell, Some(placed.column), look);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::UNICODE;
    use pdblens_nodes::rows::Cell;

    fn row(depth: u8, cells: [&str; 3]) -> Row {
        Row { depth, ..Row::plain(cells.map(Cell::new).to_vec()) }
    }

    fn drawn(stops: &Stops, row: &Row, detail: Detail) -> Vec<String> {
        let line = |line: Vec<PlacedText>| {
            line.into_iter().fold(String::new(), |text, placed| {
                format!("{text}{}{}", " ".repeat(placed.x - width(&text)), placed.text)
            })
        };
        stops.block(row, detail, &UNICODE).into_iter().map(line).collect()
    }

    #[test]
    fn what_has_no_room_beside_a_name_is_below_it() {
        let rows = [
            row(1, ["sum", "int", "slot 1"]),
            row(1, ["records", "std::vector<Record, std::allocator<Record> > &", "rdx, r12"]),
            row(0, ["inlined std::vector<Record>::operator[]", "", "+0x0..+0x5a"]),
        ];
        let stops = Stops::of(&rows.iter(), 34);
        let of = |row: &Row, detail| drawn(&stops, row, detail);
        assert_eq!(of(&rows[0], Detail::Whole), [" sum      int  slot 1"]);
        assert_eq!(
            of(&rows[1], Detail::Whole),
            [
                " records",
                "          std::vector<Record,",
                "          std::allocator<Record>",
                "          > &  rdx, r12"
            ]
        );
        assert_eq!(of(&rows[1], Detail::Short), [" records  std…ord> > &  rdx, r12"]);
        assert_eq!(of(&rows[2], Detail::Whole), ["inlined", " std::vector<Record>::operator[]", "  +0x0..+0x5a"]);
    }

    #[test]
    fn no_line_is_wider_than_the_pane_and_all_of_the_text_is_there() {
        let texts = ["n", "a_long_name_of_a_variable", "Type<With, Many, Arguments>", "[frame+0x140]"];
        for wide in 12..60 {
            for (name, type_name) in texts.iter().flat_map(|name| texts.iter().map(move |other| (*name, *other))) {
                let row = row(2, [name, type_name, "[frame+0x10], rdx"]);
                let stops = Stops::of(&std::iter::once(&row), wide);
                let lines = stops.block(&row, Detail::Whole, &UNICODE);
                let room = wide.saturating_sub(2).max(1);
                assert!(
                    lines.iter().flatten().all(|placed| placed.end() <= room.max(placed.x + 1)),
                    "{wide}: {lines:?}"
                );
                let all: String = lines.into_iter().flatten().map(|placed| placed.text.replace(' ', "")).collect();
                assert_eq!(all, format!("{name}{type_name}[frame+0x10],rdx").replace(' ', ""), "{wide}");
            }
        }
    }
}
