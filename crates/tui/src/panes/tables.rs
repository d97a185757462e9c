//! The Rows pane: the rows of a table, a heap or another list, which fill the view; and the Used by pane.

use crate::panes::lists;
use crate::panes::pane::Pane;
use crate::panes::table_pane::{self, LateColumn, TableDef};
use crate::ui::text::without_namespaces;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::table::derived;
use pdblens_nodes::tables;
use pdblens_nodes::{self as nodes, FunctionPart, Heap, MethodPart, Place, Side, used_by};
use pdblens_query::statement;
use pdblens_session::session::Session;

static ROWS: TableDef = TableDef {
    list: |_, place| lists::list_of(place),
    inside: |_, place| match place {
        Place::Module(_) | Place::Type(_) | Place::TypeLayout(_) | Place::Id(_) => Some(place),
        _ => lists::list_of(place),
    },
    rows: |session, place| {
        let rows = nodes::partial_rows(session, place).or_else(|| lists::field_rows(session, place))?;
        Some(match place {
            Place::Table(side, table) => {
                let mut rows = derived::with_derived(session, side, table, rows).changed(without_heap_offsets);
                // It says the same as the number of the row.
                rows.hidden.push(TOKEN);
                rows
            }
            _ => rows,
        })
    },
    late: None,
    index: nodes::required_index,
    tree: None,
    is_asked_for: false,
    empty_text,
};

/// Index of the column with the tokens of a table.
const TOKEN: usize = 1;
/// Index of the column with statements: before the document, whose path gets the room that they leave.
const STATEMENT: usize = 4;

static USED_BY: TableDef = TableDef {
    list: |_, place| Some(place),
    inside: |_, _| None,
    rows: |session, place| {
        let rows = used_by::rows(session, place)?;
        let brief =
            |row: &mut Row| row.cells.iter_mut().take(1).for_each(|cell| cell.text = without_scopes(&cell.text));
        Some(rows.with(STATEMENT, vec![Head::text("statement from IL")], |_| vec![Cell::default()]).changed(brief))
    },
    late: Some(LateColumn { column: STATEMENT, cell: statement_of }),
    index: used_by::required_index,
    tree: Some(used_by::callers),
    is_asked_for: true,
    empty_text: |_| {
        "no list yet: select a method, a type, a field or a row in another view, then open this one".to_owned()
    },
};

/// Statement at the code of a user, from IL; `≈` before a text that is not as wide as its span.
fn statement_of(session: &Session, user: Place) -> Cell {
    let (Place::MethodPart(_, MethodPart::Instruction(offset)) | Place::FunctionPart(_, FunctionPart::CodeAt(offset))) =
        user
    else {
        return Cell::default();
    };
    let point = user.code_unit().and_then(|unit| Some((unit, used_by::visible_point(session, unit, offset)?.0)));
    let found = point.and_then(|(unit, index)| statement::kept(session, unit).get(index)?.clone());
    let Some(found) = found else { return Cell::default() };
    let doubt = if found.is_doubtful() { "≈ " } else { "" };
    Cell::toned(format!("{doubt}{}", found.text), if found.whole { Tone::Text } else { Tone::Dim })
}

/// Takes away the heap offsets beside names and blobs, which Fields has: names need the room.
fn without_heap_offsets(row: &mut Row) {
    let in_heap = |to| matches!(to, Some(Place::HeapEntry(_, Heap::Strings | Heap::Blobs, _)));
    row.cells.iter_mut().filter(|cell| in_heap(cell.to)).for_each(|cell| cell.beside.clear());
}

/// The name of a user without namespaces: of a method with its type.
fn without_scopes(name: &str) -> String {
    let head = name.find(['(', ' ']).unwrap_or(name.len());
    let (path, rest) = name.split_at(head);
    // The type of a member is before its last dot; a constructor has a dot of its own.
    let member = path.rfind('.').map(|dot| if path[..dot].ends_with('.') { dot - 1 } else { dot });
    let start = member.and_then(|dot| path[..dot].rfind(['.', '/'])).map_or(0, |dot| dot + 1);
    if rest.starts_with(' ') { name.to_owned() } else { format!("{}{}", &path[start..], without_namespaces(rest)) }
}

pub fn rows() -> Box<dyn Pane> {
    table_pane::new(&ROWS)
}

pub fn used_by() -> Box<dyn Pane> {
    table_pane::new(&USED_BY)
}

/// Returns whether the Rows pane owns a place: the row of a list, or a type of native code.
pub const fn is_in_list(place: Place) -> bool {
    lists::is_row(place) || matches!(place, Place::Type(_) | Place::TypeLayout(_) | Place::Id(_))
}

/// The home of the Tables view: the first row of the documents, else of the first table.
pub fn home(session: &Session) -> Place {
    let list = first_list(session);
    nodes::partial_rows(session, list).and_then(|rows| rows.get(0)?.place).unwrap_or(list)
}

fn first_list(session: &Session) -> Place {
    let document = Side::Pdb.metadata(session).filter(|metadata| metadata.rows(nodes::TableId::DOCUMENT) > 0);
    let mut tables = Side::loaded(session)
        .flat_map(|(side, metadata)| metadata.tables.present().map(move |table| Place::Table(side, table.id)));
    match document {
        Some(_) => Place::Table(Side::Pdb, nodes::TableId::DOCUMENT),
        None => {
            let of_symbols = tables::symbol_tables(session).first().map(|(_, place, _)| *place);
            of_symbols.or_else(|| tables.next()).unwrap_or(Place::Tables)
        }
    }
}

fn empty_text(session: &Session) -> String {
    let what = match (session.image(), session.symbol_file()) {
        (None, None) => "no file is open",
        (Some(_), None) => "a native image has no metadata; open its PDB for functions, types and symbols",
        (None, Some(_)) => "only the header of this symbol format is read; open the DLL for its tables",
        (Some(_), Some(_)) => "a native image has no metadata, and only the header of this symbol format is read",
    };
    what.to_owned()
}
