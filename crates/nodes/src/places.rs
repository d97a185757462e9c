//! List of the places that the open files have.

use crate as nodes;
use crate::fields::Fields;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{Kind, LISTED, Place};
use pdblens_session::session::Session;

pub(crate) const PLACES: Kind = Kind { rows: |session, ()| Some(places_rows(session)), ..Kind::NEW };

pub(crate) fn places_rows(session: &Session) -> Rows<'_> {
    let rows = LISTED.iter().flat_map(|listed| listed(session)).filter_map(|place| {
        let (what, size) = heading(session, place)?;
        let cells = vec![Cell::new(place.to_string()).to(place), Cell::new(what), Cell { tone: Tone::Dim, ..size }];
        Some(Row::at(place, cells))
    });
    Rows::of("places", Head::list(["place", "what", "size"]), rows.collect())
}

fn heading(session: &Session, place: Place) -> Option<(String, Cell)> {
    if let Some(heading) = place.ask(|node| node.heading(session)) {
        return Some(heading);
    }
    let fields = |fields: Fields| (fields.title.clone(), Cell::count(fields.leaves().count() as u64, "field"));
    match nodes::rows(session, place) {
        Some(rows) => Some((rows.title, Cell::count(rows.len as u64, "row"))),
        None => nodes::fields(session, place).map(fields),
    }
}
