//! Calls, and the shapes of helpers that C# has syntax for.

mod helpers;

use std::rc::Rc;

use pdblens_formats::il::{Instruction, Operand};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{MethodSignature, Primitive, Type};

use super::evaluate::{Evaluator, State, Temporary, operand_token};
use super::library::{Member, Role};
use super::node::{Id, Kind};
use super::types::{self, Class, class, primitive, unknown};

impl<'s> Evaluator<'_, 's> {
    pub fn invoke(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let opcode = instruction.opcode.name;
        if opcode == "calli" {
            return self.indirect(instruction, state);
        }
        let Some(member) = self.library.method(operand_token(instruction)) else {
            return self.unresolved(instruction, state);
        };
        match opcode {
            "ldftn" | "ldvirtftn" => {
                if opcode == "ldvirtftn" {
                    self.pop(state);
                }
                let value = self.node(Kind::Function(member), Vec::new(), unknown());
                state.stack.push(value);
            }
            "newobj" => {
                let arguments = self.pop_many(state, member.parameters.len());
                let value = self.create(&member, arguments, state);
                state.stack.push(value);
            }
            _ => {
                let count = member.parameters.len() + usize::from(member.has_this);
                let arguments = self.pop_many(state, count);
                if self.helper(&member, &arguments, state) {
                    self.constrained = None;
                    return;
                }
                if member.role != Role::Constructor {
                    self.calls.push(member.shown.clone());
                }
                self.call(&member, &arguments, opcode == "call", state);
                self.constrained = None;
            }
        }
    }

    fn unresolved(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        // A method of an array of several dimensions has a signature; anything else has none that could be read.
        let _ = instruction;
        let value = self.opaque();
        state.stack.push(value);
    }

    fn indirect(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let Operand::Token(token) = instruction.operand else { return };
        let Some(signature) = self.library.call_site(token) else { return };
        let pointer = self.pop(state);
        let MethodSignature { parameters, returns, has_this, .. } = signature;
        let mut kids = self.pop_many(state, parameters.len() + usize::from(has_this));
        kids.insert(0, pointer);
        let ty = Rc::new(returns.value);
        let is_void = matches!(&*ty, Type::Primitive(Primitive::Void));
        let value = self.node(Kind::Indirect, kids, ty);
        if is_void { state.effects.push(value) } else { state.stack.push(value) }
    }

    /// Arguments with `ref` and `out`, and the values of temporaries. Objects of captured variables are dropped.
    fn arguments(&mut self, member: &Member, arguments: &[Id], state: &mut State) -> Vec<Id> {
        let mut found = Vec::with_capacity(arguments.len());
        for (number, (argument, ty)) in arguments.iter().zip(&member.parameters).enumerate() {
            if member.name.contains(">g__") && self.is_closure(types::plain(ty)) {
                continue;
            }
            found.push(if matches!(types_plain(ty), Type::Reference(_)) {
                self.reference(member, number, *argument, state)
            } else {
                *argument
            });
        }
        found
    }

    fn reference(&mut self, member: &Member, number: usize, argument: Id, state: &mut State) -> Id {
        let row = if member.row > 0 { self.library.parameter(member.row, number) } else { None };
        let flags = row.map_or(0, |row| self.library.cell(TableId::PARAM, row, 0));
        let is_out = flags & 3 == 2
            || member.row == 0 && member.name.starts_with("Try")
            || member.name.as_ref() == "Deconstruct";
        let is_in = flags & 3 == 1 || row.is_some_and(|row| self.library.is_marked(Token::new(TableId::PARAM, row)));
        match *self.arena.kind(argument) {
            Kind::Temporary(slot) => match state.temporary(&Temporary::Slot(slot)) {
                Some(value) if !is_out => value,
                _ => {
                    let ty = self.arena.ty(argument);
                    let value = self.name("_", ty.clone());
                    state.set(Temporary::Slot(slot), value);
                    self.node(Kind::Ref("out"), vec![value], ty)
                }
            },
            Kind::Ref(_) => {
                let ty = self.arena.ty(argument);
                let Some(variable) = self.arena.kid(argument, 0) else { return argument };
                let word = if is_out { "out" } else { "ref" };
                if is_in { variable } else { self.node(Kind::Ref(word), vec![variable], ty) }
            }
            Kind::Name(_) if !is_in => {
                let ty = self.arena.ty(argument);
                self.node(Kind::Ref(if is_out { "out" } else { "ref" }), vec![argument], ty)
            }
            _ => argument,
        }
    }

    fn call(&mut self, member: &Rc<Member>, arguments: &[Id], is_call: bool, state: &mut State) {
        // `T.Zero`: a static member of the constrained type.
        let of_parameter = match self.constrained.take() {
            Some(owner) if !member.has_this => Some(Rc::new(Member { owner, ..Member::clone(member) })),
            _ => None,
        };
        let member = of_parameter.as_ref().unwrap_or(member);
        let (object, rest) =
            if member.has_this { (arguments.first().copied(), &arguments[1..]) } else { (None, arguments) };
        let mut kids = self.arguments(member, rest, state);
        let owner = object;
        if let Some(object) = object {
            let is_foreign = types::token(&member.owner) != Some(Token::new(TableId::TYPE_DEF, self.body.type_row));
            let found = self.object(object, state);
            let is_base = is_call
                && is_foreign
                && (member.row == 0 || member.is_virtual)
                && matches!(self.arena.kind(found), Kind::This)
                && class(&member.owner) != Class::Value;
            let found = if is_base { self.name("base", member.owner.clone()) } else { found };
            kids.insert(0, found);
        }
        match member.role {
            Role::Setter => {
                let Some(value) = kids.pop() else { return };
                let target = self.node(
                    Kind::Property(member.clone()),
                    kids,
                    member.parameters.last().cloned().unwrap_or_else(unknown),
                );
                if let Some(owner) = owner
                    && self.initialize(owner, target, value, state)
                {
                    return;
                }
                self.assign(target, value, state);
            }
            Role::Getter => {
                let value = self.node(Kind::Property(member.clone()), kids, member.returns.clone());
                state.stack.push(value);
            }
            Role::Adder | Role::Remover => {
                let Some(value) = kids.pop() else { return };
                let target = self.node(Kind::Property(member.clone()), kids, unknown());
                let operator = if member.role == Role::Adder { "+=" } else { "-=" };
                let effect = self.node(Kind::Assign(operator), vec![target, value], unknown());
                state.effects.push(effect);
            }
            Role::Constructor => self.construct(member, owner, kids, state),
            _ => self.plain_call(member, owner, kids, state),
        }
    }

    fn plain_call(&mut self, member: &Rc<Member>, owner: Option<Id>, kids: Vec<Id>, state: &mut State) {
        let value = self.node(Kind::Call(member.clone()), kids, member.returns.clone());
        if !matches!(&*member.returns, Type::Primitive(Primitive::Void)) {
            if member.name.as_ref() == "Add"
                && let Some(owner) = owner
            {
                // A set's `Add` returns whether it added.
                let is_initializer = matches!(self.arena.kind(owner), Kind::New(_)) && state.stack.contains(&owner);
                if is_initializer {
                    self.arena.get_mut(owner).tail.push(value);
                    let ignored = self.int(0);
                    self.tested.push(ignored);
                    state.stack.push(ignored);
                    return;
                }
            }
            state.stack.push(value);
            return;
        }
        if member.name.as_ref() == "Add"
            && let Some(owner) = owner
            && self.add_to_initializer(owner, value, state)
        {
            return;
        }
        state.effects.push(value);
    }

    /// A constructor that is called on an object: of a base, of the own type, or of a struct in its variable.
    fn construct(&mut self, member: &Rc<Member>, owner: Option<Id>, mut kids: Vec<Id>, state: &mut State) {
        let Some(owner) = owner else { return };
        let object = kids.remove(0);
        if matches!(self.arena.kind(owner), Kind::This) {
            let word = if types::token(&member.owner) == Some(Token::new(TableId::TYPE_DEF, self.body.type_row)) {
                "this"
            } else {
                "base"
            };
            let name = self.name(word, member.owner.clone());
            kids.insert(0, name);
            let effect = self.node(Kind::Call(member.clone()), kids, unknown());
            state.effects.push(effect);
            return;
        }
        let value = self.create(member, kids, state);
        if let Kind::Temporary(slot) = *self.arena.kind(owner) {
            state.set(Temporary::Slot(slot), value);
            return;
        }
        self.assign(object, value, state);
    }

    fn create(&mut self, member: &Rc<Member>, arguments: Vec<Id>, state: &mut State) -> Id {
        let ty = member.owner.clone();
        let (name, namespace) = self.library.name_of(&ty);
        let simple = name.split('`').next().unwrap_or_default();
        if self.is_closure(&ty) || name.starts_with('<') && name.contains(">d__") {
            return self.node(Kind::Closure, Vec::new(), ty);
        }
        if let [object, function] = arguments[..]
            && let Kind::Function(method) = self.arena.kind(function).clone()
        {
            return self.delegate(&method, object, member, ty);
        }
        match simple {
            "Nullable" if arguments.len() == 1 => return self.node(Kind::Implicit, arguments, ty),
            "Decimal" => {
                if let Some(text) = self.decimal(&arguments) {
                    return self.node(Kind::Decimal(text.into()), Vec::new(), ty);
                }
            }
            "ValueTuple" if namespace.as_ref() == "System" && arguments.len() > 1 => {
                return self.node(Kind::Tuple, arguments, ty);
            }
            "Index" if arguments.len() == 2 && self.arena.int(arguments[1]) == Some(1) => {
                return self.node(Kind::Unary("^"), vec![arguments[0]], ty);
            }
            "Span" | "ReadOnlySpan" if arguments.len() == 2 => {
                if let Some(value) = self.data_span(arguments[0], arguments[1], &ty) {
                    return value;
                }
            }
            _ if name.starts_with("<>f__Anonymous") => {
                return self.node(Kind::Anonymous(member.clone()), arguments, ty);
            }
            _ if name.starts_with("<>z__ReadOnly") => {
                let kids = match arguments[..] {
                    [array] if matches!(self.arena.kind(array), Kind::NewArray(_)) => {
                        self.arena.get(array).tail.clone()
                    }
                    _ => arguments,
                };
                return self.node(Kind::List, kids, ty);
            }
            _ if simple.ends_with("InterpolatedStringHandler") => {
                return self.node(Kind::Interpolated(Vec::new()), Vec::new(), primitive(Primitive::String));
            }
            _ => {}
        }
        let kids = self.arguments(member, &arguments, state);
        self.node(Kind::New(member.clone()), kids, ty)
    }

    fn delegate(&mut self, method: &Rc<Member>, object: Id, _member: &Member, ty: types::Ty) -> Id {
        if method.name.starts_with('<') && method.name.contains(">b__") {
            return self.node(Kind::Lambda(method.clone()), Vec::new(), ty);
        }
        let kids = match self.arena.kind(object) {
            Kind::Null | Kind::Closure if !method.is_extension => Vec::new(),
            _ => vec![object],
        };
        self.node(Kind::Group(method.clone()), kids, ty)
    }
}

fn types_plain(ty: &Type) -> &Type {
    match ty {
        Type::Modified { of, .. } | Type::Pinned(of) => types_plain(of),
        _ => ty,
    }
}
