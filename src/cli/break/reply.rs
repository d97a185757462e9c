//! The JSON of `break`.

use serde::Serialize;

use super::{FoundLine, Query};
use crate::cli::output::Out;
use crate::cli::values::{Refused, Reply, SourceRange};
use crate::cli::{Error, json};
use crate::formats::reason::Reason;
use crate::nodes::code_unit::{NamedCode, NamedMethod};
use crate::nodes::{Place, document};
use crate::query::address::AddressError;
use crate::query::breakpoint::{Breakpoint, Hit, Judge, LineQuery, Sign, VerdictFields, Why, debugger_attributes};
use crate::query::native_where::{NativeAnswer, native_where};
use crate::query::statement::{Statement, Statements};
use crate::query::where_is::state_machine;
use crate::query::where_is::versions::{LineGenerations, generations_of_line};

/// Breakpoints in the order of the queries.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "break"))]
pub(in crate::cli) struct BreakDocument {
    breakpoints: Vec<Reply<BreakpointJson, Refused>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "breakpoint"))]
struct BreakpointJson {
    /// The query, unchanged.
    query: String,
    /// Text before its colon or tab; absent where the query has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Path of the document, as the symbols have it.
    document: String,
    asked_line: u32,
    /// Line that it binds to; 0 if no code is on or after the line, and the exit code is 3.
    line: u32,
    /// True if that is the requested line.
    exact: bool,
    /// Verdict on the line: that of the best point that the breakpoint binds to.
    verdict: VerdictFields,
    /// Cause of the verdict, and the remedy.
    why: Why,
    hits: Vec<HitJson>,
    /// True if there are more hits than listed.
    more: bool,
    /// Methods whose points cannot be read.
    unreadable_methods: usize,
    /// The line in each version of the methods that hot reload changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    generations: Vec<LineGenerations>,
    /// `other-folder`: the document has another folder than the path that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Reason>,
}

/// Answers of `break --why`, in the order of the queries.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "break_why"))]
pub(in crate::cli) struct WhyDocument<'w> {
    answers: Vec<Reply<WhyJson<'w>, Refused>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "explained_line"))]
struct WhyJson<'w> {
    /// The query, unchanged.
    query: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'w str>,
    #[serde(flatten)]
    why: &'w Why,
    verdict: VerdictFields,
}

/// Code that the line touches.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "hit"))]
struct HitJson {
    #[serde(flatten)]
    code: NamedCode,
    place: Place,
    /// Offset of the first instruction.
    start: u32,
    /// Exclusive.
    end: u32,
    /// True if the breakpoint binds there.
    binds: bool,
    /// Verdict on the point.
    verdict: VerdictFields,
    /// The async method or iterator whose body this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    kickoff: Option<NamedMethod>,
    /// Attributes of the method or its types that keep a debugger out: `DebuggerHidden`, `DebuggerStepThrough`,
    /// `DebuggerNonUserCode`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    debugger_attributes: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRange>,
    /// Statement of that point, reconstructed from IL.
    #[serde(skip_serializing_if = "Option::is_none")]
    reconstructed: Option<Statement>,
    /// Machine code of the first instruction, in each body of the method; with `--native`, in a ReadyToRun image.
    #[serde(skip_serializing_if = "Option::is_none")]
    native: Option<Vec<NativeAnswer>>,
}

/// Parts of a hit that are printed beside it.
#[derive(Clone, Copy)]
struct Printed<'s> {
    statements: Option<&'s Statements<'s>>,
    native: bool,
}

impl BreakpointJson {
    fn of(judge: &Judge<'_>, asked: &Query, (query, found): &(&LineQuery, Breakpoint), printed: Printed<'_>) -> Self {
        let (session, why) = (judge.session(), judge.why_of(query, found));
        let document = query.documents.first().copied().unwrap_or_default();
        Self {
            query: asked.text.clone(),
            label: asked.label.clone(),
            document: document::name(session, document).unwrap_or_default(),
            asked_line: query.line,
            line: found.line,
            exact: found.line == query.line,
            verdict: why.verdict.fields(),
            why,
            hits: found.hits.iter().map(|hit| HitJson::of(judge, hit, printed)).collect(),
            more: found.more,
            unreadable_methods: found.errors.len(),
            generations: generations_of_line(session, &query.documents, query.line),
            notes: query.folder_note(session).into_iter().collect(),
        }
    }
}

impl HitJson {
    fn of(judge: &Judge<'_>, hit: &Hit, printed: Printed<'_>) -> Self {
        let (session, verdict) = (judge.session(), judge.point(hit.of, &hit.point));
        let kickoff = state_machine::kickoff(session, hit.of.token());
        Self {
            code: NamedCode::of(session, hit.of),
            place: hit.place(),
            start: hit.range.start,
            end: hit.range.end,
            binds: hit.binds && verdict.sign() < Sign::Never,
            verdict: verdict.fields(),
            kickoff: kickoff.map(|kickoff| NamedMethod::of(session, kickoff)),
            debugger_attributes: debugger_attributes(session, hit.of.token()).iter().map(|one| one.name()).collect(),
            source: SourceRange::of(session, hit.of, Some(hit.point)),
            reconstructed: printed.statements.and_then(|statements| statements.at(hit.of, hit.point.offset)),
            native: printed.native.then(|| native_where(session, hit.of.token(), hit.range.start)),
        }
    }
}

fn refused(query: &Query, error: &AddressError) -> Refused {
    Refused::of(&query.text, query.label.as_deref(), error.code(), error.to_string())
}

pub(super) fn write(judge: &Judge<'_>, all: &[FoundLine<'_>], native: bool, out: &mut Out) -> Result<(), Error> {
    let statements = Statements::new(judge.session());
    let printed = Printed { statements: statements.as_ref(), native };
    let reply = |FoundLine { query, bound }: &FoundLine<'_>| {
        let found = bound.as_ref().map(|bound| BreakpointJson::of(judge, query, bound, printed));
        found.map_err(|error| refused(query, error)).into()
    };
    Ok(json::write(out, &BreakDocument { breakpoints: all.iter().map(reply).collect() })?)
}

pub(super) fn write_why(found: &[(&Query, Result<Why, &AddressError>)], out: &mut Out) -> Result<(), Error> {
    let answers = found.iter().map(|(query, why)| {
        let why = why.as_ref().map(|why| WhyJson {
            query: &query.text,
            label: query.label.as_deref(),
            verdict: why.verdict.fields(),
            why,
        });
        why.map_err(|error| refused(query, error)).into()
    });
    Ok(json::write(out, &WhyDocument { answers: answers.collect() })?)
}
