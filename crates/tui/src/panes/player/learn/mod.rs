//! The pane of the Learn view: the list of lessons, a lesson, the player, or bytes that are typed.

mod pane;

use std::sync::Arc;

use super::Player;
use super::lesson::OpenLesson;
use super::pasted::Pasted;
use super::predict::Prediction;
use crate::engine::action::Action;
use crate::panes::pane::{Context, Pane};
use crate::state::effect::{Command, Effect};
use crate::state::message::{Inbox, Msg};
use crate::ui::scroll::Scroll;
use pdblens_learn::lesson::Prepared;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    List,
    Lesson,
    Player,
    /// Bytes that are typed or pasted, in the player below the line.
    Pasted,
}

/// Warning before the files on the screen are others.
const VISITS_SAMPLE: &str = "the example is in a built-in sample: Enter again opens it, 9 returns to your files";

#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a state of its own.
pub struct Learn {
    mode: Mode,
    player: Player,
    pasted: Option<Pasted>,
    prediction: Option<Prediction>,
    list: Scroll,
    /// Index of the lesson that is open or being prepared.
    chosen: Option<usize>,
    lesson: Option<OpenLesson>,
    /// Lesson and files that the last job was started for.
    asked: Option<(usize, Arc<Session>)>,
    /// Lesson to prepare, with its data.
    wanted: Option<pdblens_learn::lesson::Lesson>,
    /// Folders of sources for its examples.
    sources: SourceOptions,
    /// A lesson that was prepared by a job, and its index in the list.
    found: Inbox<(usize, Prepared)>,
    /// True if the player was opened from the lesson, so that the key that opened it leads back there.
    from_lesson: bool,
    /// True if the player was opened from another view, where Esc leads back to.
    from_view: bool,
    /// True after a prediction ended: the next Esc may be one too many.
    predicted: bool,
    /// True after Enter said that the example is in a sample, which the next one opens.
    warned: bool,
    begun: bool,
}

pub fn new() -> Box<dyn Pane> {
    Box::new(Learn::default())
}

fn restart(key: String) -> Effect {
    Effect::Update(Box::new(Msg::RestartWanted(key)))
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
        self.sources = SourceOptions {
            roots: cx.paths.sources.roots.clone(),
            maps: cx.paths.sources.maps.clone(),
            ..SourceOptions::default()
        };
    }

    /// Takes a prepared lesson from the inbox, at the page that was left.
    fn take(&mut self, cx: &Context<'_>) {
        let Some((index, prepared)) = self.found.take() else { return };
        if self.chosen != Some(index) {
            return;
        }
        let Some(key) = cx.lessons.list.get(index).map(pdblens_learn::lesson::Lesson::key) else { return };
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
            None => self.show_list(cx),
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

    fn perform_in_lesson(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let warned = std::mem::take(&mut self.warned);
        let lesson = self.lesson.as_mut()?;
        if lesson.answer.typing {
            return self.perform_in_answer(action, cx);
        }
        if lesson.perform_on_programs(action) {
            return Some(Vec::new());
        }
        match action {
            Action::Down => return Some(self.turn(true, cx)),
            Action::Up => return Some(self.turn(false, cx)),
            Action::Top => lesson.turn(0),
            Action::Bottom => lesson.turn(usize::MAX),
            Action::PageDown => lesson.scroll(4, true),
            Action::PageUp => lesson.scroll(4, false),
            Action::Right | Action::NextPoint => lesson.step_record(true),
            Action::Left | Action::PreviousPoint => lesson.step_record(false),
            Action::HideAnswers => lesson.record.hides = !lesson.record.hides,
            Action::Restart => return Some(vec![restart(lesson.key.clone())]),
            Action::Follow if lesson.question().is_some() => lesson.answer.typing = true,
            Action::Follow => {
                let Some(selection) = lesson.selection() else { return Some(self.turn(true, cx)) };
                return Some(match lesson.sample() {
                    None => vec![Effect::Go(selection)],
                    Some(_) if !warned => {
                        self.warned = true;
                        vec![Effect::SetStatus(Tone::Warn, VISITS_SAMPLE.to_owned())]
                    }
                    Some(sample) => vec![Effect::Visit(Arc::clone(sample), selection)],
                });
            }
            Action::Cancel => self.show_list(cx),
            Action::Learn => {
                let selection = if lesson.sample().is_none() { lesson.selection() } else { None };
                self.mode = if selection.is_some() { Mode::Player } else { Mode::Lesson };
                if let Some(selection) = selection {
                    (self.player, self.from_lesson, self.from_view) = (Player::default(), true, false);
                    return Some(vec![Effect::Show(selection)]);
                }
            }
            _ => return None,
        }
        Some(self.save(cx))
    }

    fn perform_in_answer(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let lesson = self.lesson.as_mut()?;
        match action {
            Action::Accept if lesson.answer.is_done() => return Some(self.turn(true, cx)),
            Action::Accept => lesson.accept(),
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

    /// Opens the line for bytes, with a text in it; without one, with those that were left.
    fn open_pasted(&mut self, text: &str, cx: &Context<'_>) -> Vec<Effect> {
        (self.mode, self.prediction, self.player) = (Mode::Pasted, None, Player::default());
        cx.lessons.set_open(None);
        match &mut self.pasted {
            Some(pasted) if text.is_empty() => pasted.reopen(&mut self.player),
            _ => self.pasted = Some(Pasted::new(text, &mut self.player)),
        }
        Vec::new()
    }

    /// Actions on typed bytes: in the line, else in the player below it.
    fn perform_in_pasted(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let pasted = self.pasted.as_mut()?;
        if pasted.typing {
            if !pasted.perform(action, &mut self.player) {
                (self.pasted, self.player) = (None, Player::default());
                self.mode = Mode::List;
            }
            return Some(Vec::new());
        }
        if let Some(text) = pasted.copied_text(action) {
            return Some(vec![Effect::copy(action, text)]);
        }
        if self.prediction.is_none() {
            let leaves = match action {
                // The other panes have nothing of these bytes: the line is all there is besides.
                Action::NextPane | Action::PreviousPane | Action::Learn => true,
                Action::Cancel => self.player.bit.is_none() && !self.predicted,
                _ => false,
            };
            if leaves {
                pasted.typing = true;
                return Some(Vec::new());
            }
            if action == Action::WhatIf {
                pasted.what_if(&mut self.player);
                return Some(Vec::new());
            }
        }
        self.perform_in_player(action, cx)
    }

    fn perform_in_player(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if let Some(prediction) = &mut self.prediction
            && let Some(done) = prediction.perform(action, &mut self.player)
        {
            if done {
                (self.prediction, self.predicted) = (None, true);
                (self.player.hides, self.player.asks) = (false, false);
            }
            return Some(Vec::new());
        }
        let predicted = std::mem::take(&mut self.predicted);
        match action {
            Action::Cancel if predicted && self.player.bit.is_none() => Some(vec![Effect::SetStatus(
                Tone::Dim,
                "the prediction is over: Esc once more leaves the player".to_owned(),
            )]),
            Action::Follow if self.player.hides => {
                self.prediction = Prediction::of(&mut self.player);
                Some(Vec::new())
            }
            // The key that opened the player leads back.
            Action::Cancel if self.player.bit.is_none() && self.from_view => {
                self.from_view = false;
                Some(vec![Effect::Dispatch(Action::Learn)])
            }
            Action::Cancel if self.player.bit.is_none() => {
                self.mode = if self.lesson.is_some() { Mode::Lesson } else { Mode::List };
                Some(Vec::new())
            }
            Action::Learn if self.lesson.is_some() && self.from_lesson => {
                self.mode = Mode::Lesson;
                Some(Vec::new())
            }
            _ => self.player.perform(action, cx),
        }
    }
}
