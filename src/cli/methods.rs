use std::ops::ControlFlow;

use super::command::{Example, example};
use super::export::{DocumentName, ListRows, Rows, Table};
use crate::nodes::{SequencePoint, TableId, Token, code_unit, method};
use crate::session::Session;

pub(super) type Methods = ListRows<MethodRows>;

#[derive(Debug)]
pub(super) struct MethodRows;

/// Sums over the points of a method.
#[derive(Default)]
struct Sums {
    points: u32,
    /// Document of the first point.
    document: u32,
    /// First and last line of the visible points in that document.
    lines: Option<(u32, u32)>,
}

impl Table for MethodRows {
    const EXAMPLES: &'static [Example] =
        &[example("List every method, with code size and points", "pdblens methods App.dll --jsonl")];
    const COLUMNS: &'static [&'static str] =
        &["token", "full_name", "code_size", "points", "document", "start_line", "end_line"];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        let (mut row, mut sums, mut document) = (1_u32, Sums::default(), DocumentName::default());
        if let Some(file) = session.symbol_file() {
            file.content.all_points(&mut |of, point| {
                // Methods come in their order, those without points between the others.
                while row < of.row() {
                    end(session, rows, &mut document, row, &std::mem::take(&mut sums))?;
                    row += 1;
                }
                match point {
                    Ok(point) => sums.add(&point),
                    Err(error) => {
                        rows.failed(&format_args!("points of {of}: {}", session.spaces().error_text(&error)));
                    }
                }
                ControlFlow::Continue(())
            })?;
        }
        (row..=session.methods()).try_for_each(|row| end(session, rows, &mut document, row, &std::mem::take(&mut sums)))
    }
}

impl Sums {
    fn add(&mut self, point: &SequencePoint) {
        self.points += 1;
        if self.points == 1 {
            self.document = point.document;
        }
        if !point.is_hidden() && point.document == self.document {
            let (first, last) = self.lines.unwrap_or((u32::MAX, 0));
            self.lines = Some((first.min(point.start_line), last.max(point.end_line)));
        }
    }
}

fn end(session: &Session, rows: &mut Rows<'_>, document: &mut DocumentName, row: u32, sums: &Sums) -> ControlFlow<()> {
    let (start, token) = (rows.row.mark(), Token::new(TableId::METHOD_DEF, row));
    let code_size = method::body(session, token).ok().flatten().map(|body| body.code_size);
    let row = &mut rows.row;
    row.token(token);
    row.text(code_unit::full_name(session, token.into()).as_deref());
    row.number(code_size);
    row.number(Some(sums.points));
    document.write(session, sums.document, row);
    row.number(sums.lines.map(|(first, _)| first));
    row.number(sums.lines.map(|(_, last)| last));
    rows.end(start)
}
