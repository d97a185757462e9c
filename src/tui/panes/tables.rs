//! The Tables and Rows panes: tables and heaps of both files, and the rows of the selected one. Symbols outside of
//! metadata have tables too: modules, functions and types of a native PDB, sources and methods of an `.mdb`.

use crate::nodes;
use crate::nodes::rows::{Cell, Head, Row, Tone};
use crate::nodes::table;
use crate::nodes::table::derived;
use crate::nodes::{Heap, Place};
use crate::nodes::{MetadataPart, Side};
use crate::session::Session;
use crate::tui::core::action::Action;
use crate::tui::panes::lists;
use crate::tui::panes::pane::Pane;
use crate::tui::panes::table_pane::{self, TableDef};
use crate::tui::panes::tree_def::TreeDef;
use crate::tui::panes::tree_pane;
use crate::tui::state::effect::Effect;

static TABLES: TreeDef = TreeDef {
    name: "Tables",
    columns: &[Head::text(""), Head::number("")],
    folds: true,
    flush: true,
    rows: |session, _| tables(session),
    on_enter: |session, place| match place {
        Place::Table(..) | Place::Heap(..) => Some(Effect::Go(nodes::rows(session, place)?.get(0)?.place?.into())),
        place if lists::is_list(place) => Some(Effect::Dispatch(Action::NextPane)),
        _ => None,
    },
    empty_text,
    mark: Some(lists::count_cell),
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
            Place::Table(side, table) => derived::with_derived(session, side, table, rows),
            _ => rows,
        })
    },
    empty_text,
};

/// The Tables pane.
pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&TABLES)
}

/// The Rows pane.
pub fn rows() -> Box<dyn Pane> {
    table_pane::new(&ROWS)
}

/// Returns whether the Tables view shows a place.
pub const fn shows(place: Place) -> bool {
    let of_metadata = matches!(place, Place::Tables | Place::Table(..) | Place::Heaps | Place::Heap(..));
    // Functions and documents have their own views.
    let of_symbols = lists::is_list(place) && !matches!(place, Place::Functions | Place::Documents);
    let inside = matches!(place, Place::Module(_) | Place::Type(_) | Place::TypeLayout(_) | Place::Id(_));
    of_metadata || of_symbols || inside || lists::is_row(place)
}

/// The home of the Tables view: the documents, else the first table.
pub fn home(session: &Session) -> Place {
    let document = Side::Pdb.metadata(session).filter(|metadata| metadata.rows(nodes::TableId::DOCUMENT) > 0);
    let mut tables = Side::loaded(session)
        .flat_map(|(side, metadata)| metadata.tables.present().map(move |table| Place::Table(side, table.id)));
    match document {
        Some(_) => Place::Table(Side::Pdb, nodes::TableId::DOCUMENT),
        None => {
            let of_symbols = table::symbol_tables(session).first().map(|(_, place, _)| *place);
            of_symbols.or_else(|| tables.next()).unwrap_or(Place::Tables)
        }
    }
}

fn list_of(place: Place) -> Option<Place> {
    match place {
        Place::Table(..) | Place::Heap(..) => Some(place),
        place if lists::is_row(place) => place.parent(),
        Place::TypeLayout(_) => Some(Place::Types),
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
    let of_symbols = table::symbol_tables(session);
    if let Some(file) = session.symbol_file().filter(|_| !of_symbols.is_empty()) {
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
        let heading = vec![Cell::toned(file.unwrap_or_default(), Tone::Strong), Cell::default()];
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
    }
    rows
}
