//! A stack trace, as it was pasted: each frame that can be resolved is a link, and beside it stands where it leads.
//!
//! The worker resolves it, in the files that are open. What is not certain is said and not guessed: a frame that could be
//! several methods lists them, and one that cannot be resolved says why.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::outline::say;
use crate::model::method::il_label;
use crate::model::place::MethodPart;
use crate::model::rows::Cell;
use crate::model::tables::last_step;
use crate::model::trace::{Offset, Outcome, Sink, Told, Tracer};
use crate::model::{Head, Place, Row, Rows, Session, Tone};
use crate::tui::action::Action;
use crate::tui::app::{App, Effect};
use crate::tui::jobs::{Job, Ticket};
use crate::tui::pane::{Context, List, Pane, Selection, Title};
use crate::tui::theme::Role;
use crate::tui::widgets::grid::Grid;
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::sieve::{Sieve, Source};

/// The largest text that is taken.
const LARGEST: usize = 16 << 20;
/// The most candidates that a frame lists.
const CANDIDATES: usize = 6;

const COLUMNS: &[Head] = &[Head::text(""), Head::text("")];

#[derive(Default)]
struct Trace {
    text: Option<String>,
    asked: bool,
    rows: Arc<Vec<Row>>,
    /// How many frames there are, and how many of them are resolved.
    frames: (usize, usize),
    grid: Grid,
    height: u16,
    inbox: Arc<Mutex<Option<Traced>>>,
}

/// What the worker made of a trace.
#[derive(Default)]
struct Traced {
    rows: Vec<Row>,
    frames: (usize, usize),
}

/// Makes one.
pub fn new() -> Box<dyn Pane> {
    Box::new(Trace { grid: Grid { headless: true, ..Grid::default() }, ..Trace::default() })
}

/// What was told of the frames of a text: by line, what stands beside it and what below.
struct Beside<'s> {
    session: &'s Session,
    lines: Vec<&'s str>,
    told: Vec<Vec<Row>>,
    frames: (usize, usize),
    ticket: &'s Ticket,
}

impl Sink for Beside<'_> {
    fn text(&mut self, _: &[u8]) -> io::Result<()> {
        if self.ticket.cancelled() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        let index = (told.line as usize).saturating_sub(1);
        let line = self.lines.get(index).copied().unwrap_or_default();
        let rows = frame(self.session, line, told);
        self.frames.0 += 1;
        self.frames.1 += usize::from(rows.first().is_some_and(|row| row.place.is_some()));
        if let Some(known) = self.told.get_mut(index) {
            known.extend(rows);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is said of a frame: beside it, and in rows below.
fn frame(session: &Session, line: &str, told: &Told<'_>) -> Vec<Row> {
    let row = |place: Option<Place>, text: String, tone: Tone| Row {
        place,
        ..Row::plain(vec![Cell { to: place, ..Cell::toned(text, tone) }, Cell::default()])
    };
    match told.outcome {
        Outcome::Resolved(found) => {
            let place = Place::MethodPart(found.method, MethodPart::Instruction(found.il));
            let range = format!("{}:{}–{}:{}", found.line, found.column, found.end_line, found.end_column);
            let name = last_step(&found.path);
            let mut rows = vec![row(Some(place), format!("{name} {range}  {}", il_label(found.il.into())), Tone::Text)];
            // How it was resolved is worth a row only where something is not certain.
            let doubtful = |note: &&String| note.contains("could also") || note.contains("hidden");
            rows.extend(found.notes.iter().filter(doubtful).map(|note| row(None, note.clone(), Tone::Dim)));
            rows
        }
        Outcome::Known => match known_line(session, line, told) {
            Some((place, text)) => vec![row(Some(place), text, Tone::Text)],
            None => vec![row(None, "has its line already".to_owned(), Tone::Dim)],
        },
        Outcome::Candidates(candidates, reason) => {
            let mut rows = vec![row(None, format!("? {reason}"), Tone::Warn)];
            rows.extend(candidates.iter().take(CANDIDATES).map(|candidate| {
                let place = Place::MethodPart(candidate.method, MethodPart::Points);
                let lines = candidate.lines.as_ref();
                let lines =
                    lines.map_or(String::new(), |(path, first, last)| format!("  {} {first}–{last}", last_step(path)));
                row(Some(place), format!("could be {}{lines}", candidate.name), Tone::Text)
            }));
            let more = candidates.len().saturating_sub(CANDIDATES);
            rows.extend((more > 0).then(|| row(None, format!("and {more} more"), Tone::Dim)));
            rows
        }
        Outcome::No(reason) => vec![row(None, reason.clone(), Tone::Dim)],
    }
}

/// Where the line is that a trace has already, in these files: `in FILE:line N`.
fn known_line(session: &Session, text: &str, told: &Told<'_>) -> Option<(Place, String)> {
    let Offset::Line(line) = told.frame.offset else { return None };
    // The path ends before the last colon of what stands behind the last ` in ` or ` at `.
    let (_, path) = text.rsplit_once(" in ").or_else(|| text.rsplit_once(" (at "))?;
    let name = last_step(path.rsplit_once(':')?.0);
    let query = session.line_query(&format!("{name}:{line}")).ok()?;
    let found = session.breakpoint(&query);
    let method = told.frame.name.rsplit(['.', ':']).next().unwrap_or_default();
    let hits = || found.hits.iter().filter(|_| found.line == line);
    let hit = hits().find(|hit| session.method_name(hit.method).contains(method)).or_else(|| hits().next())?;
    Some((hit.place(), format!("{name} {line}  {}", il_label(hit.point.il.into()))))
}

/// Resolves a trace: its lines as they are, what was found beside them, and what else is to be said below.
fn resolve(session: &Arc<Session>, text: &str, ticket: &Ticket) -> Traced {
    let lines: Vec<&str> = text.lines().collect();
    let told = lines.iter().map(|_| Vec::new()).collect();
    let mut beside = Beside { session, told, lines, frames: (0, 0), ticket };
    // Nothing fails but a sink that was told to stop: what is known by then shows.
    let _ = Tracer::of(Arc::clone(session)).run(text.as_bytes(), &mut beside);
    let mut rows = Vec::new();
    let Beside { lines, told, frames, .. } = beside;
    for (line, told) in lines.into_iter().zip(told) {
        let indented = line.starts_with([' ', '\t']);
        let text = line.trim();
        let mut told = told.into_iter();
        let Some(first) = told.next() else {
            // What is no frame parts the traces: the message of an exception above all.
            let tone = if indented { Tone::Dim } else { Tone::Strong };
            rows.push(if text.is_empty() { Row::default() } else { Row::plain(vec![Cell::toned(text, tone)]) });
            continue;
        };
        let where_to = first.cells.into_iter().next().unwrap_or_default();
        let tone = if first.place.is_some() { Tone::Text } else { Tone::Dim };
        rows.push(Row { place: first.place, depth: 1, cells: vec![Cell::toned(text, tone), where_to], span: None });
        rows.extend(told.map(|row| Row { depth: 2, ..row }));
    }
    Traced { rows, frames }
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
        (self.rows, self.frames) = (Arc::new(traced.rows), traced.frames);
        self.grid.sieve = Sieve::default();
        self.size();
        let first = self.rows.iter().position(|row| row.place.is_some()).unwrap_or(0);
        self.grid.scroll.top = 0;
        self.grid.scroll.select(first);
        true
    }

    /// The row under the cursor.
    fn chosen(&self) -> Option<&Row> {
        self.rows.get(self.grid.row()?)
    }

    /// The next line that leads somewhere, from a line on.
    fn next_link(&self, from: usize, forward: bool) -> Option<usize> {
        let row = |line: usize| self.rows.get(self.grid.sieve.row(line)?);
        let leads = |line: &usize| row(*line).is_some_and(|row| row.place.is_some());
        if forward { (from + 1..self.grid.scroll.len).find(leads) } else { (0..from).rfind(leads) }
    }
}

impl Pane for Trace {
    fn title(&self, _: &Context<'_>) -> Title {
        let title = Title::new("Stack trace");
        match (&self.text, self.frames) {
            (None, _) => title,
            (Some(_), (frames, resolved)) => title.at(format!("{resolved} of {frames} frames resolved")),
        }
    }

    fn act(&mut self, action: Action, count: Option<usize>, _: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Follow => {
                let place = self.chosen()?.place?;
                return Some(vec![Effect::Go(place.into())]);
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
        self.grid.scroll.act(action, count).then(Vec::new)
    }

    fn show(&mut self, _: &Context<'_>) {
        self.take();
    }

    fn resize(&mut self, size: Size, _: &Context<'_>) {
        self.height = size.height;
        self.size();
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.rows.is_empty() {
            let text = match &self.text {
                Some(_) => "resolving …",
                None => {
                    "Paste a stack trace here, or open one: `:` and open-trace. .NET with IL offsets or with lines, \
                     ProductionStackTrace, Mono and Unity, Android, Sentry's JSON. Each frame that the open files can \
                     resolve becomes a link to its line, its IL and its bytes."
                }
            };
            say(buf, area, text, cx);
            return Some(Position::new(area.x + 1, area.y));
        }
        self.grid.draw(buf, area, &self.shown(), &cx.look, &|_, _| false, &|row, column, cell, style| {
            // The name of a frame's method stands out from what is around it.
            let frame = column == 0 && self.rows.get(row).is_some_and(|row| row.depth == 1);
            let (before, rest) = cell.text.split_once("at ").filter(|(before, _)| frame && before.is_empty())?;
            let end = rest.find([' ', '(']).unwrap_or(rest.len());
            let dim = if style.bg.is_some() { style } else { style.patch(cx.look.theme.of(Role::Dim)) };
            let (name, rest) = rest.split_at(end);
            Some(vec![(format!("{before}at "), dim), (name.to_owned(), style), (rest.to_owned(), dim)])
        })
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        Some(self.chosen()?.place?.into())
    }

    fn point(&mut self, at: Position, area: Rect, _: &Context<'_>) -> bool {
        let mut grid = self.grid.clone();
        let hit = grid.point(at, area, &self.shown());
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
        (self.rows, self.grid.sieve) = (Arc::default(), Sieve::default());
        (self.text, self.asked, self.frames) = (Some(lines), false, (0, 0));
        let cut = (end < text.len()).then(|| Effect::Say(Tone::Warn, "only the first 16 MB were taken".to_owned()));
        Some(cut.into_iter().collect())
    }

    fn wants(&mut self, session: &Arc<Session>) -> Option<Job> {
        let text = self.text.clone().filter(|_| !self.asked)?;
        self.asked = true;
        let (session, inbox) = (Arc::clone(session), Arc::clone(&self.inbox));
        Some(Job {
            what: "resolving the trace".to_owned(),
            slot: "trace",
            work: Box::new(move |ticket| {
                let traced = resolve(&session, &text, ticket);
                *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(traced);
                Box::new(|app: &mut App| app.traced())
            }),
        })
    }

    fn copy(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let row = self.chosen()?;
        match action {
            Action::CopyRow => Some(row.cells.iter().map(|cell| cell.text.trim()).collect::<Vec<_>>().join("\t")),
            Action::CopyValue => row.cells.first().map(|cell| cell.text.clone()),
            _ => None,
        }
    }
}

impl List for Trace {
    fn parts(&self) -> (&Scroll, &Sieve) {
        self.grid.parts()
    }

    fn parts_mut(&mut self) -> (&mut Scroll, &mut Sieve) {
        self.grid.parts_mut()
    }

    fn source(&self, _: &Context<'_>) -> Option<Source> {
        let rows = Arc::clone(&self.rows);
        Some(Arc::new(move |_| Some(Rows::shared(COLUMNS, &rows))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(u8, bool, String)> {
        let session = Arc::new(Session::sample());
        let traced = resolve(&session, text, &Ticket::default());
        let said = |row: Row| {
            let text: Vec<&str> = row.cells.iter().map(|cell| cell.text.as_str()).collect();
            (row.depth, row.place.is_some(), text.join(" | ").trim().to_owned())
        };
        traced.rows.into_iter().map(said).collect()
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
