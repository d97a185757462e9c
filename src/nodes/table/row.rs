//! Fields of a row.

use crate::bytes::Field;
use crate::formats::metadata::{ColumnKind, Heap, TableId};
use crate::nodes::fields::{FieldRow, Fields, Meaning};
use crate::nodes::rows::Cell;
use crate::nodes::table::blobs;
use crate::nodes::table::cells;
use crate::nodes::{Side, metadata, pe};
use crate::session::Session;

/// One row of a table, a field a column. Custom debug information is followed by what its blob says.
pub(crate) fn explain_row(session: &Session, side: Side, id: TableId, row: u32) -> Option<Fields> {
    let table = side.metadata(session)?.table(id);
    let slice = metadata::slice_of(session, side, table.row_span(row).ok()?)?;
    let name = cells::row_name(session, side, id, row);
    let title = if name.is_empty() { format!("{}/{row}", id.name()) } else { format!("{}/{row} · {name}", id.name()) };
    let mut fields = Fields::explain(
        title,
        slice,
        |cursor| table.explain(cursor),
        |_, field| {
            let column = id.column(field.name())?;
            let Cell { text, beside, to, .. } = cells::cell(session, side, id, row, column);
            Some(match table.columns().get(column)?.kind {
                // A delta's tokens are those of the whole, which is not here; of bits and codes the lesson knows more.
                ColumnKind::Fixed(_) if field.name() == "Token" => return None,
                ColumnKind::Fixed(_) => return pe::pe_meaning(session, id.name(), field),
                kind @ (ColumnKind::Row(_) | ColumnKind::List(_) | ColumnKind::Coded(_)) => {
                    let text = format!("{text}  {beside}").trim_end().to_owned();
                    let found = Meaning { text, to, ..Meaning::default() };
                    match (kind, field.value.number()) {
                        (ColumnKind::Coded(index), Some(value)) => found.coded(index, value as u32, field.span.len),
                        _ => found,
                    }
                }
                _ => Meaning { text, to, ..Meaning::default() },
            })
        },
    );
    if id == TableId::CUSTOM_DEBUG_INFORMATION {
        unfold_value(session, side, row, &mut fields);
    }
    Some(fields)
}

/// Adds what the blob of a row of custom debug information says, as the rest of the row.
pub(crate) fn unfold_value(session: &Session, side: Side, row: u32, fields: &mut Fields) {
    let id = TableId::CUSTOM_DEBUG_INFORMATION;
    let (Some(metadata), Some(column)) = (side.metadata(session), id.column("Value")) else { return };
    let offset = metadata.table(id).column(column).get(row).filter(|offset| *offset > 0);
    let span = offset.and_then(|offset| metadata.heaps.entry_span(Heap::Blobs, offset).ok());
    let Some(slice) = span.and_then(|span| metadata::slice_of(session, side, span)) else { return };
    let decode = |cursor: &mut _| blobs::explain(session, side, id, row, column, cursor);
    let meaning = |_: &str, field: &Field| blobs::meaning(session, side, (id, row, column), field);
    let value = Fields::explain("", slice, decode, meaning);
    let name = cells::cell(session, side, id, row, id.column("Kind").unwrap_or_default()).text;
    let about = "What Value leads to in #Blob, decoded as Kind says.";
    fields.rows.push(FieldRow { name, span: value.span, group: true, about, ..FieldRow::default() });
    fields.rows.extend(value.rows.into_iter().map(|row| FieldRow { depth: row.depth + 1, ..row }));
    fields.error = fields.error.take().or(value.error);
}
