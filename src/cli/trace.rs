use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use super::json::Json;
use super::output::Out;
use super::symbols::{Shown, SymbolArgs};
use super::{Error, Exit, Run};
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::method::lines_text;
use crate::nodes::rows::Tone;
use crate::store::Element;
use crate::text::safe::visible;
use crate::trace::{Candidate, Files, FindSymbols, Offset, Outcome, Sink, Told, Tracer};

/// `pdblens trace [--symbols PATH]… [FILE|-]`
#[derive(Debug, clap::Args)]
pub struct Trace {
    /// The text with the traces; `-` or nothing is standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Say below each frame how it was resolved, or why not.
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
            let mut json = Json::new(out);
            json.object(|json| {
                json.number("schema", crate::nodes::SCHEMA)?;
                json.key("frames")?.list(|json| tracer.run(input, &mut AsJson { json }))
            })?;
        } else {
            tracer.run(input, &mut AsText { out, explain: self.explain, ended: true })?;
        }
        Ok(Exit::Done)
    }
}

impl Trace {
    /// Where symbols come from: the files and folders that are named, then stores and servers, then the environment's path.
    /// Where nothing is named, the folder that this is run in.
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

/// The text, and below each frame what is to be said of it.
struct AsText<'o> {
    out: &'o mut Out,
    explain: bool,
    /// Whether the text so far ends with a line's end.
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

/// What `--explain` says of a frame.
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
                format!("{} {} +{:#x} is {} {span} ({})", found.of, found.name, found.il, found.path, told.form);
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

/// The frames alone.
struct AsJson<'j, W: Write> {
    json: &'j mut Json<W>,
}

impl<W: Write> Sink for AsJson<'_, W> {
    fn text(&mut self, _text: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.json.object(|json| {
            json.number("line", told.line)?;
            json.text("form", told.form)?;
            json.text("name", &told.frame.name)?;
            json.key("parameters")?.maybe(told.frame.parameters.as_deref())?;
            if let Some(token) = told.frame.token {
                json.shown("token", token)?;
            }
            match told.frame.offset {
                Offset::Il(il) | Offset::ExactIl(il) => json.number("il", il)?,
                Offset::Native(offset) => json.number("native_offset", offset)?,
                Offset::Line(_) | Offset::None => {}
            }
            outcome_json(json, told.outcome)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn outcome_json<W: Write>(json: &mut Json<W>, outcome: &Outcome) -> io::Result<()> {
    match outcome {
        Outcome::Known => json.text("outcome", "known"),
        Outcome::No(reason) => {
            json.text("outcome", "unresolved")?;
            json.text("reason", reason)
        }
        Outcome::Candidates(candidates, reason) => {
            json.text("outcome", "candidates")?;
            json.text("reason", reason)?;
            json.key("candidates")?.list(|json| {
                candidates.iter().try_for_each(|candidate| {
                    json.object(|json| {
                        json.shown("method", candidate.method)?;
                        json.text("method_name", &candidate.name)?;
                        json.text("symbols", &candidate.symbols)?;
                        if let Some((path, first, last)) = &candidate.lines {
                            json.text("document", path)?;
                            json.number("start_line", first)?;
                            json.number("end_line", last)?;
                        }
                        Ok(())
                    })
                })
            })
        }
        Outcome::Resolved(found) => {
            json.text("outcome", "resolved")?;
            let (key, name, offset) = match found.of {
                CodeUnit::Method(_) => ("method", "method_name", "method_il"),
                CodeUnit::Function(_) => ("function", "function_name", "function_offset"),
            };
            json.shown(key, found.of)?;
            json.text(name, &found.name)?;
            json.number(offset, found.il)?;
            json.text("document", &found.path)?;
            json.number("start_line", found.line)?;
            json.number("start_column", found.column)?;
            json.number("end_line", found.end_line)?;
            json.number("end_column", found.end_column)?;
            json.text("symbols", &found.symbols)?;
            json.key("notes")?.list(|json| found.notes.iter().try_for_each(|note| json.string(note)))
        }
    }
}
