//! JSON of `trace --json`.

use std::cell::RefCell;
use std::io;

use serde::Serialize;

use crate::cli::json::{Emit, List};
use crate::formats::reason::Reason;
use crate::nodes::Token;
use crate::nodes::code_unit::NamedCode;
use crate::nodes::function::native::InlinedCall;
use crate::query::where_is::versions::MethodVersion;
use crate::query::where_is::{CallSite, Hop, Relation};
use crate::trace::{Candidate, CandidateLines, Offset, Outcome, Proof, Refusal, Resolved, Sink, Summary, Told};

/// Frames, in the order of the text.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "trace"))]
pub(in crate::cli) struct TraceDocument<'t> {
    pub(super) frames: List<'t, FrameJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "frame"))]
pub(super) struct FrameJson {
    /// Line of the text, from 1.
    line: u64,
    /// Name of the dialect that the frame is written in.
    form: &'static str,
    /// Type and name of the method, as the text has them.
    name: String,
    /// Text between the parentheses of the method.
    parameters: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<Token>,
    /// IL offset in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    il: Option<u32>,
    /// Machine code offset in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    native_offset: Option<u64>,
    #[serde(flatten)]
    outcome: OutcomeJson,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(tag = "outcome", rename_all = "kebab-case")]
enum OutcomeJson {
    /// The line was found.
    Resolved(Box<ResolvedJson>),
    /// The text has the line already.
    Known,
    /// Several methods match.
    Candidates {
        /// Reason that no one method is meant: `no-offset`, `ambiguous`.
        #[serde(flatten)]
        refusal: Refusal,
        candidates: Vec<CandidateJson>,
    },
    /// Reason that there is no line: `no-symbols`, `other-build`, `no-module`, `no-method`, `no-offset`, `machine-code`, `no-source`,
    /// `ambiguous`, `not-proved` or `damaged`.
    Unresolved(Refusal),
}

/// The code of a frame, and its source.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "resolved"))]
struct ResolvedJson {
    #[serde(flatten)]
    code: NamedCode,
    /// IL offset in the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    method_il: Option<u32>,
    /// Bytes from the start of the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    function_offset: Option<u32>,
    /// Path of the document, as the symbols have it.
    document: String,
    start_line: u32,
    start_column: u32,
    end_line: u32,
    /// Exclusive.
    end_column: u32,
    /// Evidence that the frame is of the build with these symbols, strongest first: `id` (MVID, or GUID and age), `stamp` (time stamp of the
    /// image), `chain` (the offset is at a call of the method in the frame above), `name-and-row` (the token's row has the frame's name),
    /// `name`, `none`. Only `id` proves it.
    proof: Proof,
    /// A call is missing where the frame should be at one (`no-call`): the build may be another.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<Reason>,
    /// Symbols that the line comes from.
    symbols: String,
    /// Call that the frame was at.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallJson>,
    /// Calls that were inlined there, outermost first; of native code.
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<Vec<InlinedCall>>,
    /// Functions that the linker folded into the same code and whose lines are others: any of them may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folded: Vec<AlternativeJson>,
    /// Mappings that were applied between the frame and the record that answers, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hops: Vec<Hop>,
    /// The code contradicts all of the symbols (`image`) or those of the method (`method`): the line may be another.
    #[serde(skip_serializing_if = "Option::is_none")]
    contradiction: Option<Reason>,
    /// Reasons for the choice, one sentence each.
    notes: Vec<Reason>,
}

/// Function that may be meant in the place of the one that is named.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "alternative"))]
struct AlternativeJson {
    name: String,
    line: u32,
}

/// Call in a method of IL (`il`) or in a native function (`offset`).
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "call"))]
pub(in crate::cli) struct CallJson {
    /// IL offset of the call instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    il: Option<u32>,
    /// Bytes from the start of the function to the call instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
    /// Type and name of the callee; of native code the name of the function.
    callee: String,
    /// Position of the offset: `after` the call, which is the address that it returns to, `at` it, or `before` it.
    relation: &'static str,
    /// True if the frame above is of a method of the callee's name; absent outside traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_frame_above: Option<bool>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "candidate"))]
struct CandidateJson {
    #[serde(flatten)]
    code: NamedCode,
    symbols: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    /// Lines on which it calls the method of the frame above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls_on_lines: Vec<u32>,
    /// Its lines in documents after the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_documents: Vec<CandidateDocumentJson>,
    /// Files with a version of the method that hot reload changed, and the lines of each, the one that is taken first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<MethodVersion>,
}

/// Lines of a candidate in one more document.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "candidate_document"))]
struct CandidateDocumentJson {
    document: String,
    start_line: u32,
    end_line: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls_on_lines: Vec<u32>,
}

/// Collects the frames and drops the text.
pub(super) struct AsJson<'e, 'f> {
    pub(super) emit: &'e mut Emit<'f, FrameJson>,
    /// Counts of the frames.
    pub(super) summary: &'e RefCell<Summary>,
}

impl Sink for AsJson<'_, '_> {
    fn text(&mut self, _text: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.summary.borrow_mut().add(told.outcome);
        (self.emit)(FrameJson::of(told))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FrameJson {
    fn of(told: &Told<'_>) -> Self {
        let (il, native_offset) = match told.frame.offset {
            Offset::Il(il) | Offset::ExactIl(il) => (Some(il), None),
            Offset::Native(offset) => (None, Some(offset)),
            Offset::Line(_) | Offset::Inlined | Offset::None => (None, None),
        };
        Self {
            line: told.line,
            form: told.form,
            name: told.frame.name.clone(),
            parameters: told.frame.parameters.clone(),
            token: told.frame.token,
            il,
            native_offset,
            outcome: OutcomeJson::of(told.outcome),
        }
    }
}

impl OutcomeJson {
    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Known => Self::Known,
            Outcome::No(refusal) => Self::Unresolved(refusal.clone()),
            Outcome::Candidates(candidates, refusal) => Self::Candidates {
                refusal: refusal.clone(),
                candidates: candidates.iter().map(CandidateJson::of).collect(),
            },
            Outcome::Resolved(found) => Self::Resolved(Box::new(ResolvedJson::of(found))),
        }
    }
}

impl ResolvedJson {
    fn of(found: &Resolved) -> Self {
        let native = found.of.is_native();
        Self {
            code: NamedCode::new(found.of, found.name.clone(), found.full_name.clone()),
            method_il: (!native).then_some(found.offset),
            function_offset: native.then_some(found.offset),
            document: found.path.clone(),
            start_line: found.line,
            start_column: found.column,
            end_line: found.end_line,
            end_column: found.end_column,
            proof: found.proof,
            doubt: found.doubt.clone(),
            symbols: found.symbols.clone(),
            call: found.call.as_ref().map(|call| CallJson::of(&call.site, call.relation, Some(call.is_above))),
            inlined: native.then(|| found.inlined.clone()),
            folded: found.folded.iter().map(AlternativeJson::of).collect(),
            hops: found.hops.clone(),
            contradiction: found.contradiction.clone(),
            notes: found.notes.clone(),
        }
    }
}

impl AlternativeJson {
    fn of((name, line): &(String, u32)) -> Self {
        Self { name: name.clone(), line: *line }
    }
}

impl CallJson {
    /// A call at a position in relation to the offset that was asked about.
    pub(in crate::cli) fn of(site: &CallSite, relation: Relation, is_frame_above: Option<bool>) -> Self {
        let native = site.of.is_native();
        let (il, offset) = ((!native).then_some(site.offset), native.then_some(site.offset));
        Self { il, offset, callee: site.callee.clone(), relation: relation.word(), is_frame_above }
    }
}

impl CandidateJson {
    fn of(candidate: &Candidate) -> Self {
        let lines = candidate.lines.first();
        let document = |lines: &CandidateLines| CandidateDocumentJson {
            document: lines.path.clone(),
            start_line: lines.first,
            end_line: lines.last,
            calls_on_lines: lines.calls.clone(),
        };
        Self {
            code: NamedCode::new(candidate.of, candidate.name.clone(), candidate.full_name.clone()),
            symbols: candidate.symbols.clone(),
            document: lines.map(|lines| lines.path.clone()),
            start_line: lines.map(|lines| lines.first),
            end_line: lines.map(|lines| lines.last),
            calls_on_lines: lines.map(|lines| lines.calls.clone()).unwrap_or_default(),
            other_documents: candidate.lines.iter().skip(1).map(document).collect(),
            versions: candidate.versions.clone(),
        }
    }
}
