//! Functions of native code: lines, inlined calls, parameters and variables.

use std::io;
use std::ops::ControlFlow;

use serde::Serialize;

use super::super::json::{List, Room};
use super::code::PointJson;
use crate::bytes::Span;
use crate::formats::reason::Reason;
use crate::formats::serialize::some_hexadecimal;
use crate::nodes::code_unit::FunctionSymbol;
use crate::nodes::function::{FunctionDetails, InlinedSite, NativeView};
use crate::session::Session;

/// A function or a thunk of native code. Functions that share an address were folded (/OPT:ICF).
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "function_row"))]
pub(super) struct FunctionJson {
    /// RVA; absent for code that was removed from the image.
    #[serde(serialize_with = "some_hexadecimal", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<pdblens_formats::json_schema::Address>"))]
    address: Option<u32>,
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
    lines: Vec<PointJson>,
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
            address: details.rva,
            section: function.section,
            offset: function.offset,
            size: function.len,
            name: details.name,
            source_name: details.source_name,
            record: details.kind,
            r#type: details.type_name,
            module: function.module,
            lines: lines.points.iter().map(|point| PointJson::native(point, stream)).collect(),
            inlined: details.inlined,
            symbols: details.symbols,
            errors: errors.iter().chain(&lines.error).map(|error| session.spaces().reason(error)).collect(),
            span: details.span,
        }
    }
}
