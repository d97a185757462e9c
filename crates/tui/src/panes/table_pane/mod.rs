//! The base of panes that show the rows of a table, heap or stream.
//!
//! Only visible rows are made, so that a table of a million rows shows at once. Searching, sorting and
//! indexing need all rows and are jobs.

mod constants;

use std::collections::VecDeque;
use std::sync::Arc;

use ratatui::layout::{Position, Rect, Size};

use self::constants::ConstantColumns;
use crate::engine::action::Action;
use crate::engine::jobs::JobHandle;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job, Msg, index_job};
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::list_filter::RowSource;
use crate::ui::sort::{Order, Sort};
use crate::ui::text::width;
use crate::ui::tree::ListState;
use pdblens_nodes::lazy_index::LazyIndex;
use pdblens_nodes::rows::{Row, Rows, Tone};
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

/// The length up to which a row is searched for by scanning the list.
const SCAN_LIMIT: usize = 5000;
/// Cells that a title keeps for the order of the rows, and for the spaces and signs between its parts.
const SORT_LABEL: usize = 26;
const SIGNS: usize = 10;
/// Filtered and sorted lists that are remembered, and the rows that their orders and matches have together.
const MAX_REMEMBERED: usize = 16;
const MAX_REMEMBERED_ROWS: usize = 1 << 18;

pub struct TableDef {
    /// The list that shows a place.
    pub list: fn(&Session, Place) -> Option<Place>,
    /// The list inside a row of another list, which Enter opens.
    pub inside: fn(&Session, Place) -> Option<Place>,
    pub rows: for<'s> fn(&'s Session, Place) -> Option<Rows<'s>>,
    pub empty_text: fn(&Session) -> String,
}

struct TablePane {
    def: &'static TableDef,
    of: Option<Place>,
    sorting: Sorting,
    /// Filtered and sorted lists that are not shown.
    kept: VecDeque<LeftList>,
    size: Size,
    constants: ConstantColumns,
    /// The last index that was requested, and its job.
    asked: Option<(LazyIndex, JobHandle)>,
    /// The target of the last Enter: a list inside a row is opened then.
    follows: Option<Place>,
}

/// A list that is not shown: it keeps filter, order and cursor.
type LeftList = (Place, Grid, Sorting);

/// The order of the rows, which a job makes.
#[derive(Default)]
struct Sorting {
    sort: Option<Sort>,
    order: Option<Arc<Order>>,
    /// True once the job was started: one that was cancelled is not started again.
    asked: bool,
    found: Inbox<Order>,
}

pub fn new(def: &'static TableDef) -> Box<dyn Pane> {
    let shows = TablePane {
        def,
        of: None,
        sorting: Sorting::default(),
        kept: VecDeque::new(),
        size: Size::ZERO,
        constants: ConstantColumns::default(),
        asked: None,
        follows: None,
    };
    list_pane::by_cell(Grid::default(), shows)
}

impl TablePane {
    /// The index required before rows can be listed. References to heap entries are filled in later.
    fn required_index(&self, session: &Session) -> Option<LazyIndex> {
        nodes::required_index(session, self.of?).filter(|required| !required.is_optional())
    }

    fn listed<'s>(&self, session: &'s Session) -> Option<Rows<'s>> {
        if self.required_index(session).is_some() {
            return None;
        }
        let mut rows = in_order((self.def.rows)(session, self.of?)?, self.sorting.order.as_ref());
        let constant = self.constants.fitting(self.title_room(&rows)).map(|(column, _)| *column);
        rows.hidden.extend(constant);
        Some(rows)
    }

    /// The rows as they are drawn: in groups where all of them are shown.
    fn drawn<'s>(&self, list: &ListState, session: &'s Session) -> Option<Rows<'s>> {
        let mut rows = self.listed(session)?;
        if list.grid.list_filter.filter.is_some() {
            // A match may be in what a heading says for its rows.
            rows.groups = None;
        }
        rows.hidden.extend(rows.groups.as_ref().filter(|groups| groups.hides).map(|groups| groups.column));
        Some(rows)
    }

    /// Cells that the title leaves for the values of constant columns.
    fn title_room(&self, rows: &Rows<'_>) -> usize {
        let sort = if self.sorting.sort.is_some() { SORT_LABEL } else { 0 };
        let others = width(&rows.title) + 2 * rows.len.to_string().len() + SIGNS + sort;
        (self.size.width as usize).saturating_sub(others)
    }

    /// Sorts by the column of the cursor: the other way, or no longer, if it is sorted by that already. The cursor moves to the
    /// first row, and stays on its own where the order of the file comes back.
    fn sort(&mut self, list: &mut ListState, session: &Session) -> Option<Effect> {
        let column = list.grid.column.unwrap_or(0);
        let head = *self.listed(session)?.columns.get(column)?;
        let sort = Sort::next(self.sorting.sort, column, head.right);
        let selected = self.listed(session)?.get(list.grid.row()?)?.place;
        (self.sorting.sort, self.sorting.found) = (sort, Inbox::default());
        match sort {
            None => self.take_order(list, session, None, selected),
            Some(sort) => {
                // A long list is sorted by a job.
                let rows = (self.def.rows)(session, self.of?)?;
                let order = (rows.len <= SCAN_LIMIT).then(|| sort.order(&rows, &|| false)).flatten();
                drop(rows);
                self.sorting.asked = order.is_some();
                if order.is_some() {
                    self.take_order(list, session, order, None);
                }
            }
        }
        sort.is_none().then(|| Effect::SetStatus(Tone::Dim, "in the order of the file".to_owned()))
    }

    /// Shows the rows in an order; the cursor moves to the row of `selected`, or to the first one.
    fn take_order(&mut self, list: &mut ListState, session: &Session, order: Option<Order>, selected: Option<Place>) {
        self.sorting.order = order.map(Arc::new);
        let rows = self.listed(session).map_or(0, |rows| rows.len);
        list.grid.list_filter.restart();
        list.grid.apply(None, rows);
        let row = selected.and_then(|place| self.row_of(session, place));
        list.grid.show(Some(row.unwrap_or_else(|| list.grid.list_filter.row(0).unwrap_or(0))));
    }

    fn sort_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        let (sort, of) = (self.sorting.sort?, self.of?);
        if self.sorting.asked || self.required_index(session).is_some() {
            return None;
        }
        self.sorting.asked = true;
        let (session, rows) = (Arc::clone(session), self.def.rows);
        Some(self.sorting.found.job_with("sorting", "sort", move |token| {
            let order = rows(&session, of).and_then(|rows| sort.order(&rows, &|| token.is_cancelled()));
            (order, Msg::ListSorted)
        }))
    }

    /// Shows a list; nothing where it is shown already.
    fn open(&mut self, place: Option<Place>, list: &mut ListState) {
        let Some(of) = place.filter(|of| self.of != Some(*of)) else { return };
        let grid = std::mem::take(&mut list.grid);
        let sorting = std::mem::take(&mut self.sorting);
        if let Some(list) = self.of
            && (grid.list_filter.filter.is_some() || sorting.order.is_some())
        {
            remember(&mut self.kept, (list, grid, sorting));
        }
        let known = self.kept.iter().position(|(list, ..)| *list == of);
        if let Some((_, grid, sorting)) = known.and_then(|at| self.kept.remove(at)) {
            (list.grid, self.sorting) = (grid, sorting);
        }
        self.of = Some(of);
    }

    /// Looks at the columns that have one value, and fits the list into its pane.
    fn fit(&mut self, list: &mut ListState, session: &Session) {
        let mut constants = std::mem::take(&mut self.constants);
        match self.listed(session).zip(self.of) {
            // A cell may change as long as an index is read.
            Some((_, of)) if nodes::required_index(session, of).is_some() => constants.forget(),
            Some((rows, of)) => constants.look_at((of, std::ptr::from_ref(session) as usize, rows.len), &rows),
            None => constants.forget(),
        }
        self.constants = constants;
        match self.drawn(list, session) {
            Some(rows) => list.grid.resize(&rows, list.size.height),
            None => list.grid.scroll.set_len(0),
        }
    }

    /// The row of a place or of its nearest ancestor.
    fn row_of(&self, session: &Session, place: Place) -> Option<usize> {
        let rows = self.listed(session)?;
        // Where a row is known by its place, one that is not known is in another list.
        let is_known = |row: Row| row.place.is_some_and(|place| self.known_row(session, place).is_some());
        let scans = rows.len < SCAN_LIMIT && !rows.get(0).is_some_and(is_known);
        let up = std::iter::successors(Some(place), |place| place.parent()).take_while(|place| Some(*place) != self.of);
        up.into_iter().find_map(|place| {
            let known = self.known_row(session, place).filter(|row| *row < rows.len);
            if known.is_none() && scans { rows.position(place) } else { known }
        })
    }

    /// The row of a place of the list, by arithmetic.
    fn known_row(&self, session: &Session, place: Place) -> Option<usize> {
        let row = nodes::row_of(session, self.of?, place)?;
        self.sorting.order.as_ref().map_or(Some(row), |order| order.line(row))
    }
}

/// Adds a list, and forgets those that were left first once there are too many.
fn remember(kept: &mut VecDeque<LeftList>, list: LeftList) {
    kept.push_back(list);
    let rows = |(_, grid, sorting): &LeftList| {
        grid.list_filter.held_rows() + sorting.order.as_ref().map_or(0, |order| order.len())
    };
    while kept.len() > MAX_REMEMBERED || kept.iter().map(rows).sum::<usize>() > MAX_REMEMBERED_ROWS {
        kept.pop_front();
    }
}

/// The rows in an order, where it is one of as many.
fn in_order<'s>(rows: Rows<'s>, order: Option<&Arc<Order>>) -> Rows<'s> {
    match order.filter(|order| order.len() == rows.len).cloned() {
        Some(order) => rows.reordered(move |line| order.row(line).unwrap_or(line)),
        None => rows,
    }
}

impl Shows for TablePane {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let Some(rows) = self.listed(cx.session) else { return Title::new("Rows") };
        let at = if rows.len > 0 { format!("{}/{}", list.grid.scroll.selected + 1, rows.len) } else { String::new() };
        let column = |sort: Sort| rows.columns.get(sort.column).map_or("", |head| head.name);
        let by = self.sorting.sort.map_or(String::new(), |sort| sort.label(column(sort), cx.look.glyphs));
        let of_all: Vec<&str> =
            self.constants.fitting(self.title_room(&rows)).map(|(_, value)| value.as_str()).collect();
        let said: Vec<&str> = of_all.into_iter().chain([by.as_str()]).filter(|said| !said.is_empty()).collect();
        Title::new(rows.title.as_str()).of(said.join(&format!(" {} ", cx.look.glyphs.dot))).at(at)
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let before = std::mem::replace(&mut self.size, list.size);
        self.fit(list, cx.session);
        // The cursor may be outside of the window before the first size.
        if before != self.size && !list.grid.scroll.window().contains(&list.grid.scroll.selected) {
            list.grid.scroll.center();
        }
    }

    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        self.drawn(list, cx.session)
    }

    fn source(&self, _: &ListState, cx: &Context<'_>) -> Option<RowSource> {
        if self.required_index(cx.session).is_some() {
            return None;
        }
        let (of, order, rows) = (self.of?, self.sorting.order.clone(), self.def.rows);
        Some(Arc::new(move |session| Some(in_order(rows(session, of)?, order.as_ref()))))
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Sort => Some(self.sort(list, cx.session).into_iter().collect()),
            Action::Follow => {
                let to = list.grid.link_target(&self.listed(cx.session)?)?;
                self.follows = Some(to);
                Some(vec![Effect::Go(to.into())])
            }
            _ => None,
        }
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let place = cx.selected.selection.place;
        let order = self.sorting.found.take();
        if order.is_some() {
            return self.take_order(list, cx.session, order, None);
        }
        // A row that is a list itself is opened by Enter only.
        let on_it = |row: Row| row.place == Some(place);
        let here = self.listed(cx.session).and_then(|rows| rows.get(list.grid.row()?)).is_some_and(on_it);
        let inside = (self.follows.take() == Some(place)).then(|| (self.def.inside)(cx.session, place)).flatten();
        if inside.is_some() || !here {
            self.open(inside.or_else(|| (self.def.list)(cx.session, place)), list);
        }
        self.fit(list, cx.session);
        // The cursor may have moved there already.
        let row = if here && inside.is_none() { list.grid.row() } else { self.row_of(cx.session, place) };
        if let Some(row) = row {
            list.grid.show(Some(row));
            // Headings may take more lines there.
            self.fit(list, cx.session);
        }
    }

    fn facts(&self, _: &ListState, _: &Context<'_>) -> Facts {
        Facts { sorts: self.of.is_some(), ..Facts::default() }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        let text = match (self.listed(cx.session), self.required_index(cx.session), self.of) {
            (Some(rows), ..) if rows.len > 0 => return None,
            (Some(_), ..) => "no rows".to_owned(),
            (None, Some(required), _) => format!("reading {required} {}", cx.look.glyphs.more),
            (None, None, None) => (self.def.empty_text)(cx.session),
            (None, None, Some(place)) => nodes::absence(cx.session, place),
        };
        Some(text.into())
    }

    fn selection(&self, list: &ListState, cx: &Context<'_>) -> Option<Selection> {
        let row = self.listed(cx.session)?.get(list.grid.row()?)?;
        match (row.place, row.span) {
            (Some(place), _) => Some(place.into()),
            // The row is a part of the listed place.
            (None, Some(span)) => Some(Selection { place: self.of?, part: Some(span) }),
            (None, None) => None,
        }
    }

    /// Sorts by the column whose name is clicked.
    fn click(&mut self, at: Position, area: Rect, list: &mut ListState, cx: &Context<'_>) -> Option<bool> {
        let head = self.listed(cx.session).and_then(|rows| list.grid.head_at(at, area, &rows))?;
        list.grid.column = Some(head);
        self.sort(list, cx.session);
        Some(true)
    }

    fn job(&mut self, _: &ListState, session: &Arc<Session>) -> Option<Job> {
        if let Some(job) = self.sort_job(session) {
            return Some(job);
        }
        let required = nodes::required_index(session, self.of?)?;
        self.asked.take_if(|(asked, _)| *asked != required);
        let (_, asked) = self.asked.get_or_insert((required, JobHandle::default()));
        index_job(asked, session, required, "list", Msg::PaneReady)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::Head;

    fn sorted(list: Place, rows: usize) -> LeftList {
        let numbers = Rows::new("", Head::list(["n:"]), rows, |row| Row::plain(vec![row.to_string().into()]));
        let order = Sort { column: 0, descending: true }.order(&numbers, &|| false).map(Arc::new);
        (list, Grid::default(), Sorting { order, ..Sorting::default() })
    }

    #[test]
    fn of_the_lists_that_were_left_the_last_ones_are_kept() {
        let mut kept = VecDeque::new();
        for list in [Place::Tables, Place::Heaps, Place::Streams] {
            remember(&mut kept, sorted(list, MAX_REMEMBERED_ROWS / 2));
        }
        assert_eq!(kept.iter().map(|(list, ..)| *list).collect::<Vec<_>>(), [Place::Heaps, Place::Streams]);
        remember(&mut kept, sorted(Place::Pages, MAX_REMEMBERED_ROWS + 1));
        assert!(kept.is_empty(), "one alone may have too many rows");
        for _ in 0..=MAX_REMEMBERED {
            remember(&mut kept, sorted(Place::Tables, 1));
        }
        assert_eq!(kept.len(), MAX_REMEMBERED);
    }
}
