//! Ranges as the panes of a method print them: of its source, `14:90–14:100`, and of its code, `IL_0000..IL_002b`.

use super::{Address, Here, LineQuery, OffsetQuery, Parsed, plain};
use crate::breakpoint::{self, Hit};
use pdblens_formats::il::IlRange;
use pdblens_nodes::code_unit::{self, CodeUnit, Words};
use pdblens_nodes::method::{MethodView, lines_text, range_text};
use pdblens_nodes::{self as nodes, MethodPart, Place, SequencePoint, document};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

/// Signs between the ends of a range of lines: as screens print it, and as keyboards have it.
const DASHES: [char; 2] = ['\u{2013}', '-'];

/// A line, and a column if there is one.
fn line_and_column(text: &str) -> Option<(u32, u32)> {
    let digits =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    match text.trim().split_once(':') {
        Some((line, column)) => Some((digits(line)?, digits(column).filter(|column| *column > 0)?)),
        None => Some((digits(text.trim())?, 0)),
    }
}

/// The ends of a range: lines and columns, 0 for a column that is not written.
fn ends(typed: &str) -> Option<[u32; 4]> {
    match typed.split_once(DASHES) {
        Some((start, end)) => {
            let ((line, column), (end_line, end_column)) = (line_and_column(start)?, line_and_column(end)?);
            ((column == 0) == (end_column == 0) && line > 0 && line <= end_line)
                .then_some([line, column, end_line, end_column])
        }
        None => line_and_column(typed).filter(|(line, column)| *line > 0 && *column > 0).map(|(l, c)| [l, c, 0, 0]),
    }
}

/// The sequence point of a range of lines and columns: in the selected method, else in the selected document.
pub(super) fn source_range(session: &Session, typed: &str, here: Here) -> Option<Parsed> {
    let [line, column, end_line, end_column] = ends(typed)?;
    let is_open = end_line == 0;
    let is_it = |point: &SequencePoint| {
        let is_start = !point.is_hidden() && (point.start_line, point.start_column) == (line, column);
        let is_end = is_open || (point.end_line, point.end_column) == (end_line, end_column);
        is_start && is_end || !is_open && range_text(point) == lines_text([line, column, end_line, end_column])
    };
    if let Some(of) = here.code
        && let Some((number, _)) = code_unit::find_point(session, of, &mut |point| is_it(point))
    {
        let said = format!("{} {number} of {}", of.words().point, code_unit::name(session, of));
        return Some(Ok((Address::Place(of.point(number)), said)));
    }
    let Some(row) = here.document else {
        // A line and a column alone may be the row of a document and a line.
        let why = "of which file? write FILE:LINE, or select a method or a document first";
        return (!is_open).then(|| Err(why.to_owned().into()));
    };
    let column = (column > 0).then_some(column);
    let found = breakpoint::bind(session, &LineQuery::of(row, line, column));
    let exact = found.hits.iter().find(|hit| is_it(&hit.point));
    let name = || document::name(session, row).map_or_else(String::new, |path| file_name(&path).to_owned());
    if is_open && exact.is_none() {
        return None;
    }
    let said = |hit: &Hit| format!("{} {} of {}", hit.of.words().point, hit.number, code_unit::name(session, hit.of));
    let first = if found.line == line { found.hits.first() } else { None };
    Some(match (exact, first) {
        (Some(hit), _) => Ok((Address::Place(hit.place()), said(hit))),
        (None, Some(hit)) => {
            let said = format!("no point is exactly there; {} is {}", said(hit), range_text(&hit.point));
            Ok((Address::Place(hit.place()), said))
        }
        (None, None) => Err(format!("no code of {} is at {typed}", name()).into()),
    })
}

/// An offset of code: `IL_0010`, `+0x10`.
fn offset(text: &str, prefix: &str) -> Option<u32> {
    let digits = text.trim().strip_prefix(prefix)?;
    u32::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16).ok()
}

/// A range of the code of the selected method: the scope or the exception clause of exactly this range, else where it begins.
pub(super) fn code_range(session: &Session, typed: &str, here: Here) -> Option<Parsed> {
    let (first, last) = typed.split_once("..").or_else(|| typed.split_once(DASHES))?;
    let prefix =
        [Words::IL, Words::NATIVE].map(|words| words.prefix).into_iter().find(|it| first.trim().starts_with(it))?;
    let start = offset(first, prefix)?;
    let end = offset(last, prefix).or_else(|| (last.trim() == "the end").then_some(u32::MAX))?;
    let Some(of) = here.code else {
        return Some(Err(format!("which method? select it, or write METHOD+{start:#x}").into()));
    };
    if of.words().prefix != prefix {
        return None;
    }
    let view = MethodView::of(session, of);
    let range = u64::from(start)..u64::from(end);
    let scopes = view.scopes.iter().filter(|scope| u64::from(scope.start) == range.start);
    let mut scope = scopes.filter(|scope| scope.end() == range.end || scope.is_unbounded() && end == u32::MAX);
    if let Some(record) = scope.find_map(|scope| scope.record) {
        return Some(Ok((Address::Place(record.into()), format!("scope of {}", code_unit::name(session, of)))));
    }
    let regions = view.body.iter().flat_map(|body| &body.regions);
    let is_it = |part: IlRange| (u64::from(part.start), part.end()) == (range.start, range.end);
    let number =
        regions.zip(0..).find_map(|(region, number)| (is_it(region.tried) || is_it(region.handler)).then_some(number));
    if let (Some(number), CodeUnit::Method(token)) = (number, of) {
        let place = Place::MethodPart(token, MethodPart::Region(number));
        if nodes::exists(session, place) {
            return Some(Ok(plain(place)));
        }
    }
    Some(Ok((Address::Code(OffsetQuery { of, offset: start }), String::new())))
}
