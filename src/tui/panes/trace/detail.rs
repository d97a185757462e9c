//! The details of a frame below the trace: all that is known of it, and the source of a frame of another module.

use std::path::PathBuf;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::nodes::Place;
use crate::nodes::document;
use crate::nodes::rows::{Row, Tone};
use crate::session::Session;
use crate::source::{self, Origin};
use crate::text::paths::file_name;
use crate::trace::Outcome;
use crate::tui::core::editor::SourceLine;
use crate::tui::state::paths::Paths;
use crate::tui::state::selection::SelectionContext;
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
            return Self { title: title("no text"), line, column, ..Self::default() };
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
        }
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

/// Rows that the details of a line take with their rule, in a pane of a width.
pub(super) fn rows(row: &Row, sentences: &[(String, Tone)], width: u16) -> u16 {
    let room = width.saturating_sub(2).max(1) as usize;
    let heading = row.cells.first().map_or(0, |cell| wrap(&cell.text, room).len());
    let rows = 1 + heading + sentences.iter().map(|(text, _)| wrap(text, room).len()).sum::<usize>();
    u16::try_from(rows).unwrap_or(u16::MAX)
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
    let source = preview.map_or(0, |preview| preview.lines.len() as u16 + 1);
    // The source keeps its rows: the line of the frame is what it is there for.
    let last = area.bottom().saturating_sub(source.min(area.height / 2));
    let lines = |(text, tone): &(String, Tone)| wrap(text, room).into_iter().map(|line| (line, *tone)).collect();
    let of_heading: Vec<(String, Tone)> = heading.iter().flat_map(|said| -> Vec<_> { lines(said) }).collect();
    let left = usize::from(last.saturating_sub(y));
    let mut said: Vec<(String, Tone)> = sentences.iter().flat_map(|said| -> Vec<_> { lines(said) }).collect();
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
