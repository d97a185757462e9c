//! Parts of a method, each a place of its own.

use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{self as nodes, MethodPart, Place};
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;

/// Parts that have a list or a record, in the order of the help.
const PARTS: [MethodPart; 6] =
    [MethodPart::Points, MethodPart::Il, MethodPart::Body, MethodPart::Regions, MethodPart::Scopes, MethodPart::Native];

/// Parts of a method that are not empty, with their sizes; `None` where there is no such method.
pub(crate) fn part_list(session: &Session, method: Token) -> Option<Rows<'_>> {
    if !super::is_there(session, method) {
        return None;
    }
    let row = |part: MethodPart| {
        let place = Place::MethodPart(method, part);
        let list = nodes::rows(session, place).filter(|rows| rows.len > 0);
        let (what, size) = match (list, part) {
            (Some(rows), _) => ("list", Cell::count(rows.len as u64, "row")),
            (None, MethodPart::Body) => {
                ("record", Cell::count(nodes::fields(session, place)?.leaves().count() as u64, "field"))
            }
            (None, _) => return None,
        };
        let cells = vec![Cell::new(place.to_string()).to(place), Cell::new(what), Cell { tone: Tone::Dim, ..size }];
        Some(Row::at(place, cells))
    };
    let rows: Vec<Row> = PARTS.into_iter().filter_map(row).collect();
    let columns = Head::list(["place", "what", "size"]);
    Some(Rows::of(format!("{} · parts", session.method_name(method)), columns, rows))
}
