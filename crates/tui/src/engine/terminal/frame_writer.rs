//! Writing the changed cells of a frame, style by style.

use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::output::{CellClass, Kind, cells};
use super::sgr::{CellStyle, SgrWriter, change_cost};

const ERASE_TO_END: &[u8] = b"\x1b[K";

/// Approximate bytes of a move within a row: shorter gaps are written over.
const MOVE_COST: usize = 4;
/// Blank cells that take fewer bytes than erasing them, which leaves the cursor where it is.
const ERASE_COST: usize = 5;
/// Styles from which on their order is not improved: a whole screen has few more.
const MANY_STYLES: usize = 40;

/// A style, and the cells that have it.
type StyledCells = (CellStyle, Vec<usize>);

/// A frame that is being written.
pub(super) struct FrameWriter<'a> {
    next: &'a Buffer,
    classes: &'a [CellClass],
    dirty: Vec<bool>,
    /// The rows that have changed.
    rows: Vec<usize>,
    writer: SgrWriter,
    /// True if the terminal erases to the default colours only.
    erases_plainly: bool,
}

impl<'a> FrameWriter<'a> {
    pub(super) fn new(
        next: &'a Buffer,
        classes: &'a [CellClass],
        (dirty, rows): (Vec<bool>, Vec<usize>),
        writer: SgrWriter,
        erases_plainly: bool,
    ) -> Self {
        Self { next, classes, dirty, rows, writer, erases_plainly }
    }

    /// The writer, and the marks of the cells, none of which is dirty any longer.
    pub(super) fn end(self) -> (SgrWriter, Vec<bool>) {
        (self.writer, self.dirty)
    }

    fn position(&self, index: usize) -> (u16, u16) {
        let width = self.next.area.width as usize;
        ((index % width) as u16, (index / width) as u16)
    }

    /// The text of a cell.
    fn symbol(&self, index: usize) -> &'a str {
        if self.classes[index].kind == Kind::Blank { " " } else { self.next.content[index].symbol() }
    }

    /// The cells of the changed rows that are to be written.
    fn dirty_cells(&self) -> impl Iterator<Item = usize> {
        let width = self.next.area.width as usize;
        let cells = self.rows.iter().flat_map(move |y| y * width..(y + 1) * width);
        cells.filter(|index| self.dirty[*index])
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
        let width = self.next.area.width as usize;
        for start in self.rows.clone().into_iter().map(|y| y * width) {
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

    /// Writes all cells, style by style; blank cells with the last style in which they look right.
    pub(super) fn write_all(&mut self) {
        self.write_odd_rows();
        let (mut texts, mut blanks) = (self.styles(false), self.styles(true));
        sort(self.writer.style(), &mut texts);
        for at in 0..texts.len() {
            let (style, cells) = &texts[at];
            self.write_cells(*style, cells);
            if texts[at + 1..].iter().all(|(other, _)| !other.is_same_on_blank(*style)) {
                for (style, cells) in blanks.extract_if(.., |(other, _)| other.is_same_on_blank(*style)) {
                    self.write_cells(style, &cells);
                }
            }
        }
        sort(self.writer.style(), &mut blanks);
        for (style, cells) in blanks {
            self.write_cells(style, &cells);
        }
    }

    /// The styles of the blank cells, or of the others, each with its cells.
    fn styles(&self, blank: bool) -> Vec<StyledCells> {
        let (mut styles, mut last): (Vec<StyledCells>, usize) = (Vec::new(), 0);
        for index in self.dirty_cells().filter(|index| (self.classes[*index].kind == Kind::Blank) == blank) {
            let style = self.classes[index].style;
            if styles.get(last).is_none_or(|(known, _)| *known != style) {
                last = styles.iter().position(|(known, _)| *known == style).unwrap_or(styles.len());
                if last == styles.len() {
                    styles.push((style, Vec::new()));
                }
            }
            styles[last].1.push(index);
        }
        styles
    }

    /// Writes those of the cells that are still dirty.
    fn write_cells(&mut self, style: CellStyle, cells: &[usize]) {
        for index in cells.iter().copied() {
            if self.dirty[index] {
                self.write_run(index, style);
            }
        }
    }

    /// Number of dirty blank cells from one on that look right in a style.
    fn blanks(&self, from: usize, end: usize, style: CellStyle) -> usize {
        (from..end).take_while(|cell| self.dirty[*cell] && self.is_blank_in(*cell, style)).count()
    }

    fn is_blank_in(&self, index: usize, style: CellStyle) -> bool {
        self.classes[index].kind == Kind::Blank && self.classes[index].style.is_same_on_blank(style)
    }

    /// Writes a cell, the blank cells to its left that belong to it, and as many cells to its right as is cheap now.
    fn write_run(&mut self, index: usize, style: CellStyle) {
        let width = self.next.area.width as usize;
        let (first, end) = (index - index % width, index - index % width + width);
        let mut at = index;
        while at > first && self.dirty[at - 1] && self.is_blank_in(at - 1, style) {
            at -= 1;
        }
        let (x, y) = self.position(at);
        self.writer.move_to(x, y);
        match self.classes[index].kind {
            Kind::Blank => self.writer.set_blank_style(style),
            _ => self.writer.set_style(style),
        }
        while at < end {
            let blanks = self.blanks(at, end, style);
            let next = self.next_in_reach(at + blanks, end, style);
            if blanks > 0 {
                self.write_blanks(at..at + blanks, style, next.is_some());
                at += blanks;
            } else if self.dirty[at] && self.classes[at].style == style {
                let wide = cells(self.classes[at].kind) as usize;
                self.put(at);
                at += wide;
                if at < end && !self.writer.is_at(self.position(at).0, y) {
                    return;
                }
                continue;
            }
            // Continue at the next cell of the style, where it is near.
            let Some(next) = next else { return };
            for cell in at..next {
                self.writer.put(self.symbol(cell), 1);
                self.dirty[cell] &= !self.is_blank_in(cell, style);
            }
            at = next;
        }
    }

    /// Writes blank cells, or erases them where that is shorter; `goes_on` tells whether the cursor is needed after them.
    fn write_blanks(&mut self, blanks: std::ops::Range<usize>, style: CellStyle, goes_on: bool) {
        let (count, move_cost) = (blanks.len(), if goes_on { MOVE_COST + 1 } else { 0 });
        let ground = style.for_blank();
        let erases = ground.modifier.is_empty() && (ground.bg == Color::Reset || !self.erases_plainly);
        let width = self.next.area.width as usize;
        let row_end = blanks.start - blanks.start % width + width;
        let is_blank = |cell: usize| self.is_blank_in(cell, style);
        let rest = (blanks.start..row_end).take_while(|cell| is_blank(*cell)).count();
        if erases
            && rest > ERASE_TO_END.len() + move_cost
            && (blanks.start..row_end).all(|cell| self.dirty[cell] || is_blank(cell))
        {
            self.writer.write(ERASE_TO_END);
            for cell in blanks.start..row_end {
                self.dirty[cell] &= !self.is_blank_in(cell, style);
            }
        } else if erases && count > ERASE_COST + move_cost {
            self.writer.erase(count as u16);
            self.dirty[blanks.clone()].fill(false);
        } else {
            blanks.for_each(|cell| self.put(cell));
            return;
        }
        if goes_on {
            let (x, y) = self.position(blanks.end);
            self.writer.move_to(x, y);
        }
    }

    /// The next cell of the style, where writing over the gap takes no more bytes than a move.
    fn next_in_reach(&self, from: usize, end: usize, style: CellStyle) -> Option<usize> {
        let mut bytes = 0;
        for cell in from..end {
            let class = self.classes[cell];
            if self.dirty[cell] && class.style == style && class.kind != Kind::Blank {
                return Some(cell);
            }
            let same = class.style == style || self.is_blank_in(cell, style);
            bytes += self.symbol(cell).len();
            if !matches!(class.kind, Kind::Blank | Kind::Plain) || !(self.dirty[cell] || same) || bytes > MOVE_COST {
                return None;
            }
        }
        None
    }
}

/// Sorts styles so that the changes between them, the first one from `start`, take few bytes.
fn sort(start: CellStyle, styles: &mut [StyledCells]) {
    let all: Vec<CellStyle> = styles.iter().map(|(style, _)| *style).chain([start]).collect();
    let costs: Vec<Vec<i32>> =
        all.iter().map(|was| all.iter().map(|style| change_cost(*was, *style) as i32).collect()).collect();
    let mut order: Vec<usize> = (0..styles.len()).collect();
    // The next is the nearest; of equal ones that with most cells, as others can write over its gaps.
    for at in 0..order.len() {
        let now = at.checked_sub(1).map_or(styles.len(), |before| order[before]);
        let cost = |next: &usize| (costs[now][order[*next]], usize::MAX - styles[order[*next]].1.len());
        let nearest = (at..order.len()).min_by_key(cost).unwrap_or(at);
        order.swap(at, nearest);
    }
    if order.len() <= MANY_STYLES {
        while let Some((from, to)) = better_place(&order, &costs) {
            let style = order.remove(from);
            order.insert(to, style);
        }
    }
    let mut sorted: Vec<StyledCells> = order.iter().map(|at| std::mem::take(&mut styles[*at])).collect();
    styles.swap_with_slice(&mut sorted);
}

/// A style that costs less at another place of the order: its place, and the one that it is to have. The last of `costs` are those of
/// the style before the first one.
fn better_place(order: &[usize], costs: &[Vec<i32>]) -> Option<(usize, usize)> {
    let cost = |was: Option<&usize>, style: Option<&usize>| {
        style.map_or(0, |style| costs[was.copied().unwrap_or(order.len())][*style])
    };
    (0..order.len()).find_map(|from| {
        let (before, style) = (from.checked_sub(1).and_then(|before| order.get(before)), order.get(from));
        let after = order.get(from + 1);
        let saved = cost(before, style) + cost(style, after) - cost(before, after);
        let mut others = order.to_vec();
        others.remove(from);
        let added = |to: &usize| {
            let (before, after) = (to.checked_sub(1).and_then(|before| others.get(before)), others.get(*to));
            cost(before, style) + cost(style, after) - cost(before, after)
        };
        (0..order.len()).find(|to| added(to) < saved).map(|to| (from, to))
    })
}
