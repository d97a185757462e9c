//! Instructions of a method.

use crate::code_unit::{MethodView, il_label};
use crate::fields::{FieldRow, Fields, Meaning};
use crate::method::view;
use crate::method::view::method_view;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{MethodPart, Place};
use pdblens_formats::bytes::{Field, Span};
use pdblens_formats::il::Instruction;
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, spaced_hex};

/// The instructions of a method.
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
            Ok(found) => (Cell::new(found.opcode.name), operand_cell(session, method, &view, &found)),
            Err(error) => (Cell::toned("?", Tone::Bad), Cell::toned(session.spaces().error_text(&error), Tone::Bad)),
        };
        let cells = vec![
            Cell::toned(begins.map_or(String::new(), |point| point.saturating_add(1).to_string()), Tone::Dim),
            Cell::il(offset).to(place),
            Cell::toned(spaced_hex(bytes, 9), Tone::Dim),
            opcode,
            operand,
        ];
        Row::at(place, cells).from(span)
    })
}

pub(crate) fn operand_cell(session: &Session, method: Token, view: &MethodView, found: &Instruction<'_>) -> Cell {
    let mut cell = Cell::new(view.operand(session, found));
    cell.to = view::operand_place(method, found);
    cell
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
            "target" => Some(branch_meaning(&found, field)),
            _ => Some(Meaning {
                text: view.operand(session, &found),
                to: view::operand_place(method, &found),
                ..Meaning::default()
            }),
        }
    }))
}

pub(crate) fn branch_meaning(found: &Instruction<'_>, field: &Field) -> Meaning {
    // Targets count from the next instruction.
    let target = field.value.number().map(|jump| i64::from(found.next()).saturating_add(jump));
    Meaning::text(target.map(|target| format!("→ {}", il_label(target))).unwrap_or_default())
}
