//! Facts about nodes that are not records: fields whose spans show the bytes that a fact is derived from, without tiling them.

use crate::fields::{FieldRow, Fields};
use crate::place::Place;
use pdblens_formats::bytes::{FieldDoc, Space, Span};
use pdblens_session::session::Session;

pub struct Facts {
    pub fields: Fields,
    depth: u8,
}

impl Facts {
    pub fn new(title: impl Into<String>) -> Self {
        Self { fields: Fields { title: title.into(), ..Fields::default() }, depth: 0 }
    }

    pub(crate) fn group(&mut self, name: impl Into<String>) {
        self.fields.rows.push(FieldRow { name: name.into(), group: true, ..FieldRow::default() });
        self.depth = 1;
    }

    /// A fact; what more there is to say of it is said of what is returned.
    #[allow(clippy::needless_pass_by_value)] // A number is given as it is.
    pub fn fact(&mut self, name: impl Into<String>, value: impl ToString) -> &mut FieldRow {
        let row = FieldRow { name: name.into(), value: value.to_string(), depth: self.depth, ..FieldRow::default() };
        self.fields.rows.push(row);
        let last = self.fields.rows.len() - 1;
        &mut self.fields.rows[last]
    }

    pub(crate) fn bytes(&mut self, session: &Session, span: Span) {
        self.fields.span = span;
        self.fact("bytes", span.len).mean(span_text(session, span));
    }

    pub(crate) fn done(self) -> Option<Fields> {
        (!self.fields.rows.is_empty()).then_some(self.fields)
    }
}

impl FieldRow {
    pub fn mean(&mut self, text: impl Into<String>) -> &mut Self {
        self.meaning = text.into();
        self
    }

    pub fn to(&mut self, place: impl Into<Option<Place>>) -> &mut Self {
        self.to = place.into();
        self
    }

    pub fn at(&mut self, span: Span) -> &mut Self {
        self.span = span;
        self
    }

    pub(crate) fn describe(&mut self, doc: &FieldDoc) -> &mut Self {
        self.about = doc.about;
        self
    }
}

/// A span as people read it: `App.dll 0x1a0+5`.
pub fn span_text(session: &Session, span: Span) -> String {
    let name = session.spaces().get(span.space).map_or("?".into(), Space::name);
    format!("{name} {:#x}+{}", span.start, span.len)
}
