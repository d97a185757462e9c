//! `pdblens info FILE… --coverage`

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::json;
use super::output::Out;
use super::values::{PlaceText, SpanText, Version};
use super::{Error, Exit};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::coverage::{Coverage, coverage};
use crate::session::Session;
use crate::text::safe::count;

/// Prints how many bytes of each file have a field, and those that have none.
pub(super) fn print(session: &Session, json: bool, out: &mut Out) -> Result<Exit, Error> {
    let found = coverage(session);
    if json {
        json::write(out, &Document { schema: Version, files: found.iter().map(FileJson::of).collect() })?;
        return Ok(Exit::Done);
    }
    for file in &found {
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
    let columns = vec![Head::number("offset"), Head::number("bytes"), Head::text("owner")];
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
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "coverage"))]
pub(super) struct Document<'c> {
    schema: Version,
    files: Vec<FileJson<'c>>,
}

/// One file; the three numbers add up to its size.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "file_coverage"))]
struct FileJson<'c> {
    name: &'c str,
    size: u64,
    /// Bytes that have a field.
    fields: u64,
    /// Bytes that nothing uses: free pages, padding, gaps of zeros.
    unused: u64,
    /// Bytes of neither kind.
    left: u64,
    /// The bytes of neither kind, range by range; at most 1000.
    ranges: Vec<RangeJson>,
    /// Number of those ranges, listed or not.
    range_count: usize,
}

/// Bytes without a field.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "coverage_range"))]
struct RangeJson {
    span: SpanText,
    /// Innermost owner of the first byte.
    owner: Option<PlaceText>,
}

impl<'c> FileJson<'c> {
    fn of(file: &'c Coverage) -> Self {
        let range = |rest: &crate::query::coverage::Rest| RangeJson {
            span: rest.span.into(),
            owner: rest.place.map(Into::into),
        };
        Self {
            name: &file.name,
            size: file.len,
            fields: file.fields,
            unused: file.unused,
            left: file.left(),
            ranges: file.rest.iter().map(range).collect(),
            range_count: file.ranges,
        }
    }
}
