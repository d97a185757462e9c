mod machine;
mod query;
mod reply;

use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::batch::{each_question, labelled, refuse_file_on_input};
use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::evidence::EvidenceJson;
use super::excerpt::Excerpts;
use super::files::say_left_out;
use super::json::List;
use super::live::Live;
use super::native_map::attach;
use super::output::say;
use super::source_args::SourceArgs;
use super::steps::print_chains;
use super::symbols::SymbolArgs;
use super::values::Refused;
use crate::learn::chain;
use crate::nodes::document;
use crate::nodes::method::{il_label, range_text};
use crate::nodes::rows::Tone;
use crate::query::address::{OffsetQuery, offset};
use crate::query::breakpoint::Judge;
use crate::query::certainty::Certainty;
use crate::query::evidence::id_warning;
use crate::query::statement::Statements;
use crate::query::where_is::{self, Answer, explain_text};
use crate::session::Session;
use crate::text::safe::visible;
use machine::Machine;
pub(super) use reply::WhereDocument;
use reply::{AnswerJson, Reply};

/// `pdblens where FILE… METHOD+OFFSET…`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub struct Where {
    /// The files, then the offsets to look up, such as `0x06000002+0xF` or `Clock.Since+15`; `-` reads more from standard input.
    ///
    /// In managed code, name a method by its token, name or row (`0x06000002+0xF`, `Clock.Since+15`, `2+15`); in native code, a function
    /// or an address (`clamp+0x19`, `0x1079`, `0x140001079`, `0001:00000079`, `app!clamp+0x19`, `app+0x1079`). An offset is hexadecimal
    /// after `0x` or `IL_`, with a leading zero (`06000002:000F`) or with a letter in it, and decimal otherwise. The formats of other
    /// tools are read too (`0x06000002@0xF`, `0x6000002 0xF`, `at Clock.Since (System.Int64 x) [0x0000f] in <…>:0`). `-` reads one offset
    /// per line, which may have a label (`crash 1: Clock.Since+15`) and a comment (after `#` or `//`).
    #[arg(value_name = "FILE… METHOD+OFFSET")]
    words: Vec<OsString>,
    /// Use the built-in sample instead of a file.
    #[arg(long)]
    sample: bool,
    #[command(flatten)]
    symbols: SymbolArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// Print where the machine code of the offset is, and whether a debugger accepts a breakpoint there.
    ///
    /// The address of machine code is an offset too: `rva:0x20359`, `Uri.CreateThis+native:0x29`. In a single-file program, `rva:` counts
    /// from the start of the file, as maps of a process and perf do on Linux; the image in it that has the code is named. The answers
    /// hold if the runtime uses this code: that of a recorded event trace (`--native=app.nettrace`) or of a ReadyToRun image of the same
    /// build (`--native=arm64/App.dll`); by default, of the recording beside the image that has its name, or of the image.
    #[arg(long, value_name = "MAP", num_args = 0..=1, require_equals = true, conflicts_with = "steps")]
    #[allow(clippy::option_option)] // clap's form of an option whose value may be left out.
    native: Option<Option<PathBuf>>,
    /// Print how the answer is derived, step by step: token, row, sequence points, point, document, line.
    #[arg(long)]
    steps: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Where {
    const EXAMPLES: &'static [Example] = &[
        example("Find the line of an IL offset", "pdblens where App.dll Clock.Since+0xF"),
        example("Find it by token, for a script", "pdblens where App.dll 0x06000002+0xF --json"),
        example("Find many offsets, one per line of a file", "pdblens where App.dll - < offsets.txt"),
    ];

    fn access(&self) -> Access {
        self.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if let Some(live) = Live::asked(&self.words, self.json) {
            return live.run(out);
        }
        let (mut files, mut questions) = Files::split(self.words, self.sample, self.symbols);
        refuse_file_on_input(&files, &questions, "where App.dll -")?;
        for sentence in files.find_in_program(&mut questions)? {
            say(&format!("note: {}", visible(&sentence)));
        }
        let session = files.open()?;
        if questions.is_empty() {
            return Err(Error::Usage("no offset given · tip: `pdblens where App.dll 0x06000002+0xf`".to_owned()));
        }
        let native = self.native.is_some();
        attach(&session, self.native.as_ref().and_then(Option::as_deref))?;
        let questions = query::joined(&session, questions);
        if session.methods() > 0
            && let Some(note) = query::row_note(&questions)
        {
            say(&format!("note: {}", visible(&note)));
        }
        if self.steps || self.json {
            super::evidence::say_mismatch(&session);
        }
        if self.steps {
            return Ok(say_left_out(&session, as_steps(&session, &questions, self.json, out)?));
        }
        let options = self.sources.options();
        let judge = Judge::of(&session, &options);
        let exit = if self.json {
            as_json(&judge, &questions, native, out)?
        } else {
            as_text(&judge, &mut Excerpts::new(&session, self.sources.options()), &questions, native, out)?
        };
        Ok(say_left_out(&session, exit))
    }
}

fn as_text(
    judge: &Judge<'_>,
    excerpts: &mut Excerpts<'_>,
    questions: &[String],
    native: bool,
    out: &mut Out,
) -> Result<Exit, Error> {
    let session = judge.session();
    let (tally, mut first) = (Tally::of(session), true);
    super::evidence::print_mismatch(session, out)?;
    each_question(questions, &mut |question, line| match query::parse(session, question) {
        Ok((label, query)) => {
            if !std::mem::take(&mut first) {
                out.parts(&[])?;
            }
            if !query.of.is_native()
                && let Some(note) = offset::note(question)
            {
                say(&format!("note: {}", visible(&note)));
            }
            if let Some(label) = label {
                out.parts(&[(&format!("{label}:"), Tone::Dim)])?;
            }
            let answer = tally.answer(session, query, question);
            answer_text(judge, excerpts, &answer, out)?;
            machine::print(session, asked(question, label), &answer, native, out)
        }
        Err(error) => {
            tally.is_unanswered.set(true);
            out.complain(&error.of_query(question, line));
            Ok(())
        }
    })?;
    Ok(tally.exit())
}

fn asked<'q>(question: &'q str, label: Option<&str>) -> &'q str {
    let rest = label.and_then(|label| question.trim_start().strip_prefix(label));
    rest.map_or(question, |rest| rest.trim_start().trim_start_matches(':')).trim()
}

struct Tally {
    /// True if a query has no answer, or none that is known for sure.
    is_unanswered: Cell<bool>,
}

impl Tally {
    /// Symbols of another build are no certain answer.
    fn of(session: &Session) -> Self {
        Self { is_unanswered: Cell::new(id_warning(session).is_some()) }
    }

    fn answer(&self, session: &Session, query: OffsetQuery, question: &str) -> Answer {
        let answer = where_is::where_is(session, query.of, query.offset).for_name(question);
        if answer.is_uncertain() || !answer.has_line() {
            self.is_unanswered.set(true);
        }
        answer
    }

    fn exit(&self) -> Exit {
        if self.is_unanswered.get() { Exit::Findings } else { Exit::Done }
    }
}

fn answer_text(judge: &Judge<'_>, excerpts: &mut Excerpts<'_>, answer: &Answer, out: &mut Out) -> Result<(), Error> {
    let session = judge.session();
    let name = format!("{}+{:#x}", answer.name(session), answer.offset);
    out.parts(&[(&name, Tone::Strong), ("  ", Tone::Text), (&answer.place().to_string(), Tone::Dim)])?;
    for sentence in explain_text::sentences(session, answer) {
        out.prose(&[("  ", Tone::Text)], &[(&sentence.text, Tone::Text)])?;
    }
    if let Some(point) = answer.shown() {
        let path = document::name(session, point.document).unwrap_or_default();
        let line = format!("{path}:{}", point.start_line);
        out.parts(&[("  ", Tone::Text), (&line, Tone::Ok), ("  ", Tone::Text), (&range_text(&point), Tone::Dim)])?;
        excerpts.print(out, answer.of, &point)?;
        let certainty = answer.certainty(session);
        if certainty != Certainty::Known {
            label_line(out, "certainty", &certainty.to_string())?;
        }
        let verdict = judge.point(answer.of, &point);
        label_line(out, "breakpoint", &format!("{} {}", verdict.sign().text(), verdict.words()))?;
    }
    if let Some(instruction) = &answer.instruction {
        let label = il_label(instruction.offset.into());
        label_line(out, "instruction", &format!("{label}  {} {}", instruction.opcode, instruction.operand))?;
    }
    for (index, local) in answer.locals.iter().enumerate() {
        label_line(out, if index == 0 { "in scope" } else { "" }, &local.text())?;
    }
    for (index, region) in answer.regions.iter().enumerate() {
        label_line(out, if index == 0 { "inside" } else { "" }, &explain_text::clause_text(region))?;
    }
    for error in &answer.errors {
        out.prose(&[("  ✗ ", Tone::Bad)], &[(&session.spaces().error_text(error), Tone::Bad)])?;
    }
    if let Some(body) = &answer.state_machine {
        out.parts(&[("  in a stack trace this means:", Tone::Dim)])?;
        answer_text(judge, excerpts, body, out)?;
    }
    Ok(())
}

pub(super) fn label_line(out: &mut Out, label: &str, text: &str) -> Result<(), Error> {
    out.prose(&[(&format!("  {label:<13}"), Tone::Dim)], &[(text.trim_end(), Tone::Text)])
}

fn as_steps(session: &Session, questions: &[String], json: bool, out: &mut Out) -> Result<Exit, Error> {
    let (tally, mut chains) = (Tally::of(session), Vec::new());
    each_question(questions, &mut |question, line| {
        match query::parse(session, question) {
            Ok((_, query)) => chains.push(chain::where_is(session, &tally.answer(session, query, question))),
            Err(error) => {
                tally.is_unanswered.set(true);
                out.complain(&error.of_query(question, line));
            }
        }
        Ok(())
    })?;
    print_chains(out, session, &chains, json)?;
    Ok(tally.exit())
}

fn as_json(judge: &Judge<'_>, questions: &[String], native: bool, out: &mut Out) -> Result<Exit, Error> {
    let session = judge.session();
    let (tally, statements) = (Tally::of(session), Statements::new(session));
    let answers = List::each(|emit| {
        let asked = each_question(questions, &mut |question, _| {
            Ok(emit(match query::parse(session, question) {
                Ok((label, query)) => {
                    let answer = tally.answer(session, query, question);
                    let machine = Machine::of(session, asked(question, label), &answer, native);
                    Reply::Answered {
                        query: question.to_owned(),
                        label: label.map(str::to_owned),
                        answer: Box::new(AnswerJson::of(judge, statements.as_ref(), answer)),
                        machine,
                    }
                }
                Err(error) => {
                    tally.is_unanswered.set(true);
                    let label = labelled(question).map(|(label, _)| label);
                    Reply::Refused(Refused::of(question, label, error.reason, error.text))
                }
            })?)
        });
        asked.map_err(|error| match error {
            Error::Io(error) => error,
            other => io::Error::other(other.to_string()),
        })
    });
    super::json::write(out, &WhereDocument { evidence: EvidenceJson::of(session), answers })?;
    Ok(tally.exit())
}
