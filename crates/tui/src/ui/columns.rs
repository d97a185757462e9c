//! Widths and positions of the columns of a grid.
//!
//! The name comes first: it has its natural width, as far as that leaves the other columns two fifths of the room. Then whole columns go,
//! from the last one up, until each that is left has what makes it worth showing; numbers are never cut, and the column of the cursor
//! stays. What remains goes to short texts, to the name, to the other texts in the order of their columns, then to the details beside them.
//!
//! In a tree the names have their natural width before all numbers but the first. Where the columns are `uneven`, a row that does not fit
//! leaves them: a text has what the one beside it leaves, and a number without a head is left out where a name reaches it.

use crate::ui::text::width;
use pdblens_nodes::rows::{Cell, Row, Rows};

const COLUMN_GAP: usize = 2;
/// The same where the last column is aligned with the right edge, and stands apart by that.
const FLUSH_GAP: usize = 1;
/// Cells that a text needs to be worth showing, in a list of `NARROW` cells and in a wider one.
const MIN_SHOWN: [usize; 2] = [7, 12];
const NARROW: usize = 60;
/// Cells of a short text, which is whole before more than its share goes to a name.
const SHORT: usize = 24;
/// Least width of the cell before a packed one: most mnemonics fit.
const MIN_BEFORE_PACKED: usize = 8;
/// Headings of the column that has the names, or of a trace the answers; without one of them it is the first column of texts.
const NAMES: &[&str] = &["Name", "TypeName", "name", "method", "file", "result"];
/// Characters of a text that are looked at: no column is wider, and measuring a longer text would be slow.
const MAX_CHARS: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrawnColumn {
    /// Offset in the area.
    pub(super) x: u16,
    pub(super) wide: u16,
    /// Index of its cell in a row.
    pub(super) index: usize,
    /// True for numbers.
    pub(super) right: bool,
}

pub(super) struct Columns {
    pub(super) list: Vec<DrawnColumn>,
    /// Cells that a level is indented by.
    indent: usize,
    gap: usize,
    width: u16,
    is_headed: bool,
    /// True if a row that does not fit leaves the columns.
    pub(super) uneven: bool,
}

fn clip(text: &str) -> &str {
    text.char_indices().nth(MAX_CHARS).map_or(text, |(at, _)| &text[..at])
}

pub(super) fn text_width(cell: &Cell) -> usize {
    width(clip(&cell.text))
}

/// Width of a cell with the detail beside its text.
pub(super) fn full_width(cell: &Cell) -> usize {
    let space = usize::from(!cell.text.is_empty() && !cell.beside.is_empty());
    text_width(cell) + space + width(clip(&cell.beside))
}

fn has_text(row: &Row, column: usize) -> bool {
    row.cells.get(column).is_some_and(|cell| !cell.text.is_empty() || !cell.beside.is_empty())
}

impl Columns {
    /// Lays out the columns of `rows` in `area_width` cells; `measured` are the rows that give the widths, and the column of the cursor is
    /// in sight. `flush` aligns the last column with the right edge.
    pub(super) fn new(rows: &Rows<'_>, measured: &[Row], area_width: u16, cursor: Option<usize>, flush: bool) -> Self {
        let gap = if flush { FLUSH_GAP } else { COLUMN_GAP };
        let count = rows.columns.len().max(measured.iter().map(|row| row.cells.len()).max().unwrap_or(0));
        // One cell for the bar in the margin, one on the right.
        let room = usize::from(area_width).saturating_sub(2);
        let is_right = |column: usize| rows.columns.get(column).is_some_and(|head| head.right);
        let texts: Vec<usize> = (0..count).map(|column| content_width(rows, measured, column, text_width)).collect();
        let full: Vec<usize> = (0..count).map(|column| content_width(rows, measured, column, full_width)).collect();
        let mut drawn: Vec<usize> = (0..count).filter(|column| full[*column] > 0).collect();
        let is_named = |column: &&usize| rows.columns.get(**column).is_some_and(|head| NAMES.contains(&head.name));
        let name = drawn.iter().find(is_named).or_else(|| drawn.iter().find(|column| !is_right(**column))).copied();
        let min_shown = MIN_SHOWN[usize::from(room > NARROW)];
        let least = |column: usize| match texts[column] {
            _ if is_right(column) => full[column],
            short @ ..=SHORT if room > NARROW => short.max(1),
            text => text.clamp(1, min_shown),
        };
        let is_answer = name.is_some_and(|name| rows.columns.get(name).is_some_and(|head| head.name == "result"));
        let is_headed = rows.columns.iter().any(|head| !head.name.is_empty());
        let number = drawn.iter().find(|column| flush && is_headed && is_right(**column)).copied();
        let share = match number {
            Some(number) => {
                let others = drawn.iter().filter(|column| Some(**column) != name && **column <= number);
                room.saturating_sub(others.map(|column| least(*column) + gap).sum())
            }
            None if is_answer => room / 2,
            None => room * 3 / 5,
        };
        let wanted = |column: usize| {
            if Some(column) == name { full[column].min(share).max(1) } else { least(column) }
        };
        let taken = |drawn: &[usize]| drawn.iter().map(|column| wanted(*column) + gap).sum::<usize>();
        let keeps = |column: usize| Some(column) == name || Some(column) == number || Some(column) == cursor;
        while taken(&drawn) > room + gap
            && let Some(last) = drawn.iter().rposition(|column| !keeps(*column))
        {
            drawn.remove(last);
        }
        // A name beside the column of the cursor alone may have less than it wants.
        let mut left = (room + gap).saturating_sub(taken(&drawn));
        let mut over = taken(&drawn).saturating_sub(room + gap);
        let mut widths: Vec<usize> = drawn
            .iter()
            .map(|column| {
                let less = if over > 0 { wanted(*column).saturating_sub(1).min(over) } else { 0 };
                over -= less;
                wanted(*column) - less
            })
            .collect();
        let short: Vec<usize> = texts.iter().map(|wide| if *wide <= SHORT { *wide } else { 0 }).collect();
        let name_first = || {
            let at = drawn.iter().position(|column| Some(*column) == name);
            at.filter(|_| !is_answer).into_iter().chain(0..drawn.len())
        };
        for natural in [&short, &texts, &full] {
            for at in name_first() {
                let more = natural[drawn[at]].saturating_sub(widths[at]).min(left);
                widths[at] += more;
                left -= more;
            }
        }
        if flush && drawn.len() > 1 {
            // The first column takes the remaining width, so that the last one is at the edge.
            widths[0] += room.saturating_sub(widths.iter().sum::<usize>() + gap * (drawn.len() - 1));
        }
        let (mut list, mut x) = (Vec::new(), 1);
        for (index, wide) in drawn.into_iter().zip(widths) {
            list.push(DrawnColumn { x: x as u16, wide: wide as u16, index, right: is_right(index) });
            x += wide + gap;
        }
        if list.is_empty() && count > 0 && room > 0 {
            // All rows span all columns.
            list.push(DrawnColumn { x: 1, wide: 1, index: 0, right: false });
        }
        let deepest = measured.iter().map(|row| usize::from(row.depth)).max().unwrap_or(0);
        let wide = list.iter().find(|column| column.index == 0).map_or(0, |column| usize::from(column.wide));
        // Two cells, or one where the deepest row would have too little room for its text.
        let indent = if deepest * 2 <= wide / 2 { 2 } else { 1 };
        Self { list, indent, gap, width: area_width, is_headed, uneven: false }
    }

    /// Returns true for a number that the name of its row reaches: it is left out before the name is cut.
    fn is_left_out(&self, row: &Row, column: DrawnColumn) -> bool {
        let (Some(name), Some(cell)) = (row.cells.first(), row.cells.get(column.index)) else { return false };
        let end = 1 + usize::from(row.depth) * self.indent + text_width(name);
        let at = usize::from(column.x + column.wide) - text_width(cell).min(column.wide.into());
        self.uneven && !self.is_headed && column.right && column.index > 0 && end >= at
    }

    /// Cells by which the last text of a row is moved to the right, so that the one before it is whole, or to the left, so that it is.
    fn moved(&self, row: &Row, before: DrawnColumn, last: DrawnColumn) -> i16 {
        let follows = |other: &DrawnColumn| other.index > last.index && has_text(row, other.index);
        if !self.uneven || before.right || last.right || self.list.iter().any(follows) {
            return 0;
        }
        let wide = |column: DrawnColumn| row.cells.get(column.index).map_or(0, full_width) as i16;
        let indent = if before.index == 0 { i16::from(row.depth) * self.indent as i16 } else { 0 };
        let missing = indent + wide(before) - before.wide as i16;
        let missing_of_last = wide(last) - self.width.saturating_sub(1 + last.x) as i16;
        if missing > 0 { missing.min((-missing_of_last).max(0)) } else { -missing_of_last.min(-missing).max(0) }
    }

    /// Offset of the last cell of a packed row, if that is left of its column.
    fn packed_offset(&self, row: &Row, column: DrawnColumn) -> Option<u16> {
        let before =
            self.list.iter().rev().find(|before| before.index < column.index && has_text(row, before.index))?;
        let is_last = row.is_packed && row.cells.len() == column.index + 1;
        let taken = row.cells.get(before.index).map_or(0, full_width).max(MIN_BEFORE_PACKED);
        is_last.then_some(column.x.min(before.x + (taken + self.gap) as u16))
    }

    /// Offset and width of a cell without its indentation. A text has the room of the empty cells after it.
    pub(super) fn cell_area(&self, row: &Row, column: DrawnColumn) -> (u16, u16) {
        if self.is_left_out(row, column) { (column.x, 0) } else { self.area_with(row, column, true) }
    }

    /// As [`cell_area`](Self::cell_area), of a row whose name wraps: no number is left out for it.
    pub(super) fn wrapped_area(&self, row: &Row, column: DrawnColumn) -> (u16, u16) {
        self.area_with(row, column, false)
    }

    fn area_with(&self, row: &Row, column: DrawnColumn, gives_way: bool) -> (u16, u16) {
        let before = self.list.iter().rev().find(|before| before.index < column.index && has_text(row, before.index));
        let moved = before.map_or(0, |before| self.moved(row, *before, column));
        let x = self.packed_offset(row, column).unwrap_or(column.x).saturating_add_signed(moved);
        let mut end = column.x + column.wide;
        if !column.right || self.is_last_of(row, column) {
            let follows = |next: &&DrawnColumn| {
                next.index > column.index && has_text(row, next.index) && !(gives_way && self.is_left_out(row, **next))
            };
            let edge = self.list.iter().find(follows).map_or(self.width.saturating_sub(1), |next| {
                let free = next.wide.saturating_sub(row.cells.get(next.index).map_or(0, text_width) as u16);
                // The blank cells before a number are of the name.
                let free = if gives_way && self.uneven && next.right { free } else { 0 };
                let moved = self.moved(row, column, *next);
                (next.x + free).saturating_sub(self.gap as u16).saturating_add_signed(moved)
            });
            end = if self.uneven { edge } else { end.max(edge) };
        }
        let wide = end.saturating_sub(x);
        let level = if column.index == 0 { usize::from(row.depth) * self.indent } else { 0 };
        let indent = level.min(usize::from(wide) / 2) as u16;
        (x + indent, wide - indent)
    }

    /// Offset of the first column of texts, where names begin.
    pub(super) fn x_of_names(&self) -> u16 {
        self.list.iter().find(|column| !column.right).map_or(1, |column| column.x)
    }

    /// Returns true for the last cell of a row that has fewer cells than the list has columns.
    fn is_last_of(&self, row: &Row, column: DrawnColumn) -> bool {
        row.cells.len() == column.index + 1 && self.list.last().is_some_and(|last| last.index > column.index)
    }

    /// Returns true if the text of a cell is at the right edge of its column.
    pub(super) fn is_right(&self, row: &Row, column: DrawnColumn) -> bool {
        column.right && !self.is_last_of(row, column)
    }

    /// Room and index of the visible cells of a row.
    pub(super) fn rooms(&self, row: &Row) -> Vec<(usize, usize)> {
        self.list.iter().map(|column| (usize::from(self.cell_area(row, *column).1), column.index)).collect()
    }
}

/// Width that the cells of a column take, by their `measure`. A cell that has the room of empty ones after it does not count, unless all
/// are such.
fn content_width(rows: &Rows<'_>, shown: &[Row], column: usize, measure: fn(&Cell) -> usize) -> usize {
    if !rows.draws(column) {
        return 0;
    }
    let is_list = rows.columns.iter().all(|head| head.name.is_empty());
    let has_more = |row: &Row| (column + 1..row.cells.len()).any(|next| rows.draws(next) && has_text(row, next));
    let spans = |row: &Row| {
        let is_last = !shown.iter().any(has_more);
        !is_last && if is_list { !has_text(row, column + 1) } else { row.cells.len() == column + 1 }
    };
    let cell = |row: &Row| {
        let indent = if column == 0 { usize::from(row.depth) * 2 } else { 0 };
        row.cells.get(column).map_or(0, |cell| measure(cell) + indent)
    };
    let widest = shown.iter().map(cell).max().unwrap_or(0);
    let own = shown.iter().filter(|row| !spans(row)).map(cell).max();
    let widest = own.map_or(widest, |own| own.max(widest.min(1)));
    widest.max(rows.columns.get(column).map_or(0, |head| width(head.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::Head;

    fn row(cells: &[&str]) -> Row {
        Row::plain(cells.iter().copied().map(Cell::new).collect())
    }

    fn columns(heads: &[Head], shown: &[Row], width: u16) -> Columns {
        Columns::new(&Rows::of("", heads.to_vec(), shown.to_vec()), shown, width, None, false)
    }

    fn placed(columns: &Columns) -> Vec<(u16, u16)> {
        columns.list.iter().map(|column| (column.x, column.wide)).collect()
    }

    #[test]
    fn a_text_has_the_room_of_the_empty_cells_after_it() {
        let shown =
            [row(&["inlined a_function_of_a_long_name", "", "+0x1..+0x2"]), row(&["x", "unsigned long", "rcx"])];
        let columns = columns(&[Head::text(""); 3], &shown, 40);
        assert_eq!(placed(&columns), [(1, 1), (4, 13), (19, 10)]);
        assert_eq!(shown.each_ref().map(|row| columns.cell_area(row, columns.list[0])), [(1, 16), (1, 1)]);
        let shown = [row(&["1", "ldloc", "this"]), row(&["", "catch System.InvalidOperationException"])];
        let columns = self::columns(&[Head::text(""); 3], &shown, 60);
        assert_eq!(placed(&columns), [(1, 1), (4, 5), (11, 4)]);
        assert_eq!(columns.cell_area(&shown[1], columns.list[1]), (4, 55));
        // With nothing else in its column, it gives the width.
        let shown = [row(&["line", "no code"]), row(&["path", "/src/a.cs"]), row(&["", "", ""])];
        assert_eq!(placed(&self::columns(&[Head::text(""); 3], &shown, 60)), [(1, 4), (7, 9)]);
    }

    #[test]
    fn the_last_cell_of_a_packed_row_follows_the_cell_before_it() {
        let point = row(&["IL_001a", "825:17-825:62", "08 00 2d 04 08"]);
        let code = Row { is_packed: true, ..row(&["001a", "ldloc.0", "jsonSerializer"]) };
        let columns = columns(&[Head::text("a"); 3], &[point.clone(), code.clone()], 40);
        assert_eq!(placed(&columns), [(1, 7), (10, 13), (25, 14)]);
        assert_eq!(columns.cell_area(&point, columns.list[2]), (25, 14));
        assert_eq!(columns.cell_area(&code, columns.list[2]), (20, 19));
    }

    #[test]
    fn the_name_of_a_type_is_first() {
        let shown =
            [row(&["138", "0x100001", "JsonDeserializationIgnoreAttribute", "Sparrow.Json.Parsing", "TypeRef/196"])];
        let heads = Head::list(["row:", "Flags", "TypeName", "TypeNamespace", "Extends"]);
        let widths: Vec<u16> = columns(&heads, &shown, 80).list.iter().map(|column| column.wide).collect();
        assert_eq!(widths, [3, 8, 34, 20], "what is short is whole, or not there");
    }

    #[test]
    fn names_are_first_then_whole_columns_go_from_the_last_one_up() {
        let of = |widths: &[usize], heads: &[Head], room: u16| {
            let shown = [Row::plain(widths.iter().map(|wide| Cell::new("x".repeat(*wide))).collect())];
            let rows = Rows::of("", heads.to_vec(), shown.to_vec());
            let columns = Columns::new(&rows, &shown, room, None, false);
            placed(&columns).into_iter().map(|(_, wide)| wide).collect::<Vec<_>>()
        };
        let texts = [Head::text(""); 3];
        assert_eq!(of(&[120, 6, 90], &texts, 200), [120, 6, 68]);
        assert_eq!(of(&[120, 6, 90], &texts, 80), [56, 6, 12]);
        assert_eq!(of(&[120, 6, 90], &texts, 22), [12, 6], "less than seven cells are not worth showing");
        for room in 3..160_u16 {
            let widths = of(&[60, 18, 70, 12], &[Head::text(""); 4], room);
            let (name, others) = widths.split_first().unwrap();
            assert!(
                usize::from(*name) >= usize::from(room - 2) * 3 / 5 || *name == 60,
                "the name is first: {room} {widths:?}"
            );
            for (wide, whole) in others.iter().zip([18, 70, 12]) {
                assert!(*wide >= 7.min(whole), "half a column is drawn: {room} {widths:?}");
            }
        }
        let numbers = [Head::text("a"), Head::number("b"), Head::number("c")];
        assert_eq!(of(&[30, 6, 18], &numbers, 60), [30, 6, 18]);
        assert_eq!(of(&[120, 6, 18], &numbers, 60), [50, 6], "a number is whole or not drawn");
        assert_eq!(of(&[120, 6, 18], &numbers, 12), [10], "a name has all that is left");
    }

    #[test]
    fn a_text_has_what_the_one_beside_it_leaves() {
        let shown =
            [row(&["a_long_name_of_a_local", "int"]), row(&["x", "Dictionary<string, int>"]), row(&["y", "int"])];
        let heads = [Head::text(""); 2];
        let even = columns(&heads, &shown, 32);
        let uneven = Columns { uneven: true, ..columns(&heads, &shown, 32) };
        let areas = |columns: &Columns, row: &Row| {
            columns.list.iter().map(|column| columns.cell_area(row, *column)).collect::<Vec<_>>()
        };
        assert_eq!(
            shown.each_ref().map(|row| areas(&even, row)),
            [[(1, 21), (24, 7)], [(1, 21), (24, 7)], [(1, 21), (24, 7)]]
        );
        let [long, short, other] = shown.each_ref().map(|row| areas(&uneven, row));
        assert_eq!(long, [(1, 22), (25, 6)], "a short type leaves its room to the name");
        assert_eq!(short, [(1, 5), (8, 23)], "a short name leaves its room to the type");
        assert_eq!(other, [(1, 21), (24, 7)]);
    }

    #[test]
    fn numbers_of_a_tree_leave_before_a_name_is_cut() {
        let number = |name: &'static str| Head::number(name);
        let shown = [row(&["MethodDebugInformation.cs", "?", "12", "345", "67"]), row(&["A.cs", "?", "1", "2", "3"])];
        let of = |heads: [Head; 5], width: u16| {
            let columns = Columns::new(&Rows::of("", heads.to_vec(), shown.to_vec()), &shown, width, None, true);
            columns.list.iter().map(|column| (column.index, column.wide)).collect::<Vec<_>>()
        };
        let heads = [Head::text(""), Head::text(""), number("○"), number("points"), number("lines")];
        assert_eq!(of(heads, 60), [(0, 40), (1, 1), (2, 2), (3, 6), (4, 5)]);
        assert_eq!(of(heads, 40), [(0, 26), (1, 1), (2, 2), (3, 6)]);
        assert_eq!(of(heads, 36), [(0, 29), (1, 1), (2, 2)], "the first number stays");
        // A number without a head is left out of the row whose name reaches it.
        let sizes = [row(&["MethodDebugInformation", "85872", "13 %"]), row(&["LocalScope", "182032", "28 %"])];
        let rows = Rows::of("", vec![Head::text(""), number(""), number("")], sizes.to_vec());
        let columns = Columns { uneven: true, ..Columns::new(&rows, &sizes, 32, None, true) };
        let areas = sizes
            .each_ref()
            .map(|row| columns.list.iter().map(|column| columns.cell_area(row, *column)).collect::<Vec<_>>());
        assert_eq!(areas, [[(1, 25), (20, 0), (27, 4)], [(1, 18), (20, 6), (27, 4)]]);
    }

    #[test]
    fn the_column_of_the_cursor_is_in_sight() {
        let shown = [Row::plain((0..9).map(|_| Cell::new("x".repeat(30))).collect())];
        let rows = Rows::of("", vec![Head::text("a"); 9], shown.to_vec());
        for cursor in 0..9 {
            let columns = Columns::new(&rows, &shown, 60, Some(cursor), false);
            assert!(columns.list.iter().any(|column| column.index == cursor), "{cursor}");
        }
    }
}
