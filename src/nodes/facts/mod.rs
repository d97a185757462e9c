//! What is known of something that is no record: of a table, a heap, a stream, a list, of bytes that nothing leads to.
//!
//! Facts are fields too, with what they are about where records have what was decoded: their spans are bytes that show what is
//! meant, and tile nothing.

pub(crate) mod bytes;
pub(crate) mod identity;
pub(crate) mod metadata;
pub(crate) mod methods;
pub(crate) mod streams;

use super::Place;
use super::place::{MetadataPart, PePart};
use crate::bytes::Span;
use crate::model::lessons;
use crate::nodes;
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
        self.fact("bytes", span.len).mean(nodes::span_text(session, span));
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

/// What is known of `place` where that is no record; nothing where there is no more to say than its name.
pub fn summary(session: &Session, place: Place) -> Option<Fields> {
    let mut facts = match place {
        Place::Overview => identity::identity_facts(session),
        Place::Table(side, table) => metadata::table_facts(session, side, table),
        Place::Heap(side, heap) | Place::HeapEntry(side, heap, _) => metadata::heap_facts(session, side, heap),
        Place::Metadata(side, MetadataPart::Streams) => metadata::root_facts(session, side),
        Place::Tables => metadata::tables_facts(session),
        Place::Pe | Place::PePart(PePart::Sections | PePart::Directories | PePart::DebugDirectory) => {
            identity::image_facts(session, place)
        }
        Place::Pages | Place::Streams => streams::container_facts(session),
        Place::Stream(number) | Place::Record(number, _) => streams::stream_facts(session, number),
        Place::Modules | Place::SectionMap | Place::Contributions => streams::debug_information_facts(session, place),
        Place::Parts => streams::parts_facts(session),
        place if place.is_of_native_code() => streams::native_facts(session),
        Place::Methods => methods::methods_facts(session),
        Place::MethodPart(method, _) => methods::method_facts(session, method),
        Place::Documents => methods::documents_facts(session),
        Place::Line(document, line) => methods::line_facts(session, document, line),
        Place::Bytes(span) => bytes::bytes_facts(session, span),
        _ => None,
    }?;
    for row in &mut facts.rows {
        row.to = row.to.filter(|place| nodes::exists(session, *place));
    }
    Some(facts)
}
