//! What the cells of metadata tables mean: names beside offsets, rows behind indexes, what a blob decodes to.
//!
//! Lists and explanations both ask [`Session::cell`], so that they cannot differ.

use super::place::{MdbTable, Side};
use super::rows::{Cell, Head, Row, Rows, Tone};
use super::{Place, blobs};
use crate::bytes::Result;
use crate::formats::metadata::schema::ColumnDef;
use crate::formats::metadata::{ColumnKind, Heap, Metadata, Table, TableId, Token};
use crate::nodes;
use crate::nodes::mdb;
use crate::nodes::pdb::PdbView;
use crate::session::Session;
use crate::text::guids;
use crate::text::safe::utf8;

/// Columns of numbers that are sets of bits, or addresses: they read better in hexadecimal.
const HEXADECIMAL: &[&str] = &[
    "Flags",
    "ImplFlags",
    "RVA",
    "EventFlags",
    "MappingFlags",
    "HashAlgId",
    "Semantics",
    "Token",
    "Attributes",
    "Offset",
];

/// What a Windows PDB holds, whatever stream it is in.
const MSF_TABLES: &[(&str, Place)] = &[
    ("modules", Place::Modules),
    ("functions", Place::Functions),
    ("types", Place::Types),
    ("ids", Place::Ids),
    ("public symbols", Place::Publics),
    ("global symbols", Place::Globals),
    ("sections", Place::SectionMap),
    ("section contributions", Place::Contributions),
    ("documents", Place::Documents),
    ("names", Place::Names),
];

/// What symbols that are not made of metadata hold as tables: what each is called, where it is, and how many rows it has.
/// Nothing is said of how many where that takes reading what was not read yet.
pub fn symbol_tables(session: &Session) -> Vec<(&'static str, Place, Option<usize>)> {
    let of_mono = MdbTable::ALL.into_iter().filter(|_| mdb::is_loaded(session));
    let of_windows = MSF_TABLES.iter().filter(|_| PdbView::of(session).is_some());
    let tables = of_mono.map(|table| (table.name(), Place::Mdb(table))).chain(of_windows.copied());
    let counted = tables.map(|(name, place)| {
        let known = nodes::required_index(session, place).is_none();
        (name, place, known.then(|| nodes::rows(session, place).map_or(0, |rows| rows.len)))
    });
    counted.filter(|(.., len)| *len != Some(0)).collect()
}

/// Every table that has rows, of both files.
pub(crate) fn tables_rows(session: &Session) -> Rows<'_> {
    let rows = Side::loaded(session).flat_map(|(side, metadata)| {
        metadata.tables.present().map(move |table| {
            let place = Place::Table(side, table.id);
            let bytes = table.span().len;
            Row::at(
                place,
                vec![
                    Cell::toned(if side == Side::Image { "image" } else { "pdb" }, Tone::Dim),
                    Cell::toned(format!("0x{:02x}", table.id.0), Tone::Dim),
                    Cell::new(table.id.name()).to(place),
                    Cell::new(table.rows().to_string()),
                    Cell::new(table.row_size().to_string()),
                    Cell::new(bytes.to_string()),
                    Cell::toned(if table.is_sorted() { "sorted" } else { "" }, Tone::Dim),
                ],
            )
            .from(table.span())
        })
    });
    let of_symbols = symbol_tables(session).into_iter().map(|(name, place, len)| {
        let len = len.or_else(|| nodes::rows(session, place).map(|rows| rows.len)).unwrap_or(0);
        let nothing = Cell::default;
        let cells = vec![
            Cell::toned("pdb", Tone::Dim),
            nothing(),
            Cell::new(name).to(place),
            Cell::new(len.to_string()),
            nothing(),
            nothing(),
            nothing(),
        ];
        Row::at(place, cells)
    });
    let rows = rows.chain(of_symbols);
    let columns = vec![
        Head::text("file"),
        Head::text("number"),
        Head::text("table"),
        Head::number("rows"),
        Head::number("row size"),
        Head::number("bytes"),
        Head::text("order"),
    ];
    Rows::of("tables", columns, rows.collect())
}

/// The rows of one table.
pub(crate) fn table_rows(session: &Session, side: Side, id: TableId) -> Option<Rows<'_>> {
    let table = side.metadata(session)?.table(id);
    let numbers =
        |column: &ColumnDef| matches!(column.kind, ColumnKind::Fixed(_)) && !HEXADECIMAL.contains(&column.name);
    let columns = [Head::number("row"), Head::text("token")].into_iter();
    let columns = columns
        .chain(table.columns().iter().map(|column| Head { name: column.name, right: numbers(column) }))
        .collect();
    let title = format!("{} · {}", id.name(), crate::text::safe::count(table.rows(), "row"));
    Some(Rows::new(title, columns, table.rows() as usize, move |index| {
        table_row(session, side, table, index as u32 + 1)
    }))
}

fn table_row(session: &Session, side: Side, table: Table<'_>, row: u32) -> Row {
    let mut cells =
        vec![Cell::toned(row.to_string(), Tone::Dim), Cell::toned(Token::new(table.id, row).to_string(), Tone::Dim)];
    cells.extend((0..table.columns().len()).map(|column| cell(session, side, table.id, row, column)));
    Row { span: table.row_span(row).ok(), ..Row::at(Place::Row(side, table.id, row), cells) }
}

/// What one cell holds, what that means, and where it leads.
pub fn cell(session: &Session, side: Side, id: TableId, row: u32, column: usize) -> Cell {
    let Some(metadata) = side.metadata(session) else { return Cell::default() };
    let table = metadata.table(id);
    let Some(def) = table.columns().get(column) else { return Cell::default() };
    match table.cell(row, column).and_then(|value| meaning(session, side, metadata, id, row, column, def, value)) {
        Ok(cell) => cell,
        Err(error) => Cell::toned(format!("({error})"), Tone::Bad),
    }
}

#[allow(clippy::too_many_arguments)]
fn meaning(
    session: &Session,
    side: Side,
    metadata: &Metadata,
    id: TableId,
    row: u32,
    column: usize,
    def: &ColumnDef,
    value: u32,
) -> Result<Cell> {
    Ok(match def.kind {
        ColumnKind::Fixed(_) if HEXADECIMAL.contains(&def.name) => Cell::new(format!("{value:#x}")),
        ColumnKind::Fixed(_) => Cell::new(value.to_string()),
        ColumnKind::String => {
            let text = utf8(metadata.heaps.string(value)?.data).into_owned();
            Cell::new(text).beside(format!("{value:#x}")).to(Place::HeapEntry(side, Heap::Strings, value))
        }
        ColumnKind::Guid => match metadata.heaps.guid(value)? {
            None => Cell::toned("nil", Tone::Dim),
            Some(guid) => {
                let to = Place::HeapEntry(side, Heap::Guids, value);
                match guids::name(guid).or_else(|| blobs::kind_name(guid)) {
                    Some(name) => Cell::new(name).beside(guid.to_string()).to(to),
                    None => Cell::new(guid.to_string()).to(to),
                }
            }
        },
        ColumnKind::Blob if value == 0 => Cell::toned("nil", Tone::Dim),
        ColumnKind::Blob => {
            let blob = metadata.heaps.blob(value)?;
            let bytes = crate::text::safe::count(blob.len(), "byte");
            let said = blobs::summary(session, side, id, row, column, blob);
            let cell = if said.is_empty() { Cell::new(bytes.clone()) } else { Cell::new(said) };
            cell.beside(format!("{value:#x}")).to(Place::HeapEntry(side, Heap::Blobs, value))
        }
        ColumnKind::Row(target) => row_cell(session, side, target, value),
        ColumnKind::List(target) => list_cell(session, side, target, metadata.list(id, row, column, target)),
        ColumnKind::Coded(index) => match index.decode(value) {
            Some((target, row)) => row_cell(session, side, target, row),
            None => Cell::toned(format!("{value:#x} chooses no table"), Tone::Bad),
        },
    })
}

/// A cell that leads to a row: its path, and what it is called.
fn row_cell(session: &Session, from: Side, table: TableId, row: u32) -> Cell {
    if row == 0 {
        return Cell::toned("nil", Tone::Dim);
    }
    let side = side_of(session, from, table);
    let cell = Cell::new(format!("{}/{row}", table.name())).to(Place::Row(side, table, row));
    cell.beside(row_name(session, side, table, row))
}

/// A cell that leads to the rows of a list: none, one by its name, or the first and the last of several.
fn list_cell(session: &Session, side: Side, table: TableId, rows: std::ops::Range<u32>) -> Cell {
    match rows.len() as u32 {
        0 => Cell::toned("none", Tone::Dim),
        1 => row_cell(session, side, table, rows.start),
        several => {
            let text = format!("{}/{}..{}", table.name(), rows.start, rows.end - 1);
            Cell::new(text).beside(crate::text::safe::count(several, "row")).to(Place::Row(side, table, rows.start))
        }
    }
}

/// The file in which a table's rows are, for an index read in a file of side `from`.
fn side_of(session: &Session, from: Side, table: TableId) -> Side {
    let own = from.metadata(session).is_some_and(|metadata| metadata.rows(table) > 0);
    match (own, table.is_debug()) {
        (true, _) => from,
        (false, true) => Side::Pdb,
        (false, false) => Side::Image,
    }
}

/// What a row is called: empty where it has no name.
pub fn row_name(session: &Session, side: Side, table: TableId, row: u32) -> String {
    let Some(metadata) = side.metadata(session).filter(|metadata| row > 0 && row <= metadata.rows(table)) else {
        return String::new();
    };
    match (side, table) {
        (_, TableId::DOCUMENT) => {
            crate::symbols::document_name(metadata, row).map(|name| crate::text::paths::file_name(&name).to_owned()).unwrap_or_default()
        }
        (_, TableId::METHOD_DEBUG_INFORMATION) => {
            session.names().map(|names| names.method(Token::new(TableId::METHOD_DEF, row))).unwrap_or_default()
        }
        (Side::Image, _) => session.names().map(|names| names.row(Token::new(table, row))).unwrap_or_default(),
        (Side::Pdb, _) => table
            .column("Name")
            .filter(|column| matches!(table.def().map(|def| def.columns), Some(c) if matches!(c.get(*column).map(|c| c.kind), Some(ColumnKind::String))))
            .and_then(|column| metadata.string_cell(table, row, column).ok())
            .map(|name| utf8(name.data).into_owned())
            .unwrap_or_default(),
    }
}
