//! `pdblens quality FILE…`

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::json::{self, Pairs};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::{MethodPart, Place};
use crate::query::quality::{Counts, MethodQuality, quality};
use crate::session::Session;
use crate::text::safe::count;

/// `pdblens quality FILE…`
#[derive(Debug, clap::Args)]
pub(super) struct Quality {
    #[command(flatten)]
    files: Files,
    /// Print one JSON document, with the counts of each method.
    #[arg(long)]
    json: bool,
}

impl Run for Quality {
    const EXAMPLES: &'static [Example] = &[
        example("Count the IL without points, and the locals without names", "pdblens quality App.dll"),
        example("List the points that precompiled code lost", "pdblens quality App.dll --json"),
    ];

    fn access(&self) -> Access {
        self.files.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if self.json {
            return self.files.each_json(out, &mut |out, pairs, session| add(session, pairs, out));
        }
        self.files.each(out, true, &mut |out, session| print(session, out))
    }
}

/// Counts of a pair, and of each of its methods with IL.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "quality_pair"))]
pub(super) struct QualityPair {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    #[serde(flatten)]
    counts: Counts,
    methods_with_il: Vec<MethodQuality>,
}

fn add(session: &Session, pairs: &mut Pairs, out: &mut Out) -> Result<Exit, Error> {
    let (counts, methods_with_il) = quality(session);
    pairs.add(out, &QualityPair { path: json::path(session), counts, methods_with_il })?;
    Ok(Exit::Done)
}

fn print(session: &Session, out: &mut Out) -> Result<Exit, Error> {
    let (counts, methods) = quality(session);
    out.headless(&totals(&counts))?;
    let refused: Vec<&MethodQuality> = methods.iter().filter(|method| !method.refused_il.is_empty()).collect();
    if !refused.is_empty() {
        out.parts(&[])?;
        out.table(&refused_rows(&refused))?;
    }
    Ok(Exit::Done)
}

/// Counts, one a row.
fn totals(counts: &Counts) -> Rows<'static> {
    let mut rows = Vec::new();
    let mut line = |name: &str, number: u64, what: String| {
        let cells = vec![Cell::toned(name, Tone::Dim), Cell::new(number.to_string()), Cell::toned(what, Tone::Dim)];
        rows.push(Row::plain(cells));
    };
    let il = counts.il_visible.saturating_add(counts.il_hidden).saturating_add(counts.il_without_points);
    let of = |number: u64, noun: &str| format!("of {}", count(number, noun));
    line("methods with points", counts.methods_with_points.into(), of(counts.methods.into(), "method"));
    line("IL in visible points", counts.il_visible, of(il, "byte"));
    line("IL in hidden points", counts.il_hidden, String::new());
    line("IL in no point", counts.il_without_points, String::new());
    line("visible points", counts.points_visible.into(), String::new());
    line("hidden points", counts.points_hidden.into(), String::new());
    line("locals with a name", counts.locals_named.into(), of(counts.locals.into(), "local"));
    if let Some(survival) = counts.survival {
        line("stops", survival.stops.into(), "points with one address in precompiled code".to_owned());
        line("several", survival.several.into(), "points with more than one address".to_owned());
        line("shared", survival.shared.into(), "points with the address of another point".to_owned());
        line("refused", survival.refused.into(), "points without machine code: a debugger refuses them".to_owned());
        line("not compiled", survival.not_compiled.into(), "points of methods without precompiled code".to_owned());
    }
    Rows::of("quality", Head::list(["count", "number:", "of"]), rows)
}

/// Methods with points that a debugger refuses.
fn refused_rows(methods: &[&MethodQuality]) -> Rows<'static> {
    let row = |method: &&MethodQuality| {
        let offsets: Vec<String> = method.refused_il.iter().map(|offset| format!("IL_{offset:04x}")).collect();
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
