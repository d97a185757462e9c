//! Frames as bytes: the difference to the previous frame, as short as possible.
//!
//! Colours are expensive: a 24-bit colour takes as many bytes as sixteen letters, a cursor move six. So a frame is not
//! written from top to bottom but style by style; cells between two runs that are written later, or look the same, are
//! written over where that is shorter than a move. Synchronized update makes a frame appear at once that is longer than what
//! terminals read at once.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use super::frame_writer::FrameWriter;
use super::sgr::{CellStyle, SgrWriter};

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
/// Frames that appear at once anyway: the terminal reads them as they are written, in one piece.
const SHORT: usize = 1000;
/// Resets the colours first: the terminal would fill the page with them.
const CLEAR: &[u8] = b"\x1b[m\x1b[2J";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";

/// The content of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Blank,
    /// A character of width 1.
    Plain,
    /// A character of that width.
    Wide(u8),
    /// A grapheme of several characters: terminals disagree on its width.
    Odd(u8),
    /// A cell that a wide character covers.
    Continuation,
}

/// Content and style of a cell, without its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellClass {
    pub(super) kind: Kind,
    pub(super) style: CellStyle,
}

/// Converts frames to terminal output.
#[derive(Debug, Default)]
pub struct Output {
    /// The frame on the screen, and what its cells are.
    shown: Buffer,
    classes: Vec<CellClass>,
    /// The cells to be written.
    dirty: Vec<bool>,
    /// The position of the visible cursor.
    cursor: Option<Position>,
    /// True if the screen has to be cleared first.
    clear_first: bool,
    /// True if colours are omitted.
    plain: bool,
    /// True if the terminal erases to the default colours only.
    erases_plainly: bool,
}

impl Output {
    /// The output for a terminal in an unknown state.
    pub fn new(plain: bool) -> Self {
        Self { clear_first: true, plain, ..Self::default() }
    }

    /// Detects it from `TERM`: GNU screen has no background colour erase (BCE).
    #[must_use]
    pub fn of_terminal(self, term: &str) -> Self {
        Self { erases_plainly: term.starts_with("screen"), ..self }
    }

    /// Forgets the frame on the screen: the next one is drawn completely.
    pub fn forget(&mut self) {
        *self = Self { erases_plainly: self.erases_plainly, ..Self::new(self.plain) };
    }

    /// The bytes that change the screen to `next` with the cursor at that position; empty where nothing changes.
    ///
    /// Swaps `next` with the previous frame, whose memory the caller can reuse.
    pub fn frame(&mut self, next: &mut Buffer, cursor: Option<Position>) -> Vec<u8> {
        let mut writer = SgrWriter::default();
        let clear_first = self.clear_first || next.area != self.shown.area;
        if clear_first {
            self.shown = Buffer::empty(next.area);
            self.classes = vec![CellClass::default(); next.content.len()];
            self.dirty = vec![false; next.content.len()];
            writer.write(CLEAR);
        }
        let rows = self.update(next);
        let dirty = std::mem::take(&mut self.dirty);
        let mut writer = FrameWriter::new(next, &self.classes, (dirty, rows), writer, self.erases_plainly);
        writer.write_all();
        let (mut writer, dirty) = writer.end();
        self.dirty = dirty;
        writer.set_style(CellStyle::default());
        if !writer.out.is_empty() || cursor != self.cursor {
            match cursor {
                Some(at) => {
                    writer.move_to(at.x, at.y);
                    if self.cursor.is_none() || clear_first {
                        writer.write(SHOW_CURSOR);
                    }
                }
                None if self.cursor.is_some() || clear_first => writer.write(HIDE_CURSOR),
                None => {}
            }
        }
        std::mem::swap(&mut self.shown, next);
        (self.cursor, self.clear_first) = (cursor, false);
        if !clear_first && writer.out.len() <= SHORT { writer.out } else { [BEGIN, &writer.out, END].concat() }
    }

    /// Classifies the cells of the rows that have changed, and marks those to be written; returns the rows.
    fn update(&mut self, next: &Buffer) -> Vec<usize> {
        let width = next.area.width.max(1) as usize;
        let rows = next.content.chunks(width).zip(self.shown.content.chunks(width));
        let changed = rows.enumerate().filter(|(_, (row, shown))| row != shown).map(|(y, _)| y);
        let (changed, mut classes): (Vec<usize>, Vec<CellClass>) = (changed.collect(), Vec::new());
        for y in &changed {
            let row = y * width..(y + 1) * width;
            let (cells, shown) = (&next.content[row.clone()], &self.shown.content[row.clone()]);
            classify(cells, self.plain, &mut classes);
            let (was, dirty) = (&mut self.classes[row.clone()], &mut self.dirty[row]);
            for x in 0..cells.len() {
                let is_same =
                    classes[x] == was[x] && (classes[x].kind == Kind::Blank || cells[x].symbol() == shown[x].symbol());
                dirty[x] = !is_same && classes[x].kind != Kind::Continuation;
            }
            // After an odd grapheme, old or new, the whole rest of a changed row is written.
            let is_odd = |class: &CellClass| matches!(class.kind, Kind::Odd(_));
            if dirty.contains(&true)
                && let Some(first) = (0..dirty.len()).find(|x| is_odd(&classes[*x]) || is_odd(&was[*x]))
            {
                for x in first..dirty.len() {
                    dirty[x] = classes[x].kind != Kind::Continuation;
                }
            }
            was.copy_from_slice(&classes);
        }
        changed
    }
}

/// Classifies the cells of a row.
fn classify(row: &[Cell], plain: bool, classes: &mut Vec<CellClass>) {
    classes.clear();
    let mut covered = 0;
    for (x, cell) in row.iter().enumerate() {
        if covered > 0 {
            covered -= 1;
            classes.push(CellClass { kind: Kind::Continuation, style: CellStyle::default() });
            continue;
        }
        let colour = |colour| if plain { Color::Reset } else { colour };
        let style = CellStyle { fg: colour(cell.fg), bg: colour(cell.bg), modifier: cell.modifier };
        let kind = kind(cell, &row[x + 1..]);
        covered = cells(kind) - 1;
        classes.push(CellClass { kind, style: if kind == Kind::Blank { style.for_blank() } else { style } });
    }
}

/// The content of a cell, given those after it in its row.
fn kind(cell: &Cell, behind: &[Cell]) -> Kind {
    let symbol = cell.symbol();
    match symbol.as_bytes() {
        [] | [..=b' ' | 0x7f] => return Kind::Blank,
        [_] => return Kind::Plain,
        _ if symbol.contains(char::is_control) => return Kind::Blank,
        _ => {}
    }
    let wide = symbol.width().clamp(1, 8);
    // The character is partly overwritten: half of it cannot be shown.
    if behind.len() + 1 < wide || behind[..wide - 1].iter().any(|cell| cell.symbol() != " ") {
        return Kind::Blank;
    }
    match (symbol.chars().nth(1), wide) {
        (Some(_), wide) => Kind::Odd(wide as u8),
        (None, 1) => Kind::Plain,
        (None, wide) => Kind::Wide(wide as u8),
    }
}

/// Width in cells.
pub(super) const fn cells(kind: Kind) -> u16 {
    match kind {
        Kind::Blank | Kind::Plain | Kind::Continuation => 1,
        Kind::Wide(cells) | Kind::Odd(cells) => cells as u16,
    }
}
