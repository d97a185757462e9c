//! Methods and functions with their names, as answers give them.

use super::questions::{full_name, name};
use crate::place::CodeUnit;
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;

/// A method or a native function with its names; in JSON the member `method` or `function`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum NamedCode {
    /// A method of IL.
    Method(NamedMethod),
    /// A function of native code.
    Function(NamedFunction),
}

/// A method by its token and names.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "method"))]
pub struct NamedMethod {
    /// Row of MethodDef.
    pub token: Token,
    /// Name as C# writes it, `Ns.Outer.Inner.Method(long)`; the token if neither image nor symbols name the method.
    pub name: String,
    /// Name as metadata and reflection have it, `Ns.Outer+Inner.Method`; `null` if neither image nor symbols name the method.
    pub full_name: Option<String>,
}

/// A native function by its address and name.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "function"))]
pub struct NamedFunction {
    /// RVA of the first byte.
    #[serde(serialize_with = "pdblens_formats::serialize::hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "String", regex(pattern = "^0x[0-9a-f]+$")))]
    pub address: u32,
    /// Name without decoration.
    pub name: String,
}

/// An offset in the code of a method or a native function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum CodeOffset {
    /// IL offset.
    Il(u32),
    /// Bytes from the start of the native function.
    Offset(u32),
}

impl CodeOffset {
    pub const fn of(unit: CodeUnit, offset: u32) -> Self {
        match unit {
            CodeUnit::Method(_) => Self::Il(offset),
            CodeUnit::Function(_) => Self::Offset(offset),
        }
    }

    pub const fn value(self) -> u32 {
        let (Self::Il(offset) | Self::Offset(offset)) = self;
        offset
    }
}

impl NamedCode {
    pub fn of(session: &Session, unit: CodeUnit) -> Self {
        Self::new(unit, name(session, unit), full_name(session, unit))
    }

    pub const fn unit(&self) -> CodeUnit {
        match self {
            Self::Method(method) => CodeUnit::Method(method.token),
            Self::Function(function) => CodeUnit::Function(function.address),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Method(method) => &method.name,
            Self::Function(function) => &function.name,
        }
    }

    pub fn new(unit: CodeUnit, name: String, full_name: Option<String>) -> Self {
        match unit {
            CodeUnit::Method(token) => Self::Method(NamedMethod { token, name, full_name }),
            CodeUnit::Function(address) => Self::Function(NamedFunction { address, name }),
        }
    }
}

impl NamedMethod {
    pub fn of(session: &Session, token: Token) -> Self {
        Self { token, name: session.method_name(token), full_name: full_name(session, token.into()) }
    }
}
