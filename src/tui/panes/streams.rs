//! The streams of both files in the order of the file, and what is in the one that is chosen.

use crate::model::extents::ExtentKind;
use crate::model::place::{MetadataPart, Side};
use crate::model::rows::Cell;
use crate::model::{Head, Heap, Place, Row, Rows, Session, Tone};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::pane::Pane;
use crate::tui::panes::map::stream_of;
use crate::tui::panes::outline::{self, Outline};
use crate::tui::panes::sheet::{self, Sheet};

static STREAMS: Outline = Outline {
    name: "Streams",
    columns: &[Head::text(""), Head::number("")],
    folds: true,
    flush: true,
    make: streams,
    closed: outline::open,
    stands: stream_of,
    enter: |_, _| Some(Effect::Do(Action::NextPane)),
    nothing: why_none,
    later: None,
    mark: None,
};

static CONTENTS: Sheet = Sheet { list: contents_of, rows: contents, nothing: why_none };

/// The streams.
pub fn new() -> Box<dyn Pane> {
    outline::new(&STREAMS)
}

/// What is in the one that is chosen.
pub fn contents_pane() -> Box<dyn Pane> {
    sheet::new(&CONTENTS)
}

/// The first stream of what people come for: that of the symbols.
pub fn home(session: &Session) -> Place {
    match session.sides().last() {
        _ if has_pages(session) => Place::Streams,
        Some((side, _)) => Place::Metadata(side, MetadataPart::Streams),
        None => Place::Streams,
    }
}

/// Whether the symbols are in a file of pages.
fn has_pages(session: &Session) -> bool {
    session.rows(Place::Streams).is_some_and(|rows| rows.len > 0)
}

fn why_none(session: &Session) -> String {
    let what = match (&session.image, &session.symbols) {
        (_, Some(_)) => "neither file has streams: this format has none, and the image is native",
        (Some(_), None) => "a native image has no metadata; a PDB beside it would show its streams here",
        (None, None) => "nothing is open",
    };
    what.to_owned()
}

fn streams(session: &Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let heading = |name: &str, place: Place, size: u64| {
        Row::at(place, vec![Cell::toned(name, Tone::Strong), Cell::toned(size.to_string(), Tone::Dim)])
    };
    let mut sides: Vec<_> = session.sides().collect();
    sides.reverse();
    if let Some(listed) = session.rows(Place::Streams).filter(|listed| listed.len > 0) {
        let file = session.symbols.as_ref();
        let size = file.and_then(|file| session.spaces.get(file.space)).map_or(0, crate::bytes::Space::len);
        rows.push(heading(file.map_or("", |file| file.name.as_str()), Place::Streams, size));
        rows.extend(listed.iter().map(|row| Row { depth: 1, ..row }));
    }
    for (side, metadata) in sides {
        let name = match side {
            Side::Image => session.image.as_ref().map(|image| image.name.as_str()),
            Side::Pdb => session.symbols.as_ref().map(|file| file.name.as_str()),
        };
        let place = Place::Metadata(side, MetadataPart::Streams);
        rows.push(heading(name.unwrap_or_default(), place, metadata.root.region.len()));
        for extent in session.metadata_extents(side) {
            let gap = extent.kind == ExtentKind::Gap;
            let tone = if gap { Tone::Dim } else { Tone::Text };
            let cells = vec![Cell::toned(extent.name, tone), Cell::toned(extent.span.len.to_string(), Tone::Dim)];
            let place = extent.place.or(gap.then_some(Place::Bytes(extent.span)));
            rows.push(Row { depth: 1, place, span: Some(extent.span), cells });
        }
    }
    rows
}

/// The list that shows what is in a stream.
fn contents_of(session: &Session, place: Place) -> Option<Place> {
    let stream = |side: Side, index: u16| session.metadata_of(side)?.root.streams.get(index as usize);
    match place {
        Place::Metadata(side, MetadataPart::Stream(index)) => {
            let name = stream(side, index)?.name.as_str();
            Some(match Heap::ALL.into_iter().find(|heap| heap.stream() == name) {
                Some(heap) => Place::Heap(side, heap),
                None if name == "#Pdb" => Place::Metadata(side, MetadataPart::PdbStream),
                None if matches!(name, "#~" | "#-") => Place::Metadata(side, MetadataPart::TablesHeader),
                None => place,
            })
        }
        Place::Metadata(..) | Place::Heap(..) | Place::Streams | Place::Stream(_) | Place::Pages => Some(place),
        Place::HeapEntry(..) => place.parent(),
        _ => None,
    }
}

fn contents(session: &Session, place: Place) -> Option<Rows<'_>> {
    match place {
        Place::Metadata(side, MetadataPart::TablesHeader) => Some(tables(session, side)),
        _ => session.rows(place).or_else(|| fields(session, place)),
    }
}

/// The tables of one side.
fn tables(session: &Session, side: Side) -> Rows<'_> {
    let Some(all) = session.rows(Place::Tables) else { return Rows::of("", Vec::new(), Vec::new()) };
    let of_side = |row: &Row| matches!(row.place, Some(Place::Table(of, _)) if of == side);
    let rows: Vec<Row> = all.iter().filter(of_side).collect();
    // They are all of one file: which need not be said in each row.
    let cut = |row: Row| Row { cells: row.cells.into_iter().skip(1).collect(), ..row };
    let columns = all.columns.iter().copied().skip(1).collect();
    Rows::of(format!("{} tables", rows.len()), columns, rows.into_iter().map(cut).collect())
}

/// The fields of a record, a row each.
fn fields(session: &Session, place: Place) -> Option<Rows<'static>> {
    let fields = session.fields(place)?;
    let rows = fields.rows.into_iter().map(|field| {
        let meaning = Cell { to: field.to, tone: Tone::Text, ..Cell::new(field.meaning) };
        let cells = match field.group {
            true => vec![Cell::toned(field.name, Tone::Dim)],
            false => vec![Cell::new(field.name), Cell::new(field.value), meaning],
        };
        Row { place: None, span: Some(field.span), depth: field.depth, cells }
    });
    let columns = vec![Head::text("field"), Head::text("value"), Head::text("meaning")];
    Some(Rows::of(fields.title, columns, rows.collect()))
}
