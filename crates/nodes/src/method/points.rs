//! Sequence points of a method.

use crate::code_unit::document_name;
use crate::code_unit::il as view;
use crate::code_unit::il::{method_view, range_text};
pub use crate::code_unit::point_rows::encoded_as;
use crate::code_unit::point_rows::point_rows;
use crate::code_unit::view::MethodView;
use crate::fields::{Fields, Meaning};
use crate::place::{MethodPart, Place, il_label};
use crate::rows::Rows;
use crate::table::blobs;
use pdblens_formats::bytes::{Field, Slice};
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::{SequencePoint, signed};
use pdblens_session::session::Session;
use pdblens_session::symbols::SymbolRecord;

pub(crate) fn point_list(session: &Session, method: Token) -> Rows<'_> {
    let view = method_view(session, method);
    point_rows(session, method.into(), view.points, view.symbols.points)
}

/// All the points of a method with their header, as one blob.
pub(crate) fn explain_points(session: &Session, method: Token) -> Option<Fields> {
    let (view, symbols) = (method_view(session, method), session.symbols()?);
    // A header that cannot be decoded is told with its byte: the blob is there.
    let span = view.symbols.points.or_else(|| session.portable_pdb()?.points_span(method))?;
    let bytes = session.spaces().read(span).ok()?;
    let title = format!("{} · sequence points", session.method_name(method));
    let decode = |cursor: &mut _| symbols.decode(SymbolRecord::Points(method), cursor);
    let slice = Slice::new(&bytes, span.space, span.start);
    Some(Fields::explain(title, slice, decode, |record, field| meaning(session, &view, record, field)))
}

/// One point: the numbers of its record, and the value that each decodes to. Columns that are stored elsewhere follow.
pub(crate) fn explain_point(session: &Session, method: Token, number: u32) -> Option<Fields> {
    let view = method_view(session, method);
    let point = view.points.get(number.checked_sub(1)? as usize)?;
    let span = view::point_span(&view, point)?;
    let mut all = explain_points(session, method)?;
    let columns = session.symbol_file().and_then(|file| file.content.columns_of(method, point));
    let apart = columns.map(|columns| {
        let mut apart = all.clone();
        apart.narrow(columns);
        apart.rows
    });
    all.narrow(span);
    all.rows.extend(apart.unwrap_or_default());
    all.title = format!("point {number} · {} {}", il_label(point.offset.into()), range_text(point));
    all.error = None;
    Some(all)
}

/// Meaning of a field among the points of a method: for a difference, what it comes to.
fn meaning(session: &Session, view: &MethodView, record: &str, field: &Field) -> Option<Meaning> {
    let at = field.span.start.checked_sub(view.symbols.points?.start)?;
    let index = view.points.partition_point(|point| point.at as u64 <= at).checked_sub(1);
    let method = view.of.token();
    let instruction = |il: u32| Place::MethodPart(method, MethodPart::Instruction(il));
    let line = |point: &SequencePoint| Place::Line(point.document, point.start_line);
    if matches!(field.name(), "document" | "initial document") {
        let row = field.value.number()? as u32;
        return Some(Meaning::to(document_name(session, row).unwrap_or_default(), Place::Document(row)));
    }
    if field.name() == "local signature" {
        return Some(blobs::local_signature(session, field.value.number()? as u32));
    }
    if field.name() == "file" {
        // Of the block that begins here: that of its first point.
        let next = view.points.partition_point(|point| (point.at as u64) < at);
        let row = view.points.get(next)?.document;
        return Some(Meaning::to(document_name(session, row).unwrap_or_default(), Place::Document(row)));
    }
    // Formats that keep columns apart have fields that no point's own record holds.
    let point = view.points.get(index?)?;
    at.checked_sub(point.at.into()).filter(|into| *into < point.len.into())?;
    Some(match field.name() {
        "δ IL offset" => Meaning::to(format!("→ {}", il_label(point.offset.into())), instruction(point.offset)),
        "Δ lines" if point.is_hidden() => Meaning::text("no lines"),
        "Δ columns" if point.is_hidden() => Meaning::text("hidden"),
        "Δ lines" => Meaning::text(format!("→ ends on line {}", signed(point.end_line))),
        "Δ columns" => Meaning::text(format!("→ ends before column {}", signed(point.end_column))),
        "δ start line" | "start line" => Meaning::to(format!("→ line {}", signed(point.start_line)), line(point)),
        "δ start column" | "start column" => Meaning::text(format!("→ column {}", signed(point.start_column))),
        "offset" if record == "line record" => {
            Meaning::to(format!("→ {}", il_label(point.offset.into())), instruction(point.offset))
        }
        "lines" => Meaning::to(range_text(point), line(point)),
        "point" | "hidden point" | "line record" => {
            let number = index? + 1;
            Meaning::to(range_text(point), Place::MethodPart(method, MethodPart::Point(number as u32)))
        }
        _ => return None,
    })
}
