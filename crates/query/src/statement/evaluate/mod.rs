//! Evaluates instructions: the stack, the temporaries of the compiler, and the effects.

mod memory;

use std::cell::Cell;
use std::rc::Rc;

use pdblens_formats::il::{Instruction, Operand, Variable};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{Primitive, Type};
use pdblens_session::text::safe::utf16;

use super::body::Body;
use super::library::Library;
use super::node::{Arena, Id, Kind};
use super::spelling::Style;
use super::types::{self, Class, Ty, class, primitive, unknown};

/// Something that the compiler keeps a value in, which no source names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Temporary {
    Slot(u16),
    /// A field of a state machine.
    Field(Rc<str>),
}

/// Values at one place of the code.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub stack: Vec<Id>,
    pub temporaries: Vec<(Temporary, Id)>,
    /// Things that were done, in their order.
    pub effects: Vec<Id>,
}

impl State {
    pub fn temporary(&self, of: &Temporary) -> Option<Id> {
        self.temporaries.iter().find(|(found, _)| found == of).map(|(_, id)| *id)
    }

    pub fn set(&mut self, of: Temporary, value: Id) {
        match self.temporaries.iter_mut().find(|(found, _)| *found == of) {
            Some((_, id)) => *id = value,
            None => self.temporaries.push((of, value)),
        }
    }
}

/// Evaluates the instructions of one method.
pub(super) struct Evaluator<'b, 's> {
    pub library: &'b Library<'s>,
    pub body: &'b Body<'s>,
    pub arena: Arena,
    /// Values that a branch has tested.
    pub tested: Vec<Id>,
    /// Names of methods that the range calls.
    pub calls: Vec<Rc<str>>,
    /// Type of a `constrained.` prefix.
    pub constrained: Option<Ty>,
    /// First value of each local variable: they declare it.
    pub declared: Vec<(Rc<str>, u32)>,
    /// True where the method last declared a variable by its type.
    pub typed_more_often: Cell<bool>,
    /// Habits of the author, as far as this method shows them.
    pub style: Cell<Style>,
    /// Branches that are being followed.
    pub nested: usize,
    /// Texts that were written to find one that fits.
    pub spellings: Cell<u32>,
    /// IL ranges of the points.
    pub ends: Vec<(u32, u32)>,
}

const MARK: &str = "⟨…⟩";

impl<'b, 's> Evaluator<'b, 's> {
    pub fn new(library: &'b Library<'s>, body: &'b Body<'s>) -> Self {
        Self {
            library,
            body,
            arena: Arena::default(),
            tested: Vec::new(),
            calls: Vec::new(),
            constrained: None,
            declared: Vec::new(),
            typed_more_often: Cell::new(true),
            style: Cell::default(),
            nested: 0,
            spellings: Cell::new(0),
            ends: body.ranges(),
        }
    }

    pub fn node(&mut self, kind: Kind, kids: Vec<Id>, ty: Ty) -> Id {
        self.arena.add(kind, kids, ty)
    }

    pub fn int(&mut self, number: i64) -> Id {
        self.node(Kind::Int(number), Vec::new(), primitive(Primitive::I4))
    }

    pub fn opaque(&mut self) -> Id {
        self.node(Kind::Opaque(MARK), Vec::new(), unknown())
    }

    pub fn name(&mut self, name: &str, ty: Ty) -> Id {
        self.node(Kind::Name(name.into()), Vec::new(), ty)
    }

    pub fn pop(&mut self, state: &mut State) -> Id {
        state.stack.pop().unwrap_or_else(|| self.opaque())
    }

    /// The last `count` values, in the order in which they were pushed.
    pub fn pop_many(&mut self, state: &mut State, count: usize) -> Vec<Id> {
        let mut found: Vec<Id> = (0..count).map(|_| self.pop(state)).collect();
        found.reverse();
        found
    }

    /// Evaluates an instruction that neither jumps nor returns.
    pub fn step(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let name = instruction.opcode.name;
        let base = name.split('.').next().unwrap_or(name);
        match base {
            "nop" | "volatile" | "unaligned" | "readonly" | "tail" | "no" | "break" => {}
            "dup" => {
                let top = self.pop(state);
                state.stack.extend([top, top]);
            }
            "pop" => {
                let top = self.pop(state);
                self.discard(top, state);
            }
            "ldarg" | "ldarga" | "ldloc" | "ldloca" => self.load_variable(instruction, state),
            "starg" | "stloc" => self.store_variable(instruction, state),
            "ldc" | "ldnull" | "ldstr" => {
                let value = self.constant(instruction);
                state.stack.push(value);
            }
            "ldfld" | "ldflda" | "ldsfld" | "ldsflda" | "stfld" | "stsfld" => self.field(instruction, state),
            "call" | "callvirt" | "newobj" | "calli" | "ldftn" | "ldvirtftn" | "jmp" => {
                self.invoke(instruction, state);
            }
            "constrained" => self.constrained = Some(self.type_operand(instruction, false)),
            "ldelem" | "ldelema" | "stelem" | "newarr" | "ldlen" => self.array(instruction, state),
            "ldind" | "ldobj" | "stind" | "stobj" | "initobj" | "cpobj" | "initblk" | "cpblk" | "localloc" => {
                self.memory(instruction, state);
            }
            "add" | "sub" | "mul" | "div" | "rem" | "and" | "or" | "xor" | "shl" | "shr" => {
                self.arithmetic(name, base, state);
            }
            "ceq" | "cgt" | "clt" => {
                let (right, left) = (self.pop(state), self.pop(state));
                let value = self.comparison(name, left, right);
                state.stack.push(value);
            }
            "neg" | "not" => {
                let value = self.pop(state);
                let ty = self.arena.ty(value);
                let value = self.node(Kind::Unary(if base == "neg" { "-" } else { "~" }), vec![value], ty);
                state.stack.push(value);
            }
            _ if base == "conv" => {
                let value = self.pop(state);
                let value = self.convert(name, value);
                state.stack.push(value);
            }
            _ => self.of_type(instruction, base, state),
        }
    }

    /// Instructions with a type as their operand, and the rest.
    fn of_type(&mut self, instruction: &Instruction<'s>, base: &str, state: &mut State) {
        let is_value = matches!(base, "box" | "sizeof");
        let ty = self.type_operand(instruction, is_value);
        match base {
            "box" => {
                let value = self.pop(state);
                let is_constant = self.arena.int(value).is_some();
                let is_known = class(&ty) != Class::Value && class(&self.arena.ty(value)) != Class::Unknown;
                let boxed = if is_known && !is_constant { self.arena.ty(value) } else { ty };
                let value = self.node(Kind::Implicit, vec![value], boxed);
                state.stack.push(value);
            }
            "unbox" | "castclass" => {
                let value = self.pop(state);
                let kind = if matches!(&*ty, Type::Primitive(Primitive::Object)) || self.is_sum_of_delegates(value) {
                    Kind::Implicit
                } else {
                    Kind::Cast(ty.clone())
                };
                let value = self.node(kind, vec![value], ty);
                state.stack.push(value);
            }
            "isinst" => {
                let value = self.pop(state);
                let value = self.node(Kind::As(ty.clone()), vec![value], ty);
                state.stack.push(value);
            }
            "sizeof" => {
                let value = self.node(Kind::SizeOf(ty), Vec::new(), primitive(Primitive::I4));
                state.stack.push(value);
            }
            "ldtoken" => {
                let token = operand_token(instruction);
                let field = if token.table() == TableId::FIELD { self.library.field(token) } else { None };
                let kind = field.map_or(Kind::TypeOf(ty), Kind::Data);
                let value = self.node(kind, Vec::new(), unknown());
                state.stack.push(value);
            }
            "rethrow" => {
                let value = self.node(Kind::Throw, Vec::new(), unknown());
                state.effects.push(value);
            }
            "ckfinite" | "refanyval" | "refanytype" | "mkrefany" => {}
            _ => {
                for _ in 0..instruction.opcode.pops.unwrap_or(0) {
                    self.pop(state);
                }
                for _ in 0..instruction.opcode.pushes.unwrap_or(0) {
                    let value = self.opaque();
                    state.stack.push(value);
                }
            }
        }
    }

    /// Returns true for `a + b` of delegates, whose cast C# does not write.
    fn is_sum_of_delegates(&self, value: Id) -> bool {
        matches!(self.arena.kind(value), Kind::Binary("+" | "-")) && class(&self.arena.ty(value)) == Class::Reference
    }

    pub fn type_operand(&self, instruction: &Instruction<'_>, is_value: bool) -> Ty {
        match instruction.operand {
            Operand::Token(token) => self.library.ty(token, is_value),
            _ => unknown(),
        }
    }

    /// A value that nothing uses: an effect, unless it was only tested.
    fn discard(&mut self, value: Id, state: &mut State) {
        let bare = self.arena.bare(value);
        let is_known = self.tested.contains(&value) || state.stack.contains(&value) || state.effects.contains(&bare);
        let is_effect =
            matches!(
                self.arena.kind(bare),
                Kind::Call(_)
                    | Kind::New(_)
                    | Kind::Await
                    | Kind::Assign(_)
                    | Kind::Step(..)
                    | Kind::Chain
                    | Kind::Conditional
            ) || matches!(self.arena.kind(bare), Kind::Property(_) | Kind::Coalesce | Kind::Indirect | Kind::Exception);
        if !is_known && is_effect {
            state.effects.push(bare);
        }
    }

    fn load_variable(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let Some(variable) = instruction.variable() else { return };
        let is_address = instruction.opcode.name.starts_with("ldarga") || instruction.opcode.name.starts_with("ldloca");
        let value = match variable {
            Variable::Argument(number) => self.argument(number),
            Variable::Local(slot) => {
                let ty = self.body.local_type(slot);
                if self.is_closure(&ty) {
                    self.node(Kind::Closure, Vec::new(), ty)
                } else if let Some(name) = self
                    .body
                    .local_name(slot, instruction.offset)
                    .or_else(|| if is_address { self.body.local_name(slot, instruction.next()) } else { None })
                {
                    self.name(name, ty)
                } else if is_address {
                    let value = self.node(Kind::Temporary(slot), Vec::new(), ty);
                    state.stack.push(value);
                    return;
                } else {
                    self.load_temporary(&Temporary::Slot(slot), state)
                }
            }
        };
        let is_object = matches!(self.arena.kind(value), Kind::Closure);
        let value = if is_address && !is_object {
            let ty = Rc::new(Type::Reference(Box::new(self.arena.ty(value).as_ref().clone())));
            self.node(Kind::Ref("ref"), vec![value], ty)
        } else {
            value
        };
        state.stack.push(value);
    }

    fn argument(&mut self, number: u16) -> Id {
        let ty = self.body.argument_type(number);
        let is_object = self.body.is_closure || self.body.kickoff.is_some();
        if self.is_closure(&ty) || number == 0 && self.body.member.has_this && is_object {
            return self.node(Kind::Closure, Vec::new(), ty);
        }
        if number == 0 && self.body.member.has_this {
            return self.node(Kind::This, Vec::new(), ty);
        }
        let name = self.body.view.arguments.get(number as usize).map_or("", String::as_str);
        self.name(&plain_name(name), ty)
    }

    /// The value of a temporary. What was an effect is now part of what uses it.
    pub fn load_temporary(&mut self, of: &Temporary, state: &mut State) -> Id {
        let Some(value) = state.temporary(of) else { return self.opaque() };
        if let Some(position) = state.effects.iter().rposition(|effect| *effect == value) {
            state.effects.remove(position);
        }
        value
    }

    /// Returns true for the type of an object of captured variables.
    pub fn is_closure(&self, ty: &Type) -> bool {
        types::token(ty).is_some_and(|token| {
            token.table() == TableId::TYPE_DEF
                && self
                    .library
                    .metadata
                    .string_cell(TableId::TYPE_DEF, token.row(), 1)
                    .is_ok_and(|name| name.data.starts_with(b"<>c"))
        })
    }

    fn store_variable(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let value = self.pop(state);
        match instruction.variable() {
            Some(Variable::Argument(number)) => {
                let variable = self.argument(number);
                self.assign(variable, value, state);
            }
            Some(Variable::Local(slot)) => {
                let ty = self.body.local_type(slot);
                let name = self
                    .body
                    .local_name(slot, instruction.next())
                    .or_else(|| self.body.local_name(slot, instruction.offset));
                match name {
                    _ if self.is_closure(&ty) => {}
                    Some(name) => {
                        let variable = self.name(name, ty);
                        self.assign(variable, value, state);
                    }
                    None => {
                        // A constant is what the temporary is: a bool, a member of an enum.
                        let value = match self.arena.int(value) {
                            Some(number) if class(&ty) != Class::Unknown => {
                                self.node(Kind::Int(number), Vec::new(), ty)
                            }
                            _ => value,
                        };
                        state.set(Temporary::Slot(slot), value);
                    }
                }
            }
            None => {}
        }
    }

    fn constant(&mut self, instruction: &Instruction<'s>) -> Id {
        let ty = |of| primitive(of);
        match (instruction.opcode.name, instruction.operand) {
            ("ldnull", _) => self.node(Kind::Null, Vec::new(), unknown()),
            ("ldstr", Operand::Token(token)) => {
                let text = self.library.metadata.heaps.user_string(token.row());
                let text = text.map(|units| utf16(units.data)).unwrap_or_default();
                self.node(Kind::Str(text.into()), Vec::new(), ty(Primitive::String))
            }
            ("ldc.i8", Operand::Integer(number)) => self.node(Kind::Int(number), Vec::new(), ty(Primitive::I8)),
            (_, Operand::Integer(number)) => self.int(number),
            (_, Operand::Single(bits)) => self.node(Kind::Single(f32::from_bits(bits)), Vec::new(), ty(Primitive::R4)),
            (_, Operand::Double(bits)) => self.node(Kind::Double(f64::from_bits(bits)), Vec::new(), ty(Primitive::R8)),
            ("ldc.i4.m1", _) => self.int(-1),
            (name, _) => {
                let digit = name.rsplit('.').next().and_then(|digit| digit.parse().ok()).unwrap_or(0);
                self.int(digit)
            }
        }
    }

    /// The object that a member is read from: the variable for its address.
    pub fn object(&mut self, address: Id, state: &mut State) -> Id {
        match *self.arena.kind(address) {
            Kind::Ref(_) => self.arena.kid(address, 0).unwrap_or(address),
            Kind::Temporary(slot) => match state.temporary(&Temporary::Slot(slot)) {
                Some(_) => self.load_temporary(&Temporary::Slot(slot), state),
                None => address,
            },
            _ => address,
        }
    }
}

/// The token of an operand; nil for other operands.
pub(super) fn operand_token(instruction: &Instruction<'_>) -> Token {
    match instruction.operand {
        Operand::Token(token) => token,
        _ => Token(0),
    }
}

/// Fields of state machines that hold values the source has no name for.
fn is_hoisted_temporary(name: &str) -> bool {
    name.starts_with("<>7__") || name.starts_with("<>s__") || name.starts_with("<>u__") || name.starts_with("<>t__")
}

/// Fields that hold a variable or the value of a property.
fn is_hoisted_variable(name: &str) -> bool {
    name.contains(">5__") || name.contains("k__BackingField") || name.starts_with("<>3__") || name.ends_with(">P")
}

/// The variable that a field of the compiler holds: `x` of `<x>5__2`, `p` of `<>3__p`.
pub(super) fn plain_name(name: &str) -> Rc<str> {
    if name.contains("TransparentIdentifier") {
        return "_".into();
    }
    if let Some(rest) = name.strip_prefix("<>3__") {
        return rest.into();
    }
    match name.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((inner, _)) if !inner.is_empty() => inner.into(),
        _ => name.into(),
    }
}
