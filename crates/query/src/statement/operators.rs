//! Operators, conversions, conditions and assignments.

use std::rc::Rc;

use pdblens_formats::signature::{Primitive, Type};

use super::body::Body;
use super::evaluate::{Evaluator, State};
use super::node::{Id, Kind};
use super::types::{self, Class, Ty, class, primitive, unknown};

impl Evaluator<'_, '_> {
    pub fn arithmetic(&mut self, name: &str, base: &str, state: &mut State) {
        let (right, left) = (self.pop(state), self.pop(state));
        let operator = match base {
            "add" => "+",
            "sub" => "-",
            "mul" => "*",
            "div" => "/",
            "rem" => "%",
            "and" => "&",
            "or" => "|",
            "xor" => "^",
            "shl" => "<<",
            _ if name == "shr.un" && matches!(class(&self.arena.ty(left)), Class::Int(_, true)) => ">>>",
            _ => ">>",
        };
        if matches!(class(&self.arena.ty(left)), Class::Pointer)
            && let Some(index) = self.index_of(left, right)
        {
            let ty = self.arena.ty(left);
            let value = self.node(Kind::Binary(operator), vec![left, index], ty);
            state.stack.push(value);
            return;
        }
        let is_bool = class(&self.arena.ty(left)) == Class::Bool && class(&self.arena.ty(right)) == Class::Bool;
        // The optimiser does not jump where that costs more.
        let operator = match operator {
            "&" if is_bool && !self.is_has_value(right) => "&&",
            "|" if is_bool => "||",
            _ => operator,
        };
        // `q == 3` of a nullable `q` is true if it has a value, too.
        if operator == "&"
            && self.is_has_value(right)
            && let Some(tested) = self.arena.kid(right, 0)
            && self.lift(left, tested, 0)
        {
            state.stack.push(left);
            return;
        }
        let ty = self.result_type(operator, left, right);
        let value = self.node(Kind::Binary(operator), vec![left, right], ty);
        state.stack.push(value);
    }

    /// The index of a scaled offset from a pointer.
    fn index_of(&mut self, pointer: Id, offset: Id) -> Option<Id> {
        let size = match class(&types::element(&self.arena.ty(pointer))) {
            Class::Int(size, _) => i64::from(size),
            Class::Bool => 1,
            Class::Char => 2,
            _ => 0,
        };
        let offset = self.arena.bare(offset);
        if let Some(bytes) = self.arena.int(offset) {
            return if size > 0 && bytes % size == 0 { Some(self.int(bytes / size)) } else { None };
        }
        match *self.arena.kind(offset) {
            Kind::Binary("*") => {
                let (index, scale) = (self.arena.kid(offset, 0)?, self.arena.kid(offset, 1)?);
                let is_size = self.arena.int(scale) == Some(size) || matches!(self.arena.kind(scale), Kind::SizeOf(_));
                is_size.then(|| self.arena.bare(index))
            }
            _ if size == 1 => Some(offset),
            _ => None,
        }
    }

    fn result_type(&self, operator: &str, left: Id, right: Id) -> Ty {
        let (a, b) = (self.arena.ty(left), self.arena.ty(right));
        if matches!(operator, "<<" | ">>" | ">>>") {
            return a;
        }
        let is_constant = |id| self.arena.int(id).is_some();
        let is_bits = matches!(operator, "&" | "|" | "^");
        match (class(&a), class(&b)) {
            (Class::Bool, Class::Bool) if is_bits => a,
            (Class::Value, _) => a,
            (_, Class::Value) => b,
            (Class::Int(4, true), _) if is_constant(left) && class(&b) != Class::Unknown => promoted(&b),
            (_, Class::Int(4, true)) if is_constant(right) => promoted(&a),
            (Class::Int(x, _), Class::Int(y, _)) if y > x => promoted(&b),
            (Class::Unknown, _) | (_, Class::Float | Class::Pointer) => b,
            _ => promoted(&a),
        }
    }

    pub fn convert(&mut self, name: &str, value: Id) -> Id {
        let Some(to) = Body::suffix_type(name.trim_end_matches(".un").replace("conv.ovf.", "conv.").as_str()) else {
            return value;
        };
        let to = if name == "conv.r.un" { primitive(Primitive::R8) } else { to };
        let from = self.arena.ty(value);
        if self.arena.int(value).is_some() {
            return match class(&to) {
                Class::Int(8, _) if !matches!(name, "conv.u" | "conv.i") => {
                    let number = self.arena.int(value).unwrap_or(0);
                    let number = if name == "conv.u8" { i64::from(number as u32) } else { number };
                    self.node(Kind::Int(number), Vec::new(), to)
                }
                Class::Float => self.node(Kind::Implicit, vec![value], to),
                _ => value,
            };
        }
        let is_wider = match (class(&from), class(&to)) {
            (Class::Int(a, signed), Class::Int(b, to_signed)) => {
                a < b && (signed == to_signed || !signed || a < 4)
                    || a == b && (signed == to_signed || self.is_length(value))
            }
            (Class::Int(..) | Class::Char | Class::Float, Class::Float) => {
                !(matches!(&*from, Type::Primitive(Primitive::R8)) && matches!(&*to, Type::Primitive(Primitive::R4)))
            }
            (Class::Char, Class::Int(size, signed)) => size > 2 || size == 2 && !signed,
            (Class::Bool | Class::Value | Class::Pointer | Class::Unknown, _) => true,
            (_, Class::Int(8, _)) if matches!(self.arena.kind(value), Kind::Ref(_)) => true,
            _ => matches!(self.arena.kind(value), Kind::Ref(_)),
        };
        let is_native = matches!(&*to, Type::Primitive(Primitive::I | Primitive::U));
        if is_native && matches!(class(&from), Class::Int(..)) {
            return self.node(Kind::Implicit, vec![value], from);
        }
        if is_native {
            return self.node(Kind::Implicit, vec![value], from);
        }
        let kind = if is_wider { Kind::Implicit } else { Kind::Cast(to.clone()) };
        let ty = if class(&from) == Class::Value && is_wider { from } else { to };
        self.node(kind, vec![value], ty)
    }

    fn is_length(&self, value: Id) -> bool {
        matches!(self.arena.kind(value), Kind::Field(field) if field.row == 0 && field.name.as_ref() == "Length")
    }

    /// `ceq`, `cgt`, `clt` and the branches that compare.
    pub fn comparison(&mut self, name: &str, left: Id, right: Id) -> Id {
        let is_unordered = name.contains(".un");
        let operator = match name.trim_end_matches(".s").trim_end_matches(".un") {
            "ceq" | "beq" => "==",
            "bne" => "!=",
            "cgt" | "bgt" => ">",
            "clt" | "blt" => "<",
            "bge" => ">=",
            _ => "<=",
        };
        let is_null = matches!(self.arena.kind(right), Kind::Null);
        let is_zero = self.arena.int(right) == Some(0);
        if operator == ">" && is_unordered && (is_null || is_zero) || operator == "!=" && is_null {
            return self.condition(left);
        }
        if operator == "==" && (is_null || is_zero && class(&self.arena.ty(left)) != Class::Char) {
            let is_number =
                matches!(class(&self.arena.ty(left)), Class::Int(..) | Class::Value) && !self.is_truth(left);
            if !is_number {
                let value = self.condition(left);
                return self.not(value);
            }
        }
        if is_unordered && class(&self.arena.ty(left)) == Class::Float && operator != "!=" {
            // Taken too where a number is NaN: the opposite of the opposite.
            let inverse = opposite(operator);
            let value = self.node(Kind::Binary(inverse), vec![left, right], primitive(Primitive::Boolean));
            return self.not(value);
        }
        self.node(Kind::Binary(operator), vec![left, right], primitive(Primitive::Boolean))
    }

    /// Returns true for a choice between 0 and 1, which is the condition itself.
    fn is_truth(&self, id: Id) -> bool {
        let node = self.arena.get(self.arena.bare(id));
        matches!(node.kind, Kind::Conditional)
            && node.kids.get(1..).is_some_and(|kids| {
                kids.iter().all(|kid| {
                    matches!(self.arena.int(*kid), Some(0 | 1))
                        || self.is_truth(*kid)
                        || class(&self.arena.ty(*kid)) == Class::Bool
                })
            })
    }

    /// The condition that a value is: it is true, not null, or not zero.
    pub fn condition(&mut self, value: Id) -> Id {
        let node = self.arena.get(value).clone();
        let boolean = primitive(Primitive::Boolean);
        match (&node.kind, class(&node.ty)) {
            (Kind::As(ty), _) => self.node(Kind::Is(ty.clone(), None), vec![node.kids[0], value], boolean),
            (Kind::Assign("="), _) if self.is_pattern(&node.kids) => {
                let bare = self.arena.bare(node.kids[1]);
                let (Kind::As(ty), Kind::Name(name)) =
                    (self.arena.kind(bare).clone(), self.arena.kind(node.kids[0]).clone())
                else {
                    return value;
                };
                let source = self.arena.get(bare).kids[0];
                self.node(Kind::Is(ty, Some(name)), vec![source], boolean)
            }
            (Kind::Implicit, _) if node.kids.len() == 1 && !matches!(class(&node.ty), Class::Int(..)) => {
                if matches!(self.arena.kind(node.kids[0]), Kind::As(_) | Kind::Conditional)
                    || class(&node.ty) == Class::Bool
                {
                    return self.condition(node.kids[0]);
                }
                let null = self.node(Kind::Null, Vec::new(), unknown());
                self.node(Kind::Binary("!="), vec![node.kids[0], null], boolean)
            }
            (Kind::Conditional, _) if self.is_truth(value) => {
                let yes = self.truth(node.kids[1]);
                let no = self.truth(node.kids[2]);
                self.choose(node.kids[0], yes, no)
            }
            (Kind::Int(number), _) => {
                let number = i64::from(*number != 0);
                self.node(Kind::Int(number), Vec::new(), boolean)
            }
            (_, Class::Bool) => value,
            (_, Class::Int(..) | Class::Value | Class::Char) => {
                let zero = self.int(0);
                self.node(Kind::Binary("!="), vec![value, zero], boolean)
            }
            (_, kind)
                if matches!(kind, Class::Reference | Class::Pointer)
                    || matches!(&*node.ty, Type::TypeParameter(_) | Type::MethodParameter(_)) =>
            {
                let null = self.node(Kind::Null, Vec::new(), unknown());
                self.node(Kind::Binary("!="), vec![value, null], boolean)
            }
            _ => value,
        }
    }

    /// Returns true for the variable and the value of `x is T t`.
    fn is_pattern(&self, kids: &[Id]) -> bool {
        matches!(self.arena.kind(self.arena.bare(kids[1])), Kind::As(_))
            && matches!(self.arena.kind(kids[0]), Kind::Name(_))
    }

    fn truth(&mut self, value: Id) -> Id {
        match self.arena.int(value) {
            Some(number) => self.node(Kind::Int(number), Vec::new(), primitive(Primitive::Boolean)),
            None => self.condition(value),
        }
    }

    /// The opposite of a condition.
    pub fn not(&mut self, value: Id) -> Id {
        let node = self.arena.get(value).clone();
        let boolean = primitive(Primitive::Boolean);
        match node.kind {
            Kind::Unary("!") => node.kids[0],
            Kind::Binary(operator @ ("==" | "!=")) => self.node(Kind::Binary(opposite(operator)), node.kids, boolean),
            Kind::Binary(operator @ ("<" | ">" | "<=" | ">=")) => {
                if class(&self.arena.ty(node.kids[0])) == Class::Float {
                    return self.node(Kind::Unary("!"), vec![value], boolean);
                }
                self.node(Kind::Binary(opposite(operator)), node.kids, boolean)
            }
            Kind::Binary(operator @ ("&&" | "||")) => {
                let kids = node.kids.iter().map(|kid| self.not(*kid)).collect();
                self.node(Kind::Binary(if operator == "&&" { "||" } else { "&&" }), kids, boolean)
            }
            Kind::Int(number) => self.node(Kind::Int(i64::from(number == 0)), Vec::new(), boolean),
            _ => self.node(Kind::Unary("!"), vec![value], boolean),
        }
    }

    /// Assigns a value. What still has the value gets the assignment in its place.
    pub fn assign(&mut self, variable: Id, value: Id, state: &mut State) {
        let (kind, kids, old) = self.assignment(variable, value);
        let ty = self.arena.ty(variable);
        // `j = i++`: the old value is still there.
        if let (Kind::Step(operator, _), Some(old)) = (&kind, old) {
            let operator = *operator;
            if state.stack.contains(&old) {
                self.arena.replace(old, Kind::Step(operator, true), |_| vec![variable]);
                return;
            }
            if self.is_kept(old, state) {
                self.arena.replace(old, Kind::Step(operator, true), |_| vec![variable]);
                state.effects.push(old);
                return;
            }
        }
        let is_own = self.arena.get(value).point == self.arena.point;
        let is_on_stack = state.stack.contains(&value);
        let kind = match kind {
            Kind::Step(operator, _) if is_on_stack => Kind::Step(operator, false),
            kind => kind,
        };
        if is_own && (is_on_stack || self.is_kept(value, state)) && !matches!(self.arena.kind(value), Kind::Closure) {
            self.arena.replace(value, kind, |copy| {
                kids.into_iter().map(|kid| if kid == value { copy } else { kid }).collect()
            });
            if !is_on_stack {
                state.effects.push(value);
            }
            return;
        }
        let effect = self.node(kind, kids, ty);
        state.effects.push(effect);
    }

    fn is_kept(&self, value: Id, state: &State) -> bool {
        self.arena.get(value).point == self.arena.point && state.temporaries.iter().any(|(_, kept)| *kept == value)
    }

    /// The kind of an assignment, its parts, and the node of the old value for `++` and `--`.
    fn assignment(&mut self, variable: Id, value: Id) -> (Kind, Vec<Id>, Option<Id>) {
        let mut bare = self.arena.bare(value);
        if let Kind::Cast(ty) = self.arena.kind(bare)
            && (class(ty) == class(&self.arena.ty(variable)) || class(&self.arena.ty(variable)) == Class::Unknown)
        {
            let inner = self.arena.kid(bare, 0).map_or(bare, |kid| self.arena.bare(kid));
            if matches!(self.arena.kind(inner), Kind::Binary(_)) {
                bare = inner;
            }
        }
        let plain = (Kind::Assign("="), vec![variable, value], None);
        let Kind::Binary(operator) = *self.arena.kind(bare) else { return plain };
        let (left, right) = (self.arena.get(bare).kids[0], self.arena.get(bare).kids[1]);
        if !self.arena.same(left, variable) {
            return plain;
        }
        let one = self.arena.int(right) == Some(1)
            || matches!(self.arena.kind(self.arena.bare(right)), Kind::Double(n) if n.to_bits() == 1.0_f64.to_bits());
        match operator {
            "+" if one => (Kind::Step("++", true), vec![variable], Some(self.arena.bare(left))),
            "-" if one => (Kind::Step("--", true), vec![variable], Some(self.arena.bare(left))),
            _ => match compound(operator) {
                Some(operator) => (Kind::Assign(operator), vec![variable, right], None),
                None => plain,
            },
        }
    }

    /// Sets a member of an object that is being initialized. Returns false if it is not.
    pub fn initialize(&mut self, owner: Id, member: Id, value: Id, state: &mut State) -> bool {
        let item = self.node(Kind::Assign("="), vec![member, value], unknown());
        self.add_to_initializer(owner, item, state)
    }

    /// Adds an assignment or a call of `Add` to the initializer of the object that it is about.
    pub fn add_to_initializer(&mut self, owner: Id, item: Id, state: &mut State) -> bool {
        let object = match *self.arena.kind(owner) {
            Kind::Temporary(slot) => match state.temporary(&super::evaluate::Temporary::Slot(slot)) {
                Some(object) => object,
                None => return false,
            },
            _ => owner,
        };
        if self.arena.get(object).point != self.arena.point {
            return false;
        }
        let is_temporary = object != owner;
        let is_new = |kind: &Kind| matches!(kind, Kind::New(_) | Kind::Default(_) | Kind::With | Kind::Inner);
        if is_new(self.arena.kind(object)) && (is_temporary || state.stack.contains(&object)) {
            self.arena.get_mut(object).tail.push(item);
            return true;
        }
        // `L = { 2 }`: a member of a new object.
        let Some(outer) = self.arena.kid(object, 0) else { return false };
        let is_member = matches!(self.arena.kind(object), Kind::Property(_) | Kind::Field(_));
        if !is_member || !is_new(self.arena.kind(outer)) || !state.stack.contains(&outer) {
            return false;
        }
        let last = self.arena.get(outer).tail.last().copied();
        if let Some(last) = last
            && let [target, inner] = self.arena.get(last).kids[..]
            && matches!(self.arena.kind(inner), Kind::Inner)
            && self.arena.same(target, object)
        {
            self.arena.get_mut(inner).tail.push(item);
            return true;
        }
        let inner = self.node(Kind::Inner, Vec::new(), unknown());
        self.arena.get_mut(inner).tail.push(item);
        let entry = self.node(Kind::Assign("="), vec![object, inner], unknown());
        self.arena.get_mut(outer).tail.push(entry);
        true
    }

    /// `c ? yes : no` in the shortest way.
    pub fn choose(&mut self, test: Id, yes: Id, no: Id) -> Id {
        let boolean = primitive(Primitive::Boolean);
        let is_bool = |this: &Self, id| class(&this.arena.ty(id)) == Class::Bool;
        let (a, b) = (self.arena.int(yes), self.arena.int(no));
        match (a, b) {
            (Some(1), Some(0)) if is_bool(self, yes) && is_bool(self, no) => return test,
            (Some(0), Some(1)) if is_bool(self, yes) && is_bool(self, no) => return self.not(test),
            (None, Some(0)) if is_bool(self, yes) => return self.node(Kind::Binary("&&"), vec![test, yes], boolean),
            (Some(1), None) if is_bool(self, no) => return self.node(Kind::Binary("||"), vec![test, no], boolean),
            (Some(0), None) if is_bool(self, no) => {
                let test = self.not(test);
                return self.node(Kind::Binary("&&"), vec![test, no], boolean);
            }
            (None, Some(1)) if is_bool(self, yes) => {
                let test = self.not(test);
                return self.node(Kind::Binary("||"), vec![test, yes], boolean);
            }
            _ => {}
        }
        if let Some(value) = self.null_test(test, yes, no) {
            return value;
        }
        let ty = match (self.arena.kind(yes), self.arena.kind(no)) {
            (Kind::Null | Kind::Throw | Kind::Int(_), _) => self.arena.ty(no),
            _ => self.arena.ty(yes),
        };
        self.node(Kind::Conditional, vec![test, yes, no], Rc::clone(&ty))
    }

    /// `a ?? b` and `a?.b`.
    fn null_test(&mut self, test: Id, yes: Id, no: Id) -> Option<Id> {
        let node = self.arena.get(test).clone();
        let (tested, some, none) = match node.kind {
            Kind::Binary("!=") if self.is_nothing(node.kids[1]) => (node.kids[0], yes, no),
            Kind::Binary("==") if self.is_nothing(node.kids[1]) => (node.kids[0], no, yes),
            Kind::Property(ref member) if member.name.as_ref() == "get_HasValue" && !node.kids.is_empty() => {
                (node.kids[0], yes, no)
            }
            Kind::Unary("!") if self.is_has_value(node.kids[0]) => (self.arena.kid(node.kids[0], 0)?, no, yes),
            Kind::Is(_, None)
                if node.kids.len() > 1 && !matches!(self.arena.kind(self.arena.bare(yes)), Kind::As(_)) =>
            {
                (node.kids[1], yes, no)
            }
            Kind::Is(..)
                if matches!(self.arena.kind(yes), Kind::As(_))
                    && self.arena.same(node.kids[0], self.arena.kid(yes, 0)?) =>
            {
                return Some(self.coalesce(yes, no));
            }
            _ => return None,
        };
        let is_same = |this: &Self, id: Id| {
            let (id, tested) = (this.arena.bare(id), this.arena.bare(tested));
            id == tested || matches!(this.arena.kind(id), Kind::Name(_)) && this.arena.same(id, tested)
        };
        if is_same(self, some) {
            return Some(self.coalesce(some, none));
        }
        let is_nothing = matches!(self.arena.kind(self.arena.bare(none)), Kind::Null | Kind::Default(_));
        if is_nothing && self.lift(some, tested, 0) {
            return Some(some);
        }
        if is_nothing && let Some(root) = self.arena.tested_in(some, tested) {
            let ty = self.arena.ty(some);
            return Some(self.node(Kind::Chain, vec![root, some], ty));
        }
        // `a?.Count ?? 0`: the tested object is used once, and the result is a value.
        let tested = self.arena.bare(tested);
        let is_value = matches!(
            class(&self.arena.ty(some)),
            Class::Bool | Class::Char | Class::Int(..) | Class::Value | Class::Float
        );
        let is_once = !matches!(self.arena.kind(tested), Kind::Name(_) | Kind::This);
        if is_value && is_once && self.arena.spine(some).contains(&tested) {
            let ty = self.arena.ty(some);
            let chain = self.node(Kind::Chain, vec![tested, some], ty);
            return Some(self.coalesce(chain, none));
        }
        None
    }

    /// Takes `GetValueOrDefault` of a tested value out of an expression: `q + 2` of a nullable `q`. Returns false if there is none.
    fn lift(&mut self, tree: Id, tested: Id, depth: usize) -> bool {
        let mut is_lifted = false;
        for number in 0..self.arena.get(tree).kids.len() {
            let kid = self.arena.get(tree).kids[number];
            let is_it = matches!(self.arena.kind(kid), Kind::Call(member) if member.name.as_ref() == "GetValueOrDefault")
                && self.arena.kid(kid, 0).is_some_and(|object| self.arena.same(object, tested));
            if is_it {
                self.arena.get_mut(kid).kind = Kind::Implicit;
            }
            is_lifted |= is_it || depth < 6 && self.lift(kid, tested, depth + 1);
        }
        is_lifted
    }

    fn coalesce(&mut self, some: Id, none: Id) -> Id {
        let ty = self.arena.ty(none);
        let ty = if class(&ty) == Class::Unknown { self.arena.ty(some) } else { ty };
        self.node(Kind::Coalesce, vec![some, none], ty)
    }

    fn is_nothing(&self, id: Id) -> bool {
        matches!(self.arena.kind(id), Kind::Null)
    }

    fn is_has_value(&self, id: Id) -> bool {
        matches!(self.arena.kind(id), Kind::Property(member) if member.name.as_ref() == "get_HasValue")
    }
}

/// Small integers become `int` where they are calculated with.
fn promoted(ty: &Ty) -> Ty {
    match class(ty) {
        Class::Int(1 | 2, _) | Class::Char | Class::Bool => primitive(Primitive::I4),
        _ => Rc::new(types::plain(ty).clone()),
    }
}

/// The comparison that holds where this one does not.
const fn opposite(operator: &str) -> &'static str {
    match operator.as_bytes() {
        b"==" => "!=",
        b"!=" => "==",
        b"<" => ">=",
        b">" => "<=",
        b"<=" => ">",
        _ => "<",
    }
}

/// The operator that also assigns.
fn compound(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "+=",
        "-" => "-=",
        "*" => "*=",
        "/" => "/=",
        "%" => "%=",
        "&" => "&=",
        "|" => "|=",
        "^" => "^=",
        "<<" => "<<=",
        ">>" => ">>=",
        ">>>" => ">>>=",
        _ => return None,
    })
}
