//! The Tables and Rows panes: tables and heaps of both files, and the rows of the selected one. Symbols outside of
//! metadata have tables too: modules, functions and types of a native PDB, sources and methods of an `.mdb`.

use crate::engine::action::Action;
use crate::panes::pane::Pane;
use crate::panes::table_pane::{self, LateColumn, TableDef};
use crate::panes::tree_def::{Refinement, TreeDef};
use crate::panes::{lists, tree_pane};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::table::derived;
use pdblens_nodes::tables;
use pdblens_nodes::{self as nodes, FunctionPart, Heap, MetadataPart, MethodPart, Place, Side, used_by};
use pdblens_query::statement;
use pdblens_session::session::Session;

static TABLES: TreeDef = TreeDef {
    name: "Tables",
    columns: &[Head::text(""), Head::number("")],
    exported: &[Head::text("table"), Head::number("rows")],
    folds: true,
    flush: true,
    rows: |session, _| tables(session),
    on_enter: |session, place| match place {
        Place::Table(..) | Place::Heap(..) => Some(Effect::Go(nodes::rows(session, place)?.get(0)?.place?.into())),
        place if lists::is_list(place) => Some(Effect::Dispatch(Action::NextPane)),
        _ => None,
    },
    on_heading: open_generation,
    empty_text,
    refinement: Some(Refinement {
        label: "counting the symbols",
        slot: "table lengths",
        rows: |session, _, _, _| {
            lists::read_symbol_tables(session);
            Some(tables(session))
        },
    }),
    sort: Some(1),
    ..TreeDef::USUAL
};

static ROWS: TableDef = TableDef {
    list: |_, place| list_of(place),
    inside: |_, place| match place {
        Place::Module(_) | Place::Type(_) | Place::TypeLayout(_) | Place::Id(_) => Some(place),
        _ => list_of(place),
    },
    rows: |session, place| {
        let rows = nodes::partial_rows(session, place).or_else(|| lists::field_rows(session, place))?;
        Some(match place {
            Place::Table(side, table) => {
                derived::with_derived(session, side, table, rows).changed(without_heap_offsets)
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

/// Index of the column with statements: before the document, whose path gets the room that they leave.
const STATEMENT: usize = 4;

static USED_BY: TableDef = TableDef {
    list: |_, place| Some(place),
    inside: |_, _| None,
    rows: |session, place| {
        let rows = used_by::rows(session, place)?;
        Some(rows.with(STATEMENT, vec![Head::text("statement from IL")], |_| vec![Cell::default()]))
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

pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&TABLES)
}

pub fn rows() -> Box<dyn Pane> {
    table_pane::new(&ROWS)
}

pub fn used_by() -> Box<dyn Pane> {
    table_pane::new(&USED_BY)
}

pub const fn shows(place: Place) -> bool {
    let of_metadata = matches!(place, Place::Tables | Place::Table(..) | Place::Heaps | Place::Heap(..));
    // Functions and documents have their own views.
    let of_symbols = lists::is_list(place) && !matches!(place, Place::Functions | Place::Documents);
    let inside = matches!(place, Place::Module(_) | Place::Type(_) | Place::TypeLayout(_) | Place::Id(_));
    of_metadata || of_symbols || inside || lists::is_row(place)
}

/// Returns whether the Rows pane owns a place: the row of a list, or a type of native code.
pub const fn is_in_list(place: Place) -> bool {
    lists::is_row(place) || matches!(place, Place::Type(_) | Place::TypeLayout(_) | Place::Id(_))
}

/// Returns whether a place is one of the lists of native types, or in one.
pub const fn is_of_types(place: Place) -> bool {
    matches!(place, Place::Types | Place::Type(_) | Place::TypeLayout(_) | Place::Ids | Place::Id(_))
}

/// The home of the Tables view: the documents, else the first table.
pub fn home(session: &Session) -> Place {
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

/// Title of a PDB that has hot-reload deltas, or is one.
fn pdb_title(session: &Session, name: &str) -> String {
    match session.portable_pdb() {
        Some(pdb) if pdb.is_delta() => format!("{name}, a delta"),
        Some(pdb) if !pdb.generations().is_empty() => format!("{name}, the base"),
        _ => name.to_owned(),
    }
}

fn delta_title(name: &str, number: usize) -> String {
    format!("{name}, delta {number}")
}

/// Rows of the hot-reload deltas that are open with their base: its tables are those that are listed.
fn generations(session: &Session) -> Vec<Row> {
    let deltas = session.portable_pdb().map_or(&[][..], |pdb| pdb.generations());
    let rows = (1..).zip(deltas).map(|(number, delta)| {
        let rows: u32 = delta.pdb.metadata.tables.present().map(|table| table.rows()).sum();
        let name = Cell::toned(delta_title(&delta.name, number), Tone::Strong).beside("Enter opens it");
        Row::plain(vec![name, Cell::toned(rows.to_string(), Tone::Dim)])
    });
    rows.collect()
}

/// Opens the delta of a heading by itself, so that its tables are those of that generation.
fn open_generation(session: &Session, rows: &[Row], row: usize) -> Option<Effect> {
    let name = &rows.get(row)?.cells.first()?.text;
    let deltas = (1..).zip(session.portable_pdb()?.generations());
    let path = deltas.into_iter().find(|(number, delta)| delta_title(&delta.name, *number) == *name)?.1.path.clone();
    Some(Effect::Start(Job::new(format!("opening {name}"), "open file", move |_| {
        Msg::FileOpened(Session::open(std::slice::from_ref(&path)))
    })))
}

fn list_of(place: Place) -> Option<Place> {
    match place {
        Place::Table(..) | Place::Heap(..) | Place::TypeLayout(_) => Some(place),
        place if lists::is_row(place) => place.parent(),
        Place::Module(_) | Place::Type(_) | Place::Id(_) => place.parent(),
        place if lists::is_list(place) => Some(place),
        _ => None,
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

fn tables(session: &Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let inside = |place: Place, name: &str, size: String| Row {
        depth: 1,
        ..Row::at(place, vec![Cell::new(name), Cell::toned(size, Tone::Dim)])
    };
    let of_symbols = tables::symbol_tables(session);
    if !of_symbols.is_empty()
        && let Some(file) = session.symbol_file()
    {
        let heading = vec![Cell::toned(file.name.as_str(), Tone::Strong), Cell::default()];
        rows.push(Row::at(Place::Header, heading));
        rows.extend(of_symbols.into_iter().map(|(name, place, len)| inside(place, name, lists::length_text(len))));
    }
    let mut sides: Vec<_> = Side::loaded(session).collect();
    // The PDB first: it has what most users look for.
    sides.reverse();
    for (side, metadata) in sides {
        let file = match side {
            Side::Image => session.image().map(|image| image.name.as_str()),
            Side::Pdb => session.symbol_file().map(|file| file.name.as_str()),
        };
        let name = file.unwrap_or_default();
        let title = if side == Side::Pdb { pdb_title(session, name) } else { name.to_owned() };
        let heading = vec![Cell::toned(title, Tone::Strong), Cell::default()];
        rows.push(Row::at(Place::Metadata(side, MetadataPart::TablesHeader), heading));
        let tables = metadata.tables.present();
        rows.extend(
            tables.map(|table| inside(Place::Table(side, table.id), table.id.name(), table.rows().to_string())),
        );
        for heap in Heap::ALL {
            let len = metadata.heaps.get(heap).len();
            if len > 0 {
                rows.push(inside(Place::Heap(side, heap), heap.stream(), format!("{len} B")));
            }
        }
        if side == Side::Pdb {
            rows.extend(generations(session));
        }
    }
    rows
}
