//! Bytes of native code: machine code in the image, and what the module of a function says of it.

use super::Search;
use crate::bytes::{Result, Span};
use crate::formats::codeview::c13::Line;
use crate::formats::codeview::c13::SUBSECTION_HEADER;
use crate::formats::codeview::symbols::Records;
use crate::formats::codeview::symbols::{Symbol, is_function};
use crate::formats::pdb::{Function, ModuleStream};
use crate::nodes::FunctionPart;
use crate::nodes::Place;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::function::NativeView;
use crate::nodes::function::native::symbols_index;
use crate::nodes::method::MethodView;
use crate::nodes::stream::{Part, PartKind};

/// A function has no more records than this before one of its own.
const MAX_PARTS: usize = 1 << 14;

impl Search<'_> {
    /// The function whose machine code has the byte at an address of the image, and the line that the code is of.
    pub(crate) fn in_machine_code(&mut self, rva: u32) {
        if NativeView::of(self.session).is_none() || !self.has_index(symbols_index()) {
            return;
        }
        let view = MethodView::of(self.session, CodeUnit::Function(rva));
        let (CodeUnit::Function(start), Some(code)) = (view.of, view.code) else { return };
        if let Some(line) = view.points.covering(rva.wrapping_sub(start)) {
            let range = view.point_range(line);
            let len = range.end.saturating_sub(range.start);
            self.add(view.of.code(range.start), code.part(range.start.into(), len.into()));
        }
        self.add(Place::FunctionPart(start, FunctionPart::Code), code);
    }

    /// The line whose record or whose columns have the byte, and all lines of its function; `part` is a subsection of lines.
    pub(crate) fn in_lines(&mut self, module: u32, part: Part, subsection: Span) {
        let Some(native) = NativeView::of(self.session).filter(|_| self.has_index(symbols_index())) else { return };
        let Ok(module) = native.module(module) else { return };
        let (stream, byte) = (module.region.span(), self.byte);
        let mut found = None;
        for block in module.blocks_of(part.at + SUBSECTION_HEADER as u32).into_iter().flatten().map_while(Result::ok) {
            let has = |line: &Line| line.span(stream).covers(byte) || line.columns_span(stream).covers(byte);
            block.each(|line| found = found.or(Some(line).filter(has)));
        }
        let Some(line) = found else { return };
        let rva = native.view.rva(line.section, line.offset);
        let Some((start, function)) = rva.and_then(|rva| start_of(native, rva)) else { return };
        let lines = native.lines_of(&function);
        if let Some(index) = lines.points.iter().position(|point| point.at == line.at) {
            let place = CodeUnit::Function(start).point(index as u32 + 1);
            self.add(place, line.span(stream));
            self.add(place, line.columns_span(stream));
            self.add(Place::FunctionPart(start, FunctionPart::Lines), subsection);
        }
    }

    /// The function that has a symbol, which is its own record or one behind that.
    pub(crate) fn in_symbols(&mut self, module: u32, stream: u32, part: Part, span: Span) {
        let Some(native) = NativeView::of(self.session).filter(|_| self.has_index(symbols_index())) else { return };
        let Ok(module) = native.module(module) else { return };
        let parts = native.view.parts(stream);
        let behind = parts.partition_point(|other| other.at <= part.at);
        let mut before = parts.get(..behind).unwrap_or_default().iter().rev().take(MAX_PARTS);
        let Some(owner) = before.find(|part| matches!(part.kind, PartKind::Symbol(kind) if is_function(kind))) else {
            return;
        };
        let Some((start, function)) = address_of(native, &module, owner.at).and_then(|rva| start_of(native, rva))
        else {
            return;
        };
        if function.symbol != owner.at {
            return;
        }
        if owner.at == part.at {
            self.add(Place::Function(start), span);
        } else if native.symbols_of(&function).iter().any(|symbol| symbol.at == part.at) {
            self.add(Place::FunctionPart(start, FunctionPart::Symbol(part.at)), span);
        }
    }
}

/// The function with the code at an address, and where it begins.
fn start_of(native: NativeView<'_>, rva: u32) -> Option<(u32, Function)> {
    let function = native.function_at(rva)?;
    Some((native.rva_of(&function)?, function))
}

/// The address that a symbol record of a module has.
fn address_of(native: NativeView<'_>, module: &ModuleStream, at: u32) -> Option<u32> {
    let symbols = module.symbols();
    let record = Records::new(symbols.slice(), at.into()).next()?.ok()?;
    let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
    native.view.rva(symbol.section, symbol.offset)
}
