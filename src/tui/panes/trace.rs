//! A stack trace, as it was pasted: each frame that can be resolved is a link, and beside it stands where it leads.
//!
//! The worker resolves it, in the files that are open, those beside them, and where `--symbols` says. What is not certain is said and not guessed: a frame that could be
//! several methods lists them, and one that cannot be resolved says why.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::nodes::Place;
use crate::nodes::method::lines_text;
use crate::nodes::place::MethodPart;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::tables::last_step;
use crate::session::Session;
use crate::trace::{Files, Frame, Offset, Outcome, Sink, Told, Tracer};
use crate::tui::core::action::Action;
use crate::tui::core::jobs::{CancelToken, Queue};
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

/// The largest text that is taken.
const LARGEST: usize = 16 << 20;
/// The most candidates that a frame lists.
const CANDIDATES: usize = 6;

const COLUMNS: &[Head] = &[Head::text(""), Head::text("")];

#[derive(Default)]
struct Trace {
    text: Option<String>,
    /// The pair that the worker was asked with; nothing where it has to be asked.
    asked: Option<Arc<Session>>,
    lines: Vec<Line>,
    /// The same as they are listed.
    rows: Arc<Vec<Row>>,
    /// What became of its frames; nothing while that is not known.
    frames: Option<Frames>,
    grid: Grid,
    height: u16,
    inbox: Arc<Mutex<Option<Traced>>>,
    /// Where symbols are looked for.
    paths: Arc<Paths>,
}

/// A row, and where it leads: a place of a pair, which need not be the one that is open.
#[derive(Clone, Debug, Default)]
struct Line {
    row: Row,
    to: Option<(Arc<Session>, Place)>,
}

/// What the worker made of a trace.
#[derive(Default)]
struct Traced {
    lines: Vec<Line>,
    frames: Frames,
}

/// How many frames there are.
#[derive(Clone, Copy, Debug, Default)]
struct Frames {
    all: usize,
    resolved: usize,
    /// Those that nothing was found for: more symbols might have it.
    lost: usize,
}

/// Makes one.
pub fn new() -> Box<dyn Pane> {
    Box::new(Trace { grid: Grid { headless: true, ..Grid::default() }, ..Trace::default() })
}

/// What was told of the frames of a text: the index of the line of each.
struct Kept<'t> {
    told: Vec<(usize, Frame, Outcome)>,
    token: &'t CancelToken,
}

impl Sink for Kept<'_> {
    fn text(&mut self, _: &[u8]) -> io::Result<()> {
        if self.token.is_cancelled() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        let index = (told.line as usize).saturating_sub(1);
        self.told.push((index, told.frame.clone(), told.outcome.clone()));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What resolves the frames of one trace.
struct Resolver<'t> {
    open: Arc<Session>,
    tracer: Tracer,
    token: &'t CancelToken,
    /// Where lines that the trace has already are: the same come again and again.
    known: HashMap<(String, u32, String), Option<Found>>,
}

/// A place of a pair, and what is said of it.
type Found = (Arc<Session>, Place, String);

impl Resolver<'_> {
    /// What is said of a frame: beside it, and in rows below.
    fn frame(&mut self, line: &str, frame: &Frame, outcome: &Outcome) -> Vec<Line> {
        let said = |text: String, tone: Tone| Line { row: Row::plain(vec![Cell::toned(text, tone)]), to: None };
        match outcome {
            Outcome::Resolved(found) => {
                let place = found.of.code(found.il);
                let range = lines_text([found.line, found.column, found.end_line, found.end_column]);
                let text = format!("{} {range}  {}", last_step(&found.path), found.of.label(found.il.into()));
                let mut lines = vec![self.link(found.pair, place, text)];
                // How it was resolved is worth a row only where something is not certain.
                let doubtful = |note: &&String| note.contains("could also") || note.contains("hidden");
                lines.extend(found.notes.iter().filter(doubtful).map(|note| said(note.clone(), Tone::Dim)));
                lines
            }
            Outcome::Known => match self.known_line(line, frame) {
                Some((pair, place, text)) => vec![self.link_to(pair, place, text)],
                None => vec![said("has its line already".to_owned(), Tone::Dim)],
            },
            Outcome::Candidates(candidates, reason) => {
                // Why nothing says which one stands below it: the ones that could be meant.
                let reason = reason.split(':').next().unwrap_or_default();
                let mut lines = vec![said(format!("? {reason}"), Tone::Warn)];
                lines.extend(candidates.iter().take(CANDIDATES).map(|candidate| {
                    let place = Place::MethodPart(candidate.method, MethodPart::Points);
                    let at = candidate.lines.as_ref().map_or(String::new(), |(path, first, last)| {
                        let more = if last > first { format!("–{last}") } else { String::new() };
                        format!("  {} {first}{more}", last_step(path))
                    });
                    self.link(candidate.pair, place, format!("could be {}{at}", candidate.name))
                }));
                let more = candidates.len().saturating_sub(CANDIDATES);
                lines.extend((more > 0).then(|| said(format!("and {more} more"), Tone::Dim)));
                lines
            }
            Outcome::No(reason) => vec![said(reason.clone(), Tone::Dim)],
        }
    }

    fn link(&self, pair: usize, place: Place, text: String) -> Line {
        let Some(pair) = self.tracer.pair(pair) else { return Line::default() };
        self.link_to(pair, place, text)
    }

    /// A row that leads to a place; which pair that is of is said where it is not the one that is open.
    fn link_to(&self, pair: Arc<Session>, place: Place, text: String) -> Line {
        let other = if Arc::ptr_eq(&pair, &self.open) { String::new() } else { format!("in {}", name_of(&pair)) };
        let cell = Cell { to: Some(place), ..Cell::new(text).beside(other) };
        Line { row: Row::plain(vec![cell]), to: Some((pair, place)) }
    }

    /// Where the line is that a trace has already, `in FILE:line N`: in the open pair, or in another that is at hand.
    fn known_line(&mut self, text: &str, frame: &Frame) -> Option<Found> {
        let Offset::Line(line) = frame.offset else { return None };
        // The path ends before the last colon of what stands behind the last ` in ` or ` at `.
        let (_, path) = text.rsplit_once(" in ").or_else(|| text.rsplit_once(" (at "))?;
        let name = last_step(path.rsplit_once(':')?.0);
        let method = frame.name.rsplit(['.', ':']).next().unwrap_or_default();
        let key = (name.to_owned(), line, method.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut found = in_pair(&self.open, name, line, method);
        if found.is_none() && !self.token.is_cancelled() {
            let others = self.tracer.pairs().into_iter().filter_map(|pair| self.tracer.pair(pair));
            found = others
                .filter(|pair| !Arc::ptr_eq(pair, &self.open))
                .find_map(|pair| in_pair(&pair, name, line, method));
        }
        self.known.insert(key, found.clone());
        found
    }
}

/// The point on a line of a document, of a method whose name has `method` in it where there are several.
fn in_pair(pair: &Arc<Session>, name: &str, line: u32, method: &str) -> Option<Found> {
    let query = pair.line_query(&format!("{name}:{line}")).ok()?;
    let found = pair.breakpoint(&query);
    let hits = || found.hits.iter().filter(|_| found.line == line);
    let hit = hits().find(|hit| pair.routine_name(hit.of).contains(method)).or_else(|| hits().next())?;
    Some((Arc::clone(pair), hit.place(), format!("{name} {line}  {}", hit.of.label(hit.point.il.into()))))
}

/// What a pair is called: by its image, or by its symbols where there is none.
fn name_of(pair: &Session) -> &str {
    let symbols = pair.symbols.as_ref().map(|file| file.name.as_str());
    pair.image.as_ref().map(|image| image.name.as_str()).or(symbols).unwrap_or_default()
}

/// A line of the trace as it stands.
fn plain(line: &str) -> Line {
    let text = line.trim();
    let row = if text.is_empty() { Row::default() } else { Row::plain(vec![Cell::toned(text, Tone::Dim)]) };
    Line { row, to: None }
}

/// What stands right above frames parts the traces: the message of an exception.
fn head(lines: &mut [Line]) {
    let is_frame = |line: &Line| line.row.depth > 0;
    let begins = |line: &Line, with: &str| line.row.cells.first().is_some_and(|cell| cell.text.starts_with(with));
    for index in 1..lines.len() {
        let [above, below] = &mut lines[index - 1..=index] else { continue };
        if !is_frame(above) && !begins(above, "---") && (is_frame(below) || begins(below, "--->")) {
            above.row.cells.iter_mut().for_each(|cell| cell.tone = Tone::Strong);
        }
    }
}

/// Resolves a trace: its lines as they are, what was found beside them, and what else is to be said below.
fn resolve(session: &Arc<Session>, text: &str, paths: &Paths, token: &CancelToken) -> Traced {
    let named = Files::along(&paths.symbols.named);
    let folder = session.image.as_ref().map(|image| &image.path).or(session.symbols.as_ref().map(|file| &file.path));
    let beside = folder.and_then(|path| path.parent()).filter(|folder| !folder.as_os_str().is_empty());
    let files = beside.map_or_else(Files::default, Files::beside);
    let transfer = token.clone();
    let finders = paths.symbols.finders(named.and(files), &|| {
        let token = transfer.clone();
        Box::new(move |done, of| token.report_transfer(done, of))
    });
    let stop = token.clone();
    let mut tracer = Tracer::new(finders).with(Arc::clone(session)).until(Box::new(move || stop.is_cancelled()));
    let mut kept = Kept { told: Vec::new(), token };
    // Nothing fails but a sink that was told to stop: what is known by then shows.
    let _ = tracer.run(text.as_bytes(), &mut kept);
    let mut told = kept.told.into_iter().peekable();
    let mut resolver = Resolver { open: Arc::clone(session), tracer, token, known: HashMap::new() };
    let (mut lines, mut frames) = (Vec::new(), Frames::default());
    for (index, line) in text.lines().enumerate() {
        let mut said = Vec::new();
        while let Some((_, frame, outcome)) = told.next_if(|(at, ..)| *at == index) {
            let found = resolver.frame(line, &frame, &outcome);
            frames.all += 1;
            frames.resolved += usize::from(found.first().is_some_and(|line| line.to.is_some()));
            frames.lost += usize::from(matches!(outcome, Outcome::No(_)));
            said.extend(found);
        }
        let mut said = said.into_iter();
        let Some(Line { row: first, to }) = said.next() else {
            lines.push(plain(line));
            continue;
        };
        let beside = first.cells.into_iter().next().unwrap_or_default();
        let tone = if to.is_some() { Tone::Text } else { Tone::Dim };
        let cells = vec![Cell::toned(line.trim(), tone), beside];
        lines.push(Line { row: Row { depth: 1, ..Row::plain(cells) }, to });
        lines.extend(said.map(|line| Line { row: Row { depth: 2, ..line.row }, ..line }));
    }
    head(&mut lines);
    Traced { lines, frames }
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

    /// The line under the cursor.
    fn chosen(&self) -> Option<&Line> {
        self.lines.get(self.grid.row()?)
    }

    fn set(&mut self, lines: Vec<Line>) {
        self.rows = Arc::new(lines.iter().map(|line| line.row.clone()).collect());
        (self.lines, self.grid.list_filter) = (lines, ListFilter::default());
        self.size();
    }

    /// The next line that leads somewhere, from a line on.
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
            (Some(_), Some(Frames { all, resolved, lost })) => {
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
            // From frame to frame.
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
            // Symbols may be where they were not.
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
                .keys(Action::OpenTrace, "opens a file that has one")
                .keys(Action::Symbols, "names a folder, a store or a server with the symbols of its frames")
                .text("Traces of .NET, Mono, Unity, Android and Sentry: their frames become links.");
            return state
                .draw(area, buf, &cx.look, &|action| cx.keys(action))
                .or(Some(Position::new(area.x + 1, area.y)));
        }
        self.grid.draw(buf, area, &self.shown(), &cx.look, &|_, _| false, &|row, column, cell, style| {
            // The name of a frame's method stands out from what is around it.
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
        let end = (0..=text.len().min(LARGEST)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        // Terminals paste lines with carriage returns.
        let lines = text[..end].replace("\r\n", "\n").replace('\r', "\n");
        // The text shows at once, and what becomes of its frames as soon as that is known.
        self.set(lines.lines().map(plain).collect());
        (self.text, self.asked, self.frames) = (Some(lines), None, None);
        self.grid.scroll.select(0);
        let cut =
            (end < text.len()).then(|| Effect::SetStatus(Tone::Warn, "only the first 16 MB were taken".to_owned()));
        Some(cut.into_iter().collect())
    }

    fn background_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        // What was asked with a pair that is no longer open, or had no symbols then, came to nothing.
        let lost =
            |asked: &&Arc<Session>| !Arc::ptr_eq(asked, session) && (self.frames.is_none() || same(asked, session));
        if self.text.is_none() || self.asked.as_ref().is_some_and(|asked| !lost(&asked)) {
            return None;
        }
        let text = self.text.clone()?;
        (self.asked, self.frames) = (Some(Arc::clone(session)), None);
        // A job that is told to stop may still have something to say: not here.
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

/// Whether two pairs have the same image: one of them was opened again.
fn same(a: &Session, b: &Session) -> bool {
    let path = |session: &Session| session.image.as_ref().map(|image| image.path.clone());
    path(a).is_some() && path(a) == path(b)
}

/// Whether a pair is the one that is open.
fn is_open(pair: &Arc<Session>, cx: &Context<'_>) -> bool {
    std::ptr::eq(Arc::as_ptr(pair), cx.session)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(u8, bool, String)> {
        let session = Arc::new(Session::sample());
        let traced = resolve(&session, text, &Paths::default(), &CancelToken::default());
        let said = |line: Line| {
            let text: Vec<&str> = line.row.cells.iter().map(|cell| cell.text.as_str()).collect();
            (line.row.depth, line.to.is_some(), text.join(" | ").trim().to_owned())
        };
        traced.lines.into_iter().map(said).collect()
    }

    #[test]
    fn frames_become_links_and_what_is_not_certain_is_said() {
        let text = "System.Exception: no\n   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\n   \
                    at Other.Thing() in Other.dll:token 0x6000001+0x0\n\n   at Ticker.Program.Main(String[] args)\n   \
                    at Ticker.Program.Main(String[] args) in /_/ticker/Program.cs:line 13";
        let seen = seen(text);
        assert_eq!(seen[0], (0, false, "System.Exception: no".to_owned()));
        assert!(seen[1].1 && seen[1].2.contains("Clock.cs") && seen[1].2.ends_with("IL_0001"), "{seen:?}");
        assert!(!seen[2].1 && seen[2].2.contains("Other.dll"), "{seen:?}");
        assert_eq!(seen[3].2, "");
        assert!(!seen[4].1 && seen[4].2.contains("only a name"), "{seen:?}");
        assert!(seen[5].1 && seen[5].0 == 2 && seen[5].2.contains("could be Ticker.Program.Main"), "{seen:?}");
        assert!(seen[6].1 && seen[6].2.contains("Program.cs 13"), "{seen:?}");
    }
}
