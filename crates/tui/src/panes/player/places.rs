//! Source, code and bytes of a method, one below the other, at one of its points.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw_line;
use super::sections::SectionLine;
use crate::panes::pane::Context;
use crate::ui::theme::Role;
use pdblens_learn::Steps;
use pdblens_learn::code_places::CodePlaces;
use pdblens_session::text::safe::spaced_hex;

/// Bytes of a read that are shown.
const MAX_BYTES: usize = 8;
const HEADINGS: usize = 3;

/// Draws the places at the point with an index; `steps` are those of the points, which name the bytes.
pub(super) fn draw(places: &CodePlaces, point: usize, steps: &Steps, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
    let rows = usize::from(area.height).saturating_sub(HEADINGS);
    let bytes = bytes(places, point, steps);
    let below = bytes.len().min(rows / 3).max(1);
    let (source, code) = (source(places, point), code(places, point));
    let of_source = source.0.len().min((rows - rows.min(below)) / 2);
    let of_code = code.0.len().min(rows.saturating_sub(below + of_source));
    let heading = |name: &str, text: &str| vec![(Role::Dim, format!("{name}  ")), (Role::Mute, text.to_owned())];
    let range = places.points.get(point).map_or("", |point| &point.range);
    let number = format!("point {} of {}", point + 1, places.points.len());
    let from = if places.reconstructed { "  from IL" } else { "" };
    let mut lines = vec![heading("Source", &format!("{}  {range}{from}", places.document))];
    lines.extend(around(source, of_source));
    lines.push(heading("Code", "each instruction with the point that it belongs to"));
    lines.extend(around(code, of_code));
    lines.push(heading("Bytes", &format!("{number} in the symbols")));
    lines.extend(bytes.into_iter().take(below));
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        draw_line(Rect { x: area.x + 1, y, width: area.width.saturating_sub(1), height: 1 }, line, buf, cx);
    }
}

/// As many of the lines as there are rows, with those from `at` on in view.
fn around((lines, at): (Vec<SectionLine>, usize), rows: usize) -> Vec<SectionLine> {
    let first = at.saturating_sub(1).min(lines.len().saturating_sub(rows));
    lines.into_iter().skip(first).take(rows).collect()
}

/// A line with its number, marked if it belongs to the point.
fn line(is_marked: bool, number: String, text: &str) -> SectionLine {
    let role = if is_marked { Role::Strong } else { Role::Dim };
    let mark = if is_marked { "▌" } else { " " };
    vec![(Role::Accent, mark.to_owned()), (Role::Mute, number), (role, text.to_owned())]
}

/// Lines of source, and the index of the first that belongs to the point.
fn source(places: &CodePlaces, point: usize) -> (Vec<SectionLine>, usize) {
    if places.source.is_empty() {
        let range = places.points.get(point).map_or("", |point| &point.range);
        return (vec![line(true, String::new(), &format!("{range}: the text is not on this machine"))], 0);
    }
    let marked = places.points.get(point).and_then(|point| point.lines);
    let is_marked = |number: u32| marked.is_some_and(|(first, last)| (first..=last).contains(&number));
    let at = places.source.iter().position(|(number, _)| is_marked(*number)).unwrap_or(0);
    let one = |(number, text): &(u32, String)| line(is_marked(*number), format!("{number:>4}  "), text);
    (places.source.iter().map(one).collect(), at)
}

/// Instructions, and the index of the first that belongs to the point.
fn code(places: &CodePlaces, point: usize) -> (Vec<SectionLine>, usize) {
    if places.code.is_empty() {
        return (vec![line(true, String::new(), CodePlaces::NO_CODE)], 0);
    }
    let at = places.code.iter().position(|line| line.point == Some(point)).unwrap_or(0);
    let mut last = None;
    let one = |instruction: &pdblens_learn::code_places::CodeLine| {
        let own = if instruction.point == last { None } else { instruction.point };
        last = instruction.point;
        let number = own.map_or_else(String::new, |own| (own + 1).to_string());
        let text = format!("{}  {}", instruction.offset, instruction.text);
        line(instruction.point == Some(point), format!("{number:>4}  "), &text)
    };
    (places.code.iter().map(one).collect(), at)
}

/// Bytes of the point, a line a number.
fn bytes(places: &CodePlaces, point: usize, steps: &Steps) -> Vec<SectionLine> {
    let span = places.points.get(point).and_then(|point| point.span);
    let is_in =
        |step: &&pdblens_learn::Step| span.is_some_and(|span| span.covers(step.field.span) && !step.bytes.is_empty());
    let one = |step: &pdblens_learn::Step| {
        let value = step.field.stored_and_decoded();
        vec![
            (Role::Number, format!(" {:6}", spaced_hex(&step.bytes, MAX_BYTES))),
            (Role::Text, format!("  {:16}", step.field.name)),
            (Role::Dim, format!("  {value}  {}", step.field.meaning)),
        ]
    };
    steps.reads().filter(is_in).map(one).collect()
}
