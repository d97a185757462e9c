//! Functions of native code: their records, lines, machine code and symbols.

use crate::bytes::{Cursor, Noted, Slice};
use crate::formats::codeview::c13;
use crate::formats::codeview::symbols::Record;
use crate::formats::pdb::Function;
use crate::nodes::Place;
use crate::nodes::code_unit;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::explain::streams;
use crate::nodes::fields::{Fields, Meaning};
use crate::nodes::method;
use crate::nodes::method::MethodView;
use crate::nodes::method::range_text;
use crate::nodes::native;
use crate::nodes::native::NativeView;
use crate::nodes::pdb::{Part, PartKind};
use crate::nodes::place::FunctionPart;
use crate::session::Session;
use crate::text::safe::count;

use super::streams::no_il;

/// The record of the function with the code at an address.
pub(crate) fn explain_function(session: &Session, rva: u32) -> Option<Fields> {
    let (native, function) = native::function_at(session, rva)?;
    explain_symbol(session, native, &function, function.symbol)
}

pub(crate) fn explain_function_part(session: &Session, rva: u32, part: FunctionPart) -> Option<Fields> {
    let (native, function) = native::function_at(session, rva)?;
    match part {
        FunctionPart::Line(number) => explain_line(session, native, &function, number),
        FunctionPart::Code => explain_code(session, &function, rva, None),
        FunctionPart::CodeAt(offset) => explain_code(session, &function, rva, Some(offset)),
        FunctionPart::Symbol(at) => {
            let known = native.symbols_of(&function).iter().any(|symbol| symbol.at == at);
            if known { explain_symbol(session, native, &function, at) } else { None }
        }
        FunctionPart::Lines => explain_lines(session, native, &function),
        FunctionPart::Symbols => None,
    }
}

/// A symbol record of the module of a function. One is known to begin there.
fn explain_symbol(session: &Session, native: NativeView<'_>, function: &Function, at: u32) -> Option<Fields> {
    let module = native.module(function.module).ok()?;
    let Record { kind, slice } = module.symbol(at).ok()?;
    let part = Part { kind: PartKind::Symbol(kind), at, len: slice.len() as u32, depth: 0 };
    streams::explain_part(session, native.stream_of(function)?, part)
}

/// The lines of a function: the subsection that has them.
fn explain_lines(session: &Session, native: NativeView<'_>, function: &Function) -> Option<Fields> {
    let (stream, span) = native.subsection_of(function)?;
    let part = Part { kind: PartKind::Subsection(c13::LINES), at: span.start as u32, len: span.len as u32, depth: 0 };
    streams::explain_part(session, stream, part)
}

/// One line record, and its columns, which stand apart from it.
fn explain_line(session: &Session, native: NativeView<'_>, function: &Function, number: u32) -> Option<Fields> {
    let index = number.checked_sub(1)? as usize;
    let lines = native.lines_of(function);
    let point = lines.points.get(index)?;
    let rva = native.rva_of(function)?;
    let record = lines.stream.part(point.at.into(), point.len.into());
    let columns = lines.columns.get(index).filter(|columns| !columns.is_empty());
    let of = CodeUnit::Function(rva);
    let title = format!("line {number} · {} {}", of.label(point.il.into()), range_text(point));
    let line = (point.document > 0 && !point.is_hidden()).then_some(Place::Line(point.document, point.start_line));
    let meaning = |field: &str| {
        Some(match field {
            "offset" => Meaning::to(format!("→ {}", of.label(point.il.into())), of.code(point.il)),
            "lines" => Meaning { text: format!("→ {}", range_text(point)), to: line },
            _ => return None,
        })
    };
    let read = |span, decode: fn(&mut Cursor<'_, Noted>) -> crate::bytes::Result<()>| {
        let bytes = session.spaces().read(span).ok()?;
        let slice = Slice::new(&bytes, span.space, span.start);
        Some(Fields::explain(title.clone(), slice, decode, |_, field| meaning(field.name)))
    };
    let mut fields = read(record, c13::line_record)?;
    fields.rows.extend(columns.and_then(|span| read(*span, c13::column_record)).into_iter().flat_map(|f| f.rows));
    no_il(&mut fields);
    Some(fields)
}

/// Machine code of a function: all of it, or that of a line from an offset on.
fn explain_code(session: &Session, function: &Function, rva: u32, offset: Option<u32>) -> Option<Fields> {
    let view = MethodView::of(session, CodeUnit::Function(rva));
    let code = view.code?;
    let name = code_unit::name(session, view.of);
    let (title, span) = match offset {
        None => (format!("{name} · machine code"), code),
        Some(offset) => {
            let end = view.point_at(offset).map_or_else(
                || view.points.first().map_or(function.len, |point| point.il),
                |point| view.range_of(point).end,
            );
            let len = code.len.min(end.into()).checked_sub(offset.into())?;
            (format!("{name}{} · machine code", view.of.label(offset.into())), code.part(offset.into(), len))
        }
    };
    if span.is_empty() {
        return None;
    }
    let slice = method::image_bytes(session, span).ok()?;
    let point = offset.and_then(|offset| view.point_at(offset));
    let decode = |c: &mut Cursor<'_, Noted>| c.group("machine code", |c| c.bytes("code", c.left()).map(drop));
    let mut fields = Fields::explain(title, slice, decode, |_, field| {
        let (index, point) = point.and_then(|index| Some((index, view.points.get(index)?)))?;
        let to = view.of.point(index as u32 + 1);
        (field.name == "code").then(|| Meaning::to(format!("line {} · {}", index + 1, range_text(point)), to))
    });
    // The bytes themselves stand beside it.
    fields.rows.iter_mut().filter(|row| !row.group).for_each(|row| row.value = count(row.span.len, "byte"));
    Some(fields)
}
