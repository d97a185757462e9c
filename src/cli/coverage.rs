//! `pdblens info FILE… --coverage`

use serde::Serialize;

use super::output::Out;
use super::{Error, Exit, json};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::coverage::{Coverage, coverage};
use crate::session::Session;
use crate::text::safe::count;

/// Prints how many bytes of each file have a field, and those that have none.
pub(super) fn print(session: &Session, out: &mut Out) -> Result<Exit, Error> {
    for file in &coverage(session) {
        let (share, sizes) = file.summary();
        let (share, sizes) = (format!("  {share}"), format!("  {sizes}"));
        out.parts(&[(&file.name, Tone::Strong), (&share, Tone::Text), (&sizes, Tone::Dim)])?;
        if !file.rest.is_empty() {
            out.table(&rows(file))?;
        }
        let hidden = file.ranges.saturating_sub(file.rest.len());
        if hidden > 0 {
            out.line(&format!("… and {}", count(hidden as u64, "further range")))?;
        }
    }
    Ok(Exit::Done)
}

fn rows(file: &Coverage) -> Rows<'static> {
    let columns = Head::list(["offset:", "bytes:", "owner"]);
    let rows = file.rest.iter().map(|rest| {
        let owner = rest.place.map_or_else(String::new, |place| place.to_string());
        let cells = vec![
            Cell::toned(format!("{:#x}", rest.span.start), Tone::Dim),
            Cell::new(rest.span.len.to_string()),
            Cell { to: rest.place, ..Cell::new(owner) },
        ];
        Row { span: Some(rest.span), depth: 0, cells, ..Row::default() }
    });
    Rows::of("no field", columns, rows.collect())
}

/// Bytes with a field, file by file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "covered_pair"))]
pub(super) struct CoveredPair<'c> {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    files: &'c [Coverage],
}

impl<'c> CoveredPair<'c> {
    pub(super) fn of(session: &Session, files: &'c [Coverage]) -> Self {
        Self { path: json::path(session), files }
    }
}
