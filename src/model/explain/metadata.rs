//! Roots, streams, rows, and entries of heaps.

use crate::bytes::{Field, Slice};
use crate::formats::metadata::{ColumnKind, Heap, TableId, heaps, root, tables};
use crate::formats::portable::pdb_stream::PdbStream;
use crate::model::fields::{Fields, Meaning};
use crate::model::place::{MetadataPart, Side};
use crate::model::rows::Cell;
use crate::model::{Place, Session, blobs};

impl Session {
    pub(super) fn explain_metadata(&self, side: Side, part: MetadataPart) -> Option<Fields> {
        let metadata = self.metadata_of(side)?;
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
                        return Some(Meaning::to(self.method_name(method), Place::Method(method)));
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

    /// One row of a table, a field a column. A blob column is followed by what its blob says.
    pub(super) fn explain_row(&self, side: Side, id: TableId, row: u32) -> Option<Fields> {
        let table = self.metadata_of(side)?.table(id);
        let slice = self.slice_of(side, table.row_span(row).ok()?)?;
        let name = self.row_name(side, id, row);
        let title =
            if name.is_empty() { format!("{}/{row}", id.name()) } else { format!("{}/{row} · {name}", id.name()) };
        let fields = Fields::explain(
            title,
            slice,
            |cursor| table.explain(cursor),
            |_, field| {
                let column = id.column(field.name)?;
                let Cell { text, beside, to, .. } = self.cell(side, id, row, column);
                let beside = if matches!(table.columns().get(column)?.kind, ColumnKind::Row(_) | ColumnKind::Coded(_)) {
                    format!("{text}  {beside}").trim_end().to_owned()
                } else {
                    text
                };
                Some(Meaning { text: beside, to })
            },
        );
        Some(fields)
    }

    /// One entry of a heap: its length, its content, and what a column that leads to it says that it is.
    pub(super) fn explain_heap_entry(&self, side: Side, heap: Heap, offset: u32) -> Option<Fields> {
        let found = &self.metadata_of(side)?.heaps;
        let slice = self.slice_of(side, found.entry_span(heap, offset).ok()?)?;
        let title = Place::HeapEntry(side, heap, offset).to_string();
        match (heap, self.blob_user(side, heap, offset)) {
            (Heap::Blobs, Some((table, row, column))) => {
                let title =
                    format!("{title} · {}.{} of row {row}", table.name(), table.def()?.columns.get(column)?.name);
                let decode = |cursor: &mut _| blobs::explain(self, side, table, row, column, cursor);
                Some(Fields::explain(title, slice, decode, |_, field| {
                    blobs::meaning(self, side, (table, row, column), field)
                }))
            }
            _ => Some(Fields::explain(title, slice, |cursor| heaps::explain(cursor, heap), |_, _| None)),
        }
    }

    /// The first cell that leads to a blob.
    fn blob_user(&self, side: Side, heap: Heap, offset: u32) -> Option<(TableId, u32, usize)> {
        let metadata = self.metadata_of(side).filter(|_| heap == Heap::Blobs && offset > 0)?;
        for table in metadata.tables.present() {
            for (column, _) in table.columns().iter().enumerate().filter(|(_, c)| matches!(c.kind, ColumnKind::Blob)) {
                let cells = table.column(column);
                if let Some(row) = (1..=table.rows()).find(|row| cells.get(*row) == Some(offset)) {
                    return Some((table.id, row, column));
                }
            }
        }
        None
    }

    /// Bytes of the metadata of one side.
    pub(super) fn slice_of(&self, side: Side, span: crate::bytes::Span) -> Option<Slice<'_>> {
        self.metadata_of(side)?.root.region.slice().at(span).ok()
    }
}

/// The row counts of a tables header lead to the tables.
fn table_meaning(side: Side, field: &Field) -> Option<Meaning> {
    let table = TableId::named(field.name)?;
    Some(Meaning::to(format!("rows of table 0x{:02x}", table.0), Place::Table(side, table)))
}
