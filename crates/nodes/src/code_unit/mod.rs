//! Methods of IL, by token, and functions of native code, by address: both have code and lines.
//!
//! Panes and answers ask for the points, the code and the name of a [`CodeUnit`], and need not know which of the two it is.

mod named;
mod places;
mod questions;
mod view;

pub use named::{CodeOffset, NamedCode, NamedFunction, NamedMethod};
pub use questions::each;
pub use questions::{count, each_point, find_point, first_visible, full_name, name, points};
pub use view::{FunctionSymbol, Location, MethodView};

use pdblens_formats::bytes::Error;
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::SequencePoint;
use std::fmt;
use std::ops::ControlFlow;

/// Callback for each of many: the item, its points, and the error that ended them.
pub(crate) type Each<'e, T> = dyn FnMut(T, &[SequencePoint], Option<Error>) -> ControlFlow<()> + 'e;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeUnit {
    Method(Token),
    /// A function of native code, by where its code begins in the image.
    Function(u32),
}

impl Default for CodeUnit {
    fn default() -> Self {
        Self::Method(Token::default())
    }
}

impl From<Token> for CodeUnit {
    fn from(token: Token) -> Self {
        Self::Method(token)
    }
}

impl fmt::Display for CodeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(token) => write!(f, "{token}"),
            Self::Function(rva) => write!(f, "{rva:#x}"),
        }
    }
}

impl CodeUnit {
    pub const fn token(self) -> Token {
        match self {
            Self::Method(token) => token,
            Self::Function(_) => Token(0),
        }
    }

    /// RVA of a function; 0 for a method.
    pub const fn address(self) -> u32 {
        match self {
            Self::Function(rva) => rva,
            Self::Method(_) => 0,
        }
    }

    pub const fn is_native(self) -> bool {
        matches!(self, Self::Function(_))
    }

    /// An offset of its code as debuggers write it: `IL_000f`, `+0xf`.
    pub fn label(self, offset: i64) -> String {
        match self {
            Self::Method(_) => il_label(offset),
            Self::Function(_) if offset < 0 => format!("-{:#x}", offset.unsigned_abs()),
            Self::Function(_) => format!("+{offset:#x}"),
        }
    }

    pub const fn point_word(self) -> &'static str {
        if self.is_native() { "line" } else { "point" }
    }
}

/// An IL offset as debuggers write it: `IL_000f`.
pub fn il_label(offset: i64) -> String {
    if offset < 0 { format!("IL_-{:04x}", offset.unsigned_abs()) } else { format!("IL_{offset:04x}") }
}
