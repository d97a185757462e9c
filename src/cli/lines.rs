use std::ops::ControlFlow;

use super::command::{Example, Run, example};
use super::export::{DocumentName, Export, Rows, Table, write_range};
use super::output::Out;
use super::{Error, Exit};
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::function::NativeView;
use crate::session::Session;

/// `pdblens lines FILE…`
#[derive(Debug, clap::Args)]
pub(super) struct Lines {
    #[command(flatten)]
    export: Export,
}

struct LineRows;

impl Run for Lines {
    const EXAMPLES: &'static [Example] =
        &[example("List every line of native code", "pdblens lines Native.pdb --jsonl")];

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        self.export.run::<LineRows>(out)
    }
}

impl Table for LineRows {
    const COLUMNS: &'static [&'static str] = &[
        "address",
        "function",
        "offset",
        "document",
        "hidden",
        "start_line",
        "start_column",
        "end_line",
        "end_column",
    ];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        let Some(native) = NativeView::of(session) else { return ControlFlow::Continue(()) };
        let (start, mut document, mut flow) = (rows.mark(), DocumentName::default(), ControlFlow::Continue(()));
        native.each_named(&mut |function, name, lines| {
            rows.row().back(start);
            let address = native.rva_of(function).map(|rva| CodeUnit::Function(rva).to_string());
            rows.row().text(address.as_deref());
            rows.row().text(Some(name));
            let of_function = rows.mark();
            flow = lines.points.iter().try_for_each(|point| {
                let row = rows.row();
                row.number(Some(point.offset));
                document.write(session, point.document, row);
                write_range(row, point);
                rows.end(of_function)
            });
            if let Some(error) = &lines.error {
                rows.failed(&format_args!("lines of {name}: {}", session.spaces().error_text(error)));
            }
            flow
        });
        flow
    }
}
