//! Braces of debug code: which of the two a point of one column is.

use pdblens_formats::il::{FlowControl, Operation};
use pdblens_formats::sequence_point::SequencePoint;

use super::body::{Body, target};

fn is_brace(body: &Body<'_>, point: &SequencePoint) -> bool {
    let is_narrow = point.start_line == point.end_line && point.end_column == point.start_column.saturating_add(1);
    let first = body.at(point.offset).map(|first| first.opcode.operation());
    // An expression of one character computes something.
    is_narrow && !matches!(first, Some(Operation::LoadNumber | Operation::LoadNull))
}

/// Returns true for code that `{` may have: nothing, or the object of captured variables.
fn may_open(body: &Body<'_>, point: &SequencePoint) -> bool {
    let first = body.at(point.offset).map(|first| first.opcode.operation());
    matches!(first, Some(Operation::Nothing | Operation::NewObject))
}

/// Some true for `{`, some false for `}`; none for a point that is no brace.
pub(super) fn brace(body: &Body<'_>, point: usize) -> Option<bool> {
    body.braces.get_or_init(|| of(body)).get(point).copied().flatten()
}

/// For each point: some true for `{`, some false for `}`; none for other points.
///
/// Blocks nest in the source. A brace in the column of the block that was opened last closes it; one right of it, or behind the head of
/// its statement, opens another. A block whose end is not reached has no point for it: code tells that no path leads there.
fn of(body: &Body<'_>) -> Vec<Option<bool>> {
    let points = &body.view.points;
    let mut found = vec![None; points.len()];
    if !body.is_debug() {
        // Optimised code has no points for `{`.
        found.iter_mut().zip(points.iter()).for_each(|(found, point)| *found = is_brace(body, point).then_some(false));
        return found;
    }
    let mut order: Vec<usize> = (0..points.len()).filter(|at| !points[*at].is_hidden()).collect();
    order.sort_by_key(|at| (points[*at].document, points[*at].start_line, points[*at].start_column));
    // Blocks, and the column in which their lines begin.
    let mut opened: Vec<(usize, u32)> = Vec::new();
    let mut at = 0;
    while let Some(first) = order.get(at).copied() {
        let point = &points[first];
        let of_line = order[at..].iter().take_while(|other| {
            (points[**other].document, points[**other].start_line) == (point.document, point.start_line)
        });
        let of_line: Vec<usize> = of_line.copied().collect();
        at += of_line.len();
        let braces: Vec<usize> = of_line.iter().copied().filter(|at| is_brace(body, &points[*at])).collect();
        // A point to the left of a block is after its end, even if the end has no point; so is a statement in its column.
        let least = if braces.first() == Some(&first) { point.start_column + 1 } else { point.start_column };
        while opened
            .last()
            .is_some_and(|(open, column)| point.start_line > points[*open].start_line && least <= *column)
        {
            opened.pop();
        }
        match braces[..] {
            [] => {}
            [only] => {
                let brace = &points[only];
                let is_in_column = |column: u32| first == only && column == brace.start_column;
                let closes = opened.last().is_some_and(|(open, column)| {
                    is_in_column(*column) && is_reached(body, points[*open].offset, brace.offset)
                });
                let opens = may_open(body, brace) && !closes;
                // A block in the same column ended without a point.
                if !opens || opened.last().is_some_and(|(_, column)| is_in_column(*column)) {
                    opened.pop();
                }
                if opens {
                    opened.push((only, point.start_column));
                }
                found[only] = Some(opens);
            }
            // `{ statement; }`, `{ }`, or `} else {`.
            [left, right] => {
                let position = |of: usize| of_line.iter().position(|at| *at == of);
                let is_between = position(right) > position(left).map(|left| left + 1);
                let is_block = is_between || points[right].start_column <= points[left].start_column + 2;
                if is_block && may_open(body, &points[left]) {
                    (found[left], found[right]) = (Some(true), Some(false));
                } else if may_open(body, &points[right]) {
                    (found[left], found[right]) = (Some(false), Some(true));
                    opened.pop();
                    opened.push((right, point.start_column));
                }
            }
            // Several blocks on one line: what cannot open one closes one.
            _ => {
                for brace in braces {
                    found[brace] = if may_open(body, &points[brace]) { None } else { Some(false) };
                }
            }
        }
    }
    found
}

/// Returns true if a path leads from the block that begins at an offset to a point behind it.
fn is_reached(body: &Body<'_>, open: u32, point: u32) -> bool {
    let position = body.position(point);
    let before = position.checked_sub(1).and_then(|before| body.code.get(before));
    let falls = before.is_none_or(|before| {
        !matches!(before.opcode.flow, FlowControl::Branch | FlowControl::Return | FlowControl::Throw)
    });
    let mut jumps = body.code.iter().filter(|jump| jump.offset > open && jump.offset < point);
    falls
        || jumps.any(|jump| target(jump) == Some(point))
        || body.regions.iter().any(|region| [region.tried.end(), region.handler.end()].contains(&u64::from(point)))
}
