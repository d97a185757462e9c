//! Exports: functions and data that other images may import.

use crate::code_unit;
use crate::fields::{FieldRow, Fields};
use crate::native::function_at;
use crate::pe::linker::{self, link, part};
use crate::place::{CodeUnit, PePart, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::exports::{Export, ExportTarget, Exports};
use pdblens_session::session::Session;

const DIRECTORY: (&str, &str) =
    ("export directory table", "The table that leads to the addresses, the names and the ordinals of the exports.");
const DLL_NAME: (&str, &str) = ("dll name", "The name of the DLL when it was linked.");
const ADDRESS: (&str, &str) = (
    "export address table entry",
    "The location of an export: of code or data, or within the export table of the name of another DLL's export.",
);
const FORWARDER: (&str, &str) = ("forwarder", "The export of another DLL that the loader uses instead.");
const NAME_POINTER: (&str, &str) = ("name pointer table entry", "The entry of the export in the sorted list of names.");
const ORDINAL: (&str, &str) = ("ordinal table entry", "The entry of the ordinal table beside the name pointer.");
const NAME: (&str, &str) = ("export name", "The name that the export can be imported by.");

fn table(session: &Session) -> Option<&Exports> {
    linker::tables(session)?.1.exports.as_ref()?.as_ref().ok()
}

/// One row for each export; one with several names has one for each.
pub(super) fn rows(session: &Session) -> Option<Rows<'_>> {
    let (pe, table) = (linker::tables(session)?.0, table(session)?);
    let row = move |index: usize| {
        let Some(export) = table.exports.get(index) else { return Row::default() };
        let place = Place::PePart(PePart::Export(index as u32));
        let (rva, section, forwarder) = match &export.target {
            ExportTarget::Address(rva) => (Cell::new(format!("{rva:#x}")), pe.section_of(*rva), ""),
            ExportTarget::Forward(name) => (Cell::default(), None, name.as_str()),
        };
        let cells = vec![
            Cell::new(export.ordinal.to_string()).to(place),
            Cell::toned(export.hint.map_or(String::new(), |hint| hint.to_string()), Tone::Dim),
            Cell::toned(export.name.clone().unwrap_or_default(), Tone::Strong),
            rva.to(target(session, export)),
            Cell::toned(section.map_or("", |section| section.name.as_str()), Tone::Dim),
            Cell::new(forwarder),
        ];
        Row::at(place, cells).from(export.span)
    };
    let columns = Head::list(["ordinal:", "hint:", "name", "rva:", "section", "forwarder"]);
    let of = if table.name.is_empty() { String::new() } else { format!(" of {}", table.name) };
    Some(Rows::new(format!("exports{of}"), columns, table.exports.len(), row))
}

/// The function that is exported where the symbols know one, otherwise its bytes.
fn target(session: &Session, export: &Export) -> Option<Place> {
    let ExportTarget::Address(rva) = export.target else { return None };
    if function_at(session, rva).is_some() {
        return Some(Place::Function(rva));
    }
    let image = session.image()?;
    Some(Place::Bytes(Span::new(image.space, image.pe.rva_to_offset(rva)?, 1)))
}

/// The exports of a function: one for each name.
pub(crate) fn exports_of(session: &Session, function: Place) -> impl Iterator<Item = Place> {
    let exports = table(session).map_or(&[][..], |table| &table.exports);
    let is_of = move |export: &Export| target(session, export) == Some(function);
    exports
        .iter()
        .zip(0..)
        .filter(move |(export, _)| is_of(export))
        .map(|(_, index)| Place::PePart(PePart::Export(index)))
}

/// Name of an export, or its ordinal.
pub(crate) fn name_of_export(session: &Session, index: u32) -> String {
    let Some(export) = table(session).and_then(|table| table.exports.get(index as usize)) else { return String::new() };
    export.name.clone().unwrap_or_else(|| format!("ordinal {}", export.ordinal))
}

/// The text at a span, with the NUL that ends it.
pub(super) fn with_nul(text: Span) -> Span {
    if text.is_empty() { text } else { Span { len: text.len + 1, ..text } }
}

pub(super) fn directory(session: &Session) -> Option<Fields> {
    let table = table(session)?;
    let ordinals = format!("ordinals from {}", table.ordinal_base);
    let name = with_nul(table.name_span);
    let parts = [link(DIRECTORY, ordinals, table.span, name), part(DLL_NAME, &table.name, name)];
    linker::fields("pe/exports", parts)
}

pub(super) fn fields(session: &Session, index: u32) -> Option<Fields> {
    let table = table(session)?;
    let export = table.exports.get(index as usize)?;
    let [pointer, ordinal] = export.key_spans;
    let text = export.name.as_deref().unwrap_or_default();
    let (address, forwarder) = match &export.target {
        ExportTarget::Forward(to) => (link(ADDRESS, "", export.span, export.forward_span), to.as_str()),
        ExportTarget::Address(rva) => {
            let to = target(session, export);
            let meaning = match to {
                Some(Place::Function(rva)) => code_unit::name(session, CodeUnit::Function(rva)),
                _ => String::new(),
            };
            (FieldRow { meaning, to, ..part(ADDRESS, format!("{rva:#x}"), export.span) }, "")
        }
    };
    let parts = [
        address,
        part(FORWARDER, forwarder, with_nul(export.forward_span)),
        link(NAME_POINTER, export.hint.map_or(String::new(), |hint| hint.to_string()), pointer, export.name_span),
        part(ORDINAL, export.ordinal.to_string(), ordinal),
        part(NAME, text, with_nul(export.name_span)),
    ];
    let name = if text.is_empty() { String::new() } else { format!(" · {text}") };
    linker::fields(format!("pe/exports/{index}{name}"), parts)
}
