//! A list that is made once: a tree by the depths of its rows, which fold where the list is one to fold.
//!
//! What is listed, where a row leads and what is said where there is nothing are data ([`Outline`]); lists that are known better
//! after some work are made a second time by the worker.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::model::{Cell, Head, Place, Row, Rows, Session};
use crate::tui::action::Action;
use crate::tui::app::{App, Effect};
use crate::tui::jobs::{Job, Ticket};
use crate::tui::pane::{Context, Pane, Selection, Title};
use crate::tui::theme::Role;
use crate::tui::widgets::grid::Grid;
use crate::tui::widgets::text::{put, wrap};

/// What is listed, and how.
pub struct Outline {
    /// What the rule says.
    pub name: &'static str,
    /// The columns.
    pub columns: &'static [Head],
    /// Whether rows fold.
    pub folds: bool,
    /// Whether the last column stands at the right edge.
    pub flush: bool,
    /// The rows.
    pub make: fn(&Session) -> Vec<Row>,
    /// Whether a row that has others in it is closed at first.
    pub closed: fn(&Row) -> bool,
    /// The row that stands for a place which has none: the place of that row.
    pub stands: fn(&Session, Place) -> Option<Place>,
    /// Where Enter leads from the row of a place; where nowhere, it folds.
    pub enter: fn(&Session, Place) -> Option<Effect>,
    /// What is said where there are no rows: why, and what would fill the list.
    pub nothing: fn(&Session) -> String,
    /// The rows made again by the worker, with what takes time.
    pub later: Option<Later>,
    /// What the worker finds out of each place, a few at a time: it stands in the last cell of its row.
    pub mark: Option<fn(&Session, Place) -> Option<Cell>>,
}

/// What the worker does for a list.
#[derive(Clone, Copy)]
pub struct Later {
    /// What it is, for the status line.
    pub what: &'static str,
    /// The slot of the job.
    pub slot: &'static str,
    /// The rows; nothing where it was told to stop.
    pub make: fn(&Session, &Ticket) -> Option<Vec<Row>>,
}

/// The usual answer of [`Outline::enter`]: to the place itself.
pub fn follow(_: &Session, place: Place) -> Option<Effect> {
    Some(Effect::Go(place.into()))
}

/// The usual answer of [`Outline::stands`].
pub const fn itself(_: &Session, _: Place) -> Option<Place> {
    None
}

/// The usual answer of [`Outline::closed`].
pub const fn open(_: &Row) -> bool {
    false
}

struct List {
    def: &'static Outline,
    grid: Grid,
    height: u16,
    rows: Vec<Row>,
    loaded: bool,
    closed: HashSet<usize>,
    /// The depths at which rows fold, and those at which others do not.
    depths: HashSet<u8>,
    mixed: HashSet<u8>,
    /// The rows that show.
    items: Vec<usize>,
    places: HashMap<Place, usize>,
    asked: bool,
    inbox: Arc<Mutex<Option<Vec<Row>>>>,
    marks: Marks,
}

/// What the worker found out of rows so far.
#[derive(Default)]
struct Marks {
    known: HashMap<usize, Cell>,
    /// The first row that it has not looked at.
    next: usize,
    busy: bool,
    /// What it found now, and where it is.
    inbox: Arc<Mutex<Option<Found>>>,
}

/// What the worker found: the marks of some rows, and the row that it goes on with.
type Found = (Vec<(usize, Cell)>, usize);

/// How long the worker looks at rows before it lets others have their turn.
const TURN: Duration = Duration::from_millis(30);

/// Makes a pane of a list.
pub fn new(def: &'static Outline) -> Box<dyn Pane> {
    Box::new(List {
        def,
        grid: Grid { flush: def.flush, ..Grid::default() },
        height: 0,
        rows: Vec::new(),
        loaded: false,
        closed: HashSet::new(),
        depths: HashSet::new(),
        mixed: HashSet::new(),
        items: Vec::new(),
        places: HashMap::new(),
        asked: false,
        inbox: Arc::default(),
        marks: Marks::default(),
    })
}

impl List {
    fn load(&mut self, session: &Session) {
        let made = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
        let first = !self.loaded;
        let Some(rows) = made.or_else(|| first.then(|| (self.def.make)(session))) else { return };
        let chosen = self.items.get(self.grid.scroll.selected).and_then(|index| self.rows.get(*index)?.place);
        self.loaded = true;
        self.rows = rows;
        self.places.clear();
        for (index, row) in self.rows.iter().enumerate() {
            if let Some(place) = row.place {
                self.places.entry(place).or_insert(index);
            }
        }
        let folding = (0..self.rows.len()).filter(|index| self.folds(*index));
        self.depths = folding.map(|index| self.rows[index].depth).collect();
        let plain = (0..self.rows.len()).filter(|index| !self.folds(*index)).map(|index| self.rows[index].depth);
        self.mixed = plain.filter(|depth| self.depths.contains(depth)).collect();
        if first {
            self.closed = (0..self.rows.len()).filter(|index| self.folds(*index)).collect();
            self.closed.retain(|index| (self.def.closed)(&self.rows[*index]));
        }
        self.arrange();
        if let Some(index) = chosen.and_then(|place| self.places.get(&place)) {
            self.reveal(*index);
        }
    }

    /// Whether a row has others in it that can be hidden.
    fn folds(&self, index: usize) -> bool {
        let depth = |index: usize| self.rows.get(index).map_or(0, |row| row.depth);
        self.def.folds && index + 1 < self.rows.len() && depth(index + 1) > depth(index)
    }

    fn arrange(&mut self) {
        let mut hidden = u8::MAX;
        self.items.clear();
        for (index, row) in self.rows.iter().enumerate() {
            if row.depth > hidden {
                continue;
            }
            hidden = if self.closed.contains(&index) { row.depth } else { u8::MAX };
            self.items.push(index);
        }
        self.size();
    }

    /// Tells the grid how many rows there are.
    fn size(&mut self) {
        let (mut grid, height) = (self.grid.clone(), self.height);
        grid.resize(&self.shown(None), height);
        self.grid = grid;
    }

    /// The row that a row is in.
    fn parent(&self, index: usize) -> Option<usize> {
        let depth = self.rows.get(index)?.depth;
        (0..index).rev().find(|above| self.rows[*above].depth < depth)
    }

    fn reveal(&mut self, index: usize) {
        let mut above = self.parent(index);
        let mut opened = false;
        while let Some(row) = above {
            opened |= self.closed.remove(&row);
            above = self.parent(row);
        }
        if opened {
            self.arrange();
        }
        if let Ok(at) = self.items.binary_search(&index) {
            self.grid.scroll.reveal(at);
        }
    }

    /// The row that stands for `place`, or for what it is a part of.
    fn row_of(&self, session: &Session, place: Place) -> Option<usize> {
        let known = |place: Place| {
            let other = (self.def.stands)(session, place);
            self.places.get(&place).or_else(|| self.places.get(&other?)).copied()
        };
        std::iter::successors(Some(place), |place| place.parent())
            .take_while(|at| *at != Place::Overview)
            .find_map(known)
    }

    fn chosen(&self) -> Option<&Row> {
        self.rows.get(*self.items.get(self.grid.scroll.selected)?)
    }

    fn fold(&mut self, open: Option<bool>) -> bool {
        let Some(index) = self.items.get(self.grid.scroll.selected).copied() else { return false };
        if !self.def.folds {
            return false;
        }
        let is_open = self.folds(index) && !self.closed.contains(&index);
        match open.unwrap_or(!is_open) {
            true if !self.folds(index) => return open.is_some(),
            true if is_open => self.grid.scroll.select(self.grid.scroll.selected + 1),
            true => {
                self.closed.remove(&index);
                self.arrange();
            }
            false if is_open => {
                self.closed.insert(index);
                self.arrange();
            }
            false => {
                // What is closed already: to what it is in.
                let Some(above) = self.parent(index) else { return true };
                self.reveal(above);
            }
        }
        true
    }

    /// The rows that show; `look` draws the signs of those that fold.
    fn shown<'c>(&'c self, cx: Option<&Context<'c>>) -> Rows<'c> {
        let signs = cx.map(|cx| (cx.look.glyphs.open, cx.look.glyphs.closed));
        Rows::new("", self.def.columns.to_vec(), self.items.len(), move |at| {
            let Some((index, row)) = self.items.get(at).and_then(|index| Some((*index, self.rows.get(*index)?))) else {
                return Row::default();
            };
            let mut row = row.clone();
            if let (Some(mark), Some(cell)) = (self.marks.known.get(&index), row.cells.last_mut()) {
                *cell = mark.clone();
            }
            if let (true, Some((open, closed)), Some(cell)) = (self.def.folds, signs, row.cells.first_mut()) {
                let sign = match self.folds(index) {
                    true if self.closed.contains(&index) => closed,
                    true => open,
                    false => " ",
                };
                if self.depths.contains(&row.depth) {
                    cell.text = format!("{sign} {}", cell.text);
                }
                // What is in a row that folds stands further in than those beside it that do not.
                let deeper = self.mixed.iter().filter(|depth| **depth < row.depth).count();
                cell.text.insert_str(0, &"  ".repeat(deeper));
            }
            row
        })
    }

    /// Takes what the worker found out of rows.
    fn take_marks(&mut self) {
        let Some((found, next)) = self.marks.inbox.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        self.marks.known.extend(found);
        (self.marks.next, self.marks.busy) = (next, false);
    }

    /// Has the worker look at the next rows.
    fn wants_marks(&mut self, session: &Arc<Session>) -> Option<Job> {
        let mark = self.def.mark.filter(|_| self.loaded && !self.marks.busy && self.marks.next < self.rows.len())?;
        self.marks.busy = true;
        let (session, inbox, first) = (Arc::clone(session), Arc::clone(&self.marks.inbox), self.marks.next);
        let places: Vec<Option<Place>> = self.rows.iter().skip(first).take(1024).map(|row| row.place).collect();
        Some(Job {
            what: format!("looking at {}", self.def.name.to_lowercase()),
            slot: "marks",
            work: Box::new(move |ticket| {
                let (began, mut found, mut next) = (Instant::now(), Vec::new(), first);
                for place in places {
                    if ticket.cancelled() || began.elapsed() > TURN && next > first {
                        break;
                    }
                    found.extend(place.and_then(|place| mark(&session, place)).map(|cell| (next, cell)));
                    next += 1;
                }
                *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some((found, next));
                Box::new(|app: &mut App| {
                    app.show_again();
                    Vec::new()
                })
            }),
        })
    }

    /// Rows that say nothing part the others: the cursor does not rest there.
    fn pass_blanks(&mut self, from: usize) {
        let blank = |list: &Self| list.chosen().is_some_and(|row| row.cells.is_empty());
        let down = self.grid.scroll.selected >= from;
        for _ in 0..2 {
            if blank(self) {
                let at = self.grid.scroll.selected;
                self.grid.scroll.select(if down { at + 1 } else { at.saturating_sub(1) });
            }
        }
    }
}

impl Pane for List {
    fn title(&self, _: &Context<'_>) -> Title {
        let len = self.items.len();
        let at = if len > 0 { format!("{}/{len}", self.grid.scroll.selected + 1) } else { String::new() };
        Title::new(self.def.name).at(at)
    }

    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        self.load(cx.session);
        let from = self.grid.scroll.selected;
        let done = match action {
            Action::Left if self.def.folds => self.fold(Some(false)),
            Action::Right if self.def.folds => self.fold(Some(true)),
            Action::Toggle => self.fold(None),
            Action::Follow => {
                let leads =
                    self.chosen().and_then(|row| row.place).and_then(|place| (self.def.enter)(cx.session, place));
                match leads {
                    Some(effect) => return Some(vec![effect]),
                    None => self.fold(None),
                }
            }
            Action::ExpandAll | Action::CollapseAll if self.def.folds => {
                let chosen = self.items.get(from).copied();
                let all = 0..self.rows.len();
                self.closed = match action {
                    Action::ExpandAll => HashSet::new(),
                    _ => all.filter(|index| self.folds(*index)).collect(),
                };
                self.arrange();
                let at =
                    chosen.map_or(0, |chosen| self.items.partition_point(|item| *item <= chosen).saturating_sub(1));
                self.grid.scroll.reveal(at);
                true
            }
            _ => self.grid.scroll.act(action, count),
        };
        self.pass_blanks(from);
        done.then(Vec::new)
    }

    fn show(&mut self, cx: &Context<'_>) {
        self.load(cx.session);
        self.take_marks();
        // What a row leads to may be in another row too: the cursor stays where it means the same.
        let place = cx.linked.selection.place;
        if self.chosen().and_then(|row| row.place) == Some(place) {
            return;
        }
        if let Some(index) = self.row_of(cx.session, place) {
            self.reveal(index);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.load(cx.session);
        self.height = size.height;
        self.size();
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.items.is_empty() {
            say(buf, area, &(self.def.nothing)(cx.session), cx);
            return None;
        }
        self.grid.draw(buf, area, &self.shown(Some(cx)), &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        let row = self.chosen()?;
        let place = row.place.or(row.span.map(Place::Bytes))?;
        Some(Selection { place, part: row.span })
    }

    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let mut grid = self.grid.clone();
        let hit = grid.point(at, area, &self.shown(Some(cx)));
        grid.column = None;
        self.grid = grid;
        hit
    }

    fn find(&mut self, text: &str, forward: bool, _: &Context<'_>) -> bool {
        let mut grid = self.grid.clone();
        let found = grid.find(text, forward, &self.shown(None));
        self.grid = grid;
        found
    }

    fn wants(&mut self, session: &Arc<Session>) -> Option<Job> {
        if let Some(job) = self.wants_marks(session) {
            return Some(job);
        }
        let later = self.def.later.filter(|_| !std::mem::replace(&mut self.asked, true))?;
        let (session, inbox) = (Arc::clone(session), Arc::clone(&self.inbox));
        Some(Job {
            what: later.what.to_owned(),
            slot: later.slot,
            work: Box::new(move |ticket| {
                if let Some(rows) = (later.make)(&session, ticket) {
                    *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(rows);
                }
                Box::new(|app: &mut App| {
                    app.show_again();
                    Vec::new()
                })
            }),
        })
    }

    fn copy(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let row = self.chosen()?;
        match action {
            Action::CopyRow => Some(row.cells.iter().map(|cell| cell.text.trim()).collect::<Vec<_>>().join("\t")),
            Action::CopyValue => row.cells.last().map(|cell| cell.text.clone()),
            _ => None,
        }
    }
}

/// Says why there is nothing, and what would fill the pane.
pub fn say(buf: &mut Buffer, area: Rect, text: &str, cx: &Context<'_>) {
    let lines = wrap(text, area.width.saturating_sub(3) as usize);
    for (line, text) in lines.iter().enumerate().take(area.height as usize) {
        let y = area.y + line as u16;
        put(buf, area.x + 1, y, area.right(), text, cx.look.theme.of(Role::Dim), cx.look.glyphs);
    }
}
