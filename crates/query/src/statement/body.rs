//! The body of a method: instructions, names of variables, and the ranges of its points.

use std::cell::OnceCell;
use std::rc::Rc;

use pdblens_formats::il::{ExceptionRegion, Instruction, Operand, Operation, RegionKind, Variable};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::sequence_point::{SequencePoint, Violation};
use pdblens_formats::signature::{Primitive, Type};

use pdblens_nodes::method::{MethodView, instructions, without_instructions};
use pdblens_session::symbols::{StateMachine, Variable as LocalVariable};

use super::evaluate::operand_token;
use super::library::{self, Library, Member, Ty, plain_name, unknown};

pub(super) struct Body<'s> {
    pub code: Vec<Instruction<'s>>,
    pub view: MethodView,
    locals: Vec<Ty>,
    arguments: Vec<Ty>,
    /// Names of the arguments in the source.
    pub argument_names: Vec<Rc<str>>,
    pub regions: Vec<ExceptionRegion>,
    pub member: Rc<Member>,
    pub type_row: u32,
    /// Async method or iterator whose body this is.
    pub kickoff: Option<Rc<Member>>,
    /// True for a method of a class of closures, whose `this` no source names.
    pub is_closure: bool,
    /// Slot of the temporary that an async method returns.
    pub result_slot: Option<u16>,
    /// IL ranges of the points: each visible one up to the next, over the hidden points that continue it.
    pub ranges: Vec<(u32, u32)>,
    /// The brace that each point is, once it was asked for.
    pub braces: OnceCell<Vec<Option<bool>>>,
}

const MAX_CODE: usize = 100_000;
/// Bytes of IL of a method that is read as one statement.
const MAX_UNPOINTED: u32 = 256;

impl<'s> Body<'s> {
    pub fn read(library: &Library<'s>, token: Token) -> Option<Self> {
        Self::of_view(library, token, without_instructions(library.session, token))
    }

    /// The body of a short method without points, as one statement.
    pub fn unpointed(library: &Library<'s>, token: Token) -> Option<Self> {
        let mut view = without_instructions(library.session, token);
        if !view.points.is_empty() || view.body.as_ref()?.code_size > MAX_UNPOINTED {
            return None;
        }
        let (offset, document, at, len, violations) = Default::default();
        let [start_line, start_column, end_line, end_column] = [1; 4];
        let whole =
            SequencePoint { offset, document, start_line, start_column, end_line, end_column, at, len, violations };
        view.points = vec![whole].into();
        Self::of_view(library, token, view)
    }

    fn of_view(library: &Library<'s>, token: Token, view: MethodView) -> Option<Self> {
        // Columns are added to below; those of a damaged file may have any number.
        if view.points.iter().any(|point| !point.is_hidden() && has_wrong_column(point)) {
            return None;
        }
        let body = view.body.as_ref()?;
        let code: Vec<_> = instructions(library.session, body).take(MAX_CODE).filter_map(Result::ok).collect();
        let member = library.method(token)?;
        let type_row = library.names.owner(token.row());
        let symbols = library.session.symbols();
        let kickoff = symbols.and_then(|symbols| symbols.state_machine(StateMachine::MoveNext(token)));
        let this = member.has_this.then(|| member.owner.clone());
        let size = body.code_size;
        let mut found = Self {
            locals: library.locals(body.local_signature),
            arguments: this.into_iter().chain(member.parameters.iter().cloned()).collect(),
            regions: body.regions.clone(),
            is_closure: library.string(TableId::TYPE_DEF, type_row, 1).starts_with("<>c"),
            result_slot: kickoff.and_then(|_| result_slot(library, &code)),
            kickoff: kickoff.and_then(|token| library.method(token)),
            member,
            type_row,
            argument_names: view.arguments.iter().map(|name| plain_name(name)).collect(),
            code,
            view,
            ranges: Vec::new(),
            braces: OnceCell::new(),
        };
        found.ranges = found.ranges(size);
        Some(found)
    }

    /// Position of the instruction at an offset, or of the next one.
    pub fn position(&self, offset: u32) -> usize {
        self.code.partition_point(|instruction| instruction.offset < offset)
    }

    pub fn at(&self, offset: u32) -> Option<&Instruction<'s>> {
        self.code.get(self.position(offset)).filter(|instruction| instruction.offset == offset)
    }

    /// A variable that is in scope at an offset: of several, the one of the innermost scope.
    pub fn innermost(&self, offset: u32, is_it: impl Fn(&LocalVariable) -> bool) -> Option<&LocalVariable> {
        let scopes = self.view.scopes.iter().rev();
        let mut found =
            scopes.filter_map(|scope| Some((scope, scope.variables.iter().find(|variable| is_it(variable))?)));
        found.find(|(scope, _)| scope.contains(offset)).map(|(_, variable)| variable)
    }

    /// Name of a local variable at an offset; none for a temporary of the compiler.
    pub fn local_name(&self, slot: u16, offset: u32) -> Option<&str> {
        let found = self.innermost(offset, |variable| variable.slot == slot && !variable.is_field())?;
        (!found.hidden && !found.name.is_empty()).then_some(found.name.as_str())
    }

    /// Offset of the scope that a name is declared in; where there is none, all of the method.
    pub fn scope_of(&self, name: &str, offset: u32) -> u32 {
        let mut scopes = self.view.scopes.iter().rev().filter(|scope| scope.contains(offset));
        let found = scopes.find(|scope| scope.variables.iter().any(|variable| variable.name == name));
        found.map_or(u32::MAX, |scope| scope.start)
    }

    /// Returns true for the name of a parameter, or of a variable that is in scope at a point: a member of that name is hidden.
    pub fn hides(&self, name: &str, point: usize) -> bool {
        let (start, end) = self.ranges.get(point).copied().unwrap_or_default();
        let is_it = |variable: &LocalVariable| variable.name == name && !variable.hidden;
        let mut scopes = self.view.scopes.iter().filter(|scope| scope.variables.iter().any(is_it));
        self.view.arguments.iter().any(|argument| argument == name)
            || scopes.any(|scope| scope.contains(start) || scope.contains(end))
    }

    /// Returns true for a local variable that no code before a range uses: the range declares it.
    pub fn is_new(&self, name: &str, start: u32, end: u32) -> bool {
        let scopes = self.view.scopes.iter().rev().filter(|scope| scope.contains(start) || scope.contains(end));
        let mut variables = scopes.flat_map(|scope| &scope.variables);
        let Some(found) = variables.find(|variable| variable.name == name && !variable.is_field()) else {
            return false;
        };
        let slot = Some(Variable::Local(found.slot));
        let mut before = self.code.iter().take_while(|instruction| instruction.offset < start);
        !before.any(|used| used.variable() == slot && self.local_name(found.slot, used.next()) == Some(name))
    }

    /// Returns true for code that gives members the values of their declarations, false for the body of a constructor. Nothing is
    /// known for a static constructor of the source, which has both.
    pub fn initializes(&self, library: &Library<'s>, offset: u32) -> Option<bool> {
        const BEFORE_FIELD_INIT: u32 = 0x0010_0000;
        match &*self.member.name {
            ".cctor" if library.cell(TableId::TYPE_DEF, self.type_row, 0) & BEFORE_FIELD_INIT != 0 => Some(true),
            ".cctor" => None,
            ".ctor" => {
                let this = library::token(&self.member.owner);
                let base = library.base(self.type_row).and_then(|base| library::token(&library.ty(base, false)));
                let is_chained = |call: &&Instruction<'_>| {
                    call.opcode.name == "call"
                        && library.method(operand_token(call)).is_some_and(|called| {
                            let owner = library::token(&called.owner);
                            called.role == ".ctor" && (owner == this || owner == base)
                        })
                };
                Some(self.code.iter().find(is_chained).is_some_and(|call| offset <= call.offset))
            }
            _ => Some(false),
        }
    }

    /// Returns true for code that was not optimised: it has instructions that do nothing.
    pub fn is_debug(&self) -> bool {
        self.code.iter().any(|instruction| instruction.opcode.operation() == Operation::Nothing)
    }

    pub fn constant_name(&self, value: &str, offset: u32) -> Option<&str> {
        let scopes = self.view.scopes.iter().rev().filter(|scope| scope.contains(offset));
        let found = scopes.flat_map(|scope| &scope.constants).find(|constant| constant.value == value);
        found.map(|found| found.name.as_str())
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
        match library::arguments(&kickoff.returns) {
            [of] => Rc::new(of.clone()),
            _ => unknown(),
        }
    }

    pub fn is_iterator(&self) -> bool {
        self.kickoff.is_some() && self.has_result()
    }

    pub fn has_result(&self) -> bool {
        *self.member.returns != Type::Primitive(Primitive::Void)
    }

    /// Returns true if a loop has both offsets: a jump from behind the second one leads to the first one or before it.
    pub fn is_in_loop(&self, from: u32, to: u32) -> bool {
        let mut jumps = self.code.iter().filter_map(|jump| Some((jump.offset, target(jump)?)));
        jumps.any(|(at, target)| at >= to && target <= from.min(to))
    }

    /// The region whose handler or filter begins at an offset, with the exception on the stack.
    pub fn handler(&self, offset: u32) -> Option<&ExceptionRegion> {
        self.regions.iter().find(|region| match region.kind {
            RegionKind::Catch { .. } => region.handler.start == offset,
            RegionKind::Filter { filter } => region.handler.start == offset || filter == offset,
            _ => false,
        })
    }

    fn ranges(&self, size: u32) -> Vec<(u32, u32)> {
        let points = &self.view.points;
        let end_of = |index: usize| points.get(index + 1).map_or(size, |next| next.offset);
        let range = |(index, point): (usize, &SequencePoint)| {
            let continues = |last: &usize| {
                let next = points.get(last + 1);
                !point.is_hidden() && self.continues(point.offset, end_of(*last), next).is_some()
            };
            let last = index + (index..index + 8).take_while(continues).count();
            (point.offset, end_of(last))
        };
        points.iter().enumerate().map(range).collect()
    }

    /// Some if a hidden point continues the range that ends at it: it waits for what was started, or loads the temporary that was
    /// stored last.
    fn continues(&self, start: u32, end: u32, next: Option<&SequencePoint>) -> Option<()> {
        let next = next.filter(|next| next.is_hidden())?;
        let stored = self.code.get(self.position(end).checked_sub(1)?).filter(|stored| stored.offset >= start)?;
        let first = self.position(next.offset);
        let mut loaded = self.code.get(first)?;
        let is_it = if let (Operation::StoreVariable, Some(Variable::Local(slot))) =
            (stored.opcode.operation(), stored.variable())
        {
            let is_load = is_local(loaded) && loaded.variable() == stored.variable();
            is_load && self.local_name(slot, stored.next()).is_none()
        } else {
            if loaded.loads_this() {
                loaded = self.code.get(first + 1)?;
            }
            let is_load = matches!(loaded.opcode.operation(), Operation::LoadField | Operation::LoadFieldAddress);
            let is_store = stored.opcode.operation() == Operation::StoreField;
            is_store && is_load && loaded.operand == stored.operand
        };
        is_it.then_some(())
    }
}

/// Returns true for a column that is negative or above 0xFFFF.
pub(super) fn has_wrong_column(point: &SequencePoint) -> bool {
    point.violations.iter().any(|violation| violation == Violation::Column)
}

/// Returns true for a load of a local variable or of its address.
fn is_local(instruction: &Instruction<'_>) -> bool {
    let is_load = matches!(instruction.opcode.operation(), Operation::LoadVariable | Operation::LoadVariableAddress);
    is_load && matches!(instruction.variable(), Some(Variable::Local(_)))
}

pub(super) fn target(instruction: &Instruction<'_>) -> Option<u32> {
    match instruction.operand {
        Operand::Branch(target) => u32::try_from(target).ok(),
        _ => None,
    }
}

/// The slot that is loaded for the call of `SetResult`.
fn result_slot(library: &Library<'_>, code: &[Instruction<'_>]) -> Option<u16> {
    code.windows(2).rev().take(32).find_map(|pair| {
        let is_result = pair[1].opcode.operation() == Operation::Call
            && &*library.method(operand_token(&pair[1]))?.name == "SetResult";
        if is_result && is_local(&pair[0]) { Some(pair[0].variable()?.number()) } else { None }
    })
}
