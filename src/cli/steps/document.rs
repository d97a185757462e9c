//! The JSON of steps.

use std::borrow::Cow;

use serde::Serialize;

use crate::bytes::{Change, Show, Space, Span};
use crate::cli::json::{List, path};
use crate::cli::show_at::AtJson;
use crate::cli::values::BytesText;
use crate::formats::reason::Reason;
use crate::learn::failure::Failure;
use crate::learn::reading::ReadingRow;
use crate::learn::steps::notation;
use crate::learn::{self, Step, Steps, paragraph};
use crate::nodes::Place;
use crate::nodes::fields::{BitMeaning, FieldRow};
use crate::query::owner::RecordAt;
use crate::session::Session;

/// The reads of a record, in order.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "show_steps"))]
pub(in crate::cli) struct StepsDocument<'f> {
    place: Place,
    title: &'f str,
    /// Name of the address space of the spans.
    space: Cow<'f, str>,
    span: Span,
    /// The byte that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<AtJson>,
    /// The reason why there are no more steps.
    error: Option<Reason>,
    /// The read that the decode ended at.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Failure>,
    /// Reads, and the groups that they belong to.
    steps: List<'f, StepJson<'f>>,
}

/// Chains of `--steps`, one for each question about a pair.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "chains"))]
pub(in crate::cli) struct ChainsDocument<'f> {
    chains: Vec<ChainJson<'f>>,
}

/// Chains of `--steps` about one of several pairs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "chains_pair"))]
pub(in crate::cli) struct ChainsPair<'f> {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    chains: Vec<ChainJson<'f>>,
}

impl<'f> ChainsDocument<'f> {
    pub(super) fn of(session: &'f Session, chains: &'f [Steps]) -> Self {
        Self { chains: chains.iter().map(|steps| ChainJson::of(session, steps)).collect() }
    }
}

impl<'f> ChainsPair<'f> {
    pub(in crate::cli) fn of(session: &'f Session, chains: &'f [Steps]) -> Self {
        Self { path: path(session), chains: chains.iter().map(|steps| ChainJson::of(session, steps)).collect() }
    }
}

/// An answer, step by step; each step looks up what the one before it found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "chain"))]
struct ChainJson<'f> {
    title: &'f str,
    steps: Vec<ChainStepJson<'f>>,
}

/// A step of a chain.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "chain_step"))]
struct ChainStepJson<'f> {
    /// Name of the space that the span lies in; empty without bytes.
    space: Cow<'f, str>,
    #[serde(flatten)]
    step: StepJson<'f>,
}

impl<'f> ChainJson<'f> {
    fn of(session: &'f Session, steps: &'f Steps) -> Self {
        let one = |index| ChainStepJson::of(session, steps, index);
        Self { title: &steps.title, steps: (0..steps.list.len()).filter_map(one).collect() }
    }
}

impl<'f> ChainStepJson<'f> {
    fn of(session: &'f Session, steps: &'f Steps, index: usize) -> Option<Self> {
        let field = &steps.list.get(index)?.field;
        let space = if field.span.is_empty() { None } else { session.spaces().get(field.span.space) };
        Some(Self { space: space.map_or("".into(), Space::name), step: StepJson::of(|_| None, steps, index, false)? })
    }
}

/// A read, or a group of the deeper steps that follow.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "step"))]
pub(in crate::cli) struct StepJson<'f> {
    /// Number among the reads, from 1; 0 for a group.
    number: u32,
    /// The field; `stored` and `decoded` are there where the decoded value is not the stored number.
    #[serde(flatten)]
    field: &'f FieldRow,
    bytes: BytesText,
    /// Form of the stored value: `u32`, `compressed`, `compressed signed`, `utf-8`, `guid`, `bytes`; empty for a group and for a
    /// derived value.
    read: &'static str,
    /// True for a value that is computed from others, not read; left out where it is false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    derived: bool,
    /// Number as stored, before a sign is applied.
    raw: Option<u64>,
    /// Decoded number.
    number_value: Option<i64>,
    /// Changes of the decoder's state by the read.
    changes: Vec<ChangeJson>,
    /// Bits that have a meaning of their own: those of a free page map, of a hash table's used slots, of a packed number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bits: Vec<BitsJson<'f>>,
    /// Arithmetic from the bytes to the value, with `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    derivation: Vec<ReadingRow>,
    /// Reason why the field is there, with `--explain`.
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
    /// Paragraph of the specification, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    paragraph: Option<&'static str>,
}

/// A change of one part of a decoder's state.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "state_change"))]
struct ChangeJson {
    state: &'static str,
    /// `null` where it had no value.
    before: Option<i64>,
    after: i64,
    /// Names of both, where the numbers are those of a list: `no point yet → a visible point was seen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl ChangeJson {
    fn of(change: &Change) -> Self {
        let show = change.state.show;
        let named = matches!(show, Show::OneOf(_));
        let text = |after: String| match change.before {
            Some(before) => format!("{} → {after}", notation(show, before)),
            None => after,
        };
        Self {
            state: change.state.name,
            before: change.before,
            after: change.after,
            text: named.then(|| text(notation(show, change.after))),
        }
    }
}

/// Some bits of a number.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "bits"))]
struct BitsJson<'f> {
    /// Value of the bits, moved to the lowest bit.
    value: u64,
    #[serde(flatten)]
    bits: &'f BitMeaning,
}

impl<'f> StepsDocument<'f> {
    pub(in crate::cli) fn of(
        session: &'f Session,
        place: Place,
        at: Option<&RecordAt>,
        steps: &'f Steps,
        explain: bool,
    ) -> Self {
        Self {
            place,
            title: &steps.title,
            space: session.spaces().get(steps.span.space).map_or("".into(), Space::name),
            span: steps.span,
            at: at.map(|at| AtJson::of(at, steps.list.iter().map(|step| &step.field))),
            error: steps.error.as_ref().map(|error| session.spaces().reason(error)),
            failed: steps.failure(),
            steps: List::of(move || {
                let one = move |at| StepJson::of(|record| paragraph(place, record), steps, at, explain);
                (0..steps.list.len()).filter_map(one)
            }),
        }
    }
}

impl<'f> StepJson<'f> {
    pub(in crate::cli) fn of(
        paragraph: impl Fn(&str) -> Option<&'static str>,
        steps: &'f Steps,
        index: usize,
        explain: bool,
    ) -> Option<Self> {
        let step: &Step = steps.list.get(index)?;
        let field = &step.field;
        let number = field.number.unwrap_or(0).cast_unsigned();
        Some(Self {
            number: step.number,
            field,
            bytes: BytesText::of(&step.bytes),
            read: step.form(),
            derived: field.is_derived(),
            raw: step.raw,
            number_value: field.number,
            changes: field.changes.iter().map(ChangeJson::of).collect(),
            bits: field.bits.iter().map(|bits| BitsJson { value: bits.of(number), bits }).collect(),
            derivation: if explain {
                learn::reading(step).map_or_else(Vec::new, |reading| reading.rows)
            } else {
                Vec::new()
            },
            why: if explain { learn::reason(steps, index) } else { String::new() },
            paragraph: if explain { paragraph(&step.record) } else { None },
        })
    }
}
