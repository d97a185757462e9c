//! A part of a source around a place, below a list: the target of the row under the cursor.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::engine::editor::SourceLine;
use crate::panes::ghost::Ghost;
use crate::state::document_info::DocumentInfo;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::state::selection::{LineSpan, SelectionContext};
use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::{Place, document};
use pdblens_query::breakpoint::{Judge, Verdict};
use pdblens_session::session::Session;
use pdblens_session::source::{self, Origin};
use pdblens_session::text::paths::file_name;

/// Lines above and below the shown one.
const AROUND: u32 = 6;

#[derive(Clone, Default)]
pub(crate) struct Preview {
    /// Name of the document, and the verdict on its text.
    title: String,
    line: u32,
    column: u32,
    /// Numbers and texts of the lines around it.
    lines: Vec<(u32, String)>,
    /// The file of the text, where it is one.
    path: Option<PathBuf>,
    /// The spans around the line, where there is no text.
    spans: Option<Spans>,
    /// Verdicts on the lines that are shown, with the number of the first.
    verdicts: (u32, Vec<Verdict>),
}

/// The spans of a document without text.
#[derive(Clone)]
struct Spans {
    session: Arc<Session>,
    ghost: Ghost,
    selected: LineSpan,
}

impl Spans {
    /// The rows around that of the selected point.
    fn rows(&self) -> Range<usize> {
        let at = self.ghost.row_of(self.selected);
        at.saturating_sub(AROUND as usize)..self.ghost.len().min(at + AROUND as usize + 1)
    }

    /// Draws as many rows as there are, that of the selected point among them, which wraps.
    fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look<'_>, sign_of: &dyn Fn(u32) -> &'static str) {
        let (rows, room) = (self.rows(), area.height as usize);
        let at = self.ghost.row_of(self.selected);
        let first = at.saturating_sub(room / 2).min(rows.end.saturating_sub(room)).max(rows.start);
        let digits = width(&self.ghost.line(rows.end.saturating_sub(1)).to_string());
        let mut y = area.y;
        for row in first..rows.end {
            let is_selected = row == at;
            let style = look.theme.of(if is_selected { Role::Strong } else { Role::Dim });
            let line = if self.ghost.is_point(row) { Some(self.ghost.line(row)) } else { None };
            let (number, sign) = line.map_or((String::new(), " "), |line| (line.to_string(), sign_of(line)));
            let bar = if is_selected { look.glyphs.bar } else { " " };
            let text = format!("{bar}{number:>digits$} {sign} ");
            let x = put(buf, area.x, y, area.right(), &text, style, look.glyphs);
            let wide = area.right().saturating_sub(x);
            let height = if is_selected { self.ghost.height(row, wide, &self.session) } else { 1 };
            let body = Rect { x, y, width: wide, height: height.min(area.bottom().saturating_sub(y)) };
            self.ghost.draw(row, body, buf, (0, is_selected), (&self.session, look));
            y += body.height;
            if y >= area.bottom() {
                break;
            }
        }
    }
}

/// The preview of the chosen row of a list, which a job reads.
#[derive(Clone, Default)]
pub(crate) struct ChosenPreview(Arc<Mutex<Option<(Place, Preview)>>>);

impl ChosenPreview {
    /// The job that reads the preview of a place; nothing where it was asked for last.
    pub(crate) fn read(&self, session: &Arc<Session>, place: Place, paths: &Arc<Paths>) -> Vec<Effect> {
        if self.of(place, |_| ()).is_some() {
            return Vec::new();
        }
        let (session, paths, inbox) = (Arc::clone(session), Arc::clone(paths), Arc::clone(&self.0));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((place, Preview::default()));
        vec![Effect::Start(Job::new("reading the source", "chosen preview", move |_| {
            let read = Preview::of(&session, place, &paths);
            let mut shown = inbox.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((of, preview)) = shown.as_mut()
                && *of == place
            {
                *preview = read;
            }
            Msg::OverlayReady
        }))]
    }

    /// Asks the preview of a place, if it is the one that was asked for last.
    pub(crate) fn of<T>(&self, place: Place, ask: impl FnOnce(&Preview) -> T) -> Option<T> {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.as_ref().filter(|(of, _)| *of == place).map(|(_, preview)| ask(preview))
    }

    pub(crate) fn has_rows(&self, place: Place) -> bool {
        self.of(place, |preview| preview.rows() > 0) == Some(true)
    }

    /// Draws the preview of a place; false where it has none.
    pub(crate) fn draw(&self, place: Place, area: Rect, buf: &mut Buffer, look: &Look<'_>) -> bool {
        let has_rows = self.has_rows(place);
        if has_rows {
            self.of(place, |preview| preview.draw(area, buf, look));
        }
        has_rows
    }
}

impl Preview {
    /// The source of a place; takes time.
    pub(crate) fn of(session: &Arc<Session>, place: Place, paths: &Paths) -> Self {
        let context = SelectionContext::of(place.into(), session, None);
        let Some((document, lines)) = context.document.zip(context.lines) else { return Self::default() };
        let name = document::name(session, document).unwrap_or_default();
        let (line, column) = (lines.start, lines.columns.map_or(1, |(start, _)| start));
        let title = |rest: &str| format!("{}:{line}  {rest}", file_name(&name));
        let Ok(found) = source::find(session, document, &paths.sources) else {
            return Self { title: title("cannot be read"), line, column, ..Self::default() };
        };
        let Some(text) = found.text else {
            let info = Arc::new(DocumentInfo::read(session, document, &|| false));
            let ghost = Ghost::of(&info);
            let spans = ghost.map(|ghost| Spans { session: Arc::clone(session), ghost, selected: lines });
            let is_native = place.code_unit().is_none_or(CodeUnit::is_native);
            let from = if is_native { "source not here, calls of its code" } else { "reconstructed from IL" };
            let rows = spans.as_ref().map_or(0..0, Spans::rows);
            let numbers = || spans.iter().flat_map(|spans| rows.clone().map(|row| spans.ghost.line(row)));
            let (first, last) = (numbers().min().unwrap_or(line), numbers().max().unwrap_or(line));
            let verdicts = (first, Judge::of(session, &paths.sources).from_to(document, first, last, &|| false));
            return Self { title: title(from), line, column, spans, verdicts, ..Self::default() };
        };
        let shown = line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
        let path = match found.from {
            Origin::File(path) => Some(path),
            _ => None,
        };
        let (first, last) = (*shown.start(), *shown.end());
        Self {
            verdicts: (first, Judge::of(session, &paths.sources).from_to(document, first, last, &|| false)),
            title: title(&found.verdict.to_string()),
            line,
            column,
            lines: shown.filter_map(|number| Some((number, text.line(number)?.to_owned()))).collect(),
            path,
            spans: None,
        }
    }

    /// Sign of a breakpoint on a line, or a space.
    fn sign(&self, line: u32, look: &Look<'_>) -> &'static str {
        let (first, verdicts) = &self.verdicts;
        let verdict = line.checked_sub(*first).and_then(|index| verdicts.get(index as usize));
        verdict.and_then(|verdict| verdict.sign_of_line()).map_or(" ", |sign| look.glyphs.breakpoint(sign))
    }

    pub(crate) fn rows(&self) -> usize {
        self.spans.as_ref().map_or(self.lines.len(), |spans| spans.rows().len())
    }

    /// Draws the title, and as many lines as there is room for, that of the place among them.
    pub(crate) fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look<'_>) {
        if area.is_empty() || self.title.is_empty() {
            return;
        }
        let (dim, y, end) = (look.theme.of(Role::Dim), area.y, area.right().saturating_sub(1));
        put(buf, area.x + 1, y, end, &self.title, dim, look.glyphs);
        if let Some(spans) = &self.spans {
            let area = Rect { y: y + 1, height: area.height - 1, ..area };
            return spans.draw(area, buf, look, &|line| self.sign(line, look));
        }
        let left = usize::from(area.height - 1);
        let at = self.lines.iter().position(|(number, _)| *number == self.line).unwrap_or(0);
        let first = at.saturating_sub(left / 2).min(self.lines.len().saturating_sub(left));
        let digits = self.lines.last().map_or(1, |(number, _)| width(&number.to_string()));
        for ((number, text), y) in self.lines.iter().skip(first).zip(y + 1..area.bottom()) {
            let style = if *number == self.line { look.theme.of(Role::Strong) } else { dim };
            let bar = if *number == self.line { look.glyphs.bar } else { " " };
            let sign = self.sign(*number, look);
            let text = format!("{bar}{number:>digits$} {sign} {}", text.replace('\t', "    "));
            put(buf, area.x, y, end, &text, style, look.glyphs);
        }
    }

    pub(crate) fn source_line(&self) -> Option<SourceLine> {
        Some(SourceLine { path: self.path.clone()?, line: self.line, column: self.column })
    }
}
