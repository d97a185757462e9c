//! Exports: functions and data that other images may import.

use crate as nodes;
use crate::fields::{Fields, Meaning};
use crate::pe::linker::{self, Record};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{PePart, Place};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::exports::{self, Export, ExportTarget, Exports};
use pdblens_session::session::Session;
use pdblens_session::text::safe;

fn table(session: &Session) -> Option<&Exports> {
    linker::tables(session)?.1.exports.as_ref()?.as_ref().ok()
}

/// One row for each export; one with several names has one for each.
pub(super) fn rows(session: &Session) -> Option<Rows<'_>> {
    let (pe, table) = (linker::tables(session)?.0, table(session)?);
    let row = move |index: usize| {
        let Some(export) = table.exports.get(index) else { return Row::default() };
        let place = Place::PePart(PePart::Export(index as u32));
        let (mut rva, section, forwarder) = match &export.target {
            ExportTarget::Address(rva) => (Cell::new(format!("{rva:#x}")), pe.section_of(*rva), ""),
            ExportTarget::Forward(name) => (Cell::default(), None, name.as_str()),
        };
        rva.to = target(session, export);
        let cells = vec![
            Cell::new(export.ordinal.to_string()).to(place),
            Cell::toned(export.hint.map_or(String::new(), |hint| hint.to_string()), Tone::Dim),
            Cell::toned(export.name.clone().unwrap_or_default(), Tone::Strong),
            rva,
            Cell::toned(section.map_or("", |section| section.name.as_str()), Tone::Dim),
            Cell::new(forwarder),
        ];
        Row::at(place, cells).from(export.span)
    };
    let columns = vec![
        Head::number("ordinal"),
        Head::number("hint"),
        Head::text("name"),
        Head::number("rva"),
        Head::text("section"),
        Head::text("forwarder"),
    ];
    let of = if table.name.is_empty() { String::new() } else { format!(" of {}", table.name) };
    Some(Rows::new(format!("exports{of}"), columns, table.exports.len(), row))
}

/// The function that is exported where the symbols know one, otherwise its bytes.
fn target(session: &Session, export: &Export) -> Option<Place> {
    let ExportTarget::Address(rva) = export.target else { return None };
    if nodes::function::function_at(session, rva).is_some() {
        return Some(Place::Function(rva));
    }
    let image = session.image()?;
    Some(Place::Bytes(Span::new(image.space, image.pe.rva_to_offset(rva)?, 1)))
}

/// The text at a span, with the NUL that ends it.
pub(super) fn with_nul(text: Span) -> Span {
    if text.is_empty() { text } else { Span { len: text.len + 1, ..text } }
}

/// The export directory table, and the name of the DLL.
pub(super) fn directory(session: &Session) -> Option<Fields> {
    let table = table(session)?;
    let name = table.name_span;
    let records: [Record; 2] = [(table.span, exports::directory_table), (with_nul(name), exports::module_name)];
    linker::explain(session, "pe/exports", records, |_, field| {
        let is_name = field.name() == exports::ExportDirectory::name_rva.name && !name.is_empty();
        is_name.then(|| Meaning::to(table.name.clone(), Place::Bytes(name)))
    })
}

/// The records of an export: address, forwarder, name pointer, ordinal, name.
pub(super) fn fields(session: &Session, index: u32) -> Option<Fields> {
    let table = table(session)?;
    let export = table.exports.get(index as usize)?;
    let [pointer, ordinal] = export.key_spans;
    let records: [Record; 5] = [
        (export.span, exports::address_entry),
        (with_nul(export.forward_span), exports::forwarder),
        (pointer, exports::name_pointer),
        (ordinal, exports::ordinal_entry),
        (with_nul(export.name_span), exports::export_name),
    ];
    let name = export.name.as_ref().map_or(String::new(), |name| format!(" · {name}"));
    linker::explain(session, &format!("pe/exports/{index}{name}"), records, |record, field| match record {
        "ordinal table entry" => Some(Meaning::text(format!("ordinal {}", export.ordinal))),
        "export address table entry" => match (&export.target, target(session, export)) {
            (ExportTarget::Forward(to), _) => Some(Meaning::to(to.clone(), Place::Bytes(export.forward_span))),
            (_, Some(to @ Place::Function(rva))) => {
                Some(Meaning::to(nodes::code_unit::name(session, nodes::CodeUnit::Function(rva)), to))
            }
            _ => None,
        },
        "name pointer table entry" if field.name() == "name rva" => {
            let name = export.name.clone().unwrap_or_default();
            Some(Meaning::to(safe::utf8(name.as_bytes()).into_owned(), Place::Bytes(export.name_span)))
        }
        _ => None,
    })
}
