//! Assignments, initializers of objects, and sums: values that depend on the stack.

use std::rc::Rc;

use pdblens_formats::il::Operator;
use pdblens_formats::signature::Primitive;

use super::evaluate::Evaluator;
use super::library::{self, Class, primitive, unknown};
use super::node::{CAST, Id, Kind, is_plain};
use super::operators::operator_text;

impl Evaluator<'_, '_> {
    pub fn arithmetic(&mut self, operator: Operator, is_unsigned: bool) {
        let (right, left) = (self.pop(), self.pop());
        let operator = operator_text(operator);
        if self.nodes.class(left) == Class::Pointer
            && let Some(index) = self.nodes.index_of(left, right)
        {
            let ty = self.nodes.ty(left);
            return self.push(Kind::Binary(operator), vec![left, index], ty);
        }
        let is_bool = self.nodes.class(left) == Class::Bool && self.nodes.class(right) == Class::Bool;
        let operator = match operator {
            ">>" if is_unsigned && matches!(self.nodes.class(left), Class::Int(_, true)) => ">>>",
            // The optimiser does not jump where that costs more; what has an effect is evaluated in any case.
            "&" if is_bool && !self.body.is_debug() && is_plain(&self.nodes, right) => "&&",
            "|" if is_bool && !self.body.is_debug() && is_plain(&self.nodes, right) => "||",
            _ => operator,
        };
        // Small integers become `int` where they are calculated with.
        let of = if self.nodes.number(left).is_some() { right } else { left };
        let is_small = matches!(self.nodes.class(of), Class::Int(1 | 2, _) | Class::Char);
        let ty =
            if is_small { primitive(Primitive::I4) } else { Rc::new(library::plain(&self.nodes.get(of).ty).clone()) };
        self.push(Kind::Binary(operator), vec![left, right], ty);
    }

    /// Assigns a value. What still has the value gets the assignment in its place.
    pub fn assign(&mut self, variable: Id, value: Id) {
        if let (Kind::Name(name), Kind::Form(CAST, _)) = (self.nodes.kind(variable).clone(), self.nodes.kind(value))
            && let Some(Kind::Is(_, designation)) =
                self.nodes.tested_type(value).map(|test| &mut self.nodes.get_mut(test).kind)
        {
            *designation = Some(name);
            return;
        }
        let (kind, kids, old) = self.nodes.assignment(variable, value);
        let is_kept =
            |this: &Self, id: Id| this.nodes.is_own(id) && this.state.temporaries.values().any(|kept| *kept == id);
        // `j = i++`: the old value is still there.
        if let (Kind::Step(..), Some(old)) = (&kind, old) {
            let is_on_stack = self.state.stack.contains(&old);
            if is_on_stack || is_kept(self, old) {
                self.nodes.replace(old, kind, |_| vec![variable]);
                if !is_on_stack {
                    self.state.effects.push(old);
                }
                return;
            }
        }
        let is_on_stack = self.state.stack.contains(&value);
        let kind = match kind {
            Kind::Step(operator, _) if is_on_stack => Kind::Step(operator, false),
            kind => kind,
        };
        let is_used = is_on_stack || is_kept(self, value);
        if is_used && self.nodes.is_own(value) && !matches!(self.nodes.kind(value), Kind::Closure) {
            let with_copy = |copy| kids.into_iter().map(|kid| if kid == value { copy } else { kid }).collect();
            self.nodes.replace(value, kind, with_copy);
            if !is_on_stack {
                self.state.effects.push(value);
            }
            return;
        }
        let ty = self.nodes.ty(variable);
        let effect = self.nodes.node(kind, kids, ty);
        self.state.effects.push(effect);
    }

    pub fn initialize(&mut self, owner: Id, member: Id, value: Id) -> bool {
        let item = self.nodes.node(Kind::Assign("="), vec![member, value], unknown());
        self.add_to_initializer(owner, item)
    }

    /// Adds an assignment or a call of `Add` to the initializer of the object that it is about.
    pub fn add_to_initializer(&mut self, owner: Id, item: Id) -> bool {
        let object = match self.nodes.kind(owner) {
            Kind::Temporary(slot) => self.state.temporaries.get(&(*slot).into()).copied(),
            _ => Some(owner),
        };
        let Some(object) = object.filter(|object| self.nodes.is_own(*object)) else { return false };
        let is_new = |kind: &Kind| matches!(kind, Kind::New(_) | Kind::Default(_) | Kind::With | Kind::Inner);
        if is_new(self.nodes.kind(object)) && (object != owner || self.state.stack.contains(&object)) {
            self.nodes.get_mut(object).tail.push(item);
            return true;
        }
        // `L = { 2 }`: a member of a new object.
        let Some(outer) = self.nodes.kid(object, 0) else { return false };
        let is_member = matches!(self.nodes.kind(object), Kind::Property(_) | Kind::Field(_));
        if !is_member || !is_new(self.nodes.kind(outer)) || !self.state.stack.contains(&outer) {
            return false;
        }
        let last = self.nodes.get(outer).tail.last().copied();
        if let Some(last) = last
            && let [target, inner] = self.nodes.get(last).kids[..]
            && matches!(self.nodes.kind(inner), Kind::Inner)
            && self.nodes.same(target, object)
        {
            self.nodes.get_mut(inner).tail.push(item);
            return true;
        }
        let inner = self.nodes.node(Kind::Inner, Vec::new(), unknown());
        self.nodes.get_mut(inner).tail.push(item);
        let entry = self.nodes.node(Kind::Assign("="), vec![object, inner], unknown());
        self.nodes.get_mut(outer).tail.push(entry);
        true
    }
}
