//! A walk along the links in files of arbitrary bytes.

use pdblens::nodes::{self, Place};
use pdblens::query::where_is::where_is;
use pdblens::session::Session;

/// Opens files and follows the links in them, as far as `most` places; places must parse back.
pub fn ask(files: Vec<(&str, Vec<u8>)>, most: usize) {
    if files.is_empty() {
        return;
    }
    let Ok(session) = Session::from_bytes(files.into_iter().map(|(name, bytes)| (name.into(), bytes)).collect()) else {
        return;
    };
    let mut open = vec![Place::Methods, Place::Findings, Place::Overview, Place::Places];
    let mut seen = std::collections::HashSet::new();
    while let Some(place) = open.pop().filter(|_| seen.len() < most) {
        if !seen.insert(place) {
            continue;
        }
        assert_eq!(place.to_string().parse(), Ok(place), "{place}");
        if let Some(rows) = nodes::rows(&session, place) {
            let rows: Vec<_> =
                rows.window(0..3).chain(rows.window(rows.len.saturating_sub(1).max(3)..rows.len)).collect();
            open.extend(
                rows.iter().flat_map(|row| row.place.into_iter().chain(row.cells.iter().filter_map(|cell| cell.to))),
            );
        }
        if let Some(fields) = nodes::fields(&session, place) {
            open.extend(fields.rows.iter().filter_map(|row| row.to).take(8));
        }
        nodes::context(&session, place);
    }
    for row in 1..=session.methods().min(8) {
        where_is(&session, nodes::Token(0x0600_0000 | row), 3);
    }
}
