//! Machine code of a function.

use crate::bytes::{Cursor, Recording, fields};
use crate::formats::pdb::Function;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::fields::{Fields, Meaning};
use crate::nodes::function::native::name_or_address;
use crate::nodes::function::view::function_view;
use crate::nodes::method::view;
use crate::nodes::method::view::range_text;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::text::safe::{count, spaced_hex};

/// The machine code of the function at an address, a row a line.
pub(crate) fn function_code(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let view = function_view(session, rva);
    let (of, Some(size)) = (view.of, view.size) else { return None };
    let CodeUnit::Function(start) = of else { return None };
    let columns = vec![
        Head::number("line"),
        Head::number("rva"),
        Head::number("offset"),
        Head::text("source"),
        Head::number("bytes"),
        Head::text("code"),
    ];
    // Code before the first line is a row too.
    let before = view.points.first().is_none_or(|point| point.offset > 0);
    let title = format!("{} · {} of machine code", name_or_address(session, of.address()), count(size, "byte"));
    let len = view.points.len() + usize::from(before);
    Some(Rows::new(title, columns, len, move |row| {
        let index = row.checked_sub(usize::from(before));
        let point = index.and_then(|index| view.points.get(index));
        let range = match index {
            Some(index) => view.point_range(index),
            None => 0..view.points.first().map_or(size, |point| point.offset),
        };
        let part = view.code.filter(|code| u64::from(range.end) <= code.len);
        let span = part.map(|code| code.part(range.start.into(), range.len() as u64));
        let bytes = span.and_then(|span| view::image_bytes(session, span).ok()).map_or(&[][..], |slice| slice.data);
        let number = index.map_or(String::new(), |index| (index + 1).to_string());
        let cells = vec![
            Cell::toned(number, Tone::Dim),
            Cell::new(format!("{:#x}", start.wrapping_add(range.start))),
            Cell::toned(of.label(range.start.into()), Tone::Dim),
            Cell::new(point.map_or(String::new(), range_text)),
            Cell::toned(range.len().to_string(), Tone::Dim),
            Cell::new(spaced_hex(bytes, 32)),
        ];
        Row { span, ..Row::at(of.code(range.start), cells) }
    }))
}

fields! {
    /// The machine code: instructions of the processor.
    MACHINE_CODE: "machine code";
    /// The instructions that belong to the line, as the image has them.
    CODE: "code";
}

/// Machine code of a function: all of it, or that of a line from an offset on.
pub(crate) fn explain_code(session: &Session, function: &Function, rva: u32, offset: Option<u32>) -> Option<Fields> {
    let view = function_view(session, rva);
    let code = view.code?;
    let name = name_or_address(session, view.of.address());
    let (title, span) = match offset {
        None => (format!("{name} · machine code"), code),
        Some(offset) => {
            let end = view.points.covering(offset).map_or_else(
                || view.points.first().map_or(function.len, |point| point.offset),
                |point| view.point_range(point).end,
            );
            let len = code.len.min(end.into()).checked_sub(offset.into())?;
            (format!("{name}{} · machine code", view.of.label(offset.into())), code.part(offset.into(), len))
        }
    };
    if span.is_empty() {
        return None;
    }
    let slice = view::image_bytes(session, span).ok()?;
    let point = offset.and_then(|offset| view.points.covering(offset));
    let decode = |c: &mut Cursor<'_, Recording>| c.group(&MACHINE_CODE, |c| c.bytes(&CODE, c.left()).map(drop));
    let mut fields = Fields::explain(title, slice, decode, |_, field| {
        let (index, point) = point.and_then(|index| Some((index, view.points.get(index)?)))?;
        let to = view.of.point(index as u32 + 1);
        (field.name() == "code").then(|| Meaning::to(format!("line {} · {}", index + 1, range_text(point)), to))
    });
    // The bytes themselves stand beside it.
    fields.rows.iter_mut().filter(|row| !row.group).for_each(|row| row.value = count(row.span.len, "byte"));
    Some(fields)
}
