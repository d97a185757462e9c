use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, BufRead};

use schemars::JsonSchema;
use serde::Serialize;

use super::command::Run;
use super::excerpt::Excerpts;
use super::json::{self, List};
use super::output::Out;
use super::source_args::SourceArgs;
use super::symbols::SymbolArgs;
use super::values::{Code, Offset, PlaceText, SourceRange, SpanText, TokenText, Version, words};
use super::where_native::{FoldedJson, InlinedJson, NearestJson};
use super::{Error, Exit, Files};
use crate::nodes::code_unit;
use crate::nodes::document;
use crate::nodes::method::{il_label, range_text};
use crate::nodes::rows::Tone;
use crate::query::where_is;
use crate::query::where_is::Answer;
use crate::query::where_is::explain_text;
use crate::query::where_is::parse;
use crate::query::where_is::{Local, LocalKind, Position, RegionPart};
use crate::session::Session;

/// Limit on the bytes of one question on standard input.
const MAX_QUESTION: u64 = 1 << 16;

/// `pdblens where FILE… METHOD+OFFSET…`
#[derive(Debug, clap::Args)]
pub struct Where {
    /// The files, then what to look up: `0x06000002+0xF`, `Clock.Since+15`, `2+15`; of native code `clamp+0x19` or an address
    /// (`0x1079`, `0x140001079`, `0001:00000079`, `app!clamp+0x19`, `app+0x1079`); `-` reads more from standard input, one a line.
    #[arg(value_name = "FILE… METHOD+OFFSET")]
    words: Vec<OsString>,
    #[command(flatten)]
    symbols: SymbolArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Where {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (files, questions) = Files::split(self.words, self.symbols);
        let session = files.open()?;
        if questions.is_empty() {
            return Err(Error::Place("no offset given: try `pdblens where App.dll 0x06000002+0xf`".to_owned()));
        }
        if self.json {
            return as_json(&session, &questions, out);
        }
        as_text(&session, &mut Excerpts::new(&session, self.sources.options()), &questions, out)
    }
}

/// Calls `each` with every query of the command line; `-` stands for those on standard input.
fn each_question(questions: &[String], each: &mut dyn FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
    for question in questions {
        if question != "-" {
            each(question)?;
            continue;
        }
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            if io::Read::take(&mut input, MAX_QUESTION).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            if !text.trim().is_empty() {
                each(text.trim())?;
            }
        }
    }
    Ok(())
}

fn as_text(session: &Session, excerpts: &mut Excerpts<'_>, questions: &[String], out: &mut Out) -> Result<Exit, Error> {
    let (mut exit, mut first) = (Exit::Done, true);
    each_question(questions, &mut |question| match parse::parse_offset(session, question) {
        Ok(query) => {
            if !std::mem::take(&mut first) {
                out.parts(&[])?;
            }
            answer_text(session, excerpts, &where_is::where_is(session, query.of, query.offset), out)
        }
        Err(error) => {
            exit = Exit::Usage;
            out.complain(&Error::Place(error.to_string()));
            Ok(())
        }
    })?;
    Ok(exit)
}

fn answer_text(session: &Session, excerpts: &mut Excerpts<'_>, answer: &Answer, out: &mut Out) -> Result<(), Error> {
    let name = format!("{}+{:#x}", code_unit::name(session, answer.of), answer.offset);
    out.parts(&[(&name, Tone::Strong), ("  ", Tone::Text), (&answer.place().to_string(), Tone::Dim)])?;
    for sentence in explain_text::sentences(session, answer) {
        out.parts(&[("  ", Tone::Text), (&sentence, Tone::Text)])?;
    }
    if let Some(point) = answer.shown() {
        let path = document::name(session, point.document).unwrap_or_default();
        let line = format!("{path}:{}", point.start_line);
        out.parts(&[("  ", Tone::Text), (&line, Tone::Ok), ("  ", Tone::Text), (&range_text(&point), Tone::Dim)])?;
        excerpts.print(out, &point)?;
    }
    if let Some(instruction) = &answer.instruction {
        let label = il_label(instruction.offset.into());
        label_line(out, "instruction", &format!("{label}  {} {}", instruction.opcode, instruction.operand))?;
    }
    for (index, local) in answer.locals.iter().enumerate() {
        label_line(out, if index == 0 { "in scope" } else { "" }, &local.text())?;
    }
    for (index, region) in answer.regions.iter().enumerate() {
        label_line(out, if index == 0 { "inside" } else { "" }, &explain_text::clause_text(session, region))?;
    }
    for error in &answer.errors {
        out.parts(&[("  ✗ ", Tone::Bad), (&session.spaces().error_text(error), Tone::Bad)])?;
    }
    if let Some(body) = &answer.state_machine {
        out.parts(&[("  in a stack trace this means:", Tone::Dim)])?;
        answer_text(session, excerpts, body, out)?;
    }
    Ok(())
}

fn label_line(out: &mut Out, label: &str, text: &str) -> Result<(), Error> {
    out.parts(&[(&format!("  {label:<13}"), Tone::Dim), (text.trim_end(), Tone::Text)])
}

/// Answers in the order of the queries.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "where")]
pub(super) struct Document<'s> {
    schema: Version,
    answers: List<'s, Reply>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "reply")]
enum Reply {
    Answered {
        /// The query, unchanged.
        query: String,
        #[serde(flatten)]
        answer: Box<AnswerJson>,
    },
    /// The query names no method: the exit code is 2.
    Refused { query: String, error: String },
}

/// Answer for an offset of a method or a native function.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "answer")]
struct AnswerJson {
    #[serde(flatten)]
    code: Code,
    place: PlaceText,
    #[serde(flatten)]
    at: Offset,
    /// Bytes of code, where there is an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_size: Option<u32>,
    position: PositionJson,
    #[serde(flatten)]
    covering: Option<Covering>,
    /// Source that a debugger shows for the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRange>,
    /// The last visible point at or before the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SourceRange>,
    /// The first visible point after the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<SourceRange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<InstructionJson>,
    /// Variables and constants in scope.
    locals: Vec<LocalJson>,
    /// Exception regions around the offset, innermost first.
    regions: Vec<RegionJson>,
    /// Calls that were inlined there, outermost first; of native code.
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<Vec<InlinedJson>>,
    /// Functions that the linker folded into this code, any of which may be meant; absent unless they are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folded: Vec<FoldedJson>,
    /// The public symbol at or before the address, where no function of the PDB has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<NearestJson>,
    /// Mappings between the address and the line, each a sentence: OMAP.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hops: Vec<String>,
    /// Paths of the documents that the points are in.
    documents: Vec<String>,
    /// The async method or iterator whose body this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    kickoff: Option<TokenText>,
    /// The method that holds the body of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    move_next: Option<TokenText>,
    /// The same offset in `MoveNext`, which is the one that a stack trace refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    state_machine: Option<Box<AnswerJson>>,
    /// Parts of the method that cannot be read.
    errors: Vec<String>,
}

words! {
    PositionJson = "position", Position {
        /// A point begins there.
        Exact,
        /// After the first instruction of a point.
        Inside,
        /// The point that covers it is hidden.
        Hidden,
        BeforeFirst,
        PastEnd,
        /// The method has no points.
        NoPoints,
    }
}

/// The sequence point that covers the offset.
#[derive(Serialize, JsonSchema)]
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

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "instruction_at")]
struct InstructionJson {
    il: u32,
    opcode: &'static str,
    /// Operand with names instead of tokens.
    operand: String,
    span: SpanText,
    /// True if the offset is its first byte.
    begins_here: bool,
}

/// A variable or constant: `slot`, `field`, `value` or `kept_in` is its storage.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "local")]
struct LocalJson {
    name: String,
    r#type: String,
    /// Slot of the local signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<u16>,
    /// Field of the state machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<TokenText>,
    /// Value of a constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Register, or memory relative to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_in: Option<String>,
    /// True if debuggers hide it.
    hidden: bool,
    /// Name of the inlined function that it is a variable of; of native code.
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "inside_region")]
struct RegionJson {
    /// Number of the exception region in its method, from 0.
    number: u32,
    part: RegionPartJson,
    /// Kind of the handler, and the type that it catches.
    kind: String,
}

words! {
    RegionPartJson = "region_part", RegionPart {
        Try,
        Filter,
        Handler,
    }
}

fn as_json(session: &Session, questions: &[String], out: &mut Out) -> Result<Exit, Error> {
    let refused = Cell::new(false);
    let answers = List::each(|emit| {
        let asked = each_question(questions, &mut |question| {
            Ok(emit(match parse::parse_offset(session, question) {
                Ok(query) => Reply::Answered {
                    query: question.to_owned(),
                    answer: Box::new(AnswerJson::of(session, &where_is::where_is(session, query.of, query.offset))),
                },
                Err(error) => {
                    refused.set(true);
                    Reply::Refused { query: question.to_owned(), error: error.to_string() }
                }
            })?)
        });
        asked.map_err(|error| match error {
            Error::Io(error) => error,
            other => io::Error::other(other.to_string()),
        })
    });
    json::write(out, &Document { schema: Version, answers })?;
    Ok(if refused.get() { Exit::Usage } else { Exit::Done })
}

impl AnswerJson {
    fn of(session: &Session, answer: &Answer) -> Self {
        let source = |point| SourceRange::of(session, answer.of, point);
        Self {
            code: Code::of(session, answer.of),
            place: answer.place().into(),
            at: Offset::of(answer.of, answer.offset),
            code_size: answer.code_size,
            position: answer.position.into(),
            covering: Covering::of(answer),
            source: source(answer.shown()),
            before: source(answer.found.visible),
            after: source(answer.found.next),
            instruction: answer.instruction.as_ref().map(|found| InstructionJson {
                il: found.offset,
                opcode: found.opcode,
                operand: found.operand.clone(),
                span: found.span.into(),
                begins_here: found.offset == answer.offset,
            }),
            locals: answer.locals.iter().map(LocalJson::of).collect(),
            regions: answer
                .regions
                .iter()
                .map(|inside| RegionJson {
                    number: inside.number,
                    part: inside.part.into(),
                    kind: where_is::clause_name(session, &inside.region),
                })
                .collect(),
            inlined: answer.of.is_native().then(|| answer.inlined.iter().map(InlinedJson::of).collect()),
            folded: answer.folded.iter().map(FoldedJson::of).collect(),
            nearest: answer.nearest.as_ref().map(NearestJson::of),
            hops: answer.hops.clone(),
            documents: answer.documents.iter().filter_map(|row| document::name(session, *row)).collect(),
            kickoff: answer.kickoff.map(Into::into),
            move_next: answer.move_next.map(Into::into),
            state_machine: answer.state_machine.as_ref().map(|answer| Box::new(Self::of(session, answer))),
            errors: answer.errors.iter().map(|error| session.spaces().error_text(error)).collect(),
        }
    }
}

impl Covering {
    fn of(answer: &Answer) -> Option<Self> {
        let (point, range) = (answer.covering()?, answer.range()?);
        let end = (range.end < u32::MAX).then_some(range.end);
        Some(Self { point: answer.found.number, hidden: point.is_hidden(), start: range.start, end })
    }
}

impl LocalJson {
    fn of(local: &Local) -> Self {
        let (name, r#type) = (local.name.clone(), local.type_name.clone());
        let (hidden, inlined) = (local.hidden, local.inlined.clone());
        let plain = Self { name, r#type, slot: None, field: None, value: None, kept_in: None, hidden, inlined };
        match &local.kind {
            LocalKind::Slot(slot) => Self { slot: Some(*slot), ..plain },
            LocalKind::Field(field) => Self { field: Some((*field).into()), ..plain },
            LocalKind::Constant(value) => Self { value: Some(value.clone()), ..plain },
            LocalKind::Machine(kept) => Self { kept_in: Some(kept.clone()), ..plain },
        }
    }
}
