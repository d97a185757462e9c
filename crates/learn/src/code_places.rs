//! A method or function in its three places, source, code and symbols: the sequence points hold them together.

use std::collections::BTreeMap;

use pdblens_formats::bytes::Span;
use pdblens_nodes::method::{MethodView, point_span, range_text};
use pdblens_nodes::rows::Row;
use pdblens_nodes::{self as nodes, CodeUnit, FunctionPart, MethodPart, Place};
use pdblens_query::statement::kept;
use pdblens_session::session::Session;
use pdblens_session::source::{self, SourceOptions};
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::visible;

/// Points that are listed at most: a page or a pane has room for no more.
const MAX_POINTS: usize = 400;
const MAX_CODE: usize = 2000;
/// Lines of source before the first and after the last that a point names.
const CONTEXT: u32 = 1;
const MAX_LINES: u32 = 400;

#[derive(Clone, Debug, Default)]
pub struct CodePlaces {
    /// File name of the document that most points are in.
    pub document: String,
    /// Numbers and texts of its lines; empty without the text and without code that a statement can be reconstructed from.
    pub source: Vec<(u32, String)>,
    /// True if the lines are statements that were reconstructed from the code.
    pub reconstructed: bool,
    pub code: Vec<CodeLine>,
    pub points: Vec<PointPlaces>,
}

#[derive(Clone, Debug, Default)]
pub struct CodeLine {
    /// Index of the point that covers it; `None` before the first.
    pub point: Option<usize>,
    /// Offset as debuggers write it: `IL_000f`, `+0xf`.
    pub offset: String,
    pub text: String,
}

#[derive(Clone, Debug, Default)]
pub struct PointPlaces {
    pub offset: String,
    /// First and last line; `None` for a hidden point, and for one of another document.
    pub lines: Option<(u32, u32)>,
    /// Lines and columns in words, or `hidden`.
    pub range: String,
    pub span: Option<Span>,
}

impl CodePlaces {
    pub const NO_CODE: &str = "the code is in the image, which is not open";

    pub fn of(session: &Session, unit: CodeUnit, sources: &SourceOptions) -> Option<Self> {
        let view = MethodView::of(session, unit);
        let mut uses: BTreeMap<u32, usize> = BTreeMap::new();
        for point in view.points.iter().filter(|point| !point.is_hidden()) {
            uses.entry(point.document).and_modify(|uses| *uses += 1).or_insert(1);
        }
        let document = uses.into_iter().max_by_key(|(_, count)| *count).map(|(document, _)| document)?;
        let points = view.points.iter().take(MAX_POINTS).map(|point| PointPlaces {
            offset: unit.label(point.offset.into()),
            lines: (!point.is_hidden() && point.document == document)
                .then(|| (point.start_line, point.end_line.max(point.start_line))),
            range: range_text(point),
            span: point_span(&view, point),
        });
        let mut places = Self { points: points.collect(), ..Self::default() };
        let document = if document > 0 { Some(document) } else { view.symbols.document };
        places.add_source(session, document, sources);
        if places.source.is_empty() {
            places.add_statements(session, unit);
        }
        places.add_code(session, unit);
        Some(places)
    }

    pub fn point_with(&self, part: Span) -> Option<usize> {
        let has = |span: Span| span.space == part.space && span.contains(part.start);
        self.points.iter().position(|point| point.span.is_some_and(has))
    }

    fn add_source(&mut self, session: &Session, document: Option<u32>, sources: &SourceOptions) {
        let Some(document) = document else { return };
        let name = session.symbols().and_then(|symbols| symbols.document(document).ok()).map(|found| found.name);
        self.document = name.map(|name| visible(file_name(&name)).into_owned()).unwrap_or_default();
        let lines = || self.points.iter().filter_map(|point| point.lines);
        let (Some(first), Some(last)) = (lines().map(|(first, _)| first).min(), lines().map(|(_, last)| last).max())
        else {
            return;
        };
        let found = source::find(session, document, sources).ok().and_then(|found| found.text);
        let Some(text) = found else { return };
        let numbers = first.saturating_sub(CONTEXT).max(1)..=last.saturating_add(CONTEXT);
        let line = |number| Some((number, visible(&text.line(number)?.trim_end().replace('\t', "    ")).into_owned()));
        self.source = numbers.take(MAX_LINES as usize).map_while(line).collect();
        // Without the indentation that all lines share.
        let written = self.source.iter().filter(|(_, line)| !line.is_empty());
        let spaces = |line: &str| line.bytes().take_while(|byte| *byte == b' ').count();
        let indent = written.map(|(_, line)| spaces(line)).min().unwrap_or(0);
        for (_, line) in &mut self.source {
            line.drain(..indent.min(line.len()));
        }
    }

    /// The statements of the points in the place of their lines.
    fn add_statements(&mut self, session: &Session, unit: CodeUnit) {
        let mut lines: BTreeMap<u32, String> = BTreeMap::new();
        for (point, statement) in self.points.iter().zip(kept(session, unit).iter()) {
            let Some(((first, _), statement)) = point.lines.zip(statement.as_ref()) else { continue };
            let line = lines.entry(first).or_default();
            line.push_str(if line.is_empty() { "" } else { "  " });
            line.push_str(&visible(&statement.marked()));
        }
        self.reconstructed = !lines.is_empty();
        self.source = lines.into_iter().take(MAX_LINES as usize).collect();
    }

    fn add_code(&mut self, session: &Session, unit: CodeUnit) {
        let place = match unit {
            CodeUnit::Method(token) => Place::MethodPart(token, MethodPart::Il),
            CodeUnit::Function(rva) => Place::FunctionPart(rva, FunctionPart::Code),
        };
        let Some(rows) = nodes::rows(session, place) else { return };
        let column = |names: [&str; 2]| rows.columns.iter().position(|head| names.contains(&head.name));
        let [point, offset, name, operand] =
            [["point", "line"], ["il", "offset"], ["opcode", "instruction"], ["operand", "operands"]].map(column);
        let text = |row: &Row, at: Option<usize>| {
            at.and_then(|at| row.cells.get(at)).map(|cell| visible(&cell.text).into_owned()).unwrap_or_default()
        };
        let mut current = None;
        for row in rows.window(0..rows.len.min(MAX_CODE)) {
            let own = text(&row, point).parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            current = own.or(current);
            let line = format!("{:8} {}", text(&row, name), text(&row, operand));
            self.code.push(CodeLine { point: current, offset: text(&row, offset), text: line.trim_end().to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::samples;

    #[test]
    fn points_hold_source_code_and_bytes_together() {
        let place = |text: &str| text.parse::<Place>().unwrap().code_unit().unwrap();
        let places =
            CodePlaces::of(samples::session(0).unwrap(), place("method/0x06000003"), &SourceOptions::default())
                .unwrap();
        assert_eq!((places.document.as_str(), places.points.len()), ("Clock.cs", 5));
        assert_eq!((places.points[1].offset.as_str(), places.points[1].lines), ("IL_0001", Some((11, 11))));
        assert!(places.source.iter().any(|(number, line)| *number == 11 && line.contains("var now")));
        let of_point = |index| places.code.iter().filter(move |line| line.point == Some(index));
        assert_eq!(of_point(1).map(|line| line.offset.as_str()).collect::<Vec<_>>(), ["IL_0001", "IL_0006"]);
        assert_eq!(places.point_with(places.points[3].span.unwrap()), Some(3));
        // A Windows PDB and native code have the same three.
        for (sample, unit) in [(2, "method/0x06000001"), (3, "function/0x10c0")] {
            let places =
                CodePlaces::of(samples::session(sample).unwrap(), place(unit), &SourceOptions::default()).unwrap();
            assert!(!places.code.is_empty() && places.code[0].point == Some(0), "{unit}: {places:?}");
            assert!(places.points.iter().all(|point| point.span.is_some()), "{unit}: {places:?}");
        }
    }

    #[test]
    fn a_statement_that_is_not_proved_is_marked() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/ledger/Ledger.dll");
        let session = Session::open(&[path.into()]).unwrap();
        let of = |row: u32| {
            let method = format!("method/{:#010x}", 0x0600_0000 + row).parse::<Place>().unwrap();
            CodePlaces::of(&session, method.code_unit().unwrap(), &SourceOptions::default())
        };
        let places: Vec<_> = (1..=session.methods()).filter_map(of).filter(|places| places.reconstructed).collect();
        let mut lines = places.iter().flat_map(|places| &places.source);
        // Nothing is proved in a document in Visual Basic.
        assert!(!places.is_empty() && lines.all(|(_, line)| line.starts_with("≈ ")), "{places:?}");
    }
}
