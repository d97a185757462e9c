//! Methods: bodies, points, instructions, exception regions.

use crate::bytes::{Field, Slice, Span};
use crate::formats::il::{Body, Instruction, Operand, OperandType};
use crate::formats::metadata::{Heap, TableId, Token};
use crate::formats::portable::points::Point;
use crate::nodes::document;
use crate::nodes::explain::metadata;
use crate::nodes::explain::streams;
use crate::nodes::fields::{Fields, Meaning};
use crate::nodes::method;
use crate::nodes::method::{MethodView, il_label, range_text};
use crate::nodes::place::{MethodPart, Side};
use crate::nodes::{Place, blobs};
use crate::session::Session;
use crate::symbols::SymbolRecord;
use crate::text::paths::file_name;

/// A method: its row, and that of its debug information.
pub(crate) fn explain_method(session: &Session, method: Token) -> Option<Fields> {
    if method.is_nil() || method.row() > session.methods() {
        return None;
    }
    let mut all = Fields { title: format!("{method} · {}", session.method_name(method)), ..Fields::default() };
    for (side, table) in [(Side::Image, TableId::METHOD_DEF), (Side::Pdb, TableId::METHOD_DEBUG_INFORMATION)] {
        if let Some(row) = metadata::explain_row(session, side, table, method.row()) {
            all.span = if all.span.is_empty() { row.span } else { all.span };
            all.rows.extend(row.rows);
            all.error = all.error.or(row.error);
        }
    }
    if let Some(record) = streams::explain_procedure(session, method) {
        all.span = if all.span.is_empty() { record.span } else { all.span };
        all.rows.extend(record.rows);
    }
    // Without tables on either side the points are all that there is, if there are any.
    if all.rows.is_empty() { explain_points(session, method).or(Some(all)) } else { Some(all) }
}

pub(crate) fn explain_document(session: &Session, row: u32) -> Option<Fields> {
    if Side::Pdb.metadata(session).is_some() {
        return metadata::explain_row(session, Side::Pdb, TableId::DOCUMENT, row);
    }
    let symbols = session.symbols()?;
    let found = symbols.document(row).ok()?;
    let bytes = session.spaces().read(found.span).ok()?;
    let slice = Slice::new(&bytes, found.span.space, found.span.start);
    let title = format!("document/{row} · {}", file_name(&found.name));
    Some(Fields::explain(title, slice, |cursor| symbols.decode(SymbolRecord::Document(row), cursor), |_, _| None))
}

/// Header, code and sections of a body.
pub(crate) fn explain_body(session: &Session, method: Token) -> Option<Fields> {
    let body = method::body(session, method).ok()??;
    let slice = method::image_bytes(session, body.span).ok()?;
    let title = format!("{} · body", session.method_name(method));
    Some(Fields::explain(title, slice, |cursor| Body::decode(cursor).map(drop), |_, _| None))
}

/// One exception region: its clause.
pub(crate) fn explain_region(session: &Session, method: Token, number: u32) -> Option<Fields> {
    let body = method::body(session, method).ok()??;
    let span = body.regions.get(number as usize)?.span;
    let slice = method::image_bytes(session, body.span).ok()?;
    let title = format!("{} · exception region {number}", session.method_name(method));
    let mut fields = Fields::explain(title, slice, |cursor| Body::decode(cursor).map(drop), |_, _| None);
    fields.narrow(span);
    Some(fields)
}

/// The instruction at an IL offset, or the one that it is in the middle of.
pub(crate) fn explain_instruction(session: &Session, method: Token, offset: u32) -> Option<Fields> {
    let view = MethodView::of(session, method);
    let (at, span) = *view.instructions.get(view.instruction_at(offset)?)?;
    let slice = method::image_bytes(session, span).ok()?;
    let title = format!("{} · {}", session.method_name(method), il_label(at.into()));
    let decoded = method::instruction(session, at, span).ok();
    let decode = |cursor: &mut _| Instruction::decode(cursor, at).map(drop);
    Some(Fields::explain(title, slice, decode, |_, field| {
        let found = decoded?;
        match field.name {
            "opcode" | "two-byte opcode" => {
                Some(Meaning::text(format!("{}: {}", found.opcode.name, found.opcode.about)))
            }
            "instruction" | "opcode prefix" | "count" => None,
            "target" => Some(branch_meaning(&found, field)),
            _ => Some(Meaning { text: view.operand(session, &found), to: method::operand_place(method, &found) }),
        }
    }))
}

/// All the points of a method with their header, as one blob.
pub(crate) fn explain_points(session: &Session, method: Token) -> Option<Fields> {
    let (view, symbols) = (MethodView::of(session, method), session.symbols()?);
    let span = view.symbols.points?;
    let bytes = session.spaces().read(span).ok()?;
    let title = format!("{} · sequence points", session.method_name(method));
    let steps = Steps::new(&view);
    let decode = |cursor: &mut _| symbols.decode(SymbolRecord::Points(method), cursor);
    let slice = Slice::new(&bytes, span.space, span.start);
    Some(Fields::explain(title, slice, decode, |record, field| steps.meaning(session, record, field)))
}

/// One point: the numbers of its record, and what each comes to. Columns that stand apart from it come behind.
pub(crate) fn explain_point(session: &Session, method: Token, number: u32) -> Option<Fields> {
    let view = MethodView::of(session, method);
    let point = view.points.get(number.checked_sub(1)? as usize)?;
    let span = method::point_span(&view, point)?;
    let mut all = explain_points(session, method)?;
    let columns = session.symbol_file().and_then(|file| file.content.columns_of(method, point));
    let apart = columns.map(|columns| {
        let mut apart = all.clone();
        apart.narrow(columns);
        apart.rows
    });
    all.narrow(span);
    all.rows.extend(apart.unwrap_or_default());
    all.title = format!("point {number} · {} {}", il_label(point.il.into()), range_text(point));
    all.error = None;
    Some(all)
}

/// Follows the points of a blob while its fields are told, to say what each difference comes to.
struct Steps<'v> {
    view: &'v MethodView,
}

impl<'v> Steps<'v> {
    const fn new(view: &'v MethodView) -> Self {
        Self { view }
    }

    fn meaning(&self, session: &Session, record: &str, field: &Field) -> Option<Meaning> {
        let at = field.span.start.checked_sub(self.view.symbols.points?.start)?;
        let index = self.view.points.partition_point(|point| point.at as u64 <= at).checked_sub(1);
        let method = self.view.of.token();
        let instruction = |il: u32| Place::MethodPart(method, MethodPart::Instruction(il));
        let line = |point: &Point| Place::Line(point.document, point.start_line);
        if matches!(field.name, "document" | "initial document") {
            let row = field.value.number()? as u32;
            return Some(Meaning::to(document::name(session, row).unwrap_or_default(), Place::Document(row)));
        }
        if field.name == "local signature" {
            return Some(blobs::local_signature(session, field.value.number()? as u32));
        }
        if field.name == "file" {
            // Of the block that begins here: that of its first point.
            let next = self.view.points.partition_point(|point| (point.at as u64) < at);
            let row = self.view.points.get(next)?.document;
            return Some(Meaning::to(document::name(session, row).unwrap_or_default(), Place::Document(row)));
        }
        // Formats that keep columns apart have fields that no point's own record holds.
        let point = self.view.points.get(index?).filter(|point| at < point.at as u64 + point.len as u64)?;
        Some(match field.name {
            "δ IL offset" => Meaning::to(format!("→ {}", il_label(point.il.into())), instruction(point.il)),
            "Δ lines" if point.is_hidden() => Meaning::text("hidden: no lines …"),
            "Δ columns" if point.is_hidden() => Meaning::text("… and no columns"),
            "Δ lines" => Meaning::text(format!("→ ends on line {}", point.end_line)),
            "Δ columns" => Meaning::text(format!("→ ends at column {}", point.end_column)),
            "δ start line" | "start line" => Meaning::to(format!("→ line {}", point.start_line), line(point)),
            "δ start column" | "start column" => Meaning::text(format!("→ column {}", point.start_column)),
            "offset" if record == "line record" => {
                Meaning::to(format!("→ {}", il_label(point.il.into())), instruction(point.il))
            }
            "lines" => Meaning::to(range_text(point), line(point)),
            "point" | "hidden point" | "line record" => {
                let number = index? + 1;
                Meaning::to(range_text(point), Place::MethodPart(method, MethodPart::Point(number as u32)))
            }
            _ => return None,
        })
    }
}

fn branch_meaning(found: &Instruction<'_>, field: &Field) -> Meaning {
    // Targets count from the next instruction.
    let target = field.value.number().map(|jump| i64::from(found.next()) + jump);
    Meaning::text(target.map(|target| format!("→ {}", il_label(target))).unwrap_or_default())
}
