//! The IL of a point as events: calls, stores, tests and exits, in their order. What is between them are values.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pdblens_formats::il::{FlowControl, Instruction, Operand, Operation, Variable};
use pdblens_formats::metadata::TableId;
use pdblens_formats::signature::{Primitive, Type};

use super::super::body::{Body, target};
use super::super::branch::followed;
use super::super::evaluate::{is_hoisted_temporary, operand_token};
use super::super::library::{self, Class, Library, Member, Ty, class};
use super::proof::{Proven, Stop, undecided};
use super::values::{Datum, Id, Storage, Values, operator_name};

#[derive(Clone, Debug)]
pub(super) enum Effect {
    Call {
        member: Rc<Member>,
        arguments: Vec<Id>,
        is_virtual: bool,
    },
    /// A new object; of a struct with the variable that it is made in.
    New(Rc<Member>, Vec<Id>, Option<Storage>),
    NewArray(Ty, Id),
    Store(Storage, Id),
    Yield(Id),
    Await(Id),
    /// A test of a value, and where control goes if it holds and if not.
    Branch(Id, u32, u32),
    Switch(Id),
    Leave(Exit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Exit {
    To(u32),
    Return(Option<Id>),
    Throw(Option<Id>),
    Filter(Id),
}

/// State of the code of a point on one path.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub at: u32,
    pub stack: Vec<Id>,
    pub temporaries: BTreeMap<u32, Id>,
    /// Values of variables since they were stored.
    pub stored: Vec<(Rc<str>, Id)>,
    pub events: u32,
    pub constrained: Option<Ty>,
    /// The store that follows the constructor of a struct in its variable.
    pub pending: Option<Effect>,
}

pub(super) struct Machine<'m, 's> {
    pub library: &'m Library<'s>,
    pub body: &'m Body<'s>,
    pub start: u32,
    pub end: u32,
    /// Types of fields, true for static ones, and of captured variables that are read or stored.
    pub fields: BTreeMap<Rc<str>, (Ty, bool)>,
    pub captured: BTreeMap<Rc<str>, Ty>,
    /// Methods that are called, made objects by, or loaded.
    pub calls: Vec<(Operation, Rc<Member>)>,
    /// True if two captured variables have one name.
    pub is_ambiguous: bool,
    /// Names of the properties whose own fields are read or stored.
    pub backing: BTreeSet<Rc<str>>,
}

impl<'m, 's> Machine<'m, 's> {
    pub fn new(library: &'m Library<'s>, body: &'m Body<'s>, (start, end): (u32, u32)) -> Self {
        let mut found = Self {
            library,
            body,
            start,
            end,
            fields: BTreeMap::new(),
            captured: BTreeMap::new(),
            calls: Vec::new(),
            is_ambiguous: false,
            backing: BTreeSet::new(),
        };
        let mut names: BTreeMap<Rc<str>, Rc<str>> = BTreeMap::new();
        for instruction in found.instructions() {
            let operation = instruction.opcode.operation();
            if matches!(operation, Operation::Call | Operation::NewObject | Operation::LoadFunction) {
                found.calls.extend(library.method(operand_token(instruction)).map(|member| (operation, member)));
            }
            if !matches!(operation, Operation::LoadField | Operation::LoadFieldAddress | Operation::StoreField) {
                continue;
            }
            if let Some(field) = library.field(operand_token(instruction)) {
                let is_static = instruction.opcode.name.contains("sfld") || instruction.opcode.name == "stsfld";
                if found.is_capture(&field.name, &field.owner) {
                    let name = field.shown.clone();
                    found.is_ambiguous |=
                        names.entry(name.clone()).or_insert_with(|| field.name.clone()) != &field.name;
                    found.captured.insert(name, field.ty.clone());
                } else {
                    if field.name.ends_with("k__BackingField") {
                        found.backing.insert(field.shown.clone());
                    }
                    found.fields.insert(field.shown.clone(), (field.ty.clone(), is_static));
                }
            }
        }
        found
    }

    pub fn instructions(&self) -> &'m [Instruction<'s>] {
        let (first, last) = (self.body.position(self.start), self.body.position(self.end));
        self.body.code.get(first..last.max(first)).unwrap_or_default()
    }

    /// Returns true for the own generic type with type arguments that are not its own parameters.
    fn is_other_instance(&self, owner: &Type) -> bool {
        let mut arguments = library::arguments(owner).iter().enumerate();
        library::token(owner) == library::token(&self.this())
            && arguments.any(|(number, argument)| *argument != Type::TypeParameter(number as u32))
    }

    fn is_capture(&self, name: &str, owner: &Type) -> bool {
        let (owner, _) = self.library.name_of(owner);
        owner.starts_with("<>c")
            || owner.starts_with('<') && owner.contains(">d")
            || name.contains(">5__")
            || name.starts_with("<>3__")
    }

    pub fn is_closure(&self, ty: &Type) -> bool {
        library::token(ty).is_some_and(|token| {
            let name = self.library.type_name(token).0;
            token.table() == TableId::TYPE_DEF
                && (name.starts_with("<>c") || name.starts_with('<') && name.contains(">d"))
        })
    }

    /// The next event of a path.
    pub fn next(&self, code: &mut Track, values: &mut Values) -> Proven<Effect> {
        if let Some(pending) = code.pending.take() {
            return Ok(pending);
        }
        for _ in 0..4000 {
            if code.at >= self.end || code.at < self.start {
                return Ok(Effect::Leave(self.left(code.at, code)));
            }
            let Some(instruction) = self.body.code.get(self.body.position(code.at)) else {
                return Err(undecided("damaged code"));
            };
            code.at = instruction.next();
            if let Some(event) = self.step(instruction, code, values)? {
                return Ok(event);
            }
        }
        Err(undecided("code that is too long"))
    }

    /// The exit that a jump out of the range is: often a return.
    fn left(&self, at: u32, code: &Track) -> Exit {
        let mut position = self.body.position(at);
        let is_nothing = |position: usize| {
            self.body.code.get(position).is_some_and(|found| found.opcode.operation() == Operation::Nothing)
        };
        while is_nothing(position) {
            position += 1;
        }
        let Some(first) = self.body.code.get(position) else { return Exit::To(at) };
        let returns =
            |at: usize| self.body.code.get(at).is_some_and(|found| found.opcode.operation() == Operation::Return);
        if let Some(result) = self.body.result_slot.and_then(|slot| code.temporaries.get(&slot.into()))
            && self.body.kickoff.is_some()
        {
            return Exit::Return(Some(*result));
        }
        match (first.opcode.operation(), first.variable()) {
            (Operation::LoadVariable, Some(Variable::Local(slot))) if returns(position + 1) => {
                code.temporaries.get(&slot.into()).map_or(Exit::To(at), |value| Exit::Return(Some(*value)))
            }
            _ => Exit::To(at),
        }
    }

    pub fn pop(code: &mut Track) -> Result<Id, Stop> {
        code.stack.pop().ok_or_else(|| undecided("a value from an earlier point"))
    }

    pub fn pop_many(code: &mut Track, count: usize) -> Proven<Vec<Id>> {
        let at = code.stack.len().checked_sub(count).ok_or_else(|| undecided("a value from an earlier point"))?;
        Ok(code.stack.split_off(at))
    }

    /// The object that a member is read from: the variable for its address.
    pub fn object(address: Id, code: &Track, values: &mut Values) -> Id {
        match values.get(address).clone() {
            Datum::Address(Storage::Temporary(key), _) => code.temporaries.get(&key).copied().unwrap_or(address),
            Datum::Address(place, at) => Self::load(place, at, code, values),
            _ => address,
        }
    }

    pub fn load(place: Storage, at: u32, code: &Track, values: &mut Values) -> Id {
        if let Storage::Variable(name) = &place
            && let Some((_, known)) = code.stored.iter().rev().find(|stored| stored.0 == *name)
        {
            return *known;
        }
        if let Storage::Target(of) = place
            && let Datum::This = values.get(of)
        {
            return of;
        }
        values.add(Datum::Load(place, at))
    }

    fn branch(&self, code: &mut Track, instruction: &Instruction<'s>, test: Id, values: &mut Values) -> Option<Effect> {
        let to = target(instruction).unwrap_or(self.end);
        let (tested, is_opposite) = values.tested(test);
        let known = match values.get(tested) {
            // The cache of a delegate: the way on which it is made.
            Datum::Cache => Some(false),
            Datum::Completed => Some(true),
            Datum::Int(number) => Some(*number != 0),
            Datum::Null => Some(false),
            Datum::Delegate(..) => Some(true),
            _ => None,
        };
        if let Some(target) = followed(self.body, self.body.position(instruction.offset)) {
            code.at = target;
            return None;
        }
        match known {
            Some(holds) if to > instruction.offset || holds == is_opposite => {
                code.at = if holds == is_opposite { instruction.next() } else { to };
                None
            }
            _ => Some(Effect::Branch(test, to, instruction.next())),
        }
    }

    fn variable(&self, instruction: &Instruction<'s>, is_store: bool) -> Option<(Rc<str>, Ty)> {
        match instruction.variable()? {
            Variable::Argument(number) => {
                let name = self.body.argument_names.get(number as usize).cloned();
                Some((name.unwrap_or_default(), self.body.argument_type(number)))
            }
            Variable::Local(slot) => {
                let before = self.body.local_name(slot, instruction.offset);
                let after = self.body.local_name(slot, instruction.next());
                let name = if is_store { after.or(before) } else { before };
                Some((name?.into(), self.body.local_type(slot)))
            }
        }
    }

    fn step(&self, instruction: &Instruction<'s>, code: &mut Track, values: &mut Values) -> Proven<Option<Effect>> {
        let opcode = instruction.opcode;
        let operation = opcode.operation();
        let push = |code: &mut Track, id: Id| {
            code.stack.push(id);
            Ok(None)
        };
        match operation {
            Operation::Nothing | Operation::Prefix => Ok(None),
            Operation::Duplicate => {
                let top = Self::pop(code)?;
                code.stack.extend([top, top]);
                Ok(None)
            }
            Operation::Pop => {
                Self::pop(code)?;
                Ok(None)
            }
            Operation::LoadVariable => {
                let found = self.load_variable(instruction, code, values);
                push(code, found)
            }
            Operation::LoadVariableAddress => {
                let place = match (self.variable(instruction, true), instruction.variable()) {
                    (Some((name, _)), _) => Storage::Variable(name),
                    (_, Some(variable)) => Storage::Temporary(variable.number().into()),
                    _ => return Err(undecided("damaged code")),
                };
                let found = values.add(Datum::Address(place, code.events));
                push(code, found)
            }
            Operation::StoreVariable => {
                let value = Self::pop(code)?;
                match (self.variable(instruction, true), instruction.variable()) {
                    (Some((_, ty)), _) if self.is_closure(&ty) => Ok(None),
                    (Some((_, ty)), _) if matches!(&*ty, Type::Reference(_)) => Err(undecided("a reference")),
                    (Some((name, _)), _) => Ok(Some(Effect::Store(Storage::Variable(name), value))),
                    (_, Some(variable)) => {
                        code.temporaries.insert(variable.number().into(), value);
                        Ok(None)
                    }
                    _ => Err(undecided("damaged code")),
                }
            }
            Operation::LoadNull => {
                let null = values.add(Datum::Null);
                push(code, null)
            }
            Operation::LoadNumber => {
                let value = match instruction.operand {
                    Operand::Integer(number) => Datum::Int(number),
                    Operand::Single(bits) => Datum::Real(f64::from(f32::from_bits(bits)).to_bits()),
                    Operand::Double(bits) => Datum::Real(bits),
                    _ => Datum::Int(opcode.implied_number().ok_or_else(|| undecided("damaged code"))?),
                };
                let value = values.add(value);
                push(code, value)
            }
            Operation::LoadString => {
                let text = self.library.metadata.heaps.user_string(operand_token(instruction).row());
                let text = text.map(|units| pdblens_session::text::safe::utf16(units.data)).unwrap_or_default();
                let value = values.add(Datum::Str(text.into()));
                push(code, value)
            }
            Operation::LoadField | Operation::LoadFieldAddress => self.load_field(instruction, code, values),
            Operation::StoreField => self.store_field(instruction, code, values),
            Operation::Call | Operation::NewObject | Operation::LoadFunction => self.call(instruction, code, values),
            Operation::NewArray => {
                let of = self.library.ty(operand_token(instruction), false);
                let length = Self::pop(code)?;
                Ok(Some(Effect::NewArray(of, length)))
            }
            Operation::LoadLength => {
                let array = Self::pop(code)?;
                let value = values.add(Datum::Length(array));
                push(code, value)
            }
            Operation::LoadElement | Operation::LoadElementAddress => {
                let (index, array) = (Self::pop(code)?, Self::pop(code)?);
                let place = Storage::Element(array, vec![index]);
                let is_address = operation == Operation::LoadElementAddress;
                let at = code.events;
                let value = if is_address { Datum::Address(place, at) } else { Datum::Load(place, at) };
                let value = values.add(value);
                push(code, value)
            }
            Operation::StoreElement => {
                let (value, index, array) = (Self::pop(code)?, Self::pop(code)?, Self::pop(code)?);
                Ok(Some(Effect::Store(Storage::Element(array, vec![index]), value)))
            }
            Operation::LoadIndirect => {
                let address = Self::pop(code)?;
                let value = match values.get(address).clone() {
                    Datum::Address(Storage::Temporary(key), _) => {
                        code.temporaries.get(&key).copied().ok_or_else(|| undecided("a value from an earlier point"))?
                    }
                    Datum::Address(place, _) => Self::load(place, code.events, code, values),
                    Datum::This => address,
                    _ => values.add(Datum::Load(Storage::Target(address), code.events)),
                };
                push(code, value)
            }
            Operation::StoreIndirect | Operation::Initialize => {
                let value = if operation == Operation::Initialize {
                    let ty = self.library.ty(operand_token(instruction), true);
                    let ty = values.type_id(&ty);
                    values.add(Datum::Default(ty))
                } else {
                    Self::pop(code)?
                };
                let address = Self::pop(code)?;
                match values.get(address).clone() {
                    Datum::Address(Storage::Temporary(key), _) => {
                        code.temporaries.insert(key, value);
                        Ok(None)
                    }
                    Datum::Address(place, _) => Ok(Some(Effect::Store(place, value))),
                    _ => Ok(Some(Effect::Store(Storage::Target(address), value))),
                }
            }
            Operation::Arithmetic(operator) => {
                let (right, left) = (Self::pop(code)?, Self::pop(code)?);
                let is_checked = opcode.name.contains(".ovf");
                let value = values.arithmetic(operator_name(operator), left, right, opcode.is_unsigned(), is_checked);
                push(code, value)
            }
            Operation::Negate | Operation::Complement => {
                let value = Self::pop(code)?;
                let value = values.add(Datum::Unary(if operation == Operation::Negate { "-" } else { "~" }, value));
                push(code, value)
            }
            Operation::Convert => {
                let value = Self::pop(code)?;
                if opcode.name.contains(".ovf") {
                    return Err(Stop::refused("an overflow check that the text does not have"));
                }
                let to = opcode.value_type().ok_or_else(|| undecided("damaged code"))?;
                let value = values.convert(to, opcode.is_unsigned(), value);
                push(code, value)
            }
            Operation::Compare(condition) => {
                let (right, left) = (Self::pop(code)?, Self::pop(code)?);
                let is_float = Self::is_float(left, values) || Self::is_float(right, values);
                let value = values.compare(condition, left, right, (opcode.is_unsigned(), is_float));
                push(code, value)
            }
            Operation::Box | Operation::Unbox | Operation::Cast | Operation::IsInstance => {
                let value = Self::pop(code)?;
                let ty = self.library.ty(operand_token(instruction), operation == Operation::Box);
                let ty = values.type_id(&ty);
                let value = match operation {
                    Operation::Box => Datum::Box(value, ty),
                    Operation::IsInstance => Datum::IsInstance(value, ty),
                    _ if opcode.name == "unbox" => return Err(undecided("a reference")),
                    _ => Datum::Cast(value, ty),
                };
                let value = values.add(value);
                push(code, value)
            }
            Operation::LoadToken => {
                let ty = self.library.ty(operand_token(instruction), false);
                let ty = values.type_id(&ty);
                let value = values.add(Datum::Token(ty));
                push(code, value)
            }
            Operation::Constrained => {
                code.constrained = Some(self.library.ty(operand_token(instruction), false));
                Ok(None)
            }
            Operation::BranchIfTrue | Operation::BranchIfFalse => {
                let value = Self::pop(code)?;
                let test = if operation == Operation::BranchIfTrue { value } else { values.not(value) };
                Ok(self.branch(code, instruction, test, values))
            }
            Operation::BranchIf(condition) => {
                let (right, left) = (Self::pop(code)?, Self::pop(code)?);
                let is_float = Self::is_float(left, values) || Self::is_float(right, values);
                let test = values.compare(condition, left, right, (opcode.is_unsigned(), is_float));
                Ok(self.branch(code, instruction, test, values))
            }
            Operation::Jump | Operation::Leave => {
                let to = target(instruction).ok_or_else(|| undecided("damaged code"))?;
                if to > instruction.offset && to < self.end {
                    code.at = to;
                    return Ok(None);
                }
                Ok(Some(Effect::Leave(if to > instruction.offset { self.left(to, code) } else { Exit::To(to) })))
            }
            Operation::Return => Ok(Some(Effect::Leave(Exit::Return(code.stack.pop())))),
            Operation::Throw => Ok(Some(Effect::Leave(Exit::Throw(Some(Self::pop(code)?))))),
            Operation::Rethrow => Ok(Some(Effect::Leave(Exit::Throw(None)))),
            Operation::EndFilter => Ok(Some(Effect::Leave(Exit::Filter(Self::pop(code)?)))),
            Operation::Switch => Ok(Some(Effect::Switch(Self::pop(code)?))),
            _ if opcode.flow == FlowControl::Return => Ok(Some(Effect::Leave(Exit::To(instruction.offset)))),
            _ => Err(undecided(opcode.name)),
        }
    }

    /// Returns true for a number with a fraction, as far as the value shows it.
    fn is_float(id: Id, values: &Values) -> bool {
        match values.get(id) {
            Datum::Real(_) => true,
            Datum::Convert(code, _) => *code == Primitive::R4 as u8 || *code == Primitive::R8 as u8,
            Datum::Binary(_, a, b, ..) => Self::is_float(*a, values) || Self::is_float(*b, values),
            Datum::Unary(_, a) => Self::is_float(*a, values),
            _ => values.is_float(id),
        }
    }

    fn load_variable(&self, instruction: &Instruction<'s>, code: &mut Track, values: &mut Values) -> Id {
        let is_this = self.body.member.has_this && instruction.loads_this();
        if is_this {
            let is_hidden = self.body.is_closure || self.body.kickoff.is_some();
            return values.add(if is_hidden { Datum::Closure } else { Datum::This });
        }
        match (self.variable(instruction, false), instruction.variable()) {
            (Some((_, ty)), _) if self.is_closure(&ty) => values.add(Datum::Closure),
            (Some((name, ty)), _) if matches!(&*ty, Type::Reference(_)) => {
                values.add(Datum::Address(Storage::Variable(name), code.events))
            }
            (Some((name, ty)), _) => {
                let found = Self::load(Storage::Variable(name), code.events, code, values);
                values.note_float(found, &ty);
                found
            }
            (_, variable) => {
                let key = variable.map_or(0, |variable| variable.number().into());
                let slot = variable.map_or(0, Variable::number);
                if self.is_closure(&self.body.local_type(slot)) {
                    return values.add(Datum::Closure);
                }
                code.temporaries.get(&key).copied().unwrap_or_else(|| values.add(Datum::Unknown(key)))
            }
        }
    }

    fn load_field(
        &self,
        instruction: &Instruction<'s>,
        code: &mut Track,
        values: &mut Values,
    ) -> Proven<Option<Effect>> {
        let is_static = instruction.opcode.pops == Some(0);
        let owner = if is_static { None } else { Some(Self::pop(code)?) };
        let is_address = instruction.opcode.operation() == Operation::LoadFieldAddress;
        let token = operand_token(instruction);
        let field = self.library.field(token).ok_or_else(|| undecided("damaged code"))?;
        let name = &*field.name;
        let owner_name = self.library.name_of(&field.owner).0;
        let at = code.events;
        let hidden = match owner {
            _ if name.starts_with("<>9__") || owner_name.starts_with("<>O") || owner_name.starts_with("<>o") => {
                Some(Datum::Cache)
            }
            None if name == "<>9" => Some(Datum::Closure),
            None if owner_name.starts_with("<PrivateImpl") => return Err(undecided("initial data")),
            Some(_) if self.is_capture(name, &field.owner) && name.ends_with("4__this") => Some(Datum::This),
            Some(_) if is_hoisted_temporary(name) => {
                if is_address {
                    Some(Datum::Address(Storage::Temporary(token.0), at))
                } else {
                    code.stack.push(
                        code.temporaries.get(&token.0).copied().unwrap_or_else(|| values.add(Datum::Unknown(token.0))),
                    );
                    return Ok(None);
                }
            }
            Some(_) if name.starts_with("CS$<>8") || name.starts_with("<>8__") || self.is_closure(&field.ty) => {
                Some(Datum::Closure)
            }
            _ => None,
        };
        if let Some(hidden) = hidden {
            let value = values.add(hidden);
            code.stack.push(value);
            return Ok(None);
        }
        let place = match owner {
            Some(_) if self.is_capture(name, &field.owner) => Storage::Variable(field.shown.clone()),
            Some(owner) => Storage::Field(Self::object(owner, code, values), field.shown.clone()),
            None if self.is_other_instance(&field.owner) => {
                return Err(undecided("a static field of another instantiation"));
            }
            None => Storage::Static(field.shown.clone()),
        };
        let value =
            if is_address { values.add(Datum::Address(place, at)) } else { Self::load(place, at, code, values) };
        values.note_float(value, &field.ty);
        code.stack.push(value);
        Ok(None)
    }

    fn store_field(
        &self,
        instruction: &Instruction<'s>,
        code: &mut Track,
        values: &mut Values,
    ) -> Proven<Option<Effect>> {
        let value = Self::pop(code)?;
        let owner = if instruction.opcode.pops == Some(1) { None } else { Some(Self::pop(code)?) };
        let token = operand_token(instruction);
        let field = self.library.field(token).ok_or_else(|| undecided("damaged code"))?;
        let name = &*field.name;
        let is_cache = name.starts_with("<>9__") || self.library.name_of(&field.owner).0.starts_with("<>O");
        if is_cache || name.starts_with("CS$<>8") || name.starts_with("<>8__") {
            return Ok(None);
        }
        if name == "<>2__current" {
            return Ok(Some(Effect::Yield(value)));
        }
        if is_hoisted_temporary(name) {
            code.temporaries.insert(token.0, value);
            return Ok(None);
        }
        let plain = field.shown.clone();
        let is_capture = owner.is_some() && self.is_capture(name, &field.owner);
        if is_capture {
            let is_copy = matches!(values.get(value), Datum::Load(Storage::Variable(found), _) if *found == plain)
                || name.ends_with("4__this");
            let is_state = name.starts_with("<>") && !name.starts_with("<>3__");
            if is_copy || is_state {
                return Ok(None);
            }
        }
        let place = match owner {
            _ if is_capture => Storage::Variable(plain),
            Some(owner) => Storage::Field(Self::object(owner, code, values), plain),
            None => Storage::Static(plain),
        };
        Ok(Some(Effect::Store(place, value)))
    }
}

/// Returns true for a class, an interface, an array.
pub(super) fn is_reference(ty: &Type) -> bool {
    class(ty) == Class::Reference
}
