//! What a terminal is sent for a frame: what differs from the frame before, in as few bytes as that takes.
//!
//! Colours are what costs: one of 24 bits is as long as sixteen letters, a move of the cursor as six. So a frame is not drawn
//! from the top to the bottom but ink by ink, each in all its places; what lies between two of them and is drawn later, or
//! looks the same, is written over where that is shorter than a move. With synchronized update it appears at once anyhow.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use crate::tui::core::terminal::sgr::{Ink, Pen};

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
/// Without a colour, which would stay on the page.
const CLEAR: &[u8] = b"\x1b[m\x1b[2J";
const ERASE_TO_END: &[u8] = b"\x1b[K";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";

/// How many bytes a move within a row takes, more or less: what lies between is written where it is no longer.
const MOVE: usize = 4;

/// What a cell holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Blank,
    /// One character, one cell wide.
    Plain,
    /// One character, so many cells wide.
    Wide(u8),
    /// Several characters in one: terminals differ in how wide they make it.
    Odd(u8),
    /// The cells that a wide character takes after its first.
    Covered,
}

/// What is seen of a cell, without its character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    kind: Kind,
    ink: Ink,
}

/// Turns frames into what the terminal is sent.
#[derive(Debug, Default)]
pub struct Output {
    /// The frame that shows, and how each cell of it looks; and room for those of the next one.
    shown: Buffer,
    looks: Vec<Look>,
    room: Vec<Look>,
    /// Where the cursor shows.
    cursor: Option<Position>,
    /// Whether the terminal has to be cleared first.
    afresh: bool,
    /// Whether colours are left out.
    plain: bool,
}

impl Output {
    /// For a terminal of which nothing is known; `plain` leaves out all colours.
    pub fn new(plain: bool) -> Self {
        Self { afresh: true, plain, ..Self::default() }
    }

    /// Forgets what shows: the next frame is drawn as a whole.
    pub fn forget(&mut self) {
        *self = Self::new(self.plain);
    }

    /// What makes the terminal show `next`, with the cursor there or hidden. Nothing where it does already.
    ///
    /// `next` becomes the frame before, or nothing: room for the frame after it.
    pub fn frame(&mut self, next: &mut Buffer, cursor: Option<Position>) -> Vec<u8> {
        let mut looks = std::mem::take(&mut self.room);
        see(next, self.plain, &mut looks);
        let mut pen = Pen::default();
        pen.say(BEGIN);
        let afresh = self.afresh || next.area != self.shown.area;
        if afresh {
            self.looks.clear();
            pen.say(CLEAR);
        }
        let due = self.due(next, &looks);
        let mut drawing = Drawing { next, looks: &looks, due, pen };
        drawing.odd_rows();
        drawing.all();
        let mut pen = drawing.pen;
        pen.take(Ink::default());
        let changed = pen.out.len() > BEGIN.len();
        if changed || cursor != self.cursor || afresh {
            match cursor {
                Some(at) => {
                    pen.go(at.x, at.y);
                    if self.cursor.is_none() || afresh {
                        pen.say(SHOW_CURSOR);
                    }
                }
                None if self.cursor.is_some() || afresh => pen.say(HIDE_CURSOR),
                None => {}
            }
            pen.say(END);
        } else {
            pen.out.clear();
        }
        std::mem::swap(&mut self.shown, next);
        self.room = std::mem::replace(&mut self.looks, looks);
        (self.cursor, self.afresh) = (cursor, false);
        pen.out
    }

    /// Which cells have to be drawn. No looks are those of an empty screen.
    fn due(&self, next: &Buffer, looks: &[Look]) -> Vec<bool> {
        let is_due = |index: usize, look: &Look| {
            let same = match self.looks.get(index) {
                Some(was) => look == was && next.content[index].symbol() == self.shown.content[index].symbol(),
                None => *look == Look::default(),
            };
            !same && look.kind != Kind::Covered
        };
        let mut due: Vec<bool> = looks.iter().enumerate().map(|(index, look)| is_due(index, look)).collect();
        // Behind what is odd, before or now, nothing is sure once the row changes.
        let width = next.area.width.max(1) as usize;
        for (start, row) in due.chunks_mut(width).enumerate().map(|(y, row)| (y * width, row)) {
            let odd = |look: Option<&Look>| matches!(look, Some(Look { kind: Kind::Odd(_), .. }));
            let is_odd = |x: &usize| odd(looks.get(start + x)) || odd(self.looks.get(start + x));
            if row.contains(&true)
                && let Some(first) = (0..row.len()).find(is_odd)
            {
                for x in first..row.len() {
                    row[x] = looks[start + x].kind != Kind::Covered;
                }
            }
        }
        due
    }
}

/// How all cells of a frame look.
fn see(frame: &Buffer, plain: bool, looks: &mut Vec<Look>) {
    let width = frame.area.width.max(1) as usize;
    looks.clear();
    looks.reserve(frame.content.len());
    for row in frame.content.chunks(width) {
        let mut covered = 0;
        for (x, cell) in row.iter().enumerate() {
            if covered > 0 {
                covered -= 1;
                looks.push(Look { kind: Kind::Covered, ink: Ink::default() });
                continue;
            }
            let colour = |colour| if plain { Color::Reset } else { colour };
            let ink = Ink { fg: colour(cell.fg), bg: colour(cell.bg), modifier: cell.modifier };
            let kind = kind(cell, &row[x + 1..]);
            covered = cells(kind) - 1;
            looks.push(Look { kind, ink: if kind == Kind::Blank { ink.on_blank() } else { ink } });
        }
    }
}

/// What a cell holds, with those behind it in its row.
fn kind(cell: &Cell, behind: &[Cell]) -> Kind {
    let symbol = cell.symbol();
    match symbol.as_bytes() {
        [] | [..=b' ' | 0x7f] => return Kind::Blank,
        [_] => return Kind::Plain,
        _ if symbol.contains(char::is_control) => return Kind::Blank,
        _ => {}
    }
    let wide = symbol.width().clamp(1, 8);
    // Something else was drawn over the rest of it: half a character cannot be shown.
    if behind.len() + 1 < wide || behind[..wide - 1].iter().any(|cell| cell.symbol() != " ") {
        return Kind::Blank;
    }
    match (symbol.chars().nth(1), wide) {
        (Some(_), wide) => Kind::Odd(wide as u8),
        (None, 1) => Kind::Plain,
        (None, wide) => Kind::Wide(wide as u8),
    }
}

/// How many cells it takes.
const fn cells(kind: Kind) -> u16 {
    match kind {
        Kind::Blank | Kind::Plain | Kind::Covered => 1,
        Kind::Wide(cells) | Kind::Odd(cells) => cells as u16,
    }
}

/// A frame while it is turned into bytes.
struct Drawing<'a> {
    next: &'a Buffer,
    looks: &'a [Look],
    due: Vec<bool>,
    pen: Pen,
}

impl<'a> Drawing<'a> {
    fn position(&self, index: usize) -> (u16, u16) {
        let width = self.next.area.width as usize;
        ((index % width) as u16, (index / width) as u16)
    }

    /// What is written into a cell.
    fn symbol(&self, index: usize) -> &'a str {
        if self.looks[index].kind == Kind::Blank { " " } else { self.next.content[index].symbol() }
    }

    /// Draws one cell with the ink that the pen has, where it is already.
    fn put(&mut self, index: usize) {
        let (kind, (x, _)) = (self.looks[index].kind, self.position(index));
        self.pen.write(self.symbol(index), cells(kind));
        self.due[index] = false;
        let sure = matches!(kind, Kind::Blank | Kind::Plain);
        if !sure || x + 1 == self.next.area.width {
            self.pen.lose();
        }
    }

    /// Draws rows with something odd in them from left to right, as if nothing were known of them.
    fn odd_rows(&mut self) {
        let width = self.next.area.width.max(1) as usize;
        for start in (0..self.looks.len()).step_by(width) {
            let row = start..start + width;
            let odd = |index: &usize| matches!(self.looks[*index].kind, Kind::Odd(_));
            if !row.clone().any(|index| odd(&index) && self.due[index]) {
                continue;
            }
            for index in row {
                if !self.due[index] {
                    continue;
                }
                let (look, (x, y)) = (self.looks[index], self.position(index));
                self.pen.go(x, y);
                self.pen.take(look.ink);
                if let Kind::Odd(cells) = look.kind {
                    // Where the terminal makes it narrower, nothing of what was there stays.
                    for _ in 0..cells {
                        self.pen.write(" ", 1);
                    }
                    self.pen.lose();
                    self.pen.go(x, y);
                }
                self.put(index);
            }
        }
    }

    /// Draws what is due, ink by ink.
    fn all(&mut self) {
        let mut inks: Vec<(Ink, Vec<usize>)> = Vec::new();
        let mut last = 0;
        for index in (0..self.looks.len()).filter(|index| self.due[*index] && self.looks[*index].kind != Kind::Blank) {
            let ink = self.looks[index].ink;
            if inks.get(last).is_none_or(|(known, _)| *known != ink) {
                last = inks.iter().position(|(known, _)| *known == ink).unwrap_or(inks.len());
                if last == inks.len() {
                    inks.push((ink, Vec::new()));
                }
            }
            inks[last].1.push(index);
        }
        // The nearest ink comes next; of several that for which there is most to do, since it is written over by the others.
        let cost = |pen: &Pen, (ink, places): &(Ink, Vec<usize>)| (pen.cost_of(*ink), usize::MAX - places.len());
        while let Some(next) = (0..inks.len()).min_by_key(|next| cost(&self.pen, &inks[*next])) {
            let (ink, places) = inks.swap_remove(next);
            for index in places {
                if self.due[index] {
                    self.run(index, ink);
                }
            }
        }
        for index in 0..self.looks.len() {
            if self.due[index] {
                self.run(index, self.looks[index].ink);
            }
        }
    }

    /// Draws a cell that is due, what belongs to it on its left, and as much on its right as is done best now.
    fn run(&mut self, index: usize, ink: Ink) {
        let width = self.next.area.width as usize;
        let (first, end) = (index - index % width, index - index % width + width);
        // Blank cells before it come out right with its ink.
        let blank_here = |looks: &[Look], at: usize| looks[at].kind == Kind::Blank && looks[at].ink.blanks_like(ink);
        let mut at = index;
        while at > first && self.due[at - 1] && blank_here(self.looks, at - 1) {
            at -= 1;
        }
        let ((x, y), (index_x, _)) = (self.position(at), self.position(index));
        self.pen.go(x, y);
        match self.looks[index].kind {
            Kind::Blank => self.pen.take_for_blank(ink),
            _ => self.pen.take(ink),
        }
        while at < end {
            if self.due[at] && blank_here(self.looks, at) && ink.bg == Color::Reset && self.can_erase(at, end) {
                self.pen.say(ERASE_TO_END);
                for cell in at..end {
                    self.due[cell] &= self.looks[cell] != Look::default();
                }
                if at >= index {
                    return;
                }
                at = index;
                self.pen.go(index_x, y);
                continue;
            }
            let here = self.looks[at];
            if self.due[at] && (blank_here(self.looks, at) || here.ink == ink && here.kind != Kind::Blank) {
                self.put(at);
                at += cells(here.kind) as usize;
                if at < end && !self.pen.is_at(self.position(at).0, y) {
                    return;
                }
                continue;
            }
            // Is there more of it, near enough?
            let Some(next) = self.next_near(at, end, ink) else { return };
            for cell in at..next {
                self.pen.write(self.symbol(cell), 1);
                self.due[cell] &= !blank_here(self.looks, cell);
            }
            at = next;
        }
    }

    /// Whether erasing all from here makes nothing wrong, and is shorter than writing it.
    fn can_erase(&self, from: usize, end: usize) -> bool {
        let blank = |cell: &usize| self.looks[*cell] == Look::default();
        let blanks = (from..end).take_while(blank).count();
        // To go on behind them takes a move.
        let least = ERASE_TO_END.len() + if from + blanks < end { MOVE } else { 0 };
        blanks > least && (from..end).all(|cell| self.due[cell] || blank(&cell))
    }

    /// The next cell that is due with that ink, where what is before it can be written over in no more bytes than a move.
    fn next_near(&self, from: usize, end: usize, ink: Ink) -> Option<usize> {
        let mut bytes = 0;
        for cell in from..end {
            let look = self.looks[cell];
            if self.due[cell] && look.ink == ink && look.kind != Kind::Blank {
                return Some(cell);
            }
            let same = look.ink == ink || look.kind == Kind::Blank && look.ink.blanks_like(ink);
            bytes += self.symbol(cell).len();
            if !matches!(look.kind, Kind::Blank | Kind::Plain) || !(self.due[cell] || same) || bytes > MOVE {
                return None;
            }
        }
        None
    }
}
