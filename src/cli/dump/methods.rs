//! Methods: names, bodies, sequence points. Functions of native code: lines, inlined calls, parameters and variables.

use std::io;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::super::json::{List, Room};
#[cfg(test)]
use super::code::InstructionJson;
use super::code::{Instructions, PointJson, PointsOf};
use crate::bytes::Span;
use crate::formats::reason::Reason;
use crate::nodes::code_unit::NamedMethod;
use crate::nodes::function::{FunctionDetails, each_details};
use crate::nodes::method::{self, MethodView, region_kind};
use crate::nodes::{TableId, Token};
use crate::session::Session;
use crate::symbols::{StateMachine, SymbolReader};
use crate::text::names::Names;

/// A MethodDef of the image, or a MethodDebugInformation of the symbols.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "method_row"))]
pub(super) struct MethodJson<'s> {
    #[serde(flatten)]
    method: NamedMethod,
    /// RVA of the body, 0 for none; with an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    rva: Option<u32>,
    #[serde(flatten)]
    body: Option<BodyJson<'s>>,
    /// True if a part cannot be decoded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bad: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Reason>,
    #[serde(flatten)]
    symbols: Option<PointsJson>,
}

/// The IL body of a method.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BodyJson<'s> {
    /// Bytes of IL.
    code_size: u32,
    max_stack: u16,
    init_locals: bool,
    local_signature: Option<Token>,
    /// Header, code and exception regions.
    body: Span,
    exception_regions: Vec<RegionJson>,
    #[cfg_attr(test, schemars(with = "Vec<InstructionJson<'_>>"))]
    il: Instructions<'s>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "exception_region"))]
struct RegionJson {
    kind: &'static str,
    try_start: u32,
    try_length: u32,
    handler_start: u32,
    handler_length: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter_start: Option<u32>,
    catch_type: Option<Token>,
}

/// Members of a method that come from the symbols.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PointsJson {
    /// Row of the document that all points share.
    document: Option<u32>,
    /// Offset of the sequence points in the blob heap.
    blob: Option<u32>,
    /// Position, from 1, of the hot-reload delta that has the points, among those named; absent for those of the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<usize>,
    /// The async method or iterator whose body this is.
    kickoff: Option<NamedMethod>,
    /// The method that holds the body of this one.
    move_next: Option<NamedMethod>,
    /// Bytes of the sequence points.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
    #[cfg_attr(test, schemars(with = "Vec<PointJson>"))]
    points: PointsOf,
}

pub(super) fn methods<'s>(session: &'s Session, names: Option<Names<'s>>, room: &'s Room) -> List<'s, MethodJson<'s>> {
    let row = move |row| MethodJson::of(session, Token::new(TableId::METHOD_DEF, row), names);
    List::of(move || (1..=session.methods()).map(row)).within(room)
}

impl<'s> MethodJson<'s> {
    fn of(session: &'s Session, token: Token, names: Option<Names<'s>>) -> Self {
        let view = Rc::new(method::without_instructions(session, token));
        let defined = session.metadata().filter(|metadata| token.row() <= metadata.rows(TableId::METHOD_DEF));
        let known = session.symbols().filter(|symbols| token.row() <= symbols.methods());
        Self {
            method: named(session, names, token),
            rva: defined.map(|metadata| metadata.table(TableId::METHOD_DEF).cell(token.row(), 0).unwrap_or(0)),
            body: BodyJson::of(session, &view, names),
            bad: !view.errors.is_empty(),
            errors: view.errors.iter().map(|error| session.spaces().reason(error)).collect(),
            symbols: known.map(|symbols| PointsJson::of(session, symbols, view, names)),
        }
    }
}

impl<'s> BodyJson<'s> {
    fn of(session: &'s Session, view: &Rc<MethodView>, names: Option<Names<'s>>) -> Option<Self> {
        let body = view.body.as_ref()?;
        let regions = body.regions.iter().map(|region| RegionJson {
            kind: region_kind(region),
            try_start: region.tried.start,
            try_length: region.tried.len,
            handler_start: region.handler.start,
            handler_length: region.handler.len,
            filter_start: region.filter().map(|filter| filter.start),
            catch_type: region.class().and_then(some_token),
        });
        Some(Self {
            code_size: body.code_size,
            max_stack: body.max_stack,
            init_locals: body.init_locals,
            local_signature: some_token(body.local_signature),
            body: body.span,
            exception_regions: regions.collect(),
            il: Instructions { session, view: Rc::clone(view), names },
        })
    }
}

impl PointsJson {
    fn of(session: &Session, symbols: &dyn SymbolReader, view: Rc<MethodView>, names: Option<Names<'_>>) -> Self {
        let token = view.of.token();
        let method = |token: Option<Token>| token.map(|token| named(session, names, token));
        Self {
            document: view.symbols.document,
            blob: view.symbols.blob,
            generation: session.generation_of(token).map(|(number, _)| number),
            kickoff: method(symbols.state_machine(StateMachine::MoveNext(token))),
            move_next: method(symbols.state_machine(StateMachine::Kickoff(token))),
            span: view.symbols.points,
            points: PointsOf(view),
        }
    }
}

/// A method with its names, from the cache where the image has the method.
fn named(session: &Session, names: Option<Names<'_>>, token: Token) -> NamedMethod {
    let rows = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    match names {
        Some(names) if token.row() <= rows => {
            NamedMethod { token, name: names.method(token), full_name: Some(names.reflection_name(token)) }
        }
        _ => NamedMethod::of(session, token),
    }
}

fn some_token(token: Token) -> Option<Token> {
    (!token.is_nil()).then_some(token)
}

/// A function or a thunk of native code. Functions that share an address were folded (/OPT:ICF).
#[derive(serde::Serialize)]
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
        each_details(session, &mut |details| {
            result = emit(FunctionJson::of(session, details));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
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
