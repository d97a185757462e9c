//! Runs a text and the IL of its point beside each other.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use pdblens_formats::il::{ExceptionRegion, Operation, RegionKind};
use pdblens_formats::signature::{Primitive, Type};

use super::super::body::Body;
use super::super::evaluate::operand_token;
use super::super::library::{self, Class, Library, Ty, boolean, class, element, unknown};
use super::lower::{Ending, Lowered, Op};
use super::machine::{Effect, Exit, Machine, Track};
use super::parse::Expr;
use super::proof::{Proven, Stop, undecided};
use super::sense;
use super::text::{Head, Phrase};
use super::types::Types;
use super::values::{Datum, Id, Storage, Values, unmodified};

/// A value of the text, with its type in C#.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub value: Id,
    pub ty: Ty,
    /// A constant that becomes what it is used as: an `int`, `null`, `default`.
    pub is_literal: bool,
}

/// Both sides on one path.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub at: usize,
    pub terms: Vec<Term>,
    pub code: Track,
    /// Arrays of `params` that were begun, or not; the number of elements of the one that ends.
    pub params: Vec<bool>,
    pub collapsed: Option<usize>,
    /// The value that the statement leaves was taken: by an enumerator, a lock.
    pub is_taken: bool,
}

impl Path {
    pub fn pop(&mut self) -> Proven<Term> {
        self.terms.pop().ok_or_else(|| undecided("a value of the text"))
    }

    pub fn pop_many(&mut self, count: usize) -> Proven<Vec<Term>> {
        let at = self.terms.len().checked_sub(count).ok_or_else(|| undecided("a value of the text"))?;
        Ok(self.terms.split_off(at))
    }
}

pub(super) struct Readback<'w, 's> {
    pub library: &'w Library<'s>,
    pub body: &'w Body<'s>,
    pub machine: &'w Machine<'w, 's>,
    pub types: Types<'w, 's>,
    pub values: Values,
    pub head: Head,
    pub yes: Vec<Exit>,
    pub no: Vec<Exit>,
    pub ends: Vec<Exit>,
    steps: usize,
    pub lambdas: Vec<&'w Expr>,
    /// Lambdas whose bodies have the very type that is returned.
    pub exact: HashSet<usize>,
    /// True if a lambda's value has the type that it returns.
    pub is_exact: bool,
    /// True for a body of several statements: a value without `return` is none.
    pub is_block: bool,
    pub is_var: bool,
}

/// Ways to lower a text: `&&` of plain values as `&`, and a value as the condition of a loop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mode {
    pub is_bitwise: bool,
    pub is_condition: bool,
}

pub(super) enum Done {
    /// The operation has no event.
    Pure,
    /// The operation was the event.
    Consumed,
    /// The path ends.
    Ended,
}

const MAX_STEPS: usize = 20_000;

impl<'w, 's> Readback<'w, 's> {
    pub fn new(machine: &'w Machine<'w, 's>, head: Head) -> Self {
        let (library, body) = (machine.library, machine.body);
        Self {
            library,
            body,
            machine,
            types: Types { library, body, range: (machine.start, machine.end) },
            values: Values::default(),
            head,
            yes: Vec::new(),
            no: Vec::new(),
            ends: Vec::new(),
            steps: 0,
            lambdas: Vec::new(),
            exact: HashSet::new(),
            is_exact: true,
            is_block: body.view.points.iter().filter(|point| !point.is_hidden()).count() > 1,
            is_var: false,
        }
    }

    pub fn judge(machine: &'w Machine<'w, 's>, point: usize, text: &'w Phrase, mode: Mode) -> Proven<()> {
        let (library, body) = (machine.library, machine.body);
        let range = body.ranges[point];
        let mut walk = Self::new(machine, text.head);
        match (text.head, &text.value) {
            (
                Head::Brace(_) | Head::Keyword | Head::Jump | Head::Accessor(_) | Head::Variable | Head::Constructor,
                _,
            ) => walk.word(point, text),
            (_, None) => walk.run(None, text, mode),
            (_, Some(value)) => walk.run(Some(value), text, mode),
        }?;
        let mut exits = std::mem::take(&mut walk.ends);
        exits.sort_unstable();
        exits.dedup();
        if exits.len() > 1 && !exits.iter().all(|exit| matches!(exit, Exit::Return(_))) {
            return Err(Stop::refused("control leaves in several ways"));
        }
        // A variable that a `finally` behind the point disposes of is one of `using`.
        let disposes = |region: &ExceptionRegion| {
            let handler = u64::from(region.handler.start)..region.handler.end();
            let code = body.code.iter().filter(|found| handler.contains(&u64::from(found.offset)));
            let mut calls = code.filter(|found| found.opcode.operation() == Operation::Call);
            region.kind == RegionKind::Finally
                && (range.1..=range.1 + 1).contains(&region.tried.start)
                && calls.any(|call| {
                    library.method(operand_token(call)).is_some_and(|member| member.name.starts_with("Dispose"))
                })
        };
        let is_using = text.word.contains("using ");
        if text.declared.is_some() && (body.regions.iter().any(disposes) || machine.begins_try()) != is_using {
            return Err(undecided("using"));
        }
        let is_filter = |region: &ExceptionRegion| match region.kind {
            RegionKind::Filter { filter } => (filter..region.handler.start).contains(&range.0),
            _ => false,
        };
        if text.head == Head::When && !body.regions.iter().any(is_filter) {
            return Err(undecided("when"));
        }
        sense::check((library, body), point, text.head, &walk.yes, &walk.no)
    }

    pub fn code(&mut self) -> Track {
        let start = self.machine.start;
        // A handler begins with the exception on the stack.
        let is_handler = self.body.handler(start).is_some();
        let exception = is_handler.then(|| self.values.add(Datum::Unknown(u32::MAX)));
        Track {
            at: start,
            stack: exception.into_iter().collect(),
            temporaries: BTreeMap::new(),
            stored: Vec::new(),
            events: 0,
            constrained: None,
            pending: None,
        }
    }

    pub fn run(&mut self, value: Option<&'w Expr>, text: &'w Phrase, mode: Mode) -> Proven<()> {
        let machine = self.machine;
        if machine.is_ambiguous {
            return Err(undecided("two variables of one name"));
        }
        if !machine.backing.is_empty() {
            property(machine, value, text)?;
        }
        let mut lowered = Lowered { ops: Vec::new(), labels: Vec::new(), machine, is_bitwise: mode.is_bitwise };
        let (yes, no) = (lowered.label(), lowered.label());
        match (text.head, value) {
            (Head::If | Head::While | Head::When | Head::Value, Some(value))
                if text.head != Head::Value || mode.is_condition && text.declared.is_none() =>
            {
                lowered.condition(value, yes, no)?;
                lowered.mark(yes);
                lowered.put(Op::Leave(Ending::True));
                lowered.mark(no);
                lowered.put(Op::Leave(Ending::False));
            }
            (Head::Return, value) => {
                if let Some(value) = value {
                    lowered.value(value)?;
                }
                lowered.put(Op::Leave(Ending::Return(value.is_some())));
            }
            (Head::Throw, value) => {
                if let Some(value) = value {
                    lowered.value(value)?;
                }
                lowered.put(Op::Leave(Ending::Throw(value.is_some())));
            }
            (Head::Yield, Some(value)) => {
                lowered.value(value)?;
                lowered.put(Op::Yield);
                lowered.put(Op::Leave(Ending::End));
            }
            (_, Some(value)) => {
                match (&text.declared, value) {
                    (Some((_, name)), _) => {
                        lowered.value(value)?;
                        if machine.is_variable(name) {
                            lowered.put(Op::StoreName(name));
                        } else {
                            lowered.put(Op::StoreField(name));
                        }
                        lowered.put(Op::Pop);
                    }
                    // The old value of `i++` is not used.
                    (None, Expr::Step(operator, true, target)) => lowered.step_alone(operator, target)?,
                    (None, Expr::Assign(..) | Expr::Step(..)) => {
                        match value {
                            Expr::Assign(operator, target, value) => lowered.assign(operator, target, value)?,
                            _ => lowered.value(value)?,
                        }
                        if !matches!(value, Expr::Assign("+=" | "-=", target, _) if matches!(&**target, Expr::Name(name, _) | Expr::Member(_, name, _) if machine.is_event(name)))
                        {
                            lowered.put(Op::Pop);
                        }
                    }
                    _ => lowered.value(value)?,
                }
                lowered.put(Op::Leave(Ending::End));
            }
            _ => return Err(undecided("a statement that is not read")),
        }
        let (ops, labels) = (lowered.ops, lowered.labels);
        if let Some((Some(ty), name)) = &text.declared
            && let Some(of) = machine.type_of(name)
            && !self.types.is_named(ty, &of)
        {
            return Err(Stop::refused("a variable of another type"));
        }
        let is_choice = matches!(value, Some(Expr::Conditional(_) | Expr::Coalesce(..) | Expr::Chain(..)));
        self.is_var = matches!(text.declared, Some((None, _))) && !is_choice;
        let path =
            Path { at: 0, terms: Vec::new(), code: self.code(), params: Vec::new(), collapsed: None, is_taken: false };
        self.walk(path, &ops, &labels)
    }

    pub fn walk(&mut self, mut path: Path, ops: &[Op<'w>], labels: &[usize]) -> Proven<()> {
        loop {
            let event = self.machine.next(&mut path.code, &mut self.values)?;
            loop {
                self.steps += 1;
                if self.steps > MAX_STEPS {
                    return Err(undecided("a statement of too many paths"));
                }
                let op = ops.get(path.at).ok_or_else(|| undecided("the end of the text"))?;
                if let Op::Branch(yes, no) | Op::Test(yes, no) = op {
                    return self.branch(path, op, (labels[*yes], labels[*no]), &event, ops, labels);
                }
                if let Op::Jump(label) = op {
                    path.at = labels[*label];
                    continue;
                }
                if let Op::Part = op
                    && self.part(&mut path, &event)?
                {
                    path.at += 1;
                    break;
                }
                path.at += 1;
                match self.step(op, &mut path, &event)? {
                    Done::Pure => {}
                    Done::Consumed => break,
                    Done::Ended => return Ok(()),
                }
            }
        }
    }

    pub fn branch(
        &mut self,
        mut path: Path,
        op: &Op<'w>,
        (yes, no): (usize, usize),
        event: &Effect,
        ops: &[Op<'w>],
        labels: &[usize],
    ) -> Proven<()> {
        let term = path.terms.last().cloned().ok_or_else(|| undecided("a condition"))?;
        if let Op::Branch(..) = op {
            path.terms.pop();
            let is_truth = matches!(&*term.ty, Type::Primitive(Primitive::Boolean | Primitive::Void));
            if !is_truth {
                return Err(Stop::refused("a condition that is not bool"));
            }
        }
        if let Op::Test(..) = op
            && self.library.is_named(&term.ty, "Nullable`1")
        {
            return self.nullable(path, &term, (yes, no), event, ops, labels);
        }
        // The result of `?.` that is a value: where it is one, it is not null.
        let is_value =
            matches!(class(&term.ty), Class::Int(..) | Class::Bool | Class::Char | Class::Float | Class::Value);
        if let Op::Test(..) = op
            && is_value
        {
            path.at = yes;
            return self.resume(path, event.clone(), ops, labels);
        }
        let (tested, is_opposite) = self.values.tested(term.value);
        // A constant is no test.
        let constant = match self.values.get(tested) {
            Datum::Int(number) => Some((*number != 0) != is_opposite),
            Datum::Null => Some(is_opposite),
            _ => None,
        };
        if let Some(holds) = constant {
            path.at = if holds { yes } else { no };
            return self.resume(path, event.clone(), ops, labels);
        }
        let (found, to, next) = match event {
            Effect::Branch(found, to, next) => (*found, *to, *next),
            Effect::Leave(Exit::Filter(found) | Exit::Return(Some(found))) if matches!(op, Op::Branch(..)) => {
                // The outcome of a filter, or of a method, is the condition itself.
                let leads = |at: usize, outcome| matches!(ops.get(at), Some(Op::Leave(found)) if *found == outcome);
                if leads(yes, Ending::True) && leads(no, Ending::False) && self.is_same(term.value, *found) {
                    return if self.head == Head::When {
                        Ok(())
                    } else {
                        Err(Stop::refused("a condition that is returned"))
                    };
                }
                return Err(Stop::refused("a branch that the IL does not have"));
            }
            _ => return self.more(event),
        };
        let (known, is_turned) = self.values.tested(found);
        if !self.is_same(tested, known) {
            return Err(Stop::refused("a condition on another value"));
        }
        let (holds, fails) = if is_opposite == is_turned { (to, next) } else { (next, to) };
        let mut other = path.clone();
        (path.at, path.code.at) = (yes, holds);
        (other.at, other.code.at) = (no, fails);
        self.walk(path, ops, labels)?;
        self.walk(other, ops, labels)
    }

    /// A test of a nullable value: `HasValue`, and the value where it has one.
    pub fn nullable(
        &mut self,
        mut path: Path,
        term: &Term,
        (yes, no): (usize, usize),
        event: &Effect,
        ops: &[Op<'w>],
        labels: &[usize],
    ) -> Proven<()> {
        let is_it = |event: &Effect, name: &str, value: Id| matches!(event, Effect::Call { member, arguments, .. } if &*member.name == name && arguments[..] == [value]);
        if !is_it(event, "get_HasValue", term.value) {
            return self.more(event);
        }
        self.result(&mut path, &boolean());
        let has = path.terms.pop().map_or(0, |term| term.value);
        let event = self.machine.next(&mut path.code, &mut self.values)?;
        let Effect::Branch(found, to, next) = event else { return self.more(&event) };
        let (known, is_turned) = self.values.tested(found);
        if known != has {
            return self.more(&event);
        }
        let mut other = path.clone();
        (path.code.at, other.code.at) = if is_turned { (next, to) } else { (to, next) };
        (path.at, other.at) = (yes, no);
        let event = self.machine.next(&mut path.code, &mut self.values)?;
        if !is_it(&event, "GetValueOrDefault", term.value) {
            return self.more(&event);
        }
        path.terms.pop();
        let of = library::arguments(&term.ty).first().cloned().map_or_else(unknown, Rc::new);
        self.result(&mut path, &of);
        self.walk(path, ops, labels)?;
        self.walk(other, ops, labels)
    }

    /// Goes on with an event that was already read.
    pub fn resume(&mut self, mut path: Path, event: Effect, ops: &[Op<'w>], labels: &[usize]) -> Proven<()> {
        path.code.pending = Some(event);
        self.walk(path, ops, labels)
    }

    /// Returns true for values that are equal; a conversion by an operator is not written.
    pub fn is_same(&mut self, text: Id, il: Id) -> bool {
        if text == il {
            return true;
        }
        match (self.values.get(text).clone(), self.values.get(il).clone()) {
            (_, Datum::Implicit(of, ..)) => self.is_same(text, of),
            (Datum::Binary(a, x, y, u, c), Datum::Binary(b, z, w, v, d)) => {
                a == b && u == v && c == d && self.is_same(x, z) && self.is_same(y, w)
            }
            (Datum::IsInstance(a, t), Datum::IsInstance(b, u)) => t == u && self.is_boxed_same(a, b),
            (Datum::Cast(a, t), Datum::Cast(b, u)) => t == u && self.is_boxed_same(a, b),
            (Datum::Not(a), Datum::Not(b)) => self.is_same(a, b),
            (Datum::Load(Storage::Field(a, n), e), Datum::Load(Storage::Field(b, m), f)) => {
                n == m && e == f && self.is_same(a, b)
            }
            _ => false,
        }
    }

    pub fn is_boxed_same(&mut self, text: Id, il: Id) -> bool {
        match *self.values.get(il) {
            Datum::Box(inner, _) if text == inner => true,
            _ => self.is_same(text, il),
        }
    }

    /// The event of the IL that the text does not have.
    pub fn more<T>(&self, event: &Effect) -> Proven<T> {
        Err(Stop::refused(event.reason(self.library)))
    }

    pub fn push(&mut self, path: &mut Path, value: Datum, ty: Ty) {
        let value = self.values.add(value);
        path.terms.push(Term { value, ty, is_literal: false });
    }

    /// Counts an event of both sides, and pushes its result on both.
    pub fn result(&mut self, path: &mut Path, ty: &Ty) -> Option<Id> {
        path.code.events += 1;
        if **ty == Type::Primitive(Primitive::Void) {
            return None;
        }
        let value = self.values.add(Datum::Result(path.code.events));
        self.values.note_float(value, ty);
        path.code.stack.push(value);
        let is_reference = matches!(unmodified(ty), Type::Reference(_));
        if is_reference {
            // A result by reference: its value is what the text reads.
            let at = path.code.events;
            path.code.stack.pop();
            let address = self.values.add(Datum::Address(Storage::Target(value), at));
            path.code.stack.push(address);
            self.push(path, Datum::Load(Storage::Target(value), at), element(unmodified(ty)));
        } else {
            path.terms.push(Term { value, ty: ty.clone(), is_literal: false });
        }
        Some(value)
    }
}

/// The field of a property is stored by a constructor: as the value that its declaration has, or as an assignment.
fn property(machine: &Machine<'_, '_>, value: Option<&Expr>, text: &Phrase) -> Proven<()> {
    let is_stored = match (&text.declared, value) {
        (Some((_, name)), _) => machine.backing.contains(name),
        (_, Some(Expr::Assign("=", target, _))) => match &**target {
            Expr::Name(name, _) | Expr::Member(_, name, _) => machine.backing.contains(name),
            _ => false,
        },
        _ => false,
    };
    match machine.body.initializes(machine.library, machine.start) {
        _ if !matches!(&*machine.body.member.name, ".ctor" | ".cctor") => Err(Stop::refused("the field of a property")),
        Some(true) if is_stored => Err(Stop::refused("an assignment for the initial value of a property")),
        None => Err(undecided("the value of a property, or an assignment")),
        _ => Ok(()),
    }
}

impl Effect {
    /// Words for an event of the IL.
    pub fn reason(&self, library: &Library<'_>) -> Cow<'static, str> {
        match self {
            Effect::Call { member, .. } => format!("the IL calls {}", member.name).into(),
            Effect::New(member, ..) => format!("the IL makes a new {}", library.name_of(&member.owner).0).into(),
            Effect::NewArray(..) => "the IL makes a new array".into(),
            Effect::Store(Storage::Variable(name) | Storage::Field(_, name) | Storage::Static(name), _) => {
                format!("the IL stores {name}").into()
            }
            Effect::Store(..) => "the IL stores an element".into(),
            Effect::Yield(_) => "the IL yields a value".into(),
            Effect::Await(_) => "the IL awaits".into(),
            Effect::Branch(..) => "a branch that the text does not have".into(),
            Effect::Switch(_) => "a switch that the text does not have".into(),
            Effect::Leave(_) => "the text does more than the IL".into(),
        }
    }
}
