//! The list of what can be listed, and the list of what is wrong.

use crate::nodes::Place;
use crate::nodes::fields::Fields;
use crate::nodes::place::{MdbTable, MetadataPart, PePart, Side};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::text::safe::count;

impl Session {
    /// Every place that is a list, with how long it is.
    pub(crate) fn places(&self) -> Rows<'_> {
        let mut places: Vec<Place> = vec![Place::Overview, Place::Findings];
        if self.image.is_some() {
            let parts = [PePart::Dos, PePart::Coff, PePart::Optional, PePart::Cli];
            places.push(Place::Pe);
            places.extend(parts.map(Place::PePart));
            places.extend([PePart::Sections, PePart::Directories, PePart::DebugDirectory].map(Place::PePart));
        }
        for (side, _) in self.sides() {
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
        for (side, metadata) in self.sides() {
            places.extend(metadata.tables.present().map(|table| Place::Table(side, table.id)));
            places.extend(crate::formats::metadata::Heap::ALL.map(|heap| Place::Heap(side, heap)));
        }
        let rows = places.into_iter().filter_map(|place| {
            let (what, size) = self.place_heading(place)?;
            Some(Row::at(
                place,
                vec![Cell::new(place.to_string()).to(place), Cell::new(what), Cell::toned(size, Tone::Dim)],
            ))
        });
        Rows::of("places", vec![Head::text("place"), Head::text("what"), Head::text("size")], rows.collect())
    }

    /// What a place is called and how much there is: without walking a heap, which takes as long as it is large.
    fn place_heading(&self, place: Place) -> Option<(String, String)> {
        match place {
            Place::Overview => return Some(("overview".to_owned(), String::new())),
            Place::Heaps => return Some(("heaps".to_owned(), String::new())),
            Place::Heap(side, heap) => {
                let bytes = self.metadata_of(side)?.heaps.get(heap).len();
                return Some((format!("{side}{}", heap.stream()), count(bytes, "byte")));
            }
            _ => {}
        }
        let fields = |fields: Fields| (fields.title.clone(), count(fields.leaves().count() as u64, "field"));
        match self.rows(place) {
            Some(rows) => Some((rows.title, count(rows.len as u64, "row"))),
            None => self.fields(place).map(fields),
        }
    }

    /// What is wrong, each at its place.
    pub(crate) fn findings_list(&self) -> Rows<'_> {
        let rows = self.findings.iter().map(|finding| {
            let mut row = Row::at(
                finding.place,
                vec![
                    Cell::new(finding.place.to_string()).to(finding.place),
                    Cell::toned(finding.sentence.clone(), Tone::Bad),
                    Cell::toned(finding.span.map(|span| self.span_text(span)).unwrap_or_default(), Tone::Dim),
                ],
            );
            row.span = finding.span;
            row
        });
        let columns = vec![Head::text("place"), Head::text("finding"), Head::text("bytes")];
        Rows::of(count(self.findings.len() as u64, "finding"), columns, rows.collect())
    }

    /// A span as people read it: `App.dll 0x1a0+5`.
    pub fn span_text(&self, span: crate::bytes::Span) -> String {
        let name = self.spaces.get(span.space).map_or("?", |space| space.name.as_str());
        format!("{name} {:#x}+{}", span.start, span.len)
    }
}
