//! Imports: functions of other DLLs, bound when the image is loaded or when they are first called.

use crate::fields::{Fields, Meaning};
use crate::pe::linker::{self, Record};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{PePart, Place};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::LinkerTables;
use pdblens_formats::pe::imports::{self, ImportDescriptor, ImportSymbol, ImportedFunction, Library};
use pdblens_session::session::Session;
use pdblens_session::text::safe;
use std::collections::HashMap;
use std::sync::OnceLock;

/// DLLs of the import table or of the delay import table.
fn libraries(tables: &LinkerTables, delayed: bool) -> impl Iterator<Item = &Library> {
    tables.imports.libraries.iter().filter(move |library| library.delayed == delayed)
}

/// Number of imports; a DLL of which no function is imported counts as one.
pub(super) fn count(tables: &LinkerTables, delayed: bool) -> usize {
    libraries(tables, delayed).map(|library| library.functions.len().max(1)).sum()
}

/// The imports of all DLLs as one list.
struct ImportList<'t> {
    /// Position of the first import of each DLL, and the DLL.
    libraries: Vec<(usize, &'t Library)>,
    len: usize,
}

impl<'t> ImportList<'t> {
    fn of(tables: &'t LinkerTables, delayed: bool) -> Self {
        let mut list = Self { libraries: Vec::new(), len: 0 };
        for library in libraries(tables, delayed) {
            list.libraries.push((list.len, library));
            list.len += library.functions.len().max(1);
        }
        list
    }

    /// The import at `index`, and its DLL.
    fn get(&self, index: usize) -> Option<(&'t Library, Option<&'t ImportedFunction>)> {
        let behind = self.libraries.partition_point(|(first, _)| *first <= index);
        let (first, library) = self.libraries.get(behind.checked_sub(1)?).filter(|_| index < self.len)?;
        Some((library, library.functions.get(index - first)))
    }
}

const fn place(delayed: bool, index: u32) -> Place {
    Place::PePart(if delayed { PePart::DelayImport(index) } else { PePart::Import(index) })
}

/// DLL of an import.
pub(super) fn module(session: &Session, delayed: bool, index: u32) -> Option<&str> {
    let (_, tables) = linker::tables(session)?;
    ImportList::of(tables, delayed).get(index as usize).map(|(library, _)| library.name.as_str())
}

/// Imports by the address of their slots: whether delayed, and index in the list. Made when an address is first asked for.
#[derive(Debug, Default)]
struct Slots(OnceLock<HashMap<u32, (bool, u32)>>);

/// The import whose slot is at an address of the image, as `KERNEL32.dll!ExitProcess`, and its place.
pub(crate) fn by_slot(session: &Session, rva: u32) -> Option<(String, Place)> {
    let (_, tables) = linker::tables(session)?;
    let slots = session.cache().get::<Slots>().0.get_or_init(|| {
        let of = |delayed: bool| {
            let list = ImportList::of(tables, delayed);
            let slots = (0..list.len).filter_map(|index| Some((list.get(index)?.1?.slot_rva, (delayed, index as u32))));
            slots.collect::<Vec<_>>()
        };
        of(true).into_iter().chain(of(false)).collect()
    });
    let (delayed, index) = *slots.get(&rva)?;
    let (library, function) = ImportList::of(tables, delayed).get(index as usize)?;
    Some((format!("{}{}", library.name, text(function?)), place(delayed, index)))
}

/// One row for each import.
pub(super) fn rows(session: &Session, delayed: bool) -> Option<Rows<'_>> {
    let (pe, tables) = linker::tables(session)?;
    let imports = ImportList::of(tables, delayed);
    let len = imports.len;
    let row = move |index: usize| {
        let Some((library, function)) = imports.get(index) else { return Row::default() };
        let place = place(delayed, index as u32);
        let (name, ordinal, hint) = match function.map(|function| &function.symbol) {
            Some(ImportSymbol::Name { hint, name }) => (name.clone(), String::new(), hint.to_string()),
            Some(ImportSymbol::Ordinal(ordinal)) => (String::new(), ordinal.to_string(), String::new()),
            None => (String::new(), String::new(), String::new()),
        };
        let mut slot = Cell::new(function.map_or(String::new(), |function| format!("{:#x}", function.slot_rva)));
        slot.to = function.map(|function| function.slot_span).filter(|span| !span.is_empty()).map(Place::Bytes);
        let section = function.and_then(|function| pe.section_of(function.slot_rva));
        let cells = vec![
            Cell::new(library.name.clone()).to(place),
            Cell::toned(name, Tone::Strong),
            Cell::new(ordinal),
            Cell::toned(hint, Tone::Dim),
            slot,
            Cell::toned(section.map_or("", |section| section.name.as_str()), Tone::Dim),
        ];
        Row::at(place, cells).from(function.map_or(library.span, |function| function.span))
    };
    let columns = vec![
        Head::text("module"),
        Head::text("name"),
        Head::number("ordinal"),
        Head::number("hint"),
        Head::number("thunk rva"),
        Head::text("section"),
    ];
    let modules = safe::count(libraries(tables, delayed).count() as u64, "DLL");
    let title = format!("{} from {modules}", if delayed { "delay imports" } else { "imports" });
    Some(Rows::new(title, columns, len, row))
}

/// The name of the DLL, where a field is the address of one.
fn name_of(field: &pdblens_formats::bytes::Field, library: Option<&Library>) -> Option<Meaning> {
    let library = library.filter(|_| field.name() == ImportDescriptor::name_rva.name)?;
    Some(Meaning::to(library.name.clone(), Place::Bytes(library.name_span)))
}

/// The descriptors of all DLLs, and the one of zeros after them.
pub(super) fn descriptors(session: &Session, delayed: bool) -> Option<Fields> {
    let (pe, tables) = linker::tables(session)?;
    let libraries: Vec<&Library> = libraries(tables, delayed).collect();
    let ended = tables.imports.descriptors(delayed)?;
    let span = if pe.bytes(ended).is_ok() { ended } else { libraries.first()?.span.to(libraries.last()?.span) };
    let (part, decode) = if delayed {
        (PePart::DelayImports, imports::delay_table as _)
    } else {
        (PePart::Imports, imports::table as _)
    };
    let record: Record = (span, decode);
    linker::explain(session, &Place::PePart(part).to_string(), [record], |_, field| {
        let library = libraries.partition_point(|library| library.span.end() <= field.span.start);
        name_of(field, libraries.get(library).copied().filter(|library| library.span.covers(field.span)))
    })
}

fn descriptor(library: &Library) -> Record {
    (library.span, if library.delayed { imports::delay_descriptor } else { imports::descriptor })
}

/// The records of an import: descriptor and name of its DLL, lookup entry, hint and name, slot.
pub(super) fn fields(session: &Session, delayed: bool, index: u32) -> Option<Fields> {
    let (_, tables) = linker::tables(session)?;
    let (library, function) = ImportList::of(tables, delayed).get(index as usize)?;
    let name = Span { len: library.name_span.len + 1, ..library.name_span };
    let mut records: Vec<Record> = vec![descriptor(library), (name, imports::module_name)];
    if let Some(function) = function {
        records.push((function.span, imports::lookup_entry));
        records.push((function.name_span, imports::hint_name));
        // Where there is no lookup table, the slots have its entries.
        if function.slot_span != function.span {
            records.push((function.slot_span, imports::address_entry));
        }
    }
    let title = format!("{} · {}{}", place(delayed, index), library.name, function.map_or(String::new(), text));
    linker::explain(session, &title, records, |record, field| match (record, function) {
        ("import lookup entry", Some(ImportedFunction { symbol: ImportSymbol::Ordinal(ordinal), .. })) => {
            Some(Meaning::text(format!("ordinal {ordinal}")))
        }
        _ => name_of(field, Some(library)),
    })
}

/// A function after the name of its DLL: `!CreateFileW`, `!#12`.
fn text(function: &ImportedFunction) -> String {
    match &function.symbol {
        ImportSymbol::Name { name, .. } => format!("!{name}"),
        ImportSymbol::Ordinal(ordinal) => format!("!#{ordinal}"),
    }
}
