//! A source without text: a row for each point, with the statement that its code makes, below the name of its method. Lines without code
//! have no row.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::state::document_info::DocumentInfo;
use crate::state::selection::LineSpan;
use crate::ui::code_line::{Line, statement_roles, wrapped};
use crate::ui::text::{fits, put, put_right, width};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_query::document_lines::{CoveredLine, DocumentLines};
use pdblens_query::statement::{self, Statement};
use pdblens_query::where_is::state_machine::kickoff;
use pdblens_session::session::Session;
use pdblens_session::text::parameters::{condensed, name_and_types};

/// The number of rows; points after them are not drawn.
const MAX_ROWS: usize = 400_000;
/// Cells that a statement is indented by at most.
const MAX_INDENT: u32 = 40;
/// Cells that a statement is at most deeper than the one above it: three levels. What is further right does not begin its line, as the arm
/// of a `switch` expression, and is one level deeper.
const MAX_DEEPER: u16 = 12;
const LEVEL: u16 = 4;
/// Rows between the names of two methods that are compared.
const MAX_BETWEEN: usize = 200;
/// Cells before a statement: the mark of its line.
const MARK: u16 = 1;
/// Cells that the offset of a point needs beside its statement.
const LABEL: usize = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GhostRow {
    /// A method that begins on a line.
    Method(CodeUnit, u32),
    /// A point, by its index, and the cells that its statement is indented by.
    Point(usize, u16),
}

/// The rows of a document without text: its points, and the names of their methods.
#[derive(Clone)]
pub(super) struct Ghost {
    info: Arc<DocumentInfo>,
    rows: Arc<Vec<GhostRow>>,
}

/// The rows of the points. What all points of a method are indented by is left out, but for the `}` of one whose `{` has no point; a point
/// behind another one on its line is indented as that one.
fn rows(lines: &DocumentLines) -> Vec<GhostRow> {
    let is_brace =
        |piece: &CoveredLine| piece.start_line == piece.end_line && piece.end_column == piece.start_column + 1;
    let mut shared: HashMap<CodeUnit, (u32, bool)> = HashMap::new();
    for piece in lines.pieces() {
        let (least, has_braces) = shared.entry(piece.of).or_insert((piece.start_column, is_brace(piece)));
        if *has_braces || !is_brace(piece) {
            *least = piece.start_column.min(*least);
        }
    }
    let (mut rows, mut known) = (Vec::new(), HashSet::new());
    let (mut before, mut level): (Option<(&CoveredLine, u16)>, u16) = (None, 0);
    for (index, piece) in lines.pieces().iter().enumerate().take(MAX_ROWS) {
        let place =
            |piece: &CoveredLine| (piece.of, piece.start_line, piece.start_column, piece.end_line, piece.end_column);
        if before.is_some_and(|(last, _)| place(last) == place(piece)) {
            continue;
        }
        if known.insert(piece.of) {
            rows.push(GhostRow::Method(piece.of, piece.start_line));
        }
        let beside = before.filter(|(last, _)| (last.of, last.start_line) == (piece.of, piece.start_line));
        let own = piece.start_column.saturating_sub(shared[&piece.of].0).min(MAX_INDENT) as u16;
        if before.is_none_or(|(last, _)| last.of != piece.of) {
            level = own;
        }
        let indent = match beside {
            Some((_, indent)) => indent,
            None if own > level + MAX_DEEPER => level + LEVEL,
            None => {
                level = own;
                own
            }
        };
        rows.push(GhostRow::Point(index, indent));
        before = Some((piece, indent));
    }
    rows
}

impl Ghost {
    /// The rows of a document; `None` where no line has code.
    pub(super) fn of(info: &Arc<DocumentInfo>) -> Option<Self> {
        let make = || Self { rows: Arc::new(rows(&info.coverage)), info: Arc::clone(info) };
        (!info.coverage.is_empty()).then(make)
    }

    pub(super) fn is_of(&self, info: &Arc<DocumentInfo>) -> bool {
        Arc::ptr_eq(&self.info, info)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn last_line(&self) -> u32 {
        self.len().checked_sub(1).map_or(1, |last| self.line(last))
    }

    /// The point of a row: of the name of a method its first one.
    pub(super) fn point(&self, row: usize) -> Option<&CoveredLine> {
        let first = self.rows.get(row..)?.iter().find_map(|row| match row {
            GhostRow::Point(index, _) => Some(*index),
            GhostRow::Method(..) => None,
        })?;
        self.info.coverage.pieces().get(first)
    }

    /// The line that a row is on.
    pub(super) fn line(&self, row: usize) -> u32 {
        self.point(row).map_or(1, |piece| piece.start_line)
    }

    /// The row of a line: that of the last point that begins on it or before it, else the first.
    pub(super) fn row(&self, line: u32) -> usize {
        let behind = self.rows.partition_point(|row| match row {
            GhostRow::Method(_, begins) => *begins <= line,
            GhostRow::Point(index, _) => self.info.coverage.pieces()[*index].start_line <= line,
        });
        // Of several points on the line, the first.
        let first = (0..behind).rev().take_while(|row| self.line(*row) == self.line(behind - 1));
        first.filter(|row| self.is_point(*row)).last().unwrap_or(usize::from(self.len() > 1))
    }

    /// The row of the selected point, else that of its line.
    pub(super) fn row_of(&self, selected: LineSpan) -> usize {
        let near = self.row(selected.start);
        let on_line = (near..self.len()).take_while(|row| self.line(*row) <= selected.start);
        on_line.into_iter().find(|row| self.is_chosen(*row, Some(selected))).unwrap_or(near)
    }

    pub(super) fn is_point(&self, row: usize) -> bool {
        matches!(self.rows.get(row), Some(GhostRow::Point(..)))
    }

    /// Returns whether a row is the selected point.
    pub(super) fn is_chosen(&self, row: usize, selected: Option<LineSpan>) -> bool {
        self.is_point(row) && self.point(row).zip(selected).is_some_and(|(piece, lines)| is_of(piece, lines))
    }

    /// Returns whether a row names the method whose first point is at these lines.
    pub(super) fn is_name_of(&self, row: usize, selected: LineSpan) -> bool {
        !self.is_point(row) && self.point(row).is_some_and(|piece| is_of(piece, selected))
    }

    /// The text of a row: the name of a method, or a statement; of a point without one, its lines and columns.
    pub(super) fn text(&self, row: usize, session: &Session) -> String {
        match (self.rows.get(row), self.point(row)) {
            (Some(GhostRow::Method(of, _)), _) => name(session, *of),
            (Some(_), Some(piece)) => {
                statement_of(piece, session).map_or_else(|| piece.range_text(), |found| found.text)
            }
            _ => String::new(),
        }
    }

    /// The name of a method that has no room for it: without the parameters that the overloads above and below it have as well.
    fn condensed_name(&self, row: usize, text: &str, room: usize, session: &Session) -> Option<String> {
        let (name, types) = name_and_types(text);
        if types.is_empty() || fits(text, room) {
            return None;
        }
        let near = [row.saturating_sub(MAX_BETWEEN)..row, row + 1..self.len().min(row + MAX_BETWEEN)];
        let [above, mut below] = near;
        let is_name = |near: &usize| !self.is_point(*near);
        let others = [above.rev().find(is_name), below.find(is_name)];
        let others: Vec<String> = others.into_iter().flatten().map(|near| self.text(near, session)).collect();
        let others = others.iter().map(|other| name_and_types(other)).filter(|(other, _)| *other == name);
        let others: Vec<Vec<&str>> = others.map(|(_, types)| types).collect();
        Some(format!("{name}{}", condensed(&types, &others, room.saturating_sub(width(name)))))
    }

    /// The reason why the statement of a row is not proved.
    pub(super) fn doubt(&self, row: usize, session: &Session) -> Option<String> {
        statement_of(self.point(row).filter(|_| self.is_point(row))?, session)?.doubt()
    }

    /// Lines that a row takes in `wide` cells where it wraps.
    pub(super) fn height(&self, row: usize, wide: u16, session: &Session) -> u16 {
        let Some(GhostRow::Point(_, indent)) = self.rows.get(row) else { return 1 };
        let room = wide.saturating_sub(MARK + indent).into();
        wrapped(&self.text(row, session), 0, room).len() as u16
    }

    /// Draws the content of a row on the lines of `area`; `left` cells are scrolled out. The chosen one has its offset at the right edge.
    pub(super) fn draw(
        &self,
        row: usize,
        area: Rect,
        buf: &mut Buffer,
        (left, is_chosen): (usize, bool),
        (session, look): (&Session, &Look<'_>),
    ) {
        let text = self.text(row, session);
        let (Some(GhostRow::Point(_, indent)), Some(piece)) = (self.rows.get(row), self.point(row)) else {
            let short = self.condensed_name(row, &text, area.width.into(), session);
            put(buf, area.x, area.y, area.right(), &short.unwrap_or(text), look.theme.of(Role::Dim), look.glyphs);
            return;
        };
        let found = statement_of(piece, session);
        let (mark, role) = match &found {
            Some(found) if found.is_doubtful() => (look.glyphs.about, Role::Warn),
            _ => (look.glyphs.full_text, Role::Faint),
        };
        let roles = if found.is_some_and(|found| found.whole) { statement_roles(&text) } else { Vec::new() };
        let colour = |byte: usize| {
            let piece = roles.get(roles.partition_point(|(end, _)| *end as usize <= byte));
            piece.map_or_else(|| look.theme.of(Role::Dim), |(_, role)| coloured(*role, look))
        };
        let x = (area.x + MARK + indent.saturating_sub(left as u16)).min(area.right());
        let left = left.saturating_sub(usize::from(*indent));
        let body = Rect { x, width: area.right() - x, ..area };
        let lines = if area.height > 1 { wrapped(&text, left, body.width.into()) } else { vec![(left, 0)] };
        for ((first, hanging), y) in lines.into_iter().zip(area.y..area.bottom()) {
            let (mark, role) = if y == area.y { (mark, role) } else { (look.glyphs.full_text, Role::Faint) };
            put(buf, area.x, y, area.right(), mark, look.theme.of(role), look.glyphs);
            let hanging = hanging as u16;
            let place = Rect { x: body.x + hanging, y, width: body.width - hanging, height: 1 };
            let marked = is_chosen.then_some((1, u32::MAX));
            let line = Line { text: &text, left: first, marked, doubtful: false };
            line.draw(buf, place, look, (area.height == 1, &colour));
        }
        if is_chosen && width(&text) + LABEL < usize::from(body.width) {
            let label = piece.of.label(piece.offset.into());
            put_right(buf, body.x, area.y, area.right(), &label, look.theme.of(Role::Dim), look.glyphs);
        }
    }
}

/// The style of a piece of source text.
pub(super) fn coloured(role: Role, look: &Look<'_>) -> Style {
    look.theme.of(Role::Text).patch(look.theme.of(role))
}

/// The statement of a point; the calls of a line of native code.
fn statement_of(piece: &CoveredLine, session: &Session) -> Option<Statement> {
    let statements = statement::kept(session, piece.of);
    statements.get(piece.number.checked_sub(1)? as usize)?.clone().filter(|found| !found.text.is_empty())
}

/// True if a span is the selected one.
fn is_of(piece: &CoveredLine, lines: LineSpan) -> bool {
    let (from, to) = lines.columns.unwrap_or((piece.start_column, piece.end_column));
    let to = if to == u32::MAX { 0 } else { to };
    (lines.start, lines.end) == (piece.start_line, piece.end_line)
        && (from, to) == (piece.start_column, piece.end_column)
}

/// The name of a method with its parameters; that of the source for the body of an async method or iterator.
fn name(session: &Session, of: CodeUnit) -> String {
    match (of, session.names()) {
        (CodeUnit::Method(token), Some(names)) => match kickoff(session, token) {
            Some(kickoff) => format!("{} (MoveNext)", names.brief().method_short(kickoff)),
            None => names.brief().method_short(token),
        },
        _ => code_unit::name(session, of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_query::document_lines::document_lines;
    use pdblens_testing::samples;

    #[test]
    fn a_name_without_room_loses_the_parameters_that_its_overloads_have() {
        let session = Session::open(&[samples::repository("assets/samples/warehouse/Acme.Warehouse.dll")]).unwrap();
        let (mut long, mut cut) = (0, 0);
        for row in 1..=session.symbols().unwrap().documents() {
            let Some(ghost) = Ghost::of(&Arc::new(DocumentInfo::read(&session, row, &|| false))) else { continue };
            for row in (0..ghost.len()).filter(|row| !ghost.is_point(*row)) {
                let text = ghost.text(row, &session);
                let Some(short) = ghost.condensed_name(row, &text, 60, &session) else { continue };
                assert_eq!(name_and_types(&text).0, name_and_types(&short).0, "a name is whole");
                long += 1;
                cut += usize::from(!fits(&short, 60));
            }
        }
        assert!(long > 100 && cut < long, "{cut} of {long} are cut");
    }

    #[test]
    fn points_have_rows_below_the_names_of_their_methods() {
        let session = Session::sample();
        let coverage = document_lines(&session, 1, &|| false);
        let info = Arc::new(DocumentInfo { coverage, ..DocumentInfo::default() });
        let ghost = Ghost::of(&info).unwrap();
        for piece in info.coverage.pieces() {
            let selected = LineSpan {
                start: piece.start_line,
                end: piece.end_line,
                columns: Some((piece.start_column, piece.end_column)),
            };
            let row = ghost.row_of(selected);
            assert!(ghost.is_chosen(row, Some(selected)) && ghost.line(row) == piece.start_line, "{piece:?}");
            assert!(!ghost.text(row, &session).is_empty());
        }
        let methods: Vec<usize> = (0..ghost.len()).filter(|row| !ghost.is_point(*row)).collect();
        assert_eq!(methods.len(), info.coverage.methods(), "every method is named once");
        assert!(Ghost::of(&Arc::default()).is_none());
        // Nothing is indented by what all points of its method are.
        for of in info.coverage.pieces().iter().map(|piece| piece.of) {
            let indents = ghost.rows.iter().filter_map(|row| match row {
                GhostRow::Point(index, indent) if info.coverage.pieces()[*index].of == of => Some(*indent),
                _ => None,
            });
            assert_eq!(indents.min(), Some(0));
        }
    }

    #[test]
    fn statements_that_do_not_begin_their_line_are_not_far_to_the_right() {
        let image = samples::repository("tests/golden/statements/Language.release.dll");
        let session = Session::open(&[image]).unwrap();
        let symbols = session.symbols().unwrap();
        let document =
            (1..=symbols.documents()).find(|row| symbols.document(*row).unwrap().name.ends_with("Proved.cs"));
        let coverage = document_lines(&session, document.unwrap(), &|| false);
        let pieces = coverage.pieces();
        let method = pieces.iter().find(|piece| (62..=80).contains(&piece.start_line)).unwrap().of;
        let found = rows(&coverage).into_iter().filter_map(|row| match row {
            GhostRow::Point(index, indent) if pieces[index].of == method => Some((pieces[index].start_line, indent)),
            _ => None,
        });
        let mut indents: Vec<(u32, u16)> = found.collect();
        indents.dedup();
        // The variable of the `foreach` in line 71 is in column 26; the method's `}` is left of all else.
        for expected in [(63, 0), (67, 4), (71, 4), (72, 8), (80, 0)] {
            assert!(indents.contains(&expected), "{expected:?} {indents:?}");
        }
    }
}
