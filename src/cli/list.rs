use serde::ser::{Serialize, SerializeMap, Serializer};

use super::check::{policy_access, say_policy};
use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::files::with_place;
use super::json::{self, List as Lazy, Pairs};
use super::live::Live;
use super::output::say;
use super::source_args::SourceArgs;
use crate::bytes::Span;
use crate::nodes::rows::{Cell, Data, Head, Row, Rows};
use crate::nodes::{self, Place};
use crate::query::ask;
use crate::query::check::check;
use crate::session::Session;

/// `pdblens list FILE… [PLACE]`
#[derive(Debug, clap::Args)]
#[command(mut_arg("files", |files| with_place(files, "FILE… [PLACE]")))]
pub struct List {
    #[command(flatten)]
    list: ListArgs,
}

/// Files and format of a command that prints a list of each pair.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub(super) files: Files,
    /// Print one JSON document.
    #[arg(long, conflicts_with = "tsv")]
    json: bool,
    /// Print tab-separated values.
    #[arg(long)]
    tsv: bool,
}

impl Run for List {
    const EXAMPLES: &'static [Example] = &[
        example("List the places of a pair", "pdblens list App.dll"),
        example("List the rows of a metadata table", "pdblens list App.dll table/Document"),
        example(
            "List the sequence points of a method for a script",
            "pdblens list App.dll method/Clock.Since/points --tsv",
        ),
    ];

    fn access(&self) -> Access {
        self.list.files.symbols.access().and(policy_access())
    }

    fn run(mut self, out: &mut Out) -> Result<Exit, Error> {
        if let Some(live) = Live::asked(&self.list.files.files, self.list.json) {
            return live.run(out);
        }
        let place = self.list.files.take_place();
        self.list.print(|_| "it is empty", out, &|session| found(session, place.as_deref()))
    }
}

/// The list that a command prints of a pair, and its place.
type FindList<'f> = dyn for<'s> Fn(&'s Session) -> Result<(Place, Rows<'s>), Error> + 'f;

impl ListArgs {
    /// Prints a list of each pair: as a table, as JSON or as tab-separated values. `is_empty` ends the note about a list without rows.
    pub(super) fn print(
        &self,
        why_empty: fn(Place) -> &'static str,
        out: &mut Out,
        found: &FindList<'_>,
    ) -> Result<Exit, Error> {
        if self.json {
            return self.files.each_json(out, &mut |out, pairs, session| {
                let (place, rows) = found(session)?;
                add_list(out, pairs, session, place, &rows)?;
                Ok(said_empty(place, &rows, why_empty))
            });
        }
        self.files.each(out, !self.tsv, &mut |out, session| {
            let (place, rows) = found(session)?;
            if self.tsv {
                out.tsv(&rows)?;
            } else {
                out.table(&rows)?;
            }
            Ok(said_empty(place, &rows, why_empty))
        })
    }
}

pub(super) fn add_list(
    out: &mut Out,
    pairs: &mut Pairs,
    session: &Session,
    place: Place,
    rows: &Rows<'_>,
) -> Result<(), Error> {
    Ok(pairs.add(out, &ListedPair::of(session, place, rows, &members(&rows.columns)))?)
}

fn found<'s>(session: &'s Session, place: Option<&str>) -> Result<(Place, Rows<'s>), Error> {
    let place = match place {
        Some(text) => ask::place(session, text).map_err(|why| Error::NoAnswer(why.text))?,
        None => Place::Places,
    };
    if matches!(place, Place::Findings | Place::Overview | Place::Places) {
        say_policy(check(session, &SourceArgs::default().options()));
    }
    let rows = nodes::rows(session, place).or_else(|| nodes::parts(session, place));
    Ok((place, rows.ok_or_else(|| no_list(session, place))?))
}

/// Says on standard error that a list has no rows, which is no answer.
fn said_empty(place: Place, rows: &Rows<'_>, why_empty: fn(Place) -> &'static str) -> Exit {
    if rows.len > 0 {
        return Exit::Done;
    }
    say(&format!("note: {place}: {}", why_empty(place)));
    Exit::Findings
}

fn no_list(session: &Session, place: Place) -> Error {
    let text = match nodes::fields(session, place) {
        Some(_) => format!("{place} is one record, not a list · tip: `pdblens show FILE {place}`"),
        None => nodes::absence(session, place),
    };
    Error::NoAnswer(text)
}

/// A list: rows with a member for each column.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "listed_pair"))]
pub(super) struct ListedPair<'r> {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    place: Place,
    title: String,
    /// Members of a row, in the order of the columns.
    columns: Vec<String>,
    rows: Lazy<'r, RowJson<'r>>,
}

/// A row: what it is, where its bytes are, and its cells.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "row"))]
struct RowJson<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Option<CellValue<'r>>>"))]
    cells: Cells<'r>,
}

/// Value that a cell stands for; a number where the column holds numbers and this is one; else the text.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "cell"))]
#[serde(untagged)]
enum CellValue<'r> {
    Data(&'r Data),
    Number(u64),
    Text(&'r str),
}

struct Cells<'r> {
    members: &'r [(String, Head)],
    cells: Vec<Cell>,
}

impl<'r> ListedPair<'r> {
    fn of(session: &Session, place: Place, rows: &'r Rows<'_>, members: &'r [(String, Head)]) -> Self {
        Self {
            path: json::path(session),
            place,
            title: rows.title.clone(),
            columns: members.iter().map(|(member, _)| member.clone()).collect(),
            rows: Lazy::of(|| {
                rows.iter().map(|Row { place, span, cells, .. }| RowJson {
                    place,
                    span,
                    cells: Cells { members, cells },
                })
            }),
        }
    }
}

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for ((member, head), cell) in self.members.iter().zip(&self.cells) {
            let number = if head.right { number(&cell.text) } else { None };
            let value = match (&cell.data, number) {
                (Some(data), _) => Some(CellValue::Data(data)),
                (None, Some(number)) => Some(CellValue::Number(number)),
                (None, None) if head.right && cell.text.is_empty() => None,
                (None, None) => Some(CellValue::Text(&cell.text)),
            };
            map.serialize_entry(member, &value)?;
        }
        map.end()
    }
}

/// The number that a text is: decimal, or hexadecimal after `0x`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The members that rows have for their columns. What a row stands for and its bytes are members already.
fn members(columns: &[Head]) -> Vec<(String, Head)> {
    let member = |head: &Head| match head.name {
        "#" => "number".to_owned(),
        "place" | "span" => format!("{}_text", head.name),
        "method" => "method_name".to_owned(),
        name => snake_case(name),
    };
    columns.iter().map(|head| (member(head), *head)).collect()
}

/// The name of a column as a member: `row size` and `RowSize` become `row_size`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_alphanumeric() {
            if (c.is_uppercase() && before.is_lowercase()) || (!before.is_alphanumeric() && !out.is_empty()) {
                out.push('_');
            }
            out.extend(c.to_lowercase());
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_members() {
        for (name, member) in [
            ("row size", "row_size"),
            ("EncLocalSlotMap", "enc_local_slot_map"),
            ("RVA", "rva"),
            ("command, never run", "command_never_run"),
        ] {
            assert_eq!(snake_case(name), member);
        }
    }
}
