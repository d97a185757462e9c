use super::element;
use crate::bytes::At;
use crate::metadata::Token;

/// A signature blob, by its first byte (ECMA-335 II.23.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// MethodDef, MethodRef or stand-alone method signature.
    Method(MethodSignature),
    /// Type of a field.
    Field(At<Type>),
    /// Type of a property and of its indices, as a getter would have them.
    Property(MethodSignature),
    /// Types of a method's local variables, by slot.
    Locals(Vec<At<Type>>),
    /// Type arguments of a generic method instantiation (MethodSpec).
    Instantiation(Vec<At<Type>>),
}

/// Calling convention, parameters and return type (ECMA-335 II.23.2.1 to II.23.2.3).
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodSignature {
    pub call: CallKind,
    /// True for an instance method, which has a `this`.
    pub has_this: bool,
    /// True if the first parameter is `this`, instead of an implied one before them.
    pub explicit_this: bool,
    /// Number of type parameters.
    pub generic_parameters: u32,
    pub returns: At<Type>,
    pub parameters: Vec<At<Type>>,
    /// Number of fixed parameters of a `vararg` call; `None` without a sentinel.
    pub sentinel: Option<u32>,
}

/// Number of values that a call takes from the stack, and pushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arity {
    /// True if an implied `this` comes before the parameters.
    pub has_this: bool,
    /// Number of parameters.
    pub parameters: u32,
    /// False for a method that returns `void`.
    pub has_result: bool,
}

/// Calling convention: the low four bits of a method signature's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// Managed, fixed arguments.
    Default,
    /// Unmanaged, C.
    C,
    /// Unmanaged, Windows API.
    StdCall,
    /// Unmanaged, C++ instance methods.
    ThisCall,
    /// Unmanaged, arguments in registers.
    FastCall,
    /// Managed, variable arguments.
    VarArg,
    /// Unmanaged, given by modifiers of the return type.
    Unmanaged,
}

/// A type (ECMA-335 II.23.2.12).
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A type with an element type of its own.
    Primitive(Primitive),
    /// Class, interface, struct or enum.
    Named {
        /// TypeDef, TypeRef or TypeSpec row.
        token: Token,
        /// True for a struct or enum.
        is_value: bool,
    },
    /// One-dimensional array with lower bound 0 (`SZARRAY`).
    Array(Box<Self>),
    /// Array with a shape (`ARRAY`).
    ShapedArray(Box<Self>, ArrayShape),
    /// Unmanaged pointer.
    Pointer(Box<Self>),
    /// Managed pointer (`BYREF`).
    Reference(Box<Self>),
    /// Pinned local variable.
    Pinned(Box<Self>),
    /// Type with a custom modifier, which counts in overload resolution.
    Modified {
        /// True for `modreq`, false for `modopt`.
        required: bool,
        modifier: Token,
        of: Box<Self>,
    },
    /// Instantiated generic type.
    Generic {
        token: Token,
        /// True for a struct.
        is_value: bool,
        /// Type arguments, one for each type parameter.
        arguments: Vec<Self>,
    },
    /// Type parameter of the enclosing type, by number (`!0`).
    TypeParameter(u32),
    /// Type parameter of the method, by number (`!!0`).
    MethodParameter(u32),
    /// Pointer to a method.
    Function(Box<MethodSignature>),
    /// Type whose tokens belong to another module; in ReadyToRun images only.
    InModule {
        /// Number of the module: 0 for this image, then the rows of AssemblyRef, then those of the manifest.
        module: u32,
        of: Box<Self>,
    },
    /// Any reference type, for which code is shared (`__Canon`); in ReadyToRun images only.
    Canonical,
}

/// Dimensions of an array (ECMA-335 II.23.2.13).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayShape {
    /// Number of dimensions.
    pub rank: u32,
    /// Sizes of the leading dimensions, as far as stated.
    pub sizes: Vec<u32>,
    /// Lower bounds of the leading dimensions, as far as stated; usually 0.
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

impl Signature {
    /// Calls `each` with the tokens of the types in it.
    pub fn each_token(&self, each: &mut impl FnMut(Token)) {
        match self {
            Self::Method(method) | Self::Property(method) => method.each_token(each),
            Self::Field(of) => of.value.each_token(each),
            Self::Locals(types) | Self::Instantiation(types) => {
                for of in types {
                    of.value.each_token(each);
                }
            }
        }
    }
}

impl MethodSignature {
    fn each_token(&self, each: &mut impl FnMut(Token)) {
        self.returns.value.each_token(each);
        for parameter in &self.parameters {
            parameter.value.each_token(each);
        }
    }
}

impl Type {
    /// Calls `each` with the tokens of this image in it. The decoder limits the depth.
    pub fn each_token(&self, each: &mut impl FnMut(Token)) {
        match self {
            Self::Named { token, .. } => each(*token),
            Self::Array(of) | Self::ShapedArray(of, _) | Self::Pointer(of) | Self::Reference(of) | Self::Pinned(of) => {
                of.each_token(each);
            }
            Self::Modified { modifier, of, .. } => {
                each(*modifier);
                of.each_token(each);
            }
            Self::Generic { token, arguments, .. } => {
                each(*token);
                for argument in arguments {
                    argument.each_token(each);
                }
            }
            Self::Function(method) => method.each_token(each),
            Self::Primitive(_)
            | Self::TypeParameter(_)
            | Self::MethodParameter(_)
            | Self::InModule { .. }
            | Self::Canonical => {}
        }
    }
}

impl Primitive {
    /// The one of that element type, if it is one.
    pub(crate) const fn of_element(element: u8) -> Option<Self> {
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
