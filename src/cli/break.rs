use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Example, Run, example};
use super::excerpt::Excerpts;
use super::json;
use super::output::Out;
use super::source_args::SourceArgs;
use super::steps::print_chains;
use super::symbols::SymbolArgs;
use super::values::{Code, PlaceText, SourceRange, TokenText, Version};
use super::{Error, Exit, Files};
use crate::learn::chain;
use crate::nodes::code_unit;
use crate::nodes::document;
use crate::nodes::method::range_text;
use crate::nodes::rows::Tone;
use crate::query::breakpoint;
use crate::query::breakpoint::{Breakpoint, Cause, Hit, LineQuery, Why, debugger_attributes};
use crate::query::where_is::state_machine;
use crate::session::Session;
use crate::source::SourceOptions;
use crate::text::safe::count;

/// `pdblens break FILE… DOCUMENT:LINE[:COLUMN]…`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub struct Break {
    /// The files, then the lines: `Program.cs:21`, `src/Program.cs:21:13`.
    #[arg(value_name = "FILE… DOCUMENT:LINE[:COLUMN]")]
    words: Vec<OsString>,
    /// Ask about the built-in sample instead of a file.
    #[arg(long)]
    sample: bool,
    #[command(flatten)]
    symbols: SymbolArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// Say why a debugger shows the breakpoint hollow or never stops there, and what to do about it.
    #[arg(long)]
    why: bool,
    /// Print the way to the answer step by step: document, line, method, point, range of IL.
    #[arg(long, conflicts_with = "why")]
    steps: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Break {
    const EXAMPLES: &'static [Example] = &[
        example("Find what a breakpoint binds to", "pdblens break App.dll Clock.cs:13"),
        example("Say why a breakpoint does not bind", "pdblens break --why App.dll Clock.cs:13"),
    ];

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (files, lines) = Files::split(self.words, self.sample, self.symbols);
        let session = files.open()?;
        if lines.is_empty() {
            return Err(Error::Place("no line given · tip: `pdblens break App.dll Program.cs:21`".to_owned()));
        }
        if self.why {
            return explain(&session, &lines, &self.sources.options(), self.json, out);
        }
        let queries = lines
            .iter()
            .map(|line| breakpoint::parse_line_query(&session, line))
            .collect::<Result<Vec<LineQuery>, _>>();
        let queries = queries.map_err(|error| Error::Place(error.to_string()))?;
        let found: Vec<(LineQuery, Breakpoint)> =
            queries.into_iter().map(|query| (breakpoint::bind(&session, &query), query)).map(|(f, q)| (q, f)).collect();
        if self.steps || self.json {
            super::evidence::say_mismatch(&session);
        }
        if self.steps {
            let chain = |(query, found): &(LineQuery, Breakpoint)| chain::breakpoint(&session, query, found);
            print_chains(out, &session, &found.iter().map(chain).collect::<Vec<_>>(), self.json)?;
        } else if self.json {
            as_json(&session, &lines, &found, out)?;
        } else {
            as_text(&session, &mut Excerpts::new(&session, self.sources.options()), &found, out)?;
        }
        let lost = found.iter().any(|(_, found)| found.hits.is_empty());
        Ok(if lost { Exit::Failed } else { Exit::Done })
    }
}

/// Prints the cause and the fix for each line. Fails if one of the causes keeps the breakpoint from binding.
fn explain(
    session: &Session,
    lines: &[String],
    sources: &SourceOptions,
    json: bool,
    out: &mut Out,
) -> Result<Exit, Error> {
    lines
        .iter()
        .try_for_each(|line| breakpoint::split_line(line).map(drop))
        .map_err(|e| Error::Place(e.to_string()))?;
    let found: Vec<Why> = lines.iter().map(|line| breakpoint::why(session, line, sources)).collect();
    if json {
        let answers = lines.iter().zip(&found).map(|(query, why)| WhyJson {
            query,
            cause: why.cause.name(),
            sentence: &why.sentence,
            fix: &why.fix,
        });
        json::write(out, &WhyDocument { schema: Version, answers: answers.collect() })?;
    } else {
        for (line, why) in lines.iter().zip(&found) {
            out.parts(&[(line, Tone::Strong)])?;
            let tone = match why.cause {
                Cause::Unexplained => Tone::Ok,
                cause if cause.can_bind() => Tone::Warn,
                _ => Tone::Bad,
            };
            out.prose(&[("  why  ", Tone::Dim)], &[(&why.sentence, tone)])?;
            out.prose(&[("  fix  ", Tone::Dim)], &[(&why.fix, Tone::Text)])?;
        }
    }
    let lost = found.iter().any(|why| !why.cause.can_bind());
    Ok(if lost { Exit::Failed } else { Exit::Done })
}

fn as_text(
    session: &Session,
    excerpts: &mut Excerpts<'_>,
    all: &[(LineQuery, Breakpoint)],
    out: &mut Out,
) -> Result<(), Error> {
    super::evidence::print_mismatch(session, out)?;
    for (index, (query, found)) in all.iter().enumerate() {
        if index > 0 {
            out.parts(&[])?;
        }
        let document = query.documents.first().copied().unwrap_or_default();
        let path = document::name(session, document).unwrap_or_default();
        let at = query.column.map_or(String::new(), |column| format!(":{column}"));
        out.parts(&[(&format!("{path}:{}{at}", query.line), Tone::Strong)])?;
        match found.line {
            0 => out.parts(&[("  no code on or after this line", Tone::Warn)])?,
            line if line != query.line => {
                let said = format!("  no code on this line: the next line with code is {line}");
                out.parts(&[(&said, Tone::Warn)])?;
            }
            _ => {}
        }
        for hit in &found.hits {
            hit_text(session, excerpts, hit, out)?;
        }
        if found.more {
            out.parts(&[("  … and more", Tone::Warn)])?;
        }
        if !found.errors.is_empty() {
            let methods = count(found.errors.len() as u64, "method");
            out.parts(&[(&format!("  the points of {methods} cannot be read"), Tone::Bad)])?;
        }
    }
    Ok(())
}

fn hit_text(session: &Session, excerpts: &mut Excerpts<'_>, hit: &Hit, out: &mut Out) -> Result<(), Error> {
    let name = code_unit::name(session, hit.of);
    let range = format!("{}..{}", hit.of.label(hit.range.start.into()), hit.of.label(hit.range.end.into()));
    // A debugger refuses symbols of another build: every breakpoint of the module stays hollow.
    let is_solid = hit.binds && !session.pdb_match().is_mismatch();
    let (mark, tone) = if is_solid { ("● ", Tone::Bad) } else { ("○ ", Tone::Dim) };
    let token = format!("{} ", hit.of);
    let kickoff = state_machine::kickoff(session, hit.of.token());
    let of = kickoff.map_or(String::new(), |kickoff| format!("  body of {}", session.method_name(kickoff)));
    let attributes = debugger_attributes(session, hit.of.token());
    let kept_out = attributes.iter().fold(String::new(), |text, one| text + "  [" + one.name() + "]");
    out.parts(&[
        (mark, tone),
        (&token, Tone::Dim),
        (&name, if hit.binds { Tone::Strong } else { Tone::Text }),
        ("  ", Tone::Text),
        (&range, Tone::Text),
        ("  ", Tone::Text),
        (&range_text(&hit.point), Tone::Dim),
        (&of, Tone::Dim),
        (&kept_out, Tone::Warn),
    ])?;
    if hit.binds { excerpts.print(out, &hit.point) } else { Ok(()) }
}

/// Breakpoints in the order of the queries.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "break")]
pub(super) struct Document {
    schema: Version,
    breakpoints: Vec<BreakpointJson>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "breakpoint")]
struct BreakpointJson {
    /// The query, unchanged.
    query: String,
    /// Path of the document, as the symbols have it.
    document: String,
    asked_line: u32,
    /// Line that it binds to; 0 if no code is on or after the line, and the exit code is 1.
    line: u32,
    /// True if that is the requested line.
    exact: bool,
    hits: Vec<HitJson>,
    /// True if there are more hits than listed.
    more: bool,
    /// Methods whose points cannot be read.
    unreadable_methods: usize,
}

/// Answers of `break --why`, in the order of the queries.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "break_why")]
pub(super) struct WhyDocument<'w> {
    schema: Version,
    answers: Vec<WhyJson<'w>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "why")]
struct WhyJson<'w> {
    /// The query, unchanged.
    query: &'w str,
    /// `id`, `checksum`, `evidence`, `no-document`, `several-documents`, `source-hash`, `no-code`, `moved`,
    /// `debugger-attribute`, `hidden-points`, `optimized`, `state-machine`, `path-map` or `unexplained`.
    cause: &'static str,
    /// The reason.
    sentence: &'w str,
    /// Remedy, in the imperative.
    fix: &'w str,
}

/// Code that the line touches.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "hit")]
struct HitJson {
    #[serde(flatten)]
    code: Code,
    place: PlaceText,
    /// Offset of the first instruction.
    start: u32,
    /// Exclusive.
    end: u32,
    /// True if a debugger stops there.
    binds: bool,
    /// The async method or iterator whose body this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    kickoff: Option<TokenText>,
    /// Attributes of the method or its types that keep a debugger out: `DebuggerHidden`, `DebuggerStepThrough`,
    /// `DebuggerNonUserCode`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    debugger_attributes: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRange>,
}

impl BreakpointJson {
    fn of(session: &Session, text: &str, query: &LineQuery, found: &Breakpoint) -> Self {
        let document = query.documents.first().copied().unwrap_or_default();
        Self {
            query: text.to_owned(),
            document: document::name(session, document).unwrap_or_default(),
            asked_line: query.line,
            line: found.line,
            exact: found.line == query.line,
            hits: found.hits.iter().map(|hit| HitJson::of(session, hit)).collect(),
            more: found.more,
            unreadable_methods: found.errors.len(),
        }
    }
}

impl HitJson {
    fn of(session: &Session, hit: &Hit) -> Self {
        Self {
            code: Code::of(session, hit.of),
            place: hit.place().into(),
            start: hit.range.start,
            end: hit.range.end,
            binds: hit.binds,
            kickoff: state_machine::kickoff(session, hit.of.token()).map(Into::into),
            debugger_attributes: debugger_attributes(session, hit.of.token()).iter().map(|one| one.name()).collect(),
            source: SourceRange::of(session, hit.of, Some(hit.point)),
        }
    }
}

fn as_json(session: &Session, lines: &[String], all: &[(LineQuery, Breakpoint)], out: &mut Out) -> Result<(), Error> {
    let found = lines.iter().zip(all).map(|(text, (query, found))| BreakpointJson::of(session, text, query, found));
    Ok(json::write(out, &Document { schema: Version, breakpoints: found.collect() })?)
}
