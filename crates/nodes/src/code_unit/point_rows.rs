//! The points of a method or a function, as a list.

use super::il::document_name;
use crate::place::{CodeUnit, Place};
use crate::rows::{Cell, Data, Head, Row, Rows, Tone};
use pdblens_formats::bytes::Span;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{count, spaced_hex};
use std::ops::Deref;

/// Name of the bytes that encode a point: those of a blob, a record of a Windows PDB, or opcodes of an `.mdb`.
pub fn encoded_as(session: &Session) -> &'static str {
    match () {
        () if session.windows_pdb().is_some() || session.native_pdb().is_some() => "line record",
        () if session.mdb().is_some() => "line program",
        () => "blob bytes",
    }
}

/// The points of a method or a function, beside the bytes that encode them, which are a part of `encoded`.
pub(crate) fn point_rows<'s>(
    session: &'s Session,
    of: CodeUnit,
    points: impl Deref<Target = [SequencePoint]> + Send + Sync + 's,
    encoded: Option<Span>,
) -> Rows<'s> {
    let words = of.words();
    let title = format!("{} · {}", super::name(session, of), count(points.len() as u64, words.full_point));
    let columns = Head::list(["#:", words.column, "source", "document", encoded_as(session)]);
    Rows::new(title, columns, points.len(), move |index| {
        let Some(point) = points.get(index) else { return Row::default() };
        let SequencePoint { offset, document, .. } = *point;
        let read = |span| session.spaces().read(span).map_or_else(|_| String::new(), |bytes| spaced_hex(&bytes, 16));
        let span = encoded.map(|all| all.part(point.at.into(), point.len.into()));
        let beside = session.symbol_file().and_then(|file| file.content.columns_of(of.token(), point));
        let at = Cell::new(of.label(offset.into())).to(of.code(offset));
        let name = document_name(session, document).unwrap_or_default();
        let cells = vec![
            Cell::toned((index + 1).to_string(), Tone::Dim),
            if let CodeUnit::Method(_) = of { at.data(Data::Number(offset.into())) } else { at },
            Cell::source(point),
            Cell::toned(file_name(&name), Tone::Dim).to((document > 0).then_some(Place::Document(document))),
            Cell::new(span.map_or_else(String::new, read)).beside(beside.map_or_else(String::new, read)),
        ];
        Row { span, ..Row::at(of.point(index as u32 + 1), cells) }
    })
}
