//! Methods of IL, by token, and functions of native code, by address: both have code and lines.
//!
//! Panes and answers ask for the points, the code and the name of a [`CodeUnit`], and need not know which of the two it is.

use super::method::il_label;
use super::{FunctionPart, MethodPart, Place};
use crate::bytes::Error;
use crate::formats::metadata::{TableId, Token};
use crate::formats::sequence_point::SequencePoint;
use crate::nodes::function;
use crate::nodes::function::NativeView;
use crate::session::Session;
use crate::symbols::SymbolReader;
use std::fmt;
use std::ops::ControlFlow;

/// Callback for each of many: the item, its points, and the error that ended them.
pub(crate) type Each<'e, T> = dyn FnMut(T, &[SequencePoint], Option<Error>) -> ControlFlow<()> + 'e;

/// A method or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeUnit {
    /// A method of IL.
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
    /// Its token; that of no method for a function.
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

    /// Returns whether it is native code.
    pub const fn is_native(self) -> bool {
        matches!(self, Self::Function(_))
    }

    /// Place of the method or function.
    pub const fn place(self) -> Place {
        match self {
            Self::Method(token) => Place::Method(token),
            Self::Function(rva) => Place::Function(rva),
        }
    }

    /// Place of its points.
    pub const fn points(self) -> Place {
        match self {
            Self::Method(token) => Place::MethodPart(token, MethodPart::Points),
            Self::Function(rva) => Place::FunctionPart(rva, FunctionPart::Lines),
        }
    }

    /// Place of a point, counted from 1.
    pub const fn point(self, number: u32) -> Place {
        match self {
            Self::Method(token) => Place::MethodPart(token, MethodPart::Point(number)),
            Self::Function(rva) => Place::FunctionPart(rva, FunctionPart::Line(number)),
        }
    }

    /// Place of the code at an offset.
    pub const fn code(self, offset: u32) -> Place {
        match self {
            Self::Method(token) => Place::MethodPart(token, MethodPart::Instruction(offset)),
            Self::Function(rva) => Place::FunctionPart(rva, FunctionPart::CodeAt(offset)),
        }
    }

    /// An offset of its code as debuggers write it: `IL_000f`, `+0xf`.
    pub fn label(self, offset: i64) -> String {
        match self {
            Self::Method(_) => il_label(offset),
            Self::Function(_) if offset < 0 => format!("-{:#x}", offset.unsigned_abs()),
            Self::Function(_) => format!("+{offset:#x}"),
        }
    }

    /// Noun for one of its points.
    pub const fn point_word(self) -> &'static str {
        if self.is_native() { "line" } else { "point" }
    }
}

impl Place {
    /// The method or function that it is about, where it is about one.
    pub const fn code_unit(self) -> Option<CodeUnit> {
        match self {
            Self::Function(rva) | Self::FunctionPart(rva, _) => Some(CodeUnit::Function(rva)),
            place => match place.method() {
                Some(token) => Some(CodeUnit::Method(token)),
                None => None,
            },
        }
    }
}

/// Name of a method or function.
pub fn name(session: &Session, of: CodeUnit) -> String {
    match of {
        CodeUnit::Method(token) => session.method_name(token),
        CodeUnit::Function(rva) => function::function_name(session, rva).unwrap_or_else(|| of.to_string()),
    }
}

/// Number of methods, or of functions in native code.
pub fn count(session: &Session) -> u32 {
    NativeView::of(session).map_or_else(|| session.methods(), |native| native.functions().len() as u32)
}

/// Calls `each` with the points of a method or a function, in their order, until it breaks.
pub fn each_point(
    session: &Session,
    of: CodeUnit,
    each: &mut dyn FnMut(SequencePoint) -> ControlFlow<()>,
) -> Result<(), Error> {
    match of {
        CodeUnit::Method(token) => match session.symbols() {
            Some(symbols) if (1..=symbols.methods()).contains(&token.row()) => symbols.points(token, each),
            _ => Ok(()),
        },
        CodeUnit::Function(rva) => {
            let Some((native, function)) = function::function_at(session, rva) else { return Ok(()) };
            let lines = native.lines_of(&function);
            let _ = lines.points.into_iter().try_for_each(each);
            lines.error.map_or(Ok(()), Err)
        }
    }
}

/// Calls `each` with every method or function that may have code in one of `documents`, and all its points; what cannot be
/// read is told too.
pub(crate) fn each(session: &Session, documents: &[u32], each: &mut Each<'_, CodeUnit>) {
    if let Some(native) = NativeView::of(session) {
        return native.each_function(documents, &mut |rva, points, error| each(CodeUnit::Function(rva), points, error));
    }
    let mut points = Vec::new();
    for row in 1..=session.symbols().map_or(0, SymbolReader::methods) {
        let of = CodeUnit::Method(Token::new(TableId::METHOD_DEF, row));
        points.clear();
        let read = each_point(session, of, &mut |point| {
            points.push(point);
            ControlFlow::Continue(())
        });
        if each(of, &points, read.err()).is_break() {
            break;
        }
    }
}
