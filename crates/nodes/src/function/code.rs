//! Machine code of a function: its instructions, and the bytes of each.

use super::disassembly::{CodeRow, Disassembly, Flow, Instruction};
use crate::code_unit::document_name;
use crate::code_unit::function::function_view;
use crate::code_unit::il as view;
use crate::code_unit::il::range_text;
use crate::code_unit::view::MethodView;
use crate::fields::{Fields, Meaning};
use crate::native::name_or_address;
use crate::place::{CodeUnit, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::{Cursor, FieldDoc, Recording, Result, Slice, fields};
use pdblens_formats::pdb::Function;
use pdblens_machine::{InstructionPart, InstructionText};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{count, spaced_hex};

/// Instructions of a function that are fields of its code; of a longer one, the code is one field.
const MAX_FIELDS: usize = 4096;

/// The machine code of the function at an address, one row per instruction, or per line if it is not disassembled.
pub(crate) fn function_code(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let view = function_view(session, rva);
    let (of, Some(size)) = (view.of, view.size) else { return None };
    let CodeUnit::Function(_) = of else { return None };
    let columns = Head::list([
        "line:",
        "rva:",
        "offset:",
        "source",
        "bytes:",
        "code",
        "instruction",
        "operands",
        "target",
        "variables",
        "inlined",
    ]);
    let code = Disassembly::of(session, &view);
    // The line that begins with each instruction, of several the last.
    let (mut rows, mut line) = (Vec::with_capacity(code.rows.len()), None);
    for row in &code.rows {
        match *row {
            CodeRow::Line(index) => line = Some(index),
            CodeRow::Inlined(_) => {}
            row => rows.push((line.take(), row)),
        }
    }
    let mut title = format!("{} · {} of machine code", name_or_address(session, of.address()), count(size, "byte"));
    if let Some(problem) = &code.problem {
        title = format!("{title} · {problem}");
    }
    Some(Rows::new(title, columns, rows.len(), move |row| {
        let Some((line, row)) = rows.get(row).copied() else { return Row::default() };
        code_row(session, &view, &code, line, row)
    }))
}

const COLUMNS: usize = 11;

fn code_row(session: &Session, view: &MethodView, code: &Disassembly, line: Option<usize>, row: CodeRow) -> Row {
    let instruction = match row {
        CodeRow::Instruction(index) => code.instructions.get(index),
        _ => None,
    };
    let (offset, len) = match (instruction, row) {
        (Some(instruction), _) => (instruction.offset, instruction.len.into()),
        (None, CodeRow::Bytes { start, len, .. }) => (start, len),
        _ => return Row::default(),
    };
    let span = view.code.filter(|held| u64::from(offset) + u64::from(len) <= held.len);
    let span = span.map(|held| held.part(offset.into(), len.into()));
    let bytes = span.and_then(|span| view::image_bytes(session, span).ok()).map_or(&[][..], |slice| slice.data);
    let mut cells = vec![
        Cell::toned(line.map_or(String::new(), |index| (index + 1).to_string()), Tone::Dim),
        Cell::new(format!("{:#x}", view.of.address().wrapping_add(offset))),
        Cell::toned(view.of.label(offset.into()), Tone::Dim),
        source_cell(session, view, line),
        Cell::toned(len.to_string(), Tone::Dim),
        Cell::toned(spaced_hex(bytes, 32), Tone::Dim),
    ];
    if let Some(instruction) = instruction {
        let (_, text) = code.decoded(session, view, instruction);
        let target = code.target(session, view, instruction);
        let target = target.map_or_else(Cell::default, |found| Cell::new(found.text).to(found.place));
        let variables = code.variables(view, offset, &text.operands).join(", ");
        cells.extend([Cell::new(text.mnemonic), Cell::new(text.operands), target, Cell::new(variables)]);
        cells.push(Cell::toned(code.inlined.text_at(offset), Tone::Dim));
    } else {
        // Bytes alone have nothing in the columns from `instruction` on.
        cells.resize(COLUMNS, Cell::default());
    }
    Row { span, ..Row::at(view.of.code(offset), cells) }
}

/// Lines and columns of a point, with its file where the function has several.
fn source_cell(session: &Session, view: &MethodView, line: Option<usize>) -> Cell {
    let Some(point) = line.and_then(|index| view.points.get(index)) else { return Cell::default() };
    let mut cell = Cell { tone: Tone::Text, ..Cell::source(point) };
    if point.document > 0 && !point.is_hidden() {
        cell.to = Some(Place::Line(point.document, point.start_line));
        if view.symbols.document.is_none() {
            let path = document_name(session, point.document).unwrap_or_default();
            file_name(&path).clone_into(&mut cell.beside);
        }
    }
    cell
}

impl Disassembly {
    pub fn text(&self, session: &Session, view: &MethodView, instruction: &Instruction) -> (String, String) {
        let (_, InstructionText { mnemonic, operands }) = self.decoded(session, view, instruction);
        (mnemonic, operands)
    }

    pub fn variables_of(&self, view: &MethodView, instruction: &Instruction, operands: &str) -> Vec<String> {
        self.variables(view, instruction.offset, operands)
    }
}

fields! {
    /// The machine code: instructions of the processor.
    MACHINE_CODE: "machine code";
    /// The instructions that belong to the line, as the image has them.
    CODE: "code";
    /// An instruction of the processor.
    INSTRUCTION: "instruction";
    /// An entry of a jump table: the address of the code that a jump with its index leads to, on x64 an RVA.
    TABLE_ENTRY: "jump table entry";
    /// Bytes after the entries of a jump table, such as a table of indexes into it.
    TABLE_DATA: "jump table data";
    /// The prefixes, the opcode, and the registers of an instruction; on ARM64 the whole word.
    OPCODE: "opcode";
    /// A number that is added to an address, which is relative to the next instruction if there is no register.
    DISPLACEMENT: "displacement";
    /// A number that is an operand, or the distance of a jump from the next instruction.
    IMMEDIATE: "immediate";
}

/// Machine code of a function: all of it, or the instruction with the byte at an offset.
pub(crate) fn explain_code(session: &Session, function: &Function, rva: u32, offset: Option<u32>) -> Option<Fields> {
    let view = function_view(session, rva);
    let code = Disassembly::of(session, &view);
    match offset {
        None => explain_all(session, &view, &code),
        Some(offset) => match code.instruction_at(offset).and_then(|index| code.instructions.get(index)) {
            Some(instruction) => explain_instruction(session, &view, &code, instruction),
            None => explain_line(session, &view, function, offset),
        },
    }
}

fn explain_all(session: &Session, view: &MethodView, code: &Disassembly) -> Option<Fields> {
    let held = view.code.filter(|code| !code.is_empty())?;
    let slice = view::image_bytes(session, held).ok()?;
    let title = format!("{} · machine code", name_or_address(session, view.of.address()));
    if code.instructions.len() > MAX_FIELDS || code.instructions.is_empty() {
        return Some(plain(title, slice, |_| None));
    }
    let decode = |c: &mut Cursor<'_, Recording>| {
        c.group(&MACHINE_CODE, |c| {
            code.instructions.iter().try_for_each(|one| c.bytes(doc_of(one), one.len.into()).map(drop))
        })
    };
    Some(Fields::explain(title, slice, decode, |_, field| {
        let names = [INSTRUCTION.name, TABLE_ENTRY.name, TABLE_DATA.name];
        if !names.contains(&field.name()) {
            return None;
        }
        let at = field.span.start.checked_sub(held.start)?;
        let instruction = code.instructions.get(code.instruction_at(u32::try_from(at).ok()?)?)?;
        let (mnemonic, operands) = code.text(session, view, instruction);
        Some(Meaning::to(format!("{mnemonic} {operands}").trim_end().to_owned(), view.of.code(instruction.offset)))
    }))
}

/// Field that an instruction is, or data between the code.
fn doc_of(instruction: &Instruction) -> &'static FieldDoc {
    match (instruction.flow, instruction.target) {
        (Flow::Data, Some(_)) => &TABLE_ENTRY,
        (Flow::Data, None) => &TABLE_DATA,
        _ => &INSTRUCTION,
    }
}

/// Reads an instruction of precompiled code by the parts of its bytes.
pub(crate) fn explain_parts(c: &mut Cursor<'_, Recording>, parts: Vec<(InstructionPart, u64)>) -> Result<()> {
    c.group(&INSTRUCTION, |c| parts.into_iter().try_for_each(|(part, size)| c.bytes(doc_of_part(part), size).map(drop)))
}

const fn doc_of_part(part: InstructionPart) -> &'static FieldDoc {
    match part {
        InstructionPart::Opcode => &OPCODE,
        InstructionPart::Displacement => &DISPLACEMENT,
        InstructionPart::Immediate => &IMMEDIATE,
    }
}

fn explain_instruction(
    session: &Session,
    view: &MethodView,
    code: &Disassembly,
    instruction: &Instruction,
) -> Option<Fields> {
    let span = view.code?.part(instruction.offset.into(), instruction.len.into());
    let slice = view::image_bytes(session, span).ok()?;
    let name = name_or_address(session, view.of.address());
    let (mnemonic, operands) = code.text(session, view, instruction);
    let text = format!("{mnemonic} {operands}");
    let title = format!("{name}{} · {}", view.of.label(instruction.offset.into()), text.trim_end());
    let decode = |c: &mut Cursor<'_, Recording>| match instruction.flow {
        Flow::Data => c.group(&MACHINE_CODE, |c| c.bytes(doc_of(instruction), instruction.len.into()).map(drop)),
        _ => explain_parts(c, code.parts(slice.data)),
    };
    let target = code.target(session, view, instruction);
    let line = view.points.covering(instruction.offset);
    let mut is_first = true;
    Some(Fields::explain(title, slice, decode, |_, field| match field.name() {
        "instruction" => {
            let range = view.points.get(line?).map_or(String::new(), range_text);
            let number = line? as u32 + 1;
            Some(Meaning::to(format!("line {number} · {range}"), view.of.point(number)))
        }
        "opcode" if std::mem::take(&mut is_first) => Some(Meaning::text(mnemonic.clone())),
        "displacement" | "immediate" | "jump table entry" => {
            let found = target.as_ref()?;
            Some(Meaning::to(format!("→ {}", found.text), found.place))
        }
        _ => None,
    }))
}

/// Code of a line from an offset on, where it is not disassembled.
fn explain_line(session: &Session, view: &MethodView, function: &Function, offset: u32) -> Option<Fields> {
    let held = view.code?;
    let name = name_or_address(session, view.of.address());
    let end = view.points.covering(offset).map_or_else(
        || view.points.first().map_or(function.len, |point| point.offset),
        |point| view.point_range(point).end,
    );
    let len = held.len.min(end.into()).checked_sub(offset.into()).filter(|len| *len > 0)?;
    let slice = view::image_bytes(session, held.part(offset.into(), len)).ok()?;
    let title = format!("{name}{} · machine code", view.of.label(offset.into()));
    let point = view.points.covering(offset).and_then(|index| Some((index, view.points.get(index)?)));
    Some(plain(title, slice, |field| {
        if field != CODE.name {
            return None;
        }
        let (index, point) = point?;
        let number = index as u32 + 1;
        Some(Meaning::to(format!("line {number} · {}", range_text(point)), view.of.point(number)))
    }))
}

fn plain(title: String, slice: Slice<'_>, mut meaning: impl FnMut(&str) -> Option<Meaning>) -> Fields {
    let decode = |c: &mut Cursor<'_, Recording>| c.group(&MACHINE_CODE, |c| c.bytes(&CODE, c.left()).map(drop));
    let mut fields = Fields::explain(title, slice, decode, |_, field| meaning(field.name()));
    // The bytes themselves stand beside it.
    fields.rows.iter_mut().filter(|row| !row.group).for_each(|row| row.value = count(row.span.len, "byte"));
    fields
}
