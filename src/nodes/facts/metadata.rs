//! Tables, heaps and metadata as a whole.

use super::Facts;
use crate::formats::metadata::{ColumnKind, Heap, TableId};
use crate::model::lessons;
use crate::nodes;
use crate::nodes::Place;
use crate::nodes::fields::Fields;
use crate::nodes::heap_refs;
use crate::nodes::lazy_index::LazyIndex;
use crate::nodes::place::{MetadataPart, Side};
use crate::session::Session;
use crate::text::safe::count;

/// A table: how many rows, how large, and how each of them is laid out.
pub(crate) fn table_facts(session: &Session, side: Side, id: TableId) -> Option<Fields> {
    let table = side.metadata(session)?.table(id);
    let mut facts = Facts::new(format!("{} · {}", id.name(), count(table.rows(), "row")));
    let about = lessons::find_group("", id.name()).map_or("", |lesson| lesson.about);
    let numbered = facts.fact("table", format!("{:#04x}", id.0)).mean(format!("tokens {:#04x}000001 on", id.0));
    numbered.about = about;
    facts.fact("rows", table.rows());
    facts.fact("bytes of a row", table.row_size()).mean(format!("{} bytes in all", table.span().len));
    facts.fact("order", if table.is_sorted() { "sorted by its key" } else { "as written" });
    facts.group("a row");
    let mut offset = 0;
    for (index, column) in table.columns().iter().enumerate() {
        let span = table.cell_span(1, index).unwrap_or_default();
        let row = facts.fact(column.name, span.len).at(span).lesson(id.name(), column.name);
        row.mean(format!("at {offset}  {}", holds(column.kind)));
        row.to = match column.kind {
            ColumnKind::String => Some(Place::Heap(side, Heap::Strings)),
            ColumnKind::Guid => Some(Place::Heap(side, Heap::Guids)),
            ColumnKind::Blob => Some(Place::Heap(side, Heap::Blobs)),
            ColumnKind::Row(to) | ColumnKind::List(to) => Some(table_place(session, side, to)),
            ColumnKind::Fixed(_) | ColumnKind::Coded(_) => None,
        };
        offset += span.len;
    }
    facts.fields.span = table.span();
    facts.done()
}

/// Where the rows are that a column of `side` leads to.
fn table_place(session: &Session, side: Side, table: TableId) -> Place {
    let own = side.metadata(session).is_some_and(|metadata| metadata.rows(table) > 0);
    Place::Table(if own || table.is_debug() { side } else { Side::Image }, table)
}

/// A heap: its entries, and who leads into it.
pub(crate) fn heap_facts(session: &Session, side: Side, heap: Heap) -> Option<Fields> {
    let metadata = side.metadata(session)?;
    let span = metadata.heaps.get(heap).span();
    let mut facts = Facts::new(format!("{side}{}", heap.stream()));
    facts.bytes(session, span);
    if let Some(row) = facts.fields.rows.first_mut() {
        row.about = match heap {
            Heap::Strings => "Names, in UTF-8, each ended by a NUL.",
            Heap::UserStrings => "The literals of ldstr, in UTF-16, each behind its length.",
            Heap::Guids => "Sixteen bytes each, counted from 1.",
            Heap::Blobs => "Bytes behind their length; what they say, the column knows that leads to them.",
        };
    }
    if nodes::is_cached(session, LazyIndex::HeapEntries(side, heap)) {
        facts.fact("entries", heap_refs::entries(session, side, heap).len());
    }
    if heap != Heap::UserStrings {
        facts.group("columns that lead here");
    }
    for table in metadata.tables.present() {
        for (index, column) in table.columns().iter().enumerate().filter(|(_, column)| leads(column.kind, heap)) {
            let name = format!("{}.{}", table.id.name(), column.name);
            let row = facts.fact(name, table.rows()).to(Place::Table(side, table.id));
            row.mean(if table.rows() == 1 { "row" } else { "rows" }).lesson(table.id.name(), column.name);
            row.at(table.cell_span(1, index).unwrap_or_default());
        }
    }
    facts.done()
}

/// Metadata from its root to its end.
pub(crate) fn root_facts(session: &Session, side: Side) -> Option<Fields> {
    let root = &side.metadata(session)?.root;
    let mut facts = Facts::new(format!("{side}metadata"));
    facts.bytes(session, root.region.span());
    facts.fact("version", root.version.as_str()).to(Place::Metadata(side, MetadataPart::Root));
    facts.group(count(root.streams.len() as u64, "stream"));
    for (index, stream) in root.streams.iter().enumerate() {
        let place = Place::Metadata(side, MetadataPart::Stream(index as u16));
        let row = facts.fact(stream.name.as_str(), stream.size).at(stream.region.span()).to(place);
        row.mean(format!("bytes at {:#x}", stream.region.span().start));
    }
    facts.done()
}

/// The tables of both files.
pub(crate) fn tables_facts(session: &Session) -> Option<Fields> {
    let mut facts = Facts::new("tables");
    for (side, metadata) in Side::loaded(session) {
        let (mut tables, mut rows, mut bytes) = (0_u64, 0_u64, 0_u64);
        for table in metadata.tables.present() {
            (tables, rows, bytes) = (tables + 1, rows + u64::from(table.rows()), bytes + table.span().len);
        }
        let row = facts.fact(side.name(), tables).to(Place::Metadata(side, MetadataPart::TablesHeader));
        row.mean(format!("tables with {}, {}", count(rows, "row"), count(bytes, "byte")));
    }
    facts.done()
}

/// Whether cells of that kind lead into a heap.
const fn leads(kind: ColumnKind, heap: Heap) -> bool {
    matches!(
        (kind, heap),
        (ColumnKind::String, Heap::Strings) | (ColumnKind::Guid, Heap::Guids) | (ColumnKind::Blob, Heap::Blobs)
    )
}

/// What the cells of a column hold.
fn holds(kind: ColumnKind) -> String {
    match kind {
        ColumnKind::Fixed(_) => "number".to_owned(),
        ColumnKind::String => "in #Strings".to_owned(),
        ColumnKind::Guid => "number in #GUID".to_owned(),
        ColumnKind::Blob => "in #Blob".to_owned(),
        ColumnKind::Row(table) => format!("row of {}", table.name()),
        ColumnKind::List(table) => format!("first row of {}", table.name()),
        ColumnKind::Coded(coded) => format!("{}, a coded row", coded.name),
    }
}
