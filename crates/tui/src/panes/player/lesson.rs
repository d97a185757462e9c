//! A lesson that is taken: its pages, which are steps and questions, and the record beside them.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::answer::{AnswerLine, byte_lines};
use super::programs::Machines;
use super::sections::{self, SectionLine};
use super::{Player, TWO_COLUMNS, draw_line, places};
use crate::engine::action::Action;
use crate::panes::pane::Context;
use crate::state::selection::Selection;
use crate::ui::page_cells::{WORDS, draw_pages};
use crate::ui::text::{put, put_right, wrap};
use crate::ui::theme::Role;
use pdblens_learn::code_places::CodePlaces;
use pdblens_learn::glossary::{Term, terms_in};
use pdblens_learn::lesson::prepared::{DRAWING, PreparedStep};
use pdblens_learn::lesson::{Example, Origin, Page, Prepared, samples};
use pdblens_learn::question::marks::MarkedByte;
use pdblens_learn::{Question, Steps};
use pdblens_nodes::Place;
use pdblens_session::session::Session;

/// Widest column of prose: longer lines are hard to read.
const MAX_PROSE: u16 = 84;
/// Rows that the record beside the prose needs.
const MIN_RECORD: u16 = 4;
/// Rows that source, code and bytes need.
const MIN_PLACES: u16 = 10;
/// Right answers in a row from which the hardest drills are asked.
const CERTAIN: usize = 3;
/// Rows that a map of pages needs.
const MIN_PAGES: u16 = 4;
const MAX_WORDS: usize = 6;

pub(super) struct OpenLesson {
    pub prepared: Prepared,
    /// Key in the progress.
    pub key: String,
    pub at: usize,
    pub answer: AnswerLine,
    /// Questions that were answered rightly, from 1.
    pub answered: Vec<usize>,
    /// Right answers in a row at the first try.
    streak: usize,
    /// Steps of the record of the page.
    pub record: Player,
    /// Index of the point whose source, code and bytes are shown, where a page shows these.
    point: usize,
    /// Line programs of a page that shows them.
    machines: Machines,
    /// First line of the prose that is shown.
    top: usize,
}

impl OpenLesson {
    pub fn new(prepared: Prepared, key: String, at: usize, answered: Vec<usize>) -> Self {
        let record = Player::default();
        let answer = AnswerLine::default();
        let machines = Machines::new();
        let mut lesson = Self { prepared, key, at: 0, answer, answered, streak: 0, record, point: 0, machines, top: 0 };
        lesson.turn(at);
        lesson
    }

    pub fn pages(&self) -> usize {
        self.prepared.pages.len()
    }

    fn page(&self) -> Option<Page> {
        self.prepared.pages.get(self.at).copied()
    }

    pub fn turn(&mut self, page: usize) {
        self.at = page.min(self.pages().saturating_sub(1));
        self.top = 0;
        if let Some(Page::Question(index)) = self.page() {
            self.ask_easier(index);
        }
        self.answer = if self.question().is_some() { AnswerLine::open() } else { AnswerLine::default() };
        let Some(example) = self.shown() else { return };
        let (steps, at, span) = (Steps::clone(&example.steps), example.at, example.span());
        let read = steps.list.iter().take(at).filter(|step| !step.field.group).count();
        self.point = self.places().zip(span).and_then(|(places, part)| places.point_with(part)).unwrap_or(0);
        self.record.set(steps, read);
    }

    /// Puts the easier question in the place of one, until three answers in a row are right.
    fn ask_easier(&mut self, index: usize) {
        let spares = &mut self.prepared.spares;
        let Some(spare) = spares.iter().position(|(of, _)| *of == index) else { return };
        if self.streak < CERTAIN && !self.answered.contains(&(index + 1)) {
            self.prepared.questions[index] = spares.swap_remove(spare).1;
        }
    }

    /// The step whose example the page shows: its own, or the one that stays beside a question.
    fn shown_step(&self) -> Option<&PreparedStep> {
        match self.page()? {
            Page::Step(index) => self.prepared.steps.get(index),
            Page::Question(index) => self.prepared.steps.get((*self.prepared.about.get(index)?)?),
        }
    }

    fn shown(&self) -> Option<&Example> {
        self.shown_step()?.example.as_ref()
    }

    /// Source, code and bytes that the page shows in the place of a record.
    fn places(&self) -> Option<&CodePlaces> {
        self.shown_step()?.places.as_deref()
    }

    /// Terms of the glossary on the page, in their order.
    pub fn terms(&self) -> Vec<&'static Term> {
        match (self.step(), self.question()) {
            (Some(step), _) => terms_in(&format!("{}. {}", step.title, step.text.join(" "))),
            (None, Some(question)) => terms_in(&question.prompt),
            (None, None) => Vec::new(),
        }
    }

    fn step(&self) -> Option<&PreparedStep> {
        match self.page()? {
            Page::Step(index) => self.prepared.steps.get(index),
            Page::Question(_) => None,
        }
    }

    pub fn question(&self) -> Option<&Question> {
        self.prepared.questions.get(self.question_number().checked_sub(1)?)
    }

    /// Number of the question of the page, from 1; 0 on a step.
    pub fn question_number(&self) -> usize {
        match self.page() {
            Some(Page::Question(index)) => index + 1,
            _ => 0,
        }
    }

    pub fn example(&self) -> Option<&Example> {
        self.step()?.example.as_ref()
    }

    /// The selection of the example, with the current read of its record.
    pub fn selection(&self) -> Option<Selection> {
        let example = self.example()?;
        if let Some(places) = self.places() {
            return Some(Selection { place: example.place, part: places.points.get(self.point)?.span });
        }
        let part = self.record.current_step();
        Some(Selection { place: example.place, part: part.map(|step| step.field.span) })
    }

    /// The sample that the example is in; `None` for the open files.
    pub fn sample(&self) -> Option<&'static Arc<Session>> {
        match self.example()?.origin {
            Origin::OpenFiles => None,
            Origin::BuiltIn(index) => samples::session(index),
        }
    }

    /// Position in words: `page 2 of 7`, `question 1 of 3`.
    pub fn position(&self) -> String {
        let (steps, questions) = (self.prepared.steps.len(), self.prepared.questions.len());
        match self.page() {
            Some(Page::Question(index)) => format!("question {} of {questions}", index + 1),
            Some(Page::Step(index)) => format!("page {} of {steps}", index + 1),
            None => String::new(),
        }
    }

    /// Returns true if the page shows source, code and bytes of a method.
    pub fn shows_places(&self) -> bool {
        self.places().is_some()
    }

    /// Returns true if the page steps line programs side by side.
    pub fn shows_programs(&self) -> bool {
        self.step().is_some_and(|step| step.shows_programs)
    }

    /// Performs an action on the line programs of the page; false for an action of the page.
    pub fn perform_on_programs(&mut self, action: Action) -> bool {
        match action {
            _ if !self.shows_programs() => return false,
            Action::Right | Action::Left => self.machines.step_one(action == Action::Right),
            Action::NextPoint | Action::PreviousPoint => self.machines.step_all(action == Action::NextPoint),
            Action::NextPane | Action::PreviousPane => self.machines.mark(action == Action::NextPane),
            _ => return false,
        }
        true
    }

    /// Marks the line program at a position; false where none is.
    pub fn click_programs(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let (_, below) = self.areas(area, cx);
        self.shows_programs() && below.is_some_and(|below| self.machines.click(at, below))
    }

    /// Returns whether the page has steps that [`Self::step_record`] moves between.
    pub fn has_steps(&self) -> bool {
        self.selection().is_some() || self.shows_programs()
    }

    /// Moves to another read of the record, or to another point where the page shows source, code and bytes.
    pub fn step_record(&mut self, forward: bool) {
        if let Some(last) = self.places().map(|places| places.points.len().saturating_sub(1)) {
            self.point = if forward { (self.point + 1).min(last) } else { self.point.saturating_sub(1) };
            return;
        }
        self.record.scroll.move_cursor(if forward { Action::Down } else { Action::Up });
    }

    pub const fn hides_answers(&self) -> bool {
        self.record.hides
    }

    /// Checks the answer that was typed, and notes a question that is answered or passed over for the first time.
    pub fn accept(&mut self) {
        let number = self.question_number();
        let index = number.checked_sub(1);
        let Some(question) = index.and_then(|index| self.prepared.questions.get(index)) else { return };
        self.answer.accept(question);
        if self.answer.is_done() && !self.answered.contains(&number) {
            self.answered.push(number);
            self.streak = if self.answer.slips == 0 { self.streak + 1 } else { 0 };
        }
    }

    pub fn hint(&mut self) {
        let index = self.question_number().checked_sub(1);
        if let Some(question) = index.and_then(|index| self.prepared.questions.get(index)) {
            self.answer.hint(question);
        }
    }

    pub fn scroll(&mut self, rows: usize, down: bool) {
        self.top = if down { self.top + rows } else { self.top.saturating_sub(rows) };
    }

    /// Words of the page that the glossary explains, and the key that opens it.
    fn words(&self, width: usize, cx: &Context<'_>) -> Vec<SectionLine> {
        let names: Vec<&str> = self.terms().iter().take(MAX_WORDS).map(|term| term.term.as_str()).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let text = format!("Press {} twice to explain: {}", cx.keys(Action::Explain), names.join(", "));
        let lines = wrap(&text, width).into_iter().map(|line| vec![(Role::Dim, line)]);
        std::iter::once(Vec::new()).chain(lines).collect()
    }

    /// Lines of the page, and the number of the one with the input.
    fn lines(&self, width: usize, cx: &Context<'_>) -> (Vec<SectionLine>, Option<usize>) {
        let mut lines: Vec<SectionLine> = Vec::new();
        let mut add = |role: Role, text: &str| {
            let is_drawing = text.starts_with(DRAWING);
            let parts = if is_drawing { text.lines().map(str::to_owned).collect() } else { wrap(text, width) };
            lines.extend(parts.into_iter().map(|line| vec![(role, line)]));
        };
        if let Some(step) = self.step() {
            add(Role::Strong, &step.title);
            // The remark that the example is from a sample precedes its numbers.
            if let Some(remark) = step.remark() {
                add(Role::Warn, &remark);
                add(Role::Text, "");
            }
            for text in if self.record.hides { &step.covered } else { &step.text } {
                add(Role::Text, text);
                add(Role::Text, "");
            }
            if step.keys.is_empty() {
                lines.pop();
            } else {
                add(Role::Dim, &step.keys);
            }
            lines.extend(self.words(width, cx));
            return (lines, None);
        }
        let Some(question) = self.question() else { return (lines, None) };
        add(Role::Strong, &question.prompt);
        let marked = self.marked_bytes(question);
        // The numbered bytes are those of the list.
        let shown = |name: &str| name != "bytes" || marked.is_empty();
        let given = question.given.iter().filter(|(name, _)| shown(name));
        let label = given.clone().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, text) in given {
            let rest = width.saturating_sub(label + 2).max(8);
            for (index, part) in wrap(text, rest).into_iter().enumerate() {
                let name = if index == 0 { name.as_str() } else { "" };
                lines.push(vec![(Role::Dim, format!("{name:label$}  ")), (Role::Number, part)]);
            }
        }
        lines.extend(byte_lines(&marked, width));
        lines.push(Vec::new());
        let input = lines.len();
        lines.extend(self.answer.lines(question, width));
        (lines, Some(input))
    }

    fn marked_bytes(&self, question: &Question) -> Vec<MarkedByte> {
        let of_list = question.marked_bytes(self.answer.input.text(), self.answer.is_wrong());
        let hidden = || self.prepared.bytes.get(self.question_number().checked_sub(1)?).cloned();
        if of_list.is_empty() { hidden().unwrap_or_default() } else { of_list }
    }

    /// Columns of the prose, and the area of the record.
    fn areas(&self, area: Rect, cx: &Context<'_>) -> (Rect, Option<Rect>) {
        let body =
            Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: area.height.saturating_sub(1), ..area };
        if self.shown().is_none() && !self.shows_programs() {
            return (Rect { width: body.width.min(MAX_PROSE), ..body }, None);
        }
        if area.width >= TWO_COLUMNS && !self.shows_programs() {
            let width = (area.width * 9 / 20).min(MAX_PROSE);
            let right = Rect { x: area.x + width + 2, width: area.width - width - 2, ..area };
            return (Rect { width: width - 1, ..body }, Some(right));
        }
        let rows = self.lines(body.width as usize, cx).0.len() as u16;
        let least = match () {
            () if self.shows_programs() => Machines::MIN_ROWS,
            () if self.shows_places() => MIN_PLACES,
            () => MIN_RECORD,
        };
        let half = if self.shows_programs() { 1 } else { body.height / 2 };
        let height = rows.min(body.height.saturating_sub(least).max(half));
        let below = Rect { y: area.y + height, height: area.height.saturating_sub(height + 1), ..area };
        (Rect { height, ..body }, (below.height > 1).then_some(below))
    }

    pub fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if area.height < 2 {
            return None;
        }
        let (prose, record) = self.areas(area, cx);
        let (lines, input) = self.lines(prose.width as usize, cx);
        let height = prose.height as usize;
        // The answer stays in view, and so do as many of the hints below it as fit.
        let least = input.map_or(0, |input| lines.len().saturating_sub(height).min(input));
        let top = self.top.max(least).min(lines.len().saturating_sub(height).max(least));
        let mut cursor = None;
        // On a projector, lines apart are easier to read.
        let step = if cx.zoomed && lines.len() * 2 <= height { 2 } else { 1 };
        for (index, (line, y)) in lines.iter().skip(top).zip((prose.y..prose.bottom()).step_by(step)).enumerate() {
            let row = Rect { y, height: 1, ..prose };
            if input == Some(top + index) {
                cursor = self.answer.draw_input(row, buf, cx);
            } else {
                draw_line(row, line, buf, cx);
            }
        }
        let used = lines.len().saturating_sub(top) * step;
        self.draw_pages(
            Rect { y: prose.y + used.min(height) as u16, height: height.saturating_sub(used) as u16, ..prose },
            buf,
            cx,
        );
        if let Some(record) = record {
            let mut whole = Rect { height: record.height.min(area.bottom().saturating_sub(record.y)), ..record };
            // The bytes of a sample are in no other pane, and a question is alone.
            if (self.sample().is_some() || self.question().is_some())
                && !self.shows_places()
                && whole.height > MIN_RECORD
                && let Some(index) = self.record.current()
            {
                let width = usize::from(whole.width.saturating_sub(2));
                let line = sections::bytes(&self.record.steps, &self.record.reads, index, width);
                let row = Rect { x: whole.x + 1, height: 1, width: whole.width.saturating_sub(1), ..whole };
                draw_line(row, &line, buf, cx);
                whole = Rect { y: whole.y + 1, height: whole.height - 1, ..whole };
            }
            match self.places() {
                _ if self.shows_programs() => self.machines.draw(whole, buf, cx),
                Some(shown) => places::draw(shown, self.point, &self.record.steps, whole, buf, cx),
                None => self.record.draw_record(whole, self.shown().map(|example| example.place), buf, cx),
            }
        }
        self.draw_footer(area, top + height < lines.len(), buf, cx);
        cursor
    }

    /// Draws the pages of the example's file below the prose, where the example is of the file's own structure.
    fn draw_pages(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
        let Some(example) = self.shown() else { return };
        let is_of_file = matches!(example.place, Place::Header | Place::Page(_) | Place::Directory);
        let words = wrap(WORDS, area.width.into());
        let rows = words.len() as u16 + 2;
        if !is_of_file || area.height < rows + MIN_PAGES || self.record.hides {
            return;
        }
        for (word, y) in words.iter().zip(area.y + 1..) {
            draw_line(Rect { y, height: 1, ..area }, &vec![(Role::Dim, word.clone())], buf, cx);
        }
        let session = example.session(cx.session);
        let read = self.record.current_step();
        let at = read.and_then(|step| Some(session.spaces().resolve(step.field.span).first()?.span.start));
        let map = Rect { y: area.y + rows, height: area.height - rows, ..area };
        draw_pages(session, at.unwrap_or_default(), map, buf, &cx.look);
    }

    /// Draws the footer, whose halves the mouse clicks.
    fn draw_footer(&self, area: Rect, more: bool, buf: &mut Buffer, cx: &Context<'_>) {
        let y = area.bottom() - 1;
        let back = if self.at == 0 { "◂ lessons" } else { "◂ back" };
        let next = if self.at + 1 == self.pages() { "lessons ▸" } else { "next ▸" };
        let role = |role| cx.look.theme.of(role);
        let end = if area.width >= TWO_COLUMNS && self.shown().is_some() {
            area.x + (area.width * 9 / 20).min(MAX_PROSE)
        } else {
            area.x + area.width.min(MAX_PROSE + 1)
        };
        let x = put(buf, area.x + 1, y, end, back, role(Role::Dim), cx.look.glyphs);
        let mut text = self.position();
        if self.answered.contains(&self.question_number()) {
            let is_asked = self.question().is_none_or(|question| !question.is_missing());
            text.push_str(if is_asked { "  ✓ answered" } else { "  passed over" });
        }
        if more {
            text.push_str("  pgdn more");
        }
        put(buf, x + 3, y, end, &text, role(Role::Mute), cx.look.glyphs);
        put_right(buf, area.x + 1, y, end.saturating_sub(1), next, role(Role::Accent), cx.look.glyphs);
    }
}

/// Direction in which a click on the footer turns pages, true for the next one; `None` above the footer.
pub(super) fn footer_click(at: Position, area: Rect) -> Option<bool> {
    let half = area.x + area.width.min(MAX_PROSE) / 2;
    (at.y + 1 == area.bottom()).then_some(at.x >= half)
}
