use std::ops::ControlFlow;

use super::command::{Example, example};
use super::export::{DocumentName, ListRows, Rows, Table, write_range};
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::function::NativeView;
use crate::session::Session;

pub(super) type Lines = ListRows<LineRows>;

#[derive(Debug)]
pub(super) struct LineRows;

impl Table for LineRows {
    const EXAMPLES: &'static [Example] =
        &[example("List every line of native code", "pdblens lines Native.pdb --jsonl")];
    const COLUMNS: &'static [&'static str] =
        &["address", "name", "offset", "document", "hidden", "start_line", "start_column", "end_line", "end_column"];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        let Some(native) = NativeView::of(session) else { return ControlFlow::Continue(()) };
        let (start, mut document) = (rows.row.mark(), DocumentName::default());
        native.each_module_line(&mut |line| {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    rows.failed(&session.spaces().error_text(error));
                    return ControlFlow::Continue(());
                }
            };
            let address = line.rva.map(|rva| CodeUnit::Function(rva).to_string());
            let row = &mut rows.row;
            row.text(address.as_deref());
            row.text(line.function.map(|(name, _)| name));
            row.number(line.function.map(|(_, offset)| offset));
            document.write(session, line.point.document, row);
            write_range(row, &line.point);
            rows.end(start)
        })
    }
}
