//! Output of commands: aligned, coloured and escaped on a terminal and on a pipe.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::Range;

use super::Error;
use super::pipe::Pipe;
use super::wrap::{ColumnWidth, GAP, flow, narrowed};
use crate::nodes::rows::{Cell, Rows, Tone};
use crate::session::OpenError;
use crate::text::paths::without_passwords;
use crate::text::safe::{is_hidden, push_visible, utf8, visible};
use unicode_width::UnicodeWidthStr;

/// Number of rows that column widths are computed from.
const SAMPLE: usize = 1000;
/// Limit on the width of every column but the last.
const WIDEST: usize = 60;
/// Indent of continued lines where the head takes half of the terminal.
const MIN_INDENT: usize = 6;
const MAX_CHOICES: usize = 40;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// Use colour on a terminal unless `NO_COLOR` is set, and elsewhere if `CLICOLOR_FORCE` or `FORCE_COLOR` is set.
    #[default]
    Auto,
    /// Always use colour.
    Always,
    /// Never use colour.
    Never,
}

pub struct Out {
    writer: BufWriter<Pipe>,
    color: bool,
    terminal: bool,
    /// Width of the terminal in cells.
    cells: Option<usize>,
}

struct TableWidths {
    widths: Vec<usize>,
    /// True if texts are wrapped to them.
    wraps: bool,
}

/// Parts of a line of a cell.
type CellLine = Vec<(String, Tone)>;

impl Out {
    pub fn new(when: When) -> Self {
        let terminal = io::stdout().is_terminal();
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let forced = is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR");
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let color = match when {
            When::Auto => allowed && (forced || (terminal && !dumb)),
            When::Always => true,
            When::Never => false,
        };
        let size = if terminal { terminal_size::terminal_size_of(io::stdout()) } else { None };
        let cells = size.map(|(width, _)| usize::from(width.0));
        Self { writer: BufWriter::with_capacity(1 << 16, Pipe::new(terminal)), color, terminal, cells }
    }

    /// Drops what is written after the reader has closed the pipe: for a command whose verdict is its exit code.
    pub fn outlive_reader(&mut self) {
        self.writer.get_mut().outlive_reader();
    }

    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub const fn cells(&self) -> Option<usize> {
        self.cells
    }

    pub fn finish(&mut self) -> Result<(), Error> {
        Ok(self.writer.flush()?)
    }

    /// Prints an error on standard error, after everything that was printed before.
    pub fn complain(&mut self, error: &Error) {
        // A closed pipe is reported by the next write.
        let _ = self.writer.flush();
        say(&format!("error: {}", visible(&without_passwords(&error.to_string()))));
        if let Error::Address { text, at, .. } = error {
            for line in pointed(text, at).into_iter().flatten() {
                say(&format!("  {line}"));
            }
        }
        if let Error::Open(OpenError::Ambiguous { choices, .. }) = error {
            let names = choices.iter().filter_map(|files| files.first());
            names.take(MAX_CHOICES).for_each(|name| say(&format!("  {}", visible(&name.display().to_string()))));
            if choices.len() > MAX_CHOICES {
                say(&format!("  and {} more", choices.len() - MAX_CHOICES));
            }
        }
    }

    /// Prints a control sequence of ours, in its turn.
    pub(super) fn raw(&mut self, sequence: &str) -> Result<(), Error> {
        Ok(self.writer.write_all(sequence.as_bytes())?)
    }

    pub fn line(&mut self, text: &str) -> Result<(), Error> {
        self.parts(&[(text, Tone::Text)])
    }

    pub fn parts(&mut self, parts: &[(&str, Tone)]) -> Result<(), Error> {
        for (text, tone) in parts {
            let text = self.safe(text).into_owned();
            self.toned(&text, *tone)?;
        }
        Ok(writeln!(self.writer)?)
    }

    /// Prints a line of parts, which a terminal that is too narrow gets on several lines, broken between words; those after the first are
    /// indented to the last of `heads`, the parts in front.
    pub fn prose(&mut self, heads: &[(&str, Tone)], text: &[(&str, Tone)]) -> Result<(), Error> {
        let parts = [heads, text].concat();
        let Some(room) = self.cells else { return self.parts(&parts) };
        let safe: Vec<(Cow<'_, str>, Tone)> = parts.iter().map(|(text, tone)| (visible(text), *tone)).collect();
        let parts: Vec<(&str, Tone)> = safe.iter().map(|(text, tone)| (&**text, *tone)).collect();
        let indent: usize = heads.iter().map(|(text, _)| visible(text).width()).sum();
        let indent = if indent <= room / 2 { indent } else { MIN_INDENT };
        for line in flow(&parts, indent, room) {
            line.iter().try_for_each(|(text, tone)| self.toned(text, *tone))?;
            writeln!(self.writer)?;
        }
        Ok(())
    }

    /// Escapes text for a terminal; on a pipe all but tabs: line ends would break a row in two, and what the pipe leads to may be a
    /// terminal. JSON and [`Self::hand_on`] are exact there.
    fn safe<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_escaped = |c: char| is_hidden(c) && c != '\t';
        if self.terminal {
            visible(text)
        } else if text.contains(is_escaped) {
            let mut out = String::with_capacity(text.len() + 8);
            text.chars().for_each(|c| if is_escaped(c) { push_visible(&mut out, c) } else { out.push(c) });
            Cow::Owned(out)
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Passes text through: unchanged on a pipe; escaped on a terminal, except for line ends and tabs.
    pub fn hand_on(&mut self, text: &[u8]) -> io::Result<()> {
        if !self.terminal {
            return self.writer.write_all(text);
        }
        for part in utf8(text).split_inclusive(['\n', '\t']) {
            let plain = part.trim_end_matches("\r\n").trim_end_matches(['\n', '\t']);
            write!(self.writer, "{}{}", visible(plain), &part[plain.len()..])?;
        }
        Ok(())
    }

    /// Writes a part of a line, which has no control characters.
    pub fn toned(&mut self, text: &str, tone: Tone) -> io::Result<()> {
        let code = match tone {
            _ if !self.color || text.is_empty() => "",
            Tone::Text => "",
            Tone::Dim => "2",
            Tone::Strong => "1",
            Tone::Ok => "32",
            Tone::Warn => "33",
            Tone::Bad => "31",
        };
        if code.is_empty() { write!(self.writer, "{text}") } else { write!(self.writer, "\x1b[{code}m{text}\x1b[0m") }
    }

    /// A list as a table: a head, and columns as wide as they have to be.
    pub fn table(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let heads: Vec<Cell> = rows.columns.iter().map(|head| Cell::toned(head.name, Tone::Dim)).collect();
        let layout = self.layout(rows, true);
        self.row(rows, &layout, &heads, 0)?;
        rows.iter().try_for_each(|row| self.row(rows, &layout, &row.cells, row.depth))
    }

    pub fn headless(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let layout = self.layout(rows, false);
        rows.iter().try_for_each(|row| self.row(rows, &layout, &row.cells, row.depth))
    }

    fn layout(&self, rows: &Rows<'_>, heads: bool) -> TableWidths {
        let mut columns: Vec<ColumnWidth> = vec![ColumnWidth::default(); rows.columns.len()];
        if heads {
            rows.columns.iter().zip(&mut columns).for_each(|(head, column)| column.add(head.name, 0));
        }
        for row in rows.window(0..SAMPLE) {
            for (index, (column, cell)) in columns.iter_mut().zip(&row.cells).enumerate() {
                let indent = if index == 0 { usize::from(row.depth) * 2 } else { 0 };
                let gap = if cell.text.is_empty() || cell.beside.is_empty() { "" } else { " " };
                column.add(&format!("{}{gap}{}", self.safe(&cell.text), self.safe(&cell.beside)), indent);
            }
        }
        if let Some(widths) = self.cells.and_then(|room| narrowed(&columns, room)) {
            return TableWidths { widths, wraps: true };
        }
        let mut widths: Vec<usize> = columns.iter().map(|column| column.width).collect();
        if let Some((_, others)) = widths.split_last_mut() {
            for width in others {
                *width = (*width).min(WIDEST);
            }
        }
        TableWidths { widths, wraps: false }
    }

    fn row(&mut self, rows: &Rows<'_>, layout: &TableWidths, cells: &[Cell], depth: u8) -> Result<(), Error> {
        let columns: Vec<Vec<CellLine>> = cells
            .iter()
            .zip(&layout.widths)
            .enumerate()
            .map(|(index, (cell, width))| {
                let indent = if index == 0 { usize::from(depth) * 2 } else { 0 };
                let room = layout.wraps.then(|| width.saturating_sub(indent));
                self.cell_lines(cell, &" ".repeat(indent), room)
            })
            .collect();
        for line in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
            let mut gap = 0_usize;
            for (index, (lines, width)) in columns.iter().zip(&layout.widths).enumerate() {
                let right = rows.columns.get(index).is_some_and(|head| head.right);
                let parts = lines.get(line).map_or(&[][..], Vec::as_slice);
                let used: usize = parts.iter().map(|(text, _)| text.width()).sum();
                let pad = width.saturating_sub(used);
                let (before, after) = if right { (pad, 0) } else { (0, pad) };
                if used > 0 {
                    self.writer.write_all(" ".repeat(gap + before).as_bytes())?;
                    parts.iter().try_for_each(|(text, tone)| self.toned(text, *tone))?;
                    gap = after + GAP;
                } else {
                    gap = gap + *width + GAP;
                }
            }
            writeln!(self.writer)?;
        }
        Ok(())
    }

    /// Lines of a cell: one, or as many as its texts take in `room` cells.
    fn cell_lines(&self, cell: &Cell, indent: &str, room: Option<usize>) -> Vec<CellLine> {
        let indent = || (indent.to_owned(), Tone::Text);
        let Some(room) = room else {
            let gap = if cell.text.is_empty() || cell.beside.is_empty() { "" } else { " " };
            let (text, beside) = (self.safe(&cell.text).into_owned(), self.safe(&cell.beside).into_owned());
            return vec![vec![indent(), (text, cell.tone), (gap.to_owned(), Tone::Text), (beside, Tone::Dim)]];
        };
        let parts =
            [(&cell.text, cell.tone), (&cell.beside, Tone::Dim)].into_iter().filter(|(text, _)| !text.is_empty());
        let lines = parts.flat_map(|(text, tone)| flow(&[(&*visible(text), tone)], 0, room));
        lines.map(|line| [vec![indent()], line].concat()).collect()
    }

    /// A list as tab-separated values: a head, then a line a row. What a terminal would act on or not show is spelled out (`\t`, `\x1b`).
    pub fn tsv(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let heads: Vec<&str> = rows.columns.iter().map(|head| head.name).collect();
        writeln!(self.writer, "{}", heads.join("\t"))?;
        for row in rows.iter() {
            for (index, cell) in row.cells.iter().enumerate() {
                let text = tsv_escaped(&cell.text);
                write!(self.writer, "{}{text}", if index > 0 { "\t" } else { "" })?;
            }
            writeln!(self.writer)?;
        }
        Ok(())
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Prints a line to standard error; ignores errors of writing.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Spells out the separators of values, and what a terminal would act on or not show; backslashes are doubled in such a text.
pub fn tsv_escaped(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c == '\\' {
            out.push(c);
        }
        push_visible(&mut out, c);
    }
    Cow::Owned(out)
}

/// Spells out the separators of values alone.
pub fn tsv_exact(text: &str) -> Cow<'_, str> {
    if text.contains(['\t', '\n', '\r']) {
        Cow::Owned(text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A text, and carets under the part of it that is wrong; `None` where that is all of it.
fn pointed(text: &str, at: &Range<usize>) -> Option<[String; 2]> {
    let (before, wrong) = (text.get(..at.start)?, text.get(at.clone())?);
    if wrong.is_empty() || wrong == text.trim() {
        return None;
    }
    let cells = |text: &str| visible(text).chars().count();
    Some([visible(text).into_owned(), " ".repeat(cells(before)) + &"^".repeat(cells(wrong))])
}
