//! Methods of IL, by token, and functions of native code, by address: both have code and lines.

use super::{FunctionPart, MethodPart, Place};
use pdblens_formats::bytes::Show;
use pdblens_formats::metadata::Token;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeUnit {
    Method(Token),
    /// A function of native code, by where its code begins in the image.
    Function(u32),
}

/// Words for code of one kind, as screens, sentences and questions have them.
#[derive(Debug)]
pub struct Words {
    pub unit: &'static str,
    /// Title of a list of all units.
    pub units: &'static str,
    /// Noun for the number that identifies a unit.
    pub id: &'static str,
    pub code: &'static str,
    /// Origin of reconstructed statements.
    pub statements: &'static str,
    /// Things with names in a unit.
    pub names: &'static str,
    pub offset: &'static str,
    /// Notation of an offset, and what it begins with.
    pub show: Show,
    pub prefix: &'static str,
    pub point: &'static str,
    /// Noun for a point where nothing else says what it is.
    pub full_point: &'static str,
    /// List of all units.
    pub list: Place,
    /// Heading of the offsets in a list of points.
    pub column: &'static str,
    /// Titles of a list of code alone, of points alone, and of both.
    pub lists: [&'static str; 3],
    /// A number that is typed is an address, not a token.
    pub is_addressed: bool,
    /// A name is looked up as it is written: without the parameters of an overload, and with `::` between its parts.
    pub has_exact_names: bool,
    /// The machine code is in no file: it is made when the code runs.
    pub is_compiled_later: bool,
}

impl Words {
    pub const IL: Self = Self {
        unit: "method",
        units: "Methods",
        id: "token",
        code: "IL",
        statements: "IL",
        names: "locals, constants and imports",
        offset: "IL offset",
        show: Show::IlOffset,
        prefix: "IL_",
        point: "point",
        full_point: "sequence point",
        list: Place::Methods,
        column: "il",
        lists: ["IL", "Sequence points", "Points and IL"],
        is_addressed: false,
        has_exact_names: false,
        is_compiled_later: true,
    };
    pub const NATIVE: Self = Self {
        unit: "function",
        units: "Functions",
        id: "address",
        code: "code",
        statements: "the calls",
        names: "variables and inlined calls",
        offset: "offset",
        show: Show::Hex,
        prefix: "+",
        point: "line",
        full_point: "line",
        list: Place::Functions,
        column: "offset:",
        lists: ["Machine code", "Lines", "Lines and machine code"],
        is_addressed: true,
        has_exact_names: true,
        is_compiled_later: false,
    };
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

    pub const fn words(self) -> &'static Words {
        if self.is_native() { &Words::NATIVE } else { &Words::IL }
    }
}

/// An IL offset as debuggers write it: `IL_000f`.
pub fn il_label(offset: i64) -> String {
    if offset < 0 { format!("IL_-{:04x}", offset.unsigned_abs()) } else { format!("IL_{offset:04x}") }
}

impl CodeUnit {
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
