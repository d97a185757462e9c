//! Machine code of a function as instructions, with lines and inlined calls between them.

use super::inlined_rows::InlinedRows;
use super::jump_tables::{self, Code};
use super::targets::{self, Target, image_needed};
use crate::code_unit::il::image_bytes;
use crate::code_unit::view::MethodView;
use crate::native::NativeView;
use pdblens_formats::bytes::is_inside;
use pdblens_formats::reason::Reason;
use pdblens_machine::{InstructionPart, InstructionText, Machine};
use pdblens_session::session::{Image, Session};
use pdblens_session::text::safe::count;

pub use pdblens_machine::{Flow, Instruction};

/// Bytes of one function that are disassembled.
const MAX_CODE: u64 = 1 << 20;
/// Bytes before an offset that are disassembled to find a call.
const MAX_BEFORE: usize = 64 << 10;
/// Bytes of the longest code that is taken for a thunk.
const MAX_THUNK: usize = 64;
/// Bytes of the longest instruction.
const MAX_INSTRUCTION: usize = 16;
const NO_FUNCTION: &str = "no function of native code is there";
/// Variables of a function whose names stand beside the operands that use them.
const MAX_VARIABLES: usize = 512;

/// A function as instructions; where its code is not known, as ranges of bytes.
#[derive(Clone, Debug, Default)]
pub struct Disassembly {
    /// All instructions; they tile the code from its first byte on.
    pub instructions: Vec<Instruction>,
    /// Instructions with the lines and inlined calls that begin before them.
    pub rows: Vec<CodeRow>,
    pub inlined: InlinedRows,
    /// Reason why code is missing or is not disassembled, and what to open.
    pub problem: Option<String>,
    machine: Option<Machine>,
    /// Preferred base address of the image.
    base: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRow {
    /// A line begins, by index of its point.
    Line(usize),
    /// An inlined call begins, continues on another line, or ends, by index of its row.
    Inlined(usize),
    Instruction(usize),
    Bytes {
        point: Option<usize>,
        /// Offset in the function.
        start: u32,
        len: u32,
    },
}

impl Disassembly {
    pub fn of(session: &Session, view: &MethodView) -> Self {
        let mut out = Self { inlined: InlinedRows::of(session, view), ..Self::default() };
        let size = view.size.unwrap_or(0);
        match code(session, view) {
            Ok((machine, base, bytes)) => {
                let address = base.wrapping_add(view.of.address().into());
                let first = bytes.get(..MAX_CODE as usize).unwrap_or(bytes);
                out.instructions = jump_tables::disassemble(&Code { machine, base, address, bytes: first }, view);
                (out.machine, out.base) = (Some(machine), base);
                let end = out.end();
                if first.len() < bytes.len() {
                    out.problem = Some(format!(
                        "disassembled up to {}: {} in all",
                        view.of.label(end.into()),
                        count(size, "byte")
                    ));
                } else if end < size {
                    let name = session.image().map_or("", |image| image.name.as_str());
                    out.problem =
                        Some(format!("{name} contains only {} of {}", count(end, "byte"), count(size, "byte")));
                }
            }
            Err(problem) => out.problem = Some(problem.text),
        }
        out.add_rows(view);
        out.add_bytes(view, size);
        out
    }

    fn end(&self) -> u32 {
        self.instructions.last().map_or(0, Instruction::end)
    }

    fn add_rows(&mut self, view: &MethodView) {
        let mut lines = view.points.iter().enumerate().peekable();
        for (index, instruction) in self.instructions.iter().enumerate() {
            while let Some((line, _)) = lines.next_if(|(_, point)| point.offset <= instruction.offset) {
                self.rows.push(CodeRow::Line(line));
            }
            self.rows.extend(self.inlined.enter(instruction.offset).map(CodeRow::Inlined));
            self.rows.push(CodeRow::Instruction(index));
        }
    }

    /// Adds the bytes after the last instruction, a row for each line.
    fn add_bytes(&mut self, view: &MethodView, size: u32) {
        let mut start = self.end();
        while start < size {
            let point = view.points.covering(start);
            let next = point.map_or(0, |index| index + 1);
            let end = view.points.get(next).map_or(size, |next| next.offset).min(size);
            let end = if end > start { end } else { size };
            if let Some(index) =
                point.filter(|index| view.points.get(*index).is_some_and(|point| point.offset == start))
            {
                self.rows.push(CodeRow::Line(index));
            }
            self.rows.push(CodeRow::Bytes { point, start, len: end - start });
            start = end;
        }
    }

    pub fn instruction_at(&self, offset: u32) -> Option<usize> {
        let index = self.instructions.partition_point(|instruction| instruction.offset <= offset).checked_sub(1)?;
        self.instructions.get(index).filter(|instruction| offset < instruction.end()).map(|_| index)
    }

    /// The call that ends at an offset of a function: its offset, and the name of what it calls.
    pub fn call_before(session: &Session, view: &MethodView, offset: u32) -> Option<(u32, String)> {
        view.code?;
        let (machine, base, bytes) = code(session, view).ok()?;
        let before = bytes.get(..offset as usize).filter(|before| before.len() <= MAX_BEFORE)?;
        let instructions = machine.disassemble(before, base.wrapping_add(view.of.address().into()));
        let last = instructions.last().filter(|last| last.end() == offset && last.flow == Flow::Call)?;
        let out = Self { machine: Some(machine), base, ..Self::default() };
        let target = out.target(session, view, last);
        Some((last.offset, target.map_or_else(|| "a function pointer".to_owned(), |target| target.text)))
    }

    /// The jump that ends a thunk: a short function that leaves for another one, or for an import. Its offset, and what it leads to.
    pub fn last_jump(session: &Session, view: &MethodView) -> Option<(u32, Target, u32)> {
        view.code?;
        let (machine, base, bytes) = code(session, view).ok().filter(|(.., bytes)| bytes.len() <= MAX_THUNK)?;
        let instructions = machine.disassemble(bytes, base.wrapping_add(view.of.address().into()));
        let jump = instructions.iter().find(|instruction| instruction.flow != Flow::Next)?;
        let out = Self { machine: Some(machine), base, ..Self::default() };
        let rva = out.rva_of_target(jump).filter(|rva| *rva != view.of.address() && jump.flow == Flow::Jump)?;
        let is_outside = view.size.is_none_or(|size| !is_inside(rva, view.of.address(), size));
        if !is_outside {
            return None;
        }
        Some((jump.offset, out.target(session, view, jump)?, rva))
    }

    /// Length and target of the jump at an address, if it leads to an import or to another symbol of the same section, as in a thunk.
    pub fn jump_at(session: &Session, rva: u32) -> Option<(u32, Target)> {
        session.image()?;
        let (machine, image) = machine(session).ok()?;
        let (base, bytes) = (image.pe.image_base(), image.pe.rest_at_rva(rva).ok()?.data);
        let first = bytes.get(..bytes.len().min(MAX_INSTRUCTION))?;
        let instructions = machine.disassemble(first, base.wrapping_add(rva.into()));
        let jump = instructions.first().filter(|instruction| instruction.flow == Flow::Jump)?;
        let to = Self { machine: Some(machine), base, ..Self::default() }.rva_of_target(jump)?;
        Some((jump.end(), targets::beyond(session, rva, to)?))
    }

    /// Calls and jumps that leave a function: the offset of each, and the RVA that it leads to.
    pub(crate) fn transfers(session: &Session, rva: u32, len: u32) -> Vec<(u32, u32)> {
        let Ok((machine, image)) = machine(session) else { return Vec::new() };
        let Ok(rest) = image.pe.rest_at_rva(rva) else { return Vec::new() };
        let len = u64::from(len).min(MAX_CODE) as usize;
        let bytes = rest.data.get(..len).unwrap_or(rest.data);
        let base = image.pe.image_base();
        let out = Self { machine: Some(machine), base, ..Self::default() };
        let instructions = machine.disassemble(bytes, base.wrapping_add(rva.into()));
        let transfers = instructions.iter().filter(|instruction| instruction.is_transfer());
        let led = transfers.filter_map(|instruction| Some((instruction.offset, out.rva_of_target(instruction)?)));
        led.filter(|(_, to)| !is_inside(*to, rva, len as u32)).collect()
    }

    /// Bytes of an instruction, and its text with addresses as RVAs.
    pub(super) fn decoded<'s>(
        &self,
        session: &'s Session,
        view: &MethodView,
        instruction: &Instruction,
    ) -> (&'s [u8], InstructionText) {
        let span = view.code.map(|code| code.part(instruction.offset.into(), instruction.len.into()));
        let bytes = span.and_then(|span| image_bytes(session, span).ok()).map_or(&[][..], |slice| slice.data);
        let address = self.base.wrapping_add(view.of.address().into()).wrapping_add(instruction.offset.into());
        if instruction.flow == Flow::Data {
            return (bytes, self.data_text(instruction, bytes));
        }
        let Some(machine) = self.machine else { return (bytes, InstructionText::default()) };
        let mut text = machine.text(bytes, address);
        if let Some((target, rva)) = instruction.target.zip(self.rva_of_target(instruction)) {
            text.operands = text.operands.replacen(&format!("{target:#x}"), &format!("{rva:#x}"), 1);
        }
        (bytes, text)
    }

    /// Data as directives of an assembler: `dd` of an address in the image, `db` of bytes.
    fn data_text(&self, data: &Instruction, bytes: &[u8]) -> InstructionText {
        let (mnemonic, operands) = match self.rva_of_target(data) {
            Some(rva) => ("dd", format!("{rva:#x}")),
            None => ("db", bytes.iter().map(|byte| format!("{byte:#x}")).collect::<Vec<_>>().join(", ")),
        };
        InstructionText { mnemonic: mnemonic.to_owned(), operands }
    }

    pub fn rva_of_target(&self, instruction: &Instruction) -> Option<u32> {
        u32::try_from(instruction.target?.checked_sub(self.base)?).ok()
    }

    /// Address in the image that an operand of an instruction of x86 may be.
    pub(super) fn rva_of_number(&self, instruction: &Instruction) -> Option<u32> {
        u32::try_from(u64::from(instruction.number?).checked_sub(self.base)?).ok()
    }

    pub(super) fn parts(&self, bytes: &[u8]) -> Vec<(InstructionPart, u64)> {
        self.machine.map_or_else(Vec::new, |machine| machine.parts(bytes))
    }

    pub(super) fn variables(&self, view: &MethodView, offset: u32, operands: &str) -> Vec<String> {
        let places = places(operands);
        let mut names: Vec<String> = Vec::new();
        for symbol in view.records.iter().filter(|symbol| symbol.is_variable()).take(MAX_VARIABLES) {
            let is_used = if symbol.has_ranges() {
                symbol.locations.iter().any(|at| places.contains(&at.text) && at.holds(offset))
            } else {
                places.contains(&symbol.kept) && symbol.kept_at(offset).is_some()
            };
            let is_there = is_used && (symbol.inlined_call == 0 || self.inlined.is_in(symbol.inlined_call, offset));
            if is_there && !names.contains(&symbol.name) {
                names.push(symbol.name.clone());
            }
        }
        names
    }
}

/// Registers and memory that operands name, as symbols write them: `ecx`, `[rsp+0x8]`.
fn places(operands: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = operands;
    while let Some((before, after)) = rest.split_once('[') {
        found.extend(registers(before));
        let Some((inside, behind)) = after.split_once(']') else { return found };
        found.push(memory(inside));
        rest = behind;
    }
    found.extend(registers(rest));
    found
}

fn registers(text: &str) -> impl Iterator<Item = String> {
    let names = text.split([',', ' ']).filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    names.map(|name| frame_name(name).to_owned())
}

/// An address relative to a register; ARM64 writes `sp, #48`.
fn memory(inside: &str) -> String {
    let (base, number) = match inside.split_once(", #") {
        Some((base, number)) => (frame_name(base), number),
        None => return format!("[{}]", frame_name(inside)),
    };
    let (sign, number) = number.strip_prefix('-').map_or(('+', number), |number| ('-', number));
    let value = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => number.parse(),
    };
    match value {
        Ok(0) => format!("[{base}]"),
        Ok(value) => format!("[{base}{sign}{value:#x}]"),
        Err(_) => format!("[{inside}]"),
    }
}

/// Name that CodeView has for a register of ARM64.
fn frame_name(register: &str) -> &str {
    match register {
        "x29" => "fp",
        "x30" => "lr",
        _ => register,
    }
}

/// Instruction set, preferred base and bytes of a function; else the reason why they are not known.
fn code<'s>(session: &'s Session, view: &MethodView) -> Result<(Machine, u64, &'s [u8]), Reason> {
    if !view.of.is_native() {
        return Err(Reason::new("no-function", NO_FUNCTION));
    }
    let (machine, image) = machine(session)?;
    let span =
        view.code.ok_or_else(|| Reason::new("no-bytes", format!("{} has no bytes at that address", image.name)))?;
    let bytes = image_bytes(session, span).map_err(|error| session.spaces().reason(&error))?;
    Ok((machine, image.pe.image_base(), bytes.data))
}

/// Instruction set of the image, which has the code of the PDB; else the reason why that is not known.
fn machine(session: &Session) -> Result<(Machine, &Image), Reason> {
    if NativeView::of(session).is_none() {
        return Err(Reason::new("no-function", NO_FUNCTION));
    }
    let image = session.image();
    let image = image.ok_or_else(|| Reason::new("no-image", format!("no image is open: {}", image_needed(session))))?;
    if session.pdb_match().is_mismatch() {
        let summary = session.pdb_match().summary();
        let text = format!("{} is not the image of this PDB ({summary}): {}", image.name, image_needed(session));
        return Err(Reason::new("mismatch", text));
    }
    let machine = Machine::of(image.machine());
    let machine = machine.ok_or_else(|| {
        Reason::new("other-machine", format!("code of this machine ({:#06x}) is not disassembled", image.machine()))
    })?;
    Ok((machine, image))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_read_as_symbols_write_them() {
        for (operands, expected) in [
            ("dword ptr [rsp+0x8], ecx", &["dword", "ptr", "[rsp+0x8]", "ecx"][..]),
            ("w8, [sp, #48]", &["w8", "[sp+0x30]"]),
            ("x0, [x29, #-0x10]!", &["x0", "[fp-0x10]"]),
            ("x30, [sp]", &["lr", "[sp]"]),
            ("0x10", &[]),
        ] {
            assert_eq!(places(operands), expected, "{operands}");
        }
    }
}
