//! Types as a text names them.

use pdblens_formats::signature::Primitive;

/// A type as it is written: its last name, its arguments, and the `?`, `*` and `[,]` that follow.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeName {
    pub name: String,
    pub arguments: Vec<Self>,
    pub suffixes: Vec<Suffix>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix {
    Nullable,
    Pointer,
    Array(u32),
}

/// The primitive type of a keyword or of its name in System.
pub(super) fn primitive(name: &str) -> Option<Primitive> {
    Some(match name {
        "bool" | "Boolean" => Primitive::Boolean,
        "char" | "Char" => Primitive::Char,
        "sbyte" | "SByte" => Primitive::I1,
        "byte" | "Byte" => Primitive::U1,
        "short" | "Int16" => Primitive::I2,
        "ushort" | "UInt16" => Primitive::U2,
        "int" | "Int32" => Primitive::I4,
        "uint" | "UInt32" => Primitive::U4,
        "long" | "Int64" => Primitive::I8,
        "ulong" | "UInt64" => Primitive::U8,
        "nint" | "IntPtr" => Primitive::I,
        "nuint" | "UIntPtr" => Primitive::U,
        "float" | "Single" => Primitive::R4,
        "double" | "Double" => Primitive::R8,
        "string" | "String" => Primitive::String,
        "object" | "Object" => Primitive::Object,
        "void" | "Void" => Primitive::Void,
        _ => return None,
    })
}
