//! Streams of a Windows PDB, and their records.

pub(crate) mod describe;
pub(crate) mod hash_meaning;
pub(crate) mod hash_parts;
mod part_kind;
pub(crate) mod parts;
pub(crate) mod record;
pub(crate) mod view;

pub use describe::*;
pub use part_kind::PartKind;
pub use parts::*;
pub use pdblens_formats::msf::{Owner, PageUse};
pub use view::*;

use crate::facts::Facts;
use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::lazy_index::is_cached;
use crate::owner::{OwnerSearch, Turn};
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::Span;
use pdblens_formats::msf::Directory;
use pdblens_formats::pdb::{StreamKind, streams};
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, spaced_hex};

pub(crate) const STREAM: Kind<u32> = Kind {
    label: |_| Label::new("stream", 1),
    exists: |session, number| PdbView::of(session).is_some_and(|view| number < view.pdb.msf.stream_count()),
    absence: |session, number| {
        PdbView::of(session)?.span(number)?;
        let place = Place::Stream(number);
        Some(format!("{place} is not one record · tip: `pdblens list FILE {place}`"))
    },
    rows: stream_rows,
    row_of: |session, place, number| row_of_stream(session, number, place),
    fields: record::explain_stream,
    summary: stream_facts,
    bytes: |session, number| PdbView::of(session)?.span(number),
    indexes: |_, number| vec![records_index(number)],
    ..Kind::NEW
};

pub(crate) const RECORD: Kind<(u32, u32)> = Kind {
    owners: &[(Turn::Records, owners)],
    label: |_| Label::new("symbol", 2),
    absence: |session, (stream, offset)| {
        let whole = PdbView::of(session)?.span(stream)?;
        if u64::from(offset) >= whole.len {
            let size = count(whole.len, "byte");
            return Some(format!("nothing is at {offset:#x} of stream {stream}: it has {size}"));
        }
        let around = record::around(session, stream, offset).map_or_else(String::new, |text| format!(": {text}"));
        let tip = format!("`pdblens list FILE stream/{stream}` says where records begin");
        Some(format!("no record begins at {offset:#x} of stream {stream}{around} · tip: {tip}"))
    },
    fields: |session, (stream, offset)| record::explain_record(session, stream, offset),
    indexes: |_, (stream, _)| vec![records_index(stream)],
    ..Kind::NEW
};

/// Adds the record that has the byte; the stream, where its records are not known or nothing says where they are.
fn owners(search: &mut OwnerSearch<'_>) {
    let Some(view) = PdbView::of(search.session) else { return };
    let Some(stream) = view.pdb.msf.stream_of(search.byte.space) else { return };
    let whole = view.span(stream).unwrap_or_default();
    if !search.has_index(records_index(stream)) {
        return search.add(Place::Stream(stream), whole);
    }
    let at = u32::try_from(search.byte.start).unwrap_or(u32::MAX);
    match view.part_with(stream, at) {
        Some(part) => search.add(Place::Record(stream, part.at), part.span(whole)),
        None => search.add(Place::Stream(stream), whole),
    }
}

/// Index of the row of a stream that contains a record, or the part of the stream that is in a page.
pub(crate) fn row_of_stream(session: &Session, stream: u32, place: Place) -> Option<usize> {
    let view = PdbView::of(session)?;
    match place {
        Place::Record(stream, at) => view.parts(stream).partition_point(|part| part.at <= at).checked_sub(1),
        Place::Page(page) => match view.pdb.msf.page_map(view.spaces).owner(&view.pdb.msf, page).page_use()? {
            PageUse::Stream { stream: of, from } if of == stream => {
                view.parts(stream).partition_point(|part| u64::from(part.at) <= from).checked_sub(1)
            }
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn stream_facts(session: &Session, number: u32) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let stream = view.pdb.msf.stream(number)?;
    let mut facts = Facts::new(format!("stream {number}"));
    let name = view.stream_name(number);
    let kind = view.pdb.kind_of(number);
    let to = match kind {
        StreamKind::Module(module) => Some(Place::Module(module)),
        StreamKind::Named(_) => Some(Place::Record(streams::INFO, 0)),
        _ => None,
    };
    facts.fact("what", if name.is_empty() { "nothing says" } else { name.as_str() }).to(to);
    if stream.is_nil() {
        facts.fact("bytes", "nil").mean("the directory says that there is no such stream");
        return facts.done();
    }
    facts.fact("bytes", stream.size).describe(&Directory::SIZE);
    let pages = count(stream.pages.len() as u64, "page");
    let first = stream.pages.first().copied().map(Place::Page);
    let row = facts.fact("pages", stream.pages.len()).to(first);
    row.mean(page_ranges(stream.pages)).describe(&Directory::PAGE);
    if is_cached(session, records_index(number)) {
        let records = records_in(&view.parts(number));
        let layout = if records == 0 { "its layout is not known: bytes are listed" } else { "" };
        facts.fact("records", records).mean(layout);
    }
    facts.fields.title = format!("stream {number} · {pages}");
    facts.fields.span = view.span(number).unwrap_or_default();
    facts.done()
}

/// Number of the records among the parts of a stream: the header of TPI or IPI is none.
fn records_in(parts: &[StreamPart]) -> usize {
    parts.iter().filter(|part| !matches!(part.kind, PartKind::TypesHeader)).count()
}

/// Bytes a row of a stream without a known layout.
const LINE: u64 = 16;

pub(crate) fn stream_rows(session: &Session, number: u32) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let span = view.span(number)?;
    let parts = view.parts(number);
    let title = format!("stream {number} · {}", view.stream_name(number));
    if parts.is_empty() {
        return Some(hex_lines(session, title, span));
    }
    let region = view.region(number)?;
    let columns = Head::list(["offset:", "bytes:", "record", "what"]);
    let records = records_in(&parts);
    let with_header = if records < parts.len() { " and a header" } else { "" };
    let title = format!("{title} · {}{with_header}", count(records as u64, "record"));
    Some(Rows::new(title, columns, parts.len(), move |index| {
        let Some(part) = parts.get(index).copied() else { return Row::default() };
        let place = Place::Record(number, part.at);
        let slice = region.slice().at(part.span(span)).unwrap_or_default();
        let cells = vec![
            Cell::toned(format!("{:#x}", part.at), Tone::Dim),
            Cell::toned(part.len.to_string(), Tone::Dim),
            Cell::new(part.kind.name()).to(place),
            Cell::new(view.part_text(number, part, slice)),
        ];
        Row { depth: part.depth, ..Row::at(place, cells).from(part.span(span)) }
    }))
}

/// Bytes, sixteen per row.
pub(crate) fn hex_lines(session: &Session, title: String, span: Span) -> Rows<'_> {
    let columns = Head::list(["offset:", "bytes", "text"]);
    Rows::new(title, columns, span.len.div_ceil(LINE) as usize, move |index| {
        let from = index as u64 * LINE;
        let line = span.part(from, LINE.min(span.len.saturating_sub(from)));
        let bytes = session.spaces().read(line).unwrap_or_default();
        let visible = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '·' };
        let cells = vec![
            Cell::toned(format!("{from:#x}"), Tone::Dim),
            Cell::new(spaced_hex(&bytes, LINE as usize)),
            Cell::toned(bytes.iter().map(visible).collect::<String>(), Tone::Dim),
        ];
        Row::at(Place::Bytes(line), cells).from(line)
    })
}
