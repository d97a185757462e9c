//! The player: the decode of the selected record, one read a step, with the decoder's state before and after it.

mod answer;
mod bits;
mod layout;
mod learn;
mod lesson;
mod list;
mod log;
mod pasted;
mod places;
mod predict;
mod programs;
mod sections;

pub use learn::{Learn, new};

use std::cell::Cell;

use crate::engine::press::KeyCode;
use layout::draw_heading;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use sections::SectionLine;

use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::panes::pane::Context;
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::scroll::Scroll;
use crate::ui::text::{put, put_note};
use crate::ui::theme::Role;
use pdblens_learn::covered::covered_reason;
use pdblens_learn::glossary::{Term, terms_in};
use pdblens_learn::{Step, Steps, reason};
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{self as nodes, MethodPart, PePart, Place, TableId, Token};
use pdblens_session::session::Session;

/// Width from which sections are beside each other.
const TWO_COLUMNS: u16 = 96;
/// Methods that are asked for points when the view opens.
const MAX_TRIED: u32 = 200;
/// Lines of the log that always have room.
const MIN_LOG: u16 = 3;

#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a state of its own.
struct Player {
    of: Option<Place>,
    /// True if the steps are those of an answer, each of another record.
    chain: bool,
    /// True if the fields wait for an index.
    waits: bool,
    /// Index of the read that is shown once the fields are there.
    wanted_step: Option<usize>,
    steps: Steps,
    /// Indices of the reads in the list of steps: the lines of the log.
    reads: Vec<usize>,
    scroll: Scroll,
    /// Sequence points of the record.
    points: usize,
    /// True if values are hidden from the current step on.
    hides: bool,
    /// True while the hidden value is asked for, and keys are text.
    asks: bool,
    /// Rows of the sections above the first that shows, where they do not all fit; and how far they can be scrolled.
    section_top: u16,
    section_room: Cell<u16>,
    /// Step of the current read's bits; `None` shows the whole derivation.
    bit: Option<usize>,
    /// Numbers of the reads that a changed byte made other ones.
    differs: Vec<u32>,
    /// Paragraph of pasted bytes, which have no place; empty for none.
    specified: &'static str,
}

/// The first record that is worth stepping through: the sequence points of a method, else the debug directory.
pub fn home(session: &Session) -> Place {
    let tokens = (1..=session.methods().min(MAX_TRIED)).map(|row| Token::new(TableId::METHOD_DEF, row));
    let mut points = tokens.map(|token| Place::MethodPart(token, MethodPart::Points));
    let found = points.find(|place| nodes::bytes(session, *place).is_some());
    found.unwrap_or(if session.image().is_some() { Place::PePart(PePart::Coff) } else { Place::Header })
}

impl Player {
    fn load(&mut self, cx: &Context<'_>) {
        let place = cx.selected.selection.place;
        let waits = cx.selected.required_index.is_some();
        if self.chain || self.of == Some(place) && !waits && !self.waits {
            return;
        }
        let step = if self.of == Some(place) { self.scroll.selected } else { 0 };
        let step = if waits { step } else { self.wanted_step.take().unwrap_or(step) };
        (self.of, self.waits) = (Some(place), waits);
        let fields = if waits { None } else { nodes::played(cx.session, place) };
        let steps = fields.map(|fields| Steps::shown(cx.session, &fields).at(place)).unwrap_or_default();
        self.set(steps, step);
    }

    /// Shows other steps, at the read with an index.
    fn set(&mut self, steps: Steps, step: usize) {
        self.differs.clear();
        self.points = steps.points_after(usize::MAX).len();
        self.steps = steps;
        let list = self.steps.list.iter().enumerate();
        self.reads = list.filter(|(_, step)| !step.field.group).map(|(index, _)| index).collect();
        self.scroll = Scroll { height: self.scroll.height, ..Scroll::default() };
        self.scroll.set_len(self.reads.len());
        self.scroll.select(step);
        self.bit = None;
    }

    /// Shows the read with a number, from 1.
    fn select_step(&mut self, step: usize) {
        self.scroll.select(step - 1);
        self.wanted_step = self.waits.then(|| step - 1);
    }

    fn set_chain(&mut self, steps: Steps) {
        *self = Self { chain: true, scroll: self.scroll, ..Self::default() };
        self.set(steps, 0);
    }

    /// Forgets the answer, so that the selected record is shown again.
    fn leave_chain(&mut self) {
        if self.chain {
            (self.chain, self.of) = (false, None);
        }
    }

    /// Shows steps of bytes that are in no file.
    fn set_bytes(&mut self, steps: Steps, specified: &'static str) {
        (self.of, self.waits, self.specified) = (None, false, specified);
        self.set(steps, 0);
    }

    /// Sentence in the place of a hidden value; `None` if values are shown.
    const fn cover(&self) -> Option<&'static str> {
        match (self.hides, self.asks) {
            (false, _) => None,
            (true, false) => Some("the value is hidden: x shows it"),
            (true, true) => Some("the value is hidden: answer with it"),
        }
    }

    /// Index of the current step in the list.
    fn current(&self) -> Option<usize> {
        self.reads.get(self.scroll.selected).copied()
    }

    fn current_step(&self) -> Option<&Step> {
        self.steps.list.get(self.current()?)
    }

    /// Draws heading and sections of a record beside or below something else.
    fn draw_record(&self, area: Rect, place: Option<Place>, buf: &mut Buffer, cx: &Context<'_>) {
        let Some(index) = self.current() else { return };
        let heading = sections::heading(&self.steps, index, self.hides);
        draw_line(Rect { x: area.x + 1, height: 1, width: area.width.saturating_sub(1), ..area }, &heading, buf, cx);
        let column = Rect {
            y: area.y + 1,
            width: area.width.min(TWO_COLUMNS - 1),
            height: area.height.saturating_sub(1),
            ..area
        };
        let layout = self.layout(place, index, column, column.height, cx.zoomed);
        let left = column.height.saturating_sub(layout.rows() + 1);
        // Lines apart need the room of the log.
        let log = if left > MIN_LOG && !cx.zoomed { left } else { 0 };
        let above = Rect { height: column.height - log, ..column };
        self.section_room.set(layout.rows().saturating_sub(above.height));
        layout.draw_from(self.section_top, above, buf, cx);
        if log > 0 {
            self.draw_log(Rect { y: above.bottom(), height: log, ..column }, buf, cx);
        }
    }

    fn draw_log(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        draw_heading(
            Rect { height: 1, ..area },
            &[(Role::Dim, "Log  ".to_owned()), (Role::Mute, "every read, in order".to_owned())],
            buf,
            cx,
        );
        let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let rows = log::rows(self, area.width);
        let mut grid = Grid { scroll: self.scroll, detailed: true, ..Grid::default() };
        grid.resize(&rows, list.height);
        let is_cursor = |row: usize| cx.look.focused && row == self.scroll.selected;
        grid.draw(buf, list, &rows, &cx.look, &|_, _| false, &|(row, column), _, text, style| {
            let number = style.patch(cx.look.theme.of(Role::Number));
            (column == log::BYTES && !is_cursor(row)).then(|| vec![(text.to_owned(), number)])
        })
    }
}

fn draw_line(area: Rect, line: &SectionLine, buf: &mut Buffer, cx: &Context<'_>) {
    let mut x = area.x;
    for (role, text) in line {
        x = put(buf, x, area.y, area.right(), text, cx.look.theme.of(*role), cx.look.glyphs);
    }
}

/// Direction of a key that turns pages where nothing is typed; `None` for any other key.
fn page_key(key: Key) -> Option<bool> {
    let plain = |code| Key { code, ctrl: false, alt: false, shift: false };
    if key == plain(KeyCode::Char(' ')) {
        return Some(true);
    }
    (key == plain(KeyCode::Backspace)).then_some(false)
}

impl Player {
    /// Terms of the glossary in the names and sentences of the current read.
    fn terms(&self) -> Vec<&'static Term> {
        let Some((index, step)) = self.current().and_then(|index| Some((index, self.steps.list.get(index)?))) else {
            return Vec::new();
        };
        let why = if self.hides { covered_reason(&self.steps, index) } else { reason(&self.steps, index) };
        let record = self.steps.covered_record(index);
        terms_in(&format!("{}. {record}. {}. {why} {}", step.field.name, step.field.about, self.steps.covered_title()))
    }

    fn title(&self, _: &Context<'_>) -> Title {
        let title = if self.hides { self.steps.covered_title() } else { &self.steps.title };
        Title::new("Player").of(title).at(self.position())
    }

    /// Number of the current read and of all: `3/14`; empty without any.
    fn position(&self) -> String {
        match self.reads.len() {
            0 => String::new(),
            count => format!("{}/{count}", self.scroll.selected + 1),
        }
    }

    fn perform(&mut self, action: Action, _: &Context<'_>) -> Option<Vec<Effect>> {
        let before = self.scroll.selected;
        let done = self.perform_here(action);
        if self.scroll.selected != before && !matches!(action, Action::Right | Action::Left) {
            (self.bit, self.section_top) = (None, 0);
        }
        done
    }

    fn perform_here(&mut self, action: Action) -> Option<Vec<Effect>> {
        match action {
            // The bits are added up to the value.
            Action::Right | Action::Left if self.hides => {
                let text = "the bits would reveal the hidden value: answer first, or show it";
                Some(vec![Effect::SetStatus(Tone::Dim, text.to_owned())])
            }
            Action::Right | Action::Left => {
                self.step_bit(action == Action::Right);
                Some(Vec::new())
            }
            Action::Cancel if self.bit.is_some() => {
                self.bit = None;
                Some(Vec::new())
            }
            Action::Follow => {
                let to = self.current_step()?.field.to?;
                Some(vec![Effect::Go(to.into())])
            }
            Action::CopyValue => Some(vec![Effect::copy(action, self.current_step()?.field.value.clone())]),
            Action::CopyRow => {
                let step = self.current_step()?;
                let text = [step.field.name.as_str(), &step.field.value, &step.changes_text().join("; ")].join("\t");
                Some(vec![Effect::copy(action, text)])
            }
            Action::NextPoint | Action::PreviousPoint => {
                self.step_record(action == Action::NextPoint);
                Some(Vec::new())
            }
            Action::HideAnswers => {
                (self.hides, self.bit) = (!self.hides, None);
                Some(Vec::new())
            }
            Action::ScrollDown if self.section_room.get() > 0 => {
                self.section_top = (self.section_top + 1).min(self.section_room.get());
                Some(Vec::new())
            }
            Action::ScrollUp if self.section_room.get() > 0 => {
                self.section_top = self.section_top.min(self.section_room.get()).saturating_sub(1);
                Some(Vec::new())
            }
            _ => self.scroll.move_cursor(action).then(Vec::new),
        }
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        self.load(cx);
        if !self.chain
            && let Some(part) = cx.selected.selection.part
        {
            let is_it = |index: &usize| {
                let span = self.steps.list.get(*index).map(|step| step.field.span);
                span.is_some_and(|span| span.space == part.space && span.contains(part.start))
            };
            if let Some(at) = self.reads.iter().position(is_it) {
                self.scroll.select(at);
            }
        }
    }

    fn resize(&mut self, cx: &Context<'_>) {
        self.load(cx);
        self.scroll.set_height(MIN_LOG as usize);
    }

    /// The area without the row that large type gives to the bytes: sections begin below the first row of what is left.
    const fn below_bytes(&self, area: Rect, large: bool) -> Rect {
        // Bytes that are pasted have a line of their own.
        if !large || area.height < 2 || self.of.is_none() {
            return area;
        }
        Rect { y: area.y + 1, height: area.height - 1, ..area }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let Some(index) = self.current() else {
            let why = "No record here: select a row, a point or a field in another view, and press . to step through its decode";
            put_note(buf, area, why, &cx.look);
            return None;
        };
        let heading = sections::heading(&self.steps, index, self.hides);
        draw_line(Rect { x: area.x + 1, height: 1, width: area.width.saturating_sub(1), ..area }, &heading, buf, cx);
        let (top, area) = (area.y, self.below_bytes(area, cx.zoomed));
        if area.y > top {
            let y = area.y;
            let line = sections::bytes(&self.steps, &self.reads, index, area.width.saturating_sub(2) as usize);
            draw_line(Rect { x: area.x + 1, y, height: 1, width: area.width.saturating_sub(1) }, &line, buf, cx);
        }
        let (layout, log) = self.layout_with_log(area, index, cx.zoomed);
        let above = Rect { y: area.y + 1, height: area.height.saturating_sub(log + 2), ..area };
        self.section_room.set(layout.rows().saturating_sub(above.height));
        layout.draw_from(self.section_top, above, buf, cx);
        let below = Rect { y: above.bottom(), height: (log + 1).min(area.height), ..area };
        self.draw_log(below.intersection(area), buf, cx)
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        if self.chain {
            let field = &self.current_step()?.field;
            return Some(Selection { place: field.to?, part: Some(field.span).filter(|span| !span.is_empty()) });
        }
        let place = self.of?;
        let part = self.current_step().map(|step| step.field.span);
        Some(Selection { place, part })
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let Some(index) = self.current() else { return false };
        let (_, log) = self.layout_with_log(self.below_bytes(area, cx.zoomed), index, cx.zoomed);
        let top = area.bottom().saturating_sub(log);
        let mut scroll = self.scroll;
        scroll.set_height(log as usize);
        let line = scroll.top + at.y.saturating_sub(top) as usize;
        let hit = at.y >= top && line < scroll.len;
        if hit {
            self.scroll.select(line);
        }
        hit
    }

    /// Selects the first read of the next or previous record: the next group of the outermost depth that has several.
    fn step_record(&mut self, forward: bool) {
        let (at, mut starts) = (self.scroll.selected, self.record_starts().into_iter());
        let to = if forward { starts.find(|start| *start > at) } else { starts.rfind(|start| *start < at) };
        if let Some(to) = to {
            self.scroll.select(to);
        }
    }

    /// Reads that begin a record: the first of a group that is not the only one of its depth.
    fn record_starts(&self) -> Vec<usize> {
        let groups = || self.steps.list.iter().filter(|step| step.field.group);
        let depth = (0..=u8::MAX).find(|depth| groups().filter(|step| step.field.depth == *depth).count() != 1);
        let mut starts = Vec::new();
        let mut begins = true;
        for step in &self.steps.list {
            if step.field.group {
                begins |= Some(step.field.depth) == depth;
            } else if begins {
                starts.push(step.number as usize - 1);
                begins = false;
            }
        }
        starts
    }
}
