use crate::nodes;
use std::io;

use super::json::Json;
use super::output::Out;
use super::{Error, Exit, Files, Run};
use crate::nodes::Place;
use crate::nodes::fields::{FieldRow, Fields};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::text::safe::spaced_hex;

/// `pdblens show FILE… PLACE`
#[derive(Debug, clap::Args)]
pub struct Show {
    #[command(flatten)]
    files: Files,
    /// Print one JSON document.
    #[arg(long, conflicts_with = "tsv")]
    json: bool,
    /// Print tab-separated values.
    #[arg(long)]
    tsv: bool,
    /// Say of each field what it is for.
    #[arg(long)]
    explain: bool,
}

impl Run for Show {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (session, place) = self.files.open_with_place()?;
        let place = place.ok_or_else(|| Error::Place("which place? `pdblens list` names them all".to_owned()))?;
        let fields = nodes::fields(&session, place).ok_or_else(|| no_record(&session, place))?;
        if self.json {
            fields_json(&mut Json::new(out), &session, place, &fields)?;
            return Ok(Exit::Done);
        }
        let rows = as_rows(&session, &fields, self.explain);
        if self.tsv {
            out.tsv(&rows)?;
            return Ok(Exit::Done);
        }
        let at = nodes::span_text(&session, fields.span);
        out.parts(&[(&fields.title, Tone::Strong), ("  ", Tone::Text), (&at, Tone::Dim)])?;
        out.table(&rows)?;
        if let Some(error) = &fields.error {
            let at = nodes::span_text(&session, error.span);
            out.parts(&[("✗ ", Tone::Bad), (&error.to_string(), Tone::Bad), ("  ", Tone::Text), (&at, Tone::Dim)])?;
        }
        Ok(Exit::Done)
    }
}

fn no_record(session: &Session, place: Place) -> Error {
    let text = match nodes::rows(session, place) {
        Some(_) => format!("{place} is a list, not one record: try `pdblens list … {place}`"),
        None => nodes::absence(session, place),
    };
    Error::Place(text)
}

/// Fields as a table: offset, bytes, name, value, meaning.
fn as_rows<'s>(session: &'s Session, fields: &Fields, explain: bool) -> Rows<'s> {
    let mut columns = vec![
        Head::text("field"),
        Head::number("offset"),
        Head::text("bytes"),
        Head::text("value"),
        Head::text("meaning"),
    ];
    if explain {
        columns.push(Head::text("about"));
    }
    let rows = fields.rows.iter().map(|field| {
        let bytes = if field.group { None } else { session.spaces().read(field.span).ok() };
        let mut cells = vec![
            Cell::toned(field.name.clone(), if field.group { Tone::Strong } else { Tone::Text }),
            Cell::toned(format!("{:#x}", field.span.start), Tone::Dim),
            Cell::new(bytes.map_or(String::new(), |bytes| spaced_hex(&bytes, 8))),
            Cell::new(field.value.clone()),
            Cell { to: field.to, ..Cell::new(field.meaning.clone()) },
        ];
        if explain {
            cells.push(Cell::toned(field.about, Tone::Dim));
        }
        Row { span: Some(field.span), depth: field.depth, cells, ..Row::default() }
    });
    Rows::of(fields.title.clone(), columns, rows.collect())
}

/// Fields as JSON: a list in the order of the bytes, with the depth of each.
fn fields_json<W: io::Write>(json: &mut Json<W>, session: &Session, place: Place, fields: &Fields) -> io::Result<()> {
    json.object(|json| {
        json.number("schema", nodes::SCHEMA)?;
        json.shown("place", place)?;
        json.text("title", &fields.title)?;
        json.text("space", session.spaces().get(fields.span.space).map_or("", |space| &space.name))?;
        json.span("span", fields.span)?;
        json.key("error")?.maybe(fields.error.as_ref().map(ToString::to_string).as_deref())?;
        json.key("fields")?.list(|json| fields.rows.iter().try_for_each(|field| field_json(json, field)))
    })
}

fn field_json<W: io::Write>(json: &mut Json<W>, field: &FieldRow) -> io::Result<()> {
    json.object(|json| {
        json.text("name", &field.name)?;
        json.span("span", field.span)?;
        json.number("depth", field.depth)?;
        json.number("group", field.group)?;
        json.text("value", &field.value)?;
        json.text("meaning", &field.meaning)?;
        json.text("about", field.about)?;
        json.key("to")?.maybe(field.to.map(|place| place.to_string()).as_deref())
    })
}
