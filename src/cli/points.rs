use std::ops::ControlFlow;

use super::command::{Example, Run, example};
use super::export::{DocumentName, Export, Rows, Table, write_range};
use super::output::Out;
use super::sandbox::Access;
use super::{Error, Exit};
use crate::nodes::code_unit;
use crate::session::Session;

/// `pdblens points FILE…`
#[derive(Debug, clap::Args)]
pub(super) struct Points {
    #[command(flatten)]
    export: Export,
}

pub(super) struct PointRows;

impl Run for Points {
    const EXAMPLES: &'static [Example] =
        &[example("List every sequence point of a folder", "pdblens points bin > points.tsv")];

    fn access(&self) -> Access {
        self.export.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        self.export.run::<PointRows>(out)
    }
}

impl Table for PointRows {
    const COLUMNS: &'static [&'static str] =
        &["token", "full_name", "il", "document", "hidden", "start_line", "start_column", "end_line", "end_column"];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        let Some(file) = session.symbol_file() else { return ControlFlow::Continue(()) };
        let (start, mut of_method, mut current) = (rows.mark(), rows.mark(), None);
        let mut document = DocumentName::default();
        file.content.all_points(&mut |method, point| {
            if current != Some(method) {
                current = Some(method);
                rows.row().back(start);
                rows.row().token(method);
                rows.row().text(code_unit::full_name(session, method.into()).as_deref());
                of_method = rows.mark();
            }
            match point {
                Ok(point) => {
                    let row = rows.row();
                    row.number(Some(point.offset));
                    document.write(session, point.document, row);
                    write_range(row, &point);
                    rows.end(of_method)
                }
                Err(error) => {
                    rows.failed(&format_args!("points of {method}: {}", session.spaces().error_text(&error)));
                    ControlFlow::Continue(())
                }
            }
        })
    }
}
