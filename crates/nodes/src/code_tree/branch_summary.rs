//! Totals of a branch of the tree: of a module or a type.

use super::code_size;
use crate::method;
use crate::native::NativeView;
use crate::place::{Place, Side};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Totals of a module or a type in a sentence; `None` for other places, and while the functions have not been read.
pub fn branch_summary(session: &Session, place: Place) -> Option<String> {
    match place {
        Place::Module(number) => module_summary(session, number),
        Place::Row(Side::Image, TableId::TYPE_DEF, row) => type_summary(session, row),
        _ => None,
    }
}

fn module_summary(session: &Session, number: u32) -> Option<String> {
    let native = NativeView::of(session).filter(NativeView::is_read)?;
    let functions = native.functions();
    let of_module = |index: &u32| functions.get(*index as usize).is_some_and(|function| function.module == number);
    let own: Vec<u32> = (0..functions.len() as u32).filter(of_module).collect();
    let lines: usize =
        own.iter().filter_map(|index| functions.get(*index as usize)).map(|function| native.line_count(function)).sum();
    let (name, object) = native.view.module_names(number);
    let path = if object.is_empty() { name.clone() } else { object };
    Some(format!(
        "{}, a module: {}, {} of code, {}. It was linked from {path}.",
        file_name(&name),
        count(own.len() as u64, "function"),
        count(code_size(native, &own), "byte"),
        count(lines as u64, "line")
    ))
}

fn type_summary(session: &Session, row: u32) -> Option<String> {
    let names = session.names()?;
    let own = (1..=session.methods()).filter(|method| names.owner(*method) == row);
    let points = |row| u64::from(method::point_count(session, Token::new(TableId::METHOD_DEF, row)).0);
    let (methods, points): (_, u64) = (own.clone().count() as u64, own.map(points).sum());
    Some(format!(
        "Type {}: {}, {}.",
        names.type_name(Token::new(TableId::TYPE_DEF, row)),
        count(methods, "method"),
        count(points, "sequence point")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_the_methods_and_points_of_its_rows() {
        let session = Session::sample();
        let owner = session.names().unwrap().owner(1);
        let text = branch_summary(&session, Place::Row(Side::Image, TableId::TYPE_DEF, owner)).unwrap();
        let own: Vec<u32> =
            (1..=session.methods()).filter(|row| session.names().unwrap().owner(*row) == owner).collect();
        assert!(text.starts_with("Type ") && text.contains(&count(own.len() as u64, "method")), "{text}");
        assert_eq!(branch_summary(&session, Place::Methods), None);
    }
}
