//! Visible points that a debugger refuses: by the maps of machine code, or by the rule for IL.

use crate::breakpoint::{IL_RULE, MachinePart, MethodCode};
use crate::certainty::Certainty;
use pdblens_nodes::code_unit::{self, MethodView};
use pdblens_nodes::{Place, SequencePoint, Token, document};
use pdblens_session::session::Session;

/// A visible point that a debugger refuses.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "refused_point"))]
pub struct RefusedPoint {
    pub place: Place,
    /// Name of the method.
    #[serde(skip)]
    pub method: String,
    pub il: u32,
    /// Path of the document, as the symbols have it.
    pub document: String,
    pub line: u32,
    /// `refused` by every map of the method; else the cause of the rule for IL, as in a verdict.
    pub cause: &'static str,
    /// The cause in words.
    pub text: String,
    pub certainty: Certainty,
    /// Offset of the statement where a breakpoint binds that is nearest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<u32>,
}

/// The points of a method that a debugger refuses, in the order of their offsets.
pub fn refused_points(session: &Session, method: Token) -> Vec<RefusedPoint> {
    let view = MethodView::of(session, method);
    let code = MethodCode::of(session, method.into());
    refused_of(session, &view, &code)
}

pub(super) fn refused_of(session: &Session, view: &MethodView, code: &MethodCode) -> Vec<RefusedPoint> {
    let points: Vec<&SequencePoint> = view.points.iter().collect();
    let refused = points.iter().enumerate().filter_map(|(index, point)| {
        let machine = code.at(point.offset);
        let (cause, certainty) = match machine {
            _ if point.is_hidden() => return None,
            MachinePart::Refused { .. } => ("refused", Certainty::Known),
            MachinePart::Never(cause) => (cause.name(), Certainty::Derived(IL_RULE)),
            _ => return None,
        };
        let end = points.get(index + 1).map(|next| next.offset).or(view.size).unwrap_or(u32::MAX);
        Some(RefusedPoint {
            place: view.of.point(index as u32 + 1),
            method: code_unit::name(session, view.of),
            il: point.offset,
            document: document::name(session, point.document).unwrap_or_default(),
            line: point.start_line,
            cause,
            text: machine.words(),
            certainty,
            nearest: code.nearest(point.offset, point.offset..end.max(point.offset)),
        })
    });
    refused.collect()
}
