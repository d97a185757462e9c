//! Frames as bytes: the difference to the previous frame, as short as possible.
//!
//! Colours are expensive: a 24-bit colour takes as many bytes as sixteen letters, a cursor move six. So a frame is not
//! written from top to bottom but style by style; cells between two runs that are written later, or look the same, are
//! written over where that is shorter than a move. Synchronized update makes the frame appear at once.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use crate::tui::core::terminal::sgr::{CellStyle, SgrWriter};

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
/// Resets the colours first: the terminal would fill the page with them.
const CLEAR: &[u8] = b"\x1b[m\x1b[2J";
const ERASE_TO_END: &[u8] = b"\x1b[K";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";

/// Approximate bytes of a move within a row: shorter gaps are written over.
const MOVE_COST: usize = 4;

/// The content of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
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
struct CellClass {
    kind: Kind,
    style: CellStyle,
}

/// Converts frames to terminal output.
#[derive(Debug, Default)]
pub struct Output {
    /// The frame on the screen.
    shown: Buffer,
    classes: Vec<CellClass>,
    spare_classes: Vec<CellClass>,
    /// The position of the visible cursor.
    cursor: Option<Position>,
    /// True if the screen has to be cleared first.
    clear_first: bool,
    /// True if colours are omitted.
    plain: bool,
}

impl Output {
    /// The output for a terminal in an unknown state.
    pub fn new(plain: bool) -> Self {
        Self { clear_first: true, plain, ..Self::default() }
    }

    /// Forgets the frame on the screen: the next one is drawn completely.
    pub fn forget(&mut self) {
        *self = Self::new(self.plain);
    }

    /// The bytes that change the screen to `next` with the cursor at that position; empty where nothing changes.
    ///
    /// Swaps `next` with the previous frame, whose memory the caller can reuse.
    pub fn frame(&mut self, next: &mut Buffer, cursor: Option<Position>) -> Vec<u8> {
        let mut classes = std::mem::take(&mut self.spare_classes);
        classify(next, self.plain, &mut classes);
        let mut writer = SgrWriter::default();
        writer.write(BEGIN);
        let clear_first = self.clear_first || next.area != self.shown.area;
        if clear_first {
            self.classes.clear();
            writer.write(CLEAR);
        }
        let dirty = self.dirty(next, &classes);
        let mut writer = FrameWriter { next, classes: &classes, dirty, writer };
        writer.write_odd_rows();
        writer.write_all();
        let mut writer = writer.writer;
        writer.set_style(CellStyle::default());
        let changed = writer.out.len() > BEGIN.len();
        if changed || cursor != self.cursor || clear_first {
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
            writer.write(END);
        } else {
            writer.out.clear();
        }
        std::mem::swap(&mut self.shown, next);
        self.spare_classes = std::mem::replace(&mut self.classes, classes);
        (self.cursor, self.clear_first) = (cursor, false);
        writer.out
    }

    /// Marks the cells to be written; without a previous frame, those that are not blank.
    fn dirty(&self, next: &Buffer, classes: &[CellClass]) -> Vec<bool> {
        let is_dirty = |index: usize, class: &CellClass| {
            let same = match self.classes.get(index) {
                Some(was) => class == was && next.content[index].symbol() == self.shown.content[index].symbol(),
                None => *class == CellClass::default(),
            };
            !same && class.kind != Kind::Continuation
        };
        let mut dirty: Vec<bool> = classes.iter().enumerate().map(|(index, class)| is_dirty(index, class)).collect();
        // After an odd grapheme, old or new, the whole rest of a changed row is written.
        let width = next.area.width.max(1) as usize;
        for (start, row) in dirty.chunks_mut(width).enumerate().map(|(y, row)| (y * width, row)) {
            let odd = |class: Option<&CellClass>| matches!(class, Some(CellClass { kind: Kind::Odd(_), .. }));
            let is_odd = |x: &usize| odd(classes.get(start + x)) || odd(self.classes.get(start + x));
            if row.contains(&true)
                && let Some(first) = (0..row.len()).find(is_odd)
            {
                for x in first..row.len() {
                    row[x] = classes[start + x].kind != Kind::Continuation;
                }
            }
        }
        dirty
    }
}

/// Classifies all cells of a frame.
fn classify(frame: &Buffer, plain: bool, classes: &mut Vec<CellClass>) {
    let width = frame.area.width.max(1) as usize;
    classes.clear();
    classes.reserve(frame.content.len());
    for row in frame.content.chunks(width) {
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
const fn cells(kind: Kind) -> u16 {
    match kind {
        Kind::Blank | Kind::Plain | Kind::Continuation => 1,
        Kind::Wide(cells) | Kind::Odd(cells) => cells as u16,
    }
}

/// A frame that is being written.
struct FrameWriter<'a> {
    next: &'a Buffer,
    classes: &'a [CellClass],
    dirty: Vec<bool>,
    writer: SgrWriter,
}

impl<'a> FrameWriter<'a> {
    fn position(&self, index: usize) -> (u16, u16) {
        let width = self.next.area.width as usize;
        ((index % width) as u16, (index / width) as u16)
    }

    /// The text of a cell.
    fn symbol(&self, index: usize) -> &'a str {
        if self.classes[index].kind == Kind::Blank { " " } else { self.next.content[index].symbol() }
    }

    /// Writes a cell in the current style at the current position.
    fn put(&mut self, index: usize) {
        let (kind, (x, _)) = (self.classes[index].kind, self.position(index));
        self.writer.put(self.symbol(index), cells(kind));
        self.dirty[index] = false;
        let sure = matches!(kind, Kind::Blank | Kind::Plain);
        if !sure || x + 1 == self.next.area.width {
            self.writer.forget_position();
        }
    }

    /// Writes rows with odd graphemes from left to right, with absolute moves.
    fn write_odd_rows(&mut self) {
        let width = self.next.area.width.max(1) as usize;
        for start in (0..self.classes.len()).step_by(width) {
            let row = start..start + width;
            let odd = |index: &usize| matches!(self.classes[*index].kind, Kind::Odd(_));
            if !row.clone().any(|index| odd(&index) && self.dirty[index]) {
                continue;
            }
            for index in row {
                if !self.dirty[index] {
                    continue;
                }
                let (class, (x, y)) = (self.classes[index], self.position(index));
                self.writer.move_to(x, y);
                self.writer.set_style(class.style);
                if let Kind::Odd(cells) = class.kind {
                    // Clears the cells, in case the terminal draws the grapheme narrower.
                    for _ in 0..cells {
                        self.writer.put(" ", 1);
                    }
                    self.writer.forget_position();
                    self.writer.move_to(x, y);
                }
                self.put(index);
            }
        }
    }

    /// Writes all remaining cells, style by style.
    fn write_all(&mut self) {
        let mut styles: Vec<(CellStyle, Vec<usize>)> = Vec::new();
        let mut last = 0;
        for index in
            (0..self.classes.len()).filter(|index| self.dirty[*index] && self.classes[*index].kind != Kind::Blank)
        {
            let style = self.classes[index].style;
            if styles.get(last).is_none_or(|(known, _)| *known != style) {
                last = styles.iter().position(|(known, _)| *known == style).unwrap_or(styles.len());
                if last == styles.len() {
                    styles.push((style, Vec::new()));
                }
            }
            styles[last].1.push(index);
        }
        // The cheapest style comes next; of equal ones that with most cells, as others can write over its gaps.
        let cost = |writer: &SgrWriter, (style, places): &(CellStyle, Vec<usize>)| {
            (writer.style_cost(*style), usize::MAX - places.len())
        };
        while let Some(next) = (0..styles.len()).min_by_key(|next| cost(&self.writer, &styles[*next])) {
            let (style, places) = styles.swap_remove(next);
            for index in places {
                if self.dirty[index] {
                    self.write_run(index, style);
                }
            }
        }
        for index in 0..self.classes.len() {
            if self.dirty[index] {
                self.write_run(index, self.classes[index].style);
            }
        }
    }

    /// Writes a cell, the blank cells to its left that belong to it, and as many cells to its right as is cheap now.
    fn write_run(&mut self, index: usize, style: CellStyle) {
        let width = self.next.area.width as usize;
        let (first, end) = (index - index % width, index - index % width + width);
        // Blank cells before it look right in its style.
        let blank_here = |classes: &[CellClass], at: usize| {
            classes[at].kind == Kind::Blank && classes[at].style.is_same_on_blank(style)
        };
        let mut at = index;
        while at > first && self.dirty[at - 1] && blank_here(self.classes, at - 1) {
            at -= 1;
        }
        let ((x, y), (index_x, _)) = (self.position(at), self.position(index));
        self.writer.move_to(x, y);
        match self.classes[index].kind {
            Kind::Blank => self.writer.set_blank_style(style),
            _ => self.writer.set_style(style),
        }
        while at < end {
            if self.dirty[at]
                && blank_here(self.classes, at)
                && style.bg == Color::Reset
                && self.can_erase_line_end(at, end)
            {
                self.writer.write(ERASE_TO_END);
                for cell in at..end {
                    self.dirty[cell] &= self.classes[cell] != CellClass::default();
                }
                if at >= index {
                    return;
                }
                at = index;
                self.writer.move_to(index_x, y);
                continue;
            }
            let here = self.classes[at];
            if self.dirty[at] && (blank_here(self.classes, at) || here.style == style && here.kind != Kind::Blank) {
                self.put(at);
                at += cells(here.kind) as usize;
                if at < end && !self.writer.is_at(self.position(at).0, y) {
                    return;
                }
                continue;
            }
            // Continue at the next cell of the style, where it is near.
            let Some(next) = self.next_in_reach(at, end, style) else { return };
            for cell in at..next {
                self.writer.put(self.symbol(cell), 1);
                self.dirty[cell] &= !blank_here(self.classes, cell);
            }
            at = next;
        }
    }

    /// Returns whether erasing to the end of the row is correct and shorter than writing blanks.
    fn can_erase_line_end(&self, from: usize, end: usize) -> bool {
        let blank = |cell: &usize| self.classes[*cell] == CellClass::default();
        let blanks = (from..end).take_while(blank).count();
        // Continuing after the blanks takes a move.
        let least = ERASE_TO_END.len() + if from + blanks < end { MOVE_COST } else { 0 };
        blanks > least && (from..end).all(|cell| self.dirty[cell] || blank(&cell))
    }

    /// The next cell of the style, where writing over the gap takes no more bytes than a move.
    fn next_in_reach(&self, from: usize, end: usize, style: CellStyle) -> Option<usize> {
        let mut bytes = 0;
        for cell in from..end {
            let class = self.classes[cell];
            if self.dirty[cell] && class.style == style && class.kind != Kind::Blank {
                return Some(cell);
            }
            let same = class.style == style || class.kind == Kind::Blank && class.style.is_same_on_blank(style);
            bytes += self.symbol(cell).len();
            if !matches!(class.kind, Kind::Blank | Kind::Plain) || !(self.dirty[cell] || same) || bytes > MOVE_COST {
                return None;
            }
        }
        None
    }
}
