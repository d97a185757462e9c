//! Columns that a table does not have, derived from other tables: the owner of a row, the lines of a method.

use crate::place::{Place, Side};
use crate::rows::{Cell, Data, Head, Rows, Tone};
use crate::table::blobs;
use crate::table::context::list_owner;
use crate::table::groups;
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_session::session::Session;

/// Columns of row number and token, after which the derived ones are.
const BEFORE: usize = 2;

#[must_use]
pub fn with_derived<'s>(session: &'s Session, side: Side, table: TableId, rows: Rows<'s>) -> Rows<'s> {
    let columns = columns(table);
    if columns.is_empty() {
        return rows;
    }
    let mut rows = rows.with(BEFORE, columns, move |index| cells(session, side, table, index as u32 + 1));
    rows.groups = groups::of(session, side, table, BEFORE);
    rows
}

fn columns(table: TableId) -> Vec<Head> {
    match table {
        TableId::METHOD_DEBUG_INFORMATION => Head::list(["method", "lines"]),
        TableId::LOCAL_SCOPE => Head::list(["IL, end exclusive"]),
        TableId::LOCAL_VARIABLE | TableId::LOCAL_CONSTANT | TableId::PARAM => Head::list(["method"]),
        TableId::METHOD_DEF | TableId::FIELD | TableId::PROPERTY | TableId::EVENT => Head::list(["type"]),
        _ => Vec::new(),
    }
}

fn cells(session: &Session, side: Side, table: TableId, row: u32) -> Vec<Cell> {
    let Some(metadata) = side.metadata(session) else { return Vec::new() };
    let owner = || owner(metadata, table, row).map_or_else(Cell::default, |owner| link(session, side, owner));
    match table {
        TableId::METHOD_DEBUG_INFORMATION => {
            let method = session.portable_pdb().map_or(row, |pdb| pdb.method_of_row(row));
            let method = Token::new(TableId::METHOD_DEF, method);
            vec![link(session, Side::Image, method), lines(session, metadata, row)]
        }
        TableId::LOCAL_SCOPE => {
            let value = |name| metadata.table(table).cell(row, table.column(name)?).ok();
            let range = value("StartOffset").zip(value("Length"));
            let cell = range.map(|(start, len)| Cell::il_range(start, u64::from(start) + u64::from(len)));
            vec![Cell { tone: Tone::Dim, ..cell.unwrap_or_default() }]
        }
        _ => vec![owner()],
    }
}

/// The row that has a row in one of its lists.
pub(super) fn owner(metadata: &Metadata, table: TableId, row: u32) -> Option<Token> {
    let found = |table, column| list_owner(metadata, table, column, row);
    let of_map = |map: TableId, column| metadata.table(map).cell(found(map, column)?, 0).ok();
    let of_scope = |column| of_map(TableId::LOCAL_SCOPE, column).map(|row| Token::new(TableId::METHOD_DEF, row));
    let of_type = |row| Token::new(TableId::TYPE_DEF, row);
    match table {
        TableId::LOCAL_VARIABLE => of_scope("VariableList"),
        TableId::LOCAL_CONSTANT => of_scope("ConstantList"),
        TableId::LOCAL_SCOPE => metadata.table(table).cell(row, 0).ok().map(|row| Token::new(TableId::METHOD_DEF, row)),
        TableId::PARAM => found(TableId::METHOD_DEF, "ParamList").map(|row| Token::new(TableId::METHOD_DEF, row)),
        TableId::METHOD_DEF => found(TableId::TYPE_DEF, "MethodList").map(of_type),
        TableId::FIELD => found(TableId::TYPE_DEF, "FieldList").map(of_type),
        TableId::PROPERTY => of_map(TableId::PROPERTY_MAP, "PropertyList").map(of_type),
        TableId::EVENT => of_map(TableId::EVENT_MAP, "EventList").map(of_type),
        _ => None,
    }
}

/// The name of a row without its namespace, leading to it; without names the token.
fn link(session: &Session, side: Side, token: Token) -> Cell {
    let side = if token.table().is_debug() { side } else { Side::Image };
    let text = session.names().map_or_else(|| token.to_string(), |names| names.brief().row(token));
    let cell = Cell::toned(text, Tone::Dim);
    if side.metadata(session).is_none() { cell } else { cell.to(Place::Row(side, token.table(), token.row())) }
}

/// First and last line of the points of a row of MethodDebugInformation.
fn lines(session: &Session, metadata: &Metadata, row: u32) -> Cell {
    let table = TableId::METHOD_DEBUG_INFORMATION;
    let (document, blob) = (metadata.table(table).cell(row, 0), metadata.blob_cell(table, row, 1));
    let range = blob.ok().and_then(|blob| blobs::points(session, blob, document.unwrap_or(0)).lines);
    let Some((first, last)) = range else { return Cell::default() };
    let text = if first == last { first.to_string() } else { format!("{first}–{last}") };
    Cell::toned(text, Tone::Dim).data(Data::Range(first.into(), last.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as nodes;

    #[test]
    fn owners_are_named_and_lead_to_their_rows() {
        let session = Session::sample();
        let derived = |side, table| {
            let rows = nodes::rows(&session, Place::Table(side, table)).unwrap();
            let before = rows.columns.len();
            let rows = with_derived(&session, side, table, rows);
            let names = rows.columns[BEFORE..rows.columns.len() - before + BEFORE].iter().map(|head| head.name);
            (names.collect::<Vec<_>>(), rows.get(1).unwrap().cells[BEFORE].clone())
        };
        let (names, cell) = derived(Side::Pdb, TableId::METHOD_DEBUG_INFORMATION);
        assert_eq!(names, ["method", "lines"]);
        assert_eq!(cell.to, Some(Place::Row(Side::Image, TableId::METHOD_DEF, 2)));
        assert!(cell.text.contains("Clock.") && !cell.text.contains("Ticker."), "{cell:?}");
        let (names, cell) = derived(Side::Image, TableId::METHOD_DEF);
        assert_eq!((names, cell.text.as_str()), (vec!["type"], "Clock"), "{cell:?}");
        assert!(matches!(cell.to, Some(Place::Row(Side::Image, TableId::TYPE_DEF, _))), "{cell:?}");
    }
}
