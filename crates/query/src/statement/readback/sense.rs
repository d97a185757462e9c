//! The sense of a condition: its exits say which one is the body.

use pdblens_formats::sequence_point::SequencePoint;

use super::super::binding::ELSE_IF;
use super::super::body::Body;
use super::super::library::Library;
use super::machine::Exit;
use super::proof::{Proven, Stop, undecided};
use super::text::Head;

/// Refuses a condition whose true exit leads where the false one should, and leaves open one whose layout says nothing.
pub(super) fn check(
    (library, body): (&Library<'_>, &Body<'_>),
    point: usize,
    head: Head,
    yes: &[Exit],
    no: &[Exit],
) -> Proven<()> {
    if yes.is_empty() || no.is_empty() {
        return Ok(());
    }
    if yes.iter().any(|exit| no.contains(exit)) {
        return Err(Stop::refused("both outcomes go the same way"));
    }
    let (start, end) = body.ranges[point];
    let goes_back = |exits: &[Exit]| exits.iter().any(|exit| matches!(exit, Exit::To(to) if *to <= start));
    let (yes_back, no_back) = (goes_back(yes), goes_back(no));
    let points = &body.view.points;
    let span = points[point];
    let is_before =
        |other: &SequencePoint| (other.start_line, other.start_column) <= (span.start_line, span.start_column);
    if head == Head::While || head == Head::Value {
        // The body of a loop begins with a point; that of a `for` is below its condition.
        let is_body = |exit: &Exit| match exit {
            Exit::To(to) => points.iter().any(|body| {
                let is_it = body.offset == *to && *to <= start && !body.is_hidden();
                is_it && (head == Head::While || !is_before(body))
            }),
            _ => false,
        };
        return match (yes_back, no_back) {
            (true, false) if yes.iter().any(is_body) => Ok(()),
            (false, true) if head == Head::While => Err(Stop::refused("the loop goes on where the condition is false")),
            (false, false) if head == Head::Value => Err(undecided("a condition without its word")),
            _ => Err(undecided("a loop that does not go back")),
        };
    }
    if head != Head::If {
        return Ok(());
    }
    let first = |from: u32, has_braces: bool| {
        let visible = points.iter().filter(|next| next.offset >= from && !next.is_hidden());
        visible.filter(|next| has_braces || !is_narrow(next)).min_by_key(|next| next.offset)
    };
    let next = first(end, false);
    let Some(unit) = library.unit(body.member.row, span.document) else {
        return Err(undecided("a condition in a text of tabs and spaces"));
    };
    // No statement is left of the `}` of its method.
    let is_left =
        |next: &SequencePoint| points.last().is_some_and(|end| is_narrow(end) && next.start_column < end.start_column);
    if next.is_some_and(is_left) {
        return Err(undecided("a condition in a text of tabs and spaces"));
    }
    let is_body = match next.filter(|next| is_inside(unit, &span, next)) {
        Some(next) if next.start_line > span.end_line => is_loop_inside(unit, points, &span, next)?,
        next => next.is_some(),
    };
    // After `if (c) foreach (var x in xs)`, the next point is `xs`: the body begins on the same line.
    if !is_body && next.is_some_and(|next| next.start_line == span.end_line) {
        return Err(undecided("a condition with statements behind it"));
    }
    // A tab is one level; `while (true)` and `try` have no points.
    if unit == 1
        && is_body
        && next.is_some_and(|next| next.start_column > span.start_column + 2 && next.start_line > span.end_line)
    {
        return Err(undecided("a condition in a column of its own"));
    }
    if !is_body && next.is_some_and(|next| is_deep_in_else(unit, points, &span, next)) {
        return Err(undecided("a condition that may be that of `else if`"));
    }
    if !is_body && is_irregular(unit, points, &span) {
        return Err(undecided("a condition in a column of its own"));
    }
    // A body that begins far below may be that of the `else`.
    if is_body && next.is_some_and(|next| next.start_line > span.end_line + 3) {
        return Err(undecided("a condition whose body is far away"));
    }
    let (yes_falls, no_falls) = (yes.contains(&Exit::To(end)), no.contains(&Exit::To(end)));
    // A jump back to points below is the test of a loop.
    let leads_below = |exits: &[Exit]| {
        exits.iter().any(|exit| match exit {
            Exit::To(to) if *to <= start => first(*to, true)
                .is_some_and(|first| (first.start_line, first.start_column) > (span.end_line, span.end_column)),
            _ => false,
        })
    };
    if points.get(point + 1).is_some_and(|next| next.is_hidden() && next.offset == end) {
        return Err(undecided("a condition before hidden code"));
    }
    if leads_below(yes) {
        return Err(Stop::refused("a loop is no if"));
    }
    if leads_below(no) {
        return Err(Stop::refused("the loop below goes on where the condition is false"));
    }
    // Behind the last statement of a loop one way goes on with it: the other one is `break`, or `continue` has a `break` below.
    let is_last = next.is_some_and(|next| next.start_column + unit.min(3) <= span.start_column);
    let goes_on = |exits: &[Exit]| {
        exits.iter().any(
            |exit| matches!(exit, Exit::To(to) if first(*to, true).is_some_and(|to| to.start_line < span.start_line)),
        )
    };
    if is_last && !is_body && goes_on(yes) != goes_on(no) {
        return Err(undecided("a condition at the end of a loop"));
    }
    if no_back && !yes_back && !is_body {
        return Err(Stop::refused("the loop goes on where the condition is false"));
    }
    match (yes_falls, no_falls, is_body) {
        (true, false, true) | (false, true, false) => Ok(()),
        (false, true, true) => Err(Stop::refused("falls into the body where the condition is false")),
        (true, false, false) if next.is_some() => {
            Err(Stop::refused("the body is a bare jump, which is taken where the condition is false"))
        }
        _ if yes_back && !no_back => Ok(()),
        _ => Err(undecided("where a condition leads")),
    }
}

fn is_narrow(point: &SequencePoint) -> bool {
    point.start_line == point.end_line && point.end_column == point.start_column + 1
}

/// Returns true for a point that lies inside of the statement whose condition is at another: below and deeper, or behind it.
fn is_inside(unit: u32, of: &SequencePoint, point: &SequencePoint) -> bool {
    if point.document != of.document {
        return false;
    }
    // On the same line a body begins at once; a jump that was there is wider.
    if point.start_line == of.end_line && point.start_column > of.end_column {
        return point.start_column <= of.end_column + 4;
    }
    if point.start_line <= of.start_line {
        return false;
    }
    let is_brace = is_narrow(point);
    let columns = i64::from(of.start_column) - i64::from(point.start_column);
    let is_else = is_else_if(columns + if is_brace { 0 } else { i64::from(unit) });
    // After an empty body, `else if` is to the right of the `if`, too.
    let is_other_if = !is_brace && is_else_if(-columns) && i64::from(unit) != -columns;
    point.start_column > of.start_column && !is_other_if || is_brace && columns == 0 || is_else
}

/// Columns before the first point of `for(` and `for (`, and of `foreach(` and `foreach (`, which may have `await`.
const FOR: &[u32] = &[4, 5];
const FOREACH: &[u32] = &[8, 9, 14, 15];

/// Returns whether the statement below a condition is inside its `if`, where the first point of the statement is to the right of the condition.
/// Optimised code has no point at the keyword of a `for` or `foreach`: its first point is further right, and the keyword may be in the column
/// of the condition. Debuggable code has a point at `foreach`.
fn is_loop_inside(unit: u32, points: &[SequencePoint], of: &SequencePoint, point: &SequencePoint) -> Proven<bool> {
    let on_line = || {
        let visible = points.iter().filter(|other| !other.is_hidden() && other.document == point.document);
        visible.filter(|other| other.start_line == point.start_line)
    };
    // In a `foreach`, the collection follows the variable; in a `for`, the condition follows a semicolon.
    let left = on_line().map(|other| other.start_column).min().unwrap_or(point.start_column);
    let has_in =
        || on_line().any(|other| other.end_line == other.start_line && other.end_column == other.start_column + 2);
    let words = if left < point.start_column {
        FOREACH
    } else if on_line().any(|other| other.start_column == point.end_column + 2) && !has_in() {
        FOR
    } else {
        return Ok(true);
    };
    let starts = words.iter().filter_map(|columns| left.checked_sub(*columns));
    let (inside, outside): (Vec<u32>, Vec<u32>) = starts
        .filter(|start| start.abs_diff(of.start_column).is_multiple_of(unit))
        .partition(|start| *start > of.start_column);
    if !inside.is_empty() && !outside.is_empty() {
        return Err(undecided("a condition before the head of a loop"));
    }
    Ok(outside.is_empty())
}

fn is_else_if(columns: i64) -> bool {
    ELSE_IF.iter().any(|own| i64::from(*own) == columns)
}

/// The columns of the statements that an `if` may be the `else` of: points above begin there.
fn chains(points: &[SequencePoint], of: &SequencePoint) -> impl Iterator<Item = i64> {
    let own = ELSE_IF.map(|columns| i64::from(of.start_column) - i64::from(columns));
    let is_above = |column: &i64| {
        points.iter().any(|other| i64::from(other.start_column) == *column && other.start_line < of.start_line)
    };
    own.into_iter().filter(is_above)
}

/// Returns true for a point two or three levels below an `else if`, where the statements between have no points: `while (true)` has none.
/// With tabs it may have any smaller column than the `if`.
fn is_deep_in_else(unit: u32, points: &[SequencePoint], of: &SequencePoint, point: &SequencePoint) -> bool {
    let is_below = |own: i64, levels: i64| i64::from(point.start_column) == own + levels * i64::from(unit);
    chains(points, of).any(|own| is_below(own, 2) || is_below(own, 3))
}

/// Returns true for an `if` in a column that no level of indentation has: tabs and spaces are mixed, or it does not begin its line.
fn is_irregular(unit: u32, points: &[SequencePoint], of: &SequencePoint) -> bool {
    unit > 1 && of.start_column % unit != 1 && chains(points, of).next().is_none()
}
