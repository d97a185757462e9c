//! Evaluates instructions: the stack, the temporaries of the compiler, and the effects.

use std::collections::BTreeMap;
use std::rc::Rc;

use pdblens_formats::il::{Instruction, Operand, Operation, Variable};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};
use pdblens_session::text::safe::utf16;

use super::body::Body;
use super::library::{self, Class, FieldMember, Library, Ty, by_ref, class, primitive, unknown};
use super::literal;
use super::node::{
    AS, AWAIT, CAST, COALESCE, CONDITIONAL, DEREF, Id, Kind, Nodes, RETHROW, SIZE_OF, STACK_ALLOC, TYPE_OF, YIELD,
};

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub stack: Vec<Id>,
    /// Values that no source names: in slots, and in fields of state machines by their tokens.
    pub temporaries: BTreeMap<u32, Id>,
    /// Things that were done, in their order.
    pub effects: Vec<Id>,
}

pub(super) struct Evaluator<'b, 's> {
    pub library: &'b Library<'s>,
    pub body: &'b Body<'s>,
    pub nodes: Nodes,
    pub state: State,
    /// Values on the stack at the targets of jumps.
    pub jumped: BTreeMap<u32, Vec<Id>>,
    /// Values that a branch has tested.
    pub tested: Vec<Id>,
    pub calls: Vec<Rc<str>>,
    pub constrained: Option<Ty>,
    pub lambdas: usize,
}

impl<'b, 's> Evaluator<'b, 's> {
    pub fn new(library: &'b Library<'s>, body: &'b Body<'s>, lambdas: usize) -> Self {
        Self {
            library,
            body,
            nodes: Nodes::default(),
            state: State::default(),
            jumped: BTreeMap::new(),
            tested: Vec::new(),
            calls: Vec::new(),
            constrained: None,
            lambdas,
        }
    }

    pub fn push(&mut self, kind: Kind, kids: Vec<Id>, ty: Ty) {
        let value = self.nodes.node(kind, kids, ty);
        self.state.stack.push(value);
    }

    pub fn effect(&mut self, kind: Kind, kids: Vec<Id>) {
        let value = self.nodes.node(kind, kids, unknown());
        self.state.effects.push(value);
    }

    pub fn pop(&mut self) -> Id {
        self.state.stack.pop().unwrap_or_else(|| self.nodes.node(Kind::Opaque("⟨…⟩"), Vec::new(), unknown()))
    }

    pub fn pop_many(&mut self, count: usize) -> Vec<Id> {
        let mut found: Vec<Id> = (0..count).map(|_| self.pop()).collect();
        found.reverse();
        found
    }

    /// The point that is evaluated.
    pub fn span(&self) -> &SequencePoint {
        &self.body.view.points[self.nodes.point]
    }

    /// Evaluates an instruction that neither jumps nor returns.
    pub fn step(&mut self, instruction: &Instruction<'s>) {
        let opcode = instruction.opcode;
        match opcode.operation() {
            Operation::Nothing | Operation::Prefix | Operation::CheckFinite => {}
            Operation::Duplicate => {
                let top = self.pop();
                self.state.stack.extend([top, top]);
            }
            Operation::Pop => self.discard(),
            Operation::LoadVariable => self.load_variable(instruction, false),
            Operation::LoadVariableAddress => self.load_variable(instruction, true),
            Operation::StoreVariable => self.store_variable(instruction),
            Operation::LoadNull | Operation::LoadNumber | Operation::LoadString => self.constant(instruction),
            Operation::LoadField => self.load_field(instruction, false),
            Operation::LoadFieldAddress => self.load_field(instruction, true),
            Operation::StoreField => self.store_field(instruction),
            Operation::Call | Operation::CallIndirect | Operation::NewObject | Operation::LoadFunction => {
                self.invoke(instruction);
            }
            Operation::NewArray | Operation::LoadLength | Operation::LoadElement | Operation::LoadElementAddress => {
                self.array(instruction);
            }
            Operation::StoreElement => self.store_element(),
            Operation::LoadIndirect | Operation::StoreIndirect | Operation::Initialize => self.memory(instruction),
            Operation::Arithmetic(operator) => self.arithmetic(operator, opcode.is_unsigned()),
            Operation::Compare(condition) => {
                let (right, left) = (self.pop(), self.pop());
                let value = self.nodes.comparison(condition, opcode.is_unsigned(), left, right);
                self.state.stack.push(value);
            }
            Operation::Negate => self.unary("-"),
            Operation::Complement => self.unary("~"),
            Operation::Convert => {
                let value = self.pop();
                let value = self.nodes.convert(opcode.value_type(), value);
                self.state.stack.push(value);
            }
            Operation::LocalAllocate => {
                let (size, byte) = (self.pop(), primitive(Primitive::U1));
                let ty = Rc::new(Type::Pointer(Box::new(Type::clone(&byte))));
                self.push(Kind::Form(STACK_ALLOC, byte), vec![size], ty);
            }
            Operation::Rethrow => self.effect(Kind::Form(RETHROW, unknown()), Vec::new()),
            _ => self.of_type(instruction),
        }
    }

    fn unary(&mut self, operator: &'static str) {
        let value = self.pop();
        let ty = self.nodes.ty(value);
        self.push(Kind::Unary(operator), vec![value], ty);
    }

    fn of_type(&mut self, instruction: &Instruction<'s>) {
        let operation = instruction.opcode.operation();
        let is_value = matches!(operation, Operation::Box | Operation::SizeOf);
        let ty = self.library.ty(operand_token(instruction), is_value);
        match operation {
            Operation::Constrained => self.constrained = Some(ty),
            Operation::Box => {
                let value = self.pop();
                // A constant is boxed as what it is: `(byte)0` of an object.
                let is_small = matches!(class(&ty), Class::Int(..)) && *ty != Type::Primitive(Primitive::I4);
                if self.nodes.number(value).is_some() && is_small {
                    let number = self.nodes.node(Kind::Form(CAST, ty.clone()), vec![value], ty);
                    return self.state.stack.push(number);
                }
                let is_known = class(&ty) != Class::Value && self.nodes.class(value) != Class::Unknown;
                let ty = if is_known && self.nodes.number(value).is_none() { self.nodes.ty(value) } else { ty };
                self.push(Kind::Implicit, vec![value], ty);
            }
            Operation::Unbox | Operation::Cast => {
                let value = self.pop();
                let is_hidden = matches!(&*ty, Type::Primitive(Primitive::Object));
                self.push(if is_hidden { Kind::Implicit } else { Kind::Form(CAST, ty.clone()) }, vec![value], ty);
            }
            Operation::IsInstance => {
                let value = self.pop();
                self.push(Kind::Form(AS, ty.clone()), vec![value], ty);
            }
            Operation::SizeOf => self.push(Kind::Form(SIZE_OF, ty), Vec::new(), primitive(Primitive::I4)),
            Operation::LoadToken => {
                let field = self.library.field(operand_token(instruction));
                self.push(
                    if field.is_some() { Kind::Opaque("…") } else { Kind::Form(TYPE_OF, ty) },
                    Vec::new(),
                    unknown(),
                );
            }
            _ => {
                self.pop_many(instruction.opcode.pops.unwrap_or(0).into());
                for _ in 0..instruction.opcode.pushes.unwrap_or(0) {
                    self.push(Kind::Opaque("⟨…⟩"), Vec::new(), unknown());
                }
            }
        }
    }

    /// A value that nothing uses: an effect, unless it was only tested.
    fn discard(&mut self) {
        let value = self.pop();
        let bare = self.nodes.bare(value);
        let state = &self.state;
        let is_known = self.tested.contains(&value) || state.stack.contains(&value) || state.effects.contains(&bare);
        let is_effect = matches!(
            self.nodes.kind(bare),
            Kind::Call(_)
                | Kind::New(_)
                | Kind::Property(_)
                | Kind::Indirect
                | Kind::Assign(_)
                | Kind::Step(..)
                | Kind::Chain
                | Kind::Form(AWAIT | CONDITIONAL | COALESCE, _)
                | Kind::Opaque("exception")
        );
        if !is_known && is_effect {
            self.state.effects.push(bare);
        }
    }

    fn load_variable(&mut self, instruction: &Instruction<'s>, is_address: bool) {
        let value = match instruction.variable() {
            Some(Variable::Argument(number)) => self.argument(number),
            Some(Variable::Local(slot)) => {
                let (ty, body) = (self.body.local_type(slot), self.body);
                let later = if is_address { body.local_name(slot, instruction.next()) } else { None };
                if self.is_closure(&ty) {
                    self.nodes.node(Kind::Closure, Vec::new(), ty)
                } else if let Some(name) = body.local_name(slot, instruction.offset).or(later) {
                    let stored = if is_address { None } else { self.just_stored(name) };
                    stored.unwrap_or_else(|| self.nodes.name(name, ty))
                } else if is_address {
                    return self.push(Kind::Temporary(slot), Vec::new(), ty);
                } else {
                    self.load_temporary(slot.into())
                }
            }
            None => return,
        };
        self.push_address(value, is_address);
    }

    /// The assignment to a variable that was the last effect: an expression uses its value, as in `(x = …) != null`.
    fn just_stored(&mut self, name: &str) -> Option<Id> {
        let stored = *self.state.effects.last()?;
        let is_it = matches!(self.nodes.kind(self.nodes.assigned(stored)?.0), Kind::Name(found) if **found == *name);
        if is_it { self.state.effects.pop() } else { None }
    }

    fn push_address(&mut self, variable: Id, is_address: bool) {
        if is_address && !matches!(self.nodes.kind(variable), Kind::Closure) {
            let ty = by_ref(&self.nodes.ty(variable));
            self.push(Kind::Ref("ref"), vec![variable], ty);
        } else {
            self.state.stack.push(variable);
        }
    }

    fn argument(&mut self, number: u16) -> Id {
        let ty = self.body.argument_type(number);
        let is_this = number == 0 && self.body.member.has_this;
        if self.is_closure(&ty) || is_this && (self.body.is_closure || self.body.kickoff.is_some()) {
            self.nodes.node(Kind::Closure, Vec::new(), ty)
        } else if is_this {
            self.nodes.node(Kind::This, Vec::new(), ty)
        } else {
            let name = self.body.argument_names.get(number as usize).map_or("", |name| name);
            self.nodes.name(name, ty)
        }
    }

    /// The value of a temporary. Its effect becomes a part of the expression that uses it.
    pub fn load_temporary(&mut self, key: u32) -> Id {
        let Some(value) = self.state.temporaries.get(&key).copied() else {
            return self.nodes.node(Kind::Opaque("⟨…⟩"), Vec::new(), unknown());
        };
        if let Some(position) = self.state.effects.iter().rposition(|effect| *effect == value) {
            self.state.effects.remove(position);
        }
        value
    }

    pub fn is_closure(&self, ty: &Type) -> bool {
        library::token(ty).is_some_and(|token| {
            token.table() == TableId::TYPE_DEF && self.library.type_name(token).0.starts_with("<>c")
        })
    }

    fn store_variable(&mut self, instruction: &Instruction<'s>) {
        let value = self.pop();
        let slot = match instruction.variable() {
            Some(Variable::Argument(number)) => {
                let variable = self.argument(number);
                return self.assign(variable, value);
            }
            Some(Variable::Local(slot)) => slot,
            None => return,
        };
        let (ty, body) = (self.body.local_type(slot), self.body);
        let name = body.local_name(slot, instruction.next()).or_else(|| body.local_name(slot, instruction.offset));
        match name {
            _ if self.is_closure(&ty) => {}
            Some(name) => {
                let variable = self.nodes.name(name, ty);
                self.assign(variable, value);
            }
            None => {
                // A constant is what the temporary is: a bool, a member of an enum.
                let value = match self.nodes.number(value) {
                    Some(number) if class(&ty) != Class::Unknown => self.nodes.node(Kind::Int(number), Vec::new(), ty),
                    _ => value,
                };
                self.state.temporaries.insert(slot.into(), value);
            }
        }
    }

    fn constant(&mut self, instruction: &Instruction<'s>) {
        let opcode = instruction.opcode;
        let (kind, of) = match instruction.operand {
            _ if opcode.operation() == Operation::LoadNull => (Kind::Null, Primitive::Void),
            Operand::Token(token) => {
                let text = self.library.metadata.heaps.user_string(token.row());
                (Kind::Str(text.map(|units| utf16(units.data)).unwrap_or_default().into()), Primitive::String)
            }
            Operand::Integer(number) => (Kind::Int(number), opcode.value_type().unwrap_or(Primitive::I4)),
            Operand::Single(bits) => {
                let number = f32::from_bits(bits);
                (Kind::Literal(literal::float(number.into(), format!("{number}f"), "float").into()), Primitive::R4)
            }
            Operand::Double(bits) => {
                let number = f64::from_bits(bits);
                (Kind::Literal(literal::float(number, format!("{number:?}"), "double").into()), Primitive::R8)
            }
            _ => match opcode.implied_number() {
                Some(number) => (Kind::Int(number), Primitive::I4),
                None => (Kind::Opaque("⟨…⟩"), Primitive::Void),
            },
        };
        self.push(kind, Vec::new(), primitive(of));
    }

    /// The object that a member is read from: the variable for its address.
    pub fn object(&mut self, address: Id) -> Id {
        match *self.nodes.kind(address) {
            Kind::Ref(_) => self.nodes.kid(address, 0).unwrap_or(address),
            Kind::Temporary(slot) if self.state.temporaries.contains_key(&slot.into()) => {
                self.load_temporary(slot.into())
            }
            _ => address,
        }
    }

    fn load_field(&mut self, instruction: &Instruction<'s>, is_address: bool) {
        let owner = if instruction.opcode.pops == Some(0) { None } else { Some(self.pop()) };
        let token = operand_token(instruction);
        let Some(field) = self.library.field(token) else {
            return self.push(Kind::Opaque("⟨…⟩"), Vec::new(), unknown());
        };
        let found = self.field_node(&field, token, owner);
        let hoisted = match self.nodes.kind(found) {
            Kind::Name(name) if !is_address && *name == field.shown => Some(name.clone()),
            _ => None,
        };
        let stored = hoisted.and_then(|name| self.just_stored(&name));
        self.push_address(stored.unwrap_or(found), is_address);
    }

    fn store_field(&mut self, instruction: &Instruction<'s>) {
        let value = self.pop();
        let owner = if instruction.opcode.pops == Some(1) { None } else { Some(self.pop()) };
        let token = operand_token(instruction);
        let Some(field) = self.library.field(token) else { return };
        if self.store_hidden(&field, token, value, owner) {
            return;
        }
        let found = self.field_node(&field, token, owner);
        if !owner.is_some_and(|owner| self.initialize(owner, found, value)) {
            self.assign(found, value);
        }
    }

    /// Stores to fields that no source names. Returns true if that is all.
    fn store_hidden(&mut self, field: &FieldMember, token: Token, value: Id, owner: Option<Id>) -> bool {
        let name = &*field.name;
        if !name.starts_with('<') && !name.starts_with("CS$") {
            // A captured variable is given its own value.
            let is_copy = owner.is_some_and(|owner| {
                matches!(self.nodes.kind(owner), Kind::Closure) || self.is_closure(&self.nodes.get(owner).ty)
            });
            return is_copy && matches!(self.nodes.kind(value), Kind::Name(found) if **found == *name);
        }
        if name == "<>2__current" {
            self.effect(Kind::Form(YIELD, unknown()), vec![value]);
        } else if is_hoisted_temporary(name) {
            self.state.temporaries.insert(token.0, value);
        } else {
            let is_variable = name.contains(">5__") || name.contains("k__BackingField") || name.ends_with(">P");
            return !is_variable && !name.starts_with("<>3__");
        }
        true
    }

    fn field_node(&mut self, field: &Rc<FieldMember>, token: Token, owner: Option<Id>) -> Id {
        let name = &*field.name;
        let type_name = self.library.name_of(&field.owner).0;
        let is_captured = owner.is_some_and(|owner| matches!(self.nodes.kind(owner), Kind::Closure))
            || owner.is_some() && (type_name.starts_with("<>c") || name.starts_with('<') && !name.contains("k__"));
        let kind = match owner {
            _ if name.starts_with("<>9__") => Kind::Opaque("cache"),
            None if name == "<>9" => Kind::Closure,
            None if type_name.starts_with("<PrivateImpl") => Kind::Opaque("…"),
            None if name.starts_with('<') && !name.contains("k__") || type_name.starts_with("<>o") => {
                Kind::Opaque("cache")
            }
            Some(_) if is_captured && name.ends_with("4__this") => Kind::This,
            Some(_) if is_captured && is_hoisted_temporary(name) => return self.load_temporary(token.0),
            Some(_) if is_captured => {
                let is_object = name.starts_with("CS$<>8") || name.starts_with("<>8__") || self.is_closure(&field.ty);
                if is_object { Kind::Closure } else { Kind::Name(field.shown.clone()) }
            }
            _ => Kind::Field(field.clone()),
        };
        let owner = match kind {
            Kind::Field(_) => owner.map(|owner| self.object(owner)),
            _ => None,
        };
        self.nodes.node(kind, owner.into_iter().collect(), field.ty.clone())
    }

    fn array(&mut self, instruction: &Instruction<'s>) {
        match instruction.opcode.operation() {
            Operation::NewArray => {
                let of = self.library.ty(operand_token(instruction), false);
                let length = self.pop();
                let ty = Rc::new(Type::Array(Box::new(Type::clone(&of))));
                self.push(Kind::NewArray(of), vec![length], ty);
            }
            Operation::LoadLength => {
                let (array, ty) = (self.pop(), primitive(Primitive::I4));
                let (name, owner): (Rc<str>, _) = ("Length".into(), self.nodes.ty(array));
                let field = FieldMember { shown: name.clone(), name, owner, ty: ty.clone(), row: 0 };
                self.push(Kind::Field(Rc::new(field)), vec![array], ty);
            }
            operation => {
                let (index, array) = (self.pop(), self.pop());
                let element = self.nodes.element(array, index);
                self.push_address(element, operation == Operation::LoadElementAddress);
            }
        }
    }

    fn store_element(&mut self) {
        let (value, index, array) = (self.pop(), self.pop(), self.pop());
        if self.state.stack.contains(&array) && matches!(self.nodes.kind(array), Kind::NewArray(_)) {
            return self.nodes.get_mut(array).tail.push(value);
        }
        let element = self.nodes.element(array, index);
        self.assign(element, value);
    }

    fn memory(&mut self, instruction: &Instruction<'s>) {
        let value = match instruction.opcode.operation() {
            Operation::StoreIndirect => Some(self.pop()),
            Operation::Initialize => {
                let ty = self.library.ty(operand_token(instruction), true);
                Some(self.nodes.node(Kind::Default(ty.clone()), Vec::new(), ty))
            }
            _ => None,
        };
        let address = self.pop();
        if let (Some(value), Kind::Temporary(slot)) = (value, self.nodes.kind(address)) {
            self.state.temporaries.insert((*slot).into(), value);
            return;
        }
        let target = self.target(address, instruction.opcode.value_type());
        match value {
            Some(value) => self.assign(target, value),
            None => self.state.stack.push(target),
        }
    }

    fn target(&mut self, address: Id, stored: Option<Primitive>) -> Id {
        let bare = self.nodes.bare(address);
        if matches!(self.nodes.kind(bare), Kind::Ref(_) | Kind::Temporary(_)) {
            return self.object(bare);
        }
        let ty = self.nodes.ty(address);
        let of = library::element(&ty);
        let is_parameter = matches!(&*of, Type::TypeParameter(_) | Type::MethodParameter(_));
        let of = if class(&of) == Class::Unknown && !is_parameter { stored.map_or(of, primitive) } else { of };
        if class(&ty) != Class::Pointer && !matches!(&*ty, Type::Primitive(_)) {
            return self.nodes.node(Kind::Implicit, vec![address], of);
        }
        // An offset from a pointer is an index.
        if let Kind::Binary("+") = self.nodes.kind(address)
            && self.nodes.kid(address, 0).is_some_and(|pointer| self.nodes.class(pointer) == Class::Pointer)
        {
            let kids = self.nodes.get(address).kids.clone();
            return self.nodes.node(Kind::Element, kids, of);
        }
        self.nodes.node(Kind::Form(DEREF, unknown()), vec![address], of)
    }
}

pub(super) fn operand_token(instruction: &Instruction<'_>) -> Token {
    match instruction.operand {
        Operand::Token(token) => token,
        _ => Token(0),
    }
}

/// Fields of state machines that hold values the source has no name for.
pub(super) fn is_hoisted_temporary(name: &str) -> bool {
    ["<>7__", "<>s__", "<>u__", "<>t__"].iter().any(|prefix| name.starts_with(prefix))
}
