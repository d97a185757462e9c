//! Expressions: nodes of a tree that are compared by identity, with operators, conversions, conditions and assignments.

use std::rc::Rc;

use pdblens_formats::il::Condition;
use pdblens_formats::signature::{Primitive, Type};

use super::library::{self, Class, FieldMember, Member, Ty, boolean, class, primitive, unknown};
use super::operators::{OPERATORS, condition_text};

pub(super) type Id = u32;

// Texts of operations that have one shape: `$0` is the first child, `$t` the type.
pub(super) const AS: &str = "$0 as $t";
pub(super) const AWAIT: &str = "await $0";
pub(super) const CAST: &str = "($t)$0";
pub(super) const COALESCE: &str = "$0 ?? $1";
pub(super) const CONDITIONAL: &str = "$0 ? $1 : $2";
pub(super) const DEREF: &str = "*$0";
pub(super) const NEW_PARAMETER: &str = "new $t()";
pub(super) const RETHROW: &str = "throw";
pub(super) const SIZE_OF: &str = "sizeof($t)";
pub(super) const STACK_ALLOC: &str = "stackalloc $t[$0]";
pub(super) const THROW: &str = "throw $0";
pub(super) const TYPE_OF: &str = "typeof($t)";
pub(super) const YIELD: &str = "yield return $0";

#[derive(Clone, Debug)]
pub(super) enum Kind {
    This,
    Name(Rc<str>),
    Int(i64),
    /// A literal that reads the same whatever receives it.
    Literal(Rc<str>),
    Str(Rc<str>),
    Null,
    Default(Ty),
    Form(&'static str, Ty),
    Field(Rc<FieldMember>),
    /// A property, an indexer with more children, of the object that is the first child unless it is static.
    Property(Rc<Member>),
    Call(Rc<Member>),
    Indirect,
    /// A new object, its arguments as children; values of its members follow in `tail`.
    New(Rc<Member>),
    /// `{ … }` of a member inside an initializer.
    Inner,
    NewArray(Ty),
    Element,
    Unary(&'static str),
    Binary(&'static str),
    /// A conversion that C# does without a cast.
    Implicit,
    /// A test of the type, with the variable that gets the value.
    Is(Ty, Option<Rc<str>>),
    Assign(&'static str),
    /// `++` or `--`; after the variable if true.
    Step(&'static str, bool),
    /// `?.`: the tested value, and the chain of members that begins with it.
    Chain,
    /// `ref`, `out`, `in` or `&` of a variable.
    Ref(&'static str),
    Temporary(u16),
    Lambda(Rc<Member>),
    /// A method group, of the object that is the first child unless it is static.
    Group(Rc<Member>),
    Function(Rc<Member>),
    /// An interpolated string: strings and holes in `tail`.
    Interpolated,
    /// The value, alignment and format of an interpolated string.
    Hole,
    With,
    /// Values between two brackets: an anonymous type, a tuple, a collection expression.
    Values(&'static str, &'static str),
    /// The object of captured variables, or a state machine.
    Closure,
    /// `if (first child)` and the effects that follow.
    If,
    /// Something that C# has no word for.
    Opaque(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub kids: Vec<Id>,
    /// Members set in an initializer: assignments and calls of `Add`.
    pub tail: Vec<Id>,
    pub ty: Ty,
    pub point: usize,
}

const MAX_NODES: usize = 200_000;

/// The values of a body: a tree that grows. Equal values of one point are one node.
#[derive(Default)]
pub(super) struct Nodes {
    list: Vec<Node>,
    /// The point whose values are added.
    pub point: usize,
}

impl Nodes {
    pub fn node(&mut self, kind: Kind, kids: Vec<Id>, ty: Ty) -> Id {
        if !self.is_full() {
            self.list.push(Node { kind, kids, tail: Vec::new(), ty, point: self.point });
        }
        self.list.len().saturating_sub(1) as Id
    }

    pub const fn is_full(&self) -> bool {
        self.list.len() >= MAX_NODES
    }

    pub fn get(&self, id: Id) -> &Node {
        &self.list[id as usize]
    }

    pub fn get_mut(&mut self, id: Id) -> &mut Node {
        &mut self.list[id as usize]
    }

    pub fn kind(&self, id: Id) -> &Kind {
        &self.get(id).kind
    }

    pub fn ty(&self, id: Id) -> Ty {
        self.get(id).ty.clone()
    }

    pub fn class(&self, id: Id) -> Class {
        class(&self.get(id).ty)
    }

    pub fn kid(&self, id: Id, number: usize) -> Option<Id> {
        self.get(id).kids.get(number).copied()
    }

    pub fn number(&self, id: Id) -> Option<i64> {
        match self.kind(self.bare(id)) {
            Kind::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The node without conversions that C# does not write.
    pub fn bare(&self, id: Id) -> Id {
        match self.kind(id) {
            Kind::Implicit => self.kid(id, 0).map_or(id, |kid| self.bare(kid)),
            _ => id,
        }
    }

    pub fn bare_kind(&self, id: Id) -> &Kind {
        self.kind(self.bare(id))
    }

    pub fn is_own(&self, id: Id) -> bool {
        self.get(id).point == self.point
    }

    /// The variable and the value of an assignment.
    pub fn assigned(&self, effect: Id) -> Option<(Id, Id)> {
        match (self.kind(effect), &self.get(effect).kids[..]) {
            (Kind::Assign("="), [variable, value]) => Some((*variable, *value)),
            _ => None,
        }
    }

    /// Makes a node another one in place: whoever has it sees the new one, which may have a copy of the old one as a child.
    pub fn replace(&mut self, id: Id, kind: Kind, kids: impl FnOnce(Id) -> Vec<Id>) {
        if self.is_full() {
            return;
        }
        let old = self.get(id).clone();
        let (ty, point) = (old.ty.clone(), self.point);
        self.list.push(old);
        let kids = kids((self.list.len() as Id).saturating_sub(1));
        *self.get_mut(id) = Node { kind, kids, tail: Vec::new(), ty, point };
    }

    /// Returns true if both are the same variable, or read it the same way.
    pub fn same(&self, left: Id, right: Id) -> bool {
        self.same_within(left, right, 0)
    }

    fn same_within(&self, left: Id, right: Id, depth: usize) -> bool {
        let (left, right) = (self.bare(left), self.bare(right));
        if left == right {
            return true;
        }
        let (a, b) = (self.get(left), self.get(right));
        let is_same = match (&a.kind, &b.kind) {
            (Kind::This, Kind::This)
            | (Kind::Closure, Kind::Closure)
            | (Kind::Element, Kind::Element)
            | (Kind::Ref(_), Kind::Ref(_)) => true,
            (Kind::Int(a), Kind::Int(b)) => a == b,
            (Kind::Str(a), Kind::Str(b)) | (Kind::Name(a), Kind::Name(b)) => a == b,
            (Kind::Field(a), Kind::Field(b)) => a.name == b.name && a.owner == b.owner,
            (Kind::Property(a), Kind::Property(b)) => a.shown == b.shown && a.owner == b.owner,
            (Kind::Binary(a), Kind::Binary(b)) | (Kind::Form(a @ DEREF, _), Kind::Form(b, _)) => a == b,
            (Kind::Temporary(a), Kind::Temporary(b)) => a == b,
            _ => false,
        };
        // Deeper trees are compared by identity alone: a value that is used twice doubles with each level.
        let mut kids = a.kids.iter().zip(&b.kids);
        let deeper = depth + 1;
        is_same && deeper <= 10 && a.kids.len() == b.kids.len() && kids.all(|(a, b)| self.same_within(*a, *b, deeper))
    }

    /// The objects that a chain of members goes through, outermost first.
    pub fn spine(&self, id: Id) -> Vec<Id> {
        let next = |id: &Id| match self.kind(*id) {
            Kind::Field(_) | Kind::Element | Kind::Implicit => self.kid(*id, 0),
            Kind::Chain => self.kid(*id, 1),
            Kind::Property(of) | Kind::Call(of) if of.has_this || of.is_extension => self.kid(*id, 0),
            _ => None,
        };
        std::iter::successors(next(&id), next).take(64).collect()
    }

    /// The object in a chain that is a tested value, or reads the same variable.
    pub fn tested_in(&self, chain: Id, tested: Id) -> Option<Id> {
        let tested = self.bare(tested);
        let is_it = |id: &Id| *id == tested || matches!(self.kind(*id), Kind::Name(_)) && self.same(*id, tested);
        self.spine(chain).into_iter().find(is_it)
    }

    pub fn int(&mut self, number: i64, of: Primitive) -> Id {
        self.node(Kind::Int(number), Vec::new(), primitive(of))
    }

    pub fn null(&mut self) -> Id {
        self.node(Kind::Null, Vec::new(), unknown())
    }

    pub fn name(&mut self, name: &str, ty: Ty) -> Id {
        self.node(Kind::Name(name.into()), Vec::new(), ty)
    }

    pub fn element(&mut self, array: Id, index: Id) -> Id {
        let ty = library::element(&self.get(array).ty);
        self.node(Kind::Element, vec![array, index], ty)
    }

    /// The index of a scaled offset from a pointer.
    pub fn index_of(&mut self, pointer: Id, offset: Id) -> Option<Id> {
        let size = match class(&library::element(&self.get(pointer).ty)) {
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

    pub fn convert(&mut self, to: Option<Primitive>, value: Id) -> Id {
        let Some(to) = to.map(primitive) else { return value };
        let from = self.ty(value);
        let is_native = matches!(&*to, Type::Primitive(Primitive::I | Primitive::U));
        if let Some(number) = self.number(value) {
            let number = if *to == Type::Primitive(Primitive::U8) { i64::from(number as u32) } else { number };
            return match class(&to) {
                Class::Int(8, _) if !is_native => self.node(Kind::Int(number), Vec::new(), to),
                Class::Float => self.node(Kind::Implicit, vec![value], to),
                _ => value,
            };
        }
        let is_wider = match (class(&from), class(&to)) {
            _ if is_native || matches!(self.kind(value), Kind::Ref(_)) => true,
            (Class::Int(a, signed), Class::Int(b, to_signed)) => {
                a < b && (signed == to_signed || !signed || a < 4) || a == b && signed == to_signed
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
    pub fn comparison(&mut self, condition: Condition, is_unordered: bool, left: Id, right: Id) -> Id {
        let operator = condition_text(condition);
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
        let is_sign_lost = is_unordered && !matches!(operator, "==" | "!=");
        let (left, right) = if is_sign_lost { (unsigned(self, left), unsigned(self, right)) } else { (left, right) };
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
        if let Some((variable, assigned)) = self.assigned(value)
            && let Some(found) = self.designation(variable, assigned)
        {
            return found;
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

    /// `value is T name`, for a variable that gets `value as T`.
    pub fn designation(&mut self, variable: Id, value: Id) -> Option<Id> {
        let (Kind::Name(name), Kind::Form(AS, ty)) = (self.kind(variable), self.bare_kind(value)) else { return None };
        let (kind, source) = (Kind::Is(ty.clone(), Some(name.clone())), self.get(self.bare(value)).kids[0]);
        Some(self.node(kind, vec![source], boolean()))
    }

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

    /// `o is int n`: the test of the type of a value that is cast.
    pub fn tested_type(&self, cast: Id) -> Option<Id> {
        let source = self.kid(cast, 0)?;
        let own = (0..self.list.len() as Id).rev().take(64).take_while(|id| self.is_own(*id));
        let mut tests = own.filter(|id| matches!(self.kind(*id), Kind::Is(_, None)));
        tests.find(|test| self.kid(*test, 0).is_some_and(|tested| self.same(tested, source)))
    }

    /// The kind of an assignment, its parts, and the node of the old value for `++` and `--`.
    pub fn assignment(&self, variable: Id, value: Id) -> (Kind, Vec<Id>, Option<Id>) {
        let plain = (Kind::Assign("="), vec![variable, value], None);
        let mut bare = self.bare(value);
        if let Kind::Form(CAST, ty) = self.kind(bare)
            && (class(ty) == self.class(variable) || self.class(variable) == Class::Unknown)
        {
            bare = self.bare(self.get(bare).kids[0]);
        }
        let Kind::Binary(operator) = *self.kind(bare) else { return plain };
        let (left, right) = (self.get(bare).kids[0], self.get(bare).kids[1]);
        if let ("++" | "--", true) = (operator, self.same(left, variable)) {
            return (Kind::Step(operator, true), vec![variable], Some(self.bare(left)));
        }
        // Of a type with operators of its own `++` is a method of one argument, and `+= 1` is none.
        let is_one = match self.class(variable) {
            Class::Value => matches!(self.kind(right), Kind::Int(1)),
            _ => {
                self.number(right) == Some(1)
                    || matches!(self.bare_kind(right), Kind::Literal(text) if matches!(&**text, "1.0" | "1f"))
            }
        };
        let assigned = OPERATORS.iter().find(|row| row.1 == operator).map_or("", |row| row.2);
        match operator {
            _ if assigned.is_empty() || !self.same(left, variable) || !self.is_found_once(left, variable) => plain,
            "+" if is_one => (Kind::Step("++", true), vec![variable], Some(self.bare(left))),
            "-" if is_one => (Kind::Step("--", true), vec![variable], Some(self.bare(left))),
            _ => (Kind::Assign(assigned), vec![variable, right], None),
        }
    }

    /// Returns true for two uses of a place whose object and indices are evaluated once: `a.B[i] += 1`, and not `a.B[i] = a.B[i] + 1`.
    fn is_found_once(&self, left: Id, variable: Id) -> bool {
        let kids = |id| self.get(self.bare(id)).kids.iter().map(|kid| self.bare(*kid));
        let is_simple =
            |id| matches!(self.kind(id), Kind::This | Kind::Closure | Kind::Name(_) | Kind::Int(_) | Kind::Str(_));
        kids(left).zip(kids(variable)).all(|(a, b)| a == b || is_simple(a))
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

    /// The value that a test compares with null, and true if it is not null where the test holds.
    pub fn tested_value(&self, test: Id) -> Option<(Id, bool)> {
        let (kids, is_null) = (&self.get(test).kids, |id: Id| matches!(self.kind(id), Kind::Null));
        match (self.kind(test), &kids[..]) {
            (Kind::Binary(operator @ ("==" | "!=")), [value, null]) if is_null(*null) => {
                Some((self.bare(*value), *operator == "!="))
            }
            (Kind::Is(_, None), [_, value]) => Some((self.bare(*value), true)),
            _ => None,
        }
    }

    /// `a ?? b` and `a?.b`.
    fn null_test(&mut self, test: Id, yes: Id, no: Id) -> Option<Id> {
        let (tested, is_some) = self.tested_value(test)?;
        let (some, none) = if is_some { (yes, no) } else { (no, yes) };
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

fn opposite(operator: &str) -> &'static str {
    let pairs = [("==", "!="), ("!=", "=="), ("<", ">="), (">", "<="), ("<=", ">"), (">=", "<")];
    pairs.iter().find(|pair| pair.0 == operator).map_or("<", |pair| pair.1)
}

/// Returns true for a value that is computed from variables and constants alone: optimised code needs no jump for it.
pub(super) fn is_plain(from: &Nodes, id: Id) -> bool {
    let node = from.get(id);
    matches!(node.kind, Kind::Name(_) | Kind::Int(_) | Kind::Null | Kind::Unary(_) | Kind::Binary(_) | Kind::Implicit)
        && node.kids.iter().all(|kid| is_plain(from, *kid))
}

/// A signed number where an instruction takes it as an unsigned one.
fn unsigned(from: &mut Nodes, value: Id) -> Id {
    let of = match from.class(value) {
        _ if from.number(value).is_some() => return value,
        Class::Int(8, true) => Primitive::U8,
        Class::Int(_, true) => Primitive::U4,
        _ => return value,
    };
    from.node(Kind::Form(CAST, primitive(of)), vec![value], primitive(of))
}
