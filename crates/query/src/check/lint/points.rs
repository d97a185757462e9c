//! Rules about the points of a method: by themselves, against the code and against the text.

use std::collections::HashMap;

use super::methods::{MethodFindings, Sentence};
use super::stepping;
use crate::check::Grade;
use crate::method_facts::MethodFacts;
use pdblens_formats::sequence_point::{HIDDEN_LINE, SequencePoint, Violation};
use pdblens_nodes::Place;
use pdblens_nodes::binding::{CodeKind, FromIl, RefusalCause, binding_of_body};
use pdblens_nodes::method::{il_label, range_text};
use pdblens_session::symbols::{Format, SymbolReader};

/// The lines of each document whose text is at hand, as far as anybody asked: how many columns each has.
#[derive(Default)]
pub(super) struct Texts {
    texts: HashMap<u32, Option<Vec<u32>>>,
    /// Document of the last point, if no text of it is at hand.
    without: Option<u32>,
}

pub(super) fn points(symbols: &dyn SymbolReader, facts: &MethodFacts, found: &mut MethodFindings<'_>) {
    let (documents, format) = (symbols.documents(), symbols.format());
    for (index, point) in facts.points.iter().enumerate() {
        let mut finding = |rule, sentence: Sentence<'_>| {
            let (place, span) = facts.point(index);
            found.finding(rule, sentence, place, span);
        };
        for violation in point.violations.iter() {
            let rule = if violation == Violation::Document { "point-reader" } else { "point-range" };
            finding(rule, &|| violation.sentence().to_owned());
        }
        if point.document > documents {
            finding("point-document", &|| format!("document {} does not exist: there are {documents}", point.document));
        }
        let before = index.checked_sub(1).and_then(|index| facts.points.get(index));
        if before.is_some_and(|before| before.offset > point.offset) {
            finding("point-order", &|| format!("{} follows a greater offset", at(point)));
        }
        // Mono writes them in every other method, and the C++/CLI compiler in a few.
        let is_usual = matches!(format, Format::Mdb | Format::Mixed);
        if before.is_some_and(|before| before.offset == point.offset) && !is_usual {
            finding("point-reader", &|| {
                format!("two points have the offset {}: converters and rewriters fail", at(point))
            });
        }
        let (start, end) = ((point.start_line, point.start_column), (point.end_line, point.end_column));
        if point.is_hidden() {
            let has_columns = point.start_column != 0 || point.end_column != 0;
            if has_columns && format == Format::Portable {
                finding("point-hidden", &|| "a hidden point with columns".to_owned());
            }
        } else if start >= end && format == Format::Portable {
            finding("point-empty", &|| format!("{} has no character in it", range_text(point)));
        }
    }
    if symbols.format() == Format::Portable {
        reader(facts, found);
    }
    if facts.points.len() > 1 && facts.points.iter().all(SequencePoint::is_hidden) {
        let sentence = || "all points of this method are hidden: a debugger never stops in it".to_owned();
        found.add("method-hidden", Grade::Note, &sentence, Place::Method(facts.token), facts.symbols.points);
    }
}

fn at(point: &SequencePoint) -> String {
    il_label(point.offset.into())
}

/// Reports points that the specification allows and System.Reflection.Metadata refuses with a `BadImageFormatException`: lines
/// from 0xFEEFEE and columns from 0xFFFF on, except where they are absolute, in the first point that is not hidden.
fn reader(facts: &MethodFacts, found: &mut MethodFindings<'_>) {
    // The line of hidden points is one that it refuses where columns follow.
    let has_range = |point: &SequencePoint| !point.is_hidden() || !point.violations.is_none();
    let is_read = |point: &SequencePoint| point.violations.iter().all(|found| found == Violation::HiddenLine);
    let visible = facts.points.iter().enumerate().filter(|(_, point)| has_range(point) && is_read(point));
    for (position, (index, point)) in visible.enumerate() {
        let is_delta = position > 0;
        let refused = [
            ("start line", point.start_line, HIDDEN_LINE, is_delta),
            ("end line", point.end_line, HIDDEN_LINE, true),
            ("start column", point.start_column, 0xffff, is_delta),
            ("end column", point.end_column, 0xffff, true),
        ];
        for (what, value, limit, _) in refused.into_iter().filter(|(_, value, limit, delta)| *delta && value >= limit) {
            let (place, span) = facts.point(index);
            let session = found.session;
            let sentence = || {
                format!(
                    "System.Reflection.Metadata rejects point {} of {}: {what} {value}, but it accepts only {what}s below {limit}",
                    index + 1,
                    session.method_name(facts.token)
                )
            };
            found.finding("point-reader", &sentence, place, span);
        }
    }
}

/// Checks the points against the code.
pub(super) fn code(facts: &MethodFacts, found: &mut MethodFindings<'_>) {
    if !facts.says_something() || facts.is_changed {
        return;
    }
    let Some(body) = &facts.body else {
        let sentence = || "points or scopes of a method that has no code".to_owned();
        return found.finding("method-code", &sentence, Place::Method(facts.token), facts.symbols.points);
    };
    for (index, point) in facts.points.iter().enumerate() {
        if facts.is_start(u64::from(point.offset)) {
            continue;
        }
        let (place, span) = facts.point(index);
        let sentence = || match u64::from(point.offset) >= facts.size() {
            true => format!("{} is after the code, which ends at {}", at(point), il_label(facts.size() as i64)),
            false => {
                format!("{} is in the middle of an instruction: trimmers and AOT compilers fail on it", at(point))
            }
        };
        found.finding("point-boundary", &sentence, place, span);
    }
    let said = facts.symbols.local_signature.unwrap_or_default();
    // Only portable PDBs repeat it; the others have none to compare.
    let has_own = facts.symbols.blob.is_some();
    if has_own && said.row() != body.local_signature.row() {
        let sentence = || format!("local signature {said} here, {} in the code", body.local_signature);
        found.finding("local-signature", &sentence, Place::Method(facts.token), facts.symbols.points);
    }
}

/// Checks the points against the code that the runtime makes of the IL: code of a debug build has the most places for a breakpoint.
pub(super) fn binding(facts: &MethodFacts, found: &mut MethodFindings<'_>) {
    let Some(first) = facts.points.first() else { return };
    let Some(body) = facts.body.as_ref().filter(|_| !facts.is_changed) else { return };
    if first.offset > 0 {
        let (place, span) = facts.point(0);
        let sentence = || format!("the first point is at {}, not at IL_0000: trimmers fail on it", at(first));
        found.add("point-first", Grade::Note, &sentence, place, span);
    }
    // Offset 0 always binds.
    if facts.points.iter().all(|point| point.is_hidden() || point.offset == 0) {
        return;
    }
    let binding = binding_of_body(found.session, facts.token, body, CodeKind::Debuggable);
    stepping::steps(found.session, facts, &binding, &mut |rule, index, sentence| {
        let (place, span) = facts.point(index);
        found.add(rule, Grade::Note, sentence, place, span);
    });
    for (index, point) in facts.points.iter().enumerate().filter(|(_, point)| !point.is_hidden()) {
        // A point inside an instruction is a finding already.
        if let FromIl::Refused(cause) = binding.answer(point.offset)
            && cause != RefusalCause::NoInstruction
        {
            let (place, span) = facts.point(index);
            let sentence = || format!("no breakpoint binds at {}: {}", at(point), cause.words());
            found.add("point-binds", Grade::Note, &sentence, place, span);
        }
    }
}

/// Checks the points against the text, where the symbols embed it.
pub(super) fn lines(
    symbols: &dyn SymbolReader,
    facts: &MethodFacts,
    texts: &mut Texts,
    found: &mut MethodFindings<'_>,
) {
    for (index, point) in facts.points.iter().enumerate().filter(|(_, point)| !point.is_hidden()) {
        if texts.without == Some(point.document) {
            continue;
        }
        let text = texts.texts.entry(point.document).or_insert_with(|| columns(symbols, point.document));
        let Some(text) = text else {
            texts.without = Some(point.document);
            continue;
        };
        // A column may stand after the last character: that is where the last span of a line ends.
        let is_in = |line: u32, column: u32| {
            let columns = (line as usize).checked_sub(1).and_then(|line| text.get(line));
            columns.is_some_and(|columns| column <= columns + 1)
        };
        if !is_in(point.start_line, point.start_column) || !is_in(point.end_line, point.end_column) {
            let (place, span) = facts.point(index);
            let sentence = || format!("{} is not in the text, which has {} lines", range_text(point), text.len());
            // #line may say anything.
            found.add("point-lines", Grade::Note, &sentence, place, span);
        }
    }
}

fn columns(symbols: &dyn SymbolReader, document: u32) -> Option<Vec<u32>> {
    let bytes = symbols.embedded_source(document)?.text().ok()?;
    let text = pdblens_session::source::SourceText::decode(&bytes);
    Some((1..=text.lines()).map(|line| text.columns(line).unwrap_or(0)).collect())
}
