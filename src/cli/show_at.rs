//! `pdblens show FILE… --at OFFSET`: the field that has a byte, and everything that the byte belongs to.

use serde::Serialize;

use super::Error;
use super::output::Out;
use crate::bytes::Span;
use crate::nodes;
use crate::nodes::fields::{FieldRow, Fields};
use crate::nodes::owner::Owner;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::owner::RecordAt;
use crate::session::Session;
use crate::text::safe::spaced_hex;

const MARK: &str = "▶ ";

pub(super) fn marked_name(at: Option<&RecordAt>, field: &FieldRow) -> String {
    let mark = if at.is_some_and(|at| at.is_in(field)) { MARK } else { "" };
    format!("{mark}{}", field.name)
}

/// Prints the field that has the byte, and the places that have it, the smallest first.
pub(super) fn print(out: &mut Out, session: &Session, at: &RecordAt, fields: &Fields) -> Result<(), Error> {
    let bytes = session.spaces().read(at.bytes).map(|bytes| spaced_hex(&bytes, 8)).unwrap_or_default();
    let named = nodes::span_text(session, at.named);
    let mapped = if at.named.space == at.bytes.space {
        String::new()
    } else {
        format!(" = {}", nodes::span_text(session, at.bytes))
    };
    out.parts(&[(&named, Tone::Strong), (&mapped, Tone::Strong), ("  ", Tone::Text), (&bytes, Tone::Text)])?;
    for field in fields.rows.iter().filter(|field| at.is_in(field)) {
        let value = format!("{} = {}", field.name, field.stored_and_decoded());
        out.prose(&[("  ", Tone::Text)], &[(&value, Tone::Strong), ("  ", Tone::Text), (&field.meaning, Tone::Text)])?;
        out.prose(&[("  ", Tone::Text)], &[(field.about, Tone::Dim)])?;
    }
    let rows = at.owners.iter().map(|owner| {
        let title = nodes::fields(session, owner.place).map(|fields| fields.title);
        let title = title.or_else(|| nodes::rows(session, owner.place).map(|rows| rows.title)).unwrap_or_default();
        Row::plain(vec![
            Cell::toned(owner.place.to_string(), Tone::Dim),
            Cell::new(title),
            Cell::toned(nodes::span_text(session, owner.span), Tone::Dim),
        ])
    });
    out.table(&Rows::of("owners", Head::list(["owner", "what", "bytes"]), rows.collect()))?;
    out.line("")?;
    Ok(())
}

/// The byte that was asked for, and what has it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "byte_at"))]
pub(super) struct AtJson {
    /// The bytes, in the space of the record.
    span: Span,
    /// Indices of the fields or steps that have one of them.
    fields: Vec<usize>,
    /// Everything that has the first of them, the smallest first; the record is that of `place`.
    owners: Vec<Owner>,
}

impl AtJson {
    pub(super) fn of<'f>(at: &RecordAt, fields: impl Iterator<Item = &'f FieldRow>) -> Self {
        Self {
            span: at.bytes,
            fields: fields.enumerate().filter(|(_, field)| at.is_in(field)).map(|(index, _)| index).collect(),
            owners: at.owners.clone(),
        }
    }
}
