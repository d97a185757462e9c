//! The list of what can be listed, and the list of what is wrong.

use crate::nodes;
use crate::nodes::Place;
use crate::nodes::fields::Fields;
use crate::nodes::finding::findings;
use crate::nodes::place::{MdbTable, MetadataPart, PePart, Side};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::text::safe::count;

/// Every place that is a list, with how long it is.
pub(crate) fn places_rows(session: &Session) -> Rows<'_> {
    let mut places: Vec<Place> = vec![Place::Overview, Place::Findings];
    if session.image().is_some() {
        let parts = [PePart::Dos, PePart::Coff, PePart::Optional, PePart::Cli];
        places.push(Place::Pe);
        places.extend(parts.map(Place::PePart));
        places.extend([PePart::Sections, PePart::Directories, PePart::DebugDirectory].map(Place::PePart));
    }
    for (side, _) in Side::loaded(session) {
        let part = |part| Place::Metadata(side, part);
        places.extend([part(MetadataPart::Root), part(MetadataPart::Streams), part(MetadataPart::TablesHeader)]);
        if side == Side::Pdb {
            places.push(part(MetadataPart::PdbStream));
        }
    }
    places.extend([Place::Tables, Place::Heaps, Place::Methods, Place::Documents, Place::Streams, Place::Pages]);
    places.extend([
        Place::Header,
        Place::Parts,
        Place::Directory,
        Place::Modules,
        Place::Functions,
        Place::Types,
        Place::Ids,
    ]);
    places.extend([Place::Publics, Place::Globals, Place::SectionMap, Place::Contributions, Place::Names]);
    places.extend(MdbTable::ALL.map(Place::Mdb));
    for (side, metadata) in Side::loaded(session) {
        places.extend(metadata.tables.present().map(|table| Place::Table(side, table.id)));
        places.extend(crate::formats::metadata::Heap::ALL.map(|heap| Place::Heap(side, heap)));
    }
    let rows = places.into_iter().filter_map(|place| {
        let (what, size) = place_heading(session, place)?;
        Some(Row::at(
            place,
            vec![Cell::new(place.to_string()).to(place), Cell::new(what), Cell::toned(size, Tone::Dim)],
        ))
    });
    Rows::of("places", vec![Head::text("place"), Head::text("what"), Head::text("size")], rows.collect())
}

/// What a place is called and how much there is: without walking a heap, which takes as long as it is large.
fn place_heading(session: &Session, place: Place) -> Option<(String, String)> {
    match place {
        Place::Overview => return Some(("overview".to_owned(), String::new())),
        Place::Heaps => return Some(("heaps".to_owned(), String::new())),
        Place::Heap(side, heap) => {
            let bytes = side.metadata(session)?.heaps.get(heap).len();
            return Some((format!("{side}{}", heap.stream()), count(bytes, "byte")));
        }
        _ => {}
    }
    let fields = |fields: Fields| (fields.title.clone(), count(fields.leaves().count() as u64, "field"));
    match nodes::rows(session, place) {
        Some(rows) => Some((rows.title, count(rows.len as u64, "row"))),
        None => nodes::fields(session, place).map(fields),
    }
}

/// What is wrong, each at its place.
pub(crate) fn findings_list(session: &Session) -> Rows<'_> {
    let rows: Vec<Row> = findings(session)
        .map(|finding| {
            let mut row = Row::at(
                finding.place,
                vec![
                    Cell::new(finding.place.to_string()).to(finding.place),
                    Cell::toned(finding.sentence, Tone::Bad),
                    Cell::toned(finding.span.map(|span| span_text(session, span)).unwrap_or_default(), Tone::Dim),
                ],
            );
            row.span = finding.span;
            row
        })
        .collect();
    let columns = vec![Head::text("place"), Head::text("finding"), Head::text("bytes")];
    Rows::of(count(rows.len() as u64, "finding"), columns, rows)
}

/// A span as people read it: `App.dll 0x1a0+5`.
pub fn span_text(session: &Session, span: crate::bytes::Span) -> String {
    let name = session.spaces().get(span.space).map_or("?", |space| space.name.as_str());
    format!("{name} {:#x}+{}", span.start, span.len)
}
