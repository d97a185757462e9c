use crate::nodes::code_unit;
use crate::nodes::document;
use crate::query::where_is;
use crate::query::where_is::explain_text;
use crate::query::where_is::parse;
use std::ffi::OsString;
use std::io::{self, BufRead};

use super::excerpt::Excerpts;
use super::json::Json;
use super::output::Out;
use super::sources::SourceArgs;
use super::symbols::SymbolArgs;
use super::{Error, Exit, Files, Run};
use crate::nodes::Point;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::method::{il_label, range_text};
use crate::nodes::rows::Tone;
use crate::query::where_is::Answer;
use crate::query::where_is::{Local, LocalKind};
use crate::session::Session;

/// The longest line of standard input that is taken for a question.
const LONGEST: u64 = 1 << 16;

/// `pdblens where FILE… METHOD+OFFSET…`
#[derive(Debug, clap::Args)]
pub struct Where {
    /// The files, then what to look up: `0x06000002+0xF`, `Clock.Since+15`, `2+15`; of native code `clamp+0x19` or an address,
    /// `0x1079`; `-` reads more from standard input, one a line.
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
            return Err(Error::Place("where is what? for example `pdblens where App.dll 0x06000002+0xf`".to_owned()));
        }
        if self.json {
            return as_json(&session, &questions, out);
        }
        as_text(&session, &mut Excerpts::new(&session, self.sources.options()), &questions, out)
    }
}

/// Calls `each` with every question: those on the command line, and those on standard input where `-` stands.
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
            if io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut line)? == 0 {
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
            answer_text(session, excerpts, &where_is::where_is(session, query.of, query.il), out)
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
    let name = format!("{}+{:#x}", code_unit::name(session, answer.of), answer.il);
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
        out.parts(&[("  ✗ ", Tone::Bad), (&error.to_string(), Tone::Bad)])?;
    }
    if let Some(meant) = &answer.meant {
        out.parts(&[("  in a stack trace this means:", Tone::Dim)])?;
        answer_text(session, excerpts, meant, out)?;
    }
    Ok(())
}

fn label_line(out: &mut Out, label: &str, text: &str) -> Result<(), Error> {
    out.parts(&[(&format!("  {label:<13}"), Tone::Dim), (text.trim_end(), Tone::Text)])
}

fn as_json(session: &Session, questions: &[String], out: &mut Out) -> Result<Exit, Error> {
    let mut json = Json::new(out);
    let mut exit = Exit::Done;
    json.object(|json| {
        json.number("schema", crate::nodes::SCHEMA)?;
        json.key("answers")?.list(|json| {
            let asked = each_question(questions, &mut |question| {
                json.object(|json| {
                    json.text("query", question)?;
                    match parse::parse_offset(session, question) {
                        Ok(query) => answer_json(json, session, &where_is::where_is(session, query.of, query.il)),
                        Err(error) => {
                            exit = Exit::Usage;
                            json.shown("error", error)
                        }
                    }
                })
                .map_err(Error::Io)
            });
            asked.map_err(|error| match error {
                Error::Io(error) => error,
                other => io::Error::other(other.to_string()),
            })
        })
    })?;
    Ok(exit)
}

fn answer_json<W: io::Write>(json: &mut Json<W>, session: &Session, answer: &Answer) -> io::Result<()> {
    routine_json(json, session, answer.of)?;
    json.shown("place", answer.place())?;
    json.number(offset_key(answer.of), answer.il)?;
    if let Some(size) = answer.code_size {
        json.number("code_size", size)?;
    }
    json.text("position", answer.position.word())?;
    if let Some(point) = answer.covering() {
        json.number("point", answer.found.number)?;
        json.number("hidden", point.is_hidden())?;
    }
    if let Some(range) = answer.range() {
        json.number("start", range.start)?;
        if range.end < u32::MAX {
            json.number("end", range.end)?;
        }
    }
    for (key, point) in [("source", answer.shown()), ("before", answer.found.visible), ("after", answer.found.next)] {
        point_json(json, session, key, answer.of, point)?;
    }
    if let Some(instruction) = &answer.instruction {
        json.key("instruction")?.object(|json| {
            json.number("il", instruction.offset)?;
            json.text("opcode", instruction.opcode)?;
            json.text("operand", &instruction.operand)?;
            json.span("span", instruction.span)?;
            json.number("begins_here", instruction.offset == answer.il)
        })?;
    }
    json.key("locals")?.list(|json| answer.locals.iter().try_for_each(|local| local_json(json, local)))?;
    json.key("regions")?.list(|json| {
        answer.regions.iter().try_for_each(|inside| {
            json.object(|json| {
                json.number("number", inside.number)?;
                json.text("part", inside.part.word())?;
                json.text("kind", &where_is::clause_name(session, &inside.region))
            })
        })
    })?;
    if answer.of.is_native() {
        json.key("inlined")?.list(|json| {
            answer.inlined.iter().try_for_each(|call| {
                json.object(|json| {
                    json.text("name", &call.name)?;
                    json.text("document", &call.file)?;
                    json.number("line", call.line)
                })
            })
        })?;
    }
    let documents = answer.documents.iter().filter_map(|row| document::name(session, *row));
    json.key("documents")?.list(|json| documents.into_iter().try_for_each(|name| json.string(&name)))?;
    for (key, method) in [("kickoff", answer.kickoff), ("move_next", answer.move_next)] {
        if let Some(method) = method {
            json.shown(key, method)?;
        }
    }
    if let Some(meant) = &answer.meant {
        json.key("meant")?.object(|json| answer_json(json, session, meant))?;
    }
    json.key("errors")?.list(|json| answer.errors.iter().try_for_each(|error| json.string(&error.to_string())))
}

fn local_json<W: io::Write>(json: &mut Json<W>, local: &Local) -> io::Result<()> {
    json.object(|json| {
        json.text("name", &local.name)?;
        json.text("type", &local.type_name)?;
        match &local.kind {
            LocalKind::Slot(slot) => json.number("slot", slot)?,
            LocalKind::Field(field) => json.shown("field", field)?,
            LocalKind::Constant(value) => json.text("value", value)?,
            LocalKind::Machine(kept) => json.text("kept_in", kept)?,
        }
        json.number("hidden", local.hidden)
    })
}

/// Members that say which method or function it is, and what it is called.
pub(super) fn routine_json<W: io::Write>(json: &mut Json<W>, session: &Session, of: CodeUnit) -> io::Result<()> {
    json.shown(if of.is_native() { "function" } else { "method" }, of)?;
    json.text("name", &code_unit::name(session, of))
}

/// What offsets of its code are called.
const fn offset_key(of: CodeUnit) -> &'static str {
    if of.is_native() { "offset" } else { "il" }
}

/// A member that is where a point is in the source; none where there is no point, or a hidden one.
pub(super) fn point_json<W: io::Write>(
    json: &mut Json<W>,
    session: &Session,
    key: &str,
    of: CodeUnit,
    point: Option<Point>,
) -> io::Result<()> {
    let Some(point) = point.filter(|point| !point.is_hidden()) else { return Ok(()) };
    json.key(key)?.object(|json| {
        json.text("document", &document::name(session, point.document).unwrap_or_default())?;
        json.number("row", point.document)?;
        json.number(offset_key(of), point.il)?;
        json.number("start_line", point.start_line)?;
        json.number("start_column", point.start_column)?;
        json.number("end_line", point.end_line)?;
        json.number("end_column", point.end_column)
    })
}
