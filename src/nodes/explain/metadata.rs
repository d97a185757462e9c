//! Roots, streams, rows, and entries of heaps.

use crate::bytes::{Field, Slice};
use crate::formats::metadata::{ColumnKind, Heap, TableId, heaps, root, tables};
use crate::formats::portable::pdb_stream::PdbStream;
use crate::nodes::explain::pe;
use crate::nodes::fields::{FieldRow, Fields, Meaning};
use crate::nodes::heap_refs;
use crate::nodes::place::{MetadataPart, Side};
use crate::nodes::rows::Cell;
use crate::nodes::table;
use crate::nodes::{Place, blobs};
use crate::session::Session;

pub(crate) fn explain_metadata(session: &Session, side: Side, part: MetadataPart) -> Option<Fields> {
    let metadata = side.metadata(session)?;
    let title = Place::Metadata(side, part).to_string();
    match part {
        MetadataPart::Root => {
            let slice = metadata.root.region.slice().at(metadata.root.span).ok()?;
            Some(Fields::explain(title, slice, |cursor| root::explain(cursor), |_, _| None))
        }
        MetadataPart::TablesHeader => {
            let stream = metadata.root.stream("#~").or_else(|| metadata.root.stream("#-"))?;
            let slice = stream.region.slice().at(metadata.tables.header).ok()?;
            Some(Fields::explain(
                title,
                slice,
                |cursor| tables::explain_header(cursor),
                |_, field| table_meaning(side, field),
            ))
        }
        MetadataPart::PdbStream => {
            let stream = metadata.root.stream("#Pdb")?;
            let decode = |cursor: &mut _| PdbStream::decode(cursor).map(drop);
            Some(Fields::explain(title, stream.region.slice(), decode, |_, field| {
                if field.name == "entry point" {
                    let method = crate::formats::metadata::Token(field.value.number()? as u32);
                    return Some(Meaning::to(session.method_name(method), Place::Method(method)));
                }
                None
            }))
        }
        MetadataPart::Stream(index) => {
            let stream = metadata.root.streams.get(index as usize)?;
            let slice = metadata.root.region.slice().at(stream.header).ok()?;
            let decode = |cursor: &mut _| root::explain_stream_header(cursor);
            Some(Fields::explain(format!("{title} · {}", stream.name), slice, decode, |_, _| None))
        }
        MetadataPart::Streams => None,
    }
}

/// One row of a table, a field a column. Custom debug information is followed by what its blob says.
pub(crate) fn explain_row(session: &Session, side: Side, id: TableId, row: u32) -> Option<Fields> {
    let table = side.metadata(session)?.table(id);
    let slice = slice_of(session, side, table.row_span(row).ok()?)?;
    let name = table::row_name(session, side, id, row);
    let title = if name.is_empty() { format!("{}/{row}", id.name()) } else { format!("{}/{row} · {name}", id.name()) };
    let mut fields = Fields::explain(
        title,
        slice,
        |cursor| table.explain(cursor),
        |_, field| {
            let column = id.column(field.name)?;
            let Cell { text, beside, to, .. } = table::cell(session, side, id, row, column);
            Some(match table.columns().get(column)?.kind {
                // A delta's tokens are those of the whole, which is not here; of bits and codes the lesson knows more.
                ColumnKind::Fixed(_) if field.name == "Token" => return None,
                ColumnKind::Fixed(_) => return pe::pe_meaning(session, id.name(), field),
                ColumnKind::Row(_) | ColumnKind::List(_) | ColumnKind::Coded(_) => {
                    Meaning { text: format!("{text}  {beside}").trim_end().to_owned(), to }
                }
                _ => Meaning { text, to },
            })
        },
    );
    if id == TableId::CUSTOM_DEBUG_INFORMATION {
        unfold_value(session, side, row, &mut fields);
    }
    Some(fields)
}

/// Adds what the blob of a row of custom debug information says, as the rest of the row.
fn unfold_value(session: &Session, side: Side, row: u32, fields: &mut Fields) {
    let id = TableId::CUSTOM_DEBUG_INFORMATION;
    let (Some(metadata), Some(column)) = (side.metadata(session), id.column("Value")) else { return };
    let offset = metadata.table(id).column(column).get(row).filter(|offset| *offset > 0);
    let span = offset.and_then(|offset| metadata.heaps.entry_span(Heap::Blobs, offset).ok());
    let Some(slice) = span.and_then(|span| slice_of(session, side, span)) else { return };
    let decode = |cursor: &mut _| blobs::explain(session, side, id, row, column, cursor);
    let meaning = |_: &str, field: &Field| blobs::meaning(session, side, (id, row, column), field);
    let value = Fields::explain("", slice, decode, meaning);
    let name = table::cell(session, side, id, row, id.column("Kind").unwrap_or_default()).text;
    let about = "What Value leads to in #Blob, decoded as Kind says.";
    fields.rows.push(FieldRow { name, span: value.span, group: true, about, ..FieldRow::default() });
    fields.rows.extend(value.rows.into_iter().map(|row| FieldRow { depth: row.depth + 1, ..row }));
    fields.error = fields.error.take().or(value.error);
}

/// One entry of a heap: its length, its content, and what a column that leads to it says that it is.
pub(crate) fn explain_heap_entry(session: &Session, side: Side, heap: Heap, offset: u32) -> Option<Fields> {
    let found = &side.metadata(session)?.heaps;
    let slice = slice_of(session, side, found.entry_span(heap, offset).ok()?)?;
    let title = Place::HeapEntry(side, heap, offset).to_string();
    let user = heap_refs::of_entry(session, side, heap, offset).first().filter(|_| heap == Heap::Blobs);
    let Some(user) = user else {
        return Some(Fields::explain(title, slice, |cursor| heaps::explain(cursor, heap), |_, _| None));
    };
    let (table, row, column) = (user.table, user.row, user.column as usize);
    let title = format!("{title} · {}.{} of row {row}", table.name(), table.def()?.columns.get(column)?.name);
    if user.nested {
        return Some(Fields::explain(title, slice, |cursor| blobs::explain_text(cursor), |_, _| None));
    }
    let decode = |cursor: &mut _| blobs::explain(session, side, table, row, column, cursor);
    Some(Fields::explain(title, slice, decode, |_, field| blobs::meaning(session, side, (table, row, column), field)))
}

/// Bytes of the metadata of one side.
pub(crate) fn slice_of(session: &Session, side: Side, span: crate::bytes::Span) -> Option<Slice<'_>> {
    side.metadata(session)?.root.region.slice().at(span).ok()
}

/// The row counts of a tables header lead to the tables.
fn table_meaning(side: Side, field: &Field) -> Option<Meaning> {
    let table = TableId::named(field.name)?;
    Some(Meaning::to(format!("rows of table 0x{:02x}", table.0), Place::Table(side, table)))
}
