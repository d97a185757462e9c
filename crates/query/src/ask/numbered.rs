//! Numbers that refer to what is selected: `#18`, `row 18`, `point 3`, `scope 2`, as lists count and breadcrumbs write.

use super::{Answer, Here, plain};
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::method::MethodView;
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

/// The list that a row is of, and the words before its number.
fn row_of_selection(session: &Session, here: Here, number: u32) -> Option<Place> {
    let place = match here.place? {
        Place::Table(side, table) | Place::Row(side, table, _) => Place::Row(side, table, number),
        Place::Documents | Place::Document(_) | Place::Line(..) => Place::Document(number),
        Place::Mdb(table) | Place::MdbRow(table, _) => Place::MdbRow(table, number),
        _ => return None,
    };
    nodes::exists(session, place).then_some(place)
}

/// The sequence point or line of that number in the selected method or function.
fn point(session: &Session, here: Here, number: u32) -> Option<Place> {
    let of = here.code?;
    (1..=MethodView::of(session, of).points.len()).contains(&(number as usize)).then(|| of.point(number))
}

/// The scope of that number in the selected method.
fn scope(session: &Session, here: Here, number: u32) -> Option<Place> {
    let view = MethodView::of(session, here.code?);
    let scope = view.scopes.get((number as usize).checked_sub(1)?)?;
    scope.record.map(Place::from)
}

/// Everything of the selection that has a number, what is selected first: a row of the selected table or list, a sequence point and a
/// scope of the selected method.
pub(super) fn all(session: &Session, typed: &str, here: Here) -> Vec<Place> {
    let Some(number) = typed.strip_prefix('#').and_then(|digits| digits.parse::<u32>().ok()) else { return Vec::new() };
    let found = [row_of_selection, point, scope].into_iter().filter_map(|of| of(session, here, number));
    let document = Some(Place::Document(number)).filter(|place| nodes::exists(session, *place));
    let mut places: Vec<Place> = found.chain(document).collect();
    let mut seen = Vec::new();
    places.retain(|place| {
        !seen.contains(place) && {
            seen.push(*place);
            true
        }
    });
    places
}

/// The first of them; and a number after a word that says of what it is.
pub(super) fn numbered(session: &Session, typed: &str, here: Here) -> Option<Answer> {
    if typed.strip_prefix('#').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())) {
        let none = || Err(format!("nothing of the selection has the number {}", typed.trim_start_matches('#')));
        return Some(all(session, typed, here).first().map_or_else(none, |place| Ok(plain(*place))));
    }
    let (word, number) = typed.split_once(' ')?;
    let number: u32 = number.trim().parse().ok()?;
    let of = match word {
        "row" => row_of_selection,
        "point" => point,
        "line" if here.code.is_some_and(CodeUnit::is_native) => point,
        "scope" => scope,
        _ => return None,
    };
    let none = || format!("there is no {word} {number} in what is selected");
    Some(of(session, here, number).map(plain).ok_or_else(none))
}
