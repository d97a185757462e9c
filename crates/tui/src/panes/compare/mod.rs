//! The Compare pane: the differences between two builds, and a method of both side by side.
//!
//! The differences are those of `pdblens diff`. Enter on a method shows its points aligned; Back leads to the list again.

mod changes;
mod method;
mod sources;

use std::collections::HashSet;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use self::changes::{Item, Summary};
use self::method::{MethodPair, PointRow};
use crate::engine::action::Action;
use crate::engine::jobs::JobHandle;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::panes::signature::below;
use crate::panes::treemap::Treemap;
use crate::state::comparison::{Comparison, Differences};
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job, Msg};
use crate::state::paths::Paths;
use crate::state::selection::Selection;
use crate::state::view::PaneId;
use crate::ui::card;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::list_filter::ListFilter;
use crate::ui::text::{fits, put, wrap};
use crate::ui::theme::{Look, Role};
use crate::ui::tree::ListState;
use pdblens_nodes::Place;
use pdblens_nodes::fill;
use pdblens_nodes::method::il_label;
use pdblens_nodes::rows::{Head, Row, Rows, Tone};
use pdblens_query::diff::{Change, Subject};
use pdblens_session::session::Session;

/// Widths from which a list shows all of its columns.
const WIDE: u16 = 110;
/// Rows of the card, and height of the pane from which it has one.
const CARD: u16 = 3;
const MIN_WITH_CARD: u16 = 12;
/// Minimum height of the part below the list.
const MIN_BELOW: u16 = 4;

/// A method that is shown point by point.
struct Opened {
    pair: Arc<MethodPair>,
    name: String,
    rows: Arc<Vec<Row>>,
    items: Vec<PointRow>,
    /// True if points with equal bytes have a row each.
    all: bool,
    /// The list of the changes, which comes back.
    under: ListState,
}

#[derive(Default)]
struct Compare {
    of: Option<Arc<Comparison>>,
    rows: Arc<Vec<Row>>,
    items: Vec<Item>,
    /// Documents whose moved methods have a row each.
    open: HashSet<Place>,
    finding: JobHandle,
    /// The method that was read last, with the index of its change.
    known: Option<(usize, Arc<MethodPair>)>,
    /// Index of the change that is read, and its method.
    reading: Option<usize>,
    read: Inbox<(usize, MethodPair)>,
    opened: Option<Opened>,
    /// Treemap of what differs in size, in the place of the list.
    sizes: Option<Box<Treemap>>,
    /// True if the method of the cursor opens once it is read.
    opens: bool,
    /// True if the lines of both builds are beside each other also where they have little room.
    is_beside: bool,
    paths: Arc<Paths>,
}

pub fn new() -> Box<dyn Pane> {
    list_pane::new(Grid::default(), Compare::default())
}

/// Areas of the card, the list, and the part below it.
struct Areas {
    card: Rect,
    list: Rect,
    below: Rect,
}

impl Opened {
    fn new(pair: Arc<MethodPair>, name: String, list: &mut ListState) -> Self {
        let under = std::mem::replace(list, ListState { size: list.size, ..ListState::default() });
        let mut opened = Self { pair, name, rows: Arc::default(), items: Vec::new(), all: false, under };
        opened.fill(list);
        list.grid.reveal(opened.pair.first_difference(&opened.items));
        opened
    }

    fn fill(&mut self, list: &mut ListState) {
        let (rows, items) = self.pair.point_rows(self.all);
        (self.rows, self.items) = (Arc::new(rows), items);
        (list.grid.list_filter, list.grid.scroll.len) = (ListFilter::default(), self.items.len());
    }

    fn row(&self, list: &ListState) -> Option<PointRow> {
        self.items.get(list.grid.row()?).copied()
    }
}

impl Compare {
    fn found(&self) -> Option<&Differences> {
        self.of.as_ref()?.found()
    }

    /// The item of the cursor's row.
    fn item(&self, list: &ListState) -> Option<Item> {
        self.items.get(list.grid.row()?).copied()
    }

    /// The change of the cursor's row, with its index.
    fn change(&self, list: &ListState) -> Option<(usize, &Change)> {
        let Some(Item::Change(index)) = self.item(list) else { return None };
        Some((index, self.found()?.diff.changes.get(index)?))
    }

    /// Number of the change under the cursor of the list, among all.
    fn rank(&self, list: &ListState) -> String {
        let row = self.opened.as_ref().map_or(list, |opened| &opened.under).grid.row().unwrap_or(0);
        let changes = |items: &[Item]| items.iter().filter(|item| matches!(item, Item::Change(_))).count();
        let all = self.found().map_or(0, |found| found.diff.changes.len());
        format!("{} of {all}", changes(self.items.get(..=row).unwrap_or_default()))
    }

    /// The method of a change in both builds, once it is read.
    fn pair(&self, index: usize) -> Option<&Arc<MethodPair>> {
        self.known.as_ref().filter(|(of, _)| *of == index).map(|(_, pair)| pair)
    }

    /// Makes the rows again; the cursor stays.
    fn fill(&mut self, list: &mut ListState) {
        let Some(of) = self.of.clone() else { return };
        let Some(found) = of.found() else { return };
        let (rows, items) = changes::rows(found, [&of.before, &of.after], &self.open);
        let is_first = self.items.is_empty();
        self.items = items;
        self.rows = Arc::new(rows);
        list.grid.scroll.set_len(list.grid.list_filter.line_count(self.rows.len()));
        if is_first {
            // The name of the group is above the first change.
            list.grid.reveal(1);
        }
    }

    /// Rows of the card in a pane of a height: a method has no numbers of methods.
    const fn card_rows(&self, height: u16) -> u16 {
        match height {
            ..MIN_WITH_CARD => 0,
            _ if self.opened.is_some() => CARD - 1,
            _ => CARD,
        }
    }

    fn areas(&self, area: Rect) -> Areas {
        let card = self.card_rows(area.height);
        let rest = area.height - card;
        let part = match &self.opened {
            // The lines have the room that they need, as far as the points keep a third.
            Some(opened) => {
                let lines = sources::rows(&opened.pair, area.width >= sources::WIDE).len() + 2;
                (lines as u16).clamp(rest / 2, rest * 2 / 3)
            }
            None => rest * 2 / 5,
        };
        let below = if part < MIN_BELOW { 0 } else { part };
        let card = Rect { height: card, ..area };
        // The lines of an opened method are above its points.
        let first = if self.opened.is_some() { below } else { rest - below };
        let upper = Rect { y: card.bottom(), height: first, ..area };
        let lower = Rect { y: upper.bottom(), height: rest - first, ..area };
        match self.opened {
            Some(_) => Areas { card, list: lower, below: upper },
            None => Areas { card, list: upper, below: lower },
        }
    }

    fn short_name(&self, change: &Change) -> String {
        let sessions = self.of.as_ref().map(|of| [&*of.before, &*of.after]);
        sessions.map_or_else(|| change.name.clone(), |sessions| changes::short_name(change, sessions))
    }

    /// Opens the method of the cursor, or the methods of a document.
    fn follow(&mut self, list: &mut ListState) -> Vec<Effect> {
        match self.item(list) {
            Some(Item::Moved(document)) => self.unfold(document, list),
            Some(Item::Change(index)) => {
                let Some((_, change)) = self.change(list) else { return Vec::new() };
                let (name, to) = (self.short_name(change), change.after);
                match self.pair(index) {
                    Some(pair) if change.subject == Subject::Method => {
                        self.opened = Some(Opened::new(Arc::clone(pair), name, list));
                    }
                    _ if change.subject == Subject::Method => self.opens = true,
                    _ => return to.map(|place| Effect::Go(place.into())).into_iter().collect(),
                }
            }
            _ => {}
        }
        Vec::new()
    }

    /// Opens the next method that differs, once it is read; in the last one, says so.
    fn step_change(&mut self, is_next: bool, list: &mut ListState) -> Vec<Effect> {
        let Some(opened) = &self.opened else { return Vec::new() };
        let at = opened.under.grid.row().unwrap_or(0);
        let is_method = |row: &usize| {
            let change = match self.items.get(*row) {
                Some(Item::Change(index)) => self.found().and_then(|found| found.diff.changes.get(*index)),
                _ => None,
            };
            change.is_some_and(|change| change.subject == Subject::Method)
        };
        let found = if is_next { (at + 1..self.items.len()).find(is_method) } else { (0..at).rev().find(is_method) };
        let Some(row) = found else {
            let which = if is_next { "last" } else { "first" };
            return vec![Effect::SetStatus(Tone::Dim, format!("this is the {which} change"))];
        };
        if let Some(opened) = self.opened.take() {
            *list = ListState { size: list.size, ..opened.under };
        }
        list.grid.reveal(row);
        self.opens = true;
        self.open_wanted(list);
        Vec::new()
    }

    /// Opens the method of the cursor if it was wanted before it was read.
    fn open_wanted(&mut self, list: &mut ListState) {
        let is_read = matches!(self.item(list), Some(Item::Change(index)) if self.pair(index).is_some());
        if self.opens && is_read {
            self.opens = false;
            self.follow(list);
        }
    }

    fn unfold(&mut self, document: Place, list: &mut ListState) {
        if !self.open.remove(&document) {
            self.open.insert(document);
        }
        self.fill(list);
    }

    /// Performs an action on an opened method; `None` where it has none.
    fn perform_opened(&mut self, action: Action, list: &mut ListState) -> Option<Vec<Effect>> {
        let opened = self.opened.as_mut()?;
        match action {
            Action::Back | Action::Cancel | Action::Parent => {
                let size = list.size;
                *list = ListState { size, ..self.opened.take()?.under };
            }
            Action::Order => {
                opened.all = !opened.all;
                let row = opened.row(list);
                opened.fill(list);
                let at = opened.items.iter().position(|other| Some(*other) == row);
                list.grid.reveal(at.unwrap_or(0));
            }
            Action::Right | Action::Left => self.is_beside = action == Action::Right,
            Action::NextPoint | Action::PreviousPoint => {
                let is_next = action == Action::NextPoint;
                let at = list.grid.row().unwrap_or(0);
                let differs = |row: &usize| matches!(opened.items.get(*row), Some(PointRow::Pair(_)));
                let found =
                    if is_next { (at + 1..opened.items.len()).find(differs) } else { (0..at).rev().find(differs) };
                if let Some(row) = found {
                    list.grid.reveal(row);
                    return Some(Vec::new());
                }
                return Some(self.step_change(is_next, list));
            }
            Action::Follow => {
                let place = opened.row(list).and_then(|row| opened.pair.place(row))?;
                return Some(vec![Effect::Go(place.into())]);
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn draw_card(&self, area: Rect, buf: &mut Buffer, list: &ListState, look: &Look<'_>) {
        let (sign, role, summary) = match (&self.opened, self.found()) {
            (Some(opened), _) => {
                let (first, second) = opened.pair.sentence(opened.row(list));
                (look.glyphs.leads, Role::Related, Summary { first, second, ..Summary::default() })
            }
            (None, Some(found)) if found.diff.is_identical => (look.glyphs.ok, Role::Related, Summary::of(found)),
            (None, Some(found)) => ("≠", Role::Changed, Summary::of(found)),
            _ => return,
        };
        let lines = [(summary.first.as_str(), Role::Strong), (summary.second.as_str(), Role::Dim)];
        card::draw(buf, area, (role, sign, Role::Warn), &lines, look);
        let [differ, moved, same] = summary.counts;
        let parts = [(differ, "differ", Role::Cursor), (moved, "moved", Role::Related), (same, "same", Role::Bar)];
        let strip = Rect { x: area.x + 4, y: area.y + 2, width: area.width.saturating_sub(8), height: 1 };
        card::strip(buf, strip.intersection(area), &parts, look);
    }

    /// Draws the lines of the change under the cursor, or all that is said of it.
    fn draw_below(&self, area: Rect, buf: &mut Buffer, list: &ListState, look: &Look<'_>) {
        let Some((index, change)) = self.change(list).filter(|_| area.height > 1) else { return };
        let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
        let pair = self.pair(index);
        let is_reconstructed = pair.is_some_and(|pair| pair.sides.iter().any(|side| side.is_reconstructed));
        let of = match pair {
            Some(_) if is_reconstructed => "reconstructed from IL, old and new",
            Some(pair) if !pair.lines.is_empty() => "the first difference, old and new",
            _ => "",
        };
        let is_short = !fits(&change.name, usize::from(area.width).saturating_sub(of.len() + 5));
        let name = if is_short { self.short_name(change) } else { change.name.clone() };
        card::rule(buf, area, &name, of, false, look);
        match pair.filter(|pair| !pair.lines.is_empty()) {
            Some(pair) => {
                let details = Rect { height: (change.details.len() as u16).min(body.height / 3), ..body };
                Self::draw_details(details, change, buf, look);
                let lines = Rect { y: details.bottom(), height: body.height - details.height, ..body };
                let is_beside = lines.width >= sources::WIDE;
                let lines_of = sources::ComparedLines { pair, is_beside, selected: [None; 2], label: String::new() };
                lines_of.draw(buf, lines, look);
            }
            None => Self::draw_details(body, change, buf, look),
        }
    }

    fn draw_details(area: Rect, change: &Change, buf: &mut Buffer, look: &Look<'_>) {
        let room = usize::from(area.width.saturating_sub(4));
        let lines = change.details.iter().flat_map(|detail| wrap(detail, room));
        for (y, line) in (area.y..area.bottom()).zip(lines) {
            put(buf, area.x + 3, y, area.right(), &line, look.theme.of(Role::Dim), look.glyphs);
        }
    }

    /// Draws the lines of an opened method, those of the selected point among them, and the rule above its points.
    fn draw_opened(
        (opened, is_beside): (&Opened, bool),
        areas: &Areas,
        buf: &mut Buffer,
        list: &ListState,
        look: &Look<'_>,
    ) {
        let pair = &opened.pair;
        let points = opened.row(list).map(|row| pair.points(row)).unwrap_or_default();
        let selected = points
            .map(|point| point.filter(|point| !point.is_hidden()).map(|point| (point.start_line, point.end_line)));
        if areas.below.height > 1 {
            let [before, after] = pair.sides.each_ref().map(|side| side.name.as_str());
            let names =
                if before == after || after.is_empty() { before.to_owned() } else { format!("{before} → {after}") };
            let is_reconstructed = pair.sides.iter().any(|side| side.is_reconstructed);
            let of = if is_reconstructed { "reconstructed from IL, old and new" } else { "old and new" };
            card::rule(buf, areas.below, &names, of, false, look);
            let body = Rect { y: areas.below.y + 1, height: areas.below.height - 1, ..areas.below };
            let offsets = points.map(|point| point.map(|point| il_label(point.offset.into())));
            let label = match offsets {
                [Some(old), Some(new)] if old != new => format!("{old} {} {new}", look.glyphs.leads),
                [old, new] => new.or(old).unwrap_or_default(),
            };
            let is_beside = is_beside || body.width >= sources::WIDE;
            sources::ComparedLines { pair, is_beside, selected, label }.draw(buf, body, look);
        }
        let [before, after] = pair.aligned.points.each_ref().map(Vec::len);
        let shown = if opened.all { "all" } else { "t shows all" };
        card::rule(buf, areas.list, &format!("Points, aligned  {before} → {after}"), shown, false, look);
    }

    /// A job that reads the method of the cursor's row in both builds.
    fn method_job(&mut self, list: &ListState) -> Option<Job> {
        let (index, change) = self.change(list).filter(|(_, change)| change.subject == Subject::Method)?;
        if self.pair(index).is_some() || self.reading == Some(index) && self.read.is_pending() {
            return None;
        }
        let (of, methods) = (Arc::clone(self.of.as_ref()?), Comparison::methods(change));
        let paths = Arc::clone(&self.paths);
        self.reading = Some(index);
        Some(
            self.read.job("comparing a method", "compare method", move |_| {
                Some((index, MethodPair::of(&of, methods, &paths)))
            }),
        )
    }
}

impl Shows for Compare {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let Some(of) = &self.of else { return Title::new("Compare") };
        match &self.opened {
            Some(opened) => Title::new("Compare").of(opened.name.clone()).at(format!("change {}", self.rank(list))),
            None if of.found().is_none() => Title::new("Compare").at(format!("comparing {}", cx.look.glyphs.more)),
            None if self.sizes.is_some() => {
                self.sizes.as_ref().map_or_else(|| Title::new("Compare"), |sizes| sizes.title())
            }
            None => {
                let at = self.rank(list);
                let command = of.command().unwrap_or_else(|| "before and after".to_owned());
                Title::new("Compare").of(command).at(at)
            }
        }
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        self.paths = Arc::clone(cx.paths);
        let is_same = match (&self.of, cx.compared) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            *self = Self { of: cx.compared.cloned(), paths: Arc::clone(cx.paths), ..Self::default() };
            *list = ListState { size: list.size, ..ListState::default() };
        }
        if let Some((index, pair)) = self.read.take() {
            self.known = Some((index, Arc::new(pair)));
            self.open_wanted(list);
        }
        if self.items.is_empty() {
            self.fill(list);
        }
        if let Some(sizes) = &mut self.sizes {
            let card = if list.size.height >= MIN_WITH_CARD { CARD } else { 0 };
            sizes.resize(Size { height: list.size.height.saturating_sub(card), ..list.size });
            sizes.take_found();
        }
    }

    fn rows<'c>(&'c self, list: &'c ListState, _: &Context<'c>) -> Option<Rows<'c>> {
        let (columns, rows) = self.made()?;
        let narrow: &[usize] = if self.opened.is_some() { &[4] } else { &[1, 3, 5] };
        let mut rows = Rows::shared(columns, rows);
        rows.hidden = if list.size.width < WIDE { narrow.to_vec() } else { Vec::new() };
        Some(rows)
    }

    /// The changes, or the points of an opened method.
    fn made(&self) -> Option<(&'static [Head], &Arc<Vec<Row>>)> {
        Some(match &self.opened {
            Some(opened) => (method::COLUMNS, &opened.rows),
            None => (changes::COLUMNS, &self.rows),
        })
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if let (None, Action::Follow, Some(other)) = (&self.of, action, cx.other_build) {
            return Some(vec![Effect::Update(Box::new(Msg::CompareWith(Ok(Arc::clone(other)), None)))]);
        }
        self.found()?;
        if self.opened.is_some() {
            return self.perform_opened(action, list);
        }
        if action == Action::Sort {
            self.sizes = if self.sizes.is_some() { None } else { Some(Box::default()) };
            return Some(Vec::new());
        }
        if let Some(sizes) = &mut self.sizes {
            let effects = sizes.perform(action);
            if effects.is_none() && matches!(action, Action::Back | Action::Cancel | Action::Parent) {
                self.sizes = None;
                return Some(Vec::new());
            }
            return effects;
        }
        match (action, self.item(list)) {
            (Action::Follow | Action::Right, _) => {
                self.is_beside |= action == Action::Right;
                Some(self.follow(list))
            }
            (Action::Order, Some(Item::Moved(document))) => {
                self.unfold(document, list);
                Some(Vec::new())
            }
            _ => None,
        }
    }

    fn area(&self, pane: Rect, _: &ListState, _: &Context<'_>) -> Rect {
        let list = self.areas(pane).list;
        // A rule separates the points from the lines.
        if self.opened.is_some() { below(list, 1) } else { list }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        if self.of.is_none() {
            let mut state = EmptyState::default().heading("Nothing is compared.");
            if let Some(path) = cx.other_build.and_then(|other| other.paths().into_iter().next()) {
                state = state.keys(Action::Follow, format!("compare with the other open build, {}", path.display()));
            }
            let state = state
                .keys(Action::Compare, "choose an older build: its changes are listed by cause")
                .text("Files that change on disk are compared with what they were.");
            return Some(state);
        }
        self.found().is_none().then(|| format!("comparing {}", cx.look.glyphs.more).into())
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let areas = self.areas(area);
        self.draw_card(areas.card, buf, list, &cx.look);
        if let (Some(sizes), None) = (&self.sizes, &self.opened) {
            sizes.draw(Rect { y: areas.card.bottom(), height: area.height - areas.card.height, ..area }, buf, cx);
            return None;
        }
        match &self.opened {
            Some(opened) => Self::draw_opened((opened, self.is_beside), &areas, buf, list, &cx.look),
            None => self.draw_below(areas.below, buf, list, &cx.look),
        }
        let (rows, area) = (self.rows(list, cx)?, self.area(area, list, cx));
        list.grid.draw(buf, area, &rows, &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    fn click(&mut self, at: Position, area: Rect, _: &mut ListState, _: &Context<'_>) -> Option<bool> {
        let card = self.areas(area).card;
        let at = Position { x: at.x.saturating_sub(area.x), y: at.y.saturating_sub(card.bottom()) };
        self.sizes.as_mut().map(|sizes| sizes.click(at))
    }

    fn selection(&self, list: &ListState, _: &Context<'_>) -> Option<Selection> {
        let place = match &self.opened {
            None if self.sizes.is_some() => self.sizes.as_ref()?.selection().map(|selected| selected.place),
            Some(opened) => opened.row(list).and_then(|row| opened.pair.place(row)).or_else(|| opened.pair.method()),
            None => self.rows.get(list.grid.row()?)?.place,
        };
        // What only the old build has is no place of the open files.
        Some(place.unwrap_or(Place::Overview).into())
    }

    fn facts(&self, list: &ListState, _: &Context<'_>) -> Facts {
        // The lines of both builds need the rows of the bytes.
        Facts {
            sorts: self.opened.is_none(),
            item: self.sizes.is_some().then_some("box"),
            hides: if list.size.width < WIDE { &[PaneId::Bytes] } else { &[] },
            ..Facts::default()
        }
    }

    fn job(&mut self, list: &ListState, _: &Arc<Session>) -> Option<Job> {
        let of = self.of.clone()?;
        if let Some(sizes) = &mut self.sizes {
            return sizes.job(move |by| fill::difference([&of.before, &of.after], by));
        }
        if of.found().is_some() {
            return self.method_job(list);
        }
        if self.finding.is_pending() {
            return None;
        }
        let job = Job::new("comparing the builds", "compare", move |_| {
            of.find();
            Msg::PaneReady
        });
        self.finding = job.handle();
        Some(job)
    }

    fn copied(&self, action: Action, list: &ListState, cx: &Context<'_>) -> Option<String> {
        if self.opened.is_none() && action == Action::CopyCommand {
            return self.of.as_ref().and_then(|of| of.command());
        }
        list.grid.copied_text(action, &self.rows(list, cx)?)
    }
}
