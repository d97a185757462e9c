//! Questions about the points of a method or a function: a line to its code, an offset to its line.

use super::Question;
use pdblens_formats::bytes::Show;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::code_unit::{self, Words};
use pdblens_nodes::{CodeUnit, Place};
use pdblens_session::session::Session;

const MAX_POINTS: usize = 12;

pub(super) struct OffsetQuestion {
    pub question: Question,
    pub offset: u32,
}

/// Method or function that a place belongs to, and its points; `None` without two visible ones.
pub(super) fn of_place(place: Place, session: &Session) -> Option<(CodeUnit, Vec<SequencePoint>)> {
    let of = place.code_unit()?;
    Some((of, points(of, session)?))
}

pub(super) fn points(of: CodeUnit, session: &Session) -> Option<Vec<SequencePoint>> {
    let points = code_unit::points(session, of);
    (points.iter().filter(|point| !point.is_hidden()).count() > 1).then_some(points)
}

fn list(of: CodeUnit, points: &[SequencePoint]) -> String {
    let one = |point: &SequencePoint| {
        let at = of.label(point.offset.into());
        if point.is_hidden() { format!("{at} hidden") } else { format!("{at} line {}", point.start_line) }
    };
    let mut all: Vec<String> = points.iter().take(MAX_POINTS).map(one).collect();
    if points.len() > MAX_POINTS {
        all.push("…".to_owned());
    }
    all.join(" · ")
}

pub(super) fn line(of: CodeUnit, points: &[SequencePoint]) -> Option<OffsetQuestion> {
    let wide = |(index, point): &(usize, &SequencePoint)| {
        let next = points.get(index + 1).map_or(u32::MAX, |next| next.offset);
        *index < MAX_POINTS && !point.is_hidden() && next > point.offset.saturating_add(1)
    };
    let after_hidden = |(index, _): &(usize, &SequencePoint)| {
        index.checked_sub(1).and_then(|before| points.get(before)).is_some_and(SequencePoint::is_hidden)
    };
    let wide_points = || points.iter().enumerate().skip(1).filter(wide);
    let (index, point) = wide_points().find(after_hidden).or_else(|| wide_points().next())?;
    let right = i64::from(point.start_line);
    // The line number of a hidden point is 0xFEEFEE.
    let line_of = |point: Option<&SequencePoint>| point.map(|point| i64::from(point.start_line));
    let is_visible = |point: &&SequencePoint| !point.is_hidden();
    let next = line_of(points.iter().skip(index + 1).find(is_visible));
    let before = line_of(points.iter().take(index).rfind(is_visible));
    let near = [
        (next, "That is the next point: a point covers the code from its own offset up to the next one."),
        (before, "That is the point before: a later point begins at or before this offset."),
        (Some(i64::from(point.offset)), "That is the offset where the point begins: its line is asked for."),
    ];
    let offset = point.offset + 1;
    let Words { offset: noun, unit: owner, .. } = *of.words();
    let (at, begins) = (of.label(offset.into()), of.label(point.offset.into()));
    let prompt = format!("A stack trace names {noun} {at} of this {owner}. Which line does it mean?");
    let mut question = Question::of_number(prompt, right, Show::Plain)
        .fact("points", list(of, points))
        .hint("Take the last visible point whose offset is not greater.")
        .solved(format!("{begins} is the last visible point at or before {at}: line {right}"));
    for (line, because) in near {
        if let Some(line) = line {
            question.wrong(line, because);
        }
    }
    for other in points.iter().take(MAX_POINTS).filter(is_visible) {
        let own = of.label(other.offset.into());
        let why = if other.offset > offset { "which begins after" } else { "and a later point begins at or before" };
        let because = format!("That is the line of the point at {own}, {why} {at}.");
        question.wrong(i64::from(other.start_line), because);
    }
    Some(OffsetQuestion { question, offset })
}

pub(super) fn breakpoint(of: CodeUnit, points: &[SequencePoint]) -> Option<Question> {
    let visible: Vec<&SequencePoint> = points.iter().take(MAX_POINTS).filter(|point| !point.is_hidden()).collect();
    let twice =
        |point: &&&SequencePoint| visible.iter().filter(|other| other.start_line == point.start_line).count() > 1;
    let point = visible.iter().find(twice).or_else(|| visible.get(1))?;
    let Words { offset: noun, unit: owner, .. } = *of.words();
    let prompt = format!("At which {noun} does a breakpoint on line {} bind in this {owner}?", point.start_line);
    let question = binding(of, points, point.start_line, prompt)?;
    Some(question.fact("points", list(of, points)))
}

pub(super) fn binding(of: CodeUnit, points: &[SequencePoint], line: u32, prompt: String) -> Option<Question> {
    let visible = points.iter().filter(|point| !point.is_hidden());
    let mut on_line: Vec<i64> =
        visible.filter(|other| other.start_line == line).map(|point| i64::from(point.offset)).collect();
    on_line.sort_unstable();
    let right = *on_line.first()?;
    let mut question = Question::of_number(prompt, right, of.words().show)
        .hint("The first visible point of the line.")
        .solved(format!("{} is the first visible point of line {line}", of.label(right)));
    for other in on_line.iter().skip(1) {
        let text = "The line has this point too, but a breakpoint without a column binds to the first.";
        question.wrong(*other, text);
    }
    for other in points.iter().filter(|point| point.is_hidden()) {
        question.wrong(i64::from(other.offset), "That point is hidden: no breakpoint binds to it.");
    }
    question.wrong(i64::from(line), "That is the line: the offset in the code is asked for.");
    Some(question)
}
