//! A parsed statement as operations on a stack, in the order in which Roslyn evaluates it.

use std::rc::Rc;

use pdblens_formats::il::Operation;
use pdblens_formats::signature::{Primitive, Type};

use super::super::library::{Member, Ty, primitive, unknown};
use super::machine::Machine;
use super::parse::{Expr, Fragment, Initial};
use super::proof::{Proven, Stop, undecided};
use super::type_names::TypeName;
use super::values::Datum;

pub(super) type Label = usize;

/// An operation of a text on its stack of values.
#[derive(Debug)]
pub(super) enum Op<'t> {
    Push(Datum, Ty, bool),
    Default(Option<&'t TypeName>),
    TypeOf(&'t TypeName),
    Lambda(&'t Expr),
    /// A variable or a member by its name alone.
    Name(&'t Rc<str>),
    Member(&'t Rc<str>),
    /// A static member's type, or what is before it.
    Owner(&'t str),
    Call(&'t str, &'t [TypeName], usize),
    /// Calls another constructor: of the own type if true, else of the base.
    Construct(usize, bool),
    New(Option<&'t TypeName>, usize),
    NewArray(Option<&'t TypeName>),
    /// Begins the array of a `params` parameter, of a type and a length.
    Params(Ty, usize),
    EndParams(usize),
    /// Ends the elements of an array without a type: one of them has its type.
    EndElements,
    /// Stores an element of the array on the stack; of `params` only where one was begun.
    StoreElement(usize, bool),
    StoreItem(&'t Rc<str>),
    AddItem(usize),
    Index(usize),
    /// The reference to an element, where the object gives one.
    IndexAddress(usize),
    StoreName(&'t Rc<str>),
    StoreMember(&'t Rc<str>),
    StoreIndex(usize),
    /// The field or property that a declaration gives its first value.
    StoreField(&'t str),
    Event(&'t Rc<str>, bool),
    Copy(usize),
    Pop,
    /// Takes away so many values below the last one.
    Drop(usize),
    /// Keeps the old value of a variable below its place and new value.
    Keep(usize),
    Unary(&'static str),
    Binary(&'static str),
    /// Adds one, or takes one away.
    Increment(bool),
    /// Lets the result of a compound assignment become the type of its variable.
    Narrow,
    Part,
    Cast(&'t TypeName),
    As(&'t TypeName),
    Is(&'t TypeName),
    /// A test of a type whose variable gets the value, before or after the branch.
    Pattern(&'t TypeName, &'t Rc<str>),
    PatternStore(&'t TypeName, &'t Rc<str>),
    /// The address of a variable; of one that is declared, true if its type is written.
    Ref(Option<bool>),
    Interpolate(&'t [Fragment]),
    Await,
    Branch(Label, Label),
    /// A test of the value on the stack, which stays there.
    Test(Label, Label),
    Jump(Label),
    Leave(Ending),
    Yield,
}

/// The ways out of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    End,
    True,
    False,
    Return(bool),
    Throw(bool),
}

pub(super) struct Lowered<'t, 'm, 's> {
    pub ops: Vec<Op<'t>>,
    pub labels: Vec<usize>,
    pub machine: &'m Machine<'m, 's>,
    /// `&&` and `||` of values without effects as `&` and `|`, as the optimiser writes them.
    pub is_bitwise: bool,
}

impl<'t> Lowered<'t, '_, '_> {
    pub fn label(&mut self) -> Label {
        self.labels.push(usize::MAX);
        self.labels.len() - 1
    }

    pub fn put(&mut self, op: Op<'t>) {
        self.ops.push(op);
    }

    pub fn mark(&mut self, label: Label) {
        self.labels[label] = self.ops.len();
    }

    fn number(&mut self, number: i64, of: Primitive, is_literal: bool) {
        self.put(Op::Push(Datum::Int(number), primitive(of), is_literal));
    }

    pub fn condition(&mut self, of: &'t Expr, yes: Label, no: Label) -> Proven<()> {
        match of {
            Expr::Binary(operator @ ("&&" | "||"), left, right) if !(self.is_bitwise && is_plain(right)) => {
                let next = self.label();
                if *operator == "&&" {
                    self.condition(left, next, no)?;
                } else {
                    self.condition(left, yes, next)?;
                }
                self.mark(next);
                self.condition(right, yes, no)
            }
            Expr::Unary("!", value) => self.condition(value, no, yes),
            Expr::Int(number, Primitive::Boolean) => {
                self.put(Op::Jump(if *number != 0 { yes } else { no }));
                Ok(())
            }
            Expr::Is(value, ty, Some(name)) if &**name != "_" => {
                let (holds, fails) = (self.label(), self.label());
                self.value(value)?;
                self.put(Op::Pattern(ty, name));
                self.put(Op::Branch(holds, fails));
                self.mark(fails);
                self.put(Op::Pop);
                self.put(Op::Jump(no));
                self.mark(holds);
                self.put(Op::PatternStore(ty, name));
                self.put(Op::Jump(yes));
                Ok(())
            }
            _ => {
                self.value(of)?;
                self.put(Op::Branch(yes, no));
                Ok(())
            }
        }
    }

    fn values(&mut self, of: &'t [Expr]) -> Proven<()> {
        of.iter().try_for_each(|of| self.value(of))
    }

    /// Both arms of a condition that is a value: a constant where it is known.
    fn truth(&mut self, of: &'t Expr) -> Proven<()> {
        let (yes, no, end) = (self.label(), self.label(), self.label());
        match of {
            // The last operand is the value itself.
            Expr::Binary(operator @ ("&&" | "||"), left, right) => {
                let is_and = *operator == "&&";
                if is_and {
                    self.condition(left, yes, no)?;
                } else {
                    self.condition(left, no, yes)?;
                }
                self.mark(yes);
                self.value(right)?;
                self.put(Op::Jump(end));
                self.mark(no);
                self.number(i64::from(!is_and), Primitive::Boolean, false);
            }
            _ => {
                self.condition(of, yes, no)?;
                self.mark(yes);
                self.number(1, Primitive::Boolean, false);
                self.put(Op::Jump(end));
                self.mark(no);
                self.number(0, Primitive::Boolean, false);
            }
        }
        self.mark(end);
        Ok(())
    }

    pub fn value(&mut self, of: &'t Expr) -> Proven<()> {
        match of {
            Expr::This => self.put(Op::Push(Datum::This, self.machine.this(), false)),
            Expr::Base => self.put(Op::Push(Datum::Base, unknown(), false)),
            Expr::Null => self.put(Op::Push(Datum::Null, unknown(), true)),
            Expr::Tested => {}
            Expr::Int(number, of) => self.number(*number, *of, matches!(of, Primitive::I4)),
            Expr::Real(number, of) => self.put(Op::Push(Datum::Real(number.to_bits()), primitive(*of), false)),
            Expr::Str(text) => self.put(Op::Push(Datum::Str(text.clone()), primitive(Primitive::String), false)),
            Expr::Default(ty) => self.put(Op::Default(ty.as_ref())),
            Expr::TypeOf(ty) => self.put(Op::TypeOf(ty)),
            Expr::Lambda(..) => self.put(Op::Lambda(of)),
            Expr::Name(name, _) => self.put(Op::Name(name)),
            Expr::Member(object, name, _) => {
                self.object(object)?;
                self.put(Op::Member(name));
            }
            Expr::Call(callee, arguments) => self.call(callee, arguments)?,
            Expr::Index(object, indices) => {
                self.value(object)?;
                self.values(indices)?;
                self.put(Op::Index(indices.len()));
            }
            Expr::New(ty, arguments, items) => {
                let called = self.machine.constructed(ty.as_ref().map(|ty| ty.name.as_str()));
                self.arguments(&called, arguments)?;
                self.put(Op::New(ty.as_ref(), arguments.len()));
                for item in items {
                    match item {
                        Initial::Set(name, value) => {
                            self.value(value)?;
                            self.put(Op::StoreItem(name));
                        }
                        Initial::Add(values) => {
                            self.values(values)?;
                            self.put(Op::AddItem(values.len()));
                        }
                    }
                }
            }
            Expr::NewArray(ty, length, elements) => {
                match length {
                    Some(length) => self.value(length)?,
                    None => self.number(elements.len() as i64, Primitive::I4, true),
                }
                self.put(Op::NewArray(ty.as_ref()));
                for (number, element) in elements.iter().enumerate() {
                    self.value(element)?;
                    self.put(Op::StoreElement(number, false));
                }
                if ty.is_none() {
                    self.put(Op::EndElements);
                }
            }
            Expr::Cast(ty, value) => {
                self.value(value)?;
                self.put(Op::Cast(ty));
            }
            Expr::As(value, ty) => {
                self.value(value)?;
                self.put(Op::As(ty));
            }
            Expr::Is(_, _, Some(_)) => self.truth(of)?,
            Expr::Is(value, ty, None) => {
                self.value(value)?;
                self.put(Op::Is(ty));
            }
            Expr::Unary(operator, value) => {
                self.value(value)?;
                self.put(Op::Unary(operator));
            }
            Expr::Binary("&&" | "||", left, right) if self.is_bitwise && is_plain(right) => {
                self.value(left)?;
                self.value(right)?;
                self.put(Op::Binary(if matches!(of, Expr::Binary("&&", ..)) { "&" } else { "|" }));
            }
            Expr::Binary("&&" | "||", ..) => self.truth(of)?,
            Expr::Binary(operator, left, right) => {
                self.value(left)?;
                let is_sum = *operator == "+";
                if is_sum {
                    self.put(Op::Part);
                }
                self.value(right)?;
                if is_sum {
                    self.put(Op::Part);
                }
                self.put(Op::Binary(operator));
            }
            // It is the default of the other arm's type.
            Expr::Conditional(parts) if parts[1..].iter().any(|arm| matches!(arm, Expr::Default(None))) => {
                return Err(undecided("default without a type in a condition"));
            }
            Expr::Conditional(parts) => {
                let (yes, no, end) = (self.label(), self.label(), self.label());
                self.condition(&parts[0], yes, no)?;
                self.mark(yes);
                self.value(&parts[1])?;
                self.put(Op::Jump(end));
                self.mark(no);
                self.value(&parts[2])?;
                self.mark(end);
            }
            Expr::Coalesce(value, other) => {
                let (other_label, end) = (self.label(), self.label());
                self.value(value)?;
                self.put(Op::Test(end, other_label));
                self.mark(other_label);
                self.put(Op::Pop);
                self.value(other)?;
                self.mark(end);
            }
            Expr::Chain(object, tail) => {
                let (yes, no, end) = (self.label(), self.label(), self.label());
                let ty = if let Expr::Name(name, _) = &**object { self.machine.type_of(name) } else { None };
                if ty.is_some_and(|ty| matches!(&*ty, Type::Reference(_))) && !self.keeps_value() {
                    return Err(Stop::refused("an object that the IL evaluates twice"));
                }
                self.value(object)?;
                self.put(Op::Test(yes, no));
                self.mark(yes);
                self.value(tail)?;
                self.put(Op::Jump(end));
                self.mark(no);
                self.put(Op::Pop);
                self.put(Op::Push(Datum::Null, unknown(), true));
                self.mark(end);
            }
            Expr::Assign(operator, target, value) => {
                let machine = self.machine;
                let is_new =
                    |name: &str| machine.is_variable(name) && machine.body.is_new(name, machine.start, machine.end);
                if matches!(&**target, Expr::Name(name, _) if is_new(name)) {
                    return Err(Stop::refused("a variable that is not declared"));
                }
                self.assign(operator, target, value)?;
            }
            Expr::Step(operator, is_after, target) => self.step(operator, *is_after, target)?,
            Expr::Throw(value) => {
                self.value(value)?;
                self.put(Op::Leave(Ending::Throw(true)));
            }
            Expr::Await(task) => {
                self.value(task)?;
                self.put(Op::Await);
            }
            Expr::Ref(place, _) if matches!(&**place, Expr::Name(name, _) if &**name == "_") => {
                self.put(Op::Push(Datum::Discard, unknown(), true));
            }
            Expr::Ref(place, declared) => match &**place {
                Expr::Name(..) | Expr::Member(..) | Expr::Index(..) => {
                    self.place(place)?;
                    match &**place {
                        Expr::Name(name, _) => self.put(Op::Name(name)),
                        Expr::Member(_, name, _) => self.put(Op::Member(name)),
                        Expr::Index(_, indices) => self.put(Op::Index(indices.len())),
                        _ => {}
                    }
                    self.put(Op::Ref(*declared));
                }
                _ => return Err(undecided("a reference")),
            },
            Expr::Return(_) => return Err(undecided("return")),
            Expr::Interpolated(parts) => {
                for part in parts {
                    if let Fragment::Hole(value, ..) = part {
                        self.value(value)?;
                    }
                }
                self.put(Op::Interpolate(parts));
            }
        }
        Ok(())
    }

    /// The object of a member, or the type of a static one.
    fn object(&mut self, of: &'t Expr) -> Proven<()> {
        match of {
            Expr::Name(name, _) if !self.machine.is_value(name) => {
                self.put(Op::Owner(name));
                Ok(())
            }
            Expr::Member(inner, name, _) if self.is_type(inner) && !self.machine.is_value(name) => {
                self.put(Op::Owner(name));
                Ok(())
            }
            _ => self.value(of),
        }
    }

    fn is_type(&self, of: &Expr) -> bool {
        match of {
            Expr::Name(name, _) => !self.machine.is_value(name),
            Expr::Member(inner, ..) => self.is_type(inner),
            _ => false,
        }
    }

    fn call(&mut self, callee: &'t Expr, arguments: &'t [Expr]) -> Proven<()> {
        match callee {
            Expr::This | Expr::Base => {
                let called = self.machine.constructed(None);
                self.arguments(&called, arguments)?;
                self.put(Op::Construct(arguments.len(), matches!(callee, Expr::This)));
            }
            Expr::Name(name, types) if !self.machine.is_variable(name) && !self.machine.called(name).is_empty() => {
                self.put(Op::Push(Datum::Bare, unknown(), false));
                self.arguments(&self.machine.called(name), arguments)?;
                self.put(Op::Call(name, types, arguments.len()));
            }
            Expr::Member(object, name, types) if !self.machine.called(name).is_empty() => {
                self.object(object)?;
                self.arguments(&self.machine.called(name), arguments)?;
                self.put(Op::Call(name, types, arguments.len()));
            }
            _ => {
                self.value(callee)?;
                self.values(arguments)?;
                self.put(Op::Call("Invoke", &[], arguments.len()));
            }
        }
        Ok(())
    }

    /// The arguments of a call: the last ones as an array, if the method that is called has `params`.
    fn arguments(&mut self, called: &[Rc<Member>], arguments: &'t [Expr]) -> Proven<()> {
        let of =
            called.first().filter(|first| called.iter().all(|other| other.parameters.len() == first.parameters.len()));
        let array = of.and_then(|member| match member.parameters.last().map(|ty| &**ty) {
            Some(Type::Array(of)) => Some((Rc::new(Type::clone(of)), member)),
            _ => None,
        });
        let Some((of, member)) = array else { return self.values(arguments) };
        let shift = usize::from(member.is_extension);
        let fixed = (member.parameters.len() - 1).saturating_sub(shift);
        let is_array = matches!(arguments.last(), Some(Expr::NewArray(..)));
        if arguments.len() <= fixed || is_array && arguments.len() == fixed + 1 {
            return self.values(arguments);
        }
        self.values(&arguments[..fixed])?;
        self.put(Op::Params(of, arguments.len() - fixed));
        for (number, argument) in arguments[fixed..].iter().enumerate() {
            self.value(argument)?;
            self.put(Op::StoreElement(number, true));
        }
        self.put(Op::EndParams(arguments.len() - fixed));
        Ok(())
    }

    /// Lowers the place of an assignment, which is evaluated before the value: nothing for a variable.
    fn place(&mut self, target: &'t Expr) -> Proven<usize> {
        match target {
            Expr::Name(..) => Ok(0),
            Expr::Member(object, ..) => {
                self.object(object)?;
                Ok(1)
            }
            Expr::Index(object, indices) => {
                self.value(object)?;
                self.values(indices)?;
                self.put(Op::IndexAddress(indices.len()));
                Ok(1 + indices.len())
            }
            _ => Err(undecided("a target that is not read")),
        }
    }

    fn load(&mut self, target: &'t Expr) {
        match target {
            Expr::Member(_, name, _) => self.put(Op::Member(name)),
            Expr::Index(_, indices) => self.put(Op::Index(indices.len())),
            Expr::Name(name, _) => self.put(Op::Name(name)),
            _ => {}
        }
    }

    fn store(&mut self, target: &'t Expr) {
        match target {
            Expr::Member(_, name, _) => self.put(Op::StoreMember(name)),
            Expr::Index(_, indices) => self.put(Op::StoreIndex(indices.len())),
            Expr::Name(name, _) => self.put(Op::StoreName(name)),
            _ => {}
        }
    }

    pub fn assign(&mut self, operator: &'static str, target: &'t Expr, value: &'t Expr) -> Proven<()> {
        if let (Expr::Name(name, _) | Expr::Member(_, name, _), "+=" | "-=") = (target, operator)
            && self.machine.is_event(name)
        {
            if let Expr::Member(object, ..) = target {
                self.object(object)?;
            } else {
                self.put(Op::Push(Datum::Bare, unknown(), false));
            }
            self.value(value)?;
            self.put(Op::Event(name, operator == "+="));
            return Ok(());
        }
        let count = self.place(target)?;
        if operator == "??=" {
            let (yes, no, end) = (self.label(), self.label(), self.label());
            self.put(Op::Copy(count));
            self.load(target);
            self.put(Op::Test(yes, no));
            self.mark(no);
            self.put(Op::Pop);
            self.value(value)?;
            self.store(target);
            self.put(Op::Jump(end));
            self.mark(yes);
            self.put(Op::Drop(count));
            self.mark(end);
            return Ok(());
        }
        if operator == "=" {
            self.value(value)?;
        } else {
            self.check_in_place(target)?;
            self.put(Op::Copy(count));
            self.load(target);
            self.put(Op::Part);
            self.value(value)?;
            self.put(Op::Part);
            self.put(Op::Binary(plain_operator(operator)));
            self.put(Op::Narrow);
        }
        self.store(target);
        Ok(())
    }

    /// `i++` as a statement: nothing uses its old value.
    pub fn step_alone(&mut self, operator: &'static str, target: &'t Expr) -> Proven<()> {
        self.step(operator, false, target)?;
        self.put(Op::Pop);
        Ok(())
    }

    /// Refuses `a[i] += 1` where the IL loads and stores an element: C# takes its address. Refuses `a[i + 1] += 1` and `this.a[i] += 1`
    /// unless the IL duplicates or stores the array and the index: C# evaluates each once.
    fn check_in_place(&self, target: &Expr) -> Proven<()> {
        let has = |operation| self.machine.instructions().iter().any(|found| found.opcode.operation() == operation);
        let is_stored = has(Operation::StoreElement) && !has(Operation::LoadElementAddress);
        if matches!(target, Expr::Index(..)) && is_stored {
            return Err(Stop::refused("an element that is loaded and stored, not changed in its place"));
        }
        let is_computed = |part: &Expr| match part {
            Expr::Binary(..) | Expr::Call(..) | Expr::Index(..) => true,
            Expr::Name(name, _) | Expr::Member(_, name, _) => {
                !self.machine.is_variable(name) && self.machine.is_value(name)
            }
            _ => false,
        };
        if let Expr::Index(object, arguments) = target
            && (arguments.iter().any(is_computed) || is_computed(object))
            && !self.keeps_value()
            && !has(Operation::LoadElementAddress)
        {
            return Err(Stop::refused("an array or an index that the IL evaluates twice"));
        }
        Ok(())
    }

    /// Returns true for code that duplicates or stores a value, and may use it again.
    fn keeps_value(&self) -> bool {
        let mut operations = self.machine.instructions().iter().map(|found| found.opcode.operation());
        operations.any(|operation| matches!(operation, Operation::Duplicate | Operation::StoreVariable))
    }

    fn step(&mut self, operator: &'static str, is_after: bool, target: &'t Expr) -> Proven<()> {
        self.check_in_place(target)?;
        let count = self.place(target)?;
        self.put(Op::Copy(count));
        self.load(target);
        if is_after {
            self.put(Op::Keep(count));
        }
        self.put(Op::Increment(operator == "++"));
        self.put(Op::Narrow);
        self.store(target);
        if is_after {
            // The old value is below the new one.
            self.put(Op::Pop);
        }
        Ok(())
    }
}

fn plain_operator(operator: &'static str) -> &'static str {
    let found = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
    found.into_iter().find(|plain| operator.strip_suffix('=') == Some(plain)).unwrap_or("")
}

/// Returns true for what the optimiser evaluates without a jump: variables, constants, and what is computed from them.
fn is_plain(of: &Expr) -> bool {
    matches!(of, Expr::Name(..))
}
