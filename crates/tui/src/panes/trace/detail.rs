//! The details of a frame below the trace: all that is known of it, and the source of a frame of another module.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::engine::editor::SourceLine;
use crate::panes::ghost::Ghost;
use crate::state::document_info::DocumentInfo;
use crate::state::paths::{MAX_SEARCHED, Paths};
use crate::state::selection::{LineSpan, SelectionContext};
use crate::ui::text::{put, put_right, width, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::Place;
use pdblens_nodes::document;
use pdblens_nodes::rows::Tone;
use pdblens_query::trace::Outcome;
use pdblens_session::session::Session;
use pdblens_session::source::{self, Origin};
use pdblens_session::store::Element;
use pdblens_session::text::paths::{file_name, without_passwords};

/// Lines of source above and below that of the frame.
const AROUND: u32 = 3;

/// The source of a frame of another module.
#[derive(Clone, Debug, Default)]
pub(super) struct Preview {
    /// Name of the document, and the verdict on its text.
    title: String,
    /// Line of the frame.
    line: u32,
    column: u32,
    /// Numbers and texts of the lines around it.
    lines: Vec<(u32, String)>,
    /// The file of the text, where it is one.
    path: Option<PathBuf>,
    /// The spans around the line, where there is no text.
    spans: Option<Spans>,
}

/// The spans of a document of another module.
#[derive(Clone)]
struct Spans {
    session: Arc<Session>,
    ghost: Ghost,
    selected: LineSpan,
}

impl std::fmt::Debug for Spans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spans").finish_non_exhaustive()
    }
}

impl Spans {
    /// The rows around that of the selected line.
    fn rows(&self) -> Range<usize> {
        let at = self.ghost.row(self.selected.start);
        at.saturating_sub(AROUND as usize)..self.ghost.len().min(at + AROUND as usize + 1)
    }

    /// Draws as many rows as there are, that of the selected line among them.
    fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look<'_>) {
        let (rows, room) = (self.rows(), area.height as usize);
        let at = self.ghost.row(self.selected.start);
        let first = at.saturating_sub(room / 2).min(rows.end.saturating_sub(room)).max(rows.start);
        let digits = width(&self.ghost.line(rows.end.saturating_sub(1)).to_string());
        for (row, y) in (first..rows.end).zip(area.y..area.bottom()) {
            let is_selected = row == at;
            let style = look.theme.of(if is_selected { Role::Strong } else { Role::Dim });
            let number = if self.ghost.is_line(row) { self.ghost.line(row).to_string() } else { String::new() };
            let sign = if is_selected { look.glyphs.bar } else { " " };
            let text = format!("{sign}{number:>digits$}  ");
            let x = put(buf, area.x, y, area.right(), &text, style, look.glyphs);
            let body = Rect { x, y, width: area.right().saturating_sub(x), height: 1 };
            self.ghost.draw(row, body, buf, (0, Some(self.selected)), (&self.session, look));
        }
    }
}

impl Preview {
    /// The source of a place of another session; takes time.
    pub(super) fn of(session: &Arc<Session>, place: Place, paths: &Paths) -> Self {
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
            return Self { title: title("source not here"), line, column, spans, ..Self::default() };
        };
        let shown = line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
        let path = match found.from {
            Origin::File(path) => Some(path),
            _ => None,
        };
        Self {
            title: title(&found.verdict.to_string()),
            line,
            column,
            lines: shown.filter_map(|number| Some((number, text.line(number)?.to_owned()))).collect(),
            path,
            spans: None,
        }
    }

    /// Number of rows of source.
    fn rows(&self) -> usize {
        self.spans.as_ref().map_or(self.lines.len(), |spans| spans.rows().len())
    }

    /// The line in its file.
    pub(super) fn source_line(&self) -> Option<SourceLine> {
        Some(SourceLine { path: self.path.clone()?, line: self.line, column: self.column })
    }
}

/// All that an outcome says, in sentences.
pub(super) fn sentences(outcome: &Outcome) -> Vec<(String, Tone)> {
    match outcome {
        Outcome::Resolved(found) => {
            let at = format!("{} at {}:{}", found.code.name(), found.path, found.line);
            let mut said = vec![(at, Tone::Text), (format!("symbols: {}", found.symbols), Tone::Dim)];
            said.push((found.proof.to_string(), Tone::Dim));
            said.extend(found.doubt.iter().map(|doubt| (doubt.text.clone(), Tone::Warn)));
            said.extend(found.call.as_ref().map(|call| (call.sentence(), Tone::Dim)));
            said.extend(found.contradiction.iter().map(|found| (found.text.clone(), Tone::Warn)));
            said.extend(found.notes.iter().map(|note| (note.text.clone(), Tone::Dim)));
            said
        }
        Outcome::Known => vec![("The trace has the line of this frame already.".to_owned(), Tone::Dim)],
        Outcome::Candidates { found: candidates, refusal } => {
            let mut said = vec![(refusal.reason.clone(), Tone::Warn)];
            said.extend(candidates.iter().map(|candidate| {
                let at: Vec<String> =
                    candidate.lines.iter().map(|lines| format!(" at {}:{}", lines.path, lines.first)).collect();
                let at = at.join(",");
                (format!("could be {}{at}, by {}", candidate.code.name(), candidate.symbols), Tone::Dim)
            }));
            said
        }
        Outcome::No(refusal) => vec![(refusal.reason.clone(), Tone::Warn)],
    }
}

/// Places where the symbols of frames are looked for, as a sentence.
pub(super) fn searched(beside: Option<&Path>, paths: &Paths) -> String {
    let own =
        beside.map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string());
    let path = &paths.symbols;
    let named = path.named.elements.iter().chain(&path.environment.elements).filter_map(Element::plain);
    let servers = path.servers().map(without_passwords);
    let all = own.into_iter().chain(named.map(|place| place.display().to_string())).chain(servers);
    let all: Vec<String> = all.take(MAX_SEARCHED).collect();
    if all.is_empty() { "No folder was searched.".to_owned() } else { format!("Searched {}.", all.join(", ")) }
}

/// Rows that details take with their heading and rule, in a pane of a width.
pub(super) fn rows(heading: &str, sentences: &[(String, Tone)], width: u16) -> u16 {
    let room = width.saturating_sub(2).max(1) as usize;
    let rows = 1 + wrap(heading, room).len() + sentences.iter().map(|(text, _)| wrap(text, room).len()).sum::<usize>();
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Rows with a heading that the source keeps beneath the details, which have `all` lines of text and cannot do without `essential` ones:
/// half of the area where the text leaves it, then its heading and the line of the frame.
fn source_rows(preview: Option<&Preview>, height: u16, essential: usize, all: usize) -> u16 {
    let room = usize::from(height.saturating_sub(1));
    let wanted = preview.map_or(0, |preview| preview.rows() + 1).min(usize::from(height / 2));
    let left = room.saturating_sub(all).max(room.saturating_sub(essential).min(2));
    wanted.min(left) as u16
}

/// The details of a frame: its text, what is known of it, and its source.
pub(super) struct Details<'a> {
    pub(super) heading: &'a str,
    pub(super) sentences: &'a [(String, Tone)],
    pub(super) preview: Option<&'a Preview>,
}

type TextLines = Vec<(String, Tone)>;

/// The lines of details in an area, as far as they are text.
struct Text {
    lines: TextLines,
    /// Rows for them; the source below has the rest.
    room: usize,
}

impl Details<'_> {
    /// The lines in an area with its rule. Where the text is longer than the area, the reason comes before the frame.
    fn text(&self, area: Rect) -> Text {
        let wide = area.width.saturating_sub(2).max(1) as usize;
        let height = usize::from(area.height.saturating_sub(1));
        let lines =
            |text: &str, tone: Tone| wrap(text, wide).into_iter().map(move |line| (line, tone)).collect::<TextLines>();
        let heading = if self.heading.is_empty() { Vec::new() } else { lines(self.heading, Tone::Strong) };
        let said: TextLines = self.sentences.iter().flat_map(|(text, tone)| lines(text, *tone)).collect();
        let (essential, remarks): (Vec<_>, Vec<_>) = said.into_iter().partition(|(_, tone)| *tone != Tone::Dim);
        let all = heading.len() + essential.len() + remarks.len();
        let source = source_rows(self.preview, area.height, heading.len() + essential.len(), all);
        let room = height.saturating_sub(usize::from(source));
        let parts = if heading.len() + essential.len() > room {
            [essential, heading, remarks]
        } else {
            [heading, essential, remarks]
        };
        Text { lines: parts.into_iter().flatten().collect(), room }
    }

    /// The first line that shows, after `from` was moved by a page; `None` where there is no more text in that direction.
    pub(super) fn page(&self, area: Rect, from: usize, down: bool) -> Option<usize> {
        let text = self.text(area);
        let (last, page) = (text.lines.len().saturating_sub(text.room), text.room.saturating_sub(1).max(1));
        let to = if down { from.saturating_add(page).min(last) } else { from.min(last).saturating_sub(page) };
        (!area.is_empty() && to != from.min(last)).then_some(to)
    }
}

/// Draws details under a rule, from one of their lines on. Where they have more than the area, the rule says so, with the key that
/// shows it.
pub(super) fn draw(buf: &mut Buffer, area: Rect, details: &Details<'_>, (from, key): (usize, &str), look: &Look<'_>) {
    let (mute, dim) = (look.theme.of(Role::Mute), look.theme.of(Role::Dim));
    let end = area.right().saturating_sub(1);
    let rule = look.glyphs.begins.repeat(area.width as usize);
    put(buf, area.x, area.y, area.right(), &rule, mute, look.glyphs);
    let x = put(buf, area.x + 1, area.y, end, " frame ", mute, look.glyphs);
    let text = details.text(area);
    let from = from.min(text.lines.len().saturating_sub(text.room));
    if text.lines.len() > text.room {
        let (first, last, all) = (from + 1, from + text.room, text.lines.len());
        let part = format!(" lines {first}–{last} of {all} {} {key} ", look.glyphs.dot);
        put_right(buf, x, area.y, end, &part, look.theme.of(Role::Text), look.glyphs);
    }
    let mut y = area.y + 1;
    for (line, tone) in text.lines.iter().skip(from).take(text.room) {
        put(buf, area.x + 1, y, end, line, look.theme.tone(*tone), look.glyphs);
        y += 1;
    }
    let preview = details.preview;
    let Some(preview) = preview.filter(|preview| y < area.bottom() && !preview.title.is_empty()) else { return };
    put(buf, area.x + 1, y, end, &preview.title, dim, look.glyphs);
    if let Some(spans) = &preview.spans {
        return spans.draw(Rect { y: y + 1, height: area.bottom().saturating_sub(y + 1), ..area }, buf, look);
    }
    let left = area.bottom().saturating_sub(y + 1) as usize;
    let at = preview.lines.iter().position(|(number, _)| *number == preview.line).unwrap_or(0);
    let first = at.saturating_sub(left / 2).min(preview.lines.len().saturating_sub(left));
    let digits = preview.lines.last().map_or(1, |(number, _)| width(&number.to_string()));
    for ((number, text), y) in preview.lines.iter().skip(first).zip(y + 1..area.bottom()) {
        let style = if *number == preview.line { look.theme.of(Role::Strong) } else { dim };
        let sign = if *number == preview.line { look.glyphs.bar } else { " " };
        let text = format!("{sign}{number:>digits$}  {}", text.replace('\t', "    "));
        put(buf, area.x, y, end, &text, style, look.glyphs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_leaves_room_for_the_text_of_the_frame() {
        let line = |number| (number, String::new());
        let preview = Preview { lines: (1..=7).map(line).collect(), ..Preview::default() };
        let rows = |height, essential, all| source_rows(Some(&preview), height, essential, all);
        assert_eq!(rows(17, 2, 3), 8);
        assert_eq!(rows(10, 2, 3), 5);
        assert_eq!(rows(10, 5, 8), 2, "its heading and its line, before the remarks");
        assert_eq!(rows(10, 8, 8), 1);
        assert_eq!(rows(10, 9, 12), 0, "the text of a long frame is not cut for it");
        assert_eq!(source_rows(None, 10, 2, 3), 0);
    }
}
