//! Metadata tables, and their rows.

pub mod attributes;
pub mod blobs;
pub(crate) mod cells;
pub mod context;
pub mod derived;
mod groups;
mod initial_value;
pub(crate) mod row;

pub use cells::*;
pub(crate) use row::explain_with_blobs;

use crate::facts::Facts;
use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::named::{self, NameList};
use crate::owner::{OwnerSearch, Turn};
use crate::place::{Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::metadata::schema::ColumnDef;
use pdblens_formats::metadata::{ColumnKind, Heap, Metadata, Table, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;
use pdblens_session::text::safe::utf8;

pub(crate) const TABLE: Kind<(Side, TableId)> = Kind {
    named: &[(named::Turn::Metadata, add_tables_and_heaps)],
    listed: |session| {
        // The heaps of a file follow its tables.
        let of_side = |(side, metadata): (Side, &Metadata)| {
            let tables: Vec<Place> = metadata.tables.present().map(|table| Place::Table(side, table.id)).collect();
            tables.into_iter().chain(Heap::ALL.map(|heap| Place::Heap(side, heap)))
        };
        Side::loaded(session).flat_map(of_side).collect()
    },
    parent: |_| Some(Place::Tables),
    // Symbols are what people open this program for: of two names that match alike, their table comes first.
    label: |(side, _)| Label::new("table", u8::from(side != Side::Pdb)),
    context: |session, (side, table)| {
        Some(count(side.metadata(session).map_or(0, |metadata| metadata.rows(table)), "row"))
    },
    exists: |session, (side, _)| side.metadata(session).is_some(),
    rows: |session, (side, table)| table_rows(session, side, table),
    row_of: |_, place, list| match place {
        Place::Row(side, table, row) if (side, table) == list => (row as usize).checked_sub(1),
        _ => None,
    },
    summary: |session, (side, table)| table_facts(session, side, table),
    bytes: |session, (side, table)| Some(side.metadata(session)?.table(table).span()),
    ..Kind::NEW
};

/// A row of a metadata table, counted from 1.
pub(crate) const ROW: Kind<(Side, TableId, u32)> = Kind {
    owners: &[(Turn::Records, row_with)],
    named: &[(named::Turn::TypeDefs, add_types), (named::Turn::Rows, add_rows)],
    label: |(_, table, _)| context::label_of(table),
    context: |session, (side, table, row)| {
        Some(context::owner_of(session, side, table, row).unwrap_or_else(|| format!("{}/{row}", table.name())))
    },
    exists: |session, (side, table, row)| {
        row > 0 && side.metadata(session).is_some_and(|metadata| row <= metadata.rows(table))
    },
    absence: |session, (side, table, row)| {
        let rows = side.metadata(session).map_or(0, |metadata| metadata.rows(table));
        Some(format!("there is no row {} in {}: it has {}", row, table.name(), count(rows, "row")))
    },
    fields: |session, (side, table, row)| row::explain_row(session, side, table, row),
    bytes: |session, (side, table, row)| side.metadata(session)?.table(table).row_span(row).ok(),
    ..Kind::NEW
};

fn row_with(search: &mut OwnerSearch<'_>) {
    let Some((side, metadata)) = Side::with(search.session, search.byte) else { return };
    let byte = search.byte;
    if let Some(table) = metadata.tables.present().find(|table| table.span().covers(byte)) {
        let from = byte.start - table.span().start;
        let row = from.checked_div(table.row_size().into()).unwrap_or_default() as u32 + 1;
        search.add(Place::Row(side, table.id, row), table.row_span(row).unwrap_or_default());
    }
}

pub(crate) fn table_facts(session: &Session, side: Side, id: TableId) -> Option<Fields> {
    let table = side.metadata(session)?.table(id);
    let mut facts = Facts::new(format!("{} · {}", id.name(), count(table.rows(), "row")));
    let numbered = facts.fact("table", format!("{:#04x}", id.0)).mean(format!("tokens {:#04x}000001 on", id.0));
    numbered.about = id.doc().about;
    facts.fact("rows", table.rows());
    facts.fact("row size", table.row_size()).mean(format!("{} bytes in all", table.span().len));
    facts.fact("order", if table.is_sorted() { "sorted by its key" } else { "unsorted" });
    facts.group("row layout");
    let mut offset = 0_u64;
    for (index, column) in table.columns().iter().enumerate() {
        let span = table.cell_span(1, index).unwrap_or_default();
        let row = facts.fact(column.name, span.len).at(span);
        row.about = column.doc.about;
        row.mean(format!("at {offset}  {}", holds(column.kind)));
        row.to = match column.kind {
            ColumnKind::String => Some(Place::Heap(side, Heap::Strings)),
            ColumnKind::Guid => Some(Place::Heap(side, Heap::Guids)),
            ColumnKind::Blob => Some(Place::Heap(side, Heap::Blobs)),
            ColumnKind::Row(to) | ColumnKind::List(to) => Some(Place::Table(side_of(session, side, to), to)),
            ColumnKind::Fixed(_) | ColumnKind::Coded(_) => None,
        };
        offset += span.len;
    }
    facts.fields.span = table.span();
    facts.done()
}

/// Content of the cells of a column.
pub(crate) fn holds(kind: ColumnKind) -> String {
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

pub(crate) fn table_rows(session: &Session, side: Side, id: TableId) -> Option<Rows<'_>> {
    let table = side.metadata(session)?.table(id);
    let numbers =
        |column: &ColumnDef| matches!(column.kind, ColumnKind::Fixed(_)) && !HEXADECIMAL.contains(&column.name);
    let columns = [Head::number("row"), Head::text("token")].into_iter();
    let columns = columns
        .chain(table.columns().iter().map(|column| Head { name: column.name, right: numbers(column) }))
        .collect();
    let title = format!("{} · {}", id.name(), count(table.rows(), "row"));
    Some(Rows::new(title, columns, table.rows() as usize, move |index| {
        table_row(session, side, table, index as u32 + 1)
    }))
}

pub(crate) fn table_row(session: &Session, side: Side, table: Table<'_>, row: u32) -> Row {
    let mut cells =
        vec![Cell::toned(row.to_string(), Tone::Dim), Cell::toned(Token::new(table.id, row).to_string(), Tone::Dim)];
    cells.extend((0..table.columns().len()).map(|column| cell(session, side, table.id, row, column)));
    Row { span: table.row_span(row).ok(), ..Row::at(Place::Row(side, table.id, row), cells) }
}

/// Columns that have names in them.
const NAMES: &[&str] = &["Name", "TypeName", "ImportName"];

/// Adds the tables of a file, and its heaps after them.
fn add_tables_and_heaps(session: &Session, list: &mut dyn NameList) -> Option<()> {
    for (side, metadata) in Side::loaded(session) {
        for table in metadata.tables.present() {
            list.add(Place::Table(side, table.id), table.id.name())?;
        }
        for heap in Heap::ALL.into_iter().filter(|heap| !metadata.heaps.get(*heap).is_empty()) {
            list.add(Place::Heap(side, heap), heap.stream())?;
        }
    }
    Some(())
}

fn add_types(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let (Some(names), Some(metadata)) = (session.names(), session.metadata()) else { return Some(()) };
    for row in 1..=metadata.rows(TableId::TYPE_DEF) {
        let place = Place::Row(Side::Image, TableId::TYPE_DEF, row);
        list.add(place, &names.type_name(Token::new(TableId::TYPE_DEF, row)))?;
    }
    Some(())
}

/// Adds the rows of all tables but those of methods and types, which come before.
fn add_rows(session: &Session, list: &mut dyn NameList) -> Option<()> {
    for (side, metadata) in Side::loaded(session) {
        for table in metadata.tables.present() {
            let string = |name: &&str| {
                let column = table.id.column(name)?;
                matches!(table.columns().get(column)?.kind, ColumnKind::String).then_some(column)
            };
            let Some(column) = NAMES.iter().find_map(string) else { continue };
            // Their names are those of methods and types.
            if side == Side::Image && matches!(table.id, TableId::METHOD_DEF | TableId::TYPE_DEF) {
                continue;
            }
            for row in 1..=table.rows() {
                let names = if side == Side::Image { session.names() } else { None };
                match (table.id, names) {
                    (TableId::FIELD, Some(names)) => names.write_field_name(row, list.text()),
                    (TableId::TYPE_REF, Some(names)) => {
                        list.text().push_str(&names.type_name(Token::new(TableId::TYPE_REF, row)));
                    }
                    _ => {
                        let name = metadata.string_cell(table.id, row, column);
                        list.text().push_str(&name.map(|name| utf8(name.data)).unwrap_or_default());
                    }
                }
                list.end(Place::Row(side, table.id, row))?;
            }
        }
    }
    Some(())
}
