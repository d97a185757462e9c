//! What has code and lines: a method of IL, by its token, or a function of native code, by its address.
//!
//! Panes and answers ask for the points, the code and the name of a [`Routine`], and need not know which of the two it is.

use std::fmt;
use std::ops::ControlFlow;

use super::Place;
use super::method::{MethodView, il_label};
use super::place::{FunctionPart, MethodPart};
use crate::bytes::Error;
use crate::formats::metadata::{TableId, Token};
use crate::formats::portable::points::Point;
use crate::session::Session;
use crate::symbols::Symbols;

/// What is told of each of many: which, its points, and what cannot be read of them.
pub(crate) type Each<'e, T> = dyn FnMut(T, &[Point], Option<Error>) -> ControlFlow<()> + 'e;

/// A method or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Routine {
    /// A method of IL.
    Method(Token),
    /// A function of native code, by where its code begins in the image.
    Function(u32),
}

impl Default for Routine {
    fn default() -> Self {
        Self::Method(Token::default())
    }
}

impl From<Token> for Routine {
    fn from(token: Token) -> Self {
        Self::Method(token)
    }
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(token) => write!(f, "{token}"),
            Self::Function(rva) => write!(f, "{rva:#x}"),
        }
    }
}

impl Routine {
    /// Its token; that of no method for a function.
    pub const fn token(self) -> Token {
        match self {
            Self::Method(token) => token,
            Self::Function(_) => Token(0),
        }
    }

    /// Where its code begins in the image; 0 for a method, which goes by its token.
    pub const fn address(self) -> u32 {
        match self {
            Self::Function(rva) => rva,
            Self::Method(_) => 0,
        }
    }

    /// Whether it is native code.
    pub const fn is_native(self) -> bool {
        matches!(self, Self::Function(_))
    }

    /// Where it is.
    pub const fn place(self) -> Place {
        match self {
            Self::Method(token) => Place::Method(token),
            Self::Function(rva) => Place::Function(rva),
        }
    }

    /// Where its points are.
    pub const fn points(self) -> Place {
        match self {
            Self::Method(token) => Place::MethodPart(token, MethodPart::Points),
            Self::Function(rva) => Place::FunctionPart(rva, FunctionPart::Lines),
        }
    }

    /// Where one of them is, counted from 1.
    pub const fn point(self, number: u32) -> Place {
        match self {
            Self::Method(token) => Place::MethodPart(token, MethodPart::Point(number)),
            Self::Function(rva) => Place::FunctionPart(rva, FunctionPart::Line(number)),
        }
    }

    /// Where the code at an offset is.
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

    /// What one of its points is called.
    pub const fn point_word(self) -> &'static str {
        if self.is_native() { "line" } else { "point" }
    }
}

impl Place {
    /// The method or function that it is about, where it is about one.
    pub const fn routine(self) -> Option<Routine> {
        match self {
            Self::Function(rva) | Self::FunctionPart(rva, _) => Some(Routine::Function(rva)),
            place => match place.method() {
                Some(token) => Some(Routine::Method(token)),
                None => None,
            },
        }
    }
}

impl Session {
    /// A method or a function, decoded.
    pub fn routine(&self, of: Routine) -> MethodView {
        match of {
            Routine::Method(token) => self.method(token),
            Routine::Function(rva) => self.function(rva),
        }
    }

    /// What to call it.
    pub fn routine_name(&self, of: Routine) -> String {
        match of {
            Routine::Method(token) => self.method_name(token),
            Routine::Function(rva) => self.function_name(rva).unwrap_or_else(|| of.to_string()),
        }
    }

    /// How many methods and functions there are.
    pub fn routines(&self) -> u32 {
        self.native().map_or_else(|| self.methods(), |native| native.functions().len() as u32)
    }

    /// Calls `each` with the points of a method or a function, in their order, until it breaks.
    pub fn points_of(&self, of: Routine, each: &mut dyn FnMut(Point) -> ControlFlow<()>) -> Result<(), Error> {
        match of {
            Routine::Method(token) => match self.symbols() {
                Some(symbols) if (1..=symbols.methods()).contains(&token.row()) => symbols.points(token, each),
                _ => Ok(()),
            },
            Routine::Function(rva) => {
                let Some((native, function)) = self.function_at(rva) else { return Ok(()) };
                let lines = native.lines_of(&function);
                let _ = lines.points.into_iter().try_for_each(each);
                lines.error.map_or(Ok(()), Err)
            }
        }
    }

    /// Calls `each` with every method or function that may have code in one of `documents`, and all its points; what cannot be
    /// read is told too.
    pub(crate) fn each_routine(&self, documents: &[u32], each: &mut Each<'_, Routine>) {
        if let Some(native) = self.native() {
            return native
                .each_function(documents, &mut |rva, points, error| each(Routine::Function(rva), points, error));
        }
        let mut points = Vec::new();
        for row in 1..=self.symbols().map_or(0, Symbols::methods) {
            let of = Routine::Method(Token::new(TableId::METHOD_DEF, row));
            points.clear();
            let read = self.points_of(of, &mut |point| {
                points.push(point);
                ControlFlow::Continue(())
            });
            if each(of, &points, read.err()).is_break() {
                break;
            }
        }
    }
}
