use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::course::read_json;
use super::difference::print_difference;
use super::dump::write_bytes;
use super::excerpt::Excerpts;
use super::files::with_place;
use super::handout_args::HandoutArgs;
use super::json;
use super::show_at::{self, AtJson};
use super::source_args::SourceArgs;
use super::steps::{self, StepsDocument};
use crate::bytes::{Space, Span};
use crate::formats::reason::Reason;
use crate::learn::Steps;
use crate::learn::course::{difference, expected_reads};
use crate::nodes::code_unit::{self, CodeUnit};
use crate::nodes::fields::{FieldRow, Fields};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::{self, MethodPart, Place, SequencePoint};
use crate::query::owner::{RecordAt, record_at};
use crate::query::statement::{Statement, Statements};
use crate::session::Session;
use crate::source::SourceOptions;
use crate::text::safe::{count, spaced_hex};
use crate::text::shell::shell_quoted;

/// Rows of a list that are looked at for the first that is a record.
const MAX_SEEN: usize = 16;

const NO_PLACE: &str =
    "no place given · tip: `pdblens list FILE` names the lists, `pdblens list FILE method/TOKEN` the parts of a method";

/// `pdblens show FILE… PLACE`
#[derive(Debug, clap::Args)]
#[command(mut_arg("files", |files| with_place(files, "FILE… PLACE")))]
#[allow(clippy::struct_excessive_bools)]
pub struct Show {
    #[command(flatten)]
    files: Files,
    /// Print one JSON document.
    #[arg(long, conflicts_with_all = ["tsv", "format", "output"])]
    json: bool,
    /// Print tab-separated values.
    #[arg(long, conflicts_with_all = ["format", "output"])]
    tsv: bool,
    /// Add a sentence that explains each field.
    #[arg(long)]
    explain: bool,
    /// Print each read of the decoder: bytes, encoding, stored and decoded value, and the decoder's state before and after.
    ///
    /// --explain adds the arithmetic, the reason and the paragraph of the specification.
    #[arg(long)]
    steps: bool,
    /// Write the bytes of the value without its length, as dump --value does: the text of Source Link, a blob, a string.
    #[arg(long, conflicts_with_all = ["json", "tsv", "explain", "steps", "format", "output"])]
    value: bool,
    /// Compare the reads with those of another reader, in a file or on standard input (`-`): a JSON list of reads, or an object with `steps`, `reads` or `points`.
    ///
    /// Of a read, the members offset, bytes, raw and value are compared if they are there; `pdblens show --steps --json` prints all. The
    /// first difference is shown with its mistake.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["value", "json", "tsv", "format", "output", "steps", "explain"])]
    against: Option<PathBuf>,
    /// Find the record that has a byte of the file that is named last, and mark its field; `'App.pdb 0x5a4'` names the file or
    /// stream.
    #[arg(long, value_name = "OFFSET")]
    at: Option<String>,
    #[command(flatten)]
    handout: HandoutArgs,
    #[command(flatten)]
    sources: SourceArgs,
}

impl Run for Show {
    const EXAMPLES: &'static [Example] = &[
        example(
            "Explain a sequence point, field by field",
            "pdblens show App.dll method/Clock.Since/points/2 --explain",
        ),
        example("Print each read of the decoder", "pdblens show App.dll method/Clock.Since/points --steps"),
        example("Find the field that has a byte of a file", "pdblens show App.dll App.pdb --at 0x5a4 --steps"),
        example(
            "Find the read at which your own reader goes wrong",
            "pdblens show App.dll method/Clock.Since/points --against reads.json",
        ),
        example(
            "Write a handout of the steps",
            "pdblens show App.dll method/Clock.Since/points --format html > points.html",
        ),
    ];

    fn access(&self) -> Access {
        self.files.symbols.access().and(self.handout.access())
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (session, place) = self.open()?;
        let at = match place {
            Place::Bytes(span) => record_at(&session, span),
            _ => None,
        };
        let place = at.as_ref().map_or(place, |at| at.place);
        if self.value {
            write_bytes(&session, place, true, out)?;
            return Ok(Exit::Done);
        }
        let is_played = self.steps || self.against.is_some() || self.handout.is_asked();
        let played = if is_played { nodes::played(&session, place) } else { None };
        let fields = played.map_or_else(|| record(&session, place), Ok)?;
        let read = |span| session.spaces().read(span).map(|bytes| bytes.to_vec()).unwrap_or_default();
        let steps = || Steps::of(&fields, read).at(place);
        if let Some(path) = &self.against {
            return against(out, steps(), path);
        }
        if self.handout.is_asked() {
            let steps = steps().with_places(&session, place, &self.sources.options());
            if let Some(handout) = self.handout.asked(&steps, &self.command())? {
                self.handout.write(&handout, &session.paths(), out)?;
            }
            return Ok(Exit::Done);
        }
        let at = at.as_ref();
        match (self.json, self.tsv, self.steps) {
            (true, _, true) => json::write(out, &StepsDocument::of(&session, place, at, &steps(), self.explain))?,
            (true, _, false) => json::write(out, &ShowDocument::of(&session, place, &fields, at))?,
            (_, true, true) => out.tsv(&steps::rows(&steps(), None))?,
            (_, true, false) => out.tsv(&as_rows(&session, &fields, None, self.explain))?,
            _ => {
                if let Some(at) = at {
                    show_at::print(out, &session, at, &fields)?;
                }
                if self.steps {
                    steps::print(out, &session, place, at, &steps(), self.explain)?;
                } else {
                    let rows = as_rows(&session, &fields, at, self.explain);
                    print(out, &session, (place, self.sources.options()), &fields, &rows)?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

impl Show {
    fn open(&self) -> Result<(Session, Place), Error> {
        let Some(offset) = &self.at else {
            let (session, place) = self.files.open_with_place()?;
            return Ok((session, place.ok_or_else(|| Error::Usage(NO_PLACE.to_owned()))?));
        };
        let session = self.files.open()?;
        let place = self.files.place_at(&session, offset)?;
        Ok((session, place))
    }

    fn command(&self) -> String {
        let sample = if self.files.sample { " --sample" } else { "" };
        let words: Vec<String> =
            self.files.files.iter().map(|word| format!(" {}", shell_quoted(&word.display().to_string()))).collect();
        format!("pdblens show{sample}{}", words.concat())
    }
}

fn point(session: &Session, place: Place) -> Option<(CodeUnit, SequencePoint)> {
    let Place::MethodPart(method, MethodPart::Point(number)) = place else { return None };
    let of = CodeUnit::Method(method);
    let point = code_unit::points(session, of).into_iter().nth((number as usize).checked_sub(1)?)?;
    if point.is_hidden() { None } else { Some((of, point)) }
}

/// Prints a record, and the error that ended its decoding, with its bytes.
fn print(
    out: &mut Out,
    session: &Session,
    (place, sources): (Place, SourceOptions),
    fields: &Fields,
    rows: &Rows<'_>,
) -> Result<(), Error> {
    let at = nodes::span_text(session, fields.span);
    out.parts(&[(&fields.title, Tone::Strong), ("  ", Tone::Text), (&at, Tone::Dim)])?;
    out.table(rows)?;
    if let Some((of, point)) = point(session, place) {
        Excerpts::new(session, sources).print_without_source(out, of, &point)?;
    }
    let Some(error) = &fields.error else { return Ok(()) };
    let (text, at) = (session.spaces().error_text(error), nodes::span_text(session, error.span));
    out.parts(&[("✗ ", Tone::Bad), (&text, Tone::Bad), ("  ", Tone::Text), (&at, Tone::Dim)])
}

fn against(out: &mut Out, steps: Steps, path: &Path) -> Result<Exit, Error> {
    let (reads, title) = (steps.reads().count(), steps.title.clone());
    let Some((answer, given)) = expected_reads(steps, &read_json(path)?) else {
        let text = "no list of reads with `offset`, `bytes`, `raw` or `value`, and no object with `steps`, `reads` or `points`";
        return Err(Error::Other(format!("{}: {text}: `pdblens show --steps --json` prints one", path.display())));
    };
    let found = difference(&answer, &given);
    if let Some(found) = &found {
        out.parts(&[("✗ ", Tone::Bad), (&title, Tone::Strong)])?;
        print_difference(out, &answer, found)?;
    } else {
        out.parts(&[("✓ ", Tone::Ok), (&format!("{} agree", count(reads as u64, "read")), Tone::Text)])?;
    }
    Ok(if found.is_some() { Exit::Findings } else { Exit::Done })
}

/// The record at a place, or facts about bytes that are none.
fn record(session: &Session, place: Place) -> Result<Fields, Error> {
    if let Some(fields) = nodes::fields(session, place) {
        return Ok(fields);
    }
    // Points are a record, where there are any.
    if matches!(place, Place::MethodPart(_, MethodPart::Points)) {
        return Err(Error::NoAnswer(nodes::absence(session, place)));
    }
    if let Some(rows) = nodes::rows(session, place) {
        let first = rows.iter().take(MAX_SEEN).filter_map(|row| row.place).find(|inside| *inside != place);
        let first = first.map_or_else(String::new, |inside| format!("; its first record is {inside}"));
        let text = format!("{place} is a list, not one record{first} · tip: `pdblens list FILE {place}`");
        return Err(Error::Usage(text));
    }
    let found = if nodes::exists(session, place) { nodes::summary(session, place) } else { None };
    found.ok_or_else(|| Error::NoAnswer(nodes::absence(session, place)))
}

/// Fields as a table: offset, bytes, name, value, meaning.
fn as_rows<'s>(session: &'s Session, fields: &Fields, at: Option<&RecordAt>, explain: bool) -> Rows<'s> {
    let mut columns = Head::list(["field", "offset:", "bytes", "value", "meaning"]);
    if explain {
        columns.push(Head::text("about"));
    }
    let rows = fields.rows.iter().flat_map(|field| {
        let bytes = if field.group { None } else { session.spaces().read(field.span).ok() };
        let mut cells = vec![
            Cell::toned(show_at::marked_name(at, field), if field.group { Tone::Strong } else { Tone::Text }),
            Cell::toned(format!("{:#x}", field.span.start), Tone::Dim),
            Cell::new(bytes.map_or(String::new(), |bytes| spaced_hex(&bytes, 8))),
            Cell::new(field.stored_and_decoded().into_owned()),
            Cell { to: field.to, ..Cell::new(field.meaning.clone()) },
        ];
        if explain {
            cells.push(Cell::toned(field.about, Tone::Dim));
        }
        let row = Row { span: Some(field.span), depth: field.depth, cells, ..Row::default() };
        let bits = if explain { field.drawn_bits() } else { Vec::new() };
        std::iter::once(row).chain(bits.into_iter().map(|bits| bit_row(field, bits)))
    });
    Rows::of(fields.title.clone(), columns, rows.collect())
}

/// Row below a field for some of its bits, drawn, and their meaning.
fn bit_row(field: &FieldRow, (drawn, text): (String, String)) -> Row {
    let mut cells = vec![Cell::default(); 6];
    cells[3] = Cell::toned(drawn, Tone::Dim);
    cells[4] = Cell::new(text);
    Row { span: Some(field.span), depth: field.depth.saturating_add(1), cells, ..Row::default() }
}

/// A record, field by field.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "show"))]
pub(super) struct ShowDocument<'f> {
    place: Place,
    title: &'f str,
    /// Name of the address space of the spans.
    space: Cow<'f, str>,
    span: Span,
    /// The byte that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<AtJson>,
    /// The reason why there are no more fields.
    error: Option<Reason>,
    /// Statement of a sequence point, reconstructed from IL.
    #[serde(skip_serializing_if = "Option::is_none")]
    reconstructed: Option<Statement>,
    /// In the order of their bytes: fields, and groups of those that follow; fields that are no groups tile the record's span.
    fields: &'f [FieldRow],
}

impl<'f> ShowDocument<'f> {
    fn of(session: &'f Session, place: Place, fields: &'f Fields, at: Option<&RecordAt>) -> Self {
        Self {
            place,
            title: &fields.title,
            space: session.spaces().get(fields.span.space).map_or("".into(), Space::name),
            span: fields.span,
            at: at.map(|at| AtJson::of(at, fields.rows.iter())),
            error: fields.error.as_ref().map(|error| session.spaces().reason(error)),
            reconstructed: point(session, place).and_then(|(of, point)| Statements::new(session)?.at(of, point.offset)),
            fields: &fields.rows,
        }
    }
}
