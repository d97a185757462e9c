//! The sense of a condition: its exits say which one is the body.

use pdblens_formats::sequence_point::SequencePoint;

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
    if head == Head::While || head == Head::Value && (yes_back || no_back) {
        return match (yes_back, no_back) {
            (true, _) => Ok(()),
            (false, true) => Err(Stop::refused("the loop goes on where the condition is false")),
            _ => Err(undecided("a loop that does not go back")),
        };
    }
    if head != Head::If {
        return Ok(());
    }
    let points = &body.view.points;
    let span = points[point];
    let first = |from: u32, has_braces: bool| {
        let visible = points.iter().filter(|next| next.offset >= from && !next.is_hidden());
        visible.filter(|next| has_braces || !is_narrow(next)).min_by_key(|next| next.offset)
    };
    let next = first(end, false);
    let unit = library.unit(body.member.row);
    let is_body = next.is_some_and(|next| is_inside(unit, &span, next));
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
    // Behind the last statement of a loop: one way goes on with it, the other one is `break`.
    let is_last = next.is_some_and(|next| next.start_column + 3 <= span.start_column);
    if is_last && yes_back != no_back && !is_body {
        let leaves = if no_back { yes.contains(&Exit::To(end)) } else { false };
        return if leaves { Ok(()) } else { Err(Stop::refused("the loop is left where the condition is false")) };
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
    // `else if` and `} else if` stand 5 and 7 columns right of the statement.

    let is_brace = is_narrow(point);
    let columns = i64::from(of.start_column) - i64::from(point.start_column);
    let is_else = [5, 7].contains(&(columns + if is_brace { 0 } else { i64::from(unit) }));
    // After an empty body, `else if` is to the right of the `if`, too.
    let is_other_if = !is_brace && [-5, -7].contains(&columns) && i64::from(unit) != -columns;
    point.start_column > of.start_column && !is_other_if || is_brace && columns == 0 || is_else
}
