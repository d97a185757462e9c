//! Sentences of an answer, for the command line and the screens.

use super::native::{native_sentences, outside_image};
use super::{Answer, CallSite, Hop, InRegion, Local, LocalKind, Position, RegionPart, versions};
use crate::shell_command::find_command;
use crate::where_is;
use pdblens_formats::bytes::Error;
use pdblens_formats::reason::Reason;
use pdblens_nodes::method::{il_label, range_text};
use pdblens_nodes::{SequencePoint, document};
use pdblens_session::session::Session;

/// Code of the sentence about the call that the offset is right after.
pub(crate) const AFTER_CALL: &str = "after-call";

pub fn sentences(session: &Session, answer: &Answer) -> Vec<Reason> {
    let mut said: Vec<Reason> = answer.hops.iter().map(Hop::reason).collect();
    let label = |offset: i64| answer.of.label(offset);
    let words = answer.of.words();
    let point_word = words.point;
    let at = label(answer.offset.into());
    let (number, range) = (answer.found.number, answer.range().unwrap_or_default());
    let end = if range.end == u32::MAX { "its end".to_owned() } else { label(range.end.into()) };
    let covers = format!("{}..{end} (end exclusive)", label(range.start.into()));
    let size = answer.code_size.unwrap_or_default();
    let position = match answer.position {
        _ if let Some(error) = answer.open_end() => open_end_text(session, answer, error),
        Position::Exact => format!("{point_word} {number} begins at {at} and covers {covers}"),
        Position::Inside => format!("{at} is inside {point_word} {number}, which covers {covers}"),
        Position::Hidden => format!(
            "{at} is in {point_word} {number}, which covers {covers} and is hidden: no source belongs to it. Before it: {}; \
             after it: {}",
            neighbour(answer, answer.found.visible),
            neighbour(answer, answer.found.next)
        ),
        Position::BeforeFirst => {
            format!("{at} is before the first {point_word}: a debugger shows the first one that is not hidden")
        }
        Position::PastEnd => format!("{at} is past the end: the {} has {size} ({size:#x}) bytes of {}", words.unit, words.code),
        Position::NoFunction => outside_image(session, answer).unwrap_or_else(|| {
            let past = answer.offset.saturating_sub(size);
            format!(
                "no function has this code: it is {past:#x} bytes past the end of the nearest one before it, which has {size:#x} bytes"
            )
        }),
        Position::NoPoints => no_points(session, answer),
    };
    said.push(Reason::new("position", position));
    if let Some(instruction) = answer.instruction.as_ref().filter(|instruction| instruction.offset != answer.offset) {
        let begins = il_label(instruction.offset.into());
        let text = format!("no instruction begins there: it is inside the one at {begins}");
        said.push(Reason::new("inside-instruction", text));
    }
    said.extend(answer.returns_from.as_ref().map(|call| Reason::new(AFTER_CALL, call_text(session, answer, call))));
    said.extend(answer.contradiction.clone());
    said.extend(versions::sentences(session, answer.of, answer.offset));
    if answer.documents.len() > 1 {
        let names: Vec<String> = answer.documents.iter().filter_map(|row| document::name(session, *row)).collect();
        let text = format!("its {point_word}s are in {} documents: {}", answer.documents.len(), names.join(", "));
        said.push(Reason::new("several-documents", text));
    }
    said.extend(native_sentences(answer));
    if let Some(kickoff) = answer.kickoff {
        let name = session.method_name(kickoff);
        let text = format!("the body of {name} ({kickoff}), which is what stack traces call it");
        said.push(Reason::new("kickoff", text));
    }
    if let Some(move_next) = answer.move_next {
        let name = session.method_name(move_next);
        let text = format!("it only starts a state machine: its body is {name} ({move_next})");
        said.push(Reason::new("move-next", text));
    }
    said
}

fn no_points(session: &Session, answer: &Answer) -> String {
    if let Some(error) = &answer.found.error {
        return format!("its {}s cannot be read: {}", answer.of.words().point, session.spaces().error_text(error));
    }
    if answer.move_next.is_some() {
        "it has no sequence points of its own".to_owned()
    } else if session.symbol_file().is_none() {
        format!("no PDB, so no line: `{}` shows where it was looked for", find_command(session))
    } else if versions::is_absent(session, answer.of) {
        "this delta does not have the method: its points are in the base or in another delta".to_owned()
    } else {
        format!("it has no {}s: no source belongs to it", answer.of.words().full_point)
    }
}

/// The label and the lines of a point beside a hidden one.
fn neighbour(answer: &Answer, point: Option<SequencePoint>) -> String {
    let text = |point: SequencePoint| format!("{} {}", answer.of.label(point.offset.into()), range_text(&point));
    point.map_or_else(|| "none".to_owned(), text)
}

/// Says that the points end with an error in or after the one at or before the offset.
fn open_end_text(session: &Session, answer: &Answer, error: &Error) -> String {
    let label = |offset: u32| answer.of.label(offset.into());
    let begins = answer.range().map_or_else(String::new, |range| label(range.start));
    format!(
        "{} is at or after {} {}, which begins at {begins}: it is the last one that can be read, and where it ends is not known ({})",
        label(answer.offset),
        answer.of.words().point,
        answer.found.number,
        session.spaces().error_text(error)
    )
}

/// Names the call that the offset stands right after, and its line where that is another one.
fn call_text(session: &Session, answer: &Answer, call: &CallSite) -> String {
    let after = format!("after the call to {} at {}", call.callee, call.label());
    let line = |point: SequencePoint| (point.document, point.start_line);
    let of_call = where_is::points_around(session, answer.of, call.offset()).shown().map(line);
    match of_call {
        Some((_, number)) if of_call != answer.shown().map(line) => {
            format!("{after}: as the offset of a caller, it belongs to line {number}")
        }
        _ => after,
    }
}

pub fn clause_text(inside: &InRegion) -> String {
    let InRegion { number, part, kind, region } = inside;
    let range = |start: u32, end: u64| format!("{}..{}", il_label(start.into()), il_label(end as i64));
    let tried = range(region.tried.start, region.tried.end());
    let handler = range(region.handler.start, region.handler.end());
    format!("{} of region {number}: {kind}, try {tried}, handler {handler} (ends exclusive)", part.word())
}

impl Local {
    pub fn text(&self) -> String {
        let hidden = if self.hidden { ", hidden from the debugger" } else { "" };
        let type_name = if self.type_name.is_empty() { "?" } else { &self.type_name };
        let name = match &self.inlined {
            Some(function) => format!("{}  in inlined {function}", self.name),
            None => self.name.clone(),
        };
        match &self.kind {
            LocalKind::Slot(slot) => format!("{type_name} {name}  (slot {slot}{hidden})"),
            LocalKind::Argument(index) => format!("{type_name} {name}  (argument {index}{hidden})"),
            LocalKind::Field(field) => format!("{type_name} {name}  (field {field} of the state machine{hidden})"),
            LocalKind::Constant(value) => format!("const {type_name} {name} = {value}"),
            LocalKind::Machine(kept) if kept.is_empty() => format!("{type_name} {name}"),
            LocalKind::Machine(kept) => format!("{type_name} {name}  ({kept})"),
        }
    }
}

impl RegionPart {
    /// Name in JSON and in text.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Try => "try",
            Self::Filter => "filter",
            Self::Handler => "handler",
        }
    }
}
