use crate::place::{Place, Side};
use crate::rows::{Cell, Tone};
use crate::table::blobs;
use pdblens_formats::bytes::Result;
use pdblens_formats::metadata::schema::ColumnDef;
use pdblens_formats::metadata::{ColumnKind, Heap, Metadata, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::guids;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::utf8;

/// Columns of numbers that are sets of bits, or addresses: they read better in hexadecimal.
pub(crate) const HEXADECIMAL: &[&str] = &[
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

const MAX_NAMES: usize = 3;

/// Content of a cell, its meaning, and the place that it leads to.
pub fn cell(session: &Session, side: Side, id: TableId, row: u32, column: usize) -> Cell {
    let Some(metadata) = side.metadata(session) else { return Cell::default() };
    let Some(def) = metadata.table(id).columns().get(column) else { return Cell::default() };
    meaning(session, side, metadata, (id, row, column), def)
        .unwrap_or_else(|error| Cell::broken(session.spaces(), &error))
}

fn meaning(
    session: &Session,
    side: Side,
    metadata: &Metadata,
    (id, row, column): (TableId, u32, usize),
    def: &ColumnDef,
) -> Result<Cell> {
    let value = metadata.table(id).cell(row, column)?;
    Ok(match def.kind {
        ColumnKind::Fixed(_) if id == TableId::MANIFEST_RESOURCE && def.name == "Offset" && side == Side::Image => {
            Cell::new(format!("{value:#x}")).to(Place::ManifestResource(row))
        }
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
            let said = blobs::summary(session, side, id, row, column, blob);
            let cell = if said.is_empty() { Cell::count(blob.len(), "byte") } else { Cell::new(said) };
            cell.beside(format!("{value:#x}")).to(Place::HeapEntry(side, Heap::Blobs, value))
        }
        ColumnKind::Row(target) => row_cell(session, side, target, value),
        ColumnKind::List(target) => list_cell(session, side, target, metadata.list(id, row, column, target)),
        ColumnKind::Coded(index) => match index.decode(value) {
            Some((target, row)) => row_cell(session, side, target, row),
            None => Cell::toned(format!("{value:#x} selects no table"), Tone::Bad),
        },
    })
}

/// A cell that refers to a row: its path and its name.
pub(crate) fn row_cell(session: &Session, from: Side, table: TableId, row: u32) -> Cell {
    if row == 0 {
        return Cell::toned("nil", Tone::Dim);
    }
    let side = side_of(session, from, table);
    let cell = Cell::new(format!("{}/{row}", table.name())).to(Place::Row(side, table, row));
    cell.beside(row_name(session, side, table, row))
}

/// A cell that leads to the rows of a list: none, one by its name, or the first and the last of several.
pub(crate) fn list_cell(session: &Session, side: Side, table: TableId, rows: std::ops::Range<u32>) -> Cell {
    match rows.len() as u32 {
        0 => Cell::toned("none", Tone::Dim),
        1 => row_cell(session, side, table, rows.start),
        several => {
            let text = format!("{}/{}..{}", table.name(), rows.start, rows.end.saturating_sub(1));
            let names: Vec<String> =
                rows.clone().take(MAX_NAMES).map(|row| list_name(session, side, table, row)).collect();
            let more = if several as usize > MAX_NAMES { ", …" } else { "" };
            let beside = if names.iter().any(String::is_empty) {
                pdblens_session::text::safe::count(several, "row")
            } else {
                format!("{}{more}", names.join(", "))
            };
            Cell::new(text).beside(beside).to(Place::Row(side, table, rows.start))
        }
    }
}

/// Short name of a row of a list, whose owner is known: its own name only.
fn list_name(session: &Session, side: Side, table: TableId, row: u32) -> String {
    let own = || {
        let (metadata, column) = (side.metadata(session)?, table.column("Name")?);
        Some(utf8(metadata.string_cell(table, row, column).ok()?.data).into_owned())
    };
    own().unwrap_or_else(|| row_name(session, side, table, row))
}

/// The file in which a table's rows are, for an index read in a file of side `from`.
pub(crate) fn side_of(session: &Session, from: Side, table: TableId) -> Side {
    let own = from.metadata(session).is_some_and(|metadata| metadata.rows(table) > 0);
    match (own, table.is_debug()) {
        (true, _) => from,
        (false, true) => Side::Pdb,
        (false, false) => Side::Image,
    }
}

/// Name of a row; empty if it has none.
pub fn row_name(session: &Session, side: Side, table: TableId, row: u32) -> String {
    let Some(metadata) = side.metadata(session).filter(|metadata| row > 0 && row <= metadata.rows(table)) else {
        return String::new();
    };
    match (side, table) {
        (_, TableId::DOCUMENT) => {
            let path = pdblens_session::symbols::document_name(metadata, row).unwrap_or_default();
            file_name(&path).to_owned()
        }
        (_, TableId::METHOD_DEBUG_INFORMATION) => {
            let row = session.portable_pdb().map_or(row, |pdb| pdb.method_of_row(row));
            session.names().map(|names| names.method(Token::new(TableId::METHOD_DEF, row))).unwrap_or_default()
        }
        (_, TableId::LOCAL_SCOPE) => {
            let method = metadata.table(table).cell(row, 0).unwrap_or(0);
            session.names().map(|names| names.method(Token::new(TableId::METHOD_DEF, method))).unwrap_or_default()
        }
        (_, TableId::IMPORT_SCOPE) => blobs::import_summary(session, row),
        (Side::Image, _) => session.names().map(|names| names.row(Token::new(table, row))).unwrap_or_default(),
        (Side::Pdb, _) => {
            let name = || {
                let column = table.column("Name")?;
                let is_text = matches!(table.def()?.columns.get(column)?.kind, ColumnKind::String);
                if is_text { metadata.string_cell(table, row, column).ok() } else { None }
            };
            name().map_or_else(String::new, |name| utf8(name.data).into_owned())
        }
    }
}
