//! Lines of a function.

use crate::code_unit::document_name;
use crate::code_unit::il::range_text;
use crate::code_unit::point_rows::point_rows;
use crate::fields::{Fields, Meaning};
use crate::native::{self, NativeView};
use crate::native::{FunctionLines, line_kind};
use crate::place::{CodeUnit, Place};
use crate::rows::{Cell, Head, Rows, Tone};
use crate::stream::record::no_il;
use crate::stream::{PartKind, StreamPart, record};
use pdblens_formats::bytes::{Cursor, Recording, Slice};
use pdblens_formats::codeview::c13;
use pdblens_formats::pdb::Function;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use std::sync::Arc;

/// File and line that a function begins at; `None` until the symbols are read, and for a function without lines.
pub(crate) fn first_line(session: &Session, rva: u32) -> Option<String> {
    let native = NativeView::of(session).filter(NativeView::is_read)?;
    let point = *native.lines_of(&native.function_at(rva)?).points.first()?;
    Some(format!("{}:{}", file_name(&document_name(session, point.document)?), point.start_line))
}

/// The lines of the function at an address, beside the bytes of their records.
pub(crate) fn function_lines(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let (native, function) = native::function_at(session, rva)?;
    let of = CodeUnit::Function(native.rva_of(&function)?);
    let FunctionLines { points, stream, .. } = native.lines_of(&function);
    let points: Arc<[SequencePoint]> = points.into();
    let rows = point_rows(session, of, Arc::clone(&points), Some(stream));
    Some(rows.with(5, Head::list(["rva:", "kind", "inlined"]), move |index| {
        let Some(point) = points.get(index) else { return Vec::new() };
        let rva = of.address().wrapping_add(point.offset);
        let record = session.spaces().read(stream.part(point.at.into(), point.len.into())).unwrap_or_default();
        let inlined = native.at(rva).inlined;
        let calls = inlined.iter().map(|call| format!("{} at {}:{}", call.name, file_name(&call.file), call.line));
        let calls = calls.collect::<Vec<_>>().join(", ");
        [format!("{rva:#x}"), line_kind(&record).to_owned(), calls].map(|text| Cell::toned(text, Tone::Dim)).to_vec()
    }))
}

pub(crate) fn explain_lines(session: &Session, native: NativeView<'_>, function: &Function) -> Option<Fields> {
    let (stream, span) = native.subsection_of(function)?;
    let part =
        StreamPart { kind: PartKind::Subsection(c13::LINES), at: span.start as u32, len: span.len as u32, depth: 0 };
    record::explain_part(session, stream, part)
}

pub(crate) fn explain_line(
    session: &Session,
    native: NativeView<'_>,
    function: &Function,
    number: u32,
) -> Option<Fields> {
    let index = number.checked_sub(1)? as usize;
    let lines = native.lines_of(function);
    let point = lines.points.get(index)?;
    let rva = native.rva_of(function)?;
    let record = lines.stream.part(point.at.into(), point.len.into());
    let columns = lines.columns.get(index).filter(|columns| !columns.is_empty());
    let of = CodeUnit::Function(rva);
    let title = format!("line {number} · {} {}", of.label(point.offset.into()), range_text(point));
    let line = (point.document > 0 && !point.is_hidden()).then_some(Place::Line(point.document, point.start_line));
    let meaning = |field: &str| {
        Some(match field {
            "offset" => Meaning::to(format!("→ {}", of.label(point.offset.into())), of.code(point.offset)),
            "lines" => Meaning::to(format!("→ {}", range_text(point)), line),
            _ => return None,
        })
    };
    let read = |span, decode: fn(&mut Cursor<'_, Recording>) -> pdblens_formats::bytes::Result<()>| {
        let bytes = session.spaces().read(span).ok()?;
        let slice = Slice::new(&bytes, span.space, span.start);
        Some(Fields::explain(title.clone(), slice, decode, |_, field| meaning(field.name())))
    };
    let mut fields = read(record, c13::line_record)?;
    fields.rows.extend(columns.and_then(|span| read(*span, c13::column_record)).into_iter().flat_map(|f| f.rows));
    no_il(&mut fields);
    Some(fields)
}
