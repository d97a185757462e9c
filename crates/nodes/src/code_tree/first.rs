//! First row of the code: the entry point, and the first method or function with points or code.

use super::own::{MAIN, is_of_tools};
use crate::code_unit;
use crate::method;
use crate::native::NativeView;
use crate::place::{CodeUnit, Place};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;

/// Functions of the program's own code whose names and lines are looked at.
const MAX_OWN: usize = 5000;

pub fn entry_point(session: &Session) -> Option<CodeUnit> {
    let Some(native) = NativeView::of(session) else {
        return session.symbols()?.compilation().entry_point.map(CodeUnit::from);
    };
    native.rva_of(&entry_function(session, native)?).map(CodeUnit::Function)
}

fn entry_function(session: &Session, native: NativeView<'_>) -> Option<Function> {
    native.function_at(session.image()?.pe.optional.as_ref()?.standard.address_of_entry_point)
}

/// The function of the program's own code to begin with, where the entry point is that of a runtime: its `main`, else the first one
/// that has lines. `None` where all code is that of libraries, or none is.
fn own_function(session: &Session) -> Option<CodeUnit> {
    let native = NativeView::of(session)?;
    let own = native.own_modules();
    let is_own = |function: &Function| own.get(function.module as usize).copied().unwrap_or_default();
    if entry_function(session, native).as_ref().is_some_and(is_own) {
        return None;
    }
    let mine = || native.functions().iter().filter(|function| is_own(function)).take(MAX_OWN);
    let named = mine().find(|function| MAIN.contains(&native.name_of(function).as_str()));
    let documents = session.symbols()?;
    let with_lines = || {
        mine().find(|function| {
            let lines = native.lines_of(function);
            let document = lines.points.iter().find(|point| !point.is_hidden()).map(|point| point.document);
            // Functions of headers and initializers are made for the program, but not by its author.
            let is_source = |row| documents.document(row).is_ok_and(|document| !is_of_tools(&document.name));
            document.is_some_and(is_source) && !native.name_of(function).starts_with('`')
        })
    };
    named.or_else(with_lines).and_then(|function| native.rva_of(function)).map(CodeUnit::Function)
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
