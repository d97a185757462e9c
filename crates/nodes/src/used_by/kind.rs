//! A use: its kind, and the user.

use crate::place::Place;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseKind {
    Call,
    /// Call that the compiler inlined.
    InlinedCall,
    /// Call of a constructor for a new object.
    New,
    /// Address of a method, as for a delegate.
    FunctionPointer,
    Read,
    Write,
    Address,
    /// Operand of `ldtoken`.
    Token,
    /// Type operand of an instruction, such as a cast.
    Type,
    /// Argument of a generic type or method that an instruction refers to.
    Argument,
    /// Class of a catch clause.
    Catch,
    Literal,
    Locals,
    /// Type in a signature.
    Signature,
    /// Value of a custom attribute that names a type.
    Attribute,
    Points,
    Column,
    /// Field of a record of native types.
    Record,
    Export,
    /// Row that belongs to what it refers to: its custom attributes, its layout, its scopes.
    Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    pub kind: UseKind,
    /// The user: an instruction, a row, a record.
    pub place: Place,
    /// Name of the column or field that refers to the node; empty for code.
    pub field: &'static str,
}

impl UseKind {
    /// Word for it, as in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::InlinedCall => "inlined-call",
            Self::New => "new",
            Self::FunctionPointer => "function-pointer",
            Self::Read => "read",
            Self::Write => "write",
            Self::Address => "address",
            Self::Token => "token",
            Self::Type => "type",
            Self::Argument => "argument",
            Self::Catch => "catch",
            Self::Literal => "literal",
            Self::Locals => "locals",
            Self::Signature => "signature",
            Self::Attribute => "attribute",
            Self::Points => "points",
            Self::Column => "column",
            Self::Record => "record",
            Self::Export => "export",
            Self::Part => "part",
        }
    }

    /// True for code that runs, or can run, the code that it refers to.
    pub const fn is_call(self) -> bool {
        matches!(self, Self::Call | Self::InlinedCall | Self::New | Self::FunctionPointer)
    }

    /// Noun for what is counted; its plural has an s.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::InlinedCall => "inlined call",
            Self::New => "new object",
            Self::FunctionPointer => "function pointer",
            Self::Address => "address load",
            Self::Type => "type operand",
            Self::Argument => "type argument",
            Self::Catch => "catch clause",
            Self::Locals => "local signature",
            Self::Points => "point list",
            kind => kind.word(),
        }
    }
}
