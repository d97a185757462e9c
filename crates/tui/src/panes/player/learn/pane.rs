//! Drawing, keys and selection of the pane.

use std::any::Any;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::super::{lesson, list};
use super::{Learn, Mode, restart};
use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::panes::pane::{Context, Facts, Pane, PaneInput};
use crate::panes::player::lesson::OpenLesson;
use crate::panes::player::predict::Prediction;
use crate::state::effect::Effect;
use crate::state::message::Job;
use crate::state::selection::{Selection, Taught};
use crate::state::view::PaneId;
use crate::ui::frame::Title;
use crate::ui::input::MAX_PASTED;
use crate::ui::text::put_note;
use pdblens_learn::codec::typed::Typed;
use pdblens_learn::codec::{is_srcsrv, one_line};
use pdblens_learn::glossary::Term;
use pdblens_learn::lesson::Prepared;
use pdblens_learn::{Link, Steps};
use pdblens_nodes::Place;
use pdblens_session::session::Session;

impl Pane for Learn {
    fn title(&self, cx: &Context<'_>) -> Title {
        match (self.mode, &self.lesson) {
            (Mode::List, _) => Title::new("Lessons"),
            (Mode::Player, _) => self.player.title(cx),
            (Mode::Pasted, _) => {
                let kind = self.pasted.as_ref().map_or("", |pasted| pasted.kind.name);
                Title::new("Bytes").of(kind).at(self.player.position())
            }
            (Mode::Lesson, None) => Title::new("Lesson"),
            (Mode::Lesson, Some(lesson)) => {
                let number = lesson.prepared.number;
                let name = if number == 0 { "Lesson".to_owned() } else { format!("Lesson {number}") };
                let place = lesson.example().map(|example| example.place.to_string()).unwrap_or_default();
                Title::new(name).of(lesson.prepared.title.as_str()).at(place)
            }
        }
    }

    fn take(&mut self, input: PaneInput, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match input {
            PaneInput::Do(action) => return self.perform(action, cx),
            PaneInput::Click(at, area) => return self.click(at, area, cx),
            PaneInput::Wheel(rows, down) => match (self.mode, &mut self.lesson) {
                (Mode::List, _) => self.list.scroll_by(rows, down),
                (Mode::Lesson, Some(lesson)) => lesson.scroll(rows, down),
                (Mode::Lesson, None) => {}
                (Mode::Player | Mode::Pasted, _) => self.player.scroll.scroll_by(rows, down),
            },
            PaneInput::Resize(size) => self.resize(size, cx),
        }
        None
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        // A new pane, after other files were opened, continues the lesson.
        if !self.begun
            && let Some(index) = cx.lessons.open()
        {
            self.open(index, cx);
        }
        self.begun = true;
        self.list.set_len(cx.lessons.list.len() + 1);
        self.take(cx);
        if self.mode == Mode::Player {
            self.player.show_selection(cx);
        }
    }

    fn facts(&self, cx: &Context<'_>) -> Facts {
        let place = cx.selected.selection.place;
        let of_code = place.code_unit().is_some() || matches!(place, Place::Document(_) | Place::Line(..));
        // The line tells the values that it was decoded from.
        let is_covered = self.player.hides || self.prediction.is_some();
        let of_row = matches!(place, Place::Row(..));
        let has_source = of_code || (of_row || self.player.chain) && cx.selected.document.is_some();
        let hides_source = self.mode != Mode::Player || is_covered || !has_source;
        Facts { hides: if hides_source { &[PaneId::Source] } else { &[] }, ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        match (self.mode, &self.lesson) {
            (Mode::List, _) => list::draw(self.list, area, buf, cx),
            (Mode::Lesson, Some(lesson)) => lesson.draw(area, buf, cx),
            (Mode::Lesson, None) => {
                put_note(buf, area, "finding the examples of the lesson in the open files", &cx.look);
                None
            }
            (Mode::Player, _) => self.draw_player(area, buf, cx),
            (Mode::Pasted, _) => {
                let pasted = self.pasted.as_ref()?;
                let (cursor, rest) = pasted.draw(area, &self.player, buf, cx);
                let below = if rest.height > 1 && self.player.current().is_some() {
                    self.draw_player(rest, buf, cx)
                } else {
                    None
                };
                if pasted.typing { cursor } else { below }
            }
        }
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        match self.mode {
            Mode::List | Mode::Pasted => None,
            Mode::Player => self.player.selection(cx),
            Mode::Lesson => {
                let lesson = self.lesson.as_ref()?;
                if lesson.sample().is_none() { lesson.selection() } else { None }
            }
        }
    }

    fn job(&mut self, session: &Arc<Session>) -> Option<Job> {
        let (index, lesson) = (self.chosen?, self.wanted.clone()?);
        if self.asked.as_ref().is_some_and(|(asked, of)| *asked == index && Arc::ptr_eq(of, session)) {
            return None;
        }
        self.asked = Some((index, Arc::clone(session)));
        let (session, sources) = (Arc::clone(session), self.sources.clone());
        Some(self.found.job("finding examples", "lesson", move |_| {
            Some((index, Prepared::with_sources(&lesson, &session, sources)))
        }))
    }
}

impl Learn {
    fn perform(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action == Action::PasteTrace {
            return self.paste(cx.pasted?, cx);
        }
        match self.mode {
            Mode::List => match action {
                Action::Follow => {
                    if self.list.selected >= cx.lessons.list.len() {
                        return Some(self.open_pasted("", cx));
                    }
                    self.open(self.list.selected, cx);
                    Some(Vec::new())
                }
                Action::Learn => {
                    (self.mode, self.from_view) = (Mode::Player, false);
                    self.player.leave_chain();
                    self.player.show_selection(cx);
                    Some(Vec::new())
                }
                Action::Restart => {
                    let lesson = cx.lessons.list.get(self.list.selected)?;
                    Some(vec![restart(lesson.key())])
                }
                _ => self.list.move_cursor(action).then(Vec::new),
            },
            Mode::Lesson => self.perform_in_lesson(action, cx),
            Mode::Player => self.perform_in_player(action, cx),
            Mode::Pasted => self.perform_in_pasted(action, cx),
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.list.set_len(cx.lessons.list.len() + 1);
        self.list.set_height(list::rows(size));
        if self.mode == Mode::Player {
            self.player.resize(cx);
        }
        if let Some(pasted) = &mut self.pasted {
            pasted.set_height(size.height);
        }
    }

    /// Answers a click; `None` where nothing is selected by it.
    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let hit = match (self.mode, &mut self.lesson) {
            (Mode::List, _) => list::click(&mut self.list, at, area),
            (Mode::Player, _) => self.player.click(at, area, cx),
            (Mode::Pasted, _) => {
                self.pasted.iter_mut().for_each(|pasted| pasted.typing = at.y == area.y);
                false
            }
            (Mode::Lesson, Some(lesson)) => {
                let is_on_program = lesson.click_programs(at, area, cx);
                if let Some(forward) = lesson::footer_click(at, area).filter(|_| !is_on_program) {
                    return Some(vec![Effect::Dispatch(if forward { Action::Down } else { Action::Up })]);
                }
                lesson.answer.typing |= !is_on_program && lesson.question().is_some();
                false
            }
            (Mode::Lesson, None) => false,
        };
        hit.then(Vec::new)
    }
}

impl dyn Pane {
    pub fn player(&self) -> Option<&Learn> {
        (self as &dyn Any).downcast_ref()
    }

    pub fn player_mut(&mut self) -> Option<&mut Learn> {
        (self as &mut dyn Any).downcast_mut()
    }
}

/// Abilities of the player alone: it teaches, asks, and takes typed text.
impl Learn {
    /// Returns true while the other panes of the view show nothing of what the player does: with the focus it then takes their room.
    pub fn is_alone(&self) -> bool {
        // The bytes of the open files have nothing to do with typed ones, with a built-in sample, or with a question; source, code and
        // bytes of a method are all there is to see.
        let lesson = if self.mode == Mode::Lesson { self.lesson.as_ref() } else { None };
        self.mode == Mode::Pasted
            || lesson.is_some_and(|lesson| {
                lesson.question().is_some()
                    || lesson.sample().is_some()
                    || lesson.shows_places()
                    || lesson.shows_programs()
            })
    }

    /// Returns false for an action that does nothing here: the key hints leave it out.
    pub fn offers(&self, action: Action) -> bool {
        match action {
            Action::WhatIf | Action::Handout => self.mode == Mode::Player && !self.player.chain,
            Action::Right if self.mode == Mode::Lesson => self.lesson.as_ref().is_some_and(OpenLesson::has_steps),
            Action::Right => matches!(self.mode, Mode::Player | Mode::Pasted) && !self.player.hides,
            Action::HideAnswers if self.mode == Mode::Lesson => {
                self.lesson.as_ref().is_none_or(|lesson| !lesson.shows_programs())
            }
            Action::HideAnswers => self.mode != Mode::List,
            Action::Restart => self.mode == Mode::List,
            // The digit of the view leads back to the lesson.
            Action::View(_) => self.mode != Mode::Lesson,
            _ => true,
        }
    }

    /// Name of an action in the key hints, where the state of the player gives it another one.
    pub fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.mode) {
            (Action::Down, Mode::Lesson) => return Some("page"),
            (Action::Down, Mode::List) => return Some("lesson"),
            (Action::Follow, Mode::List) => return Some("begin"),
            (Action::Right, Mode::Lesson) => return Some("next step"),
            (Action::Follow, Mode::Lesson)
                if self.lesson.as_ref().is_some_and(|lesson| lesson.question().is_some()) =>
            {
                return Some("type an answer");
            }
            _ => {}
        }
        let is_text = |lesson: &OpenLesson| lesson.question().is_none() && lesson.selection().is_none();
        if action == Action::Follow && self.mode == Mode::Lesson && self.lesson.as_ref().is_some_and(is_text) {
            return Some("next page");
        }
        match action {
            Action::HideAnswers if self.hides_answers() => Some("show values"),
            Action::Follow if self.mode == Mode::Player && self.player.hides => Some("answer"),
            Action::Down if matches!(self.mode, Mode::Player | Mode::Pasted) => Some("read"),
            _ => None,
        }
    }

    /// Returns true while the player hides values that its reader is to find.
    pub fn hides_answers(&self) -> bool {
        match self.mode {
            Mode::List => false,
            Mode::Lesson => self.lesson.as_ref().is_some_and(OpenLesson::hides_answers),
            Mode::Player | Mode::Pasted => self.player.hides,
        }
    }

    pub fn play(&mut self, cx: &Context<'_>) {
        (self.mode, self.prediction) = (Mode::Player, None);
        (self.from_lesson, self.from_view) = (false, true);
        self.player.leave_chain();
        self.player.show_selection(cx);
    }

    /// Shows steps that are not those of a record: an answer, look-up by look-up.
    pub fn play_steps(&mut self, steps: Steps) {
        (self.mode, self.prediction) = (Mode::Player, None);
        (self.from_lesson, self.from_view) = (false, true);
        self.player.set_chain(steps);
    }

    /// Restores the view when its digit is pressed; a second press leaves it. `again` tells that the view was on the screen.
    pub fn resume(&mut self, again: bool, cx: &Context<'_>) {
        if let Some(index) = cx.lessons.open() {
            self.prediction = None;
            self.open(index, cx);
        } else if again {
            self.prediction = None;
            self.show_list(cx);
        }
    }

    /// Terms of the glossary that the player uses, in their order.
    pub fn terms(&self) -> Vec<&'static Term> {
        match self.mode {
            Mode::Lesson => self.lesson.as_ref().map_or_else(Vec::new, OpenLesson::terms),
            Mode::Player | Mode::Pasted => self.player.terms(),
            Mode::List => Vec::new(),
        }
    }

    /// Begins the lesson that is taken again, after its progress was forgotten.
    pub fn restart(&mut self, cx: &Context<'_>) {
        if let Some(index) = cx.lessons.open() {
            (self.lesson, self.chosen, self.prediction) = (None, None, None);
            self.open(index, cx);
        }
    }

    /// Returns true while keys are text: only the bindings of prompts hold then, and [`Self::key`] takes the rest.
    pub fn takes_text(&self) -> bool {
        match self.mode {
            Mode::List => false,
            Mode::Lesson => self.lesson.as_ref().is_some_and(|lesson| lesson.answer.typing),
            Mode::Player => self.prediction.as_ref().is_some_and(Prediction::takes_text),
            Mode::Pasted => match &self.prediction {
                Some(prediction) => prediction.takes_text(),
                None => self.pasted.as_ref().is_some_and(|pasted| pasted.typing),
            },
        }
    }

    /// Meaning of the keys of prompts while the player takes text; empty where an answer is typed.
    pub fn typing_hints(&self) -> &'static [(Action, &'static str)] {
        let what_if = self.pasted.as_ref().is_some_and(|pasted| pasted.before.is_some());
        if self.mode == Mode::Pasted && self.prediction.is_none() && what_if {
            &[(Action::Accept, "step through"), (Action::Cancel, "keep these bytes")]
        } else if self.mode == Mode::Pasted && self.prediction.is_none() {
            &[(Action::Accept, "step through"), (Action::Complete, "next kind"), (Action::Cancel, "clear, then leave")]
        } else {
            &[]
        }
    }

    /// Handles a key without an action, while the player takes text.
    pub fn key(&mut self, key: Key, cx: &Context<'_>) -> Vec<Effect> {
        if let (Mode::Player | Mode::Pasted, Some(prediction)) = (self.mode, &mut self.prediction) {
            prediction.key(key, &mut self.player);
            return Vec::new();
        }
        if let (Mode::Pasted, Some(pasted)) = (self.mode, &mut self.pasted) {
            pasted.key(key, &mut self.player);
            return Vec::new();
        }
        let Some(lesson) = &mut self.lesson else { return Vec::new() };
        // In an empty line the keys that turn pages do so still.
        match lesson.answer.page_key(key) {
            Some(forward) => self.turn(forward, cx),
            None => {
                lesson.answer.key(key);
                Vec::new()
            }
        }
    }

    /// Record that the player teaches, where it is not the selection.
    pub fn taught(&self) -> Option<Taught> {
        match self.mode {
            Mode::List | Mode::Player => None,
            Mode::Lesson => {
                let lesson = self.lesson.as_ref()?;
                Some(Taught::Sample(Arc::clone(lesson.sample()?), lesson.selection()?))
            }
            Mode::Pasted => {
                let pasted = self.pasted.as_ref()?;
                let steps = Steps { link: pasted.link(1), ..self.player.steps.clone() };
                Some(Taught::Bytes(Box::new(steps), pasted.command()?))
            }
        }
    }

    /// Link to the read or page that is shown; `None` where the selection is all there is.
    pub fn link(&self, cx: &Context<'_>) -> Option<Link> {
        let step = self.player.scroll.selected + 1;
        match self.mode {
            Mode::List => None,
            Mode::Lesson => self.lesson.as_ref().map(|open| Link::Lesson { key: open.key.clone(), page: open.at + 1 }),
            Mode::Pasted => self.pasted.as_ref()?.link(step),
            Mode::Player if self.player.chain => None,
            Mode::Player => {
                let place = self.player.of?.to_string();
                Some(Link::At { place, step: Some(step), sample: cx.session.is_sample() })
            }
        }
    }

    /// Selects the read of a link, whose record or bytes are shown.
    pub fn select_step(&mut self, link: &Link) {
        if let (Link::Lesson { key, page }, Some(open)) = (link, &mut self.lesson)
            && open.key == *key
        {
            open.turn(page - 1);
        }
        match (link, &mut self.pasted) {
            (Link::At { step: Some(step), .. }, _) => self.player.select_step(*step),
            (Link::Bytes { step, .. }, Some(pasted)) => {
                pasted.typing = false;
                self.player.select_step(*step);
            }
            _ => {}
        }
    }
}

impl Learn {
    pub fn draw_player(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        match &self.prediction {
            Some(prediction) => prediction.draw(&self.player, area, buf, cx),
            None => self.player.draw(area, buf, cx),
        }
    }

    /// Pastes text into a prompt or an answer; `None` where nothing takes it.
    pub fn paste(&mut self, text: &str, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if text.len() > MAX_PASTED {
            return None;
        }
        if let (Mode::Pasted, Some(pasted)) = (self.mode, &mut self.pasted) {
            self.prediction = None;
            pasted.paste(text, &mut self.player);
            return Some(Vec::new());
        }
        let takes_bytes = matches!(self.mode, Mode::List | Mode::Player) && self.prediction.is_none();
        if takes_bytes && Typed::is_meant(text) || is_srcsrv(text) {
            return Some(self.open_pasted(text, cx));
        }
        let lesson = self.lesson.as_mut().filter(|lesson| self.mode == Mode::Lesson && lesson.question().is_some())?;
        lesson.answer.paste(&one_line(text, "; "));
        Some(Vec::new())
    }
}
