//! View of one native function with everything known about it: its lines, its symbols, and where its machine code is.

use crate::code_unit::view::{FunctionSymbol, Location, MethodView};
use crate::place::{CodeUnit, FunctionPart, Place};
use std::collections::HashSet;

use crate::native::{self, NativeView};
use crate::stream::leaf_text;
use pdblens_formats::bytes::{Span, is_inside};
use pdblens_formats::codeview::symbols::{Records, Symbol, is_function, kind, kind_name};
use pdblens_formats::pdb::{Function, ModuleStream};
use pdblens_session::session::Session;
use pdblens_session::symbols::Method;
use pdblens_session::text::registers;
use pdblens_session::text::safe::utf8;

const MAX_RECORDS: usize = 20_000;
const MAX_LOCATIONS: usize = 3;

/// Nouns for the kinds of records listed in a function; other kinds are not listed.
const WORDS: &[(u16, &str)] = &[
    (0x1012, "frame"),
    (0x1103, "block"),
    (0x1105, "label"),
    (0x1106, "local"),
    (0x1107, "const"),
    (0x1108, "type"),
    (0x110b, "local"),
    (0x110c, "static"),
    (0x110d, "static"),
    (0x1111, "local"),
    (0x1112, "static"),
    (0x1113, "static"),
    (0x1132, "block"),
    (0x113e, "local"),
    (0x114d, "inlined"),
    (0x1153, "static"),
    (0x115d, "inlined"),
];

/// Noun for a table of addresses that the code of the function jumps to.
pub(crate) const JUMP_TABLE: &str = "jump table";
/// Records that say where the variable before them is kept.
const RANGES: std::ops::RangeInclusive<u16> = 0x1141..=0x1145;
/// Local variables with one location for their whole scope.
const OLD_LOCALS: &[&str] = &["S_REGISTER", "S_BPREL32", "S_REGREL32"];
const LOCAL: u16 = 0x113e;
/// S_DEFRANGE_FRAMEPOINTER_REL_FULL_SCOPE: the location holds for the whole scope of the variable.
const FULL_SCOPE: u16 = 0x1144;
/// S_DEFRANGE_REGISTER and S_DEFRANGE_SUBFIELD_REGISTER: all of the variable is in a register, or a part of it.
const REGISTER_RANGE: u16 = 0x1141;
const SUBFIELD_RANGE: u16 = 0x1143;
/// The bit of a range's attributes (`CV_RANGEATTR`) that says that the variable may have no name on a path of the control flow.
const NO_NAME_ON_A_PATH: u32 = 1;
const FRAME: u16 = 0x1012;
/// The bit of a local variable's flags that says that it is a parameter.
const PARAMETER: u32 = 1;

/// The function with the code at an address, decoded; an empty view where there is none.
pub(crate) fn function_view(session: &Session, rva: u32) -> MethodView {
    let mut view = MethodView { of: CodeUnit::Function(rva), ..MethodView::default() };
    let Some((native, function)) = native::function_at(session, rva) else { return view };
    let start = native.rva_of(&function);
    view.of = CodeUnit::Function(start.unwrap_or(rva));
    let lines = native.lines_of(&function);
    let mut rows: Vec<u32> = lines.points.iter().map(|point| point.document).filter(|row| *row > 0).collect();
    rows.dedup();
    view.symbols = Method {
        document: if let [row] = rows[..] { Some(row) } else { None },
        points: (!lines.points.is_empty()).then_some(lines.stream),
        ..Method::default()
    };
    view.errors.extend(lines.error.clone());
    view.points_error = lines.error;
    view.points = lines.points.into();
    let size = native.size_of(&function);
    view.size = Some(size);
    view.code = start.and_then(|start| native_code(session, start, size));
    view.records = native.symbols_of(&function);
    view
}

/// Bytes of a function's machine code in the image, as far as the file has them.
fn native_code(session: &Session, rva: u32, len: u32) -> Option<Span> {
    let rest = session.image()?.pe.rest_at_rva(rva).ok()?;
    Some(rest.span().part(0, rest.len().min(len.into())))
}

impl NativeView<'_> {
    /// Records between that of a function and its end.
    pub fn symbols_of(&self, function: &Function) -> Vec<FunctionSymbol> {
        self.module(function.module).map_or_else(|_| Vec::new(), |module| self.symbols_in(&module, function))
    }

    /// Records between that of a function of `module` and its end.
    pub(crate) fn symbols_in(&self, module: &ModuleStream, function: &Function) -> Vec<FunctionSymbol> {
        let symbols = module.symbols();
        let machine = self.view.pdb.dbi.as_ref().map_or(0, |dbi| dbi.header.machine);
        let mut reader =
            Reader { native: self, module, function, machine, frame: 0, found: Vec::new(), open: Vec::new() };
        let mut records = Records::new(symbols.slice(), function.symbol.into()).map_while(Result::ok);
        // No record ends a trampoline.
        if records.next().is_none_or(|record| record.kind == kind::TRAMPOLINE) {
            return Vec::new();
        }
        for record in records.take(MAX_RECORDS) {
            if is_function(record.kind) {
                // Functions do not nest: the end of this one is missing.
                break;
            }
            let at = (record.span().start - symbols.span().start) as u32;
            if matches!(record.kind, 0x0006 | 0x114e | 0x114f) {
                if reader.open.pop().is_none() {
                    break;
                }
            } else if let Ok(symbol) = Symbol::decode(&mut record.slice.cursor()) {
                reader.take(&symbol, at, record.span());
            }
        }
        repetitions(&mut reader.found);
        reader.found
    }
}

/// Marks the records that repeat a variable with ranges: compilers write them for debuggers that do not know ranges, and optimised code
/// need not keep the variable there.
fn repetitions(found: &mut [FunctionSymbol]) {
    let key = |symbol: &FunctionSymbol| (symbol.name.clone(), symbol.type_name.clone(), symbol.inlined_call);
    let ranged: HashSet<_> = found.iter().filter(|symbol| symbol.has_ranges()).map(key).collect();
    for symbol in found.iter_mut().filter(|symbol| OLD_LOCALS.contains(&symbol.kind)) {
        symbol.is_repetition = ranged.contains(&key(symbol));
    }
}

impl NativeView<'_> {
    pub(crate) fn type_of(&self, module: &ModuleStream, symbol: &Symbol<'_>) -> String {
        if symbol.of == 0 {
            return String::new();
        }
        let Some(names) = self.view.type_names() else { return String::new() };
        let of = self.global_id(module, symbol.of);
        let name = if symbol.is_id() { names.of_id(of) } else { names.of(of) };
        if name == "?" { String::new() } else { name }
    }
}

struct Reader<'n> {
    native: &'n NativeView<'n>,
    module: &'n ModuleStream,
    function: &'n Function,
    machine: u16,
    /// The flags of the record of the frame.
    frame: u32,
    found: Vec<FunctionSymbol>,
    /// The code of the blocks that are open, and the inlined call that each belongs to.
    open: Vec<(u32, u32, u32)>,
}

impl Reader<'_> {
    fn take(&mut self, symbol: &Symbol<'_>, at: u32, span: Span) {
        if symbol.kind == FRAME {
            self.frame = symbol.flags;
        }
        if RANGES.contains(&symbol.kind) {
            return self.kept(symbol);
        }
        let Some((_, word)) = WORDS.iter().find(|(kind, _)| *kind == symbol.kind) else { return };
        let is_block = matches!(*word, "block" | "inlined");
        let (from, size, inlined_call) = self.open.last().copied().unwrap_or((0, self.function.len, 0));
        let around = (from, size);
        let word = if *word == "static" && self.is_jump_table(symbol) { JUMP_TABLE } else { word };
        let (start, len) = match word {
            "block" => (symbol.offset.wrapping_sub(self.function.offset), symbol.len),
            "label" | JUMP_TABLE => (symbol.offset.wrapping_sub(self.function.offset), 1),
            _ => around,
        };
        let (start, len) = if start < self.function.len.max(1) { (start, len) } else { around };
        let parameter = symbol.kind == LOCAL && symbol.flags & PARAMETER != 0;
        let depth = self.open.len().min(8) as u8;
        let (type_name, kept) = (self.native.type_of(self.module, symbol), self.says(symbol));
        self.found.push(FunctionSymbol {
            at,
            span,
            kind: kind_name(symbol.kind).unwrap_or_default(),
            word: if parameter { "param" } else { word },
            depth,
            start,
            len,
            type_name,
            name: utf8(symbol.name.data).into_owned(),
            kept,
            locations: Vec::new(),
            is_repetition: false,
            inlined_call,
        });
        if is_block {
            self.open.push((start, len, if word == "inlined" { at } else { inlined_call }));
        }
    }

    /// Returns whether data is a jump table: compilers put it after the code of the function and give it no name.
    fn is_jump_table(&self, symbol: &Symbol<'_>) -> bool {
        let function = self.function;
        symbol.name.data.is_empty()
            && symbol.section == function.section
            && is_inside(symbol.offset, function.offset, function.len)
    }

    fn says(&self, symbol: &Symbol<'_>) -> String {
        match symbol.kind {
            FRAME => {
                let base = registers::frame_base(self.machine, symbol.flags, false);
                format!("of {:#x} bytes{}", symbol.len, base.map_or(String::new(), |base| format!(", by {base}")))
            }
            0x1103 | 0x1132 => {
                format!("+{:#x}, {:#x} bytes", symbol.offset.wrapping_sub(self.function.offset), symbol.len)
            }
            0x1106 => self.register(symbol.register),
            0x1107 => symbol.value.map_or(String::new(), |value| format!("= {}", leaf_text(value))),
            0x110b => self.near("", symbol.displacement, false),
            0x1111 => self.near(&self.register(symbol.register), symbol.displacement, false),
            0x110c | 0x110d | 0x1112 | 0x1113 => {
                self.native.view.rva(symbol.section, symbol.offset).map_or(String::new(), |rva| format!("at {rva:#x}"))
            }
            _ => String::new(),
        }
    }

    /// Takes where the last variable is kept.
    fn kept(&mut self, symbol: &Symbol<'_>) {
        let Some(last) = self.found.last().filter(|last| last.has_ranges()) else { return };
        let kept = match symbol.kind {
            REGISTER_RANGE | SUBFIELD_RANGE => self.register(symbol.register),
            0x1145 => self.near(&self.register(symbol.register), symbol.displacement, false),
            _ => self.near("", symbol.displacement, last.word == "param"),
        };
        let location = self.location(symbol, &kept);
        if let Some(last) = self.found.last_mut() {
            last.locations.push(location);
        }
        let Some(last) = self.found.last_mut().filter(|last| !last.kept.split(", ").any(|before| before == kept))
        else {
            return;
        };
        match last.kept.split(", ").count() {
            _ if last.kept.is_empty() => last.kept = kept,
            many if many < MAX_LOCATIONS => last.kept = format!("{}, {kept}", last.kept),
            _ if !last.kept.ends_with('…') => last.kept.push_str(", …"),
            _ => {}
        }
    }

    fn location(&self, symbol: &Symbol<'_>, text: &str) -> Location {
        if symbol.kind == FULL_SCOPE {
            return Location { len: u32::MAX, text: text.to_owned(), ..Location::default() };
        }
        let gap = |bytes: &[u8]| match bytes {
            [a, b, c, d] => Some((u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]))),
            _ => None,
        };
        Location {
            start: symbol.offset.wrapping_sub(self.function.offset),
            len: symbol.len,
            gaps: symbol.rest.data.chunks_exact(4).filter_map(gap).collect(),
            text: text.to_owned(),
            on_some_paths: matches!(symbol.kind, REGISTER_RANGE | SUBFIELD_RANGE)
                && symbol.flags & NO_NAME_ON_A_PATH != 0,
            of_part: symbol.kind == SUBFIELD_RANGE,
        }
    }

    fn register(&self, number: u16) -> String {
        registers::name(self.machine, number).map_or_else(|| format!("register {number}"), str::to_owned)
    }

    /// A place in memory near a register; near the base of the frame where that is empty.
    fn near(&self, register: &str, displacement: i32, parameter: bool) -> String {
        let base = || registers::frame_base(self.machine, self.frame, parameter).unwrap_or("frame");
        let base = if register.is_empty() { base() } else { register };
        match displacement {
            0 => format!("[{base}]"),
            less if less < 0 => format!("[{base}-{:#x}]", less.unsigned_abs()),
            more => format!("[{base}+{more:#x}]"),
        }
    }
}

impl MethodView {
    pub fn symbol_place(&self, symbol: &FunctionSymbol) -> Option<Place> {
        match self.of {
            CodeUnit::Function(rva) => Some(Place::FunctionPart(rva, FunctionPart::Symbol(symbol.at))),
            CodeUnit::Method(_) => None,
        }
    }

    pub fn symbol(&self, at: u32) -> Option<&FunctionSymbol> {
        self.records.iter().find(|symbol| symbol.at == at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(kind: &'static str, kept: &str, locations: Vec<Location>) -> FunctionSymbol {
        let (name, kept) = ("this".to_owned(), kept.to_owned());
        FunctionSymbol { kind, word: "local", name, len: 0x40, kept, locations, ..FunctionSymbol::default() }
    }

    #[test]
    fn a_variable_with_ranges_is_nowhere_else() {
        let range = Location { len: 9, gaps: vec![(4, 2)], text: "rcx".to_owned(), ..Location::default() };
        let old = || variable("S_REGREL32", "[rsp+0x40]", Vec::new());
        let other = FunctionSymbol { inlined_call: 8, ..old() };
        let mut found = [variable("S_LOCAL", "rcx", vec![range]), old(), other];
        repetitions(&mut found);
        let at = |offset| found.each_ref().map(|symbol| symbol.kept_at(offset));
        let (rcx, memory) = (Some("rcx".to_owned()), Some("[rsp+0x40]".to_owned()));
        assert_eq!(at(3), [rcx, None, memory.clone()]);
        assert_eq!(at(4), [None, None, memory.clone()]);
        assert_eq!(at(9), [None, None, memory]);
        assert_eq!(old().kept_at(9), Some("[rsp+0x40]".to_owned()), "without ranges it is where it says");
        let eax = || Location { len: 9, text: "eax".to_owned(), ..Location::default() };
        let (perhaps, part) = (Location { on_some_paths: true, ..eax() }, Location { of_part: true, ..eax() });
        let kept = |locations| variable("S_LOCAL", "eax", locations).kept_at(3).unwrap();
        assert_eq!(kept(vec![perhaps.clone(), part]), "eax on some paths, eax for a part of it");
        assert_eq!(kept(vec![eax(), perhaps]), "eax", "what holds on all paths holds on some");
        let nameless = FunctionSymbol { name: String::new(), ..variable("S_LDATA32", "at 0xa980", Vec::new()) };
        assert!(!nameless.is_variable() && old().is_variable());
    }
}
