//! Braces of debug code: which of the two a point of one column is.

use pdblens_formats::il::{FlowControl, Operation, RegionKind, Variable};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::Type;

use super::binding::ELSE_IF;
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

/// Returns true for code that keeps the address of a `fixed`.
fn begins_fixed(body: &Body<'_>, point: usize) -> bool {
    let (start, end) = body.ranges[point];
    let mut code = body.code.iter().skip(body.position(start)).take_while(|instruction| instruction.offset < end);
    code.any(|stored| match stored.variable() {
        Some(Variable::Local(slot)) if stored.opcode.operation() == Operation::StoreVariable => {
            matches!(*body.local_type(slot), Type::Pinned(_))
        }
        _ => false,
    })
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
    let span = |at: usize| {
        let point = &points[at];
        (point.document, point.start_line, point.start_column, point.end_line, point.end_column)
    };
    let mut order: Vec<usize> = (0..points.len()).filter(|at| !points[*at].is_hidden()).collect();
    order.sort_by_key(|at| span(*at));
    // Several points of a span are one brace: the `try` and the `finally` of a finaliser have its `{` and `}`, too.
    order.dedup_by_key(|at| span(*at));
    let mut found = if body.is_debug() {
        let mut found = nested(body, &order);
        forget_unconfirmed(body, &order, &mut found);
        found
    } else {
        // Optimised code has no points for `{`, unless a `fixed` behind it has its address there.
        let brace = |(at, point): (usize, &SequencePoint)| is_brace(body, point).then(|| begins_fixed(body, at));
        points.iter().enumerate().map(brace).collect()
    };
    // An iterator and a method with `fixed` have their own `{` in optimised code, too: no `}` is the first point of a source.
    if let [first, _, ..] = order[..]
        && found[first].is_some()
    {
        found[first] = Some(true);
    }
    for at in 0..points.len() {
        if let Ok(first) = order.binary_search_by_key(&span(at), |at| span(*at)) {
            found[at] = found[order[first]];
        }
    }
    found
}

/// A block that is open.
struct OpenBlock {
    brace: usize,
    /// The column of the first point in it.
    inside: u32,
    /// The column of its `}`; if the line of `{` begins before its first point, the last column that `}` can have.
    column: u32,
    is_exact: bool,
}

impl OpenBlock {
    /// The block of a brace on a line whose first point is in a column; `next` is the first point below.
    fn new(brace: usize, column: u32, next: Option<(u32, bool)>) -> Self {
        let inside = next.map_or(column, |(inside, _)| inside);
        match next {
            // The line begins before its first point: `try {`, `for (; i < n; i++) {`. The brace below may be its `}`. A damaged file may
            // have column 0.
            Some((inside, is_brace)) if inside < column || inside == column && !is_brace => {
                Self { brace, inside, column: inside.max(1) - u32::from(!is_brace), is_exact: false }
            }
            _ => Self { brace, inside, column, is_exact: true },
        }
    }

    /// Returns true for the column of `else if` behind the block, whose own statements are in another one.
    fn is_else(&self, column: u32) -> bool {
        self.is_exact && column != self.inside && ELSE_IF.iter().any(|width| self.column + width == column)
    }

    fn may_close_in(&self, column: u32) -> bool {
        if self.is_exact { column == self.column } else { column <= self.column }
    }
}

/// The braces of debug code; `order` is that of the source.
fn nested(body: &Body<'_>, order: &[usize]) -> Vec<Option<bool>> {
    let points = &body.view.points;
    let mut found = vec![None; points.len()];
    let mut opened: Vec<OpenBlock> = Vec::new();
    let last = order.iter().copied().max();
    let mut at = 0;
    while let Some(first) = order.get(at).copied() {
        let point = &points[first];
        let of_line = order[at..].iter().take_while(|other| {
            (points[**other].document, points[**other].start_line) == (point.document, point.start_line)
        });
        let of_line: Vec<usize> = of_line.copied().collect();
        at += of_line.len();
        let next = order.get(at).map(|next| &points[*next]).filter(|next| next.document == point.document);
        let next = next.map(|next| (next.start_column, is_brace(body, next)));
        let braces: Vec<usize> = of_line.iter().copied().filter(|at| is_brace(body, &points[*at])).collect();
        let column = point.start_column;
        let begins = braces.first() == Some(&first);
        let exact = opened.iter().rposition(|block| begins && block.is_exact && block.column == column);
        let closed = exact.or_else(|| opened.iter().rposition(|block| begins && block.may_close_in(column)));
        // The body of a method does not end before its last point, which `#line` may put anywhere.
        let cannot_end = |block: &OpenBlock| block.brace == order[0] && Some(first) != last;
        // A point to the left of a block is after its end, even if the end has no point; so is a statement in its column.
        let least = if begins { column + 1 } else { column };
        match closed {
            Some(block) => opened.truncate(block + 1),
            None => while opened.pop_if(|block| least <= block.column || block.is_else(column)).is_some() {},
        }
        match braces[..] {
            [] => {}
            [only] => {
                let brace = &points[only];
                let is_in_column = first == only && opened.last().is_some_and(|block| block.may_close_in(column));
                let is_end = |block: &OpenBlock| is_reached(body, points[block.brace].offset, brace.offset);
                let closes = is_in_column && opened.last().is_some_and(is_end) && !begins_finally(body, brace.offset);
                // `x => {` and `try {` below it may have one column.
                if closes && opened.last().is_some_and(cannot_end) {
                    opened.push(OpenBlock::new(only, column, next));
                    continue;
                }
                let opens = may_open(body, brace) && !closes;
                // A block in the same column ended without a point.
                if !opens || is_in_column {
                    opened.pop();
                }
                if opens {
                    opened.push(OpenBlock::new(only, column, next));
                }
                found[only] = Some(opens);
            }
            // `{ if (c) { return; } goto end; }`: a `}` that no path reaches has no point.
            [_, right] if of_line.last() != Some(&right) => {}
            // `} else {`, or `{ statement; }` and `{ }`.
            [left, right] => {
                let may_end = |block: &OpenBlock| block.may_close_in(column) && !cannot_end(block);
                let closes = begins && opened.last().is_some_and(may_end);
                if closes && may_open(body, &points[right]) {
                    (found[left], found[right]) = (Some(false), Some(true));
                    opened.pop();
                    opened.push(OpenBlock::new(right, column, next));
                } else if may_open(body, &points[left]) {
                    (found[left], found[right]) = (Some(true), Some(false));
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

/// Forgets a brace alone on its line that the lines around it do not confirm. What is in a block is right of its `{`, unless the line of
/// the brace begins before it: `try {`. An empty block is below its head. What follows a `}` is not right of it, unless it is an `else if`
/// or the statement of an `else`, which has no point.
fn forget_unconfirmed(body: &Body<'_>, order: &[usize], found: &mut [Option<bool>]) {
    let points = &body.view.points;
    let line = |at: usize| (points[at].document, points[at].start_line);
    let mut lines = order.chunk_by(|left, right| line(*left) == line(*right)).peekable();
    let mut previous: Option<u32> = None;
    // Columns in which a line begins with a brace.
    let mut first_columns = Vec::new();
    while let Some(of_line) = lines.next() {
        let brace = of_line[0];
        let column = points[brace].start_column;
        // The first brace of a method is a `{`.
        let Some(above) = previous.replace(column) else { continue };
        let ([_], Some(opens), Some(below)) = (of_line, found[brace], lines.peek()) else { continue };
        let next = &points[below[0]];
        if next.document != points[brace].document {
            continue;
        }
        let is_brace_below = is_brace(body, next);
        let is_inside = next.start_column > column;
        // The body of a constructor is below the call of another one, which may stand anywhere.
        let is_body = below.last() == order.last();
        let is_empty = is_brace_below && next.start_column == column && (above == column || is_body);
        let is_behind_head =
            !is_brace_below && above < column.min(next.start_column) && !first_columns.contains(&column);
        let is_else_if = ELSE_IF.iter().any(|width| column + width == next.start_column);
        let is_confirmed = if opens { is_inside || is_empty || is_behind_head } else { !is_inside || is_else_if };
        if !is_behind_head || !is_confirmed {
            first_columns.push(column);
        }
        if !is_confirmed {
            found[brace] = None;
        }
    }
}

/// Returns true for the first visible point of a `finally`, which has no point for its keyword.
fn begins_finally(body: &Body<'_>, point: u32) -> bool {
    let mut handlers = body.regions.iter().filter(|region| matches!(region.kind, RegionKind::Finally));
    handlers.any(|region| {
        let is_before = |other: &SequencePoint| (region.handler.start..point).contains(&other.offset);
        let is_inside = (u64::from(region.handler.start)..region.handler.end()).contains(&u64::from(point));
        is_inside && !body.view.points.iter().any(|other| !other.is_hidden() && is_before(other))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_left_of_what_is_inside() {
        let try_on_a_line = OpenBlock::new(0, 13, Some((9, false)));
        assert!(try_on_a_line.may_close_in(5) && try_on_a_line.may_close_in(8) && !try_on_a_line.may_close_in(9));
        let alone = OpenBlock::new(0, 5, Some((9, false)));
        assert!(alone.may_close_in(5) && !alone.may_close_in(4));
        // Columns begin at 1, but a file may have another one.
        assert!(OpenBlock::new(0, 4, Some((0, false))).may_close_in(0));
    }
}
