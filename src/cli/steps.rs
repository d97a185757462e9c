//! `pdblens show FILE… PLACE --steps`

use schemars::JsonSchema;
use serde::Serialize;

use super::json::{self, List};
use super::output::Out;
use super::values::{BytesText, PlaceText, SpanText, Version};
use super::{Error, Exit};
use crate::bytes::Change;
use crate::learn::failure::{Failure, WrongReads};
use crate::learn::{self, Derivation, Step, Steps, chain, paragraph};
use crate::nodes;
use crate::nodes::Place;
use crate::nodes::fields::{BitMeaning, FieldRow};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::symbols::SymbolReader;
use crate::text::safe::spaced_hex;

/// Prints the steps of the record at `place`: one line a read, or with derivation and reason below it.
pub(super) fn print(
    out: &mut Out,
    session: &Session,
    place: Place,
    steps: &Steps,
    form: Form,
    explain: bool,
) -> Result<(), Error> {
    match form {
        Form::Json => json::write(out, &Document::of(session, place, steps, explain))?,
        Form::Tsv => out.tsv(&rows(steps))?,
        Form::Text => {
            let at = nodes::span_text(session, steps.span);
            out.parts(&[(&steps.title, Tone::Strong), ("  ", Tone::Text), (&at, Tone::Dim)])?;
            if explain {
                explained(out, |record| paragraph(place, record), steps)?;
            } else {
                out.table(&rows(steps))?;
            }
            if let Some(error) = &steps.error {
                out.parts(&[("✗ ", Tone::Bad), (&session.spaces().error_text(error), Tone::Bad)])?;
                if let Some(failure) = steps.failure() {
                    out.parts(&[("  ", Tone::Text), (&failure.text(), Tone::Text)])?;
                }
            }
        }
    }
    Ok(())
}

/// Prints chains of steps: answers, look-up by look-up.
pub(super) fn print_chains(out: &mut Out, session: &Session, chains: &[Steps], json: bool) -> Result<(), Error> {
    if json {
        let chains = chains.iter().map(|steps| ChainJson::of(session, steps)).collect();
        return Ok(json::write(out, &ChainsDocument { schema: Version, chains })?);
    }
    for (index, steps) in chains.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        out.parts(&[(&steps.title, Tone::Strong)])?;
        out.table(&chain_rows(session, steps))?;
    }
    Ok(())
}

/// Prints the mapping of each document, by Source Link and by the srcsrv stream.
pub(super) fn print_mappings(out: &mut Out, session: &Session, json: bool) -> Result<Exit, Error> {
    let documents = session.symbols().map_or(0, SymbolReader::documents);
    let of = |row| [chain::source_link(session, row), chain::srcsrv(session, row)];
    let chains: Vec<_> = (1..=documents).flat_map(of).flatten().collect();
    if chains.is_empty() {
        let what = "the symbols have neither a Source Link map nor a srcsrv stream, which would map documents";
        return Err(Error::Other(what.to_owned()));
    }
    print_chains(out, session, &chains, json)?;
    Ok(Exit::Done)
}

/// Steps of a chain as a table.
fn chain_rows(session: &Session, steps: &Steps) -> Rows<'static> {
    let columns =
        vec![Head::number("#"), Head::text("step"), Head::text("value"), Head::text("meaning"), Head::text("bytes")];
    let rows = steps.list.iter().map(|step| {
        let field = &step.field;
        let at = if field.span.is_empty() { String::new() } else { nodes::span_text(session, field.span) };
        let cells = vec![
            Cell::toned(step.number.to_string(), Tone::Dim),
            Cell::new(field.name.clone()),
            Cell { to: field.to, ..Cell::toned(field.value.clone(), Tone::Strong) },
            Cell::new(field.meaning.clone()),
            Cell::toned(at, Tone::Dim).beside(spaced_hex(&step.bytes, 6)),
        ];
        Row { span: Some(field.span), depth: field.depth, cells, ..Row::default() }
    });
    Rows::of(steps.title.clone(), columns, rows.collect())
}

/// Prints the reads at fault, marked, and those before them.
pub(super) fn print_wrong(out: &mut Out, found: &WrongReads) -> Result<(), Error> {
    let reads = found.steps.reads().count();
    out.parts(&[("   ", Tone::Text), (&format!("{}: {}, {reads} reads", found.place, found.steps.title), Tone::Dim)])?;
    for step in found.shown() {
        let wrong = found.is_wrong(step);
        let field = &step.field;
        let text = format!(
            "{:>4}  {:#x}  {}  {} = {}  {}",
            step.number,
            field.span.start,
            spaced_hex(&step.bytes, 8),
            field.name,
            field.stored_and_decoded(),
            if field.changes.is_empty() { field.meaning.clone() } else { step.changes_text().join("; ") },
        );
        let tone = if wrong { Tone::Bad } else { Tone::Text };
        out.parts(&[(if wrong { "   ▶" } else { "    " }, tone), (text.trim_end(), tone)])?;
    }
    Ok(())
}

/// Form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
    Tsv,
}

/// Steps as a table.
pub(super) fn rows(steps: &Steps) -> Rows<'static> {
    let columns = vec![
        Head::text("field"),
        Head::number("#"),
        Head::number("offset"),
        Head::text("bytes"),
        Head::text("read as"),
        Head::number("raw"),
        Head::text("value"),
        Head::text("state"),
    ];
    let rows = steps.list.iter().flat_map(|step| {
        let field = &step.field;
        let number = if field.group { String::new() } else { step.number.to_string() };
        let raw = step.raw.map_or_else(String::new, |raw| raw.to_string());
        let meaning = if field.changes.is_empty() { field.meaning.clone() } else { String::new() };
        let cells = vec![
            Cell::toned(field.name.clone(), if field.group { Tone::Strong } else { Tone::Text }),
            Cell::toned(number, Tone::Dim),
            Cell::toned(format!("{:#x}", field.span.start), Tone::Dim),
            Cell::new(spaced_hex(&step.bytes, 8)),
            Cell::toned(step.form(), Tone::Dim),
            Cell::new(raw),
            Cell::new(field.decoded_value().to_owned()),
            Cell::new(step.changes_text().join("; ")).beside(meaning),
        ];
        let row = Row { span: Some(field.span), depth: field.depth, cells, ..Row::default() };
        std::iter::once(row).chain(field.bits.iter().map(|bits| bit_row(field, bits)))
    });
    Rows::of(steps.title.clone(), columns, rows.collect())
}

/// Row below a step for bits that have a meaning of their own.
fn bit_row(field: &FieldRow, bits: &BitMeaning) -> Row {
    let value = field.number.map_or(0, |number| bits.of(number.cast_unsigned()));
    let mut cells = vec![Cell::default(); 8];
    cells[0] = Cell::toned(bits.label(), Tone::Dim);
    cells[6] = Cell::new(value.to_string());
    cells[7] = Cell { to: bits.to, ..Cell::new(bits.text.clone()) };
    Row { span: Some(field.span), depth: field.depth + 1, cells, ..Row::default() }
}

/// Steps with their derivations and reasons.
pub(super) fn explained(
    out: &mut Out,
    paragraph: impl Fn(&str) -> Option<&'static str>,
    steps: &Steps,
) -> Result<(), Error> {
    for (index, step) in steps.list.iter().enumerate() {
        let field = &step.field;
        if field.group {
            out.line("")?;
            out.parts(&[(&field.name, Tone::Strong), ("  ", Tone::Text), (field.about, Tone::Dim)])?;
            continue;
        }
        let head = format!("{:>4}  {:#x}  {}", step.number, field.span.start, spaced_hex(&step.bytes, 8));
        let value = format!("  {} = {}", field.name, field.value);
        out.parts(&[(&head, Tone::Dim), (&value, Tone::Strong), ("  ", Tone::Text), (&field.meaning, Tone::Text)])?;
        if let Some(derivation) = learn::derive(step) {
            derived(out, &derivation)?;
        }
        let why = learn::reason(steps, index);
        if !why.is_empty() {
            out.parts(&[("      why  ", Tone::Dim), (&why, Tone::Text)])?;
        }
        let paragraphs = [paragraph(&step.record), paragraph::of_form(field.read)];
        let paragraphs: Vec<&str> = paragraphs.into_iter().flatten().collect();
        if !paragraphs.is_empty() {
            out.parts(&[("      see  ", Tone::Dim), (&paragraphs.join(" · "), Tone::Dim)])?;
        }
    }
    Ok(())
}

/// Rows of a derivation, in columns.
pub(super) fn derived(out: &mut Out, derivation: &Derivation) -> Result<(), Error> {
    let label = derivation.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
    let bits = derivation.rows.iter().map(|row| row.bits_text().chars().count()).max().unwrap_or(0);
    for row in &derivation.rows {
        let left = format!("      {:label$}  {:bits$}", row.label, row.bits_text());
        let gap = if bits == 0 { "" } else { "  " };
        out.parts(&[(&left, Tone::Dim), (gap, Tone::Text), (&row.text, Tone::Text)])?;
    }
    Ok(())
}

/// The reads of a record, in order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "show_steps")]
pub(super) struct Document<'f> {
    schema: Version,
    place: PlaceText,
    title: &'f str,
    /// Name of the space that the spans lie in.
    space: &'f str,
    span: SpanText,
    /// The reason why there are no more steps.
    error: Option<String>,
    /// The read that the decode ended at.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<FailureJson>,
    /// Reads, and the groups that they belong to.
    steps: List<'f, StepJson<'f>>,
}

/// The read that a decode ended at.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "failed_read")]
pub(super) struct FailureJson {
    /// Number of the read, from 1.
    number: u32,
    /// Name of its field.
    field: String,
    /// Innermost group around it.
    record: String,
    /// Offset of its first byte.
    at: u64,
    bytes: BytesText,
    /// True if a value was read and refused, false if it could not be read.
    refused: bool,
}

impl FailureJson {
    pub(super) fn of(failure: &Failure) -> Self {
        Self {
            number: failure.number,
            field: failure.field.clone(),
            record: failure.record.clone(),
            at: failure.start,
            bytes: BytesText::of(&failure.bytes),
            refused: failure.is_refused,
        }
    }
}

/// Chains of `--steps`, one for each question.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "chains")]
pub(super) struct ChainsDocument<'f> {
    schema: Version,
    chains: Vec<ChainJson<'f>>,
}

/// An answer, step by step; each step looks up what the one before it found.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "chain")]
struct ChainJson<'f> {
    title: &'f str,
    steps: Vec<ChainStepJson<'f>>,
}

/// A step of a chain.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "chain_step")]
struct ChainStepJson<'f> {
    /// The place that the step leads to.
    to: Option<PlaceText>,
    /// Name of the space that the span lies in; empty without bytes.
    space: &'f str,
    /// Reason for the step.
    about: &'static str,
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
        let space = session.spaces().get(field.span.space).filter(|_| !field.span.is_empty());
        Some(Self {
            to: field.to.map(Into::into),
            space: space.map_or("", |space| &space.name),
            about: field.about,
            step: StepJson::of(|_| None, steps, index, false)?,
        })
    }
}

/// A read, or a group of the deeper steps that follow.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "step")]
pub(super) struct StepJson<'f> {
    /// Number among the reads, from 1; 0 for a group.
    number: u32,
    name: &'f str,
    span: SpanText,
    /// Groups around it.
    depth: u8,
    group: bool,
    bytes: BytesText,
    /// Form of the stored value: `u32`, `compressed`, `compressed signed`, `utf-8`, `guid`, `bytes`; empty for a group.
    read: &'static str,
    /// Number as stored, before a sign is applied.
    raw: Option<u64>,
    /// Decoded number.
    number_value: Option<i64>,
    /// Decoded value in its notation.
    value: &'f str,
    meaning: &'f str,
    /// Changes of the decoder's state by the read.
    changes: Vec<ChangeJson>,
    /// Bits that have a meaning of their own: those of a free page map, of a hash table's used slots, of a packed number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bits: Vec<BitsJson>,
    /// Arithmetic from the bytes to the value, with `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    derivation: Vec<DerivationJson>,
    /// Reason why the field is there, with `--explain`.
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
    /// Paragraph of the specification, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    paragraph: Option<&'static str>,
}

/// A change of one part of a decoder's state.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "change")]
struct ChangeJson {
    state: &'static str,
    /// `null` where it had no value.
    before: Option<i64>,
    after: i64,
}

/// Some bits of a number.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "bits")]
struct BitsJson {
    mask: u64,
    /// Value of the bits, moved to the lowest bit.
    value: u64,
    meaning: String,
    /// The place that they lead to.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<PlaceText>,
}

impl BitsJson {
    fn of(field: &FieldRow, bits: &BitMeaning) -> Self {
        let value = field.number.map_or(0, |number| bits.of(number.cast_unsigned()));
        Self { mask: bits.mask, value, meaning: bits.text.clone(), to: bits.to.map(Into::into) }
    }
}

/// A row of a derivation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "derivation_row")]
pub(super) struct DerivationJson {
    label: String,
    /// Bits, the highest first.
    #[serde(skip_serializing_if = "String::is_empty")]
    bits: String,
    text: String,
}

impl DerivationJson {
    /// Rows of a derivation.
    pub(super) fn rows(derivation: Option<Derivation>) -> Vec<Self> {
        let rows = derivation.map_or_else(Vec::new, |derivation| derivation.rows);
        let one = |row: learn::derivation::DerivationRow| Self {
            bits: row.bits.iter().map(|bit| if bit.set { '1' } else { '0' }).collect(),
            label: row.label,
            text: row.text,
        };
        rows.into_iter().map(one).collect()
    }
}

impl<'f> Document<'f> {
    fn of(session: &'f Session, place: Place, steps: &'f Steps, explain: bool) -> Self {
        Self {
            schema: Version,
            place: place.into(),
            title: &steps.title,
            space: session.spaces().get(steps.span.space).map_or("", |space| &space.name),
            span: steps.span.into(),
            error: steps.error.as_ref().map(ToString::to_string),
            failed: steps.failure().as_ref().map(FailureJson::of),
            steps: List::of(move || {
                let one = move |at| StepJson::of(|record| paragraph(place, record), steps, at, explain);
                (0..steps.list.len()).filter_map(one)
            }),
        }
    }
}

impl<'f> StepJson<'f> {
    /// The step at `index`, whose record `paragraph` describes.
    pub(super) fn of(
        paragraph: impl Fn(&str) -> Option<&'static str>,
        steps: &'f Steps,
        index: usize,
        explain: bool,
    ) -> Option<Self> {
        let step: &Step = steps.list.get(index)?;
        let field = &step.field;
        let change =
            |change: &Change| ChangeJson { state: change.state.name, before: change.before, after: change.after };
        Some(Self {
            number: step.number,
            name: &field.name,
            span: field.span.into(),
            depth: field.depth,
            group: field.group,
            bytes: BytesText::of(&step.bytes),
            read: step.form(),
            raw: step.raw,
            number_value: field.number,
            value: &field.value,
            meaning: &field.meaning,
            changes: field.changes.iter().map(change).collect(),
            bits: field.bits.iter().map(|bits| BitsJson::of(field, bits)).collect(),
            derivation: DerivationJson::rows(learn::derive(step).filter(|_| explain)),
            why: if explain { learn::reason(steps, index) } else { String::new() },
            paragraph: paragraph(&step.record).filter(|_| explain),
        })
    }
}
