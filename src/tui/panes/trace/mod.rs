//! The Trace pane: a pasted stack trace whose resolved frames are links.
//!
//! The frames are resolved by a job, in the open files, those beside them, and the symbol path. Uncertain results are
//! marked: an ambiguous frame lists its candidates, an unresolved one the reason.

mod resolve;

use self::resolve::{FrameCounts, ResolvedTrace, TraceLine, plain_line, resolve};
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::nodes::Place;
use crate::nodes::rows::{Head, Row, Rows, Tone};
use crate::session::Session;
use crate::tui::core::action::Action;
use crate::tui::core::jobs::Queue;
use crate::tui::panes::pane::{Context, List, Pane};
use crate::tui::state::effect::Effect;
use crate::tui::state::message::{Job, Msg};
use crate::tui::state::paths::Paths;
use crate::tui::state::selection::Selection;
use crate::tui::ui::empty_state::EmptyState;
use crate::tui::ui::frame::Title;
use crate::tui::ui::grid::Grid;
use crate::tui::ui::list_filter::{ListFilter, RowSource};
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::theme::Role;

/// The size of a trace, in bytes.
const MAX_TEXT: usize = 16 << 20;
const COLUMNS: &[Head] = &[Head::text(""), Head::text("")];

#[derive(Default)]
struct Trace {
    text: Option<String>,
    /// The session that the last job was started for.
    asked: Option<Arc<Session>>,
    lines: Vec<TraceLine>,
    /// The lines as rows.
    rows: Arc<Vec<Row>>,
    /// Counts of the frames; `None` until they are resolved.
    frames: Option<FrameCounts>,
    grid: Grid,
    height: u16,
    inbox: Arc<Mutex<Option<ResolvedTrace>>>,
    /// Search paths for symbols.
    paths: Arc<Paths>,
}

#[allow(missing_docs)]
pub fn new() -> Box<dyn Pane> {
    Box::new(Trace { grid: Grid { headless: true, ..Grid::default() }, ..Trace::default() })
}

impl Trace {
    fn shown(&self) -> Rows<'static> {
        Rows::shared(COLUMNS, &self.rows)
    }

    fn size(&mut self) {
        let (mut grid, height) = (self.grid.clone(), self.height);
        grid.resize(&self.shown(), height);
        self.grid = grid;
    }

    fn take(&mut self) -> bool {
        let Some(traced) = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take() else { return false };
        self.frames = Some(traced.frames);
        self.set(traced.lines);
        let first = self.lines.iter().position(|line| line.to.is_some()).unwrap_or(0);
        self.grid.scroll.top = 0;
        self.grid.scroll.select(first);
        true
    }

    /// The line of the cursor.
    fn chosen(&self) -> Option<&TraceLine> {
        self.lines.get(self.grid.row()?)
    }

    fn set(&mut self, lines: Vec<TraceLine>) {
        self.rows = Arc::new(lines.iter().map(|line| line.row.clone()).collect());
        (self.lines, self.grid.list_filter) = (lines, ListFilter::default());
        self.size();
    }

    /// The next line with a link.
    fn next_link(&self, from: usize, forward: bool) -> Option<usize> {
        let line = |line: usize| self.lines.get(self.grid.list_filter.row(line)?);
        let leads = |at: &usize| line(*at).is_some_and(|line| line.to.is_some());
        if forward { (from + 1..self.grid.scroll.len).find(leads) } else { (0..from).rfind(leads) }
    }
}

impl Pane for Trace {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Stack trace");
        match (&self.text, self.frames) {
            (None, _) => title,
            (Some(_), None) => title.at(format!("resolving {}", cx.look.glyphs.more)),
            (Some(_), Some(FrameCounts { all, resolved, lost })) => {
                let title = title.at(format!("{resolved} of {all} frames resolved"));
                if lost > 0 { title.of(format!("{} adds symbols", cx.keys(Action::Symbols))) } else { title }
            }
        }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Follow => {
                let (pair, place) = self.chosen()?.to.clone()?;
                if is_open(&pair, cx) {
                    return Some(vec![Effect::Go(place.into())]);
                }
                return Some(vec![Effect::Visit(pair, place.into())]);
            }
            // Moves between frames.
            Action::Left | Action::Right => {
                let to = self.next_link(self.grid.scroll.selected, action == Action::Right);
                if let Some(to) = to {
                    self.grid.scroll.select(to);
                }
                return Some(Vec::new());
            }
            _ => {}
        }
        self.grid.scroll.move_cursor(action, count).then(Vec::new)
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        if !Arc::ptr_eq(&self.paths, cx.paths) {
            // The symbol path has changed: resolve again.
            if self.paths.symbols != cx.paths.symbols {
                self.asked = None;
            }
            self.paths = Arc::clone(cx.paths);
        }
        self.take();
    }

    fn resize(&mut self, size: Size, _: &Context<'_>) {
        self.height = size.height;
        self.size();
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.text.is_none() {
            let state = EmptyState::default()
                .heading("Paste a stack trace here.")
                .keys(Action::OpenTrace, "open a file with a stack trace")
                .keys(Action::Symbols, "set symbol path: a folder, a store or a server with the symbols of its frames")
                .text("Traces of .NET, Mono, Unity, Android and Sentry: their frames become links.");
            return state
                .draw(area, buf, &cx.look, &|action| cx.keys(action))
                .or(Some(Position::new(area.x + 1, area.y)));
        }
        self.grid.draw(buf, area, &self.shown(), &cx.look, &|_, _| false, &|row, column, cell, style| {
            // The method name of a frame is emphasized.
            let frame = column == 0 && self.lines.get(row).is_some_and(|line| line.row.depth == 1);
            let (before, rest) = cell.text.split_once("at ").filter(|(before, _)| frame && before.is_empty())?;
            let end = rest.find([' ', '(']).unwrap_or(rest.len());
            let dim = if style.bg.is_some() { style } else { style.patch(cx.look.theme.of(Role::Dim)) };
            let (name, rest) = rest.split_at(end);
            Some(vec![(format!("{before}at "), dim), (name.to_owned(), style), (rest.to_owned(), dim)])
        })
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let here = self.chosen()?.to.as_ref().filter(|(pair, _)| is_open(pair, cx));
        Some(here.map_or(Place::Trace, |(_, place)| *place).into())
    }

    fn click(&mut self, at: Position, area: Rect, _: &Context<'_>) -> bool {
        let mut grid = self.grid.clone();
        let hit = grid.click(at, area, &self.shown());
        grid.column = None;
        self.grid = grid;
        hit
    }

    fn list(&self) -> Option<&dyn List> {
        Some(self)
    }

    fn list_mut(&mut self) -> Option<&mut dyn List> {
        Some(self)
    }

    fn paste(&mut self, text: &str, _: &Context<'_>) -> Option<Vec<Effect>> {
        let end = (0..=text.len().min(MAX_TEXT)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        // Terminals paste line breaks as carriage returns.
        let lines = text[..end].replace("\r\n", "\n").replace('\r', "\n");
        // The text is shown at once, the results when they are known.
        self.set(lines.lines().map(plain_line).collect());
        (self.text, self.asked, self.frames) = (Some(lines), None, None);
        self.grid.scroll.select(0);
        let cut =
            (end < text.len()).then(|| Effect::SetStatus(Tone::Warn, "only the first 16 MB were read".to_owned()));
        Some(cut.into_iter().collect())
    }

    fn background_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        // A job for another session was cancelled, or had no symbols.
        let lost =
            |asked: &&Arc<Session>| !Arc::ptr_eq(asked, session) && (self.frames.is_none() || same(asked, session));
        if self.text.is_none() || self.asked.as_ref().is_some_and(|asked| !lost(&asked)) {
            return None;
        }
        let text = self.text.clone()?;
        (self.asked, self.frames) = (Some(Arc::clone(session)), None);
        // A new inbox: a cancelled job may still write to the old one.
        self.inbox = Arc::default();
        let (session, inbox, paths) = (Arc::clone(session), Arc::clone(&self.inbox), Arc::clone(&self.paths));
        let job = Job::new("resolving the trace", "trace", move |token| {
            let traced = resolve(&session, &text, &paths, token);
            *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(traced);
            Msg::TraceResolved
        });
        Some(job.on(Queue::Network))
    }

    fn copied_text(&self, action: Action, _: &Context<'_>) -> Option<String> {
        if action == Action::CopyTrace {
            let line = |line: &TraceLine| {
                let cells: Vec<&str> = line.row.cells.iter().map(|cell| cell.text.as_str()).collect();
                cells.join("  ").trim_end().to_owned()
            };
            return self.text.as_ref().map(|_| self.lines.iter().map(line).collect::<Vec<_>>().join("\n") + "\n");
        }
        let row = &self.chosen()?.row;
        match action {
            Action::CopyRow => Some(row.tabbed()),
            Action::CopyValue => row.cells.first().map(|cell| cell.text.clone()),
            _ => None,
        }
    }
}

impl List for Trace {
    fn parts(&self) -> (&Scroll, &ListFilter) {
        self.grid.parts()
    }

    fn parts_mut(&mut self) -> (&mut Scroll, &mut ListFilter) {
        self.grid.parts_mut()
    }

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let rows = Arc::clone(&self.rows);
        Some(Arc::new(move |_| Some(Rows::shared(COLUMNS, &rows))))
    }
}

/// Returns whether two sessions have the same image.
fn same(a: &Session, b: &Session) -> bool {
    let path = |session: &Session| session.image().map(|image| image.path.clone());
    path(a).is_some() && path(a) == path(b)
}

fn is_open(pair: &Arc<Session>, cx: &Context<'_>) -> bool {
    std::ptr::eq(Arc::as_ptr(pair), cx.session)
}
