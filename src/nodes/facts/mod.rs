//! What is known of something that is no record: of a table, a heap, a stream, a list, of bytes that nothing leads to.
//!
//! Facts are fields too, with what they are about where records have what was decoded: their spans are bytes that show what is
//! meant, and tile nothing.

mod bytes;
mod identity;
mod metadata;
mod methods;
mod streams;

use super::Place;
use super::place::{MetadataPart, PePart};
use crate::bytes::Span;
use crate::model::lessons;
use crate::nodes::fields::{FieldRow, Fields};
use crate::session::Session;

/// Facts in the making.
struct Facts {
    fields: Fields,
    depth: u8,
}

impl Facts {
    fn new(title: impl Into<String>) -> Self {
        Self { fields: Fields { title: title.into(), ..Fields::default() }, depth: 0 }
    }

    /// A heading for the facts behind it.
    fn group(&mut self, name: impl Into<String>) {
        self.fields.rows.push(FieldRow { name: name.into(), group: true, ..FieldRow::default() });
        self.depth = 1;
    }

    /// A fact; what more there is to say of it is said of what is returned.
    #[allow(clippy::needless_pass_by_value)] // A number is given as it is.
    fn fact(&mut self, name: impl Into<String>, value: impl ToString) -> &mut FieldRow {
        let row = FieldRow { name: name.into(), value: value.to_string(), depth: self.depth, ..FieldRow::default() };
        self.fields.rows.push(row);
        let last = self.fields.rows.len() - 1;
        &mut self.fields.rows[last]
    }

    /// How many bytes there are, and where.
    fn bytes(&mut self, session: &Session, span: Span) {
        self.fields.span = span;
        self.fact("bytes", span.len).mean(session.span_text(span));
    }

    fn done(self) -> Option<Fields> {
        (!self.fields.rows.is_empty()).then_some(self.fields)
    }
}

impl FieldRow {
    fn mean(&mut self, text: impl Into<String>) -> &mut Self {
        self.meaning = text.into();
        self
    }

    fn to(&mut self, place: impl Into<Option<Place>>) -> &mut Self {
        self.to = place.into();
        self
    }

    fn at(&mut self, span: Span) -> &mut Self {
        self.span = span;
        self
    }

    /// Says what it is for, as the lesson on a field does.
    fn lesson(&mut self, record: &str, field: &str) -> &mut Self {
        self.about = lessons::find(record, field).map_or("", |lesson| lesson.about);
        self
    }
}

impl Session {
    /// What is known of `place` where that is no record; nothing where there is no more to say than its name.
    pub fn facts(&self, place: Place) -> Option<Fields> {
        let mut facts = match place {
            Place::Overview => self.identity_facts(),
            Place::Table(side, table) => self.table_facts(side, table),
            Place::Heap(side, heap) | Place::HeapEntry(side, heap, _) => self.heap_facts(side, heap),
            Place::Metadata(side, MetadataPart::Streams) => self.root_facts(side),
            Place::Tables => self.tables_facts(),
            Place::Pe | Place::PePart(PePart::Sections | PePart::Directories | PePart::DebugDirectory) => {
                self.image_facts(place)
            }
            Place::Pages | Place::Streams => self.container_facts(),
            Place::Stream(number) | Place::Record(number, _) => self.stream_facts(number),
            Place::Modules | Place::SectionMap | Place::Contributions => self.debug_information_facts(place),
            Place::Parts => self.parts_facts(),
            place if place.is_of_native_code() => self.native_facts(),
            Place::Methods => self.methods_facts(),
            Place::MethodPart(method, _) => self.method_facts(method),
            Place::Documents => self.documents_facts(),
            Place::Line(document, line) => self.line_facts(document, line),
            Place::Bytes(span) => self.bytes_facts(span),
            _ => None,
        }?;
        for row in &mut facts.rows {
            row.to = row.to.filter(|place| self.is_there(*place));
        }
        Some(facts)
    }
}
