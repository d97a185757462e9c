//! A table with a cursor: draws the visible window of [`Rows`], with links, tones and indentation.
//!
//! Rows are numbered as in the unfiltered list; the [`ListFilter`] maps them to lines.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::nodes::Place;
use crate::nodes::rows::{Cell, Row, Rows, Tone};
use crate::tui::core::action::Action;
use crate::tui::ui::columns::{clip, columns, indent_step};
use crate::tui::ui::full_text;
use crate::tui::ui::list_filter::ListFilter;
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::text::{fit, fit_tree, from_mark, width};
use crate::tui::ui::theme::{Look, Role};

/// Cells that a cut detail needs to be worth showing.
const MIN_DETAIL: usize = 6;

/// Draws a cell (row, column) as styled parts; `None` leaves it to the grid.
pub type CellPainter<'p> = dyn Fn(usize, usize, &Cell, Style) -> Option<Vec<(String, Style)>> + 'p;

/// A table with a cursor.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent options of how it is drawn")]
pub struct Grid {
    /// Cursor and window, in lines.
    pub scroll: Scroll,
    /// The lines that are shown, and the running search.
    pub list_filter: ListFilter,
    /// Column of the cursor; `None` until it is moved sideways.
    pub column: Option<usize>,
    /// True if the column titles are omitted.
    pub headless: bool,
    /// True if the last column is aligned with the right edge.
    pub flush: bool,
    /// True if the full text of the cursor row is shown elsewhere.
    pub detailed: bool,
    /// True if the cursor row is not the selection: it is drawn only while the pane has the focus.
    pub idle: bool,
}

/// Emphasis of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// No emphasis.
    #[default]
    None,
    /// The row is selected in another pane.
    Related,
    /// The row has the cursor.
    Cursor,
}

impl Mark {
    /// Emphasis of a row in a pane that draws its own list.
    pub const fn of_row(is_selected: bool, is_focused: bool) -> Self {
        match (is_selected, is_focused) {
            (true, true) => Self::Cursor,
            (true, false) => Self::Related,
            (false, _) => Self::None,
        }
    }

    /// Background style of the row.
    pub fn style(self, look: &Look<'_>) -> Style {
        match self {
            Self::None => Style::new(),
            Self::Related => look.theme.of(Role::Related),
            Self::Cursor => look.theme.of(Role::Cursor),
        }
    }

    /// Combines the style of a text with the emphasis; `hue` keeps its colour on the cursor row.
    pub fn apply(self, style: Style, look: &Look<'_>, hue: bool) -> Style {
        match self {
            Self::Cursor if hue && look.theme.colors_on_cursor => self.style(look).patch(style),
            Self::Cursor => self.style(look),
            _ => style.patch(self.style(look)),
        }
    }
}

/// Fills the background of a row, and draws the bar in its margin.
pub fn fill_row(buf: &mut Buffer, row: Rect, mark: Mark, look: &Look<'_>) {
    if mark == Mark::None || row.width == 0 {
        return;
    }
    buf.set_style(row, mark.style(look));
    let bar = look.theme.of(Role::Accent);
    let bar = if look.theme.colors_on_cursor { mark.style(look).patch(bar) } else { bar };
    buf.set_stringn(row.x, row.y, look.glyphs.bar, 1, bar);
}

impl Grid {
    /// Rows that the column titles take.
    fn head(&self, rows: &Rows<'_>) -> u16 {
        u16::from(!self.headless && rows.columns.iter().any(|column| !column.name.is_empty()))
    }

    /// Takes the number of rows and the height of the area.
    pub fn resize(&mut self, rows: &Rows<'_>, height: u16) {
        let height = height.saturating_sub(self.head(rows)) as usize;
        self.scroll.len = self.list_filter.line_count(rows.len);
        self.scroll.set_height(height);
    }

    /// The row of the cursor.
    pub fn row(&self) -> Option<usize> {
        self.list_filter.row(self.scroll.selected).filter(|_| self.scroll.len > 0)
    }

    /// Moves the cursor to a row, or to the next visible one; scrolls it to the middle where it is out of view.
    pub fn reveal(&mut self, row: usize) {
        self.scroll.reveal(self.list_filter.nearest(row));
        self.idle = false;
    }

    /// Moves the cursor to the row that is selected elsewhere; the cursor is idle where that row is not visible.
    pub fn show(&mut self, row: Option<usize>) {
        self.reveal(row.unwrap_or(0));
        self.idle = row.is_none_or(|row| self.list_filter.line(row).is_none());
    }

    /// Replaces the visible rows of a list of `rows`: the cursor keeps its row and its place on the screen.
    pub fn apply(&mut self, shown: Option<Arc<Vec<usize>>>, rows: usize) {
        self.list_filter.apply(&mut self.scroll, shown, rows);
    }

    /// Cursor and filter.
    pub const fn parts(&self) -> (&Scroll, &ListFilter) {
        (&self.scroll, &self.list_filter)
    }

    /// Cursor and filter, mutable.
    pub const fn parts_mut(&mut self) -> (&mut Scroll, &mut ListFilter) {
        (&mut self.scroll, &mut self.list_filter)
    }

    /// The visible rows with their numbers.
    fn window(&self, rows: &Rows<'_>) -> (Vec<usize>, Vec<Row>) {
        let numbers = self.scroll.window().filter_map(|line| self.list_filter.row(line));
        numbers.filter_map(|row| Some((row, rows.get(row)?))).unzip()
    }

    /// Moves the cursor; false where `action` is not a movement.
    pub fn move_cursor(&mut self, action: Action, count: Option<usize>, rows: &Rows<'_>) -> bool {
        let last = rows.columns.len().saturating_sub(1);
        match action {
            Action::Left => self.column = self.column.map(|column| column.saturating_sub(1)),
            Action::Right => self.column = Some(self.column.map_or(0, |column| (column + 1).min(last))),
            _ => return self.scroll.move_cursor(action, count),
        }
        true
    }

    /// The target of Enter: the link in the cursor's cell, else the first link of the row.
    pub fn link_target(&self, rows: &Rows<'_>) -> Option<Place> {
        let row = rows.get(self.row()?)?;
        let chosen = self.column.and_then(|column| row.cells.get(column)).and_then(|cell| cell.to);
        // A derived cell is less important than those of the row itself.
        let own = || row.cells.iter().filter(|cell| cell.tone != Tone::Dim).find_map(|cell| cell.to);
        chosen.or_else(own).or_else(|| row.cells.iter().find_map(|cell| cell.to)).or(row.place)
    }

    /// Moves the cursor to a position of the mouse; false where there is no row.
    pub fn click(&mut self, at: Position, area: Rect, rows: &Rows<'_>) -> bool {
        let Some(line) = at.y.checked_sub(area.y + self.head(rows)) else { return false };
        let line = self.scroll.top + line as usize;
        if line >= self.scroll.window().end {
            return false;
        }
        let (_, shown) = self.window(rows);
        let columns = columns(rows, &shown, area.width, self.column, self.flush);
        let under = columns.iter().position(|(x, wide, _)| (*x..x + wide).contains(&(at.x.saturating_sub(area.x))));
        self.column = under.or(self.column);
        self.scroll.selected = line;
        true
    }

    /// The text of the cursor's cell or row.
    pub fn copied_text(&self, action: Action, rows: &Rows<'_>) -> Option<String> {
        let row = rows.get(self.row()?)?;
        match action {
            Action::CopyRow => Some(row.tabbed()),
            Action::CopyValue => row.cells.get(self.column.unwrap_or(0)).map(|cell| cell.text.clone()),
            _ => None,
        }
    }

    /// Draws the window; returns the position of the cursor. `linked` tells which rows are selected in another pane.
    pub fn draw(
        &self,
        buf: &mut Buffer,
        area: Rect,
        rows: &Rows<'_>,
        look: &Look<'_>,
        linked: &dyn Fn(usize, &Row) -> bool,
        paint: &CellPainter<'_>,
    ) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let head = self.head(rows);
        let (numbers, mut shown) = self.window(rows);
        for (row, _) in shown.iter_mut().zip(&numbers).filter(|(_, number)| self.list_filter.is_context_row(**number)) {
            row.cells.iter_mut().for_each(|cell| (cell.tone, cell.to) = (Tone::Dim, None));
        }
        let columns = columns(rows, &shown, area.width, self.column, self.flush);
        if head > 0 {
            for ((x, wide, index), head) in columns.iter().filter_map(|c| Some((c, rows.columns.get(c.2)?))) {
                let name = Cell::new(head.name);
                let style = look.theme.of(Role::Mute);
                draw_cell(buf, area, (*x, area.y, *wide), &[(name.text, style)], rows.columns[*index].right, look);
            }
        }
        let step = indent_step(&shown, &columns);
        let mut cursor = None;
        for (line, (index, row)) in numbers.into_iter().zip(&shown).enumerate() {
            let y = area.y + head + line as u16;
            if y >= area.bottom() {
                break;
            }
            let mark = match self.scroll.top + line == self.scroll.selected {
                true if look.focused => Mark::Cursor,
                true if !self.idle => Mark::Related,
                _ if linked(index, row) => Mark::Related,
                _ => Mark::None,
            };
            fill_row(buf, Rect { y, height: 1, ..area }, mark, look);
            if mark == Mark::Cursor {
                cursor = Some(Position::new(area.x, y));
            }
            self.draw_row(buf, area, (y, index, row, mark), (rows, &columns, step), look, paint);
        }
        let selected = self.scroll.selected.checked_sub(self.scroll.top).and_then(|line| shown.get(line));
        if let (Some(at), Some(row), false) = (cursor, selected, self.detailed) {
            let list = Rect { y: area.y + head, height: area.height.saturating_sub(head), ..area };
            full_text::draw(buf, list, at.y, &full_text::cut_cells(row, rows, &columns, area, look), look);
        }
        cursor
    }

    /// Draws the cells of a row; `(y, index, row, mark)` is the row, `(rows, columns, step)` the list with its visible columns
    /// and the indentation of a level.
    fn draw_row(
        &self,
        buf: &mut Buffer,
        area: Rect,
        (y, index, row, mark): (u16, usize, &Row, Mark),
        (rows, columns, step): (&Rows<'_>, &[(u16, u16, usize)], usize),
        look: &Look<'_>,
        paint: &CellPainter<'_>,
    ) {
        for (x, wide, column) in columns {
            let Some(cell) = row.cells.get(*column) else { continue };
            let indent = if *column == 0 { row.depth as usize * step } else { 0 };
            // Nearly every cell of a table links to a heap: marking all would mark none.
            let is_link = cell.to.is_some_and(|to| !matches!(to, Place::HeapEntry(..)));
            let role =
                if is_link && cell.tone == Tone::Text { look.theme.of(Role::Link) } else { look.theme.tone(cell.tone) };
            let hue = matches!(cell.tone, Tone::Ok | Tone::Warn | Tone::Bad) || cell.to.is_some();
            let mut style = mark.apply(role, look, hue);
            if mark == Mark::Cursor && self.column == Some(*column) {
                style = style.underlined();
            }
            let wide = if row.cells.len() == 1 { area.width.saturating_sub(x + 1) } else { *wide };
            let indent = indent.min(wide as usize / 2);
            let at = (x + indent as u16, y, wide - indent as u16);
            let parts = paint(index, *column, cell, style).unwrap_or_else(|| {
                let beside = mark.apply(look.theme.of(Role::Mute), look, false);
                let space = if cell.text.is_empty() || cell.beside.is_empty() { "" } else { " " };
                let left = (at.2 as usize).saturating_sub(width(clip(&cell.text)) + space.len());
                // A name may be cut as long as enough is left; a number may not.
                let whole = width(clip(&cell.beside));
                let needed = if is_link { whole.min(MIN_DETAIL) } else { whole };
                let shown = if left >= needed { cell.beside.as_str() } else { "" };
                let mark = self.list_filter.match_position(&cell.text, *column);
                let text = match mark {
                    Some(mark) => from_mark(&cell.text, mark, at.2 as usize, look.glyphs),
                    None => fit_tree(&cell.text, at.2 as usize, look.glyphs),
                };
                vec![(text.into_owned(), style), (format!("{space}{shown}"), beside)]
            });
            let right = rows.columns.get(*column).is_some_and(|head| head.right);
            draw_cell(buf, area, at, &parts, right, look);
            let cell = Rect { x: area.x + at.0, y, width: at.2, height: 1 }.intersection(area);
            self.list_filter.highlight(buf, cell, Some(*column), look);
        }
    }
}

fn draw_cell(
    buf: &mut Buffer,
    area: Rect,
    (x, y, wide): (u16, u16, u16),
    parts: &[(String, Style)],
    right: bool,
    look: &Look<'_>,
) {
    let end = area.x + (x + wide).min(area.width);
    let mut at = area.x + x;
    if right {
        let taken: usize = parts.iter().map(|(text, _)| width(text)).sum();
        at += wide.saturating_sub(taken as u16);
    }
    for (text, style) in parts {
        if at >= end {
            break;
        }
        let most = (end - at) as usize;
        at = buf.set_stringn(at, y, fit(text, most, look.glyphs), most, *style).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::rows::Head;
    use crate::tui::ui::glyphs::UNICODE;
    use crate::tui::ui::theme::Theme;

    fn drawn(width: u16, height: u16, rows: &Rows<'_>, selected: usize) -> Vec<String> {
        let theme = Theme::default();
        let look = Look { theme: &theme, glyphs: &UNICODE, focused: true };
        let mut grid = Grid::default();
        grid.resize(rows, height);
        grid.scroll.select(selected);
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        grid.draw(&mut buf, area, rows, &look, &|_, _| false, &|_, _, _, _| None);
        let line = |y| (0..width).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(line).collect()
    }

    fn list(len: usize) -> Rows<'static> {
        let columns = vec![Head::number("#"), Head::text("name"), Head::number("rows")];
        Rows::new("t", columns, len, |index| {
            Row::plain(vec![
                Cell::new((index + 1).to_string()),
                Cell::new("N".repeat(index % 7 + 1)),
                Cell::new((index * index).to_string()),
            ])
        })
    }

    #[test]
    fn columns_are_as_wide_as_what_shows_and_numbers_are_on_the_right() {
        assert_eq!(drawn(24, 4, &list(9), 1), [" #  name  rows", " 1  N        0", "▌2  NN       1", " 3  NNN      4"]);
    }

    #[test]
    fn too_wide_a_column_is_cut_and_the_others_are_not() {
        let rows = Rows::of(
            "t",
            vec![Head::text("name"), Head::number("n")],
            vec![Row::plain(vec!["A".repeat(40).into(), "1234".into()])],
        );
        assert_eq!(drawn(20, 2, &rows, 0), [" name             n", "▌AAAAAAAAAAA…  1234"]);
    }

    #[test]
    fn rows_that_span_all_columns_are_drawn_without_any_other_row() {
        let columns = vec![Head::text(""), Head::text(""), Head::text("")];
        let rows: Vec<Row> = ["param int argc", "param char** argv"].map(|text| Row::plain(vec![text.into()])).into();
        assert_eq!(drawn(24, 2, &Rows::of("", columns, rows), 1), [" param int argc", "▌param char** argv"]);
    }

    #[test]
    fn the_full_text_of_the_cursor_row_is_shown_where_it_is_cut() {
        let names = ["A".repeat(30), "short".to_owned(), "B C".to_owned(), "D".repeat(30)];
        let rows: Vec<Row> = names.iter().map(|name| Row::plain(vec![name.as_str().into(), "1".into()])).collect();
        let rows = Rows::of("t", vec![Head::text("name"), Head::number("n")], rows);
        let (cut, whole) = (format!("{}…  1", "A".repeat(14)), "A".repeat(17));
        let shown = drawn(20, 6, &rows, 0);
        assert_eq!(shown[1], format!("▌{cut}"));
        assert_eq!(shown[3..], ["┊ name:".to_owned(), format!("┊ {whole}"), format!("┊ {}", "A".repeat(13))]);
        // The text of the last row is above it.
        let shown = drawn(20, 5, &rows, 3);
        assert_eq!((shown[1].as_str(), shown[4].as_str()), ("┊ name:", "▌DDDDDDDDDDDDDD…  1"));
        assert!(drawn(20, 6, &rows, 1).iter().all(|line| !line.starts_with('┊')), "the row is not cut");
    }

    #[test]
    fn the_cost_does_not_depend_on_the_number_of_rows() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let made = AtomicUsize::new(0);
        let rows = Rows::new("t", vec![Head::text("")], usize::MAX / 2, |_| {
            made.fetch_add(1, Ordering::Relaxed);
            Row::plain(vec!["x".into()])
        });
        drawn(10, 20, &rows, usize::MAX / 4);
        assert_eq!(made.load(Ordering::Relaxed), 20);
    }
}
