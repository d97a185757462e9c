//! View of one method or function with everything known about it: code, points and the names of its variables.
//!
//! `method/view.rs` fills it for a method of IL, `function/view.rs` for a function of native code.

use crate::place::CodeUnit;
use std::fmt;
use std::sync::OnceLock;

use pdblens_formats::bytes::{Error, Result, Span, is_inside};
use pdblens_formats::il::Body;
use pdblens_formats::points_around::PointList;
use pdblens_session::symbols::{Method, Scope};

#[derive(Clone, Debug, Default)]
pub struct MethodView {
    pub of: CodeUnit,
    /// Facts of the symbols about it as a whole.
    pub symbols: Method,
    pub points: PointList,
    /// Bytes of code, if known.
    pub size: Option<u32>,
    pub code: Option<Span>,
    pub body: Option<Body>,
    /// IL offset and bytes of each instruction, and of bytes that are none.
    pub instructions: Vec<(u32, Span)>,
    pub scopes: Vec<Scope>,
    /// The names of its arguments, `this` among them.
    pub arguments: Vec<String>,
    pub local_types: OnceLock<Vec<String>>,
    pub records: Vec<FunctionSymbol>,
    pub errors: Vec<Error>,
    /// The one of them that ended the points early.
    pub points_error: Option<Error>,
}

impl MethodView {
    /// The value, or none and the error among those of the view.
    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    pub fn point_begins_at(&self, offset: u32) -> Option<usize> {
        self.points.covering(offset).filter(|index| self.points.get(*index).is_some_and(|found| found.offset == offset))
    }

    /// Offsets of the code that a point covers: up to the next point, or to the end of the code.
    pub fn point_range(&self, index: usize) -> std::ops::Range<u32> {
        let code = self.body.as_ref().map(|body| body.code.len as u32).or(self.size).unwrap_or(u32::MAX);
        self.points.range(index, code)
    }

    pub fn instruction_at(&self, il: u32) -> Option<usize> {
        let index = self.instructions.partition_point(|(offset, _)| *offset <= il).checked_sub(1)?;
        let (offset, span) = self.instructions.get(index)?;
        (u64::from(il) < u64::from(*offset) + span.len).then_some(index)
    }

    /// Name of a local variable at an IL offset: from the innermost scope that names its slot.
    pub fn local_name(&self, slot: u16, il: u32) -> Option<&str> {
        let around = |scope: &&Scope| scope.contains(il);
        let mut variables = self.scopes.iter().filter(around).flat_map(|scope| &scope.variables);
        variables.rfind(|variable| variable.slot == slot && variable.is_local()).map(|variable| variable.name.as_str())
    }
}

/// A parameter, a variable, a block: something between the record of a function and the end of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "function_symbol"))]
pub struct FunctionSymbol {
    /// Offset of its record in the stream of its module.
    #[serde(skip)]
    pub at: u32,
    /// Its record.
    pub span: Span,
    /// CodeView's name of such a record (`S_…`).
    #[serde(rename = "record")]
    pub kind: &'static str,
    /// Noun for it: `param`, `local`, `block`.
    #[serde(rename = "kind")]
    pub word: &'static str,
    /// Number of blocks around it.
    pub depth: u8,
    /// The code that it belongs to: where that begins in the function, and how long it is.
    pub start: u32,
    /// Bytes of that code.
    #[serde(rename = "size")]
    pub len: u32,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub type_name: String,
    /// Its name.
    pub name: String,
    /// Location or value: `[rsp+0x20]`, `eax`, `= 3`.
    #[serde(rename = "kept_in", skip_serializing_if = "String::is_empty")]
    pub kept: String,
    /// Locations that hold for a part of the code (`S_DEFRANGE…`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// Another record of the same variable has its ranges, so that this one holds nowhere.
    #[serde(skip)]
    pub is_repetition: bool,
    /// Offset of the record of the inlined call around it; 0 for the function itself.
    #[serde(skip)]
    pub inlined_call: u32,
}

/// Location of a variable in a range of the code.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "symbol_location"))]
pub struct Location {
    /// First offset of the range in the function.
    pub start: u32,
    /// Bytes of the range; all ones for the whole scope of the variable.
    #[serde(rename = "size", skip_serializing_if = "is_whole_scope")]
    pub len: u32,
    /// Parts of the range, as offset in it and size, where the variable is not there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<(u16, u16)>,
    /// Register, or memory relative to one.
    #[serde(rename = "kept_in")]
    pub text: String,
    /// On another path of the control flow the variable is not there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_some_paths: bool,
    /// A part of the variable is there, a field of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_part: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_whole_scope(len: &u32) -> bool {
    *len == u32::MAX
}

impl Location {
    pub fn holds(&self, offset: u32) -> bool {
        let at = offset.wrapping_sub(self.start);
        let is_gap = |(start, len): &(u16, u16)| is_inside(at, u32::from(*start), u32::from(*len));
        self.len == u32::MAX || at < self.len && !self.gaps.iter().any(is_gap)
    }
}

/// `eax`, `eax on some paths`, `rax for a part of it`
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        f.write_str(if self.of_part { " for a part of it" } else { "" })?;
        f.write_str(if self.on_some_paths { " on some paths" } else { "" })
    }
}

impl FunctionSymbol {
    /// In a line, as a C developer would write it.
    pub fn text(&self) -> String {
        let words = [self.word, &self.type_name, &self.name, &self.kept];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether the records after it have its locations, each for a range of the code.
    pub fn has_ranges(&self) -> bool {
        matches!(self.kind, "S_LOCAL" | "S_FILESTATIC")
    }

    /// Location or value at an offset of the function; `None` where the variable has none. Variables of optimised code
    /// are only where one of their ranges is.
    pub fn kept_at(&self, offset: u32) -> Option<String> {
        if !self.has_ranges() {
            let is_there = !self.is_repetition && is_inside(offset, self.start, self.len);
            return is_there.then(|| self.kept.clone());
        }
        let mut texts: Vec<String> = Vec::new();
        for location in self.locations.iter().filter(|location| location.holds(offset)) {
            let whole = location.len != u32::MAX || is_inside(offset, self.start, self.len);
            let text = location.to_string();
            if whole && !texts.contains(&text) && !texts.contains(&location.text) {
                texts.push(text);
            }
        }
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    pub fn is_variable(&self) -> bool {
        !self.name.is_empty() && matches!(self.word, "param" | "local" | "static" | "const")
    }

    /// Returns whether it is a range of code rather than something in it.
    pub fn is_block(&self) -> bool {
        matches!(self.word, "block" | "inlined")
    }
}
