//! Fields of a row.

use crate::fields::{FieldRow, Fields, Meaning};
use crate::place::{Side, il_label};
use crate::rows::Cell;
use crate::table::{blobs, cells};
use crate::{metadata, pe};
use pdblens_formats::bytes::Field;
use pdblens_formats::metadata::{ColumnKind, Heap, TableId};
use pdblens_session::session::Session;

/// One row of a table, with a field for each column. The fields of a blob follow where the row is about it: the value of custom debug
/// information, the hash of a document.
pub(crate) fn explain_row(session: &Session, side: Side, id: TableId, row: u32) -> Option<Fields> {
    let mut fields = explain_columns(session, side, id, row)?;
    match (side, id) {
        (_, TableId::CUSTOM_DEBUG_INFORMATION) => unfold_value(session, side, row, &mut fields),
        (_, TableId::DOCUMENT) => unfold_blob(session, side, (id, row), DOCUMENT_HASH, &mut fields),
        (Side::Image, TableId::FIELD_RVA) => super::initial_value::unfold(session, row, &mut fields),
        _ => {}
    }
    Some(fields)
}

fn explain_columns(session: &Session, side: Side, id: TableId, row: u32) -> Option<Fields> {
    let table = side.metadata(session)?.table(id);
    let slice = metadata::slice_of(session, side, table.row_span(row).ok()?)?;
    let name = cells::row_name(session, side, id, row);
    let title = if name.is_empty() { format!("{}/{row}", id.name()) } else { format!("{}/{row} · {name}", id.name()) };
    Some(Fields::explain(
        title,
        slice,
        |cursor| table.explain(cursor),
        |_, field| {
            let column = id.column(field.name())?;
            let Cell { text, beside, to, .. } = cells::cell(session, side, id, row, column);
            Some(match table.columns().get(column)?.kind {
                // A delta's tokens are those of the whole, which is not here; of bits and codes the lesson knows more.
                ColumnKind::Fixed(_) if field.name() == "Token" => return None,
                ColumnKind::Fixed(_) if (id, field.name()) == (TableId::LOCAL_SCOPE, "Length") => {
                    let start = table.cell(row, id.column("StartOffset")?).ok()?;
                    let end = i64::from(start) + field.value.number()?;
                    return Some(Meaning::text(format!("→ ends before {} (end exclusive)", il_label(end))));
                }
                ColumnKind::Fixed(_) => return pe::pe_meaning(session, field),
                kind @ (ColumnKind::Row(_) | ColumnKind::List(_) | ColumnKind::Coded(_)) => {
                    let text = format!("{text}  {beside}").trim_end().to_owned();
                    let found = Meaning::to(text, to);
                    match (kind, field.value.number()) {
                        (ColumnKind::Coded(index), Some(value)) => found.coded(index, value as u32, field.span.len),
                        _ => found,
                    }
                }
                _ => Meaning::to(text, to),
            })
        },
    ))
}

/// Column of a hash, and the name of what it holds.
const DOCUMENT_HASH: (&str, &str) = ("Hash", "document hash");

/// Tables whose blobs are read with their rows when these are stepped through: columns, and names of what they hold.
const WITH_BLOBS: &[(TableId, &[(&str, &str)])] = &[
    (TableId::DOCUMENT, &[("Name", "document name"), DOCUMENT_HASH]),
    (TableId::LOCAL_CONSTANT, &[("Signature", "constant signature")]),
    (TableId::CUSTOM_ATTRIBUTE, &[("Value", "custom attribute value")]),
];

/// A row and the blobs that its cells refer to, in reading order; `None` if it has none.
pub(crate) fn explain_with_blobs(session: &Session, side: Side, id: TableId, row: u32) -> Option<Fields> {
    let (_, columns) = WITH_BLOBS.iter().find(|(table, _)| *table == id)?;
    let mut fields = explain_columns(session, side, id, row)?;
    columns.iter().for_each(|blob| unfold_blob(session, side, (id, row), *blob, &mut fields));
    Some(fields)
}

/// Adds the fields of the blob that a column of a row refers to, under a name.
fn unfold_blob(
    session: &Session,
    side: Side,
    (id, row): (TableId, u32),
    (column, name): (&str, &str),
    fields: &mut Fields,
) {
    let about = "The blob that the column refers to.";
    unfold(session, side, (id, row, column), (name.to_owned(), about), fields);
}

/// Adds the fields of the blob of a row of custom debug information, as the rest of the row.
pub(crate) fn unfold_value(session: &Session, side: Side, row: u32, fields: &mut Fields) {
    let id = TableId::CUSTOM_DEBUG_INFORMATION;
    let name = cells::cell(session, side, id, row, id.column("Kind").unwrap_or_default()).text;
    unfold(
        session,
        side,
        (id, row, "Value"),
        (name, "The blob that Value refers to, decoded according to Kind."),
        fields,
    );
}

/// Adds what the blob of a cell says under a name, with a sentence about it.
fn unfold(
    session: &Session,
    side: Side,
    (id, row, column): (TableId, u32, &str),
    (name, about): (String, &'static str),
    fields: &mut Fields,
) {
    let (Some(metadata), Some(column)) = (side.metadata(session), id.column(column)) else { return };
    let offset = metadata.table(id).column(column).get(row).filter(|offset| *offset > 0);
    let span = offset.and_then(|offset| metadata.heaps.entry_span(Heap::Blobs, offset).ok());
    let Some(slice) = span.and_then(|span| metadata::slice_of(session, side, span)) else { return };
    let decode = |cursor: &mut _| blobs::explain(session, side, id, row, column, cursor);
    let meaning = |_: &str, field: &Field| blobs::meaning(session, side, (id, row, column), field);
    let value = Fields::explain("", slice, decode, meaning);
    fields.rows.push(FieldRow { name, span: value.span, group: true, about, ..FieldRow::default() });
    fields.rows.extend(value.rows.into_iter().map(|row| FieldRow { depth: row.depth.saturating_add(1), ..row }));
    fields.error = fields.error.take().or(value.error);
}
