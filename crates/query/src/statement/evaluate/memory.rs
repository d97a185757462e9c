//! Fields, arrays and addresses.

use std::rc::Rc;

use pdblens_formats::il::Instruction;
use pdblens_formats::signature::{Primitive, Type};

use super::super::body::Body;
use super::super::library::FieldMember;
use super::super::node::{Id, Kind};
use super::super::types::{self, Class, Ty, class, primitive, unknown};
use super::{Evaluator, State, Temporary, is_hoisted_temporary, is_hoisted_variable, operand_token, plain_name};

impl<'s> Evaluator<'_, 's> {
    pub(super) fn field(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let opcode = instruction.opcode.name;
        let is_store = opcode.starts_with('s');
        let value = if is_store { Some(self.pop(state)) } else { None };
        let is_static = opcode.contains("sfld");
        let owner = if is_static { None } else { Some(self.pop(state)) };
        let Some(field) = self.library.field(operand_token(instruction)) else { return };
        if let Some(value) = value
            && self.store_hidden(&field, value, owner, state)
        {
            return;
        }
        let found = self.field_node(&field, owner, state);
        match value {
            Some(value) => {
                if let Some(owner) = owner
                    && self.initialize(owner, found, value, state)
                {
                    return;
                }
                self.assign(found, value, state);
            }
            None if opcode.ends_with('a') && !matches!(self.arena.kind(found), Kind::Closure) => {
                let ty = Rc::new(Type::Reference(Box::new(self.arena.ty(found).as_ref().clone())));
                let found = self.node(Kind::Ref("ref"), vec![found], ty);
                state.stack.push(found);
            }
            None => state.stack.push(found),
        }
    }

    /// Stores to fields that no source names. Returns true if that is all.
    fn store_hidden(&mut self, field: &FieldMember, value: Id, owner: Option<Id>, state: &mut State) -> bool {
        let name = field.name.as_ref();
        if !name.starts_with('<') && !name.starts_with("CS$") {
            // A captured variable is given its own value.
            let is_copy = owner.is_some_and(|owner| {
                matches!(self.arena.kind(owner), Kind::Closure) || self.is_closure(&self.arena.ty(owner))
            });
            return is_copy && matches!(self.arena.kind(value), Kind::Name(found) if found.as_ref() == name);
        }
        match name {
            "<>2__current" => {
                let value = self.node(Kind::Yield, vec![value], unknown());
                state.effects.push(value);
            }
            _ if is_hoisted_temporary(name) => state.set(Temporary::Field(name.into()), value),
            _ => return !is_hoisted_variable(name),
        }
        true
    }

    fn field_node(&mut self, field: &Rc<FieldMember>, owner: Option<Id>, state: &mut State) -> Id {
        let name = field.name.as_ref();
        if name.starts_with("<>9__") {
            return self.node(Kind::Opaque("cache"), Vec::new(), field.ty.clone());
        }
        let Some(owner) = owner else {
            if name.starts_with("<>9")
                || name.starts_with('<') && !name.contains("k__")
                || self.library.name_of(&field.owner).0.starts_with("<>o")
            {
                let kind = if name == "<>9" { Kind::Closure } else { Kind::Opaque("cache") };
                return self.node(kind, Vec::new(), field.ty.clone());
            }
            if self.library.name_of(&field.owner).0.starts_with("<PrivateImpl") {
                return self.node(Kind::Data(field.clone()), Vec::new(), field.ty.clone());
            }
            return self.node(Kind::Field(field.clone()), Vec::new(), field.ty.clone());
        };
        let is_captured = matches!(self.arena.kind(owner), Kind::Closure) || self.is_closure(&field.owner);
        if is_captured || name.starts_with('<') && !name.contains("k__BackingField") {
            if name.ends_with("4__this") {
                return self.node(Kind::This, Vec::new(), field.ty.clone());
            }
            if self.is_closure(&field.ty) || name.starts_with("CS$<>8") || name.starts_with("<>8__") {
                return self.node(Kind::Closure, Vec::new(), field.ty.clone());
            }
            if is_hoisted_temporary(name) {
                return self.load_temporary(&Temporary::Field(name.into()), state);
            }
            return self.name(&plain_name(name), field.ty.clone());
        }
        let owner = self.object(owner, state);
        self.node(Kind::Field(field.clone()), vec![owner], field.ty.clone())
    }

    pub(super) fn array(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let name = instruction.opcode.name;
        match name.split('.').next().unwrap_or(name) {
            "newarr" => {
                let of = self.type_operand(instruction, false);
                let length = self.pop(state);
                let ty = Rc::new(Type::Array(Box::new(of.as_ref().clone())));
                let value = self.node(Kind::NewArray(of), vec![length], ty);
                state.stack.push(value);
            }
            "ldlen" => {
                let array = self.pop(state);
                let value = self.length(array);
                state.stack.push(value);
            }
            "stelem" => {
                let (value, index, array) = (self.pop(state), self.pop(state), self.pop(state));
                if state.stack.contains(&array) && matches!(self.arena.kind(array), Kind::NewArray(_)) {
                    self.arena.get_mut(array).tail.push(value);
                    return;
                }
                let element = self.element(array, index);
                self.assign(element, value, state);
            }
            base => {
                let (index, array) = (self.pop(state), self.pop(state));
                let mut element = self.element(array, index);
                if base == "ldelema" {
                    let ty = Rc::new(Type::Reference(Box::new(self.arena.ty(element).as_ref().clone())));
                    element = self.node(Kind::Ref("ref"), vec![element], ty);
                }
                state.stack.push(element);
            }
        }
    }

    fn length(&mut self, array: Id) -> Id {
        let field =
            FieldMember { name: "Length".into(), owner: self.arena.ty(array), ty: primitive(Primitive::I4), row: 0 };
        self.node(Kind::Field(Rc::new(field)), vec![array], primitive(Primitive::I4))
    }

    pub(in super::super) fn element(&mut self, array: Id, index: Id) -> Id {
        let ty = types::element(&self.arena.ty(array));
        self.node(Kind::Element, vec![array, index], ty)
    }

    pub(super) fn memory(&mut self, instruction: &Instruction<'s>, state: &mut State) {
        let name = instruction.opcode.name;
        match name.split('.').next().unwrap_or(name) {
            "ldind" | "ldobj" => {
                let address = self.pop(state);
                let value = self.target(address, Body::suffix_type(name), state);
                state.stack.push(value);
            }
            "stind" | "stobj" => {
                let (value, address) = (self.pop(state), self.pop(state));
                if let Kind::Temporary(slot) = *self.arena.kind(address) {
                    state.set(Temporary::Slot(slot), value);
                    return;
                }
                let target = self.target(address, Body::suffix_type(name), state);
                self.assign(target, value, state);
            }
            "initobj" => {
                let ty = self.type_operand(instruction, true);
                let address = self.pop(state);
                let value = self.node(Kind::Default(ty.clone()), Vec::new(), ty);
                if let Kind::Temporary(slot) = *self.arena.kind(address) {
                    state.set(Temporary::Slot(slot), value);
                    return;
                }
                let target = self.target(address, None, state);
                self.assign(target, value, state);
            }
            "localloc" => {
                let size = self.pop(state);
                let ty = Rc::new(Type::Pointer(Box::new(Type::Primitive(Primitive::U1))));
                let value = self.node(Kind::StackAlloc(primitive(Primitive::U1)), vec![size], ty);
                state.stack.push(value);
            }
            _ => {
                self.pop_many(state, instruction.opcode.pops.unwrap_or(2) as usize);
            }
        }
    }

    /// The variable at an address.
    pub(in super::super) fn target(&mut self, address: Id, suffix: Option<Ty>, state: &mut State) -> Id {
        match self.arena.kind(address) {
            Kind::Ref(_) | Kind::Temporary(_) => return self.object(address, state),
            Kind::Implicit => {
                if let Some(kid) = self.arena.kid(address, 0)
                    && matches!(self.arena.kind(kid), Kind::Ref(_))
                {
                    return self.object(kid, state);
                }
            }
            _ => {}
        }
        let ty = self.arena.ty(address);
        let of = match types::element(&ty) {
            of if class(&of) == Class::Unknown
                && !matches!(&*of, Type::TypeParameter(_) | Type::MethodParameter(_)) =>
            {
                suffix.unwrap_or(of)
            }
            of => of,
        };
        if class(&ty) != Class::Pointer && !matches!(&*ty, Type::Primitive(_)) {
            return self.node(Kind::Implicit, vec![address], of);
        }
        // A constant offset is an index.
        if let Kind::Binary("+") = self.arena.kind(address)
            && let [pointer, index] = self.arena.get(address).kids[..]
            && class(&self.arena.ty(pointer)) == Class::Pointer
        {
            return self.node(Kind::Element, vec![pointer, index], of);
        }
        self.node(Kind::Deref, vec![address], of)
    }
}
