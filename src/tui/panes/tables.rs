//! The tables and heaps of both files, and the rows of the one that is chosen.

use crate::model::place::{MetadataPart, Side};
use crate::model::rows::Cell;
use crate::model::{Head, Heap, Place, Row, Session, Tone};
use crate::tui::app::Effect;
use crate::tui::pane::Pane;
use crate::tui::panes::outline::{self, Outline};
use crate::tui::panes::sheet::{self, Sheet};

static TABLES: Outline = Outline {
    name: "Tables",
    columns: &[Head::text(""), Head::number("")],
    folds: true,
    flush: true,
    make: tables,
    large: outline::small,
    closed: outline::open,
    stands: outline::itself,
    enter: |session, place| {
        let first = session.rows(place)?.get(0)?.place?;
        matches!(place, Place::Table(..) | Place::Heap(..)).then(|| Effect::Go(first.into()))
    },
    nothing: |session| why_none(session),
    later: None,
    mark: None,
};

static ROWS: Sheet = Sheet { list, rows: |session, place| session.rows_so_far(place), nothing: why_none };

/// The tables and heaps.
pub fn new() -> Box<dyn Pane> {
    outline::new(&TABLES)
}

/// The rows of one.
pub fn rows() -> Box<dyn Pane> {
    sheet::new(&ROWS)
}

/// Whether a place is one of a list rather than a list.
pub const fn is_row(place: Place) -> bool {
    matches!(place, Place::Row(..) | Place::HeapEntry(..))
}

/// The table that is looked at first: the documents, or the first that there is.
pub fn home(session: &Session) -> Place {
    let document = session.metadata_of(Side::Pdb).filter(|metadata| metadata.rows(crate::model::TableId::DOCUMENT) > 0);
    let mut tables = session
        .sides()
        .flat_map(|(side, metadata)| metadata.tables.present().map(move |table| Place::Table(side, table.id)));
    match document {
        Some(_) => Place::Table(Side::Pdb, crate::model::TableId::DOCUMENT),
        None => tables.next().unwrap_or(Place::Tables),
    }
}

fn list(_: &Session, place: Place) -> Option<Place> {
    match place {
        Place::Table(..) | Place::Heap(..) => Some(place),
        Place::Row(..) | Place::HeapEntry(..) => place.parent(),
        _ => None,
    }
}

fn why_none(session: &Session) -> String {
    let what = match (&session.image, &session.symbols) {
        (None, None) => "nothing is open",
        (Some(_), None) => "a native image has no metadata, and there is no portable PDB",
        (None, Some(_)) => "symbols of this format have no tables: those of the DLL would be here",
        (Some(_), Some(_)) => "a native image has no metadata, and symbols of this format have no tables",
    };
    what.to_owned()
}

fn tables(session: &Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut sides: Vec<_> = session.sides().collect();
    // What people come for is in the PDB.
    sides.reverse();
    for (side, metadata) in sides {
        let file = match side {
            Side::Image => session.image.as_ref().map(|image| image.name.as_str()),
            Side::Pdb => session.symbols.as_ref().map(|file| file.name.as_str()),
        };
        let heading = vec![Cell::toned(file.unwrap_or_default(), Tone::Strong), Cell::default()];
        rows.push(Row::at(Place::Metadata(side, MetadataPart::TablesHeader), heading));
        let inside = |place: Place, name: &str, size: String| Row {
            depth: 1,
            ..Row::at(place, vec![Cell::new(name), Cell::toned(size, Tone::Dim)])
        };
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
