//! The JSON of `where`.

use serde::Serialize;

use super::machine::Machine;
use crate::cli::evidence::EvidenceJson;
use crate::cli::json::List;
use crate::cli::values::{Refused, SourceRange};
use crate::formats::reason::Reason;
use crate::nodes::code_unit::{self, CodeOffset, NamedCode, NamedMethod};
use crate::nodes::{Place, Token, document};
use crate::query::breakpoint::{Judge, VerdictFields};
use crate::query::certainty::Certainty;
use crate::query::statement::{Statement, Statements};
use crate::query::where_is::{Answer, versions};

/// Answers in the order of the queries.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "where"))]
pub(in crate::cli) struct WhereDocument<'s> {
    /// Agreement of symbols and code, in at most 1 000 methods; absent if none has both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evidence: Option<EvidenceJson>,
    pub(super) answers: List<'s, Reply>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "reply"))]
#[serde(untagged)]
pub(super) enum Reply {
    Answered {
        /// The query, unchanged.
        query: String,
        /// Text before its colon or tab; absent where the query has none.
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        #[serde(flatten)]
        answer: Box<AnswerJson>,
        #[serde(flatten)]
        machine: Machine,
    },
    Refused(Refused),
}

/// Answer for an offset of a method or a native function, with the names of the session.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "answer"))]
pub(super) struct AnswerJson {
    #[serde(flatten)]
    code: NamedCode,
    place: Place,
    #[serde(flatten)]
    at: CodeOffset,
    #[serde(flatten)]
    covering: Option<Covering>,
    /// Source that a debugger shows for the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRange>,
    /// Certainty of the line.
    certainty: Certainty,
    /// Verdict on a breakpoint at that point.
    #[serde(skip_serializing_if = "Option::is_none")]
    breakpoint: Option<VerdictFields>,
    /// Statement of that point, reconstructed from IL.
    #[serde(skip_serializing_if = "Option::is_none")]
    reconstructed: Option<Statement>,
    /// The last visible point at or before the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SourceRange>,
    /// The first visible point after the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<SourceRange>,
    /// Sentences on versions of the method that hot reload made: a delta that is missing, and the lines of older versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Reason>,
    /// Paths of the documents that the points are in.
    documents: Vec<String>,
    /// The async method or iterator whose body this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    kickoff: Option<NamedMethod>,
    /// The method that holds the body of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    move_next: Option<NamedMethod>,
    /// The same offset in `MoveNext`, which is the one that a stack trace refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    state_machine: Option<Box<Self>>,
    /// Parts of the method that cannot be read.
    errors: Vec<Reason>,
    #[serde(flatten)]
    answer: Answer,
}

/// The sequence point that covers the offset.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Covering {
    /// Its number, from 1.
    point: u32,
    hidden: bool,
    /// Offset of its first instruction.
    start: u32,
    /// Exclusive; absent if the size of the code is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<u32>,
}

impl AnswerJson {
    pub(super) fn of(judge: &Judge<'_>, statements: Option<&Statements<'_>>, answer: Answer) -> Self {
        let session = judge.session();
        let method = |token: Option<Token>| token.map(|token| NamedMethod::of(session, token));
        let source = |point| SourceRange::of(session, answer.of, point);
        Self {
            code: NamedCode::new(answer.of, answer.name(session), code_unit::full_name(session, answer.of)),
            place: answer.place(),
            at: CodeOffset::of(answer.of, answer.offset),
            covering: Covering::of(&answer),
            source: source(answer.shown()),
            certainty: answer.certainty(session),
            breakpoint: answer.shown().map(|point| judge.point(answer.of, &point).fields()),
            reconstructed: answer.shown().and_then(|point| statements?.at(answer.of, point.offset)),
            before: source(answer.found.visible),
            after: source(answer.found.next),
            notes: versions::sentences(session, answer.of, answer.offset),
            documents: answer.documents.iter().filter_map(|row| document::name(session, *row)).collect(),
            kickoff: method(answer.kickoff),
            move_next: method(answer.move_next),
            state_machine: answer.state_machine.clone().map(|answer| Box::new(Self::of(judge, statements, *answer))),
            errors: answer.errors.iter().map(|error| session.spaces().reason(error)).collect(),
            answer,
        }
    }
}

impl Covering {
    fn of(answer: &Answer) -> Option<Self> {
        let (point, range) = (answer.covering()?, answer.range()?);
        let end = (range.end < u32::MAX && answer.open_end().is_none()).then_some(range.end);
        Some(Self { point: answer.found.number, hidden: point.is_hidden(), start: range.start, end })
    }
}
