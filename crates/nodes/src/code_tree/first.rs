//! First row of the code: the entry point, and the first method or function with points or code.

use super::own::{entry_function, own_function};
use crate::code_unit;
use crate::method;
use crate::native::NativeView;
use crate::place::{CodeUnit, Place};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;

pub fn entry_point(session: &Session) -> Option<CodeUnit> {
    match NativeView::of(session) {
        Some(native) => native.rva_of(&entry_function(session, native)?).map(CodeUnit::Function),
        None => session.symbols()?.compilation().entry_point.map(CodeUnit::from),
    }
}

/// The first point of the method or function that the program starts with, or of the first one that has points; one that
/// is not hidden, if there is one.
pub fn first_point(session: &Session) -> Option<Place> {
    const TRIED: u32 = 2000;
    let first_of = |of: CodeUnit, hidden: bool| {
        let found = code_unit::find_point(session, of, &mut |point| hidden || !point.is_hidden());
        found.map(|(number, _)| of.point(number))
    };
    let own = own_function(session);
    let first = |hidden: bool| {
        let units = code_unit::codes(session)
            .flat_map(|code| (0..code.count().min(TRIED)).filter_map(move |index| code.unit(index)));
        let mut all = units.take(TRIED as usize);
        let entry = entry_point(session).and_then(|of| first_of(of, hidden));
        let own = own.and_then(|of| first_of(of, hidden));
        own.or(entry).or_else(|| all.find_map(|of| first_of(of, hidden)))
    };
    first(false).or_else(|| first(true))
}

/// The method that the image says the program starts with, or the first one that has IL: where to begin without points.
pub fn first_body(session: &Session) -> Option<Place> {
    const TRIED: u32 = 2000;
    let has_body = |method: &Token| method::body(session, *method).is_ok_and(|body| body.is_some());
    let named = session.image()?.pe.cli.as_ref().map(|cli| Token(cli.entry_point_token));
    let named = named.filter(|token| token.table() == TableId::METHOD_DEF && has_body(token));
    let first = || (1..=session.methods().min(TRIED)).map(|row| Token::new(TableId::METHOD_DEF, row)).find(has_body);
    named.or_else(first).map(Place::Method)
}
