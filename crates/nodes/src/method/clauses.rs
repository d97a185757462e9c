//! Bodies of methods, and their exception clauses.

use crate::code_unit::il_label;
use crate::fields::{Fields, Meaning};
use crate::method::view;
use crate::method::view::region_kind;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::table::blobs;
use crate::{MethodPart, Place};
use pdblens_formats::bytes::Field;
use pdblens_formats::il::{Body, ExceptionRegion, RegionKind};
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;

/// The exception regions of a method.
pub(crate) fn region_list(session: &Session, method: Token) -> Rows<'_> {
    let body = view::body(session, method).ok().flatten().unwrap_or_default();
    let columns = Head::list(["#:", "kind", "try", "handler", "catches"]);
    let rows = body.regions.iter().enumerate().map(|(index, region)| {
        let place = Place::MethodPart(method, MethodPart::Region(index as u32));
        let range = |range: pdblens_formats::il::IlRange| {
            Cell::il_range(range.start, range.end())
                .to(Place::MethodPart(method, MethodPart::Instruction(range.start)))
                .beside("end exclusive")
        };
        let cells = vec![
            Cell::toned(index.to_string(), Tone::Dim),
            Cell::new(region_kind(region)).to(place),
            range(region.tried),
            range(region.handler),
            catches(session, method, region),
        ];
        Row::at(place, cells).from(region.span)
    });
    Rows::of(format!("{} · exception regions", session.method_name(method)), columns, rows.collect())
}

pub(crate) fn catches(session: &Session, method: Token, region: &ExceptionRegion) -> Cell {
    match region.kind {
        RegionKind::Catch { class } => {
            let name = session.names().map_or_else(|| class.to_string(), |names| names.type_name(class));
            Cell::new(name).to(Place::row(class.table(), class.row()))
        }
        RegionKind::Filter { filter } => Cell::new(format!("filter at {}", il_label(filter.into())))
            .to(Place::MethodPart(method, MethodPart::Instruction(filter))),
        _ => Cell::default(),
    }
}

/// Meaning of a token in a body: the type that a clause catches, the types of the locals.
fn meaning(session: &Session, field: &Field) -> Option<Meaning> {
    let token = Token(u32::try_from(field.value.number()?).ok()?);
    match field.name() {
        "class" => {
            let name = session.names()?.type_name(token);
            Some(Meaning::to(name, Place::row(token.table(), token.row())))
        }
        "local signature" if token.row() > 0 => Some(blobs::local_signature(session, token.row())),
        _ => None,
    }
}

/// Header, code and sections of a body.
pub(crate) fn explain_body(session: &Session, method: Token) -> Option<Fields> {
    let body = view::body(session, method).ok()??;
    let slice = view::image_bytes(session, body.span).ok()?;
    let title = format!("{} · body", session.method_name(method));
    Some(Fields::explain(title, slice, |cursor| Body::decode(cursor).map(drop), |_, field| meaning(session, field)))
}

/// One exception region: its clause.
pub(crate) fn explain_region(session: &Session, method: Token, number: u32) -> Option<Fields> {
    let body = view::body(session, method).ok()??;
    let span = body.regions.get(number as usize)?.span;
    let slice = view::image_bytes(session, body.span).ok()?;
    let title = format!("{} · exception region {number}", session.method_name(method));
    let mut fields =
        Fields::explain(title, slice, |cursor| Body::decode(cursor).map(drop), |_, field| meaning(session, field));
    fields.narrow(span);
    Some(fields)
}
