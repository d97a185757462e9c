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
        Type::Primitive(primitive) => match primitive {
            Primitive::Boolean => Class::Bool,
            Primitive::Char => Class::Char,
            Primitive::I1 => Class::Int(1, true),
            Primitive::U1 => Class::Int(1, false),
            Primitive::I2 => Class::Int(2, true),
            Primitive::U2 => Class::Int(2, false),
            Primitive::I4 => Class::Int(4, true),
            Primitive::U4 => Class::Int(4, false),
            Primitive::I8 | Primitive::I => Class::Int(8, true),
            Primitive::U8 | Primitive::U => Class::Int(8, false),
            Primitive::R4 | Primitive::R8 => Class::Float,
            Primitive::String | Primitive::Object => Class::Reference,
            Primitive::Void | Primitive::TypedByRef => Class::Unknown,
        },
        Type::Named { is_value, .. } | Type::Generic { is_value, .. } => {
            if *is_value {
                Class::Value
            } else {
                Class::Reference
            }
        }
        Type::Array(_) | Type::ShapedArray(..) => Class::Reference,
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
        Type::Array(of) | Type::ShapedArray(of, _) | Type::Pointer(of) | Type::Reference(of) => {
            Rc::new(of.as_ref().clone())
        }
        Type::Modified { of, .. } | Type::Pinned(of) => element(of),
        _ => unknown(),
    }
}

/// The type with the type parameters of a type and of a method replaced.
pub(super) fn instantiate(ty: &Type, of_type: &[Type], of_method: &[Type]) -> Type {
    if of_type.is_empty() && of_method.is_empty() {
        return ty.clone();
    }
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
        Type::Generic { token, is_value, arguments } => Type::Generic {
            token: *token,
            is_value: *is_value,
            arguments: arguments.iter().map(|of| instantiate(of, of_type, of_method)).collect(),
        },
        _ => ty.clone(),
    }
}

/// Returns true if a type parameter of a method occurs in the type.
pub(super) fn mentions(ty: &Type, number: u32) -> bool {
    match ty {
        Type::MethodParameter(found) => *found == number,
        Type::Array(of) | Type::ShapedArray(of, _) | Type::Pointer(of) | Type::Reference(of) | Type::Pinned(of) => {
            mentions(of, number)
        }
        Type::Modified { of, .. } => mentions(of, number),
        Type::Generic { arguments, .. } => arguments.iter().any(|of| mentions(of, number)),
        _ => false,
    }
}

/// The primitive type that a type of namespace System is.
pub(super) fn of_system(name: &str) -> Option<Primitive> {
    Some(match name {
        "Boolean" => Primitive::Boolean,
        "Char" => Primitive::Char,
        "SByte" => Primitive::I1,
        "Byte" => Primitive::U1,
        "Int16" => Primitive::I2,
        "UInt16" => Primitive::U2,
        "Int32" => Primitive::I4,
        "UInt32" => Primitive::U4,
        "Int64" => Primitive::I8,
        "UInt64" => Primitive::U8,
        "Single" => Primitive::R4,
        "Double" => Primitive::R8,
        "String" => Primitive::String,
        "Object" => Primitive::Object,
        _ => return None,
    })
}
