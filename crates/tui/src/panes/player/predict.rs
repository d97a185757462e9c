//! Prediction: the values of the player are covered until an answer is typed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use super::answer::AnswerLine;
use super::layout::{column_width, draw_heading};
use super::sections::SectionLine;
use super::{Player, TWO_COLUMNS, draw_line};
use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::panes::pane::Context;
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use pdblens_learn::{Question, question};

/// Rows of the question in a pane of one column.
const ROWS: u16 = 7;
/// Rows that the player keeps above it.
const MIN_ABOVE: u16 = 4;

pub(super) struct Prediction {
    question: Question,
    answer: AnswerLine,
}

impl Prediction {
    /// Covers the values from the current step on; `None` where no step has a value to predict.
    pub fn of(player: &mut Player) -> Option<Self> {
        let index = player.current()?;
        (player.hides, player.asks, player.bit) = (true, true, None);
        match question::value_of(&player.steps, index) {
            Some(question) => Some(Self { question, answer: AnswerLine::open() }),
            None => {
                (player.hides, player.asks) = (false, false);
                None
            }
        }
    }

    pub const fn takes_text(&self) -> bool {
        self.answer.typing
    }

    /// Performs an action; true if the prediction ends with it. `None` leaves it to the player.
    pub fn perform(&mut self, action: Action, player: &mut Player) -> Option<bool> {
        match action {
            Action::Accept if self.answer.is_done() => self.turn(true, player),
            Action::Accept => {
                self.answer.accept(&self.question);
                player.hides = !self.answer.is_done();
            }
            Action::Complete => self.answer.hint(&self.question),
            Action::Down => self.turn(true, player),
            Action::Up => self.turn(false, player),
            Action::Cancel => return Some(true),
            _ => return None,
        }
        Some(false)
    }

    fn turn(&mut self, forward: bool, player: &mut Player) {
        player.scroll.move_cursor(if forward { Action::Down } else { Action::Up });
        if let Some(next) = Self::of(player) {
            *self = next;
        }
    }

    /// Takes a key of the answer; in an empty line the keys that step do so still.
    pub fn key(&mut self, key: Key, player: &mut Player) {
        match self.answer.page_key(key) {
            Some(forward) => self.turn(forward, player),
            None => self.answer.key(key),
        }
    }

    /// Question, answer, and what is said of it, in lines of a width.
    fn lines(&self, width: usize) -> Vec<SectionLine> {
        let prompt = wrap(&self.question.prompt, width).into_iter().map(|line| vec![(Role::Strong, line)]);
        prompt.chain(self.answer.lines(&self.question, width)).collect()
    }

    /// Draws the player with the question over its right half, or over its last rows.
    pub fn draw(&self, player: &Player, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let left = if area.width >= TWO_COLUMNS { column_width(area) + 1 } else { 0 };
        let lines = self.lines(usize::from((area.width - left).saturating_sub(2)));
        let wanted = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
        let card = if left > 0 {
            let height = (area.height.saturating_sub(1) / 2 + 1).max(wanted).min(area.height.saturating_sub(1));
            Rect { x: area.x + left, y: area.y + 1, width: area.width - left, height }
        } else {
            // The question is whole: the player above it keeps its heading and the bytes.
            let height = ROWS.min(area.height / 2).max(wanted.min(area.height.saturating_sub(MIN_ABOVE)));
            Rect { y: area.bottom() - height, height, ..area }
        };
        let above = if area.width >= TWO_COLUMNS { area } else { Rect { height: area.height - card.height, ..area } };
        player.draw(above, buf, cx);
        Clear.render(card, buf);
        buf.set_style(card, cx.look.theme.of(Role::Text));
        draw_heading(Rect { height: 1, ..card }, &[(Role::Accent, "Predict".to_owned())], buf, cx);
        let inside = Rect {
            x: card.x + 1,
            y: card.y + 1,
            width: card.width.saturating_sub(2),
            height: card.height.saturating_sub(1),
        };
        let input = wrap(&self.question.prompt, inside.width as usize).len();
        let mut cursor = None;
        // If the lines do not fit, those of the question are left out first: the verdict on the answer is new.
        let first = lines.len().saturating_sub(usize::from(inside.height)).min(input);
        for ((index, line), y) in lines.iter().enumerate().skip(first).zip(inside.y..inside.bottom()) {
            let row = Rect { y, height: 1, ..inside };
            if index == input {
                cursor = self.answer.draw_input(row, buf, cx);
            } else {
                draw_line(row, line, buf, cx);
            }
        }
        cursor
    }
}
