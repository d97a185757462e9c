//! Functions of native code: lines, inlined calls, parameters and variables.

use std::io;
use std::ops::ControlFlow;

use serde::Serialize;

use super::super::json::{List, Room};
use super::code::PointJson;
use crate::formats::reason::Reason;
use crate::nodes::function::{FunctionDetails, NativeView};
use crate::session::Session;

/// A function or a thunk of native code. Functions that share an address were folded (/OPT:ICF).
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "function_row"))]
pub(super) struct FunctionJson {
    #[serde(flatten)]
    details: FunctionDetails,
    lines: Vec<PointJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Reason>,
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
        let FunctionDetails { lines, errors, .. } = &details;
        Self {
            lines: lines.points.iter().map(|point| PointJson::native(point, lines.stream)).collect(),
            errors: errors.iter().chain(&lines.error).map(|error| session.spaces().reason(error)).collect(),
            details,
        }
    }
}
