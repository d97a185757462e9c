//! The Rows pane: the rows of a table, a heap or another list, which fill the view.

use crate::panes::lists;
use crate::panes::pane::Pane;
use crate::panes::table_pane::{self, TableDef};
use pdblens_nodes::rows::Row;
use pdblens_nodes::table::derived;
use pdblens_nodes::tables;
use pdblens_nodes::{self as nodes, Heap, Place, Side};
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
    empty_text,
};

pub fn rows() -> Box<dyn Pane> {
    table_pane::new(&ROWS)
}

/// Index of the column with the tokens of a table.
const TOKEN: usize = 1;

/// Takes away the heap offsets beside names and blobs, which Fields has: names need the room.
fn without_heap_offsets(row: &mut Row) {
    let in_heap = |to| matches!(to, Some(Place::HeapEntry(_, Heap::Strings | Heap::Blobs, _)));
    row.cells.iter_mut().filter(|cell| in_heap(cell.to)).for_each(|cell| cell.beside.clear());
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
