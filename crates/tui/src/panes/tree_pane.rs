//! The base of panes that show a tree or list of known length, defined by a [`TreeDef`].

use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::engine::jobs::{JobHandle, Queue};
use crate::panes::pane::{Context, Facts, List, Pane, ability, click_row, fit, grid};
use crate::panes::tree_def::TreeDef;
use crate::panes::tree_rows::TreeRows;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::state::selection::Selection;
use crate::state::view::ViewDef;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::sort::Sort;
use crate::ui::text::put_note;
use crate::ui::tree::{DepthTree, Nesting, TreeGrid};
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Row, Rows};
use pdblens_session::session::Session;

struct TreePane {
    def: &'static TreeDef,
    tree: TreeGrid<DepthTree>,
    size: Size,
    table: TreeRows,
    /// The order of siblings, and the rows without it.
    sort: Option<Sort>,
    unsorted: Option<TreeRows>,
    loaded: bool,
    /// The place that was selected last, once its row was shown.
    revealed: Option<Place>,
    asked: bool,
    making: JobHandle,
    inbox: Arc<Mutex<Option<TreeRows>>>,
    paths: Arc<Paths>,
    views: &'static [ViewDef],
}

pub fn new(def: &'static TreeDef) -> Box<dyn Pane> {
    Box::new(TreePane {
        def,
        tree: TreeGrid {
            grid: Grid { flush: def.flush, unfolds: !def.flush, ..Grid::default() },
            ..TreeGrid::default()
        },
        size: Size::ZERO,
        table: TreeRows::default(),
        sort: None,
        unsorted: None,
        loaded: false,
        revealed: None,
        asked: false,
        making: JobHandle::default(),
        inbox: Arc::default(),
        paths: Arc::default(),
        views: &[],
    })
}

impl TreePane {
    fn load(&mut self, cx: &Context<'_>) {
        let session = cx.session;
        self.views = cx.views;
        let made = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
        let now = || (!self.loaded && !(self.def.is_large)(session)).then(|| self.def.make_rows(session, self.views));
        let Some(table) = made.or_else(now) else { return };
        self.set_table(table);
    }

    /// Replaces the rows; the cursor stays on its place.
    fn set_table(&mut self, table: TreeRows) {
        let chosen = self.chosen().and_then(|row| row.place);
        let sorted = self.sort.map(|sort| table.sorted(sort, self.def.folds));
        let (table, unsorted) = match sorted {
            Some(sorted) => (sorted, Some(table)),
            None => (table, None),
        };
        self.unsorted = unsorted;
        let starts_closed = |row: &Row| self.def.folds && (self.def.starts_closed)(row);
        let closed = table.closed_as(&self.table, &self.tree.folds.closed, &starts_closed);
        (self.loaded, self.table) = (true, table);
        self.tree.folds.closed = closed;
        self.tree.tree = Arc::clone(&self.table.nested);
        self.tree.grid.list_filter.restart();
        self.tree.update_rows();
        if let Some(index) = chosen.and_then(|place| self.table.places.get(&place)) {
            self.tree.reveal(*index);
        }
    }

    /// Sorts siblings by their numbers: the other way, or no longer, if they are sorted already. The cursor moves to the first of
    /// its siblings, on a heading to the first row in it.
    fn sort_siblings(&mut self) -> bool {
        let Some(column) = self.def.sort else { return false };
        let table = self.unsorted.take().unwrap_or_else(|| self.table.clone());
        self.sort = Sort::next(self.sort, column, true);
        self.set_table(table);
        if self.sort.is_some()
            && let Some(row) = self.tree.grid.row()
        {
            let parent = if self.folds(row) && self.tree.tree.parent(row).is_none() {
                Some(row)
            } else {
                self.tree.tree.parent(row)
            };
            self.tree.reveal(parent.map_or(0, |parent| parent + 1));
        }
        true
    }

    fn folds(&self, index: usize) -> bool {
        self.def.folds && self.tree.tree.folds(index)
    }

    /// The row of a place or of its nearest ancestor.
    fn row_of(&self, session: &Session, place: Place) -> Option<usize> {
        let known = |place: Place| {
            let other = (self.def.substitute)(session, place);
            self.table.places.get(&place).or_else(|| self.table.places.get(&other?)).copied()
        };
        std::iter::successors(Some(place), |place| place.parent())
            .take_while(|at| *at != Place::Overview)
            .find_map(known)
    }

    fn chosen(&self) -> Option<&Row> {
        self.table.rows.get(self.tree.grid.row()?)
    }

    /// All rows, with the symbols of collapsed and expanded ones.
    fn shown<'c>(&'c self, cx: &Context<'c>) -> Rows<'c> {
        let (open, closed) = (cx.look.glyphs.open, cx.look.glyphs.closed);
        let narrow = (self.size.width < self.def.narrow.0).then_some(self.def.narrow.1);
        let mut rows = Rows::new("", self.def.columns.to_vec(), self.table.rows.len(), move |index| {
            let Some(mut row) = self.table.rows.get(index).cloned() else { return Row::default() };
            if let (true, Some(cell)) = (self.def.folds, row.cells.first_mut()) {
                let sign = match self.folds(index) {
                    true if self.tree.is_open(index) => open,
                    true => closed,
                    false => " ",
                };
                if self.table.depths.contains(&row.depth) {
                    cell.text = format!("{sign} {}", cell.text);
                }
                // Children without a symbol are indented by its width.
                let inside = row.depth.checked_sub(1).is_some_and(|above| self.table.mixed.contains(&above));
                if inside && !self.table.depths.contains(&row.depth) {
                    cell.text.insert_str(0, "  ");
                }
            }
            row
        });
        rows.narrow = narrow;
        rows
    }

    fn rows_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        if self.making.is_pending() || !(self.def.is_large)(session) {
            return None;
        }
        let (session, inbox, def) = (Arc::clone(session), Arc::clone(&self.inbox), self.def);
        let views = self.views;
        let job = Job::new(format!("reading the {}", def.name.to_lowercase()), def.name, move |_| {
            *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(def.make_rows(&session, views));
            Msg::PaneReady
        });
        self.making = job.handle();
        Some(job)
    }

    fn pass_blanks(&mut self, from: usize) {
        let blank = |list: &Self| list.chosen().is_some_and(|row| row.cells.is_empty());
        let scroll = |list: &mut Self| list.tree.grid.scroll.selected;
        let down = scroll(self) >= from;
        for _ in 0..2 {
            if blank(self) {
                let at = scroll(self);
                self.tree.grid.scroll.select(if down { at + 1 } else { at.saturating_sub(1) });
            }
        }
    }
}

impl Pane for TreePane {
    fn title(&self, cx: &Context<'_>) -> Title {
        let scroll = &self.tree.grid.scroll;
        let column = |sort: Sort| self.def.columns.get(sort.column).map_or("", |head| head.name);
        let by = self.sort.map_or(String::new(), |sort| sort.label(column(sort), cx.look.glyphs));
        let at = if scroll.len > 0 { format!("{}/{}", scroll.selected + 1, scroll.len) } else { String::new() };
        Title::new(self.def.name).of(by).at(at)
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        self.load(cx);
        let from = self.tree.grid.scroll.selected;
        let folds = self.def.folds;
        let done = match action {
            Action::Left if folds => self.tree.fold(Some(false)),
            Action::Right if folds => self.tree.fold(Some(true)),
            Action::Follow => {
                let leads = match self.chosen().and_then(|row| row.place) {
                    Some(place) => (self.def.on_enter)(cx.session, place),
                    None => {
                        self.tree.grid.row().and_then(|row| (self.def.on_heading)(cx.session, &self.table.rows, row))
                    }
                };
                match leads {
                    Some(effect) => return Some(vec![effect]),
                    None => folds && self.tree.fold(None),
                }
            }
            Action::Sort => self.sort_siblings(),
            Action::ExpandAll | Action::CollapseAll if folds => {
                self.tree.fold_all(action == Action::ExpandAll);
                true
            }
            _ => self.tree.grid.scroll.move_cursor(action, count),
        };
        self.tree.grid.idle &= !done;
        self.pass_blanks(from);
        done.then(Vec::new)
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        if !Arc::ptr_eq(&self.paths, cx.paths) {
            // The old rows are shown until the new ones are found.
            self.paths = Arc::clone(cx.paths);
            self.asked = false;
        }
        self.load(cx);
        // A place may have several rows: the cursor stays where its row has the same place.
        let place = cx.selected.selection.place;
        // A row that is hidden stays so when only something else has changed.
        if self.chosen().and_then(|row| row.place) == Some(place) {
            self.revealed = Some(place);
        } else if self.revealed != Some(place)
            && let Some(index) = self.row_of(cx.session, place)
        {
            self.revealed = Some(place);
            self.tree.reveal(index);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.load(cx);
        self.size = size;
        fit(self, size, cx);
    }

    fn facts(&self, _: &Context<'_>) -> Facts {
        // Lists that do not fold are no navigation.
        let width = if self.def.folds { self.table.width } else { 0 };
        Facts {
            content_size: ContentSize { width, ..ContentSize::default() },
            sorts: self.def.sort.is_some(),
            ..Facts::default()
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if !self.loaded {
            let text = format!("reading the {} {}", self.def.name.to_lowercase(), cx.look.glyphs.more);
            put_note(buf, area, &text, &cx.look);
            return None;
        }
        if self.table.rows.is_empty() {
            put_note(buf, area, &(self.def.empty_text)(cx.session), &cx.look);
            return None;
        }
        self.tree.grid.draw(buf, area, &self.shown(cx), &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        let row = self.chosen()?;
        let place = row.place.or(row.span.map(Place::Bytes))?;
        Some(Selection { place, part: row.span })
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let hit = click_row(self, at, area, cx);
        self.tree.grid.column = None;
        hit
    }

    ability!(List);

    fn background_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        if !self.loaded {
            return self.rows_job(session);
        }
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let later = self.def.refinement?;
        let (session, inbox, folds) = (Arc::clone(session), Arc::clone(&self.inbox), self.def.folds);
        let (paths, views) = (Arc::clone(&self.paths), self.views);
        let job = Job::new(later.label, later.slot, move |token| {
            if let Some(rows) = (later.rows)(&session, &paths, views, token) {
                *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(TreeRows::new(rows, folds));
            }
            Msg::PaneReady
        });
        Some(job.on(Queue::Background))
    }

    fn copied_text(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let row = self.chosen()?;
        match action {
            Action::CopyRow => Some(row.tabbed()),
            Action::CopyValue => row.cells.last().map(|cell| cell.text.clone()),
            _ => None,
        }
    }
}

impl List for TreePane {
    grid!(tree.grid);

    fn drawn<'c>(&'c self, cx: &Context<'c>) -> Option<Rows<'c>> {
        Some(self.shown(cx))
    }

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let columns = if self.def.exported.is_empty() { self.def.columns } else { self.def.exported };
        let rows = Arc::clone(&self.table.rows);
        Some(Arc::new(move |_| Some(Rows::shared(columns, &rows))))
    }

    fn reveal(&mut self, row: usize) {
        self.tree.peek(row);
    }

    fn keep_position(&mut self) {
        self.tree.folds.keep_open();
    }

    fn apply_filter(&mut self, another: bool, _: &Context<'_>) {
        if another { self.tree.filter_changed() } else { self.tree.update_rows() }
    }

    fn can_show(&self, row: usize) -> bool {
        self.tree.can_show(row)
    }
}
