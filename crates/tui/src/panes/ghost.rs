//! A source without text: the spans of its sequence points at their lines and columns. A span of IL has the statement that its code
//! makes, another one is a bar.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::state::document_info::DocumentInfo;
use crate::state::selection::LineSpan;
use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_query::document_lines::{CoveredLine, DocumentLines};
use pdblens_query::statement::{self, Statement};
use pdblens_query::where_is::state_machine::kickoff;
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, visible};

/// Lines of one span that have a row each.
const MAX_SPAN: u32 = 400;
/// The number of rows; lines after them are not drawn.
const MAX_ROWS: usize = 400_000;
/// Spans that are drawn on one line.
const MAX_PIECES: usize = 32;
/// Lines without code between two with code that are drawn; more are one row.
const MAX_GAP: u32 = 2;
/// Cells of a bar whose end is unknown: the span continues on the next line, or has no columns.
const OPEN_BAR: u32 = 16;
/// Cells of such a bar that stay where the pane is narrow.
const MIN_BAR: u16 = 4;
/// Cells between a span and the offset and lines of it.
const LABEL_GAP: u16 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GhostRow {
    /// A method that begins on a line.
    Method(CodeUnit, u32),
    Line(u32),
    /// The first and the last of the lines without code.
    Gap(u32, u32),
}

/// The rows of a document without text: lines that have code, names of methods, and gaps.
#[derive(Clone)]
pub(super) struct Ghost {
    info: Arc<DocumentInfo>,
    rows: Arc<Vec<GhostRow>>,
    /// The last column of a span.
    width: u16,
}

impl GhostRow {
    const fn last_line(self) -> u32 {
        match self {
            Self::Method(_, line) | Self::Line(line) | Self::Gap(_, line) => line,
        }
    }
}

/// The rows of the lines that have code.
fn rows(lines: &DocumentLines) -> Vec<GhostRow> {
    let mut begins: BTreeMap<u32, Vec<CodeUnit>> = BTreeMap::new();
    let mut known = HashSet::new();
    for piece in lines.pieces() {
        if known.insert(piece.of) {
            begins.entry(piece.start_line).or_default().push(piece.of);
        }
    }
    let mut rows = Vec::new();
    // The first line that has no row yet.
    let mut next = 1;
    for piece in lines.pieces() {
        let (start, end) = (piece.start_line, piece.end_line.min(piece.start_line.saturating_add(MAX_SPAN)));
        if start > next && (next == 1 || start - next > MAX_GAP) {
            rows.push(GhostRow::Gap(next, start - 1));
            next = start;
        }
        while next <= end && rows.len() < MAX_ROWS {
            let methods = begins.remove(&next).unwrap_or_default();
            rows.extend(methods.into_iter().map(|of| GhostRow::Method(of, next)));
            rows.push(GhostRow::Line(next));
            next += 1;
        }
    }
    rows
}

impl Ghost {
    /// The rows of a document; `None` where no line has code.
    pub(super) fn of(info: &Arc<DocumentInfo>) -> Option<Self> {
        let ends = || info.coverage.pieces().iter().map(|piece| piece.end_column.max(piece.start_column)).max();
        let width = || u16::try_from(ends().unwrap_or(0)).unwrap_or(u16::MAX);
        let rows = || Arc::new(rows(&info.coverage));
        let make = || Self { rows: rows(), info: Arc::clone(info), width: width() };
        (!info.coverage.is_empty()).then(make)
    }

    pub(super) fn is_of(&self, info: &Arc<DocumentInfo>) -> bool {
        Arc::ptr_eq(&self.info, info)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) const fn width(&self) -> u16 {
        self.width
    }

    pub(super) fn last_line(&self) -> u32 {
        self.rows.last().map_or(1, |row| row.last_line())
    }

    /// The line in a row; the first one of a gap.
    pub(super) fn line(&self, row: usize) -> u32 {
        match self.rows.get(row) {
            Some(GhostRow::Method(_, line) | GhostRow::Line(line) | GhostRow::Gap(line, _)) => *line,
            None => 1,
        }
    }

    /// The row of a line, or that of its gap.
    pub(super) fn row(&self, line: u32) -> usize {
        let mut row = self.rows.partition_point(|row| row.last_line() < line);
        while matches!(self.rows.get(row), Some(GhostRow::Method(..))) {
            row += 1;
        }
        row.min(self.rows.len().saturating_sub(1))
    }

    /// The first point of the method that a row names.
    pub(super) fn method(&self, row: usize) -> Option<&CoveredLine> {
        let Some(GhostRow::Method(of, line)) = self.rows.get(row) else { return None };
        self.info.coverage.beginning(*line).iter().find(|piece| piece.of == *of)
    }

    /// Returns whether a row names the method whose first point is at these lines.
    pub(super) fn is_name_of(&self, row: usize, selected: LineSpan) -> bool {
        self.method(row).is_some_and(|piece| is_of(piece, selected))
    }

    /// True if a row is a line that has a number.
    pub(super) fn is_line(&self, row: usize) -> bool {
        matches!(self.rows.get(row), Some(GhostRow::Line(_)))
    }

    /// The text of a row: the name of a method.
    pub(super) fn text(&self, row: usize, session: &Session) -> String {
        match self.rows.get(row) {
            Some(GhostRow::Method(of, _)) => name(session, *of),
            _ => String::new(),
        }
    }

    /// All that a row says, in parts with a tab between them: the name of a method, or the statement, and the offset and the lines, of the
    /// selected span if it begins there.
    pub(super) fn whole(&self, row: usize, selected: Option<LineSpan>, session: &Session) -> Option<String> {
        match self.rows.get(row)? {
            GhostRow::Method(of, _) => Some(name(session, *of)),
            GhostRow::Gap(first, last) => Some(gap_text(*first, *last)),
            GhostRow::Line(line) => {
                let mut begins = self.info.coverage.beginning(*line).iter();
                let piece = begins.find(|piece| selected.is_some_and(|lines| is_of(piece, lines)))?;
                let statement = statement_of(piece, session).map(|found| visible(&found.text).into_owned() + "\t");
                Some(statement.unwrap_or_default() + &label(piece))
            }
        }
    }

    /// Draws the content of a row; `left` cells are scrolled out. Returns whether all of it shows.
    pub(super) fn draw(
        &self,
        row: usize,
        area: Rect,
        buf: &mut Buffer,
        (left, selected): (usize, Option<LineSpan>),
        (session, look): (&Session, &Look<'_>),
    ) -> bool {
        match self.rows.get(row) {
            Some(GhostRow::Method(of, _)) => {
                let text = format!("{} {}", look.glyphs.begins, name(session, *of));
                put(buf, area.x, area.y, area.right(), &text, look.theme.of(Role::Function), look.glyphs);
                width(&text) <= area.width.into()
            }
            Some(GhostRow::Gap(first, last)) => {
                let text = gap_text(*first, *last);
                put(buf, area.x, area.y, area.right(), &text, look.theme.of(Role::Mute), look.glyphs);
                width(&text) <= area.width.into()
            }
            Some(GhostRow::Line(line)) => {
                let (span, is_whole) = self.draw_line(*line, area, buf, (left, selected), (session, look));
                span.is_none_or(|span| draw_label(span, area, buf, look)) && is_whole
            }
            None => true,
        }
    }

    /// Draws the spans of a line; returns the selected one where it begins here, with its first cell, and the cell after all of them, and
    /// false if its statement is cut.
    fn draw_line(
        &self,
        line: u32,
        area: Rect,
        buf: &mut Buffer,
        (left, selected): (usize, Option<LineSpan>),
        (session, look): (&Session, &Look<'_>),
    ) -> (Option<(CoveredLine, u16, u16)>, bool) {
        let mut pieces = self.info.coverage.on(line, MAX_PIECES);
        pieces.truncate(MAX_PIECES);
        let chosen = pieces.iter().find(|piece| selected.is_some_and(|lines| is_of(piece, lines))).copied();
        // Inner spans are drawn over those around them, and the selected one over all.
        pieces.sort_by_key(|piece| {
            let (from, to, open) = columns(piece, line);
            (Some(*piece) == chosen, !open, std::cmp::Reverse(to - from))
        });
        let (mut start, mut end, mut is_whole) = (area.right(), area.x, true);
        // A span whose end is unknown leaves room for the text behind it.
        let room =
            |piece: &CoveredLine| area.width.saturating_sub(label(piece).len() as u16 + 1 + LABEL_GAP).max(MIN_BAR);
        let open_end = chosen.as_ref().map_or(area.width, room);
        for (index, piece) in pieces.iter().enumerate() {
            let (from, to, open) = columns(piece, line);
            let is_chosen = Some(*piece) == chosen;
            let role = match (is_chosen, piece.start_line == line) {
                (true, _) => Role::Accent,
                (false, false) => Role::Faint,
                // Neighbours differ.
                (false, true) if index % 2 == 1 => Role::Dim,
                (false, true) => Role::Mute,
            };
            let glyph = if is_chosen { look.glyphs.selected_span } else { look.glyphs.span };
            let cell = |column: u32| (column as usize).saturating_sub(1 + left).min(area.width.into()) as u16;
            let most = if open { open_end.max(cell(from) + 1) } else { area.width };
            let (first, last) = (area.x + cell(from), area.x + cell(to).min(most));
            start = start.min(first);
            if piece.start_line == line
                && let Some(found) = statement_of(piece, session)
            {
                // A span inside of this one is drawn over it, in the same columns if the text fits.
                let behind = if found.fits { to } else { from + 1 };
                let next = pieces.iter().filter(|next| next.start_line == line && next.start_column >= behind);
                let until = next.map(|next| area.x + cell(next.start_column)).min().unwrap_or(area.right());
                let place = Rect { x: first, width: until.saturating_sub(first), ..area };
                let scrolled = (left + 1).saturating_sub(from as usize);
                let (behind, is_shown) = draw_statement(&found, place, buf, (scrolled, is_chosen), (role, look));
                (end, is_whole) = (end.max(behind), is_whole && (is_shown || !is_chosen));
                continue;
            }
            for x in first..last {
                buf.set_stringn(x, area.y, glyph, usize::from(last - x), look.theme.of(role));
            }
            let mut behind = last;
            if open {
                behind = put(buf, last, area.y, area.right(), look.glyphs.more, look.theme.of(role), look.glyphs);
            }
            end = end.max(behind);
        }
        (chosen.filter(|piece| piece.start_line == line).map(|piece| (piece, start, end)), is_whole)
    }

    /// Statements of the method on a line that are as wide as their spans, and all of them; none for native code.
    pub(super) fn fitting(&self, line: u32, session: &Session) -> Option<(usize, usize)> {
        let piece = self.info.coverage.on(line, 1).first().copied().filter(|piece| !piece.of.is_native())?;
        statement_of(&piece, session)?;
        let known = statement::kept(session, piece.of);
        let found = known.iter().flatten();
        Some((found.clone().filter(|statement| statement.fits).count(), found.count()))
    }
}

/// The statement of a point; the calls of a line of native code.
fn statement_of(piece: &CoveredLine, session: &Session) -> Option<Statement> {
    let statements = statement::kept(session, piece.of);
    statements.get(piece.number.checked_sub(1)? as usize)?.clone().filter(|found| !found.text.is_empty())
}

/// Draws a statement from its character `scrolled` on. The selected one has a mark in the cell before it, for terminals without colours.
/// Returns the cell after the statement, and false if it is cut.
fn draw_statement(
    found: &Statement,
    area: Rect,
    buf: &mut Buffer,
    (scrolled, is_chosen): (usize, bool),
    (role, look): (Role, &Look<'_>),
) -> (u16, bool) {
    let text = format!("{}{}", if found.is_doubtful() { look.glyphs.about } else { "" }, visible(&found.text));
    let text: String = text.chars().skip(scrolled).collect();
    let role = if is_chosen || !found.whole { role } else { Role::Text };
    let style = look.theme.of(role);
    if is_chosen {
        put(buf, area.x.saturating_sub(1), area.y, area.x, look.glyphs.selected_span, style, look.glyphs);
    }
    let behind = put(buf, area.x, area.y, area.right(), &text, style, look.glyphs);
    (behind, scrolled == 0 && width(&text) <= area.width.into())
}

/// Offset and lines of a span.
fn label(piece: &CoveredLine) -> String {
    format!("{} {}", piece.of.label(piece.offset.into()), piece.range_text())
}

/// Draws the offset and the lines of a span that is drawn from `start` to `end`, or the offset alone where there is no room for both.
/// Returns whether both show.
fn draw_label((piece, start, end): (CoveredLine, u16, u16), area: Rect, buf: &mut Buffer, look: &Look<'_>) -> bool {
    let whole = label(&piece);
    for text in [&whole, &piece.of.label(piece.offset.into())] {
        let wide = width(text) as u16;
        // Behind the span; before it where that is too near to the edge.
        let x = match () {
            () if end + LABEL_GAP + wide <= area.right() => end + LABEL_GAP,
            () if area.x + wide < start => area.x,
            () => continue,
        };
        put(buf, x, area.y, area.right(), text, look.theme.of(Role::Dim), look.glyphs);
        return *text == whole;
    }
    false
}

fn gap_text(first: u32, last: u32) -> String {
    format!("{} without code", count(last - first + 1, "line"))
}

/// True if a span is the selected one.
fn is_of(piece: &CoveredLine, lines: LineSpan) -> bool {
    let (from, to) = lines.columns.unwrap_or((piece.start_column, piece.end_column));
    let to = if to == u32::MAX { 0 } else { to };
    (lines.start, lines.end) == (piece.start_line, piece.end_line)
        && (from, to) == (piece.start_column, piece.end_column)
}

/// The columns of a span on one of its lines, end exclusive, and whether the end is unknown.
fn columns(piece: &CoveredLine, line: u32) -> (u32, u32, bool) {
    // Every line of a span is taken to be indented as its first one.
    let from = if piece.start_column == 0 { 1 } else { piece.start_column };
    let is_last = line == piece.end_line && piece.end_column > 0;
    match is_last {
        true if piece.end_column > from => (from, piece.end_column, false),
        true if line == piece.start_line => (from, from + 1, false),
        true => (1, piece.end_column.max(2), false),
        false => (from, from.saturating_add(OPEN_BAR), true),
    }
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

    #[test]
    fn lines_with_code_have_rows_and_the_others_are_gaps() {
        let session = Session::sample();
        let coverage = document_lines(&session, 1, &|| false);
        let info = Arc::new(DocumentInfo { coverage, ..DocumentInfo::default() });
        let ghost = Ghost::of(&info).unwrap();
        for piece in info.coverage.pieces() {
            for line in piece.start_line..=piece.end_line {
                let row = ghost.row(line);
                assert!(ghost.is_line(row) && ghost.line(row) == line, "line {line}");
            }
        }
        let methods: Vec<usize> = (0..ghost.len()).filter(|row| ghost.method(*row).is_some()).collect();
        assert_eq!(methods.len(), info.coverage.methods(), "every method is named once");
        assert!(methods.iter().all(|row| !ghost.text(*row, &session).is_empty()));
        assert_eq!(ghost.rows.first(), Some(&GhostRow::Gap(1, info.coverage.pieces()[0].start_line - 1)));
        assert!(Ghost::of(&Arc::default()).is_none());
    }
}
