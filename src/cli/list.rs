use crate::nodes;
use std::io;

use super::json::Json;
use super::output::Out;
use super::{Error, Exit, Files, Run};
use crate::nodes::Place;
use crate::nodes::rows::Rows;
use crate::session::Session;

/// `pdblens list FILE… [PLACE]`
#[derive(Debug, clap::Args)]
pub struct List {
    #[command(flatten)]
    files: Files,
    /// Print one JSON document.
    #[arg(long, conflicts_with = "tsv")]
    json: bool,
    /// Print tab-separated values.
    #[arg(long)]
    tsv: bool,
}

impl Run for List {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (session, place) = self.files.open_with_place()?;
        let place = place.unwrap_or(Place::Places);
        let rows = nodes::rows(&session, place).ok_or_else(|| no_list(&session, place))?;
        if self.json {
            rows_json(&mut Json::new(out), place, &rows)?;
        } else if self.tsv {
            out.tsv(&rows)?;
        } else {
            out.table(&rows)?;
        }
        Ok(Exit::Done)
    }
}

fn no_list(session: &Session, place: Place) -> Error {
    let text = match nodes::fields(session, place) {
        Some(_) => format!("{place} is one record, not a list: try `pdblens show … {place}`"),
        None => nodes::absence(session, place),
    };
    Error::Place(text)
}

/// A list: each row an object with its place, its bytes, and a member a column.
pub(super) fn rows_json<W: io::Write>(json: &mut Json<W>, place: Place, rows: &Rows<'_>) -> io::Result<()> {
    json.object(|json| {
        json.number("schema", nodes::SCHEMA)?;
        json.shown("place", place)?;
        json.text("title", &rows.title)?;
        json.key("columns")?.list(|json| rows.columns.iter().try_for_each(|head| json.string(head.name)))?;
        json.key("rows")?.list(|json| {
            for row in rows.iter() {
                json.object(|json| {
                    if let Some(place) = row.place {
                        json.shown("place", place)?;
                    }
                    if let Some(span) = row.span {
                        json.span("span", span)?;
                    }
                    for (head, cell) in rows.columns.iter().zip(&row.cells) {
                        json.text(head.name, &cell.text)?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })
    })
}
