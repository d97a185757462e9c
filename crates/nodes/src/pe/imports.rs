//! Imports: functions of other DLLs, bound when the image is loaded or when they are first called.

use crate::fields::{FieldRow, Fields};
use crate::pe::exports::with_nul;
use crate::pe::linker::{self, link, part};
use crate::place::{PePart, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::LinkerTables;
use pdblens_formats::pe::imports::{ImportSymbol, ImportedFunction, Library};
use pdblens_session::session::Session;
use pdblens_session::text::safe;
use std::collections::HashMap;
use std::sync::OnceLock;

const DESCRIPTOR: (&str, &str) =
    ("import descriptor", "The imports from one DLL: where its name is, and the tables of its functions.");
const TERMINATOR: (&str, &str) = ("end of the table", "A descriptor of zeros, which ends the table.");
const DLL_NAME: (&str, &str) = ("dll name", "The name of the imported DLL.");
const LOOKUP: (&str, &str) = (
    "import lookup entry",
    "The key of an imported function in its DLL: an ordinal if the top bit is set, otherwise the address of a name.",
);
const HINT_NAME: (&str, &str) = (
    "hint and name",
    "The index at which the loader first looks for the name among the names that the DLL exports, and the name.",
);
const SLOT: (&str, &str) = (
    "import address table entry",
    "The slot that calls of the function go through, where the loader stores the address of the function.",
);

/// DLLs of the import table or of the delay import table, which follow them.
fn libraries(tables: &LinkerTables, delayed: bool) -> &[Library] {
    let all = &tables.imports.libraries;
    let (bound, late) = all.split_at(all.partition_point(|library| !library.delayed));
    if delayed { late } else { bound }
}

/// Number of imports; a DLL of which no function is imported counts as one.
pub(super) fn count(tables: &LinkerTables, delayed: bool) -> usize {
    libraries(tables, delayed).last().map_or(0, |library| library.first + library.functions.len().max(1))
}

/// The import at `index`, and its DLL.
fn get(tables: &LinkerTables, delayed: bool, index: usize) -> Option<(&Library, Option<&ImportedFunction>)> {
    let libraries = libraries(tables, delayed);
    let behind = libraries.partition_point(|library| library.first <= index);
    let library = libraries.get(behind.checked_sub(1)?)?;
    let at = index - library.first;
    (at < library.functions.len().max(1)).then(|| (library, library.functions.get(at)))
}

const fn place(delayed: bool, index: u32) -> Place {
    Place::PePart(if delayed { PePart::DelayImport(index) } else { PePart::Import(index) })
}

pub(super) fn module(session: &Session, delayed: bool, index: u32) -> Option<&str> {
    let (_, tables) = linker::tables(session)?;
    get(tables, delayed, index as usize).map(|(library, _)| library.name.as_str())
}

/// Imports by the address of their slots: whether delayed, and index in the list. Made when an address is first asked for.
#[derive(Debug, Default)]
struct Slots(OnceLock<HashMap<u32, (bool, u32)>>);

/// The import whose slot is at an address of the image, as `KERNEL32.dll!ExitProcess`, and its place.
pub(crate) fn by_slot(session: &Session, rva: u32) -> Option<(String, Place)> {
    let (_, tables) = linker::tables(session)?;
    let slots = session.cache().get::<Slots>().0.get_or_init(|| {
        let of = |delayed: bool| {
            let slot = move |index| Some((get(tables, delayed, index)?.1?.slot_rva, (delayed, index as u32)));
            (0..count(tables, delayed)).filter_map(slot)
        };
        of(true).chain(of(false)).collect()
    });
    let (delayed, index) = *slots.get(&rva)?;
    let (library, function) = get(tables, delayed, index as usize)?;
    Some((format!("{}{}", library.name, text(function?)), place(delayed, index)))
}

pub(super) fn rows(session: &Session, delayed: bool) -> Option<Rows<'_>> {
    let (pe, tables) = linker::tables(session)?;
    let row = move |index: usize| {
        let Some((library, function)) = get(tables, delayed, index) else { return Row::default() };
        let place = place(delayed, index as u32);
        let (name, ordinal, hint) = match function.map(|function| &function.symbol) {
            Some(ImportSymbol::Name { hint, name }) => (name.clone(), String::new(), hint.to_string()),
            Some(ImportSymbol::Ordinal(ordinal)) => (String::new(), ordinal.to_string(), String::new()),
            None => (String::new(), String::new(), String::new()),
        };
        let slot = Cell::new(function.map_or(String::new(), |function| format!("{:#x}", function.slot_rva)));
        let bytes = function.map(|function| function.slot_span).filter(|span| !span.is_empty()).map(Place::Bytes);
        let section = function.and_then(|function| pe.section_of(function.slot_rva));
        let cells = vec![
            Cell::new(library.name.clone()).to(place),
            Cell::toned(name, Tone::Strong),
            Cell::new(ordinal),
            Cell::toned(hint, Tone::Dim),
            slot.to(bytes),
            Cell::toned(section.map_or("", |section| section.name.as_str()), Tone::Dim),
        ];
        Row::at(place, cells).from(function.map_or(library.span, |function| function.span))
    };
    let columns = Head::list(["module", "name", "ordinal:", "hint:", "thunk rva:", "section"]);
    let modules = safe::count(libraries(tables, delayed).len() as u64, "DLL");
    let title = format!("{} from {modules}", if delayed { "delay imports" } else { "imports" });
    Some(Rows::new(title, columns, count(tables, delayed), row))
}

fn descriptor(library: &Library) -> FieldRow {
    link(DESCRIPTOR, &library.name, library.span, library.name_span)
}

/// The descriptors of all DLLs, and the one of zeros after them.
pub(super) fn descriptors(session: &Session, delayed: bool) -> Option<Fields> {
    let (pe, tables) = linker::tables(session)?;
    let last = libraries(tables, delayed).last()?.span;
    let end = Span::new(last.space, last.end(), last.len);
    let end = if pe.bytes(end).is_ok() { end } else { Span::default() };
    let part_of = if delayed { PePart::DelayImports } else { PePart::Imports };
    let parts = libraries(tables, delayed).iter().map(descriptor).chain([part(TERMINATOR, "", end)]);
    let mut fields = linker::fields(Place::PePart(part_of).to_string(), parts)?;
    fields.span = fields.span.to(fields.rows.last()?.span);
    Some(fields)
}

/// The parts of an import: descriptor and name of its DLL, lookup entry, hint and name, slot.
pub(super) fn fields(session: &Session, delayed: bool, index: u32) -> Option<Fields> {
    let (_, tables) = linker::tables(session)?;
    let (library, function) = get(tables, delayed, index as usize)?;
    let mut parts = vec![descriptor(library), part(DLL_NAME, &library.name, with_nul(library.name_span))];
    if let Some(function) = function {
        let (key, name) = match &function.symbol {
            ImportSymbol::Name { hint, name } => (String::new(), format!("{hint} {name}")),
            ImportSymbol::Ordinal(ordinal) => (format!("ordinal {ordinal}"), String::new()),
        };
        parts.push(link(LOOKUP, key, function.span, function.name_span));
        parts.push(part(HINT_NAME, name, function.name_span));
        // Where there is no lookup table, the slots have its entries.
        if function.slot_span != function.span {
            parts.push(part(SLOT, format!("{:#x}", function.slot_rva), function.slot_span));
        }
    }
    let title = format!("{} · {}{}", place(delayed, index), library.name, function.map_or(String::new(), text));
    linker::fields(title, parts)
}

/// A function after the name of its DLL: `!CreateFileW`, `!#12`.
fn text(function: &ImportedFunction) -> String {
    match &function.symbol {
        ImportSymbol::Name { name, .. } => format!("!{name}"),
        ImportSymbol::Ordinal(ordinal) => format!("!#{ordinal}"),
    }
}
