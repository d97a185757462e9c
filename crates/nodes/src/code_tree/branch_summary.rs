//! Totals of a branch of the tree: of a module or a type.

use super::native::module_summary;
use crate::method;
use crate::place::{Place, Side};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

/// Totals of a module or a type in a sentence; `None` for other places, and while the functions have not been read.
pub fn branch_summary(session: &Session, place: Place) -> Option<String> {
    match place {
        Place::Module(number) => module_summary(session, number),
        Place::Row(Side::Image, TableId::TYPE_DEF, row) => type_summary(session, row),
        _ => None,
    }
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
