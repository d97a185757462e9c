mod reply;

use std::ffi::OsString;
use std::path::PathBuf;

use super::batch::{each_question, in_line, labelled, refuse_file_on_input};
use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::excerpt::Excerpts;
use super::files::say_left_out;
use super::native_map::attach;
use super::source_args::SourceArgs;
use super::steps::print_chains;
use super::symbols::SymbolArgs;
use crate::learn::chain;
use crate::nodes::method::native::code_name;
use crate::nodes::method::range_text;
use crate::nodes::rows::Tone;
use crate::nodes::{code_unit, document};
use crate::query::address::{AddressError, LineQuery, split_line};
use crate::query::ask::line_address;
use crate::query::breakpoint::{self, Breakpoint, Hit, Judge, Sign, Why, debugger_attributes};
use crate::query::native_where::{native_where, not_compiled, sentence};
use crate::query::shell_command::find_command;
use crate::query::where_is::state_machine;
use crate::query::where_is::versions::generations_of_line;
use crate::session::Session;
use crate::text::safe::count;
#[cfg(test)]
pub(super) use reply::{BreakDocument, WhyDocument};

/// `pdblens break FILE… DOCUMENT:LINE[:COLUMN]…`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub struct Break {
    /// The files, then the source lines, such as `Program.cs:21` or `src/Program.cs:21:13`; `-` reads more from standard input.
    ///
    /// `-` reads one source line per line, which may have a label (`smoke 1: Program.cs:21`) and a comment (after `#` or `//`).
    #[arg(value_name = "FILE… DOCUMENT:LINE[:COLUMN]")]
    words: Vec<OsString>,
    /// Use the built-in sample instead of a file.
    #[arg(long)]
    sample: bool,
    #[command(flatten)]
    symbols: SymbolArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// Add how to make a debugger stop there, and how the verdict is known.
    #[arg(long)]
    why: bool,
    /// Print where the machine code of each range is, and whether a debugger accepts a breakpoint there.
    ///
    /// It is that of a recorded event trace (`--native=app.nettrace`) or of a ReadyToRun image of the same build
    /// (`--native=arm64/App.dll`); by default, of the recording beside the image that has its name, or of the image.
    #[arg(long, value_name = "MAP", num_args = 0..=1, require_equals = true, conflicts_with = "steps")]
    #[allow(clippy::option_option)] // clap's form of an option whose value may be left out.
    native: Option<Option<PathBuf>>,
    /// Print how the answer is derived, step by step: document, line, method, point, range of IL.
    #[arg(long, conflicts_with = "why")]
    steps: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Break {
    const EXAMPLES: &'static [Example] = &[
        example("Find the code that a breakpoint binds to", "pdblens break App.dll Clock.cs:13"),
        example("Explain why a breakpoint does not bind", "pdblens break --why App.dll Clock.cs:13"),
        example("Find many source lines, one per line of a file", "pdblens break App.dll - < lines.txt"),
    ];

    fn access(&self) -> Access {
        self.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (files, lines) = Files::split(self.words, self.sample, self.symbols);
        refuse_file_on_input(&files, &lines, "break App.dll -")?;
        let session = files.open()?;
        if lines.is_empty() {
            return Err(Error::Usage("no line given · tip: `pdblens break App.dll Program.cs:21`".to_owned()));
        }
        if session.symbols().is_none() && !self.why && !self.json {
            let command = find_command(&session);
            return Err(Error::NoAnswer(format!(
                "no PDB was found, so no line: `{command}` shows where it was looked for"
            )));
        }
        let native = self.native.is_some();
        attach(&session, self.native.as_ref().and_then(Option::as_deref))?;
        let mut queries = Vec::new();
        each_question(&lines, &mut |text, line| {
            queries.push(Query { line_of_input: line, ..Query::of(&session, text) });
            Ok(())
        })?;
        let options = self.sources.options();
        let judge = Judge::of(&session, &options);
        if self.why {
            return Ok(say_left_out(&session, explain(&judge, &queries, (native, self.json), out)?));
        }
        let found: Vec<FoundLine<'_>> = queries.iter().map(|query| FoundLine::of(&session, query)).collect();
        if self.steps || self.json {
            super::evidence::say_mismatch(&session);
        }
        if self.steps {
            let bound =
                found.iter().filter_map(|found| found.bound.as_ref().map_err(|error| found.complain(error, out)).ok());
            let chains: Vec<_> = bound.map(|(query, found)| chain::breakpoint(&session, query, found)).collect();
            print_chains(out, &session, &chains, self.json)?;
        } else if self.json {
            reply::write(&judge, &found, native, out)?;
        } else {
            as_text(&judge, &mut Excerpts::new(&session, self.sources.options()), &found, native, out)?;
        }
        let is_bound = |found: &FoundLine<'_>| matches!(&found.bound, Ok((_, found)) if !found.hits.is_empty());
        Ok(say_left_out(&session, if found.iter().all(is_bound) { Exit::Done } else { Exit::Findings }))
    }
}

struct Query {
    text: String,
    label: Option<String>,
    /// Line of standard input that it stands in.
    line_of_input: Option<usize>,
    /// The line after the label.
    line: Result<LineQuery, AddressError>,
}

impl Query {
    /// Takes the label off a line that names a document only without it.
    fn of(session: &Session, text: &str) -> Self {
        let whole = line_address(session, text);
        let (label, line) = match labelled(text) {
            Some((label, line)) if whole.is_err() && split_line(line).is_some() => {
                let line = line.trim_start();
                let before = text.len() - line.len();
                (Some(label.to_owned()), line_address(session, line).map_err(|error| error.after(before)))
            }
            _ => (None, whole),
        };
        Self { text: text.to_owned(), label, line_of_input: None, line }
    }

    fn error(&self, error: &AddressError) -> Error {
        let label = self.label.as_ref().map_or(String::new(), |label| format!("{label}: "));
        let sentence = in_line(&format!("{label}{error}"), self.line_of_input);
        Error::Address { sentence, text: self.text.clone(), at: error.at.clone() }
    }
}

struct FoundLine<'q> {
    query: &'q Query,
    bound: Result<(&'q LineQuery, Breakpoint), &'q AddressError>,
}

impl<'q> FoundLine<'q> {
    fn of(session: &Session, query: &'q Query) -> Self {
        let bound = query.line.as_ref().map(|line| (line, breakpoint::bind(session, line)));
        Self { query, bound }
    }

    fn complain(&self, error: &AddressError, out: &mut Out) {
        out.complain(&self.query.error(error));
    }
}

/// Prints the cause and the fix for each line. A cause that keeps the breakpoint from binding is a finding.
fn explain(judge: &Judge<'_>, queries: &[Query], (native, json): (bool, bool), out: &mut Out) -> Result<Exit, Error> {
    let mut found: Vec<(&Query, Result<Why, &AddressError>)> = Vec::with_capacity(queries.len());
    for query in queries {
        let why = match query.line.as_ref() {
            Err(error) if !error.is_about_document() => Err(error),
            line => Ok(judge.why(line)),
        };
        found.push((query, why));
    }
    if json {
        reply::write_why(&found, out)?;
    } else {
        for (query, why) in &found {
            match why {
                Ok(why) => {
                    why_text(&query.text, why, out)?;
                    let found = query.line.as_ref().map(|line| breakpoint::bind(judge.session(), line));
                    let hits = found.map(|found| found.hits).unwrap_or_default();
                    for hit in hits.iter().filter(|hit| native && hit.binds) {
                        native_text(judge.session(), hit, out)?;
                    }
                }
                Err(error) => out.complain(&query.error(error)),
            }
        }
    }
    let can_bind = found.iter().all(|(_, why)| matches!(why, Ok(why) if why.verdict.sign() < Sign::Never));
    Ok(if can_bind { Exit::Done } else { Exit::Findings })
}

fn why_text(query: &str, why: &Why, out: &mut Out) -> Result<(), Error> {
    out.parts(&[(query, Tone::Strong)])?;
    verdict_text("  why  ", why, out)?;
    out.prose(&[("  fix  ", Tone::Dim)], &[(&why.fix, Tone::Text)])?;
    out.prose(&[("  how  ", Tone::Dim)], &[(&why.verdict.certainty().to_string(), Tone::Dim)])
}

/// Prints the sign of a verdict, and its cause.
fn verdict_text(label: &str, why: &Why, out: &mut Out) -> Result<(), Error> {
    let sign = why.verdict.sign();
    let tone = match sign {
        Sign::Stops => Tone::Text,
        Sign::Moves | Sign::Setting => Tone::Warn,
        Sign::Never => Tone::Bad,
    };
    let text = format!("{} {}", sign.text(), why.sentence);
    out.prose(&[(label, Tone::Dim)], &[(&text, tone)])
}

fn as_text(
    judge: &Judge<'_>,
    excerpts: &mut Excerpts<'_>,
    all: &[FoundLine<'_>],
    native: bool,
    out: &mut Out,
) -> Result<(), Error> {
    let session = judge.session();
    super::evidence::print_mismatch(session, out)?;
    let mut is_first = true;
    for one in all {
        let (query, found) = match &one.bound {
            Ok(bound) => bound,
            Err(error) => {
                one.complain(error, out);
                continue;
            }
        };
        if !std::mem::take(&mut is_first) {
            out.parts(&[])?;
        }
        if let Some(label) = &one.query.label {
            out.parts(&[(&format!("{label}:"), Tone::Dim)])?;
        }
        let document = query.documents.first().copied().unwrap_or_default();
        let path = document::name(session, document).unwrap_or_default();
        let at = query.column.map_or(String::new(), |column| format!(":{column}"));
        let remark = if found.line == query.line { "  ranges of code, ends exclusive" } else { "" };
        out.parts(&[(&format!("{path}:{}{at}", query.line), Tone::Strong), (remark, Tone::Dim)])?;
        if let Some(note) = query.folder_note(session) {
            out.parts(&[("  ", Tone::Text), (&note.text, Tone::Warn)])?;
        }
        verdict_text("  ", &judge.why_of(query, found), out)?;
        for hit in &found.hits {
            let sign = if hit.binds { Some(judge.point(hit.of, &hit.point).sign()) } else { None };
            hit_text(session, excerpts, (hit, sign), out)?;
            if native {
                native_text(session, hit, out)?;
            }
        }
        if found.more {
            out.parts(&[("  … and more", Tone::Warn)])?;
        }
        for generations in generations_of_line(session, &query.documents, query.line) {
            let text = format!("{}: {generations}", generations.method.name);
            out.prose(&[("  hot reload  ", Tone::Dim)], &[(&text, Tone::Text)])?;
        }
        if !found.errors.is_empty() {
            let methods = count(found.errors.len() as u64, "method");
            out.parts(&[(&format!("  the points of {methods} cannot be read"), Tone::Bad)])?;
        }
    }
    Ok(())
}

fn native_text(session: &Session, hit: &Hit, out: &mut Out) -> Result<(), Error> {
    let bodies = native_where(session, hit.of.token(), hit.range.start);
    if bodies.is_empty() {
        return out.prose(&[("    ", Tone::Text)], &[(not_compiled(session), Tone::Dim)]);
    }
    for body in &bodies {
        let of = if bodies.len() > 1 {
            format!("  for {}", code_name(&body.code_of, body.recorded.as_ref()))
        } else {
            String::new()
        };
        let tone = if body.accepted == Some(true) { Tone::Text } else { Tone::Warn };
        out.prose(&[("    ", Tone::Text)], &[(&sentence(body, hit.range.start), tone), (&of, Tone::Dim)])?;
    }
    Ok(())
}

fn hit_text(
    session: &Session,
    excerpts: &mut Excerpts<'_>,
    (hit, sign): (&Hit, Option<Sign>),
    out: &mut Out,
) -> Result<(), Error> {
    let name = code_unit::name(session, hit.of);
    let range = format!("{}..{}", hit.of.label(hit.range.start.into()), hit.of.label(hit.range.end.into()));
    let tone = if sign.is_some_and(|sign| sign < Sign::Never) { Tone::Bad } else { Tone::Dim };
    let mark = format!("{} ", sign.map_or("·", Sign::text));
    let token = format!("{} ", hit.of);
    let kickoff = state_machine::kickoff(session, hit.of.token());
    let of = kickoff.map_or(String::new(), |kickoff| format!("  body of {}", session.method_name(kickoff)));
    let attributes = debugger_attributes(session, hit.of.token());
    let kept_out = attributes.iter().fold(String::new(), |text, one| text + "  [" + one.name() + "]");
    out.parts(&[
        (&mark, tone),
        (&token, Tone::Dim),
        (&name, if hit.binds { Tone::Strong } else { Tone::Text }),
        ("  ", Tone::Text),
        (&range, Tone::Text),
        ("  ", Tone::Text),
        (&range_text(&hit.point), Tone::Dim),
        (&of, Tone::Dim),
        (&kept_out, Tone::Warn),
    ])?;
    if hit.binds { excerpts.print(out, hit.of, &hit.point) } else { Ok(()) }
}
