//! Values that both sides compute, the text and the IL: equal ones have the same number.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pdblens_formats::il::{Condition, Operator};
use pdblens_formats::signature::{Primitive, Type};

use super::super::library::{Class, Member, Ty, class, plain};

pub(super) type Id = u32;

/// A place that keeps a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Storage {
    Variable(Rc<str>),
    Temporary(u32),
    Field(Id, Rc<str>),
    Static(Rc<str>),
    Element(Id, Vec<Id>),
    /// The target of a pointer or a reference.
    Target(Id),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Datum {
    This,
    Null,
    /// An object of captured variables, a state machine, or the cache of a delegate.
    Closure,
    Cache,
    /// The result of an await is there.
    Completed,
    Int(i64),
    Real(u64),
    Str(Rc<str>),
    /// A variable as it is after so many events.
    Load(Storage, u32),
    Address(Storage, u32),
    /// The result of an event.
    Result(u32),
    /// Something from before the point, that no text can name.
    Unknown(u32),
    Default(TypeId),
    Token(TypeId),
    TypeOf(TypeId),
    Function(u32),
    Delegate(u32, Id, TypeId),
    Box(Id, TypeId),
    Cast(Id, TypeId),
    IsInstance(Id, TypeId),
    Convert(u8, Id),
    Unary(&'static str, Id),
    /// An operator; true if it is unsigned, or unordered; true if it is checked.
    Binary(&'static str, Id, Id, bool, bool),
    Not(Id),
    Length(Id),
    /// A conversion by an operator: the type that it takes, and the one that it gives.
    Implicit(Id, TypeId, TypeId),
    /// A value that is also null or not.
    Nullable(Id),
    Awaiter(Id),
    EmptyArray(TypeId),
    /// The text of a value.
    Text(Id),
    // Values that only the text has, not the IL.
    /// A call without an object, of a type, of `base`.
    Bare,
    Owner(Rc<str>),
    Base,
    Group(Rc<str>, Id),
    Lambda(usize),
    Untyped,
    /// `out _`
    Discard,
    Parts(Vec<Id>),
    Hole(Id, Option<i64>, Option<Rc<str>>),
}

pub(super) type TypeId = u32;

#[derive(Debug, Default)]
pub(super) struct Values {
    known: HashMap<Datum, Id>,
    values: Vec<Datum>,
    types: Vec<Ty>,
    floats: HashSet<Id>,
    pub methods: Vec<Rc<Member>>,
}

/// The type without modifiers.
pub(super) fn unmodified(ty: &Type) -> &Type {
    match ty {
        Type::Modified { of, .. } => unmodified(of),
        ty => ty,
    }
}

/// Returns true for the same type; whether it is a value is not everywhere known.
pub(super) fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Named { token: a, .. }, Type::Named { token: b, .. }) => a == b,
        (Type::Generic { token, arguments, .. }, Type::Generic { token: b, arguments: others, .. }) => {
            token == b && arguments.len() == others.len() && arguments.iter().zip(others).all(|(a, b)| same_type(a, b))
        }
        (Type::Array(a), Type::Array(b))
        | (Type::Pointer(a), Type::Pointer(b))
        | (Type::Reference(a), Type::Reference(b)) => same_type(a, b),
        (Type::Modified { of, .. } | Type::Pinned(of), _) => same_type(of, b),
        (_, Type::Modified { of, .. } | Type::Pinned(of)) => same_type(a, of),
        _ => a == b,
    }
}

impl Values {
    pub fn add(&mut self, value: Datum) -> Id {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let id = self.values.len() as Id;
        self.values.push(value.clone());
        self.known.insert(value, id);
        id
    }

    pub fn get(&self, id: Id) -> &Datum {
        &self.values[id as usize]
    }

    pub fn note_float(&mut self, id: Id, ty: &Type) {
        if class(ty) == Class::Float {
            self.floats.insert(id);
        }
    }

    pub fn is_float(&self, id: Id) -> bool {
        self.floats.contains(&id)
    }

    pub fn int(&mut self, number: i64) -> Id {
        self.add(Datum::Int(number))
    }

    pub fn type_id(&mut self, ty: &Type) -> TypeId {
        let found = self.types.iter().position(|known| same_type(known, ty)).unwrap_or_else(|| {
            self.types.push(Rc::new(ty.clone()));
            self.types.len() - 1
        });
        found as TypeId
    }

    pub fn ty(&self, id: TypeId) -> Ty {
        self.types[id as usize].clone()
    }

    pub fn method(&mut self, member: &Rc<Member>) -> u32 {
        self.methods.push(member.clone());
        self.methods.len() as u32 - 1
    }

    /// The conversion of a value by an operator that takes a type, if the IL has it.
    pub fn implicit(&mut self, value: Id, from: &Type, to: &Type) -> Option<Id> {
        let datum = Datum::Implicit(value, self.type_id(from), self.type_id(to));
        self.known.get(&datum).copied()
    }

    /// The opposite of a condition; of a number or object, whether it is zero or null.
    pub fn not(&mut self, value: Id) -> Id {
        match *self.get(value) {
            Datum::Int(number @ (0 | 1)) => self.int(1 - number),
            Datum::Not(inner) if matches!(self.get(inner), Datum::Not(_)) || self.is_truth(inner) => inner,
            _ => self.add(Datum::Not(value)),
        }
    }

    /// Returns true for a value that is 0 or 1 by itself.
    fn is_truth(&self, value: Id) -> bool {
        matches!(self.get(value), Datum::Binary("==" | "<" | ">", ..))
    }

    /// The value that a condition tests, and true if the condition holds where it is zero, null or false.
    pub fn tested(&self, mut value: Id) -> (Id, bool) {
        let mut is_opposite = false;
        while let Datum::Not(inner) = self.get(value) {
            (value, is_opposite) = (*inner, !is_opposite);
        }
        (value, is_opposite)
    }

    pub fn compare(&mut self, condition: Condition, left: Id, right: Id, (is_unsigned, is_float): (bool, bool)) -> Id {
        let (operator, is_opposite) = match condition {
            Condition::Equal => ("==", false),
            Condition::NotEqual => ("==", true),
            Condition::Less => ("<", false),
            Condition::GreaterOrEqual => ("<", true),
            Condition::Greater => (">", false),
            Condition::LessOrEqual => (">", true),
        };
        let is_zero = |this: &Self, id: Id| matches!(this.get(id), Datum::Int(0) | Datum::Null);
        let found = if operator == "==" && is_zero(self, right) {
            self.not(left)
        } else if operator == "==" && is_zero(self, left) {
            self.not(right)
        } else if operator == ">" && is_unsigned && is_zero(self, right) && !is_float {
            let not = self.not(left);
            self.not(not)
        } else {
            // A relation of numbers that may be NaN is the opposite of the one that also holds for them.
            let is_unsigned = operator != "==" && is_unsigned != (is_opposite && is_float);
            self.add(Datum::Binary(operator, left, right, is_unsigned, false))
        };
        if is_opposite { self.not(found) } else { found }
    }

    pub fn arithmetic(
        &mut self,
        operator: &'static str,
        left: Id,
        right: Id,
        is_unsigned: bool,
        is_checked: bool,
    ) -> Id {
        self.add(Datum::Binary(operator, left, right, is_unsigned, is_checked))
    }

    /// A value after a conversion of IL: constants are folded, and numbers that stay as they are.
    pub fn convert(&mut self, to: Primitive, is_unsigned: bool, value: Id) -> Id {
        match (self.get(value), to) {
            (Datum::Int(number), Primitive::I8) => self.int(*number),
            (Datum::Int(number), Primitive::U8) => {
                let number = if i32::try_from(*number).is_ok() { i64::from(*number as u32) } else { *number };
                self.int(number)
            }
            (Datum::Int(number), Primitive::R4 | Primitive::R8) if !is_unsigned => {
                let bits = (*number as f64).to_bits();
                self.add(Datum::Real(bits))
            }
            (Datum::Length(_), Primitive::I4) => value,
            (Datum::Int(_), Primitive::I | Primitive::U) => value,
            (Datum::Convert(known, _), _) if *known == code(to) => value,
            _ => self.add(Datum::Convert(code(to), value)),
        }
    }
}

fn code(of: Primitive) -> u8 {
    of as u8
}

pub(super) const fn operator_name(operator: Operator) -> &'static str {
    super::super::operators::operator_text(operator)
}

/// Bytes of an integer, and true if it is signed; a character is one, too.
pub(super) fn integer(ty: &Type) -> Option<(u8, bool)> {
    match class(plain(ty)) {
        Class::Int(size, is_signed) => Some((size, is_signed)),
        Class::Char => Some((2, false)),
        _ => None,
    }
}

/// The conversion that IL makes between two primitive types; none where the value stays as it is.
pub(super) fn conversion(from: &Type, to: &Type) -> Option<Primitive> {
    let Type::Primitive(wanted) = plain(to) else { return None };
    if matches!(wanted, Primitive::R4 | Primitive::R8) {
        return (plain(from) != plain(to)).then_some(*wanted);
    }
    let (size, is_signed) = integer(to)?;
    let Some((from_size, from_signed)) = integer(from) else { return Some(*wanted) };
    let is_kept = match size {
        8 => from_size == 8,
        4 => from_size <= 4,
        _ => from_size < size && (!from_signed || is_signed) || from_size == size && from_signed == is_signed,
    };
    match (is_kept, size) {
        (true, _) => None,
        (_, 8) => Some(if from_signed { Primitive::I8 } else { Primitive::U8 }),
        (_, 2) if !is_signed => Some(Primitive::U2),
        _ => Some(*wanted),
    }
}

/// Returns true if C# converts a number without a cast.
pub(super) fn is_wider(from: &Type, to: &Type) -> bool {
    let (Type::Primitive(a), Type::Primitive(b)) = (plain(from), plain(to)) else { return false };
    match (integer(from), integer(to)) {
        _ if a == b => true,
        _ if matches!(b, Primitive::Char | Primitive::Boolean) || matches!(a, Primitive::Boolean) => false,
        (Some((from, true)), Some((to, true))) | (Some((from, false)), Some((to, false))) => from <= to,
        (Some((from, false)), Some((to, true))) => from < to,
        (Some(_), None) => matches!(b, Primitive::R4 | Primitive::R8),
        (None, None) => matches!((a, b), (Primitive::R4, Primitive::R8)),
        _ => false,
    }
}
