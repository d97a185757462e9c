//! Expressions: nodes of a tree, compared by identity.

use std::rc::Rc;

use super::evaluate::Evaluator;
use super::library::{FieldMember, Member};
use super::types::{Class, Ty, class};

/// Number of a node of an [`Evaluator`].
pub(super) type Id = u32;

/// A part of an interpolated string.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(Rc<str>),
    /// Value, alignment and format.
    Value(Id, Option<Id>, Option<Id>),
}

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

/// Operation of an expression.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    This,
    /// A local variable, an argument, a captured variable.
    Name(Rc<str>),
    Int(i64),
    /// A literal that reads the same whatever receives it.
    Literal(Rc<str>),
    Str(Rc<str>),
    Null,
    Default(Ty),
    /// An operation with one of the texts above.
    Form(&'static str, Ty),
    /// A field, of the object that is the first child; static without one.
    Field(Rc<FieldMember>),
    /// A property, an indexer with more children, of the object that is the first child unless it is static.
    Property(Rc<Member>),
    Call(Rc<Member>),
    /// A call through a function pointer, the first child.
    Indirect,
    /// A new object, its arguments as children; values of its members follow in `tail`.
    New(Rc<Member>),
    /// `{ … }` of a member inside an initializer.
    Inner,
    /// A new array of a type; its lengths as children.
    NewArray(Ty),
    Element,
    Unary(&'static str),
    Binary(&'static str),
    /// A conversion that C# does without a cast.
    Implicit,
    /// A test of the type, with the variable that gets the value.
    Is(Ty, Option<Rc<str>>),
    /// `=`, or an operator and `=`.
    Assign(&'static str),
    /// `++` or `--`; after the variable if true.
    Step(&'static str, bool),
    /// `?.`: the tested value, and the chain of members that begins with it.
    Chain,
    /// `ref`, `out`, `in` or `&` of a variable.
    Ref(&'static str),
    /// The address of a temporary.
    Temporary(u16),
    Lambda(Rc<Member>),
    /// A method group, of the object that is the first child unless it is static.
    Group(Rc<Member>),
    /// The address of a method: `ldftn`.
    Function(Rc<Member>),
    Interpolated(Vec<Part>),
    With,
    /// Values between an opening and a closing bracket: an anonymous type, a tuple, a collection expression.
    Anonymous,
    Tuple,
    List,
    /// The object of captured variables, or a state machine.
    Closure,
    /// `if (first child)` and the effects that follow.
    If,
    /// Something that C# has no word for.
    Opaque(&'static str),
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub kids: Vec<Id>,
    /// Members set in an initializer: assignments and calls of `Add`.
    pub tail: Vec<Id>,
    pub ty: Ty,
    /// Number of the point that made it.
    pub point: usize,
}

/// Nodes of one method; a hostile method is cut here.
const MAX_NODES: usize = 200_000;

impl Evaluator<'_, '_> {
    pub fn node(&mut self, kind: Kind, kids: Vec<Id>, ty: Ty) -> Id {
        if !self.is_full() {
            self.nodes.push(Node { kind, kids, tail: Vec::new(), ty, point: self.point });
        }
        self.nodes.len().saturating_sub(1) as Id
    }

    pub const fn is_full(&self) -> bool {
        self.nodes.len() >= MAX_NODES
    }

    pub fn get(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn get_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id as usize]
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

    /// The value of an integer constant.
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

    /// The kind of the node without conversions.
    pub fn bare_kind(&self, id: Id) -> &Kind {
        self.kind(self.bare(id))
    }

    /// Returns true for a node of the point that is evaluated.
    pub fn is_own(&self, id: Id) -> bool {
        self.get(id).point == self.point
    }

    /// Returns true for `q.HasValue`.
    pub fn is_has_value(&self, id: Id) -> bool {
        matches!(self.kind(id), Kind::Property(member) if &*member.name == "get_HasValue")
    }

    /// Makes a node another one in place: whoever has it sees the new one, which may have a copy of the old one as a child.
    pub fn replace(&mut self, id: Id, kind: Kind, kids: impl FnOnce(Id) -> Vec<Id>) {
        if self.is_full() {
            return;
        }
        let old = self.get(id).clone();
        let (ty, point) = (old.ty.clone(), self.point);
        self.nodes.push(old);
        let kids = kids((self.nodes.len() as Id).saturating_sub(1));
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
        let deeper = depth.saturating_add(1);
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
}
