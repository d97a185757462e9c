//! Offset to line: the sequence point, instruction, locals and exception clauses at an IL offset of a method or at an
//! offset of a native function.
//!
//! Compilers write a sequence point where a statement begins. The point that covers an offset is the last one at or before
//! it; if that is hidden, a debugger shows the last visible one before it, or the first visible one after it in a method
//! that begins hidden. Offsets in stack traces are used unchanged: the runtime has already mapped a return address to the
//! call, so nothing is subtracted.

pub mod awaits;
pub mod explain_text;
pub mod hop;
mod locals;
mod native;
mod return_address;
pub mod state_machine;
pub mod versions;
pub mod yields;

pub use crate::address::OffsetQuery;
pub use hop::{Hop, HopKind};
pub use locals::{Local, LocalKind, hoisted};
pub use pdblens_nodes::method::point_extent;
pub use return_address::{CallSite, Relation};
pub(crate) use return_address::{calls_around, calls_named, count_calls, instruction_before, is_call, own_name};

use native::{is_between_functions, native_answer};
use std::ops::Range;

use crate::address::offset;
use crate::certainty::Certainty;
use crate::evidence;
use pdblens_formats::bytes::{Error, Span};
use pdblens_formats::il::{ExceptionRegion, RegionKind};
use pdblens_formats::points_around::PointsAround;
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::{FoldedFunction, InlinedCall, NearestSymbol};
use pdblens_nodes::method::{self, MethodView, region_kind};
use pdblens_nodes::{Place, SequencePoint, Token};
use pdblens_session::session::Session;
use pdblens_session::text::demangle::readable;

const MAX_DOCUMENTS: usize = 64;

/// Description of an offset in a method or function. Its JSON leaves out the names, which need the session.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Answer {
    /// The method, or the function.
    #[serde(skip)]
    pub of: CodeUnit,
    /// IL offset in a method, or offset in bytes from the start of a native function.
    #[serde(skip)]
    pub offset: u32,
    /// Bytes of code: of the image, or as the symbols record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_size: Option<u32>,
    /// Position among the sequence points.
    pub position: Position,
    /// Points around the offset.
    #[serde(skip)]
    pub found: PointsAround,
    /// Instruction that contains the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<InstructionAt>,
    /// Call that returns to the offset. The offset in a caller's frame is that of the instruction after the call.
    #[serde(rename = "after_call", skip_serializing_if = "Option::is_none")]
    pub returns_from: Option<CallSite>,
    /// Variables and constants in scope.
    pub locals: Vec<Local>,
    /// Exception regions around the offset, innermost first.
    pub regions: Vec<InRegion>,
    /// Calls that were inlined there, outermost first; of native code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlined: Vec<InlinedCall>,
    /// Functions that the linker folded into this code, any of which may be meant; absent unless they are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<FoldedFunction>,
    /// Index in `folded` of the function that the question names, whose points these are; nothing where it names none.
    #[serde(skip)]
    pub named: Option<usize>,
    /// The public symbol at or before the address, where no function of the PDB has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestSymbol>,
    /// The documents that the method's points are in.
    #[serde(skip)]
    pub documents: Vec<u32>,
    /// The async method or iterator whose body this method is.
    #[serde(skip)]
    pub kickoff: Option<Token>,
    /// The method that holds the body of this one, where this only starts it.
    #[serde(skip)]
    pub move_next: Option<Token>,
    /// The same offset in `move_next`: stack traces name the kickoff method with an offset of `MoveNext`.
    #[serde(skip)]
    pub state_machine: Option<Box<Self>>,
    /// Mappings that were applied between the offset asked for and the record that answers, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<Hop>,
    /// The code contradicts the symbols of the method (`method`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<Reason>,
    /// Parts of the method that cannot be read.
    #[serde(skip)]
    pub errors: Vec<Error>,
}

/// Position of an offset among the sequence points of its method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "position"))]
pub enum Position {
    /// A point begins there.
    Exact,
    /// Inside the range of a point, after its first instruction.
    Inside,
    /// The point that covers it is hidden.
    Hidden,
    /// Before the first point.
    BeforeFirst,
    /// Past the end of the code.
    PastEnd,
    /// In no function of native code: in the padding after the one that is named.
    NoFunction,
    /// The method has no points.
    #[default]
    NoPoints,
}

/// An instruction, as text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "instruction_at"))]
pub struct InstructionAt {
    /// IL offset of its first byte.
    #[serde(rename = "il")]
    pub offset: u32,
    /// Its bytes.
    pub span: Span,
    /// Name of the opcode.
    pub opcode: &'static str,
    /// Operand with names instead of tokens.
    pub operand: String,
}

/// Part of an exception clause.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "inside_region"))]
pub struct InRegion {
    /// Number of the exception region in its method, from 0.
    pub number: u32,
    /// The part.
    pub part: RegionPart,
    /// Kind of the handler, and the type that it catches.
    pub kind: String,
    /// The region.
    #[serde(skip)]
    pub region: ExceptionRegion,
}

/// A part of an exception region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "region_part"))]
pub enum RegionPart {
    /// Protected code.
    Try,
    /// Filter expression.
    Filter,
    /// Handler.
    Handler,
}

/// Sequence points around an offset of the code. Stops at the first visible point after it and builds no view.
pub fn points_around(session: &Session, of: impl Into<CodeUnit>, offset: u32) -> PointsAround {
    let mut found = PointsAround::default();
    if let Err(error) = code_unit::each_point(session, of.into(), &mut |point| found.see(offset, point)) {
        found.error = Some(error);
    }
    found
}

pub fn where_is(session: &Session, of: impl Into<CodeUnit>, offset: u32) -> Answer {
    let mut answer = answer_at(session, of.into(), offset);
    if let Some(move_next) = answer.move_next {
        let mut body = answer_at(session, CodeUnit::Method(move_next), offset);
        body.hops.insert(0, Hop::to_body(session, answer.of.token(), move_next));
        answer.state_machine = Some(Box::new(body));
    }
    answer
}

fn answer_at(session: &Session, of: CodeUnit, offset: u32) -> Answer {
    let view = MethodView::of(session, of);
    let mut found = view.points.around(offset);
    found.error.clone_from(&view.points_error);
    let code_size = view.size;
    let (mut kickoff, mut move_next, mut contradiction) = (None, None, None);
    if let CodeUnit::Method(method) = of {
        kickoff = state_machine::kickoff(session, method);
        move_next = state_machine::move_next(session, method);
        contradiction = evidence::contradiction(session, method);
    }
    let native = native_answer(session, view.of, offset);
    let mut documents: Vec<u32> = Vec::new();
    for point in view.points.iter().filter(|point| !point.is_hidden()) {
        let known = point.document == 0 || documents.contains(&point.document);
        if documents.len() < MAX_DOCUMENTS && !known {
            documents.push(point.document);
        }
    }
    Answer {
        of: view.of,
        offset,
        code_size,
        position: if is_between_functions(session, view.of, offset) {
            Position::NoFunction
        } else {
            position(&found, offset, code_size)
        },
        instruction: instruction_in(session, &view, offset),
        returns_from: return_address::call_before(session, &view, offset),
        locals: locals::locals_at(session, &view, offset, kickoff.is_some()),
        regions: regions_at(session, &view, offset),
        inlined: native.inlined,
        folded: native.folded,
        named: None,
        nearest: native.nearest,
        documents,
        kickoff,
        move_next,
        state_machine: None,
        hops: [native.hops, Hop::through_thunk(session, &view).into_iter().collect(), hop::to_record(session, view.of)]
            .concat(),
        contradiction,
        errors: view.errors,
        found,
    }
}

fn instruction_in(session: &Session, view: &MethodView, offset: u32) -> Option<InstructionAt> {
    let (offset, span) = *view.instructions.get(view.instruction_at(offset)?)?;
    let instruction = method::instruction(session, offset, span).ok()?;
    let operand = view.operand(session, &instruction);
    Some(InstructionAt { offset, span, opcode: instruction.opcode.name, operand })
}

/// Kind of a clause, with the type that it catches: `catch System.FormatException`, `finally`.
pub fn clause_name(session: &Session, region: &ExceptionRegion) -> String {
    let kind = region_kind(region);
    match region.kind {
        RegionKind::Catch { class } => {
            let name = session.names().map_or_else(|| class.to_string(), |names| names.type_name(class));
            format!("{kind} {name}")
        }
        _ => kind.to_owned(),
    }
}

impl Answer {
    /// The same answer with the line of that one of the folded functions which `asked` names; unchanged where it names none.
    #[must_use]
    pub fn for_name(mut self, asked: &str) -> Self {
        if self.folded.is_empty() {
            return self;
        }
        let name = function_name(asked);
        let mut named = self.folded.iter().enumerate().filter(|(_, function)| function.is_called(&name));
        let (Some((index, function)), None) = (named.next(), named.next()) else { return self };
        if name.is_empty() {
            return self;
        }
        if function.found.covering.is_some() {
            self.found = function.found.clone();
            self.position = position(&self.found, self.offset, self.code_size);
        }
        self.named = Some(index);
        self
    }

    /// Name of the method or function: of folded functions that which the question names.
    pub fn name(&self, session: &Session) -> String {
        match self.named.and_then(|index| self.folded.get(index)) {
            Some(function) => function.name.clone(),
            None => code_unit::name(session, self.of),
        }
    }

    /// Folded functions that may be meant as well, and whose line is another one; empty where the question names one.
    pub fn alternatives(&self) -> impl Iterator<Item = &FoldedFunction> {
        let shown = self.shown().map(|point| (point.document, point.start_line));
        let line = |function: &FoldedFunction| function.found.shown().map(|point| (point.document, point.start_line));
        let is_open = self.named.is_none();
        self.folded.iter().filter(move |function| is_open && line(function).is_some() && line(function) != shown)
    }

    pub fn shown(&self) -> Option<SequencePoint> {
        match self.position {
            Position::PastEnd | Position::NoFunction => None,
            _ => self.found.shown(),
        }
    }

    pub fn covering(&self) -> Option<SequencePoint> {
        match self.position {
            Position::PastEnd | Position::NoFunction => None,
            _ => self.found.covering,
        }
    }

    pub fn range(&self) -> Option<Range<u32>> {
        let start = self.covering()?.offset;
        let end = self.found.end.or(self.code_size).unwrap_or(u32::MAX);
        Some(start..end.max(start))
    }

    /// The error that ends the points, where the covering point is the last one before it: the end of that one is unknown.
    pub fn open_end(&self) -> Option<&Error> {
        self.covering()?;
        if self.found.end.is_none() { self.found.error.as_ref() } else { None }
    }

    /// Returns true if the line is not known for sure: the points end with an error before the next point.
    pub fn is_uncertain(&self) -> bool {
        self.open_end().is_some() || self.state_machine.as_ref().is_some_and(|body| body.is_uncertain())
    }

    /// Certainty that the offset is of that line in the build of the code.
    pub fn certainty(&self, session: &Session) -> Certainty {
        if evidence::id_warning(session).is_some() || self.contradiction.is_some() {
            Certainty::NotKnown("the symbols of this build")
        } else if self.open_end().is_some() {
            Certainty::NotKnown("symbols that can be read")
        } else if self.folded.is_empty() || self.named.is_some() {
            Certainty::Known
        } else {
            Certainty::Open
        }
    }

    /// Returns whether a debugger shows a line for it, or for the same offset of the state machine.
    pub fn has_line(&self) -> bool {
        self.shown().is_some() || self.state_machine.as_ref().is_some_and(|body| body.has_line())
    }

    /// Returns whether an instruction begins there; `None` without code.
    pub fn is_boundary(&self) -> Option<bool> {
        self.instruction.as_ref().map(|instruction| instruction.offset == self.offset)
    }

    /// The instruction at the offset; the record of the nearest symbol where no function has it.
    pub fn place(&self) -> Place {
        self.nearest.as_ref().map_or_else(|| self.of.code(self.offset), |symbol| symbol.place)
    }
}

/// Name in a question, without label, module, offset and parameters: of `tally!ns::f+0x5` it is `ns::f`.
fn function_name(asked: &str) -> String {
    let text = asked.rsplit_once(": ").map_or(asked, |(_, text)| text).trim();
    let text = text.rsplit_once('!').map_or(text, |(_, name)| name);
    let text =
        text.rsplit_once('+').filter(|(_, at)| offset::parse(at).is_some()).map_or(text, |(name, _)| name).trim();
    let name = readable(text);
    name.split_once('(').map_or(name.as_str(), |(name, _)| name).to_owned()
}

fn position(found: &PointsAround, offset: u32, code_size: Option<u32>) -> Position {
    match found.covering {
        _ if code_size.is_some_and(|size| offset >= size) => Position::PastEnd,
        Some(point) if point.is_hidden() => Position::Hidden,
        Some(point) if point.offset == offset => Position::Exact,
        Some(_) => Position::Inside,
        None if found.end.is_some() => Position::BeforeFirst,
        None => Position::NoPoints,
    }
}

/// Innermost regions come first in a method's table, so the order is that of the table.
fn regions_at(session: &Session, view: &MethodView, offset: u32) -> Vec<InRegion> {
    let regions = view.body.iter().flat_map(|body| body.regions.iter().enumerate());
    regions
        .filter_map(|(number, region)| {
            let part = if region.tried.contains(offset) {
                RegionPart::Try
            } else if region.handler.contains(offset) {
                RegionPart::Handler
            } else if region.filter().is_some_and(|filter| filter.contains(offset)) {
                RegionPart::Filter
            } else {
                return None;
            };
            Some(InRegion { number: number as u32, part, kind: clause_name(session, region), region: *region })
        })
        .collect()
}

#[cfg(test)]
mod tests;
