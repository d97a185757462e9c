//! Places of methods and functions and of their parts.

use super::CodeUnit;
use crate::{FunctionPart, MethodPart, Place};

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
