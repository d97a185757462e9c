//! Everything as lines of text, of which two builds can be compared with any diff tool: no cell is padded, and lists leave out
//! heap offsets and addresses, which move with every change before them.

use std::io::{self, Write};

use crate::cli::json::{Counted, Room};
use crate::nodes::rows::{Row, Rows};
use crate::nodes::{self, FunctionPart, MetadataPart, MethodPart, Place};
use crate::query::check::check;
use crate::session::Session;
use crate::source::SourceOptions;
use crate::text::safe::visible;

/// Rows that are made at a time.
const WINDOW: usize = 256;
/// Columns that are left out: they move with every change before them, or repeat another column.
const UNSTABLE: &[&str] =
    &["offset", "rva", "RVA", "used by", "size", "blob bytes", "bytes", "line record", "address", "point"];

/// Text that is counted, and ends where its room does.
type Text<'r, 'w> = Counted<'r, &'w mut dyn Write>;

/// Writes the whole pair, as far as the budget of the session allows.
pub(super) fn write(session: &Session, writer: &mut dyn Write) -> io::Result<()> {
    // Its findings are kept with the session, for the list of them.
    check(session, &SourceOptions::default());
    let Some(places) = nodes::rows(session, Place::Places) else { return Ok(()) };
    let room = Room::new(session.spaces().budget().most_text());
    let out = &mut room.writer(writer);
    for place in places.window(0..places.len).filter_map(|row| row.place) {
        match place {
            // Found in the parts below, or about the files as a whole.
            Place::Metadata(_, MetadataPart::Streams)
            | Place::Overview
            | Place::Trace
            | Place::Pe
            | Place::Pages
            | Place::Tables
            | Place::Heaps => {}
            Place::Methods | Place::Functions => {
                let Some(list) = nodes::rows(session, place) else { continue };
                each_row(&list, out, &mut |row, out| row.place.map_or(Ok(()), |unit| code(session, unit, &row, out)))?;
            }
            _ => section(session, place, out)?,
        }
        if room.is_full() {
            session.spaces().budget().end_text("the text", format!("somewhere in {place}"));
            return writeln!(
                out,
                "error: the rest is left out, because it is more text than files of this size may have"
            );
        }
    }
    Ok(())
}

fn section(session: &Session, place: Place, out: &mut Text<'_, '_>) -> io::Result<()> {
    if let Some(rows) = nodes::rows(session, place) {
        writeln!(out, "== {place}")?;
        return list(&rows, "", out);
    }
    let Some(fields) = nodes::fields(session, place) else { return Ok(()) };
    writeln!(out, "== {place}")?;
    for field in &fields.rows {
        let indent = "  ".repeat(field.depth.into());
        let text = [field.name.as_str(), &field.value, &field.meaning].map(visible).join("  ");
        writeln!(out, "{indent}{}", text.trim_end())?;
    }
    match &fields.error {
        Some(error) => writeln!(out, "error: {}", visible(&session.spaces().error_text(error))),
        None => Ok(()),
    }
}

fn code(session: &Session, unit: Place, row: &Row, out: &mut Text<'_, '_>) -> io::Result<()> {
    let name = row.cells.get(1).map_or("", |cell| cell.text.as_str());
    let (parts, name): (Vec<Place>, _) = match unit {
        Place::Method(token) => {
            let part = |part| Place::MethodPart(token, part);
            (
                [MethodPart::Il, MethodPart::Regions, MethodPart::Points, MethodPart::Scopes].map(part).to_vec(),
                format!("{token} {name}"),
            )
        }
        Place::Function(rva) => {
            let part = |part| Place::FunctionPart(rva, part);
            let name = row.cells.get(3).map_or("", |cell| cell.text.as_str());
            ([FunctionPart::Lines, FunctionPart::Symbols].map(part).to_vec(), name.to_owned())
        }
        _ => return Ok(()),
    };
    writeln!(out, "== {}", visible(&name))?;
    for part in parts {
        let Some(rows) = nodes::rows(session, part).filter(|rows| rows.len > 0) else { continue };
        let text = part.to_string();
        writeln!(out, "  {}", text.rsplit('/').next().unwrap_or_default())?;
        list(&rows, "    ", out)?;
    }
    Ok(())
}

/// Writes the stable columns of a list, a line each row.
fn list(rows: &Rows<'_>, indent: &str, out: &mut Text<'_, '_>) -> io::Result<()> {
    let kept: Vec<usize> = (0..rows.columns.len())
        .filter(|index| rows.columns.get(*index).is_some_and(|head| !UNSTABLE.contains(&head.name)))
        .collect();
    each_row(rows, out, &mut |row, out| {
        let cells = kept.iter().filter_map(|index| row.cells.get(*index));
        let texts: Vec<_> = cells.map(|cell| visible(if cell.text.is_empty() { "-" } else { &cell.text })).collect();
        let depth = "  ".repeat(row.depth.into());
        writeln!(out, "{indent}{depth}{}", texts.join("  ").trim_end_matches([' ', '-']))
    })
}

type EachRow<'e> = dyn FnMut(Row, &mut Text<'_, '_>) -> io::Result<()> + 'e;

fn each_row(rows: &Rows<'_>, out: &mut Text<'_, '_>, each: &mut EachRow<'_>) -> io::Result<()> {
    for start in (0..rows.len).step_by(WINDOW) {
        for row in rows.window(start..(start + WINDOW).min(rows.len)) {
            if out.is_full() {
                return Ok(());
            }
            each(row, out)?;
        }
    }
    Ok(())
}
