//! The compiler's way through the blocks of a body.

use super::member::{Callee, Own, Role};
use super::returns::{self, Return, Returned};
use super::units::{Entries, Unit, at};
use super::{CodeKind, FromIl, RefusalCause, Unknown};
use pdblens_formats::il::{FlowControl, Opcode, Operand, Operation, Operator, Variable};
use pdblens_formats::signature::Primitive;

/// StackValue on the evaluation stack.
#[derive(Clone, Copy, PartialEq)]
enum StackValue {
    /// Held in a temporary variable.
    Temporary,
    Variable(Variable),
    Constant(i64),
    /// A constant of 64 bits.
    Long(i64),
    /// A constant after a conversion, which the optimiser may compute.
    Converted,
    /// An expression that changes nothing and cannot fail.
    Pure,
    /// An expression that calls, reads memory or can fail.
    Effect,
    /// An expression that may have an effect.
    Expression,
    /// An expression that may be a constant, and may have an effect.
    Folded,
    /// The result of an intrinsic that is not known.
    Intrinsic,
}

/// Certainty that the compiler makes something of an instruction.
#[derive(Clone, Copy, PartialEq)]
enum Made {
    Yes,
    No,
    Maybe(Unknown),
}

/// Kind of the instruction before, within the block.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Other,
    Nop,
    Call {
        has_result: bool,
    },
    /// A call that replaces the method, and takes the return after it along.
    TailCall,
}

/// The evaluation stack: a number of temporaries, and the values above them.
#[derive(Default)]
struct Stack {
    /// Temporaries at the bottom that are as they were at the start of the block.
    entered: u32,
    temporaries: u32,
    values: Vec<StackValue>,
}

impl Stack {
    fn depth(&self) -> u32 {
        self.temporaries + self.values.len() as u32
    }

    fn pop(&mut self) -> Option<StackValue> {
        if let Some(value) = self.values.pop() {
            return Some(value);
        }
        self.temporaries = self.temporaries.checked_sub(1)?;
        self.entered = self.entered.min(self.temporaries);
        Some(StackValue::Temporary)
    }

    /// Pops values; returns the effect that an expression of them has.
    fn pop_many(&mut self, count: u32) -> Option<StackValue> {
        let mut effect = StackValue::Pure;
        for _ in 0..count {
            effect = match (effect, self.pop()?) {
                (StackValue::Effect, _) | (_, StackValue::Effect) => StackValue::Effect,
                (StackValue::Expression, _)
                | (_, StackValue::Expression | StackValue::Folded | StackValue::Intrinsic) => StackValue::Expression,
                _ => StackValue::Pure,
            };
        }
        Some(effect)
    }

    /// Moves all values into temporaries; returns whether something is made of that.
    fn spill(&mut self) -> Made {
        let is_certain = |value: &StackValue| !matches!(value, StackValue::Temporary | StackValue::Intrinsic);
        let made = if self.values.iter().any(is_certain) {
            Made::Yes
        } else if self.values.contains(&StackValue::Intrinsic) {
            Made::Maybe(Unknown::Intrinsic)
        } else {
            Made::No
        };
        self.temporaries = self.depth();
        self.values.clear();
        made
    }
}

struct BodyWalk<'u, 's> {
    units: &'u [Unit<'s>],
    entries: &'u Entries,
    own: Own,
    is_debuggable: bool,
    marks: Vec<FromIl>,
    /// The unit whose offset is the boundary.
    boundary: Option<usize>,
    stack: Stack,
    before: Before,
    /// Blocks that are reached, by their first unit, with the depth of the stack.
    reached: Vec<(usize, u32)>,
    returns: Vec<Return>,
    calls: Calls,
}

/// Calls that decide about the ways out of a method.
#[derive(Clone, Copy, Default)]
struct Calls {
    /// P/Invokes without a stub, and methods that may be such, outside of protected code.
    native: bool,
    maybe_native: bool,
    intrinsic: bool,
}

/// An answer for each instruction of a body, in code of a kind; `None` for code that the compiler rejects.
pub(super) fn walk(units: &[Unit<'_>], entries: &Entries, own: Own, kind: CodeKind) -> Option<Vec<FromIl>> {
    let mut walk = BodyWalk {
        units,
        entries,
        own,
        is_debuggable: kind == CodeKind::Debuggable,
        marks: vec![FromIl::Refused(RefusalCause::Unreachable); units.len()],
        boundary: None,
        stack: Stack::default(),
        before: Before::Other,
        reached: vec![(0, 0)],
        returns: Vec::new(),
        calls: Calls::default(),
    };
    while let Some((first, depth)) = walk.reached.pop() {
        if walk.marks.get(first)? == &FromIl::Refused(RefusalCause::Unreachable) {
            walk.block(first, depth)?;
        }
    }
    if kind != CodeKind::Debuggable {
        walk.merge_returns(kind == CodeKind::Optimised);
    }
    // The start of the method is accepted without a record.
    walk.set(0, FromIl::Accepted);
    Some(walk.marks)
}

impl BodyWalk<'_, '_> {
    /// Merges the returns of minimal or optimised code.
    fn merge_returns(&mut self, is_optimised: bool) {
        self.returns.sort_unstable_by_key(|found| found.unit);
        let is_folded = self.calls.intrinsic || self.returns.iter().any(|found| found.returned == Returned::Converted);
        let doubt = if is_optimised && is_folded {
            Some(Unknown::Optimiser)
        } else if self.calls.maybe_native {
            Some(Unknown::PInvokeElsewhere)
        } else {
            None
        };
        let is_single = self.own.is_synchronized || self.calls.native;
        returns::merge(&mut self.marks, &self.returns, is_single, is_optimised, doubt);
        // What the optimiser keeps is not in the IL.
        for mark in self.marks.iter_mut().filter(|mark| is_optimised && **mark == FromIl::Accepted) {
            *mark = FromIl::Unknown(Unknown::Optimiser);
        }
    }

    fn block(&mut self, first: usize, depth: u32) -> Option<()> {
        self.reached.extend(self.entries.handlers(first));
        (self.stack.entered, self.stack.temporaries) = (depth, depth);
        self.stack.values.clear();
        (self.before, self.boundary) = (Before::Other, None);
        for index in first.. {
            let unit = self.units.get(index)?;
            if index > first && unit.starts_block {
                self.leave_values(index)?;
                return Some(());
            }
            self.begin(index);
            if index == first && self.entries.is_catch(first) {
                self.boundary = None;
                self.set(index, FromIl::Accepted);
            }
            if !self.instruction(index, unit)? {
                return Some(());
            }
        }
        None
    }

    fn set(&mut self, unit: usize, mark: FromIl) {
        if let Some(slot) = self.marks.get_mut(unit) {
            *slot = mark;
        }
    }

    /// Decides whether a boundary is before an instruction.
    fn begin(&mut self, index: usize) {
        let mut cause = RefusalCause::MakesNothing;
        if self.stack.depth() > 0 {
            match self.before {
                Before::Call { has_result: false } => self.boundary = Some(index),
                Before::Call { .. } | Before::Nop if self.is_debuggable => {
                    let made = self.stack.spill();
                    self.emit(made);
                    self.boundary = Some(index);
                }
                Before::Call { .. } => cause = RefusalCause::StackAfterResult,
                _ => cause = RefusalCause::StackNotEmpty,
            }
        } else if self.before != Before::TailCall {
            self.boundary = Some(index);
        }
        self.set(index, FromIl::Refused(cause));
    }

    fn emit(&mut self, made: Made) {
        match (made, self.boundary) {
            (Made::Yes, Some(unit)) => {
                self.set(unit, FromIl::Accepted);
                self.boundary = None;
            }
            (Made::Maybe(reason), Some(unit)) => self.set(unit, FromIl::Unknown(reason)),
            _ => {}
        }
    }

    fn if_debuggable(&self) -> Made {
        if self.is_debuggable { Made::Yes } else { Made::No }
    }

    /// Goes on at another block, with what is on the stack.
    fn leave_values(&mut self, to: usize) -> Option<()> {
        let depth = self.stack.depth();
        if depth > self.stack.entered {
            self.emit(Made::Yes);
        } else if depth > 0 {
            // The next block may have the same temporaries, and then nothing is copied.
            self.emit(Made::Maybe(Unknown::SharedTemporary));
        }
        self.reach(to, depth)
    }

    fn reach(&mut self, to: usize, depth: u32) -> Option<()> {
        // Once is enough; a jump table may name a block often.
        if *self.marks.get(to)? == FromIl::Refused(RefusalCause::Unreachable)
            && self.reached.last() != Some(&(to, depth))
        {
            self.reached.push((to, depth));
        }
        Some(())
    }

    /// Executes an instruction; returns whether the next one is reached in the same block.
    fn instruction(&mut self, index: usize, unit: &Unit<'_>) -> Option<bool> {
        self.before = Before::Other;
        match unit.opcode.flow {
            FlowControl::Call if unit.opcode.name != "jmp" => {
                self.call(unit, unit.callee?)?;
                return Some(true);
            }
            FlowControl::Call | FlowControl::Throw => {
                self.emit(Made::Yes);
                return Some(false);
            }
            FlowControl::Return => {
                self.finish(index, unit)?;
                return Some(false);
            }
            FlowControl::Branch => {
                self.jump(unit)?;
                return Some(false);
            }
            FlowControl::CondBranch => {
                self.branch(index, unit)?;
                return Some(false);
            }
            FlowControl::Break => self.emit(Made::Yes),
            FlowControl::Next | FlowControl::Meta => self.plain(unit)?,
        }
        Some(true)
    }

    fn jump(&mut self, unit: &Unit<'_>) -> Option<()> {
        let Operand::Branch(target) = unit.operand else { return None };
        let to = at(self.units, target)?;
        self.emit(self.if_debuggable());
        let is_effect = |value: &StackValue| *value == StackValue::Effect;
        let may_be_effect =
            |value: &StackValue| matches!(value, StackValue::Expression | StackValue::Folded | StackValue::Intrinsic);
        if self.stack.values.iter().any(is_effect) {
            self.emit(Made::Yes);
        } else if self.stack.values.iter().any(may_be_effect) {
            self.emit(Made::Maybe(Unknown::Intrinsic));
        }
        if unit.opcode.operation() == Operation::Leave {
            return self.reach(to, 0);
        }
        self.leave_values(to)
    }

    /// Conditional branch or jump table.
    fn branch(&mut self, index: usize, unit: &Unit<'_>) -> Option<()> {
        self.stack.pop_many(unit.opcode.pops?.into())?;
        self.emit(Made::Yes);
        let depth = self.stack.depth();
        match unit.operand {
            Operand::Branch(target) => self.reach(at(self.units, target)?, depth)?,
            Operand::Switch(targets) => {
                for target in targets.iter() {
                    self.reach(at(self.units, target)?, depth)?;
                }
            }
            _ => return None,
        }
        self.reach(index + 1, depth)
    }

    /// Return from the method, a handler or a filter.
    fn finish(&mut self, index: usize, unit: &Unit<'_>) -> Option<()> {
        let is_return = unit.opcode.operation() == Operation::Return;
        let mut returned = Returned::Nothing;
        if is_return && self.own.has_result || unit.opcode.operation() == Operation::EndFilter {
            returned = match self.stack.pop()? {
                StackValue::Constant(value) | StackValue::Long(value) => Returned::Constant(value),
                StackValue::Converted => Returned::Converted,
                StackValue::Intrinsic | StackValue::Folded => Returned::Intrinsic,
                _ => Returned::Value,
            };
        }
        let boundary = self.boundary;
        let before = boundary.and_then(|unit| self.marks.get(unit)).copied();
        self.emit(Made::Yes);
        if is_return {
            self.returns.push(Return { unit: index, boundary: boundary.zip(before), returned });
        }
        Some(())
    }

    fn call(&mut self, unit: &Unit<'_>, callee: Callee) -> Option<()> {
        let is_new = unit.opcode.operation() == Operation::NewObject;
        let this = u32::from(callee.arity.has_this && !is_new);
        let pointer = u32::from(unit.opcode.operation() == Operation::CallIndirect);
        let count = callee.arity.parameters.checked_add(this)?.checked_add(pointer)?;
        self.calls.intrinsic |= matches!(callee.role, Role::Intrinsic | Role::Expression);
        if !unit.is_protected {
            self.calls.native |= callee.role == Role::PInvoke;
            self.calls.maybe_native |= callee.role == Role::MaybePInvoke;
        }
        let has_result = if is_new { callee.role == Role::Array } else { callee.arity.has_result };
        match callee.role {
            Role::GivesBackArgument if count == 1 => {}
            Role::MakesNothing => {
                let operand = self.stack.pop_many(count)?;
                self.drop_value(operand);
            }
            role => {
                self.stack.pop_many(count)?;
                if !has_result {
                    self.emit(Made::Yes);
                }
                match role {
                    Role::Intrinsic if has_result => self.stack.values.push(StackValue::Intrinsic),
                    Role::Expression if has_result => self.stack.values.push(StackValue::Folded),
                    _ if has_result => self.stack.values.push(StackValue::Effect),
                    _ if is_new => self.stack.values.push(StackValue::Temporary),
                    _ => {}
                }
            }
        }
        self.before = if unit.is_tail { Before::TailCall } else { Before::Call { has_result } };
        Some(())
    }

    fn drop_value(&mut self, value: StackValue) {
        self.emit(match value {
            StackValue::Effect => Made::Yes,
            StackValue::Expression | StackValue::Folded | StackValue::Intrinsic if !self.is_debuggable => {
                Made::Maybe(Unknown::Intrinsic)
            }
            _ => self.if_debuggable(),
        });
    }

    /// An instruction that neither jumps nor calls.
    fn plain(&mut self, unit: &Unit<'_>) -> Option<()> {
        match (unit.opcode.operation(), unit.variable) {
            (Operation::Nothing, _) => {
                self.emit(self.if_debuggable());
                self.before = Before::Nop;
            }
            (Operation::Duplicate, _) => {
                let mut value = self.stack.pop()?;
                if !matches!(value, StackValue::Temporary | StackValue::Variable(_)) {
                    self.emit(Made::Yes);
                    value = StackValue::Temporary;
                }
                self.stack.values.extend([value; 2]);
            }
            (Operation::Pop, _) => {
                let value = self.stack.pop()?;
                self.drop_value(value);
            }
            (Operation::StoreVariable, Some(variable)) => {
                let is_itself = self.stack.pop()? == StackValue::Variable(variable);
                self.emit(if is_itself { self.if_debuggable() } else { Made::Yes });
            }
            (operation, _) => {
                let value = self.evaluate(unit, operation)?;
                match unit.opcode.pushes {
                    Some(0) => self.emit(Made::Yes),
                    _ => self.stack.values.push(value),
                }
                if operation == Operation::NewArray {
                    self.before = Before::Call { has_result: true };
                }
            }
        }
        Some(())
    }

    /// Pops the operands of an instruction; returns its value.
    fn evaluate(&mut self, unit: &Unit<'_>, operation: Operation) -> Option<StackValue> {
        let top = self.stack.values.last().copied();
        let operands = self.stack.pop_many(unit.opcode.pops?.into())?;
        let is_long =
            matches!(unit.opcode.value_type(), Some(Primitive::I8 | Primitive::U8 | Primitive::I | Primitive::U));
        let is_division = matches!(operation, Operation::Arithmetic(Operator::Divide | Operator::Remainder));
        Some(match (operation, unit.operand, top) {
            (Operation::LoadNull, ..) => StackValue::Constant(0),
            (Operation::LoadNumber, Operand::Integer(number), _) if is_long => StackValue::Long(number),
            (Operation::LoadNumber, Operand::Integer(number), _) => StackValue::Constant(number),
            (Operation::LoadNumber, Operand::None, _) => StackValue::Constant(unit.opcode.implied_number()?),
            (Operation::LoadVariable, ..) => StackValue::Variable(unit.variable?),
            (Operation::SizeOf, ..) => StackValue::Folded,
            (Operation::Convert, _, Some(value)) if !is_checked(unit.opcode) => match value {
                StackValue::Long(number) if is_long => StackValue::Long(number),
                StackValue::Constant(_) | StackValue::Long(_) | StackValue::Converted => StackValue::Converted,
                StackValue::Folded => StackValue::Folded,
                _ => operands,
            },
            _ if operands == StackValue::Effect => StackValue::Effect,
            // A division by a constant cannot fail, unless that is 0.
            (_, _, Some(StackValue::Constant(_) | StackValue::Long(_))) if is_division => StackValue::Expression,
            // The object of a field may be a local variable, and its class may be initialised.
            (
                Operation::LoadField
                | Operation::LoadFieldAddress
                | Operation::LoadToken
                | Operation::LoadFunction
                | Operation::Other,
                ..,
            ) => StackValue::Expression,
            _ if is_division || is_checked(unit.opcode) || has_effect(operation) => StackValue::Effect,
            _ => operands,
        })
    }
}

/// Returns true for arithmetic and conversions that check for overflow.
const fn is_checked(opcode: &Opcode) -> bool {
    matches!(opcode.code, 0x82..=0x8b | 0xb3..=0xba | 0xd4..=0xdb)
}

/// Returns true for operations that read memory, allocate or can fail.
const fn has_effect(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::LoadIndirect
            | Operation::LoadLength
            | Operation::LoadElement
            | Operation::LoadElementAddress
            | Operation::Cast
            | Operation::IsInstance
            | Operation::Box
            | Operation::Unbox
            | Operation::NewArray
            | Operation::LocalAllocate
            | Operation::CheckFinite
    )
}
