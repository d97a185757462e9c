//! The rows of the list that what is selected is in: of a table, a heap, a stream. `/` leaves only those that have a text,
//! in any column or in one (`Kind=Enc`).
//!
//! Only the rows that show are made, so a table of a million rows is there at once. What takes a look at all of them is done
//! by the worker: finding rows, and what the model has to survey before it can list anything.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::outline::say;
use crate::model::{Place, Row, Rows, Session, Survey};
use crate::tui::action::Action;
use crate::tui::app::{App, Effect};
use crate::tui::jobs::{Job, Ticket, surveying};
use crate::tui::pane::{Context, Pane, Selection, Title};
use crate::tui::widgets::grid::Grid;

/// As many rows are looked through at once; more by the worker.
const AT_ONCE: usize = 5000;

/// What is listed for what is selected.
pub struct Sheet {
    /// The list that a place is in, or that it stands for.
    pub list: fn(&Session, Place) -> Option<Place>,
    /// Its rows.
    pub rows: for<'s> fn(&'s Session, Place) -> Option<Rows<'s>>,
    /// What is said where there is nothing: why, and what would fill it.
    pub nothing: fn(&Session) -> String,
}

/// One condition of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    column: Option<usize>,
    text: String,
}

#[derive(Default)]
struct Filter {
    text: String,
    terms: Vec<Term>,
    /// The rows that are left, once they are known.
    found: Option<Vec<usize>>,
    asked: bool,
    inbox: Arc<Mutex<Option<Vec<usize>>>>,
}

struct Pages {
    def: &'static Sheet,
    of: Option<Place>,
    grid: Grid,
    height: u16,
    filter: Option<Filter>,
    /// What the worker was asked to look at last, and whether it is still to do it.
    asked: Option<(Survey, Weak<()>)>,
    /// Where Enter leads just now: what is a list itself is opened then.
    follows: Option<Place>,
}

/// Makes a pane of lists.
pub fn new(def: &'static Sheet) -> Box<dyn Pane> {
    Box::new(Pages { def, of: None, grid: Grid::default(), height: 0, filter: None, asked: None, follows: None })
}

impl Term {
    /// What a filter asks, a word each: `Kind=Enc` of one column, `Main` of any.
    fn all(text: &str, rows: &Rows<'_>) -> Vec<Self> {
        let column = |name: &str| {
            let name = name.to_lowercase();
            let heads = || rows.columns.iter().map(|head| head.name.to_lowercase());
            let exact = heads().position(|head| head == name);
            exact.or_else(|| heads().position(|head| !name.is_empty() && head.starts_with(&name)))
        };
        let term = |word: &str| match word.split_once('=').and_then(|(name, text)| Some((column(name)?, text))) {
            Some((column, text)) => Self { column: Some(column), text: text.to_lowercase() },
            None => Self { column: None, text: word.to_lowercase() },
        };
        text.split_whitespace().map(|word| term(word.trim_end_matches(['…', '*']))).collect()
    }

    fn holds(&self, row: &Row) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.text);
        let mut cells = row.cells.iter().enumerate().filter(|(index, _)| self.column.is_none_or(|it| it == *index));
        cells.any(|(_, cell)| has(&cell.text) || has(&cell.beside))
    }
}

/// The rows for which all terms hold, as far as the ticket lets it look.
fn matching(rows: &Rows<'_>, terms: &[Term], ticket: Option<&Ticket>) -> Vec<usize> {
    const STEP: usize = 4096;
    let mut found = Vec::new();
    for start in (0..rows.len).step_by(STEP) {
        if let Some(ticket) = ticket {
            if ticket.cancelled() {
                break;
            }
            ticket.progress(start as u64, rows.len as u64);
        }
        let window = start..start.saturating_add(STEP).min(rows.len);
        let hits = window.clone().zip(rows.window(window)).filter(|(_, row)| terms.iter().all(|term| term.holds(row)));
        found.extend(hits.map(|(index, _)| index));
    }
    found
}

impl Pages {
    /// What the list has to wait for. Who uses the entries of a heap is filled in later.
    fn waits(&self, session: &Session) -> Option<Survey> {
        session.needs(self.of?).filter(|survey| !matches!(survey, Survey::Users(..)))
    }

    fn all<'s>(&self, session: &'s Session) -> Option<Rows<'s>> {
        if self.waits(session).is_some() {
            return None;
        }
        (self.def.rows)(session, self.of?)
    }

    /// The rows that show: all, or those that the filter leaves.
    fn rows<'s>(&'s self, session: &'s Session) -> Option<Rows<'s>> {
        let all = self.all(session)?;
        let Some(filter) = &self.filter else { return Some(all) };
        let found = filter.found.as_deref().unwrap_or_default();
        let (title, columns, len) = (all.title.clone(), all.columns.clone(), found.len());
        Some(Rows::new(title, columns, len, move |index| {
            found.get(index).and_then(|row| all.get(*row)).unwrap_or_default()
        }))
    }

    /// Shows a list, unless it does.
    fn open(&mut self, list: Option<Place>) {
        if let Some(of) = list.filter(|of| self.of != Some(*of)) {
            (self.of, self.grid, self.filter) = (Some(of), Grid::default(), None);
        }
    }

    /// Tells the grid how many rows there are.
    fn size(&mut self, session: &Session) {
        let mut grid = std::mem::take(&mut self.grid);
        match self.rows(session) {
            Some(rows) => grid.resize(&rows, self.height),
            None => grid.scroll.set_len(0),
        }
        self.grid = grid;
    }

    /// The row of `place`, or of what it is a part of.
    fn row_of(&self, session: &Session, place: Place) -> Option<usize> {
        let rows = self.all(session)?;
        let up = std::iter::successors(Some(place), |place| place.parent()).take_while(|place| Some(*place) != self.of);
        let row = up.into_iter().find_map(|place| {
            let known = self.of.and_then(|of| session.row_of(of, place)).filter(|row| *row < rows.len);
            if known.is_some() {
                return known;
            }
            (rows.len < AT_ONCE).then(|| rows.position(place)).flatten()
        })?;
        match self.filter.as_ref().map(|filter| filter.found.as_deref().unwrap_or_default()) {
            Some(found) => found.binary_search(&row).ok(),
            None => Some(row),
        }
    }

    /// Takes what the worker came to.
    fn take(&mut self) {
        if let Some(filter) = &mut self.filter {
            let found = filter.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
            filter.found = found.or(filter.found.take());
        }
    }

    /// Leaves only the rows that have `text`; returns whether there are any, as far as that is known.
    fn set_filter(&mut self, text: &str, session: &Session) -> bool {
        let Some(all) = self.all(session) else { return false };
        let chosen = self.chosen_row();
        let mut filter = Filter { text: text.to_owned(), terms: Term::all(text, &all), ..Filter::default() };
        if all.len <= AT_ONCE {
            let found = matching(&all, &filter.terms, None);
            if found.is_empty() {
                return false;
            }
            (filter.found, filter.asked) = (Some(found), true);
        }
        drop(all);
        self.filter = Some(filter);
        self.size(session);
        self.put_cursor(chosen);
        true
    }

    /// The number of the row that the cursor is on, among all.
    fn chosen_row(&self) -> usize {
        let at = self.grid.scroll.selected;
        match self.filter.as_ref().and_then(|filter| filter.found.as_ref()) {
            Some(found) => found.get(at).copied().unwrap_or(0),
            None => at,
        }
    }

    /// Puts the cursor on a row of all, or on the next one that shows.
    fn put_cursor(&mut self, row: usize) {
        let at = match self.filter.as_ref().and_then(|filter| filter.found.as_ref()) {
            Some(found) => found.partition_point(|found| *found < row).min(found.len().saturating_sub(1)),
            None => row,
        };
        self.grid.scroll.reveal(at);
    }

    fn clear_filter(&mut self, session: &Session) {
        let row = self.chosen_row();
        self.filter = None;
        self.size(session);
        self.put_cursor(row);
    }
}

impl Pane for Pages {
    fn title(&self, cx: &Context<'_>) -> Title {
        let Some(rows) = self.rows(cx.session) else { return Title::new("Rows") };
        let at = if rows.len > 0 { format!("{}/{}", self.grid.scroll.selected + 1, rows.len) } else { String::new() };
        let title = Title::new(rows.title.as_str()).at(at);
        match &self.filter {
            Some(filter) => title.of(format!("/{}", filter.text)),
            None => title,
        }
    }

    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action == Action::Cancel && self.filter.is_some() {
            self.clear_filter(cx.session);
            return Some(Vec::new());
        }
        self.size(cx.session);
        let mut grid = self.grid.clone();
        let rows = self.rows(cx.session)?;
        if action == Action::Follow {
            let to = grid.link(&rows)?;
            drop(rows);
            self.follows = Some(to);
            return Some(vec![Effect::Go(to.into())]);
        }
        let done = grid.act(action, count, &rows);
        drop(rows);
        self.grid = grid;
        done.then(Vec::new)
    }

    fn show(&mut self, cx: &Context<'_>) {
        self.take();
        let place = cx.linked.selection.place;
        // A row that is a list itself is opened by Enter, not by the cursor that is on it.
        let on_it = |row: Row| row.place == Some(place);
        let here = self.rows(cx.session).and_then(|rows| rows.get(self.grid.scroll.selected)).is_some_and(on_it);
        if self.follows.take() == Some(place) || !here {
            self.open((self.def.list)(cx.session, place));
        }
        self.size(cx.session);
        if let Some(row) = self.row_of(cx.session, place) {
            self.grid.scroll.reveal(row);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.height = size.height;
        self.size(cx.session);
        // A pane that never had a height has its cursor anywhere.
        if !self.grid.scroll.window().contains(&self.grid.scroll.selected) {
            self.grid.scroll.center();
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let Some(rows) = self.rows(cx.session) else {
            let more = cx.look.glyphs.more;
            let why = match (self.waits(cx.session), self.of) {
                (Some(survey), _) => format!("reading {survey} {more}"),
                (None, None) => (self.def.nothing)(cx.session),
                (None, Some(place)) => cx.session.not_there(place),
            };
            say(buf, area, &why, cx);
            return None;
        };
        if rows.len == 0 {
            let why = match &self.filter {
                Some(filter) if filter.found.is_none() => {
                    format!("looking for {} {}", filter.text, cx.look.glyphs.more)
                }
                Some(filter) => format!("no row has {}: Esc shows all", filter.text),
                None => "there are no rows".to_owned(),
            };
            say(buf, area, &why, cx);
            return None;
        }
        self.grid.draw(buf, area, &rows, &cx.look, &|_, _| false, &|_, _, cell, style| {
            // What is found is marked where it stands.
            let filter = self.filter.as_ref()?;
            let matched = cx.look.theme.of(crate::tui::theme::Role::Match);
            marked(cell, &filter.terms, style, style.patch(matched))
        })
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let row = self.rows(cx.session)?.get(self.grid.scroll.selected)?;
        match (row.place, row.span) {
            (Some(place), _) => Some(place.into()),
            // A row that is a part of what is listed.
            (None, Some(span)) => Some(Selection { place: self.of?, part: Some(span) }),
            (None, None) => None,
        }
    }

    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let mut grid = self.grid.clone();
        let hit = self.rows(cx.session).is_some_and(|rows| grid.point(at, area, &rows));
        self.grid = grid;
        hit
    }

    fn find(&mut self, text: &str, forward: bool, cx: &Context<'_>) -> bool {
        if text.is_empty() {
            self.clear_filter(cx.session);
            return true;
        }
        if self.filter.as_ref().is_none_or(|filter| filter.text != text) {
            return self.set_filter(text, cx.session);
        }
        self.grid.scroll.act(if forward { Action::Down } else { Action::Up }, None)
    }

    fn wants(&mut self, session: &Arc<Session>) -> Option<Job> {
        let asked =
            |survey: &Survey| self.asked.as_ref().is_some_and(|(asked, job)| asked == survey && job.strong_count() > 0);
        if let Some(survey) = self.of.and_then(|of| session.needs(of)).filter(|survey| !asked(survey)) {
            let (job, alive) = surveying(session, survey, "list", shown_again);
            self.asked = Some((survey, alive));
            return Some(job);
        }
        let (rows, of) = (self.def.rows, self.of?);
        let filter = self.filter.as_mut().filter(|filter| !filter.asked)?;
        filter.asked = true;
        let (session, inbox, terms) = (Arc::clone(session), Arc::clone(&filter.inbox), filter.terms.clone());
        Some(Job {
            what: format!("looking for {}", filter.text),
            slot: "filter",
            work: Box::new(move |ticket| {
                let found = rows(&session, of).map_or(Vec::new(), |rows| matching(&rows, &terms, Some(ticket)));
                *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
                Box::new(shown_again)
            }),
        })
    }

    fn copy(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        self.grid.copy(action, &self.rows(cx.session)?)
    }
}

/// Lets every pane take what has become known.
fn shown_again(app: &mut App) -> Vec<Effect> {
    app.show_again();
    Vec::new()
}

/// A cell with what was sought marked in it; nothing where it has none of that.
fn marked(
    cell: &crate::model::Cell,
    terms: &[Term],
    style: ratatui::style::Style,
    matched: ratatui::style::Style,
) -> Option<Vec<(String, ratatui::style::Style)>> {
    let lower = cell.text.to_lowercase();
    // Where lower case has other lengths, offsets would not fit.
    let (from, len) = terms
        .iter()
        .filter(|term| !term.text.is_empty() && lower.len() == cell.text.len())
        .find_map(|term| Some((lower.find(&term.text)?, term.text.len())))?;
    let parts = [(cell.text.get(..from)?, style), (cell.text.get(from..from + len)?, matched)];
    let rest = [(cell.text.get(from + len..)?, style)];
    let mut out: Vec<_> = parts.into_iter().chain(rest).map(|(text, style)| (text.to_owned(), style)).collect();
    if !cell.beside.is_empty() {
        out.push((format!(" {}", cell.beside), style));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head};

    fn rows() -> Rows<'static> {
        let columns = vec![Head::number("row"), Head::text("Kind"), Head::text("KindOf"), Head::text("Name")];
        Rows::new("t", columns, 20_000, |index| {
            let kind = if index % 1000 == 7 { "EncLambdaMap" } else { "SourceLink" };
            let cells = [index.to_string(), kind.to_owned(), "x".to_owned(), format!("Enc{}", index % 3)];
            Row::plain(cells.into_iter().map(Cell::new).collect())
        })
    }

    #[test]
    fn a_filter_is_of_any_column_or_of_one() {
        let rows = rows();
        let found = |text: &str| matching(&rows, &Term::all(text, &rows), None);
        assert_eq!(found("Kind=enc").len(), 20);
        assert_eq!(found("kind=Enc… name=enc1"), [7, 3007, 6007, 9007, 12007, 15007, 18007].map(|row| row));
        assert_eq!(found("enclambda"), found("Kind=enc"));
        assert_eq!(found("row=19999"), [19_999]);
        // What names no column is a text like any other.
        assert_eq!(found("nothing=1"), [0; 0]);
    }
}
