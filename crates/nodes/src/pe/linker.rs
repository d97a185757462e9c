//! Tables of the linker, and the fields of their entries: each part of an entry as a whole, for parts stand apart from each other.

use crate::fields::{FieldRow, Fields};
use crate::place::Place;
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::{LinkerTables, Pe};
use pdblens_session::session::Session;

pub(super) fn tables(session: &Session) -> Option<(&Pe, &LinkerTables)> {
    session.image().map(|image| (&image.pe, image.linker_tables()))
}

/// Part of an entry: its name and sentence, its value, and its bytes.
pub(super) fn part((name, about): (&str, &'static str), value: impl Into<String>, span: Span) -> FieldRow {
    FieldRow { name: name.to_owned(), about, value: value.into(), span, ..FieldRow::default() }
}

/// Part of an entry that leads to other bytes.
pub(super) fn link(doc: (&str, &'static str), value: impl Into<String>, span: Span, to: Span) -> FieldRow {
    let to = Some(to).filter(|to| !to.is_empty()).map(Place::Bytes);
    FieldRow { to, ..part(doc, value, span) }
}

/// Fields of an entry: those of its parts that the file has bytes of.
pub(super) fn fields(title: impl Into<String>, parts: impl IntoIterator<Item = FieldRow>) -> Option<Fields> {
    let rows: Vec<FieldRow> = parts.into_iter().filter(|part| !part.span.is_empty()).collect();
    let span = rows.first()?.span;
    Some(Fields { title: title.into(), span, rows, ..Fields::default() })
}
