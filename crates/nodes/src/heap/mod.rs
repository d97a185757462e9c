//! Metadata heaps, and their entries.

pub mod refs;

use crate::facts::Facts;
use crate::fields::Fields;
use crate::heap::refs::HeapRef;
use crate::kind::{Kind, Label};
use crate::lazy_index::is_cached;
use crate::metadata;
use crate::named;
use crate::owner::{OwnerSearch, Turn};
use crate::place::{Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::table::blobs;
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::{Heap, Metadata, heaps};
use pdblens_session::session::Session;
use pdblens_session::text::guids;
use pdblens_session::text::safe::{spaced_hex, utf8, utf16};

pub(crate) const HEAPS: Kind = Kind {
    listed: |_| vec![Place::Heaps],
    heading: |_, ()| Some(("heaps".to_owned(), Cell::default())),
    rows: |session, ()| Some(heaps_rows(session)),
    ..Kind::NEW
};

pub(crate) const HEAP: Kind<(Side, Heap)> = Kind {
    parent: |_| Some(Place::Heaps),
    label: |_| Label::new("heap", 1),
    context: |_, (side, _)| Some(side.name().to_owned()),
    exists: |session, (side, _)| side.metadata(session).is_some(),
    heading: |session, (side, heap)| {
        let bytes = side.metadata(session)?.heaps.get(heap).len();
        Some((format!("{}{}", side, heap.stream()), Cell::count(bytes, "byte")))
    },
    rows: |session, (side, heap)| heap_rows(session, side, heap, true),
    partial_rows: |session, index, (side, heap)| heap_rows(session, side, heap, index != refs::refs_index(side, heap)),
    row_of: |session, place, list| match place {
        Place::HeapEntry(side, heap, at) if (side, heap) == list => refs::row_of(session, side, heap, at),
        _ => None,
    },
    summary: |session, (side, heap)| heap_facts(session, side, heap),
    bytes: |session, (side, heap)| Some(side.metadata(session)?.heaps.get(heap).span()),
    indexes: |_, (side, heap)| vec![refs::entries_index(side, heap), refs::refs_index(side, heap)],
    ..Kind::NEW
};

/// An entry of a heap, by offset; of `#GUID` by number.
pub(crate) const ENTRY: Kind<(Side, Heap, u32)> = Kind {
    owners: &[(Turn::Records, owners)],
    named: &[(named::Turn::Strings, |session, list| {
        literals(session).try_for_each(|(place, text)| list.add(place, text.trim()))
    })],
    label: |(_, heap, _)| Label::new(heap.noun(), 3),
    context: |_, (_, heap, offset)| Some(format!("{} {:#x}", heap.stream(), offset)),
    exists: |session, (side, heap, offset)| {
        let len = side.metadata(session).map_or(0, |metadata| metadata.heaps.get(heap).len());
        match heap {
            Heap::Guids => offset > 0 && u64::from(offset) <= len / 16,
            _ => u64::from(offset) < len,
        }
    },
    fields: |session, (side, heap, offset)| explain_heap_entry(session, side, heap, offset),
    summary: |session, (side, heap, offset)| {
        // Of an entry that is there, the facts of its heap are shown until it is known who refers to it.
        if no_entry(session, side, heap, offset).is_some() {
            return None;
        }
        heap_facts(session, side, heap)
    },
    absence: |session, (side, heap, offset)| no_entry(session, side, heap, offset),
    bytes: |session, (side, heap, offset)| side.metadata(session)?.heaps.entry_span(heap, offset).ok(),
    indexes: |_, (side, heap, _)| match heap {
        Heap::Blobs => vec![refs::refs_index(side, heap)],
        _ => Vec::new(),
    },
    ..Kind::NEW
};

fn no_entry(session: &Session, side: Side, heap: Heap, offset: u32) -> Option<String> {
    let Some(metadata) = side.metadata(session) else {
        return Some(format!("no file with a {} is open", heap.stream()));
    };
    let reason = match heap {
        Heap::Guids => metadata.heaps.guid(offset).err()?,
        heap => metadata.heaps.entry_span(heap, offset).err()?,
    };
    Some(format!("nothing is at {}: {}", Place::HeapEntry(side, heap, offset), session.spaces().error_text(&reason)))
}

/// Adds the entries that have the byte; the heaps, where their entries are not known yet.
fn owners(search: &mut OwnerSearch<'_>) {
    let Some((side, metadata)) = Side::with(search.session, search.byte) else { return };
    for heap in Heap::ALL {
        if metadata.heaps.get(heap).span().covers(search.byte) {
            entry_with(search, side, heap, metadata);
        }
    }
}

/// Adds the entry of a heap that has the byte, or the bytes up to the end of the heap where none has it.
fn entry_with(search: &mut OwnerSearch<'_>, side: Side, heap: Heap, metadata: &Metadata) {
    let span = metadata.heaps.get(heap).span();
    if !search.has_index(refs::entries_index(side, heap)) {
        return search.add(Place::Heap(side, heap), span);
    }
    let offset = (search.byte.start - span.start) as u32;
    let wanted = if heap == Heap::Guids { offset / 16 + 1 } else { offset };
    let entries = refs::entries(search.session, side, heap);
    let row = entries.partition_point(|entry| *entry <= wanted).checked_sub(1);
    let entry = row.and_then(|row| entries.get(row)).copied();
    // The first entry of #Strings is nothing, and is there nevertheless.
    let bytes = entry.and_then(|entry| match (heap, entry) {
        (Heap::Strings, 0) => Some(span.part(0, 1)),
        _ => metadata.heaps.entry_span(heap, entry).ok(),
    });
    if let (Some(entry), Some(bytes)) = (entry, bytes.filter(|bytes| bytes.covers(search.byte))) {
        return search.add(Place::HeapEntry(side, heap, entry), bytes);
    }
    let from = bytes.map_or(span.start, Span::end).min(search.byte.start);
    let rest = Span::new(span.space, from, span.end().saturating_sub(from));
    search.add(Place::Bytes(rest), rest);
}

/// The most characters of a string literal that a search looks at.
const MAX_CHARS: usize = 200;

/// The string literals of the image, on one line each and cut where they are long.
pub fn literals(session: &Session) -> impl Iterator<Item = (Place, String)> {
    let heap = Heap::UserStrings;
    let offsets = refs::entries(session, Side::Image, heap).iter().copied().filter(|offset| *offset != 0);
    offsets.filter_map(move |offset| {
        let units = session.metadata()?.heaps.user_string(offset).ok()?;
        let text: String =
            char::decode_utf16(units.data.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])))
                .take(MAX_CHARS)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
        Some((Place::HeapEntry(Side::Image, heap, offset), text))
    })
}

/// Bytes of a blob that a list shows.
const SHOWN: usize = 24;

pub(crate) fn heaps_rows(session: &Session) -> Rows<'_> {
    let rows = Side::loaded(session).flat_map(|(side, metadata)| {
        Heap::ALL.into_iter().map(move |heap| {
            let (place, region) = (Place::Heap(side, heap), metadata.heaps.get(heap));
            let entries = refs::entries(session, side, heap).len();
            let cells = vec![
                Cell::toned(side.name(), Tone::Dim),
                Cell::new(heap.stream()).to(place),
                Cell::new(entries.to_string()),
                Cell::new(region.len().to_string()),
            ];
            Row::at(place, cells).from(region.span())
        })
    });
    let columns = Head::list(["file", "heap", "entries:", "bytes:"]);
    Rows::of("heaps", columns, rows.collect())
}

/// The entries of one heap, in its order: with who uses them, or without where that is not known yet.
pub(crate) fn heap_rows(session: &Session, side: Side, heap: Heap, with_users: bool) -> Option<Rows<'_>> {
    side.metadata(session)?;
    let entries = refs::entries(session, side, heap);
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

pub(crate) fn heap_row(session: &Session, side: Side, heap: Heap, offset: u32, with_users: bool) -> Row {
    let place = Place::HeapEntry(side, heap, offset);
    let span = side.metadata(session).and_then(|metadata| metadata.heaps.entry_span(heap, offset).ok());
    let number = if heap == Heap::Guids { offset.to_string() } else { format!("{offset:#x}") };
    let bytes = span.map_or(0, |span| span.len).to_string();
    let content = Cell::new(text(session, side, heap, offset));
    let users = if with_users { refs::of_entry(session, side, heap, offset) } else { &[] };
    let meaning = heap_meaning(session, side, heap, offset, users).unwrap_or_default();
    let meaning = Cell::toned(meaning, Tone::Dim);
    let used_by = if with_users { user_cell(side, users) } else { Cell::toned("…", Tone::Dim) };
    let cells = vec![Cell::toned(number, Tone::Dim), Cell::new(bytes), content, meaning, used_by];
    Row { span, ..Row::at(place, cells) }
}

/// Summary of a blob, by the first column that leads to it.
pub(crate) fn heap_meaning(
    session: &Session,
    side: Side,
    heap: Heap,
    offset: u32,
    users: &[HeapRef],
) -> Option<String> {
    if heap != Heap::Blobs {
        return None;
    }
    let user = users.first()?;
    let blob = side.metadata(session)?.heaps.blob(offset).ok()?;
    if user.is_nested() {
        return Some(utf8(blob.data).into_owned());
    }
    Some(blobs::summary(session, side, user.table(), user.row(), user.column(), blob))
}

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
    text.unwrap_or_else(|error| format!("({})", session.spaces().error_text(&error)))
}

pub(crate) fn user_cell(side: Side, users: &[HeapRef]) -> Cell {
    let Some(first) = users.first() else { return Cell::default() };
    let more = if users.len() > 1 { format!("+{}", users.len() - 1) } else { String::new() };
    let cell = Cell::new(format!("{}/{}", first.table().name(), first.row())).beside(more);
    cell.to(Place::Row(side, first.table(), first.row()))
}

/// One entry of a heap: its length, its content, and its meaning according to a column that refers to it.
pub(crate) fn explain_heap_entry(session: &Session, side: Side, heap: Heap, offset: u32) -> Option<Fields> {
    let found = &side.metadata(session)?.heaps;
    let slice = metadata::slice_of(session, side, found.entry_span(heap, offset).ok()?)?;
    let title = Place::HeapEntry(side, heap, offset).to_string();
    let user = if heap == Heap::Blobs { refs::of_entry(session, side, heap, offset).first() } else { None };
    let Some(user) = user else {
        return Some(Fields::explain(title, slice, |cursor| heaps::explain(cursor, heap), |_, _| None));
    };
    let (table, row, column) = (user.table(), user.row(), user.column());
    let title = format!("{title} · {}.{} of row {row}", table.name(), table.def()?.columns.get(column)?.name);
    if user.is_nested() {
        return Some(Fields::explain(title, slice, |cursor| blobs::explain_text(cursor), |_, _| None));
    }
    let decode = |cursor: &mut _| blobs::explain(session, side, table, row, column, cursor);
    Some(Fields::explain(title, slice, decode, |_, field| blobs::meaning(session, side, (table, row, column), field)))
}

pub(crate) fn heap_facts(session: &Session, side: Side, heap: Heap) -> Option<Fields> {
    let metadata = side.metadata(session)?;
    let span = metadata.heaps.get(heap).span();
    let mut facts = Facts::new(format!("{side}{}", heap.stream()));
    facts.bytes(session, span);
    if let Some(row) = facts.fields.rows.first_mut() {
        row.about = match heap {
            Heap::Strings => "Names, in UTF-8, each ended by a NUL.",
            Heap::UserStrings => "The literals of ldstr, in UTF-16, each after its length.",
            Heap::Guids => "Sixteen bytes each, counted from 1.",
            Heap::Blobs => "Bytes preceded by their length; the column that refers to them determines their meaning.",
        };
    }
    if is_cached(session, refs::entries_index(side, heap)) {
        facts.fact("entries", refs::entries(session, side, heap).len());
    }
    if heap != Heap::UserStrings {
        facts.group("columns that lead here");
    }
    for table in metadata.tables.present() {
        for (index, column) in table.columns().iter().enumerate().filter(|(_, column)| refs::leads(column.kind, heap)) {
            let name = format!("{}.{}", table.id.name(), column.name);
            let row = facts.fact(name, table.rows()).to(Place::Table(side, table.id));
            row.mean(if table.rows() == 1 { "row" } else { "rows" }).about = column.doc.about;
            row.at(table.cell_span(1, index).unwrap_or_default());
        }
    }
    facts.done()
}
