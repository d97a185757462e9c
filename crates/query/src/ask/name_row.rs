//! Rows of names as the Scopes pane prints them: `• total  int  slot 1`, `scope  IL_0000..IL_002b`.

use super::cut::is_cut_of;
use super::{Answer, Here};
use crate::scope_names::{NameRow, names};
use pdblens_nodes::Place;
use pdblens_nodes::code_unit;
use pdblens_nodes::method::MethodView;
use pdblens_session::session::Session;

/// Kinds of names in the lists of the commands.
const KINDS: [&str; 2] = ["local", "const"];

/// The records of the names of the selected method that `cells` are the row of.
pub(super) fn all(session: &Session, cells: &[&str], here: Here) -> Vec<(Place, String)> {
    let Some(of) = here.code.filter(|_| !cells.is_empty()) else { return Vec::new() };
    let rows = names(session, &MethodView::of(session, of));
    let mut found: Vec<(Place, String)> = Vec::new();
    for (row, place) in rows.iter().filter_map(|row| Some((row, row.row.place?))).filter(|(row, _)| is_row(row, cells))
    {
        if !found.iter().any(|(other, _)| *other == place) {
            let own: Vec<&str> =
                row.row.cells.iter().map(|cell| cell.text.as_str()).filter(|t| !t.is_empty()).collect();
            found.push((place, format!("{} in {}", own.join(" "), code_unit::name(session, of))));
        }
    }
    found
}

/// Returns whether the cells, which may be cut and in another order, are those of a row; a variable of optimised code has another location
/// at each offset.
fn is_row(row: &NameRow, cells: &[&str]) -> bool {
    let Some((name, others)) = row.row.cells.split_first() else { return false };
    let own = name.text.trim();
    // A name alone says too little, but an import has nothing beside it.
    if let [typed] = cells {
        return row.range.is_none()
            && row.scope.is_none()
            && others.is_empty()
            && is_cut_of(typed, own)
            && row.row.depth > 0;
    }
    let named = [own.to_owned(), format!("{own} {}", name.beside), format!("{} {own}", name.beside)];
    let is_name = |typed: &&str| named.iter().any(|text| is_cut_of(typed, text.trim()));
    let is_beside = |typed: &str| {
        let plain = typed.strip_suffix(" end exclusive").unwrap_or(typed);
        let is_cell = |text: &str| is_cut_of(plain, text) || text.strip_prefix("= ").is_some_and(|text| text == plain);
        others.iter().any(|cell| is_cell(&cell.text)) || KINDS.contains(&plain) || plain == name.beside
    };
    let Some(at) = cells.iter().position(is_name) else { return false };
    let beside: Vec<&str> = cells.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, cell)| *cell).collect();
    let is_moving = row.moving.is_some();
    beside.iter().all(|typed| is_beside(typed) || is_moving) && beside.iter().any(|typed| !KINDS.contains(typed))
}

/// The first of them.
pub(super) fn first(session: &Session, cells: &[&str], here: Here) -> Option<Answer> {
    all(session, cells, here).into_iter().next().map(Ok)
}
