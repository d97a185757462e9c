//! Operators, conversions, conditions and assignments.

use std::rc::Rc;

use pdblens_formats::signature::{Primitive, Type};

use super::evaluate::Evaluator;
use super::node::{AS, CAST, COALESCE, CONDITIONAL, Id, Kind, SIZE_OF, THROW};
use super::types::{self, Class, boolean, class, primitive, suffix, unknown};

/// Operators: instruction, name of the method `op_…`, text, and the text that also assigns.
pub(super) const OPERATORS: [(&str, &str, &str, &str); 17] = [
    ("add", "Addition", "+", "+="),
    ("sub", "Subtraction", "-", "-="),
    ("mul", "Multiply", "*", "*="),
    ("div", "Division", "/", "/="),
    ("rem", "Modulus", "%", "%="),
    ("and", "BitwiseAnd", "&", "&="),
    ("or", "BitwiseOr", "|", "|="),
    ("xor", "ExclusiveOr", "^", "^="),
    ("shl", "LeftShift", "<<", "<<="),
    ("shr", "RightShift", ">>", ">>="),
    ("", "UnsignedRightShift", ">>>", ">>>="),
    ("eq", "Equality", "==", ""),
    ("ne", "Inequality", "!=", ""),
    ("lt", "LessThan", "<", ""),
    ("gt", "GreaterThan", ">", ""),
    ("le", "LessThanOrEqual", "<=", ""),
    ("ge", "GreaterThanOrEqual", ">=", ""),
];

impl Evaluator<'_, '_> {
    pub fn arithmetic(&mut self, name: &str, base: &str) {
        let (right, left) = (self.pop(), self.pop());
        let operator = OPERATORS.iter().find(|row| row.0 == base).map_or("+", |row| row.2);
        if self.class(left) == Class::Pointer
            && let Some(index) = self.index_of(left, right)
        {
            let ty = self.ty(left);
            return self.push(Kind::Binary(operator), vec![left, index], ty);
        }
        let is_bool = self.class(left) == Class::Bool && self.class(right) == Class::Bool;
        let operator = match operator {
            ">>" if name == "shr.un" && matches!(self.class(left), Class::Int(_, true)) => ">>>",
            // The optimiser does not jump where that costs more.
            "&" if is_bool && !self.is_has_value(right) => "&&",
            "|" if is_bool => "||",
            _ => operator,
        };
        // Small integers become `int` where they are calculated with.
        let of = if self.number(left).is_some() { right } else { left };
        let is_small = matches!(self.class(of), Class::Int(1 | 2, _) | Class::Char);
        let ty = if is_small { primitive(Primitive::I4) } else { Rc::new(types::plain(&self.get(of).ty).clone()) };
        self.push(Kind::Binary(operator), vec![left, right], ty);
    }

    /// The index of a scaled offset from a pointer.
    fn index_of(&mut self, pointer: Id, offset: Id) -> Option<Id> {
        let size = match class(&types::element(&self.get(pointer).ty)) {
            Class::Int(size, _) => i64::from(size),
            Class::Bool => 1,
            Class::Char => 2,
            _ => 0,
        };
        let offset = self.bare(offset);
        if let Some(bytes) = self.number(offset) {
            return match (bytes.checked_div(size), bytes.checked_rem(size)) {
                (Some(index), Some(0)) if size > 0 => Some(self.int(index, Primitive::I4)),
                _ => None,
            };
        }
        if let Kind::Binary("*") = self.kind(offset) {
            let (index, scale) = (self.kid(offset, 0)?, self.kid(offset, 1)?);
            let is_size = self.number(scale) == Some(size) || matches!(self.kind(scale), Kind::Form(SIZE_OF, _));
            return is_size.then(|| self.bare(index));
        }
        (size == 1).then_some(offset)
    }

    pub fn convert(&mut self, name: &str, value: Id) -> Id {
        let Some(to) = suffix(name) else { return value };
        let from = self.ty(value);
        let is_native = matches!(&*to, Type::Primitive(Primitive::I | Primitive::U));
        if let Some(number) = self.number(value) {
            let number = if name == "conv.u8" { i64::from(number as u32) } else { number };
            return match class(&to) {
                Class::Int(8, _) if !is_native => self.node(Kind::Int(number), Vec::new(), to),
                Class::Float => self.node(Kind::Implicit, vec![value], to),
                _ => value,
            };
        }
        let is_length = matches!(self.kind(value), Kind::Field(field) if field.row == 0 && &*field.name == "Length");
        let is_wider = match (class(&from), class(&to)) {
            _ if is_native || matches!(self.kind(value), Kind::Ref(_)) => true,
            (Class::Int(a, signed), Class::Int(b, to_signed)) => {
                a < b && (signed == to_signed || !signed || a < 4) || a == b && (signed == to_signed || is_length)
            }
            (Class::Int(..) | Class::Char | Class::Float, Class::Float) => {
                *from != Type::Primitive(Primitive::R8) || *to != Type::Primitive(Primitive::R4)
            }
            (Class::Char, Class::Int(size, signed)) => size > 2 || size == 2 && !signed,
            (kind, _) => matches!(kind, Class::Bool | Class::Value | Class::Pointer | Class::Unknown),
        };
        let kind = if is_wider { Kind::Implicit } else { Kind::Form(CAST, to.clone()) };
        let is_kept = is_native || class(&from) == Class::Value && is_wider;
        self.node(kind, vec![value], if is_kept { from } else { to })
    }

    /// `ceq`, `cgt`, `clt` and the branches that compare.
    pub fn comparison(&mut self, name: &str, left: Id, right: Id) -> Id {
        let base = name.split('.').next().unwrap_or(name);
        let operator =
            OPERATORS.iter().find(|row| row.0 == base.get(1..).unwrap_or_default()).map_or("==", |row| row.2);
        let is_unordered = name.contains(".un");
        let is_null = matches!(self.kind(right), Kind::Null);
        let is_zero = self.number(right) == Some(0);
        if operator == ">" && is_unordered && (is_null || is_zero) || operator == "!=" && is_null {
            return self.condition(left);
        }
        let is_number = matches!(self.class(left), Class::Int(..) | Class::Value) && !self.is_truth(left);
        if operator == "==" && (is_null || is_zero && self.class(left) != Class::Char) && !is_number {
            let value = self.condition(left);
            return self.not(value);
        }
        if is_unordered && self.class(left) == Class::Float && operator != "!=" {
            // Taken too where a number is NaN: the opposite of the opposite.
            let value = self.node(Kind::Binary(opposite(operator)), vec![left, right], boolean());
            return self.not(value);
        }
        self.node(Kind::Binary(operator), vec![left, right], boolean())
    }

    /// Returns true for a choice between 0 and 1, which is the condition itself.
    fn is_truth(&self, id: Id) -> bool {
        let is_one = |kid: &Id| {
            matches!(self.number(*kid), Some(0 | 1)) || self.is_truth(*kid) || self.class(*kid) == Class::Bool
        };
        matches!(self.bare_kind(id), Kind::Form(CONDITIONAL, _)) && self.get(self.bare(id)).kids[1..].iter().all(is_one)
    }

    /// The condition that a value is: it is true, not null, or not zero.
    pub fn condition(&mut self, value: Id) -> Id {
        let node = self.get(value).clone();
        if let (Kind::Assign("="), [variable, assigned]) = (&node.kind, &node.kids[..])
            && let (Kind::Form(AS, ty), Kind::Name(name)) = (self.bare_kind(*assigned), self.kind(*variable))
        {
            let (kind, source) = (Kind::Is(ty.clone(), Some(name.clone())), self.get(self.bare(*assigned)).kids[0]);
            return self.node(kind, vec![source], boolean());
        }
        match (&node.kind, class(&node.ty)) {
            (Kind::Form(AS, ty), _) => self.node(Kind::Is(ty.clone(), None), vec![node.kids[0], value], boolean()),
            (Kind::Implicit, kind) if !matches!(kind, Class::Int(..)) => {
                let inner = node.kids[0];
                if matches!(self.kind(inner), Kind::Form(AS | CONDITIONAL, _)) || kind == Class::Bool {
                    return self.condition(inner);
                }
                let null = self.null();
                self.node(Kind::Binary("!="), vec![inner, null], boolean())
            }
            (Kind::Form(CONDITIONAL, _), _) if self.is_truth(value) => {
                let (yes, no) = (self.condition(node.kids[1]), self.condition(node.kids[2]));
                self.choose(node.kids[0], yes, no)
            }
            (Kind::Int(number), _) => self.int(i64::from(*number != 0), Primitive::Boolean),
            (_, Class::Bool) => value,
            (_, Class::Int(..) | Class::Value | Class::Char) => {
                let zero = self.int(0, Primitive::I4);
                self.node(Kind::Binary("!="), vec![value, zero], boolean())
            }
            (_, kind) => {
                let is_parameter = matches!(&*node.ty, Type::TypeParameter(_) | Type::MethodParameter(_));
                if !is_parameter && !matches!(kind, Class::Reference | Class::Pointer) {
                    return value;
                }
                let null = self.null();
                self.node(Kind::Binary("!="), vec![value, null], boolean())
            }
        }
    }

    /// The opposite of a condition.
    pub fn not(&mut self, value: Id) -> Id {
        let node = self.get(value).clone();
        match node.kind {
            Kind::Unary("!") => node.kids[0],
            Kind::Binary(operator @ ("==" | "!=")) => self.node(Kind::Binary(opposite(operator)), node.kids, boolean()),
            Kind::Binary(operator @ ("<" | ">" | "<=" | ">=")) if self.class(node.kids[0]) != Class::Float => {
                self.node(Kind::Binary(opposite(operator)), node.kids, boolean())
            }
            Kind::Binary(operator @ ("&&" | "||")) => {
                let kids = node.kids.iter().map(|kid| self.not(*kid)).collect();
                self.node(Kind::Binary(if operator == "&&" { "||" } else { "&&" }), kids, boolean())
            }
            Kind::Int(number) => self.int(i64::from(number == 0), Primitive::Boolean),
            _ => self.node(Kind::Unary("!"), vec![value], boolean()),
        }
    }

    /// Assigns a value. What still has the value gets the assignment in its place.
    pub fn assign(&mut self, variable: Id, value: Id) {
        let (kind, kids, old) = self.assignment(variable, value);
        let is_kept = |this: &Self, id: Id| this.is_own(id) && this.state.temporaries.values().any(|kept| *kept == id);
        // `j = i++`: the old value is still there.
        if let (Kind::Step(..), Some(old)) = (&kind, old) {
            let is_on_stack = self.state.stack.contains(&old);
            if is_on_stack || is_kept(self, old) {
                self.replace(old, kind, |_| vec![variable]);
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
        if is_used && self.is_own(value) && !matches!(self.kind(value), Kind::Closure) {
            let with_copy = |copy| kids.into_iter().map(|kid| if kid == value { copy } else { kid }).collect();
            self.replace(value, kind, with_copy);
            if !is_on_stack {
                self.state.effects.push(value);
            }
            return;
        }
        let ty = self.ty(variable);
        let effect = self.node(kind, kids, ty);
        self.state.effects.push(effect);
    }

    /// The kind of an assignment, its parts, and the node of the old value for `++` and `--`.
    fn assignment(&self, variable: Id, value: Id) -> (Kind, Vec<Id>, Option<Id>) {
        let plain = (Kind::Assign("="), vec![variable, value], None);
        let mut bare = self.bare(value);
        if let Kind::Form(CAST, ty) = self.kind(bare)
            && (class(ty) == self.class(variable) || self.class(variable) == Class::Unknown)
        {
            bare = self.bare(self.get(bare).kids[0]);
        }
        let Kind::Binary(operator) = *self.kind(bare) else { return plain };
        let (left, right) = (self.get(bare).kids[0], self.get(bare).kids[1]);
        let is_one = self.number(right) == Some(1)
            || matches!(self.bare_kind(right), Kind::Literal(text) if matches!(&**text, "1.0" | "1f"));
        let assigned = OPERATORS.iter().find(|row| row.2 == operator).map_or("", |row| row.3);
        match operator {
            _ if assigned.is_empty() || !self.same(left, variable) => plain,
            "+" if is_one => (Kind::Step("++", true), vec![variable], Some(self.bare(left))),
            "-" if is_one => (Kind::Step("--", true), vec![variable], Some(self.bare(left))),
            _ => (Kind::Assign(assigned), vec![variable, right], None),
        }
    }

    /// Sets a member of an object that is being initialized. Returns false if it is not.
    pub fn initialize(&mut self, owner: Id, member: Id, value: Id) -> bool {
        let item = self.node(Kind::Assign("="), vec![member, value], unknown());
        self.add_to_initializer(owner, item)
    }

    /// Adds an assignment or a call of `Add` to the initializer of the object that it is about.
    pub fn add_to_initializer(&mut self, owner: Id, item: Id) -> bool {
        let object = match self.kind(owner) {
            Kind::Temporary(slot) => self.state.temporaries.get(&(*slot).into()).copied(),
            _ => Some(owner),
        };
        let Some(object) = object.filter(|object| self.is_own(*object)) else { return false };
        let is_new = |kind: &Kind| matches!(kind, Kind::New(_) | Kind::Default(_) | Kind::With | Kind::Inner);
        if is_new(self.kind(object)) && (object != owner || self.state.stack.contains(&object)) {
            self.get_mut(object).tail.push(item);
            return true;
        }
        // `L = { 2 }`: a member of a new object.
        let Some(outer) = self.kid(object, 0) else { return false };
        let is_member = matches!(self.kind(object), Kind::Property(_) | Kind::Field(_));
        if !is_member || !is_new(self.kind(outer)) || !self.state.stack.contains(&outer) {
            return false;
        }
        let last = self.get(outer).tail.last().copied();
        if let Some(last) = last
            && let [target, inner] = self.get(last).kids[..]
            && matches!(self.kind(inner), Kind::Inner)
            && self.same(target, object)
        {
            self.get_mut(inner).tail.push(item);
            return true;
        }
        let inner = self.node(Kind::Inner, Vec::new(), unknown());
        self.get_mut(inner).tail.push(item);
        let entry = self.node(Kind::Assign("="), vec![object, inner], unknown());
        self.get_mut(outer).tail.push(entry);
        true
    }

    /// `c ? yes : no` in the shortest way.
    pub fn choose(&mut self, test: Id, yes: Id, no: Id) -> Id {
        let of =
            |this: &Self, id: Id| if this.class(id) == Class::Bool { (this.number(id), true) } else { (None, false) };
        let (operator, is_opposite, other) = match (of(self, yes), of(self, no)) {
            ((Some(1), _), (Some(0), _)) => return test,
            ((Some(0), _), (Some(1), _)) => return self.not(test),
            ((None, true), _) if self.number(no) == Some(0) => ("&&", false, yes),
            (_, (None, true)) if self.number(yes) == Some(1) => ("||", false, no),
            (_, (None, true)) if self.number(yes) == Some(0) => ("&&", true, no),
            ((None, true), _) if self.number(no) == Some(1) => ("||", true, yes),
            _ => ("", false, no),
        };
        if !operator.is_empty() {
            let test = if is_opposite { self.not(test) } else { test };
            return self.node(Kind::Binary(operator), vec![test, other], boolean());
        }
        if let Some(value) = self.null_test(test, yes, no) {
            return value;
        }
        let is_typed = !matches!(self.kind(yes), Kind::Null | Kind::Form(THROW, _) | Kind::Int(_));
        let ty = self.ty(if is_typed { yes } else { no });
        self.node(Kind::Form(CONDITIONAL, unknown()), vec![test, yes, no], ty)
    }

    /// `a ?? b` and `a?.b`.
    fn null_test(&mut self, test: Id, yes: Id, no: Id) -> Option<Id> {
        let kids = self.get(test).kids.clone();
        let is_null = |number: usize| kids.get(number).is_some_and(|kid| matches!(self.kind(*kid), Kind::Null));
        let (tested, some, none) = match self.kind(test) {
            Kind::Binary("!=") if is_null(1) => (kids[0], yes, no),
            Kind::Binary("==") if is_null(1) => (kids[0], no, yes),
            Kind::Property(_) if self.is_has_value(test) => (*kids.first()?, yes, no),
            Kind::Unary("!") if self.is_has_value(kids[0]) => (self.kid(kids[0], 0)?, no, yes),
            Kind::Is(_, None) if kids.len() > 1 && !matches!(self.bare_kind(yes), Kind::Form(AS, _)) => {
                (kids[1], yes, no)
            }
            Kind::Is(..) if matches!(self.kind(yes), Kind::Form(AS, _)) && self.same(kids[0], self.kid(yes, 0)?) => {
                return Some(self.coalesce(yes, no));
            }
            _ => return None,
        };
        let tested = self.bare(tested);
        let bare = self.bare(some);
        if bare == tested || matches!(self.kind(bare), Kind::Name(_)) && self.same(bare, tested) {
            return Some(self.coalesce(some, none));
        }
        let ty = self.ty(some);
        if matches!(self.bare_kind(none), Kind::Null | Kind::Default(_))
            && let Some(root) = self.tested_in(some, tested)
        {
            return Some(self.node(Kind::Chain, vec![root, some], ty));
        }
        // `a?.Count ?? 0`: the tested object is used once, and the result is a value.
        let is_value = !matches!(self.class(some), Class::Reference | Class::Pointer | Class::Unknown);
        let is_once = !matches!(self.kind(tested), Kind::Name(_) | Kind::This);
        if is_value && is_once && self.spine(some).contains(&tested) {
            let chain = self.node(Kind::Chain, vec![tested, some], ty);
            return Some(self.coalesce(chain, none));
        }
        None
    }

    fn coalesce(&mut self, some: Id, none: Id) -> Id {
        let ty = self.ty(if self.class(none) == Class::Unknown { some } else { none });
        self.node(Kind::Form(COALESCE, unknown()), vec![some, none], ty)
    }
}

/// The comparison that holds where this one does not.
fn opposite(operator: &str) -> &'static str {
    match operator {
        "==" => "!=",
        "!=" => "==",
        "<" => ">=",
        ">" => "<=",
        "<=" => ">",
        _ => "<",
    }
}
