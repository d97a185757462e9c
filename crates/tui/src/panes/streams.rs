//! The Streams and Contents panes: streams of both files in file order, and the contents of the selected one.

use crate::engine::action::Action;
use crate::panes::lists;
use crate::panes::pane::Pane;
use crate::panes::table_pane::{self, TableDef};
use crate::panes::tree_def::TreeDef;
use crate::panes::tree_pane;
use crate::state::effect::Effect;
use pdblens_nodes as nodes;
use pdblens_nodes::mdb;
use pdblens_nodes::regions;
use pdblens_nodes::regions::{FileRegion, FileRegionKind};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::table;
use pdblens_nodes::{Heap, Place};
use pdblens_nodes::{MetadataPart, Side};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

static STREAMS: TreeDef = TreeDef {
    name: "Streams",
    columns: &[Head::text(""), Head::number("")],
    exported: &[Head::text("stream"), Head::number("size")],
    folds: true,
    flush: true,
    rows: |session, _| streams(session),
    is_large: |session| {
        nodes::required_index(session, Place::Parts).is_some()
            || PdbView::of(session).is_some_and(|view| view.pdb.msf.stream_count() > SYNC_LIMIT)
    },
    substitute: |session, place| match place {
        Place::Page(page) => lists::stream_of_page(session, page).map(Place::Stream),
        Place::Module(_) => Some(Place::Modules),
        Place::Part(_) | Place::Bytes(_) => stretch_of(session, place),
        _ => lists::stream_of_metadata(session, place),
    },
    on_enter: |_, _| Some(Effect::Dispatch(Action::NextPane)),
    empty_text,
    mark: Some(lists::count_cell),
    sort: Some(1),
    ..TreeDef::USUAL
};

/// The number of streams from which the list is built by a job.
const SYNC_LIMIT: u32 = 2000;

static CONTENTS: TableDef = TableDef {
    list: contents_of,
    inside: contents_of,
    rows: contents,
    index: nodes::required_index,
    tree: None,
    is_asked_for: false,
    empty_text,
};

pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&STREAMS)
}

pub fn contents_pane() -> Box<dyn Pane> {
    table_pane::new(&CONTENTS)
}

/// The home of the Streams view: the streams of the symbols.
pub fn home(session: &Session) -> Place {
    match Side::loaded(session).last() {
        _ if PdbView::of(session).is_some() => Place::Pages,
        _ if mdb::is_loaded(session) => Place::Parts,
        Some((side, _)) => Place::Metadata(side, MetadataPart::Streams),
        None => Place::Streams,
    }
}

fn empty_text(session: &Session) -> String {
    let what = match (session.image(), session.symbol_file()) {
        (None, Some(_)) => "this symbol format has no streams; open the DLL for its metadata streams",
        (Some(_), Some(_)) => "neither file has streams: the symbol format has none, and the image is native",
        (Some(_), None) => "a native image has no metadata; open its PDB for streams",
        (None, None) => "no file is open",
    };
    what.to_owned()
}

fn streams(session: &Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let heading = |name: &str, place: Place, size: u64| {
        Row::at(place, vec![Cell::toned(name, Tone::Strong), Cell::toned(size.to_string(), Tone::Dim)])
    };
    let mut sides: Vec<_> = Side::loaded(session).collect();
    sides.reverse();
    if let Some(view) = PdbView::of(session) {
        let file = session.symbol_file();
        let size = file.and_then(|file| session.spaces().get(file.space)).map_or(0, pdblens_formats::bytes::Space::len);
        rows.push(heading(file.map_or("", |file| file.name.as_str()), Place::Pages, size));
        let inside = |place: Place, name: Cell, size: String| Row {
            depth: 1,
            ..Row::at(place, vec![name, Cell::toned(size, Tone::Dim)])
        };
        for stream in view.pdb.msf.streams() {
            let (number, nil) = (stream.index, stream.is_nil());
            let (name, meaning) = short(&view.stream_name(number));
            let size = if nil { "nil".to_owned() } else { stream.size.to_string() };
            let tone = if nil || stream.size == 0 { Tone::Dim } else { Tone::Text };
            let name = Cell::toned(format!("{number:>2} {name}"), tone).beside(meaning);
            rows.push(Row { span: view.span(number), ..inside(Place::Stream(number), name, size) });
        }
        let lists = table::symbol_tables(session).into_iter().filter(|(_, place, _)| *place != Place::Documents);
        let lists = lists.map(|(name, place, len)| inside(place, Cell::new(name), lists::length_text(len)));
        let lists: Vec<Row> = lists.collect();
        if !lists.is_empty() {
            let cells = vec![Cell::toned("contents", Tone::Strong), Cell::default()];
            rows.push(Row::at(Place::Streams, cells));
            rows.extend(lists);
        }
    }
    let stretch = |extent: FileRegion| {
        let tone = if extent.kind == FileRegionKind::Gap { Tone::Dim } else { Tone::Text };
        let cells = vec![Cell::toned(extent.name, tone), Cell::toned(extent.span.len.to_string(), Tone::Dim)];
        Row { depth: 1, place: extent.place.or(Some(Place::Bytes(extent.span))), span: Some(extent.span), cells }
    };
    let extents = mdb::file_regions(session);
    if let (Some(file), Some(last)) = (session.symbol_file(), extents.last()) {
        rows.push(heading(&file.name, Place::Parts, last.span.end()));
        rows.extend(extents.into_iter().map(stretch));
    }
    for (side, metadata) in sides {
        let name = match side {
            Side::Image => session.image().map(|image| image.name.as_str()),
            Side::Pdb => session.symbol_file().map(|file| file.name.as_str()),
        };
        let place = Place::Metadata(side, MetadataPart::Streams);
        rows.push(heading(name.unwrap_or_default(), place, metadata.root.region.len()));
        rows.extend(regions::of_metadata(session, side).into_iter().map(stretch));
    }
    rows
}

/// The place of the region of a Mono symbol file that contains a place.
fn stretch_of(session: &Session, place: Place) -> Option<Place> {
    let span =
        if nodes::required_index(session, place).is_none() { nodes::bytes(session, place)? } else { return None };
    let found = mdb::file_regions(session).into_iter().find(|extent| extent.span.covers(span))?;
    Some(found.place.unwrap_or(Place::Bytes(found.span)))
}

/// A short name of a stream, and the meaning of an abbreviation: `DBI`, `debug information`.
fn short(name: &str) -> (String, String) {
    let name = name.strip_prefix("module ").unwrap_or(name);
    let abbreviated = name.split_once(" (").and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)));
    match (name.strip_prefix("/src/files/"), abbreviated) {
        (Some(path), _) => (format!("source {}", file_name(path)), String::new()),
        (None, Some((name, meaning))) if name.chars().all(|c| c.is_ascii_uppercase()) => {
            (name.to_owned(), meaning.to_owned())
        }
        _ => (name.to_owned(), String::new()),
    }
}

fn contents_of(session: &Session, place: Place) -> Option<Place> {
    let stream = |side: Side, index: u16| side.metadata(session)?.root.streams.get(index as usize);
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
        Place::Page(page) => Some(lists::stream_of_page(session, page).map_or(Place::Pages, Place::Stream)),
        place if place.is_of_streams() || place.is_of_native_code() => Some(place),
        Place::Header | Place::Part(_) | Place::Parts if mdb::is_loaded(session) => Some(Place::Parts),
        Place::Bytes(span) if mdb::is_loaded(session) => {
            session.symbol_file().filter(|file| file.space == span.space).map(|_| Place::Parts)
        }
        Place::Header => Some(place),
        _ => None,
    }
}

fn contents(session: &Session, place: Place) -> Option<Rows<'_>> {
    match place {
        Place::Metadata(side, MetadataPart::TablesHeader) => Some(tables(session, side)),
        _ => nodes::partial_rows(session, place).or_else(|| lists::field_rows(session, place)),
    }
}

/// The tables of one file.
fn tables(session: &Session, side: Side) -> Rows<'_> {
    let Some(all) = nodes::rows(session, Place::Tables) else { return Rows::of("", Vec::new(), Vec::new()) };
    let of_side = |row: &Row| matches!(row.place, Some(Place::Table(of, _)) if of == side);
    let rows: Vec<Row> = all.iter().filter(of_side).collect();
    // The column of the file is dropped: it is the same in all rows.
    let cut = |row: Row| Row { cells: row.cells.into_iter().skip(1).collect(), ..row };
    let columns = all.columns.iter().copied().skip(1).collect();
    Rows::of(format!("{} tables", rows.len()), columns, rows.into_iter().map(cut).collect())
}
