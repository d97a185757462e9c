//! The thread through the views: what is selected in one is shown in the next, where that can show it.

use crate::state::selection::SelectionContext;
use crate::state::view::View;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_nodes::method::point_extent;
use pdblens_nodes::table::context::list_owner;
use pdblens_nodes::{Place, Side};
use pdblens_query::breakpoint::{self, LineQuery};
use pdblens_session::session::Session;

/// Methods from which a line is not looked up: reading all their points takes too long for a key press.
const MAX_METHODS: u32 = 20_000;

/// The place that a view begins with after `selected` of another view; `None` where the view keeps its own selection. `kept` is what
/// the view had selected before.
pub(super) fn next_place(
    session: &Session,
    view: View,
    selected: &SelectionContext,
    kept: Option<&SelectionContext>,
) -> Option<Place> {
    match (view, selected.selection.place) {
        (View::Methods, Place::Row(side, table, row)) => method_of_row(session, side, table, row),
        (View::Methods, Place::Line(document, line)) => {
            let kept = kept.filter(|kept| kept.document == Some(document));
            let is_there =
                kept.and_then(|kept| kept.lines).is_some_and(|lines| (lines.start..=lines.end).contains(&line));
            if is_there { None } else { code_on(session, document, line) }
        }
        // A frame of a trace, or the subject of a lesson.
        (View::Methods, place) if place.code_unit().is_some() => {
            let is_kept = kept.is_some_and(|kept| kept.selection.place == place);
            if is_kept { None } else { Some(place) }
        }
        (View::Sources, Place::Row(Side::Pdb, TableId::DOCUMENT, row)) => Some(Place::Document(row)),
        (View::Sources, Place::Row(side, table, row)) => {
            let method = method_of_row(session, side, table, row)?.method()?;
            let (point, _) = point_extent(session, method).ok()??;
            Some(Place::Line(point.document, point.start_line))
        }
        (View::Sources, place) if place.code_unit().is_some() => {
            let (document, lines) = (selected.document?, selected.lines?);
            Some(Place::Line(document, lines.start))
        }
        _ => None,
    }
}

/// The method that a row is, or that it is a record of: a scope, a variable, a parameter, a state machine.
fn method_of_row(session: &Session, side: Side, table: TableId, row: u32) -> Option<Place> {
    let metadata = side.metadata(session)?;
    let scope = |column| list_owner(metadata, TableId::LOCAL_SCOPE, column, row);
    let scope = match table {
        TableId::METHOD_DEBUG_INFORMATION | TableId::METHOD_DEF => return method(session, row),
        TableId::PARAM => return method(session, list_owner(metadata, TableId::METHOD_DEF, "ParamList", row)?),
        TableId::STATE_MACHINE_METHOD => return method(session, metadata.table(table).cell(row, 0).ok()?),
        TableId::LOCAL_SCOPE => row,
        TableId::LOCAL_VARIABLE => scope("VariableList")?,
        TableId::LOCAL_CONSTANT => scope("ConstantList")?,
        _ => return None,
    };
    method(session, metadata.table(TableId::LOCAL_SCOPE).cell(scope, 0).ok()?)
}

/// A method that the image or the symbols have.
fn method(session: &Session, row: u32) -> Option<Place> {
    (1..=session.methods()).contains(&row).then(|| Place::Method(Token::new(TableId::METHOD_DEF, row)))
}

fn code_on(session: &Session, document: u32, line: u32) -> Option<Place> {
    if session.methods() > MAX_METHODS {
        return None;
    }
    let found = breakpoint::bind(session, &LineQuery::of(document, line, None));
    found.hits.first().map(breakpoint::Hit::place)
}
