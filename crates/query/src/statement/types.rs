//! Types as C# writes them inside a method, and what their values are.

use std::rc::Rc;

use pdblens_formats::metadata::Token;
use pdblens_formats::signature::{Primitive, Type};

/// A type, shared by the values that have it; `void` if it is unknown.
pub(super) type Ty = Rc<Type>;

/// The shared form of a primitive type.
pub(super) fn primitive(of: Primitive) -> Ty {
    Rc::new(Type::Primitive(of))
}

/// The type of values of which nothing is known.
pub(super) fn unknown() -> Ty {
    primitive(Primitive::Void)
}

/// The type of conditions.
pub(super) fn boolean() -> Ty {
    primitive(Primitive::Boolean)
}

/// The type of a reference to a variable.
pub(super) fn by_ref(of: &Type) -> Ty {
    Rc::new(Type::Reference(Box::new(of.clone())))
}

/// Kinds of values that conditions and constants are written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Bool,
    Char,
    /// Integer of so many bytes; native integers count as 8.
    Int(u8, bool),
    Float,
    Reference,
    /// A struct or an enum, which signatures do not tell apart.
    Value,
    Pointer,
    Unknown,
}

/// Primitive types: names in namespace System, suffixes of instructions, kinds of their values.
const PRIMITIVES: [(&str, &str, Primitive, Class); 16] = [
    ("Boolean", "", Primitive::Boolean, Class::Bool),
    ("Char", "", Primitive::Char, Class::Char),
    ("SByte", "i1", Primitive::I1, Class::Int(1, true)),
    ("Byte", "u1", Primitive::U1, Class::Int(1, false)),
    ("Int16", "i2", Primitive::I2, Class::Int(2, true)),
    ("UInt16", "u2", Primitive::U2, Class::Int(2, false)),
    ("Int32", "i4", Primitive::I4, Class::Int(4, true)),
    ("UInt32", "u4", Primitive::U4, Class::Int(4, false)),
    ("Int64", "i8", Primitive::I8, Class::Int(8, true)),
    ("UInt64", "u8", Primitive::U8, Class::Int(8, false)),
    ("", "i", Primitive::I, Class::Int(8, true)),
    ("", "u", Primitive::U, Class::Int(8, false)),
    ("Single", "r4", Primitive::R4, Class::Float),
    ("Double", "r8", Primitive::R8, Class::Float),
    ("String", "", Primitive::String, Class::Reference),
    ("Object", "ref", Primitive::Object, Class::Reference),
];

/// The primitive type that a type of namespace System is.
pub(super) fn of_system(name: &str) -> Option<Ty> {
    PRIMITIVES.iter().find(|row| row.0 == name).map(|row| primitive(row.2))
}

/// Type of the values of an instruction such as `ldelem.u1` or `conv.ovf.i4.un`.
pub(super) fn suffix(opcode: &str) -> Option<Ty> {
    let name = if opcode == "conv.r.un" { "conv.r8" } else { opcode.trim_end_matches(".un") };
    let last = name.rsplit('.').next().filter(|last| !last.is_empty())?;
    PRIMITIVES.iter().find(|row| row.1 == last).map(|row| primitive(row.2))
}

/// The type without modifiers, `pinned` and `ref`.
pub(super) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Modified { of, .. } | Type::Pinned(of) | Type::Reference(of) => plain(of),
        _ => ty,
    }
}

/// The kind of the values of a type.
pub(super) fn class(ty: &Type) -> Class {
    match plain(ty) {
        Type::Primitive(of) => PRIMITIVES.iter().find(|row| row.2 == *of).map_or(Class::Unknown, |row| row.3),
        Type::Named { is_value: true, .. } | Type::Generic { is_value: true, .. } => Class::Value,
        Type::Named { .. } | Type::Generic { .. } | Type::Array(_) | Type::ShapedArray(..) => Class::Reference,
        Type::Pointer(_) | Type::Function(_) => Class::Pointer,
        _ => Class::Unknown,
    }
}

/// Token of a named type or of the generic type that an instance is of.
pub(super) fn token(ty: &Type) -> Option<Token> {
    match plain(ty) {
        Type::Named { token, .. } | Type::Generic { token, .. } => Some(*token),
        _ => None,
    }
}

/// Type arguments of an instance.
pub(super) fn arguments(ty: &Type) -> &[Type] {
    match plain(ty) {
        Type::Generic { arguments, .. } => arguments,
        _ => &[],
    }
}

/// Type of the elements of an array, or of what a reference or pointer leads to.
pub(super) fn element(ty: &Type) -> Ty {
    match ty {
        Type::Array(of) | Type::ShapedArray(of, _) | Type::Pointer(of) | Type::Reference(of) => Rc::new(*of.clone()),
        Type::Modified { of, .. } | Type::Pinned(of) => element(of),
        _ => unknown(),
    }
}

/// The type with the type parameters of a type and of a method replaced.
pub(super) fn instantiate(ty: &Type, of_type: &[Type], of_method: &[Type]) -> Type {
    let inner = |of: &Type| Box::new(instantiate(of, of_type, of_method));
    match ty {
        Type::TypeParameter(number) => of_type.get(*number as usize).unwrap_or(ty).clone(),
        Type::MethodParameter(number) => of_method.get(*number as usize).unwrap_or(ty).clone(),
        Type::Array(of) => Type::Array(inner(of)),
        Type::ShapedArray(of, shape) => Type::ShapedArray(inner(of), shape.clone()),
        Type::Pointer(of) => Type::Pointer(inner(of)),
        Type::Reference(of) => Type::Reference(inner(of)),
        Type::Pinned(of) => Type::Pinned(inner(of)),
        Type::Modified { required, modifier, of } => {
            Type::Modified { required: *required, modifier: *modifier, of: inner(of) }
        }
        Type::Generic { token, is_value, arguments } => {
            let arguments = arguments.iter().map(|of| *inner(of)).collect();
            Type::Generic { token: *token, is_value: *is_value, arguments }
        }
        _ => ty.clone(),
    }
}

/// Returns true if a type parameter of a method occurs in the type.
pub(super) fn mentions(ty: &Type, number: u32) -> bool {
    let other: Vec<Type> = (0..number).map(Type::MethodParameter).chain([Type::Canonical]).collect();
    instantiate(ty, &[], &other) != *ty
}
