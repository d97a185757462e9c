//! Names of the variables of machine code.

use crate::code_unit::view::MethodView;
use pdblens_formats::metadata::TableId;
use pdblens_formats::r2r::debug_info::implicit_name;
use pdblens_formats::signature::{self, Signature};
use pdblens_session::session::Session;

/// Name of a variable, by its number: arguments first, then locals.
pub fn variable_name(session: &Session, view: &MethodView, number: i32, il: u32) -> String {
    let Ok(index) = usize::try_from(number) else { return implicit_name(number).to_owned() };
    let arguments = argument_count(session, view);
    if index < arguments {
        return match view.arguments.get(index) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("argument {index}"),
        };
    }
    let slot = u16::try_from(index - arguments).unwrap_or(u16::MAX);
    view.local_name(slot, il).map_or_else(|| format!("local {slot}"), str::to_owned)
}

/// Number of arguments, `this` among them: parameters may have no rows, and so no names.
fn argument_count(session: &Session, view: &MethodView) -> usize {
    let row = view.of.token().row();
    let blob = session.metadata().and_then(|metadata| metadata.blob_cell(TableId::METHOD_DEF, row, 4).ok());
    match blob.map(|blob| signature::decode(&mut blob.cursor())) {
        Some(Ok(Signature::Method(method))) => method.parameters.len() + usize::from(method.has_this),
        _ => view.arguments.len(),
    }
}
