//! Heaps, their entries, and the streams that metadata is made of.

use crate::formats::metadata::Heap;
use crate::nodes;
use crate::nodes::heap_refs;
use crate::nodes::heap_refs::HeapRef;
use crate::nodes::place::{MetadataPart, Side};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::{Place, blobs};
use crate::session::Session;
use crate::text::guids;
use crate::text::safe::{spaced_hex, utf8, utf16};

/// How many bytes of a blob a list shows.
const SHOWN: usize = 24;

/// The heaps of both files.
pub(crate) fn heaps_rows(session: &Session) -> Rows<'_> {
    let rows = Side::loaded(session).flat_map(|(side, metadata)| {
        Heap::ALL.into_iter().map(move |heap| {
            let (place, region) = (Place::Heap(side, heap), metadata.heaps.get(heap));
            let entries = heap_refs::entries(session, side, heap).len();
            let cells = vec![
                Cell::toned(side.name(), Tone::Dim),
                Cell::new(heap.stream()).to(place),
                Cell::new(entries.to_string()),
                Cell::new(region.len().to_string()),
            ];
            Row::at(place, cells).from(region.span())
        })
    });
    let columns = vec![Head::text("file"), Head::text("heap"), Head::number("entries"), Head::number("bytes")];
    Rows::of("heaps", columns, rows.collect())
}

/// The entries of one heap, in its order: with who uses them, or without where that is not known yet.
pub(crate) fn heap_rows(session: &Session, side: Side, heap: Heap, with_users: bool) -> Option<Rows<'_>> {
    side.metadata(session)?;
    let entries = heap_refs::entries(session, side, heap);
    let title = format!("{}{} · {} entries", side, heap.stream(), entries.len());
    let first = if heap == Heap::Guids { "number" } else { "offset" };
    let columns = vec![
        Head::number(first),
        Head::number("bytes"),
        Head::text("content"),
        Head::text("meaning"),
        Head::text("used by"),
    ];
    Some(Rows::new(title, columns, entries.len(), move |index| {
        let offset = entries.get(index).copied().unwrap_or_default();
        heap_row(session, side, heap, offset, with_users)
    }))
}

fn heap_row(session: &Session, side: Side, heap: Heap, offset: u32, with_users: bool) -> Row {
    let place = Place::HeapEntry(side, heap, offset);
    let span = side.metadata(session).and_then(|metadata| metadata.heaps.entry_span(heap, offset).ok());
    let number = if heap == Heap::Guids { offset.to_string() } else { format!("{offset:#x}") };
    let bytes = span.map_or(0, |span| span.len).to_string();
    let content = Cell::new(text(session, side, heap, offset));
    let users = if with_users { heap_refs::of_entry(session, side, heap, offset) } else { &[] };
    let meaning = heap_meaning(session, side, heap, offset, users).unwrap_or_default();
    let meaning = Cell::toned(meaning, Tone::Dim);
    let used_by = if with_users { user_cell(side, users) } else { Cell::toned("…", Tone::Dim) };
    let cells = vec![Cell::toned(number, Tone::Dim), Cell::new(bytes), content, meaning, used_by];
    Row { span, ..Row::at(place, cells) }
}

/// What a blob says, by the first column that leads to it.
fn heap_meaning(session: &Session, side: Side, heap: Heap, offset: u32, users: &[HeapRef]) -> Option<String> {
    let user = users.first().filter(|_| heap == Heap::Blobs)?;
    let blob = side.metadata(session)?.heaps.blob(offset).ok()?;
    if user.nested {
        return Some(utf8(blob.data).into_owned());
    }
    Some(blobs::summary(session, side, user.table, user.row, user.column as usize, blob))
}

/// What an entry of a heap says, in one line.
pub fn text(session: &Session, side: Side, heap: Heap, offset: u32) -> String {
    let Some(heaps) = side.metadata(session).map(|metadata| &metadata.heaps) else { return String::new() };
    let text = match heap {
        Heap::Strings => heaps.string(offset).map(|s| utf8(s.data).into_owned()),
        Heap::UserStrings if offset == 0 => Ok(String::new()),
        Heap::UserStrings => heaps.user_string(offset).map(|s| utf16(s.data)),
        Heap::Blobs => heaps.blob(offset).map(|blob| spaced_hex(blob.data, SHOWN)),
        Heap::Guids => heaps.guid(offset).map(|guid| {
            let guid = guid.unwrap_or_default();
            let name = guids::name(guid).or_else(|| blobs::kind_name(guid));
            name.map_or_else(|| guid.to_string(), |name| format!("{guid}  {name}"))
        }),
    };
    text.unwrap_or_else(|error| format!("({error})"))
}

/// The streams of one metadata root, in the order of its headers.
pub(crate) fn metadata_streams(session: &Session, side: Side) -> Option<Rows<'_>> {
    let metadata = side.metadata(session)?;
    let rows = metadata.root.streams.iter().enumerate().map(|(index, stream)| {
        let place = Place::Metadata(side, MetadataPart::Stream(index as u16));
        let cells = vec![
            Cell::new(stream.name.clone()).to(place),
            Cell::new(format!("{:#x}", stream.offset)),
            Cell::new(stream.size.to_string()),
            Cell::toned(nodes::span_text(session, stream.region.span()), Tone::Dim),
        ];
        Row::at(place, cells).from(stream.region.span())
    });
    let columns = vec![Head::text("stream"), Head::number("offset"), Head::number("bytes"), Head::text("at")];
    Some(Rows::of(format!("{side}metadata streams"), columns, rows.collect()))
}

/// The first row that uses an entry, and how many more do.
fn user_cell(side: Side, users: &[HeapRef]) -> Cell {
    let Some(first) = users.first() else { return Cell::default() };
    let more = if users.len() > 1 { format!("+{}", users.len() - 1) } else { String::new() };
    let cell = Cell::new(format!("{}/{}", first.table.name(), first.row)).beside(more);
    cell.to(Place::Row(side, first.table, first.row))
}
