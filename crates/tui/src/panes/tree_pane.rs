//! The base of panes that show a tree or list of known length, defined by a [`TreeDef`].

use std::sync::Arc;

use crate::engine::action::Action;
use crate::engine::jobs::Queue;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::panes::tree_def::TreeDef;
use crate::panes::tree_rows::TreeRows;
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job};
use crate::state::paths::Paths;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::sort::Sort;
use crate::ui::tree::{ListState, Nesting};
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Head, Row, Rows};
use pdblens_session::session::Session;

struct TreePane {
    def: &'static TreeDef,
    table: TreeRows,
    /// The order of siblings, and the number of each row without it.
    sort: Option<Sort>,
    order: Vec<u32>,
    loaded: bool,
    /// The place that was selected last, once its row was shown.
    revealed: Option<Place>,
    asked: bool,
    found: Inbox<TreeRows>,
    paths: Arc<Paths>,
}

pub fn new(def: &'static TreeDef) -> Box<dyn Pane> {
    let shows = TreePane {
        def,
        table: TreeRows::default(),
        sort: None,
        order: Vec::new(),
        loaded: false,
        revealed: None,
        asked: false,
        found: Inbox::default(),
        paths: Arc::default(),
    };
    list_pane::new(Grid { flush: def.flush, uneven: def.flush, unfolds: !def.flush, ..Grid::default() }, shows)
}

impl TreePane {
    /// Replaces the rows; the cursor stays on its place.
    fn set_table(&mut self, table: TreeRows, list: &mut ListState, session: &Session) {
        let chosen = self.chosen(list).and_then(|row| row.place);
        list.folds.closed = table.closed_as(&self.table, &list.folds.closed, self.def.starts_closed);
        (self.loaded, self.table, self.order) = (true, table, Vec::new());
        self.sort_table(list, session);
        self.show_table(chosen, list);
    }

    /// Moves the rows to the order of their siblings.
    fn sort_table(&mut self, list: &mut ListState, session: &Session) {
        if let Some(sort) = self.sort {
            let order = self.table.order(sort, &|row| self.def.whole(session, row));
            self.move_rows(&order, list);
            self.order = order;
        }
    }

    fn move_rows(&mut self, order: &[u32], list: &mut ListState) {
        (self.table, list.folds.closed) = std::mem::take(&mut self.table).ordered(order, &list.folds.closed);
    }

    fn show_table(&self, chosen: Option<Place>, list: &mut ListState) {
        list.grid.list_filter.restart();
        list.set_tree(self.table.nested.clone());
        if let Some(index) = chosen.and_then(|place| self.table.places.get(&place)) {
            list.reveal(*index);
        }
    }

    /// Sorts siblings by their numbers: the other way, or no longer, if they are sorted already. The cursor moves to the first of
    /// its siblings, on a heading to the first row in it.
    fn sort_siblings(&mut self, column: usize, list: &mut ListState, session: &Session) {
        let chosen = self.chosen(list).and_then(|row| row.place);
        if self.sort.is_some() {
            let order = std::mem::take(&mut self.order);
            let mut back = vec![0; order.len()];
            (0..).zip(order).for_each(|(line, row)| back[row as usize] = line);
            self.move_rows(&back, list);
        }
        self.sort = Sort::next(self.sort, column, true);
        self.sort_table(list, session);
        self.show_table(chosen, list);
        if self.sort.is_some()
            && let Some(row) = list.grid.row()
        {
            let (above, nested) = (self.table.nested.parent(row), &self.table.nested);
            let parent = above.or_else(|| nested.folds(row).then_some(row));
            list.reveal(parent.map_or(0, |parent| parent + 1));
        }
        list.grid.idle = false;
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

    fn chosen(&self, list: &ListState) -> Option<&Row> {
        self.table.rows.get(list.grid.row()?)
    }

    fn rows_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        if self.found.is_pending() || !(self.def.is_large)(session) {
            return None;
        }
        let (session, def) = (Arc::clone(session), self.def);
        let label = format!("reading the {}", def.name.to_lowercase());
        Some(self.found.job(label, def.name, move |_| Some(def.make_rows(&session))))
    }
}

impl Shows for TreePane {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let scroll = &list.grid.scroll;
        let column = |sort: Sort| self.def.columns.get(sort.column).map_or("", |head| head.name);
        let by = self.sort.map_or(String::new(), |sort| sort.label(column(sort), cx.look.glyphs));
        let at = if scroll.len > 0 { format!("{}/{}", scroll.selected + 1, scroll.len) } else { String::new() };
        Title::new(self.def.name).of(by).at(at)
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let session = cx.session;
        if !Arc::ptr_eq(&self.paths, cx.paths) {
            // The old rows are shown until the new ones are found.
            self.paths = Arc::clone(cx.paths);
            self.asked = false;
        }
        let now = || (!self.loaded && !(self.def.is_large)(session)).then(|| self.def.make_rows(session));
        if let Some(table) = self.found.take().or_else(now) {
            self.set_table(table, list, session);
        }
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        // A place may have several rows: the cursor stays where its row has the same place.
        let Selection { place, part } = cx.selected.selection;
        // A function of the map is in its section, one of a list in the list.
        let of_code = || part.filter(|_| matches!(place, Place::Function(_))).map(Place::Bytes);
        let row =
            || of_code().and_then(|code| self.row_of(cx.session, code)).or_else(|| self.row_of(cx.session, place));
        // A row that is hidden stays so when only something else has changed.
        if self.chosen(list).and_then(|row| row.place) == Some(place) {
            self.revealed = Some(place);
        } else if self.revealed != Some(place)
            && let Some(index) = row()
        {
            self.revealed = Some(place);
            list.reveal(index);
        }
    }

    /// All rows, with the symbols of collapsed and expanded ones.
    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        let (session, open, closed) = (cx.session, cx.look.glyphs.open, cx.look.glyphs.closed);
        let narrow = (list.size.width < self.def.narrow.0).then_some(self.def.narrow.1);
        let mut rows = Rows::new("", self.def.columns.to_vec(), self.table.rows.len(), move |index| {
            let Some(row) = self.table.rows.get(index) else { return Row::default() };
            let mut row = self.def.whole(session, row);
            if let Some(cell) = row.cells.first_mut() {
                let sign = match list.has_inside(index) {
                    true if list.is_open(index) => open,
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
        rows.hidden.clone_from(&self.table.empty);
        Some(rows)
    }

    /// The cells that a row has until it is looked at.
    fn made(&self) -> Option<(&'static [Head], &Arc<Vec<Row>>)> {
        Some((self.def.columns, &self.table.rows))
    }

    fn source(&self, _: &ListState, _: &Context<'_>) -> Option<RowSource> {
        let (def, all) = (self.def, Arc::clone(&self.table.rows));
        let columns = if def.exported.is_empty() { def.columns } else { def.exported };
        Some(Arc::new(move |session| {
            let (all, len) = (Arc::clone(&all), all.len());
            let row = move |index: usize| all.get(index).map_or_else(Row::default, |row| def.whole(session, row));
            Some(Rows::new("", columns.to_vec(), len, row))
        }))
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Follow => {
                let leads = match self.chosen(list)?.place {
                    Some(place) => (self.def.on_enter)(cx.session, place),
                    None => (self.def.on_heading)(cx.session, &self.table.rows, list.grid.row()?),
                };
                leads.map(|effect| vec![effect])
            }
            Action::Sort => {
                self.sort_siblings(self.def.sort?, list, cx.session);
                Some(Vec::new())
            }
            _ => None,
        }
    }

    fn facts(&self, _: &ListState, _: &Context<'_>) -> Facts {
        Facts {
            content_size: ContentSize { width: self.table.width, ..ContentSize::default() },
            sorts: self.def.sort.is_some(),
            ..Facts::default()
        }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        let text = match self.loaded {
            false => format!("reading the {} {}", self.def.name.to_lowercase(), cx.look.glyphs.more),
            true if self.table.rows.is_empty() => (self.def.empty_text)(cx.session),
            true => return None,
        };
        Some(text.into())
    }

    fn selection(&self, list: &ListState, _: &Context<'_>) -> Option<Selection> {
        let row = self.chosen(list)?;
        let place = row.place.or(row.span.map(Place::Bytes))?;
        Some(Selection { place, part: row.span })
    }

    fn job(&mut self, _: &ListState, session: &Arc<Session>) -> Option<Job> {
        if !self.loaded {
            return self.rows_job(session);
        }
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let later = self.def.refinement?;
        let (session, paths, def) = (Arc::clone(session), Arc::clone(&self.paths), self.def);
        let job = self.found.job(later.label, later.slot, move |token| {
            let rows = (later.rows)(&session, &paths, token)?;
            Some(TreeRows::new(rows, def.columns.len(), &|row| def.whole(&session, row)))
        });
        Some(job.on(Queue::Background))
    }

    fn copied(&self, action: Action, list: &ListState, cx: &Context<'_>) -> Option<String> {
        // Every key comes here: the row is made for one that copies.
        let row = || Some(self.def.whole(cx.session, self.chosen(list)?));
        match action {
            Action::CopyRow => Some(row()?.tabbed()),
            Action::CopyValue => row()?.cells.last().map(|cell| cell.text.clone()),
            _ => None,
        }
    }
}
