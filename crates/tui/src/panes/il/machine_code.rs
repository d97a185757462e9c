//! Rows of a native function: instructions, and between them inlined calls and symbols.

use super::arrows::Arrows;
use pdblens_formats::bytes::Slice;
use pdblens_nodes::code_unit::MethodView;
use pdblens_nodes::function::{CodeRow, Disassembly, FunctionSymbol, Instruction};
use pdblens_nodes::method;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, spaced_hex};

/// Bytes per row, where they are not disassembled.
const BYTES: u32 = 8;
const MAX_ROWS: usize = 400_000;
/// Symbols that begin before one instruction and have rows of their own, and those that stay where there are more.
const MAX_SYMBOLS: usize = 8;
const KEPT_SYMBOLS: usize = 4;
/// Cells of a type's name that precede the name of a variable; a longer one follows it, so that the name is not cut.
const SHORT_TYPE: usize = 24;
/// Arrows, offset, name, operands.
pub(super) const COLUMNS: [Head; 4] = [Head::text(""), Head::text(""), Head::text(""), Head::text("")];
pub(super) const ARROWS: usize = 0;
pub(super) const MNEMONIC: usize = 2;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum MachineItem {
    /// A remark, in place of code.
    Remark(String),
    /// A symbol by index, before the code at an offset.
    Symbol(usize, u32),
    /// The rest of many symbols by index, before the code at an offset.
    Symbols(Vec<usize>, u32),
    /// A row of the disassembly, at or before the code at an offset.
    Code(CodeRow, u32),
}

#[derive(Debug, Default)]
pub(super) struct NativeCode {
    pub(super) code: Disassembly,
    pub(super) arrows: Arrows,
}

impl NativeCode {
    pub(super) fn of(view: &MethodView, session: &Session) -> (Self, Vec<MachineItem>) {
        let code = Disassembly::of(session, view);
        let arrows = Arrows::of(&code, view);
        let native = Self { code, arrows };
        let items = native.items(view);
        (native, items)
    }

    fn items(&self, view: &MethodView) -> Vec<MachineItem> {
        let mut items = Vec::new();
        let mut symbols: Vec<(u32, usize)> = Vec::new();
        for (index, symbol) in view.records.iter().enumerate() {
            // Inlined calls have rows of their own; what is in them begins with their code.
            let inlined = match symbol.word {
                "inlined" => self.code.inlined.first_offset(symbol.at).map(|_| None),
                _ => self.code.inlined.first_offset(symbol.inlined_call).map(Some),
            };
            match inlined {
                Some(None) if !self.code.instructions.is_empty() => {}
                Some(Some(start)) => symbols.push((start.max(first_offset(symbol)), index)),
                _ => symbols.push((first_offset(symbol), index)),
            }
        }
        symbols.sort_by_key(|(start, _)| *start);
        let mut symbols = symbols.into_iter().peekable();
        for row in &self.code.rows {
            match *row {
                CodeRow::Instruction(index) => {
                    let offset = self.code.instructions.get(index).map_or(0, |one| one.offset);
                    add_symbols(&mut items, &mut symbols, offset);
                    items.push(MachineItem::Code(*row, offset));
                }
                CodeRow::Bytes { point, start, len } => add_bytes(&mut items, &mut symbols, view, (point, start, len)),
                // The list has a row for each point.
                CodeRow::Line(_) => {}
                CodeRow::Inlined(index) => {
                    let offset = self.code.inlined.rows.get(index).map_or(0, |row| row.offset);
                    items.push(MachineItem::Code(*row, offset));
                }
            }
            if items.len() >= MAX_ROWS {
                items.push(MachineItem::Remark(format!("and more: {} in all", count(view.size.unwrap_or(0), "byte"))));
                return items;
            }
        }
        items.extend(symbols.map(|(start, index)| MachineItem::Symbol(index, start)));
        items
    }

    pub(super) fn instruction(&self, item: &MachineItem) -> Option<&Instruction> {
        match item {
            MachineItem::Code(CodeRow::Instruction(index), _) => self.code.instructions.get(*index),
            _ => None,
        }
    }

    /// Returns whether an item contains the code at an offset.
    pub(super) fn has(&self, item: &MachineItem, offset: u32) -> bool {
        match item {
            MachineItem::Code(CodeRow::Bytes { start, len, .. }, _) => offset.wrapping_sub(*start) < *len,
            _ => self.instruction(item).is_some_and(|one| one.offset <= offset && offset < one.end()),
        }
    }

    pub(super) fn row(&self, item: &MachineItem, view: &MethodView, session: &Session) -> Row {
        let lanes = " ".repeat(self.arrows.width());
        match *item {
            MachineItem::Remark(ref text) => Row::plain(vec![Cell::toned(text.clone(), Tone::Warn)]),
            MachineItem::Symbol(index, _) => {
                let Some(symbol) = view.records.get(index) else { return Row::default() };
                let tone = if symbol.is_block() { Tone::Warn } else { Tone::Dim };
                let indent = "  ".repeat(usize::from(symbol.depth));
                let cell = Cell::toned(format!("{lanes}    {indent}{}", symbol_text(symbol)), tone);
                Row { place: view.symbol_place(symbol), span: Some(symbol.span), ..Row::plain(vec![cell]) }
            }
            MachineItem::Symbols(ref rest, _) => {
                let names = rest.iter().filter_map(|index| view.records.get(*index)).map(|symbol| symbol.name.as_str());
                let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
                let text = format!("{lanes}    {} more, in Scopes: {}", rest.len(), names.join(", "));
                Row::plain(vec![Cell::toned(text, Tone::Dim)])
            }
            MachineItem::Code(CodeRow::Line(_), _) => Row::default(),
            MachineItem::Code(CodeRow::Inlined(index), offset) => {
                let Some(row) = self.code.inlined.rows.get(index) else { return Row::default() };
                let indent = "  ".repeat(row.depth.min(8));
                let cell = Cell::toned(format!("{lanes}    {indent}{}", row.text), Tone::Warn);
                Row::at(view.of.code(offset), vec![Cell { to: row.line, ..cell }])
            }
            MachineItem::Code(CodeRow::Instruction(index), _) => match self.code.instructions.get(index) {
                Some(instruction) => self.instruction_row(lanes, instruction, view, session),
                None => Row::default(),
            },
            MachineItem::Code(CodeRow::Bytes { start, len, .. }, _) => bytes_row(view, session, (start, len)),
        }
    }

    fn instruction_row(&self, lanes: String, instruction: &Instruction, view: &MethodView, session: &Session) -> Row {
        let (mnemonic, text) = self.code.text(session, view, instruction);
        let variables = self.code.variables_of(view, instruction, &text).join(", ");
        let target = self.code.target(session, view, instruction);
        let mut operands = Cell::new(text);
        operands.beside = variables;
        if let Some(target) = target {
            operands.to = target.place;
            let address = self.code.rva_of_target(instruction).map(|rva| format!("{rva:#x}"));
            let address = if instruction.is_transfer() { address } else { None };
            match address.and_then(|address| with_target(&operands.text, &address, &target.text)) {
                Some(text) => operands.text = text,
                None if operands.beside.is_empty() => operands.beside = target.text,
                None => operands.beside = format!("{}, {}", target.text, operands.beside),
            }
        }
        let span = view.code.map(|code| code.part(instruction.offset.into(), instruction.len.into()));
        let offset = Cell::toned(view.of.label(instruction.offset.into()), Tone::Dim);
        let cells = vec![Cell::new(lanes), offset, Cell::new(mnemonic), operands];
        Row { span, ..Row::at(view.of.code(instruction.offset), cells) }
    }
}

/// The operands of a jump or call, with the address of its target, the last operand, replaced by its name.
fn with_target(operands: &str, address: &str, name: &str) -> Option<String> {
    let others = operands.strip_suffix(address).filter(|others| others.is_empty() || others.ends_with(", "))?;
    Some(format!("{others}{name}"))
}

type Symbols = std::iter::Peekable<std::vec::IntoIter<(u32, usize)>>;

fn add_symbols(items: &mut Vec<MachineItem>, symbols: &mut Symbols, offset: u32) {
    let mut begun: Vec<usize> =
        std::iter::from_fn(|| symbols.next_if(|(start, _)| *start <= offset)).map(|(_, index)| index).collect();
    let rest = if begun.len() > MAX_SYMBOLS { begun.split_off(KEPT_SYMBOLS) } else { Vec::new() };
    items.extend(begun.into_iter().map(|index| MachineItem::Symbol(index, offset)));
    items.extend((!rest.is_empty()).then_some(MachineItem::Symbols(rest, offset)));
}

/// The first offset of the code where a symbol holds: a variable of optimised code has its value somewhere only from there on.
fn first_offset(symbol: &FunctionSymbol) -> u32 {
    let is_whole = symbol.locations.iter().any(|location| location.len == u32::MAX);
    let first = if is_whole { None } else { symbol.locations.iter().map(|location| location.start).min() };
    first.map_or(symbol.start, |first| first.max(symbol.start))
}

/// A symbol in a line: as a C developer would write it, but a long type comes last.
fn symbol_text(symbol: &FunctionSymbol) -> String {
    let repeated = if symbol.is_repetition { "  repeated for old debuggers" } else { "" };
    if symbol.type_name.chars().count() <= SHORT_TYPE || symbol.name.is_empty() {
        return format!("{}{repeated}", symbol.text());
    }
    let words = [symbol.word, &symbol.name, &symbol.kept].into_iter().filter(|word| !word.is_empty());
    format!("{}{repeated}  {}", words.collect::<Vec<_>>().join(" "), symbol.type_name)
}

/// Adds the bytes of a line; none where no image has them.
fn add_bytes(
    items: &mut Vec<MachineItem>,
    symbols: &mut Symbols,
    view: &MethodView,
    (point, mut start, len): (Option<usize>, u32, u32),
) {
    let Some(code) = view.code else { return add_symbols(items, symbols, start) };
    let (end, held) = (start.saturating_add(len), code.len as u32);
    let step = if end <= held { BYTES } else { len };
    while start < end && items.len() < MAX_ROWS {
        add_symbols(items, symbols, start);
        let len = step.min(end - start);
        items.push(MachineItem::Code(CodeRow::Bytes { point, start, len }, start));
        start += len;
    }
}

fn bytes_row(view: &MethodView, session: &Session, (start, len): (u32, u32)) -> Row {
    let span = view.code.map(|code| code.part(start.into(), len.into()));
    let bytes = span.and_then(|span| method::image_bytes(session, span).ok());
    let code = match bytes {
        Some(slice) => Cell::new(spaced_hex(slice.data, BYTES as usize)),
        None => Cell::toned(count(len, "byte"), Tone::Dim),
    };
    let offset = Cell::toned(view.of.label(start.into()), Tone::Dim);
    let cells = vec![Cell::default(), offset, code];
    Row { span: bytes.map(Slice::span), ..Row::at(view.of.code(start), cells) }
}

/// Code offset of an instruction, or of the instruction that a line or symbol row precedes.
pub(super) const fn offset_of(item: &MachineItem) -> Option<u32> {
    match item {
        MachineItem::Remark(_) => None,
        MachineItem::Symbol(_, offset) | MachineItem::Symbols(_, offset) | MachineItem::Code(_, offset) => {
            Some(*offset)
        }
    }
}

pub(super) fn is_symbol(item: &MachineItem, view: &MethodView, at: u32) -> bool {
    let symbol = |index: usize| -> Option<&FunctionSymbol> { view.records.get(index) };
    let is_it = |index: &usize| symbol(*index).is_some_and(|symbol| symbol.at == at);
    match item {
        MachineItem::Symbol(index, _) => is_it(index),
        MachineItem::Symbols(rest, _) => rest.iter().any(is_it),
        MachineItem::Remark(_) | MachineItem::Code(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::Span;
    use pdblens_nodes::code_unit::Location;

    fn rows(records: Vec<FunctionSymbol>) -> Vec<MachineItem> {
        let bytes = |start| CodeRow::Bytes { point: None, start, len: 8 };
        let mut code = Disassembly::default();
        code.rows.extend([bytes(0), bytes(8)]);
        NativeCode { code, ..NativeCode::default() }.items(&MethodView {
            records,
            code: Some(Span::default()),
            ..MethodView::default()
        })
    }

    fn local(name: &str, type_name: &str) -> FunctionSymbol {
        let (name, type_name) = (name.to_owned(), type_name.to_owned());
        FunctionSymbol {
            kind: "S_LOCAL",
            word: "local",
            kept: "eax".into(),
            len: 16,
            name,
            type_name,
            ..Default::default()
        }
    }

    #[test]
    fn the_name_of_a_target_stands_for_its_address() {
        let named = |operands: &str| with_target(operands, "0x15f4", "+0x54");
        assert_eq!(named("0x15f4").as_deref(), Some("+0x54"));
        assert_eq!(named("w0, 0x15f4").as_deref(), Some("w0, +0x54"));
        assert_eq!(named("x1, #0x3, 0x15f4").as_deref(), Some("x1, #0x3, +0x54"));
        for other in ["qword ptr [0x15f4]", "w0", "0x15f40", "[x0, #0x15f4"] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn the_instructions_are_not_pushed_off_the_screen_by_names() {
        let few = rows((0..MAX_SYMBOLS).map(|_| local("a", "int")).collect());
        assert_eq!(few.iter().filter(|item| matches!(item, MachineItem::Symbol(..))).count(), MAX_SYMBOLS);
        let many = rows((0..40).map(|_| local("a", "int")).collect());
        assert_eq!(many.len(), KEPT_SYMBOLS + 1 + 2);
        assert_eq!(many.get(KEPT_SYMBOLS), Some(&MachineItem::Symbols((KEPT_SYMBOLS..40).collect(), 0)));
    }

    #[test]
    fn a_variable_stands_where_its_value_begins() {
        let later = Location { start: 8, len: 4, ..Location::default() };
        let moved = FunctionSymbol { locations: vec![later], ..local("moved", "int") };
        let found = rows(vec![moved, local("first", "int")]);
        assert_eq!(found.first(), Some(&MachineItem::Symbol(1, 0)));
        assert_eq!(found.get(2), Some(&MachineItem::Symbol(0, 8)));
    }

    #[test]
    fn a_long_type_does_not_cut_the_name() {
        assert_eq!(symbol_text(&local("total", "int")), "local int total eax");
        let again = FunctionSymbol { is_repetition: true, ..local("total", "int") };
        assert_eq!(symbol_text(&again), "local int total eax  repeated for old debuggers");
        let long = "std::basic_string<char,std::char_traits<char> >";
        assert_eq!(symbol_text(&local("name", long)), format!("local name eax  {long}"));
    }
}
