//! One method in two builds: its lines beside each other, and its points with the bytes that encode them.

use std::sync::Arc;

use crate::state::comparison::Comparison;
use crate::state::paths::Paths;
use pdblens_nodes::method::{il_label, range_text};
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::{self as nodes, MethodPart, Place, SequencePoint, Token, document};
use pdblens_query::breakpoint::{Judge, Sign};
use pdblens_query::diff::{AlignedPoints, aligned_lines, aligned_points};
use pdblens_query::statement::{Statement, Statements};
use pdblens_session::session::Session;
use pdblens_session::source::{self, HashVerdict};
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{count, spaced_hex};

/// Limit on the lines of a method that are compared.
const MAX_LINES: u32 = 2000;
/// Limit on the spaces before a statement.
const MAX_INDENT: u32 = 40;
/// Bytes of a point that are shown.
const MAX_BYTES: usize = 16;

/// Columns of the points.
pub(super) const COLUMNS: &[Head] =
    &[Head::number("old"), Head::number("new"), Head::text("IL"), Head::text("source"), Head::text("blob bytes")];

/// A method in two builds.
#[derive(Debug, Default)]
pub(super) struct MethodPair {
    pub(super) sides: [MethodLines; 2],
    /// Indices of lines that belong together.
    pub(super) lines: Vec<(Option<usize>, Option<usize>)>,
    pub(super) aligned: AlignedPoints,
    /// Bytes of the points of both builds.
    bytes: [Vec<String>; 2],
    pub(super) methods: [Option<Token>; 2],
}

/// Lines of a method in one build.
#[derive(Debug, Default)]
pub(super) struct MethodLines {
    /// Name of the document.
    pub(super) name: String,
    /// True if the lines are made from IL.
    pub(super) is_reconstructed: bool,
    /// Number and text of each line.
    pub(super) lines: Vec<(u32, String)>,
    /// True for each statement that is not proved; none for lines of a text.
    pub(super) doubts: Vec<bool>,
    /// Sign of a breakpoint on each line.
    pub(super) signs: Vec<Option<Sign>>,
}

/// A row of points: one pair by its index, or those with equal bytes from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointRow {
    Pair(usize),
    Equal(usize, usize),
}

impl MethodLines {
    /// Returns whether the lines are statements of C#, whose words have colours.
    pub(super) fn is_c_sharp(&self) -> bool {
        self.is_reconstructed || self.name.rsplit('.').next() == Some("cs")
    }

    /// Lines of the document of the first visible point, from the head of the method to its end. Where the text that was compiled is not
    /// at hand, or not wanted, statements from IL.
    fn of(session: &Session, method: Token, points: &[SequencePoint], (paths, with_text): (&Paths, bool)) -> Self {
        let visible = || points.iter().filter(|point| !point.is_hidden());
        let Some(row) = visible().next().map(|point| point.document) else { return Self::default() };
        let own = || visible().filter(|point| point.document == row);
        let name = file_name(&document::name(session, row).unwrap_or_default()).to_owned();
        let found = if with_text { source::find(session, row, &paths.sources).ok() } else { None };
        let text = found.filter(|found| found.verdict != HashVerdict::Differs).and_then(|found| found.text);
        let is_reconstructed = text.is_none();
        let mut doubts = Vec::new();
        let lines: Vec<(u32, String)> = match text {
            Some(text) => {
                // The line before the first point has the head of the method.
                let first = own().map(|point| point.start_line).min().unwrap_or(1).saturating_sub(1).max(1);
                let last =
                    own().map(|point| point.end_line).max().unwrap_or(first).min(first.saturating_add(MAX_LINES));
                let line = |number| text.line(number).map(|line| (number, source_text(line)));
                (first..=last).filter_map(line).collect()
            }
            None => {
                let statements = Statements::new(session).map(|statements| statements.of(method)).unwrap_or_default();
                let line = |(point, statement): (&SequencePoint, Option<Statement>)| {
                    let indent = " ".repeat(point.start_column.saturating_sub(1).min(MAX_INDENT) as usize);
                    let found = statement.filter(|_| point.document == row)?;
                    doubts.push(found.is_doubtful());
                    Some((point.start_line, indent + &found.text))
                };
                points.iter().zip(statements).filter_map(line).collect()
            }
        };
        let numbers = || lines.iter().map(|(number, _)| *number);
        let (first, last) = (numbers().min().unwrap_or(1), numbers().max().unwrap_or(0));
        let last = last.min(first.saturating_add(MAX_LINES));
        let judged = Judge::of(session, &paths.sources).from_to(row, first, last, &|| false);
        let sign = |number: u32| judged.get((number - first) as usize)?.sign_of_line();
        let signs = numbers().map(sign).collect();
        Self { name, is_reconstructed, lines, doubts, signs }
    }
}

/// A line with spaces in the place of tabs.
fn source_text(line: &str) -> String {
    source::shown(line, 4).into_owned()
}

impl MethodPair {
    /// Reads a method in both builds; takes time.
    pub(super) fn of(compared: &Comparison, methods: [Option<Token>; 2], paths: &Paths) -> Self {
        let sessions: [&Arc<Session>; 2] = [&compared.before, &compared.after];
        let aligned = aligned_points([sessions[0], sessions[1]], methods);
        let read = |with_text: bool| {
            [0, 1].map(|build: usize| {
                let lines =
                    |method| MethodLines::of(sessions[build], method, &aligned.points[build], (paths, with_text));
                methods[build].map(lines).unwrap_or_default()
            })
        };
        let mut sides = read(true);
        // A text and statements from IL would differ in every line.
        if methods.iter().all(Option::is_some) && sides[0].is_reconstructed != sides[1].is_reconstructed {
            sides = read(false);
        }
        let indents = || sides.iter().flat_map(|side| &side.lines).filter(|(_, text)| !text.trim().is_empty());
        let shared = indents().map(|(_, text)| text.len() - text.trim_start_matches(' ').len()).min().unwrap_or(0);
        for (_, text) in sides.iter_mut().flat_map(|side| &mut side.lines) {
            *text = text.get(shared..).unwrap_or_default().to_owned();
        }
        let bytes = [0, 1].map(|build: usize| {
            let points = 1..=aligned.points[build].len() as u32;
            let method = methods[build];
            points
                .map(|number| method.map(|method| bytes_of(sessions[build], method, number)).unwrap_or_default())
                .collect()
        });
        let [before, after] =
            sides.each_ref().map(|side| side.lines.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>());
        Self { lines: aligned_lines(&before, &after), sides, aligned, bytes, methods }
    }

    /// Index of the first row of points on a line that differs; else of the first whose bytes differ.
    pub(super) fn first_difference(&self, rows: &[PointRow]) -> usize {
        let differs = |build: usize, point: Option<&SequencePoint>| {
            let line = |pair: &(Option<usize>, Option<usize>)| {
                let at = if build == 0 { pair.0 } else { pair.1 };
                self.sides[build].lines.get(at?).map(|(number, _)| *number)
            };
            let changed = self.lines.iter().filter(|pair| !self.is_same(**pair)).filter_map(line);
            point.is_some_and(|point| !point.is_hidden() && changed.into_iter().any(|line| line == point.start_line))
        };
        let pairs = || rows.iter().enumerate().filter(|(_, row)| matches!(row, PointRow::Pair(_)));
        let on_line = pairs().find(|(_, row)| {
            let [old, new] = self.points(**row);
            differs(0, old) || differs(1, new)
        });
        on_line.or_else(|| pairs().next()).map_or(0, |(index, _)| index)
    }

    /// Returns whether both builds have a line, with the same text.
    pub(super) fn is_same(&self, (one, other): (Option<usize>, Option<usize>)) -> bool {
        let text = |build: usize, at: Option<usize>| Some(self.sides[build].lines.get(at?)?.1.trim());
        one.is_some() && text(0, one) == text(1, other)
    }

    fn point(&self, build: usize, at: Option<usize>) -> Option<&SequencePoint> {
        self.aligned.points[build].get(at?)
    }

    /// The points of a row; of a folded row, those of its first pair.
    pub(super) fn points(&self, row: PointRow) -> [Option<&SequencePoint>; 2] {
        let (PointRow::Pair(at) | PointRow::Equal(at, _)) = row;
        let (one, other) = self.aligned.pairs.get(at).copied().unwrap_or_default();
        [self.point(0, one), self.point(1, other)]
    }

    /// The point of the new build that a row has.
    pub(super) fn place(&self, row: PointRow) -> Option<Place> {
        let (PointRow::Pair(at) | PointRow::Equal(at, _)) = row;
        let (_, other) = self.aligned.pairs.get(at).copied()?;
        Some(Place::MethodPart(self.methods[1]?, MethodPart::Point(other? as u32 + 1)))
    }

    /// The method in the new build.
    pub(super) fn method(&self) -> Option<Place> {
        self.methods[1].map(Place::Method)
    }

    /// A sentence about the number of points.
    fn counted(&self) -> String {
        let pairs = &self.aligned.pairs;
        let gone = pairs.iter().filter(|(_, other)| other.is_none()).count();
        let new = pairs.iter().filter(|(one, _)| one.is_none()).count();
        let all = count((pairs.len() - gone) as u64, "point");
        format!("{} → {all}: {gone} gone, {new} new", pairs.len() - new)
    }

    fn has_equal_bytes(&self, (one, other): (Option<usize>, Option<usize>)) -> bool {
        let bytes = |build: usize, at: Option<usize>| self.bytes[build].get(at?);
        one.is_some() && bytes(0, one) == bytes(1, other)
    }

    /// Rows of the points; runs of equal bytes have one, unless `all` are wanted.
    pub(super) fn point_rows(&self, all: bool) -> (Vec<Row>, Vec<PointRow>) {
        let (mut rows, mut items, mut at) = (Vec::new(), Vec::new(), 0);
        let pairs = &self.aligned.pairs;
        while let Some(pair) = pairs.get(at) {
            let run = pairs[at..].iter().take_while(|pair| self.has_equal_bytes(**pair)).count();
            if run > 1 && !all {
                let range = |number: Option<usize>| {
                    number.map_or_else(String::new, |first| format!("{}–{}", first + 1, first + run))
                };
                let text = Cell::toned("the same bytes", Tone::Dim);
                let numbers = [range(pair.0), range(pair.1)].map(|text| Cell::toned(text, Tone::Dim));
                let [one, other] = numbers;
                rows.push(Row::plain(vec![one, other, Cell::default(), Cell::default(), text]));
                items.push(PointRow::Equal(at, at + run - 1));
                at += run;
            } else {
                rows.push(self.point_row(*pair));
                items.push(PointRow::Pair(at));
                at += 1;
            }
        }
        (rows, items)
    }

    fn point_row(&self, (one, other): (Option<usize>, Option<usize>)) -> Row {
        let points = [self.point(0, one), self.point(1, other)];
        let both = |text: fn(&SequencePoint) -> String| match points.map(|point| point.map(text)) {
            [Some(one), Some(other)] if one != other => format!("{one} → {other}"),
            [one, other] => other.or(one).unwrap_or_default(),
        };
        let bytes =
            |build: usize, at: Option<usize>| at.and_then(|at| self.bytes[build].get(at)).map_or("", String::as_str);
        let blob = match (bytes(0, one), bytes(1, other)) {
            (one, other) if one == other || other.is_empty() => one.to_owned(),
            ("", other) => other.to_owned(),
            (one, other) => format!("{one} → {other}"),
        };
        let number = |at: Option<usize>| at.map_or_else(String::new, |at| (at + 1).to_string());
        let tone = match (one, other) {
            (Some(_), None) => Tone::Bad,
            (None, _) => Tone::Ok,
            _ => Tone::Text,
        };
        Row::plain(vec![
            Cell::toned(number(one), tone),
            Cell::toned(number(other), tone),
            Cell::new(both(|point| il_label(point.offset.into()))),
            Cell::new(both(range_text)),
            Cell::toned(blob, Tone::Dim),
        ])
    }

    /// Fate of a breakpoint on the selected point, and how it is known.
    pub(super) fn sentence(&self, row: Option<PointRow>) -> (String, String) {
        let [one, other] = row.map(|row| self.points(row)).unwrap_or_default();
        let name = |build: usize| &self.sides[build].name;
        let il = |point: &SequencePoint| il_label(point.offset.into());
        match (one, other) {
            (Some(one), Some(other)) if one.is_hidden() || other.is_hidden() => {
                ("This point is hidden: no breakpoint is here".to_owned(), self.counted())
            }
            (Some(one), Some(other)) => {
                let line = format!("A breakpoint at {}:{} ", name(0), one.start_line);
                let fate = if one.start_line == other.start_line {
                    "stays".to_owned()
                } else {
                    format!("is now at :{}", other.start_line)
                };
                (line + &fate, format!("the same code: {} → {}", il(one), il(other)))
            }
            (Some(one), None) if one.is_hidden() => ("A hidden point is gone".to_owned(), self.counted()),
            (Some(one), None) => {
                let next = self.next_line(one.start_line).map(|line| format!("; the next line with code is :{line}"));
                (
                    format!("A breakpoint at {}:{} is gone{}", name(0), one.start_line, next.unwrap_or_default()),
                    self.counted(),
                )
            }
            (None, Some(other)) => (format!("{}:{} is new", name(1), other.start_line), self.counted()),
            (None, None) => (String::new(), String::new()),
        }
    }

    /// Line in the new build of the first code after a line of the old one.
    fn next_line(&self, line: u32) -> Option<u32> {
        let pairs = self.aligned.pairs.iter().map(|(one, other)| (self.point(0, *one), self.point(1, *other)));
        let kept = pairs.filter_map(|(one, other)| Some((one?, other?)));
        let after = kept.filter(|(one, other)| !one.is_hidden() && !other.is_hidden() && one.start_line > line);
        after.min_by_key(|(one, _)| one.start_line).map(|(_, other)| other.start_line)
    }
}

/// Bytes that encode a point.
fn bytes_of(session: &Session, method: Token, number: u32) -> String {
    let span = nodes::bytes(session, Place::MethodPart(method, MethodPart::Point(number)));
    let bytes = span.and_then(|span| session.spaces().read(span).ok());
    bytes.map_or_else(String::new, |bytes| spaced_hex(&bytes, MAX_BYTES))
}
