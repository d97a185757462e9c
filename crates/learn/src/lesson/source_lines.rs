//! Lines of source that an example is about, as words of a sentence.

use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::method::{MethodView, point_span};
use pdblens_session::session::Session;
use pdblens_session::source::{self, SourceOptions};
use pdblens_session::text::paths::file_name;

/// Placeholder of the lines.
pub(super) const SOURCE: &str = "{source}";

/// Characters of a line that are quoted.
const MAX_CHARS: usize = 60;

/// Lines around the line of the sequence point with `part` in its record, or the reason why they are missing.
pub(super) fn around(session: &Session, place: Place, part: Span) -> String {
    lines(session, place, part).unwrap_or_else(|| "(the text of the source is not on this machine)".to_owned())
}

fn lines(session: &Session, place: Place, part: Span) -> Option<String> {
    let view = MethodView::of(session, place.code_unit()?);
    let has = |span: Span| span.space == part.space && span.contains(part.start);
    let point = view.points.iter().find(|point| point_span(&view, point).is_some_and(has))?;
    let document = Some(point.document).filter(|row| *row > 0).or(view.symbols.document)?;
    let found = source::find(session, document, &SourceOptions::default()).ok()?;
    let text = found.text?;
    let numbers = point.start_line.saturating_sub(1).max(1)..=point.start_line.saturating_add(1);
    let line = |number: u32| {
        let line = text.line(number)?.trim();
        let quoted: String = line.chars().take(MAX_CHARS).collect();
        let more = if line.chars().count() > MAX_CHARS { "…" } else { "" };
        (!line.is_empty()).then(|| format!("{number}  {quoted}{more}"))
    };
    let shown: Vec<String> = numbers.filter_map(line).collect();
    let name = session.symbols()?.document(document).ok()?.name;
    (!shown.is_empty()).then(|| format!("{}: {}", file_name(&name), shown.join("  ·  ")))
}
