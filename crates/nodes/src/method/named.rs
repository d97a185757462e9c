//! Methods and their local variables, by name.

use std::ops::ControlFlow;

use super::MethodPart;
use crate::Place;
use crate::named::{AddNamed, NameList, Turn};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;

pub(super) const METHODS: &[AddNamed] = &[(Turn::Methods, methods)];

pub(super) const PARTS: &[AddNamed] = &[(Turn::Locals, locals)];

fn methods(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let known = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    let method = |row| Token::new(TableId::METHOD_DEF, row);
    let mut add = |row, name: &str| match list.add(Place::Method(method(row)), name) {
        Some(()) => ControlFlow::Continue(()),
        None => ControlFlow::Break(()),
    };
    let mut added = session.names().map_or(ControlFlow::Continue(()), |names| names.each_method(&mut add));
    for row in known.saturating_add(1)..=session.methods() {
        if added.is_break() {
            break;
        }
        added = add(row, &session.method_name(method(row)));
    }
    added.is_continue().then_some(())
}

/// Local variables and constants, of symbols that keep them in no table.
fn locals(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let Some(symbols) = session.symbols() else { return Some(()) };
    if session.portable_pdb().is_some() || symbols.methods() == 0 {
        return Some(());
    }
    for row in 1..=session.methods() {
        let method = Token::new(TableId::METHOD_DEF, row);
        let place = Place::MethodPart(method, MethodPart::Scopes);
        for scope in symbols.scopes(method, &|_| String::new()).into_iter().flatten() {
            let variables = scope.variables.iter().map(|variable| (&variable.name, variable.record.map(Place::from)));
            let constants = scope.constants.iter().map(|constant| (&constant.name, constant.record.map(Place::from)));
            for (name, own) in variables.chain(constants) {
                list.add(own.unwrap_or(place), name)?;
            }
        }
    }
    Some(())
}
