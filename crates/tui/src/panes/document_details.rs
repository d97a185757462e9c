//! Details of the current document and line: code of the line, origin of the text, record in the symbols.

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::panes::list_pane::{self, Shows};
use crate::panes::lists::verdict_sign;
use crate::panes::pane::{Context, Facts, Pane};
use crate::state::document_info::DocumentInfo;
use crate::state::message::{Inbox, Job};
use crate::state::paths::{MAX_SEARCHED, Paths};
use crate::state::texts::TextState;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::ListFilter;
use crate::ui::text::{width, wrap};
use crate::ui::tree::ListState;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_query::breakpoint::{Cause, Judge, LineQuery, Sign, Why};
use pdblens_query::native_where::{native_where, sentence};
use pdblens_session::session::Session;
use pdblens_session::source::Origin;
use pdblens_session::text::safe::count;

const MAX_PIECES: usize = 100;
/// Cells that the names of facts take.
const NAMES: u16 = 20;
/// Width that suffices to read a reason.
const REASON_WIDTH: u16 = 56;

pub fn new() -> Box<dyn Pane> {
    list_pane::new(Grid { headless: true, unfolds: true, ..Grid::default() }, DocumentDetails::default())
}

#[derive(Default)]
struct DocumentDetails {
    rows: Arc<Vec<Row>>,
    document: Option<u32>,
    line: u32,
    /// The rows that are wrapped to the width.
    wrapped: Range<usize>,
    /// The input of the rows: identity of the text, whether facts and the verdict were known, and the width.
    known: (usize, bool, bool, u16),
    /// Document and line that were judged last, and the verdict on a breakpoint there.
    judged: Option<(JudgedLine, Why)>,
    /// The next one, from a worker.
    found: Inbox<(JudgedLine, Why)>,
    /// Paths of sources, and the cause of the module: the verdict depends on both.
    paths: Arc<Paths>,
    module: Option<Why>,
}

/// Document and line.
type JudgedLine = (u32, u32);
/// Columns, whose names are those of exports.
const COLUMNS: &[Head] = &[Head::text("fact"), Head::text("value"), Head::text("note")];
/// Height up to which a pane has no room for the full text of its rows beside other ones.
const LOW: u16 = 5;

fn heading(text: String, more: String) -> Row {
    Row::plain(vec![Cell::toned(text, Tone::Strong), Cell::toned(more, Tone::Dim)])
}

fn fact(name: &str, value: Cell) -> Row {
    Row { depth: 1, ..Row::plain(vec![Cell::toned(name, Tone::Dim), value]) }
}

fn verdict_text(why: &Why, cx: &Context<'_>) -> String {
    format!("{} {}", cx.look.glyphs.breakpoint(why.verdict.sign()), why.verdict.words())
}

/// Cause and remedy where a breakpoint does not bind on its line, or a debugger with its usual settings skips the module.
fn reason_rows(why: &Why, width: u16) -> Vec<Row> {
    let room = usize::from(width.saturating_sub(NAMES)).max(usize::from(NAMES));
    let is_explained = why.verdict.sign() > Sign::Stops;
    let texts = if is_explained { &[("why", &why.sentence), ("fix", &why.fix)][..] } else { &[] };
    let rows = texts.iter().flat_map(|(name, text)| {
        let lines = wrap(text, room).into_iter().enumerate();
        lines.map(move |(at, line)| fact(if at == 0 { name } else { "" }, Cell::new(line)))
    });
    rows.collect()
}

fn line_rows(about: &DocumentInfo, line: u32, why: Option<&Why>, cx: &Context<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let found = about.coverage.on(line, MAX_PIECES);
    let word = found.first().map_or("point", |piece| piece.of.words().point);
    let text = if found.is_empty() { "no code".to_owned() } else { count(found.len() as u64, word) };
    let verdict = why.map_or_else(String::new, |why| format!(", {}", verdict_text(why, cx)));
    rows.push(heading(format!("line {line}"), text + &verdict));
    for piece in found {
        let glyphs = cx.look.glyphs;
        let sign = if piece.start_line == line { glyphs.other } else { glyphs.dash };
        let cells = vec![
            Cell::toned(format!("{sign} {}", piece.of.label(piece.offset.into())), Tone::Dim),
            Cell::new(code_unit::name(cx.session, piece.of)),
            Cell::toned(piece.range_text(), Tone::Dim),
        ];
        rows.push(Row { depth: 1, ..Row::at(piece.place(), cells) });
        let is_told = why.is_some_and(|why| why.cause == Cause::Precompiled);
        if let CodeUnit::Method(method) = piece.of
            && !is_told
        {
            let machine = native_where(cx.session, method, piece.offset);
            rows.extend(machine.iter().map(|body| fact("machine code", Cell::new(sentence(body, piece.offset)))));
        }
    }
    rows
}

fn document_rows(
    document: Option<u32>,
    loaded: Option<&TextState>,
    about: Option<&DocumentInfo>,
    cx: &Context<'_>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(document) = document {
        let code = about.map_or(String::new(), |about| {
            let words = code_unit::words(cx.session);
            let units = count(about.methods as u64, words.unit);
            format!("{}, {units}", count(about.coverage.len() as u64, words.point))
        });
        rows.push(heading(format!("document {document}"), code));
    }
    match loaded {
        Some(TextState::Found(text)) => {
            let (sign, tone) = verdict_sign(text.verdict);
            rows.push(fact("text", Cell::toned(format!("{sign} {}", text.verdict), tone)));
            let from = match &text.from {
                Origin::Embedded => "embedded in the PDB".to_owned(),
                Origin::BuiltIn => "built-in sample".to_owned(),
                other => other.to_string(),
            };
            rows.push(fact("from", Cell::new(from)));
        }
        Some(TextState::NotFound(search)) => {
            let state = match search.url {
                Some(_) => format!("? not fetched; {} fetches it", cx.keys(Action::FetchSource)),
                None => "? not found".to_owned(),
            };
            rows.push(fact("text", Cell::toned(state, Tone::Warn)));
            rows.extend(search.tried.iter().take(MAX_SEARCHED).map(|tried| {
                // The outcome first: a long path or URL is cut at its end.
                fact("searched", Cell::new(format!("{}: {}", tried.outcome, tried.origin)))
            }));
        }
        _ => {}
    }
    let facts = about.iter().flat_map(|about| &about.facts);
    rows.extend(facts.map(|(name, value)| fact(name, Cell::new(value.as_str()))));
    rows
}

impl DocumentDetails {
    fn make(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let document = cx.selected.document;
        let line = cx.selected.lines.map_or(0, |lines| lines.start);
        let loaded = document.and_then(|row| cx.texts.get(row));
        let about = document.and_then(|row| cx.texts.info.get(row));
        // A text that was read again is a different object.
        let text = match loaded {
            Some(TextState::Found(text)) => Arc::as_ptr(text) as usize,
            Some(TextState::NotFound(looked)) => Arc::as_ptr(looked) as usize,
            _ => 0,
        };
        if let Some(judged) = self.found.take() {
            self.judged = Some(judged);
        }
        let at = document.map(|document| (document, line));
        let is_judged = self.judged.as_ref().is_some_and(|(judged, _)| Some(*judged) == at);
        let known = (text, about.is_some(), is_judged, list.size.width);
        self.paths = Arc::clone(cx.paths);
        self.module = about.and_then(|about| about.module.clone());
        if (self.document, self.line, self.known) == (document, line, known) {
            return;
        }
        (self.document, self.line, self.known) = (document, line, known);
        let mut rows = match about {
            Some(about) if line > 0 => {
                let why = self.judged.as_ref().filter(|_| is_judged).map(|(_, why)| why);
                let mut rows = line_rows(about, line, why, cx);
                let first = rows.len();
                rows.extend(why.into_iter().flat_map(|why| reason_rows(why, list.size.width)));
                self.wrapped = first..rows.len();
                rows.push(Row::default());
                rows
            }
            _ => {
                self.wrapped = 0..0;
                Vec::new()
            }
        };
        rows.extend(document_rows(document, loaded, about.map(|about| &**about), cx));
        let first = rows.iter().position(|row| row.place.is_some()).unwrap_or(0);
        self.rows = Arc::new(rows);
        (list.grid.list_filter, list.grid.scroll.len) = (ListFilter::default(), self.rows.len());
        list.grid.scroll.select(first);
        list.grid.scroll.top = 0;
    }
}

impl Shows for DocumentDetails {
    fn title(&self, _: &ListState, _: &Context<'_>) -> Title {
        Title::new(if self.line > 0 { "Code of the line" } else { "Document" })
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        self.make(list, cx);
        // In a low pane the rows above the chosen one leave their room to its full text.
        let (height, scroll) = (usize::from(list.size.height), &mut list.grid.scroll);
        if scroll.height != height && list.size.height <= LOW && self.line > 0 {
            scroll.set_height(height);
            scroll.top = scroll.selected.min(scroll.len.saturating_sub(height));
        }
    }
    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let place = cx.selected.selection.place;
        if let Some(at) = self.rows.iter().position(|row| row.place == Some(place)) {
            list.grid.reveal(at);
        }
    }

    fn made(&self) -> Option<(&'static [Head], &Arc<Vec<Row>>)> {
        Some((COLUMNS, &self.rows))
    }

    fn empty(&self, _: &ListState, _: &Context<'_>) -> Option<EmptyState> {
        let text = "Select a document to see its record and the code on its lines.";
        self.rows.is_empty().then(|| text.to_owned().into())
    }

    fn facts(&self, _: &ListState, _: &Context<'_>) -> Facts {
        let cell = |row: &Row, column: usize| {
            let text =
                |cell: &Cell| width(&cell.text) + if cell.beside.is_empty() { 0 } else { 1 + width(&cell.beside) };
            row.cells.get(column).map_or(0, text)
        };
        let widest = |column: usize| {
            let indent = |row: &Row| if column == 0 { 2 * row.depth as usize } else { 2 };
            let own = self.rows.iter().enumerate().filter(|(at, _)| !self.wrapped.contains(at));
            own.map(|(_, row)| indent(row) + cell(row, column)).max().unwrap_or(0)
        };
        let note = if self.rows.iter().any(|row| cell(row, 2) > 0) { widest(2) } else { 0 };
        let least = if self.wrapped.is_empty() { 0 } else { REASON_WIDTH };
        let width = u16::try_from(1 + widest(0) + widest(1) + note).unwrap_or(u16::MAX).max(least);
        let content_size = ContentSize { width, ..ContentSize::default() };
        Facts { content_size, ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let chosen = list.grid.row().and_then(|row| self.rows.get(row));
        let grid = Grid { idle: chosen.is_none_or(|row| row.place.is_none()), ..list.grid.clone() };
        grid.draw(buf, area, &self.rows(list, cx)?, &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    fn job(&mut self, _: &ListState, session: &Arc<Session>) -> Option<Job> {
        let line = self.document.map(|document| (document, self.line)).filter(|(_, line)| *line > 0)?;
        let is_known = self.judged.as_ref().is_some_and(|(judged, _)| *judged == line);
        // The cause of the module comes with the facts about the document.
        if is_known || !self.known.1 || self.found.is_pending() {
            return None;
        }
        let (session, paths, module) = (Arc::clone(session), Arc::clone(&self.paths), self.module.clone());
        Some(self.found.job("judging a breakpoint", "line-verdict", move |_| {
            let judge = Judge::with(&session, &paths.sources, module);
            Some((line, judge.why(Ok(&LineQuery::of(line.0, line.1, None)))))
        }))
    }

    fn copied(&self, action: Action, list: &ListState, _: &Context<'_>) -> Option<String> {
        let row = self.rows.get(list.grid.row()?)?;
        match action {
            Action::CopyRow => Some(row.tabbed()),
            Action::CopyValue => row.cells.get(1).map(|cell| cell.text.clone()),
            _ => None,
        }
    }
}
