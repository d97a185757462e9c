//! The body of a method: instructions, names of variables, and the ranges of its points.

use std::rc::Rc;

use pdblens_formats::il::{ExceptionRegion, Instruction, Operand, RegionKind, Variable};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};

use pdblens_nodes::method::{MethodView, instructions, without_instructions};
use pdblens_session::symbols::StateMachine;

use super::library::{Library, Member, Role};
use super::types::{self, Ty, primitive, unknown};

/// A method body, decoded.
pub(super) struct Body<'s> {
    pub code: Vec<Instruction<'s>>,
    pub view: MethodView,
    pub locals: Vec<Ty>,
    pub arguments: Vec<Ty>,
    pub regions: Vec<ExceptionRegion>,
    pub member: Rc<Member>,
    /// Row of the type of the method.
    pub type_row: u32,
    /// Async method or iterator whose body this is.
    pub kickoff: Option<Rc<Member>>,
    /// True for a method of a class of closures, whose `this` no source names.
    pub is_closure: bool,
    /// Types whose members are in scope without their name: `using static`.
    pub statics: Vec<Token>,
    /// Slot of the temporary that an async method returns.
    pub result_slot: Option<u16>,
    /// Offset of the call of a constructor of the base, or of another of the type; 0 elsewhere.
    pub base_call: u32,
    pub size: u32,
}

/// Instructions of the longest body that is read.
const MAX_CODE: usize = 100_000;

impl<'s> Body<'s> {
    /// The body of a method; none without IL.
    pub fn read(library: &Library<'s>, token: Token) -> Option<Self> {
        let view = without_instructions(library.session, token);
        let body = view.body.as_ref()?;
        let code: Vec<_> = instructions(library.session, body).take(MAX_CODE).filter_map(Result::ok).collect();
        let member = library.method(token)?;
        let type_row = library.names.owner(token.row());
        let kickoff =
            library.session.symbols().and_then(|symbols| symbols.state_machine(StateMachine::MoveNext(token)));
        let mut arguments = member.parameters.clone();
        if member.has_this {
            arguments.insert(0, member.owner.clone());
        }
        let owner = library.string(TableId::TYPE_DEF, type_row, 1);
        Some(Self {
            locals: library.locals(body.local_signature),
            statics: statics(library, token, &view),
            regions: body.regions.clone(),
            size: body.code_size,
            kickoff: kickoff.and_then(|token| library.method(token)),
            is_closure: owner.starts_with("<>c"),
            result_slot: if kickoff.is_some() { result_slot(library, &code) } else { None },
            base_call: if member.name.as_ref() == ".ctor" { base_call(library, &code, type_row) } else { 0 },
            arguments,
            member,
            type_row,
            code,
            view,
        })
    }

    /// Position of the instruction at an offset, or of the next one.
    pub fn position(&self, offset: u32) -> usize {
        self.code.partition_point(|instruction| instruction.offset < offset)
    }

    pub fn at(&self, offset: u32) -> Option<&Instruction<'s>> {
        self.code.get(self.position(offset)).filter(|instruction| instruction.offset == offset)
    }

    /// Name of a local variable at an offset; none for a temporary of the compiler.
    pub fn local_name(&self, slot: u16, offset: u32) -> Option<&str> {
        let scopes = self.view.scopes.iter().rev().filter(|scope| scope.contains(offset));
        let found =
            scopes.flat_map(|scope| &scope.variables).find(|variable| variable.slot == slot && !variable.is_field())?;
        (!found.hidden && !found.name.is_empty()).then_some(found.name.as_str())
    }

    /// Offset of the scope that a name is declared in; where there is none, all of the method.
    pub fn scope_of(&self, name: &str, offset: u32) -> u32 {
        let scopes = self.view.scopes.iter().rev().filter(|scope| scope.contains(offset));
        let mut with_name = scopes.filter(|scope| scope.variables.iter().any(|variable| variable.name == name));
        with_name.next().map_or(u32::MAX, |scope| scope.start)
    }

    /// Name of a local constant of this value that is in scope.
    pub fn constant_name(&self, value: &str, offset: u32) -> Option<&str> {
        let scopes = self.view.scopes.iter().rev().filter(|scope| scope.contains(offset));
        scopes
            .flat_map(|scope| &scope.constants)
            .find(|constant| constant.value == value)
            .map(|found| found.name.as_str())
    }

    pub fn local_type(&self, slot: u16) -> Ty {
        self.locals.get(slot as usize).cloned().unwrap_or_else(unknown)
    }

    pub fn argument_type(&self, number: u16) -> Ty {
        self.arguments.get(number as usize).cloned().unwrap_or_else(unknown)
    }

    /// Type that the method returns to its source: that of the async method for its body.
    pub fn returns(&self) -> Ty {
        let Some(kickoff) = &self.kickoff else { return self.member.returns.clone() };
        match types::arguments(&kickoff.returns) {
            [of] => Rc::new(of.clone()),
            _ => unknown(),
        }
    }

    /// Returns true if a handler or filter begins at the offset with the exception on the stack.
    pub fn begins_with_exception(&self, offset: u32) -> bool {
        self.regions.iter().any(|region| match region.kind {
            RegionKind::Catch { .. } => region.handler.start == offset,
            RegionKind::Filter { filter } => region.handler.start == offset || filter == offset,
            _ => false,
        })
    }

    /// The type that a handler catches, by the offset of its first instruction.
    pub fn caught(&self, offset: u32) -> Option<Token> {
        self.regions.iter().find(|region| region.handler.start == offset).and_then(ExceptionRegion::class)
    }

    /// IL ranges of the points: each visible one up to the next, over the hidden points that continue it.
    pub fn ranges(&self) -> Vec<(u32, u32)> {
        let points = &self.view.points;
        let end_of = |index: usize| points.get(index + 1).map_or(self.size, |next| next.offset);
        let mut ranges = Vec::with_capacity(points.len());
        for (index, point) in points.iter().enumerate() {
            let mut last = index;
            while !point.is_hidden()
                && last < index + 8
                && self.continues(point.offset, end_of(last), points.get(last + 1))
            {
                last += 1;
            }
            ranges.push((point.offset, end_of(last)));
        }
        ranges
    }

    /// Returns true if a hidden point continues the range that ends at it: it waits for what was started, or loads the temporary that
    /// was stored last.
    fn continues(&self, start: u32, end: u32, next: Option<&SequencePoint>) -> bool {
        let Some(next) = next.filter(|next| next.is_hidden()) else { return false };
        let last = self.position(end);
        let Some(stored) = last.checked_sub(1).and_then(|last| self.code.get(last)) else { return false };
        let first = self.position(next.offset);
        let Some(mut loaded) = self.code.get(first) else { return false };
        if stored.offset < start {
            return false;
        }
        match stored.opcode.name {
            name if name.starts_with("stloc") => {
                // A sum for a jump table may be between.
                let names_it = loaded.opcode.name.starts_with("ldloc") && loaded.variable() == stored.variable();
                let slot = stored.variable().map_or(0, Variable::number);
                names_it && self.local_name(slot, stored.next()).is_none()
            }
            "stfld" => {
                if loaded.opcode.name == "ldarg.0" {
                    let Some(after) = self.code.get(first + 1) else { return false };
                    loaded = after;
                }
                loaded.opcode.name.starts_with("ldfl") && loaded.operand == stored.operand
            }
            _ => false,
        }
    }

    /// The offset that a branch leads to; none outside of the method.
    pub fn target(instruction: &Instruction<'_>) -> Option<u32> {
        match instruction.operand {
            Operand::Branch(target) => u32::try_from(target).ok(),
            _ => None,
        }
    }

    /// Type of the elements that an instruction such as `ldelem.u1` loads.
    pub fn suffix_type(name: &str) -> Option<Ty> {
        let found = match name.rsplit('.').next()? {
            "i1" => Primitive::I1,
            "u1" => Primitive::U1,
            "i2" => Primitive::I2,
            "u2" => Primitive::U2,
            "i4" => Primitive::I4,
            "u4" => Primitive::U4,
            "i8" => Primitive::I8,
            "u8" => Primitive::U8,
            "r4" => Primitive::R4,
            "r8" | "un" => Primitive::R8,
            "i" => Primitive::I,
            "u" => Primitive::U,
            "ref" => return Some(Rc::new(Type::Primitive(Primitive::Object))),
            _ => return None,
        };
        Some(primitive(found))
    }
}

/// The slot that is loaded for the call of `SetResult`.
fn result_slot(library: &Library<'_>, code: &[Instruction<'_>]) -> Option<u16> {
    code.windows(2).rev().take(32).find_map(|pair| {
        let [load, call] = pair else { return None };
        let Operand::Token(token) = call.operand else { return None };
        let is_result = call.opcode.name == "call" && library.method(token)?.name.as_ref() == "SetResult";
        if is_result && load.opcode.name.starts_with("ldloc") { Some(load.variable()?.number()) } else { None }
    })
}

/// Offset of the call with which a constructor begins the base of its object.
fn base_call(library: &Library<'_>, code: &[Instruction<'_>], type_row: u32) -> u32 {
    let own = Token::new(TableId::TYPE_DEF, type_row);
    let base = library.base(type_row).map(|base| library.ty(base, false));
    let found = code.iter().filter(|instruction| instruction.opcode.name == "call").find(|instruction| {
        let Operand::Token(token) = instruction.operand else { return false };
        library.method(token).is_some_and(|member| {
            let is_own = types::token(&member.owner) == Some(own);
            member.role == Role::Constructor && (is_own || base.as_ref() == Some(&member.owner))
        })
    });
    found.map_or(0, |instruction| instruction.offset)
}

/// Types that the imports around a method name: `using static`.
fn statics(library: &Library<'_>, method: Token, view: &MethodView) -> Vec<Token> {
    /// The kind of an import of a type.
    const TYPE: u8 = 3;
    let Some(symbols) = library.session.symbols() else { return Vec::new() };
    let mut row = view.scopes.iter().find_map(|scope| scope.imports).or_else(|| symbols.imports_of(method));
    let mut found = Vec::new();
    for _ in 0..16 {
        let Some(Ok(scope)) = row.map(|row| symbols.import_scope(row)) else { break };
        let types = scope.imports.iter().filter(|import| import.kind == TYPE && import.alias.is_none());
        found.extend(types.filter_map(|import| import.target));
        row = scope.parent;
    }
    found
}
