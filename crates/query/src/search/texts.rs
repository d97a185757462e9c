//! Search for a text in the sources at hand: those that the symbols hold, those on this machine, and those that were fetched. Where a
//! source is not at hand, its statements from IL can be searched; and so can string literals.

use std::ops::ControlFlow;
use std::sync::Arc;

use memchr::memmem::Finder;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::heap::literals;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{Place, document};
use pdblens_session::parallel::{parallel_each, processors};
use pdblens_session::session::Session;
use pdblens_session::source::{HashVerdict, Source, SourceOptions, Sources};
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::safe::count;

use crate::statement::Statements;

pub const MAX_LINES: usize = 10_000;
/// Bytes of a line that are listed, and of those before the text.
const MAX_LINE_LEN: usize = 240;
const MAX_BEFORE: usize = 80;

/// Lines that have a text.
#[derive(Clone, Debug, Default)]
pub struct FoundLines {
    /// A row a line: its document, its number, and the line without the spaces before it.
    rows: Arc<Vec<Row>>,
    /// Documents that have such a line, whose text is at hand, and all of them.
    found_in: u32,
    at_hand: u32,
    documents: u32,
    /// Lines that are statements from IL, and literals; `None` where those were not searched.
    from_code: Option<[usize; 2]>,
    /// True if the search ended before the last document.
    is_cut: bool,
}

/// The lines that have a text, whatever the case of its ASCII letters, in the order of documents; `with_code` adds the statements of
/// documents whose text is not at hand, and string literals. `go_on` is told how far the search is, and says whether to continue.
pub fn find_lines(
    session: &Session,
    options: &SourceOptions,
    text: &str,
    with_code: bool,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> FoundLines {
    let documents = session.symbols().map_or(0, SymbolReader::documents);
    let (sources, lower) = (Sources::of(session, options), text.to_ascii_lowercase());
    let finder = Finder::new(&lower);
    let mut found = FoundLines { documents, ..FoundLines::default() };
    let (mut rows, mut done, mut missing) = (Vec::new(), 0_u64, Vec::new());
    let lines_of = |row| (row, sources.get(row).ok().and_then(|source| lines_with(&finder, row, &source)));
    let result = parallel_each(1..=documents, processors(), lines_of, |(row, lines)| {
        done += 1;
        if lines.is_none() {
            missing.push(row);
        }
        if let Some(lines) = lines {
            found.at_hand += 1;
            found.found_in += u32::from(!lines.is_empty());
            rows.extend(lines);
        }
        if rows.len() > MAX_LINES || !go_on(done, u64::from(documents)) { Err(()) } else { Ok(()) }
    });
    found.is_cut = result.is_err();
    if with_code && !found.is_cut {
        let statements = statements_with(session, &finder, &missing, &|| go_on(done, u64::from(documents)));
        let is_found = |(_, text): &(Place, String)| finder.find(text.to_ascii_lowercase().as_bytes()).is_some();
        let literals: Vec<Row> = literals(session).filter(is_found).take(MAX_LINES).map(literal_row).collect();
        found.from_code = Some([statements.len(), literals.len()]);
        rows.extend(statements.into_iter().chain(literals));
        found.is_cut = rows.len() > MAX_LINES;
    }
    rows.truncate(MAX_LINES);
    found.rows = Arc::new(rows);
    found
}

impl FoundLines {
    pub fn rows(&self) -> Rows<'static> {
        let columns = [Head::text("document"), Head::number("line"), Head::text("text")];
        let mut rows = Rows::shared(&columns, &self.rows);
        rows.title = self.summary();
        rows
    }

    /// The number of lines, and how many of the documents were searched: `3 lines in 2 of 46 sources; 6472 are not here`.
    pub fn summary(&self) -> String {
        let lines = count(self.rows.len() as u64, "line");
        let lines = if self.is_cut { format!("the first {lines}") } else { lines };
        let missing = self.documents - self.at_hand;
        let rest = if missing > 0 && !self.is_cut { format!("; {missing} are not here") } else { String::new() };
        let lines = match self.from_code {
            Some([statements, literals]) if statements + literals > 0 => {
                let lines = self.rows.len() - (statements + literals).min(self.rows.len());
                let [statements, literals, lines] = [(statements, "statement"), (literals, "literal"), (lines, "line")]
                    .map(|(n, what)| count(n as u64, what));
                format!("{statements} from IL, {literals}, {lines}")
            }
            _ => lines,
        };
        format!("{lines} in {} of {}{rest}", self.found_in, count(self.at_hand, "source"))
    }
}

/// The lines of a document that have a text in lower case; `None` where the document has no text.
fn lines_with(finder: &Finder<'_>, row: u32, source: &Source) -> Option<Vec<Row>> {
    let text = source.text.as_ref()?;
    let mut name = Cell::new(source.document.name.clone());
    if source.verdict == HashVerdict::Differs {
        name = Cell { tone: Tone::Warn, ..name.beside("not the text that was compiled") };
    }
    let found = (1..=text.lines()).filter_map(|number| {
        let line = text.line(number)?;
        let at = finder.find(line.to_ascii_lowercase().as_bytes())?;
        let place = Place::Line(row, number);
        Some(Row::at(place, vec![name.clone().to(place), Cell::new(number.to_string()), Cell::new(excerpt(line, at))]))
    });
    Some(found.take(MAX_LINES + 1).collect())
}

fn literal_row((place, text): (Place, String)) -> Row {
    let name = Cell::toned("string literal", Tone::Dim).to(place);
    Row::at(place, vec![name, Cell::default(), Cell::new(format!("\"{text}\""))])
}

/// Methods whose statements one job makes.
const CHUNK: usize = 64;

/// Statements of some documents that have a text in lower case, in the order of the methods.
fn statements_with(session: &Session, finder: &Finder<'_>, documents: &[u32], go_on: &dyn Fn() -> bool) -> Vec<Row> {
    let (mut units, mut rows) = (Vec::new(), Vec::new());
    code_unit::each(session, documents, &mut |unit, points, _| {
        if matches!(unit, CodeUnit::Method(_))
            && points.iter().any(|point| documents.binary_search(&point.document).is_ok())
        {
            units.push(unit);
        }
        ControlFlow::Continue(())
    });
    let of_units = |units: &[CodeUnit]| {
        let Some(statements) = Statements::new(session) else { return Vec::new() };
        let of_unit = |unit: &CodeUnit| {
            let points = (1..).zip(code_unit::points(session, *unit)).zip(statements.of(*unit));
            let rows = points.filter_map(|((number, point), statement)| {
                let statement = statement?;
                let text = statement.marked();
                let at = finder.find(text.to_ascii_lowercase().as_bytes())?;
                documents.binary_search(&point.document).ok()?;
                let place = unit.point(number);
                let name = Cell::new(document::name(session, point.document).unwrap_or_default()).to(place);
                Some(Row::at(place, vec![name, Cell::new(point.start_line.to_string()), Cell::new(excerpt(&text, at))]))
            });
            rows.collect::<Vec<_>>()
        };
        units.iter().flat_map(of_unit).collect()
    };
    let chunks: Vec<&[CodeUnit]> = units.chunks(CHUNK).collect();
    // Stopped or cut, it has the first of them.
    let _ = parallel_each(chunks, processors(), of_units, |found| {
        rows.extend(found);
        if rows.len() > MAX_LINES || !go_on() { Err(()) } else { Ok(()) }
    });
    rows
}

/// A line without the spaces around it; of a long one, the part with the byte at `at`.
fn excerpt(line: &str, at: usize) -> &str {
    let start = line.floor_char_boundary(at.saturating_sub(MAX_BEFORE));
    let end = line.floor_char_boundary(start + MAX_LINE_LEN);
    line.get(start..end).unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_whatever_the_case_and_say_what_was_searched() {
        let session = Session::sample();
        let find = |text: &str| find_lines(&session, &SourceOptions::default(), text, false, &|_, _| true);
        let found = find("ELAPSED");
        let lines: Vec<(Option<Place>, String)> =
            found.rows().iter().map(|row| (row.place, row.cells[2].text.clone())).collect();
        assert!(lines.iter().all(|(_, text)| text.to_lowercase().contains("elapsed")), "{lines:?}");
        assert_eq!(lines.first().map(|(place, _)| *place), Some(Some(Place::Line(2, 12))), "{lines:?}");
        let with_code = |text: &str| find_lines(&session, &SourceOptions::default(), text, true, &|_, _| true);
        // The sample has its sources, so that no statement is made from IL; a literal is found in any case.
        let literals = with_code("nap ");
        let of_code = literals.rows().iter().filter(|row| matches!(row.place, Some(Place::HeapEntry(..)))).count();
        assert!(of_code > 0 && literals.summary().starts_with("0 statements from IL, 1 literal"), "{literals:?}");
        assert_eq!(find("no such text").summary(), "0 lines in 0 of 2 sources");
        let stopped = find_lines(&session, &SourceOptions::default(), "e", false, &|_, _| false);
        assert!(stopped.is_cut && stopped.summary().starts_with("the first "), "{}", stopped.summary());
    }

    #[test]
    fn a_statement_that_is_not_proved_is_marked() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/faults/Faults.dll");
        let session = Session::open(&[path.into()]).unwrap();
        let found = find_lines(&session, &SourceOptions::default(), "(", true, &|_, _| true);
        let is_marked = |row: &Row| row.cells[2].text.starts_with("≈ ");
        let marked = found.rows().iter().filter(|row| is_marked(row)).count();
        assert!(0 < marked && marked < found.rows().len, "{found:?}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_text() {
        let line = format!("{}needle{}", "\u{e4}".repeat(1000), "x".repeat(1000));
        let shown = excerpt(&line, line.find("needle").unwrap());
        assert!(shown.contains("needle") && shown.len() <= MAX_LINE_LEN, "{shown}");
        assert_eq!(excerpt("\t\tint needle;", 6), "int needle;");
    }
}
