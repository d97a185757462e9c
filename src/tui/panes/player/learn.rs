//! The pane of the Learn view: the list of lessons, a lesson, or the player.

use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::lesson::OpenLesson;
use super::predict::Prediction;
use super::{Player, list};
use crate::learn::lesson::Prepared;
use crate::session::Session;
use crate::tui::core::action::Action;
use crate::tui::core::key::Key;
use crate::tui::panes::pane::{Context, Pane};
use crate::tui::state::effect::{Command, Effect};
use crate::tui::state::message::{Job, Msg};
use crate::tui::state::selection::Selection;
use crate::tui::ui::frame::Title;
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::text::put_note;

/// Content of the pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    List,
    Lesson,
    Player,
}

/// A lesson that was prepared by a job: its index in the list.
type Inbox = Arc<Mutex<Option<(usize, Prepared)>>>;

#[derive(Default)]
struct Learn {
    mode: Mode,
    player: Player,
    prediction: Option<Prediction>,
    list: Scroll,
    /// Index of the lesson that is open or being prepared.
    chosen: Option<usize>,
    lesson: Option<OpenLesson>,
    /// Lesson and files that the last job was started for.
    asked: Option<(usize, Arc<Session>)>,
    /// Lesson to prepare, with its data.
    wanted: Option<crate::learn::lesson::Lesson>,
    inbox: Inbox,
    /// True once it was shown.
    begun: bool,
    /// Action of the last click, until it is taken.
    clicked: Option<Action>,
}

#[allow(missing_docs)]
pub fn new() -> Box<dyn Pane> {
    Box::new(Learn::default())
}

impl Learn {
    /// Opens the lesson of the list with an index; a job finds its examples.
    fn open(&mut self, index: usize, cx: &Context<'_>) {
        self.mode = Mode::Lesson;
        cx.lessons.set_open(Some(index));
        if self.chosen == Some(index) && self.lesson.is_some() {
            return;
        }
        (self.chosen, self.lesson, self.asked) = (Some(index), None, None);
        self.wanted = cx.lessons.list.get(index).cloned();
    }

    /// Takes a prepared lesson from the inbox, at the page that was left.
    fn take(&mut self, cx: &Context<'_>) {
        let Some((index, prepared)) = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        if self.chosen != Some(index) {
            return;
        }
        let Some(key) = cx.lessons.list.get(index).map(crate::learn::lesson::Lesson::key) else { return };
        let progress = cx.lessons.progress().lesson.remove(&key).unwrap_or_default();
        let answered = progress.answered.into_iter().collect();
        self.lesson = Some(OpenLesson::new(prepared, key, progress.at, answered));
    }

    /// Shows the list, with the lesson that was left.
    fn show_list(&mut self, cx: &Context<'_>) {
        self.mode = Mode::List;
        cx.lessons.set_open(None);
        self.list.select(self.chosen.unwrap_or(0));
    }

    /// Turns to the next or the previous page; beyond the ends to the list.
    fn turn(&mut self, forward: bool, cx: &Context<'_>) -> Vec<Effect> {
        let Some(lesson) = &mut self.lesson else { return Vec::new() };
        let to = if forward { Some(lesson.at + 1) } else { lesson.at.checked_sub(1) };
        match to.filter(|to| *to < lesson.pages()) {
            Some(to) => lesson.turn(to),
            None => {
                self.show_list(cx);
            }
        }
        self.save(cx)
    }

    /// Keeps the page, and the questions that are answered.
    fn save(&self, cx: &Context<'_>) -> Vec<Effect> {
        let Some(lesson) = &self.lesson else { return Vec::new() };
        let text = cx.lessons.update(|progress| {
            progress.visit(&lesson.key, lesson.at);
            let questions = lesson.prepared.questions.len();
            for number in &lesson.answered {
                progress.answer(&lesson.key, *number, questions);
            }
            if questions == 0 && lesson.at + 1 == lesson.pages() {
                progress.finish(&lesson.key);
            }
        });
        text.map(|text| Command::SaveProgress(text).into()).into_iter().collect()
    }

    fn perform_in_lesson(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let lesson = self.lesson.as_mut()?;
        if lesson.answer.typing {
            if let Some(effects) = self.perform_in_answer(action, cx) {
                return Some(effects);
            }
            return None;
        }
        match action {
            Action::Down => return Some(self.turn(true, cx)),
            Action::Up => return Some(self.turn(false, cx)),
            Action::Top => lesson.turn(0),
            Action::Bottom => lesson.turn(usize::MAX),
            Action::PageDown | Action::HalfDown => lesson.scroll(count.unwrap_or(4), true),
            Action::PageUp | Action::HalfUp => lesson.scroll(count.unwrap_or(4), false),
            Action::Right | Action::NextPoint => lesson.step_record(true),
            Action::Left | Action::PreviousPoint => lesson.step_record(false),
            Action::HideAnswers => lesson.toggle_answers(),
            Action::Follow if lesson.question().is_some() => lesson.answer.typing = true,
            Action::Follow => {
                let selection = lesson.selection()?;
                return Some(vec![match lesson.sample() {
                    Some(sample) => Effect::Visit(Arc::clone(sample), selection),
                    None => Effect::Go(selection),
                }]);
            }
            Action::Cancel => {
                self.show_list(cx);
            }
            Action::Learn => {
                let selection = lesson.selection().filter(|_| lesson.sample().is_none());
                self.mode = if selection.is_some() { Mode::Player } else { Mode::Lesson };
                if let Some(selection) = selection {
                    self.player = Player::default();
                    return Some(vec![Effect::Show(selection)]);
                }
            }
            _ => return None,
        }
        Some(self.save(cx))
    }

    /// Actions while an answer is typed.
    fn perform_in_answer(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let lesson = self.lesson.as_mut()?;
        match action {
            Action::Accept if lesson.answer.is_right() => return Some(self.turn(true, cx)),
            Action::Accept => {
                lesson.accept();
            }
            Action::Complete => lesson.hint(),
            Action::Cancel => lesson.answer.typing = false,
            Action::Down => return Some(self.turn(true, cx)),
            Action::Up => return Some(self.turn(false, cx)),
            Action::PageDown => lesson.scroll(4, true),
            Action::PageUp => lesson.scroll(4, false),
            _ => return None,
        }
        Some(self.save(cx))
    }

    fn perform_in_player(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if let Some(prediction) = &mut self.prediction
            && let Some(done) = prediction.perform(action, &mut self.player)
        {
            if done {
                self.prediction = None;
                self.player.hides = false;
            }
            return Some(Vec::new());
        }
        match action {
            Action::Predict => {
                self.prediction = Prediction::of(&mut self.player);
                Some(Vec::new())
            }
            Action::Cancel => {
                self.mode = if self.lesson.is_some() { Mode::Lesson } else { Mode::List };
                Some(Vec::new())
            }
            Action::Learn if self.lesson.is_some() => {
                self.mode = Mode::Lesson;
                Some(Vec::new())
            }
            _ => self.player.perform(action, count, cx),
        }
    }
}

impl Pane for Learn {
    fn title(&self, cx: &Context<'_>) -> Title {
        match (self.mode, &self.lesson) {
            (Mode::List, _) => Title::new("Lessons"),
            (Mode::Player, _) => self.player.title(cx),
            (Mode::Lesson, None) => Title::new("Lesson"),
            (Mode::Lesson, Some(lesson)) => {
                let number = lesson.prepared.number;
                let name = if number == 0 { "Lesson".to_owned() } else { format!("Lesson {number}") };
                let place = lesson.example().map(|example| example.place.to_string()).unwrap_or_default();
                Title::new(name).of(lesson.prepared.title.as_str()).at(place)
            }
        }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match self.mode {
            Mode::List => match action {
                Action::Follow => {
                    self.open(self.list.selected, cx);
                    Some(Vec::new())
                }
                Action::Learn => {
                    self.mode = Mode::Player;
                    self.player.show_selection(cx);
                    Some(Vec::new())
                }
                _ => self.list.move_cursor(action, count).then(Vec::new),
            },
            Mode::Lesson => self.perform_in_lesson(action, count, cx),
            Mode::Player => self.perform_in_player(action, count, cx),
        }
    }

    fn take_clicked(&mut self) -> Option<Action> {
        self.clicked.take()
    }

    fn offers(&self, action: Action) -> bool {
        match action {
            Action::Predict => self.mode == Mode::Player,
            Action::HideAnswers => self.mode != Mode::List,
            _ => true,
        }
    }

    fn play(&mut self, cx: &Context<'_>) {
        (self.mode, self.prediction) = (Mode::Player, None);
        cx.lessons.set_open(None);
        self.lesson = None;
        (self.chosen, self.asked) = (None, None);
        self.player.show_selection(cx);
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        // A new pane, after other files were opened, goes on with the lesson.
        if let Some(index) = cx.lessons.open().filter(|_| !self.begun) {
            self.open(index, cx);
        }
        self.begun = true;
        self.list.set_len(cx.lessons.list.len());
        self.take(cx);
        if self.mode == Mode::Player {
            self.player.show_selection(cx);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.list.set_len(cx.lessons.list.len());
        self.list.set_height(list::rows(size.height));
        if self.mode == Mode::Player {
            self.player.resize(size, cx);
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        match (self.mode, &self.lesson) {
            (Mode::List, _) => list::draw(self.list, area, buf, cx),
            (Mode::Lesson, Some(lesson)) => lesson.draw(area, buf, cx),
            (Mode::Lesson, None) => {
                put_note(buf, area, "finding the examples of the lesson in the open files", &cx.look);
                None
            }
            (Mode::Player, _) => match &self.prediction {
                Some(prediction) => prediction.draw(&self.player, area, buf, cx),
                None => self.player.draw(area, buf, cx),
            },
        }
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        match self.mode {
            Mode::List => None,
            Mode::Player => self.player.selection(cx),
            Mode::Lesson => {
                let lesson = self.lesson.as_ref()?;
                lesson.selection().filter(|_| lesson.sample().is_none())
            }
        }
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        match self.mode {
            Mode::List => list::click(&mut self.list, at, area),
            Mode::Player => self.player.click(at, area, cx),
            Mode::Lesson => match self.lesson.as_mut() {
                Some(lesson) => {
                    match super::lesson::footer_click(at, area) {
                        Some(forward) => self.clicked = Some(if forward { Action::Down } else { Action::Up }),
                        None if lesson.question().is_some() => lesson.answer.typing = true,
                        None => {}
                    }
                    false
                }
                None => false,
            },
        }
    }

    fn scroll_by(&mut self, rows: usize, down: bool, _: &Context<'_>) {
        match (self.mode, &mut self.lesson) {
            (Mode::List, _) => self.list.scroll_by(rows, down),
            (Mode::Lesson, Some(lesson)) => lesson.scroll(rows, down),
            (Mode::Lesson, None) => {}
            (Mode::Player, _) => self.player.scroll.scroll_by(rows, down),
        }
    }

    fn takes_text(&self) -> bool {
        match self.mode {
            Mode::List => false,
            Mode::Lesson => self.lesson.as_ref().is_some_and(|lesson| lesson.answer.typing),
            Mode::Player => self.prediction.as_ref().is_some_and(Prediction::takes_text),
        }
    }

    fn key(&mut self, key: Key, cx: &Context<'_>) -> Vec<Effect> {
        if let (Mode::Player, Some(prediction)) = (self.mode, &mut self.prediction) {
            prediction.key(key, &mut self.player);
            return Vec::new();
        }
        let Some(lesson) = &mut self.lesson else { return Vec::new() };
        // In an empty line the keys that turn pages do so still.
        let turns = lesson.answer.is_empty() || lesson.answer.is_right();
        match (turns, super::page_key(key)) {
            (true, Some(forward)) => self.turn(forward, cx),
            _ => {
                lesson.answer.key(key);
                Vec::new()
            }
        }
    }

    fn paste(&mut self, text: &str, _: &Context<'_>) -> Option<Vec<Effect>> {
        let lesson = self.lesson.as_mut().filter(|lesson| self.mode == Mode::Lesson && lesson.question().is_some())?;
        lesson.answer.typing = true;
        lesson.answer.input.paste(&text.replace(['\r', '\n'], "; "));
        Some(Vec::new())
    }

    fn background_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        let (index, lesson) = (self.chosen?, self.wanted.clone()?);
        if self.asked.as_ref().is_some_and(|(asked, of)| *asked == index && Arc::ptr_eq(of, session)) {
            return None;
        }
        self.asked = Some((index, Arc::clone(session)));
        // A new inbox: a job for other files may still write to the old one.
        self.inbox = Arc::default();
        let (session, inbox) = (Arc::clone(session), Arc::clone(&self.inbox));
        Some(Job::new("finding examples", "lesson", move |_| {
            let prepared = Prepared::of(&lesson, &session);
            *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some((index, prepared));
            Msg::PaneReady
        }))
    }

    fn copied_text(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        if self.mode == Mode::Player { self.player.copied_text(action, cx) } else { None }
    }
}
