//! Expressions: nodes of a tree, compared by identity.

use std::rc::Rc;

use super::library::{FieldMember, Member};
use super::types::Ty;

/// Number of a node of an [`Arena`].
pub(super) type Id = u32;

/// A part of an interpolated string.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(Rc<str>),
    /// Value, alignment and format.
    Value(Id, Option<Id>, Option<Id>),
}

/// Operation of an expression.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    This,
    /// A local variable, an argument, a captured variable.
    Name(Rc<str>),
    /// A local constant or a constant of the method's own type.
    Int(i64),
    Single(f32),
    Double(f64),
    Decimal(Rc<str>),
    Str(Rc<str>),
    /// The UTF-8 text of initial data.
    Utf8(Rc<str>),
    Null,
    Default(Ty),
    /// A field, of the object that is the first child; static without one.
    Field(Rc<FieldMember>),
    /// A property, an indexer with more children, of the object that is the first child unless it is static.
    Property(Rc<Member>),
    Call(Rc<Member>),
    /// A call through a function pointer, the first child.
    Indirect,
    /// A new object, its arguments as children; values of its members follow in `tail`.
    New(Rc<Member>),
    /// `new T()` of a type parameter.
    NewParameter,
    /// `{ … }` of a member inside an initializer.
    Inner,
    /// A new array of a type; its lengths as children.
    NewArray(Ty),
    /// A collection expression.
    List,
    Element,
    Deref,
    Unary(&'static str),
    Binary(&'static str),
    Cast(Ty),
    /// A conversion that C# does without a cast.
    Implicit,
    As(Ty),
    /// A test of the type, with the variable that gets the value.
    Is(Ty, Option<Rc<str>>),
    /// `=`, or an operator and `=`.
    Assign(&'static str),
    /// `++` or `--`; after the variable if true.
    Step(&'static str, bool),
    Conditional,
    Coalesce,
    /// `?.`: the tested value, and the chain of members that begins with it.
    Chain,
    /// `ref`, `out`, `in` or `&` of a variable.
    Ref(&'static str),
    /// The address of a temporary.
    Temporary(u16),
    Throw,
    Await,
    /// `yield return` of the child; `yield break` without one.
    Yield,
    Lambda(Rc<Member>),
    /// A method group, of the object that is the first child unless it is static.
    Group(Rc<Member>),
    /// The address of a method: `ldftn`.
    Function(Rc<Member>),
    Interpolated(Vec<Part>),
    TypeOf(Ty),
    SizeOf(Ty),
    /// A field token: the initial data of an array.
    Data(Rc<FieldMember>),
    StackAlloc(Ty),
    With,
    Anonymous(Rc<Member>),
    Tuple,
    Exception,
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

/// The nodes of a method.
#[derive(Debug, Default)]
pub(super) struct Arena {
    nodes: Vec<Node>,
    /// Point that is evaluated.
    pub point: usize,
}

/// Nodes of one method; a hostile method is cut here.
const MAX_NODES: usize = 200_000;

impl Arena {
    pub fn add(&mut self, kind: Kind, kids: Vec<Id>, ty: Ty) -> Id {
        if self.nodes.len() < MAX_NODES {
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

    pub fn kid(&self, id: Id, number: usize) -> Option<Id> {
        self.get(id).kids.get(number).copied()
    }

    /// The value of an integer constant.
    pub fn int(&self, id: Id) -> Option<i64> {
        match self.kind(id) {
            Kind::Int(number) => Some(*number),
            Kind::Implicit => self.int(self.kid(id, 0)?),
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

    /// Makes a node another one in place: whoever has it sees the new one. Returns a node like the old one.
    pub fn replace(&mut self, id: Id, kind: Kind, kids: impl FnOnce(Id) -> Vec<Id>) {
        if self.is_full() {
            return;
        }
        let old = self.get(id).clone();
        let ty = old.ty.clone();
        let copy = self.add(old.kind, old.kids, old.ty);
        let (tail, point) = (old.tail, old.point);
        let moved = self.get_mut(copy);
        (moved.tail, moved.point) = (tail, point);
        let kids = kids(copy);
        let point = self.point;
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
            | (Kind::Deref, Kind::Deref)
            | (Kind::Ref(_), Kind::Ref(_)) => true,
            (Kind::Int(a), Kind::Int(b)) => a == b,
            (Kind::Str(a), Kind::Str(b)) | (Kind::Name(a), Kind::Name(b)) => a == b,
            (Kind::Field(a), Kind::Field(b)) => a.name == b.name && a.owner == b.owner,
            (Kind::Property(a), Kind::Property(b)) => a.shown == b.shown && a.owner == b.owner,
            (Kind::Binary(a), Kind::Binary(b)) => a == b,
            (Kind::Temporary(a), Kind::Temporary(b)) => a == b,
            _ => false,
        };
        // Deeper trees are compared by identity alone: a value that is used twice doubles with each level.
        let mut kids = a.kids.iter().zip(&b.kids);
        is_same && depth < 10 && a.kids.len() == b.kids.len() && kids.all(|(a, b)| self.same_within(*a, *b, depth + 1))
    }

    /// The objects that a chain of members goes through, outermost first.
    pub fn spine(&self, id: Id) -> Vec<Id> {
        let (mut found, mut id) = (Vec::new(), id);
        while found.len() < 64 {
            let node = self.get(id);
            let next = match &node.kind {
                Kind::Field(_) | Kind::Element | Kind::Implicit => node.kids.first(),
                Kind::Chain => node.kids.get(1),
                Kind::Property(member) | Kind::Call(member) if member.has_this || member.is_extension => {
                    node.kids.first()
                }
                _ => None,
            };
            let Some(next) = next else { break };
            id = *next;
            found.push(id);
        }
        found
    }

    /// The object in a chain that is a tested value, or reads the same variable.
    pub fn tested_in(&self, chain: Id, tested: Id) -> Option<Id> {
        let tested = self.bare(tested);
        let is_it = |id: &Id| *id == tested || matches!(self.kind(*id), Kind::Name(_)) && self.same(*id, tested);
        self.spine(chain).into_iter().find(is_it)
    }
}
