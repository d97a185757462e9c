//! Export of the focused list: its rows as they are filtered and sorted, as TSV, CSV or JSON.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::engine::jobs::CancelToken;
use crate::overlays::path_prompt::PathPrompt;
use crate::panes::pane::{Context, Pane};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::expand_home;
use crate::ui::list_filter::RowSource;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_session::session::Session;
use pdblens_session::store::new_file::{Existing, NewFile};
use pdblens_session::text::safe::{count, visible};

/// Rows between two reports of progress.
const REPORT_INTERVAL: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListFormat {
    Tsv,
    Csv,
    Json,
}

impl ListFormat {
    fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "tsv" | "txt" => Some(Self::Tsv),
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

const UNKNOWN_FORMAT: &str = "the name must end in .tsv, .csv or .json";
pub(super) const NO_LIST: &str = "the focused pane has no list to export";

/// The rows to be written: their source, and the indexes of those that the filter leaves.
struct Listed {
    rows: RowSource,
    shown: Option<Vec<usize>>,
}

/// The prompt for the file that a list is written to; the error is a sentence with its tone.
pub(super) fn prompt(pane: &dyn Pane, cx: &Context<'_>, session: Arc<Session>) -> Result<PathPrompt, (Tone, String)> {
    let list = pane.list();
    if let Some(filter) = list.and_then(|list| list.grid().list_filter.filter.as_ref())
        && !filter.is_final()
    {
        let found = count(filter.rows.len() as u64, "row");
        return Err((Tone::Warn, format!("still filtering, {found} found so far: export when it has finished")));
    }
    let Some((list, rows)) = list.and_then(|list| Some((list, list.row_source(cx)?))) else {
        return Err((Tone::Dim, NO_LIST.to_owned()));
    };
    let name = pane.title(cx).name;
    let listed = Listed { rows, shown: list.grid().list_filter.remaining().map(<[usize]>::to_vec) };
    let rows = match &listed.shown {
        Some(shown) => shown.len(),
        None => (listed.rows)(&session).map_or(0, |rows| rows.len),
    };
    let rows = count(rows as u64, "row");
    // The titles of tables have the number of rows.
    let name = name
        .rsplit_once(" · ")
        .filter(|(_, all)| all.ends_with(" rows") || *all == "1 row")
        .map_or(name.as_str(), |(name, _)| name);
    let note = format!(
        "{rows} of {name}, filtered and sorted as shown. The extension selects the format: .tsv, .csv or .json."
    );
    let listed = Arc::new(listed);
    let prompt = PathPrompt::new("Export the list to", note, false, move |text| {
        let (session, listed) = (Arc::clone(&session), Arc::clone(&listed));
        let job = Job::new(format!("writing {text}"), "export", move |token| {
            let path = expand_home(&text);
            match export(&session, &listed, &path, token) {
                Ok(rows) => Msg::Reported(Tone::Ok, format!("wrote {} to {}", count(rows, "row"), path.display())),
                Err(error) => Msg::Reported(Tone::Bad, format!("{}: {error}", path.display())),
            }
        });
        vec![Effect::Start(job)]
    });
    Ok(prompt.checked(|text| match expand_home(text) {
        path if ListFormat::of_path(&path).is_none() => Some(UNKNOWN_FORMAT.to_owned()),
        path => path.exists().then(|| format!("{} exists: choose another name", path.display())),
    }))
}

fn export(session: &Session, listed: &Listed, path: &Path, token: &CancelToken) -> io::Result<u64> {
    let Some(format) = ListFormat::of_path(path) else {
        return Err(io::Error::other(UNKNOWN_FORMAT));
    };
    let files = [session.image().map(|file| &file.path), session.symbol_file().map(|file| &file.path)];
    let inputs: Vec<&Path> = files.into_iter().flatten().map(PathBuf::as_path).collect();
    let mut file = NewFile::create(path, Existing::Keep, &inputs)?;
    let written = write_rows(&mut BufWriter::new(&mut file), session, listed, format, token)?;
    file.finish()?;
    Ok(written)
}

fn write_rows(
    out: &mut impl Write,
    session: &Session,
    listed: &Listed,
    format: ListFormat,
    token: &CancelToken,
) -> io::Result<u64> {
    let rows = (listed.rows)(session).ok_or_else(|| io::Error::other("the list is no longer there"))?;
    let len = listed.shown.as_ref().map_or(rows.len, Vec::len);
    let names = column_names(&rows.columns);
    let line = |texts: &[String]| match format {
        ListFormat::Csv => texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(",") + "\r\n",
        _ => texts.join("\t") + "\n",
    };
    match format {
        ListFormat::Json => out.write_all(b"[")?,
        _ => out.write_all(line(&names).as_bytes())?,
    }
    for at in 0..len {
        if at % REPORT_INTERVAL == 0 {
            token.report(at as u64, len as u64);
            if token.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
        }
        let index = listed.shown.as_ref().map_or(Some(at), |shown| shown.get(at).copied());
        let Some(row) = index.and_then(|index| rows.get(index)) else { continue };
        if format == ListFormat::Json {
            let before: &[u8] = if at == 0 { b"\n" } else { b",\n" };
            out.write_all(before)?;
            serde_json::to_writer(&mut *out, &object(&names, &row))?;
        } else {
            let mut texts: Vec<String> = row.cells.iter().map(|cell| visible(&text(cell)).into_owned()).collect();
            texts.resize(names.len().max(texts.len()), String::new());
            out.write_all(line(&texts).as_bytes())?;
        }
    }
    if format == ListFormat::Json {
        out.write_all(b"\n]\n")?;
    }
    out.flush()?;
    Ok(len as u64)
}

/// The names of the columns; those without one are numbered.
fn column_names(columns: &[Head]) -> Vec<String> {
    let name = |(number, head): (usize, &Head)| match head.name {
        "" => format!("column {number}"),
        name => name.to_owned(),
    };
    (1..).zip(columns).map(name).collect()
}

/// The text of a cell, with the name of the row that it leads to.
fn text(cell: &Cell) -> String {
    let names = !matches!(cell.to, Some(Place::HeapEntry(..)));
    let beside = if names { cell.beside.as_str() } else { "" };
    format!("{} {beside}", cell.text.trim()).trim_end().to_owned()
}

fn object(names: &[String], row: &Row) -> Value {
    let mut object = Map::new();
    object.extend(row.place.map(|place| ("place".to_owned(), Value::from(place.to_string()))));
    for (index, cell) in row.cells.iter().enumerate() {
        let name = names.get(index).cloned().unwrap_or_else(|| format!("column {}", index + 1));
        object.insert(name, Value::from(text(cell)));
    }
    Value::Object(object)
}

/// A field of a CSV file (RFC 4180). A spreadsheet would run a name that begins as a formula does: it gets an apostrophe.
fn quoted(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.len() > 1 && text.parse::<i128>().is_err();
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::Rows;

    fn written(format: ListFormat, shown: Option<Vec<usize>>) -> String {
        let rows: RowSource = Arc::new(|_| {
            let columns = Head::list(["name", ""]);
            let named = Cell::new("a,\"b\"").to(Place::Tables).beside("Main");
            let rows = vec![Row::at(Place::Tables, vec![named, Cell::new("1\t2")]), Row::plain(vec![Cell::new("c")])];
            Some(Rows::of("", columns, rows))
        });
        let (mut out, session) = (Vec::new(), Session::sample());
        write_rows(&mut out, &session, &Listed { rows, shown }, format, &CancelToken::default()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_are_quoted_as_the_format_wants() {
        assert_eq!(written(ListFormat::Csv, None), "name,column 2\r\n\"a,\"\"b\"\" Main\",1\\t2\r\nc,\r\n");
        assert_eq!(written(ListFormat::Tsv, None), "name\tcolumn 2\na,\"b\" Main\t1\\t2\nc\t\n");
        assert_eq!((quoted("=1+1"), quoted("-5"), quoted("-")), ("'=1+1".to_owned(), "-5".to_owned(), "-".to_owned()));
        assert_eq!(written(ListFormat::Tsv, Some(vec![1])), "name\tcolumn 2\nc\t\n");
        let json: Value = serde_json::from_str(&written(ListFormat::Json, None)).unwrap();
        assert_eq!(json[0]["name"], "a,\"b\" Main");
        assert_eq!((&json[0]["place"], &json[1]["place"]), (&Value::from("tables"), &Value::Null));
    }
}
