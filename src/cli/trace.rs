use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::command::Run;
use super::json::{self, Emit, List};
use super::output::Out;
use super::symbols::{Shown, SymbolArgs};
use super::values::{CodeText, TokenText, Version};
use super::{Error, Exit};
use crate::nodes::method::lines_text;
use crate::nodes::rows::Tone;
use crate::store::Element;
use crate::text::safe::visible;
use crate::trace::{Candidate, Files, FindSymbols, Offset, Outcome, Resolved, Sink, Told, Tracer};

/// `pdblens trace [--symbols PATH]… [FILE|-]`
#[derive(Debug, clap::Args)]
pub struct Trace {
    /// The text with stack traces; `-` or no file reads standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Explain below each frame how it was resolved, or why not.
    #[arg(long, conflicts_with = "json")]
    explain: bool,
    /// Print the frames, as one JSON document, instead of the text.
    #[arg(long)]
    json: bool,
}

impl Run for Trace {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let input: Box<dyn Read> = match &self.file {
            Some(path) if path.as_os_str() != "-" => match File::open(path) {
                Ok(file) => Box::new(file),
                Err(error) => return Err(Error::Other(format!("{}: {error}", path.display()))),
            },
            _ => Box::new(io::stdin().lock()),
        };
        let mut tracer = Tracer::new(self.finders()?);
        if self.json {
            let job = RefCell::new(Some((tracer, input)));
            let frames = List::each(|emit| match job.borrow_mut().take() {
                Some((mut tracer, input)) => tracer.run(input, &mut AsJson { emit }),
                None => Ok(()),
            });
            json::write(out, &Document { schema: Version, frames })?;
        } else {
            tracer.run(input, &mut AsText { out, explain: self.explain, ended: true })?;
        }
        Ok(Exit::Done)
    }
}

impl Trace {
    /// Sources of symbols, in order: named files and folders, stores and servers, the environment's path. If none is named,
    /// the working directory.
    fn finders(&self) -> Result<Vec<Box<dyn FindSymbols>>, Error> {
        let paths = self.symbols.paths();
        for path in paths.named.elements.iter().filter_map(Element::plain) {
            if let Err(error) = std::fs::metadata(path) {
                return Err(Error::Place(format!("--symbols {}: {error}", path.display())));
            }
        }
        let named = &paths.named;
        let files = if named.is_empty() { Files::new(&[PathBuf::from(".")]) } else { Files::along(named) };
        Ok(paths.finders(files, &|| {
            let mut shown = Shown::default();
            Box::new(move |done, of| shown.at(done, of))
        }))
    }
}

/// Output of the text, with notes below each frame.
struct AsText<'o> {
    out: &'o mut Out,
    explain: bool,
    /// The text so far ends with a line end.
    ended: bool,
}

impl Sink for AsText<'_> {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.ended = text.last().is_none_or(|byte| *byte == b'\n');
        self.out.hand_on(text)
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        if !self.explain {
            return Ok(());
        }
        if !std::mem::replace(&mut self.ended, true) {
            self.out.write_all(b"\n")?;
        }
        for (tone, sentence) in sentences(told) {
            let parts = [("     │ ", Tone::Dim), (&*sentence, tone)];
            self.out.parts(&parts).map_err(|error| match error {
                Error::Io(error) => error,
                other => io::Error::other(other.to_string()),
            })?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Lines of `--explain` for a frame.
fn sentences(told: &Told<'_>) -> Vec<(Tone, String)> {
    let mut said = Vec::new();
    match told.outcome {
        Outcome::Known => said.push((Tone::Dim, "line already in the trace".to_owned())),
        Outcome::No(reason) => said.push((Tone::Warn, format!("not resolved: {reason} ({})", told.form))),
        Outcome::Candidates(candidates, reason) => {
            said.push((Tone::Warn, format!("not resolved: {reason} ({})", told.form)));
            said.extend(candidates.iter().map(|candidate| (Tone::Text, candidate_text(candidate))));
        }
        Outcome::Resolved(found) => {
            let span = lines_text([found.line, found.column, found.end_line, found.end_column]);
            let sentence =
                format!("{} {} +{:#x} is {} {span} ({})", found.of, found.name, found.offset, found.path, told.form);
            said.push((Tone::Ok, sentence));
            said.push((Tone::Dim, format!("symbols: {}", found.symbols)));
            said.extend(found.notes.iter().map(|note| (Tone::Dim, note.clone())));
        }
    }
    // What comes from a file is shown with everything spelled out: this is no longer the text that came in.
    said.into_iter().map(|(tone, text)| (tone, visible(&text).into_owned())).collect()
}

fn candidate_text(candidate: &Candidate) -> String {
    let lines = match &candidate.lines {
        Some((path, first, last)) => format!("{path}:{first}–{last}"),
        None => "no lines".to_owned(),
    };
    format!("  could be {} {}  {lines}", candidate.method, candidate.name)
}

/// Frames, in the order of the text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "trace")]
pub(super) struct Document<'t> {
    schema: Version,
    frames: List<'t, FrameJson>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "frame")]
struct FrameJson {
    /// Line of the text, from 1.
    line: u64,
    /// Name of the dialect that the frame is written in.
    form: &'static str,
    /// Type and name of the method, as the text has them.
    name: String,
    /// Text between the parentheses of the method.
    parameters: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<TokenText>,
    /// IL offset in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    il: Option<u32>,
    /// Machine code offset in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    native_offset: Option<u64>,
    #[serde(flatten)]
    outcome: OutcomeJson,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[schemars(inline)]
enum OutcomeJson {
    /// The line was found.
    Resolved(ResolvedJson),
    /// The text has the line already.
    Known,
    /// Several methods match.
    Candidates {
        reason: String,
        candidates: Vec<CandidateJson>,
    },
    Unresolved {
        reason: String,
    },
}

/// The code of a frame: a method (`method`, `method_name`, `method_il`) or a native function (`function`, `function_name`,
/// `function_offset`); and its source.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "resolved")]
struct ResolvedJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<TokenText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method_name: Option<String>,
    /// IL offset in the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    method_il: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<CodeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_name: Option<String>,
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
    /// Symbols that the line comes from.
    symbols: String,
    /// Reasons for the choice, one sentence each.
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "candidate")]
struct CandidateJson {
    method: TokenText,
    method_name: String,
    symbols: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
}

/// Collects the frames and drops the text.
struct AsJson<'e, 'f> {
    emit: &'e mut Emit<'f, FrameJson>,
}

impl Sink for AsJson<'_, '_> {
    fn text(&mut self, _text: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
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
            Offset::Line(_) | Offset::None => (None, None),
        };
        Self {
            line: told.line,
            form: told.form,
            name: told.frame.name.clone(),
            parameters: told.frame.parameters.clone(),
            token: told.frame.token.map(Into::into),
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
            Outcome::No(reason) => Self::Unresolved { reason: reason.clone() },
            Outcome::Candidates(candidates, reason) => Self::Candidates {
                reason: reason.clone(),
                candidates: candidates.iter().map(CandidateJson::of).collect(),
            },
            Outcome::Resolved(found) => Self::Resolved(ResolvedJson::of(found)),
        }
    }
}

impl ResolvedJson {
    fn of(found: &Resolved) -> Self {
        let native = found.of.is_native();
        Self {
            method: (!native).then(|| found.of.token().into()),
            method_name: (!native).then(|| found.name.clone()),
            method_il: (!native).then_some(found.offset),
            function: native.then(|| found.of.into()),
            function_name: native.then(|| found.name.clone()),
            function_offset: native.then_some(found.offset),
            document: found.path.clone(),
            start_line: found.line,
            start_column: found.column,
            end_line: found.end_line,
            end_column: found.end_column,
            symbols: found.symbols.clone(),
            notes: found.notes.clone(),
        }
    }
}

impl CandidateJson {
    fn of(candidate: &Candidate) -> Self {
        let lines = candidate.lines.as_ref();
        Self {
            method: candidate.method.into(),
            method_name: candidate.name.clone(),
            symbols: candidate.symbols.clone(),
            document: lines.map(|(path, ..)| path.clone()),
            start_line: lines.map(|(_, first, _)| *first),
            end_line: lines.map(|(.., last)| *last),
        }
    }
}
