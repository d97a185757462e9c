//! The list of the files in a folder or container, on the whole screen: each image with its symbol file, the verdict on the two, the target
//! framework, and the number of documents whose text is at hand. Filters, sorting and steps open no pair.

mod draw;
mod listing;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use self::draw::areas;
pub use self::listing::Listing;
use self::listing::{COLUMNS, STATUSES};
use crate::engine::action::Action;
use crate::engine::jobs::{JobHandle, Queue};
use crate::engine::keymap::{LIST, PROMPT};
use crate::overlays::files::job_of_two;
use crate::overlays::findings::findings_of_list;
use crate::overlays::{Overlay, OverlayContext, Reply};
use crate::state::effect::{Command, Effect};
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::ui::grid::Grid;
use crate::ui::input::Input;
use crate::ui::sort::Sort;
use pdblens_nodes::rows::{Row, Rows, Tone};
use pdblens_session::session::inputs::Unit;
use pdblens_session::store::http::Http;

/// Units that one job opens before the list is drawn again.
const BATCH: usize = 4;
/// Units that are opened; the others have a verdict when they are chosen.
const MAX_OPENED: usize = 2000;
/// The state of a list that is left, to come back to it.
#[derive(Clone, Default)]
struct ListState {
    typed: String,
    sort: Option<Sort>,
    /// The only status that is listed.
    status: Option<Tone>,
    /// Unit of the cursor; `None` until it is moved from the first row.
    unit: Option<usize>,
}

pub struct ContainerFiles {
    listing: Arc<Listing>,
    paths: Arc<Paths>,
    now: ListState,
    /// Units in the order of the rows.
    shown: Vec<usize>,
    grid: Grid,
    input: Input,
    takes_text: bool,
    /// Units to compare, the old build first.
    marked: Vec<usize>,
    reading: JobHandle,
    /// True while the servers of the symbol path are asked for the PDBs that are missing.
    asks_servers: bool,
    /// True if nothing else is open: closing the list ends the program.
    is_only: bool,
}

/// The list of the units of a listing, at the one that was chosen last or at `own`, and the job that begins to open them.
pub fn container_files(
    listing: Arc<Listing>,
    paths: Arc<Paths>,
    own: Option<usize>,
    is_only: bool,
) -> (ContainerFiles, Vec<Effect>) {
    let mut now = listing.kept().clone();
    now.unit = own.or(now.unit);
    let grid = Grid { detailed: true, ..Grid::default() };
    let (shown, input) = ((0..listing.units.len()).collect(), Input::new(now.typed.as_str()));
    let mut files = ContainerFiles {
        listing,
        paths,
        now,
        shown,
        grid,
        input,
        takes_text: false,
        marked: Vec::new(),
        reading: JobHandle::default(),
        asks_servers: false,
        is_only,
    };
    let effects = files.next_batch();
    (files, effects)
}

impl ContainerFiles {
    /// A job that opens the next units, when those before are done.
    fn next_batch(&mut self) -> Vec<Effect> {
        let facts = self.listing.facts();
        let unread = facts.iter().take(MAX_OPENED).enumerate().filter(|(_, facts)| facts.tone == Tone::Text);
        let next: Vec<usize> = unread.map(|(unit, _)| unit).take(BATCH).collect();
        drop(facts);
        if self.reading.is_pending() {
            return Vec::new();
        }
        self.asks_servers &= !next.is_empty();
        let Some(last) = next.last() else { return Vec::new() };
        let (listing, paths) = (Arc::clone(&self.listing), Arc::clone(&self.paths));
        let http = self.asks_servers.then(Http::default);
        let (verb, queue) =
            if http.is_some() { ("fetching the PDB of", Queue::Own) } else { ("checking", Queue::Background) };
        let label = format!("{verb} file {} of {}", last + 1, listing.units.len());
        let job = Job::new(label, "container", move |token| {
            let units = next.into_iter().take_while(|_| !token.is_cancelled());
            units.for_each(|unit| listing.read(unit, &paths, http.as_ref(), token));
            Msg::OverlayReady
        });
        let job = job.on(queue);
        self.reading = job.handle();
        vec![Effect::Start(job)]
    }

    /// Asks the servers of the symbol path for all PDBs that are missing; where it has none, for a symbol path.
    fn fetch_all(&mut self) -> Vec<Effect> {
        if self.paths.symbols.servers().next().is_none() {
            return vec![Effect::Dispatch(Action::Symbols)];
        }
        self.listing.forget_missing();
        self.asks_servers = true;
        self.next_batch()
    }

    /// Unit of the cursor's row.
    fn unit(&self) -> Option<usize> {
        self.shown.get(self.grid.scroll.selected).copied()
    }

    /// Orders and filters the units; the cursor stays at its unit.
    fn arrange(&mut self, cx: &OverlayContext<'_>) {
        let (listing, now) = (&self.listing, &self.now);
        let row = |unit: usize| listing.row(unit, cx.look.glyphs);
        let mut order: Vec<usize> = (0..listing.units.len()).collect();
        order.sort_by_cached_key(|unit| listing.rank(*unit));
        if let Some(sort) = now.sort {
            let sorted = sort.sorted(order.iter().map(|unit| row(*unit)));
            order = sorted.into_iter().filter_map(|at| order.get(at as usize).copied()).collect();
        }
        let words: Vec<String> = now.typed.split_whitespace().map(str::to_lowercase).collect();
        order.retain(|unit| {
            let text = if words.is_empty() { String::new() } else { row(*unit).tabbed().to_lowercase() };
            let has_status = now.status.is_none() || Some(listing.of(*unit).tone) == now.status;
            has_status && words.iter().all(|word| text.contains(word))
        });
        self.shown = order;
        let at = self.now.unit.and_then(|unit| self.shown.iter().position(|other| *other == unit));
        self.grid.resize(&self.rows(cx), areas(cx.screen)[3].height);
        self.grid.scroll.reveal(at.unwrap_or(0));
    }

    fn rows(&self, cx: &OverlayContext<'_>) -> Rows<'static> {
        let (listing, shown) = (Arc::clone(&self.listing), self.shown.clone());
        let (marked, glyphs) = (self.marked.clone(), *cx.look.glyphs);
        let mut rows = Rows::new("", COLUMNS.to_vec(), shown.len(), move |index| {
            let Some(unit) = shown.get(index) else { return Row::default() };
            let mut row = listing.row(*unit, &glyphs);
            let mark = marked.iter().position(|other| other == unit).and_then(|mark| ["old: ", "new: "].get(mark));
            row.cells[0].text.insert_str(0, mark.unwrap_or(&""));
            row
        });
        (rows.steady, rows.hidden) = match cx.screen.width {
            ..100 => (true, vec![4, 5, 7]),
            100..140 => (true, vec![7]),
            _ => (true, Vec::new()),
        };
        rows
    }

    /// Sorts by the column of the cursor; without one by each column in turn.
    fn sort(&mut self) {
        let is_number = |column: usize| COLUMNS.get(column).map(|head| head.right);
        self.now.sort = match self.grid.column {
            Some(column) => Sort::next(self.now.sort, column, is_number(column) == Some(true)),
            None => {
                let column = self.now.sort.map_or(0, |sort| sort.column + 1);
                is_number(column).map(|descending| Sort { column, descending })
            }
        };
    }

    /// Shows the next of the statuses that there are, and after the last one all.
    fn next_status(&mut self) {
        let from = self.now.status.and_then(|now| STATUSES.iter().position(|other| *other == now));
        let rest = STATUSES.iter().skip(from.map_or(0, |at| at + 1));
        self.now.status = rest.copied().find(|status| self.listing.count(*status) > 0);
    }

    /// Marks the unit of the cursor, or takes its mark away; a third one replaces the second.
    fn mark(&mut self) {
        let Some(unit) = self.unit() else { return };
        match self.marked.iter().position(|other| *other == unit) {
            Some(at) => _ = self.marked.remove(at),
            None => {
                self.marked.truncate(1);
                self.marked.push(unit);
            }
        }
    }

    /// Opens the file under the cursor, in a view that `view` names, or the two that are marked.
    fn choose(&self, view: Option<Action>) -> Option<Effect> {
        let unit = |unit: usize| self.listing.units.get(unit).cloned();
        let open = |unit: Unit| move || unit.open().map(Arc::new);
        *self.listing.kept() = ListState { unit: self.unit(), ..self.now.clone() };
        match self.marked.as_slice() {
            [before, after] => Some(Effect::Start(job_of_two(open(unit(*before)?), open(unit(*after)?)))),
            _ => Some(Effect::Update(Box::new(Msg::UnitChosen(unit(self.unit()?)?, None, view)))),
        }
    }

    /// Moves to the next unit with a problem, or to the one before; false where there is no other.
    fn step_problem(&mut self, forward: bool) -> bool {
        let (row, len) = (self.grid.scroll.selected, self.shown.len());
        let is_wrong = |row: &usize| self.shown.get(*row).is_some_and(|unit| self.listing.is_wrong(*unit));
        let next = match forward {
            true => (row + 1..len).chain(0..row).find(is_wrong),
            false => (0..row).rev().chain((row + 1..len).rev()).find(is_wrong),
        };
        self.grid.scroll.reveal(next.unwrap_or(row));
        next.is_some()
    }
}

impl Overlay for ContainerFiles {
    fn keymap_name(&self) -> &'static str {
        if self.takes_text { PROMPT } else { LIST }
    }

    fn takes_text(&self) -> bool {
        self.takes_text
    }

    fn hints(&self) -> &'static [(Action, &'static str)] {
        match self.marked.len() {
            _ if self.takes_text => &[(Action::Accept, "keep the filter"), (Action::Cancel, "clear it")],
            2 => &[(Action::Follow, "compare the marked two"), (Action::NextPane, "mark"), (Action::Cancel, "close")],
            _ => &[
                (Action::Follow, "open"),
                (Action::FetchSource, "fetch all PDBs"),
                (Action::NextPane, "compare two"),
                (Action::Findings, "findings"),
                (Action::NextMatch, "next finding"),
                (Action::Cancel, "close"),
                (Action::Help, "keys"),
            ],
        }
    }

    fn perform(&mut self, action: Action, cx: &OverlayContext<'_>) -> Reply {
        match action {
            Action::Accept | Action::Cancel if self.takes_text => {
                self.takes_text = false;
                if action == Action::Cancel {
                    self.input = Input::default();
                    self.changed(cx);
                }
            }
            Action::Cancel | Action::Quit if self.is_only => return Reply::Close(vec![Command::Quit.into()]),
            Action::Cancel | Action::Quit => return Reply::Close(Vec::new()),
            Action::Accept | Action::Follow | Action::View(_) => {
                let view = Some(action).filter(|action| matches!(action, Action::View(_)));
                return self.choose(view).map_or(Reply::Stay(Vec::new()), |effect| Reply::Close(vec![effect]));
            }
            Action::Help | Action::Theme | Action::Mouse | Action::Redraw | Action::Symbols => return Reply::Pass,
            Action::FetchSource => {
                let effects = self.fetch_all();
                self.arrange(cx);
                return Reply::Stay(effects);
            }
            Action::Find => self.takes_text = true,
            Action::Findings => {
                *self.listing.kept() = ListState { unit: self.unit(), ..self.now.clone() };
                let list = (self.listing.paths.clone(), self.listing.units.clone());
                return Reply::Close(vec![Effect::Open(Box::new(findings_of_list(list, self.listing.remarks())))]);
            }
            Action::Sort => self.sort(),
            Action::Filter => self.next_status(),
            Action::NextPane | Action::Complete => self.mark(),
            Action::NextMatch | Action::PreviousMatch => {
                if !self.step_problem(action == Action::NextMatch) {
                    let text = "no other file has a finding".to_owned();
                    return Reply::Stay(vec![Effect::SetStatus(Tone::Dim, text)]);
                }
                self.now.unit = self.unit();
            }
            _ => {
                self.grid.move_cursor(action, &self.rows(cx));
                self.now.unit = self.unit();
            }
        }
        self.arrange(cx);
        Reply::Stay(Vec::new())
    }

    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn changed(&mut self, cx: &OverlayContext<'_>) -> Vec<Effect> {
        self.input.text().clone_into(&mut self.now.typed);
        self.now.unit = None;
        self.arrange(cx);
        Vec::new()
    }

    fn job_finished(&mut self, cx: &OverlayContext<'_>) -> Vec<Effect> {
        if !Arc::ptr_eq(&self.paths, cx.paths) {
            self.paths = Arc::clone(cx.paths);
            self.reading = JobHandle::default();
            self.listing.forget_missing();
        }
        self.arrange(cx);
        self.next_batch()
    }

    fn area(&self, screen: Rect) -> Rect {
        screen
    }

    fn action_at(&self, at: Position, cx: &OverlayContext<'_>) -> Option<Action> {
        let tabs = self.tabs(areas(cx.screen)[0]);
        tabs.into_iter().find(|(area, ..)| area.contains(at)).map(|(_, tab, _)| Action::View(tab.first.number()))
    }

    fn click(&mut self, at: Position, cx: &OverlayContext<'_>) -> Option<bool> {
        let is_row = self.grid.click(at, areas(cx.screen)[3], &self.rows(cx));
        self.now.unit = self.unit();
        Some(is_row)
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        self.draw_parts(area, buf, cx)
    }
}
