//! `pdblens quality FILE…`

use std::path::PathBuf;

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::json;
use super::native_map::attach;
use super::source_args::SourceArgs;
use crate::formats::reason::Reason;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::{MethodPart, Place};
use crate::query::quality::{MethodQuality, Quality, QualityChange, Share, quality, summary};
use crate::session::Session;
use crate::source::SourceOptions;
use pdblens_session::precompiled;

/// `pdblens quality FILE…`
#[derive(Debug, clap::Args)]
pub(super) struct QualityCommand {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    sources: SourceArgs,
    /// Count the points that a debugger accepts in the machine code of a recorded event trace (`.nettrace`), or of a ReadyToRun image of
    /// the same build.
    #[arg(long, value_name = "MAP")]
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

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (sources, map) = (self.sources.options(), self.native.as_deref());
        if !self.json {
            return self.files.each(out, true, &mut |out, session| {
                attach(session, map)?;
                print(session, &sources, out)
            });
        }
        self.files.each_json(out, &mut |out, pairs, session| {
            attach(session, map)?;
            let found = quality_of(session, &sources)?;
            pairs.add(
                out,
                &QualityPair { path: json::path(session), found, note: precompiled::by_description(session) },
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
    found: Quality,
    /// Reason why the machine code is read by the description of its format alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Reason>,
}

/// Counts of a pair; an error without an image or its PDB.
pub(super) fn quality_of(session: &Session, sources: &SourceOptions) -> Result<Quality, Error> {
    quality(session, sources).map_err(|reason| Error::NoAnswer(reason.text))
}

/// The same with only those methods that have refused points.
pub(super) fn summary_of(session: &Session, sources: &SourceOptions) -> Result<Quality, Error> {
    summary(session, sources).map_err(|reason| Error::NoAnswer(reason.text))
}

fn print(session: &Session, sources: &SourceOptions, out: &mut Out) -> Result<Exit, Error> {
    let found = summary_of(session, sources)?;
    out.headless(&totals(&found))?;
    if let Some(note) = precompiled::by_description(session) {
        out.prose(&[("note: ", Tone::Dim)], &[(&note.text, Tone::Dim)])?;
    }
    if !found.methods_with_il.is_empty() {
        out.parts(&[])?;
        out.table(&refused_rows(&found.methods_with_il))?;
    }
    Ok(Exit::Done)
}

fn totals(found: &Quality) -> Rows<'static> {
    let row = |share: Share| {
        let whole = Cell::toned(share.whole(), Tone::Dim);
        Row::plain(vec![Cell::toned(share.name, Tone::Dim), Cell::new(share.number.to_string()), whole])
    };
    let columns = Head::list(["count", "number:", "of"]);
    Rows::of("quality", columns, found.shares().into_iter().map(row).collect())
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

/// Most offsets of a row: a generated method can have thousands, and `--json` has them all.
const MOST_OFFSETS: usize = 8;

fn refused_rows(methods: &[MethodQuality]) -> Rows<'static> {
    let row = |method: &MethodQuality| {
        let offsets = method.refused_il.iter().take(MOST_OFFSETS);
        let mut offsets: Vec<String> = offsets.map(|offset| format!("IL_{offset:04x}")).collect();
        if let Some(more @ 1..) = method.refused_il.len().checked_sub(MOST_OFFSETS) {
            offsets.push(format!("and {more} more"));
        }
        let place = Place::MethodPart(method.method.token, MethodPart::Native);
        let cells = vec![
            Cell::toned(method.method.token.to_string(), Tone::Dim),
            Cell::new(method.method.name.clone()).to(place),
            Cell::new(offsets.join(" ")),
        ];
        Row::at(place, cells)
    };
    let columns = Head::list(["token", "method", "refused"]);
    Rows::of("refused points", columns, methods.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::code_unit::NamedMethod;
    use crate::query::quality::Counts;
    use pdblens_formats::metadata::Token;

    #[test]
    fn a_row_has_a_few_of_many_refused_offsets() {
        let offsets = |number: u32| {
            let method = NamedMethod { token: Token(0x0600_0001), name: "Startup.Run()".to_owned(), full_name: None };
            let method = MethodQuality { method, counts: Counts::default(), refused_il: (0..number).collect() };
            refused_rows(&[method]).get(0).unwrap().cells[2].text.clone()
        };
        assert_eq!(offsets(2), "IL_0000 IL_0001");
        assert!(offsets(8).ends_with("IL_0006 IL_0007"));
        assert!(offsets(1442).ends_with("IL_0007 and 1434 more"));
    }
}
