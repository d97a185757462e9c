//! Frames as bytes: the cells that differ from the previous frame, by ratatui's backend, in a synchronized update.
//!
//! ratatui's `Terminal` is not used: to clear the screen it asks the terminal for the position of the cursor, and the answer would
//! go to the thread that reads keys.

use std::io::{self, Write};
use std::ops::Range;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute, force_color_output};
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

#[derive(Debug)]
pub struct Output<W: Write> {
    backend: CrosstermBackend<W>,
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
        Self { backend: CrosstermBackend::new(writer), shown: Buffer::default(), clear_first: true, plain }
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
        queue!(self.backend, BeginSynchronizedUpdate)?;
        if self.clear_first || next.area != self.shown.area {
            self.shown = Buffer::empty(next.area);
            // The terminal would fill the page with the colours that are set.
            queue!(self.backend, SetAttribute(Attribute::Reset), Clear(ClearType::All))?;
        }
        self.forget_uncertain(next);
        // Each part begins with a move: behind a cluster the position of the cursor is uncertain.
        for part in self.shown.diff(next).split_inclusive(|(_, _, cell)| is_cluster(cell)) {
            self.backend.draw(part.iter().copied())?;
        }
        match cursor {
            Some(at) => queue!(self.backend, MoveTo(at.x, at.y), Show)?,
            None => queue!(self.backend, Hide)?,
        }
        queue!(self.backend, EndSynchronizedUpdate)?;
        Backend::flush(&mut self.backend)?;
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
