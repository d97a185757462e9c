use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::export::{DocumentName, Export, Rows, Table, write_range};
use super::json;
use super::output::say;
use crate::formats::reason::Reason;
use crate::nodes::code_unit::{self, MethodView};
use crate::nodes::method::native::{self, MappedBody};
use crate::nodes::method::{il_label, points_and_scopes, range_text};
use crate::nodes::rows::{self, Cell, Head, Row, Tone};
use crate::nodes::{TableId, Token, document};
use crate::query::process;
use crate::query::samples::{Count, Recording, SampledPoint, Samples, UNREADABLE};
use crate::query::statement::Statements;
use crate::session::Session;
use crate::text::paths::file_name;
use crate::text::safe::visible;
use pdblens_formats::points_around::PointList;
use pdblens_formats::r2r::Bound;
use pdblens_session::precompiled;

/// `pdblens points FILE…`
#[derive(Debug, clap::Args)]
pub(super) struct Points {
    #[command(flatten)]
    export: Export,
    /// List the bounds of precompiled machine code instead, one row each: native offset, IL offset, line.
    ///
    /// `--native=MAP` takes the machine code of a recorded event trace (`.nettrace`) or of a ReadyToRun image of the same build.
    #[arg(long, value_name = "MAP", num_args = 0..=1, require_equals = true)]
    #[allow(clippy::option_option)] // clap's form of an option whose value may be left out.
    native: Option<Option<PathBuf>>,
    /// Add what the code of each visible point does, as a line of C# reconstructed from IL.
    #[arg(long, conflicts_with = "native")]
    statements: bool,
    /// Count the samples of a profile at the points instead, the hottest first: of `perf script`, collapsed stacks or a `.nettrace`.
    ///
    /// `--native=MAP` names what has its addresses: a process (`live:PID`), a core, a `.nettrace` or the map that .NET writes for perf. Without it, a
    /// `.nettrace` has its own map, and of other profiles the names of methods are taken.
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["statements", "jsonl", "tsv", "raw"])]
    samples: Option<PathBuf>,
    /// Print one JSON document, with the samples of methods, lines and points.
    #[arg(long, requires = "samples")]
    json: bool,
    /// Print a line for each point without tokens and folders, by the name of its method: for a compiler's tests, which keep and compare it.
    #[arg(long, conflicts_with_all = ["native", "statements", "jsonl", "samples"])]
    golden: bool,
}

pub(super) struct PointRows;

pub(super) struct StatementRows;

impl Run for Points {
    const EXAMPLES: &'static [Example] = &[
        example("List every sequence point of a folder", "pdblens points bin > points.tsv"),
        example("Keep the points of a compiler's test", "pdblens points App.dll --golden > App.points"),
        example("List what each point does, without its source", "pdblens points App.dll --statements --jsonl"),
        example(
            "Count the samples of a profile; `--native=live:PID` has the statements of its addresses",
            "pdblens points App.dll --samples stacks.txt",
        ),
    ];

    fn access(&self) -> Access {
        let map = self.native.iter().flatten().find_map(|map| process::named(map));
        // As of `live`: memory outside of the sandbox, and modules anywhere.
        self.export.files.symbols.access().and(Access::program(self.samples.is_some() && map.is_some()))
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if self.golden {
            return self.export.files.each(out, true, &mut |out, session| golden(session, out));
        }
        if let Some(profile) = &self.samples {
            let map = self.native.as_ref().and_then(Option::as_deref);
            let failed = |why: Reason| match why.reason {
                UNREADABLE => Error::Other(why.text),
                _ => Error::NoAnswer(why.text),
            };
            let recording = Recording::open(profile, map).map_err(failed)?;
            return samples(&recording, &self.export.files, self.json, out);
        }
        if let Some(map) = self.native {
            return self.export.with_map(map).run::<BoundRows>(out);
        }
        if self.statements {
            return self.export.run::<StatementRows>(out);
        }
        self.export.run::<PointRows>(out)
    }
}

/// Points of a pair with their samples.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "sampled_pair"))]
pub(super) struct SampledPair {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    #[serde(flatten)]
    samples: Samples,
}

fn sampled_row<const N: usize>(count: Count, texts: [String; N]) -> Row {
    let numbers = [count.samples, count.total].map(|number| Cell::new(number.to_string()));
    Row::plain(numbers.into_iter().chain(texts.map(Cell::new)).collect())
}

/// Prints the points of each pair that have samples.
fn samples(recording: &Recording, files: &Files, json: bool, out: &mut Out) -> Result<Exit, Error> {
    let samples_of = |session: &Session| {
        let mut samples = recording.samples(session).map_err(|why| Error::NoAnswer(why.text))?;
        samples.add_statements(session);
        Ok::<_, Error>(samples)
    };
    if json {
        return files.each_json(out, &mut |out, pairs, session| {
            pairs.add(out, &SampledPair { path: json::path(session), samples: samples_of(session)? })?;
            Ok(Exit::Done)
        });
    }
    files.each(out, true, &mut |out, session| {
        let samples = samples_of(session)?;
        say(&format!("note: {}", samples.sentence()));
        let of_point = |point: &SampledPoint| {
            let line = point.document.as_deref().zip(point.line);
            let line = line.map(|(document, line)| format!("{}:{line}", file_name(document)));
            let method = format!("{} {}", point.method.name, il_label(point.il.into()));
            let statement = point.statement.as_ref().map_or_else(String::new, |found| found.marked().into_owned());
            sampled_row(point.count, [method, line.unwrap_or_else(|| "hidden".to_owned()), statement])
        };
        let mut rows: Vec<Row> = samples.points.iter().map(of_point).collect();
        let mut heads = Head::list(["samples:", "total:", "method", "line", "statement"]);
        if rows.is_empty() {
            // Of names alone, only methods are known.
            heads.truncate(3);
            rows =
                samples.methods.iter().map(|method| sampled_row(method.count, [method.method.name.clone()])).collect();
        }
        if rows.is_empty() {
            return Ok(Exit::Findings);
        }
        out.table(&rows::Rows::of("samples", heads, rows))?;
        Ok(Exit::Done)
    })
}

/// Prints the points of all methods, sorted by name: `Ticker.Clock.Since(long) IL_000b Clock.cs 13:9–13:40`.
fn golden(session: &Session, out: &mut Out) -> Result<Exit, Error> {
    let name = |row| Token::new(TableId::METHOD_DEF, row);
    let mut methods: Vec<_> = (1..=session.methods()).map(|row| (session.method_name(name(row)), row)).collect();
    methods.sort_unstable();
    for (method, row) in methods {
        for point in &points_and_scopes(session, name(row)).points {
            let document = document::name(session, point.document).unwrap_or_default();
            let file = if point.is_hidden() { "" } else { file_name(&document) };
            let range = format!("{file} {}", range_text(point));
            let at = il_label(point.offset.into());
            out.parts(&[(&format!("{method} {at} {}", range.trim_start()), Tone::Text)])?;
        }
    }
    Ok(Exit::Done)
}

pub(super) struct BoundRows;

impl Table for BoundRows {
    const COLUMNS: &'static [&'static str] =
        &["token", "name", "il", "native", "rva", "stack_empty", "call", "document", "line", "by_description"];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        let note = precompiled::by_description(session);
        if let Some(note) = &note {
            say(&format!("note: {}", visible(&note.text)));
        }
        let mut document = DocumentName::default();
        for row in 1..=session.methods() {
            let token = Token::new(TableId::METHOD_DEF, row);
            let bodies = native::bodies(session, token);
            if bodies.is_empty() {
                continue;
            }
            let points = MethodView::of(session, token).points;
            for mapped in &bodies {
                for bound in &mapped.info.bounds {
                    bound_row(session, (token, mapped, bound), &points, note.is_some(), &mut document, rows)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

fn bound_row(
    session: &Session,
    (token, mapped, bound): (Token, &MappedBody, &Bound),
    points: &PointList,
    is_by_description: bool,
    document: &mut DocumentName,
    rows: &mut Rows<'_>,
) -> ControlFlow<()> {
    let start = rows.row.mark();
    let row = &mut rows.row;
    row.token(token);
    row.text(Some(&native::code_name(&mapped.name, mapped.recorded.as_ref())));
    match bound.il.offset() {
        Some(offset) => row.number(Some(offset)),
        None => row.text(bound.il.special()),
    }
    row.number(Some(bound.native));
    // Recorded code has an address in memory, and none in an image.
    row.number(if mapped.recorded.is_some() { None } else { mapped.body.rva_of(bound.native) });
    row.flag(bound.stack_empty);
    row.flag(bound.is_call);
    let covering = bound.il.offset().and_then(|offset| points.get(points.covering(offset)?));
    let point = covering.filter(|point| !point.is_hidden());
    document.write(session, point.map_or(0, |point| point.document), row);
    row.number(point.map(|point| point.start_line));
    row.flag(is_by_description);
    rows.end(start)
}

impl Table for PointRows {
    const COLUMNS: &'static [&'static str] =
        &["token", "full_name", "il", "document", "hidden", "start_line", "start_column", "end_line", "end_column"];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        write_points(session, rows, false)
    }
}

impl Table for StatementRows {
    const COLUMNS: &'static [&'static str] = &[
        "token",
        "full_name",
        "il",
        "document",
        "hidden",
        "start_line",
        "start_column",
        "end_line",
        "end_column",
        "statement",
        "whole",
        "fits",
        "proof",
        "rule",
    ];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        write_points(session, rows, true)
    }
}

/// Writes all points, with their statements if they are wanted: without an image, their columns are empty.
fn write_points(session: &Session, rows: &mut Rows<'_>, has_statements: bool) -> ControlFlow<()> {
    let Some(file) = session.symbol_file() else { return ControlFlow::Continue(()) };
    let statements = if has_statements { Statements::new(session) } else { None };
    let (start, mut of_method, mut current) = (rows.row.mark(), rows.row.mark(), None);
    let mut document = DocumentName::default();
    let mut found = Vec::new().into_iter();
    file.content.all_points(&mut |method, point| {
        if current != Some(method) {
            current = Some(method);
            rows.row.back(start);
            rows.row.token(method);
            rows.row.text(code_unit::full_name(session, method.into()).as_deref());
            of_method = rows.row.mark();
            if let Some(statements) = &statements {
                found = statements.of(method).into_iter();
            }
        }
        match point {
            Ok(point) => {
                let row = &mut rows.row;
                row.number(Some(point.offset));
                document.write(session, point.document, row);
                write_range(row, &point);
                if has_statements {
                    let statement = found.next().flatten();
                    row.text(statement.as_ref().map(|statement| statement.text.as_str()));
                    row.flag(statement.as_ref().is_some_and(|statement| statement.whole));
                    row.flag(statement.as_ref().is_some_and(|statement| statement.fits));
                    row.text(statement.as_ref().map(|statement| statement.proof.word()));
                    row.text(statement.as_ref().and_then(|statement| statement.rule.as_deref()));
                }
                rows.end(of_method)
            }
            Err(error) => {
                rows.failed(&format_args!("points of {method}: {}", session.spaces().error_text(&error)));
                ControlFlow::Continue(())
            }
        }
    })
}
