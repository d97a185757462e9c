//! Bodies of methods: their instructions, and their exception clauses.

use crate::code_unit::il as view;
use crate::code_unit::il::{method_view, region_kind};
use crate::code_unit::view::MethodView;
use crate::fields::{FieldRow, Fields, Meaning};
use crate::place::{MethodPart, Place, il_label};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::table::blobs;
use pdblens_formats::bytes::{Field, Span};
use pdblens_formats::il::Instruction;
use pdblens_formats::il::{Body, ExceptionRegion, RegionKind};
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, spaced_hex};

pub(crate) fn il_list(session: &Session, method: Token) -> Rows<'_> {
    let view = method_view(session, method);
    let size = view.body.as_ref().map_or(0, |body| body.code_size);
    let title = format!("{} · {} of IL", session.method_name(method), count(size, "byte"));
    let columns = Head::list(["point:", "il", "bytes", "opcode", "operand"]);
    Rows::new(title, columns, view.instructions.len(), move |index| {
        let Some((offset, span)) = view.instructions.get(index).copied() else { return Row::default() };
        let place = Place::MethodPart(method, MethodPart::Instruction(offset));
        let begins = view.point_begins_at(offset);
        let bytes = view::image_bytes(session, span).map_or(&[][..], |slice| slice.data);
        let (opcode, operand) = match view::instruction(session, offset, span) {
            Ok(found) => {
                let to = view::operand_place(method, &found);
                (Cell::new(found.opcode.name), Cell::new(view.operand(session, &found)).to(to))
            }
            Err(error) => (Cell::toned("?", Tone::Bad), Cell::toned(session.spaces().error_text(&error), Tone::Bad)),
        };
        let cells = vec![
            Cell::toned(begins.map_or(String::new(), |point| (point + 1).to_string()), Tone::Dim),
            Cell::il(offset).to(place),
            Cell::toned(spaced_hex(bytes, 9), Tone::Dim),
            opcode,
            operand,
        ];
        Row::at(place, cells).from(span)
    })
}

/// The instruction at an IL offset, or the one that it is in the middle of.
pub(crate) fn explain_instruction(session: &Session, method: Token, offset: u32) -> Option<Fields> {
    let view = method_view(session, method);
    let (at, span) = *view.instructions.get(view.instruction_at(offset)?)?;
    explain_one(session, method, &view, (at, span))
}

/// The instructions that one explanation lists; longer methods are cut, and their size says so.
const MAX_INSTRUCTIONS: usize = 20_000;

/// All instructions of a method, each a group, up to the first that cannot be decoded.
pub(crate) fn explain_code(session: &Session, method: Token) -> Option<Fields> {
    let view = method_view(session, method);
    let title = format!("{} · IL", session.method_name(method));
    let mut all = Fields { title, span: view.code?, ..Fields::default() };
    for (at, span) in view.instructions.iter().take(MAX_INSTRUCTIONS) {
        let one = explain_one(session, method, &view, (*at, *span))?;
        // The name of the record alone does not tell one instruction from another.
        let label = il_label(i64::from(*at));
        let named = |row: FieldRow| {
            let is_outermost = row.group && row.depth == 0;
            if is_outermost { FieldRow { meaning: label.clone(), ..row } } else { row }
        };
        all.rows.extend(one.rows.into_iter().map(named));
        (all.error, all.failed) = (one.error, one.failed);
        if all.error.is_some() {
            break;
        }
    }
    Some(all)
}

fn explain_one(session: &Session, method: Token, view: &MethodView, (at, span): (u32, Span)) -> Option<Fields> {
    let slice = view::image_bytes(session, span).ok()?;
    let title = format!("{} · {}", session.method_name(method), il_label(at.into()));
    let decoded = view::instruction(session, at, span).ok();
    let decode = |cursor: &mut _| Instruction::decode(cursor, at).map(drop);
    Some(Fields::explain(title, slice, decode, |_, field| {
        let found = decoded?;
        match field.name() {
            "opcode" | "two-byte opcode" => {
                Some(Meaning::text(format!("{}: {}", found.opcode.name, found.opcode.about)))
            }
            "instruction" | "opcode prefix" | "count" => None,
            "target" => {
                // Targets count from the next instruction.
                let target = field.value.number().map(|jump| i64::from(found.next()) + jump);
                Some(Meaning::text(target.map_or_else(String::new, |target| format!("→ {}", il_label(target)))))
            }
            _ => Some(Meaning::to(view.operand(session, &found), view::operand_place(method, &found))),
        }
    }))
}

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

pub(crate) fn explain_body(session: &Session, method: Token) -> Option<Fields> {
    let body = view::body(session, method).ok()??;
    let slice = view::image_bytes(session, body.span).ok()?;
    let title = format!("{} · body", session.method_name(method));
    Some(Fields::explain(title, slice, |cursor| Body::decode(cursor).map(drop), |_, field| meaning(session, field)))
}

pub(crate) fn explain_region(session: &Session, method: Token, number: u32) -> Option<Fields> {
    let span = view::body(session, method).ok()??.regions.get(number as usize)?.span;
    let mut fields = explain_body(session, method)?;
    fields.title = format!("{} · exception region {number}", session.method_name(method));
    fields.narrow(span);
    Some(fields)
}
