//! Questions that methods and functions answer alike: the view, the name, the points.

use super::code::codes;
use super::function::function_view;
use super::il::method_view;
use crate::code_unit::view::MethodView;
use crate::native::Each;
use crate::native::{function_at, name_or_address};
use crate::place::{CodeUnit, Words};
use pdblens_formats::bytes::Error;
use pdblens_formats::metadata::TableId;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_session::session::Session;
use std::ops::ControlFlow;

impl MethodView {
    pub fn of(session: &Session, unit: impl Into<CodeUnit>) -> Self {
        match unit.into() {
            CodeUnit::Method(token) => method_view(session, token),
            CodeUnit::Function(rva) => function_view(session, rva),
        }
    }
}

pub fn name(session: &Session, of: CodeUnit) -> String {
    match of {
        CodeUnit::Method(token) => session.method_name(token),
        CodeUnit::Function(rva) => name_or_address(session, rva),
    }
}

/// Name of a method as metadata and reflection have it; `None` for native code, and where neither image nor symbols name the method.
pub fn full_name(session: &Session, of: CodeUnit) -> Option<String> {
    let CodeUnit::Method(method) = of else { return None };
    let is_defined = session.metadata().is_some_and(|metadata| method.row() <= metadata.rows(TableId::METHOD_DEF));
    if let Some(names) = session.names()
        && is_defined
    {
        return Some(names.reflection_name(method));
    }
    session.symbols()?.method_name(method).map(|(owner, name)| format!("{owner}.{name}"))
}

/// Words for the code of the session: where it has both kinds, those of native code.
pub fn words(session: &Session) -> &'static Words {
    codes(session).next().map_or(&Words::IL, |code| code.words())
}

/// True unless all functions have to be read before answers about all code are given.
pub fn is_ready(session: &Session) -> bool {
    codes(session).all(|code| code.is_ready())
}

pub fn count(session: &Session) -> u32 {
    codes(session).map(|code| code.count()).sum()
}

/// Calls `each` with the points of a method or a function, in their order, until it breaks.
pub fn each_point(
    session: &Session,
    of: CodeUnit,
    each: &mut dyn FnMut(SequencePoint) -> ControlFlow<()>,
) -> Result<(), Error> {
    match of {
        CodeUnit::Method(token) => match session.symbols() {
            Some(symbols) if (1..=symbols.methods()).contains(&token.row()) => symbols.points(token, each),
            _ => Ok(()),
        },
        CodeUnit::Function(rva) => {
            let Some((native, function)) = function_at(session, rva) else { return Ok(()) };
            let lines = native.lines_of(&function);
            let _ = lines.points.into_iter().try_for_each(each);
            lines.error.map_or(Ok(()), Err)
        }
    }
}

/// The first point of a method or a function that is meant, and its number, from 1. One that cannot be decoded ends the search.
pub fn find_point(
    session: &Session,
    of: CodeUnit,
    is_meant: &mut dyn FnMut(&SequencePoint) -> bool,
) -> Option<(u32, SequencePoint)> {
    let (mut number, mut found) = (0_u32, None);
    let _ = each_point(session, of, &mut |point| {
        number += 1;
        found = is_meant(&point).then_some((number, point));
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// The first point with lines.
pub fn first_visible(session: &Session, of: CodeUnit) -> Option<SequencePoint> {
    find_point(session, of, &mut |point| !point.is_hidden()).map(|(_, point)| point)
}

/// The points of a method or a function, up to one that cannot be decoded.
pub fn points(session: &Session, of: CodeUnit) -> Vec<SequencePoint> {
    let mut points = Vec::new();
    let _ = each_point(session, of, &mut |point| {
        points.push(point);
        ControlFlow::Continue(())
    });
    points
}

/// Calls `each` with every method or function that may have code in one of `documents`, and all its points, or the error if these cannot
/// be read.
pub fn each(session: &Session, documents: &[u32], each: &mut Each<'_, CodeUnit>) {
    let _ = codes(session).try_for_each(|code| code.each(documents, each));
}
