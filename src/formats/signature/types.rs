use super::element;
use crate::bytes::At;
use crate::formats::metadata::Token;

/// What a blob says, by its first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// Of a method: its definition, a reference to it, or a call through a pointer.
    Method(MethodSignature),
    /// Of a field: its type.
    Field(At<Type>),
    /// Of a property: what its getter would have.
    Property(MethodSignature),
    /// Of a method's local variables: the type of each slot.
    Locals(Vec<At<Type>>),
    /// Of a use of a generic method: its type arguments.
    Instantiation(Vec<At<Type>>),
}

/// How a method is called, what it takes and what it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodSignature {
    /// Who cleans up, and such.
    pub call: CallKind,
    /// Whether it is an instance method: there is a `this`.
    pub has_this: bool,
    /// Whether `this` is the first of the parameters, rather than one before them.
    pub explicit_this: bool,
    /// How many type parameters it has.
    pub generic_parameters: u32,
    /// The type of what it returns.
    pub returns: At<Type>,
    /// The types of its parameters.
    pub parameters: Vec<At<Type>>,
    /// For a call with variable arguments: how many of the parameters come before them.
    pub sentinel: Option<u32>,
}

/// Calling conventions: the lowest four bits of a method signature's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// Managed, a fixed number of arguments.
    Default,
    /// Unmanaged, as in C.
    C,
    /// Unmanaged, as in the Windows API.
    StdCall,
    /// Unmanaged, as C++ calls members.
    ThisCall,
    /// Unmanaged, arguments in registers.
    FastCall,
    /// Managed, any number of arguments.
    VarArg,
    /// Unmanaged; the modifiers of the return type say how.
    Unmanaged,
}

/// A type, as a signature spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// One that the CLI knows by itself.
    Primitive(Primitive),
    /// A class, interface, struct or enum.
    Named {
        /// Its row: a TypeDef, TypeRef or TypeSpec.
        token: Token,
        /// Whether it is a struct or enum.
        is_value: bool,
    },
    /// An array of one dimension that begins at 0.
    Array(Box<Self>),
    /// An array of another shape.
    ShapedArray(Box<Self>, ArrayShape),
    /// An unmanaged pointer.
    Pointer(Box<Self>),
    /// A managed reference.
    Reference(Box<Self>),
    /// What a local variable keeps from being moved.
    Pinned(Box<Self>),
    /// A type with a custom modifier, which makes it another for overload resolution.
    Modified {
        /// Whether callers must understand it (`modreq`), or may ignore it (`modopt`).
        required: bool,
        /// The row of the type that is the modifier.
        modifier: Token,
        /// The type that is modified.
        of: Box<Self>,
    },
    /// A generic type with type arguments.
    Generic {
        /// The row of the generic type.
        token: Token,
        /// Whether it is a struct.
        is_value: bool,
        /// What its type parameters stand for.
        arguments: Vec<Self>,
    },
    /// A type parameter of the surrounding type.
    TypeParameter(u32),
    /// A type parameter of the method.
    MethodParameter(u32),
    /// A pointer to a method.
    Function(Box<MethodSignature>),
}

/// The dimensions of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayShape {
    /// How many there are.
    pub rank: u32,
    /// The sizes of the first of them, as many as are known.
    pub sizes: Vec<u32>,
    /// The lowest indices of the first of them, as many as are known; usually each is 0.
    pub lower_bounds: Vec<i32>,
}

/// The types that have an element type of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "their constants in `element` say what they are")]
pub enum Primitive {
    Void = element::VOID,
    Boolean = element::BOOLEAN,
    Char = element::CHAR,
    I1 = element::I1,
    U1 = element::U1,
    I2 = element::I2,
    U2 = element::U2,
    I4 = element::I4,
    U4 = element::U4,
    I8 = element::I8,
    U8 = element::U8,
    R4 = element::R4,
    R8 = element::R8,
    String = element::STRING,
    TypedByRef = element::TYPEDBYREF,
    I = element::I,
    U = element::U,
    Object = element::OBJECT,
}

impl Primitive {
    /// The one of that element type, if it is one.
    pub const fn of_element(element: u8) -> Option<Self> {
        Some(match element {
            element::VOID => Self::Void,
            element::BOOLEAN => Self::Boolean,
            element::CHAR => Self::Char,
            element::I1 => Self::I1,
            element::U1 => Self::U1,
            element::I2 => Self::I2,
            element::U2 => Self::U2,
            element::I4 => Self::I4,
            element::U4 => Self::U4,
            element::I8 => Self::I8,
            element::U8 => Self::U8,
            element::R4 => Self::R4,
            element::R8 => Self::R8,
            element::STRING => Self::String,
            element::TYPEDBYREF => Self::TypedByRef,
            element::I => Self::I,
            element::U => Self::U,
            element::OBJECT => Self::Object,
            _ => return None,
        })
    }
}
