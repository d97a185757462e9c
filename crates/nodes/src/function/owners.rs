//! Functions of native code that own a byte: machine code in the image, and records of it in a module's stream.

use super::Disassembly;
use crate::code_unit::function::function_view;
use crate::native::{NativeView, symbols_index};
use crate::owner::{FindOwners, OwnerSearch, Turn};
use crate::place::{CodeUnit, FunctionPart, Place};
use crate::stream::{PartKind, StreamPart};
use pdblens_formats::bytes::{Result, Span};
use pdblens_formats::codeview::c13::{self, Line, SUBSECTION_HEADER};
use pdblens_formats::codeview::symbols::{Records, Symbol, is_function};
use pdblens_formats::pdb::{Function, ModuleStream, StreamKind};

/// A function has no more records than this before one of its own.
const MAX_PARTS: usize = 1 << 14;

pub(super) const PARTS: &[FindOwners] = &[(Turn::Aliases, of_records), (Turn::MachineCode, of_code)];

/// The function with the machine code, and the instruction; the line where the code is not disassembled.
fn of_code(search: &mut OwnerSearch<'_>) {
    let Some(image) = search.session.image().filter(|image| image.space == search.byte.space) else { return };
    let Some(rva) = image.pe.offset_to_rva(search.byte.start) else { return };
    if NativeView::of(search.session).is_none() || !search.has_index(symbols_index()) {
        return;
    }
    let view = function_view(search.session, rva);
    let (CodeUnit::Function(start), Some(code)) = (view.of, view.code) else { return };
    let offset = rva.wrapping_sub(start);
    let disassembly = Disassembly::of(search.session, &view);
    if let Some(instruction) = disassembly.instruction_at(offset).and_then(|index| disassembly.instructions.get(index))
    {
        search.add(view.of.code(instruction.offset), code.part(instruction.offset.into(), instruction.len.into()));
    } else if let Some(line) = view.points.covering(offset) {
        let range = view.point_range(line);
        let len = range.end.saturating_sub(range.start);
        search.add(view.of.code(range.start), code.part(range.start.into(), len.into()));
    }
    search.add(Place::FunctionPart(start, FunctionPart::Code), code);
}

fn of_records(search: &mut OwnerSearch<'_>) {
    let Some(native) = NativeView::of(search.session) else { return };
    for owner in search.owners.clone() {
        let Place::Record(stream, at) = owner.place else { continue };
        let StreamKind::Module(module) = native.view.pdb.kind_of(stream) else { continue };
        let Some(part) = native.view.part(stream, at) else { continue };
        match part.kind {
            PartKind::Symbol(_) if search.has_index(symbols_index()) => {
                of_symbol(search, native, (module, stream), part, owner.span);
            }
            PartKind::Subsection(c13::LINES) if search.has_index(symbols_index()) => {
                of_lines(search, native, module, part, owner.span);
            }
            _ => {}
        }
    }
}

/// The line whose record or whose columns have the byte, and all lines of its function; `part` is a subsection of lines.
fn of_lines(search: &mut OwnerSearch<'_>, native: NativeView<'_>, module: u32, part: StreamPart, subsection: Span) {
    let Ok(module) = native.module(module) else { return };
    let (stream, byte) = (module.region.span(), search.byte);
    let mut found = None;
    let content = part.at.saturating_add(SUBSECTION_HEADER as u32);
    for block in module.blocks_of(content).into_iter().flatten().map_while(Result::ok) {
        let has = |line: &Line| line.span(stream).covers(byte) || line.columns_span(stream).covers(byte);
        block.each(|line| found = found.or(Some(line).filter(has)));
    }
    let Some(line) = found else { return };
    let rva = native.view.rva(line.section, line.offset);
    let Some((start, function)) = rva.and_then(|rva| start_of(native, rva)) else { return };
    let lines = native.lines_of(&function);
    if let Some(index) = lines.points.iter().position(|point| point.at == line.at) {
        let place = CodeUnit::Function(start).point(index as u32 + 1);
        search.add(place, line.span(stream));
        search.add(place, line.columns_span(stream));
        search.add(Place::FunctionPart(start, FunctionPart::Lines), subsection);
    }
}

/// The function that has a symbol, which is its own record or one after that.
fn of_symbol(
    search: &mut OwnerSearch<'_>,
    native: NativeView<'_>,
    (module, stream): (u32, u32),
    part: StreamPart,
    span: Span,
) {
    let Ok(module) = native.module(module) else { return };
    let parts = native.view.parts(stream);
    let behind = parts.partition_point(|other| other.at <= part.at);
    let mut before = parts.get(..behind).unwrap_or_default().iter().rev().take(MAX_PARTS);
    let Some(owner) = before.find(|part| matches!(part.kind, PartKind::Symbol(kind) if is_function(kind))) else {
        return;
    };
    let Some((start, function)) = address_of(native, &module, owner.at).and_then(|rva| start_of(native, rva)) else {
        return;
    };
    if function.symbol != owner.at {
        return;
    }
    if owner.at == part.at {
        search.add(Place::Function(start), span);
    } else if native.symbols_of(&function).iter().any(|symbol| symbol.at == part.at) {
        search.add(Place::FunctionPart(start, FunctionPart::Symbol(part.at)), span);
    }
}

/// The function with the code at an address, and where it begins.
fn start_of(native: NativeView<'_>, rva: u32) -> Option<(u32, Function)> {
    let function = native.function_at(rva)?;
    Some((native.rva_of(&function)?, function))
}

fn address_of(native: NativeView<'_>, module: &ModuleStream, at: u32) -> Option<u32> {
    let symbols = module.symbols();
    let record = Records::new(symbols.slice(), at.into()).next()?.ok()?;
    let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
    native.view.rva(symbol.section, symbol.offset)
}
