//! Functions of native code: lines, inlined calls, parameters and variables.

use std::io;
use std::ops::ControlFlow;

use serde::Serialize;

use super::super::json::{List, Room};
use super::super::values::CodeText;
use crate::bytes::Span;
use crate::formats::reason::Reason;
use crate::nodes::SequencePoint;
use crate::nodes::code_unit::{CodeUnit, FunctionSymbol};
use crate::nodes::function::{FunctionDetails, InlinedSite, NativeView};
use crate::session::Session;

/// A function or a thunk of native code. Functions that share an address were folded (/OPT:ICF).
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "function_row"))]
pub(super) struct FunctionJson {
    /// RVA; absent for code that was removed from the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<CodeText>,
    /// Section, from 1.
    section: u16,
    /// Offset in the section.
    offset: u32,
    /// Bytes of code.
    size: u32,
    /// Name as in the record.
    name: String,
    /// Source name, if the one in the record is decorated.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_name: Option<String>,
    /// Kind of the record: `S_GPROC32`, `S_LPROC32`, `S_THUNK32`.
    record: &'static str,
    r#type: String,
    /// Module, from 0.
    module: u32,
    lines: Vec<LineJson>,
    /// Calls that were inlined into it, each before its nested ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inlined: Vec<InlinedSite>,
    /// Parameters, variables, blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<FunctionSymbol>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Reason>,
    span: Span,
}

/// A line of a function; a hidden one has no lines and columns.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "line"))]
struct LineJson {
    /// Offset in the function.
    offset: u32,
    /// Row of the document, 0 for none.
    document: u32,
    hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    /// From 1; with columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    /// Exclusive; with columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    span: Span,
}

/// Every function, module by module.
pub(super) fn functions<'s>(session: &'s Session, room: &'s Room) -> List<'s, FunctionJson> {
    List::each(move |emit| {
        let mut result: io::Result<()> = Ok(());
        if let Some(native) = NativeView::of(session) {
            native.each_details(&mut |details| {
                result = emit(FunctionJson::of(session, details));
                if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        result
    })
    .within(room)
}

impl FunctionJson {
    fn of(session: &Session, details: FunctionDetails) -> Self {
        let FunctionDetails { function, lines, errors, .. } = details;
        let stream = lines.stream;
        Self {
            address: details.rva.map(|rva| CodeUnit::Function(rva).into()),
            section: function.section,
            offset: function.offset,
            size: function.len,
            name: details.name,
            source_name: details.source_name,
            record: details.kind,
            r#type: details.type_name,
            module: function.module,
            lines: lines.points.iter().map(|point| LineJson::of(point, stream)).collect(),
            inlined: details.inlined,
            symbols: details.symbols,
            errors: errors.iter().chain(&lines.error).map(|error| session.spaces().reason(error)).collect(),
            span: details.span,
        }
    }
}

impl LineJson {
    fn of(point: &SequencePoint, stream: Span) -> Self {
        let visible = !point.is_hidden();
        let has_columns = visible && point.start_column > 0;
        Self {
            offset: point.offset,
            document: point.document,
            hidden: !visible,
            start_line: visible.then_some(point.start_line),
            end_line: visible.then_some(point.end_line),
            start_column: has_columns.then_some(point.start_column),
            end_column: (has_columns && point.end_column > 0).then_some(point.end_column),
            span: stream.part(point.at.into(), point.len.into()),
        }
    }
}
