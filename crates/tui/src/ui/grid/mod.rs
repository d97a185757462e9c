//! A table with a cursor: draws the visible window of [`Rows`], with links, tones and indentation.
//!
//! Rows are numbered as in the unfiltered list; the `ListFilter` maps them to lines.

mod cells;

use std::borrow::Cow;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use self::cells::{draw_cell, draw_head, draw_heading, draw_unfolded};
pub(crate) use self::cells::{is_link, leaves_out};
use crate::engine::action::Action;
use crate::ui::columns::{Columns, text_width};
use crate::ui::full_text;
use crate::ui::list_filter::ListFilter;
use crate::ui::scroll::Scroll;
use crate::ui::text::{fit_path, fits, from_mark, width};
use crate::ui::theme::{Look, Role};
use crate::ui::unfolded;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Grouped, Heading, Row, Rows, Tone};

/// Draws a cell (row, column) as styled parts, given its text as it is cut; `None` leaves it to the grid.
pub type CellPainter<'p> = dyn Fn((usize, usize), &Cell, &str, Style) -> Option<Vec<(String, Style)>> + 'p;
/// Cells that a detail that is cut needs to be worth showing.
const MIN_DETAIL: usize = 6;
/// Limit on the rows that are measured for the column widths of a steady list.
const MAX_MEASURED: usize = 500;

#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent options of how it is drawn")]
pub struct Grid {
    /// Cursor and window, in lines.
    pub scroll: Scroll,
    pub list_filter: ListFilter,
    /// Column of the cursor; `None` until it is moved sideways.
    pub column: Option<usize>,
    pub headless: bool,
    /// True if the last column is aligned with the right edge.
    pub flush: bool,
    /// True if a row that does not fit leaves the columns: a text has what the one beside it leaves, a size is left out for its name.
    pub uneven: bool,
    /// True if the full text of the cursor row is shown elsewhere.
    pub detailed: bool,
    /// True if the cursor row is not the selection: it is drawn only while the pane has the focus.
    pub idle: bool,
    /// True if rows that are cut are wrapped where the list leaves lines empty.
    pub unfolds: bool,
    /// True if rows are drawn apart where all of them have room so, as on a projector.
    pub spaced: bool,
}

/// The rows that are drawn.
struct Window {
    /// The line of the first one.
    top: usize,
    numbers: Vec<usize>,
    shown: Vec<Row>,
    columns: Columns,
    /// Lines of each row.
    heights: Vec<u16>,
    /// The column that wraps in the row of the cursor.
    wraps: Option<usize>,
}

impl Window {
    /// Shows the `whole` text of a column of a row on several lines, where the column leaves some of it out.
    fn unfold(&mut self, at: usize, whole: &str, column: usize) {
        let drawn = self.columns.list.iter().find(|drawn| drawn.index == column).copied();
        let (Some(drawn), Some(row)) = (drawn, self.shown.get_mut(at)) else { return };
        let room = usize::from(self.columns.wrapped_area(row, drawn).1);
        let Some(cell) = row.cells.get_mut(column) else { return };
        if whole.is_empty() || whole.ends_with(cell.text.trim_start()) && text_width(cell) <= room {
            return;
        }
        let rest = std::mem::replace(&mut cell.text, whole.to_owned());
        match unfolded::cell_lines(row, column, room).len() {
            lines @ 2..=unfolded::MAX_LINES => (self.heights[at], self.wraps) = (lines as u16, Some(column)),
            _ => row.cells[column].text = rest,
        }
    }

    /// Leaves out the first rows.
    fn leave_out(&mut self, rows: usize) {
        self.top += rows;
        self.numbers.drain(..rows);
        self.shown.drain(..rows);
        self.heights.drain(..rows);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    #[default]
    None,
    /// The row is selected in another pane.
    Related,
    Cursor,
}

impl Mark {
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
    fn head(&self, rows: &Rows<'_>) -> u16 {
        let mut heads = rows.columns.iter().enumerate();
        u16::from(!self.headless && heads.any(|(column, head)| rows.draws(column) && !head.name.is_empty()))
    }

    pub fn resize(&mut self, rows: &Rows<'_>, height: u16) {
        let lines = height.saturating_sub(self.head(rows)) as usize;
        self.scroll.len = self.list_filter.line_count(rows.len);
        if rows.groups.is_none() || lines == 0 {
            return self.scroll.set_height(lines);
        }
        // The window ends where its rows and their headings fill the lines, and may begin later for that.
        let mut least = lines;
        for _ in 0..lines {
            let top = self.scroll.top;
            least = least.min(self.rows_within(rows, lines));
            self.scroll.set_height(least);
            if self.scroll.top == top {
                break;
            }
        }
        self.scroll.height = self.rows_within(rows, lines);
    }

    /// Number of rows from the top of the window on that have room in `lines`, at least one.
    fn rows_within(&self, rows: &Rows<'_>, lines: usize) -> usize {
        let from = self.scroll.top.min(self.scroll.len.saturating_sub(1));
        let taken = (from..self.scroll.len).scan(0, |taken, line| {
            *taken += 1 + self.headings(rows, line, self.scroll.top).len();
            Some(*taken)
        });
        taken.take(lines).take_while(|taken| *taken <= lines).count().max(1)
    }

    pub fn row(&self) -> Option<usize> {
        if self.scroll.len > 0 { self.list_filter.row(self.scroll.selected) } else { None }
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

    /// Numbers of the visible rows, and the rows as they are drawn. Headings may have left more room, or less, before the wheel turned.
    fn window(&self, rows: &Rows<'_>, area: Rect) -> (Vec<usize>, Vec<Row>) {
        let mut window = self.scroll.window();
        if rows.groups.is_some() {
            let lines = area.height.saturating_sub(self.head(rows)) as usize;
            window.end = window.start.saturating_add(self.rows_within(rows, lines)).min(self.scroll.len);
        }
        let numbers = window.filter_map(|line| self.list_filter.row(line));
        numbers.filter_map(|row| Some((row, below_headings(rows, row, rows.get(row)?)))).unzip()
    }

    /// The headings above a line: at the top of the window, and where a group begins.
    fn headings(&self, rows: &Rows<'_>, line: usize, top: usize) -> Vec<Heading> {
        let Some((groups, row)) = rows.groups.as_ref().zip(self.list_filter.row(line)) else { return Vec::new() };
        let mut headings = groups.of(row).headings;
        let above = if line > top { self.list_filter.row(line - 1) } else { None };
        headings.retain(|heading| above.is_none_or(|above| !heading.rows.contains(&above)));
        headings
    }

    /// Moves the cursor; false where `action` is not a movement.
    pub fn move_cursor(&mut self, action: Action, rows: &Rows<'_>) -> bool {
        let is_drawn = |column: &usize| !rows.hidden.contains(column);
        match action {
            Action::Left => self.column = self.column.map(|now| (0..now).rev().find(is_drawn).unwrap_or(now)),
            Action::Right => {
                let next = |now: usize| (now + 1..rows.columns.len()).find(is_drawn).unwrap_or(now);
                self.column = Some(self.column.map_or(0, next));
            }
            _ if !self.scroll.move_cursor(action) => return false,
            _ => {}
        }
        self.idle = false;
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
        let Some(down) = at.y.checked_sub(area.y + self.head(rows)) else { return false };
        let window = self.laid_out(rows, area);
        let mut end = 0;
        let under = (window.top..).zip(&window.heights).position(|(line, height)| {
            end += height + self.gap(rows, area) + self.headings(rows, line, window.top).len() as u16;
            down < end
        });
        let Some(line) = under.map(|line| window.top + line) else { return false };
        let x = at.x.saturating_sub(area.x);
        let under = window.columns.list.iter().position(|column| (column.x..column.x + column.wide).contains(&x));
        self.column = under.or(self.column);
        self.scroll.selected = line;
        self.idle = false;
        true
    }

    /// The column whose name is at a position of the mouse.
    pub fn head_at(&self, at: Position, area: Rect, rows: &Rows<'_>) -> Option<usize> {
        (at.y == area.y && self.head(rows) > 0).then_some(())?;
        let x = at.x.checked_sub(area.x)?;
        let columns = self.columns(rows, &self.window(rows, area).1, area.width).list;
        let under = columns.iter().find(|column| (column.x..column.x + column.wide).contains(&x))?;
        Some(under.index)
    }

    fn columns(&self, rows: &Rows<'_>, shown: &[Row], room: u16) -> Columns {
        if rows.steady {
            let all: Vec<Row> = rows.window(0..MAX_MEASURED).collect();
            return Columns::new(rows, &all, room, self.column, self.flush);
        }
        let mut columns = Columns::new(rows, shown, room, self.column, self.flush);
        columns.uneven = self.uneven;
        columns
    }

    /// The rows that are drawn. Where the lines of the cursor row would end below the area, the first rows are left out.
    fn laid_out(&self, rows: &Rows<'_>, area: Rect) -> Window {
        let (numbers, shown) = self.window(rows, area);
        let columns = self.columns(rows, &shown, area.width);
        let lines = usize::from(area.height.saturating_sub(self.head(rows)));
        let heights = if rows.groups.is_some() || self.flush {
            vec![1; shown.len()]
        } else {
            let is_whole = self.unfolds && shown.len() == self.scroll.len;
            let spaced = if self.gap(rows, area) > 0 { 2 * shown.len() } else { shown.len() };
            let spare = if is_whole { lines.saturating_sub(spaced) } else { 0 };
            unfolded::heights(&shown, &columns, spare)
        };
        let mut window = Window { top: self.scroll.top, heights, wraps: None, numbers, shown, columns };
        let at = self.scroll.selected.checked_sub(window.top).filter(|at| !self.idle && *at < window.shown.len());
        if let Some(at) = at {
            match &rows.groups {
                Some(groups) => window.unfold(at, &groups.of(window.numbers[at]).whole, groups.column),
                None if self.flush => {
                    let whole = window.shown[at].cells.first().map_or_else(String::new, |cell| cell.text.clone());
                    window.unfold(at, &whole, 0);
                }
                None => {}
            }
            if window.wraps.is_some() {
                window.leave_out(self.first_to_fit(rows, &window, at, lines));
            }
        }
        window
    }

    /// Number of rows that are left out at the top, so that all lines of the row `at` of the window are within `lines`.
    fn first_to_fit(&self, rows: &Rows<'_>, window: &Window, at: usize, lines: usize) -> usize {
        let height = usize::from(window.heights[at]);
        let headings = |line: usize, top: usize| self.headings(rows, window.top + line, window.top + top).len();
        // Lines of the rows after each one, up to `at`.
        let mut below: Vec<usize> = (1..=at)
            .rev()
            .scan(0, |taken, line| {
                *taken += 1 + headings(line, 0);
                Some(*taken)
            })
            .collect();
        below.reverse();
        let taken = |from: usize| headings(from, from) + below.get(from).unwrap_or(&0) + height;
        (0..at).find(|from| taken(*from) <= lines).unwrap_or(at)
    }

    /// Empty lines after each row.
    fn gap(&self, rows: &Rows<'_>, area: Rect) -> u16 {
        let lines = area.height.saturating_sub(self.head(rows)) as usize;
        let has_room = self.spaced && self.scroll.top == 0 && self.scroll.len * 2 <= lines;
        u16::from(has_room && rows.groups.is_none())
    }

    /// The texts of the cursor row that the columns cut, each with the name of its column.
    pub fn cut_texts(&self, rows: &Rows<'_>, area: Rect, look: &Look<'_>) -> Vec<String> {
        self.cut_in(rows, &self.laid_out(rows, area), look)
    }

    fn cut_in(&self, rows: &Rows<'_>, window: &Window, look: &Look<'_>) -> Vec<String> {
        let Some((index, mut row)) = self.row().and_then(|row| Some((row, rows.get(row)?))) else { return Vec::new() };
        if let Some(cell) = window.wraps.and_then(|column| row.cells.get_mut(column)) {
            cell.text.clear();
        }
        let drawn = rows.groups.is_some().then(|| below_headings(rows, index, row.clone()));
        full_text::cut_cells(&row, drawn.as_ref().unwrap_or(&row), rows, &window.columns, look)
    }

    /// The text of the cursor row for the line below the panes, where that has `room` for it: all of a row that is `cut`, else what has
    /// no room in its columns.
    pub fn line_text(&self, rows: &Rows<'_>, area: Rect, look: &Look<'_>, line: (bool, usize)) -> Option<String> {
        self.line_in(rows, &self.laid_out(rows, area), look, line)
    }

    fn line_in(
        &self,
        rows: &Rows<'_>,
        window: &Window,
        look: &Look<'_>,
        (is_cut, room): (bool, usize),
    ) -> Option<String> {
        let row = rows.get(self.row()?)?;
        let cells = row.cells.iter().flat_map(|cell| [cell.text.trim(), cell.beside.trim()]);
        let all = || cells.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("  ");
        let has_room = |text: &String| !text.is_empty() && fits(text, room);
        // A character has at most four bytes: a longer text is cut and has no room.
        if row.cells.iter().any(|cell| cell.text.len() / 4 > room) {
            return None;
        }
        let whole = if is_cut { Some(all()).filter(has_room) } else { None };
        whole.or_else(|| Some(self.cut_in(rows, window, look).join("  ")).filter(has_room))
    }

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
        let mut window = self.laid_out(rows, area);
        let shown = window.shown.iter_mut().zip(&window.numbers);
        for (row, _) in shown.filter(|(_, number)| self.list_filter.is_context_row(**number)) {
            row.cells.iter_mut().for_each(|cell| (cell.tone, cell.to) = (Tone::Dim, None));
        }
        if head > 0 {
            draw_head(buf, area, rows, &window.columns, look);
        }
        let (mut cursor, mut next) = (None, area.y + head);
        for (line, (index, row)) in window.numbers.iter().copied().zip(&window.shown).enumerate() {
            let height = window.heights.get(line).copied().unwrap_or(1);
            let mut y = next;
            for (level, heading) in self.headings(rows, window.top + line, window.top).iter().enumerate() {
                if y < area.bottom() {
                    draw_heading(buf, Rect { y, ..area }, (level, heading), window.columns.x_of_names(), look);
                }
                y += 1;
            }
            next = y.saturating_add(height + self.gap(rows, area));
            if y >= area.bottom() {
                break;
            }
            let mark = match window.top + line == self.scroll.selected {
                true if look.focused => Mark::Cursor,
                true if !self.idle => Mark::Related,
                _ if linked(index, row) => Mark::Related,
                _ => Mark::None,
            };
            (y..(y + height).min(area.bottom())).for_each(|y| fill_row(buf, Rect { y, height: 1, ..area }, mark, look));
            if mark == Mark::Cursor {
                cursor = Some((Position::new(area.x, y), height));
            }
            if height > 1 && window.wraps.is_none() {
                draw_unfolded(buf, area, (y, row, mark), &window.columns, look);
                continue;
            }
            let wraps = if height > 1 { window.wraps } else { None };
            self.draw_row(buf, area, (y, index, row, mark), (&window.columns, wraps), look, paint);
        }
        let (at, height) = cursor?;
        if height > 1 && window.wraps.is_none() || self.detailed {
            return Some(at);
        }
        let is_cut = (area.x..area.right()).any(|x| buf[(x, at.y)].symbol() == look.glyphs.more);
        // Only a list with names of columns says that some have no room.
        let is_line = is_cut || leaves_out(buf, area, look);
        if !is_line || look.line == 0 || self.line_in(rows, &window, look, (is_cut, look.line)).is_none() {
            let list = Rect { y: area.y + head, height: area.height.saturating_sub(head), ..area };
            let cut = self.cut_in(rows, &window, look);
            full_text::draw(buf, (list, area.y.saturating_sub(1)), (at.y, height), &cut, look);
        }
        Some(at)
    }

    fn draw_row(
        &self,
        buf: &mut Buffer,
        area: Rect,
        (y, index, row, mark): (u16, usize, &Row, Mark),
        (columns, wraps): (&Columns, Option<usize>),
        look: &Look<'_>,
        paint: &CellPainter<'_>,
    ) {
        for column in &columns.list {
            let Some(cell) = row.cells.get(column.index) else { continue };
            let (x, wide) =
                if wraps.is_some() { columns.wrapped_area(row, *column) } else { columns.cell_area(row, *column) };
            let is_link = is_link(cell);
            let role =
                if is_link && cell.tone == Tone::Text { look.theme.of(Role::Link) } else { look.theme.tone(cell.tone) };
            let hue = matches!(cell.tone, Tone::Ok | Tone::Warn | Tone::Bad) || cell.to.is_some();
            let mut style = mark.apply(role, look, hue);
            if mark == Mark::Cursor && self.column == Some(column.index) {
                style = style.underlined();
            }
            let room = usize::from(wide);
            if wraps == Some(column.index) {
                for (y, line) in (y..area.bottom()).zip(unfolded::cell_lines(row, column.index, room)) {
                    draw_cell(buf, area, (x, y, wide), &[(line, style)], false, look);
                }
                continue;
            }
            let text = match self.list_filter.match_position(&cell.text, column.index) {
                Some(mark) => from_mark(&cell.text, mark, room, look.glyphs),
                None => fit_path(&cell.text, room, look.glyphs),
            };
            let parts = paint((index, column.index), cell, &text, style).unwrap_or_else(|| {
                let space = if text.is_empty() || cell.beside.is_empty() { "" } else { " " };
                let detail = detail(cell, room.saturating_sub(text_width(cell) + space.len()), is_link, look);
                let beside = mark.apply(look.theme.of(Role::Mute), look, false);
                vec![(text.into_owned(), style), (format!("{space}{detail}"), beside)]
            });
            draw_cell(buf, area, (x, y, wide), &parts, columns.is_right(row, *column), look);
            let cell = Rect { x: area.x + x, y, width: wide, height: 1 }.intersection(area);
            self.list_filter.highlight(buf, cell, Some(column.index), look);
        }
    }
}

/// A row as it is drawn below its headings, without what they say.
fn below_headings(rows: &Rows<'_>, index: usize, mut row: Row) -> Row {
    let Some(groups) = rows.groups.as_ref().filter(|groups| !groups.hides) else { return row };
    let Grouped { headings, rest, .. } = groups.of(index);
    for cell in &mut row.cells {
        if headings.iter().any(|heading| heading.detail == cell.beside) {
            cell.beside.clear();
        }
    }
    if let Some(cell) = row.cells.get_mut(groups.column).filter(|_| !rest.is_empty()) {
        cell.text = rest;
    }
    row
}

/// The detail beside a text, in the `room` that it leaves. A name may be cut as long as enough is left; a number may not.
fn detail<'c>(cell: &'c Cell, room: usize, is_link: bool, look: &Look<'_>) -> Cow<'c, str> {
    let whole = width(&cell.beside);
    let needed = if is_link { whole.min(MIN_DETAIL) } else { whole };
    if room < needed {
        return Cow::Borrowed("");
    }
    fit_path(&cell.beside, room, look.glyphs)
}

#[cfg(test)]
mod tests;
