//! The machine of all panes that are lists: it has cursor, window, filter and folds; moving, clicking, copying and searching are here. What
//! a list shows is a [`Shows`].

use std::any::Any;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::panes::pane::{Context, Facts, Pane, PaneInput};
use crate::state::effect::Effect;
use crate::state::message::Job;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::list_filter::RowSource;
use crate::ui::tree::ListState;
use pdblens_nodes::rows::{Head, Row, Rows};
use pdblens_session::session::Session;
use pdblens_session::text::safe::visible;

/// The content of a list: what its rows are, and what is done with them.
pub trait Shows {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title;

    /// Takes what has become known since the last event.
    fn load(&mut self, list: &mut ListState, cx: &Context<'_>);

    /// Moves the cursor to the selection of another pane.
    fn show(&mut self, _list: &mut ListState, _cx: &Context<'_>) {}

    /// Rows at hand, and the names of their columns.
    fn made(&self) -> Option<(&'static [Head], &Arc<Vec<Row>>)> {
        None
    }

    /// The rows as they are drawn; `None` where there are none yet.
    fn rows<'c>(&'c self, list: &'c ListState, _cx: &Context<'c>) -> Option<Rows<'c>> {
        let (columns, rows) = self.made()?;
        let mut rows = Rows::shared(columns, rows);
        if list.grid.headless {
            // The names of the columns are for exports, but for that of the answers, which get their width first.
            rows.columns.iter_mut().filter(|head| head.name != "result").for_each(|head| head.name = "");
        }
        Some(rows)
    }

    /// All rows, for a worker; `None` where they cannot be searched yet.
    fn source(&self, _list: &ListState, _cx: &Context<'_>) -> Option<RowSource> {
        let (columns, rows) = self.made()?;
        let rows = Arc::clone(rows);
        Some(Arc::new(move |_| Some(Rows::shared(columns, &rows))))
    }

    /// Text in the place of a list without rows.
    fn empty(&self, _list: &ListState, _cx: &Context<'_>) -> Option<EmptyState> {
        None
    }

    /// Performs an action that is not the same for all lists: Enter goes to the place of the row.
    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action != Action::Follow {
            return None;
        }
        let place = self.rows(list, cx)?.get(list.grid.row()?)?.place?;
        Some(vec![Effect::Go(place.into())])
    }

    /// The part of the pane that the list takes.
    fn area(&self, pane: Rect, _list: &ListState, _cx: &Context<'_>) -> Rect {
        pane
    }

    /// Draws the pane; returns the position of the cursor.
    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let (rows, area) = (self.rows(list, cx)?, self.area(area, list, cx));
        list.grid.draw(buf, area, &rows, &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    /// The selection that the cursor makes: the place of its row.
    fn selection(&self, list: &ListState, cx: &Context<'_>) -> Option<Selection> {
        self.rows(list, cx)?.get(list.grid.row()?)?.place.map(Selection::from)
    }

    fn facts(&self, _list: &ListState, _cx: &Context<'_>) -> Facts {
        Facts::default()
    }

    /// A job that the list needs.
    fn job(&mut self, _list: &ListState, _session: &Arc<Session>) -> Option<Job> {
        None
    }

    /// Handles a click that does not choose a row; `None` leaves it to the machine.
    fn click(&mut self, _at: Position, _area: Rect, _list: &mut ListState, _cx: &Context<'_>) -> Option<bool> {
        None
    }

    fn copied(&self, action: Action, list: &ListState, cx: &Context<'_>) -> Option<String> {
        // Every key comes here: rows are made for one that copies.
        if !matches!(action, Action::CopyRow | Action::CopyValue) {
            return None;
        }
        list.grid.copied_text(action, &self.rows(list, cx)?)
    }
}

/// A pane that is a list.
pub struct ListPane {
    list: ListState,
    shows: Box<dyn Shows>,
    /// True if the cursor moves between cells, too.
    by_cell: bool,
}

/// A pane that is a list, with the options of its grid.
pub(super) fn new(grid: Grid, shows: impl Shows + 'static) -> Box<dyn Pane> {
    Box::new(ListPane { list: ListState::new(grid), shows: Box::new(shows), by_cell: false })
}

/// The same, with a cursor that moves between cells.
pub(super) fn by_cell(grid: Grid, shows: impl Shows + 'static) -> Box<dyn Pane> {
    Box::new(ListPane { list: ListState::new(grid), shows: Box::new(shows), by_cell: true })
}

impl dyn Pane {
    /// The list that the pane is; `None` for a picture and for the player.
    pub fn list(&self) -> Option<&ListPane> {
        (self as &dyn Any).downcast_ref()
    }

    pub fn list_mut(&mut self) -> Option<&mut ListPane> {
        (self as &mut dyn Any).downcast_mut()
    }
}

impl ListPane {
    /// Changes the grid, given the rows as they are drawn; they may borrow from the list.
    fn change<T>(&mut self, cx: &Context<'_>, change: impl FnOnce(&mut Grid, &Rows<'_>) -> T) -> Option<T> {
        let mut grid = self.list.grid.clone();
        let answer = change(&mut grid, &self.shows.rows(&self.list, cx)?);
        self.list.grid = grid;
        Some(answer)
    }

    /// Takes what has become known, and fits the list into its part of the pane.
    fn load(&mut self, cx: &Context<'_>) {
        self.shows.load(&mut self.list, cx);
        self.fit(cx);
    }

    /// Moves the cursor past rows without cells, in the direction in which it came `from` another line.
    fn pass_blanks(&mut self, from: usize) {
        let Some((_, rows)) = self.shows.made() else { return };
        let is_down = self.list.grid.scroll.selected >= from;
        for _ in 0..2 {
            let at = self.list.grid.scroll.selected;
            if self.list.grid.row().and_then(|row| rows.get(row)).is_some_and(|row| row.cells.is_empty()) {
                self.list.grid.scroll.select(if is_down { at + 1 } else { at.saturating_sub(1) });
            }
        }
    }

    fn perform(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        self.load(cx);
        if action == Action::Follow
            && let Some(place) = self.shows.empty(&self.list, cx).and_then(|state| state.link_target())
        {
            return Some(vec![Effect::Go(place.into())]);
        }
        let own = self.shows.perform(action, &mut self.list, cx);
        if own.is_some() {
            self.fit(cx);
            return own;
        }
        if let Some(text) = self.shows.copied(action, &self.list, cx) {
            return Some(vec![Effect::copy(action, text)]);
        }
        let is_closed =
            |list: &ListState| list.grid.row().is_some_and(|row| list.has_inside(row) && !list.is_open(row));
        // The column of the cursor moves before a row is folded.
        let moves_column = match action {
            Action::Left => self.list.grid.column.is_some_and(|column| column > 0),
            Action::Right => self.by_cell && !is_closed(&self.list),
            _ => false,
        };
        let folded = if moves_column { None } else { self.list.fold_by(action) };
        let done = match folded {
            Some(done) => done,
            None if self.by_cell => self.change(cx, |grid, rows| grid.move_cursor(action, rows))?,
            None => {
                let from = self.list.grid.scroll.selected;
                let moved = self.list.grid.scroll.move_cursor(action);
                self.pass_blanks(from);
                moved
            }
        };
        self.list.grid.idle &= !done;
        if done {
            // What a list shows may depend on the row of its cursor.
            self.load(cx);
        }
        done.then(Vec::new)
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        if let Some(state) = self.shows.empty(&self.list, cx) {
            return state.link_target().is_some();
        }
        if let Some(hit) = self.shows.click(at, area, &mut self.list, cx) {
            return hit;
        }
        let area = self.shows.area(area, &self.list, cx);
        let hit = self.change(cx, |grid, rows| grid.click(at, area, rows)).unwrap_or(false);
        if !self.by_cell {
            self.list.grid.column = None;
        }
        hit
    }

    fn fit(&mut self, cx: &Context<'_>) {
        let pane = Rect::from((Position::ORIGIN, self.list.size));
        let height = self.shows.area(pane, &self.list, cx).height;
        self.change(cx, |grid, rows| grid.resize(rows, height));
    }
}

impl Pane for ListPane {
    fn title(&self, cx: &Context<'_>) -> Title {
        self.shows.title(&self.list, cx)
    }

    fn take(&mut self, input: PaneInput, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match input {
            PaneInput::Do(action) => return self.perform(action, cx),
            PaneInput::Click(at, area) => return self.click(at, area, cx).then(Vec::new),
            PaneInput::Wheel(rows, down) => self.list.grid.scroll.scroll_by(rows, down),
            PaneInput::Resize(size) => {
                self.list.size = size;
                self.list.grid.spaced = cx.zoomed;
                self.load(cx);
            }
        }
        None
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        self.load(cx);
        self.shows.show(&mut self.list, cx);
    }

    fn facts(&self, cx: &Context<'_>) -> Facts {
        self.shows.facts(&self.list, cx)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        match self.shows.empty(&self.list, cx) {
            Some(state) => state.draw(area, buf, &cx.look, &|action| cx.keys(action)),
            None => self.shows.draw(area, buf, &self.list, cx),
        }
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        self.shows.selection(&self.list, cx)
    }

    fn job(&mut self, session: &Arc<Session>) -> Option<Job> {
        self.shows.job(&self.list, session)
    }
}

/// Questions of find, filter and export.
impl ListPane {
    pub fn grid(&self) -> &Grid {
        &self.list.grid
    }

    pub fn grid_mut(&mut self) -> &mut Grid {
        &mut self.list.grid
    }

    /// The rows as the pane draws them; `None` where it draws none, or draws them without the grid.
    pub fn drawn<'c>(&'c self, cx: &Context<'c>) -> Option<Rows<'c>> {
        self.shows.rows(&self.list, cx)
    }

    /// All rows, for a worker; `None` where they cannot be searched yet.
    pub fn row_source(&self, cx: &Context<'_>) -> Option<RowSource> {
        self.shows.source(&self.list, cx)
    }

    /// The reason why there is no row source.
    pub fn unavailable_reason(&self, cx: &Context<'_>) -> String {
        let said = self.shows.empty(&self.list, cx);
        let why = said.as_ref().and_then(EmptyState::first_sentence);
        why.map_or_else(|| "nothing to search yet".to_owned(), |why| format!("nothing to search. {}", visible(why)))
    }

    /// Moves the cursor to a row or the nearest visible one; what it expands is collapsed again, unless
    /// [`Self::keep_position`] follows.
    pub fn reveal(&mut self, row: usize) {
        self.list.peek(row);
    }

    /// Keeps what was expanded for the cursor.
    pub fn keep_position(&mut self) {
        self.list.folds.keep_open();
    }

    /// Shows the rows that match the filter; `another` tells whether the filter has changed.
    pub fn apply_filter(&mut self, another: bool, cx: &Context<'_>) {
        let rows = self.row_source(cx).and_then(|source| Some(source(cx.session)?.len)).unwrap_or(0);
        self.list.grid.list_filter.update_remaining();
        self.list.apply_filter(another, rows);
    }

    /// Returns whether a row is visible or can be made so.
    pub fn can_show(&self, row: usize) -> bool {
        self.list.can_show(row)
    }
}
