//! The streams of both files in the order of the file, and what is in the one that is chosen.

use crate::model::extents::ExtentKind;
use crate::model::place::{MetadataPart, Side};
use crate::model::rows::Cell;
use crate::model::tables::last_step;
use crate::model::{Head, Heap, Place, Row, Rows, Session, Tone};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::pane::Pane;
use crate::tui::panes::map::stream_of;
use crate::tui::panes::outline::{self, Outline};
use crate::tui::panes::pages;
use crate::tui::panes::sheet::{self, Sheet};

static STREAMS: Outline = Outline {
    name: "Streams",
    columns: &[Head::text(""), Head::number("")],
    folds: true,
    flush: true,
    make: streams,
    closed: outline::open,
    stands: |session, place| match place {
        Place::Page(page) => pages::stream_of(session, page).map(Place::Stream),
        Place::Module(_) => Some(Place::Modules),
        _ => stream_of(session, place),
    },
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

/// What is in the streams of a Windows PDB, whatever stream it is in.
const LISTS: &[(&str, Place)] = &[
    ("modules", Place::Modules),
    ("functions", Place::Functions),
    ("types", Place::Types),
    ("ids", Place::Ids),
    ("public symbols", Place::Publics),
    ("global symbols", Place::Globals),
    ("sections", Place::SectionMap),
    ("contributions", Place::Contributions),
];

/// The streams of what people come for: those of the symbols.
pub fn home(session: &Session) -> Place {
    match session.sides().last() {
        _ if session.pdb().is_some() => Place::Pages,
        Some((side, _)) => Place::Metadata(side, MetadataPart::Streams),
        None => Place::Streams,
    }
}

fn why_none(session: &Session) -> String {
    let what = match (&session.image, &session.symbols) {
        (None, Some(_)) => "symbols of this format have no streams: those of the DLL would be here",
        (Some(_), Some(_)) => "neither file has streams: this format has none, and the image is native",
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
    if let Some(view) = session.pdb() {
        let file = session.symbols.as_ref();
        let size = file.and_then(|file| session.spaces.get(file.space)).map_or(0, crate::bytes::Space::len);
        rows.push(heading(file.map_or("", |file| file.name.as_str()), Place::Pages, size));
        let inside = |place: Place, name: String, size: String, tone: Tone| Row {
            depth: 1,
            ..Row::at(place, vec![Cell::toned(name, tone), Cell::toned(size, Tone::Dim)])
        };
        for stream in view.pdb.msf.streams() {
            let (number, nil) = (stream.index, stream.is_nil());
            let name = format!("{number:>2} {}", short(&view.stream_name(number)));
            let size = if nil { "nil".to_owned() } else { stream.size.to_string() };
            let tone = if nil || stream.size == 0 { Tone::Dim } else { Tone::Text };
            rows.push(Row { span: view.span(number), ..inside(Place::Stream(number), name, size, tone) });
        }
        let lists = LISTS.iter().filter_map(|(name, place)| {
            let len = session.rows(*place).map(|rows| rows.len).filter(|len| *len > 0)?;
            Some(inside(*place, (*name).to_owned(), len.to_string(), Tone::Text))
        });
        let lists: Vec<Row> = lists.collect();
        if !lists.is_empty() {
            let cells = vec![Cell::toned("what they hold", Tone::Strong), Cell::default()];
            rows.push(Row::at(Place::Streams, cells));
            rows.extend(lists);
        }
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

/// The name of a stream where there is little room: what it has in common with others is left out.
fn short(name: &str) -> String {
    let name = name.strip_prefix("module ").unwrap_or(name);
    match name.strip_prefix("/src/files/") {
        Some(path) => format!("source {}", last_step(path)),
        None => name.to_owned(),
    }
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
        Place::Metadata(..) | Place::Heap(..) => Some(place),
        Place::HeapEntry(..) | Place::Record(..) | Place::Row(..) => place.parent(),
        Place::Page(page) => Some(pages::stream_of(session, page).map_or(Place::Pages, Place::Stream)),
        place if place.is_of_streams() || place.is_of_native_code() => Some(place),
        Place::Header => Some(place),
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
