//! Parts of an answer's JSON that only native code has.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::values::CodeText;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::function::{FoldedFunction, NearestSymbol};

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "folded_function"))]
pub(super) struct FoldedJson {
    name: String,
    /// File name of the object file.
    module: String,
    /// Source of this function for the offset; absent without lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "nearest_symbol"))]
pub(super) struct NearestJson {
    /// Source name: undecorated.
    name: String,
    /// Name as the linker wrote it.
    decorated: String,
    address: CodeText,
    /// Bytes from the symbol to the address.
    offset: u32,
    /// Source names of further symbols with the same address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
}

impl FoldedJson {
    pub(super) fn of(function: &FoldedFunction) -> Self {
        let document = (function.line > 0).then(|| function.file.clone());
        let line = (function.line > 0).then_some(function.line);
        Self { name: function.name.clone(), module: function.module.clone(), document, line }
    }
}

impl NearestJson {
    pub(super) fn of(symbol: &NearestSymbol) -> Self {
        Self {
            name: symbol.name.clone(),
            decorated: symbol.decorated.clone(),
            address: CodeUnit::Function(symbol.rva).into(),
            offset: symbol.offset,
            others: symbol.others.clone(),
        }
    }
}
