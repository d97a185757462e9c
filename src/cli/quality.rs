//! `pdblens quality FILE…`

use std::path::PathBuf;

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::native_map::attach;
use super::source_args::SourceArgs;
use super::{json, live};
use crate::formats::reason::Reason;
use crate::nodes::overview::languages;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::breakpoint::Sign;
use crate::query::quality::{
    NativeQuality, ObjectFile, Quality, QualityChange, RefusedPoint, Share, native_quality, quality, summary,
};
use crate::session::Session;
use crate::source::SourceOptions;
use crate::text::paths::file_name;
use crate::text::safe::count;
use pdblens_session::precompiled;

/// `pdblens quality FILE…`
#[derive(Debug, clap::Args)]
pub(super) struct QualityCommand {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    sources: SourceArgs,
    /// Count the points that a debugger accepts in the machine code of a recorded event trace (`.nettrace`), or of a ReadyToRun image of
    /// the same build; by default, of the recording beside the image that has its name, or of the image.
    #[arg(long, value_name = "MAP", require_equals = true)]
    native: Option<PathBuf>,
    /// Print one JSON document, with the counts of each method.
    #[arg(long)]
    json: bool,
}

impl Run for QualityCommand {
    const EXAMPLES: &'static [Example] = &[
        example("Count the IL without points, and the locals without names", "pdblens quality App.dll"),
        example("List the points that precompiled code lost", "pdblens quality App.dll --json"),
    ];

    fn access(&self) -> Access {
        self.files.symbols.access()
    }

    fn run(mut self, out: &mut Out) -> Result<Exit, Error> {
        if let [process] = self.files.files.as_slice()
            && let Some(program) = live::program(process)?
        {
            self.native.get_or_insert_with(|| process.clone());
            self.files.files = vec![program];
        }
        let (sources, map) = (self.sources.options(), self.native.as_deref());
        if !self.json {
            return self.files.each(out, true, &mut |out, session| {
                attach(session, map)?;
                print(session, &sources, out)
            });
        }
        self.files.each_json(out, &mut |out, pairs, session| {
            attach(session, map)?;
            let native = of_native(session);
            let managed = if native.is_some() { None } else { Some(quality_of(session, &sources)?) };
            pairs.add(
                out,
                &QualityPair { path: json::path(session), managed, native, note: precompiled::by_description(session) },
            )?;
            Ok(Exit::Done)
        })
    }
}

/// Counts of a pair, and of each of its methods with IL.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "quality_pair"))]
pub(super) struct QualityPair {
    /// Path or address of the image.
    path: String,
    #[serde(flatten)]
    managed: Option<Quality>,
    #[serde(flatten)]
    native: Option<NativeQuality>,
    /// Reason why the machine code is read by the description of its format alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Reason>,
}

/// Counts of native code that has no method with IL beside it.
fn of_native(session: &Session) -> Option<NativeQuality> {
    if session.methods() == 0 { native_quality(session) } else { None }
}

/// Object files that are listed.
const WORST: usize = 10;

fn print_native(found: &NativeQuality, out: &mut Out) -> Result<Exit, Error> {
    let NativeQuality { code, code_with_lines, object_files } = found;
    let objects = count(object_files.len() as u64, "object file");
    out.parts(&[
        ("code with lines  ", Tone::Dim),
        (&code_with_lines.to_string(), Tone::Text),
        (&format!("  of {code} bytes, of {objects}"), Tone::Dim),
    ])?;
    let worst = object_files.iter().filter(|object| object.code_with_lines < object.code).take(WORST);
    let row = |object: &ObjectFile| {
        let cells = [object.code - object.code_with_lines, object.code].map(|bytes| Cell::new(bytes.to_string()));
        Row::plain(cells.into_iter().chain([Cell::new(object.name.clone())]).collect())
    };
    let rows: Vec<_> = worst.map(row).collect();
    if !rows.is_empty() {
        out.parts(&[])?;
        out.table(&Rows::of("object files", Head::list(["without lines:", "bytes:", "object file"]), rows))?;
    }
    Ok(Exit::Done)
}

/// Counts of a pair; an error without an image or its PDB.
pub(super) fn quality_of(session: &Session, sources: &SourceOptions) -> Result<Quality, Error> {
    quality(session, sources).map_err(|reason| Error::NoAnswer(reason.text))
}

/// The same with only those methods that have refused points, as far as a table has them.
pub(super) fn summary_of(session: &Session, sources: &SourceOptions) -> Result<Quality, Error> {
    summary(session, sources, MAX_ROWS).map_err(|reason| Error::NoAnswer(reason.text))
}

fn print(session: &Session, sources: &SourceOptions, out: &mut Out) -> Result<Exit, Error> {
    if let Some(found) = of_native(session) {
        return print_native(&found, out);
    }
    let found = summary_of(session, sources)?;
    out.headless(&totals(&found))?;
    if let Some(note) = precompiled::by_description(session) {
        out.prose(&[("note: ", Tone::Dim)], &[(&note.text, Tone::Dim)])?;
    }
    if languages(session).iter().any(|language| language == "F#") {
        let text = "F# writes no stepping information for async code: async with stepping does not count it";
        out.prose(&[("note: ", Tone::Dim)], &[(text, Tone::Dim)])?;
    }
    let refused: Vec<&RefusedPoint> = found.methods_with_il.iter().flat_map(|method| &method.refused).collect();
    if !refused.is_empty() {
        out.parts(&[])?;
        out.table(&refused_rows(&refused))?;
        if let Some(more @ 1..) = found.refused_points.checked_sub(MAX_ROWS) {
            out.parts(&[(&format!("… and {more} more; --json has all"), Tone::Dim)])?;
        }
    }
    Ok(Exit::Done)
}

fn totals(found: &Quality) -> Rows<'static> {
    let row = |share: Share| {
        let whole = Cell::toned(share.whole(), Tone::Dim);
        Row::plain(vec![Cell::toned(share.name, Tone::Dim), Cell::new(share.number.to_string()), whole])
    };
    let columns = Head::list(["count", "number:", "of"]);
    let is_shown = |share: &Share| share.number > 0 || !share.name.starts_with("never") && share.key != "not_known";
    Rows::of("quality", columns, found.shares().into_iter().filter(is_shown).map(row).collect())
}

pub(super) fn change_rows(changes: &[QualityChange]) -> Rows<'static> {
    let row = |change: &QualityChange| {
        let tone = if change.is_loss() { Tone::Bad } else { Tone::Dim };
        let [before, after] = [change.before, change.after].map(|number| Cell::new(number.to_string()));
        Row::plain(vec![Cell::toned(change.name, Tone::Dim), before, after, Cell::toned(change.text(), tone)])
    };
    let columns = Head::list(["count", "before:", "after:", "change"]);
    Rows::of("quality", columns, changes.iter().map(row).collect())
}

/// Most points of the list: `--json` has them all.
const MAX_ROWS: usize = 1000;

/// The points that a debugger refuses, method after method.
fn refused_rows(points: &[&RefusedPoint]) -> Rows<'static> {
    let row = |(index, point): (usize, &&RefusedPoint)| {
        let before = index.checked_sub(1).and_then(|before| points.get(before));
        let is_first = before.is_none_or(|before| before.method != point.method);
        let method = if is_first { point.method.as_str() } else { "" };
        let nearest = point.nearest.map_or_else(String::new, |il| format!("IL_{il:04x}"));
        let cells = vec![
            Cell::new(method),
            Cell::toned(format!("{}:{}", file_name(&point.document), point.line), Tone::Dim),
            Cell::new(format!("{} IL_{:04x}", Sign::Never.text(), point.il)).to(point.place),
            Cell::new(point.text.clone()),
            Cell::toned(nearest, Tone::Dim),
        ];
        Row::at(point.place, cells)
    };
    let columns = Head::list(["method", "line", "refused", "why", "nearest that binds"]);
    Rows::of("refused points", columns, points.iter().take(MAX_ROWS).enumerate().map(row).collect())
}
