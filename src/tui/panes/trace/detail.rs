//! The details of a frame below the trace: all that is known of it, and the source of a frame of another module.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::nodes::Place;
use crate::nodes::document;
use crate::nodes::rows::{Row, Tone};
use crate::session::Session;
use crate::source::{self, Origin};
use crate::store::Element;
use crate::text::paths::file_name;
use crate::trace::Outcome;
use crate::tui::core::editor::SourceLine;
use crate::tui::panes::ghost::Ghost;
use crate::tui::state::document_info::DocumentInfo;
use crate::tui::state::paths::{MAX_SEARCHED, Paths};
use crate::tui::state::selection::{Lines, SelectionContext};
use crate::tui::ui::text::{put, width, wrap};
use crate::tui::ui::theme::{Look, Role};

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
    selected: Lines,
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
            let said = if spans.is_some() { "no text: spans from the PDB" } else { "no text" };
            return Self { title: title(said), line, column, spans, ..Self::default() };
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
            let at = format!("{} at {}:{}", found.name, found.path, found.line);
            let mut said = vec![(at, Tone::Text), (format!("symbols: {}", found.symbols), Tone::Dim)];
            said.extend(found.call.as_ref().map(|call| (call.sentence(), Tone::Dim)));
            said.extend(found.contradiction.iter().map(|sentence| (sentence.clone(), Tone::Warn)));
            said.extend(found.notes.iter().map(|note| (note.clone(), Tone::Dim)));
            said
        }
        Outcome::Known => vec![("The trace has the line of this frame already.".to_owned(), Tone::Dim)],
        Outcome::Candidates(candidates, refusal) => {
            let mut said = vec![(refusal.reason.clone(), Tone::Warn)];
            said.extend(candidates.iter().map(|candidate| {
                let lines = candidate.lines.as_ref();
                let at = lines.map_or(String::new(), |(path, first, _)| format!(" at {path}:{first}"));
                (format!("could be {}{at}, by {}", candidate.name, candidate.symbols), Tone::Dim)
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
    let servers = path.servers().map(str::to_owned);
    let all = own.into_iter().chain(named.map(|place| place.display().to_string())).chain(servers);
    let all: Vec<String> = all.take(MAX_SEARCHED).collect();
    if all.is_empty() { "No folder was searched.".to_owned() } else { format!("Searched {}.", all.join(", ")) }
}

/// Rows that the details of a line take with their rule, in a pane of a width.
pub(super) fn rows(row: &Row, sentences: &[(String, Tone)], width: u16) -> u16 {
    let room = width.saturating_sub(2).max(1) as usize;
    let heading = row.cells.first().map_or(0, |cell| wrap(&cell.text, room).len());
    let rows = 1 + heading + sentences.iter().map(|(text, _)| wrap(text, room).len()).sum::<usize>();
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

/// Draws the details under a rule. Where they do not all fit, the last remarks are left out, then the end of the heading; what is still
/// too much is cut at the end.
pub(super) fn draw(
    buf: &mut Buffer,
    area: Rect,
    heading: &str,
    sentences: &[(String, Tone)],
    preview: Option<&Preview>,
    look: &Look<'_>,
) {
    let (mute, dim) = (look.theme.of(Role::Mute), look.theme.of(Role::Dim));
    let end = area.right().saturating_sub(1);
    let rule = look.glyphs.begins.repeat(area.width as usize);
    put(buf, area.x, area.y, area.right(), &rule, mute, look.glyphs);
    put(buf, area.x + 1, area.y, end, " frame ", mute, look.glyphs);
    let mut y = area.y + 1;
    let room = area.width.saturating_sub(2).max(1) as usize;
    let heading = (!heading.is_empty()).then(|| (heading.to_owned(), Tone::Strong));
    let lines = |(text, tone): &(String, Tone)| wrap(text, room).into_iter().map(|line| (line, *tone)).collect();
    let of_heading: Vec<(String, Tone)> = heading.iter().flat_map(|said| -> Vec<_> { lines(said) }).collect();
    let mut said: Vec<(String, Tone)> = sentences.iter().flat_map(|said| -> Vec<_> { lines(said) }).collect();
    let essential = of_heading.len() + said.iter().filter(|(_, tone)| *tone != Tone::Dim).count();
    let source = source_rows(preview, area.height, essential, of_heading.len() + said.len());
    let left = usize::from(area.bottom().saturating_sub(source).saturating_sub(y));
    // Remarks are the first to go, from the last one on.
    while of_heading.len() + said.len() > left && said.pop_if(|(_, tone)| *tone == Tone::Dim).is_some() {}
    // The heading gets the rows that the reason leaves: the list shows less of it.
    let room = if said.is_empty() { of_heading.len() } else { left.saturating_sub(said.len()).min(of_heading.len()) };
    let is_heading_cut = room < of_heading.len();
    said.splice(0..0, of_heading.into_iter().take(room));
    if let Some((line, _)) = room.checked_sub(1).and_then(|last| said.get_mut(last)).filter(|_| is_heading_cut) {
        line.push_str(look.glyphs.more);
    }
    let is_cut = said.len() > left;
    said.truncate(left);
    if let Some((line, _)) = said.last_mut().filter(|_| is_cut) {
        line.push_str(look.glyphs.more);
    }
    for (line, tone) in said {
        put(buf, area.x + 1, y, end, &line, look.theme.tone(tone), look.glyphs);
        y += 1;
    }
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
