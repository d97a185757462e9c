//! Machine code of a method: instructions with IL offset, line and variables.

pub use crate::code_unit::variables::variable_name;
use crate::code_unit::view::MethodView;
use crate::place::{MethodPart, Place, il_label};
use std::ops::Range;
use std::sync::Arc;

use pdblens_formats::bytes::{Cursor, Recording, is_inside};
use pdblens_formats::metadata::Token;
use pdblens_formats::native_map::MapMethod;
use pdblens_formats::r2r::debug_info::{AFTER_PROLOG, base_name, register_name};
use pdblens_formats::r2r::{Bound, DebugInfo, Variable, VariableLocation};
use pdblens_machine::{Instruction, InstructionText, Machine};
use pdblens_session::precompiled::{BodyOwner, Fragment, NativeBody, Precompiled};
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, spaced_hex};
use pdblens_session::{code_image, recorded};

use crate::code_unit::il::method_view;
use crate::fields::{Fields, Meaning};
use crate::function::explain_parts;
use crate::r2r::cells::{cell_at, owner_name};
use crate::rows::{Cell, Head, Row, Rows, Tone};

/// Bytes of one body that are disassembled.
const MAX_CODE: u32 = 1 << 20;

const MAX_BODIES: usize = 256;

/// A body of machine code with what is known of it.
pub struct MappedBody {
    /// The code; addresses of recorded code count from its first byte.
    pub body: NativeBody,
    /// Name of the method, with type arguments where the body is for some.
    pub name: String,
    /// Bounds and variables.
    pub info: DebugInfo,
    /// Code that a runtime recorded, in the place of that of an image.
    pub recorded: Option<Recorded>,
    /// Bytes of code in the memory of a process; empty for other code.
    code: Vec<u8>,
}

/// A body of machine code in a recorded map.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "recorded_code"))]
pub struct Recorded {
    /// Process that has the code; absent where the trace does not name the processes of its threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<u64>,
    /// Address in memory.
    pub address: u64,
    /// Tier that the JIT compiled it at: `QuickJitted`, `OptimizedTier1`.
    pub tier: String,
}

impl MappedBody {
    /// Returns true if the offsets of IL that have code are known: a recording may lack the map of a body.
    pub const fn has_map(&self) -> bool {
        !self.info.bounds.is_empty()
    }

    /// Address of a native offset in the image, or in memory for recorded code.
    pub fn address_of(&self, native: u32) -> u64 {
        match &self.recorded {
            Some(code) => code.address.saturating_add(native.into()),
            None => self.body.rva_of(native).unwrap_or(0).into(),
        }
    }
}

/// Name of the method of a body, and the tier and the process of recorded code.
pub fn code_name(name: &str, recorded: Option<&Recorded>) -> String {
    let Some(Recorded { process, tier, .. }) = recorded else { return name.to_owned() };
    let process = process.map_or_else(String::new, |process| format!(", process {process}"));
    format!("{name} [{tier}{process}]")
}

/// Bodies of a method in the image and in the recorded map, each with its debug information.
pub fn bodies(session: &Session, method: Token) -> Vec<MappedBody> {
    let code = Precompiled::of(session);
    let own = code.iter().flat_map(|code| code.bodies(method).into_iter().map(|body| mapped(session, code, body)));
    let recorded = recorded::bodies(session, method).iter().map(|found| mapped_recorded(session, found));
    own.chain(recorded).take(MAX_BODIES).collect()
}

/// Recorded bodies with code at an address in memory.
pub fn recorded_at(session: &Session, address: u64) -> Vec<MappedBody> {
    recorded::at(session, address).map(|found| mapped_recorded(session, found)).take(MAX_BODIES).collect()
}

fn mapped_recorded(session: &Session, found: &MapMethod) -> MappedBody {
    MappedBody {
        body: NativeBody {
            owner: BodyOwner::Method(found.token),
            fragments: vec![Fragment { function: 0, native: 0, rva: 0, size: found.size }],
        },
        name: session.method_name(found.token),
        info: DebugInfo { bounds: found.bounds.clone(), ..DebugInfo::default() },
        recorded: Some(Recorded { process: found.process, address: found.address, tier: found.tier.clone() }),
        code: found.code.clone(),
    }
}

pub fn body_at(session: &Session, rva: u32) -> Option<(MappedBody, u32)> {
    let code = Precompiled::of(session)?;
    let body = code.body_at(rva)?;
    let native = body.native_of(rva)?;
    Some((mapped(session, &code, body), native))
}

/// Method of the open assembly that a body belongs to.
pub fn method_of(session: &Session, body: &NativeBody) -> Option<Token> {
    if let BodyOwner::Method(token) = body.owner {
        return Some(token);
    }
    Precompiled::of(session)?.method_of(body.owner)
}

fn mapped(session: &Session, code: &Precompiled<'_>, body: NativeBody) -> MappedBody {
    let info = code.debug_info(&body).unwrap_or_default();
    MappedBody { name: owner_name(session, code, body.owner), info, body, recorded: None, code: Vec::new() }
}

pub fn location_text(machine: u16, location: VariableLocation) -> String {
    let register = |number| register_name(machine, number, false);
    let slot = |base, offset: i32| {
        let (name, sign) = (base_name(machine, base), if offset < 0 { '-' } else { '+' });
        let (name, when) = name.strip_suffix(AFTER_PROLOG).map_or((name.as_str(), ""), |name| (name, AFTER_PROLOG));
        if offset == 0 {
            format!("[{name}{when}]")
        } else {
            format!("[{name}{sign}{:#x}{when}]", offset.unsigned_abs())
        }
    };
    match location {
        VariableLocation::Register(number) => register(number),
        VariableLocation::ReferenceInRegister(number) => format!("[{}]", register(number)),
        VariableLocation::FloatRegister(number) => register_name(machine, number, true),
        VariableLocation::Stack { base, offset } => slot(base, offset),
        VariableLocation::ReferenceOnStack { base, offset } => format!("[{}]", slot(base, offset)),
        VariableLocation::TwoRegisters(low, high) => format!("{}:{}", register(high), register(low)),
        VariableLocation::RegisterAndStack { register: number, base, offset } => {
            format!("{} and {}", register(number), slot(base, offset))
        }
        VariableLocation::TwoStackSlots { base, offset } => format!("{} (two slots)", slot(base, offset)),
        VariableLocation::FloatStack(number) => format!("st({number})"),
        VariableLocation::FixedVarargs(offset) => format!("varargs+{offset:#x}"),
    }
}

pub(crate) fn exists(session: &Session, method: Token, part: MethodPart) -> bool {
    let code = Precompiled::of(session);
    match part {
        MethodPart::NativeAt(rva) => {
            let body = code.and_then(|code| code.body_at(rva));
            body.is_some_and(|body| method_of(session, &body) == Some(method))
        }
        _ if !recorded::bodies(session, method).is_empty() => true,
        _ => code.is_some_and(|code| !code.bodies(method).is_empty()),
    }
}

pub(crate) fn absence(session: &Session, method: Token, part: MethodPart) -> String {
    let name = session.method_name(method);
    let Some(code) = Precompiled::of(session) else {
        return match code_image::missing(session) {
            Some(reason) => reason.text.clone(),
            None => format!("{name} has no machine code: the image is not ReadyToRun"),
        };
    };
    match part {
        MethodPart::NativeAt(rva) if !code.bodies(method).is_empty() => {
            format!("{name} has no machine code at rva {rva:#x}")
        }
        _ => format!("{name} is not precompiled: the runtime compiles it when it is first called"),
    }
}

/// Variables that have a location at a native offset.
pub fn live(info: &DebugInfo, native: u32) -> impl Iterator<Item = &Variable> {
    info.variables.iter().filter(move |variable| variable.start <= native && native < variable.end)
}

/// An instruction of a body; where a recording has no bytes, the range of a bound.
struct BodyLine {
    body: usize,
    native: u32,
    /// Size in bytes.
    len: u32,
    rva: u32,
    instruction: Option<Instruction>,
}

/// The machine code of a method: its bodies, disassembled.
pub struct MachineCode {
    pub bodies: Vec<MappedBody>,
    lines: Vec<BodyLine>,
}

impl MachineCode {
    /// Disassembles the bodies of a method; `None` where it has none.
    pub fn of(session: &Session, method: Token) -> Option<Self> {
        let (code, bodies) = (Precompiled::of(session), bodies(session, method));
        let lines = bodies.iter().enumerate().flat_map(|(index, mapped)| match (&mapped.recorded, &code) {
            (None, Some(code)) => lines(code, Machine::of(code.r2r.target.machine), index, &mapped.body),
            (Some(recorded), _) if !mapped.code.is_empty() => lines_in_memory(index, mapped, recorded.address),
            _ => ranges(index, mapped),
        });
        let lines = lines.collect();
        if bodies.is_empty() { None } else { Some(Self { bodies, lines }) }
    }

    /// Number of instructions, which have a row each.
    pub const fn instruction_count(&self) -> usize {
        self.lines.len()
    }

    /// Rows of code in one bound without IL, each run of several; of recorded code, a bound is one row.
    pub fn runs_without_il(&self) -> Vec<Range<usize>> {
        let key = |row| {
            let (mapped, native) = self.instruction(row)?;
            let bound = mapped.info.bound_at(native)?;
            bound.il.special().map(|_| (self.lines.get(row).map(|line| line.body), bound.native))
        };
        let mut all: Vec<Range<usize>> = Vec::new();
        let mut before = None;
        for row in 0..self.lines.len() {
            let found = key(row);
            match all.last_mut() {
                Some(last) if found.is_some() && found == before => last.end = row + 1,
                _ if found.is_some() => all.push(row..row + 1),
                _ => {}
            }
            before = found;
        }
        all.retain(|run| run.len() > 1);
        all
    }

    /// Body of an instruction, and its native offset there.
    pub fn instruction(&self, row: usize) -> Option<(&MappedBody, u32)> {
        let line = self.lines.get(row)?;
        Some((self.bodies.get(line.body)?, line.native))
    }

    pub fn row_of(&self, rva: u32) -> Option<usize> {
        let is_there =
            |line: &BodyLine| line.rva == rva && self.bodies.get(line.body).is_some_and(|body| body.recorded.is_none());
        self.lines.iter().position(is_there)
    }

    /// Rows of the instructions of a body, by its index, that begin in a range of native offsets.
    pub fn rows_in(&self, body: usize, native: Range<u32>) -> Range<usize> {
        let before = |end: u32| self.lines.partition_point(|line| (line.body, line.native) < (body, end));
        before(native.start)..before(native.end)
    }

    /// The address that the instruction of a row jumps to in its own body, and the native offset of it.
    pub fn jump_of(&self, session: &Session, row: usize) -> Option<(u32, u32)> {
        let line = self.lines.get(row)?;
        if self.bodies.get(line.body)?.recorded.is_some() {
            return None;
        }
        let base = Precompiled::of(session)?.image.pe.image_base();
        let rva = u32::try_from(line.instruction.as_ref()?.target?.checked_sub(base)?).ok()?;
        Some((rva, self.bodies.get(line.body)?.body.native_of(rva)?))
    }

    /// One row per instruction; `view` is that of the method.
    pub fn rows(self: Arc<Self>, session: &Session, view: Arc<MethodView>) -> Option<Rows<'_>> {
        let code = Precompiled::of(session);
        let has_several = self.bodies.len() > 1;
        let mut columns =
            Head::list(["rva:", "offset:", "bytes", "instruction", "operands", "il", "source", "variables", "target"]);
        if has_several {
            columns.push(Head::text("code of"));
        }
        let size: u64 = self.bodies.iter().map(|mapped| u64::from(mapped.body.size())).sum();
        let name = session.method_name(view.of.token());
        let mut title = format!("{name} · {} of machine code", count(size, "byte"));
        if has_several {
            title = format!("{title} in {} bodies", self.bodies.len());
        }
        Some(Rows::new(title, columns, self.lines.len(), move |row| {
            let found = self.lines.get(row).and_then(|line| Some((line, self.bodies.get(line.body)?)));
            let Some((line, mapped)) = found else { return Row::default() };
            let mut row = match (&code, &line.instruction) {
                (Some(code), Some(instruction)) if mapped.recorded.is_none() => {
                    code_row(session, code, &view, line, instruction, mapped)
                }
                _ => recorded_row(&view, line, mapped),
            };
            if has_several {
                row.cells.push(Cell::toned(code_name(&mapped.name, mapped.recorded.as_ref()), Tone::Dim));
            }
            row
        }))
    }
}

pub(crate) fn code_list(session: &Session, method: Token) -> Option<Rows<'_>> {
    Arc::new(MachineCode::of(session, method)?).rows(session, Arc::new(method_view(session, method)))
}

/// Instructions of a body; a fragment of another machine is one row.
fn lines(code: &Precompiled<'_>, machine: Option<Machine>, body: usize, native: &NativeBody) -> Vec<BodyLine> {
    let mut out = Vec::new();
    for fragment in &native.fragments {
        let Ok(bytes) = code.image.pe.at_rva(fragment.rva, fragment.size.min(MAX_CODE)) else { continue };
        let address = code.image.pe.image_base().wrapping_add(fragment.rva.into());
        let instructions = machine.map_or_else(Vec::new, |machine| machine.disassemble(bytes.data, address));
        out.extend(instructions.into_iter().map(|instruction| BodyLine {
            body,
            native: fragment.native.saturating_add(instruction.offset),
            len: instruction.len.into(),
            rva: fragment.rva.wrapping_add(instruction.offset),
            instruction: Some(instruction),
        }));
    }
    out
}

/// Instructions of a body in the memory of a process of x64.
fn lines_in_memory(body: usize, mapped: &MappedBody, address: u64) -> Vec<BodyLine> {
    let instructions = Machine::X64.disassemble(&mapped.code, address).into_iter();
    let line = |instruction: Instruction| BodyLine {
        body,
        native: instruction.offset,
        len: instruction.len.into(),
        rva: 0,
        instruction: Some(instruction),
    };
    instructions.map(line).collect()
}

/// Ranges of the bounds of recorded code.
fn ranges(body: usize, mapped: &MappedBody) -> Vec<BodyLine> {
    let range = |(index, bound): (usize, &Bound)| {
        let len = mapped.info.end_of(index, mapped.body.size()).saturating_sub(bound.native);
        BodyLine { body, native: bound.native, len, rva: 0, instruction: None }
    };
    let mut lines: Vec<BodyLine> =
        mapped.info.bounds.iter().enumerate().map(range).filter(|line| line.len > 0).collect();
    if !mapped.has_map() {
        lines.push(BodyLine { body, native: 0, len: mapped.body.size(), rva: 0, instruction: None });
    }
    lines
}

/// Row of recorded code: an instruction; where its bytes are not known, the position in IL of a range and its size.
fn recorded_row(view: &MethodView, line: &BodyLine, mapped: &MappedBody) -> Row {
    let method = view.of.token();
    // Of several bounds at one address, the last has the code.
    let bound = mapped.info.bounds.iter().rfind(|bound| is_inside(bound.native, line.native, line.len));
    let offset = bound.and_then(|bound| bound.il.offset());
    let place = Place::MethodPart(method, offset.map_or(MethodPart::Native, MethodPart::Instruction));
    let il = bound.map_or_else(Cell::default, |bound| il_cell(method, bound));
    let (mut bytes, mut mnemonic, mut operands) = (
        String::new(),
        match (bound, il.text.as_str()) {
            (None, _) => "no map",
            (_, "none") => "no IL",
            (_, text) => text,
        }
        .to_owned(),
        count(line.len, "byte"),
    );
    if let Some(instruction) = &line.instruction {
        let code = mapped.code.get(line.native as usize..(line.native + line.len) as usize).unwrap_or_default();
        let text = Machine::X64.text(code, mapped.address_of(line.native));
        (bytes, mnemonic, operands) = (spaced_hex(code, 16), text.mnemonic, text.operands);
        if let Some((target, native)) =
            instruction.target.and_then(|to| Some((to, to.checked_sub(mapped.address_of(0))?)))
            && native < u64::from(mapped.body.size())
        {
            operands = operands.replacen(&format!("{target:#x}"), &format!("+{native:#x}"), 1);
        }
    }
    let cells = vec![
        Cell::toned(format!("{:#x}", mapped.address_of(line.native)), Tone::Dim),
        Cell::toned(format!("+{:#x}", line.native), Tone::Dim),
        Cell::toned(bytes, Tone::Dim),
        Cell::new(mnemonic),
        Cell::new(operands),
        il.clone(),
        bound.map_or_else(Cell::default, |bound| source_cell(view, bound)),
        Cell::default(),
        Cell::default(),
    ];
    Row::at(place, cells)
}

fn code_row(
    session: &Session,
    code: &Precompiled<'_>,
    view: &MethodView,
    line: &BodyLine,
    instruction: &Instruction,
    mapped: &MappedBody,
) -> Row {
    let method = view.of.token();
    let place = Place::MethodPart(method, MethodPart::NativeAt(line.rva));
    let slice = code.image.pe.at_rva(line.rva, line.len).unwrap_or_default();
    let text = text(code, line.rva, slice.data, instruction.target);
    // The bounds that begin in this instruction; of several, the last is the one that a frame has.
    let begins_here = |bound: &&Bound| is_inside(bound.native, line.native, line.len);
    let bound = mapped.info.bounds.iter().rfind(begins_here);
    let cells = vec![
        Cell::new(format!("{:#x}", line.rva)).to(place),
        Cell::toned(format!("+{:#x}", line.native), Tone::Dim),
        Cell::toned(spaced_hex(slice.data, 16), Tone::Dim),
        Cell::new(text.mnemonic),
        Cell::new(text.operands.clone()),
        bound.map_or_else(Cell::default, |bound| il_cell(method, bound)),
        bound.map_or_else(Cell::default, |bound| source_cell(view, bound)),
        Cell::toned(used(session, code, view, mapped, line.native, &text.operands).join(", "), Tone::Dim),
        target_cell(session, code, instruction),
    ];
    let row = Row::at(place, cells);
    if code.is_elsewhere() { row } else { row.from(slice.span()) }
}

fn text(code: &Precompiled<'_>, rva: u32, bytes: &[u8], target: Option<u64>) -> InstructionText {
    let Some(machine) = Machine::of(code.r2r.target.machine) else { return InstructionText::default() };
    let base = code.image.pe.image_base();
    let mut text = machine.text(bytes, base.wrapping_add(rva.into()));
    if let Some((target, rva)) = target.and_then(|target| Some((target, target.checked_sub(base)?))) {
        text.operands = text.operands.replacen(&format!("{target:#x}"), &format!("{rva:#x}"), 1);
    }
    text
}

fn il_cell(method: Token, bound: &Bound) -> Cell {
    match bound.il.offset() {
        Some(offset) => Cell::il(offset).to(Place::MethodPart(method, MethodPart::Instruction(offset))),
        None => Cell::toned(bound.il.special().unwrap_or_default(), Tone::Dim),
    }
}

/// Lines of the sequence point that covers a bound's IL offset.
fn source_cell(view: &MethodView, bound: &Bound) -> Cell {
    let covering = bound.il.offset().and_then(|offset| view.points.covering(offset));
    covering.and_then(|index| view.points.get(index)).map_or_else(Cell::default, Cell::source)
}

fn target_cell(session: &Session, code: &Precompiled<'_>, instruction: &Instruction) -> Cell {
    let base = code.image.pe.image_base();
    let rva = instruction.target.and_then(|target| u32::try_from(target.checked_sub(base)?).ok());
    if instruction.is_page {
        return Cell::default();
    }
    let Some(rva) = rva else { return Cell::default() };
    if let Some(cell) = cell_at(session, code, rva) {
        return cell;
    }
    let is_call = instruction.flow == pdblens_machine::Flow::Call;
    match code.body_at(rva) {
        Some(body) if is_call && body.rva() == rva => {
            let to = code.method_of(body.owner).map(|method| Place::MethodPart(method, MethodPart::NativeAt(rva)));
            Cell { to, ..Cell::new(owner_name(session, code, body.owner)) }
        }
        _ => Cell::default(),
    }
}

fn used(
    session: &Session,
    code: &Precompiled<'_>,
    view: &MethodView,
    mapped: &MappedBody,
    native: u32,
    operands: &str,
) -> Vec<String> {
    let machine = code.r2r.target.machine;
    let il = mapped.info.bound_at(native).and_then(|bound| bound.il.offset()).unwrap_or(0);
    let mut names = Vec::new();
    for variable in live(&mapped.info, native) {
        if is_used(&location_text(machine, variable.location), operands) {
            let name = variable_name(session, view, variable.number, il);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Returns true if operands name a register, in any of its sizes, or a stack slot.
fn is_used(location: &str, operands: &str) -> bool {
    if location.starts_with('[') {
        return operands.contains(&location.replace(AFTER_PROLOG, ""));
    }
    let is_word = |name: &str| operands.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name);
    aliases(location).iter().any(|name| is_word(name))
}

/// Names of a register in its sizes.
fn aliases(register: &str) -> Vec<String> {
    let mut names = vec![register.to_owned()];
    match register.as_bytes() {
        [b'r', second, ..] if second.is_ascii_digit() => {
            names.extend(["d", "w", "b"].map(|suffix| format!("{register}{suffix}")));
        }
        [b'r', rest @ ..] => {
            let rest = String::from_utf8_lossy(rest).into_owned();
            names.push(format!("e{rest}"));
            names.push(rest.clone());
            names.push(rest.strip_suffix('x').map_or_else(|| format!("{rest}l"), |letter| format!("{letter}l")));
        }
        [b'x', second, ..] if second.is_ascii_digit() => names.push(register.replacen('x', "w", 1)),
        [b'v', ..] => names.extend(["d", "s", "q"].map(|size| register.replacen('v', size, 1))),
        _ => {}
    }
    names
}

pub(crate) fn explain_at(session: &Session, method: Token, rva: u32) -> Option<Fields> {
    let code = Precompiled::of(session)?;
    if code.is_elsewhere() {
        return None;
    }
    let machine = Machine::of(code.r2r.target.machine);
    let body = code.body_at(rva)?;
    let line = lines(&code, machine, 0, &body).into_iter().find(|line| is_inside(rva, line.rva, line.len))?;
    let slice = code.image.pe.at_rva(line.rva, line.len).ok()?;
    let target = line.instruction.and_then(|instruction| instruction.target);
    let found = text(&code, line.rva, slice.data, target);
    let found = format!("{} {}", found.mnemonic, found.operands).trim_end().to_owned();
    let title = format!("{} +{:#x} · {found}", session.method_name(method), line.native);
    let info = code.debug_info(&body).unwrap_or_default();
    let bound = info.bound_at(line.native).copied();
    let decode = |c: &mut Cursor<'_, Recording>| {
        explain_parts(c, machine.map_or_else(Vec::new, |machine| machine.parts(slice.data)))
    };
    Some(Fields::explain(title, slice, decode, |_, field| {
        if field.name() != "instruction" {
            return None;
        }
        let il = bound?.il;
        Some(match il.offset() {
            Some(offset) => {
                let place = Place::MethodPart(method, MethodPart::Instruction(offset));
                Meaning::to(format!("{found} · {}", il_label(offset.into())), place)
            }
            None => Meaning::text(format!("{found} · {il}")),
        })
    }))
}
