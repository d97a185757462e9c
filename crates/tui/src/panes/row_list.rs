//! A list whose rows are at hand, in a grid: the part that panes with such a list share.

use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::panes::pane::{Context, List, grid};
use crate::ui::grid::Grid;
use crate::ui::list_filter::{ListFilter, RowSource};
use pdblens_nodes::rows::{Head, Row, Rows};

#[derive(Default)]
pub(super) struct RowList {
    pub(super) grid: Grid,
    columns: &'static [Head],
    rows: Arc<Vec<Row>>,
    height: u16,
    pub(super) hidden: Vec<usize>,
}

impl RowList {
    pub(super) fn new(columns: &'static [Head]) -> Self {
        let grid = Grid { headless: true, ..Grid::default() };
        Self { grid, columns, ..Self::default() }
    }

    /// An empty list with the names of its columns above it.
    pub(super) fn headed(columns: &'static [Head]) -> Self {
        let mut list = Self::new(columns);
        list.grid.headless = false;
        list
    }

    /// An empty list whose rows are wrapped where there is room for that.
    pub(super) fn unfolding(columns: &'static [Head]) -> Self {
        let mut list = Self::new(columns);
        list.grid.unfolds = true;
        list
    }

    /// Replaces the rows; the filter ends.
    pub(super) fn set(&mut self, rows: Vec<Row>) {
        self.grid.list_filter = ListFilter::default();
        self.replace(rows);
    }

    /// Replaces the rows by others that the filter also fits.
    pub(super) fn replace(&mut self, rows: Vec<Row>) {
        self.rows = Arc::new(rows);
        self.resize(self.height);
    }

    pub(super) fn resize(&mut self, height: u16) {
        self.height = height;
        let rows = self.shown();
        self.grid.resize(&rows, height);
    }

    pub(super) fn shown(&self) -> Rows<'static> {
        let mut rows = Rows::shared(self.columns, &self.rows);
        rows.hidden.clone_from(&self.hidden);
        if self.grid.headless {
            // The names of the columns are for exports.
            rows.columns.iter_mut().for_each(|head| head.name = "");
        }
        rows
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn chosen(&self) -> Option<&Row> {
        self.rows.get(self.grid.row()?)
    }

    /// Moves the cursor to a position of the mouse; false where there is no row.
    pub(super) fn click(&mut self, at: Position, area: Rect) -> bool {
        let rows = self.shown();
        let hit = self.grid.click(at, area, &rows);
        self.grid.column = None;
        hit
    }

    pub(super) fn copied_text(&self, action: Action, column: usize) -> Option<String> {
        let row = self.chosen()?;
        match action {
            Action::CopyRow => Some(row.tabbed()),
            Action::CopyValue => row.cells.get(column).map(|cell| cell.text.clone()),
            _ => None,
        }
    }
}

impl List for RowList {
    grid!(grid);

    fn drawn<'c>(&'c self, _: &Context<'c>) -> Option<Rows<'c>> {
        Some(self.shown())
    }

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let (rows, columns) = (Arc::clone(&self.rows), self.columns);
        Some(Arc::new(move |_| Some(Rows::shared(columns, &rows))))
    }
}
