//! The sequence points on a line of the source.

use pdblens_nodes::method::MethodView;
use pdblens_nodes::{Place, code_unit};
use pdblens_query::breakpoint::{self, LineQuery};
use pdblens_session::session::Session;

/// The point on a line, or at a column of it; `current` is preferred among several.
pub(super) fn point_at(
    view: &MethodView,
    document: u32,
    line: u32,
    column: Option<u32>,
    current: Option<usize>,
) -> Option<usize> {
    let there = |index: &usize| {
        view.points.get(*index).is_some_and(|point| {
            let lines = point.start_line..=point.end_line;
            !point.is_hidden() && point.document == document && lines.contains(&line)
        })
    };
    let under = |index: &usize| {
        let (Some(point), Some(column)) = (view.points.get(*index), column) else { return false };
        (line > point.start_line || column >= point.start_column)
            && (line < point.end_line || column < point.end_column || point.end_column == 0)
    };
    let begins = |index: &usize| view.points.get(*index).is_some_and(|point| point.start_line == line);
    let all = || (0..view.points.len()).filter(there);
    // In order of preference: the smallest under the mouse, the selected one, the first that begins here, any.
    let size = |index: &usize| view.points.get(*index).map(|p| (p.end_line - p.start_line, p.end_column));
    all()
        .filter(under)
        .min_by_key(size)
        .or_else(|| current.filter(|index| column.is_none() && there(index)))
        .or_else(|| all().find(begins))
        .or_else(|| all().next())
}

/// The point of any method on a line.
pub(super) fn elsewhere(session: &Session, document: u32, line: u32, column: Option<u32>) -> Option<Place> {
    // With very many methods a search at every key would be slow.
    if code_unit::count(session) > 20_000 {
        return None;
    }
    let found = breakpoint::bind(session, &LineQuery::of(document, line, column));
    if found.line != line {
        return None;
    }
    let hit = found.hits.first()?;
    Some(hit.place())
}
