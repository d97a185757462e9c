//! The lines of one document that have code: every sequence point of it, whichever method it belongs to.
//!
//! Symbols map methods to lines. For the inverse, the points of all methods are read once to index the methods of each document; from
//! then on, only the points of those methods are read.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use pdblens_formats::bytes::Resource;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method::lines_text;
use pdblens_nodes::{CodeUnit, Place, SequencePoint, TableId, Token, code_unit};
use pdblens_session::session::Session;

/// Lines of a document that a sequence point covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CoveredLine {
    pub start_line: u32,
    pub start_column: u32,
    pub end_line: u32,
    /// The column after the last.
    pub end_column: u32,
    pub of: CodeUnit,
    /// The number of its point, counted from 1.
    pub number: u32,
    pub offset: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentLines {
    /// In the order of the lines.
    pieces: Vec<CoveredLine>,
    /// The last line of each piece and of those before it: where one that covers a line can still come, going back.
    reach: Vec<u32>,
}

/// Name of the lists of this file, in what is said about their ends.
const LINES_WITH_CODE: &str = "lines with code";

impl CoveredLine {
    pub const fn place(&self) -> Place {
        self.of.point(self.number)
    }

    /// Its lines and columns, as far as they are known: `13:13–13:35`.
    pub fn range_text(&self) -> String {
        let Self { start_line, start_column, end_line, end_column, .. } = *self;
        lines_text([start_line, start_column, end_line, end_column])
    }
}

impl DocumentLines {
    fn new(mut pieces: Vec<CoveredLine>) -> Self {
        pieces.sort_unstable();
        let mut furthest = 0;
        let reach = pieces.iter().map(|piece| {
            furthest = piece.end_line.max(furthest);
            furthest
        });
        Self { reach: reach.collect(), pieces }
    }

    /// The pieces that begin on a line: a breakpoint can bind there.
    pub fn beginning(&self, line: u32) -> &[CoveredLine] {
        let first = self.pieces.partition_point(|piece| piece.start_line < line);
        let rest = self.pieces.get(first..).unwrap_or_default();
        rest.get(..rest.partition_point(|piece| piece.start_line == line)).unwrap_or_default()
    }

    /// The pieces that a line is part of: those that begin on it, then those from above that it is in the middle of, the
    /// nearest first; not more than `most` of these.
    pub fn on(&self, line: u32, most: usize) -> Vec<CoveredLine> {
        let first = self.pieces.partition_point(|piece| piece.start_line < line);
        let mut found: Vec<CoveredLine> = self.beginning(line).to_vec();
        let above = self.pieces.iter().zip(&self.reach).take(first).rev().take_while(|(_, reach)| **reach >= line);
        found.extend(above.map(|(piece, _)| *piece).filter(|piece| piece.end_line >= line).take(most));
        found
    }

    pub fn pieces(&self) -> &[CoveredLine] {
        &self.pieces
    }

    pub const fn len(&self) -> usize {
        self.pieces.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn methods(&self) -> usize {
        self.pieces.iter().map(|piece| piece.of).collect::<HashSet<_>>().len()
    }
}

/// Documents, each with a method that has code in it, in this order; kept in the cache of the session.
#[derive(Debug, Default)]
struct WrittenIndex(OnceLock<Vec<(u32, u32)>>);

/// The rows of the methods that have code in a document; `None` if `stop` returned true or there are too many.
fn methods_of_document<'s>(session: &'s Session, document: u32, stop: &dyn Fn() -> bool) -> Option<&'s [(u32, u32)]> {
    let kept = &session.cache().get::<WrittenIndex>().0;
    if kept.get().is_none() {
        // Another thread may have set it meanwhile, to the same list.
        let _ = kept.set(find_document_methods(session, stop)?);
    }
    let all = kept.get()?;
    let first = all.partition_point(|(row, _)| *row < document);
    let rest = all.get(first..)?;
    rest.get(..rest.partition_point(|(row, _)| *row == document))
}

/// Finds the methods with code in each document, in the order of the documents.
fn find_document_methods(session: &Session, stop: &dyn Fn() -> bool) -> Option<Vec<(u32, u32)>> {
    let symbols = session.symbols()?;
    let mut written: Vec<(u32, u32)> = Vec::new();
    let (mut share, mut has_room) = (session.spaces().budget().share(Resource::Rows), true);
    let work = session.spaces().budget().work();
    for row in 1..=symbols.methods() {
        if row % 1024 == 0 && stop() {
            return None;
        }
        if !work.goes_on(LINES_WITH_CODE, || Token::new(TableId::METHOD_DEF, row).to_string()) {
            break;
        }
        if !has_room {
            share.leave_out(LINES_WITH_CODE, Token::new(TableId::METHOD_DEF, row).to_string(), None);
            return None;
        }
        let mut before = 0;
        // A method whose points cannot be decoded has those that could.
        let _ = symbols.points(Token::new(TableId::METHOD_DEF, row), &mut |point| {
            if !point.is_hidden() && point.document != before {
                before = point.document;
                has_room = share.take(1);
                written.push((before, row));
            }
            if has_room { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    written.sort_unstable();
    written.dedup();
    Some(written)
}

/// Lines of a document that have code; those found so far once `stop` returns true.
pub fn document_lines(session: &Session, document: u32, stop: &dyn Fn() -> bool) -> DocumentLines {
    let (mut pieces, mut looked_at, work) = (Vec::new(), 0_u32, session.spaces().budget().work());
    let mut share = session.spaces().budget().share(Resource::Rows);
    let mut take = |of: CodeUnit, points: &[SequencePoint]| {
        looked_at += 1;
        let goes_on = work.goes_on(LINES_WITH_CODE, || of.place().to_string());
        if !goes_on || looked_at.is_multiple_of(1024) && stop() {
            return ControlFlow::Break(());
        }
        for (number, point) in (1..).zip(points) {
            if !point.is_hidden() && point.document == document {
                if !share.take(1) {
                    share.leave_out(LINES_WITH_CODE, of.point(number).to_string(), None);
                    return ControlFlow::Break(());
                }
                pieces.push(CoveredLine {
                    start_line: point.start_line,
                    start_column: point.start_column,
                    end_line: point.end_line.max(point.start_line),
                    end_column: point.end_column,
                    of,
                    number,
                    offset: point.offset,
                });
            }
        }
        ControlFlow::Continue(())
    };
    match NativeView::of(session).is_none().then(|| methods_of_document(session, document, stop)).flatten() {
        Some(written) => {
            for (_, row) in written {
                let of = CodeUnit::Method(Token::new(TableId::METHOD_DEF, *row));
                if take(of, &code_unit::points(session, of)).is_break() {
                    break;
                }
            }
        }
        None => code_unit::each(session, &[document], &mut |of, points, _| take(of, points)),
    }
    DocumentLines::new(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breakpoint;

    fn piece(start_line: u32, end_line: u32, number: u32) -> CoveredLine {
        CoveredLine {
            start_line,
            start_column: 1,
            end_line,
            end_column: 9,
            of: CodeUnit::Function(1),
            number,
            offset: 0,
        }
    }

    #[test]
    fn a_line_knows_what_begins_on_it_and_what_it_is_in_the_middle_of() {
        let coverage = DocumentLines::new(vec![piece(7, 7, 3), piece(2, 20, 1), piece(5, 5, 2), piece(7, 9, 4)]);
        let numbers = |line| coverage.on(line, 10).iter().map(|piece| piece.number).collect::<Vec<_>>();
        assert!(numbers(1).is_empty());
        assert_eq!(numbers(2), [1]);
        assert_eq!(numbers(6), [1]);
        assert_eq!(numbers(7), [3, 4, 1]);
        assert_eq!(numbers(8), [4, 1]);
        assert_eq!(numbers(20), [1]);
        assert!(numbers(21).is_empty());
        assert!(coverage.beginning(6).is_empty());
    }

    #[test]
    fn the_lines_of_a_sample_are_those_of_its_points() {
        let session = Session::sample();
        let coverage = document_lines(&session, 1, &|| false);
        let lines = breakpoint::bind(&session, &crate::address::parse_line(&session, "Program.cs:13").unwrap());
        assert_eq!(coverage.beginning(13).len(), lines.hits.len());
        assert_eq!(coverage.beginning(13)[0].place(), lines.hits[0].place());
        assert_eq!(document_lines(&session, 99, &|| false), DocumentLines::default());
        // A stopped search returns the lines found so far, and caches none of them.
        let stopped = Session::sample();
        document_lines(&stopped, 1, &|| true);
        assert_eq!(document_lines(&stopped, 1, &|| false), coverage);
    }
}
