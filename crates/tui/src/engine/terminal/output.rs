//! Frames as bytes: the cells that differ from the previous frame, in a synchronized update. Of a style only what differs from the cell
//! before is sent: colours of 24 bits are the larger part of a frame.
//!
//! ratatui's `Terminal` is not used: to clear the screen it asks the terminal for the position of the cursor, and the answer would
//! go to the thread that reads keys.

use std::io::{self, Write};
use std::ops::Range;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute, SetBackgroundColor, SetForegroundColor, force_color_output};
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::backend::IntoCrossterm;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

#[derive(Debug)]
pub struct Output<W: Write> {
    writer: W,
    /// The frame on the screen.
    shown: Buffer,
    clear_first: bool,
    plain: bool,
}

impl<W: Write> Output<W> {
    /// The output for a terminal in an unknown state.
    pub fn new(writer: W, plain: bool) -> Self {
        // crossterm reads `NO_COLOR` by itself, and would then write empty parameters, which reset the attributes.
        force_color_output(true);
        Self { writer, shown: Buffer::default(), clear_first: true, plain }
    }

    /// Forgets the frame on the screen: the next one is drawn completely.
    pub fn forget(&mut self) {
        self.clear_first = true;
    }

    /// Changes the screen to `next` with the cursor at that position.
    ///
    /// Swaps `next` with the previous frame, whose memory the caller can reuse.
    pub fn frame(&mut self, next: &mut Buffer, cursor: Option<Position>) -> io::Result<()> {
        make_safe(next, self.plain);
        queue!(self.writer, BeginSynchronizedUpdate)?;
        if self.clear_first || next.area != self.shown.area {
            self.shown = Buffer::empty(next.area);
            // The terminal would fill the page with the colours that are set.
            queue!(self.writer, SetAttribute(Attribute::Reset), Clear(ClearType::All))?;
        }
        self.forget_uncertain(next);
        let mut pen = Pen::default();
        for (x, y, cell) in self.shown.diff(next) {
            pen.write(&mut self.writer, Position { x, y }, cell)?;
        }
        queue!(self.writer, SetAttribute(Attribute::Reset))?;
        match cursor {
            Some(at) => queue!(self.writer, MoveTo(at.x, at.y), Show)?,
            None => queue!(self.writer, Hide)?,
        }
        queue!(self.writer, EndSynchronizedUpdate)?;
        self.writer.flush()?;
        std::mem::swap(&mut self.shown, next);
        self.clear_first = false;
        Ok(())
    }

    /// Forgets what terminals do not agree on, in the rows that change: what is left of a wide character that is partly overwritten,
    /// and all cells from the first cluster on, old or new.
    fn forget_uncertain(&mut self, next: &Buffer) {
        let width = usize::from(next.area.width.max(1));
        for (row, shown) in next.content.chunks(width).zip(self.shown.content.chunks_mut(width)) {
            if row == shown {
                continue;
            }
            for x in 0..shown.len() {
                if is_cluster(&row[x]) || is_cluster(&shown[x]) {
                    shown[x..].iter_mut().for_each(forget);
                    break;
                }
                let covered = covered(shown, x);
                shown[covered].iter_mut().for_each(forget);
            }
        }
    }
}

/// Style that the terminal writes in, and the position after the last character; `None` where terminals may disagree.
#[derive(Default)]
struct Pen {
    at: Option<Position>,
    /// Text, ground, attributes.
    style: Option<(Color, Color, Modifier)>,
}

impl Pen {
    fn write(&mut self, out: &mut impl Write, at: Position, cell: &Cell) -> io::Result<()> {
        if self.at != Some(at) {
            queue!(out, MoveTo(at.x, at.y))?;
        }
        let symbol = cell.symbol();
        let mut wanted = (cell.fg, cell.bg, cell.modifier);
        if let Some((fg, _, modifier)) = self.style
            && symbol == " "
            && !(modifier | cell.modifier).intersects(Modifier::UNDERLINED | Modifier::REVERSED)
        {
            // A blank shows its ground alone.
            (wanted.0, wanted.2) = (fg, modifier);
        }
        let before = self.style.filter(|(.., modifier)| wanted.2.contains(*modifier));
        if before.is_none() {
            queue!(out, SetAttribute(Attribute::Reset))?;
        }
        let (fg, bg, modifier) = before.unwrap_or_default();
        for (added, attribute) in ATTRIBUTES {
            if (wanted.2 - modifier).contains(added) {
                queue!(out, SetAttribute(attribute))?;
            }
        }
        if wanted.0 != fg {
            queue!(out, SetForegroundColor(wanted.0.into_crossterm()))?;
        }
        if wanted.1 != bg {
            queue!(out, SetBackgroundColor(wanted.1.into_crossterm()))?;
        }
        self.style = Some(wanted);
        queue!(out, Print(symbol))?;
        let is_certain = is_printable_ascii(symbol) || symbol.width() == 1 && !is_cluster(cell);
        self.at = is_certain.then_some(Position { x: at.x + 1, y: at.y });
        Ok(())
    }
}

const ATTRIBUTES: [(Modifier, Attribute); 5] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::ITALIC, Attribute::Italic),
    (Modifier::UNDERLINED, Attribute::Underlined),
    (Modifier::REVERSED, Attribute::Reverse),
];

/// Makes a cell differ from those of all frames, none of which has all attributes.
fn forget(cell: &mut Cell) {
    cell.modifier = Modifier::all();
}

/// The cells of a row that the character at `x` covers beside its own.
fn covered(row: &[Cell], x: usize) -> Range<usize> {
    let symbol = row[x].symbol();
    let width = if is_printable_ascii(symbol) { 1 } else { symbol.width().max(1) };
    x + 1..(x + width).min(row.len())
}

/// Returns whether a cell has a grapheme of several characters: terminals disagree on its width.
fn is_cluster(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.len() > 1 && symbol.chars().nth(1).is_some()
}

/// Blanks the cells that a terminal must not or cannot show: control characters, and wide characters that are partly overwritten.
/// With `plain`, removes the colours.
fn make_safe(buffer: &mut Buffer, plain: bool) {
    let width = usize::from(buffer.area.width.max(1));
    for row in buffer.content.chunks_mut(width) {
        for x in 0..row.len() {
            if plain {
                (row[x].fg, row[x].bg) = (Color::Reset, Color::Reset);
            }
            let symbol = row[x].symbol();
            if is_printable_ascii(symbol) {
                continue;
            }
            let is_control = symbol.is_empty() || symbol.contains(char::is_control);
            let is_cut = x + symbol.width() > row.len();
            let is_overwritten = is_cut || row[covered(row, x)].iter().any(|cell| cell.symbol() != " ");
            if is_control || is_overwritten {
                row[x].set_symbol(" ");
            }
        }
    }
}

/// Returns whether a symbol is one printable character of ASCII, as most are.
fn is_printable_ascii(symbol: &str) -> bool {
    matches!(symbol.as_bytes(), [b' '..=b'~'])
}
