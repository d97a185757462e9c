//! Widths and positions of the columns of a grid.

use ratatui::layout::Rect;

use crate::ui::cut::is_link;
use crate::ui::text::width;
use pdblens_nodes::rows::{Cell, Row, Rows};

/// Cells between two columns.
const COLUMN_GAP: usize = 2;
/// The same where the columns are aligned with the right edge.
const FLUSH_GAP: usize = 1;
/// The width that columns keep when they are narrowed to fit.
const MIN_COLUMN: usize = 10;
/// The same in a table.
const MIN_TABLE_COLUMN: usize = 20;
/// The widest texts after the first column that lists keep whole.
const MAX_SHORT: usize = 16;
/// The width down to which the last column gives way to names: this, or a part of the room.
const MIN_LAST: usize = 24;
/// That part of the room.
const LAST_SHARE: usize = 4;
/// The least that shows of a column that is cut by the edge.
const MIN_AT_EDGE: usize = 6;

/// Lays out the columns that are visible: x offset in the area, width, and index of each.
pub(super) fn columns(
    rows: &Rows<'_>,
    shown: &[Row],
    room: u16,
    cursor: Option<usize>,
    (flush, table): (bool, bool),
) -> Vec<(u16, u16, usize)> {
    // The numbers of a tree are aligned with the right edge, and stand apart by that.
    let gap = if flush { FLUSH_GAP } else { COLUMN_GAP };
    let count = rows.columns.len().max(shown.iter().map(|row| row.cells.len()).max().unwrap_or(0));
    // One cell for the bar in the margin, one on the right.
    let room = (room as usize).saturating_sub(2);
    let measure = |column: usize, details: bool| {
        if rows.draws(column) { content_width(rows, shown, (column, count), details) } else { 0 }
    };
    let whole: Vec<usize> = (0..count).map(|column| measure(column, true)).collect();
    let mut widths = whole.clone();
    let gaps = gap * widths.iter().filter(|wide| **wide > 0).count().saturating_sub(1);
    if widths.iter().sum::<usize>() + gaps > room {
        // Texts precede details: details share what is left, from the first column on.
        let full = std::mem::replace(&mut widths, (0..count).map(|column| measure(column, false)).collect());
        let mut left = room.saturating_sub(widths.iter().sum::<usize>() + gaps);
        for (wide, full) in widths.iter_mut().zip(full) {
            let more = left.min(full - *wide);
            *wide += more;
            left -= more;
        }
    }
    let over = (widths.iter().sum::<usize>() + gaps).saturating_sub(room);
    if let Some(last) = widths.last_mut().filter(|_| rows.names_first) {
        *last -= over.min(last.saturating_sub(MIN_LAST.max(room / LAST_SHARE)));
    }
    // Where only rows that span all columns are visible, none of these has a width.
    if shown.iter().any(|row| row.cells.len() == 1)
        && let Some(first) = widths.first_mut()
    {
        *first = (*first).max(1);
    }
    let texts: Vec<usize> = if flush { Vec::new() } else { (0..count).map(|at| measure(at, false)).collect() };
    let floors = floors(&widths, &texts, room.saturating_sub(gaps), table);
    let floor = |column: usize| floors.get(column).copied().unwrap_or(MIN_COLUMN);
    narrow(&mut widths, room.saturating_sub(gaps), &floor);
    if flush && widths.len() > 1 {
        // The first column takes the remaining width, so that the last one is at the edge.
        widths[0] += room.saturating_sub(widths.iter().sum::<usize>() + gaps);
    }
    // Hide columns on the left until the cursor's column is visible.
    let mut first = 0;
    let taken = |first: usize, to: usize| widths[first..=to].iter().map(|wide| wide + gap).sum::<usize>() - gap;
    if let Some(cursor) = cursor.filter(|cursor| *cursor < count) {
        while first < cursor && taken(first, cursor) > room {
            first += 1;
        }
    }
    let links = |column: &usize| shown.iter().filter_map(|row| row.cells.get(*column)).any(is_link);
    if table {
        fill_edge(&mut widths, &|column| links(&column).then_some(whole[column]), first, room);
    }
    place(&widths, first, (room, gap))
}

/// The widths down to which columns are narrowed; `texts` are those of their texts without details.
fn floors(widths: &[usize], texts: &[usize], room: usize, table: bool) -> Vec<usize> {
    let floor = |(column, wide): (usize, &usize)| match *wide {
        wide if table => wide.min(MIN_TABLE_COLUMN),
        // Names are first; a range or an opcode means nothing where it is cut.
        wide if column > 0 && wide <= MAX_SHORT => wide,
        _ => MIN_COLUMN,
    };
    let mut floors: Vec<usize> = texts.iter().enumerate().map(floor).collect();
    let least = |floors: &[usize]| floors.iter().zip(widths).map(|(floor, wide)| floor.min(wide)).sum::<usize>();
    let over = least(&floors).saturating_sub(room);
    let is_long = texts.last().is_some_and(|wide| *wide > MAX_SHORT);
    if let Some(last) = floors.last_mut().filter(|_| !table && is_long) {
        // The last column is narrowed first: opcodes stay whole, and of operands less shows.
        *last = last.saturating_sub(over).max(MIN_AT_EDGE.min(*last));
    }
    if table || least(&floors) <= room { floors } else { Vec::new() }
}

/// The columns from `first` on that have room: x offset, width and index of each.
fn place(widths: &[usize], first: usize, (room, gap): (usize, usize)) -> Vec<(u16, u16, usize)> {
    let (mut placed, mut x) = (Vec::with_capacity(widths.len()), 1);
    for (column, wide) in widths.iter().enumerate().skip(first).filter(|(_, wide)| **wide > 0) {
        let wide = (*wide).min((room + 1).saturating_sub(x));
        if wide == 0 {
            break;
        }
        placed.push((x as u16, wide as u16, column));
        x += wide + gap;
    }
    placed
}

/// Gives the cells that are left, where the columns from `first` on do not all fit, to the names beside links; else the edge cuts the
/// next column. `whole` gives the width of a column of links with those names.
fn fill_edge(widths: &mut [usize], whole: &dyn Fn(usize) -> Option<usize>, first: usize, room: usize) {
    let (mut left, mut cut) = (room, None);
    for (column, wide) in widths.iter().enumerate().skip(first).filter(|(_, wide)| **wide > 0) {
        match left.checked_sub(*wide) {
            Some(rest) => left = rest.saturating_sub(COLUMN_GAP),
            None => {
                cut = Some(column);
                break;
            }
        }
    }
    let Some(cut) = cut else { return };
    let names = (first..cut).find_map(|at| whole(at).filter(|wide| *wide > widths[at]).map(|wide| (at, wide)));
    if let Some((at, wide)) = names.filter(|_| left > 0) {
        widths[at] = wide.min(widths[at] + left);
        widths[cut..].fill(0);
    } else if left < MIN_AT_EDGE && cut > first {
        widths[cut..].fill(0);
    }
}

/// Cells that a level is indented by: two, or one where the deepest visible row would have too little room for its text.
pub(super) fn indent_step(shown: &[Row], columns: &[(u16, u16, usize)]) -> usize {
    let deepest = shown.iter().map(|row| row.depth as usize).max().unwrap_or(0);
    let wide = columns.iter().find(|(.., column)| *column == 0).map_or(0, |(_, wide, _)| *wide as usize);
    if deepest * 2 <= wide / 2 { 2 } else { 1 }
}

/// Returns true if a cell extends to the right edge: the last one of a row that has fewer cells than the list has columns.
pub(super) fn is_extended(row: &Row, column: usize, columns: &[(u16, u16, usize)]) -> bool {
    let has_more = columns.last().is_some_and(|(.., last)| column < *last);
    row.cells.len() == column + 1 && (has_more || column == 0)
}

/// Returns true if the cell beside the first one of a row is empty: the first one has its room too.
fn has_free_room(row: &Row) -> bool {
    row.cells.get(1).is_some_and(|next| next.text.is_empty() && next.beside.is_empty())
}

/// Cells from the start of a visible column to the end of the room of a row's cell in it: that of the first column has the empty cells
/// beside it too, but where its texts are numbers, which stay at its edge.
pub(super) fn room_of(row: &Row, (x, wide, column): (u16, u16, usize), columns: &[(u16, u16, usize)]) -> u16 {
    let next = columns.iter().find(|(.., next)| *next == 1).filter(|_| column == 0 && has_free_room(row));
    next.map_or(wide, |(start, more, _)| (start + more).saturating_sub(x).max(wide))
}

/// Offset and width of a cell in `area`, without its indentation.
pub(super) fn cell_area(
    row: &Row,
    (x, wide, column): (u16, u16, usize),
    (columns, step): (&[(u16, u16, usize)], usize),
    area: Rect,
) -> (u16, u16) {
    let wide = if is_extended(row, column, columns) {
        area.width.saturating_sub(x + 1)
    } else {
        room_of(row, (x, wide, column), columns)
    };
    let indent = if column == 0 { (row.depth as usize * step).min(wide as usize / 2) as u16 } else { 0 };
    (x + indent, wide - indent)
}

/// Width that a column of `count` would take, with the details beside its texts or without.
fn content_width(rows: &Rows<'_>, shown: &[Row], (column, count): (usize, usize), details: bool) -> usize {
    let head = rows.columns.get(column).map_or(0, |head| head.name.len());
    let cell = |row: &Row| {
        let indent = if column == 0 { row.depth as usize * 2 } else { 0 };
        row.cells.get(column).map_or(0, |cell| {
            let space = usize::from(details && !cell.text.is_empty() && !cell.beside.is_empty());
            let beside = if details { width(clip(&cell.beside)) } else { 0 };
            width(clip(&cell.text)) + space + beside + indent
        })
    };
    // A row with a single cell spans all columns; the first cell of a heading has the room of the second.
    let is_list = rows.columns.first().is_some_and(|head| head.name.is_empty());
    let spans = |row: &Row| row.cells.len() == 1 || column == 0 && count > 2 && is_list && has_free_room(row);
    // The last cell of a row with fewer cells extends to the edge, if there are columns beside it.
    let is_drawn = |(index, cell): (usize, &Cell)| {
        index > column && rows.draws(index) && !(cell.text.is_empty() && cell.beside.is_empty())
    };
    let has_more = column > 0 && shown.iter().any(|row| row.cells.iter().enumerate().any(is_drawn));
    let extends = |row: &&Row| has_more && row.cells.len() == column + 1;
    let widest = |is_it: &dyn Fn(&&Row) -> bool| shown.iter().filter(|row| count == 1 || is_it(row)).map(cell).max();
    let between = widest(&|row| !spans(row) && !extends(row)).filter(|wide| *wide > 0);
    let own = between.or_else(|| widest(&|row| !spans(row)));
    // Where all rows are headings, they make the column.
    let all = || widest(&|row| row.cells.len() != 1);
    own.or_else(all).unwrap_or(0).max(head)
}

/// Narrows the widest columns until their sum fits into `room`, each down to its `floor`.
fn narrow(widths: &mut [usize], room: usize, floor: &dyn Fn(usize) -> usize) {
    while widths.iter().sum::<usize>() > room {
        // The widest column is cut to the width of the second widest at most.
        let above = widths.iter().copied().enumerate().filter(|(column, wide)| *wide > floor(*column));
        let Some((widest, wide)) = above.max_by_key(|(_, wide)| *wide) else { break };
        let second = widths.iter().enumerate().filter(|(i, _)| *i != widest).map(|(_, w)| *w).max().unwrap_or(0);
        let over = widths.iter().sum::<usize>() - room;
        widths[widest] = wide.saturating_sub(over).max(second.min(wide - 1)).max(floor(widest));
    }
}

/// Characters of a text that are looked at: no column is wider, and measuring a longer text would be slow.
const MAX_CHARS: usize = 400;

/// The first characters of a text.
pub(super) fn clip(text: &str) -> &str {
    if text.len() <= MAX_CHARS {
        return text;
    }
    let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::Head;

    #[test]
    fn the_first_cell_of_a_heading_has_the_room_of_the_empty_one_beside_it() {
        let row = |cells: [&str; 3]| Row::plain(cells.map(Cell::new).to_vec());
        let shown = [row(["inlined a_function_of_a_long_name", "", "+0x1..+0x2"]), row(["x", "unsigned long", "rcx"])];
        let rows = Rows::of("", vec![Head::text(""); 3], shown.to_vec());
        let placed = columns(&rows, &shown, 40, None, (false, false));
        assert_eq!(placed, [(1, 1, 0), (4, 13, 1), (19, 10, 2)]);
        assert_eq!(shown.each_ref().map(|row| room_of(row, placed[0], &placed)), [16, 1]);
        assert_eq!(room_of(&shown[0], placed[2], &placed), 10);
    }

    #[test]
    fn the_last_cell_of_a_shorter_row_does_not_widen_its_column() {
        let row = |cells: &[&str]| Row::plain(cells.iter().copied().map(Cell::new).collect());
        let shown = [row(&["1", "ldloc", "this"]), row(&["", "catch System.InvalidOperationException"])];
        let rows = Rows::of("", vec![Head::text(""); 3], shown.to_vec());
        let placed = columns(&rows, &shown, 60, None, (false, false));
        assert_eq!(placed, [(1, 1, 0), (4, 5, 1), (11, 4, 2)]);
        assert!(is_extended(&shown[1], 1, &placed) && !is_extended(&shown[0], 2, &placed));
        // Without a column beside it, or with nothing else in its column, it keeps its width.
        let shown = [row(&["line", "no code"]), row(&["path", "/src/a.cs"]), row(&["", "", ""])];
        let rows = Rows::of("", vec![Head::text(""); 3], shown.to_vec());
        assert_eq!(columns(&rows, &shown, 60, None, (false, false)), [(1, 4, 0), (7, 9, 1)]);
    }

    #[test]
    fn names_take_what_they_need_before_places() {
        let cells = [120, 6, 90].map(|wide: usize| Cell::new("x".repeat(wide)));
        let shown = [Row::plain(cells.to_vec())];
        let mut rows = Rows::of("", vec![Head::text(""); 3], shown.to_vec());
        let widths = |rows: &Rows<'_>, room: u16| {
            let placed = columns(rows, &shown, room, None, (false, false));
            placed.into_iter().map(|(_, wide, _)| wide).collect::<Vec<_>>()
        };
        assert_eq!(widths(&rows, 200), [98, 6, 90]);
        // A short column stays whole as long as the others have room.
        let cells = [22, 30, 16].map(|wide: usize| Cell::new("x".repeat(wide)));
        let short = [Row::plain(cells.to_vec())];
        let of = Rows::of("", vec![Head::text(""); 3], short.to_vec());
        let last = |room: u16| columns(&of, &short, room, None, (false, false)).last().map(|(_, wide, _)| *wide);
        assert_eq!((last(44), last(36)), (Some(16), Some(10)));
        // The last column is narrowed first, down to six cells.
        let code = ["14", "||||", "IL_00a0", "fe15", "    ldc.i4.m1", "StateMachines.<FetchAsync>d__1.<>1__state"];
        let code = [Row::plain(code.map(Cell::new).to_vec())];
        let of = Rows::of("", vec![Head::text(""); 6], code.to_vec());
        let widths_of = |room: u16| columns(&of, &code, room, None, (false, false)).into_iter().map(|placed| placed.1);
        assert_eq!(widths_of(49).collect::<Vec<_>>(), [2, 4, 7, 4, 13, 7]);
        assert_eq!(widths_of(45).collect::<Vec<_>>(), [2, 4, 7, 4, 10, 6]);
        rows.names_first = true;
        assert_eq!((widths(&rows, 200), widths(&rows, 102)), (vec![120, 6, 68], vec![65, 6, 25]));
    }
}
