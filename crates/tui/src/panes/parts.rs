//! The Parts pane: the parts of the image and of the symbols as one tree, in file order; and the Contents pane: what is in the selected
//! stream, table or page.

use crate::panes::lists;
use crate::panes::lists::is_of_image;
use crate::panes::pane::Pane;
use crate::panes::table_pane::{self, TableDef};
use crate::panes::tree_def::{Refinement, TreeDef};
use crate::panes::tree_pane;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::ui::layout::Slot;
use pdblens_nodes::fill::{self, percent};
use pdblens_nodes::pe::linker_parts;
use pdblens_nodes::regions::{FileRegion, FileRegionKind};
use pdblens_nodes::rows::{Cell, Data, Head, Row, Rows, Tone};
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::tables::symbol_tables;
use pdblens_nodes::{self as nodes, Heap, MetadataPart, PePart, Place, Side, mdb, method, regions};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

static PARTS: TreeDef = TreeDef {
    name: "Parts",
    columns: &[Head::text(""), Head::number(""), Head::number("")],
    exported: &[Head::text("part"), Head::number("size"), Head::number("share")],
    flush: true,
    rows: |session| parts(session, false),
    is_large: |session| {
        nodes::required_index(session, Place::Parts).is_some()
            || PdbView::of(session).is_some_and(|view| view.pdb.msf.stream_count() > SYNC_LIMIT)
    },
    starts_closed: |row| {
        matches!(
            row.place,
            Some(Place::PePart(PePart::Directories) | Place::Metadata(Side::Image, MetadataPart::Stream(_)))
        )
    },
    substitute: |session, place| match place {
        Place::Page(page) => lists::stream_of_page(session, page).map(Place::Stream),
        Place::Module(_) => Some(Place::Modules),
        Place::Row(side, table, _) => Some(Place::Table(side, table)),
        Place::Part(_) => region_of(session, place),
        Place::Bytes(_) => region_of(session, place).or_else(|| section_of(session, place)),
        _ => lists::stream_of_metadata(session, place).or_else(|| section_of(session, place)),
    },
    on_enter: |session, place| {
        let list = contents_of(session, place);
        match place {
            _ if list.is_some_and(lists::fills_view) => Some(Effect::Go(first_row(session, list?).into())),
            _ => Some(Effect::Focus(Slot::Main(1))),
        }
    },
    on_heading: open_generation,
    empty_text,
    refinement: Some(Refinement {
        label: "measuring the parts",
        slot: "part lengths",
        rows: |session, _, _| {
            lists::read_symbol_tables(session);
            Some(parts(session, true))
        },
    }),
    sort: Some(1),
    ..TreeDef::USUAL
};

/// The number of streams from which the tree is built by a job.
const SYNC_LIMIT: u32 = 2000;

/// The home of the File view: the debug directory of the image, else the streams of the symbols.
pub fn home(session: &Session) -> Place {
    match session.image() {
        Some(image) if image.pe.debug.is_empty() => Place::PePart(PePart::Sections),
        Some(_) => Place::PePart(PePart::DebugDirectory),
        None => home_of_symbols(session),
    }
}

/// The first place of the other file than that of a place; `None` where only one is open.
pub fn home_of_other(session: &Session, place: Place) -> Option<Place> {
    session.symbol_file().zip(session.image())?;
    let is_metadata = matches!(
        place,
        Place::Metadata(Side::Image, _) | Place::Heap(Side::Image, _) | Place::HeapEntry(Side::Image, ..)
    );
    Some(if is_metadata || is_of_image(place) { home_of_symbols(session) } else { home(session) })
}

pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&PARTS)
}

/// Returns whether a place is inside of a part: the map cannot tell it apart, what is below the map can.
pub fn is_inside(place: Place) -> bool {
    use Place::{Contribution, ManifestResource, Module, Page, Record, RelocationBlock};
    matches!(place, Record(..) | Page(_) | Module(_) | RelocationBlock(_) | Contribution(_) | ManifestResource(_))
}

/// The section that contains a place outside of the headers.
fn section_of(session: &Session, place: Place) -> Option<Place> {
    let pe = &session.image()?.pe;
    let span = match place {
        Place::Method(method) => method::body(session, method).ok()??.span,
        Place::Metadata(Side::Image, _)
        | Place::Table(Side::Image, _)
        | Place::Row(Side::Image, ..)
        | Place::Heap(Side::Image, _)
        | Place::HeapEntry(Side::Image, ..) => session.metadata()?.root.region.span(),
        Place::Bytes(span) => span,
        Place::Contribution(_) => nodes::bytes(session, place)?,
        _ => return None,
    };
    let index = pe.sections.iter().position(|section| section.data.covers(span))?;
    Some(Place::PePart(PePart::Section(index as u16)))
}

/// A number of bytes; that of entries has no data.
fn size(bytes: u64) -> Cell {
    Cell::toned(bytes.to_string(), Tone::Dim).data(Data::Number(bytes))
}

/// All parts; `has_kinds` tells whether those of blobs are among them, which takes a pass over the rows of all tables.
fn parts(session: &Session, has_kinds: bool) -> Vec<Row> {
    let mut rows = of_image(session, has_kinds);
    rows.extend(of_symbols(session, has_kinds));
    add_shares(&mut rows);
    rows
}

/// Adds to each part its share of the file, from one percent on.
fn add_shares(rows: &mut [Row]) {
    let mut whole = 0;
    for row in rows {
        let bytes = match row.cells.get(1).and_then(|cell| cell.data.as_ref()) {
            Some(Data::Number(bytes)) => *bytes,
            _ => 0,
        };
        if row.depth == 0 {
            whole = bytes;
            continue;
        }
        let share = match &*percent(bytes, whole) {
            "0" | "<1" => String::new(),
            percent => format!("{percent} %"),
        };
        row.cells.push(Cell::toned(share, Tone::Dim));
    }
}

fn of_image(session: &Session, has_kinds: bool) -> Vec<Row> {
    let Some(image) = session.image() else { return Vec::new() };
    let pe = &image.pe;
    let mut rows = vec![heading(&image.name, Place::Pe, pe.region().len())];
    let row = |depth: u8, name: &str, part: PePart, size: Cell, tone: Tone| Row {
        depth,
        ..Row::at(Place::PePart(part), vec![Cell::toned(name, tone), size])
    };
    let of = |part: PePart| nodes::bytes(session, Place::PePart(part)).map_or(0, |span| span.len);
    for (name, part) in
        [("DOS header", PePart::Dos), ("COFF header", PePart::Coff), ("optional header", PePart::Optional)]
    {
        rows.push(row(1, name, part, size(of(part)), Tone::Text));
    }
    let counted = |count: usize| Cell::toned(count.to_string(), Tone::Dim);
    rows.push(row(1, "data directories", PePart::Directories, counted(pe.directories.len()), Tone::Text));
    for (index, directory) in pe.directories.iter().enumerate() {
        let (shown, tone) = if directory.is_present() {
            (size(directory.size.into()), Tone::Text)
        } else {
            (Cell::default(), Tone::Dim)
        };
        rows.push(row(2, directory.name(), PePart::Directory(index as u8), shown, tone));
    }
    rows.push(row(1, "sections", PePart::Sections, counted(pe.sections.len()), Tone::Text));
    for (index, section) in pe.sections.iter().enumerate() {
        rows.push(row(2, &section.name, PePart::Section(index as u16), size(section.data.len), Tone::Text));
    }
    if pe.cli.is_some() {
        rows.push(row(1, "CLI header", PePart::Cli, size(of(PePart::Cli)), Tone::Text));
    }
    rows.extend(of_metadata(session, Side::Image, "metadata", (1, has_kinds)));
    rows.push(row(1, "debug directory", PePart::DebugDirectory, counted(pe.debug.len()), Tone::Text));
    for (index, entry) in pe.debug.iter().enumerate() {
        let tone = if entry.payload.is_err() { Tone::Bad } else { Tone::Text };
        rows.push(row(2, entry.name(), PePart::Debug(index as u16), size(entry.header.size_of_data.into()), tone));
    }
    for part in linker_parts::present(session) {
        let entries = linker_parts::count(session, part).unwrap_or(0);
        rows.push(row(1, linker_parts::name(part), part, counted(entries), Tone::Text));
    }
    rows
}

static CONTENTS: TableDef = TableDef { list: contents_of, inside: contents_of, rows: contents, empty_text };

pub fn contents_pane() -> Box<dyn Pane> {
    table_pane::new(&CONTENTS)
}

/// The streams of the symbols.
fn home_of_symbols(session: &Session) -> Place {
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

/// The heading of a file or of its metadata.
fn heading(name: &str, place: Place, size: u64) -> Row {
    Row::at(place, vec![Cell::toned(name, Tone::Strong), self::size(size)])
}

/// Rows of regions below a heading.
fn regions_below(heading: Row, regions: Vec<FileRegion>) -> impl Iterator<Item = Row> {
    let depth = heading.depth.saturating_add(1);
    std::iter::once(heading).chain(regions.into_iter().map(move |region| region_row(depth, region)))
}

fn region_row(depth: u8, region: FileRegion) -> Row {
    let tone = if region.kind == FileRegionKind::Gap { Tone::Dim } else { Tone::Text };
    let meaning = region.meaning();
    let cells = vec![Cell::toned(region.name, tone).beside(meaning), size(region.span.len)];
    Row { depth, ..Row::at(region.place.unwrap_or(Place::Bytes(region.span)), cells).from(region.span) }
}

/// The streams of the metadata of one side, below a name, with the tables below theirs, and the kinds of blobs.
fn of_metadata(session: &Session, side: Side, name: &str, (depth, has_kinds): (u8, bool)) -> Vec<Row> {
    let Some(metadata) = side.metadata(session) else { return Vec::new() };
    let place = Place::Metadata(side, MetadataPart::Streams);
    let mut rows = vec![Row { depth, ..heading(name, place, metadata.root.region.len()) }];
    for region in regions::of_metadata(session, side) {
        let inside = regions::inside(session, &region);
        let tables = inside.iter().filter(|part| matches!(part.place, Some(Place::Table(..)))).count();
        let kinds = if has_kinds && region.name == Heap::Blobs.stream() {
            fill::kinds(session, side, Heap::Blobs)
        } else {
            Vec::new()
        };
        let mut row = region_row(depth.saturating_add(1), region);
        if tables > 0
            && let Some(cell) = row.cells.first_mut()
        {
            // `24 tables #~`: what is in it, before the name that only the format knows.
            cell.beside = std::mem::replace(&mut cell.text, count(tables as u64, "table"));
        }
        rows.extend(regions_below(row, inside));
        rows.extend(kinds.into_iter().map(|kind| Row {
            depth: depth.saturating_add(2),
            ..Row::plain(vec![Cell::toned(kind.name, Tone::Dim), size(kind.bytes)])
        }));
    }
    rows
}

/// The first row of a list; the list itself where it has none yet.
fn first_row(session: &Session, list: Place) -> Place {
    nodes::rows(session, list).and_then(|rows| rows.get(0)?.place).unwrap_or(list)
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

/// The streams, tables or regions of the symbols.
fn of_symbols(session: &Session, has_kinds: bool) -> Vec<Row> {
    let Some(file) = session.symbol_file() else { return Vec::new() };
    let extents = mdb::file_regions(session);
    if let Some(last) = extents.last() {
        let heading = heading(&file.name, Place::Parts, last.span.end());
        return regions_below(heading, extents).chain(symbol_lists(session)).collect();
    }
    let Some(view) = PdbView::of(session) else {
        let mut rows = of_metadata(session, Side::Pdb, &pdb_title(session, &file.name), (0, has_kinds));
        rows.extend(generations(session));
        return rows;
    };
    let whole = session.spaces().get(file.space).map_or(0, pdblens_formats::bytes::Space::len);
    let mut rows = vec![heading(&file.name, Place::Pages, whole)];
    let inside = |place: Place, name: Cell, size: Cell| Row { depth: 1, ..Row::at(place, vec![name, size]) };
    for stream in view.pdb.msf.streams() {
        let (number, nil) = (stream.index, stream.is_nil());
        let (name, meaning) = short(&view.stream_name(number));
        let size = if nil { Cell::toned("nil", Tone::Dim) } else { size(stream.size.into()) };
        let tone = if nil || stream.size == 0 { Tone::Dim } else { Tone::Text };
        let name = Cell::toned(format!("{number:>2} {name}"), tone).beside(meaning);
        rows.push(Row { span: view.span(number), ..inside(Place::Stream(number), name, size) });
    }
    rows.extend(symbol_lists(session));
    rows
}

/// The lists of symbols outside of metadata, below a heading.
fn symbol_lists(session: &Session) -> Vec<Row> {
    let lists = symbol_tables(session).into_iter().filter(|(_, place, _)| *place != Place::Documents);
    let list = |(name, place, len)| Row {
        depth: 1,
        ..Row::at(place, vec![Cell::new(name), Cell::toned(lists::length_text(len), Tone::Dim)])
    };
    let mut rows: Vec<Row> = lists.map(list).collect();
    if !rows.is_empty() {
        rows.insert(0, Row::at(Place::Streams, vec![Cell::toned("contents", Tone::Strong), Cell::default()]));
    }
    rows
}

/// The place of the region of a Mono symbol file that contains a place.
fn region_of(session: &Session, place: Place) -> Option<Place> {
    let span =
        if nodes::required_index(session, place).is_none() { nodes::bytes(session, place)? } else { return None };
    let found = mdb::file_regions(session).into_iter().find(|extent| extent.span.covers(span))?;
    Some(found.place.unwrap_or(Place::Bytes(found.span)))
}

/// A short name of a stream, and the meaning of an abbreviation or the folder of a module: `DBI`, `debug information`.
fn short(name: &str) -> (String, String) {
    if let Some(path) = name.strip_prefix("module ") {
        let file = file_name(path);
        return (file.to_owned(), path[..path.len() - file.len()].trim_end_matches(['/', '\\']).to_owned());
    }
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
        Place::Metadata(..) | Place::Heap(..) | Place::Table(..) | Place::Tables | Place::Heaps | Place::Mdb(_) => {
            Some(place)
        }
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
        Place::Metadata(side, MetadataPart::TablesHeader) => Some(tables_of(session, side)),
        _ => nodes::partial_rows(session, place).or_else(|| lists::field_rows(session, place)),
    }
}

/// The tables of one file.
fn tables_of(session: &Session, side: Side) -> Rows<'_> {
    let Some(all) = nodes::rows(session, Place::Tables) else { return Rows::of("", Vec::new(), Vec::new()) };
    let of_side = |row: &Row| matches!(row.place, Some(Place::Table(of, _)) if of == side);
    let rows: Vec<Row> = all.iter().filter(of_side).collect();
    // The column of the file is dropped: it is the same in all rows.
    let cut = |row: Row| Row { cells: row.cells.into_iter().skip(1).collect(), ..row };
    let columns = all.columns.iter().copied().skip(1).collect();
    Rows::of(format!("{} tables", rows.len()), columns, rows.into_iter().map(cut).collect())
}
