//! Line programs of one method in four formats, stepped side by side.

use std::array;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::draw_line;
use super::sections::SectionLine;
use crate::panes::pane::Context;
use crate::ui::theme::Role;
use pdblens_learn::programs::{EmittedRow, LineProgram, REGISTERS, Tick, programs};
use pdblens_session::text::safe::spaced_hex;

const MACHINES: usize = 4;
/// Width of a column that has room for bytes and registers.
const COLUMN: u16 = 28;
/// Width of the name before the bytes.
const NAME: usize = 14;
/// Rows of a machine below another one.
const ROWS: u16 = 3;
/// Line that the machines have reached at the beginning: the next one is the statement that the lesson is about.
const FIRST_LINE: i64 = 13;

/// Reads that each machine has done, and the machine that keys step.
pub(super) struct Machines {
    at: [usize; MACHINES],
    marked: usize,
}

impl Machines {
    /// Rows that the machines need one below the other.
    pub const MIN_ROWS: u16 = ROWS * MACHINES as u16;

    pub fn new() -> Self {
        let reached = |program: &LineProgram| {
            let row = program.rows.iter().find(|row| row.registers[1] == Some(FIRST_LINE));
            row.map_or(0, |row| row.ticks)
        };
        Self { at: array::from_fn(|index| programs().get(index).map_or(0, reached)), marked: 0 }
    }

    /// Marks the next or the previous machine.
    pub fn mark(&mut self, forward: bool) {
        self.marked = (self.marked + if forward { 1 } else { MACHINES - 1 }) % MACHINES;
    }

    /// Steps the marked machine by a read.
    pub fn step_one(&mut self, forward: bool) {
        let Some(program) = programs().get(self.marked) else { return };
        let at = &mut self.at[self.marked];
        if forward && *at < program.ticks.len() {
            *at += 1;
        } else if !forward && *at > 0 {
            *at -= 1;
        }
    }

    /// Steps the marked machine to its next or previous row that has a line, and the others to their row of the same line, where they have one.
    pub fn step_all(&mut self, forward: bool) {
        let Some(marked) = programs().get(self.marked) else { return };
        let Some(row) = marked.neighbour(self.at[self.marked], forward) else { return };
        for ((index, program), at) in programs().iter().enumerate().zip(&mut self.at) {
            let own = if index == self.marked { Some(row) } else { program.same_line(marked, row) };
            if let Some(own) = own.and_then(|own| program.rows.get(own)) {
                *at = own.ticks;
            }
        }
    }

    /// Marks the machine at a position of the area.
    pub fn click(&mut self, at: Position, area: Rect) -> bool {
        let Some(index) = (0..MACHINES).find(|index| place(*index, area).contains(at)) else { return false };
        self.marked = index;
        true
    }

    pub fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
        for ((index, program), at) in programs().iter().enumerate().zip(self.at) {
            let own = place(index, area);
            let room = usize::from(own.width.saturating_sub(2));
            let shown = Shown { program, at, is_marked: index == self.marked };
            let lines = if is_wide(area) { shown.column(room, own.height.into()) } else { shown.block(room) };
            for (line, y) in lines.iter().zip(own.y..own.bottom()) {
                draw_line(Rect { y, height: 1, ..own }, line, buf, cx);
            }
        }
    }
}

fn is_wide(area: Rect) -> bool {
    area.width / MACHINES as u16 >= COLUMN
}

/// Area of a machine: a column of four, or some rows below the others.
fn place(index: usize, area: Rect) -> Rect {
    let index = index as u16;
    if is_wide(area) {
        let width = area.width / MACHINES as u16;
        return Rect { x: area.x + index * width, width, ..area };
    }
    Rect { y: area.y + index * ROWS, height: ROWS, ..area }.intersection(area)
}

/// A machine after a number of reads.
struct Shown<'a> {
    program: &'a LineProgram,
    at: usize,
    is_marked: bool,
}

impl Shown<'_> {
    fn tick(&self) -> Option<&Tick> {
        self.program.ticks.get(self.at.checked_sub(1)?)
    }

    fn name(&self) -> SectionLine {
        let (sign, role) = if self.is_marked { ("▌", Role::Strong) } else { (" ", Role::Text) };
        vec![(Role::Accent, sign.to_owned()), (role, self.program.format.to_owned())]
    }

    /// Bytes around those of the last read, which are in brackets.
    fn bytes(&self, room: usize) -> SectionLine {
        let (done, ahead) = self.program.ticks.split_at_checked(self.at).unwrap_or_default();
        let (own, done) = done.split_last().map_or((&[][..], done), |(last, done)| (last.bytes.as_slice(), done));
        let most = (room / 3).saturating_sub(own.len() + 1).max(1);
        let mut before: Vec<u8> = done.iter().flat_map(|tick| &tick.bytes).rev().take(most / 2).copied().collect();
        before.reverse();
        let after = ahead.iter().flat_map(|tick| &tick.bytes).take(most - before.len());
        let after: Vec<u8> = after.copied().collect();
        let gap = if before.is_empty() { "" } else { " " };
        vec![
            (Role::Dim, format!(" {}{gap}", spaced_hex(&before, usize::MAX))),
            (Role::Number, format!("[{}]", spaced_hex(own, usize::MAX))),
            (Role::Dim, format!(" {}", spaced_hex(&after, usize::MAX))),
        ]
    }

    fn read(&self) -> SectionLine {
        let Some(tick) = self.tick() else { return vec![(Role::Dim, " nothing is read yet".to_owned())] };
        vec![(Role::Dim, format!(" {} ", tick.field)), (Role::Text, tick.value.clone())]
    }

    /// Values of a register before and after the last read, in words.
    fn register(&self, index: usize) -> (Role, String) {
        let after = self.tick().and_then(|tick| tick.registers[index]);
        let before = self.at.checked_sub(2).and_then(|at| self.program.ticks.get(at)).map(|tick| tick.registers[index]);
        let text = |value| self.program.register_text(index, value);
        match before {
            Some(before) if before != after => (Role::Accent, format!("{} → {}", text(before), text(after))),
            _ => (Role::Text, text(after)),
        }
    }

    /// Rows so far, and the last of them; accented where the last read emitted it.
    fn emitted(&self) -> (&[EmittedRow], Role) {
        let rows = self.tick().map_or(0, |tick| tick.rows);
        let rows = self.program.rows.get(..rows).unwrap_or_default();
        let is_new = rows.last().is_some_and(|row| row.ticks == self.at);
        (rows, if is_new { Role::Ok } else { Role::Dim })
    }

    fn row(&self, number: usize, row: &EmittedRow, role: Role) -> SectionLine {
        vec![(Role::Dim, format!(" {number:>3}  ")), (role, self.program.row_text(row))]
    }

    fn column(&self, room: usize, height: usize) -> Vec<SectionLine> {
        let mut lines = vec![self.name(), vec![(Role::Mute, format!(" {}", self.program.file))], self.bytes(room)];
        lines.extend([self.read(), Vec::new()]);
        for (index, name) in REGISTERS.iter().enumerate() {
            lines.push(vec![(Role::Dim, format!(" {name:8}  ")), self.register(index)]);
        }
        let (rows, newest) = self.emitted();
        lines.push(Vec::new());
        lines.push(vec![(Role::Dim, format!(" rows {} of {}", rows.len(), self.program.rows.len()))]);
        // The newest rows stay in view.
        let hidden = (lines.len() + rows.len()).saturating_sub(height);
        for (index, row) in rows.iter().enumerate().skip(hidden) {
            let role = if index + 1 == rows.len() { newest } else { Role::Dim };
            lines.push(self.row(index + 1, row, role));
        }
        lines
    }

    fn block(&self, room: usize) -> Vec<SectionLine> {
        let mut head = self.name();
        head.iter_mut().skip(1).for_each(|(_, name)| *name = format!("{name:NAME$}"));
        head.extend(self.bytes(room.saturating_sub(NAME + 2)));
        let mut registers = vec![(Role::Dim, " ".to_owned())];
        for (index, name) in REGISTERS.iter().enumerate() {
            registers.extend([(Role::Dim, format!(" {name} ")), self.register(index), (Role::Dim, " ".to_owned())]);
        }
        let (rows, role) = self.emitted();
        let mut last = vec![(Role::Dim, " ".to_owned())];
        last.extend(self.read());
        if let Some(row) = rows.last() {
            last.push((Role::Dim, format!("  row {}: ", rows.len())));
            last.push((role, self.program.row_text(row)));
        }
        vec![head, last, registers]
    }
}
