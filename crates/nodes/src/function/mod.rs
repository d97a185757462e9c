//! Functions of native code, and their parts.

pub mod address;
pub(crate) mod code;
mod details;
mod disassembly;
mod inlined_rows;
mod jump_tables;
pub(crate) mod lines;
mod owners;
mod targets;

pub use crate::code_unit::FunctionSymbol;
pub use crate::native::{self, *};
pub(crate) use code::explain_parts;
pub use details::{FunctionDetails, InlinedRange, InlinedSite, each_details, inlined_sites};
pub use disassembly::{CodeRow, Disassembly, Flow, Instruction};
pub use inlined_rows::{InlinedRow, InlinedRows};
pub use targets::Target;

use crate::code_unit::function::function_view;
use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::named::{self, Turn};
use crate::place::{FunctionPart, Place};
use crate::rows::{Cell, Data, Head, Row, Rows, Tone};
use crate::stream::{PartKind, StreamPart, record};
use pdblens_formats::codeview::symbols::Record;
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Functions named as folded with another one.
const MAX_FOLDED: usize = 16;

pub(crate) const FUNCTIONS: Kind = Kind {
    named: &[(Turn::Functions, add_names)],
    listed: |_| vec![Place::Functions],
    rows: |session, ()| functions_rows(session),
    row_of: |session, place, ()| match place {
        Place::Function(rva) => {
            let native = NativeView::of(session)?;
            let start = native.function_at(rva).map(|function| (function.section, function.offset))?;
            Some(native.functions().partition_point(|function| (function.section, function.offset) < start))
        }
        _ => None,
    },
    summary: |session, ()| native_facts(session),
    indexes: |_, ()| vec![symbols_index()],
    ..Kind::NEW
};

/// A function of native code, by an address of its code.
pub(crate) const FUNCTION: Kind<u32> = Kind {
    label: |_| Label::new("function", 0),
    context: |session, rva| {
        let line = lines::first_line(session, rva).map(|line| format!("{line}  "));
        Some(format!("{}{:#x}", line.unwrap_or_default(), rva))
    },
    absence: no_function,
    rows: lines::function_lines,
    fields: explain_function,
    summary: |session, rva| no_function(session, rva).is_none().then(|| native_facts(session))?,
    indexes: |_, _| vec![symbols_index()],
    ..Kind::NEW
};

pub(crate) const PART: Kind<(u32, FunctionPart)> = Kind {
    owners: owners::PARTS,
    exists: |session, (rva, part)| match part {
        FunctionPart::CodeAt(offset) => {
            session.image().is_some() && function_at(session, rva).is_some_and(|(_, function)| offset < function.len)
        }
        _ => true,
    },
    absence: |session, (rva, part)| {
        if let Some(reason) = no_function(session, rva) {
            return Some(reason);
        }
        match part {
            FunctionPart::Line(number) => {
                let lines = function_view(session, rva).points.len();
                Some(format!("{} has no line {number}: it has {lines}", name_or_address(session, rva)))
            }
            FunctionPart::Code | FunctionPart::CodeAt(_) if session.image().is_none() => {
                Some(format!("no image is open: {}", targets::image_needed(session)))
            }
            FunctionPart::CodeAt(offset) => {
                let size = function_at(session, rva).map_or(0, |(_, function)| function.len);
                let name = name_or_address(session, rva);
                Some(format!(
                    "there is no instruction at {offset:#x}: {name} has {} of code",
                    count(u64::from(size), "byte")
                ))
            }
            _ => Some(format!("{} has nothing of that kind", name_or_address(session, rva))),
        }
    },
    rows: |session, (rva, part)| match part {
        FunctionPart::Lines => lines::function_lines(session, rva),
        FunctionPart::Code => code::function_code(session, rva),
        FunctionPart::Symbols => function_symbols(session, rva),
        _ => None,
    },
    fields: |session, (rva, part)| explain_function_part(session, rva, part),
    summary: |session, (rva, part)| {
        let is_list = matches!(part, FunctionPart::Lines | FunctionPart::Code | FunctionPart::Symbols);
        (is_list && no_function(session, rva).is_none()).then(|| native_facts(session))?
    },
    indexes: |_, _| vec![symbols_index()],
    ..Kind::NEW
};

/// Reason why a function is not there, where other functions are.
fn no_function(session: &Session, rva: u32) -> Option<String> {
    let native = NativeView::of(session).filter(|native| native.function_at(rva).is_none())?;
    let nearest = native.nearest(rva);
    let nearest = nearest.map_or_else(String::new, |symbol| format!(": nearest public symbol {}", symbol.text()));
    Some(format!("no function has the code at {rva:#x}{nearest}"))
}

pub(crate) fn functions_rows(session: &Session) -> Option<Rows<'_>> {
    let native = NativeView::of(session)?;
    let functions = native.functions();
    let columns = Head::list(["rva:", "section", "bytes:", "function", "module"]);
    Some(Rows::new(count(functions.len() as u64, "function"), columns, functions.len(), move |index| {
        let Some(function) = functions.get(index) else { return Row::default() };
        let place = native.place_of(function);
        // Of folded functions the address means one: each of the others is selected by its own record.
        let shown = native.rva_of(function).and_then(|rva| native.function_at(rva));
        let record = || native.stream_of(function).map(|stream| Place::Record(stream, function.symbol));
        let own = if shown.is_some_and(|shown| shown != *function) { record() } else { None };
        let cells = vec![
            Cell::toned(rva_text(native.rva_of(function)), Tone::Dim),
            Cell::toned(format!("{}:{:08x}", function.section, function.offset), Tone::Dim),
            Cell::new(function.len.to_string()),
            Cell::new(native.name_of(function)).to(place),
            Cell::toned(file_name(&native.view.module_name(function.module)), Tone::Dim)
                .to(Place::Module(function.module)),
        ];
        Row::at(own.unwrap_or(place), cells)
    }))
}

fn add_names(session: &Session, list: &mut dyn named::NameList) -> Option<()> {
    let Some(native) = NativeView::of(session) else { return Some(()) };
    native.functions().iter().try_for_each(|function| list.add(native.place_of(function), &native.name_of(function)))
}

pub(crate) fn explain_function(session: &Session, rva: u32) -> Option<Fields> {
    let native = NativeView::of(session)?;
    let Some(function) = native.function_at(rva) else {
        let symbol = native.nearest(rva).filter(|symbol| symbol.offset == 0)?;
        let Place::Record(stream, at) = symbol.place else { return None };
        return record::explain_record(session, stream, at);
    };
    let mut fields = explain_symbol(session, native, &function, function.symbol)?;
    let others = native.index().folded(&function).iter().filter(|other| **other != function);
    let names: Vec<String> = others.take(MAX_FOLDED).map(|other| native.name_of(other)).collect();
    if !names.is_empty() {
        fields.title = format!("{} · folded with {}", fields.title, names.join(", "));
    }
    Some(fields)
}

pub(crate) fn explain_function_part(session: &Session, rva: u32, part: FunctionPart) -> Option<Fields> {
    let (native, function) = function_at(session, rva)?;
    match part {
        FunctionPart::Line(number) => lines::explain_line(session, native, &function, number),
        FunctionPart::Code => code::explain_code(session, &function, rva, None),
        FunctionPart::CodeAt(offset) => code::explain_code(session, &function, rva, Some(offset)),
        FunctionPart::Symbol(at) => {
            let known = native.symbols_of(&function).iter().any(|symbol| symbol.at == at);
            if known { explain_symbol(session, native, &function, at) } else { None }
        }
        FunctionPart::Lines => lines::explain_lines(session, native, &function),
        FunctionPart::Symbols => None,
    }
}

/// The parameters, variables and blocks of the function at an address.
pub(crate) fn function_symbols(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let view = function_view(session, rva);
    view.size?;
    let columns = Head::list(["what", "type", "name", "kept in", "code", "record"]);
    let title =
        format!("{} · {}", name_or_address(session, view.of.address()), count(view.records.len() as u64, "symbol"));
    Some(Rows::new(title, columns, view.records.len(), move |index| {
        let Some(symbol) = view.records.get(index) else { return Row::default() };
        let (start, end) = (u64::from(symbol.start), u64::from(symbol.start) + u64::from(symbol.len));
        let range = Cell::toned(format!("+{start:#x}–+{end:#x}"), Tone::Dim).data(Data::Range(start, end));
        let place = view.symbol_place(symbol);
        let cells = vec![
            Cell::new(symbol.word),
            Cell::new(symbol.type_name.clone()),
            Cell::toned(symbol.name.clone(), Tone::Strong).to(place),
            Cell::new(symbol.kept.clone()),
            range,
            Cell::toned(symbol.kind, Tone::Dim),
        ];
        Row { place, depth: symbol.depth, ..Row::plain(cells).from(symbol.span) }
    }))
}

/// A symbol record of the module of a function. One is known to begin there.
pub(crate) fn explain_symbol(
    session: &Session,
    native: NativeView<'_>,
    function: &Function,
    at: u32,
) -> Option<Fields> {
    let module = native.module(function.module).ok()?;
    let Record { kind, slice } = module.symbol(at).ok()?;
    let part = StreamPart { kind: PartKind::Symbol(kind), at, len: slice.len() as u32, depth: 0 };
    record::explain_part(session, native.stream_of(function)?, part)
}
