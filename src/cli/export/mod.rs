//! Rows of many files for a database: each begins with the module and its ids, so that those of many builds go into one table.
//! Files are read on all processors, and their rows are written in the order in which the files were named.

mod row;

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::path::PathBuf;

pub(super) use row::{Row, RowMark};

use super::command::{Access, Error, Example, Exit, Files, Out, Run};
use super::native_map::attach;
use crate::bytes::Resource;
use crate::nodes::{SequencePoint, document};
use crate::query::evidence::id_warning;
use crate::session::inputs::Unit;
use crate::session::{self, Session};
use crate::symbols::SymbolReader;
use pdblens_session::parallel::{parallel_streams, processors};

/// Bytes of rows that are handed on together.
const BATCH: usize = 1 << 18;

/// Files, and the form of their rows.
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    #[command(flatten)]
    pub(super) files: Files,
    /// Print one JSON object per line instead of tab-separated values.
    #[arg(long, conflicts_with = "tsv")]
    jsonl: bool,
    /// Print tab-separated values, which is the default.
    #[arg(long)]
    #[allow(dead_code)] // Scripts may name the default.
    tsv: bool,
    /// Do not escape control characters of names when writing to a pipe.
    #[arg(long, conflicts_with = "jsonl")]
    raw: bool,
    /// File with the machine code of the image, or none to find it; absent where rows need no machine code.
    #[arg(skip)]
    #[allow(clippy::option_option)]
    map: Option<Option<PathBuf>>,
}

impl Export {
    /// Rows that take the machine code of a file.
    pub(super) fn with_map(self, map: Option<PathBuf>) -> Self {
        Self { map: Some(map), ..self }
    }

    fn attach(&self, session: &Session) -> Result<(), Error> {
        self.map.as_ref().map_or(Ok(()), |map| attach(session, map.as_deref()))
    }
}

/// A command that lists the rows of a table.
#[derive(Debug, clap::Args)]
pub(super) struct ListRows<T: Table> {
    #[command(flatten)]
    export: Export,
    #[arg(skip)]
    table: PhantomData<T>,
}

impl<T: Table> Run for ListRows<T> {
    const EXAMPLES: &'static [Example] = T::EXAMPLES;

    fn access(&self) -> Access {
        self.export.files.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        self.export.run::<T>(out)
    }
}

pub(super) trait Table {
    /// For the help of the command that lists these rows alone.
    const EXAMPLES: &'static [Example] = &[];
    /// Columns after those of the module, which every row has.
    const COLUMNS: &'static [&'static str];

    /// Writes the rows of an open file, until `rows` breaks.
    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()>;
}

pub(super) struct Rows<'r> {
    pub(super) row: Row,
    batch: Vec<u8>,
    left: u64,
    /// Bytes of text that may still be written.
    room: u64,
    send: &'r mut dyn FnMut(Message) -> ControlFlow<()>,
    failures: u64,
    first: Option<String>,
}

enum Message {
    Rows(Vec<u8>),
    /// Sentence on what could not be read.
    Problem(String),
    /// Sentence on symbols that are of another build.
    Warning(String),
}

pub(super) fn columns<T: Table>() -> Vec<&'static str> {
    row::MODULE.iter().chain(T::COLUMNS).copied().collect()
}

impl Export {
    pub(super) fn run<T: Table>(&self, out: &mut Out) -> Result<Exit, Error> {
        let row = Row::new(columns::<T>().into_iter(), self.jsonl, self.raw && !out.is_terminal());
        // Nothing is printed before an error.
        let opened = self.files.open_one()?;
        if let Some(session) = &opened {
            self.attach(session)?;
        }
        if opened.as_ref().is_some_and(|session| session.symbol_file().is_none() && session.metadata().is_none()) {
            return Err(Error::NoAnswer("no symbols, and no methods: there is nothing to list".to_owned()));
        }
        let units = if opened.is_some() { Vec::new() } else { self.files.own_units()? };
        if !self.jsonl {
            out.line(&columns::<T>().join("\t"))?;
        }
        let mut taken = Taken::default();
        let mut take = |message| taken.take(message, out);
        match opened {
            Some(session) => {
                parallel_streams(
                    [session],
                    1,
                    |session, send| _ = rows_of::<T>(&session, row.clone(), send),
                    &mut take,
                )?;
            }
            None => {
                parallel_streams(&units, processors(), |unit, send| _ = self.unit::<T>(unit, &row, send), &mut take)?;
            }
        }
        Ok(taken.exit())
    }

    fn unit<T: Table>(
        &self,
        unit: &Unit,
        row: &Row,
        send: &mut dyn FnMut(Message) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let opened = unit.open().map_err(Error::from).and_then(|session| self.files.symbols.complete(session));
        match opened.and_then(|session| self.attach(&session).map(|()| session)) {
            Ok(session) => rows_of::<T>(&session, row.clone(), send),
            Err(error) => send(Message::Problem(error.to_string())),
        }
    }
}

/// Messages that were taken, for the exit code.
#[derive(Default)]
struct Taken {
    has_rows: bool,
    has_failed: bool,
}

impl Taken {
    /// Writes a batch, or says what the matter was.
    fn take(&mut self, message: Message, out: &mut Out) -> Result<(), Error> {
        match message {
            Message::Rows(rows) => {
                self.has_rows |= !rows.is_empty();
                std::io::Write::write_all(out, &rows)?;
            }
            Message::Problem(sentence) => {
                out.complain(&Error::Other(sentence));
                self.has_failed = true;
            }
            Message::Warning(sentence) => super::evidence::say_warning(&sentence),
        }
        Ok(())
    }

    /// Says on standard error that there is no row, which is no answer.
    fn exit(&self) -> Exit {
        match self {
            Self { has_failed: true, .. } => Exit::Failed,
            Self { has_rows: true, .. } => Exit::Done,
            Self { has_rows: false, .. } => {
                super::output::say("note: no rows: no PDB was found, or it has none");
                Exit::Findings
            }
        }
    }
}

fn rows_of<T: Table>(
    session: &Session,
    mut row: Row,
    send: &mut dyn FnMut(Message) -> ControlFlow<()>,
) -> ControlFlow<()> {
    session::hold(session);
    let name = session.image().map(|image| image.name.as_str());
    let name = name.or_else(|| session.symbol_file().map(|file| file.name.as_str())).unwrap_or_default().to_owned();
    if let Some(warning) = id_warning(session) {
        send(Message::Warning(format!("{name}: {warning}")))?;
    }
    row.text(Some(&name));
    row.text(session.image().and_then(session::Image::mvid).map(|mvid| mvid.to_string()).as_deref());
    let id = session.symbols().and_then(SymbolReader::id);
    row.text(id.map(|id| id.guid.to_string()).as_deref());
    let budget = session.spaces().budget();
    let (left, room) = (budget.ceiling(Resource::Rows), budget.most_text());
    let mut rows = Rows { row, batch: Vec::new(), left, room, send, failures: 0, first: None };
    let wrote = T::write(session, &mut rows);
    if rows.left == 0 {
        rows.failed(&"there are more rows than bytes, so the rest is left out");
    } else if rows.room == 0 {
        rows.failed(&format_args!("files of this size may have {room} bytes of text, so the rest is left out"));
    } else {
        wrote?;
    }
    rows.flush()?;
    for part in budget.left_out() {
        rows.failed(&part);
    }
    let failures = rows.failures;
    let Some(first) = rows.first.take() else { return ControlFlow::Continue(()) };
    let others = failures - 1;
    let more = if others > 0 { format!(", and {others} more that cannot be read") } else { String::new() };
    send(Message::Problem(format!("{name}: {first}{more}")))
}

impl Rows<'_> {
    /// Ends the row and goes back to what all rows from `mark` on begin with.
    #[inline]
    pub(super) fn end(&mut self, mark: RowMark) -> ControlFlow<()> {
        let before = self.batch.len();
        self.row.end(mark, &mut self.batch);
        self.left = self.left.saturating_sub(1);
        self.room = self.room.saturating_sub((self.batch.len() - before) as u64);
        if self.left == 0 || self.room == 0 {
            return ControlFlow::Break(());
        }
        if self.batch.len() < BATCH { ControlFlow::Continue(()) } else { self.flush() }
    }

    pub(super) fn failed(&mut self, why: &dyn std::fmt::Display) {
        self.failures += 1;
        self.first.get_or_insert_with(|| why.to_string());
    }

    fn flush(&mut self) -> ControlFlow<()> {
        if self.batch.is_empty() {
            return ControlFlow::Continue(());
        }
        let next = Vec::with_capacity(BATCH + (BATCH >> 3));
        (self.send)(Message::Rows(std::mem::replace(&mut self.batch, next)))
    }
}

/// The name of the document that rows were last about, as a value of a row: most have the same one as the row before.
#[derive(Default)]
pub(super) struct DocumentName {
    row: u32,
    encoded: Vec<u8>,
}

impl DocumentName {
    /// Writes the name of a document, which is unknown for row 0.
    pub(super) fn write(&mut self, session: &Session, document: u32, row: &mut Row) {
        if document != self.row || self.encoded.is_empty() {
            let name = Some(document).filter(|row| *row > 0).and_then(|row| document::name(session, row));
            self.encoded = row.encoded(name.as_deref());
            self.row = document;
        }
        row.again(&self.encoded);
    }
}

/// Writes lines and columns: null for a hidden point, and for column 0, which is unknown.
pub(super) fn write_range(row: &mut Row, point: &SequencePoint) {
    let is_hidden = point.is_hidden();
    row.flag(is_hidden);
    let column = |column: u32| Some(column).filter(|column| *column > 0 && !is_hidden);
    let line = |line: u32| (!is_hidden).then_some(line);
    row.number(line(point.start_line));
    row.number(column(point.start_column));
    row.number(line(point.end_line));
    row.number(column(point.end_column));
}
